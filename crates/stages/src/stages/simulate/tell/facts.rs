//! What is known of replays, by label, and what they would have taken, in sentences.

use super::experiments;
use crate::stages::simulate::summary::{SimulatedComplexity, SimulatedCost, Simulation};
use std::fmt::Write;
use tiebreak_base::layout::{duration, money, number, percent, percentages};
use tiebreak_base::words::listed;
use tiebreak_decide::ranking::words::{dropped, predictions};

/// The share of replays that end with each system.
pub(super) fn winner_shares(simulation: &Simulation) -> Vec<String> {
    let shares = simulation.standings.iter().map(|standing| standing.named);
    percentages(&shares.collect::<Vec<_>>())
}

/// A sentence on what replays would have taken.
pub(super) fn sentence(simulation: &Simulation) -> String {
    let mut shares = simulation.standings.iter().zip(winner_shares(simulation));
    let share = shares.find(|(standing, _)| standing.system == simulation.winner);
    let share = share.map_or_else(|| percent(1.0), |(_, share)| share);
    let mut text = match simulation.runs {
        1 => format!("one replay ends with {}", simulation.winner),
        runs => format!("{share} of {runs} replays end with {}", simulation.winner),
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

/// A sentence on the fewest judgments that would have been enough, among what was replayed more than once.
pub(super) fn enough(all: &[(String, Simulation)]) -> Option<String> {
    let (_, any) = experiments(all).next()?;
    if !any.condorcet {
        let none = "By all records no system beats all others, so replays cannot tell how many would have \
                    been enough.";
        return Some(none.to_string());
    }
    if !any.not_told_apart.is_empty() {
        let open = "All records together do not tell their winner apart from the next, so replays cannot say \
                    how many would have been enough.";
        return Some(open.to_string());
    }
    let needed = experiments(all).filter_map(|(name, one)| {
        let complexity = one.annotation_complexity;
        Some((complexity.value?, name, complexity))
    });
    let Some((_, name, found)) = needed.min_by_key(|one| one.0) else {
        let none = "In replays no way to ask came to the winner of all records reliably within its budget.";
        return Some(none.to_string());
    };
    let ways = match experiments(all).count() {
        1 => String::new(),
        n => format!(", the cheapest of {n} ways to ask,"),
    };
    Some(format!(
        "Replays of {name}{ways} took {}.",
        complexity(&found)
    ))
}

/// A number of judgments, or that they were never enough.
pub(super) fn reached(judgments: Option<u64>) -> String {
    judgments.map_or_else(|| "never reached".to_string(), |n| n.to_string())
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
    if simulation.without_replacement {
        let drawn =
            "at most once each: certificates are about these comparisons alone, as they are";
        facts.push(("comparisons drawn", drawn.to_string()));
    }
    if let Some(time) = &simulation.time {
        let seconds = |seconds: u64| duration(seconds as f64);
        facts.push(("people's time", people_take(time, each, duration, seconds)));
    }
    if let Some(spent) = &simulation.money {
        facts.push(("money paid", people_take(spent, each, money, money)));
    }
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

/// A sentence on what people's answers take.
fn people_take<T: Copy>(
    taken: &SimulatedCost<T>,
    each: &str,
    told: fn(f64) -> String,
    counted: fn(T) -> String,
) -> String {
    let mut words = format!("{}{each}", told(taken.mean));
    if let Some(value) = taken.complexity.value {
        let found = reliably(&counted(value), &taken.complexity, counted);
        let _ = write!(words, "; {found}");
    }
    if let Some(median) = taken.certificate.median {
        let within = told(median);
        let _ = write!(words, "; half of the certificates come within {within}");
    }
    words
}

fn complexity(complexity: &SimulatedComplexity) -> String {
    match complexity.value {
        None => "not reached within the budget (95 % of runs right, and staying right)".to_string(),
        Some(value) => reliably(&format!("{value} judgments"), complexity, |n| n.to_string()),
    }
}

/// The cost with the ends of its interval.
fn reliably<T: Copy>(
    took: &str,
    found: &SimulatedComplexity<T>,
    told: impl Fn(T) -> String,
) -> String {
    let end = |end: Option<T>| end.map_or_else(|| reached(None), &told);
    format!(
        "{took} until 95 % of runs are right and stay right [{}, {}]",
        end(found.lower),
        end(found.upper)
    )
}
