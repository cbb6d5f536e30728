//! What the metrics say, and whether systems that people like score higher.

use super::chapter::ScoresChapter;
use crate::report::chapter::{MeasureStandings, NamedEstimate};
use crate::report::html::figure::{around, figure, figures, short};
use crate::report::html::markup::{Html, HtmlTable, row_cells};
use crate::report::plot::{Axis, Mark, Plot, Point, Series};
use tiebreak_base::error::Result;
use tiebreak_base::layout::optional;
use tiebreak_base::stats::correlation::{kendall, pearson};

/// The fewest systems among which a correlation is worth a look.
const FEWEST: usize = 3;

pub(super) fn section(means: &ScoresChapter, people: &[MeasureStandings]) -> Result<Html> {
    let (header, rows) = means.table();
    let table = HtmlTable {
        caption: "Mean metric scores over every output".to_string(),
        header: header.into_iter().map(str::to_string).collect(),
        texts: 1,
        groups: vec![rows.into_iter().map(row_cells).collect()],
    };
    let mut parts = vec![table.html()];
    for judged in people {
        for metric in means.metrics() {
            parts.push(scatter(means, metric, judged)?);
        }
    }
    Ok(figures(parts))
}

/// Plots a metric's means against people's scores, system by system.
fn scatter(means: &ScoresChapter, metric: &str, judged: &MeasureStandings) -> Result<Html> {
    let spot = |(system, y, interval): &NamedEstimate| {
        let x = means.mean(system, metric)?;
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
    let series: Vec<Series> = judged.valued().iter().filter_map(spot).collect();
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
        title: format!("{metric} and {}", judged.what),
        x: Axis {
            label: format!("mean {metric}"),
            scale: around(x.iter().copied()),
        },
        y: Axis {
            label: judged.what.clone(),
            scale: around(ends),
        },
        series,
    };
    figure(&plot, &note)
}
