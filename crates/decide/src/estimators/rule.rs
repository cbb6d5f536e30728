//! The rule for the default interval of an estimate, fixed before any judgment is seen: by the kind and
//! the number of the judgments, never by which of two comes out shorter.
//!
//! With a known range of the judgments:
//!
//! * the mean of answers of yes or no, one an item: the exact interval of Clopper and Pearson;
//! * fewer than 30 items, or fewer than 12 that differ from the commonest judgment, or from what a metric
//!   predicts: the hull of the usual interval (see `tails`) with one from the range alone, which holds
//!   whatever the distribution (see `fixed_bets`; for single answers of yes or no the exact one);
//! * else the usual interval.
//!
//! Without a range no interval holds for every distribution. It is approximate, corrected for skewness
//! (see `skewness`), and there is none where all judgments, or all errors of a metric, are equal: such a
//! sample says nothing of its error. A width of 0 means certainty: all of a finite population.
//!
//! The range alone bounds people's judgments, not a metric's help: where few vary, a metric is no
//! evidence about the others. All intervals are about these annotators: who judged is fixed (see `dealing`).
//!
//! Measured (2,000 samples; coverage of 95 % intervals of `mean`, in brackets that of the usual interval;
//! width beside the usual one's, in brackets that of `betting`; `tests/estimators/defaults.rs`):
//!
//! | judgments | 10 | 30 | 100 | 1000 |
//! | --- | --- | --- | --- | --- |
//! | clipped normal | 100 (95); 1.61 (3.21) | 95 (95); 1.00 (1.98) | 95 (95); 1.00 (1.35) | 95 (95); 1.00 |
//! | five stars | 100 (94); 1.35 (2.01) | 96 (95); 1.00 (1.54) | 95 (95); 1.00 (1.23) | 95 (95); 1.00 |
//! | yes or no, one in twenty | 99 (41); 1.55 (2.15) | 98 (79); 1.11 (1.26) | 98 (99); 1.00 (1.28) | 95 (94); 1.02 |
//! | 92 % the same | 100 (51); 2.45 (3.62) | 100 (79); 1.63 (2.15) | 100 (96); 1.43 (1.59) | 94 (94); 1.00 |
//! | normal, no range | 95 (95); 1.12 | 95 (95); 1.00 | 95 (95); 1.00 | 95 (95); 1.00 |
//! | log-normal, no range | 91 (85); 1.46 | 94 (90); 1.52 | 95 (93); 1.35 | 96 (96); 1.05 |

use super::contributions::Contributions;
use super::interval::{BasicIntervalKind, Interval};
use super::people::ItemJudgmentMeans;
use super::{IntervalMethod, Range, skewness, tails};
use tiebreak_base::stats::clopper_pearson;

/// The number of items from which the central limit theorem is trusted, unless few vary.
const ENOUGH_ITEMS: usize = 30;

/// The number of items that must differ from the commonest judgment for the sample to be informative.
const ENOUGH_DIFFERING: usize = 12;

/// The share of the largest deviation below which errors are rounding.
const ROUNDING: f64 = 1e-9;

/// An estimate and the data that decide its interval.
pub(super) struct IntervalCase<'a> {
    pub value: f64,
    pub people: &'a ItemJudgmentMeans,
    /// The contributions of items to the error; `None` with too few items.
    pub error: Option<Contributions>,
    /// The standard error, where it is not that of the contributions.
    pub standard_error: Option<f64>,
    pub range: Option<Range>,
    /// Whether the estimate is the plain mean of the judgments.
    pub plain: bool,
    /// The share of the outputs at hand that is not judged; 1 where they are not all that matter.
    pub left: f64,
}

impl IntervalCase<'_> {
    /// The interval and its method; `None` where there is none.
    pub(super) fn safe_interval(&self, confidence: f64) -> (Option<Interval>, IntervalMethod) {
        let Some(range) = self.range else {
            return (self.approximate(confidence), IntervalMethod::Approximate);
        };
        if self.plain && self.yeses(range).is_some() {
            return (self.by_range(range, confidence), IntervalMethod::Exact);
        }
        let usual = self.usual(confidence).map(|usual| range.clip(usual));
        // An interval wholly off the range means that something else is wrong.
        let on_scale = usual.is_some_and(|usual| usual.width() > 0.0);
        if on_scale && !self.few() {
            return (usual, IntervalMethod::LargeSample);
        }
        let bounded = self.by_range(range, confidence);
        let Some(usual) = usual else {
            return (bounded, IntervalMethod::Bounded);
        };
        let hull = bounded.map(|bounded| Interval {
            lower: usual.lower.min(bounded.lower),
            upper: usual.upper.max(bounded.upper),
            ..bounded
        });
        (hull, IntervalMethod::Hull)
    }

    /// The interval by the rule, or the usual one where asked for.
    pub(super) fn asked_for(
        &self,
        ends: BasicIntervalKind,
        confidence: f64,
    ) -> (Option<Interval>, IntervalMethod) {
        match ends {
            BasicIntervalKind::Safe => self.safe_interval(confidence),
            BasicIntervalKind::Corrected => {
                (self.usual(confidence), IntervalMethod::of_range(self.range))
            }
        }
    }

    /// The interval by the central limit theorem, wider for skewness and heavy tails.
    fn usual(&self, confidence: f64) -> Option<Interval> {
        let error = self.error.as_ref()?;
        let reach = tails::reach(error, confidence)?;
        Some(Interval::around(self.value, self.deviation()?, reach))
    }

    /// The usual interval without a range: each side by its skewness.
    fn approximate(&self, confidence: f64) -> Option<Interval> {
        let error = self.error.as_ref()?;
        let certain = self.left == 0.0;
        if !certain && (differing(&self.people.means()) == 0 || self.varying() == 0) {
            return None;
        }
        if certain {
            return self.usual(confidence);
        }
        let (below, above) = skewness::reaches(error, confidence)?;
        let deviation = self.deviation()?;
        Some(Interval {
            lower: self.value - below * deviation,
            upper: self.value + above * deviation,
            standard_error: Some(deviation),
        })
    }

    /// The interval from the range alone; exact for single yes-or-no answers. In a finite population the judged
    /// part is known.
    fn by_range(&self, range: Range, confidence: f64) -> Option<Interval> {
        let (low, high) = (range.lower(), range.upper());
        let (lower, upper) = match self.yeses(range) {
            Some((yeses, n)) => clopper_pearson::interval(yeses, n, confidence),
            None => self.people.bounded(range).interval(confidence)?,
        };
        let known = (1.0 - self.left) * self.value;
        let possible = |end: f64| end.clamp(known + self.left * low, known + self.left * high);
        let (lower, upper) = match self.left < 1.0 {
            true => (possible(lower), possible(upper)),
            false => (lower, upper),
        };
        Some(Interval {
            lower,
            upper,
            standard_error: self.deviation().filter(|&error| error > 0.0),
        })
    }

    /// The yeses and the number of single yes-or-no answers.
    fn yeses(&self, range: Range) -> Option<(u64, u64)> {
        self.people.yeses().filter(|_| range.is_yes_no())
    }

    fn deviation(&self) -> Option<f64> {
        let own = || self.error.as_ref().map(Contributions::standard_error);
        self.standard_error.or_else(own)
    }

    fn few(&self) -> bool {
        few(&self.people.means()) || are_few(self.varying())
    }

    /// The number of items that add to the error.
    fn varying(&self) -> usize {
        let Some(error) = &self.error else { return 0 };
        let means = self.people.means();
        let rounding = ROUNDING * spread(&means) / means.len() as f64;
        let parts = error.by_item.values();
        let varying = parts.filter(|part| part.abs() > rounding).count();
        self.people
            .varied()
            .map_or(varying, |varied| varied.min(varying))
    }
}

/// Whether numbers, one an item, are too few or too much alike for the central limit theorem.
pub(super) fn few(values: &[f64]) -> bool {
    values.len() < ENOUGH_ITEMS || are_few(differing(values))
}

/// Whether so few items that differ are too few.
pub(super) fn are_few(differing: usize) -> bool {
    differing < ENOUGH_DIFFERING
}

/// The number of values that differ from the commonest, where that is most of them; else at least half of all.
pub(super) fn differing(values: &[f64]) -> usize {
    let common = commonest(values);
    values.iter().filter(|&&value| value != common).count()
}

/// The value of more than half, if there is one; else one that at least half differ from.
pub(super) fn commonest(values: &[f64]) -> f64 {
    // Boyer and Moore's vote finds the value of more than half, if there is one.
    let (mut common, mut votes) = (f64::NAN, 0_usize);
    for &value in values {
        match (votes, value == common) {
            (0, _) => (common, votes) = (value, 1),
            (_, true) => votes += 1,
            (_, false) => votes -= 1,
        }
    }
    common
}

/// Whether an error is no more than rounding, beside the spread of the values.
pub(super) fn is_rounding(error: f64, values: &[f64]) -> bool {
    error.abs() <= ROUNDING * spread(values)
}

fn spread(values: &[f64]) -> f64 {
    let lowest = values.iter().copied().fold(f64::INFINITY, f64::min);
    values.iter().copied().fold(lowest, f64::max) - lowest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commonest_value_is_found_where_it_is_most_of_them() {
        let mut values = vec![4.0; 31];
        values.splice(3..3, [1.0, 2.0, 1.0]);
        assert_eq!(differing(&values), 3);
        assert_eq!(differing(&[2.0; 5]), 0);
        let spread: Vec<f64> = (0..40).map(f64::from).collect();
        assert!(differing(&spread) >= 20);
        assert!(few(&values) && !few(&spread) && few(&spread[..29]));
    }

    #[test]
    fn rounding_is_told_by_what_varies() {
        assert!(is_rounding(0.0, &[2.0; 3]) && is_rounding(1e-14, &[1.0, 5.0]));
        assert!(!is_rounding(1e-3, &[1.0, 5.0]));
    }
}
