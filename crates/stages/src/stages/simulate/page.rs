//! Replays of recorded comparisons: how soon they name the winner of all records, and what each took.

use super::text::{self, COLUMNS, TAKEN};
use crate::report::html::figure::{figure, figures};
use crate::report::html::markup::{Html, HtmlTable, element, facts, name, with};
use crate::report::plot::{Axis, Mark, Plot, Point, Scale, Series};
use crate::stages::simulate::summary::{SimulatedStanding, Simulation};
use tiebreak_base::error::Result;
use tiebreak_base::layout::decimals;
use tiebreak_base::stats::wilson;

/// The confidence of the bands around accuracies.
const CONFIDENCE: f64 = 0.95;

type NamedSimulation = (String, Simulation);

pub(super) fn section(simulations: &[NamedSimulation]) -> Result<Html> {
    let plot = figures([figure(
        &accuracy(simulations),
        "share of runs that name the winner of all records, with 95 % bands",
    )?]);
    let first = [comparison_table(simulations), plot];
    Ok(first
        .into_iter()
        .chain(simulations.iter().map(simulation_html))
        .collect())
}

/// The table of experiments beside each other; empty where there are none.
fn comparison_table(simulations: &[NamedSimulation]) -> Html {
    let rows: Vec<Vec<Html>> = text::compared(simulations)
        .map(|row| row.into_iter().map(Html::from).collect())
        .collect();
    if rows.is_empty() {
        return Html::default();
    }
    let table = HtmlTable {
        caption: text::COMPARED.to_string(),
        header: TAKEN.map(str::to_string).to_vec(),
        texts: 1,
        rows: rows,
    };
    table.html()
}

/// Plots accuracy by annotations of all experiments.
fn accuracy(simulations: &[NamedSimulation]) -> Plot {
    let curve = |(title, simulation): &NamedSimulation| {
        let point = |&(annotations, share): &(u64, f64)| Point {
            x: annotations as f64,
            y: share,
            interval: Some(wilson::interval(share, simulation.runs, CONFIDENCE)),
        };
        let points = simulation
            .accuracy
            .iter()
            .filter(|&&(annotations, _)| annotations > 0);
        Series {
            name: title.clone(),
            mark: Mark::Steps,
            points: points.map(point).collect(),
        }
    };
    let series: Vec<Series> = text::experiments(simulations).map(curve).collect();
    let along = series
        .iter()
        .flat_map(|one| &one.points)
        .map(|point| point.x);
    Plot {
        title: "Accuracy by annotations".to_string(),
        x: Axis {
            label: "human annotations".to_string(),
            scale: Scale::log(along),
        },
        y: Axis {
            label: "share of runs that are right".to_string(),
            scale: Scale::Linear(0.0, 1.0),
        },
        series,
    }
}

/// The facts of one simulation, and how many replays end with each system.
fn simulation_html((title, simulation): &NamedSimulation) -> Html {
    let row = |(standing, named): (&SimulatedStanding, String)| {
        vec![
            name(&standing.system),
            share(standing.named, named),
            standing.copeland.to_string().into(),
            decimals(standing.preference, 3).into(),
        ]
    };
    let named = text::winner_shares(simulation);
    let table = HtmlTable {
        caption: format!("Replays of {title}"),
        header: COLUMNS.map(str::to_string).to_vec(),
        texts: 1,
        rows: simulation.standings.iter().zip(named).map(row).collect(),
    };
    let facts = facts(text::facts(simulation));
    let body = [
        element("h3", title.as_str()),
        figures([facts, table.html()]),
    ];
    with("article", &[("class", "ranking")], body)
}

/// A share as a bar and as it is written.
fn share(share: f64, written: String) -> Html {
    let width = format!("width:{:.1}%", 100.0 * share);
    let bar = with("span", &[("class", "bar"), ("style", &width)], "");
    let track = with("span", &[("class", "track"), ("aria-hidden", "true")], bar);
    with(
        "span",
        &[("class", "share")],
        [track, element("span", written)],
    )
}
