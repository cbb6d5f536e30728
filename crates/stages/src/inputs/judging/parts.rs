//! Judgments of an item's parts, made into one of the whole.
//!
//! Source: Chaganty, Mussmann and Liang, ACL 2018: an answer is judged against each passage it may come
//! from; `AvgCorrect` is the mean over the passages, `AnyCorrect` whether any supports it.
//!
//! Each annotator's judgments of an output under a criterion become one; those without a name count
//! as one person's. Judgments that name no part are of the whole, and stay as they are. *Any* is the
//! highest judgment, so it needs no scale from 0 to 1.

use super::{grouped, merged};
use serde::{Deserialize, Serialize};
use tiebreak_base::keys::name_of;
use tiebreak_data::records::index::GroupJudgment;

/// The rule that combines the judgments of parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PartsRule {
    /// Their mean.
    Mean,
    /// The highest of them.
    Any,
}

/// The judgments of one item, those of parts joined at the place of the first of them.
pub(super) fn joined(judgments: Vec<GroupJudgment>, how: PartsRule) -> Vec<GroupJudgment> {
    let is_same = |one: &GroupJudgment, other: &GroupJudgment| {
        (one.system, one.criterion) == (other.system, other.criterion)
            && (&one.annotator, &one.repeat) == (&other.annotator, &other.repeat)
    };
    let whole = |pieces: Vec<GroupJudgment>| {
        let scores: Vec<f64> = pieces.iter().map(|one| one.score).collect();
        GroupJudgment {
            part: None,
            ..merged(pieces, how.combine(&scores))
        }
    };
    let groups = grouped(judgments, |one| one.part.is_some(), is_same);
    groups.into_iter().map(whole).collect()
}

impl PartsRule {
    /// Combines these judgments, of which there is at least one.
    fn combine(self, scores: &[f64]) -> f64 {
        match self {
            Self::Mean => scores.iter().sum::<f64>() / scores.len() as f64,
            Self::Any => scores.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        }
    }

    /// The name in flags and files.
    pub(crate) fn name(self) -> String {
        name_of(&self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::duel::Arm;

    fn judgment(annotator: &str, part: Option<&str>, score: f64) -> GroupJudgment {
        GroupJudgment {
            system: Arm(0),
            criterion: 0,
            score,
            annotator: Some(annotator.to_string()),
            part: part.map(str::to_string),
            repeat: None,
            post_edit: None,
            seconds: Some(1.0),
            place: 0,
        }
    }

    #[test]
    fn each_annotator_gives_one_judgment_of_the_whole() {
        let all = vec![
            judgment("a", Some("1"), 0.0),
            judgment("b", Some("1"), 0.0),
            judgment("a", Some("2"), 1.0),
            judgment("b", Some("2"), 0.0),
            judgment("a", None, 0.25),
            judgment("a", Some("3"), 0.5),
        ];
        let of = |how| -> Vec<(f64, Option<f64>)> {
            let joined = joined(all.clone(), how);
            assert!(joined.iter().all(|one| one.part.is_none()));
            joined.iter().map(|one| (one.score, one.seconds)).collect()
        };
        let seconds = [Some(3.0), Some(2.0), Some(1.0)];
        let with = |scores: [f64; 3]| scores.into_iter().zip(seconds).collect::<Vec<_>>();
        assert_eq!(of(PartsRule::Mean), with([0.5, 0.0, 0.25]));
        assert_eq!(of(PartsRule::Any), with([1.0, 0.0, 0.25]));
    }

    #[test]
    fn negative_scales_have_a_highest_too() {
        assert_eq!(PartsRule::Any.combine(&[-2.0, -1.0]), -1.0);
    }
}
