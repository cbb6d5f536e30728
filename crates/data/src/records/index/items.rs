//! The name and the rows of each item, by position: written one after the other, or left in the runs of the
//! sort, so that nothing is written twice.

use super::codec::{ByteDecoder, ByteEncoder, length};
use super::offsets::Offsets;
use super::runs::{BodyPlace, BodyReader, Runs};
use super::store::{RecordStore, StoreReader, StoreWriter};
use std::io::{self, BufWriter, Write};
use std::sync::Arc;
use tiebreak_base::disk::CachedFile;
use tiebreak_base::error::{Error, Result};

/// A writer of items in their order.
pub(super) struct ItemsWriter {
    store: StoreWriter,
    lent: Option<ItemsInRuns>,
    list: Vec<u8>,
}

/// The items, readable by any number of threads.
pub(super) struct ItemStore {
    store: RecordStore,
    lent: Option<ItemsInRuns>,
}

/// The offsets of items that stay in runs.
struct ItemsInRuns {
    runs: Arc<Runs>,
    /// The offset of each item if all were written one after the other, and the total.
    offsets: Offsets,
    bytes: u64,
}

impl ItemsWriter {
    /// Creates a writer of items, with about `budget` bytes in memory, or all left in `runs`.
    pub(super) fn new(budget: usize, runs: Option<&Arc<Runs>>) -> Self {
        let lent = |runs: &Arc<Runs>| ItemsInRuns {
            runs: Arc::clone(runs),
            offsets: Offsets::new(),
            bytes: 0,
        };
        Self {
            store: StoreWriter::new(budget),
            lent: runs.map(lent),
            list: Vec::new(),
        }
    }

    /// Appends an item and its rows, which are at these places.
    pub(super) fn push(&mut self, item: &[u8], places: &[BodyPlace]) -> Result<()> {
        let Some(lent) = &mut self.lent else {
            return self.store.push(item);
        };
        lent.offsets.push(lent.bytes);
        let size = item.len() as u64;
        lent.bytes += length(size) + size;
        let list = &mut self.list;
        list.clear();
        list.put_slice(ByteDecoder(item).slice()?);
        list.put_list(places, |out, at| {
            out.put(at.run as u64);
            out.put(at.byte);
            out.put(at.length);
        });
        self.store.push(list)
    }

    pub(super) fn finish(self) -> Result<ItemStore> {
        Ok(ItemStore {
            store: self.store.finish()?,
            lent: self.lent,
        })
    }
}

impl ItemStore {
    /// Opens the items of a cached file, `bytes` from byte `start` on.
    pub(super) fn kept(held: CachedFile, start: u64, bytes: u64, offsets: Offsets) -> Self {
        Self {
            store: RecordStore::kept(held, start, bytes, offsets),
            lent: None,
        }
    }

    /// Writes the items one after the other, as in a cached file.
    pub(super) fn write_to(&self, out: &mut impl Write) -> io::Result<()> {
        if self.lent.is_none() {
            return self.store.write_to(out);
        }
        let damaged = |error: Error| io::Error::other(error.to_string());
        let mut reader = self.reader(0).map_err(damaged)?;
        let (mut item, mut size) = (Vec::new(), Vec::new());
        let mut out = BufWriter::with_capacity(1 << 16, out);
        while reader.next(&mut item).map_err(damaged)? {
            size.clear();
            size.put(item.len() as u64);
            out.write_all(&size)?;
            out.write_all(&item)?;
        }
        out.flush()
    }

    /// The number of bytes that [`Self::write_to`] writes.
    pub(super) fn bytes(&self) -> u64 {
        let lent = self.lent.as_ref();
        lent.map_or(self.store.bytes(), |lent| lent.bytes)
    }

    /// The offset of each item in the output of [`Self::write_to`].
    pub(super) fn offsets(&self) -> &Offsets {
        let lent = self.lent.as_ref();
        lent.map_or(self.store.offsets(), |lent| &lent.offsets)
    }

    /// The number of items.
    pub(super) fn len(&self) -> u64 {
        self.store.len()
    }

    /// Whether the items are in files rather than in memory.
    pub(super) fn is_spilled(&self) -> bool {
        self.lent.is_some() || self.store.is_spilled()
    }

    /// The number of marks, which are positions that can be sought directly.
    pub(super) fn marks(&self) -> usize {
        self.store.offsets().marks()
    }

    /// The position of a mark; they increase.
    pub(super) fn mark(&self, mark: usize) -> u64 {
        self.store.offsets().mark(mark)
    }

    /// Returns a reader before the item at a position, or at the end where there are fewer.
    pub(super) fn reader(&self, position: u64) -> Result<ItemsReader<'_>> {
        Ok(ItemsReader {
            store: self.store.reader(position)?,
            runs: match &self.lent {
                Some(lent) => Some(BodyReader::open(&lent.runs.all)?),
                None => None,
            },
            list: Vec::new(),
        })
    }
}

/// A reader of consecutive items.
pub(super) struct ItemsReader<'a> {
    store: StoreReader<'a>,
    runs: Option<BodyReader>,
    list: Vec<u8>,
}

impl ItemsReader<'_> {
    /// Reads the next item into `item`; false when there is none.
    pub(super) fn next(&mut self, item: &mut Vec<u8>) -> Result<bool> {
        let Some(runs) = &mut self.runs else {
            return self.store.next(item);
        };
        if !self.store.next(&mut self.list)? {
            return Ok(false);
        }
        item.clear();
        let mut take = ByteDecoder(&self.list);
        item.put_slice(take.slice()?);
        for _ in 0..take.count()? {
            let place = BodyPlace {
                run: take.count()?,
                byte: take.take()?,
                length: take.take()?,
            };
            runs.read(place, item)?;
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::index::sort::{SortedRecords, Sorter};

    /// Sorts rows of many items, some of them apart, with a budget.
    fn sorted(budget: usize) -> SortedRecords {
        let mut sorter = Sorter::new(budget);
        for row in 0..900_u32 {
            let item = format!("item {}", if row % 10 == 0 { row % 7 } else { row / 3 });
            let body = "text ".repeat(row as usize % 5);
            sorter
                .push(item.as_bytes(), &row.to_le_bytes(), body.as_bytes())
                .unwrap();
        }
        sorter.finish().unwrap()
    }

    fn items(mut sorted: SortedRecords) -> ItemStore {
        let mut items = ItemsWriter::new(1 << 10, sorted.lent());
        let bodies = Arc::clone(sorted.bodies());
        while let Some(item) = sorted.item().map(<[u8]>::to_vec) {
            let (mut bytes, mut places) = (Vec::new(), Vec::new());
            bytes.put_slice(&item);
            while sorted.item() == Some(&item) {
                places.extend(sorted.take().unwrap());
            }
            let read = bodies.read(places.iter()).unwrap();
            let read = places.iter().map(|place| read.at(place));
            read.for_each(|body| bytes.extend_from_slice(body));
            items.push(&bytes, &places).unwrap();
        }
        items.finish().unwrap()
    }

    #[test]
    fn items_that_stay_in_runs_read_and_are_kept_as_those_that_do_not() {
        let held = items(sorted(usize::MAX));
        let few = sorted(8 << 10);
        assert!(few.lent().is_some_and(|runs| runs.all.len() > 2));
        let lent = items(few);
        let many = sorted(1 << 10);
        assert!(many.lent().is_none());
        let copied = items(many);
        let mut expected = Vec::new();
        held.write_to(&mut expected).unwrap();
        for other in [&lent, &copied] {
            let mut written = Vec::new();
            other.write_to(&mut written).unwrap();
            assert!(written == expected && other.bytes() == expected.len() as u64);
            assert_eq!(other.len(), held.len());
            for position in [0, 1, 150, held.len() - 1, held.len()] {
                let (mut one, mut same) = (Vec::new(), Vec::new());
                let found = other.reader(position).unwrap().next(&mut one).unwrap();
                let there = held.reader(position).unwrap().next(&mut same).unwrap();
                assert!(found == there && one == same, "{position}");
                assert_eq!(
                    other.offsets().before(position),
                    held.offsets().before(position)
                );
            }
        }
    }
}
