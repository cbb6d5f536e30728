//! What an interval rests on and speaks of: what is said beside it.

use super::Range;
use serde::Serialize;

/// What makes an interval hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum IntervalMethod {
    /// The binomial distribution of answers of yes or no.
    Exact,
    /// The range of the judgments, whatever their distribution; where the central limit theorem
    /// reaches farther, that too.
    Hull,
    /// The range of the judgments, whatever their distribution.
    Bounded,
    /// The central limit theorem, with enough judgments of a known range that vary enough.
    LargeSample,
    /// The central limit theorem alone: nothing holds for every distribution without a range
    /// (Bahadur and Savage, Annals of Mathematical Statistics 1956).
    #[default]
    Approximate,
}

/// Over what an interval allows for chance, and so what it speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum InferenceScope {
    /// Items; each judgment is by another annotator, as far as is known.
    #[default]
    Items,
    /// Items, as these annotators judge them.
    TheseAnnotators,
    /// The outputs at hand, as these annotators judge them: also where a metric's mean over them, or the sizes of their
    /// strata, enter as if they were known.
    OutputsAtHand,
    /// The outputs at hand, whatever these annotators would answer another time.
    TheseItems,
}

impl IntervalMethod {
    /// That of the central limit theorem, where somebody asked for it.
    pub(super) fn of_range(range: Option<Range>) -> Self {
        match range {
            Some(_) => Self::LargeSample,
            None => Self::Approximate,
        }
    }

    /// As tables write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Hull => "hull",
            Self::Bounded => "bounded",
            Self::LargeSample => "large-sample",
            Self::Approximate => "approximate",
        }
    }
}

impl InferenceScope {
    /// As tables write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Items => "items",
            Self::TheseAnnotators => "these-annotators",
            Self::OutputsAtHand => "outputs-at-hand",
            Self::TheseItems => "these-items",
        }
    }
}
