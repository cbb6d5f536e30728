//! Scales: where a number lies along an axis, and which numbers are written beside it.

use tiebreak_base::layout::decimals;

/// A scale from a lowest to a highest value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Scale {
    /// Even steps.
    Linear(f64, f64),
    /// Even factors; both ends above 0.
    Log(f64, f64),
    /// Names at 0, 1, 2, …
    Names(Vec<String>),
}

impl Scale {
    /// An even scale around all values, from 0 where they are near it.
    pub(crate) fn linear(values: impl Iterator<Item = f64>) -> Self {
        let (low, high) = ends(values);
        let low = if low > 0.0 && low < 0.5 * high {
            0.0
        } else {
            low
        };
        let margin = if high > low { 0.04 * (high - low) } else { 0.5 };
        Self::Linear(if low == 0.0 { 0.0 } else { low - margin }, high + margin)
    }

    /// A scale of even factors around all values above 0.
    pub(crate) fn log(values: impl Iterator<Item = f64>) -> Self {
        let (low, high) = ends(values.filter(|&value| value > 0.0));
        if low > 0.0 && high > low {
            let margin = (high / low).powf(0.04);
            Self::Log(low / margin, high * margin)
        } else if low > 0.0 {
            Self::Log(0.5 * low, 2.0 * low)
        } else {
            Self::Log(1.0, 10.0) // no value can be shown
        }
    }

    /// The text of a number beside the axis.
    pub(crate) fn label(&self, value: f64) -> String {
        match self {
            Self::Names(names) => names.get(value as usize).cloned().unwrap_or_default(),
            _ if value >= 1e6 => format!("{}M", trimmed(value / 1e6)),
            _ if value >= 1e4 => format!("{}k", trimmed(value / 1e3)),
            _ => trimmed(value),
        }
    }

    /// The numbers written beside the axis: 1, 2 or 5 times a power of ten.
    pub(crate) fn ticks(&self, at_most: usize) -> Vec<f64> {
        match *self {
            Self::Names(ref names) => (0..names.len()).map(|place| place as f64).collect(),
            Self::Linear(low, high) => {
                let step = round_step((high - low) / at_most.max(2) as f64);
                let first = (low / step).ceil() as i64;
                let last = (high / step).floor() as i64;
                (first..=last).map(|n| n as f64 * step).collect()
            }
            Self::Log(low, high) => {
                let decades = low.log10().floor() as i32..=high.log10().ceil() as i32;
                let within = |factors: &[f64]| -> Vec<f64> {
                    let all = decades.clone().flat_map(|decade| {
                        let power = 10_f64.powi(decade);
                        factors.iter().map(move |factor| factor * power)
                    });
                    all.filter(|&tick| low <= tick && tick <= high).collect()
                };
                let detailed = within(&[1.0, 2.0, 5.0]);
                if detailed.len() <= at_most {
                    detailed
                } else {
                    within(&[1.0])
                }
            }
        }
    }
}

/// The smallest of 1, 2 or 5 times a power of ten that is not below `step`.
fn round_step(step: f64) -> f64 {
    let power = 10_f64.powf(step.log10().floor());
    let factors = [1.0, 2.0, 5.0, 10.0];
    let factor = factors
        .iter()
        .find(|&&factor| factor * power >= step * (1.0 - 1e-9));
    factor.unwrap_or(&10.0) * power
}

fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let finite = values.filter(|value| value.is_finite());
    let ends = finite.fold(None, |ends: Option<(f64, f64)>, value| {
        Some(ends.map_or((value, value), |(low, high)| {
            (low.min(value), high.max(value))
        }))
    });
    ends.unwrap_or((0.0, 1.0))
}

/// A number with up to four decimals, without trailing zeros.
fn trimmed(value: f64) -> String {
    let text = decimals(value, 4);
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!(
            Scale::Linear(0.0, 1.04).ticks(6),
            [0.0, 0.2, 0.4, 3.0 * 0.2, 0.8, 1.0]
        );
        assert_eq!(
            Scale::Log(90.0, 2_100.0).ticks(8),
            [100.0, 200.0, 500.0, 1000.0, 2000.0]
        );
        assert_eq!(
            Scale::Log(5.0, 2e6).ticks(8),
            [10.0, 100.0, 1e3, 1e4, 1e5, 1e6]
        );
        assert_eq!(Scale::Linear(0.0, 1.0).label(3.0 * 0.2), "0.6");
        assert_eq!(Scale::Linear(0.0, 1e5).label(20_000.0), "20k");
    }

    #[test]
    fn odd_values_still_give_a_scale() {
        assert_eq!(Scale::linear([3.0].into_iter()), Scale::Linear(2.5, 3.5));
        assert_eq!(Scale::log([0.0].into_iter()), Scale::Log(1.0, 10.0));
        assert_eq!(
            Scale::linear([f64::NAN].into_iter()),
            Scale::Linear(0.0, 1.04)
        );
    }
}
