//! One temperature for all log odds: logit p' = logit p / T, with the T that minimises the
//! cross-entropy (a tie is a target of ½).
//!
//! Log odds are Bradley-Terry differences, so T is fitted as `btl-logistic` fits its scale. A
//! preference nearer to 0 or 1 than [`Forecast::CERTAIN`] counts as that near.

use crate::preference::links::fitted_scale;
use std::fmt;
use tiebreak_base::stats::forecast::Forecast;
use tiebreak_base::stats::log_odds::{log_odds, logistic};

/// The temperature: the divisor of the log odds, above 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Temperature(f64);

impl Temperature {
    /// Makes a temperature; `None` unless finite and above 0.
    pub(super) fn new(value: f64) -> Option<Self> {
        (value.is_finite() && value > 0.0).then_some(Self(value))
    }

    /// Fits forecasts seen from the likelier side, at least one, none of exactly ½.
    pub(super) fn fit(folded: &[Forecast]) -> Self {
        let pairs: Vec<(f64, f64)> = folded
            .iter()
            .map(|forecast| (bounded(forecast.p), forecast.outcome))
            .collect();
        Self(fitted_scale(&pairs).unwrap_or(1.0))
    }

    /// The temperature: above 1 the model was too sure, below 1 too shy.
    pub(crate) fn value(self) -> f64 {
        self.0
    }

    pub(super) fn favour(self, p: f64) -> f64 {
        logistic(bounded(p) / self.0).min(1.0 - Forecast::CERTAIN)
    }
}

/// The log-odds of a preference, which counts as at most 1 − [`Forecast::CERTAIN`].
fn bounded(p: f64) -> f64 {
    log_odds(p.min(1.0 - Forecast::CERTAIN))
}

impl fmt::Display for Temperature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "temperature={}", self.0)
    }
}
