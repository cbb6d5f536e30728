//! What is known of replays, by label, and what they would have taken, in sentences.

use super::experiments;
use crate::stages::simulate::summary::{
    SimulatedComplexity, SimulatedCost, SimulatedStops, Simulation,
};
use std::fmt::Write;
use tiebreak_base::layout::{decimals, duration, money, number, percent, percentages};
use tiebreak_base::words::listed;
use tiebreak_decide::ranking::words::{dropped, predictions};

/// The share of replays that end with each system.
pub(super) fn winner_shares(simulation: &Simulation) -> Vec<String> {
    let shares = simulation.standings.iter().map(|standing| standing.named);
    percentages(&shares.collect::<Vec<_>>())
}

/// A sentence on what replays took.
pub(super) fn sentence(simulation: &Simulation) -> String {
    let mut shares = simulation.standings.iter().zip(winner_shares(simulation));
    let share = shares.find(|(standing, _)| standing.system == simulation.winner);
    let share = share.map_or_else(|| percent(1.0), |(_, share)| share);
    let mut text = match simulation.runs {
        1 => format!("one replay ends with {}", simulation.winner),
        runs => format!("{share} of {runs} replays end with {}", simulation.winner),
    };
    let judgments = number(simulation.mean_annotations);
    let _ = write!(text, ", after {judgments} human judgments");
    if simulation.model_answers > 0.0 {
        let answers = number(simulation.model_answers);
        let _ = write!(text, " and {answers} answers of the model");
    }
    if simulation.runs > 1 {
        text += " each";
    }
    let names: Vec<&str> = simulation
        .not_told_apart
        .iter()
        .map(String::as_str)
        .collect();
    let records = match (&simulation.true_winner, names.as_slice()) {
        (None, _) => "In the records no system beats all others.".to_string(),
        (Some(winner), []) => format!("All records together name {winner}."),
        (Some(winner), several) => format!(
            "All records together name {winner}, but do not separate {}.",
            listed(several)
        ),
    };
    format!("{text}. {records}")
}

/// The least share of replays with proof for which half of them stand for a campaign.
const MOSTLY: f64 = 0.95;

/// The number of judgments within which half of the replays stopped with proof, where nearly all did.
fn until_proof(simulation: &Simulation) -> Option<f64> {
    let stopped = &simulation.stopped;
    stopped
        .annotations
        .median
        .filter(|_| stopped.share >= MOSTLY)
}

/// The number of judgments until proof of the same bandit without predictions; `None` where it was not replayed.
fn without_hint(all: &[(String, Simulation)], hinted: &Simulation) -> Option<f64> {
    let alone = |one: &&(String, Simulation)| {
        one.1.bandit == hinted.bandit && !has_hint(&one.1) && has_hint(hinted)
    };
    experiments(all)
        .find(alone)
        .and_then(|(_, one)| until_proof(one))
}

fn has_hint(simulation: &Simulation) -> bool {
    simulation.signature.contains("|predictions:")
}

/// Sentences on how soon a campaign could have stopped, by the quickest way among those replayed more than once.
pub(super) fn enough(all: &[(String, Simulation)]) -> Option<String> {
    let (_, any) = experiments(all).next()?;
    if !any.condorcet {
        let none = "In the records no system beats all others, so replays cannot say how many judgments are needed.";
        return Some(none.to_string());
    }
    if !any.not_told_apart.is_empty() {
        let open = "The records do not separate their winner from the next system, so replays cannot say how many \
                    judgments are needed.";
        return Some(open.to_string());
    }
    let proved = experiments(all).filter_map(|(name, one)| Some((until_proof(one)?, name, one)));
    if let Some((n, name, one)) = proved.min_by(|a, b| a.0.total_cmp(&b.0)) {
        let instead = without_hint(all, one).filter(|&other| other > n);
        let instead = instead.map_or_else(String::new, |other| {
            format!(" instead of {}", decimals(other, 0))
        });
        return Some(format!(
            "With {name}, a campaign could have stopped with proof after {} judgments{instead}.",
            decimals(n, 0)
        ));
    }
    let needed = experiments(all).filter_map(|(name, one)| {
        let complexity = one.annotation_complexity;
        Some((complexity.value?, name, complexity))
    });
    Some(match needed.min_by_key(|one| one.0) {
        None => {
            "In replays no way of asking came to the winner of all records reliably.".to_string()
        }
        Some((_, name, found)) => {
            let some = experiments(all).any(|(_, one)| one.stopped.share > 0.0);
            let proof = match some {
                true => "Too few replays stopped with proof",
                false => "No replay stopped with proof",
            };
            format!("{proof}. Replays of {name} needed {}.", complexity(&found))
        }
    })
}

/// A number of judgments, or that they were never enough.
pub(super) fn reached(judgments: Option<u64>) -> String {
    judgments.map_or_else(|| "never reached".to_string(), |n| n.to_string())
}

/// What is known of replays, by label.
pub(super) fn facts(simulation: &Simulation) -> Vec<(&'static str, String)> {
    let experiment = simulation.runs > 1;
    let each = if experiment { " a replay" } else { "" };
    let asked = number(simulation.mean_annotations);
    let mut facts = vec![
        ("bandit", simulation.bandit.clone()),
        ("replays", simulation.runs.to_string()),
        ("human judgments", format!("{asked}{each}")),
    ];
    if simulation.model_answers > 0.0 {
        let model = number(simulation.model_answers);
        facts.push(("answers of the model", format!("{model}{each}")));
    }
    if simulation.without_replacement {
        let drawn = "at most once each: the proof is about these comparisons alone";
        facts.push(("comparisons drawn", drawn.to_string()));
    }
    if simulation.as_campaign {
        let replayed = "as one annotator's campaign: the first of each item and pair";
        facts.push(("comparisons replayed", replayed.to_string()));
    }
    if simulation.as_campaign || simulation.stopped.reasons.contains_key("steps") {
        facts.push(("replays ended", reasons(&simulation.stopped)));
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
        facts.push(("not separated by them", names));
    }
    if experiment {
        let complexity = match simulation.condorcet {
            true => complexity(&simulation.annotation_complexity),
            false => "not defined without a winner of all records".to_string(),
        };
        facts.push(("judgments needed", complexity));
    }
    facts
}

/// The number of replays that ended for each reason.
fn reasons(stopped: &SimulatedStops) -> String {
    let words = [
        ("certificate", "with proof"),
        ("ended", "with all comparisons judged"),
        ("finished", "with nothing left to ask"),
        ("budget", "at the budget"),
        ("steps", "at the limit of `steps`"),
    ];
    let counts = words.into_iter().filter_map(|(reason, how)| {
        let replays = stopped.reasons.get(reason)?;
        Some(format!("{replays} {how}"))
    });
    counts.collect::<Vec<_>>().join(", ")
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
    if let Some(median) = taken.certificate.median.filter(|_| !each.is_empty()) {
        let within = told(median);
        let _ = write!(words, "; half of the replays have a proof within {within}");
    }
    words
}

fn complexity(complexity: &SimulatedComplexity) -> String {
    match complexity.value {
        None => "never reached (95 % of replays right, and staying right)".to_string(),
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
        "{took} [{}, {}] until 95 % of replays are right and stay right",
        end(found.lower),
        end(found.upper)
    )
}
