//! What a campaign assumes about questions that annotators skip, chosen before the first one.

use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The premise about the preferences of annotators who skip a question. Evidence multiplies by 1 + λS, with S the
/// answer's score, 1 or −1, for the system expected to win.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum SkipPremise {
    /// None: a skipped question counts as its worst answer, S = −1.
    #[default]
    WorstCase,
    /// They would have preferred either system at odds of at most this number, at least 1: S = (1 − G)/(1 + G).
    Odds(f64),
    /// They would have preferred either alike, so that another question takes its place: S = 0.
    NoPreference,
}

impl SkipPremise {
    /// The largest mean |S| of the answers that were not given.
    pub fn largest_mean(self) -> f64 {
        match self {
            Self::WorstCase => 1.0,
            Self::Odds(odds) => (odds - 1.0) / (odds + 1.0),
            Self::NoPreference => 0.0,
        }
    }

    /// The premise as an assumption of a claim, a short clause; `None` where nothing is assumed.
    pub fn assumption(self) -> Option<String> {
        match self {
            Self::WorstCase => None,
            Self::Odds(odds) => Some(format!(
                "annotators who skipped would have preferred either system at odds of at most {odds} to 1"
            )),
            Self::NoPreference => {
                Some("annotators skipped only where they had no preference".to_string())
            }
        }
    }
}

impl fmt::Display for SkipPremise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WorstCase => f.write_str("worst-case"),
            Self::Odds(odds) => write!(f, "odds:{odds}"),
            Self::NoPreference => f.write_str("no-preference"),
        }
    }
}

impl From<SkipPremise> for String {
    fn from(premise: SkipPremise) -> Self {
        premise.to_string()
    }
}

impl TryFrom<String> for SkipPremise {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl FromStr for SkipPremise {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let text = text.trim();
        let odds = text
            .strip_prefix("odds")
            .map(|rest| rest.trim_start_matches([':', ' ', '=']));
        match (text, odds.map(str::parse)) {
            ("worst-case", _) => Ok(Self::WorstCase),
            ("no-preference", _) => Ok(Self::NoPreference),
            (_, Some(Ok(odds))) if (1.0..f64::INFINITY).contains(&odds) => Ok(Self::Odds(odds)),
            _ => Err(Error::usage(format!(
                "`{text}`, expected worst-case, odds:G with G at least 1, or no-preference"
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn premises_are_read_as_they_are_written() {
        for (text, premise, mean) in [
            ("worst-case", SkipPremise::WorstCase, 1.0),
            ("odds:3", SkipPremise::Odds(3.0), 0.5),
            ("odds:1", SkipPremise::Odds(1.0), 0.0),
            ("no-preference", SkipPremise::NoPreference, 0.0),
        ] {
            assert_eq!(text.parse::<SkipPremise>().unwrap(), premise);
            assert_eq!(premise.to_string(), text);
            assert_eq!(premise.largest_mean(), mean);
        }
        assert_eq!(
            "odds 3".parse::<SkipPremise>().unwrap(),
            SkipPremise::Odds(3.0)
        );
        for wrong in ["odds", "odds:0.5", "odds:inf", "odds:x", "best-case", ""] {
            let error = wrong.parse::<SkipPremise>().unwrap_err().to_string();
            assert!(error.contains("no-preference"), "{error}");
        }
    }
}
