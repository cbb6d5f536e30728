//! External merge sort: records by item, records of one item in their input order, in bounded
//! memory.
//!
//! Records gather in buffers; when these are full they are sorted and written out as a run. At the end
//! the runs are merged, at most [`FAN_IN`] at a time, so that neither memory nor open files grow
//! with the data. Both steps are stable, and runs are merged in the order they were written. The last merge is one of
//! items and places: threads read the bodies side by side.
//!
//! Consecutive rows of one item are one record: most tables are written item by item, so
//! neither step is about single rows.

use super::codec::ByteEncoder;
use super::runs::{Bodies, BodyPlace, BodyReader, Merge, Run, RunWriter, Runs};
use std::cmp::Ordering;
use std::iter;
use std::sync::Arc;
use tiebreak_base::disk::Scratch;
use tiebreak_base::error::Result;
use tiebreak_base::order;

/// Most bytes of the length of a row.
const LENGTH: usize = 10;

/// Most runs merged at once.
const FAN_IN: usize = 64;

/// Most runs whose records are left in place and read one by one: each is a file to open and a buffer.
const FEW: usize = 8;

/// Bytes at which a record takes no more rows, so that one record of every merged run fits in memory.
const ENOUGH: usize = 1 << 16;

/// A sorter of rows, added in any order.
#[derive(Default)]
pub(super) struct Sorter {
    budget: usize,
    items: Vec<u8>,
    bodies: Vec<u8>,
    records: Vec<RecordSpan>,
    /// The folder of the runs; made when the first is written, removed when dropped.
    folder: Option<Scratch>,
    runs: Vec<Run>,
    written: usize,
}

/// The place of a record in the buffers of items and of bodies.
#[derive(Clone, Copy)]
struct RecordSpan {
    number: u64,
    item: [usize; 2],
    body: [usize; 2],
}

impl RecordSpan {
    fn item<'a>(&self, items: &'a [u8]) -> &'a [u8] {
        &items[self.item[0]..self.item[1]]
    }

    fn body<'a>(&self, bodies: &'a [u8]) -> &'a [u8] {
        &bodies[self.body[0]..self.body[1]]
    }

    fn length(&self) -> usize {
        self.body[1] - self.body[0]
    }

    fn compare(&self, other: &Self, items: &[u8]) -> Ordering {
        let by_value = self.number.cmp(&other.number);
        by_value.then_with(|| self.item(items).cmp(other.item(items)))
    }
}

impl Sorter {
    /// Creates a sorter that holds about `budget` bytes of records in memory.
    pub(super) fn new(budget: usize) -> Self {
        Self {
            budget,
            ..Self::default()
        }
    }

    /// Adds a row, which is given in two parts.
    pub(super) fn push(&mut self, item: &[u8], head: &[u8], rest: &[u8]) -> Result<()> {
        let row = head.len() + rest.len();
        let size = item.len() + row + LENGTH + size_of::<RecordSpan>();
        let spans = self.records.len() * size_of::<RecordSpan>();
        let held = self.items.len() + self.bodies.len() + spans;
        if !self.records.is_empty() && held + size > self.budget {
            self.spill()?;
        }
        let items = &self.items;
        let goes_on = |last: &RecordSpan| last.item(items) == item && last.length() < ENOUGH;
        if !self.records.last().is_some_and(goes_on) {
            let (start, body) = (self.items.len(), self.bodies.len());
            self.items.extend_from_slice(item);
            self.records.push(RecordSpan {
                number: order::number(item),
                item: [start, self.items.len()],
                body: [body; 2],
            });
        }
        self.bodies.put(row as u64);
        self.bodies.extend_from_slice(head);
        self.bodies.extend_from_slice(rest);
        if let Some(record) = self.records.last_mut() {
            record.body[1] = self.bodies.len();
        }
        Ok(())
    }

    /// Returns the records in order.
    pub(super) fn finish(mut self) -> Result<SortedRecords> {
        if !self.runs.is_empty() {
            self.spill()?;
        }
        while self.runs.len() > FAN_IN {
            self.merge_pass()?;
        }
        let Some(folder) = self.folder else {
            self.sort();
            return Ok(SortedRecords {
                order: RecordOrder::Memory {
                    items: self.items,
                    records: self.records.into_iter(),
                },
                bodies: Arc::new(Bodies::Memory(self.bodies)),
                runs: None,
                reader: None,
            });
        };
        Ok(SortedRecords {
            order: RecordOrder::Merge(Merge::open(&self.runs)?),
            bodies: Arc::new(Bodies::open(&self.runs)?),
            runs: Some(Arc::new(Runs {
                all: self.runs,
                _folder: folder,
            })),
            reader: None,
        })
    }

    fn sort(&mut self) {
        let items = &self.items;
        self.records.sort_by(|a, b| a.compare(b, items));
    }

    fn spill(&mut self) -> Result<()> {
        let mut run = self.new_run()?;
        let items = &self.items;
        let records = &self.records;
        if records.is_sorted_by(|a, b| a.compare(b, items).is_le()) {
            run.body(&self.bodies)?;
            let mut records = self.records.iter();
            records.try_for_each(|one| run.item(one.item(items), one.length() as u64))?;
        } else {
            self.sort();
            self.write_sorted(&mut run)?;
        }
        self.runs.push(run.finish()?);
        self.items.clear();
        self.bodies.clear();
        self.records.clear();
        Ok(())
    }

    /// Writes the records in their sorted order, those of one item as one.
    fn write_sorted(&self, run: &mut RunWriter) -> Result<()> {
        let items = &self.items;
        let mut rest = &self.records[..];
        while let Some(first) = rest.first() {
            let mut bytes = 0;
            let goes_on = |part: &&RecordSpan| {
                let before = bytes;
                bytes += part.length();
                before < ENOUGH && part.item(items) == first.item(items)
            };
            let (record, after) = rest.split_at(rest.iter().take_while(goes_on).count());
            let length = record.iter().map(|part| part.length() as u64).sum();
            run.item(first.item(items), length)?;
            let mut bodies = record.iter().map(|part| part.body(&self.bodies));
            bodies.try_for_each(|body| run.body(body))?;
            rest = after;
        }
        Ok(())
    }

    /// Merges neighbouring runs, so that fewer are left.
    fn merge_pass(&mut self) -> Result<()> {
        let mut merged = Vec::new();
        for runs in std::mem::take(&mut self.runs).chunks(FAN_IN) {
            let (mut merge, mut bodies) = (Merge::open(runs)?, BodyReader::open(runs)?);
            let mut run = self.new_run()?;
            let mut body = Vec::new();
            while let Some(item) = merge.item().map(<[u8]>::to_vec) {
                body.clear();
                if let Some(place) = merge.take()? {
                    bodies.read(place, &mut body)?;
                }
                run.item(&item, body.len() as u64)?;
                run.body(&body)?;
            }
            merged.push(run.finish()?);
            runs.iter().try_for_each(Run::remove)?;
        }
        self.runs = merged;
        Ok(())
    }

    fn new_run(&mut self) -> Result<RunWriter> {
        let folder = match self.folder.take() {
            Some(folder) => folder,
            None => Scratch::new()?,
        };
        let run = RunWriter::create(folder.path(), self.written);
        self.folder = Some(folder);
        self.written += 1;
        run
    }
}

/// Records in their order: their items one after the other, and the places of their bodies.
pub(super) struct SortedRecords {
    order: RecordOrder,
    bodies: Arc<Bodies>,
    runs: Option<Arc<Runs>>,
    /// The reader of bodies one after the other, where they are in runs; opened for the first.
    reader: Option<BodyReader>,
}

enum RecordOrder {
    Memory {
        items: Vec<u8>,
        records: std::vec::IntoIter<RecordSpan>,
    },
    Merge(Merge),
}

impl SortedRecords {
    /// The runs, if they are so few that the bodies can stay in them.
    pub(super) fn lent(&self) -> Option<&Arc<Runs>> {
        self.runs.as_ref().filter(|runs| runs.all.len() <= FEW)
    }

    /// The bodies of the records.
    pub(super) fn bodies(&self) -> &Arc<Bodies> {
        &self.bodies
    }

    /// Returns the item of the next record; `None` at the end.
    pub(super) fn item(&self) -> Option<&[u8]> {
        match &self.order {
            RecordOrder::Memory { items, records } => Some(records.as_slice().first()?.item(items)),
            RecordOrder::Merge(merge) => merge.item(),
        }
    }

    /// Passes the next record; returns the place of its body.
    pub(super) fn take(&mut self) -> Result<Option<BodyPlace>> {
        match &mut self.order {
            RecordOrder::Memory { records, .. } => Ok(records.next().map(|span| BodyPlace {
                run: 0,
                byte: span.body[0] as u64,
                length: span.length() as u64,
            })),
            RecordOrder::Merge(merge) => merge.take(),
        }
    }

    /// Passes the next record; appends its body to `rows`.
    pub(super) fn take_body(&mut self, rows: &mut Vec<u8>) -> Result<()> {
        let Some(place) = self.take()? else {
            return Ok(());
        };
        let Some(runs) = &self.runs else {
            rows.extend_from_slice(self.bodies.read(iter::once(&place))?.at(&place));
            return Ok(());
        };
        let reader = match &mut self.reader {
            Some(reader) => reader,
            None => self.reader.insert(BodyReader::open(&runs.all)?),
        };
        reader.read(place, rows)
    }
}

#[cfg(test)]
mod tests {
    use super::super::runs::rows;
    use super::*;
    use tiebreak_base::rng::Seed;

    fn sorted(records: &[(String, u32)], budget: usize) -> (Vec<(String, u32)>, usize) {
        let mut sorter = Sorter::new(budget);
        for (item, body) in records {
            sorter
                .push(item.as_bytes(), &body.to_le_bytes(), &[])
                .unwrap();
        }
        let runs = sorter.runs.len();
        let mut sorted = sorter.finish().unwrap();
        let bodies = Arc::clone(sorted.bodies());
        let mut all = Vec::new();
        while let Some(item) = sorted.item().map(<[u8]>::to_vec) {
            let place = sorted.take().unwrap().unwrap();
            let read = bodies.read(iter::once(&place)).unwrap();
            for row in rows(read.at(&place)) {
                let body = u32::from_le_bytes(row.unwrap().try_into().unwrap());
                all.push((String::from_utf8(item.clone()).unwrap(), body));
            }
        }
        (all, runs)
    }

    #[test]
    fn any_budget_gives_the_same_stable_order() {
        let mut rng = Seed(1).stream("test", 0);
        let records: Vec<(String, u32)> = (0..6000)
            .map(|n| match rng.below(700) {
                name if name % 3 == 0 => (format!("name {name}"), n),
                number => (number.to_string(), n),
            })
            .collect();
        let mut expected = records.clone();
        expected.sort_by(|a, b| order::compare(&a.0, &b.0).then(a.1.cmp(&b.1)));
        let (in_memory, runs) = sorted(&records, usize::MAX);
        assert_eq!((in_memory == expected, runs), (true, 0));
        let (one_pass, runs) = sorted(&records, 20_000);
        assert!(
            one_pass == expected && (2..FAN_IN).contains(&runs),
            "{runs}"
        );
        let (several_passes, runs) = sorted(&records, 1);
        assert!(
            several_passes == expected && runs > FAN_IN * FAN_IN,
            "{runs}"
        );
    }

    #[test]
    fn rows_that_follow_each_other_are_one_record_up_to_a_size() {
        let mut sorter = Sorter::new(usize::MAX);
        let each = ENOUGH / 4;
        for item in ["b", "a", "b"] {
            for row in 0..each as u32 {
                let row = row.to_le_bytes();
                sorter.push(item.as_bytes(), &row[..2], &row[2..]).unwrap();
            }
        }
        let mut sorted = sorter.finish().unwrap();
        let mut found = Vec::new();
        let bodies = Arc::clone(sorted.bodies());
        while let Some(item) = sorted.item().map(|item| item[0]) {
            let place = sorted.take().unwrap().unwrap();
            assert!(place.length < ENOUGH as u64 + 8);
            let read = bodies.read(iter::once(&place)).unwrap();
            found.push((item, rows(read.at(&place)).count()));
        }
        assert_eq!(found.len(), 6);
        assert!(found.is_sorted_by_key(|(item, _)| *item));
        assert_eq!(found.iter().map(|(_, rows)| rows).sum::<usize>(), 3 * each);
    }

    #[test]
    fn nothing_sorts_to_nothing() {
        assert!(sorted(&[], 1).0.is_empty());
    }
}
