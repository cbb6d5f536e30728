//! Comparisons with their predictions.

use std::collections::BTreeSet;
use tiebreak_base::duel::{Outcome, Prediction};
use tiebreak_base::rng::Seed;
use tiebreak_base::stats::forecast::Forecast;
use tiebreak_decide::model_based::thresholds::JudgedPreference;
use tiebreak_preference::preference::calibrator::Map;

/// A comparison and its prediction, both seen from the system named first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PredictionCase {
    /// The item, by its place in the data set.
    pub item: u64,
    /// The prediction.
    pub prediction: Prediction,
    /// The annotator's answer.
    pub outcome: Outcome,
    /// Whether both outputs are the same text.
    pub identical: bool,
}

impl PredictionCase {
    /// Returns the prediction as a forecast of the outcome.
    pub fn forecast(&self) -> Forecast {
        Forecast {
            p: self.prediction.p,
            outcome: self.outcome.value(),
        }
    }

    /// Returns the prediction and the outcome in the form that fits thresholds.
    pub fn judged(&self) -> JudgedPreference {
        (self.prediction.p, self.outcome)
    }
}

/// All comparisons of a data set that were predicted.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Cases {
    /// The cases, in the order of items.
    pub all: Vec<PredictionCase>,
    /// Comparisons without a prediction.
    pub unpredicted: u64,
    /// How far the judge favoured what it was shown first, for every prediction that says so, with its item.
    pub positions: Vec<(u64, f64)>,
}

impl Cases {
    /// Half of the items, drawn by the seed.
    pub fn half(&self, seed: Seed) -> BTreeSet<u64> {
        let mut items: Vec<u64> = self.all.iter().map(|case| case.item).collect();
        items.dedup();
        seed.stream("half of the items", 0).shuffle(&mut items);
        items[..items.len() / 2].iter().copied().collect()
    }

    /// Returns the cases with calibrated preferences. BALD and STD stay: the draws are not known here.
    #[must_use]
    pub fn calibrated(mut self, map: &Map) -> Self {
        for case in &mut self.all {
            case.prediction.p = map.preference(case.prediction.p);
        }
        self
    }
}
