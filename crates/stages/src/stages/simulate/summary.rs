//! The outcome of `simulate`: what `simulate --json` prints and `simulation.json` holds. It plans and compares;
//! it claims nothing about systems.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tiebreak_decide::model_based::PredictionAgreement;

/// The outcome of one replay or of many.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Simulation {
    /// All systems, by name.
    pub systems: Vec<String>,
    /// The system that beats all others by all recorded comparisons; null where there is none.
    pub true_winner: Option<String>,
    /// The system that most runs name in the end.
    pub winner: String,
    /// The bandit with its parameters.
    pub bandit: String,
    /// Independent runs.
    pub runs: u64,
    /// The seed.
    pub seed: u64,
    /// Whether no comparison was drawn twice in a run: certificates are about the comparisons alone then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub without_replacement: bool,
    /// Whether runs were those of one annotator's campaign: a comparison drawn again was no annotation.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub as_campaign: bool,
    /// Human annotations after which at least 95 % of runs name the true winner, and keep naming it;
    /// only the leader counts, even where the bandit looks for more. Without a true winner it is not
    /// defined.
    pub(crate) annotation_complexity: SimulatedComplexity,
    /// Share of runs that name the true winner, by human annotations, at its changes.
    pub accuracy: Vec<(u64, f64)>,
    /// Mean human annotations per run.
    pub mean_annotations: f64,
    /// How the runs ended.
    pub(crate) stopped: SimulatedStops,
    /// Whether one system beats all others by all recorded comparisons.
    pub condorcet: bool,
    /// The systems that the records do not tell apart from the strongest: how sure the records are of
    /// their own winner.
    #[serde(default)]
    pub not_told_apart: Vec<String>,
    /// The verdict on the runs, in words.
    pub verdict: String,
    /// Systems dropped before the first duel.
    pub eliminated: Vec<String>,
    /// Mean answers of the model per run.
    pub model_answers: f64,
    /// The cost in seconds of people's time, where the comparisons say how many they took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) time: Option<SimulatedCost<u64>>,
    /// The cost in money, where the comparisons say their price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) money: Option<SimulatedCost<f64>>,
    /// The agreement of people's judgments with the predictions, where a model was to answer.
    #[serde(default)]
    pub predictions: Option<PredictionAgreement>,
    /// Each system's standing, best first.
    pub(crate) standings: Vec<SimulatedStanding>,
    /// The signature: bandit, feedback, predictions and their settings.
    pub signature: String,
}

/// An annotation complexity with its bootstrap interval. `None` is *never reached*.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct SimulatedComplexity<T = u64> {
    /// The point estimate.
    pub value: Option<T>,
    /// Lower end.
    pub lower: Option<T>,
    /// Upper end.
    pub upper: Option<T>,
}

impl<T: Copy> SimulatedComplexity<T> {
    /// Maps each number by `of`.
    #[must_use]
    pub(crate) fn map<U>(&self, of: impl Fn(T) -> U) -> SimulatedComplexity<U> {
        SimulatedComplexity {
            value: self.value.map(&of),
            lower: self.lower.map(&of),
            upper: self.upper.map(&of),
        }
    }
}

/// The cost of runs, in people's time or in money.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct SimulatedCost<T> {
    /// The cost after which at least 95 % of runs name the true winner, and keep naming it.
    pub complexity: SimulatedComplexity<T>,
    /// The mean of the runs.
    pub mean: f64,
    /// The cost until a run's certificate.
    pub certificate: SimulatedQuartiles,
}

/// The reasons why runs ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct SimulatedStops {
    /// Share of runs that stopped by their own certificate.
    pub share: f64,
    /// Runs by reason: certificate, finished, budget, steps, ended.
    pub reasons: BTreeMap<String, u64>,
    /// Human annotations until a run's certificate.
    pub annotations: SimulatedQuartiles,
    /// The number of annotations that half of the runs took at least, with certificate or without.
    #[serde(default)]
    pub median_taken: Option<f64>,
    /// The share of the runs with a certificate whose claim all recorded comparisons confirm: the winner, a system
    /// within a margin of it, the top k or the ranking; `None` when none stopped, or where the claim takes for granted
    /// that some system beats all others and none does.
    pub correct: Option<f64>,
}

/// Median and quartiles of all runs, those without certificate last; `None` for one that is among these.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct SimulatedQuartiles {
    pub median: Option<f64>,
    /// The lower quartile.
    pub q25: Option<f64>,
    /// The upper quartile.
    pub q75: Option<f64>,
}

/// One system's standing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub(crate) struct SimulatedStanding {
    pub system: String,
    /// Share of runs that name it in the end.
    pub named: f64,
    /// The number of systems it beats in the recorded comparisons.
    pub copeland: u64,
    /// Its mean preference over the other systems in the recorded comparisons.
    pub preference: f64,
}
