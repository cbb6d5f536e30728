//! Predictions put to work: answers from a preference model where it is trusted.
//!
//! [`random_mixing`] and [`uncertainty_aware`] are feedback sources around a feedback source, so
//! any bandit runs with any of them; [`ucb_elimination`] drops systems before the first question.
//!
//! Source: Mohankumar and Khapra, "Active evaluation: efficient NLG evaluation with few pairwise
//! comparisons", ACL 2022, section 4.

use crate::duel::Prediction;
use crate::error::{Error, Result};
use crate::feedback::FeedbackSource;
use crate::rng::Rng;
use serde::{Deserialize, Serialize};
use std::str::FromStr;

mod predictions;
pub mod random_mixing;
pub mod ucb_elimination;
pub mod uncertainty_aware;

pub use predictions::Predictions;
pub use random_mixing::RandomMixing;
pub use uncertainty_aware::UncertaintyAware;

/// When the model answers in a person's place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Policy {
    /// With this probability, whatever the question.
    Mixing {
        /// `p_m`, from 0 to 1.
        share: f64,
    },
    /// Where its uncertainty is below a threshold.
    Selection(Selection),
}

/// Ask a person only where the model is uncertain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Selection {
    /// How uncertainty is measured.
    pub by: Measure,
    /// τ: the model answers below it.
    pub threshold: f64,
}

/// A measure of a prediction's uncertainty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Measure {
    /// H(mean of the draws) − mean of H(draw), in nats, from 0 to ln 2.
    Bald,
    /// Population standard deviation of the draws, from 0 to ½.
    Std,
}

impl Measure {
    /// The measure of one prediction, `None` where its model cannot be sampled.
    pub fn of(self, prediction: &Prediction) -> Option<f64> {
        prediction.uncertainty.map(|known| match self {
            Self::Bald => known.bald,
            Self::Std => known.std,
        })
    }
}

impl FromStr for Selection {
    type Err = Error;

    /// Reads `bald:T` or `std:T`.
    fn from_str(text: &str) -> Result<Self> {
        let wrong = || {
            Error::usage(format!("`{text}` does not say where to trust the model"))
                .with_hint("write bald:T or std:T, with a threshold T such as 0.025")
        };
        let (name, threshold) = text.split_once(':').ok_or_else(wrong)?;
        let by = match name.trim() {
            "bald" => Measure::Bald,
            "std" => Measure::Std,
            _ => return Err(wrong()),
        };
        let threshold: f64 = threshold.trim().parse().map_err(|_| wrong())?;
        if threshold.is_finite() && threshold >= 0.0 {
            Ok(Self { by, threshold })
        } else {
            Err(wrong())
        }
    }
}

impl Policy {
    /// Checks, before anything runs, that the policy makes sense for these predictions.
    ///
    /// # Errors
    /// [`Error::Usage`] for a share outside [0, 1], or for a selection where a prediction has no
    /// uncertainty.
    pub fn check(self, predictions: &Predictions) -> Result<()> {
        match self {
            Self::Mixing { share } => check_share(share),
            Self::Selection(_) => predictions.require_uncertainty(),
        }
    }

    /// Lets the model behind `predictions` answer for `people` under this policy. `rng` is drawn
    /// from by mixing only.
    pub fn around<'a>(
        self,
        people: Box<dyn FeedbackSource + 'a>,
        predictions: &'a Predictions,
        rng: Rng,
    ) -> Box<dyn FeedbackSource + 'a> {
        match self {
            Self::Mixing { share } => Box::new(RandomMixing::new(people, predictions, share, rng)),
            Self::Selection(selection) => {
                Box::new(UncertaintyAware::new(people, predictions, selection))
            }
        }
    }
}

/// Checks a share of questions that a model answers.
///
/// # Errors
/// [`Error::Usage`] unless it lies in [0, 1].
pub fn check_share(share: f64) -> Result<()> {
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
    fn a_selection_is_read_from_text() {
        let selection: Selection = "bald:0.025".parse().unwrap();
        assert_eq!((selection.by, selection.threshold), (Measure::Bald, 0.025));
        for wrong in ["bald", "bold:0.1", "std:x", "std:-1", "std:NaN", ""] {
            assert!(wrong.parse::<Selection>().is_err(), "{wrong}");
        }
    }
}
