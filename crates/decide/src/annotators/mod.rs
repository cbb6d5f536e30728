//! Agreement of annotators, annotators who stand out, and the probable right answers.
//!
//! Pure functions over answers to the same questions. Coefficients of agreement are in [`alpha`] and
//! [`kappa`], each annotator beside the others in [`standing`], those who stand out in [`outliers`],
//! signs of careless answering in [`checks`], models of annotators' errors in [`labels`]. A value that does not
//! exist is `None`, never NaN.

pub mod alpha;
pub mod checks;
pub mod dawid_skene;
pub mod kappa;
pub mod labels;
pub mod mace;
pub mod outliers;
mod places;
pub mod standing;
pub mod units;

pub use labels::{ClassOrder, FittedLabelModel, LabelModel};

/// The questions with several answers, and each of them once more with its answers turned, from v to 1 − v. Which of two
/// systems is named first is no answer. So comparisons that are counted both ways round have coefficients that no
/// renaming changes.
pub fn both_ways_round(questions: &[Vec<QuestionAnswer>]) -> Vec<Vec<QuestionAnswer>> {
    let shared = questions.iter().filter(|answers| answers.len() > 1);
    let turned = |answer: &QuestionAnswer| QuestionAnswer {
        value: 1.0 - answer.value,
        ..*answer
    };
    shared
        .flat_map(|answers| [answers.clone(), answers.iter().map(turned).collect()])
        .collect()
}

/// One answer to a question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QuestionAnswer {
    /// The annotator's number, from 0; `None` if unknown. An annotator answers a question once; unknown
    /// annotators count as different people.
    pub annotator: Option<usize>,
    /// The value; finite.
    pub value: f64,
}
