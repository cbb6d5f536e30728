//! Judgments of the repeats of an output (epochs, trials), made into one: their mean, or the first.
//!
//! An item counts once, however often a system was asked: its repeats are no items. What one annotator says again of the
//! same output is a repeat, too, whether or not it is called so; rows without a name may be of several annotators.

use super::{grouped, merged};
use std::collections::BTreeSet;
use tiebreak_base::duel::Arm;
use tiebreak_base::order::compare;
use tiebreak_data::records::index::{Group, GroupJudgment};

/// The judgments of one item, those of repeats of the same output together.
fn by_repeated(judgments: Vec<GroupJudgment>) -> Vec<Vec<GroupJudgment>> {
    grouped(judgments, may_repeat, |one, other| key(one) == key(other))
}

fn may_repeat(one: &GroupJudgment) -> bool {
    one.repeat.is_some() || one.annotator.is_some()
}

fn key(one: &GroupJudgment) -> (Arm, usize, Option<&str>, Option<&str>) {
    let (annotator, part) = (one.annotator.as_deref(), one.part.as_deref());
    (one.system, one.criterion, annotator, part)
}

/// The judgments of one item, those of repeats averaged at the place of the first of them.
pub(super) fn averaged(judgments: Vec<GroupJudgment>) -> Vec<GroupJudgment> {
    averaged_with(judgments, |_| ())
}

/// As [`averaged`]; where there are repeats, `meet` gets the judgments of each output first.
pub(crate) fn averaged_with(
    judgments: Vec<GroupJudgment>,
    mut meet: impl FnMut(&[GroupJudgment]),
) -> Vec<GroupJudgment> {
    if !has_repeats(&judgments) {
        return judgments;
    }
    let mean = |pieces: Vec<GroupJudgment>| {
        meet(&pieces);
        let mean = pieces.iter().map(|one| one.score).sum::<f64>() / pieces.len() as f64;
        merged(pieces, mean)
    };
    by_repeated(judgments).into_iter().map(mean).collect()
}

/// The items, with the judgments of repeats averaged.
pub(crate) fn averaged_groups(groups: Vec<Group>) -> Vec<Group> {
    let average = |group: Group| {
        let judgments = averaged(group.judgments);
        Group { judgments, ..group }
    };
    groups.into_iter().map(average).collect()
}

/// The items, with the judgments of repeats that are called so averaged. What an annotator says again stays.
pub(crate) fn averaged_trials(mut groups: Vec<Group>) -> Vec<Group> {
    for group in &mut groups {
        let judgments = std::mem::take(&mut group.judgments);
        let (trials, others): (Vec<_>, Vec<_>) =
            judgments.into_iter().partition(|one| one.repeat.is_some());
        group.judgments = averaged(trials);
        group.judgments.extend(others);
    }
    groups
}

/// The judgments of one item, of repeats those of the first.
pub(super) fn first(judgments: Vec<GroupJudgment>) -> Vec<GroupJudgment> {
    if !has_repeats(&judgments) {
        return judgments;
    }
    let first = |pieces: Vec<GroupJudgment>| {
        let pieces = pieces.into_iter();
        pieces.min_by(|one, other| {
            let [one, other] = [one, other].map(|one| one.repeat.as_deref().unwrap_or_default());
            compare(one, other)
        })
    };
    by_repeated(judgments)
        .into_iter()
        .filter_map(first)
        .collect()
}

fn has_repeats(judgments: &[GroupJudgment]) -> bool {
    let mut met = BTreeSet::new();
    judgments
        .iter()
        .any(|one| one.repeat.is_some() || (may_repeat(one) && !met.insert(key(one))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judgment(annotator: Option<&str>, repeat: Option<&str>, score: f64) -> GroupJudgment {
        GroupJudgment {
            system: Arm(0),
            criterion: 0,
            score,
            annotator: annotator.map(str::to_string),
            part: None,
            repeat: repeat.map(str::to_string),
            post_edit: None,
            seconds: Some(1.0),
            place: 0,
        }
    }

    #[test]
    fn repeats_are_averaged_by_annotator_or_the_first_is_taken() {
        let all = vec![
            judgment(None, Some("10"), 1.0),
            judgment(Some("ana"), Some("1"), 0.0),
            judgment(None, Some("9"), 0.0),
            judgment(Some("ben"), None, 1.0),
            judgment(Some("ben"), None, 1.0),
            judgment(None, None, 0.25),
            judgment(None, None, 0.75),
        ];
        let scores = |judgments: Vec<GroupJudgment>| {
            let scores = judgments.iter().map(|one| (one.score, one.seconds));
            scores.collect::<Vec<_>>()
        };
        let (once, twice) = (Some(1.0), Some(2.0));
        let with = |first, ben| vec![first, (0.0, once), ben, (0.25, once), (0.75, once)];
        let means = scores(averaged(all.clone()));
        assert_eq!(means, with((0.5, twice), (1.0, twice)));
        let firsts = scores(first(all));
        assert_eq!(firsts, with((0.0, once), (1.0, once)), "9 is before 10");
    }
}
