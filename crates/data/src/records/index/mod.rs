//! The index of a data set: all tables brought together item by item, and checked for consistency.
//!
//! Building an index reads every table once, sorts all rows by item (an external merge sort) and
//! checks them against each other: no item or output twice, one source and one set of references
//! an item, no judgment of a missing output. Memory is bounded by a budget, by the
//! rows of a single item and by the number of systems and criteria, whatever the number of rows.
//! What does not fit in the budget lies in a temporary folder that disappears with the index.

mod agree;
mod beside;
mod build;
mod codec;
mod encode;
mod entry;
mod group;
mod items;
mod kept;
mod names;
mod offsets;
mod runs;
mod sort;
mod store;

pub use beside::{Extra, ItemAlignedRows};
pub use encode::UnansweredRows;
pub use group::{Group, GroupComparison, GroupJudgment, GroupOutput};

use super::dataset::Digests;
use super::ordered::{ByteSize, ordered};
use super::{Dataset, Kind};
use codec::{ByteDecoder, ByteEncoder, damaged};
use entry::{EntryContent, IndexEntry, NameRanks};
use items::{ItemStore, ItemsReader};
use offsets::Offsets;
use rayon::prelude::*;
use std::cmp::Ordering;
use std::ops::Range;
use tiebreak_base::disk::Cache;
use tiebreak_base::duel::{Arm, Outcome, Pair};
use tiebreak_base::error::{Error, Message, Result, nearest};
use tiebreak_base::order::compare;

/// The default number of bytes of rows that are held in memory.
const BUDGET: usize = 64 << 20;

/// The index of a data set, item by item. Many threads may read one index.
pub struct Index {
    systems: Vec<String>,
    criteria: Vec<String>,
    rows: [u64; 4],
    unanswered: [UnansweredRows; 4],
    tables: Vec<Kind>,
    references: Option<(usize, usize)>,
    places: NameRanks,
    items: ItemStore,
}

impl Index {
    /// Reads and checks all tables of a data set.
    ///
    /// # Errors
    /// The first mistake in the tables, with its place; or a temporary file that cannot be
    /// written.
    pub fn build(dataset: &Dataset) -> Result<Self> {
        Self::build_within(dataset, BUDGET)
    }

    /// Builds the index with another bound, in bytes, on the rows held in memory (and once more on the
    /// finished items).
    ///
    /// # Errors
    /// As [`Index::build`].
    pub fn build_within(dataset: &Dataset, budget: usize) -> Result<Self> {
        build::build(dataset, budget)
    }

    /// Opens the index of a data set, with the digests of its contents; from the cache of an earlier command, or
    /// else made and, of a large data set, stored in `cache`. The error is about the cache alone: a
    /// damaged index is made again, and one that cannot be written is not stored.
    ///
    /// # Errors
    /// As [`Index::build`]; if the tables cannot be digested. For an imported data set the place is in the
    /// tables made by the import, and the error names the files that were imported.
    pub fn open(
        dataset: &Dataset,
        cache: Option<&Cache>,
    ) -> Result<(Self, Digests, Option<Error>)> {
        kept::open(dataset, cache).map_err(|error| dataset.relocate_error(error))
    }

    /// The systems, sorted by name (by bytes). An [`Arm`] is a place in this list.
    pub fn systems(&self) -> &[String] {
        &self.systems
    }

    /// Returns the system with a name.
    ///
    /// # Errors
    /// [`Error::UnknownName`] with the nearest name as a hint.
    pub fn system(&self, name: &str) -> Result<Arm> {
        position_by_name("system", &self.systems, name).map(Arm::from)
    }

    /// The criteria of the judgments, sorted by name (by bytes).
    pub fn criteria(&self) -> &[String] {
        &self.criteria
    }

    /// Returns the position of a criterion.
    ///
    /// # Errors
    /// [`Error::UnknownName`] with the nearest name as a hint.
    pub fn criterion(&self, name: &str) -> Result<usize> {
        position_by_name("criterion", &self.criteria, name)
    }

    /// The number of items, over all tables.
    pub fn items(&self) -> u64 {
        self.items.len()
    }

    /// The number of rows of a table; 0 where the set lacks it.
    pub fn rows(&self, kind: Kind) -> u64 {
        self.rows[kind as usize]
    }

    /// The rows of a table that are left out: comparisons without an outcome, judgments without a score.
    pub fn unanswered(&self, kind: Kind) -> UnansweredRows {
        self.unanswered[kind as usize]
    }

    /// The fewest and most references of an item that has outputs; zeros where there are no outputs.
    pub fn references(&self) -> (usize, usize) {
        self.references.unwrap_or((0, 0))
    }

    /// Whether the set has a table, even one without rows.
    pub fn has(&self, kind: Kind) -> bool {
        self.tables.contains(&kind)
    }

    /// Whether the groups are in temporary files rather than in memory.
    pub fn is_spilled(&self) -> bool {
        self.items.is_spilled()
    }

    /// Returns the groups at a range of positions, in the order of [`compare`]: plain whole numbers first,
    /// by value, then other names by bytes. Positions after the last item are ignored.
    pub fn groups(&self, range: Range<u64>) -> Groups<'_> {
        Groups {
            index: self,
            range,
            reader: None,
            bytes: Vec::new(),
        }
    }

    /// Reads the groups at a range of positions as [`Index::groups`] does, and decodes them in parallel.
    ///
    /// # Errors
    /// If a temporary file cannot be read.
    pub fn decoded(&self, range: Range<u64>) -> Result<Vec<Group>> {
        let mut reader = self.items.reader(range.start)?;
        let mut items = Vec::new();
        for position in range {
            let mut item = Vec::new();
            if !reader.next(&mut item)? {
                break;
            }
            items.push((position, item));
        }
        let decode =
            |(position, item): (u64, Vec<u8>)| Group::decode(position, &item, &self.places);
        items.into_par_iter().with_min_len(32).map(decode).collect()
    }

    /// Returns all groups.
    pub fn all(&self) -> Groups<'_> {
        self.groups(0..self.items())
    }

    /// Calls `each` for all groups in order, while other cores decode those that follow.
    ///
    /// # Errors
    /// The first of `each`; if a temporary file cannot be read.
    pub fn each(&self, mut each: impl FnMut(Group) -> Result<()> + Send) -> Result<()> {
        let (mut reader, mut item) = (self.items.reader(0)?, Vec::new());
        let mut position = 0;
        let next = || {
            let mut block = EncodedItems {
                first: position,
                ..EncodedItems::default()
            };
            while block.bytes.len() < BLOCK && reader.next(&mut item)? {
                block.bytes.extend_from_slice(&item);
                block.ends.push(block.bytes.len());
                position += 1;
            }
            Ok((!block.ends.is_empty()).then_some(block))
        };
        let decode = |block: EncodedItems| block.decode(&self.places);
        ordered(next, decode, |groups: Result<Vec<Group>>| {
            groups?.into_iter().try_for_each(&mut each)
        })
    }

    /// Calls `each` for all comparisons in the order of items, with the item's position and the annotator. No text is
    /// copied: decoding whole groups takes several times as long.
    ///
    /// # Errors
    /// The first of `each`; if a temporary file cannot be read.
    pub fn each_comparison(
        &self,
        mut each: impl FnMut(u64, Pair, Outcome, Option<&str>) -> Result<()>,
    ) -> Result<()> {
        let (mut reader, mut item) = (self.items.reader(0)?, Vec::new());
        let mut position = 0;
        while reader.next(&mut item)? {
            let mut take = ByteDecoder(&item);
            take.slice()?;
            for row in runs::rows(take.0) {
                let IndexEntry { head, what } = IndexEntry::decode(row?)?;
                if let EntryContent::Comparison(one) = what {
                    let [a, b] = head.names;
                    let pair = Pair::new(self.places.arm(a)?, self.places.arm(b)?);
                    each(position, pair, one.outcome, one.annotator)?;
                }
            }
            position += 1;
        }
        Ok(())
    }

    /// Returns the position of an item; `None` where there is no such item. Logarithmic in the number of
    /// items; for many items in a row, sort them by [`compare`] and go through the groups.
    ///
    /// # Errors
    /// If a temporary file cannot be read.
    pub fn position(&self, item: &str) -> Result<Option<u64>> {
        let mut bytes = Vec::new();
        let (mut low, mut high) = (0, self.items.marks());
        while low < high {
            let middle = usize::midpoint(low, high);
            let mut reader = self.items.reader(self.items.mark(middle))?;
            let there = reader.next(&mut bytes)?;
            if there && compare(Group::decode_item(&bytes)?, item) != Ordering::Greater {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let Some(mark) = low.checked_sub(1) else {
            return Ok(None);
        };
        let start = self.items.mark(mark);
        let mut reader = self.items.reader(start)?;
        for position in start.. {
            if !reader.next(&mut bytes)? {
                break;
            }
            match compare(Group::decode_item(&bytes)?, item) {
                Ordering::Less => {}
                Ordering::Equal => return Ok(Some(position)),
                Ordering::Greater => break,
            }
        }
        Ok(None)
    }
}

/// Approximate bytes of items that are decoded in one piece.
const BLOCK: usize = 1 << 13;

/// Consecutive items, not yet decoded.
#[derive(Default)]
struct EncodedItems {
    /// The position of the first.
    first: u64,
    bytes: Vec<u8>,
    /// The end of each in the bytes.
    ends: Vec<usize>,
}

impl ByteSize for EncodedItems {
    fn bytes(&self) -> usize {
        self.bytes.len()
    }
}

impl EncodedItems {
    fn decode(&self, places: &NameRanks) -> Result<Vec<Group>> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let items = starts.zip(&self.ends).zip(self.first..);
        items
            .map(|((start, &end), position)| {
                Group::decode(position, &self.bytes[start..end], places)
            })
            .collect()
    }
}

/// The encoding of an index without its items.
impl Index {
    fn encode(&self, out: &mut Vec<u8>) {
        for names in [&self.systems, &self.criteria] {
            out.put_list(names, |out, name| out.put_str(name));
        }
        let [counts, firsts] = [
            self.unanswered.map(|rows| rows.count),
            self.unanswered.map(|rows| rows.first),
        ];
        for numbers in [self.rows, counts, firsts] {
            out.put_list(&numbers, |out, &number| out.put(number));
        }
        out.put_list(&self.tables, |out, &kind| out.put(kind as u64));
        out.put_option(self.references, |out, (least, most)| {
            out.put(least as u64);
            out.put(most as u64);
        });
        self.places.encode(out);
        out.put(self.items.bytes());
        self.items.offsets().encode(out);
    }

    /// Reads the bytes of [`Self::encode`]. `items` opens those of so many bytes.
    fn decode(
        take: &mut ByteDecoder<'_>,
        items: impl FnOnce(u64, Offsets) -> ItemStore,
    ) -> Result<Self> {
        let [systems, criteria] = [
            take.list(ByteDecoder::string)?,
            take.list(ByteDecoder::string)?,
        ];
        let counts = |take: &mut ByteDecoder<'_>| {
            let counts = take.list(ByteDecoder::take)?;
            counts.try_into().map_err(|_| damaged())
        };
        let (rows, count, first): (_, [u64; 4], [u64; 4]) =
            (counts(take)?, counts(take)?, counts(take)?);
        let unanswered = Kind::ALL.map(|kind| UnansweredRows {
            count: count[kind as usize],
            first: first[kind as usize],
        });
        let table = |take: &mut ByteDecoder<'_>| {
            let number = take.take()?;
            let mut all = Kind::ALL.into_iter();
            all.find(|&kind| kind as u64 == number).ok_or_else(damaged)
        };
        Ok(Self {
            systems,
            criteria,
            rows,
            unanswered,
            tables: take.list(table)?,
            references: take.option(|take| Ok((take.count()?, take.count()?)))?,
            places: NameRanks::decode(take)?,
            items: items(take.take()?, Offsets::decode(take)?),
        })
    }
}

fn position_by_name(kind: &'static str, names: &[String], name: &str) -> Result<usize> {
    let place = names.iter().position(|known| known == name);
    place.ok_or_else(|| Error::UnknownName {
        kind,
        name: name.to_string(),
        hint: Some(Message::from(
            match nearest(name, names.iter().map(String::as_str)) {
                Some(near) => format!("did you mean `{near}`?"),
                None if names.is_empty() => "the data set has none".to_string(),
                None => format!("the data set has {}", names.join(", ")),
            },
        )),
    })
}

/// The groups at a range of positions. After an error there are none.
pub struct Groups<'a> {
    index: &'a Index,
    range: Range<u64>,
    /// The reader, opened at the first group.
    reader: Option<ItemsReader<'a>>,
    bytes: Vec<u8>,
}

impl Groups<'_> {
    fn read(&mut self, position: u64) -> Result<Option<Group>> {
        let reader = match &mut self.reader {
            Some(reader) => reader,
            None => self.reader.insert(self.index.items.reader(position)?),
        };
        if !reader.next(&mut self.bytes)? {
            return Ok(None);
        }
        Group::decode(position, &self.bytes, &self.index.places).map(Some)
    }
}

impl Iterator for Groups<'_> {
    type Item = Result<Group>;

    fn next(&mut self) -> Option<Self::Item> {
        let position = self.range.next()?;
        let group = self.read(position).transpose();
        if !matches!(group, Some(Ok(_))) {
            self.range = 0..0;
        }
        group
    }
}
