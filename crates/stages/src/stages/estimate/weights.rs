//! The weights of annotators in means, and what they leave open, in sentences.

use super::CriterionAssignments;
use crate::report::distinct;
use std::collections::{BTreeMap, BTreeSet};
use tiebreak_base::layout::decimals;
use tiebreak_base::stats::moments::{JointMoments, Moments};
use tiebreak_base::words::listed;
use tiebreak_decide::estimators::{AnnotatorWeights, Judgments};

/// The share of the weight that would change its item if all items of a system weighed the same, up to which nothing is
/// said: as many judgments at random leave less.
const EVEN: f64 = 0.25;

/// The correlation of items' scores with their numbers of judgments, times the root of the items, from which it is said:
/// chance has it in one of a thousand systems.
const UNLIKE: f64 = 3.3;

/// The place of the criteria in a sentence that may hold for several.
const CRITERIA: &str = "{criteria}";

/// Sentences on annotators, each with the criteria that it holds for.
#[derive(Default)]
pub(super) struct WeightHints<'a>(Vec<(String, Vec<&'a str>)>);

impl<'a> WeightHints<'a> {
    /// Adds the sentence on the annotators of a criterion.
    pub(super) fn add(&mut self, criterion: &'a str, hint: String) {
        match self.0.iter_mut().find(|(known, _)| *known == hint) {
            Some((_, criteria)) => criteria.push(criterion),
            None => self.0.push((hint, vec![criterion])),
        }
    }

    /// Returns the sentences, each once.
    pub(super) fn sentences(&self) -> impl Iterator<Item = String> {
        let told =
            |(hint, criteria): &(String, Vec<&str>)| hint.replace(CRITERIA, &listed(criteria));
        self.0.iter().map(told)
    }
}

/// The sentence on the annotators of a criterion, for [`WeightHints`]; `None` where each counts as often as they judged, the
/// same for all systems. `is_weighed`: the estimator weighs annotators.
pub(super) fn hint(
    dealt: &CriterionAssignments,
    is_weighed: bool,
    systems: &[String],
    annotators: &[String],
) -> Option<String> {
    if dealt.dealing.is_apart() {
        return Some(format!(
            "Some annotators did not judge every system under {CRITERIA}. So means may also differ by who judged."
        ));
    }
    let lacking = dealt.dealing.lacking().filter(|_| is_weighed)?;
    let names = |who: &[Option<u32>]| {
        let who = who.iter().flatten();
        distinct(who.map(|&at| annotators[at as usize].as_str()))
    };
    let left = dealt.dealing.left().map(|left| names(&left));
    let left = left.iter().zip([
        "No longer listed, but weighing the same",
        "No longer listed, and left out, with fewer than two outputs of a system",
    ]);
    let left = left.filter(|(who, _)| !who.is_empty());
    let left = left.map(|(who, what)| format!(" {what}: {}.", listed(who)));
    let left: String = left.collect();
    let who: Vec<Option<u32>> = lacking.iter().map(|one| one.annotator).collect();
    let who = names(&who);
    if who.is_empty() {
        return Some(format!("Each listed annotator weighs the same.{left}"));
    }
    let systems_lacked: BTreeSet<usize> = lacking.iter().map(|one| one.system).collect();
    let (about, difference) = match systems_lacked.len() == dealt.systems.len() {
        true => ("all systems".to_string(), "no difference".to_string()),
        false => {
            let names = systems_lacked
                .iter()
                .map(|&at| systems[dealt.systems[at]].as_str());
            let names = listed(&names.collect::<Vec<_>>());
            let difference = format!("no difference from {names}");
            (names, difference)
        }
    };
    // Where all of them lack a system, its mean is that of its judgments.
    let people = dealt.dealing.weights().map_or(0, AnnotatorWeights::people);
    let of_nobody = |system: usize| {
        let lacking = lacking.iter().filter(|one| one.system == system);
        lacking.count() == people
    };
    let count = systems_lacked
        .iter()
        .filter(|&&system| of_nobody(system))
        .count();
    let means = match count {
        0 => format!("means of {about} are without them"),
        all if all == systems_lacked.len() => format!("means of {about} are of all judgments"),
        _ => "their judgments count only where no annotator judged two".to_string(),
    };
    Some(format!(
        "{CRITERIA}: listed annotators weigh the same, but {} judged fewer than two outputs of {about}. Until they judge \
         two, {means}, and {difference} is tested. Leave them off the list if they will not.{left}",
        listed(&who)
    ))
}

/// The sentence on items that weigh more in means over judgments, since they have more of them; `None` where their numbers
/// are much alike.
pub(super) fn uneven_hint<'a>(
    criterion: &str,
    systems: impl Iterator<Item = (&'a str, &'a Judgments)>,
) -> Option<String> {
    let which = uneven(systems)?;
    Some(format!(
        "Items with more judgments weigh more under {criterion}: {which}. In a gate all items weigh the same."
    ))
}

/// Which items weigh more in means over judgments, since they have more of them: "for b, 10 of 60 items have 67 % of the
/// judgments, and lower scores". `None` where their numbers are much alike and have nothing to do with scores. It is about
/// the system with the most uneven ones.
pub(in crate::stages) fn uneven<'a>(
    systems: impl Iterator<Item = (&'a str, &'a Judgments)>,
) -> Option<String> {
    let weighty = |(system, judged): (&'a str, &'a Judgments)| {
        let mut scores: BTreeMap<u32, Moments> = BTreeMap::new();
        for one in judged.rows() {
            scores.entry(one.item).or_default().push(one.y);
        }
        let (judgments, items) = (judged.len() as u64, scores.len() as u64);
        let numbers = scores.values().map(Moments::count);
        let above = numbers.filter(|n| n * items > judgments);
        let (heavy, held) = above.fold((0, 0), |(heavy, held), n| (heavy + 1, held + n));
        let weight = held as f64 / judgments as f64;
        let both = scores
            .values()
            .filter_map(|one| Some((one.count() as f64, one.mean()?)));
        let both: JointMoments = both.collect();
        let unlike = both.correlation().unwrap_or_default() * (items as f64).sqrt();
        let which = match unlike {
            _ if unlike.abs() < UNLIKE => "",
            _ if unlike < 0.0 => ", and lower scores",
            _ => ", and higher scores",
        };
        let excess = weight - heavy as f64 / items as f64;
        let is_told = excess > EVEN || !which.is_empty();
        is_told.then(|| {
            let share = decimals(100.0 * weight, 0);
            let told = format!(
                "for {system}, {heavy} of {items} items have {share} % of the judgments{which}"
            );
            (excess, told)
        })
    };
    let told = systems.filter_map(weighty);
    told.max_by(|one, other| one.0.total_cmp(&other.0))
        .map(|one| one.1)
}

/// The sentence on an estimator that cannot weigh annotators though their shares differ.
pub(super) fn unweighed(criterion: &str, estimator: &str) -> String {
    format!(
        "Annotators judged in different shares under {criterion}, and {estimator} does not weigh them. So means may also \
         differ by who judged. The estimator `mean` weighs them."
    )
}
