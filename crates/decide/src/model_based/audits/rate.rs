//! The rate at which people check a model's answers: `0.1`, or `neyman:0.1`.

use std::fmt;
use std::str::FromStr;
use tiebreak_base::error::{Error, Result};

/// The rate at which people check a model's answers, and its allocation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    /// The share of the model's answers that is checked, on average; above 0, at most 1.
    pub mean: f64,
    /// The allocation of checks among them.
    pub allocation: Allocation,
}

/// The allocation of checks among a model's answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Allocation {
    /// All alike.
    #[default]
    Uniform,
    /// More often where the model is expected to be further off (Neyman, 1934).
    Neyman,
}

impl Rate {
    fn new(mean: f64, allocation: Allocation) -> Result<Self> {
        if mean > 0.0 && mean <= 1.0 {
            return Ok(Self { mean, allocation });
        }
        Err(Error::usage(format!(
            "answers audited with probability {mean}, expected a number above 0, at most 1"
        )))
    }

    /// The least probability with which a person is asked. Bets are limited by it, so it stays near the
    /// mean.
    pub fn floor(self) -> f64 {
        match self.allocation {
            Allocation::Uniform => self.mean,
            Allocation::Neyman => self.mean / 2.0,
        }
    }
}

impl FromStr for Rate {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (number, allocation) = match text.strip_prefix("neyman:") {
            Some(number) => (number, Allocation::Neyman),
            None => (text, Allocation::Uniform),
        };
        let mean = number.parse().map_err(|_| {
            let what = format!("an audit of `{text}`, expected a probability, or neyman: and one");
            Error::usage(what).with_hint("for example 0.1 or neyman:0.1")
        })?;
        Self::new(mean, allocation)
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.allocation {
            Allocation::Uniform => write!(f, "{}", self.mean),
            Allocation::Neyman => write!(f, "neyman:{}", self.mean),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_read_as_they_are_written() {
        for text in ["0.1", "1", "neyman:0.25"] {
            assert_eq!(text.parse::<Rate>().unwrap().to_string(), text);
        }
        for wrong in ["0", "-0.1", "1.1", "NaN", "neyman:0", "neyman", "often"] {
            assert!(wrong.parse::<Rate>().is_err(), "{wrong}");
        }
    }
}
