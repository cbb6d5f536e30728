//! The plots of an assessment: reliability, accuracy by rejected share, BALD.

use super::spoken;
use crate::report::document::DocumentFigure;
use crate::report::plot::{Axis, Mark, Plot, Point, Scale, Series};
use crate::stages::assess::rows::{Assessment, BaldBin, ReliabilityBin};

/// All plots that have something to show, with the names of their files.
pub(in crate::stages::assess) fn plots(
    assessment: &Assessment,
) -> Vec<(&'static str, DocumentFigure)> {
    let plots = [
        (
            "reliability.svg",
            reliability(assessment),
            "how often people prefer what the predictions prefer, with 95 % intervals; well calibrated predictions lie on \
             the diagonal",
        ),
        (
            "rejection.svg",
            rejection(assessment),
            "accuracy of the rest when people take over the most uncertain predictions; the higher above the random \
             order, the more useful the uncertainty",
        ),
        (
            "bald.svg",
            bald(assessment),
            "uncertainty of predictions that are right, wrong, or judged a tie",
        ),
    ];
    let shown = |(file, plot, note): (_, Option<Plot>, &str)| {
        Some((file, DocumentFigure::new(plot?, note)))
    };
    plots.into_iter().filter_map(shown).collect()
}

fn reliability(assessment: &Assessment) -> Option<Plot> {
    let point = |bin: &ReliabilityBin| {
        Some(Point {
            x: bin.preference?,
            y: bin.won?,
            interval: bin.won_lower.zip(bin.won_upper),
        })
    };
    let points: Vec<Point> = assessment.reliability.iter().filter_map(point).collect();
    let lowest = points.iter().filter_map(|point| Some(point.interval?.0));
    let lowest = lowest.fold(0.4, f64::min);
    (!points.is_empty()).then(|| Plot {
        title: format!("Reliability on {}", assessment.data),
        x: Axis::new(
            "preference for the likelier output",
            Scale::Linear(0.5, 1.0),
        ),
        y: Axis::new(
            "share it won (a tie counts half)",
            Scale::Linear(lowest, 1.0),
        ),
        series: vec![
            Series::new("predictions", Mark::Lines, points),
            Series::new(
                "perfectly calibrated",
                Mark::Lines,
                [(0.5, 0.5), (1.0, 1.0)],
            ),
        ],
    })
}

fn rejection(assessment: &Assessment) -> Option<Plot> {
    let accuracy = assessment.accuracy.value?;
    let line = |name: &str, points: Vec<(f64, f64)>| Series::new(name, Mark::Lines, points);
    let measured = assessment.uncertainty.iter();
    let measured = measured.map(|one| line(spoken(one.by), one.curve.clone()));
    let shares = assessment.oracle_curve.iter().map(|point| point.0);
    let random = shares.map(|x| (x, accuracy)).collect();
    let others = [
        line("random order", random),
        line("oracle", assessment.oracle_curve.clone()),
    ];
    let series: Vec<Series> = measured.chain(others).collect();
    let all = series.iter().flat_map(|one| &one.points);
    let lowest = all.map(|point| point.y).fold(accuracy, f64::min);
    Some(Plot {
        title: format!(
            "Accuracy without the most uncertain, on {}",
            assessment.data
        ),
        x: Axis::new("share rejected", Scale::Linear(0.0, 1.0)),
        y: Axis::new(
            "accuracy on decided comparisons",
            Scale::Linear((lowest - 0.05).max(0.0), 1.02),
        ),
        series,
    })
}

/// BALD's histograms as stairs: of the predictions that are right and of those that are wrong.
fn bald(assessment: &Assessment) -> Option<Plot> {
    let bins = &assessment.bald;
    let end = bins.last()?.upper;
    let stairs = |name: &str, of: &dyn Fn(&BaldBin) -> f64| {
        let all: f64 = bins.iter().map(of).sum();
        let share = |bin: &BaldBin| (bin.lower, of(bin) / all.max(1.0));
        Series::new(name, Mark::Steps, bins.iter().map(share))
    };
    let series = vec![
        stairs("right", &|bin| bin.right),
        stairs("wrong", &|bin| bin.decided as f64 - bin.right),
        stairs("judged a tie", &|bin| {
            (bin.comparisons - bin.decided) as f64
        }),
    ];
    let heights = series.iter().flat_map(|one| &one.points);
    let y = Scale::linear(heights.map(|point| point.y).chain([0.0]));
    Some(Plot {
        title: format!("BALD on {}", assessment.data),
        x: Axis::new("BALD, nats", Scale::Linear(0.0, end)),
        y: Axis::new("share of those predictions", y),
        series,
    })
}
