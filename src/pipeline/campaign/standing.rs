//! How a campaign stands: strengths, ranks and the claim that its own evidence supports.

use super::claim::{self, Answerers};
use super::texts::Outputs;
use super::{Played, Prepared};
use crate::claims::About;
use crate::estimators::bradley_terry::Strengths;
use crate::evaluation::active::{RunTrace, Stop};
use crate::evaluation::standing::Collected;
use crate::feedback::dealing::{Dealing, People};
use crate::feedback::journal::{Journal, Posed};
use crate::pipeline::context::Context;
use crate::pipeline::rank;
use crate::pipeline::simulate::credit;
use crate::tables::ranking::{Clusters, Conduct, Evidence, Ranking, Scale};
use std::collections::BTreeSet;

/// Everything that a campaign says so far.
pub(super) fn standing(
    context: &Context<'_>,
    prepared: &Prepared<'_>,
    texts: &Outputs<'_>,
    journal: &Journal,
    played: &Played,
) -> Ranking {
    let source = prepared.source;
    let strengths = Strengths::fit(source.systems().len(), &played.comparisons);
    let confidence = prepared.options.confidence;
    let answerers = answerers(journal, &played.dealing);
    let evidence = Evidence {
        answers: answerers.answers,
        identical: (played.comparisons.len() as u64).saturating_sub(answerers.answers),
        predictions: 0,
        scale: Scale::LogOdds,
        confidence,
        clusters: Clusters::Items,
        adaptive: true,
        unlinked: strengths.groups() as u64,
    };
    let compared = |system| strengths.comparisons(system);
    let collected = Collected::Adaptively;
    let (strengths, ranks, groups) =
        rank::table(source, &strengths, compared, collected, confidence);
    let identical = texts.identical(prepared.setup.arms());
    Ranking {
        systems: source.systems().to_vec(),
        strengths,
        ranks,
        groups,
        claim: claim::of(prepared, &played.trace, answerers, &identical),
        evidence,
        campaign: Some(conduct(prepared, journal, &played.trace)),
        seed: context.seed.0,
        signature: prepared.signature.to_string(),
    }
}

fn conduct(prepared: &Prepared<'_>, journal: &Journal, trace: &RunTrace) -> Conduct {
    let (eliminated, _) = prepared.eliminated(std::slice::from_ref(trace));
    let name = |&arm| prepared.source.system(arm).to_string();
    Conduct {
        bandit: prepared.options.bandit.to_string(),
        asked: journal.posed().count() as u64,
        answered: answered(journal),
        model_answers: trace.model_answers,
        stopped: match trace.stop {
            Stop::Ended => None,
            reason => Some(format!("{reason:?}").to_lowercase()),
        },
        eliminated: eliminated.iter().map(name).collect(),
        predictions: credit::sum_up(std::slice::from_ref(trace)),
    }
}

/// How many questions were answered.
fn answered(journal: &Journal) -> u64 {
    journal.posed().filter(|posed| posed.is_settled()).count() as u64
}

/// Who answered. Without a list of annotators questions are dealt to nobody in particular: one person's
/// answers, named or not, are hers; those of several say nothing of any of them.
fn answerers(journal: &Journal, dealing: &Dealing) -> Answerers {
    let answers = answered(journal);
    let about = match dealing.people() {
        People::One => About::OneAnnotator,
        People::Listed => About::TheseAnnotators,
        People::Panel => About::Panel,
    };
    if about != About::OneAnnotator {
        return Answerers {
            about,
            annotators: dealing.count() as u64,
            answers,
            dealt: true,
        };
    }
    let given = journal.posed().filter(|posed| posed.is_settled());
    let name = |posed: &Posed| {
        posed
            .given
            .as_ref()
            .and_then(|given| given.annotator.clone())
    };
    let names: BTreeSet<Option<String>> = given.map(name).collect();
    Answerers {
        about,
        annotators: names.len() as u64,
        answers,
        dealt: names.len() < 2,
    }
}
