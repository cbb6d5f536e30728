//! What `annotators --json` prints, and what lies on disk: a table of annotators, agreement beside it, and
//! labels as tables people bring.

use super::AnnotatorAnalysis;
use super::labels::ConsensusLabels;
use serde::{Deserialize, Serialize};
use std::path::Path;
use tiebreak_base::error::{Error, Result};
use tiebreak_data::records::reader::Row;
use tiebreak_data::tables::destination::Destination;
use tiebreak_data::tables::json;
use tiebreak_data::tables::meta::Meta;
use tiebreak_data::tables::schema::{Column, TableBuilder, TableCell, TableColumns};
use tiebreak_data::tables::stored::{self, TableRow, write_rows};

/// How far people agree, and each of them beside the others.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct AnnotatorReport {
    /// By kind of answer: comparisons, then each criterion.
    pub agreement: Vec<InterAnnotatorAgreement>,
    /// By kind of answer, then name.
    #[serde(default)]
    pub annotators: Vec<Annotator>,
    /// By kind of answer, then names; only those who share a question.
    pub pairs: Vec<AnnotatorPair>,
    /// What the checks found, by kind of answer.
    pub findings: Vec<Finding>,
    /// What cannot be told, by kind of answer.
    pub not_known: Vec<InconclusiveCheck>,
}

/// What was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerKind {
    /// `judgments` or `comparisons`.
    pub human: String,
    /// The criterion of the judgments.
    pub criterion: Option<String>,
}

/// Agreement on one kind of answer. A question is one output (and part) under one criterion, or two
/// systems on one item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InterAnnotatorAgreement {
    /// What was asked.
    #[serde(flatten)]
    pub asked: AnswerKind,
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
    pub asked: AnswerKind,
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
pub struct AnnotatorPair {
    /// One of them.
    pub annotator: String,
    /// The other.
    pub other: String,
    /// What was asked.
    #[serde(flatten)]
    pub asked: AnswerKind,
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
    pub asked: AnswerKind,
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
pub struct InconclusiveCheck {
    /// What was asked.
    #[serde(flatten)]
    pub asked: AnswerKind,
    /// A check as in [`Finding`], or `outliers`.
    pub check: String,
    /// Why not.
    pub why: String,
}

impl AnswerKind {
    /// In words: `judgments of fluency`, `comparisons`.
    pub fn name(&self) -> String {
        match &self.criterion {
            Some(criterion) => format!("{} of {criterion}", self.human),
            None => self.human.clone(),
        }
    }
}

impl TableRow for Annotator {
    const COLUMNS: TableColumns = &[
        ("annotator", Column::Text),
        ("human", Column::Text),
        ("criterion", Column::Text),
        ("answers", Column::Count),
        ("shared", Column::Count),
        ("agreement", Column::Number),
        ("bias", Column::Number),
        ("noise", Column::Number),
        ("accuracy", Column::Number),
        ("outlier", Column::Text),
    ];

    fn push(&self, rows: &mut TableBuilder) {
        rows.push(&[
            TableCell::Text(&self.annotator),
            TableCell::Text(&self.asked.human),
            TableCell::Text(self.asked.criterion.as_deref().unwrap_or("")),
            TableCell::Count(self.answers),
            TableCell::Count(self.shared),
            TableCell::Number(self.agreement),
            TableCell::Number(self.bias),
            TableCell::Number(self.noise),
            TableCell::Number(self.accuracy),
            TableCell::Text(&self.outlier.join(" ")),
        ]);
    }

    fn read(row: &Row) -> Result<Self> {
        let words = |text: Option<String>| {
            let text = text.unwrap_or_default();
            text.split_whitespace().map(str::to_string).collect()
        };
        Ok(Annotator {
            annotator: row.text("annotator")?,
            asked: AnswerKind {
                human: row.text("human")?,
                criterion: row.filled_text("criterion")?,
            },
            answers: row.number("answers")? as u64,
            shared: row.number("shared")? as u64,
            agreement: row.optional_number("agreement")?,
            bias: row.optional_number("bias")?,
            noise: row.optional_number("noise")?,
            accuracy: row.optional_number("accuracy")?,
            outlier: words(row.optional_text("outlier")?),
        })
    }
}

/// What lies beside the table.
const BESIDE: &str = "agreement.json";

pub(super) fn write(found: &AnnotatorAnalysis, destination: &Destination) -> Result<()> {
    if let (Destination::File(path, _), false) = (destination, found.labels.is_empty()) {
        let what = format!("{}: labels are tables of their own", path.display());
        return Err(Error::usage(what).with_hint("name a folder: --out DIR"));
    }
    let (path, format) = destination.file("annotators.csv");
    stored::write(&path, format, &found.meta, &found.annotators.annotators)?;
    // Beside the table lies all the rest.
    let mut rest = serde_json::to_value(&found.annotators).map_err(Error::failed)?;
    rest.as_object_mut()
        .and_then(|all| all.shift_remove("annotators"));
    json::write(&path.with_extension(BESIDE), &rest)?;
    labels(found, destination)
}

/// Reads a table of annotators and what lies beside it.
pub(super) fn read(path: &Path) -> Result<AnnotatorReport> {
    Ok(AnnotatorReport {
        annotators: stored::read(path)?,
        ..json::read(&path.with_extension(BESIDE))?
    })
}

fn labels(found: &AnnotatorAnalysis, destination: &Destination) -> Result<()> {
    let [mut comparisons, mut judgments] = ConsensusLabels::tables();
    let (mut compared, mut judged) = (false, false);
    for labels in &found.labels {
        match labels.criterion {
            None => labels.comparisons(&mut comparisons),
            Some(_) => labels.judgments(&mut judgments),
        }
        compared |= labels.criterion.is_none();
        judged |= labels.criterion.is_some();
    }
    let meta = Meta {
        table: "labels".to_string(),
        ..found.meta.clone()
    };
    if compared {
        let (path, format) = destination.file("comparisons.csv");
        write_rows(&path, format, &meta, comparisons)?;
    }
    if judged {
        let (path, format) = destination.file("judgments.csv");
        write_rows(&path, format, &meta, judgments)?;
    }
    Ok(())
}
