//! Verdicts of language models on which of two outputs is better: pure rules, from an answer as it came to a preference
//! for the output that was shown first.
//!
//! [`Rule`] says how an answer is read, [`Completion`] takes a response of an endpoint apart, [`UnreadableAnswer`]
//! is why there is no verdict: that is a missing preference, never ½.

mod completion;
mod labels;
mod rule;
mod text;

pub(crate) use completion::Usage;
#[cfg(feature = "judges")]
pub(crate) use completion::{COMPLETION_KEYS, LOGPROBS};
pub use completion::{Choice, Completion, TokenLogprob};
pub use labels::{Spelling, VerdictLabels};
pub use rule::Rule;

use std::fmt;

/// The verdict of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum JudgeVerdict {
    /// The preference for the output shown first, in [0, 1].
    First(f64),
    /// The probability of each rating of one output, from the lowest.
    Ratings(Vec<f64>),
}

/// An answer with where its verdict was found.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ParsedVerdict {
    /// The verdict.
    pub verdict: JudgeVerdict,
    /// Whether it is from log-probabilities, rather than from the text.
    pub by_probabilities: bool,
    /// What the model wrote.
    pub text: String,
}

/// The reason why an answer holds no verdict.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum UnreadableAnswer {
    /// The model refused, or a filter did.
    Refusal,
    /// The answer was cut off before there was a verdict.
    CutOff,
    /// The labels are unlikely, or none of them is listed.
    NoLabel,
    /// The text has no verdict.
    NoVerdict,
    /// The text has verdicts that contradict each other.
    Contradiction,
    /// A log-probability is no number, or above 0.
    InvalidProbability,
    /// The reply is longer than any completion.
    TooLong,
    /// The endpoint answered with this status.
    Status(u16),
    /// The request failed otherwise.
    Failed,
    /// The request was never sent.
    NotAsked,
}

impl fmt::Display for UnreadableAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Refusal => "refusal",
            Self::CutOff => "cut off",
            Self::NoLabel => "no verdict token",
            Self::NoVerdict => "no verdict in the text",
            Self::Contradiction => "contradicting verdicts in the text",
            Self::InvalidProbability => "invalid log-probability",
            Self::TooLong => "reply too long",
            Self::Status(status) => return write!(f, "http {status}"),
            Self::Failed => "failed",
            Self::NotAsked => "not answered",
        })
    }
}
