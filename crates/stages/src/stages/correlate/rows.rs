//! The output of `correlate --json`, and the rows of its tables.

use super::CorrelationResult;
use serde::{Deserialize, Serialize};
use std::path::Path;
use tiebreak_base::error::Result;
use tiebreak_base::scope::{ItemScope, PeopleScope, ResultScope};
use tiebreak_data::records::reader::Row;
use tiebreak_data::tables::destination::{Destination, companion_path};
use tiebreak_data::tables::meta::Meta;
use tiebreak_data::tables::stored::{self, RowColumn, TableRow};
use tiebreak_data::tables::{ManifestStage, json};
use tiebreak_decide::evaluation::correlation::{AnnotatorCoefficient, Value};

/// Correlations of metrics with people, and which metrics do better than others.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Correlations {
    /// The correlations by human answer, then metric, then coefficient.
    pub(crate) correlations: Vec<Correlation>,
    /// The differences by human answer, then pair of metrics, then coefficient.
    pub differences: Vec<CorrelationDifference>,
    /// The meaning of the intervals.
    pub(crate) intervals: Meaning,
    /// The correlations in slices of the items.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) slices: Option<CorrelationSlices>,
}

/// Correlations in all slices by one column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct CorrelationSlices {
    /// The column of the items.
    pub by: String,
    /// The confidence with which the intervals of one coefficient hold together, in (0, 1).
    pub confidence: f64,
    /// The correlations by slice, then human answer, metric and coefficient.
    pub rows: Vec<SlicedCorrelation>,
    /// Whether slices differ, by human answer, metric and coefficient.
    pub tests: Vec<CorrelationHeterogeneity>,
}

/// One metric's correlation with people in one slice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct SlicedCorrelation {
    /// The slice: a value of the column, or a third of its numbers.
    pub slice: String,
    /// The number of the slice's items with answers.
    pub items: u64,
    /// The coefficient, without an interval where the slice claims nothing.
    #[serde(flatten)]
    pub found: MetricCoefficient,
}

/// A test of whether a correlation is the same in all slices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct CorrelationHeterogeneity {
    pub metric: String,
    /// The target of the correlation.
    #[serde(flatten)]
    pub held: CorrelationTarget,
    /// The p-value, by Brown and Forsythe's test; `None` with fewer than two slices of enough items.
    pub p: Option<f64>,
}

/// The meaning of a coefficient's interval: each by itself, of what was drawn again.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Meaning {
    /// The confidence, in (0, 1).
    pub confidence: f64,
    /// The scope: `items`, of items like these and these systems; `both`, of items and systems like these.
    pub of: String,
    /// The number of others that each system was paired with in a resample, where there are too many for all pairs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partners: Option<u64>,
    /// What items share that are drawn together: `source`, or a column's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clusters: Option<String>,
    /// The annotators and items that results are about.
    #[serde(flatten)]
    pub scope: ResultScope,
}

impl Meaning {
    /// Reads the fields of the signature of a table of correlations; `None` where it has none.
    pub(crate) fn in_signature(signature: &str) -> Option<Self> {
        let field = |key: &str| {
            let mut fields = signature
                .split('|')
                .filter_map(|field| field.split_once(':'));
            fields
                .find(|(name, _)| *name == key)
                .map(|(_, value)| value)
        };
        let items = match field("items").is_some_and(|name| name == ItemScope::These.to_string()) {
            true => ItemScope::These,
            false => ItemScope::LikeThese,
        };
        Some(Self {
            confidence: field("confidence")?.parse().ok()?,
            of: field("boot")?.to_string(),
            clusters: field("clusters").map(str::to_string),
            partners: field("partners").and_then(|partners| partners.parse().ok()),
            scope: ResultScope {
                people: field("people").map_or_else(PeopleScope::default, PeopleScope::from_name),
                items,
            },
        })
    }
}

/// The target of a correlation: which answers, in which grouping, by which coefficient.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CorrelationTarget {
    /// `judgments` or `comparisons`.
    pub human: String,
    /// The criterion of the judgments.
    pub criterion: Option<String>,
    /// `item`: the mean over items of the coefficient among each one's outputs; `global`: among all
    /// outputs or comparisons together; `system`: among the systems' means.
    pub grouping: String,
    /// `pearson`, `spearman`, `kendall`, `accuracy`, `calibrated-accuracy` or
    /// `soft-pairwise-accuracy`.
    pub coefficient: String,
}

/// One coefficient of a metric with people, and its interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct MetricCoefficient {
    pub metric: String,
    /// The target of the correlation.
    #[serde(flatten)]
    pub held: CorrelationTarget,
    /// The number of items, outputs, comparisons or systems that the value is made from.
    pub n: u64,
    /// The value; `None` where it does not exist.
    pub value: Option<f64>,
    /// Lower end of its interval; `None` where too few resamples have a value.
    pub lower: Option<f64>,
    /// Upper end of its interval.
    pub upper: Option<f64>,
    /// The metric's tie threshold for `calibrated-accuracy`: differences of at most this are ties.
    pub epsilon: Option<f64>,
    /// The reason why there is no interval, or no value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// One metric's correlation with people.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Correlation {
    /// The coefficient.
    #[serde(flatten)]
    pub found: MetricCoefficient,
    /// The number of named annotators behind these answers.
    pub annotators: u64,
    /// The same coefficient with another annotator like them, each by their own answers; `None` where it is unknown.
    pub new_annotators: Option<AnnotatorCoefficient>,
}

impl MetricCoefficient {
    /// A coefficient with its interval, or the reason why there is none.
    pub(super) fn new(
        metric: &str,
        held: &CorrelationTarget,
        found: Value,
        interval: Result<(f64, f64), String>,
    ) -> Self {
        Self {
            metric: metric.to_string(),
            held: held.clone(),
            n: found.n,
            value: found.value,
            lower: interval.as_ref().ok().map(|ends| ends.0),
            upper: interval.as_ref().ok().map(|ends| ends.1),
            epsilon: found.epsilon,
            why: interval.err(),
        }
    }

    fn read(row: &Row) -> Result<Self> {
        Ok(Self {
            metric: row.text("metric")?,
            held: CorrelationTarget {
                human: row.text("human")?,
                criterion: row.filled_text("criterion")?,
                grouping: row.text("grouping")?,
                coefficient: row.text("coefficient")?,
            },
            n: row.number("n")? as u64,
            value: row.optional_number("value")?,
            lower: row.optional_number("lower")?,
            upper: row.optional_number("upper")?,
            epsilon: row.optional_number("epsilon")?,
            why: row.filled_text("why")?,
        })
    }
}

/// Two metrics under one coefficient that both have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CorrelationDifference {
    /// A metric.
    pub metric: String,
    /// The one it is compared with.
    pub other: String,
    /// The target of both correlations.
    #[serde(flatten)]
    pub held: CorrelationTarget,
    /// The first metric's value less the other's.
    pub difference: f64,
    /// The two-sided p-value: how probable so large a difference is by chance. Of system means it is about systems like
    /// these, between outputs about just these systems, and items like these. `None` where that is undecided.
    pub p_value: Option<f64>,
    /// Whether it is significant among all pairs of metrics under this coefficient (Holm).
    pub significant: bool,
    /// The same of system means for just these systems.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) these_systems: Option<TheseSystems>,
}

/// The test of a difference for just these systems, and items like these.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub(crate) struct TheseSystems {
    /// The two-sided p-value; `None` where it is undecided.
    pub p_value: Option<f64>,
    /// Whether it is significant among all pairs of metrics under this coefficient (Holm).
    pub significant: bool,
    /// The reason why it is undecided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl CorrelationDifference {
    /// The p-value for just these systems, and whether it is significant.
    pub(crate) fn for_these_systems(&self) -> (Option<f64>, bool) {
        match &self.these_systems {
            Some(these) => (these.p_value, these.significant),
            None => (self.p_value, self.significant),
        }
    }
}

/// The name of the document beside the table with the differences between metrics.
const DIFFERENCES: &str = "differences.json";

/// The name of the document beside the table with the slices.
const SLICES: &str = "slices.json";

impl TableRow for Correlation {
    const COLUMNS: &'static [RowColumn<Self>] = &[
        RowColumn::Text("metric", |row| row.found.metric.clone()),
        RowColumn::Text("human", |row| row.found.held.human.clone()),
        RowColumn::Text("criterion", |row| {
            row.found.held.criterion.clone().unwrap_or_default()
        }),
        RowColumn::Text("grouping", |row| row.found.held.grouping.clone()),
        RowColumn::Text("coefficient", |row| row.found.held.coefficient.clone()),
        RowColumn::Count("n", |row| row.found.n),
        RowColumn::Number("value", |row| row.found.value),
        RowColumn::Number("lower", |row| row.found.lower),
        RowColumn::Number("upper", |row| row.found.upper),
        RowColumn::Number("epsilon", |row| row.found.epsilon),
        RowColumn::Text("why", |row| row.found.why.clone().unwrap_or_default()),
        RowColumn::Number("annotators", |row| Some(row.annotators as f64)),
        RowColumn::Number("new_annotators_value", |row| {
            row.new_annotators.map(|one| one.value)
        }),
        RowColumn::Number("new_annotators_lower", |row| {
            row.new_annotators.map(|one| one.lower)
        }),
        RowColumn::Number("new_annotators_upper", |row| {
            row.new_annotators.map(|one| one.upper)
        }),
        RowColumn::Number("new_annotators", |row| {
            row.new_annotators.map(|one| one.annotators as f64)
        }),
    ];
}

impl Correlation {
    fn read(row: &Row) -> Result<Self> {
        Ok(Self {
            found: MetricCoefficient::read(row)?,
            annotators: row.optional_number("annotators")?.unwrap_or(0.0) as u64,
            new_annotators: new_annotators(row)?,
        })
    }
}

impl TableRow for SlicedCorrelation {
    const COLUMNS: &'static [RowColumn<Self>] = &[
        RowColumn::Text("slice", |row| row.slice.clone()),
        RowColumn::Count("items", |row| row.items),
        RowColumn::Text("metric", |row| row.found.metric.clone()),
        RowColumn::Text("human", |row| row.found.held.human.clone()),
        RowColumn::Text("criterion", |row| {
            row.found.held.criterion.clone().unwrap_or_default()
        }),
        RowColumn::Text("grouping", |row| row.found.held.grouping.clone()),
        RowColumn::Text("coefficient", |row| row.found.held.coefficient.clone()),
        RowColumn::Count("n", |row| row.found.n),
        RowColumn::Number("value", |row| row.found.value),
        RowColumn::Number("lower", |row| row.found.lower),
        RowColumn::Number("upper", |row| row.found.upper),
        RowColumn::Number("epsilon", |row| row.found.epsilon),
        RowColumn::Text("why", |row| row.found.why.clone().unwrap_or_default()),
    ];
}

fn new_annotators(row: &Row) -> Result<Option<AnnotatorCoefficient>> {
    let Some(annotators) = row.optional_number("new_annotators")? else {
        return Ok(None);
    };
    Ok(Some(AnnotatorCoefficient {
        value: row.number("new_annotators_value")?,
        lower: row.number("new_annotators_lower")?,
        upper: row.number("new_annotators_upper")?,
        annotators: annotators as u64,
    }))
}

impl CorrelationResult {
    /// Writes the correlations to a file (`correlations.csv` in a folder), and the differences between
    /// metrics beside it as `….differences.json`; slices as `….slices.csv` and, with their tests, `….slices.json`.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn write(&self, destination: &Destination) -> Result<()> {
        let (path, format) = destination.file("correlations.csv");
        let found = &self.found;
        stored::write(&path, format, &self.meta, &found.correlations)?;
        if let Some(slices) = &found.slices {
            let meta = Meta {
                table: "slices".to_string(),
                ..self.meta.clone()
            };
            stored::write(
                &companion_path(&path, "slices"),
                format,
                &meta,
                &slices.rows,
            )?;
            json::write(&path.with_extension(SLICES), slices)?;
        }
        json::write(&path.with_extension(DIFFERENCES), &found.differences)
    }
}

/// Reads what a stage stored.
pub(super) fn read(path: &Path, stage: &ManifestStage) -> Result<Correlations> {
    Ok(Correlations {
        correlations: stored::read(path, Correlation::read)?,
        differences: json::read(&path.with_extension(DIFFERENCES))?,
        slices: json::read_if_there(&path.with_extension(SLICES))?,
        intervals: Meaning::in_signature(&stage.signature).unwrap_or_default(),
    })
}
