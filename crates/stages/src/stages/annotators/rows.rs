//! The output of `annotators --json` and the files: a table of annotators, agreement beside it, and
//! labels as tables that other commands read.

use super::AnnotatorAnalysis;
use super::labels::ConsensusLabels;
use crate::inputs::source::campaign::FailedChecks;
use serde::{Deserialize, Serialize};
use std::path::Path;
use tiebreak_base::error::{Error, Key, Result};
use tiebreak_base::message;
use tiebreak_data::records::reader::Row;
use tiebreak_data::tables::destination::Destination;
use tiebreak_data::tables::json;
use tiebreak_data::tables::meta::Meta;
use tiebreak_data::tables::stored::{self, RowColumn, TableRow, write_rows};

/// Agreement among annotators, and each annotator beside the others.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct AnnotatorReport {
    /// Agreement by kind of answer: comparisons, then each criterion.
    pub agreement: Vec<InterAnnotatorAgreement>,
    /// The annotators by kind of answer, then in the order of the data set's.
    #[serde(default)]
    pub annotators: Vec<Annotator>,
    /// The pairs of annotators who share a question, in the same order: of very many those that share the most.
    pub(crate) pairs: Vec<AnnotatorPair>,
    /// The number of pairs that are not listed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub pairs_left_out: u64,
    /// The findings of the checks, by kind of answer.
    pub findings: Vec<Finding>,
    /// The inconclusive checks, by kind of answer.
    pub(crate) not_known: Vec<InconclusiveCheck>,
    /// The annotators of a campaign who failed tasks with known answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) failed_checks: Vec<FailedChecks>,
}

/// The kind of answer that was asked for.
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
    /// The kind of answer.
    #[serde(flatten)]
    pub asked: AnswerKind,
    /// Annotators known by name.
    pub annotators: u64,
    /// Questions answered.
    pub questions: u64,
    /// Questions that two or more annotators answered.
    pub shared: u64,
    /// Answers; an annotator's several answers to one question count once, with their mean.
    pub answers: u64,
    /// Answers that repeat an annotator's own.
    pub repeated: u64,
    /// Answers of unnamed annotators.
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
    /// How many spreads from the median annotator one stands out; `None` where nobody is tested.
    #[serde(default)]
    pub outlier_reach: Option<f64>,
}

impl InterAnnotatorAgreement {
    /// The Krippendorff's α that is named first, with its level of measurement: comparisons are categories, scores numbers.
    pub fn alpha(&self) -> (Option<f64>, &'static str) {
        match self.asked.criterion {
            None => (self.alpha_nominal, "nominal"),
            Some(_) => (self.alpha_interval, "interval"),
        }
    }
}

/// One annotator and one kind of answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Annotator {
    /// The annotator's name.
    pub annotator: String,
    /// The kind of answer.
    #[serde(flatten)]
    pub asked: AnswerKind,
    /// Questions answered.
    pub answers: u64,
    /// Questions that others answered too.
    pub shared: u64,
    /// The mean share of the others with the same answer (comparisons), or the correlation with the
    /// others' means (judgments).
    pub agreement: Option<f64>,
    /// The mean outcome of `system_a` less ½ (comparisons), or the mean deviation from the others'
    /// means (judgments).
    pub bias: Option<f64>,
    /// The standard deviation of the deviations, of judgments.
    pub noise: Option<f64>,
    /// The probability of being right, by the label model.
    pub accuracy: Option<f64>,
    /// The traits of an outlier: any of agreement, bias, noise.
    pub outlier: Vec<String>,
}

/// Two annotators and one kind of answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct AnnotatorPair {
    /// The name of one annotator.
    pub annotator: String,
    /// The name of the other.
    pub other: String,
    /// The kind of answer.
    #[serde(flatten)]
    pub asked: AnswerKind,
    /// Questions that both answered.
    pub shared: u64,
    /// Cohen's κ; `None` where both always gave the one same answer.
    pub kappa: Option<f64>,
}

/// A sign of careless answering, as far as counting can tell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// `copies` (two gave the same answers), `runs` (one answer so many times in a row), `side` (the first
    /// of two was preferred), `speed` (faster than anybody reads), `agreement` (with the others, less than
    /// half of what these have with each other).
    pub check: String,
    /// The annotator's name.
    pub annotator: String,
    /// The other annotator's name, for copies.
    pub other: Option<String>,
    /// The kind of answer.
    #[serde(flatten)]
    pub asked: AnswerKind,
    /// The number with the sign: of answers, of shared questions (agreement), or of units, which are items or rankings
    /// (copies, speed).
    pub found: u64,
    /// The number of all of them.
    pub of: u64,
    /// The expected number with the sign.
    pub expected: f64,
    /// The probability of so many from an honest annotator, before Holm's correction among all tests.
    pub p_value: f64,
    /// What acting on it costs.
    #[serde(flatten)]
    pub(crate) cost: FindingCost,
}

/// What leaving out an annotator costs; of two with the same answers, the one who gave fewer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct FindingCost {
    /// The annotator's answers of this kind.
    pub answers: u64,
    /// Their share of all.
    pub share: f64,
    /// About how many times as wide intervals become: √(n/(n − m)) without m of n answers. `None`: nothing is left.
    pub wider: Option<f64>,
}

/// A check that is inconclusive for one kind of answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub(crate) struct InconclusiveCheck {
    /// The kind of answer.
    #[serde(flatten)]
    pub asked: AnswerKind,
    /// A check as in [`Finding`], `all`, `outliers`, or `one answer` (one throughout, which may be chance).
    pub check: String,
    /// The reason.
    pub why: String,
}

impl AnswerKind {
    /// The name in words: `judgments of fluency`, `comparisons`.
    pub(crate) fn name(&self) -> String {
        match &self.criterion {
            Some(criterion) => format!("{} of {criterion}", self.human),
            None => self.human.clone(),
        }
    }
}

impl TableRow for Annotator {
    const COLUMNS: &'static [RowColumn<Self>] = &[
        RowColumn::Text("annotator", |row| row.annotator.clone()),
        RowColumn::Text("human", |row| row.asked.human.clone()),
        RowColumn::Text("criterion", |row| {
            row.asked.criterion.clone().unwrap_or_default()
        }),
        RowColumn::Count("answers", |row| row.answers),
        RowColumn::Count("shared", |row| row.shared),
        RowColumn::Number("agreement", |row| row.agreement),
        RowColumn::Number("bias", |row| row.bias),
        RowColumn::Number("noise", |row| row.noise),
        RowColumn::Number("accuracy", |row| row.accuracy),
        RowColumn::Text("outlier", |row| row.outlier.join(" ")),
    ];
}

impl Annotator {
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

/// The name of the document beside the table.
const BESIDE: &str = "agreement.json";

/// What a report holds beside the table.
#[derive(Serialize)]
struct AgreementDocument<'a> {
    agreement: &'a [InterAnnotatorAgreement],
    pairs: &'a [AnnotatorPair],
    #[serde(skip_serializing_if = "is_zero")]
    pairs_left_out: u64,
    findings: &'a [Finding],
    not_known: &'a [InconclusiveCheck],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    failed_checks: &'a [FailedChecks],
}

impl<'a> From<&'a AnnotatorReport> for AgreementDocument<'a> {
    fn from(report: &'a AnnotatorReport) -> Self {
        Self {
            agreement: &report.agreement,
            pairs: &report.pairs,
            pairs_left_out: report.pairs_left_out,
            findings: &report.findings,
            not_known: &report.not_known,
            failed_checks: &report.failed_checks,
        }
    }
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as serde calls it
fn is_zero(number: &u64) -> bool {
    *number == 0
}

pub(super) fn write(found: &AnnotatorAnalysis, destination: &Destination) -> Result<()> {
    if let (Destination::File(path, _), false) = (destination, found.labels.is_empty()) {
        let what = format!("{}: labels are tables of their own", path.display());
        return Err(
            Error::usage(what).with_hint(message!("name a folder: {}", Key("out").set("DIR")))
        );
    }
    let (path, format) = destination.file("annotators.csv");
    stored::write(&path, format, &found.meta, &found.annotators.annotators)?;
    let rest = AgreementDocument::from(&found.annotators);
    json::write(&path.with_extension(BESIDE), &rest)?;
    labels(found, destination)
}

/// Reads a table of annotators and the document beside it.
pub(super) fn read(path: &Path) -> Result<AnnotatorReport> {
    Ok(AnnotatorReport {
        annotators: stored::read(path, Annotator::read)?,
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
