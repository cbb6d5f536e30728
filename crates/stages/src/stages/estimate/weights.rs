//! The weights of annotators in means, and what they leave open, in sentences.

use super::CriterionAssignments;
use crate::report::distinct;
use std::collections::BTreeSet;
use tiebreak_base::words::listed;
use tiebreak_decide::estimators::{AnnotatorWeights, ItemWeights, Judgments, uneven_items};

/// The place of the criteria in a sentence that may hold for several.
pub(super) const CRITERIA: &str = "{criteria}";

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
    let names = |who: &[Option<u32>]| {
        let who = who.iter().flatten();
        distinct(who.map(|&at| annotators[at as usize].as_str()))
    };
    let left_out = dealt.dealing.left_out();
    if is_weighed && !left_out.is_empty() {
        let mut who = names(&left_out);
        who.extend(left_out.contains(&None).then_some("those without a name"));
        return Some(format!(
            "{CRITERIA}: systems went to annotators in different shares. So nothing counts of those who judged fewer than \
             two outputs of some system: {}.",
            listed(&who)
        ));
    }
    let lacking = dealt.dealing.lacking().filter(|_| is_weighed)?;
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

/// Which items weigh more in means over judgments of some systems (see `estimators::uneven_items`).
pub(in crate::stages) fn uneven<'a>(
    systems: impl Iterator<Item = (&'a str, &'a Judgments)>,
) -> Option<String> {
    let weighed = systems.filter_map(|(system, judged)| {
        let scores = judged.rows().map(|one| (one.item, one.y));
        Some((system, ItemWeights::new(scores)?))
    });
    uneven_items(&weighed.collect::<Vec<_>>())
}

/// The sentence on systems whose judged outputs a metric chose, while the estimator takes chance to have chosen them.
pub(super) fn chosen(criterion: &str, systems: &[&str]) -> String {
    format!(
        "The outputs of {} that were judged under {criterion} have other metric scores than the rest, beyond chance. Means and \
         intervals take them as chosen by chance, and may be wrong. The estimator `regression` needs that less: it takes \
         judgments to follow the scores in a line.",
        listed(systems)
    )
}

/// The sentence on an estimator that cannot weigh annotators though their shares differ.
pub(super) fn unweighed(criterion: &str, estimator: &str) -> String {
    format!(
        "Annotators judged in different shares under {criterion}, and {estimator} does not weigh them. So means may also \
         differ by who judged. The estimator `mean` weighs them."
    )
}
