//! Differences of systems, groups and stopping as they are stored beside a table of estimates.

use super::super::items::UnlikeSystems;
use super::super::new;
use serde::{Deserialize, Serialize, Serializer};
use std::path::Path;
use tiebreak_base::error::{Result, is_there};
use tiebreak_base::layout::percent;
use tiebreak_data::records::reader::Row;
use tiebreak_data::tables::destination::companion_path;
use tiebreak_data::tables::format::OutputTableFormat;
use tiebreak_data::tables::json;
use tiebreak_data::tables::meta::Meta;
use tiebreak_data::tables::stored::{self, RowColumn, TableRow};
use tiebreak_decide::estimators::NewAnnotators;
use tiebreak_decide::evaluation::slices::{SliceDifference, SlicedDifferences};

/// The names of the documents beside the table: groups, and stopping points.
const GROUPS: &str = "groups.json";
const STOPS: &str = "stops.json";
/// The name of the document with systems whose items are unlike.
const UNLIKE: &str = "unlike.json";
/// The name of the document with differences in slices and the tests of these; a table has the differences alone.
const SLICES: &str = "slices.json";

/// One pair of systems.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[allow(missing_docs)] // the columns of the table
pub struct SystemDifference {
    pub system_a: String,
    pub system_b: String,
    pub criterion: String,
    pub metric: Option<String>,
    pub estimator: String,
    pub difference: f64,
    pub lower: Option<f64>,
    pub upper: Option<f64>,
    pub standard_error: Option<f64>,
    pub significant: bool,
    pub items: u64,
    /// The number of items of one of the two alone, which the difference leaves out; 0 where it takes all judgments.
    pub left_out: u64,
    pub win_rate: Option<f64>,
    pub win_lower: Option<f64>,
    pub win_upper: Option<f64>,
    /// The number of items that the win rate rests on: those that one annotator judged for both.
    pub win_items: u64,
    pub corrected_lower: Option<f64>,
    pub corrected_upper: Option<f64>,
    /// How many times as many items would show an undecided difference with probability .8, were it as observed; at most 50.
    pub needed_times: Option<f64>,
    /// The reason why there is no interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The difference for new annotators.
    #[serde(serialize_with = "as_difference")]
    pub new_annotators: Option<NewAnnotators>,
}

/// Serialises values for new annotators, with the key of a pair in the place of an estimate's.
#[allow(clippy::ref_option, reason = "what serde calls it with")]
fn as_difference<S: Serializer>(
    found: &Option<NewAnnotators>,
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    found
        .map(NewAnnotatorsDifference::from)
        .serialize(serializer)
}

/// A difference for new annotators like those who judged.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)] // as of a pair
pub(crate) struct NewAnnotatorsDifference {
    pub difference: f64,
    pub lower: f64,
    pub upper: f64,
    pub standard_error: f64,
    pub annotators: u64,
}

impl From<NewAnnotators> for NewAnnotatorsDifference {
    fn from(found: NewAnnotators) -> Self {
        Self {
            difference: found.estimate,
            lower: found.lower,
            upper: found.upper,
            standard_error: found.standard_error,
            annotators: found.annotators,
        }
    }
}

/// A group of systems that are not told apart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)] // what a group is of
pub(crate) struct TiedSystems {
    pub criterion: String,
    pub metric: Option<String>,
    pub estimator: String,
    pub systems: Vec<String>,
}

/// The point at which judging a system could have stopped.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct SystemStoppingPoint {
    pub system: String,
    pub criterion: String,
    pub estimator: String,
    /// The goal: `width=W` or `relative=E`.
    pub goal: String,
    /// The number of judgments then; `None` where all of them were not enough.
    pub n: Option<u64>,
    /// The estimate then.
    pub estimate: Option<f64>,
    /// Lower end of the interval then.
    pub lower: Option<f64>,
    /// Upper end.
    pub upper: Option<f64>,
    /// The widths of the interval, by number of judgments.
    #[serde(default)]
    pub widths: Vec<(u64, f64)>,
}

/// Differences and stopping of one table of estimates.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[non_exhaustive]
pub struct SystemComparisons {
    /// Every pair of systems.
    pub differences: Vec<SystemDifference>,
    /// The groups of systems that are not told apart, best first.
    pub(crate) groups: Vec<TiedSystems>,
    /// The best systems with others whose items are unlike theirs.
    pub(crate) unlike: Vec<UnlikeSystems>,
    /// The points at which judging could have stopped.
    pub(crate) stops: Vec<SystemStoppingPoint>,
    /// The differences in slices of the items, where they are asked for.
    pub slices: Vec<SlicedDifferences>,
}

impl SystemComparisons {
    /// The estimator's name in every row.
    pub(in crate::stages::estimate) fn estimators_mut(
        &mut self,
    ) -> impl Iterator<Item = &mut String> {
        let differences = self.differences.iter_mut().map(|one| &mut one.estimator);
        let groups = self.groups.iter_mut().map(|one| &mut one.estimator);
        let stops = self.stops.iter_mut().map(|one| &mut one.estimator);
        differences.chain(groups).chain(stops)
    }
}

impl SystemDifference {
    /// A win rate of one of the two in words, with the number of items that it rests on where these are not all of both.
    pub(super) fn wins(&self, rate: f64) -> String {
        match self.win_items < self.items {
            true => format!("{} of {}", percent(rate), self.win_items),
            false => percent(rate),
        }
    }
}

impl TableRow for SystemDifference {
    const COLUMNS: &'static [RowColumn<Self>] = &[
        RowColumn::Text("system_a", |row| row.system_a.clone()),
        RowColumn::Text("system_b", |row| row.system_b.clone()),
        RowColumn::Text("criterion", |row| row.criterion.clone()),
        RowColumn::Text("metric", |row| row.metric.clone().unwrap_or_default()),
        RowColumn::Text("estimator", |row| row.estimator.clone()),
        RowColumn::Number("difference", |row| Some(row.difference)),
        RowColumn::Number("lower", |row| row.lower),
        RowColumn::Number("upper", |row| row.upper),
        RowColumn::Number("standard_error", |row| row.standard_error),
        RowColumn::Text("significant", |row| row.significant.to_string()),
        RowColumn::Count("items", |row| row.items),
        RowColumn::Number("win_rate", |row| row.win_rate),
        RowColumn::Number("win_lower", |row| row.win_lower),
        RowColumn::Number("win_upper", |row| row.win_upper),
        RowColumn::Number("corrected_lower", |row| row.corrected_lower),
        RowColumn::Number("corrected_upper", |row| row.corrected_upper),
        RowColumn::Number("needed_times", |row| row.needed_times),
        RowColumn::Text("why", |row| row.why.clone().unwrap_or_default()),
        RowColumn::Count("left_out", |row| row.left_out),
        RowColumn::Count("win_items", |row| row.win_items),
        RowColumn::Number("new_annotators_estimate", |row| {
            row.new_annotators.map(|one| one.estimate)
        }),
        RowColumn::Number("new_annotators_lower", |row| {
            row.new_annotators.map(|one| one.lower)
        }),
        RowColumn::Number("new_annotators_upper", |row| {
            row.new_annotators.map(|one| one.upper)
        }),
        RowColumn::Number("new_annotators_standard_error", |row| {
            row.new_annotators.map(|one| one.standard_error)
        }),
        RowColumn::Number("new_annotators", |row| {
            row.new_annotators.map(|one| one.annotators as f64)
        }),
    ];
}

impl SystemDifference {
    fn read(row: &Row) -> Result<Self> {
        let number = |name: &str| row.number(name);
        Ok(SystemDifference {
            system_a: row.text("system_a")?,
            system_b: row.text("system_b")?,
            criterion: row.text("criterion")?,
            metric: row.filled_text("metric")?,
            estimator: row.text("estimator")?,
            difference: number("difference")?,
            lower: row.optional_number("lower")?,
            upper: row.optional_number("upper")?,
            standard_error: row.optional_number("standard_error")?,
            significant: row.text("significant")? == "true",
            items: number("items")? as u64,
            left_out: row.optional_number("left_out")?.unwrap_or_default() as u64,
            win_rate: row.optional_number("win_rate")?,
            win_lower: row.optional_number("win_lower")?,
            win_upper: row.optional_number("win_upper")?,
            win_items: row
                .optional_number("win_items")?
                .unwrap_or(number("items")?) as u64,
            corrected_lower: row.optional_number("corrected_lower")?,
            corrected_upper: row.optional_number("corrected_upper")?,
            needed_times: row.optional_number("needed_times")?,
            why: row.filled_text("why")?,
            new_annotators: new::read(row)?,
        })
    }
}

/// A difference in a slice, as a row of a table.
struct SliceRow(SliceDifference);

impl TableRow for SliceRow {
    const COLUMNS: &'static [RowColumn<Self>] = &[
        RowColumn::Text("slice", |row| row.0.slice.clone()),
        RowColumn::Text("criterion", |row| row.0.criterion.clone()),
        RowColumn::Text("system_a", |row| row.0.system_a.clone()),
        RowColumn::Text("system_b", |row| row.0.system_b.clone()),
        RowColumn::Count("n", |row| row.0.n),
        RowColumn::Number("difference", |row| Some(row.0.difference)),
        RowColumn::Number("lower", |row| row.0.lower),
        RowColumn::Number("upper", |row| row.0.upper),
        RowColumn::Text("significant", |row| row.0.significant.to_string()),
        RowColumn::Text("why", |row| row.0.why.clone().unwrap_or_default()),
    ];
}

impl SystemComparisons {
    /// Writes the comparisons beside a table of estimates; nothing where there are none.
    pub(crate) fn write(
        &self,
        estimates: &Path,
        format: OutputTableFormat,
        meta: &Meta,
    ) -> Result<()> {
        if self.has_pairs() {
            let meta = Meta {
                table: "differences".to_string(),
                ..meta.clone()
            };
            let path = companion_path(estimates, "differences");
            stored::write(&path, format, &meta, &self.differences)?;
            json::write(&estimates.with_extension(GROUPS), &self.groups)?;
        }
        if !self.unlike.is_empty() {
            json::write(&estimates.with_extension(UNLIKE), &self.unlike)?;
        }
        if !self.stops.is_empty() {
            json::write(&estimates.with_extension(STOPS), &self.stops)?;
        }
        if !self.slices.is_empty() {
            let meta = Meta {
                table: "slices".to_string(),
                ..meta.clone()
            };
            let rows = self.slices.iter().flat_map(|one| &one.rows);
            let rows: Vec<SliceRow> = rows.cloned().map(SliceRow).collect();
            let path = companion_path(estimates, "slices");
            stored::write(&path, format, &meta, &rows)?;
            json::write(&estimates.with_extension(SLICES), &self.slices)?;
        }
        Ok(())
    }

    /// Reads the comparisons beside a table of estimates; empty where there are none.
    pub(crate) fn read(estimates: &Path) -> Result<Self> {
        let path = companion_path(estimates, "differences");
        let differences = is_there(&path).then(|| stored::read(&path, SystemDifference::read));
        Ok(Self {
            differences: differences.transpose()?.unwrap_or_default(),
            groups: json::read_if_there(&estimates.with_extension(GROUPS))?,
            unlike: json::read_if_there(&estimates.with_extension(UNLIKE))?,
            stops: json::read_if_there(&estimates.with_extension(STOPS))?,
            slices: json::read_if_there(&estimates.with_extension(SLICES))?,
        })
    }

    /// Whether systems were compared.
    pub(in crate::stages::estimate) fn has_pairs(&self) -> bool {
        !(self.groups.is_empty() && self.differences.is_empty())
    }

    /// Whether there is nothing to show.
    pub(crate) fn is_empty(&self) -> bool {
        let is_alone = self.unlike.is_empty() && self.stops.is_empty();
        !self.has_pairs() && is_alone && self.slices.is_empty()
    }
}
