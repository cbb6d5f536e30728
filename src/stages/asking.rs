//! How a preference model is asked, in the words of flags and files: the same wherever a model is named.

use crate::encoders::{Precision, Scope};
use crate::error::Result;
use crate::preference::{Choice, Draws, Options};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What is said of how a model is asked. What is not said is as usual.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Asking {
    /// Monte Carlo draws.
    pub draws: Option<Draws>,
    /// Where the model has dropout in a draw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dropout: Option<Scope>,
    /// In which precision it multiplies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub precision: Option<Precision>,
    /// Whether both orders of presentation are averaged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<Order>,
    /// Its calibration, in place of its own, or `none`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration: Option<PathBuf>,
}

/// In which order two outputs are shown to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// As the pair is given.
    #[default]
    Given,
    /// In both, averaged.
    Both,
}

impl Asking {
    /// The same, with what it does not say taken from `others`.
    #[must_use]
    pub fn or(self, others: Self) -> Self {
        Self {
            draws: self.draws.or(others.draws),
            dropout: self.dropout.or(others.dropout),
            precision: self.precision.or(others.precision),
            order: self.order.or(others.order),
            calibration: self.calibration.or(others.calibration),
        }
    }

    /// The first thing that is said, by its key.
    pub fn first(&self) -> Option<&'static str> {
        let all = [
            ("draws", self.draws.is_some()),
            ("dropout", self.dropout.is_some()),
            ("precision", self.precision.is_some()),
            ("order", self.order.is_some()),
            ("calibration", self.calibration.is_some()),
        ];
        all.into_iter().find_map(|(key, said)| said.then_some(key))
    }

    /// The same without a calibration, which links have too.
    #[must_use]
    pub fn without_calibration(self) -> Self {
        Self {
            calibration: None,
            ..self
        }
    }

    /// How many draws that comes to.
    pub fn draws(&self) -> Draws {
        self.draws.unwrap_or_default()
    }

    /// As a model takes it.
    ///
    /// # Errors
    /// As [`Choice::read`].
    pub fn options(&self) -> Result<Options> {
        Ok(Options {
            draws: self.draws(),
            dropout: self.dropout.unwrap_or_default(),
            precision: self.precision.unwrap_or_default(),
            both_orders: self.order == Some(Order::Both),
            calibration: Choice::read(self.calibration.as_deref())?,
        })
    }
}
