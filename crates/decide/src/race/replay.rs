//! Replays of races on recorded scores: what a proof costs, and how often ways without one are wrong at the same price.
//!
//! * `race`: a [`Race`] until it is decided.
//! * `uniform`: the same proof, with every system scored in every round until it is there.
//! * `successive-rejects`: a fixed number of scores in K − 1 phases; after each the system of lowest mean leaves (Audibert,
//!   Bubeck and Munos, COLT 2010). It proves nothing.
//! * `successive-halving`: a fixed number of scores in ⌈log₂ K⌉ phases; after each the better half stays (Karnin, Koren and
//!   Somekh, ICML 2013). It proves nothing.
//!
//! The last two are scored on the same items for all systems, as the race is.

use super::{Race, RaceItems, RacePlace, RaceTerms, RaceVerdict};
use serde::{Deserialize, Serialize};
use std::fmt;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::rng::Rng;

/// A way to find the best system by scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RaceMethod {
    /// A race that drops losers on the way.
    #[default]
    Race,
    /// The same proof without dropping any.
    Uniform,
    /// A fixed number of scores, halving the systems.
    SuccessiveHalving,
    /// A fixed number of scores, rejecting one system after the other.
    SuccessiveRejects,
}

impl fmt::Display for RaceMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

impl RaceMethod {
    /// The fewest scores with which the method can choose one of so many systems.
    pub fn fewest(self, systems: usize) -> u64 {
        match self {
            Self::SuccessiveHalving => planned(systems, &halving_phases(systems, 0)),
            _ => systems as u64,
        }
    }
}

/// Scores of systems on the same items.
#[derive(Debug, Clone)]
pub struct ScoreMatrix {
    systems: usize,
    /// By item, then by system.
    scores: Vec<f64>,
}

/// One replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RaceReplay {
    /// The number of scores asked for.
    pub calls: u64,
    /// Whether the systems of highest mean were all dropped, or another one was named that is worse by more than the margin.
    pub is_wrong: bool,
    /// Whether it ended with a proof.
    pub is_proved: bool,
}

impl ScoreMatrix {
    /// The scores of `systems` systems, by item.
    ///
    /// # Errors
    /// [`Error::Usage`] for fewer than two systems, or no item that is whole.
    pub fn new(systems: usize, scores: Vec<f64>) -> Result<Self> {
        if systems < 2 || scores.is_empty() || !scores.len().is_multiple_of(systems) {
            let what = format!(
                "{} scores of {systems} systems, expected whole items of two or more",
                scores.len()
            );
            return Err(Error::usage(what));
        }
        Ok(Self { systems, scores })
    }

    /// The number of systems.
    pub fn systems(&self) -> usize {
        self.systems
    }

    fn items(&self) -> usize {
        self.scores.len() / self.systems
    }

    fn score(&self, item: usize, system: usize) -> f64 {
        self.scores[item * self.systems + system]
    }

    /// The mean of every system.
    pub fn means(&self) -> Vec<f64> {
        let mean = |system| {
            (0..self.items())
                .map(|item| self.score(item, system))
                .sum::<f64>()
                / self.items() as f64
        };
        (0..self.systems).map(mean).collect()
    }

    /// The systems whose mean is highest, but for rounding.
    pub fn best(&self) -> Vec<usize> {
        let means = self.means();
        let highest = means.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        (0..self.systems)
            .filter(|&one| means[one] >= highest - 1e-12 * highest.abs())
            .collect()
    }

    /// Replays one race by its terms, which have the seed of the items. For the methods of a fixed number of scores the
    /// terms must have a budget.
    ///
    /// # Errors
    /// Of [`Race::new`] and [`Race::tell`]; without a budget where one is needed.
    pub fn replay(&self, method: RaceMethod, terms: RaceTerms) -> Result<RaceReplay> {
        match method {
            RaceMethod::Race => self.race(terms),
            RaceMethod::Uniform => self.race(RaceTerms {
                keeps_all: true,
                ..terms
            }),
            RaceMethod::SuccessiveHalving => self.in_phases(method, terms, halving_phases),
            RaceMethod::SuccessiveRejects => self.in_phases(method, terms, rejecting_phases),
        }
    }

    fn race(&self, terms: RaceTerms) -> Result<RaceReplay> {
        let mut race = Race::new(self.systems, self.items(), terms)?;
        while let Some(task) = race.ask() {
            race.tell(task.task, self.score(task.item, task.system))?;
        }
        let is_out = |&one: &usize| matches!(race.places()[one], RacePlace::Out(_));
        Ok(RaceReplay {
            calls: race.asked(),
            is_wrong: match race.verdict() {
                RaceVerdict::NearlyBest(near) => !self.is_near(near, terms.epsilon),
                _ => self.best().iter().all(is_out),
            },
            is_proved: race.is_decided(),
        })
    }

    /// Whether no system's mean is higher by more than the margin.
    fn is_near(&self, system: usize, epsilon: f64) -> bool {
        let best = self.best();
        let means = self.means();
        best.contains(&system) || means[best[0]] - means[system] <= epsilon
    }

    /// `phases` gives for so many systems and scores the rounds up to the end of each phase and how many systems stay.
    fn in_phases(
        &self,
        method: RaceMethod,
        terms: RaceTerms,
        phases: fn(usize, u64) -> Vec<(u64, usize)>,
    ) -> Result<RaceReplay> {
        let budget = terms
            .budget
            .ok_or_else(|| Error::usage("a fixed number of scores needs a budget"))?;
        let fewest = method.fewest(self.systems);
        if budget < fewest {
            let what = format!("{budget} scores for {method}, expected {fewest} or more");
            return Err(Error::key("budget", what));
        }
        let mut order: Vec<usize> = (0..self.items()).collect();
        let mut rng = terms.seed.stream("race items", 0);
        rng.shuffle(&mut order);
        let mut ties: Rng = terms.seed.stream("race ties", 0);
        let mut left: Vec<usize> = (0..self.systems).collect();
        let (mut sums, mut rounds, mut calls) = (vec![0.0; self.systems], 0, 0);
        for (until, stay) in phases(self.systems, budget) {
            while rounds < until {
                let item = match terms.items {
                    RaceItems::Repeated => rng.below(self.items()),
                    _ => match order.get(rounds as usize) {
                        Some(&item) => item,
                        None => break,
                    },
                };
                for &one in &left {
                    sums[one] += self.score(item, one);
                }
                calls += left.len() as u64;
                rounds += 1;
            }
            ties.shuffle(&mut left);
            left.sort_by(|&a, &b| f64::total_cmp(&sums[b], &sums[a]));
            left.truncate(stay);
        }
        Ok(RaceReplay {
            calls,
            is_wrong: !self.is_near(left[0], terms.epsilon),
            is_proved: false,
        })
    }
}

/// The scores that phases take: each has the rounds up to its end, and how many systems stay.
fn planned(systems: usize, phases: &[(u64, usize)]) -> u64 {
    let (mut before, mut left, mut calls) = (0, systems, 0);
    for &(until, stay) in phases {
        calls += (until - before) * left as u64;
        (before, left) = (until, stay);
    }
    calls
}

fn rejecting_phases(systems: usize, budget: u64) -> Vec<(u64, usize)> {
    let k = systems as f64;
    let log = 0.5 + (2..=systems).map(|i| 1.0 / i as f64).sum::<f64>();
    let until = |phase: usize| {
        ((budget as f64 - k).max(0.0) / (log * (k + 1.0 - phase as f64))).ceil() as u64
    };
    (1..systems)
        .map(|phase| (until(phase).max(1), systems - phase))
        .collect()
}

fn halving_phases(systems: usize, budget: u64) -> Vec<(u64, usize)> {
    let phases = systems.next_power_of_two().ilog2();
    let (mut left, mut until, mut all) = (systems, 0, Vec::new());
    for _ in 0..phases {
        until += (budget / (left as u64 * u64::from(phases))).max(1);
        left = left.div_ceil(2);
        all.push((until, left));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimators::Range;
    use tiebreak_base::rng::Seed;

    fn matrix() -> ScoreMatrix {
        let mut rng = Seed(3).stream("test", 0);
        let mut scores = Vec::new();
        for _ in 0..600 {
            scores.extend(
                [0.75, 0.6, 0.5, 0.45, 0.4, 0.3].map(|p| f64::from(u8::from(rng.bernoulli(p)))),
            );
        }
        ScoreMatrix::new(6, scores).unwrap()
    }

    fn terms(seed: u64, budget: Option<u64>) -> RaceTerms {
        let items = RaceItems::Repeated;
        RaceTerms {
            items,
            seed: Seed(seed),
            budget,
            ..RaceTerms::new(Range::new(0.0, 1.0).unwrap())
        }
    }

    #[test]
    fn phases_are_those_of_the_papers_and_keep_to_the_number_of_scores() {
        // K = 4: loḡ = ½ + ½ + ⅓ + ¼; n = ⌈96/(1.5833·4)⌉ and so on.
        assert_eq!(rejecting_phases(4, 100), [(16, 3), (21, 2), (31, 1)]);
        assert_eq!(halving_phases(6, 90), [(5, 3), (15, 2), (30, 1)]);
        for (systems, budget) in [(2, 10), (5, 77), (12, 1000)] {
            for phases in [rejecting_phases, halving_phases] {
                let phases = phases(systems, budget);
                let (left, calls) = (phases.last().unwrap().1, planned(systems, &phases));
                assert!(
                    left == 1 && calls <= budget,
                    "{systems}: {calls} of {budget}"
                );
            }
        }
    }

    #[test]
    fn a_race_costs_less_than_the_same_proof_and_rejects_are_cheaper_without_one() {
        let matrix = matrix();
        assert_eq!(matrix.best(), [0]);
        let runs = 100;
        let all = |method, budget| -> (f64, u64, u64) {
            let replays = (0..runs).map(|seed| matrix.replay(method, terms(seed, budget)).unwrap());
            let replays: Vec<RaceReplay> = replays.collect();
            let calls = replays.iter().map(|one| one.calls).sum::<u64>() as f64 / runs as f64;
            let count = |is: fn(&&RaceReplay) -> bool| replays.iter().filter(is).count() as u64;
            (calls, count(|one| one.is_wrong), count(|one| one.is_proved))
        };
        let (race, wrong, proved) = all(RaceMethod::Race, None);
        assert!(
            wrong <= 5 && proved == runs,
            "{wrong} wrong, {proved} proved"
        );
        let (uniform, wrong, _) = all(RaceMethod::Uniform, None);
        assert!(
            wrong <= 5 && race < 0.7 * uniform,
            "{race} against {uniform}"
        );
        for method in [RaceMethod::SuccessiveRejects, RaceMethod::SuccessiveHalving] {
            let (calls, wrong, proved) = all(method, Some(race as u64));
            assert!(
                calls <= race && wrong <= 2 && proved == 0,
                "{method:?}: {wrong}"
            );
            let (_, wrong, _) = all(method, Some(24));
            assert!(wrong > 10, "{method:?}: {wrong} wrong of few scores");
        }
    }

    #[test]
    fn equal_systems_are_all_best() {
        let scores = (0..40)
            .flat_map(|item| [0.1, 0.2, 0.2].map(|x| x * f64::from(item % 3)))
            .collect();
        let matrix = ScoreMatrix::new(3, scores).unwrap();
        assert_eq!(matrix.best(), [1, 2]);
        assert!(
            ScoreMatrix::new(3, vec![0.5; 4]).is_err()
                && ScoreMatrix::new(1, vec![0.5; 4]).is_err()
        );
        assert!(
            matrix
                .replay(RaceMethod::SuccessiveRejects, terms(0, None))
                .is_err()
        );
    }
}
