//! Scores in a report: their means by metric and system.

use super::page;
use crate::report::chapter::{Chapter, MeasureStandings, ReportField, Topic, field};
use crate::report::distinct;
use crate::report::html::Section;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use tiebreak_base::error::Result;
use tiebreak_base::layout::{column, table};
use tiebreak_base::stats::moments::Moments;
use tiebreak_base::words::section;
use tiebreak_data::tables::{Manifest, whole};

/// A system's mean score.
#[derive(Debug, Clone, Serialize)]
pub(super) struct SystemMeanScore {
    /// The metric.
    pub metric: String,
    /// The system.
    pub system: String,
    /// Its mean segment score.
    pub mean: f64,
    /// The number of outputs.
    pub n: u64,
}

/// The mean scores of one run.
pub(super) struct ScoresChapter(Vec<SystemMeanScore>);

/// Reads the scores of a run.
pub(in crate::stages) fn read(dir: &Path, run: &Manifest) -> Result<Box<dyn Chapter>> {
    let all = run.read_each(dir, &[super::NAME], |path, _| means(path))?;
    Ok(Box::new(ScoresChapter(
        all.into_iter().flat_map(|(_, rows)| rows).collect(),
    )))
}

fn means(path: &Path) -> Result<Vec<SystemMeanScore>> {
    let mut moments: BTreeMap<(String, String), Moments> = BTreeMap::new();
    for row in whole::open(path)? {
        let row = row?;
        let key = (row.text("metric")?, row.text("system")?);
        moments.entry(key).or_default().push(row.number("score")?);
    }
    let scored = |((metric, system), moments): ((String, String), Moments)| {
        let mean = moments.mean()?;
        Some(SystemMeanScore {
            metric,
            system,
            mean,
            n: moments.count(),
        })
    };
    Ok(moments.into_iter().filter_map(scored).collect())
}

impl ScoresChapter {
    /// The metrics, in the order of the stages.
    pub(super) fn metrics(&self) -> Vec<&str> {
        distinct(self.0.iter().map(|row| row.metric.as_str()))
    }

    /// A system's mean score.
    pub(super) fn mean(&self, system: &str, metric: &str) -> Option<f64> {
        let mut rows = self.0.iter();
        let row = rows.find(|row| row.system == system && row.metric == metric)?;
        Some(row.mean)
    }

    /// The means as a table: a row for each system by name, a column for each metric.
    pub(super) fn table(&self) -> (Vec<&str>, Vec<Vec<String>>) {
        let metrics = self.metrics();
        let mut systems = distinct(self.0.iter().map(|row| row.system.as_str()));
        systems.sort_unstable();
        let means = |metric: &&str| {
            let means = systems.iter().map(|system| self.mean(system, metric));
            column(&means.collect::<Vec<_>>())
        };
        let columns: Vec<Vec<String>> = metrics.iter().map(means).collect();
        let row = |(place, system): (usize, &&str)| {
            let means = columns.iter().map(|cells| cells[place].clone());
            std::iter::once((*system).to_string())
                .chain(means)
                .collect()
        };
        let rows = systems.iter().enumerate().map(row).collect();
        let header = std::iter::once("system").chain(metrics.iter().copied());
        (header.collect(), rows)
    }
}

impl Chapter for ScoresChapter {
    fn topic(&self) -> Topic {
        Topic::Metrics
    }

    fn json(&self) -> Result<Vec<ReportField>> {
        Ok(vec![field("scores", &self.0)?])
    }

    fn text(&self) -> String {
        if self.0.is_empty() {
            return String::new();
        }
        let (header, rows) = self.table();
        section("Mean metric scores (every output)", &table(&header, &rows))
    }

    fn page(&self, people: &[MeasureStandings]) -> Result<Vec<Section>> {
        if self.0.is_empty() {
            return Ok(Vec::new());
        }
        let body = page::section(self, people)?;
        Ok(vec![Section::new("metrics", "What the metrics say", body)])
    }
}
