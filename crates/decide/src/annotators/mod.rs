//! How far people agree, who stands out, and what the right answer probably is.
//!
//! Pure functions over answers to the same questions. Coefficients of agreement are in [`alpha`] and
//! [`kappa`], each annotator beside the others in [`standing`], those who stand out in [`outliers`],
//! answers that are no judgments in [`checks`], models of who errs how in [`labels`]. What does not exist is
//! `None`, never NaN.

pub mod alpha;
pub mod checks;
pub mod dawid_skene;
pub mod kappa;
pub mod labels;
pub mod mace;
pub mod outliers;
pub mod standing;

pub use labels::{FittedLabelModel, LabelModel};

/// One answer to a question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QuestionAnswer {
    /// Who gave it, as a number from 0; `None` where nobody knows. An annotator answers a question
    /// once; those unknown count as so many different people.
    pub annotator: Option<usize>,
    /// What was said; finite.
    pub value: f64,
}
