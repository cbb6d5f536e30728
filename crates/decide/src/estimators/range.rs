//! The scale on which people judge.

use super::Interval;
use tiebreak_base::error::{Error, Result};

/// The scale on which people judge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    lower: f64,
    upper: f64,
}

impl Range {
    /// The range from the lowest to the highest possible judgment.
    ///
    /// # Errors
    /// Unless `lower` < `upper` and both are finite.
    pub fn new(lower: f64, upper: f64) -> Result<Self> {
        if lower < upper && lower.is_finite() && upper.is_finite() {
            return Ok(Self { lower, upper });
        }
        let what =
            format!("the range of judgments is {lower},{upper}, expected LO,HI with LO < HI");
        Err(Error::usage(what))
    }

    /// The lowest possible judgment.
    pub fn lower(&self) -> f64 {
        self.lower
    }

    /// The highest possible judgment.
    pub fn upper(&self) -> f64 {
        self.upper
    }

    /// Whether the range is that of yes (1) or no (0).
    pub fn is_yes_no(&self) -> bool {
        (self.lower, self.upper) == (0.0, 1.0)
    }

    /// Whether a judgment is on the scale.
    pub fn contains(&self, y: f64) -> bool {
        (self.lower..=self.upper).contains(&y)
    }

    /// The part of an interval that is on the scale; an interval wholly off it becomes its nearest
    /// end. A mean lies on the scale, so no coverage is lost.
    #[must_use]
    pub fn clip(&self, interval: Interval) -> Interval {
        Interval {
            lower: interval.lower.clamp(self.lower, self.upper),
            upper: interval.upper.clamp(self.lower, self.upper),
            ..interval
        }
    }

    /// The largest standard deviation that judgments on the scale can have (Popoviciu).
    pub fn largest_deviation(&self) -> f64 {
        self.upper / 2.0 - self.lower / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_clips_and_refuses_nonsense() {
        let range = Range::new(1.0, 5.0).unwrap();
        let interval = |lower, upper| Interval {
            lower,
            upper,
            standard_error: Some(0.5),
            unseen: 0.0,
        };
        assert_eq!(range.clip(interval(0.0, 3.0)), interval(1.0, 3.0));
        assert_eq!(range.clip(interval(5.5, 7.0)), interval(5.0, 5.0));
        assert_eq!(range.largest_deviation(), 2.0);
        assert!(range.contains(5.0) && !range.contains(5.1));
        for (lower, upper) in [
            (1.0, 1.0),
            (2.0, 1.0),
            (f64::NAN, 1.0),
            (0.0, f64::INFINITY),
        ] {
            assert!(Range::new(lower, upper).is_err());
        }
    }
}
