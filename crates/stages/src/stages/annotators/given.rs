//! Answers as they were given: by annotator, in the order of their rows.

use std::collections::BTreeMap;
use tiebreak_base::duel::Arm;
use tiebreak_data::records::index::{Group, GroupComparison, GroupJudgment};
use tiebreak_decide::annotators::checks::CheckedAnswer;
use tiebreak_decide::annotators::checks::speed::reading_length;

/// The rows of each annotator with their places in the table.
pub(super) struct AnnotatorRows {
    rows: Vec<Vec<(u64, CheckedAnswer)>>,
    /// The numbers of units: of an item, or of a ranking of it.
    units: BTreeMap<(u64, Option<String>), usize>,
}

impl AnnotatorRows {
    /// Creates empty rows for that many annotators.
    pub(super) fn new(annotators: usize) -> Self {
        Self {
            rows: vec![Vec::new(); annotators],
            units: BTreeMap::new(),
        }
    }

    /// Adds a comparison, unless its outputs are identical: only a tie can be the answer then.
    pub(super) fn compared(&mut self, annotator: usize, group: &Group, one: &GroupComparison) {
        let texts = [one.a, one.b].map(|system| group.output(system));
        if texts[0].is_some() && texts[0] == texts[1] {
            return;
        }
        let [a, b] = texts.map(|text| text.map_or(0, reading_length));
        let row = CheckedAnswer {
            value: one.outcome.value(),
            systems: [one.a, one.b].map(Arm::index),
            item: group.position as usize,
            unit: self.unit(group, one.ranking.as_ref()),
            seconds: one.cost.seconds,
            to_read: Some(a.min(b)),
        };
        self.rows[annotator].push((one.place, row));
    }

    /// Adds a judgment. What was read for it is known only where the judgment is the output's only
    /// one, and about all of it.
    pub(super) fn judged(
        &mut self,
        annotator: usize,
        group: &Group,
        one: &GroupJudgment,
        alone: bool,
    ) {
        let read = alone && one.part.is_none();
        let row = CheckedAnswer {
            value: one.score,
            systems: [one.system.index(); 2],
            item: group.position as usize,
            unit: self.unit(group, None),
            seconds: one.seconds,
            to_read: read.then(|| group.output(one.system).map_or(0, reading_length)),
        };
        self.rows[annotator].push((one.place, row));
    }

    fn unit(&mut self, group: &Group, ranking: Option<&String>) -> usize {
        let next = self.units.len();
        let key = (group.position, ranking.cloned());
        *self.units.entry(key).or_insert(next)
    }

    /// The rows of each annotator, in the order of the table.
    pub(super) fn in_order(&self) -> Vec<Vec<CheckedAnswer>> {
        let sorted = |rows: &Vec<(u64, CheckedAnswer)>| {
            let mut rows = rows.clone();
            rows.sort_by_key(|(place, _)| *place);
            rows.into_iter().map(|(_, row)| row).collect()
        };
        self.rows.iter().map(sorted).collect()
    }
}
