//! What a campaign may claim: what its bandit's certificate proves, about the people its questions were
//! dealt to.

use super::Prepared;
use crate::claims::{About, Basis, Claim, Items, Kind, Margin, Premise, Why};
use crate::duel::{Arm, Verdict};
use crate::evaluation::active::RunTrace;
use crate::stages::simulate::prepare::certifiable;

/// Who answered, as far as a claim depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Answerers {
    pub(super) about: About,
    /// How many people answered.
    pub(super) annotators: u64,
    /// Answers of people.
    pub(super) answers: u64,
    /// Whether who answers which question was settled before it was shown.
    pub(super) dealt: bool,
}

/// `identical` are groups of systems whose outputs never differ: they share what one of them is.
pub(super) fn of(
    prepared: &Prepared<'_>,
    trace: &RunTrace,
    answerers: Answerers,
    identical: &[Vec<Arm>],
) -> Claim {
    let name = |&arm: &Arm| prepared.source.system(arm).to_string();
    let judged = match &prepared.survivors {
        Some(left) if trace.renewed_after.is_some() => left.as_slice(),
        _ => prepared.setup.arms(),
    };
    let undecided = Claim {
        kind: Kind::Undecided,
        systems: Vec::new(),
        among: judged.iter().map(name).collect(),
        confidence: None,
        assumes: Vec::new(),
        about: answerers.about,
        annotators: answerers.annotators,
        items: Items::AtHand,
        basis: Basis::Campaign,
        n: answerers.answers,
        margin: None,
        why: None,
    };
    if !answerers.dealt {
        return undecided.withdrawn(Why::NotDealt);
    }
    if let Some(why) = why_not(prepared, trace, answerers, judged) {
        return undecided.withdrawn(why);
    }
    let whole = |arm: Arm| {
        let group = identical.iter().find(|group| group.contains(&arm));
        group.cloned().unwrap_or_else(|| vec![arm])
    };
    let (kind, arms, condorcet, margin) = match &trace.verdict {
        Verdict::Winner { arm, condorcet } => (Kind::Best, whole(*arm), *condorcet, None),
        Verdict::NearlyBest { arm, margins } => {
            (Kind::NearlyBest, whole(*arm), false, Some(margins))
        }
        Verdict::Top { arms, condorcet } => (Kind::Top, arms.clone(), *condorcet, None),
        Verdict::Ranking { arms, condorcet } => (Kind::Ranking, arms.clone(), *condorcet, None),
        Verdict::Open | Verdict::NoWinner | Verdict::Undecided(_) => {
            unreachable!("no claim, and why was said")
        }
    };
    let mut assumes = Vec::new();
    assumes.extend(condorcet.then_some(Premise::Condorcet));
    assumes.push(Premise::DealtAtRandom);
    assumes.push(match answerers.about {
        About::Panel => Premise::AnnotatorsDrawnAtRandom,
        About::TheseAnnotators | About::OneAnnotator => Premise::NoDrift,
    });
    let most = |margin: f64| (1e6 * (0.5 + margin)).round() / 1e6;
    Claim {
        kind,
        systems: arms.iter().map(name).collect(),
        confidence: Some(prepared.options.choices.confidence.value()),
        assumes,
        margin: margin.map(|&[differing, overall]| Margin {
            differing: most(differing),
            overall: most(overall),
        }),
        ..undecided
    }
}

/// Why nothing can be claimed, where nothing can.
fn why_not(
    prepared: &Prepared<'_>,
    trace: &RunTrace,
    answerers: Answerers,
    judged: &[Arm],
) -> Option<Why> {
    let names = |arms: &[Arm]| {
        let names = arms
            .iter()
            .map(|&arm| prepared.source.system(arm).to_string());
        names.collect::<Vec<_>>()
    };
    let certifiable = certifiable(
        prepared.options,
        prepared.audit,
        trace.renewed_after.is_some(),
    );
    Some(match &trace.verdict {
        Verdict::NoWinner => Why::NoWinner,
        Verdict::Undecided(arms) if arms.len() == judged.len() => Why::SameOutputs,
        Verdict::Undecided(arms) => Why::NotToldApart(names(arms)),
        Verdict::Open if !certifiable => Why::Unaudited,
        Verdict::Open if !prepared.uses.confidence => Why::NoCertificate,
        Verdict::Open if answerers.answers == 0 => Why::NoAnswers,
        Verdict::Open => Why::NotToldApart(names(judged)),
        _ => return None,
    })
}
