//! How a campaign stands: strengths, ranks and the claim that its own evidence supports.

use super::claim::{self, Answerers};
use super::ground::answered;
use super::pairs::Played;
use super::texts::Outputs;
use std::collections::BTreeSet;
use tiebreak_base::claims::{About, Why};
use tiebreak_base::scope::PeopleScope;
use tiebreak_decide::estimators::bradley_terry::{Comparison, Strengths};
use tiebreak_decide::estimators::margins::{Margins, Reading};
use tiebreak_decide::evaluation::active::{RunTrace, Stop};
use tiebreak_decide::evaluation::standing::Collected;
use tiebreak_decide::feedback::dealing::{Dealing, People};
use tiebreak_decide::ranking::result::{Conduct, Evidence, Ranking, Scale};
use tiebreak_decide::ranking::{Table, table};
use tiebreak_stages::engine::context::Context;
use tiebreak_stages::journal::{Journal, Posed, Put};
use tiebreak_stages::stages::simulate::credit;
use tiebreak_stages::stages::simulate::prepare::Prepared;

/// Everything that a campaign says so far.
pub(super) fn standing(
    context: &Context<'_>,
    prepared: &Prepared<'_>,
    texts: &Outputs<'_>,
    journal: &Journal,
    played: &Played,
) -> Ranking {
    let source = prepared.source;
    let confidence = prepared.keys.choices.confidence.value();
    let answerers = answerers(journal, &played.dealing);
    let fitted = fit(prepared, &played.readings);
    let by_people = played.readings.iter().filter(|one| one.answer.is_some());
    let by_people = by_people.count() as u64;
    let evidence = Evidence {
        answers: answerers.answers,
        identical: by_people.saturating_sub(answerers.answers),
        predictions: played.readings.len() as u64 - by_people,
        scale: fitted.scale,
        confidence,
        adaptive: true,
        unlinked: fitted.groups,
        reweighted: false,
        unjudged: Vec::new(),
    };
    let (strengths, ranks, groups) = fitted.table;
    let identical = texts.identical(prepared.setup.arms());
    Ranking {
        systems: source.systems().to_vec(),
        strengths,
        ranks,
        groups,
        claim: claim::claim(prepared, &played.trace, answerers, &identical),
        people: PeopleScope::These,
        new_annotators: None,
        evidence,
        style: Vec::new(),
        against: None,
        campaign: Some(conduct(prepared, journal, &played.trace)),
        seed: context.seed.0,
        signature: prepared.signature.to_string(),
    }
}

/// The strengths of all systems.
struct Fitted {
    table: Table,
    scale: Scale,
    groups: u64,
}

/// In log-odds from answers of people; in margins where a model's audited answers stand beside them.
fn fit(prepared: &Prepared<'_>, readings: &[Reading]) -> Fitted {
    let source = prepared.source;
    let (k, confidence) = (
        source.systems().len(),
        prepared.keys.choices.confidence.value(),
    );
    let collected = Collected::Adaptively;
    let answers = readings.iter().map(|one| one.comparison());
    if let Some(answers) = answers.collect::<Option<Vec<Comparison>>>() {
        let strengths = Strengths::fit(k, &answers);
        let compared = |system| strengths.comparisons(system);
        return Fitted {
            table: table(
                source.systems(),
                &strengths,
                compared,
                collected,
                confidence,
            ),
            scale: Scale::LogOdds,
            groups: strengths.groups() as u64,
        };
    }
    let margins = Margins::fit(k, readings);
    let compared = |system| margins.readings(system);
    Fitted {
        table: table(source.systems(), &margins, compared, collected, confidence),
        scale: Scale::Margin,
        groups: margins.groups() as u64,
    }
}

fn conduct(prepared: &Prepared<'_>, journal: &Journal, trace: &RunTrace) -> Conduct {
    let (eliminated, _) = prepared.eliminated(std::slice::from_ref(trace));
    let name = |&arm| prepared.source.system(arm).to_string();
    Conduct {
        bandit: prepared.keys.choices.bandit.to_string(),
        asked: journal.posed().count() as u64,
        answered: answered(journal),
        model_answers: trace.model_answers,
        stopped: match trace.stop {
            Stop::Ended => None,
            reason => Some(format!("{reason:?}").to_lowercase()),
        },
        eliminated: eliminated.iter().map(name).collect(),
        predictions: credit::sum_up(prepared, std::slice::from_ref(trace)),
    }
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
    let disowned = disowned(journal, dealing);
    if about != About::OneAnnotator {
        return Answerers {
            about,
            annotators: dealing.count() as u64,
            answers,
            dealt: true,
            disowned,
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
        disowned,
    }
}

/// Why nobody stands by some of what the evidence counts, where that is so.
fn disowned(journal: &Journal, dealing: &Dealing) -> Option<Why> {
    // Second opinions prove nothing.
    let disowned = journal.disowned().filter(|put| put.second.is_none());
    let disowned: Vec<Put> = disowned.collect();
    let open = disowned.iter().filter(|put| journal.given(**put).is_none());
    match (open.count(), disowned.len()) {
        (0, 0) if dealing.is_consistent() => None,
        (0, _) => Some(Why::Corrected),
        (open, _) => Some(Why::TakenBack(open as u64)),
    }
}
