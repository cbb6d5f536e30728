//! The basis of an interval and the scope of its claim, shown beside it.

use super::Range;
use serde::Serialize;
use tiebreak_base::keys::name_of;

/// What makes an interval valid.
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
    /// The sample's own shape, with its skewness; and the range, for outputs at its ends that the sample does not show.
    UnseenEnds,
    /// The central limit theorem, for judgments of a known range.
    LargeSample,
    /// The central limit theorem alone: nothing holds for every distribution without a range
    /// (Bahadur and Savage, Annals of Mathematical Statistics 1956).
    #[default]
    Approximate,
}

/// The source of chance that an interval allows for, and so the scope of its claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum InferenceScope {
    /// Items; each judgment is assumed to be by another annotator.
    #[default]
    Items,
    /// Items, as these annotators judge them.
    TheseAnnotators,
    /// The outputs at hand, as these annotators judge them. Also where a metric's mean over them, or the sizes of their
    /// strata, enter as known.
    OutputsAtHand,
    /// The outputs at hand, whatever these annotators would answer another time.
    TheseItems,
}

impl IntervalMethod {
    /// The method by the central limit theorem, where it was asked for.
    pub(super) fn of_range(range: Option<Range>) -> Self {
        match range {
            Some(_) => Self::LargeSample,
            None => Self::Approximate,
        }
    }

    /// The name in tables.
    pub fn name(self) -> String {
        name_of(&self)
    }
}

impl InferenceScope {
    /// The name in tables.
    pub fn name(self) -> String {
        name_of(&self)
    }
}
