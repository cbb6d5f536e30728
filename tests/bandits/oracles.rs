//! Slow, literal versions of RUCB and RMED: every quantity computed afresh from its definition.
//!
//! They draw random numbers where the fast versions do, so both must ask the very same pairs.

use super::{answer, build};
use tiebreak::bandits::BANDITS;
use tiebreak::duel::{Origin, Outcome, Pair};
use tiebreak::registry::{Params, find_entry};
use tiebreak::rng::{Rng, Seed};

/// w_ij, and the definitions that follow from it.
pub(super) struct Counts {
    k: usize,
    w: Vec<Vec<f64>>,
}

impl Counts {
    fn new(k: usize) -> Self {
        let w = vec![vec![0.0; k]; k];
        Self { k, w }
    }

    fn add(&mut self, i: usize, j: usize, outcome: Outcome) {
        if i != j {
            self.w[i][j] += outcome.value();
            self.w[j][i] += 1.0 - outcome.value();
        }
    }

    fn n(&self, i: usize, j: usize) -> f64 {
        self.w[i][j] + self.w[j][i]
    }

    fn m(&self, i: usize, j: usize) -> f64 {
        if self.n(i, j) == 0.0 {
            0.5
        } else {
            self.w[i][j] / self.n(i, j)
        }
    }

    pub(super) fn u(&self, i: usize, j: usize, alpha: f64, t: u32) -> f64 {
        if i == j {
            return 0.5;
        }
        let radius = if self.n(i, j) == 0.0 {
            1.0
        } else {
            (alpha * f64::from(t).ln() / self.n(i, j)).sqrt()
        };
        (self.m(i, j) + radius).min(1.0)
    }

    /// I_i.
    fn evidence(&self, i: usize) -> f64 {
        let plogp = |p: f64| if p > 0.0 { p * p.ln() } else { 0.0 };
        (0..self.k)
            .filter(|&j| j != i && self.m(i, j) <= 0.5)
            .map(|j| {
                let p = self.m(i, j);
                self.n(i, j) * (2.0_f64.ln() + plogp(p) + plogp(1.0 - p))
            })
            .sum()
    }
}

/// The last of the reservoir: each further equal replaces the choice with probability 1/number.
pub(super) fn largest(values: &[(usize, f64)], rng: &mut Rng) -> usize {
    let highest = values.iter().map(|v| v.1).fold(f64::MIN, f64::max);
    // The fast version also draws for ties among values that are not the largest in the end.
    let mut running = f64::MIN;
    let mut equals = 0;
    let mut choice = 0;
    for &(key, value) in values {
        if value > running {
            (running, equals, choice) = (value, 1, key);
        } else if value == running {
            equals += 1;
            if rng.below(equals) == 0 {
                choice = key;
            }
        }
    }
    assert_eq!(running, highest);
    choice
}

pub(super) fn compare(
    name: &str,
    released: bool,
    k: usize,
    mut oracle: impl FnMut(&mut Counts, u32, &mut Rng) -> (usize, usize),
) {
    let variant = if released { "released" } else { "original" };
    let (_, params) = Params::parse(&format!("{name}:variant={variant}")).unwrap();
    let mut bandit = build(find_entry("bandit", BANDITS, name).unwrap(), &params, k);
    let mut fast = Seed(9).stream("choices", 0);
    let mut slow = Seed(9).stream("choices", 0);
    let mut answers = Seed(9).stream("answers", 0);
    let mut counts = Counts::new(k);
    let mut selfish = 0;
    for t in 1..=4000 {
        let duel = bandit.ask(&mut fast).unwrap();
        let Pair { first, second } = duel.pair;
        let expected = oracle(&mut counts, t, &mut slow);
        assert_eq!(
            (first.index(), second.index()),
            expected,
            "{name} {variant}, step {t}"
        );
        selfish += u32::from(duel.pair.is_self());
        let outcome = answer(duel.pair, 0.65, &mut answers);
        counts.add(first.index(), second.index(), outcome);
        bandit.record_outcome(duel.id, outcome, Origin::Human);
    }
    let never_selfish = ["rucb", "ccb"].contains(&name) && released;
    assert_eq!(
        selfish == 0,
        never_selfish,
        "{name} {variant}: {selfish} self duels"
    );
}

#[test]
fn rucb_asks_what_its_definition_asks() {
    for released in [false, true] {
        let k = 7;
        let mut best: Option<usize> = None;
        compare("rucb", released, k, move |counts, t, rng| {
            let u = |i: usize, j: usize| counts.u(i, j, 0.51, t);
            let c: Vec<usize> = (0..k).filter(|&c| (0..k).all(|j| u(c, j) >= 0.5)).collect();
            if best.is_some_and(|b| !c.contains(&b)) {
                best = None;
            }
            let champion = if c.is_empty() {
                let any = rng.below(k);
                best = released.then_some(any);
                any
            } else if c.len() == 1 {
                best = Some(c[0]);
                c[0]
            } else if let Some(b) = best {
                if rng.bernoulli(0.5) {
                    b
                } else {
                    let others: Vec<usize> = c.iter().copied().filter(|&x| x != b).collect();
                    *rng.choose(&others)
                }
            } else {
                *rng.choose(&c)
            };
            let rivals: Vec<(usize, f64)> = (0..k)
                .filter(|&j| j != champion)
                .map(|j| (j, u(j, champion)))
                .collect();
            let rival = largest(&rivals, rng);
            let all_lose = rivals.iter().all(|&(_, value)| value < 0.5);
            (
                champion,
                if all_lose && !released {
                    champion
                } else {
                    rival
                },
            )
        });
    }
}

#[test]
fn rmed_asks_what_its_definition_asks() {
    for released in [false, true] {
        let k = 7;
        let f = 0.3 * (k as f64).powf(1.01);
        let mut first_pass: Vec<(usize, usize)> = (0..k)
            .flat_map(|i| (i + 1..k).map(move |j| (i, j)))
            .collect();
        first_pass.reverse();
        let (mut lc, mut lr, mut ln): (Vec<usize>, Vec<usize>, Vec<usize>) =
            ((0..k).collect(), (0..k).collect(), Vec::new());
        let mut before = None;
        compare("rmed", released, k, move |counts, t, rng| {
            if let Some(pair) = first_pass.pop() {
                return pair;
            }
            let evidence: Vec<f64> = (0..k).map(|i| counts.evidence(i)).collect();
            let least = evidence.iter().copied().fold(f64::MAX, f64::min);
            if let Some(t) = before {
                for (j, against) in evidence.iter().enumerate() {
                    let close = against - least <= f64::from(t).ln() + f + 1e-12;
                    if !lr.contains(&j) && !ln.contains(&j) && close {
                        ln.push(j);
                    }
                }
                if lc.is_empty() {
                    ln.sort_unstable();
                    (lc, lr) = (ln.clone(), ln.clone());
                    ln.clear();
                }
            }
            before = Some(t - 1);
            let l = lc.swap_remove(rng.below(lc.len()));
            lr.retain(|&j| j != l);
            let o: Vec<usize> = (0..k)
                .filter(|&j| j != l && counts.m(l, j) <= 0.5)
                .collect();
            let best = (0..k).find(|&i| evidence[i] <= least + 1e-12).unwrap();
            if released && o.is_empty() {
                return (l, l);
            }
            if !released && (o.is_empty() || o.contains(&best)) {
                return (l, best);
            }
            let weakest: Vec<(usize, f64)> = (0..k)
                .filter(|&j| j != l)
                .map(|j| (j, -counts.m(l, j)))
                .collect();
            (l, largest(&weakest, rng))
        });
    }
}
