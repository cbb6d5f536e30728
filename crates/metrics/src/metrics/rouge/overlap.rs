//! The overlap of a text with a reference, and what rouge-score makes of several.

use super::RougeMeasure;
use crate::metrics::by_item::ReferenceComparison;

/// The overlap of a text with one reference.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RougeOverlap {
    pub(super) hits: f64,
    /// The number of possible hits in the text.
    pub(super) hypothesis: f64,
    /// The number of possible hits in the reference.
    pub(super) reference: f64,
}

impl RougeOverlap {
    pub(super) fn precision(self) -> f64 {
        self.hits / self.hypothesis.max(1.0)
    }

    pub(super) fn recall(self) -> f64 {
        self.hits / self.reference.max(1.0)
    }

    fn f_measure(self) -> f64 {
        let (precision, recall) = (self.precision(), self.recall());
        if precision + recall > 0.0 {
            2.0 * precision * recall / (precision + recall)
        } else {
            0.0
        }
    }
}

/// A way of measuring the overlap of a text with each reference of its item.
pub(super) trait Overlaps {
    fn set_references(&mut self, references: &[String]);

    /// Calls `emit` once per reference, in order.
    fn overlaps(&mut self, hypothesis: &str, emit: impl FnMut(RougeOverlap));
}

/// Keeps the reference with the highest F.
pub(super) struct BestF<O> {
    pub(super) overlaps: O,
    pub(super) measure: RougeMeasure,
}

impl<O: Overlaps> ReferenceComparison for BestF<O> {
    fn set_references(&mut self, references: &[String]) {
        self.overlaps.set_references(references);
    }

    fn compare(&mut self, hypothesis: &str, values: &mut Vec<f64>) {
        let mut best = RougeOverlap::default();
        self.overlaps.overlaps(hypothesis, |overlap| {
            // Without any hit all three numbers are 0, as they are in the default.
            if overlap.f_measure() > best.f_measure() {
                best = overlap;
            }
        });
        values.push(match self.measure {
            RougeMeasure::FMeasure => best.f_measure(),
            RougeMeasure::Precision => best.precision(),
            RougeMeasure::Recall => best.recall(),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_shared_is_zero_even_with_nothing_to_share() {
        let empty = RougeOverlap::default();
        assert_eq!(
            (empty.precision(), empty.recall(), empty.f_measure()),
            (0.0, 0.0, 0.0)
        );
    }

    #[test]
    fn f_is_the_harmonic_mean() {
        let overlap = RougeOverlap {
            hits: 1.0,
            hypothesis: 2.0,
            reference: 4.0,
        };
        assert!((overlap.f_measure() - 1.0 / 3.0).abs() < 1e-15);
    }
}
