//! A sparse table of record offsets, whose size is bounded.

use super::codec::{ByteDecoder, ByteEncoder};
use tiebreak_base::error::Result;

/// Most offsets kept. At this number every other one is dropped.
const OFFSETS: usize = 1 << 16;

/// The offsets of records, one of every `stride`.
pub(super) struct Offsets {
    records: u64,
    /// The number of records for each offset.
    stride: u64,
    kept: Vec<u64>,
}

impl Offsets {
    /// The number of records.
    pub(super) fn records(&self) -> u64 {
        self.records
    }

    /// The number of records with a known offset.
    pub(super) fn marks(&self) -> usize {
        self.kept.len()
    }

    /// The position of a mark; they increase.
    pub(super) fn mark(&self, mark: usize) -> u64 {
        mark as u64 * self.stride
    }

    /// Appends the bytes of the offsets.
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        out.put(self.records);
        out.put(self.stride);
        out.put_list(&self.kept, |out, &offset| out.put(offset));
    }

    /// Reads the bytes of [`Self::encode`].
    pub(super) fn decode(take: &mut ByteDecoder<'_>) -> Result<Self> {
        Ok(Self {
            records: take.take()?,
            stride: take.take()?.max(1),
            kept: take.list(ByteDecoder::take)?,
        })
    }

    pub(super) fn new() -> Self {
        Self {
            records: 0,
            stride: 1,
            kept: Vec::new(),
        }
    }

    /// Adds a record, which begins at a byte.
    pub(super) fn push(&mut self, offset: u64) {
        if self.records.is_multiple_of(self.stride) {
            if self.kept.len() == OFFSETS {
                let mut even = false;
                self.kept.retain(|_| {
                    even = !even;
                    even
                });
                self.stride *= 2;
            }
            self.kept.push(offset);
        }
        self.records += 1;
    }

    /// Returns the last record at or before `position` with a known offset, and this offset.
    pub(super) fn before(&self, position: u64) -> (u64, u64) {
        let last = self.kept.len().saturating_sub(1);
        let index = usize::try_from(position / self.stride).map_or(last, |index| index.min(last));
        let offset = self.kept.get(index).copied().unwrap_or(0);
        (index as u64 * self.stride, offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_thins_out_as_it_grows() {
        let records = 5 * OFFSETS as u64 / 2;
        let mut offsets = Offsets::new();
        (0..records).for_each(|record| offsets.push(10 * record));
        assert!(offsets.kept.len() <= OFFSETS);
        assert_eq!((offsets.records(), offsets.stride), (records, 4));
        for (position, near) in [(0, 0), (3, 0), (4, 4), (70_001, 70_000)] {
            assert_eq!(offsets.before(position), (near, 10 * near));
        }
    }
}
