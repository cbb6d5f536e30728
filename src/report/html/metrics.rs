//! What the metrics say, and whether systems that people like score higher.

use super::figure::{Valued, around, figure, figures, short};
use super::markup::{Html, Table, name};
use crate::error::Result;
use crate::layout::optional;
use crate::report::plot::{Axis, Mark, Plot, Point, Series};
use crate::report::summary::Summary;
use crate::report::words;
use crate::stats::correlation::{kendall, pearson};

/// Fewest systems among which a correlation is worth a look.
const FEWEST: usize = 3;

pub(super) fn section(summary: &Summary) -> Result<Html> {
    let mut parts = vec![means(summary)];
    for (what, people) in human(summary) {
        for metric in summary.metrics() {
            parts.push(scatter(summary, metric, &what, &people)?);
        }
    }
    Ok(figures(parts))
}

fn means(summary: &Summary) -> Html {
    let metrics = summary.metrics();
    let row = |system: &str| {
        let scores = metrics
            .iter()
            .map(|metric| optional(summary.mean_score(system, metric)));
        std::iter::once(name(system))
            .chain(scores.map(Html::from))
            .collect()
    };
    let table = Table {
        caption: "Mean metric scores over every output".to_string(),
        header: std::iter::once("system")
            .chain(metrics.iter().copied())
            .map(str::to_string)
            .collect(),
        texts: 1,
        groups: vec![summary.scored_systems().into_iter().map(row).collect()],
    };
    table.html()
}

/// What people think of the systems: the strengths of the first ranking, and by criterion the
/// first estimates that use no metric.
fn human(summary: &Summary) -> Vec<(String, Vec<Valued>)> {
    let mut found = Vec::new();
    if let Some((_, ranking)) = summary.rankings.first() {
        let judged = ranking.strengths.iter().filter_map(|one| {
            let ends = one.lower.zip(one.upper);
            one.strength
                .map(|strength| (one.system.clone(), strength, ends))
        });
        found.push(("strength".to_string(), judged.collect()));
    }
    for (_, rows) in &summary.estimates {
        for kind in words::kinds(rows) {
            let shown = |(what, _): &(String, Vec<Valued>)| *what == kind[0].criterion;
            if kind[0].metric.is_some() || found.iter().any(shown) {
                continue;
            }
            let judged = kind
                .iter()
                .map(|row| (row.system.clone(), row.estimate, row.lower.zip(row.upper)));
            found.push((kind[0].criterion.clone(), judged.collect()));
        }
    }
    found
}

/// A metric's means against what people think, system by system.
fn scatter(summary: &Summary, metric: &str, what: &str, people: &[Valued]) -> Result<Html> {
    let spot = |(system, y, interval): &Valued| {
        let x = summary.mean_score(system, metric)?;
        let points = vec![Point {
            x,
            y: *y,
            interval: *interval,
        }];
        Some(Series {
            name: short(system),
            mark: Mark::Spots,
            points,
        })
    };
    let series: Vec<Series> = people.iter().filter_map(spot).collect();
    if series.len() < FEWEST {
        return Ok(Html::default());
    }
    let points = || series.iter().flat_map(|one| &one.points);
    let x: Vec<f64> = points().map(|point| point.x).collect();
    let y: Vec<f64> = points().map(|point| point.y).collect();
    let note = format!(
        "over {} systems Pearson's r is {}, Kendall's τ-b {}",
        series.len(),
        optional(pearson(&x, &y)),
        optional(kendall(&x, &y))
    );
    let ends = points().flat_map(|point| {
        let (lower, upper) = point.interval.unwrap_or((point.y, point.y));
        [lower, upper]
    });
    let plot = Plot {
        title: format!("{metric} and {what}"),
        x: Axis {
            label: format!("mean {metric}"),
            scale: around(x.iter().copied()),
        },
        y: Axis {
            label: what.to_string(),
            scale: around(ends),
        },
        series,
    };
    figure(&plot, &note)
}
