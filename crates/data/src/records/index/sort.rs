//! External merge sort: records by item, records of one item in their input order, in bounded
//! memory.
//!
//! Records gather in one buffer; when it is full it is sorted and written out as a run. At the end
//! the runs are merged, at most [`FAN_IN`] at a time, so that neither memory nor open files grow
//! with the data. Both steps are stable, and runs are merged in the order they were written.
//!
//! Consecutive rows of one item are one record: most tables are written item by item, so
//! neither step is about single rows.

use super::codec::ByteEncoder;
use super::runs::{Lengths, Merge, RunOffset, RunWriter, Runs};
use std::cmp::Ordering;
use std::path::PathBuf;
use std::sync::Arc;
use tiebreak_base::disk::Scratch;
use tiebreak_base::error::{Error, Result};
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
pub(super) struct Sorter {
    budget: usize,
    buffer: Vec<u8>,
    records: Vec<RecordSpan>,
    /// The folder of the runs; made when the first is written, removed when dropped.
    folder: Option<Scratch>,
    runs: Vec<PathBuf>,
    written: usize,
}

/// The place of a record in the buffer, which is as in a run: after its lengths the item, then the body.
#[derive(Clone, Copy)]
pub(super) struct RecordSpan {
    number: u64,
    /// The offset of the item.
    start: usize,
    item: usize,
    body: usize,
}

impl RecordSpan {
    fn item<'a>(&self, buffer: &'a [u8]) -> &'a [u8] {
        &buffer[self.start..self.start + self.item]
    }

    fn body<'a>(&self, buffer: &'a [u8]) -> &'a [u8] {
        &buffer[self.start + self.item..self.start + self.item + self.body]
    }

    fn lengths(&self) -> Lengths {
        Lengths {
            item: self.item as u64,
            body: self.body as u64,
        }
    }

    fn compare(&self, other: &Self, buffer: &[u8]) -> Ordering {
        let by_value = self.number.cmp(&other.number);
        by_value.then_with(|| self.item(buffer).cmp(other.item(buffer)))
    }
}

impl Sorter {
    /// Creates a sorter that holds about `budget` bytes of records in memory.
    pub(super) fn new(budget: usize) -> Self {
        Self {
            budget,
            buffer: Vec::new(),
            records: Vec::new(),
            folder: None,
            runs: Vec::new(),
            written: 0,
        }
    }

    /// Adds a row, which is given in two parts.
    pub(super) fn push(&mut self, item: &[u8], head: &[u8], rest: &[u8]) -> Result<()> {
        let row = head.len() + rest.len();
        let size = Lengths::BYTES + item.len() + row + LENGTH + size_of::<RecordSpan>();
        let held = self.buffer.len() + self.records.len() * size_of::<RecordSpan>();
        if !self.records.is_empty() && held + size > self.budget {
            self.spill()?;
        }
        let buffer = &self.buffer;
        let goes_on = |last: &&mut RecordSpan| last.item(buffer) == item && last.body < ENOUGH;
        let record = match self.records.last_mut().filter(goes_on) {
            Some(last) => last,
            None => {
                self.buffer.extend_from_slice(&[0; Lengths::BYTES]);
                self.records.push(RecordSpan {
                    number: order::number(item),
                    start: self.buffer.len(),
                    item: item.len(),
                    body: 0,
                });
                self.buffer.extend_from_slice(item);
                self.records.last_mut().expect("one was added")
            }
        };
        let before = self.buffer.len();
        self.buffer.put(row as u64);
        self.buffer.extend_from_slice(head);
        self.buffer.extend_from_slice(rest);
        record.body += self.buffer.len() - before;
        let lengths = record.start - Lengths::BYTES..record.start;
        self.buffer[lengths].copy_from_slice(&record.lengths().encode());
        Ok(())
    }

    /// Returns the records in order.
    pub(super) fn finish(mut self) -> Result<SortedRecords> {
        if !self.runs.is_empty() {
            self.spill()?;
            self.buffer = Vec::new();
            self.records = Vec::new();
        }
        while self.runs.len() > FAN_IN {
            self.merge_pass()?;
        }
        let Some(folder) = self.folder else {
            self.sort();
            return Ok(SortedRecords::Memory {
                buffer: self.buffer,
                records: self.records.into_iter(),
            });
        };
        Ok(SortedRecords::Runs {
            merge: Merge::open(&self.runs)?,
            runs: Arc::new(Runs {
                paths: self.runs,
                _folder: folder,
            }),
        })
    }

    fn sort(&mut self) {
        let buffer = &self.buffer;
        self.records.sort_by(|a, b| a.compare(b, buffer));
    }

    fn spill(&mut self) -> Result<()> {
        let mut run = self.new_run()?;
        let buffer = &self.buffer;
        if self
            .records
            .is_sorted_by(|a, b| a.compare(b, buffer).is_le())
        {
            run.records(buffer)?;
        } else {
            self.sort();
            self.write_sorted(&mut run)?;
        }
        self.runs.push(run.finish()?);
        self.buffer.clear();
        self.records.clear();
        Ok(())
    }

    /// Writes the records in their sorted order, those of one item as one.
    fn write_sorted(&self, run: &mut RunWriter) -> Result<()> {
        let buffer = &self.buffer;
        let mut rest = &self.records[..];
        while let Some(first) = rest.first() {
            let mut bytes = 0;
            let goes_on = |part: &&RecordSpan| {
                let before = bytes;
                bytes += part.body;
                before < ENOUGH && part.item(buffer) == first.item(buffer)
            };
            let (record, after) = rest.split_at(rest.iter().take_while(goes_on).count());
            let bodies = record.iter().map(|part| part.body(buffer));
            run.write(first.item(buffer), bodies)?;
            rest = after;
        }
        Ok(())
    }

    /// Merges neighbouring runs, so that fewer are left.
    fn merge_pass(&mut self) -> Result<()> {
        let mut merged = Vec::new();
        for runs in std::mem::take(&mut self.runs).chunks(FAN_IN) {
            let mut merge = Merge::open(runs)?;
            let mut run = self.new_run()?;
            let mut body = Vec::new();
            while let Some(item) = merge.item().map(<[u8]>::to_vec) {
                body.clear();
                merge.take(&mut body)?;
                run.write(&item, std::iter::once(&*body))?;
            }
            merged.push(run.finish()?);
            for run in runs {
                std::fs::remove_file(run).map_err(Error::writing(run))?;
            }
        }
        self.runs = merged;
        Ok(())
    }

    fn new_run(&mut self) -> Result<RunWriter> {
        let folder = match self.folder.take() {
            Some(folder) => folder,
            None => Scratch::new()?,
        };
        let path = folder.path().join(format!("run-{}", self.written));
        self.folder = Some(folder);
        self.written += 1;
        RunWriter::create(path)
    }
}

pub(super) enum SortedRecords {
    Memory {
        buffer: Vec<u8>,
        records: std::vec::IntoIter<RecordSpan>,
    },
    Runs {
        merge: Merge,
        runs: Arc<Runs>,
    },
}

impl SortedRecords {
    /// The runs, if they are so few that the sorted records can stay in them.
    pub(super) fn lent(&self) -> Option<&Arc<Runs>> {
        match self {
            Self::Runs { runs, .. } if runs.paths.len() <= FEW => Some(runs),
            _ => None,
        }
    }

    /// Returns the item of the next record; `None` at the end.
    pub(super) fn item(&self) -> Option<&[u8]> {
        match self {
            Self::Memory { buffer, records } => Some(records.as_slice().first()?.item(buffer)),
            Self::Runs { merge, .. } => merge.item(),
        }
    }

    /// Appends the rows of the next record; returns its place, unless in memory.
    pub(super) fn take(&mut self, rows: &mut Vec<u8>) -> Result<Option<RunOffset>> {
        match self {
            Self::Memory { buffer, records } => {
                let body = records.next().map(|span| span.body(buffer));
                rows.extend_from_slice(body.unwrap_or_default());
                Ok(None)
            }
            Self::Runs { merge, .. } => merge.take(rows),
        }
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
        let mut all = Vec::new();
        while let Some(item) = sorted.item().map(<[u8]>::to_vec) {
            let mut body = Vec::new();
            sorted.take(&mut body).unwrap();
            for row in rows(&body) {
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
        while let Some(item) = sorted.item().map(|item| item[0]) {
            let mut body = Vec::new();
            sorted.take(&mut body).unwrap();
            assert!(body.len() < ENOUGH + 8);
            found.push((item, rows(&body).count()));
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
