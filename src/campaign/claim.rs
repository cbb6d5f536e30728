//! The claim of a campaign: what its bandit's certificate proves, about the people its questions were
//! dealt to.

use tiebreak_base::claims::{Basis, Claim, ClaimPopulation, NoClaimReason, Premise};
use tiebreak_base::duel::Arm;
use tiebreak_decide::evaluation::active::RunTrace;
use tiebreak_stages::stages::simulate::prepare::PreparedRun;

/// The annotators who answered, as far as a claim depends on them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answerers {
    pub(super) about: ClaimPopulation,
    /// The number of annotators who answered.
    pub(super) annotators: u64,
    /// The number of people's answers that are evidence.
    pub(super) answers: u64,
    /// The number of a model's answers that are evidence.
    pub(super) model_answers: u64,
    /// Whether anything was answered, by whomever.
    pub(super) is_answered: bool,
    /// Whether it was fixed before a question was shown who answers it.
    pub(super) dealt: bool,
    /// The reason why some answers that counted no longer hold, if there is one.
    pub(super) disowned: Option<NoClaimReason>,
}

/// Returns the claim. `identical` are groups of systems with the same outputs: they share one result.
pub(super) fn claim(
    prepared: &PreparedRun<'_>,
    trace: &RunTrace,
    answerers: Answerers,
    identical: &[Vec<Arm>],
) -> Claim {
    let name = |&arm: &Arm| prepared.source.system(arm).to_string();
    let judged = match &prepared.survivors {
        Some(left) if trace.restarted_after.is_some() => left.as_slice(),
        _ => prepared.setup.arms(),
    };
    let among: Vec<String> = judged.iter().map(name).collect();
    let only = match &among[..] {
        [only] if prepared.contenders.len() > 1 => Some(NoClaimReason::Eliminated(only.clone())),
        _ => None,
    };
    let undecided = Claim {
        about: answerers.about,
        annotators: answerers.annotators,
        skips: prepared.keys.choices.skips,
        model_answers: answerers.model_answers,
        assumes: match prepared.keys.choices.without_replacement {
            true => vec![Premise::OrderFree],
            false => Vec::new(),
        },
        ..Claim::undecided(among, Basis::Campaign, answerers.answers)
    };
    if !answerers.dealt {
        return undecided.withdrawn(NoClaimReason::NotDealt);
    }
    if let Some(why) = only.or(answerers.disowned) {
        return undecided.withdrawn(why);
    }
    let whole = |arm: Arm| {
        let group = identical.iter().find(|group| group.contains(&arm));
        group.cloned().unwrap_or_else(|| vec![arm])
    };
    let begun_again = trace.restarted_after.is_some();
    let open = match prepared {
        _ if !prepared.uses.confidence => NoClaimReason::NoCertificate,
        _ if !prepared.certifiable(begun_again) => NoClaimReason::Unaudited,
        _ if !answerers.is_answered => NoClaimReason::NoAnswers,
        _ => NoClaimReason::NotToldApart(undecided.among.clone()),
    };
    let confidence = prepared.keys.choices.confidence.value();
    undecided.certified(&trace.verdict, confidence, open, name, whole)
}
