//! Bradley-Terry-Luce on exponentiated scores: a logistic function of their difference.
//!
//! Source: Mohankumar and Khapra, "Active Evaluation", ACL 2022 (BTL-logistic):
//! p = 1/(1 + exp(−(f1 − f2)/γ)), with the γ that minimises the mean cross-entropy of the pairs it
//! is fitted on (a tie is a target of ½).
//!
//! Parameters: `scale`, γ, in units of the score.
//!
//! Deviations: the paper tries 1000 values of γ between 0.005 and 1, too narrow for metrics on
//! wider scales. The cross-entropy is convex in 1/γ, so its minimum is found by bisection on the
//! derivative, between 0.001 and 1000 times the root mean square of the differences. The ends are
//! reached where there is no minimum: scores that always agree with people, or do so no better
//! than by chance.

use super::{BuildLink, LabelledScorePair, Link, Parameters, no_differences, no_pairs};
use tiebreak_base::error::Result;
use tiebreak_base::registry::{Entry, NoParameters, parameters};
use tiebreak_base::stats::log_odds::logistic;

pub(super) const ENTRY: Entry<BuildLink> = Entry {
    name: "btl-logistic",
    summary: "logistic function of the difference of scores, its scale fitted to judgments",
    cite: "Mohankumar and Khapra, ACL 2022",
    parameters: parameters::<NoParameters>,
    build: BuildLink {
        fit,
        needs_outcomes: true,
        restore,
    },
};

const SCALE: &str = "scale";

/// The largest factor between γ and the typical difference, either way.
const WIDEST: f64 = 1000.0;

/// The number of halvings of the logarithmic interval: enough for the last bits of γ.
const BISECTIONS: usize = 60;

struct BtlLogistic {
    scale: f64,
}

fn fit(pairs: &[LabelledScorePair]) -> Result<Box<dyn Link>> {
    if pairs.is_empty() {
        return Err(no_pairs(ENTRY.name));
    }
    let differences: Vec<(f64, f64)> = pairs
        .iter()
        .map(|pair| (pair.first - pair.second, pair.outcome.value()))
        .collect();
    match fitted_scale(&differences) {
        Some(scale) => Ok(Box::new(BtlLogistic { scale })),
        None => Err(no_differences(ENTRY.name)),
    }
}

/// The γ for pairs of (difference, outcome); `None` where no difference is informative.
pub(in crate::preference) fn fitted_scale(differences: &[(f64, f64)]) -> Option<f64> {
    let largest = differences.iter().map(|d| d.0.abs()).fold(0.0, f64::max);
    if largest == 0.0 {
        return None;
    }
    // Relative to the largest, so that no square can overflow or vanish.
    let squares = differences.iter().map(|d| (d.0 / largest).powi(2));
    let typical = largest * (squares.sum::<f64>() / differences.len() as f64).sqrt();
    let (mut low, mut high) = (-WIDEST.ln(), WIDEST.ln());
    for _ in 0..BISECTIONS {
        let middle = 0.5 * (low + high);
        if wants_larger_scale(differences, typical * middle.exp()) {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(typical * (0.5 * (low + high)).exp())
}

/// Whether the cross-entropy falls towards larger γ: its derivative by 1/γ, Σ (p − w)(f1 − f2), is
/// positive.
fn wants_larger_scale(differences: &[(f64, f64)], scale: f64) -> bool {
    let slope: f64 = differences
        .iter()
        .map(|&(difference, outcome)| (logistic(difference / scale) - outcome) * difference / scale)
        .sum();
    slope > 0.0
}

fn restore(stored: &Parameters) -> Result<Box<dyn Link>> {
    let scale = stored.only_positive(SCALE)?;
    Ok(Box::new(BtlLogistic { scale }))
}

impl Link for BtlLogistic {
    fn favour(&self, higher: f64, lower: f64) -> f64 {
        logistic((higher - lower) / self.scale)
    }

    fn parameters(&self) -> Parameters {
        Parameters::single_parameter(SCALE, self.scale)
    }
}
