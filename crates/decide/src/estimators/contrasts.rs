//! What strengths on any scale have in common: contrasts of systems, with their errors.

use tiebreak_base::stats::quantiles::two_sided_t;

/// A difference or deviation of strengths, with its standard error; the error is above 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contrast {
    /// The point estimate.
    pub value: f64,
    /// Its standard error.
    pub error: f64,
    /// The degrees of freedom of the error; with 0 no error can be told.
    pub df: u64,
}

impl Contrast {
    /// The ends of its interval by Student's t, which holds by itself; `None` where no error can be told.
    pub fn interval(&self, confidence: f64) -> Option<[f64; 2]> {
        let reach = two_sided_t(confidence, self.df)? * self.error;
        Some([self.value - reach, self.value + reach])
    }
}

/// The covariance of the strengths of all systems that were compared. Only what it says of contrasts within a group
/// counts, and only in proportion: errors of contrasts may be larger, as there is more than one way to tell them.
#[derive(Debug, Clone)]
pub struct JointErrors {
    /// For each of these systems the number of the group that comparisons link it to.
    pub group: Vec<usize>,
    /// By rows; positive definite.
    pub covariance: Vec<f64>,
}

/// The strengths of systems, as far as comparisons tell.
pub trait Contrasts {
    /// The number of systems.
    fn k(&self) -> usize;

    /// A system's strength against the mean of those that comparisons link it to.
    fn strength(&self, system: usize) -> Contrast;

    /// By how much i is stronger than j; `None` for a system and itself, or where nothing links
    /// the two.
    fn difference(&self, i: usize, j: usize) -> Option<Contrast>;

    /// How the errors of strengths go together.
    fn joint_errors(&self) -> JointErrors;
}
