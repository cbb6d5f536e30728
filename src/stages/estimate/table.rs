//! The estimates table: its rows, and how they are written and told.

use super::Round;
use crate::error::{Error, Result};
use crate::estimators::{Analysis, Range};
use crate::inputs::judging::LeftOut;
use crate::inputs::source::Scores;
use crate::report::{Comparisons, Estimated, Plan, RestsOn};
use crate::tables::destination::{Destination, beside};
use crate::tables::file::{TableFile, write_atomically};
use crate::tables::format::{Compression, Format};
use crate::tables::meta::Meta;
use crate::tables::schema::{Cell, DIFFERENCES, ESTIMATES, Rows, schema};
use serde::Serialize;
use serde_json::Value;
use std::path::Path;

/// One row of the estimates table.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs)] // the columns of the interface
pub struct Row {
    pub system: String,
    pub criterion: String,
    pub metric: Option<String>,
    pub estimator: String,
    #[serde(flatten)]
    pub analysis: Analysis,
    pub confidence: f64,
    /// The range of the judgments, where it is known.
    pub range: Option<[f64; 2]>,
}

/// The estimates and, where a width was asked for, how many judgments it takes.
pub struct Estimates {
    /// By criterion, then system.
    pub rows: Vec<Row>,
    /// Likewise; empty without a target width.
    pub plans: Vec<Plan>,
    /// The annotators who were not heard.
    pub left_out: Vec<LeftOut>,
    /// How systems compare and when one could have stopped; empty unless asked for.
    pub comparisons: Comparisons,
    pub(super) meta: Meta,
}

impl Row {
    pub(super) fn new(
        system: &str,
        criterion: &str,
        asked: &Round<'_>,
        range: Option<Range>,
        analysis: Analysis,
    ) -> Self {
        let metrics: Vec<&str> = asked.scores.iter().map(Scores::metric).collect();
        Self {
            system: system.to_string(),
            criterion: criterion.to_string(),
            metric: (!metrics.is_empty()).then(|| metrics.join("+")),
            estimator: asked.estimator.to_string(),
            confidence: asked.confidence,
            range: range.map(|range| [range.lower(), range.upper()]),
            analysis,
        }
    }
}

impl Estimates {
    pub(super) fn new(meta: Meta) -> Self {
        Self {
            rows: Vec::new(),
            plans: Vec::new(),
            left_out: Vec::new(),
            comparisons: Comparisons::default(),
            meta,
        }
    }

    /// Joins the estimates of several metrics into one table.
    pub fn extend(&mut self, other: Self) {
        self.rows.extend(other.rows);
        self.plans.extend(other.plans);
        let (all, more) = (&mut self.comparisons, other.comparisons);
        all.stops.extend(more.stops);
        all.differences.extend(more.differences);
        all.groups.extend(more.groups);
        self.meta.signature += &format!(" {}", other.meta.signature);
    }

    /// What produced the numbers.
    pub fn signature(&self) -> &str {
        &self.meta.signature
    }

    /// As the report shows them.
    pub fn told(&self) -> Vec<Estimated> {
        let told = |row: &Row| {
            Some(Estimated {
                system: row.system.clone(),
                criterion: row.criterion.clone(),
                metric: row.metric.clone(),
                estimator: row.estimator.clone(),
                n: row.analysis.n,
                estimate: row.analysis.estimate?,
                lower: row.analysis.lower,
                upper: row.analysis.upper,
                data_efficiency: row.analysis.data_efficiency,
                rests_on: Some(RestsOn {
                    confidence: row.confidence,
                    interval: row.analysis.interval.name().to_string(),
                    over: row.analysis.over.name().to_string(),
                    annotators: row.analysis.annotators,
                    range: row.range,
                }),
            })
        };
        self.rows.iter().filter_map(told).collect()
    }

    /// As `estimate --json` prints it.
    pub fn to_json(&self) -> Value {
        let mut document = serde_json::json!({ "estimates": self.rows });
        if !self.plans.is_empty() {
            document["plans"] = serde_json::json!(self.plans);
        }
        if !self.left_out.is_empty() {
            document["left_out"] = serde_json::json!(self.left_out);
        }
        let Comparisons {
            differences,
            groups,
            stops,
        } = &self.comparisons;
        if !stops.is_empty() {
            document["stops"] = serde_json::json!(stops);
        }
        if !groups.is_empty() {
            document["differences"] = serde_json::json!(differences);
            document["groups"] = serde_json::json!(groups);
        }
        document
    }

    /// Writes the table, and the differences and plans beside it.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, destination: &Destination) -> Result<()> {
        let mut rows = Rows::new(ESTIMATES);
        for row in &self.rows {
            let found = &row.analysis;
            let [low, high] = [0, 1].map(|end| row.range.map(|range| range[end]));
            rows.push(&[
                Cell::Text(&row.system),
                Cell::Text(&row.criterion),
                Cell::Text(row.metric.as_deref().unwrap_or("")),
                Cell::Text(&row.estimator),
                Cell::Count(found.n),
                Cell::Number(found.estimate),
                Cell::Number(found.lower),
                Cell::Number(found.upper),
                Cell::Number(found.standard_error),
                Cell::Number(found.alpha),
                Cell::Number(found.correlation),
                Cell::Number(found.rho),
                Cell::Number(found.gamma),
                Cell::Number(found.data_efficiency),
                Cell::Number(Some(row.confidence)),
                Cell::Text(found.interval.name()),
                Cell::Text(found.over.name()),
                Cell::Number(found.annotators.map(|n| n as f64)),
                Cell::Number(low),
                Cell::Number(high),
            ]);
        }
        let (path, format) = match destination {
            Destination::File(path, format) => (path.clone(), *format),
            Destination::Folder(path) => {
                (path.join("estimates.csv"), Format::Csv(Compression::Plain))
            }
        };
        let mut file = TableFile::create(&path, format, &schema(ESTIMATES), &self.meta)?;
        file.write(&rows.finish())?;
        file.finish()?;
        if !self.comparisons.groups.is_empty() {
            self.write_differences(&beside(&path, "differences"), format)?;
            list_beside(&path, "groups.json", &self.comparisons.groups)?;
        }
        if !self.comparisons.stops.is_empty() {
            list_beside(&path, "stops.json", &self.comparisons.stops)?;
        }
        if !self.plans.is_empty() {
            list_beside(&path, "plan.json", &self.plans)?;
        }
        if !self.left_out.is_empty() {
            list_beside(&path, "left-out.json", &self.left_out)?;
        }
        Ok(())
    }

    fn write_differences(&self, path: &Path, format: Format) -> Result<()> {
        let mut rows = Rows::new(DIFFERENCES);
        for row in &self.comparisons.differences {
            rows.push(&[
                Cell::Text(&row.system_a),
                Cell::Text(&row.system_b),
                Cell::Text(&row.criterion),
                Cell::Text(row.metric.as_deref().unwrap_or("")),
                Cell::Text(&row.estimator),
                Cell::Number(Some(row.difference)),
                Cell::Number(row.lower),
                Cell::Number(row.upper),
                Cell::Number(Some(row.standard_error)),
                Cell::Text(if row.significant { "true" } else { "false" }),
                Cell::Count(row.items),
                Cell::Number(row.win_rate),
                Cell::Number(row.win_lower),
                Cell::Number(row.win_upper),
                Cell::Number(row.corrected_lower),
                Cell::Number(row.corrected_upper),
            ]);
        }
        let meta = Meta {
            table: "differences".to_string(),
            ..self.meta.clone()
        };
        let mut file = TableFile::create(path, format, &schema(DIFFERENCES), &meta)?;
        file.write(&rows.finish())?;
        file.finish()
    }
}

/// Writes a list beside the table.
fn list_beside(path: &Path, extension: &str, list: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(list).map_err(Error::failed)? + "\n";
    write_atomically(&path.with_extension(extension), text.as_bytes())
}
