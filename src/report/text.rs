//! The report as text.

use super::annotators::render_annotators;
use super::assessment::render_assessment;
use super::claims::{claim_sentence, ranked_from};
use super::comparisons::render_comparisons;
use super::correlations::render_correlations;
use super::headline::{self, Headline};
use super::meaning;
use super::summary::{Estimated, Plan, Summary};
use super::words::{self, about, answers, facts, interval, kinds, ranks, sentence};
use crate::layout::{number, optional, percent, table};
use crate::tables::ranking::Ranking;
use crate::tables::simulation::{Simulation, Standing};
use std::fmt;

/// Width of the plots of intervals, in characters.
const PLOT: usize = 31;

/// The whole report.
pub fn render(summary: &Summary) -> String {
    let mut text = opening(summary);
    if !summary.run.contents.is_empty() {
        let what = format!("{}: {}\n", summary.run.data, summary.run.contents);
        text += &section("Data", &what);
    }
    if !summary.scores.is_empty() {
        text += &section("Mean metric scores (every output)", &scores(summary));
    }
    for (name, assessment) in &summary.assessments {
        let title = format!("How good the predictions {name} are");
        text += &section(&title, &render_assessment(assessment));
    }
    for (name, ranking) in &summary.rankings {
        text += &section(&format!("Who is best: {name}"), &render_ranking(ranking));
    }
    for (name, simulation) in &summary.simulations {
        let title = format!("How many judgments it would have taken: {name}");
        text += &section(&title, &render_simulation(simulation));
    }
    for (_, rows) in &summary.estimates {
        text += &render_estimates(rows, &[]);
    }
    for (_, found) in &summary.comparisons {
        text += &render_comparisons(found);
    }
    if !summary.plans.is_empty() {
        text += &section("Judgments needed", &plans(&summary.plans));
    }
    for (_, found) in &summary.correlations {
        text += &render_correlations(found);
    }
    for (_, found) in &summary.annotators {
        text += &section("Whether people agree", &render_annotators(found));
    }
    text + &section("How this was made", &provenance(summary))
}

pub(super) fn section(title: &str, body: &str) -> String {
    format!("\n{title}\n{}\n{body}", "─".repeat(title.chars().count()))
}

/// The answer, then every ranking and criterion in a sentence.
fn opening(summary: &Summary) -> String {
    let mut text = format!(
        "{}\n{}\n",
        summary.run.name,
        "═".repeat(summary.run.name.chars().count())
    );
    let Headline { best, sure, next } = headline::headline(summary);
    text += &format!("best  {best}\nsure  {sure}\nnext  {next}\n\n");
    for (name, simulation) in &summary.simulations {
        text += &format!("{name}: {}\n", sentence(simulation));
    }
    for (about, answer) in answers(&summary.estimates) {
        text += &format!("{about}: {answer}\n");
    }
    text
}

fn scores(summary: &Summary) -> String {
    let (metrics, systems) = (summary.metrics(), summary.scored_systems());
    let cell = |system: &str, metric: &str| optional(summary.mean_score(system, metric));
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

/// In full, as `tiebreak rank` prints it.
impl fmt::Display for Ranking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&render_ranking(self))
    }
}

/// A ranking in full; also what `rank` prints.
pub fn render_ranking(ranking: &Ranking) -> String {
    let mut text = format!("{}\n\n", claim_sentence(&ranking.claim));
    let rows: Vec<Vec<String>> = ranking
        .strengths
        .iter()
        .zip(&ranking.ranks)
        .map(|(one, place)| {
            vec![
                one.system.clone(),
                optional(one.strength),
                interval(one.lower, one.upper),
                ranks(place),
                place.group.to_string(),
                one.comparisons.to_string(),
            ]
        })
        .collect();
    text += &table(&RANKED, &rows);
    text += &format!("\n{}\n", ranked_from(&ranking.evidence));
    if let Some(conduct) = &ranking.campaign {
        text.push('\n');
        text += &labelled(words::conduct(conduct));
    }
    text
}

/// The columns of all systems by strength.
pub(super) const RANKED: [&str; 6] = [
    "system",
    "strength",
    "interval",
    "rank",
    "group",
    "comparisons",
];

/// Replays in full; also what `simulate` prints.
pub fn render_simulation(simulation: &Simulation) -> String {
    let standing = |standing: &Standing| {
        vec![
            standing.system.clone(),
            percent(standing.named),
            standing.copeland.to_string(),
            format!("{:.3}", standing.preference),
        ]
    };
    let rows: Vec<Vec<String>> = simulation.standings.iter().map(standing).collect();
    let table = table(&REPLAYED, &rows);
    format!("{table}\n{}", labelled(facts(simulation)))
}

/// The columns of all systems in replays: how many end with it, how many others it beats in the records
/// and how often it is preferred there.
pub(super) const REPLAYED: [&str; 4] = ["system", "replays end with it", "beats", "preferred"];

/// Facts, a line each.
fn labelled(facts: Vec<(&'static str, String)>) -> String {
    let line = |(label, value)| format!("{label:24}{value}\n");
    facts.into_iter().map(line).collect()
}

/// Estimates, a section for each criterion and estimator; also what `estimate` prints.
pub fn render_estimates(rows: &[Estimated], planned: &[Plan]) -> String {
    let mut text = String::new();
    for rows in kinds(rows) {
        let meaning = meaning::of_estimates(&rows).map_or_else(String::new, |line| line + "\n");
        text += &section(&about(rows[0]), &(meaning + &estimates(&rows)));
    }
    if !planned.is_empty() {
        text += &section("Judgments needed", &plans(planned));
    }
    text
}

/// Estimates with their intervals, best first, drawn on one scale.
fn estimates(rows: &[&Estimated]) -> String {
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
            interval(row.lower, row.upper),
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
            optional(plan.judgments.map(|n| n as f64)),
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
    let data = match run.data.is_empty() {
        true => run.digest.clone(),
        false => format!("{} ({})", run.data, run.digest),
    };
    let mut text = format!(
        "tiebreak {}, seed {}, data {data}\n",
        run.tiebreak, run.seed
    );
    for stage in &run.stages {
        text += &format!("{:9} {}\n", stage.kind.name(), stage.signature);
    }
    if !run.command.is_empty() {
        text += &format!("{:9} {}\n", "again", run.command);
    }
    text
}
