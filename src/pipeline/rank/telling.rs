//! What finished runs say: the winner, its standing, and what may be claimed.

use super::credit;
use super::prepare::{Prepared, certifiable};
use super::strengths::Judgments;
use crate::bandits::Target;
use crate::duel::{Arm, Verdict};
use crate::error::Result;
use crate::evaluation::active::RunTrace;
use crate::evaluation::annotation_complexity::{Scoring, Summary, summarise};
use crate::evaluation::truth::Truth;
use crate::feedback::matrix::PreferenceMatrix;
use crate::pipeline::context::Context;
use crate::pipeline::source::Source;
use crate::tables::ranking::{Complexity, Quartiles, Ranking, Standing, Stopped};
use std::collections::BTreeMap;

/// What finished runs say.
///
/// # Errors
/// If there are none.
pub(super) fn tell(
    prepared: &Prepared<'_>,
    context: &Context<'_>,
    traces: &[RunTrace],
    preferences: Option<&PreferenceMatrix>,
    judgments: &Judgments,
) -> Result<Ranking> {
    let source = prepared.source;
    let truth = preferences.map(|preferences| Truth::new(preferences, &prepared.contenders));
    let mut scoring = Scoring::new(truth.as_ref(), context.seed);
    scoring.confidence = prepared.options.confidence;
    let summary = summarise(traces, &scoring)?;
    let (ranking, ranked_from) = judgments.ranking(source, prepared.options.confidence);
    let experiment = traces.len() > 1 && preferences.is_some();
    let (eliminated, _) = prepared.eliminated(traces);
    let name = |arm: Arm| source.system(arm).to_string();
    Ok(Ranking {
        systems: source.systems().to_vec(),
        true_winner: if let [only] = summary.true_winners[..] {
            Some(name(only))
        } else {
            None
        },
        winner: name(summary.winner),
        bandit: prepared.options.bandit.to_string(),
        runs: prepared.options.runs,
        seed: context.seed.0,
        annotation_complexity: if experiment {
            let found = summary.annotation_complexity;
            Complexity {
                value: found.value,
                lower: found.lower,
                upper: found.upper,
            }
        } else {
            Complexity::default()
        },
        verdict: verdict(prepared, traces, &summary),
        accuracy: if preferences.is_some() {
            summary.accuracy.clone()
        } else {
            Vec::new()
        },
        mean_annotations: summary.mean_annotations,
        stopped: stopped(&summary),
        eliminated: eliminated.iter().map(|&arm| name(arm)).collect(),
        model_answers: summary.model_answers,
        predictions: credit::sum_up(traces),
        standings: standings(
            source,
            |arm| {
                let named = traces.iter().filter(|trace| trace.winner() == Some(arm));
                named.count() as f64 / traces.len() as f64
            },
            preferences,
        ),
        ranking,
        ranked_from,
        signature: prepared.signature.to_string(),
    })
}

fn stopped(summary: &Summary) -> Stopped {
    let quartiles = summary.stopped.annotations.as_ref();
    let reasons: BTreeMap<String, u64> = summary
        .stopped
        .reasons
        .iter()
        .map(|(reason, &runs)| (format!("{reason:?}").to_lowercase(), runs as u64))
        .collect();
    Stopped {
        share: summary.stopped.share,
        reasons,
        annotations: Quartiles {
            median: quartiles.map(|q| q.median),
            q25: quartiles.map(|q| q.q25),
            q75: quartiles.map(|q| q.q75),
        },
        correct: summary.stopped.correct,
    }
}

/// A confidence as people write it: 95 %, 99.9 %.
pub(super) fn percent(confidence: f64) -> String {
    format!("{} %", (1e8 * confidence).round() / 1e6)
}

/// What is claimed, in words; careful to claim nothing without a certificate.
fn verdict(prepared: &Prepared<'_>, traces: &[RunTrace], summary: &Summary) -> String {
    let claimed = match traces {
        [only] => claim(prepared, only),
        _ => None,
    };
    let mut verdict = claimed.unwrap_or_else(|| match summary.stopped.share > 0.0 {
        true => certificates(prepared.target, summary),
        false => no_certificate(prepared, traces, summary),
    });
    if traces.len() > 1 && prepared.target != Target::Best {
        verdict += "; accuracy and annotation complexity are those of the leader alone";
    }
    verdict
}

/// What a single run claims; `None` for nothing.
fn claim(prepared: &Prepared<'_>, trace: &RunTrace) -> Option<String> {
    let source = prepared.source;
    let confidence = percent(prepared.options.confidence);
    let (eliminated, left) = prepared.eliminated(std::slice::from_ref(trace));
    let among = match eliminated {
        [] => String::new(),
        _ => format!(" among the {left} not eliminated"),
    };
    let names = |arms: &[Arm], between: &str| {
        let names: Vec<&str> = arms.iter().map(|&arm| source.system(arm)).collect();
        names.join(between)
    };
    Some(match &trace.verdict {
        Verdict::Open => return None,
        Verdict::Winner { arm, assumption } => {
            let winner = source.system(*arm);
            format!("{winner} is best{among} with {confidence} confidence, {assumption}")
        }
        Verdict::NearlyBest { arm, claim } => {
            let system = source.system(*arm);
            format!("{system} is eps-best{among} with {confidence} confidence: {claim}")
        }
        Verdict::Top { arms, assumption } => {
            let (best, number) = (names(arms, ", "), arms.len());
            format!("the top {number}{among} are {best} with {confidence} confidence, {assumption}")
        }
        Verdict::Ranking { arms, assumption } => {
            let order = names(arms, " > ");
            format!("{order}{among} with {confidence} confidence, {assumption}")
        }
        Verdict::Undecided(arms) if arms.len() == left => {
            let all = names(arms, ", ");
            format!("undecided among {all}: their outputs never differ")
        }
        Verdict::Undecided(arms) => {
            let possible = names(arms, ", ");
            format!(
                "undecided among {possible}; with {confidence} confidence no other system beats all \
                 the rest"
            )
        }
    })
}

/// How many runs ended with a certificate.
fn certificates(target: Target, summary: &Summary) -> String {
    let stopped = &summary.stopped;
    let median = stopped
        .annotations
        .as_ref()
        .map_or(0.0, |quartiles| quartiles.median);
    let correct = stopped.correct.map_or_else(String::new, |share| {
        let right = match target {
            Target::Best => "name the winner of all judgments".to_string(),
            Target::Top(k) => format!("announce the top {k} of all judgments"),
            Target::Ranking => "announce the ranking by all judgments".to_string(),
        };
        format!("; {:.1} % of those {right}", 100.0 * share)
    });
    format!(
        "{:.1} % of runs stopped by their own certificate, half of them within {median:.0} judgments{correct}",
        100.0 * stopped.share
    )
}

/// Who leads, and why nothing is claimed.
fn no_certificate(prepared: &Prepared<'_>, traces: &[RunTrace], summary: &Summary) -> String {
    let leader = prepared.source.system(summary.winner);
    let begun_again = traces.iter().any(|trace| trace.renewed_after.is_some());
    let certifiable = certifiable(prepared.options, begun_again);
    let why = match (prepared.uses.confidence, certifiable) {
        (false, _) => "this bandit gives no certificate",
        (true, false) => "there is no certificate where a model chooses who is asked what",
        (true, true) => "the evidence does not suffice for a certificate",
    };
    format!("{leader} leads; {why}")
}

/// Every system's standing: by how often it is named, then by the recorded comparisons.
pub(super) fn standings(
    source: &Source,
    named: impl Fn(Arm) -> f64,
    preferences: Option<&PreferenceMatrix>,
) -> Vec<Standing> {
    let k = source.systems().len();
    let copeland = preferences.map(PreferenceMatrix::copeland);
    let mean = |arm: Arm, p: &PreferenceMatrix| {
        let others = Arm::all(k).filter(|&other| other != arm);
        others.map(|other| p.get(arm, other)).sum::<f64>() / (k - 1) as f64
    };
    let standing = |arm: Arm| Standing {
        system: source.system(arm).to_string(),
        named: named(arm),
        copeland: copeland
            .as_ref()
            .map(|copeland| copeland[arm.index()] as u64),
        preference: preferences.map(|p| mean(arm, p)),
    };
    let mut standings: Vec<Standing> = Arm::all(k).map(standing).collect();
    standings.sort_by(|a, b| {
        let by_name = || a.system.cmp(&b.system);
        let by_preference = || {
            b.preference
                .unwrap_or(0.0)
                .total_cmp(&a.preference.unwrap_or(0.0))
        };
        let by_copeland = || b.copeland.cmp(&a.copeland);
        b.named
            .total_cmp(&a.named)
            .then_with(by_copeland)
            .then_with(by_preference)
            .then_with(by_name)
    });
    standings
}
