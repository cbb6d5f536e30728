//! The summary of finished replays: whom they name, after how much, and how sure the records are.

use super::credit;
use super::prepare::PreparedRun;
use crate::engine::context::Context;
use crate::inputs::source::Source;
use crate::stages::simulate::summary::{
    SimulatedComplexity, SimulatedCost, SimulatedQuartiles, SimulatedStanding, SimulatedStops,
    Simulation,
};
use std::collections::BTreeMap;
use tiebreak_base::duel::{Arm, Verdict};
use tiebreak_base::error::Result;
use tiebreak_base::layout::{decimals, percent};
use tiebreak_base::words::{counted, listed};
use tiebreak_decide::bandits::Target;
use tiebreak_decide::evaluation::active::{RunTrace, Stop};
use tiebreak_decide::evaluation::annotation_complexity::{
    self, BanditRunSummary, Scoring, summarise,
};
use tiebreak_decide::evaluation::truth::Truth;
use tiebreak_decide::feedback::matrix::PreferenceMatrix;
use tiebreak_decide::ranking::table;

/// Summarises finished runs.
pub(super) fn summarise_runs(
    prepared: &PreparedRun<'_>,
    context: &Context<'_>,
    traces: &[RunTrace],
    preferences: &PreferenceMatrix,
) -> Result<Simulation> {
    let source = prepared.source;
    let truth = Truth::new(preferences, &prepared.contenders);
    let true_winner = truth.condorcet_winner();
    let mut scoring = Scoring::new(Some(&truth), context.seed);
    scoring.confidence = prepared.keys.choices.confidence.value();
    let summary = summarise(traces, &scoring)?;
    let (eliminated, _) = prepared.eliminated(traces);
    let name = |arm: Arm| source.system(arm).to_string();
    let defined = traces.len() > 1 && true_winner.is_some();
    Ok(Simulation {
        systems: prepared.contenders.iter().map(|&arm| name(arm)).collect(),
        true_winner: true_winner.map(name),
        winner: name(summary.winner),
        bandit: prepared.keys.choices.bandit.to_string(),
        runs: prepared.keys.runs.value(),
        seed: context.seed.0,
        without_replacement: prepared.keys.choices.without_replacement,
        as_campaign: prepared.keys.as_campaign,
        annotation_complexity: complexity(summary.annotation_complexity, defined, |n| n),
        accuracy: match true_winner {
            Some(_) => summary.accuracy.clone(),
            None => Vec::new(),
        },
        mean_annotations: summary.mean_annotations,
        stopped: stopped(&summary),
        condorcet: true_winner.is_some(),
        not_told_apart: not_told_apart(prepared)?,
        verdict: verdict(prepared, traces, &summary, true_winner.is_some()),
        eliminated: eliminated.iter().map(|&arm| name(arm)).collect(),
        model_answers: summary.model_answers,
        // Seconds are whole ones.
        time: taken(summary.cost.seconds, defined, |seconds| seconds as u64),
        money: taken(summary.cost.price, defined, |money| money),
        predictions: credit::sum_up(prepared, traces),
        standings: standings(
            source,
            &prepared.contenders,
            |arm| {
                let named = traces.iter().filter(|trace| trace.winner() == Some(arm));
                named.count() as f64 / traces.len() as f64
            },
            preferences,
        ),
        signature: prepared.signature.to_string(),
    })
}

/// The systems that may have rank 1 by all records, where several may: the winner of the records is
/// then as uncertain as this.
fn not_told_apart(prepared: &PreparedRun<'_>) -> Result<Vec<String>> {
    let source = prepared.source;
    let strengths = source.comparisons()?.strengths();
    let confidence = prepared.keys.choices.confidence.value();
    let compared = |system| strengths.comparisons(system);
    let (_, ranks, _) = table(source.systems(), &strengths, compared, confidence);
    let first = ranks.into_iter().filter(|one| one.rank_low == 1);
    let first: Vec<String> = first.map(|one| one.system).collect();
    Ok(if first.len() > 1 { first } else { Vec::new() })
}

/// The cost of runs, in numbers as they are stored.
fn taken<T>(
    found: Option<annotation_complexity::RunCostSummary>,
    defined: bool,
    stored: impl Fn(f64) -> T,
) -> Option<SimulatedCost<T>> {
    found.map(|found| SimulatedCost {
        complexity: complexity(found.complexity, defined, stored),
        mean: found.mean,
        certificate: quartiles(found.certificate),
    })
}

fn complexity<T, U>(
    found: annotation_complexity::ComplexityEstimate<T>,
    defined: bool,
    stored: impl Fn(T) -> U,
) -> SimulatedComplexity<U> {
    let end = |end: Option<T>| end.filter(|_| defined).map(&stored);
    SimulatedComplexity {
        value: end(found.value),
        lower: end(found.lower),
        upper: end(found.upper),
    }
}

fn quartiles(found: annotation_complexity::RunQuartiles) -> SimulatedQuartiles {
    let annotation_complexity::RunQuartiles { median, q25, q75 } = found;
    SimulatedQuartiles { median, q25, q75 }
}

fn stopped(summary: &BanditRunSummary) -> SimulatedStops {
    let reasons: BTreeMap<String, u64> = summary
        .stopped
        .reasons
        .iter()
        .map(|(reason, &runs)| (format!("{reason:?}").to_lowercase(), runs as u64))
        .collect();
    SimulatedStops {
        share: summary.stopped.share,
        reasons,
        annotations: quartiles(summary.stopped.annotations),
        median_taken: Some(summary.stopped.median_taken),
        correct: summary.stopped.correct,
    }
}

/// The verdict on the runs, in sentences: a plan, never a claim.
fn verdict(
    prepared: &PreparedRun<'_>,
    traces: &[RunTrace],
    summary: &BanditRunSummary,
    condorcet: bool,
) -> String {
    let mut verdict = match traces {
        [only] => one_run(prepared, only),
        _ if summary.stopped.share > 0.0 => proofs(prepared, traces, summary),
        _ => without_proof(prepared, traces, summary.winner),
    };
    if !condorcet {
        verdict += " In the records no system beats all others, so no leader is right.";
    } else if traces.len() > 1 && (prepared.target != Target::Best || have_margin(traces)) {
        verdict +=
            " Accuracy and judgments needed ask whether the leader is the winner of all records.";
    }
    verdict
}

/// Whether systems within a margin of the best were proved to be so.
fn have_margin(traces: &[RunTrace]) -> bool {
    let has_margin = |trace: &RunTrace| matches!(trace.verdict, Verdict::NearlyBest { .. });
    traces.iter().any(has_margin)
}

/// A sentence on where a single run would have stopped.
fn one_run(prepared: &PreparedRun<'_>, trace: &RunTrace) -> String {
    let system = |arm: Arm| prepared.source.system(arm);
    let names = |arms: &[Arm], between: &str| {
        let names: Vec<&str> = arms.iter().map(|&arm| system(arm)).collect();
        names.join(between)
    };
    let judgments = counted(trace.annotations, "judgment");
    let proved = |what: String| format!("The replay stopped with proof after {judgments}{what}.");
    match &trace.verdict {
        Verdict::Winner { arm, .. } | Verdict::NearlyBest { arm, .. } => {
            proved(format!(", naming {}", system(*arm)))
        }
        Verdict::Top { arms, .. } => proved(format!(", naming {}", names(arms, ", "))),
        Verdict::Ranking { arms, .. } => proved(format!(", naming {}", names(arms, " > "))),
        Verdict::NoWinner => proved(": no system beats all others".to_string()),
        Verdict::Undecided(_) if trace.stop == Stop::Finished => {
            format!("The replay had nothing left to ask after {judgments}, and no proof.")
        }
        Verdict::Open | Verdict::Undecided(_) if trace.stop == Stop::Ended => {
            format!("The replay had all comparisons judged after {judgments}, and no proof.")
        }
        Verdict::Open | Verdict::Undecided(_) => {
            let leader = trace.winner().map_or("no system", system);
            let limit = match trace.stop {
                Stop::Steps => format!("{}, with {judgments}", counted(trace.steps, "step")),
                _ => judgments,
            };
            format!("The replay did not stop within {limit}; {leader} led then.")
        }
    }
}

/// A sentence or two on how many runs ended with a proof.
fn proofs(prepared: &PreparedRun<'_>, traces: &[RunTrace], summary: &BanditRunSummary) -> String {
    let (stopped, runs) = (&summary.stopped, traces.len());
    let correct = stopped.correct.map_or_else(String::new, |share| {
        if share >= 1.0 {
            let right = match prepared.target {
                Target::Best if have_margin(traces) => {
                    "the winner of all records or a system within the margin of it".to_string()
                }
                Target::Best => "the winner of all records".to_string(),
                Target::Top(k) => format!("the top {k} of all records"),
                Target::Ranking => "the ranking by all records".to_string(),
            };
            return format!(" All these name {right}.");
        }
        let wrong = stopped.share * (1.0 - share);
        format!(
            " {} of all {runs} replays, {}, proved what all records contradict; the confidence allows {}.",
            decimals(wrong * runs as f64, 0),
            percent(wrong),
            percent(1.0 - prepared.keys.choices.confidence.value())
        )
    });
    let half = match (stopped.annotations.median, stopped.share < 1.0) {
        (Some(median), true) => format!(", half of all within {} judgments", decimals(median, 0)),
        (Some(median), false) => format!(", half of them within {} judgments", decimals(median, 0)),
        (None, _) => String::new(),
    };
    format!(
        "{} {runs} replays stopped with proof{half}.{correct}",
        proportion(stopped.share)
    )
}

/// A share before what it is a share of.
fn proportion(share: f64) -> String {
    match share < 1.0 {
        true => format!("{} of", percent(share)),
        false => "All".to_string(),
    }
}

/// A sentence or two on who leads where no run stopped by itself.
fn without_proof(prepared: &PreparedRun<'_>, traces: &[RunTrace], leader: Arm) -> String {
    let led = |arm: Arm| {
        let led = traces.iter().filter(|trace| trace.winner() == Some(arm));
        led.count()
    };
    let (most, runs) = (led(leader), traces.len());
    let leaders = prepared.contenders.iter().filter(|&&arm| led(arm) == most);
    let leaders: Vec<&str> = leaders.map(|&arm| prepared.source.system(arm)).collect();
    let lead = match leaders[..] {
        [leader] => format!("{leader} leads"),
        _ => format!("{} lead", listed(&leaders)),
    };
    let why = match prepared.uses.confidence {
        false => "This bandit gives no proof to stop by.",
        true => "No replay stopped with proof.",
    };
    format!("{lead} in {most} of {runs} replays at their end, no other in more. {why}")
}

/// The standing of each of the systems that were replayed, among these: by how often it is named, then by the recorded
/// comparisons.
fn standings(
    source: &Source,
    systems: &[Arm],
    named: impl Fn(Arm) -> f64,
    preferences: &PreferenceMatrix,
) -> Vec<SimulatedStanding> {
    let standing = |&arm: &Arm| {
        let others = systems.iter().filter(|&&other| other != arm);
        let against = others.map(|&other| preferences.get(arm, other));
        let against: Vec<f64> = against.collect();
        SimulatedStanding {
            system: source.system(arm).to_string(),
            named: named(arm),
            copeland: against.iter().filter(|&&share| share > 0.5).count() as u64,
            preference: against.iter().sum::<f64>() / against.len() as f64,
        }
    };
    let mut standings: Vec<SimulatedStanding> = systems.iter().map(standing).collect();
    standings.sort_by(|a, b| {
        let by_name = || a.system.cmp(&b.system);
        let by_preference = || b.preference.total_cmp(&a.preference);
        let by_copeland = || b.copeland.cmp(&a.copeland);
        b.named
            .total_cmp(&a.named)
            .then_with(by_copeland)
            .then_with(by_preference)
            .then_with(by_name)
    });
    standings
}
