//! Input data: items, outputs of systems, comparisons and judgments.
//!
//! A [`Dataset`] is a folder of tables; its [`Index`] gathers, item by item, everything the tables
//! say, after checking that they fit together. [`reader`] streams any table in any form,
//! [`import`] makes a data set from other files, [`mod@check`] summarizes one.

pub mod check;
pub mod dataset;
mod decimals;
mod descriptor;
pub mod import;
pub mod index;
mod ordered;
pub mod outcomes;
pub mod reader;

pub use check::DatasetSummary;
pub use dataset::{Dataset, InputTable, Kind};
pub use descriptor::DatasetDescriptor;
pub use index::{Group, Index};
pub use outcomes::Outcomes;
pub use reader::{ColumnMapping, Row, TableReader};

use reader::CellValue;
use std::borrow::Cow;
use tiebreak_base::cost::Cost;
use tiebreak_base::duel::Outcome;
use tiebreak_base::error::{Error, Flag, Message, Result};
use tiebreak_base::layout::path_argument;

/// The column of imported comparisons besides the documented ones: the word of the file.
pub const LABEL: &str = "label";

/// The column of comparisons that names the ranking they are part of.
const RANKING: &str = "ranking_id";

/// One input, as the `items` table has it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ItemRecord {
    /// The name, unique in the data set.
    pub item: String,
    /// The input that the systems were given.
    pub source: Option<String>,
    /// References: texts a good output may read like; `None` where the table lacks the value.
    pub references: Option<Vec<String>>,
}

/// The output of one system for one item.
#[derive(Debug, Clone, PartialEq)]
pub struct OutputRecord {
    /// The item.
    pub item: String,
    /// The system.
    pub system: String,
    /// The text, possibly empty.
    pub output: String,
    /// The input that the system was given, where there is no `items` table with it.
    pub source: Option<String>,
    /// References of the item, where there is no `items` table with them.
    pub references: Option<Vec<String>>,
}

/// A person's preference between two outputs for one item.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ComparisonRecord {
    /// The item.
    pub item: String,
    /// The system whose outcome is given.
    pub system_a: String,
    /// The opponent of `system_a`.
    pub system_b: String,
    /// The outcome of `system_a`.
    pub outcome: Outcome,
    /// The annotator.
    pub annotator: Option<String>,
    /// The cost of the comparison.
    pub cost: Cost,
    /// The ranking of several systems that the comparison is part of (`ranking_id`).
    pub ranking: Option<String>,
}

/// A person's judgment of one output under one criterion.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct JudgmentRecord {
    pub item: String,
    pub system: String,
    /// The criterion: fluency, adequacy, overall, …
    pub criterion: String,
    /// The answer; finite.
    pub score: f64,
    pub annotator: Option<String>,
    /// The part of the item that was judged, such as a passage.
    pub part: Option<String>,
    /// The repeat (epoch, trial) of the output that was judged.
    pub repeat: Option<String>,
    /// The output as the annotator edited it, possibly to nothing.
    pub post_edit: Option<String>,
    /// The time that the judgment took, in seconds.
    pub seconds: Option<f64>,
}

impl ItemRecord {
    /// Reads a row of `items`.
    ///
    /// # Errors
    /// If a column is missing or has an invalid value, with the row's place.
    pub(crate) fn from_row(row: &Row) -> Result<Self> {
        Ok(Self {
            item: name(row, "item")?.into_owned(),
            source: row.optional_text("source")?,
            references: row.optional_texts("references")?,
        })
    }
}

/// Adds to an error about an output that is null what reads it as a text.
fn null_output(row: &Row, error: Error) -> Error {
    match row.cell("output") {
        Some(CellValue::Null) => error.with_hint(Message::except_in_python(
            format!(
                "`tiebreak import {} {} DIR` keeps null outputs as empty texts",
                path_argument(&row.at().path),
                Flag("out")
            ),
            "give an empty text, or leave the row out".to_string(),
        )),
        _ => error,
    }
}

impl OutputRecord {
    /// Reads a row of `outputs`.
    ///
    /// # Errors
    /// If a column is missing or has an invalid value, with the row's place.
    pub fn from_row(row: &Row) -> Result<Self> {
        Ok(Self {
            item: name(row, "item")?.into_owned(),
            system: name(row, "system")?.into_owned(),
            output: row
                .text("output")
                .map_err(|error| null_output(row, error))?,
            source: row.optional_text("source")?,
            references: row.optional_texts("references")?,
        })
    }
}

/// A borrowed [`OutputRecord`]: the largest table is not copied without need.
struct OutputTexts<'a> {
    item: Cow<'a, str>,
    system: Cow<'a, str>,
    output: Cow<'a, str>,
    /// The source and references; `None` where they are known to equal those of the same item in the row before.
    against: Option<ContextTexts<'a>>,
}

/// The source and references in a row of outputs.
struct ContextTexts<'a> {
    source: Option<Cow<'a, str>>,
    references: Option<Vec<Cow<'a, str>>>,
}

impl<'a> OutputTexts<'a> {
    fn from_row(row: &'a Row) -> Result<Self> {
        Ok(Self {
            item: name(row, "item")?,
            system: name(row, "system")?,
            output: row.str("output").map_err(|error| null_output(row, error))?,
            against: Some(ContextTexts {
                source: row.optional_str("source")?,
                references: row.optional_strs("references")?,
            }),
        })
    }
}

/// A borrowed [`ComparisonRecord`].
struct ComparisonTexts<'a> {
    item: Cow<'a, str>,
    system_a: Cow<'a, str>,
    system_b: Cow<'a, str>,
    outcome: Outcome,
    annotator: Option<Cow<'a, str>>,
    cost: Cost,
    ranking: Option<Cow<'a, str>>,
}

impl<'a> ComparisonTexts<'a> {
    fn from_row(row: &'a Row, outcomes: &Outcomes) -> Result<Self> {
        let (system_a, system_b) = (name(row, "system_a")?, name(row, "system_b")?);
        if system_a == system_b {
            return Err(row.error(format!("system `{system_a}` is compared with itself")));
        }
        Ok(Self {
            item: name(row, "item")?,
            outcome: outcome(row, outcomes, &system_a, &system_b)?,
            system_a,
            system_b,
            annotator: label(row, "annotator")?,
            cost: Cost {
                seconds: amount(row, "seconds")?,
                price: amount(row, "price")?,
            },
            // Any other value is metadata, never an error.
            ranking: row
                .cell(RANKING)
                .and_then(CellValue::as_text)
                .filter(|ranking| !ranking.is_empty()),
        })
    }
}

impl ComparisonRecord {
    /// Reads a row of `comparisons`, whose words for outcomes may be the data set's own.
    ///
    /// # Errors
    /// If a column is missing or has an invalid value, or a system is compared with itself;
    /// with the row's place.
    pub fn from_row(row: &Row, outcomes: &Outcomes) -> Result<Self> {
        let texts = ComparisonTexts::from_row(row, outcomes)?;
        Ok(Self {
            item: texts.item.into_owned(),
            system_a: texts.system_a.into_owned(),
            system_b: texts.system_b.into_owned(),
            outcome: texts.outcome,
            annotator: texts.annotator.map(Cow::into_owned),
            cost: texts.cost,
            ranking: texts.ranking.map(Cow::into_owned),
        })
    }
}

impl JudgmentRecord {
    /// Reads a row of `judgments`.
    ///
    /// # Errors
    /// If a column is missing or has an invalid value, with the row's place.
    pub(crate) fn from_row(row: &Row) -> Result<Self> {
        let label = |column| Ok(label(row, column)?.map(Cow::into_owned));
        Ok(Self {
            item: name(row, "item")?.into_owned(),
            system: name(row, "system")?.into_owned(),
            criterion: name(row, "criterion")?.into_owned(),
            score: row.score("score")?,
            annotator: label("annotator")?,
            part: label("part")?,
            repeat: label("repeat")?,
            post_edit: row.optional_text("post_edit")?,
            seconds: amount(row, "seconds")?,
        })
    }
}

/// Reads a name, which must not be empty: an empty cell is a mistake, not a name.
fn name<'a>(row: &'a Row, column: &str) -> Result<Cow<'a, str>> {
    let name = row.str(column)?;
    if name.is_empty() {
        return Err(row.error(format!("`{column}` is empty, expected a name")));
    }
    Ok(name)
}

/// Reads an optional name; one that [stands for a missing one](outcomes::is_nameless) means the same as none in every
/// format.
fn label<'a>(row: &'a Row, column: &str) -> Result<Option<Cow<'a, str>>> {
    if row.lacks_value(column) {
        return Ok(None);
    }
    let label = row.optional_str(column)?;
    Ok(label.filter(|label| !outcomes::is_nameless(label)))
}

fn outcome(row: &Row, outcomes: &Outcomes, system_a: &str, system_b: &str) -> Result<Outcome> {
    let cell = row.required("outcome")?;
    let number = row.cell_number(cell).and_then(Outcome::from_value);
    if let Some(outcome) = number.filter(|_| outcomes.is_empty()) {
        return Ok(outcome);
    }
    let found = cell.as_text().unwrap_or_else(|| cell.to_string().into());
    let outcome = outcomes.between(&found, system_a, system_b);
    outcome.map_err(|unread| {
        let advice = unread.advice(cell.to_text().as_deref(), true);
        row.error(unread.what).with_hint(advice)
    })
}

/// Reads an optional number, not below 0.
fn amount(row: &Row, column: &str) -> Result<Option<f64>> {
    let amount = row.optional_number(column)?;
    match amount {
        Some(negative) if negative < 0.0 => Err(row.error(format!(
            "`{column}` is {negative}, expected a number not below 0"
        ))),
        _ => Ok(amount),
    }
}

/// Returns the path of the metadata of a text table that tiebreak wrote: beside the table.
pub fn meta_path(table: &std::path::Path) -> std::path::PathBuf {
    let mut name = table.as_os_str().to_os_string();
    name.push(".meta.json");
    name.into()
}
