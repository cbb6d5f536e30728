//! The standing of a campaign: strengths, the claim that its evidence supports, and the ranks this implies.
//!
//! Questions depended on answers, so intervals computed from the answers have no valid level. Strengths therefore have
//! none, and only the certificate decides ranks.

use super::claim::{self, Answerers};
use super::next::next_sheet;
use super::pairs::{PairCampaign, RunSnapshot};
use super::status::Questions;
use super::tally::Tally;
use std::collections::BTreeMap;
use tiebreak_base::claims::{Claim, ClaimPopulation, NoClaimReason};
use tiebreak_base::duel::{Arm, Outcome, Outlook, Pair};
use tiebreak_base::layout::two_digits;
use tiebreak_base::scope::PeopleScope;
use tiebreak_decide::estimators::bradley_terry::{
    ComparisonDetails, StrengthComparison, Strengths,
};
use tiebreak_decide::estimators::contrasts::Contrasts;
use tiebreak_decide::estimators::margins::{Margins, Reading};
use tiebreak_decide::evaluation::active::Stop;
use tiebreak_decide::feedback::PairQuestion;
use tiebreak_decide::feedback::dealing::{AnnotatorAssignment, People};
use tiebreak_decide::ranking::result::{
    CampaignFacts, CampaignState, Evidence, LargerLimit, RaisedBudget, Ranking, Ranks, Strength,
    StrengthScale,
};
use tiebreak_decide::ranking::{implied_ranks, listed_weights};
use tiebreak_stages::journal::Journal;
use tiebreak_stages::stages::simulate::credit;

/// Returns the standing of a campaign so far.
pub(super) fn standing(
    pairs: &PairCampaign<'_>,
    journal: &Journal,
    snapshot: &RunSnapshot,
    tally: &Tally<'_>,
) -> Ranking {
    let prepared = &pairs.prepared;
    let systems = prepared.source.systems();
    let answerers = answerers(journal, snapshot, tally);
    let listed = snapshot.dealing.people() == People::Listed;
    let fitted = fit(systems, &snapshot.readings, listed);
    let predicted = snapshot.readings.iter().filter(|one| one.answer.is_none());
    let by_people = snapshot.readings.iter().filter(|one| one.answer.is_some());
    let (given, tied): (Vec<&Reading>, Vec<&Reading>) =
        by_people.partition(|one| one.person.is_some());
    let drawn = given.len() as u64;
    let given = given
        .iter()
        .map(|one| (one.pair.lower_first(), one.item, one.person));
    let mut given: Vec<_> = given.collect();
    given.sort_unstable();
    given.dedup();
    let given = given.len() as u64;
    let tied = tied.len() as u64;
    let identical = pairs.identical();
    let claim = claim::claim(prepared, &snapshot.trace, answerers, &identical);
    let conduct = conduct(pairs, journal, (snapshot, tally), &claim);
    let ranks = implied_ranks(&claim);
    let strengths = in_order(fitted.strengths, &ranks, conduct.leader.as_deref());
    Ranking {
        systems: systems.to_vec(),
        ranks: like(ranks, &strengths),
        strengths,
        groups: Vec::new(),
        claim,
        people: PeopleScope::These,
        new_annotators: None,
        evidence: Evidence {
            answers: given,
            judge: None,
            unmet: 0,
            identical: tied,
            repeated: drawn - given,
            predictions: predicted.count() as u64,
            scale: fitted.scale,
            confidence: prepared.keys.choices.confidence.value(),
            sharing: 0,
            adaptive: true,
            unlinked: fitted.groups,
            reweighted: fitted.reweighted,
            unjudged: Vec::new(),
        },
        style: Vec::new(),
        against: None,
        position: None,
        slices: None,
        hints: Vec::new(),
        campaign: Some(conduct),
        seed: pairs.campaign_context.seed().0,
        signature: prepared.signature.to_string(),
    }
}

/// Returns a snapshot by the answers as they stand now, where some that the bandit heard were withdrawn or corrected: its
/// own probabilities rest on what no longer holds. Evidence stands where nothing was staked on them.
pub(super) fn corrected(
    pairs: &PairCampaign<'_>,
    journal: &Journal,
    mut snapshot: RunSnapshot,
) -> RunSnapshot {
    let mut now: BTreeMap<(Pair, u32, u32), Option<Outcome>> = BTreeMap::new();
    for put in journal.restated().filter(|put| put.second.is_none()) {
        if let Some(posed) = journal.question(put.id) {
            let PairQuestion { duel, sample } = posed.question;
            let given = journal.response(put);
            let outcome = given
                .and_then(|given| given.outcome)
                .map(|outcome| for_lower(duel.pair, outcome));
            let key = (duel.pair.lower_first(), sample.item, journal.person(put));
            now.insert(key, outcome);
        }
    }
    if now.is_empty() {
        return snapshot;
    }
    snapshot.readings.retain_mut(|one| {
        let key = |who| (one.pair.lower_first(), one.item, who);
        let Some(outcome) = one.person.and_then(|who| now.get(&key(who))) else {
            return true;
        };
        one.answer = outcome.map(|outcome| for_lower(one.pair, outcome));
        outcome.is_some()
    });
    let listed = snapshot.dealing.people() == People::Listed;
    let fitted = fit(pairs.prepared.source.systems(), &snapshot.readings, listed).strengths;
    let value = |arm: &Arm| fitted[arm.index()].strength;
    let known = pairs
        .prepared
        .setup
        .arms()
        .iter()
        .copied()
        .filter(|arm| value(arm).is_some());
    let leader = known.max_by(|a, b| {
        let order = value(a)
            .unwrap_or_default()
            .total_cmp(&value(b).unwrap_or_default());
        order.then(b.cmp(a))
    });
    let stands = disowned(journal, &snapshot.dealing, snapshot.trace.is_corrected).is_none();
    let before = std::mem::take(&mut snapshot.outlook);
    // Evidence is against the rivals of the bandit's own leader.
    let is_led = before.leader == leader || snapshot.trace.verdict.is_claim();
    snapshot.outlook = match stands && is_led {
        true => Outlook {
            chances: None,
            ..before
        },
        false => Outlook {
            leader,
            ..Outlook::default()
        },
    };
    snapshot
}

/// The outcome for the lower system of a pair, or of that for the first.
fn for_lower(pair: Pair, outcome: Outcome) -> Outcome {
    match pair.lower_first() == pair {
        true => outcome,
        false => outcome.flipped(),
    }
}

/// The strengths of all systems, by number.
struct FittedStrengths {
    strengths: Vec<Strength>,
    scale: StrengthScale,
    groups: u64,
    /// Whether answers count by weights, so that listed annotators weigh the same.
    reweighted: bool,
}

/// Fits strengths: in log-odds from answers of people, `listed` ones weighing the same; in margins where a model's
/// audited answers are among them, whose weights are the audit's.
fn fit(systems: &[String], readings: &[Reading], listed: bool) -> FittedStrengths {
    let answers = readings.iter().map(|one| one.comparison());
    if let Some(answers) = answers.collect::<Option<Vec<StrengthComparison>>>() {
        let people: Vec<Option<u32>> = readings.iter().map(|one| one.person).collect();
        let weights = listed.then(|| listed_weights(&answers, &people)).flatten();
        let details = ComparisonDetails {
            weights: weights.as_deref(),
            ..ComparisonDetails::default()
        };
        let fitted = Strengths::fit_detailed(systems.len(), &answers, details);
        let compared = |system| fitted.comparisons(system);
        return FittedStrengths {
            strengths: strengths(systems, &fitted, compared),
            scale: StrengthScale::LogOdds,
            groups: fitted.groups() as u64,
            reweighted: weights.is_some(),
        };
    }
    let fitted = Margins::fit(systems.len(), readings);
    let compared = |system| fitted.readings(system);
    let mut strengths = strengths(systems, &fitted, compared);
    // Strengths of systems that only a chain of others links add up the margins between.
    for one in &mut strengths {
        one.strength = one.strength.map(|strength| strength.clamp(-0.5, 0.5));
    }
    FittedStrengths {
        strengths,
        scale: StrengthScale::Margin,
        groups: fitted.groups() as u64,
        reweighted: false,
    }
}

/// Returns strengths without intervals; none for a system that was never compared.
fn strengths(
    systems: &[String],
    fitted: &impl Contrasts,
    compared: impl Fn(usize) -> u64,
) -> Vec<Strength> {
    let strength = |(system, name): (usize, &String)| {
        let comparisons = compared(system);
        Strength {
            system: name.clone(),
            strength: (comparisons > 0).then(|| fitted.strength(system).value),
            lower: None,
            upper: None,
            comparisons,
        }
    };
    systems.iter().enumerate().map(strength).collect()
}

/// Sorts by best rank, the leader first among equals, then by strength.
fn in_order(mut all: Vec<Strength>, ranks: &[Ranks], leader: Option<&str>) -> Vec<Strength> {
    let place = |one: &Strength| {
        let own = ranks.iter().find(|ranks| ranks.system == one.system);
        let first = own.map_or(u64::MAX, |ranks| ranks.rank_low);
        (first, leader != Some(one.system.as_str()))
    };
    let value = |one: &Strength| one.strength.unwrap_or(f64::NEG_INFINITY);
    all.sort_by(|a, b| {
        let strongest = value(b).total_cmp(&value(a));
        place(a).cmp(&place(b)).then(strongest)
    });
    all
}

/// Ranks in the order of strengths.
fn like(ranks: Vec<Ranks>, strengths: &[Strength]) -> Vec<Ranks> {
    let mut ranks = ranks;
    ranks.sort_by_key(|ranks| strengths.iter().position(|one| one.system == ranks.system));
    ranks
}

/// The state of a campaign after such a stop, with so many open questions. Of an `exhausted` one everything is answered, and
/// of one with `nothing_new` everything that it would ask.
fn state(
    claim: &Claim,
    stop: Stop,
    open: u64,
    [exhausted, nothing_new]: [bool; 2],
) -> CampaignState {
    let exhausted = exhausted || nothing_new && open == 0;
    match (&claim.why, stop) {
        (Some(NoClaimReason::Corrected), _) => CampaignState::Lost,
        (Some(NoClaimReason::TakenBack(_)), _) => CampaignState::TakenBack,
        (_, Stop::Certificate | Stop::Finished) => CampaignState::Over,
        _ if exhausted && claim.is_made() => CampaignState::Over,
        _ if exhausted => CampaignState::Exhausted,
        (_, Stop::Budget | Stop::Steps) if open == 0 => CampaignState::UsedUp,
        (_, Stop::Budget | Stop::Steps) => CampaignState::Waiting,
        _ if nothing_new => CampaignState::Waiting,
        (_, Stop::Ended) => CampaignState::Asking,
    }
}

fn conduct(
    pairs: &PairCampaign<'_>,
    journal: &Journal,
    (snapshot, tally): (&RunSnapshot, &Tally<'_>),
    claim: &Claim,
) -> CampaignFacts {
    let (prepared, trace) = (&pairs.prepared, &snapshot.trace);
    let (eliminated, _) = prepared.eliminated(std::slice::from_ref(trace));
    let name = |&arm| prepared.source.system(arm).to_string();
    let Questions {
        asked,
        answered,
        open,
        ..
    } = tally.questions;
    let exhausted = pairs.is_exhausted(journal, &snapshot.dealing);
    let state = state(claim, trace.stop, open, [exhausted, snapshot.nothing_new]);
    let heard = tally.evidence;
    let most = pairs.most_answers(&snapshot.dealing);
    let left = left(snapshot, heard).map(|left| left.min(most.saturating_sub(heard)));
    let left = left.filter(|&left| left > 0);
    CampaignFacts {
        bandit: prepared.keys.choices.bandit.to_string(),
        asked,
        answered,
        raised: raised(journal),
        model_answers: trace.model_answers,
        stopped: match trace.stop {
            Stop::Ended => None,
            reason => Some(format!("{reason:?}").to_lowercase()),
        },
        state,
        open,
        sheets: journal.sheets().len() as u64,
        next_sheet: next_sheet(snapshot.dealing.people(), journal),
        served: false,
        leader: snapshot.leader(answered).as_ref().map(name),
        larger: (state == CampaignState::UsedUp).then(|| {
            let (key, value) = pairs.larger_limit(trace, left);
            LargerLimit {
                key: key.to_string(),
                value,
            }
        }),
        left: left.filter(|_| state != CampaignState::Exhausted),
        unnamed: match tally.answered.iter().collect::<Vec<_>>()[..] {
            [(None, &nameless), (Some(_), _)] => nameless,
            _ => 0,
        },
        skipped: tally
            .skipped_of_list()
            .iter()
            .map(|one| one.questions)
            .sum(),
        renews: match trace.is_corrected && pairs.is_renewable() {
            true => journal.list().to_vec(),
            false => Vec::new(),
        },
        eliminated: eliminated.iter().map(name).collect(),
        predictions: credit::sum_up(prepared, std::slice::from_ref(trace)),
    }
}

/// The times when the budget was raised.
fn raised(journal: &Journal) -> Vec<RaisedBudget> {
    let raised = journal.growth().iter();
    raised
        .map(|growth| RaisedBudget {
            asked: growth.asked,
            budget: growth.limits.budget,
            hours: growth.limits.hours,
        })
        .collect()
}

/// The evidence below which the answers left are not estimated.
const EARLY: f64 = 0.1;

/// The estimated number of answers until a verdict, if evidence grows as before; such an estimate is worth two digits
/// only.
fn left(snapshot: &RunSnapshot, answered: u64) -> Option<u64> {
    let least = snapshot.outlook.least?;
    let is_open = matches!(
        snapshot.trace.stop,
        Stop::Ended | Stop::Budget | Stop::Steps
    );
    if !is_open || !(EARLY..1.0).contains(&least) {
        return None;
    }
    let left = (answered as f64 * (1.0 - least) / least).ceil();
    Some(two_digits(left) as u64)
}

/// The annotators who answered. Without a list questions are not dealt: the answers of one person, named or not, are
/// theirs; those of several support no claim about any of them.
fn answerers(journal: &Journal, snapshot: &RunSnapshot, tally: &Tally<'_>) -> Answerers {
    let RunSnapshot {
        trace,
        dealing,
        readings,
        ..
    } = snapshot;
    let (answers, is_answered) = (tally.evidence, tally.questions.answered > 0);
    let about = match dealing.people() {
        People::One => ClaimPopulation::OneAnnotator,
        People::Listed => ClaimPopulation::TheseAnnotators,
        People::Panel => ClaimPopulation::Panel,
    };
    let disowned = disowned(journal, dealing, trace.is_corrected);
    let model_answers = readings.iter().filter(|one| one.answer.is_none()).count() as u64;
    if about != ClaimPopulation::OneAnnotator {
        return Answerers {
            about,
            annotators: dealing.count() as u64,
            answers,
            model_answers,
            is_answered,
            dealt: true,
            disowned,
        };
    }
    let names = tally.answered.len();
    Answerers {
        about,
        annotators: names as u64,
        answers,
        model_answers,
        is_answered,
        dealt: names < 2,
        disowned,
    }
}

/// The reason why some answers in the evidence no longer hold, if there is one; `is_corrected` if the run staked
/// something on an answer that is another one now.
pub(super) fn disowned(
    journal: &Journal,
    dealing: &AnnotatorAssignment,
    is_corrected: bool,
) -> Option<NoClaimReason> {
    // Second opinions prove nothing.
    let disowned = journal.disowned().filter(|put| put.second.is_none());
    match disowned.count() {
        0 if is_corrected || !dealing.is_consistent() => Some(NoClaimReason::Corrected),
        0 => None,
        open => Some(NoClaimReason::TakenBack(open as u64)),
    }
}
