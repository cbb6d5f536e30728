//! Whether predictions can be trusted: their reliability, and what their uncertainty is worth.

use super::figure::{figure, figures};
use super::markup::{Html, Table, element, facts};
use crate::error::Result;
use crate::layout::percent;
use crate::report::plot::{Axis, Mark, Plot, Point, Scale, Series};
use crate::report::words;
use crate::stats::wilson;
use crate::tables::reliability::{BaldBin, ConfidenceBin, Reliability};

/// The confidence of the whiskers.
const CONFIDENCE: f64 = 0.95;

pub(super) fn section(found: &[(String, Reliability)]) -> Result<Html> {
    found.iter().map(|(name, found)| one(name, found)).collect()
}

fn one(name: &str, found: &Reliability) -> Result<Html> {
    let agree = "how often people prefer what the model prefers, with 95 % intervals; on the dashed \
                 line confidence is what it says";
    let plots = figures([
        figure(&diagram(found), agree)?,
        figure(
            &histogram(found),
            "how many predictions are how uncertain (BALD, in nats)",
        )?,
        figure(
            &by_uncertainty(found),
            "the share of people's comparisons predicted right",
        )?,
        table(name, found),
    ]);
    let heading = element("h3", name);
    Ok(Html::from([heading, facts(words::trust(found)), plots]))
}

fn diagram(found: &Reliability) -> Plot {
    let point = |bin: &ConfidenceBin| Point {
        x: bin.predicted,
        y: bin.observed,
        interval: Some(wilson::interval(bin.observed, bin.judgments, CONFIDENCE)),
    };
    let points: Vec<Point> = found.bins.iter().map(point).collect();
    let on = |x| Point {
        x,
        y: x,
        interval: None,
    };
    let guide = if points.is_empty() {
        vec![]
    } else {
        vec![on(0.5), on(1.0)]
    };
    let series = |name: &str, mark, points| Series {
        name: name.to_string(),
        mark,
        points,
    };
    Plot {
        title: "Reliability".to_string(),
        x: Axis {
            label: "confidence of the model".to_string(),
            scale: Scale::Linear(0.48, 1.02),
        },
        y: Axis {
            label: "people agree".to_string(),
            scale: Scale::Linear(0.0, 1.0),
        },
        series: vec![
            series("people", Mark::Lines, points),
            series("as it says", Mark::Guide, guide),
        ],
    }
}

fn along(found: &Reliability) -> Axis {
    let upper = found.bald.last().map_or(1.0, |bin| bin.upper);
    // Where nothing is uncertain the only bin is from 0 to 0.
    let upper = if upper > 0.0 { upper } else { 1.0 };
    Axis {
        label: "BALD".to_string(),
        scale: Scale::Linear(0.0, upper),
    }
}

fn histogram(found: &Reliability) -> Plot {
    let bar = |bin: &BaldBin| Point {
        x: f64::midpoint(bin.lower, bin.upper),
        y: bin.predictions as f64,
        interval: Some((bin.lower, bin.upper)),
    };
    let points: Vec<Point> = found.bald.iter().map(bar).collect();
    let heights = points.iter().map(|point| point.y).chain([0.0]);
    Plot {
        title: "Uncertainty".to_string(),
        x: along(found),
        y: Axis {
            label: "predictions".to_string(),
            scale: Scale::linear(heights),
        },
        series: vec![Series {
            name: "predictions".to_string(),
            mark: Mark::Bars,
            points,
        }],
    }
}

fn by_uncertainty(found: &Reliability) -> Plot {
    let point = |bin: &BaldBin| {
        let y = bin.accuracy?;
        Some(Point {
            x: f64::midpoint(bin.lower, bin.upper),
            y,
            interval: Some(wilson::interval(y, bin.judgments, CONFIDENCE)),
        })
    };
    let points = found.bald.iter().filter_map(point).collect();
    Plot {
        title: "Accuracy by uncertainty".to_string(),
        x: along(found),
        y: Axis {
            label: "predicted right".to_string(),
            scale: Scale::Linear(0.0, 1.0),
        },
        series: vec![Series {
            name: "right".to_string(),
            mark: Mark::Lines,
            points,
        }],
    }
}

fn table(name: &str, found: &Reliability) -> Html {
    let row = |bin: &ConfidenceBin| {
        vec![
            format!("{} – {}", percent(bin.lower), percent(bin.upper)).into(),
            bin.judgments.to_string().into(),
            percent(bin.predicted).into(),
            percent(bin.observed).into(),
        ]
    };
    let columns = ["confidence", "judgments", "mean confidence", "people agree"];
    let table = Table {
        caption: format!("Reliability of {name}"),
        header: columns.map(str::to_string).to_vec(),
        texts: 1,
        groups: vec![found.bins.iter().map(row).collect()],
    };
    table.html()
}
