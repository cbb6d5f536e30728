//! Whether one system's corpus score differs from another's by more than chance.
//!
//! Source: sacrebleu 2.6.0, `significance.py`, whose definitions these are; the paired bootstrap of
//! Koehn, "Statistical significance tests for machine translation evaluation", EMNLP 2004, centred
//! on its mean, and the approximate randomisation of Riezler and Maxwell, "On some pitfalls in
//! automatic evaluation and significance testing for MT", 2005. Both are two-sided and count the
//! observed data as one replicate more.
//!
//! A system that scores like the baseline in every replicate gets the smallest p, not 1: nothing
//! exceeds a difference of 0. That is sacrebleu's rule too; see [`Verdict::is_significant`].
//!
//! Deviation: a difference exceeds another only by more than rounding, so that scores that are
//! means of fractions behave as those that are functions of counts.

mod replicates;

pub use replicates::Replicates;

/// Differences this small beside the scores are none.
const ROUNDING: f64 = 1e-10;

/// A system beside the baseline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verdict {
    /// The absolute difference of the two corpus scores.
    pub difference: f64,
    /// How probable so large a difference is where there is none; above 0, at most 1.
    pub p: f64,
}

impl Verdict {
    /// By the paired bootstrap: replicates' scores of both systems, resample by resample. Absolute
    /// differences are centred on their mean.
    ///
    /// # Panics
    /// If the two have different numbers of replicates.
    pub fn bootstrap(scores: [f64; 2], baseline: &[f64], system: &[f64]) -> Self {
        assert_eq!(baseline.len(), system.len(), "the same resamples");
        let pairs = baseline.iter().zip(system);
        let differences: Vec<f64> = pairs.map(|(one, other)| (other - one).abs()).collect();
        let mean = differences.iter().sum::<f64>() / differences.len() as f64;
        Self::of(scores, differences.iter().map(|value| value - mean))
    }

    /// By approximate randomisation: in each trial the scores of two systems between which the
    /// outputs of items were exchanged at random.
    pub fn randomisation(scores: [f64; 2], shuffled: &[[f64; 2]]) -> Self {
        Self::of(scores, shuffled.iter().map(|[a, b]| (a - b).abs()))
    }

    fn of(scores: [f64; 2], values: impl ExactSizeIterator<Item = f64>) -> Self {
        let difference = (scores[1] - scores[0]).abs();
        let least = difference + ROUNDING * (scores[0].abs() + scores[1].abs());
        let n = values.len();
        let exceeding = values.filter(|&value| value > least).count();
        Self {
            difference,
            p: (exceeding + 1) as f64 / (n + 1) as f64,
        }
    }

    /// Whether there is a difference and p is below `level`.
    pub fn is_significant(&self, level: f64) -> bool {
        self.difference > 0.0 && self.p < level
    }
}

/// The mean of replicated scores and half the width of their central 95 %; `None` without any.
///
/// As in sacrebleu one value in forty is cut off on each side, without interpolation.
pub fn mean_and_margin(scores: &[f64]) -> Option<(f64, f64)> {
    let mut sorted = scores.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let cut = sorted.len() / 40;
    let (lower, upper) = (sorted.get(cut)?, sorted[sorted.len() - 1 - cut]);
    let mean = sorted.iter().sum::<f64>() / sorted.len() as f64;
    Some((mean, 0.5 * (upper - lower)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p_values_by_hand() {
        // Differences 1, 2, 3, 6 about their mean of 3: -2, -1, 0, 3, of which one exceeds 2.
        let verdict = Verdict::bootstrap([5.0, 7.0], &[0.0; 4], &[1.0, -2.0, 3.0, -6.0]);
        assert_eq!((verdict.difference, verdict.p), (2.0, 2.0 / 5.0));
        let shuffled = [[5.0, 7.0], [7.0, 5.0], [4.0, 8.0], [6.0, 6.0]];
        let verdict = Verdict::randomisation([5.0, 7.0], &shuffled);
        assert_eq!((verdict.difference, verdict.p), (2.0, 2.0 / 5.0));
    }

    #[test]
    fn a_copy_of_the_baseline_is_no_finding() {
        let verdict = Verdict::randomisation([5.0, 5.0], &[[5.0, 5.0]; 99]);
        assert_eq!(verdict.p, 0.01);
        assert!(!verdict.is_significant(0.05));
    }

    #[test]
    fn the_margin_cuts_one_in_forty() {
        let scores: Vec<f64> = (0..80).rev().map(f64::from).collect();
        assert_eq!(mean_and_margin(&scores), Some((39.5, 0.5 * (77.0 - 2.0))));
        assert_eq!(mean_and_margin(&[4.0]), Some((4.0, 0.0)));
        assert_eq!(mean_and_margin(&[]), None);
    }
}
