//! Who is best: all systems by strength, then every ranking with what it cost and what it claims.

use super::figure::{Dots, dots, figure, figures};
use super::markup::{Html, Table, element, facts, name, with};
use crate::error::Result;
use crate::layout::{number, optional, percent};
use crate::report::plot::{Axis, Mark, Plot, Point, Scale, Series};
use crate::report::words;
use crate::stats::wilson;
use crate::tables::ranking::{Ranked, Ranking, Standing};

/// The confidence of the bands around accuracies.
const CONFIDENCE: f64 = 0.95;

type Named = (String, Ranking);

pub(super) fn section(rankings: &[Named]) -> Result<Html> {
    let mut parts = Vec::new();
    // Rankings of recorded comparisons all have the strengths that these say.
    let mut shown: Vec<&Ranking> = Vec::new();
    for (title, ranking) in rankings {
        let again = |other: &&&Ranking| other.ranking == ranking.ranking;
        if !ranking.ranking.is_empty() && shown.iter().find(again).is_none() {
            shown.push(ranking);
            parts.push(strengths(title, ranking, rankings.len() > 1)?);
        }
    }
    parts.push(figures([figure(
        &accuracy(rankings),
        "share of runs that name the winner of all judgments, with 95 % bands",
    )?]));
    parts.extend(rankings.iter().map(one));
    Ok(parts.into_iter().collect())
}

/// All systems by strength: a figure and a table, groups of tied systems set apart.
fn strengths(title: &str, ranking: &Ranking, several: bool) -> Result<Html> {
    let value = |one: &Ranked| (one.system.clone(), one.strength, one.lower.zip(one.upper));
    let list = Dots {
        name: title.to_string(),
        values: ranking.ranking.iter().map(value).collect(),
    };
    let heading = if several {
        format!("Strength of the systems, {title}")
    } else {
        "Strength of the systems".to_string()
    };
    let plot = dots(&heading, "strength (log-odds)", &[list]);
    let row = |one: &Ranked| {
        vec![
            name(&one.system),
            number(one.strength).into(),
            words::interval(one.lower, one.upper).into(),
            words::ranks(one).into(),
            one.group.to_string().into(),
            one.comparisons.to_string().into(),
        ]
    };
    let groups = ranking.ranking.chunk_by(|a, b| a.group == b.group);
    let columns = [
        "system",
        "strength",
        "interval",
        "rank",
        "group",
        "comparisons",
    ];
    let table = Table {
        caption: heading,
        header: columns.map(str::to_string).to_vec(),
        texts: 1,
        groups: groups
            .map(|group| group.iter().map(row).collect())
            .collect(),
    };
    let note = with("p", &[("class", "note")], ranking.ranked_from.as_str());
    Ok(Html::from([
        figures([
            figure(
                &plot,
                "systems between two lines of the table cannot be told apart",
            )?,
            table.html(),
        ]),
        note,
    ]))
}

/// Accuracy by annotations of all rankings that were experiments.
fn accuracy(rankings: &[Named]) -> Plot {
    let curve = |(title, ranking): &Named| {
        let point = |&(annotations, share): &(u64, f64)| Point {
            x: annotations as f64,
            y: share,
            interval: Some(wilson::interval(share, ranking.runs, CONFIDENCE)),
        };
        let points = ranking
            .accuracy
            .iter()
            .filter(|&&(annotations, _)| annotations > 0);
        Series {
            name: title.clone(),
            mark: Mark::Steps,
            points: points.map(point).collect(),
        }
    };
    let experiments = rankings.iter().filter(|(_, ranking)| ranking.runs > 1);
    let series: Vec<Series> = experiments.map(curve).collect();
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

/// One ranking: its facts, and who was named how often.
fn one((title, ranking): &Named) -> Html {
    let row = |(place, standing): (usize, &Standing)| {
        vec![
            name(&standing.system),
            (place + 1).to_string().into(),
            share(standing.named),
            optional(standing.copeland.map(|beaten| beaten as f64)).into(),
            standing
                .preference
                .map_or_else(|| "–".to_string(), |share| format!("{share:.3}"))
                .into(),
        ]
    };
    let columns = ["system", "place", "named best", "beats", "preferred"];
    let table = Table {
        caption: format!("Standings by {title}"),
        header: columns.map(str::to_string).to_vec(),
        texts: 1,
        groups: vec![ranking.standings.iter().enumerate().map(row).collect()],
    };
    let facts = facts(words::facts(ranking));
    let body = [
        element("h3", title.as_str()),
        figures([facts, table.html()]),
    ];
    with("article", &[("class", "ranking")], body)
}

/// A share as a bar and a number.
fn share(share: f64) -> Html {
    let width = format!("width:{:.1}%", 100.0 * share);
    let bar = with("span", &[("class", "bar"), ("style", &width)], "");
    let track = with("span", &[("class", "track"), ("aria-hidden", "true")], bar);
    with(
        "span",
        &[("class", "share")],
        [track, element("span", percent(share))],
    )
}
