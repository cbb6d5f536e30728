//! Predictions put to work: answers from a preference model where it is trusted.
//!
//! [`Assisted`] is a feedback source around a feedback source, so any bandit runs with it; its
//! [`Policy`] says when the model answers. [`ucb_elimination`] drops systems before the first
//! question. Whether predictions deserve any of it is found out in a [`trial`].
//!
//! Source: Mohankumar and Khapra, "Active evaluation: efficient NLG evaluation with few pairwise
//! comparisons", ACL 2022, section 4.
//!
//! * Random mixing (4.1): the model answers each question with probability `p_m`.
//! * Uncertainty-aware selection (4.2; BALD after Houlsby et al., 2011): it answers where BALD or
//!   STD of its dropout draws is below τ.
//!
//! What a model decided says nothing about people, unless they check it now and then ([`audits`]).
//!
//! Its answer is its thresholded preference *without* dropout, as in the released code: section 4.2
//! takes the mean of the draws, section 4.3 the learned parameters.

use crate::duel::Prediction;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

pub mod advice;
mod assisted;
pub mod audits;
mod forecasts;
mod predictions;
pub mod trial;
pub mod ucb_elimination;

pub use assisted::Assisted;
pub use audits::Audits;
pub use forecasts::Forecasts;
pub use predictions::Predictions;

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
    /// As much as [`advice`] says, once people's judgments show that it deserves it.
    Advised(Advised),
    /// Never; its predictions are judged all the same.
    Nothing,
}

/// What is advised on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Advised {
    /// The share of random mixing.
    Mixing,
    /// The threshold of a selection by this measure.
    Selection(Measure),
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
    pub fn measure(self, prediction: &Prediction) -> Option<f64> {
        prediction.uncertainty.map(|known| match self {
            Self::Bald => known.bald,
            Self::Std => known.std,
        })
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bald => "bald",
            Self::Std => "std",
        })
    }
}

impl FromStr for Measure {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text.trim() {
            "bald" => Ok(Self::Bald),
            "std" => Ok(Self::Std),
            other => Err(Error::usage(format!(
                "`{other}` measures no uncertainty, expected bald or std"
            ))),
        }
    }
}

impl Policy {
    /// Checks, before anything runs, that the policy makes sense for these predictions.
    ///
    /// # Errors
    /// [`Error::Usage`] for a share outside [0, 1], or for a selection where a prediction has no
    /// uncertainty.
    pub fn check(self, predictions: &dyn Forecasts) -> Result<()> {
        match self {
            Self::Mixing { share } => check_share(share),
            Self::Nothing | Self::Advised(Advised::Mixing) => Ok(()),
            Self::Selection(Selection { threshold, .. })
                if threshold.is_nan() || threshold < 0.0 =>
            {
                Err(Error::usage(format!(
                    "the threshold of a selection is {threshold}, expected a number of at least 0"
                )))
            }
            Self::Selection(_) | Self::Advised(Advised::Selection(_)) => {
                predictions.require_uncertainty()
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
    fn measures_are_read_as_they_are_written() {
        for measure in [Measure::Bald, Measure::Std] {
            assert_eq!(measure.to_string().parse::<Measure>().unwrap(), measure);
        }
        assert!("bold".parse::<Measure>().is_err());
    }
}
