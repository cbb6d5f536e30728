//! The outcome of `annotators`: what `annotators --json` prints, and what its tables hold.

use serde::{Deserialize, Serialize};

/// How far people agree, and each of them beside the others.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Annotators {
    /// By kind of answer: comparisons, then each criterion.
    pub agreement: Vec<Agreement>,
    /// By kind of answer, then name.
    pub annotators: Vec<Annotator>,
    /// By kind of answer, then names; only those who share a question.
    pub pairs: Vec<Pair>,
    /// What the checks found, by kind of answer.
    pub findings: Vec<Finding>,
    /// What cannot be told, by kind of answer.
    pub not_known: Vec<NotKnown>,
}

/// What was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// `judgments` or `comparisons`.
    pub human: String,
    /// The criterion of the judgments.
    pub criterion: Option<String>,
}

/// What lies beside a table of annotators, in `….agreement.json`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Beside {
    /// As in [`Annotators`].
    pub agreement: Vec<Agreement>,
    /// As in [`Annotators`].
    pub pairs: Vec<Pair>,
    /// As in [`Annotators`].
    pub findings: Vec<Finding>,
    /// As in [`Annotators`].
    pub not_known: Vec<NotKnown>,
}

/// Agreement on one kind of answer. A question is one output (and part) under one criterion, or two
/// systems on one item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Agreement {
    /// What was asked.
    #[serde(flatten)]
    pub asked: Asked,
    /// Annotators known by name.
    pub annotators: u64,
    /// Questions answered.
    pub questions: u64,
    /// Of these, those answered by two or more.
    pub shared: u64,
    /// Answers; an annotator's several answers to one question count once, with their mean.
    pub answers: u64,
    /// Answers that repeat an annotator's own.
    pub repeated: u64,
    /// Answers of which nobody knows who gave them.
    pub unknown: u64,
    /// Krippendorff's α of categories; like all coefficients here `None` where it does not exist.
    pub alpha_nominal: Option<f64>,
    /// Krippendorff's α of ranks.
    pub alpha_ordinal: Option<f64>,
    /// Krippendorff's α of numbers.
    pub alpha_interval: Option<f64>,
    /// Fleiss' κ.
    pub kappa_fleiss: Option<f64>,
    /// Cohen's κ, mean over pairs of annotators by the questions they share.
    pub kappa_cohen: Option<f64>,
}

/// One annotator and one kind of answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Annotator {
    /// Who.
    pub annotator: String,
    /// What was asked.
    #[serde(flatten)]
    pub asked: Asked,
    /// Questions answered.
    pub answers: u64,
    /// Of these, those that others answered too.
    pub shared: u64,
    /// Of comparisons the mean share of the others who said the same, of judgments the correlation
    /// with the means of the others.
    pub agreement: Option<f64>,
    /// Of comparisons the mean outcome of `system_a` less ½, of judgments the mean deviation from the
    /// means of the others.
    pub bias: Option<f64>,
    /// The standard deviation of the deviations, of judgments.
    pub noise: Option<f64>,
    /// How probably right, by the label model.
    pub accuracy: Option<f64>,
    /// In what unlike the other annotators: any of agreement, bias, noise.
    pub outlier: Vec<String>,
}

/// Two annotators and one kind of answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pair {
    /// One of them.
    pub annotator: String,
    /// The other.
    pub other: String,
    /// What was asked.
    #[serde(flatten)]
    pub asked: Asked,
    /// Questions both answered.
    pub shared: u64,
    /// Cohen's κ; `None` where both always gave the one same answer.
    pub kappa: Option<f64>,
}

/// Answers that are no judgments, as far as counting can tell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// `copies` (two gave the same answers), `runs` (one answer so many times in a row), `side` (the first
    /// of two was preferred), `speed` (faster than anybody reads), `distance` (further from the others than
    /// they are from each other).
    pub check: String,
    /// Whose.
    pub annotator: String,
    /// For copies the other one.
    pub other: Option<String>,
    /// What was asked.
    #[serde(flatten)]
    pub asked: Asked,
    /// How often it was so.
    pub found: u64,
    /// Of how many answers, or questions that both answered.
    pub of: u64,
    /// How often one would expect.
    pub expected: f64,
    /// How likely so often is among honest people, before Holm's correction among all tests.
    pub p_value: f64,
}

/// What cannot be told of one kind of answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NotKnown {
    /// What was asked.
    #[serde(flatten)]
    pub asked: Asked,
    /// A check as in [`Finding`], or `outliers`.
    pub check: String,
    /// Why not.
    pub why: String,
}

impl Asked {
    /// In words: `judgments of fluency`, `comparisons`.
    pub fn name(&self) -> String {
        match &self.criterion {
            Some(criterion) => format!("{} of {criterion}", self.human),
            None => self.human.clone(),
        }
    }
}
