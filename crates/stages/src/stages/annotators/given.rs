//! Answers as they were given: by annotator, in the order of their rows.

use std::collections::BTreeMap;
use tiebreak_base::duel::Arm;
use tiebreak_data::records::index::{Group, GroupComparison, GroupJudgment};
use tiebreak_decide::annotators::checks::CheckedAnswer;
use tiebreak_decide::annotators::checks::speed::reading_length;

/// The rows of annotators with their places in the table.
#[derive(Default)]
pub(super) struct AnnotatorRows {
    rows: Vec<AnnotatorRow>,
    /// The number of units: an item is one, or a ranking of it.
    units: usize,
    /// The units of the latest item.
    of_item: (u64, BTreeMap<Option<String>, usize>),
}

/// An answer, small: there are as many as rows.
struct AnnotatorRow {
    annotator: u32,
    item: u32,
    unit: u32,
    systems: [Arm; 2],
    place: u64,
    value: f64,
    seconds: Option<f64>,
    to_read: Option<u32>,
}

impl AnnotatorRow {
    fn answer(&self) -> CheckedAnswer {
        CheckedAnswer {
            value: self.value,
            systems: self.systems.map(Arm::index),
            item: self.item as usize,
            unit: self.unit as usize,
            seconds: self.seconds,
            to_read: self.to_read.map(u64::from),
        }
    }
}

impl AnnotatorRows {
    /// Adds a comparison, unless its outputs are identical: only a tie can be the answer then.
    pub(super) fn compared(&mut self, annotator: usize, group: &Group, one: &GroupComparison) {
        let texts = [one.a, one.b].map(|system| group.output(system));
        if texts[0].is_some() && texts[0] == texts[1] {
            return;
        }
        let [a, b] = texts.map(|text| text.map_or(0, reading_length));
        let row = AnnotatorRow {
            annotator: annotator as u32,
            item: group.position as u32,
            unit: self.unit(group, one.ranking.as_ref()) as u32,
            systems: [one.a, one.b],
            place: one.place,
            value: one.outcome.value(),
            seconds: one.cost.seconds,
            to_read: Some(a.min(b) as u32),
        };
        self.rows.push(row);
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
        let row = AnnotatorRow {
            annotator: annotator as u32,
            item: group.position as u32,
            unit: self.unit(group, None) as u32,
            systems: [one.system; 2],
            place: one.place,
            value: one.score,
            seconds: one.seconds,
            to_read: read.then(|| group.output(one.system).map_or(0, reading_length) as u32),
        };
        self.rows.push(row);
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

    /// Gives each annotator the number at its place.
    pub(super) fn renumber(&mut self, places: &[usize]) {
        for row in &mut self.rows {
            row.annotator = places[row.annotator as usize] as u32;
        }
    }

    /// The rows of each of so many annotators, in the order of the table.
    pub(super) fn in_order(self, annotators: usize) -> Vec<Vec<CheckedAnswer>> {
        let mut rows = self.rows;
        rows.sort_by_key(|row| (row.annotator, row.place));
        let mut by_annotator = vec![Vec::new(); annotators];
        // From the last on, so that what is done can be given back.
        while let Some(annotator) = rows.last().map(|row| row.annotator) {
            let begin = rows.partition_point(|row| row.annotator < annotator);
            let own = rows.drain(begin..).map(|row| row.answer());
            by_annotator[annotator as usize] = own.collect();
            if 2 * rows.len() < rows.capacity() {
                rows.shrink_to_fit();
            }
        }
        by_annotator
    }
}
