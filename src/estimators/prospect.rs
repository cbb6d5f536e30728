//! How many outputs to have judged, and by how many people each, before any judgment is there or
//! after a pilot.
//!
//! Source: Chaganty, Mussmann and Liang, ACL 2018, Theorem 3.1, with k judgments of each of m outputs:
//! the variance of control variates is `(σ_f² (1 − ρ²) + σ_a²/k)/m`, and an interval has the width
//! `2 z` times its root.
//!
//! Judging other outputs always tells more than judging one again, so k = 1 takes the fewest
//! judgments; more are worth it only where outputs are few.

use super::{Range, VarianceComponents};
use crate::error::{Error, Result};
use crate::stats::quantiles;
use serde::Serialize;

/// What judgments will vary by, as far as is known beforehand.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Prospect {
    /// `σ_f²`, variance of outputs' true means.
    pub signal: f64,
    /// `σ_a²`, variance of the judgments of one output.
    pub noise: f64,
    /// ρ, correlation of the metric with the outputs' true means; 0 without a metric.
    pub rho: f64,
}

/// Enough judgments for an interval of the wanted width.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Campaign {
    /// Judgments of each output.
    pub per_output: u32,
    /// Outputs.
    pub outputs: u64,
    /// Judgments in all.
    pub judgments: u64,
}

impl Prospect {
    /// From numbers known from elsewhere.
    ///
    /// # Errors
    /// If a variance is negative or both are 0, or ρ is no correlation.
    pub fn new(signal: f64, noise: f64, rho: f64) -> Result<Self> {
        let variance = |value: f64| value >= 0.0 && value.is_finite();
        let what = if !variance(signal) || !variance(noise) || signal + noise == 0.0 {
            format!("variances {signal} and {noise}, expected numbers not below 0, and not both 0")
        } else if !(-1.0..=1.0).contains(&rho) {
            format!("rho is {rho}, expected a correlation from -1 to 1")
        } else {
            return Ok(Self { signal, noise, rho });
        };
        Err(Error::usage(what))
    }

    /// The worst that judgments on a scale can do: all at its ends, evenly (Popoviciu), people agreed
    /// on each output, so that asking more of them helps nothing, and a metric that is worthless.
    pub fn worst(range: &Range) -> Self {
        Self {
            signal: range.largest_deviation().powi(2),
            noise: 0.0,
            rho: 0.0,
        }
    }

    /// From a pilot. A negative estimate of `σ_f²` is 0.
    ///
    /// # Errors
    /// If all judgments are equal.
    pub fn pilot(found: &VarianceComponents) -> Result<Self> {
        let rho = found.rho().unwrap_or_default();
        Self::new(found.signal.max(0.0), found.noise, rho)
    }

    /// The campaign with so many judgments of each output. `None` unless the width is positive and
    /// 0 < `confidence` < 1, or when the number is beyond 2⁵³.
    pub fn campaign(&self, per_output: u32, width: f64, confidence: f64) -> Option<Campaign> {
        let z = quantiles::normal(0.5 + confidence / 2.0)?;
        let unexplained = self.signal * (1.0 - self.rho * self.rho);
        let variance = unexplained + self.noise / f64::from(per_output);
        let outputs = (variance * (2.0 * z / width).powi(2)).ceil().max(1.0);
        let judgments = outputs * f64::from(per_output);
        let sensible = width > 0.0 && confidence > 0.0 && per_output > 0;
        (sensible && judgments < 2_f64.powi(53)).then_some(Campaign {
            per_output,
            outputs: outputs as u64,
            judgments: judgments as u64,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let prospect = Prospect::new(3.0, 1.0, 0.0).unwrap();
        let of = |k| prospect.campaign(k, 0.5, 0.95).unwrap();
        // 4 · (2 · 1.96/0.5)² = 245.9; with four judgments each 3.25 · 61.46 = 199.8.
        assert_eq!((of(1).outputs, of(1).judgments), (246, 246));
        assert_eq!((of(4).outputs, of(4).judgments), (200, 800));
        let with_metric = Prospect::new(3.0, 1.0, 0.6).unwrap();
        assert_eq!(with_metric.campaign(1, 0.5, 0.95).unwrap().outputs, 180);
        let perfect = Prospect::new(3.0, 0.0, -1.0).unwrap();
        assert_eq!(perfect.campaign(1, 0.5, 0.95).unwrap().judgments, 1);
    }

    #[test]
    fn the_worst_is_the_textbooks() {
        let worst = Prospect::worst(&Range::new(0.0, 1.0).unwrap());
        assert_eq!(worst.campaign(1, 0.1, 0.95).unwrap().judgments, 385);
        assert_eq!(worst.campaign(3, 0.1, 0.95).unwrap().judgments, 3 * 385);
    }

    #[test]
    fn nonsense_is_refused() {
        for (signal, noise, rho) in [
            (-1.0, 1.0, 0.0),
            (0.0, 0.0, 0.0),
            (1.0, f64::NAN, 0.0),
            (1.0, 1.0, 1.5),
        ] {
            assert!(Prospect::new(signal, noise, rho).is_err());
        }
        let one = Prospect::new(1.0, 0.0, 0.0).unwrap();
        for (k, width, confidence) in [(0, 0.1, 0.9), (1, 0.0, 0.9), (1, 0.1, 1.0), (1, 1e-12, 0.9)]
        {
            assert_eq!(one.campaign(k, width, confidence), None);
        }
    }
}
