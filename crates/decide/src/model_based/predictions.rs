//! The stored predictions of a preference model, by pair of systems and item.

use super::Forecasts;
use crate::feedback::comparisons::Comparisons;
use crate::feedback::names::{Names, all_pairs, pair_index};
use crate::model_based::thresholds::Thresholds;
use std::sync::Arc;
use tiebreak_base::duel::{Pair, Prediction};
use tiebreak_base::error::{Error, Key, Result, StageCommand};
use tiebreak_base::message;

/// The predictions of one model, stored for the lower arm of each pair and flipped on demand.
#[derive(Debug, Clone)]
pub struct PairPredictions {
    names: Arc<Names>,
    thresholds: Thresholds,
    /// The thresholds by item, where they differ.
    thresholds_on: Vec<Thresholds>,
    /// The predictions by pair, in the order of `pair_index`, then by item.
    by_pair: Vec<Vec<(u32, Prediction)>>,
}

impl PairPredictions {
    /// Stores rows of (item, pair, the preference for the first of the pair).
    ///
    /// # Errors
    /// [`Error::Usage`] for an arm that `names` does not have, numbers that are no probabilities
    /// or uncertainties, or a second prediction for the same pair and item.
    pub fn new(
        names: Arc<Names>,
        rows: impl IntoIterator<Item = (u32, Pair, Prediction)>,
        thresholds: Thresholds,
    ) -> Result<Self> {
        let k = names.k();
        let mut by_pair = vec![Vec::new(); k * k.saturating_sub(1) / 2];
        for (item, pair, prediction) in rows {
            names.check(pair)?;
            if let Some(mistake) = prediction.mistake() {
                return Err(Error::usage(format!(
                    "the prediction for {} on item `{}`: {mistake}",
                    names.pair(pair),
                    names.item(item)
                )));
            }
            let stored = if pair.first < pair.second {
                prediction
            } else {
                prediction.flipped()
            };
            by_pair[pair_index(k, pair)].push((item, stored));
        }
        for (pair, list) in all_pairs(k).zip(&mut by_pair) {
            list.sort_by_key(|&(item, _)| item);
            if let Some(twice) = list.windows(2).find(|two| two[0].0 == two[1].0) {
                return Err(Error::usage(format!(
                    "two predictions for {} on item `{}`, expected one",
                    names.pair(pair),
                    names.item(twice[0].0)
                )));
            }
        }
        Ok(Self {
            names,
            thresholds,
            thresholds_on: Vec::new(),
            by_pair,
        })
    }

    /// Sets thresholds for each item; none for the same on all items.
    #[must_use]
    pub fn with_thresholds(self, thresholds_on: Vec<Thresholds>) -> Self {
        Self {
            thresholds_on,
            ..self
        }
    }

    /// The margin by which the model prefers the first of a pair over all items: the share of items on
    /// which its preference exceeds ½, those at exactly ½ counting one half, less ½; in [−½, ½].
    /// `None` where nothing was predicted for the pair.
    pub fn margin(&self, pair: Pair) -> Option<f64> {
        let list = self.of_pair(pair);
        if list.is_empty() {
            return None;
        }
        let sign = Thresholds::default();
        let won = list
            .iter()
            .map(|(_, one)| sign.outcome(one.p).value() - 0.5);
        let margin = won.sum::<f64>() / list.len() as f64;
        Some(if pair.first < pair.second {
            margin
        } else {
            -margin
        })
    }

    /// The items predicted for a pair, lower arm first, with the expected score of its first: 2p − 1.
    pub fn scores(&self, pair: Pair) -> impl Iterator<Item = (u32, f64)> {
        let items = self.of_pair(pair).iter();
        items.map(|(item, prediction)| (*item, 2.0 * prediction.p - 1.0))
    }

    /// Every prediction, for the lower arm of its pair.
    pub(super) fn all(&self) -> impl Iterator<Item = &Prediction> {
        self.by_pair
            .iter()
            .flatten()
            .map(|(_, prediction)| prediction)
    }

    /// All predictions of a pair by item, for its lower arm.
    pub(super) fn of_pair(&self, pair: Pair) -> &[(u32, Prediction)] {
        &self.by_pair[pair_index(self.k(), pair)]
    }
}

impl Forecasts for PairPredictions {
    fn names(&self) -> &Names {
        &self.names
    }

    fn thresholds(&self) -> Thresholds {
        self.thresholds
    }

    fn thresholds_on(&self, item: u32) -> Thresholds {
        let own = self.thresholds_on.get(item as usize);
        own.copied().unwrap_or(self.thresholds)
    }

    fn stored(&self, pair: Pair, item: u32) -> Result<Prediction> {
        let list = &self.by_pair[pair_index(self.k(), pair)];
        match list.binary_search_by_key(&item, |&(item, _)| item) {
            Ok(place) => Ok(list[place].1),
            Err(_) => Err(Error::MissingInput {
                stage: "the model's answers".to_string(),
                table: format!(
                    "a prediction for {} on item `{}`",
                    self.names.pair(pair),
                    self.names.item(item)
                ),
                hint: Some(message!(
                    "make the predictions with {} on the same data",
                    StageCommand("predict", &[])
                )),
            }),
        }
    }

    fn survey(&self) -> Result<&PairPredictions> {
        Ok(self)
    }

    fn cover(&self, comparisons: &Comparisons) -> Result<()> {
        if self.k() != comparisons.k() {
            return Err(Error::usage(format!(
                "predictions for {} systems, comparisons of {}",
                self.k(),
                comparisons.k()
            )));
        }
        let mut judgments = comparisons.all();
        judgments.try_for_each(|(pair, judgment)| self.stored(pair, judgment.item).map(|_| ()))
    }

    fn require_uncertainty(&self) -> Result<()> {
        for (pair, list) in all_pairs(self.k()).zip(&self.by_pair) {
            if let Some((item, _)) = list.iter().find(|(_, one)| one.uncertainty.is_none()) {
                return Err(Error::usage(format!(
                    "the uncertainty of the prediction for {} on item `{}` is unknown",
                    self.names.pair(pair),
                    self.names.item(*item)
                ))
                .with_hint(message!(
                    "make predictions with dropout draws ({}), select by their distance to a half ({}), or mix at \
                     random ({})",
                    StageCommand("predict", &[Key("draws").set(20)]),
                    Key("select").set("margin:T"),
                    Key("mix")
                )));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::duel::{Arm, Outcome};

    fn certain(p: f64) -> Prediction {
        Prediction {
            p,
            uncertainty: None,
        }
    }

    fn pair(i: u16, j: u16) -> Pair {
        Pair::new(Arm(i), Arm(j))
    }

    fn example() -> PairPredictions {
        let rows = [
            (3, pair(1, 0), certain(0.9)),
            (1, pair(0, 1), certain(0.55)),
        ];
        let thresholds = Thresholds::new(0.45, 0.6).unwrap();
        PairPredictions::new(Arc::new(Names::numbered(2)), rows, thresholds).unwrap()
    }

    #[test]
    fn predictions_and_outcomes_flip_with_the_pair() {
        let predictions = example();
        assert_eq!(predictions.get(pair(1, 0), 3).unwrap().p, 0.9);
        assert_eq!(predictions.outcome(pair(1, 0), 3).unwrap(), Outcome::Win);
        assert_eq!(predictions.outcome(pair(0, 1), 3).unwrap(), Outcome::Loss);
        // 0.55 is a tie one way, 0.45 would be one the other way: both are.
        assert_eq!(predictions.outcome(pair(0, 1), 1).unwrap(), Outcome::Tie);
        assert_eq!(predictions.outcome(pair(1, 0), 1).unwrap(), Outcome::Tie);
    }

    #[test]
    fn a_margin_counts_items_by_the_side_preferred() {
        let at = |item, p| (item, pair(1, 0), certain(p));
        let rows = [at(0, 0.9), at(1, 0.55), at(2, 0.5), at(3, 0.1)];
        let names = Arc::new(Names::numbered(3));
        let predictions = PairPredictions::new(names, rows, Thresholds::new(0.2, 0.8).unwrap());
        let predictions = predictions.unwrap();
        assert_eq!(predictions.margin(pair(1, 0)), Some(0.125));
        assert_eq!(predictions.margin(pair(0, 1)), Some(-0.125));
        assert_eq!(predictions.margin(pair(0, 2)), None);
    }

    #[test]
    fn what_is_missing_doubled_or_no_probability_is_named() {
        let error = example().get(pair(0, 1), 2).unwrap_err().to_string();
        assert!(error.contains("`0` and `1` on item `2`"), "{error}");
        let build = |rows: Vec<(u32, Pair, Prediction)>| {
            let names = Arc::new(Names::numbered(2));
            PairPredictions::new(names, rows, Thresholds::default())
        };
        let twice = vec![(0, pair(0, 1), certain(0.1)), (0, pair(1, 0), certain(0.9))];
        assert!(
            build(twice)
                .unwrap_err()
                .to_string()
                .contains("expected one")
        );
        assert!(build(vec![(0, pair(0, 1), certain(f64::NAN))]).is_err());
        assert!(build(vec![(0, pair(0, 2), certain(0.5))]).is_err());
        assert!(example().require_uncertainty().is_err());
    }
}
