//! What reports say in words and numbers, whatever they are written in.

use super::summary::Estimated;
use crate::layout::{number, percent};
use crate::tables::ranking::{Conduct, Ranks};
use crate::tables::simulation::{Complexity, Predicted, Simulation};
use std::fmt::Write;

/// What replays would have taken, in a sentence.
pub fn sentence(simulation: &Simulation) -> String {
    let named = simulation
        .standings
        .iter()
        .find(|standing| standing.system == simulation.winner);
    let share = named.map_or(1.0, |standing| standing.named);
    let mut text = match simulation.runs {
        1 => format!("one replay ends with {}", simulation.winner),
        runs => format!(
            "{} of {runs} replays end with {}",
            percent(share),
            simulation.winner
        ),
    };
    let _ = write!(
        text,
        ", after {} human judgments",
        number(simulation.mean_annotations)
    );
    if simulation.model_answers > 0.0 {
        let _ = write!(
            text,
            " and {} answers of the model",
            number(simulation.model_answers)
        );
    }
    if simulation.runs > 1 {
        text += " each";
    }
    let records = match (
        &simulation.true_winner,
        simulation.not_told_apart.as_slice(),
    ) {
        (None, _) => "; by all records no system beats all others".to_string(),
        (Some(winner), []) => format!("; all records together name {winner}"),
        (Some(winner), several) => {
            let names: Vec<&str> = several.iter().map(String::as_str).collect();
            format!(
                "; all records together name {winner}, but do not tell {} apart",
                listed(&names)
            )
        }
    };
    text + &records + "."
}

/// What is known of replays, by label.
pub(super) fn facts(simulation: &Simulation) -> Vec<(&'static str, String)> {
    let experiment = simulation.runs > 1;
    let each = if experiment { " a run" } else { "" };
    let asked = number(simulation.mean_annotations);
    let model = number(simulation.model_answers);
    let mut facts = vec![
        ("bandit", simulation.bandit.clone()),
        ("runs", simulation.runs.to_string()),
        ("asked of humans", format!("{asked} judgments{each}")),
        ("answered by the model", format!("{model}{each}")),
    ];
    if let Some(predicted) = &simulation.predictions {
        facts.push(("predictions", predictions(predicted, experiment)));
    }
    if !simulation.eliminated.is_empty() {
        facts.push(("not judged", dropped(&simulation.eliminated)));
    }
    let winner = match &simulation.true_winner {
        Some(winner) => winner.clone(),
        None => "none: no system beats all others".to_string(),
    };
    facts.push(("winner of all records", winner));
    if !simulation.not_told_apart.is_empty() {
        let names = simulation.not_told_apart.join(", ");
        facts.push(("not told apart by them", names));
    }
    if experiment {
        let complexity = match simulation.condorcet {
            true => complexity(&simulation.annotation_complexity),
            false => "not defined without a winner of all records".to_string(),
        };
        facts.push(("annotation complexity", complexity));
    }
    facts.push(("replays", simulation.verdict.clone()));
    facts
}

/// How a campaign went, by label.
pub(super) fn conduct(conduct: &Conduct) -> Vec<(&'static str, String)> {
    let mut facts = vec![
        ("bandit", conduct.bandit.clone()),
        (
            "asked of humans",
            format!("{} questions, {} answered", conduct.asked, conduct.answered),
        ),
        ("settled without people", conduct.model_answers.to_string()),
    ];
    if let Some(predicted) = &conduct.predictions {
        facts.push(("predictions", predictions(predicted, false)));
    }
    if !conduct.eliminated.is_empty() {
        facts.push(("not judged", dropped(&conduct.eliminated)));
    }
    facts
}

/// Systems that predictions dropped.
pub(super) fn dropped(systems: &[String]) -> String {
    format!("{} (dropped by predictions)", systems.join(", "))
}

/// The ranks a system may have: `3` or `1–4`.
pub(super) fn ranks(one: &Ranks) -> String {
    match one.rank_low == one.rank_high {
        true => one.rank_low.to_string(),
        false => format!("{}–{}", one.rank_low, one.rank_high),
    }
}

/// An interval: `[0.12, 0.34]`; a dash where there is none.
pub(super) fn interval(lower: Option<f64>, upper: Option<f64>) -> String {
    match (lower, upper) {
        (Some(lower), Some(upper)) => format!("[{}, {}]", number(lower), number(upper)),
        _ => "–".to_string(),
    }
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
    let among = match predicted.survivors {
        true => " of the systems they kept",
        false => "",
    };
    format!(
        "right in {} of people's judgments{among}; {shown}",
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

/// Estimates by criterion, estimator and metric, in the order of their first rows, each best first.
pub(super) fn kinds(rows: &[Estimated]) -> Vec<Vec<&Estimated>> {
    let mut kinds: Vec<Vec<&Estimated>> = Vec::new();
    for row in rows {
        match kinds.iter_mut().find(|kind| about(kind[0]) == about(row)) {
            Some(kind) => kind.push(row),
            None => kinds.push(vec![row]),
        }
    }
    for kind in &mut kinds {
        kind.sort_by(|a, b| {
            b.estimate
                .total_cmp(&a.estimate)
                .then_with(|| a.system.cmp(&b.system))
        });
    }
    kinds
}

/// What is estimated and whose estimate is highest, for each criterion by the first estimator that a
/// run names.
pub(super) fn answers(estimates: &[(String, Vec<Estimated>)]) -> Vec<(String, String)> {
    let rows: Vec<Estimated> = estimates
        .iter()
        .flat_map(|(_, rows)| rows.clone())
        .collect();
    let mut criteria: Vec<&str> = Vec::new();
    let mut answers = Vec::new();
    for kind in kinds(&rows) {
        if !criteria.contains(&kind[0].criterion.as_str()) {
            criteria.push(&kind[0].criterion);
            answers.push((about(kind[0]), best_estimated(&kind)));
        }
    }
    answers
}

/// What rows of one kind estimate.
pub(super) fn about(row: &Estimated) -> String {
    format!("Mean human judgment of {}: {}", row.criterion, how(row))
}

/// The estimator, and the metric it uses.
pub(super) fn how(row: &Estimated) -> String {
    match &row.metric {
        Some(metric) => format!("{} with {metric}", row.estimator),
        None => row.estimator.clone(),
    }
}

/// Whose estimate is highest, and whose intervals overlap with its, in a sentence; of estimates of one
/// kind, best first.
fn best_estimated(rows: &[&Estimated]) -> String {
    let best = rows[0];
    let mut text = format!(
        "{} has the highest estimate, {} {}",
        best.system,
        number(best.estimate),
        interval(best.lower, best.upper)
    );
    let near: Vec<&str> = near(rows).iter().map(|row| row.system.as_str()).collect();
    match (near.is_empty(), rows.len()) {
        (_, 1) => {}
        (true, _) => text += "; no other interval overlaps with it",
        (false, _) => {
            let _ = write!(
                text,
                "; the intervals of {} overlap with it",
                near.join(", ")
            );
        }
    }
    text + "."
}

/// Of estimates of one kind, best first, those that nothing tells apart from the best.
pub(super) fn near<'a>(rows: &[&'a Estimated]) -> Vec<&'a Estimated> {
    let overlaps = |row: &&&Estimated| match (rows[0].lower, row.upper) {
        (Some(lower), Some(upper)) => upper >= lower,
        _ => true,
    };
    rows[1..].iter().filter(overlaps).copied().collect()
}

/// A phrase as a sentence of its own.
pub(super) fn capitalised(phrase: &str) -> String {
    let mut letters = phrase.chars();
    let first = letters.next().map(char::to_uppercase);
    first
        .into_iter()
        .flatten()
        .chain(letters)
        .collect::<String>()
        + "."
}

/// `a`, `a and b`, `a, b and c`; of many the first few.
pub(super) fn listed(names: &[&str]) -> String {
    const MOST: usize = 5;
    match names {
        [] => String::new(),
        [one] => (*one).to_string(),
        many if many.len() > MOST => {
            format!("{} and {} more", many[..MOST].join(", "), many.len() - MOST)
        }
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// A sentence begun with a capital letter; names keep theirs.
pub(super) fn sentence_case(text: &str) -> String {
    let begins = ["if ", "the "];
    match begins.iter().any(|word| text.starts_with(word)) {
        true => text[..1].to_uppercase() + &text[1..],
        false => text.to_string(),
    }
}
