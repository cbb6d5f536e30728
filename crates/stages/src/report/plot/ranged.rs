//! Scales in the form that plotters needs.

use super::Scale;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use std::ops::Range;

impl Ranged for Scale {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, &value: &f64, pixels: (i32, i32)) -> i32 {
        let share = match *self {
            Self::Linear(low, high) => (value - low) / (high - low),
            Self::Log(low, high) => (value.max(low) / low).ln() / (high / low).ln(),
            Self::Names(ref names) => (value + 0.5) / names.len() as f64,
        };
        pixels.0 + (f64::from(pixels.1 - pixels.0) * share).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        self.ticks(hint.bold_points())
    }

    fn range(&self) -> Range<f64> {
        match *self {
            Self::Linear(low, high) | Self::Log(low, high) => low..high,
            Self::Names(ref names) => -0.5..names.len() as f64 - 0.5,
        }
    }
}

impl ValueFormatter<f64> for Scale {
    fn format_ext(&self, &value: &f64) -> String {
        self.label(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_lie_where_their_scale_says() {
        assert_eq!(Scale::Log(1.0, 100.0).map(&10.0, (0, 200)), 100);
        assert_eq!(Scale::Linear(0.0, 4.0).map(&1.0, (300, 100)), 250);
        let names = Scale::Names(vec!["a".into(), "b".into()]);
        assert_eq!(
            (names.map(&0.0, (0, 100)), names.map(&1.0, (0, 100))),
            (25, 75)
        );
    }
}
