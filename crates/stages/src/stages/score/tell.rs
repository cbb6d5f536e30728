//! Scores as a report tells them: their means by metric and system, and whether systems that people like score higher.

use super::systems::different_items;
use crate::report::chapter::{
    Chapter, ChapterSection, MeasureStandings, NamedEstimate, ReportField, Topic, field,
};
use crate::report::distinct;
use crate::report::document::{DocumentFigure, DocumentTable, ResultDocument};
use crate::report::html::figure::{around, short};
use crate::report::plot::{Axis, Mark, Plot, Point, Series};
use serde::Serialize;

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use tiebreak_base::error::Result;
use tiebreak_base::layout::column;
use tiebreak_base::stats::moments::Moments;
use tiebreak_base::words::as_sentence;
use tiebreak_data::tables::{Manifest, whole};

/// The fewest systems among which a correlation is worth a look.
const FEWEST: usize = 3;

/// A system's mean score.
#[derive(Debug, Clone, Serialize)]
struct SystemMeanScore {
    metric: String,
    system: String,
    /// Its mean segment score.
    mean: f64,
    /// The number of outputs.
    n: u64,
}

/// The mean scores of one run.
struct ScoresChapter {
    means: Vec<SystemMeanScore>,
    /// Sentences on systems with other items than others.
    notes: Vec<String>,
}

/// Reads the scores of a run.
pub(in crate::stages) fn read(dir: &Path, run: &Manifest) -> Result<Box<dyn Chapter>> {
    let all = run.read_each(dir, &[super::NAME], |path, _| means(path))?;
    let all = all.into_iter().map(|(_, found)| found);
    let (means, notes): (Vec<_>, Vec<_>) = all.unzip();
    Ok(Box::new(ScoresChapter {
        means: means.concat(),
        notes: distinct(notes.into_iter().flatten()),
    }))
}

/// The means in a table, and a sentence where they are over different items.
fn means(path: &Path) -> Result<(Vec<SystemMeanScore>, Option<String>)> {
    let mut moments: BTreeMap<(String, String), Moments> = BTreeMap::new();
    let mut items: HashSet<String> = HashSet::new();
    for row in whole::open(path)? {
        let row = row?;
        items.insert(row.text("item")?);
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
    let means: Vec<SystemMeanScore> = moments.into_iter().filter_map(scored).collect();
    let clause = different_items(means.iter().map(|row| row.n), items.len() as u64);
    let note = clause.map(|clause| as_sentence(&clause));
    Ok((means, note))
}

impl Chapter for ScoresChapter {
    fn topic(&self) -> Topic {
        Topic::Metrics
    }

    fn json(&self) -> Result<Vec<ReportField>> {
        Ok(vec![field("scores", &self.means)?])
    }

    fn sections(&self, people: &[MeasureStandings]) -> Vec<ChapterSection> {
        if self.means.is_empty() {
            return Vec::new();
        }
        let metrics = self.metrics();
        let plots = people.iter().flat_map(|judged| {
            let plots = metrics.iter().map(|metric| self.scatter(metric, judged));
            plots.collect::<Vec<_>>()
        });
        let all = std::iter::once(self.table().into()).chain(plots);
        let document = ResultDocument::default().side_by_side(all);
        let document = document.notes(self.notes.iter().cloned());
        let document = document.under("Mean metric scores (every output)");
        let title = "What the metrics say";
        vec![ChapterSection::new("metrics", title, document)]
    }
}

impl ScoresChapter {
    /// The metrics, in the order of the stages.
    fn metrics(&self) -> Vec<&str> {
        distinct(self.means.iter().map(|row| row.metric.as_str()))
    }

    /// A system's mean score.
    fn mean(&self, system: &str, metric: &str) -> Option<f64> {
        let mut rows = self.means.iter();
        let row = rows.find(|row| row.system == system && row.metric == metric)?;
        Some(row.mean)
    }

    /// The means: a row for each system by name, a column for each metric.
    fn table(&self) -> DocumentTable {
        let metrics = self.metrics();
        let mut systems = distinct(self.means.iter().map(|row| row.system.as_str()));
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
        let header = [&["system"][..], &metrics].concat();
        DocumentTable::new("Mean metric scores over every output", &header, rows)
    }

    /// Plots a metric's means against people's scores, system by system; nothing for a few systems.
    fn scatter(&self, metric: &str, judged: &MeasureStandings) -> ResultDocument {
        let spot = |(system, y, interval): &NamedEstimate| {
            let x = self.mean(system, metric)?;
            let points = vec![Point {
                x,
                y: *y,
                interval: *interval,
            }];
            Some(Series::new(short(system), Mark::Spots, points))
        };
        let series: Vec<Series> = judged.valued().iter().filter_map(spot).collect();
        if series.len() < FEWEST {
            return ResultDocument::default();
        }
        let points = series.iter().flat_map(|one| &one.points);
        let x: Vec<f64> = points.map(|point| point.x).collect();
        let plot = against(metric, judged, &x, series);
        DocumentFigure::new(plot, "a dot is a system, a whisker its interval").into()
    }
}

/// The plot of a metric's means, at `x`, against people's scores.
fn against(metric: &str, judged: &MeasureStandings, x: &[f64], series: Vec<Series>) -> Plot {
    let points = series.iter().flat_map(|one| &one.points);
    let ends = points.flat_map(|point| {
        let (lower, upper) = point.interval.unwrap_or((point.y, point.y));
        [lower, upper]
    });
    Plot {
        title: format!("{metric} and {}", judged.what),
        x: Axis::new(format!("mean {metric}"), around(x.iter().copied())),
        y: Axis::new(judged.what.clone(), around(ends)),
        series,
    }
}
