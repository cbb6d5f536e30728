//! The price of tokens.

use crate::verdicts::Usage;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use tiebreak_base::error::{Error, Result};

/// Dollars for a million tokens, read and written.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "PriceNotation", into = "[f64; 2]")]
#[non_exhaustive]
pub struct Price {
    /// The price of the prompt's tokens.
    pub prompt: f64,
    /// The price of the answer's tokens.
    pub completion: f64,
}

impl Price {
    /// The cost of some tokens, in dollars.
    pub fn cost(self, usage: Usage) -> f64 {
        let prompt = self.prompt * usage.prompt as f64;
        let completion = self.completion * usage.completion as f64;
        (prompt + completion) / 1e6
    }

    fn new([prompt, completion]: [f64; 2]) -> Result<Self> {
        let fits = |price: f64| price.is_finite() && price >= 0.0;
        match fits(prompt) && fits(completion) {
            true => Ok(Self { prompt, completion }),
            false => Err(expected(&format!("{prompt},{completion}"))),
        }
    }
}

fn expected(found: &str) -> Error {
    let what = format!("`{found}`, expected two prices");
    Error::usage(what).with_hint("dollars for a million tokens read and written, such as 0.15,0.60")
}

impl FromStr for Price {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (prompt, completion) = text.split_once(',').ok_or_else(|| expected(text))?;
        let number = |text: &str| text.trim().parse().map_err(|_| expected(text));
        Self::new([number(prompt)?, number(completion)?])
    }
}

impl fmt::Display for Price {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.prompt, self.completion)
    }
}

/// The notations of a price in files and flags.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected two prices, such as [0.15, 0.60]")]
enum PriceNotation {
    List([f64; 2]),
    Text(String),
}

impl TryFrom<PriceNotation> for Price {
    type Error = String;

    fn try_from(written: PriceNotation) -> Result<Self, String> {
        let price = match written {
            PriceNotation::List(list) => Self::new(list),
            PriceNotation::Text(text) => text.parse(),
        };
        price.map_err(|error: Error| error.with_its_hint())
    }
}

impl From<Price> for [f64; 2] {
    fn from(price: Price) -> Self {
        [price.prompt, price.completion]
    }
}
