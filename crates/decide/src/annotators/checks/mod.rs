//! Signs of careless answering: copied answers, runs of one answer, side preference, speed, little agreement.
//!
//! Every check counts something and gives the probability of at least as much among honest people; each check
//! says what "honest" allows. Honest people differ, so each null hypothesis leaves them room: agreeing well,
//! strong habits or fast reading are not reported. One correction for multiple testing covers the tests of all
//! checks. What a check finds is a fact about the answers, not its reason.
//!
//! Answers that depend on each other are one unit: the rows of one ranking or, without one, of one item by one
//! annotator. Five systems ranked and written as ten pairs are no ten answers.

pub mod agreement;
pub mod copies;
pub mod runs;
pub mod sides;
pub mod speed;

use tiebreak_base::duel::Arm;

/// The fewest units that are tested.
pub const FEWEST: u64 = 10;

/// A check for careless answering.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// Two annotators whose answers are the same.
    Copies,
    /// One answer many times in a row.
    Runs,
    /// The first of two preferred, or the second, whatever the outputs are.
    Side,
    /// Answers faster than anyone reads.
    Speed,
    /// Less than half the agreement with others that those have with each other.
    Agreement,
}

impl Check {
    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Copies => "copies",
            Self::Runs => "runs",
            Self::Side => "side",
            Self::Speed => "speed",
            Self::Agreement => "agreement",
        }
    }
}

/// The result of one test, significant or not.
#[derive(Debug, Clone, PartialEq)]
pub struct AnnotatorCheckResult {
    /// The check.
    pub check: Check,
    /// The annotator tested.
    pub annotator: usize,
    /// For copies, the other annotator.
    pub other: Option<usize>,
    /// The number of cases found.
    pub found: u64,
    /// The number of cases in which it could have been found.
    pub of: u64,
    /// The number of cases expected.
    pub expected: f64,
    /// The probability of at least as many among honest people.
    pub p: f64,
}

/// An answer as it was given; small, since there are as many as rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CheckedAnswer {
    /// The value; of comparisons, the score of the system named first.
    pub value: f64,
    /// The systems compared, as they were named; a single system is listed twice.
    pub systems: [Arm; 2],
    /// The item.
    pub item: u32,
    /// The number of the annotator's ranking or item; a unit is independent of others.
    pub unit: u32,
    /// The seconds that the answer took.
    pub seconds: Option<f64>,
    /// The [length to read](speed::reading_length) before answering: of the shorter text, 0 where it is not known.
    /// `None` where one reading serves several answers.
    pub to_read: Option<u32>,
}

impl CheckedAnswer {
    /// Whether two systems were compared.
    pub fn is_comparison(&self) -> bool {
        self.systems[0] != self.systems[1]
    }

    /// The number of different units in the rows of one annotator.
    pub fn units(rows: &[CheckedAnswer]) -> u64 {
        let mut units: Vec<u32> = rows.iter().map(|row| row.unit).collect();
        units.sort_unstable();
        units.dedup();
        units.len() as u64
    }
}
