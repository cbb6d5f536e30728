//! Judgments of the repeats of an output (epochs, trials), made into one: their mean, or the first.
//!
//! An item counts once, however often a system was asked: its repeats are no items.

use super::{grouped, merged};
use tiebreak_base::order::compare;
use tiebreak_data::records::index::{Group, GroupJudgment};

/// The judgments of one item, those of repeats of the same output together.
fn by_repeated(judgments: Vec<GroupJudgment>) -> Vec<Vec<GroupJudgment>> {
    let is_same = |one: &GroupJudgment, other: &GroupJudgment| {
        (one.system, one.criterion) == (other.system, other.criterion)
            && (&one.annotator, &one.part) == (&other.annotator, &other.part)
    };
    grouped(judgments, |one| one.repeat.is_some(), is_same)
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
    judgments.iter().any(|one| one.repeat.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::duel::Arm;

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
            judgment(None, None, 0.25),
            judgment(None, None, 0.75),
        ];
        let scores = |judgments: Vec<GroupJudgment>| {
            let scores = judgments.iter().map(|one| (one.score, one.seconds));
            scores.collect::<Vec<_>>()
        };
        let (once, twice) = (Some(1.0), Some(2.0));
        let rest = [(0.0, once), (0.25, once), (0.75, once)];
        let with = |first| std::iter::once(first).chain(rest).collect::<Vec<_>>();
        assert_eq!(scores(averaged(all.clone())), with((0.5, twice)));
        assert_eq!(scores(first(all)), with((0.0, once)), "9 is before 10");
    }
}
