//! Judgments of the repeats of an output (epochs, trials), made into one: their mean, or the first.
//!
//! An item counts once, however often a system was asked: its repeats are no items.

use super::{grouped, merged};
use tiebreak_base::order::compare;
use tiebreak_data::records::index::{Group, GroupJudgment};

/// The judgments of one item, those of repeats of the same output together.
pub(crate) fn by_repeated(judgments: Vec<GroupJudgment>) -> Vec<Vec<GroupJudgment>> {
    let is_same = |one: &GroupJudgment, other: &GroupJudgment| {
        (one.system, one.criterion) == (other.system, other.criterion)
            && (&one.annotator, &one.part) == (&other.annotator, &other.part)
    };
    grouped(judgments, |one| one.repeat.is_some(), is_same)
}

/// The judgments of one item, those of repeats averaged at the place of the first of them.
pub(crate) fn averaged(judgments: Vec<GroupJudgment>) -> Vec<GroupJudgment> {
    if !has_repeats(&judgments) {
        return judgments;
    }
    let mean = |pieces: Vec<GroupJudgment>| {
        let mean = pieces.iter().map(|one| one.score).sum::<f64>() / pieces.len() as f64;
        merged(pieces, mean)
    };
    by_repeated(judgments).into_iter().map(mean).collect()
}

/// The item, with the judgments of repeats averaged.
pub(crate) fn averaged_group(group: Group) -> Group {
    let judgments = averaged(group.judgments);
    Group { judgments, ..group }
}

/// The judgments of one item, of repeats those of the first.
pub(super) fn first(judgments: Vec<GroupJudgment>) -> Vec<GroupJudgment> {
    if !has_repeats(&judgments) {
        return judgments;
    }
    let first = |pieces: Vec<GroupJudgment>| {
        let repeat = |one: &GroupJudgment| one.repeat.clone().unwrap_or_default();
        let pieces = pieces.into_iter();
        pieces.min_by(|one, other| compare(&repeat(one), &repeat(other)))
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
