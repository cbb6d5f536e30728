//! A calibration on a data set: which link and thresholds an item has.

use super::ItemScorePairs;
use crate::preference::links::{LabelledScorePair, Link};
use tiebreak_base::rng::Seed;
use tiebreak_decide::model_based::thresholds::{JudgedPreference, Thresholds};

/// The number of folds of items.
pub(super) const FOLDS: usize = 5;

/// The fold of an item, whatever other items there are.
pub(super) fn fold_of(item: &str) -> usize {
    Seed(0).stream(item, 0).below(FOLDS)
}

/// A link and its thresholds, made ready for a data set.
pub enum AppliedCalibration {
    /// The same link and thresholds for all items.
    Whole {
        /// The link of two scores.
        link: Box<dyn Link>,
        /// The thresholds that turn a preference into an outcome.
        thresholds: Thresholds,
        /// Whether they were fitted on this very data set, and so predict it a little too well.
        in_sample: bool,
    },
    /// The links and thresholds by fold, each fitted without the items it is used for.
    CrossFitted(Vec<(Box<dyn Link>, Thresholds)>),
}

impl AppliedCalibration {
    /// The link for an item.
    pub fn link(&self, item: &str) -> &dyn Link {
        match self {
            Self::Whole { link, .. } => link.as_ref(),
            Self::CrossFitted(folds) => folds[fold_of(item)].0.as_ref(),
        }
    }

    /// The thresholds for an item.
    pub fn thresholds(&self, item: &str) -> Thresholds {
        match self {
            Self::Whole { thresholds, .. } => *thresholds,
            Self::CrossFitted(folds) => folds[fold_of(item)].1,
        }
    }

    /// The thresholds of each fold; none where they are the same for all items.
    pub fn folds(&self) -> Vec<Thresholds> {
        match self {
            Self::Whole { .. } => Vec::new(),
            Self::CrossFitted(folds) => folds.iter().map(|(_, thresholds)| *thresholds).collect(),
        }
    }

    /// Sentence accuracy on some items; `None` without pairs.
    pub fn accuracy(&self, items: &[ItemScorePairs]) -> Option<f64> {
        let right = |one: &ItemScorePairs| {
            let link = self.link(&one.item);
            let judged: Vec<JudgedPreference> =
                one.pairs.iter().map(|pair| judged(link, pair)).collect();
            let accuracy = self.thresholds(&one.item).accuracy(&judged)?;
            Some((accuracy * judged.len() as f64, judged.len() as f64))
        };
        let counts = items.iter().filter_map(right);
        let (right, all) = counts.fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        (all > 0.0).then(|| right / all)
    }
}

/// The thresholds for an item, among those of [`AppliedCalibration::folds`].
pub fn of_fold(folds: &[Thresholds], item: &str) -> Option<Thresholds> {
    folds.get(fold_of(item)).copied()
}

/// The preference that a link predicts for a pair, with its human outcome.
pub(super) fn judged(link: &dyn Link, pair: &LabelledScorePair) -> JudgedPreference {
    (link.preference(pair.first, pair.second), pair.outcome)
}
