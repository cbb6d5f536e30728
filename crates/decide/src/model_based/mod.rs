//! Answers from a preference model, where it is trusted.
//!
//! [`AssistedFeedback`] is a feedback source around a feedback source, so any bandit runs with it; its
//! [`Policy`] says when the model answers. [`ucb_elimination`] drops systems before the first
//! question. A [`trial`] tests whether predictions deserve any of it.
//!
//! Source: Mohankumar and Khapra, "Active evaluation: efficient NLG evaluation with few pairwise
//! comparisons", ACL 2022, section 4.
//!
//! * Random mixing (4.1): the model answers each question with probability `p_m`.
//! * Uncertainty-aware selection (4.2; BALD after Houlsby et al., 2011): it answers where BALD or
//!   STD of its dropout draws is below τ; or, which needs no draws, where its preference is far from ½.
//!
//! A model's answers are no evidence about people, unless people check some of them ([`audits`]).
//!
//! Its answer is its thresholded preference *without* dropout, as in the released code: section 4.2
//! takes the mean of the draws, section 4.3 the learned parameters.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use tiebreak_base::duel::Prediction;
use tiebreak_base::error::{Error, Result};

pub mod advice;
mod assisted;
pub mod audits;
mod forecasts;
mod predicted;
mod predictions;
pub mod thresholds;
pub mod trial;
pub mod ucb_elimination;

pub use assisted::AssistedFeedback;
pub use audits::Audits;
pub use forecasts::Forecasts;
pub use predicted::PredictionAgreement;
pub use predictions::PairPredictions;

/// The policy by which the model answers in a person's place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Policy {
    /// With this probability, whatever the question.
    Mixing {
        /// `p_m`, from 0 to 1.
        share: f64,
    },
    /// Where its uncertainty is below a threshold.
    Selection(Selection),
    /// As much as [`advice`] says, once people's judgments show that it deserves it.
    Advised(AdvisedPolicy),
    /// Never; its predictions are judged all the same.
    Nothing,
}

/// The setting that [`advice`] is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AdvisedPolicy {
    /// The share of random mixing.
    Mixing,
    /// The threshold of a selection by this measure.
    Selection(UncertaintyMeasure),
}

/// Selection of questions by uncertainty: a person is asked only where the model is uncertain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Selection {
    /// The measure of uncertainty.
    pub by: UncertaintyMeasure,
    /// τ: the model answers below it.
    pub threshold: f64,
}

/// A measure of a prediction's uncertainty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UncertaintyMeasure {
    /// H(mean of the draws) − mean of H(draw), in nats, from 0 to ln 2.
    Bald,
    /// Population standard deviation of the draws, from 0 to ½.
    Std,
    /// Closeness of the preference to ½: 1 − |2p − 1|, from 0 to 1.
    Margin,
}

impl UncertaintyMeasure {
    /// All measures.
    pub const ALL: [Self; 3] = [Self::Bald, Self::Std, Self::Margin];

    /// The measure of one prediction, `None` where it is of draws and the model was not sampled.
    pub fn measure(self, prediction: &Prediction) -> Option<f64> {
        match self {
            Self::Bald => prediction.uncertainty.map(|known| known.bald),
            Self::Std => prediction.uncertainty.map(|known| known.std),
            Self::Margin => Some(1.0 - (2.0 * prediction.p - 1.0).abs()),
        }
    }

    /// Whether it is a measure of dropout draws, which not every prediction comes with.
    pub fn needs_draws(self) -> bool {
        self != Self::Margin
    }
}

impl fmt::Display for UncertaintyMeasure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

impl FromStr for UncertaintyMeasure {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let text = text.trim();
        let named = Self::ALL.into_iter().find(|one| one.to_string() == text);
        named.ok_or_else(|| {
            Error::usage(format!(
                "`{text}` measures no uncertainty, expected bald, std or margin"
            ))
        })
    }
}

impl Policy {
    /// Checks, before anything runs, that the policy makes sense for these predictions.
    ///
    /// # Errors
    /// [`Error::Usage`] for a share outside [0, 1], or for a selection by draws where a prediction has
    /// none.
    pub fn check(self, predictions: &dyn Forecasts) -> Result<()> {
        match self {
            Self::Mixing { share } => check_share(share),
            Self::Nothing | Self::Advised(AdvisedPolicy::Mixing) => Ok(()),
            Self::Selection(Selection { threshold, .. })
                if threshold.is_nan() || threshold < 0.0 =>
            {
                Err(Error::usage(format!(
                    "the threshold of a selection is {threshold}, expected a number of at least 0"
                )))
            }
            Self::Selection(Selection { by, .. }) | Self::Advised(AdvisedPolicy::Selection(by)) => {
                match by.needs_draws() {
                    true => predictions.require_uncertainty(),
                    false => Ok(()),
                }
            }
        }
    }
}

/// Checks a share of questions that a model answers.
///
/// # Errors
/// [`Error::Usage`] unless it lies in [0, 1].
pub(crate) fn check_share(share: f64) -> Result<()> {
    if (0.0..=1.0).contains(&share) {
        return Ok(());
    }
    Err(Error::usage(format!(
        "the share of answers from the model is {share}, expected a number from 0 to 1"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_are_read_as_they_are_written() {
        for measure in UncertaintyMeasure::ALL {
            assert_eq!(
                measure.to_string().parse::<UncertaintyMeasure>().unwrap(),
                measure
            );
        }
        let error = "bold".parse::<UncertaintyMeasure>().unwrap_err();
        assert!(error.to_string().contains("bald, std or margin"), "{error}");
    }

    #[test]
    fn closeness_to_a_half_is_known_without_draws() {
        for (p, margin) in [(0.5, 1.0), (0.75, 0.5), (0.25, 0.5), (1.0, 0.0), (0.0, 0.0)] {
            let prediction = Prediction {
                p,
                uncertainty: None,
            };
            assert_eq!(
                UncertaintyMeasure::Margin.measure(&prediction),
                Some(margin)
            );
            assert_eq!(UncertaintyMeasure::Bald.measure(&prediction), None);
        }
    }
}
