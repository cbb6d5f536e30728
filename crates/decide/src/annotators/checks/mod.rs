//! Answers that are no judgments: copied, one and the same over and over, by side, without reading.
//!
//! Every check counts something and says how likely at least so much is among honest people; what
//! "honest" allows is stated by each. Honest people differ, so each null hypothesis leaves them room:
//! who agrees well, has strong habits or reads fast is not found. The tests of all checks go into one
//! correction for how many they are; what a check finds is a fact about the answers, not its reason.

pub mod copies;
pub mod distance;
pub mod runs;
pub mod sides;
pub mod speed;

/// Answers, or questions shared, below which nobody is tested.
pub const FEWEST: u64 = 20;

/// What is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// Two annotators whose answers are the same.
    Copies,
    /// One answer many times in a row.
    Runs,
    /// The first of two preferred, or the second, whatever they are.
    Side,
    /// Answers faster than anybody reads.
    Speed,
    /// Further from all others than they are from each other.
    Distance,
}

impl Check {
    /// As tables call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Copies => "copies",
            Self::Runs => "runs",
            Self::Side => "side",
            Self::Speed => "speed",
            Self::Distance => "distance",
        }
    }
}

/// One test, whatever came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct AnnotatorCheckResult {
    /// What was looked for.
    pub check: Check,
    /// In whom.
    pub annotator: usize,
    /// For copies the other of the two.
    pub other: Option<usize>,
    /// How often it was so,
    pub found: u64,
    /// of how many times it could have been,
    pub of: u64,
    /// and how often one would expect.
    pub expected: f64,
    /// How likely at least so often is among honest people.
    pub p: f64,
}

/// An answer as it was given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CheckedAnswer {
    /// What was said; of comparisons how the system that was named first fared.
    pub value: f64,
    /// The systems compared, as they were named; the one judged, twice.
    pub systems: [usize; 2],
    /// The item.
    pub item: usize,
    /// How long it took.
    pub seconds: Option<f64>,
    /// The characters that cannot but be read before an answer: of the shorter text.
    pub characters: Option<u64>,
}

impl CheckedAnswer {
    /// Whether two systems were compared.
    pub fn is_comparison(&self) -> bool {
        self.systems[0] != self.systems[1]
    }
}
