//! Contrasts of systems with their errors, shared by strengths on any scale.

use super::bradley_terry::FewWins;
use tiebreak_base::stats::quantiles::two_sided_t;

/// A difference or deviation of strengths, with its standard error; the error is above 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contrast {
    /// The point estimate.
    pub value: f64,
    /// Its standard error.
    pub error: f64,
    /// The degrees of freedom of the error; with 0 no error can be estimated.
    pub df: u64,
    /// The counts that tell the interval in the place of the error, where one of two systems won too rarely.
    pub few: Option<FewWins>,
}

/// The step of values and errors, 2⁻³². Digits below depend on the order of systems and records; without them, equal data
/// have equal numbers, and systems that nothing distinguishes differ by 0.
const STEP: f64 = 1.0 / (1_u64 << 32) as f64;

impl Contrast {
    /// A contrast in whole steps.
    pub(super) fn in_steps(value: f64, error: f64, df: u64) -> Self {
        let whole = |x: f64| (x / STEP).round() * STEP;
        Self {
            // A zero without a sign.
            value: whole(value) + 0.0,
            // No number stays none.
            error: match whole(error) {
                small if small < STEP => STEP,
                error => error,
            },
            df,
            few: None,
        }
    }

    /// The ends of its single interval by Student's t, or from the counts; `None` where no error can be estimated.
    pub fn interval(&self, confidence: f64) -> Option<[f64; 2]> {
        let reach = two_sided_t(confidence, self.df)? * self.error;
        let by_error = [self.value - reach, self.value + reach];
        Some(self.few.map_or(by_error, |few| few.ends(confidence)))
    }
}

/// The covariance of the strengths of all systems that were compared. Only its contrasts within a group count, and only
/// in proportion: errors of contrasts may be larger, since there are several ways to estimate them.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct JointErrors {
    /// The number of the group that comparisons link each of these systems to.
    pub group: Vec<usize>,
    /// The matrix by rows; positive definite.
    pub covariance: Vec<f64>,
}

/// The strengths of systems, as estimated from comparisons.
pub trait Contrasts {
    /// The number of systems.
    fn k(&self) -> usize;

    /// A system's strength against the mean of those that comparisons link it to.
    fn strength(&self, system: usize) -> Contrast;

    /// By how much i is stronger than j; `None` for a system and itself, or where the two are not linked.
    fn difference(&self, i: usize, j: usize) -> Option<Contrast>;

    /// The joint covariance of the errors of strengths.
    fn joint_errors(&self) -> JointErrors;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_above_zero_or_no_number() {
        let error = |error| Contrast::in_steps(0.0, error, 1).error;
        assert_eq!(
            [0.0, STEP / 4.0, 2.0 * STEP].map(error),
            [STEP, STEP, 2.0 * STEP]
        );
        assert!(error(f64::NAN).is_nan());
    }
}
