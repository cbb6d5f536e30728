//! Answers as they were given: by annotator, in the order of their rows.

use tiebreak_base::duel::Arm;
use tiebreak_data::records::index::{Group, GroupComparison, GroupJudgment};
use tiebreak_decide::annotators::checks::CheckedAnswer;

/// The rows of each annotator with their places in the table.
pub(super) struct AnnotatorRows(Vec<Vec<(u64, CheckedAnswer)>>);

impl AnnotatorRows {
    /// Creates empty rows for that many annotators.
    pub(super) fn new(annotators: usize) -> Self {
        Self(vec![Vec::new(); annotators])
    }

    /// Adds a comparison, unless its outputs are identical: only a tie can be the answer then.
    pub(super) fn compared(&mut self, annotator: usize, group: &Group, one: &GroupComparison) {
        let texts = [one.a, one.b].map(|system| group.output(system));
        if texts[0].is_some() && texts[0] == texts[1] {
            return;
        }
        let lengths = texts.map(|text| text.map(characters));
        let [a, b] = lengths;
        let row = row(group, [one.a, one.b], one.outcome.value());
        let row = CheckedAnswer {
            seconds: one.cost.seconds,
            characters: a.zip(b).map(|(a, b)| a.min(b)),
            ..row
        };
        self.0[annotator].push((one.place, row));
    }

    /// Adds a judgment. The length that was read is known only where the judgment is the output's only
    /// one, and about all of it.
    pub(super) fn judged(
        &mut self,
        annotator: usize,
        group: &Group,
        one: &GroupJudgment,
        alone: bool,
    ) {
        let text = group.output(one.system);
        let read = alone && one.part.is_none();
        let row = CheckedAnswer {
            seconds: one.seconds,
            characters: text.filter(|_| read).map(characters),
            ..row(group, [one.system; 2], one.score)
        };
        self.0[annotator].push((one.place, row));
    }

    /// The rows of each annotator, in the order of the table.
    pub(super) fn in_order(&self) -> Vec<Vec<CheckedAnswer>> {
        let sorted = |rows: &Vec<(u64, CheckedAnswer)>| {
            let mut rows = rows.clone();
            rows.sort_by_key(|(place, _)| *place);
            rows.into_iter().map(|(_, row)| row).collect()
        };
        self.0.iter().map(sorted).collect()
    }
}

fn row(group: &Group, systems: [Arm; 2], value: f64) -> CheckedAnswer {
    CheckedAnswer {
        value,
        systems: systems.map(Arm::index),
        item: group.position as usize,
        seconds: None,
        characters: None,
    }
}

fn characters(text: &str) -> u64 {
    text.chars().count() as u64
}
