//! The keys of tables and plots of cells.

use super::keys::ExperimentSettings;
use super::quantity::Quantity;
use super::tables::PublishedNumbers;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use tiebreak_base::error::{Error, Key, Result, nearest};
use tiebreak_base::keys::{Keys, one_or_more};
use tiebreak_base::message;

/// A key that arranges cells: a key of theirs, or one within `eliminate`, or the systems of the data set,
/// each with its own numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(super) struct CellKey(String);

/// The systems of a data set.
pub(super) const SYSTEM: &str = "system";

impl CellKey {
    pub(super) fn name(&self) -> &str {
        &self.0
    }
}

impl From<CellKey> for String {
    fn from(key: CellKey) -> Self {
        key.0
    }
}

impl TryFrom<String> for CellKey {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        let mut known = ExperimentSettings::names();
        known.extend(["alpha", "copeland", SYSTEM].map(str::to_string));
        if known.contains(&name) {
            return Ok(Self(name));
        }
        Err(match nearest(&name, known.iter().map(String::as_str)) {
            Some(near) => format!("unknown key `{name}`, did you mean `{near}`?"),
            None => format!("unknown key `{name}`, expected one of {}", known.join(", ")),
        })
    }
}

/// The keys that distinguish rows or series; by default the label.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct GroupingKeys(#[serde(with = "one_or_more")] pub Vec<CellKey>);

impl Default for GroupingKeys {
    fn default() -> Self {
        Self(vec![CellKey("label".to_string())])
    }
}

/// A name in the file, with spaces.
pub(super) fn spoken(name: &str) -> String {
    name.replace('-', " ")
}

/// The name of a value of an enum.
pub(super) fn name_of(one: impl Serialize) -> String {
    let name = toml::Value::try_from(one).ok();
    let name = name.as_ref().and_then(toml::Value::as_str);
    name.unwrap_or_default().to_string()
}

/// Whether something with this label is shown, given the labels in `only`.
pub(super) fn shows(only: &[String], label: &str) -> bool {
    only.is_empty() || only.iter().any(|one| one == label)
}

/// A table with a row for each value of some keys and a column for each value of another.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub(super) struct TableSettings {
    /// The name of its files.
    pub name: String,
    /// A title, in a phrase.
    pub title: String,
    /// The labels of the cells it shows; by default all.
    #[serde(with = "one_or_more")]
    pub only: Vec<String>,
    /// The keys that distinguish rows.
    pub rows: GroupingKeys,
    /// The key that distinguishes columns; without it, every quantity has a column.
    pub columns: Option<CellKey>,
    /// The keys that distinguish tables, one for each.
    #[serde(with = "one_or_more")]
    pub panels: Vec<CellKey>,
    /// The quantities in its cells.
    #[serde(with = "one_or_more")]
    pub value: Vec<Quantity>,
    /// The row with which the others are compared in two more columns: the geometric mean of their ratios to it,
    /// and the largest.
    pub baseline: Option<String>,
    /// Whether the table is also drawn, as coloured cells.
    pub drawn: bool,
    /// Published numbers to show beside ours: a CSV file with rows and columns named as here,
    /// relative to the folder of the file.
    pub published: Option<PathBuf>,
    /// The published numbers, as read.
    #[serde(skip)]
    pub numbers: PublishedNumbers,
}

/// A plot: lines with bands, or intervals side by side where the x axis is not of numbers.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub(super) struct PlotSettings {
    /// The name of its files.
    pub name: String,
    /// A title, in a phrase.
    pub title: String,
    /// The labels of the cells it shows; by default all.
    #[serde(with = "one_or_more")]
    pub only: Vec<String>,
    /// The picture that is shown where there is no `x`.
    pub shows: Picture,
    /// The key along the x axis.
    pub x: Option<CellKey>,
    /// The quantity along the y axis.
    pub y: Quantity,
    /// The keys that distinguish series.
    pub series: GroupingKeys,
    /// The series by which the others are divided: below 1 is what they save, above 1 what they cost.
    pub baseline: Option<String>,
    /// The keys that distinguish plots, one file for each.
    #[serde(with = "one_or_more")]
    pub panels: Vec<CellKey>,
    /// The axes that are logarithmic.
    pub log: Vec<PlotAxis>,
}

/// A picture that is not of a quantity by a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Picture {
    /// Accuracy by human annotations.
    #[default]
    Accuracy,
    /// Width of 80 % intervals by human judgments.
    Widths,
    /// Metric by human judgment, a dot for every system.
    Systems,
    /// Metric by human judgment, a dot for every output.
    Outputs,
    /// ρ and γ of every cell over lines of equal inverse data efficiency.
    Contour,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum PlotAxis {
    X,
    Y,
}

impl Keys for TableSettings {
    fn check(&self) -> Result<()> {
        needed(&[
            ("name", self.name.is_empty()),
            ("title", self.title.is_empty()),
            ("value", self.value.is_empty()),
        ])?;
        if self.columns.is_some() && self.value.len() > 1 {
            let what = message!(
                "a table with {} shows one value, without them several",
                Key("columns")
            );
            return Err(Error::key("value", what));
        }
        if self.baseline.is_some() && self.columns.is_none() {
            let what = message!(
                "rows are compared over {}, which is missing",
                Key("columns")
            );
            return Err(Error::key("baseline", what));
        }
        Ok(())
    }
}

impl Keys for PlotSettings {
    fn check(&self) -> Result<()> {
        needed(&[
            ("name", self.name.is_empty()),
            ("title", self.title.is_empty()),
        ])?;
        if self.baseline.is_some() && self.x.is_none() {
            let what = message!("series are divided along an {}, which is missing", Key("x"));
            return Err(Error::key("baseline", what));
        }
        Ok(())
    }
}

/// Refuses the first key that is missing.
fn needed(keys: &[(&str, bool)]) -> Result<()> {
    match keys.iter().find(|(_, missing)| *missing) {
        Some((key, _)) => Err(Error::key(key, "missing")),
        None => Ok(()),
    }
}
