//! Predictions of a preference model about two outputs, made beforehand or on demand.

use super::PairPredictions;
use crate::feedback::comparisons::Comparisons;
use crate::feedback::names::Names;
use crate::model_based::thresholds::Thresholds;
use tiebreak_base::duel::{Outcome, Pair, Prediction};
use tiebreak_base::error::Result;

/// A source of a preference model's predictions: [`PairPredictions`], or a model behind a cache. Thresholds
/// are applied for the lower arm of a pair, so asking the other way round always flips the outcome,
/// even where τ1 and τ2 are not symmetric about ½.
pub trait Forecasts: Sync {
    /// The names of systems and items.
    fn names(&self) -> &Names;

    /// The thresholds τ1, τ2 that turn a preference into an outcome.
    fn thresholds(&self) -> Thresholds;

    /// The thresholds for an item, where they differ by item.
    fn thresholds_on(&self, _item: u32) -> Thresholds {
        self.thresholds()
    }

    /// The preference for the lower arm of a pair on an item.
    ///
    /// # Errors
    /// [`Error::MissingInput`](tiebreak_base::error::Error::MissingInput) naming the pair and the item; those of a
    /// model.
    fn stored(&self, pair: Pair, item: u32) -> Result<Prediction>;

    /// The predictions that means and quantiles are taken from.
    ///
    /// # Errors
    /// The errors of a model that is asked for predictions.
    fn survey(&self) -> Result<&PairPredictions>;

    /// Checks that every recorded comparison has its prediction, or can have it.
    ///
    /// # Errors
    /// For the first that has none.
    fn cover(&self, comparisons: &Comparisons) -> Result<()>;

    /// Checks that the uncertainty of every prediction is known.
    ///
    /// # Errors
    /// [`Error::Usage`](tiebreak_base::error::Error::Usage) where it is not.
    fn require_uncertainty(&self) -> Result<()>;

    /// The number of systems.
    fn k(&self) -> usize {
        self.names().k()
    }

    /// The preference for the first of the pair on an item.
    ///
    /// # Errors
    /// As [`Forecasts::stored`].
    fn get(&self, pair: Pair, item: u32) -> Result<Prediction> {
        let stored = self.stored(pair, item)?;
        Ok(match pair.first < pair.second {
            true => stored,
            false => stored.flipped(),
        })
    }

    /// The predicted outcome of the first of the pair on an item, from the preference without
    /// dropout.
    ///
    /// # Errors
    /// As [`Forecasts::stored`].
    fn outcome(&self, pair: Pair, item: u32) -> Result<Outcome> {
        let outcome = self.thresholds_on(item).outcome(self.stored(pair, item)?.p);
        Ok(match pair.first < pair.second {
            true => outcome,
            false => outcome.flipped(),
        })
    }
}
