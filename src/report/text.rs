//! The report as text.

use super::summary::{Estimated, Plan, StageKind, Summary};
use crate::layout::{number, optional, percent, table};
use crate::tables::ranking::{Complexity, Predicted, Ranked, Ranking};
use std::fmt::Write;

/// Width of the plots of intervals, in characters.
const PLOT: usize = 31;

/// The whole report.
pub fn render(summary: &Summary) -> String {
    let mut text = headline(summary);
    text += &section(
        "Data",
        &format!("{}: {}\n", summary.run.data, summary.run.contents),
    );
    if !summary.scores.is_empty() {
        text += &section("Mean metric scores (every output)", &scores(summary));
    }
    for (name, ranking) in &summary.rankings {
        text += &section(&format!("Ranking by {name}"), &render_ranking(ranking));
    }
    for (_, rows) in &summary.estimates {
        text += &render_estimates(rows, &[]);
    }
    if !summary.plans.is_empty() {
        text += &section("Judgments needed", &plans(&summary.plans));
    }
    text + &section("How this was made", &provenance(summary))
}

fn section(title: &str, body: &str) -> String {
    format!("\n{title}\n{}\n{body}", "─".repeat(title.chars().count()))
}

/// The answer in a sentence, with what it cost.
fn headline(summary: &Summary) -> String {
    let mut text = format!(
        "{}\n{}\n",
        summary.run.name,
        "═".repeat(summary.run.name.chars().count())
    );
    for (name, ranking) in &summary.rankings {
        text += &format!("{name}: {}\n", sentence(ranking));
    }
    text
}

/// What a ranking claims, in a sentence.
pub fn sentence(ranking: &Ranking) -> String {
    let named = ranking
        .standings
        .iter()
        .find(|standing| standing.system == ranking.winner);
    let share = named.map_or(1.0, |standing| standing.named);
    let mut text = if ranking.runs > 1 {
        format!(
            "{} is named best in {} of {} runs",
            ranking.winner,
            percent(share),
            ranking.runs
        )
    } else {
        format!("{} is named best", ranking.winner)
    };
    let _ = write!(
        text,
        ", after {} human judgments",
        number(ranking.mean_annotations)
    );
    if ranking.model_answers > 0.0 {
        let _ = write!(
            text,
            " and {} answers of the model",
            number(ranking.model_answers)
        );
    }
    if ranking.runs > 1 {
        text += " a run";
    }
    match &ranking.true_winner {
        Some(winner) if *winner != ranking.winner => {
            text + &format!("; all judgments together favour {winner}.")
        }
        _ => text + ".",
    }
}

fn scores(summary: &Summary) -> String {
    let mut metrics: Vec<&str> = Vec::new();
    let mut systems: Vec<&str> = Vec::new();
    for row in &summary.scores {
        if !metrics.contains(&row.metric.as_str()) {
            metrics.push(&row.metric);
        }
        if !systems.contains(&row.system.as_str()) {
            systems.push(&row.system);
        }
    }
    systems.sort_unstable();
    let cell = |system: &str, metric: &str| {
        let found = summary
            .scores
            .iter()
            .find(|row| row.system == system && row.metric == metric);
        found.map_or_else(|| "–".to_string(), |row| number(row.mean))
    };
    let row = |system: &&str| {
        std::iter::once((*system).to_string())
            .chain(metrics.iter().map(|metric| cell(system, metric)))
            .collect()
    };
    let rows: Vec<Vec<String>> = systems.iter().map(row).collect();
    let header: Vec<&str> = std::iter::once("system")
        .chain(metrics.iter().copied())
        .collect();
    table(&header, &rows)
}

/// A ranking in full; also what `rank` prints.
pub fn render_ranking(ranking: &Ranking) -> String {
    let experiment = ranking.runs > 1;
    let standing = |(place, standing): (usize, &crate::tables::ranking::Standing)| {
        vec![
            standing.system.clone(),
            (place + 1).to_string(),
            percent(standing.named),
            standing
                .copeland
                .map_or_else(|| "–".to_string(), |beaten| beaten.to_string()),
            standing
                .preference
                .map_or_else(|| "–".to_string(), |share| format!("{share:.3}")),
        ]
    };
    let rows: Vec<Vec<String>> = ranking.standings.iter().enumerate().map(standing).collect();
    let mut text = table(
        &["system", "place", "named best", "beats", "preferred"],
        &rows,
    );
    text.push('\n');
    let mut line = |label: &str, value: String| text += &format!("{label:24}{value}\n");
    if ranking.runs > 0 {
        let each = if experiment { " a run" } else { "" };
        line("bandit", ranking.bandit.clone());
        line("runs", ranking.runs.to_string());
        let asked = number(ranking.mean_annotations);
        line("asked of humans", format!("{asked} judgments{each}"));
        let model = number(ranking.model_answers);
        line("answered by the model", format!("{model}{each}"));
        if let Some(predicted) = &ranking.predictions {
            line("predictions", predictions(predicted, experiment));
        }
    }
    if !ranking.eliminated.is_empty() {
        line("eliminated", ranking.eliminated.join(", "));
    }
    if let Some(winner) = &ranking.true_winner {
        line("winner of all judgments", winner.clone());
    }
    if experiment {
        line(
            "annotation complexity",
            complexity(&ranking.annotation_complexity),
        );
    }
    line("verdict", ranking.verdict.clone());
    if !ranking.ranking.is_empty() {
        text += &format!(
            "\n{}\n\n{}",
            ranking.ranked_from,
            strengths(&ranking.ranking)
        );
    }
    text
}

/// All systems by strength, with the ranks each may have.
fn strengths(ranking: &[Ranked]) -> String {
    let row = |one: &Ranked| {
        let ranks = match one.rank_low == one.rank_high {
            true => one.rank_low.to_string(),
            false => format!("{}–{}", one.rank_low, one.rank_high),
        };
        vec![
            one.system.clone(),
            number(one.strength),
            format!("[{}, {}]", optional(one.lower), optional(one.upper)),
            ranks,
            one.group.to_string(),
            one.comparisons.to_string(),
        ]
    };
    let rows: Vec<Vec<String>> = ranking.iter().map(row).collect();
    let header = [
        "system",
        "strength",
        "interval",
        "rank",
        "group",
        "comparisons",
    ];
    table(&header, &rows)
}

/// What people's judgments said of the predictions.
pub(super) fn predictions(predicted: &Predicted, experiment: bool) -> String {
    let Some(accuracy) = predicted.accuracy else {
        return "no judgment has shown yet whether they are better than chance".to_string();
    };
    let shown = match (predicted.after, experiment) {
        (None, _) => "not shown to be better than chance".to_string(),
        (Some(after), false) => format!("better than chance after {} of them", number(after)),
        (Some(after), true) => format!(
            "better than chance in {} of runs, half of them within {} judgments",
            percent(predicted.better_than_chance),
            number(after)
        ),
    };
    format!(
        "right in {} of people's judgments; {shown}",
        percent(accuracy)
    )
}

fn complexity(complexity: &Complexity) -> String {
    let end =
        |value: Option<u64>| value.map_or_else(|| "never reached".to_string(), |n| n.to_string());
    match complexity.value {
        None => "not reached within the budget (95 % of runs right, and staying right)".to_string(),
        Some(value) => format!(
            "{value} judgments until 95 % of runs are right and stay right [{}, {}]",
            end(complexity.lower),
            end(complexity.upper)
        ),
    }
}

/// Estimates, a section for each criterion and estimator; also what `estimate` prints.
pub fn render_estimates(rows: &[Estimated], planned: &[Plan]) -> String {
    let mut text = String::new();
    let kind = |row: &Estimated| {
        (
            row.criterion.clone(),
            row.estimator.clone(),
            row.metric.clone(),
        )
    };
    let mut kinds = Vec::new();
    for row in rows {
        if !kinds.contains(&kind(row)) {
            kinds.push(kind(row));
        }
    }
    for wanted in kinds {
        let (criterion, estimator, metric) = &wanted;
        let of = metric
            .as_ref()
            .map_or_else(String::new, |metric| format!(" with {metric}"));
        let rows: Vec<&Estimated> = rows.iter().filter(|row| kind(row) == wanted).collect();
        text += &section(
            &format!("Mean human judgment of {criterion}: {estimator}{of}"),
            &estimates(&rows),
        );
    }
    if !planned.is_empty() {
        text += &section("Judgments needed", &plans(planned));
    }
    text
}

/// Estimates with their intervals, best first, drawn on one scale.
fn estimates(rows: &[&Estimated]) -> String {
    let mut rows = rows.to_vec();
    rows.sort_by(|a, b| {
        b.estimate
            .total_cmp(&a.estimate)
            .then_with(|| a.system.cmp(&b.system))
    });
    let ends = rows
        .iter()
        .flat_map(|row| [row.lower, row.upper, Some(row.estimate)])
        .flatten();
    let (low, high) = ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
        (low.min(x), high.max(x))
    });
    let line = |row: &&Estimated| {
        vec![
            row.system.clone(),
            row.n.to_string(),
            number(row.estimate),
            format!("[{}, {}]", optional(row.lower), optional(row.upper)),
            optional(row.data_efficiency),
            plot(row, low, high),
        ]
    };
    let lines: Vec<Vec<String>> = rows.iter().map(line).collect();
    table(
        &[
            "system",
            "judgments",
            "estimate",
            "interval",
            "data efficiency",
            "",
        ],
        &lines,
    )
}

/// An interval as a line of text: `├───●──┤`.
fn plot(row: &Estimated, low: f64, high: f64) -> String {
    let place = |x: f64| {
        let share = if high > low {
            (x - low) / (high - low)
        } else {
            0.5
        };
        (share * (PLOT - 1) as f64).round() as usize
    };
    let mut line = vec![' '; PLOT];
    if let (Some(lower), Some(upper)) = (row.lower, row.upper) {
        let (from, to) = (place(lower), place(upper));
        line[from..=to].fill('─');
        line[from] = '├';
        line[to] = '┤';
    }
    line[place(row.estimate)] = '●';
    line.into_iter().collect::<String>().trim_end().to_string()
}

fn plans(plans: &[Plan]) -> String {
    let line = |plan: &Plan| {
        vec![
            plan.system.clone(),
            plan.criterion.clone(),
            plan.estimator.clone(),
            number(plan.width),
            plan.judgments
                .map_or_else(|| "–".to_string(), |n| n.to_string()),
        ]
    };
    let lines: Vec<Vec<String>> = plans.iter().map(line).collect();
    table(
        &["system", "criterion", "estimator", "width", "judgments"],
        &lines,
    )
}

fn provenance(summary: &Summary) -> String {
    let run = &summary.run;
    let mut text = format!(
        "tiebreak {}, seed {}, data {} ({})\n",
        run.tiebreak, run.seed, run.data, run.digest
    );
    for stage in &run.stages {
        let kind = match stage.kind {
            StageKind::Score => "score",
            StageKind::Fit => "fit",
            StageKind::Predict => "predict",
            StageKind::Rank => "rank",
            StageKind::Estimate => "estimate",
        };
        text += &format!("{kind:9} {}\n", stage.signature);
    }
    text
}
