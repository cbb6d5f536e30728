//! Answers as they were given: by annotator, in the order of their rows.

use std::collections::BTreeMap;
use tiebreak_base::duel::Arm;
use tiebreak_data::records::index::{Group, GroupComparison, GroupJudgment};
use tiebreak_decide::annotators::checks::CheckedAnswer;
use tiebreak_decide::annotators::checks::speed::reading_length;

/// The rows of annotators with their places in the table.
pub(super) struct AnnotatorRows {
    annotators: usize,
    /// The annotator, the place and the answer of each row.
    rows: Vec<(usize, u64, CheckedAnswer)>,
    /// The number of units: an item is one, or a ranking of it.
    units: usize,
    /// The units of the latest item.
    of_item: (u64, BTreeMap<Option<String>, usize>),
}

impl AnnotatorRows {
    /// Creates empty rows for that many annotators.
    pub(super) fn new(annotators: usize) -> Self {
        Self {
            annotators,
            rows: Vec::new(),
            units: 0,
            of_item: (0, BTreeMap::new()),
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
        self.rows.push((annotator, one.place, row));
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
        self.rows.push((annotator, one.place, row));
    }

    /// The number of a unit; items come one after the other.
    fn unit(&mut self, group: &Group, ranking: Option<&String>) -> usize {
        let (item, units) = &mut self.of_item;
        if *item != group.position {
            *item = group.position;
            units.clear();
        }
        *units.entry(ranking.cloned()).or_insert_with(|| {
            self.units += 1;
            self.units - 1
        })
    }

    /// The rows of each annotator, in the order of the table.
    pub(super) fn in_order(&self) -> Vec<Vec<CheckedAnswer>> {
        let mut rows: Vec<&(usize, u64, CheckedAnswer)> = self.rows.iter().collect();
        rows.sort_by_key(|(annotator, place, _)| (*annotator, *place));
        let mut by_annotator = vec![Vec::new(); self.annotators];
        for rows in rows.chunk_by(|one, next| one.0 == next.0) {
            by_annotator[rows[0].0] = rows.iter().map(|row| row.2).collect();
        }
        by_annotator
    }
}
