//! Answers as they were given: by annotator, in the order of their rows.

use std::collections::BTreeMap;
use tiebreak_data::records::index::{Group, GroupComparison, GroupJudgment};
use tiebreak_decide::annotators::checks::CheckedAnswer;
use tiebreak_decide::annotators::checks::speed::reading_length;

/// The rows of annotators with their places in the table.
#[derive(Default)]
pub(super) struct AnnotatorRows {
    rows: Vec<AnnotatorRow>,
    /// The number of units: an item is one, or a ranking of it.
    units: u32,
    /// The units of the latest item.
    of_item: (u64, BTreeMap<Option<String>, u32>),
}

/// An answer with the place of its row.
struct AnnotatorRow {
    annotator: u32,
    place: u64,
    answer: CheckedAnswer,
}

/// The answers of all annotators, one annotator after the other.
pub(super) struct AnswersByAnnotator {
    answers: Vec<CheckedAnswer>,
    /// The number of answers of each annotator.
    counts: Vec<usize>,
}

impl AnswersByAnnotator {
    /// The answers of each annotator.
    pub(super) fn each(&self) -> Vec<&[CheckedAnswer]> {
        let mut rest = &self.answers[..];
        let own = |&count: &usize| rest.split_off(..count).unwrap_or_default();
        self.counts.iter().map(own).collect()
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
        let answer = CheckedAnswer {
            value: one.outcome.value(),
            systems: [one.a, one.b],
            item: group.position as u32,
            unit: self.unit(group, one.ranking.as_ref()),
            seconds: one.cost.seconds,
            to_read: Some(a.min(b)),
        };
        self.push(annotator, one.place, answer);
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
        let answer = CheckedAnswer {
            value: one.score,
            systems: [one.system; 2],
            item: group.position as u32,
            unit: self.unit(group, None),
            seconds: one.seconds,
            to_read: read.then(|| group.output(one.system).map_or(0, reading_length)),
        };
        self.push(annotator, one.place, answer);
    }

    fn push(&mut self, annotator: usize, place: u64, answer: CheckedAnswer) {
        self.rows.push(AnnotatorRow {
            annotator: annotator as u32,
            place,
            answer,
        });
    }

    /// The number of a unit; items come one after the other.
    fn unit(&mut self, group: &Group, ranking: Option<&String>) -> u32 {
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

    /// The answers of so many annotators, each one's in the order of the table.
    pub(super) fn in_order(self, annotators: usize) -> AnswersByAnnotator {
        let mut rows = self.rows;
        rows.sort_unstable_by_key(|row| (row.annotator, row.place));
        let mut counts = vec![0; annotators];
        for row in &rows {
            counts[row.annotator as usize] += 1;
        }
        // In the memory of the rows.
        let answers = rows.into_iter().map(|row| row.answer).collect();
        AnswersByAnnotator { answers, counts }
    }
}
