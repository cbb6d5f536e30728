//! The number of dropout draws of a contest: fixed, or as many as its uncertainty needs.
//!
//! Draw l has the same masks however many there are, so a contest that stops early has the first
//! of the draws it would have had. After every five draws the standard errors of BALD and STD are
//! estimated by the jackknife (Quenouille 1956; Tukey 1958). A contest has draws enough when
//!
//! * both errors are at most a tolerance (BALD in nats, STD in points of preference), or
//! * for each threshold that is given, BALD or STD is at least two standard errors away from it.
//!
//! That looks at the draws of this contest alone, so neither batches nor order matter.

use super::{DRAWS, uncertainty};
use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;
use tiebreak_base::duel::Uncertainty;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::keys::MOST_DRAWS;
use tiebreak_base::registry::{self, Params};

/// The number of draws between two checks.
const ROUND: u32 = 5;

/// The distance from a threshold that is clear, in standard errors.
const CLEAR: f64 = 2.0;

/// The tolerance where neither it nor a threshold is given.
const TOLERANCE: f64 = 0.02;

/// The number of dropout draws of a contest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Draws {
    /// A fixed number.
    Fixed(u32),
    /// As many as the contest needs.
    Adaptive(AdaptiveDraws),
}

/// The rule by which a contest has draws enough.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct AdaptiveDraws {
    /// The standard errors of BALD and STD that suffice.
    pub tolerance: Option<f64>,
    /// A threshold of BALD, in nats.
    pub bald: Option<f64>,
    /// A threshold of STD.
    pub std: Option<f64>,
    /// The most draws of a contest.
    pub most: u32,
}

impl Default for Draws {
    fn default() -> Self {
        Self::Fixed(DRAWS as u32)
    }
}

impl Default for AdaptiveDraws {
    fn default() -> Self {
        Self {
            tolerance: None,
            bald: None,
            std: None,
            most: DRAWS as u32,
        }
    }
}

impl Draws {
    /// Whether there are any draws.
    pub fn any(self) -> bool {
        self != Self::Fixed(0)
    }

    /// The number of draws, where every contest gets as many.
    pub fn number(self) -> Option<usize> {
        match self {
            Self::Fixed(draws) => Some(draws as usize),
            Self::Adaptive(_) => None,
        }
    }

    /// The most draws that a contest gets.
    pub fn most(self) -> u32 {
        match self {
            Self::Fixed(draws) => draws,
            Self::Adaptive(rule) => rule.most,
        }
    }

    /// The number of draws a contest gets next, after those it has; 0 where these are enough.
    pub(super) fn after(self, draws: &[f64]) -> u32 {
        self.after_rounds(draws.len() as u32, draws)
    }

    /// The number of rounds a contest gets next, after `had` rounds, each of which gave some of the draws.
    pub(super) fn after_rounds(self, had: u32, draws: &[f64]) -> u32 {
        match self {
            Self::Fixed(all) => all - had,
            Self::Adaptive(rule) if had > 0 && rule.suffice(draws) => 0,
            Self::Adaptive(rule) => ROUND.min(rule.most - had),
        }
    }
}

impl AdaptiveDraws {
    fn check(self) -> Result<Self> {
        let positive = [
            ("tolerance", self.tolerance),
            ("bald", self.bald),
            ("std", self.std),
        ];
        for (key, value) in positive {
            if let Some(value) = value {
                registry::positive("adaptive", key, value)?;
            }
        }
        if self.most < ROUND || !is_bounded(self.most) {
            let what = format!(
                "adaptive: most is {}, expected at least {ROUND}, at most {MOST_DRAWS}",
                self.most
            );
            return Err(Error::usage(what).with_hint("for fewer draws give their number"));
        }
        let thresholds = self.bald.is_some() || self.std.is_some();
        let usual = (!thresholds).then_some(TOLERANCE);
        Ok(Self {
            tolerance: self.tolerance.or(usual),
            ..self
        })
    }

    /// Whether draws are enough.
    fn suffice(self, draws: &[f64]) -> bool {
        let Some(found) = uncertainty(draws) else {
            return false;
        };
        let errors = jackknife(draws);
        let known = |tolerance| errors.bald <= tolerance && errors.std <= tolerance;
        let clear = |threshold: Option<f64>, found: f64, error: f64| {
            threshold.is_none_or(|threshold| (found - threshold).abs() >= CLEAR * error)
        };
        self.tolerance.is_some_and(known)
            || (self.bald.is_some() || self.std.is_some())
                && clear(self.bald, found.bald, errors.bald)
                && clear(self.std, found.std, errors.std)
    }
}

/// Whether there is memory for so many draws of each pair at hand.
fn is_bounded(draws: u32) -> bool {
    u64::from(draws) <= MOST_DRAWS
}

/// Standard errors of BALD and STD from n draws: √((n−1)/n Σ(θᵢ − θ̄)²) over the n values θᵢ that leave one draw out.
fn jackknife(draws: &[f64]) -> Uncertainty {
    let without = |i: usize| [&draws[..i], &draws[i + 1..]].concat();
    let all: Vec<Uncertainty> = (0..draws.len())
        .filter_map(|i| uncertainty(&without(i)))
        .collect();
    let error = |of: fn(&Uncertainty) -> f64| {
        let n = all.len() as f64;
        let mean = all.iter().map(of).sum::<f64>() / n;
        let squares = all.iter().map(|one| (of(one) - mean).powi(2)).sum::<f64>();
        ((n - 1.0) / n * squares).sqrt()
    };
    Uncertainty {
        mean: error(|one| one.mean),
        bald: error(|one| one.bald),
        std: error(|one| one.std),
    }
}

impl From<usize> for Draws {
    fn from(draws: usize) -> Self {
        Self::Fixed(u32::try_from(draws).unwrap_or(u32::MAX))
    }
}

/// Parses a flag: a number, or `adaptive:key=value,…`.
impl FromStr for Draws {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let expected = || {
            let what = format!("`{text}` draws, expected at most {MOST_DRAWS}, or adaptive");
            let hint = "such as 20, adaptive:tolerance=0.02 or adaptive:bald=0.01,most=40";
            Error::usage(what).with_hint(hint)
        };
        match Params::parse(text)? {
            (name, params) if name == "adaptive" => {
                let rule: AdaptiveDraws = params.read("adaptive")?;
                Ok(Self::Adaptive(rule.check()?))
            }
            (_, params) if !params.is_empty() => Err(expected()),
            (number, _) => {
                let number = number.parse().ok().filter(|number| is_bounded(*number));
                number.map(Self::Fixed).ok_or_else(expected)
            }
        }
    }
}

impl fmt::Display for Draws {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rule = match self {
            Self::Fixed(draws) => return draws.fmt(f),
            Self::Adaptive(rule) => rule,
        };
        f.write_str("adaptive:")?;
        let given = [
            ("tolerance", rule.tolerance),
            ("bald", rule.bald),
            ("std", rule.std),
        ];
        for (key, value) in given {
            if let Some(value) = value {
                write!(f, "{key}={value},")?;
            }
        }
        write!(f, "most={}", rule.most)
    }
}

impl Serialize for Draws {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Fixed(draws) => draws.serialize(serializer),
            Self::Adaptive(_) => self.to_string().serialize(serializer),
        }
    }
}

/// Reads a number or a text, as files write it.
impl<'de> Deserialize<'de> for Draws {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "expected a number of draws or \"adaptive:…\"")]
        enum DrawsNotation {
            Number(u32),
            Text(String),
        }
        let text = match DrawsNotation::deserialize(deserializer)? {
            DrawsNotation::Number(draws) => draws.to_string(),
            DrawsNotation::Text(text) => text,
        };
        let read = text.parse();
        read.map_err(|error: Error| D::Error::custom(error.with_its_hint()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::rng::Seed;
    use tiebreak_base::stats::log_odds::logistic;

    fn read(text: &str) -> Draws {
        text.parse().unwrap()
    }

    /// Takes draws as a contest would.
    fn taken(draws: Draws, mut next: impl FnMut() -> f64) -> Vec<f64> {
        let mut had = Vec::new();
        loop {
            match draws.after(&had) {
                0 => return had,
                more => had.extend((0..more).map(|_| next())),
            }
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        for text in ["0", "20", "adaptive:tolerance=0.02,most=20"] {
            assert_eq!(read(text).to_string(), text);
        }
        assert_eq!(read("adaptive"), read("adaptive:tolerance=0.02"));
        let shown = read("adaptive:most=40,bald=0.01").to_string();
        assert_eq!(
            shown, "adaptive:bald=0.01,most=40",
            "no tolerance beside a threshold"
        );
        assert_eq!(read(&shown).to_string(), shown);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for (text, says) in [
            ("many", "expected at most 10000"),
            ("-1", "expected at most 10000"),
            ("20:most=3", "expected at most 10000"),
            ("10001", "expected at most 10000"),
            ("adaptive:most=10001", "at most 10000"),
            ("adaptive:most=4", "at least 5"),
            ("adaptive:tolerance=0", "a positive number"),
            ("adaptive:bald=x", "bald"),
            ("adaptive:least=3", "least"),
        ] {
            let error = text.parse::<Draws>().unwrap_err();
            assert!(error.to_string().contains(says), "{text}: {error}");
        }
    }

    #[test]
    fn a_number_is_taken_at_once_and_agreement_stops_at_the_first_look() {
        assert_eq!(read("7").after(&[]), 7);
        assert_eq!(taken(read("7"), || 0.3).len(), 7);
        assert_eq!(taken(read("adaptive"), || 0.5).len(), 5);
        let mut number = 0;
        let split = taken(read("adaptive:tolerance=0.001,most=23"), || {
            number += 1;
            f64::from(u8::from(number % 3 == 0))
        });
        assert_eq!(split.len(), 23, "no more than the most");
    }

    /// The jackknife's error is compared with the spread over many such contests.
    #[test]
    fn standard_errors_are_those_of_simulations() {
        let mut rng = Seed(8).stream("test", 0);
        let mut contest = || -> Vec<f64> {
            (0..20)
                .map(|_| logistic(0.3 + 0.5 * rng.normal()))
                .collect()
        };
        let contests: Vec<Vec<f64>> = (0..2000).map(|_| contest()).collect();
        let (mut found, mut told) = (Vec::new(), Vec::new());
        for draws in &contests {
            found.push(uncertainty(draws).unwrap());
            told.push(jackknife(draws));
        }
        for of in [|one: &Uncertainty| one.bald, |one: &Uncertainty| one.std] {
            let n = found.len() as f64;
            let mean = found.iter().map(of).sum::<f64>() / n;
            let spread = found
                .iter()
                .map(|one| (of(one) - mean).powi(2))
                .sum::<f64>()
                / n;
            let expected = told.iter().map(|one| of(one).powi(2)).sum::<f64>() / n;
            let ratio = (expected / spread).sqrt();
            assert!((ratio - 1.0).abs() < 0.1, "{ratio}");
        }
    }

    /// Of two hundred contests that are far from a threshold most stop at once, of those about it few.
    #[test]
    fn what_is_far_from_a_threshold_stops_early() {
        let mut rng = Seed(9).stream("test", 0);
        let mut mean = |spread: f64, draws: &str| {
            let mut all = 0;
            for _ in 0..200 {
                all += taken(read(draws), || 0.5 + spread * (rng.uniform() - 0.5)).len();
            }
            all as f64 / 200.0
        };
        // The standard deviation of the draws is spread / √12.
        let [about, far] =
            [0.2 * 12.0_f64.sqrt(), 0.05].map(|spread| mean(spread, "adaptive:std=0.2"));
        assert!(far < 5.1 && about > 15.0, "{far} {about}");
        assert!(
            mean(0.2, "adaptive:tolerance=0.02,most=60")
                < mean(0.6, "adaptive:tolerance=0.02,most=60")
        );
    }
}
