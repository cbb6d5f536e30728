//! Replays of a race by recorded scores: what a proof would have cost, and how often ways without one are wrong at the
//! same cost.

mod keys;
mod matrix;

pub use keys::SimulateStage;

use super::Count;
use crate::engine::Context;
use crate::stages::StageContext;
use matrix::RecordedScores;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use tiebreak_base::error::Result;
use tiebreak_base::keys::NonNegativeNumber;
use tiebreak_base::rng::Seed;
use tiebreak_base::signature::Signature;
use tiebreak_base::stats::quantiles::median;
use tiebreak_decide::race::replay::{RaceMethod, RaceReplay};
use tiebreak_decide::race::{RaceItems, RaceTerms};

/// The full runs after which a replay ends that draws items with replacement: equal systems are never told apart.
const FULL_RUNS: u64 = 4;

/// The methods that prove nothing.
const UNPROVED: [RaceMethod; 2] = [RaceMethod::SuccessiveRejects, RaceMethod::SuccessiveHalving];

/// What replays of scores took: what `simulate --json` prints for them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScoreSimulation {
    /// All systems, by name.
    pub systems: Vec<String>,
    /// The system of highest mean by all scores; null where several share it.
    pub best: Option<String>,
    /// Independent runs.
    pub runs: u64,
    /// How the best system is looked for.
    pub method: RaceMethod,
    /// The share of runs that dropped every best system, or named one that is worse by more than the margin.
    pub wrong: f64,
    /// The scores made in a run.
    pub(crate) calls: SimulatedCalls,
    /// Their mean as a share of the scores of all systems on all items; above 1 where items are drawn again and again.
    pub share_of_all: f64,
    /// How the runs ended.
    pub(crate) stopped: SimulatedProofs,
    /// The number of items with a score of every system.
    pub items: u64,
    /// The confidence of a proof.
    pub confidence: f64,
    /// The margin within which a system counts as best.
    pub epsilon: f64,
    /// Whether items are drawn with replacement.
    pub repeated: bool,
    /// Of a race replayed more than once: the methods that prove nothing.
    pub(crate) unproved: Vec<UnprovedMethod>,
    /// Each system with its mean, best first.
    pub(crate) standings: Vec<MeanStanding>,
    /// The seed.
    pub seed: u64,
    /// The signature: scores, method and settings.
    pub signature: String,
}

/// The number of scores made in a run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct SimulatedCalls {
    /// The mean of the runs.
    pub mean: f64,
    /// Their median.
    pub median: f64,
}

/// How many runs ended with a proof.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct SimulatedProofs {
    /// Their share of all runs.
    pub share: f64,
    /// The share of those whose proof is of a best system; null where there is none.
    pub correct: Option<f64>,
}

/// A method that proves nothing, on the same scores.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct UnprovedMethod {
    pub method: RaceMethod,
    /// The mean number of scores: as many as the race takes on average, or the fewest that it can do with.
    pub calls: f64,
    /// The share of wrong runs with so many.
    pub wrong: f64,
    /// The least number of scores with which at most a share of 1 − confidence is wrong; null where no number is enough.
    pub needed: Option<u64>,
}

/// A system with its mean.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct MeanStanding {
    pub system: String,
    /// Its mean over all items.
    pub mean: f64,
}

/// Replays, with what they need.
struct Replayer<'a> {
    context: &'a Context<'a>,
    scores: &'a RecordedScores,
    terms: RaceTerms,
    runs: u64,
}

impl Replayer<'_> {
    /// All replays of a method, with at most so many scores each.
    fn replay(&self, method: RaceMethod, budget: Option<u64>) -> Result<Vec<RaceReplay>> {
        let run = |index| {
            self.context.check()?;
            let terms = RaceTerms {
                seed: Seed(
                    self.terms
                        .seed
                        .stream("replays of scores", index)
                        .next_u64(),
                ),
                budget,
                ..self.terms
            };
            let replay = self.scores.matrix.replay(method, terms);
            self.context.progress.advance(1);
            replay
        };
        self.context.progress.begin("replays", self.runs);
        let replays = (0..self.runs).into_par_iter().map(run).collect();
        self.context.progress.end();
        replays
    }

    /// The least number of scores with which a method is wrong in at most a share of 1 − confidence.
    fn needed(&self, method: RaceMethod) -> Result<Option<u64>> {
        let is_enough = |budget| -> Result<bool> {
            let wrong = share(&self.replay(method, Some(budget))?, |one| one.is_wrong);
            Ok(wrong <= 1.0 - self.terms.confidence)
        };
        let mut enough = self.most();
        if !is_enough(enough)? {
            return Ok(None);
        }
        let mut least = method.fewest(self.scores.matrix.systems());
        while least < enough {
            let middle = least.midpoint(enough);
            match is_enough(middle)? {
                true => enough = middle,
                false => least = middle + 1,
            }
        }
        Ok(Some(enough))
    }

    /// The methods that prove nothing, with as many scores as a race takes on average.
    fn unproved(&self, calls: f64) -> Result<Vec<UnprovedMethod>> {
        let each = UNPROVED.into_iter().map(|method| {
            let same = self.replay(method, Some(self.as_many(method, calls)))?;
            Ok(UnprovedMethod {
                method,
                calls: mean_calls(&same),
                wrong: share(&same, |one| one.is_wrong),
                needed: self.needed(method)?,
            })
        });
        each.collect()
    }

    /// As many scores as a race takes on average, or the fewest that a method can do with.
    fn as_many(&self, method: RaceMethod, calls: f64) -> u64 {
        let fewest = method.fewest(self.scores.matrix.systems());
        fewest.max(calls.round() as u64)
    }

    /// The scores of all systems on all items.
    fn all(&self) -> u64 {
        self.scores.matrix.systems() as u64 * self.scores.items
    }

    /// The largest number of scores in a replay.
    fn most(&self) -> u64 {
        match self.terms.items {
            RaceItems::Repeated => FULL_RUNS * self.all(),
            _ => self.all(),
        }
    }
}

fn share(replays: &[RaceReplay], is: impl Fn(&RaceReplay) -> bool) -> f64 {
    replays.iter().filter(|one| is(one)).count() as f64 / replays.len() as f64
}

fn mean_calls(replays: &[RaceReplay]) -> f64 {
    replays.iter().map(|one| one.calls).sum::<u64>() as f64 / replays.len() as f64
}

/// Replays scores.
pub(super) fn run(site: &StageContext<'_>, keys: &SimulateStage) -> Result<ScoreSimulation> {
    let (own, shared) = (&keys.scores, &keys.comparisons);
    let StageContext {
        context, source, ..
    } = *site;
    let scores = matrix::read(site, own)?;
    let epsilon = own.epsilon.map_or(0.0, NonNegativeNumber::value);
    let terms = RaceTerms {
        epsilon,
        items: match own.repeated {
            true => RaceItems::Repeated,
            false => RaceItems::These,
        },
        confidence: shared.choices.confidence.value(),
        seed: context.seed,
        ..RaceTerms::new(scores.range)
    };
    let replayer = Replayer {
        context,
        scores: &scores,
        terms,
        runs: shared.runs.value(),
    };
    let given = shared.choices.budget.map(Count::value);
    let limit = given.or(own.repeated.then(|| replayer.most()));
    let is_unproved = UNPROVED.contains(&own.method);
    // What proves nothing ends after as many scores as the race takes, unless it is said.
    let budget = match is_unproved && given.is_none() {
        true => {
            let calls = mean_calls(&replayer.replay(RaceMethod::Race, limit)?);
            Some(replayer.as_many(own.method, calls))
        }
        false => limit,
    };
    let replays = replayer.replay(own.method, budget)?;
    let mean = mean_calls(&replays);
    let unproved = match own.method == RaceMethod::Race && replayer.runs > 1 {
        true => replayer.unproved(mean)?,
        false => Vec::new(),
    };
    let best = scores.matrix.best();
    let means = scores.matrix.means();
    let mut order: Vec<usize> = (0..means.len()).collect();
    order.sort_by(|&a, &b| means[b].total_cmp(&means[a]));
    let name = |system: usize| source.systems()[system].clone();
    let proved: Vec<RaceReplay> = replays
        .iter()
        .copied()
        .filter(|one| one.is_proved)
        .collect();
    let calls: Vec<f64> = replays.iter().map(|one| one.calls as f64).collect();
    let drawn = ["once", "again and again"][usize::from(own.repeated)];
    let mut signature = Signature::new(own.method.to_string())
        .with("scores", format!("[{}]", scores.of))
        .with(
            "range",
            format!("{},{}", scores.range.lower(), scores.range.upper()),
        )
        .with("runs", replayer.runs)
        .with("confidence", terms.confidence)
        .with("epsilon", epsilon)
        .with("drawn", drawn);
    if let Some(budget) = given {
        signature = signature.with("budget", budget);
    }
    Ok(ScoreSimulation {
        systems: source.systems().to_vec(),
        best: (best.len() == 1).then(|| name(best[0])),
        runs: replayer.runs,
        method: own.method,
        wrong: share(&replays, |one| one.is_wrong),
        calls: SimulatedCalls {
            mean,
            median: median(calls).expect("there is a run"),
        },
        share_of_all: mean / replayer.all() as f64,
        stopped: SimulatedProofs {
            share: share(&replays, |one| one.is_proved),
            correct: (!proved.is_empty()).then(|| share(&proved, |one| !one.is_wrong)),
        },
        items: scores.items,
        confidence: terms.confidence,
        epsilon,
        repeated: own.repeated,
        unproved,
        standings: order
            .into_iter()
            .map(|system| MeanStanding {
                system: name(system),
                mean: scores.sign * means[system],
            })
            .collect(),
        seed: context.seed.0,
        signature: signature.with("version", 1).to_string(),
    })
}
