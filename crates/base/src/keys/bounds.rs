//! Numbers with bounds. The type spells both the bounds and the default.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The default confidence of every interval, test and claim.
pub(crate) const DEFAULT_CONFIDENCE: f64 = 0.95;

/// A confidence, between 0 and 1; .95 where none is given.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Confidence(f64);

impl Default for Confidence {
    fn default() -> Self {
        Self(DEFAULT_CONFIDENCE)
    }
}

/// A number above 0.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct PositiveNumber(f64);

/// A number, 0 or above.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct NonNegativeNumber(f64);

/// A share, from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Share(f64);

/// A correlation, from −1 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct CorrelationValue(f64);

/// A whole number from `LEAST` to `MOST`; `USUAL` where none is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "i64", into = "u64")]
pub struct BoundedInteger<const LEAST: u64, const MOST: u64, const USUAL: u64>(u64);

/// A whole number, at least `LEAST`; `USUAL` where none is given.
pub type MinimumInteger<const LEAST: u64, const USUAL: u64> =
    BoundedInteger<LEAST, { u64::MAX }, USUAL>;

impl<const LEAST: u64, const MOST: u64, const USUAL: u64> BoundedInteger<LEAST, MOST, USUAL> {
    /// The number.
    pub fn value(self) -> u64 {
        self.0
    }
}

impl<const LEAST: u64, const MOST: u64, const USUAL: u64> Default
    for BoundedInteger<LEAST, MOST, USUAL>
{
    fn default() -> Self {
        Self(USUAL)
    }
}

impl<const LEAST: u64, const MOST: u64, const USUAL: u64> TryFrom<i64>
    for BoundedInteger<LEAST, MOST, USUAL>
{
    type Error = String;

    fn try_from(number: i64) -> Result<Self, String> {
        match u64::try_from(number) {
            Ok(number) if (LEAST..=MOST).contains(&number) => Ok(Self(number)),
            _ if MOST == u64::MAX => Err(format!(
                "{number}, expected a whole number, at least {LEAST}"
            )),
            _ => Err(format!(
                "{number}, expected a whole number from {LEAST} to {MOST}"
            )),
        }
    }
}

impl<const LEAST: u64, const MOST: u64, const USUAL: u64> From<BoundedInteger<LEAST, MOST, USUAL>>
    for u64
{
    fn from(number: BoundedInteger<LEAST, MOST, USUAL>) -> Self {
        number.0
    }
}

impl<const LEAST: u64, const MOST: u64, const USUAL: u64> fmt::Display
    for BoundedInteger<LEAST, MOST, USUAL>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The most resamples or trials, of each of which a few numbers are held.
pub const MOST_RESAMPLES: u64 = 1_000_000;

/// The most draws, of each of which a few numbers are held for every output or pair at hand.
pub const MOST_DRAWS: u64 = 10_000;

/// Lowest and highest value of a scale: `0,100` or `[0, 100]`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "NumberPair", into = "[f64; 2]")]
pub struct ScaleRange([f64; 2]);

impl ScaleRange {
    /// The lowest and highest value.
    pub fn value(self) -> [f64; 2] {
        self.0
    }
}

/// Two numbers, as people write them.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected LO,HI with LO below HI, such as 0,100")]
enum NumberPair {
    Numbers([f64; 2]),
    Text(String),
}

impl NumberPair {
    fn read(self) -> Result<[f64; 2], String> {
        match self {
            Self::Numbers(bounds) => Ok(bounds),
            Self::Text(text) => {
                let numbers: Vec<f64> = text
                    .split(',')
                    .filter_map(|part| part.trim().parse().ok())
                    .collect();
                match numbers[..] {
                    [low, high] => Ok([low, high]),
                    _ => Err(format!(
                        "`{text}`, expected two numbers with a comma between them"
                    )),
                }
            }
        }
    }
}

impl TryFrom<NumberPair> for ScaleRange {
    type Error = String;

    fn try_from(bounds: NumberPair) -> Result<Self, String> {
        let [low, high] = bounds.read()?;
        if low < high && low.is_finite() && high.is_finite() {
            return Ok(Self([low, high]));
        }
        Err(format!(
            "{low},{high}, expected LO,HI with LO below HI, such as 0,100"
        ))
    }
}

impl From<ScaleRange> for [f64; 2] {
    fn from(range: ScaleRange) -> Self {
        range.0
    }
}

/// The interval of values that count as a tie: `0.45,0.55` or `[0.45, 0.55]`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "NumberPair", into = "[f64; 2]")]
pub struct TieBounds([f64; 2]);

impl TieBounds {
    /// The bounds τ₁ and τ₂, 0 ≤ τ₁ ≤ τ₂ ≤ 1.
    ///
    /// # Errors
    /// What was found and what was expected.
    pub fn new(tau1: f64, tau2: f64) -> Result<Self, String> {
        NumberPair::Numbers([tau1, tau2]).try_into()
    }

    /// The bounds τ₁ and τ₂.
    pub fn value(self) -> (f64, f64) {
        (self.0[0], self.0[1])
    }
}

impl TryFrom<NumberPair> for TieBounds {
    type Error = String;

    fn try_from(bounds: NumberPair) -> Result<Self, String> {
        let [low, high] = bounds.read()?;
        if 0.0 <= low && low <= high && high <= 1.0 {
            return Ok(Self([low, high]));
        }
        Err(format!(
            "{low},{high}, expected T1,T2 from 0 to 1 with T1 not above T2, such as 0.45,0.55"
        ))
    }
}

impl From<TieBounds> for [f64; 2] {
    fn from(bounds: TieBounds) -> Self {
        bounds.0
    }
}

/// Implements reading, writing and display of a number that is `$ok`.
macro_rules! number {
    ($name:ident, $value:ident, $ok:expr, $expected:literal) => {
        impl $name {
            /// The number.
            pub fn value(self) -> f64 {
                self.0
            }
        }

        impl TryFrom<f64> for $name {
            type Error = String;

            fn try_from($value: f64) -> Result<Self, String> {
                match $ok {
                    true => Ok(Self($value)),
                    false => Err(format!("{}, expected {}", $value, $expected)),
                }
            }
        }

        impl From<$name> for f64 {
            fn from(number: $name) -> Self {
                number.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

number!(
    Confidence,
    value,
    value > 0.0 && value < 1.0,
    "a number between 0 and 1"
);
number!(
    PositiveNumber,
    value,
    value > 0.0 && value.is_finite(),
    "a number above 0"
);
number!(
    NonNegativeNumber,
    value,
    value >= 0.0 && value.is_finite(),
    "a number of at least 0"
);
number!(
    Share,
    value,
    (0.0..=1.0).contains(&value),
    "a number from 0 to 1"
);
number!(
    CorrelationValue,
    value,
    (-1.0..=1.0).contains(&value),
    "a number from -1 to 1"
);
