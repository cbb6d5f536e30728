//! What a run claims of people is true as often as it says, whoever they are and however they answer:
//! each claim is held against simulated people of whom the truth is known.

mod audits;
mod controls;
mod corrections;
mod cycles;
mod memory;
mod people;
mod ratings;
mod repeats;
mod replacement;
mod selected;
mod sessions;
mod terms;
mod uneven;
mod whose;

use crate::support::say;
use tiebreak::bandits::BANDITS;
use tiebreak::duel::{Arm, Outcome, Verdict};
use tiebreak::evaluation::active::{Limits, RunTrace, Setup};
use tiebreak::evaluation::known::PriorKnowledge;
use tiebreak::feedback::FeedbackSource;
use tiebreak::feedback::matrix::{Bernoulli, PreferenceMatrix};
use tiebreak::registry::{Params, find_entry};
use tiebreak::rng::{Rng, Seed};

/// The error probability of all claims here.
const DELTA: f64 = 0.05;

/// The share of ties among answers.
const TIES: f64 = 0.2;

/// `adaptive` on `k` systems, for at most so many steps.
fn setup(bandit: &str, k: usize, steps: u64) -> Setup {
    let (name, params) = Params::parse(bandit).unwrap();
    let entry = find_entry("bandit", BANDITS, &name).unwrap();
    let limits = Limits::new(steps, Some(steps));
    let known = PriorKnowledge {
        confidence: Some(1.0 - DELTA),
        ..PriorKnowledge::default()
    };
    let setup = Setup::new(entry, params, Arm::all(k).collect(), limits, Seed(23)).unwrap();
    setup.with(known).unwrap()
}

/// The preferences `p_ij`, a tie counting one half: those at (i, j) for i < j, row by row.
#[derive(Debug, Clone)]
struct Preferences {
    k: usize,
    upper: Vec<f64>,
}

impl Preferences {
    fn from_fn(k: usize, p: impl Fn(usize, usize) -> f64) -> Self {
        let pairs = (0..k).flat_map(|i| (i + 1..k).map(move |j| (i, j)));
        let upper = pairs.map(|(i, j)| p(i, j)).collect();
        Self { k, upper }
    }

    fn get(&self, i: Arm, j: Arm) -> f64 {
        let (i, j) = (i.index(), j.index());
        let place = |i: usize, j: usize| i * (2 * self.k - i - 1) / 2 + j - i - 1;
        match i < j {
            true => self.upper[place(i, j)],
            false => 1.0 - self.upper[place(j, i)],
        }
    }

    /// Those of a person whose taste deviates by `sd` in every pair; they leave room for what items
    /// bring.
    fn of_a_person(&self, sd: f64, rng: &mut Rng) -> Self {
        let taste = |&p: &f64| (p + sd * rng.normal()).clamp(0.15, 0.85);
        let upper = self.upper.iter().map(taste).collect();
        Self { upper, ..*self }
    }

    /// The means over people.
    fn mean(people: &[Self]) -> Self {
        let mean = |place: usize| {
            let all: f64 = people.iter().map(|person| person.upper[place]).sum();
            all / people.len() as f64
        };
        let k = people[0].k;
        let upper = (0..people[0].upper.len()).map(mean).collect();
        Self { k, upper }
    }

    fn beats_all(&self, i: Arm) -> bool {
        Arm::all(self.k).all(|j| j == i || self.get(i, j) > 0.5)
    }

    /// Whether what is claimed is so.
    fn bear_out(&self, verdict: &Verdict) -> bool {
        match verdict {
            Verdict::Winner { arm, .. } => self.beats_all(*arm),
            Verdict::NoWinner => !Arm::all(self.k).any(|i| self.beats_all(i)),
            Verdict::Top { arms, .. } => {
                let others = || Arm::all(self.k).filter(|j| !arms.contains(j));
                arms.iter().all(|&i| others().all(|j| self.get(i, j) > 0.5))
            }
            Verdict::Ranking { arms, .. } => {
                let beats_those_after = |place: usize| {
                    let after = arms[place + 1..].iter();
                    after.copied().all(|j| self.get(arms[place], j) > 0.5)
                };
                (0..arms.len()).all(beats_those_after)
            }
            Verdict::NearlyBest { arm, margins } => {
                let mut others = Arm::all(self.k).filter(|j| j != arm);
                others.all(|j| self.get(*arm, j) > 0.5 - margins[0])
            }
            other => panic!("{other:?} claims nothing that is tested here"),
        }
    }
}

/// An answer whose mean is `p`; `u` is uniform.
fn outcome(p: f64, u: f64) -> Outcome {
    let ties = TIES.min(2.0 * p).min(2.0 - 2.0 * p);
    match u {
        u if u < p - ties / 2.0 => Outcome::Win,
        u if u < p + ties / 2.0 => Outcome::Tie,
        _ => Outcome::Loss,
    }
}

/// What came of some runs.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
struct Claims {
    runs: u64,
    /// How many claim that something is better than something else.
    made: u64,
    /// How many say that no system beats all the others.
    nobody: u64,
    wrong: u64,
    /// The annotations of those that claim something.
    annotations: u64,
}

impl Claims {
    fn add(&mut self, trace: &RunTrace, truth: &Preferences) {
        self.runs += 1;
        let (claims, nobody) = (trace.verdict.is_claim(), trace.verdict == Verdict::NoWinner);
        self.made += u64::from(claims);
        self.nobody += u64::from(nobody);
        if claims || nobody {
            self.wrong += u64::from(!truth.bear_out(&trace.verdict));
        }
        if claims {
            self.annotations += trace.annotations;
        }
    }

    /// Plays runs against the sources that `people` makes, each with the truth about it.
    fn of<F: FeedbackSource>(
        setup: &Setup,
        runs: u64,
        people: impl Fn(&mut Rng) -> (F, Preferences),
    ) -> Self {
        let mut claims = Self::default();
        for run in 0..runs {
            let mut rng = Seed(29).stream("people", run);
            let (mut source, truth) = people(&mut rng);
            claims.add(&setup.play(run, &mut source).unwrap(), &truth);
        }
        claims
    }

    /// Asserts that no more are wrong than one in 1/δ, and 3 standard deviations.
    fn assert_valid(&self, what: &str) {
        self.assert_within(3.0, what);
    }

    /// The same of a thousand runs: and 2 standard deviations.
    fn assert_valid_in_a_thousand(&self, what: &str) {
        say("MEASURED", &format!("{what}: {self:?}"));
        self.assert_within(2.0, what);
    }

    fn assert_within(&self, deviations: f64, what: &str) {
        let mean = self.runs as f64 * DELTA;
        let most = mean + deviations * (mean * (1.0 - DELTA)).sqrt();
        assert!(self.wrong as f64 <= most, "{what}: {self:?}");
    }

    /// Plays so many runs of so many steps against answers drawn from the preferences.
    fn of_matrix(bandit: &str, truth: &Preferences, (runs, steps): (u64, u64)) -> Self {
        let matrix = PreferenceMatrix::from_upper(truth.k, &truth.upper).unwrap();
        let people = Bernoulli::new(matrix, TIES).unwrap();
        let setup = setup(bandit, truth.k, steps);
        Self::of(&setup, runs, |_| (people.clone(), truth.clone()))
    }

    fn mean_annotations(&self) -> f64 {
        self.annotations as f64 / self.made as f64
    }
}
