//! Rules that read answers.

use super::labels::ratings;
use super::{Choice, JudgeVerdict, ParsedVerdict, Spelling, UnreadableAnswer, VerdictLabels, text};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use tiebreak_base::error::{Error, Result};

/// The place of the label in a pattern.
const LABEL: &str = "{label}";

/// A rule that reads answers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Rule {
    /// From the log-probabilities of the first token; an answer that comes without them, from its text, which
    /// must be a label.
    #[default]
    Probabilities,
    /// The text is a label.
    Label,
    /// The text has a JSON object with `choice`, or `rating`; the last one counts.
    Json,
    /// The label stands between these.
    Pattern(String, String),
}

impl Rule {
    /// Whether log-probabilities are asked for.
    pub fn wants_probabilities(&self) -> bool {
        *self == Self::Probabilities
    }

    /// Reads the verdict on two outputs.
    ///
    /// # Errors
    /// The reason why there is none.
    pub fn pair(
        &self,
        answer: &Choice,
        labels: &VerdictLabels,
        spelling: Spelling,
    ) -> Result<ParsedVerdict, UnreadableAnswer> {
        if let Some(likely) = self.likely(answer)? {
            let p = labels
                .preference(likely, spelling)
                .ok_or(UnreadableAnswer::NoLabel)?;
            return Ok(parsed_verdict(JudgeVerdict::First(p), true));
        }
        let words = answer.text.trim();
        // A label alone is a verdict under every rule.
        let p = match (self, labels.value(words)) {
            (_, Some(p)) => Ok(p),
            (Self::Probabilities | Self::Label, None) => Err(UnreadableAnswer::NoVerdict),
            (Self::Json, None) => text::json(words, labels).ok_or(UnreadableAnswer::NoVerdict),
            (Self::Pattern(before, after), None) => text::between(words, before, after, labels),
        };
        let p = p.map_err(|why| answer.explain_missing(why))?;
        Ok(parsed_verdict(JudgeVerdict::First(p), false))
    }

    /// Reads the verdict on one output, on a scale of ratings.
    ///
    /// # Errors
    /// The reason why there is none.
    pub fn rating(
        &self,
        answer: &Choice,
        scale: (u8, u8),
        spelling: Spelling,
    ) -> Result<ParsedVerdict, UnreadableAnswer> {
        if let Some(likely) = self.likely(answer)? {
            let all = ratings(scale, likely, spelling).ok_or(UnreadableAnswer::NoLabel)?;
            return Ok(parsed_verdict(JudgeVerdict::Ratings(all), true));
        }
        let words = answer.text.trim();
        let rating = match (self, text::number(words, scale)) {
            (_, Some(rating)) => Ok(rating),
            (Self::Probabilities | Self::Label, None) => Err(UnreadableAnswer::NoVerdict),
            (Self::Json, None) => {
                text::json_rating(words, scale).ok_or(UnreadableAnswer::NoVerdict)
            }
            (Self::Pattern(before, after), None) => text::rating(words, before, after, scale),
        };
        let rating = rating.map_err(|why| answer.explain_missing(why))?;
        let one = |other| f64::from(u8::from(other == rating));
        let all = (scale.0..=scale.1).map(one).collect();
        Ok(parsed_verdict(JudgeVerdict::Ratings(all), false))
    }

    /// The likely first tokens, where they are to be read and are there.
    fn likely<'a>(
        &self,
        answer: &'a Choice,
    ) -> Result<Option<&'a [super::TokenLogprob]>, UnreadableAnswer> {
        if answer.refused {
            return Err(UnreadableAnswer::Refusal);
        }
        Ok(match self {
            Self::Probabilities => answer.likely.as_deref(),
            _ => None,
        })
    }
}

fn parsed_verdict(verdict: JudgeVerdict, by_probabilities: bool) -> ParsedVerdict {
    ParsedVerdict {
        verdict,
        by_probabilities,
        text: String::new(),
    }
}

impl FromStr for Rule {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        // The published patterns are named by what they look like.
        let pattern = match text {
            "[[A]]" | "[[A>>B]]" => "[[{label}]]",
            "[RESULT] A" => "[RESULT] {label}",
            other => other,
        };
        match (text, pattern.split_once(LABEL)) {
            ("probabilities", _) => Ok(Self::Probabilities),
            ("label", _) => Ok(Self::Label),
            ("json", _) => Ok(Self::Json),
            (_, Some((before, after))) if !before.trim().is_empty() => {
                Ok(Self::Pattern(before.trim().into(), after.trim().into()))
            }
            _ => {
                let what = format!("verdict is `{text}`, which is not a known rule");
                Err(Error::usage(what).with_hint(
                    "probabilities, label, json, [[A]], [[A>>B]], [RESULT] A, or a pattern such as \
                     `Verdict: {label}`",
                ))
            }
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Probabilities => f.write_str("probabilities"),
            Self::Label => f.write_str("label"),
            Self::Json => f.write_str("json"),
            Self::Pattern(before, after) if after.is_empty() => write!(f, "{before} {LABEL}"),
            Self::Pattern(before, after) => write!(f, "{before}{LABEL}{after}"),
        }
    }
}

impl TryFrom<String> for Rule {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse().map_err(|error: Error| error.with_its_hint())
    }
}

impl From<Rule> for String {
    fn from(rule: Rule) -> Self {
        rule.to_string()
    }
}
