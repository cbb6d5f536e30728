//! A slow, literal version of CCB: sets as sets, bounds from their definition, nothing kept.

use super::oracles::{Counts, compare, largest};
use std::collections::BTreeSet;
use tiebreak::rng::Rng;

struct Ccb {
    k: usize,
    released: bool,
    potential: BTreeSet<usize>,
    rivals: Vec<Vec<usize>>,
    losses: usize,
}

impl Ccb {
    fn new(k: usize, released: bool) -> Self {
        Self {
            k,
            released,
            potential: (0..k).collect(),
            rivals: vec![Vec::new(); k],
            losses: k,
        }
    }

    fn believed(&self) -> Vec<(usize, usize)> {
        let all = (0..self.k).flat_map(|i| self.rivals[i].iter().map(move |&j| (i, j)));
        all.collect()
    }

    fn settle(&mut self, winner: usize, losses: usize, rng: &mut Rng) {
        self.potential.insert(winner);
        self.losses = losses;
        self.rivals[winner].clear();
        for rivals in &mut self.rivals {
            if rivals.len() <= losses {
                rivals.clear();
            }
            while rivals.len() > losses + 1 {
                let out = rng.below(rivals.len());
                rivals.swap_remove(out);
            }
        }
    }

    fn ask(&mut self, counts: &Counts, t: u32, rng: &mut Rng) -> (usize, usize) {
        let (k, released) = (self.k, self.released);
        let u = |i: usize, j: usize| counts.u(i, j, 0.501, t);
        let l = |i: usize, j: usize| 1.0 - u(j, i);
        if self.believed().iter().any(|&(i, j)| l(i, j) > 0.5) {
            *self = Self::new(k, released);
        }
        let score = |bound: &dyn Fn(usize, usize) -> f64, i: usize| {
            (0..k).filter(|&j| j != i && bound(i, j) > 0.5).count()
        };
        let up: Vec<usize> = (0..k).map(|i| score(&u, i)).collect();
        let low: Vec<usize> = (0..k).map(|i| score(&l, i)).collect();
        for i in self.potential.clone() {
            let surpassed = up[i] < *low.iter().max().unwrap();
            if surpassed {
                self.potential.remove(&i);
            }
            if (surpassed || released) && self.rivals[i].len() != self.losses + 1 {
                self.rivals[i] = (0..k).filter(|&j| u(i, j) < 0.5).collect();
            }
        }
        if self.potential.is_empty() {
            *self = Self::new(k, released);
        }
        let best = *up.iter().max().unwrap();
        let mut candidates: Vec<usize> = (0..k).filter(|&i| up[i] == best).collect();
        for &i in candidates.iter().filter(|&&i| low[i] == up[i]) {
            self.settle(i, k - 1 - best, rng);
        }
        if rng.bernoulli(0.25) {
            let undecided = |&(i, j): &(usize, usize)| l(i, j) <= 0.5 && u(i, j) >= 0.5;
            let pairs: Vec<_> = self.believed().into_iter().filter(undecided).collect();
            if !pairs.is_empty() {
                return *rng.choose(&pairs);
            }
        }
        let both = |i: &usize| self.potential.contains(i);
        if candidates.iter().any(both) && rng.bernoulli(2.0 / 3.0) {
            candidates.retain(both);
        }
        let c = *rng.choose(&candidates);
        (c, self.opponent(c, counts, t, rng))
    }

    fn opponent(&self, c: usize, counts: &Counts, t: u32, rng: &mut Rng) -> usize {
        let u = |i: usize, j: usize| counts.u(i, j, 0.501, t);
        let everyone: Vec<usize> = (0..self.k).collect();
        let plausible = |pool: &[usize]| -> Vec<(usize, f64)> {
            let not_sure = pool.iter().filter(|&&j| j != c && u(c, j) >= 0.5);
            not_sure.map(|&j| (j, u(j, c))).collect()
        };
        let from_rivals = rng.bernoulli(0.5);
        let pool = if from_rivals {
            plausible(&self.rivals[c])
        } else {
            plausible(&everyone)
        };
        if from_rivals && !pool.is_empty() {
            return largest(&pool, rng);
        }
        if self.released {
            let first_other = (0..self.k).find(|&j| j != c).unwrap();
            return if pool.is_empty() {
                first_other
            } else {
                largest(&pool, rng)
            };
        }
        // All arms, c itself among them with a bound of ½.
        let pool = plausible(&everyone);
        if pool.is_empty() {
            return c;
        }
        let d = largest(&pool, rng);
        if u(d, c) < 0.5 { c } else { d }
    }
}

#[test]
fn ccb_asks_what_its_definition_asks() {
    for released in [false, true] {
        let k = 7;
        let mut slow = Ccb::new(k, released);
        compare("ccb", released, k, move |counts, t, rng| {
            slow.ask(counts, t, rng)
        });
    }
}
