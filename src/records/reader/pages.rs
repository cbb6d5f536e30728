//! A Parquet file whose pages are compared with what may be held before they are decoded.
//!
//! The library asks for the header of every page at a byte of its own, so that is where its size is looked at:
//! it takes memory as the header announces, before it decodes. What pages take is counted until the next batch
//! is begun.

use crate::limits::{Excess, Part};
use bytes::Bytes;
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What follows the last header: the length of the footer, and the magic.
const TAIL: u64 = 8;
/// What a value of a page takes at most while it is told to which row it belongs.
const VALUE: u64 = 16;

/// The file, and what was asked of it.
#[derive(Clone)]
pub(super) struct Pages {
    file: Arc<File>,
    length: u64,
    taken: Arc<AtomicU64>,
}

impl Pages {
    pub fn new(file: File, length: u64) -> Self {
        Self {
            file: Arc::new(file),
            length,
            taken: Arc::default(),
        }
    }

    /// What was decoded so far is no longer held.
    pub fn begin(&self) {
        self.taken.store(0, Ordering::Relaxed);
    }

    /// Whether more was asked for than may be held: of the error that came of it the library keeps the text.
    pub fn excess(&self) -> Option<Excess> {
        let taken = self.taken.load(Ordering::Relaxed);
        (taken > self.length).then(|| Part::Batch.holds(taken).err())?
    }

    fn take(&self, page: &Page) -> Result<()> {
        let size = page
            .values
            .saturating_mul(VALUE)
            .saturating_add(page.decoded);
        self.taken.fetch_add(size, Ordering::Relaxed);
        match self.excess() {
            Some(excess) => Err(ParquetError::External(Box::new(excess))),
            None => Ok(()),
        }
    }
}

impl Length for Pages {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for Pages {
    type T = BufReader<File>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        let mut bytes = self.file.get_read(start)?;
        if start.checked_add(TAIL).is_some_and(|end| end < self.length) {
            let page = Page::read(bytes.fill_buf()?);
            let page =
                page.ok_or_else(|| ParquetError::General("a page without a header".into()))?;
            self.take(&page)?;
        }
        Ok(bytes)
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        let end = start.checked_add(length as u64);
        match end.is_some_and(|end| end <= self.length) {
            true => self.file.get_bytes(start, length),
            false => Err(ParquetError::EOF("it ends too early".to_string())),
        }
    }
}

/// What the header of a page announces.
#[derive(Debug, PartialEq)]
struct Page {
    /// Bytes, once decoded.
    decoded: u64,
    values: u64,
}

impl Page {
    /// Reads the beginning of a header: in Thrift's compact protocol, the fields by their numbers (1 kind, 2 size,
    /// 3 size on disk, 4 checksum, 5, 7 or 8 what is told of a page of each kind, the number of values first).
    fn read(bytes: &[u8]) -> Option<Self> {
        let mut fields = Fields { bytes, number: 0 };
        let [_kind, decoded, _stored] =
            [fields.integer(1)?, fields.integer(2)?, fields.integer(3)?];
        fields.integer(4);
        let values = match fields.begins_struct(&[5, 7, 8]) {
            true => fields.integer(1).unwrap_or(0),
            false => 0,
        };
        Some(Self {
            decoded: decoded.try_into().ok()?,
            values: values.try_into().unwrap_or(0),
        })
    }
}

/// The fields of a struct, by rising numbers.
struct Fields<'a> {
    bytes: &'a [u8],
    number: u8,
}

impl Fields<'_> {
    const INTEGER: u8 = 5;
    const STRUCT: u8 = 12;

    /// The integer under a number, if it comes next.
    fn integer(&mut self, number: u8) -> Option<i64> {
        let (head, mut rest) = self.bytes.split_first()?;
        if *head != (number - self.number) << 4 | Self::INTEGER {
            return None;
        }
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let (byte, after) = rest.split_first()?;
            value |= u64::from(byte & 0x7f) << shift;
            rest = after;
            if *byte < 0x80 {
                break;
            }
        }
        (self.bytes, self.number) = (rest, number);
        // Zigzag: the sign is the lowest bit.
        Some((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// Goes into the struct that comes next, if it has one of these numbers.
    fn begins_struct(&mut self, numbers: &[u8]) -> bool {
        let Some((head, rest)) = self.bytes.split_first() else {
            return false;
        };
        let begins = |number: &u8| *head == (number - self.number) << 4 | Self::STRUCT;
        let found = numbers.iter().any(begins);
        if found {
            (self.bytes, self.number) = (rest, 0);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_tells_bytes_and_values() {
        // A data page of 300 bytes, 200 on disk, with 1000 values.
        let plain = [
            0x15, 0, 0x15, 0xd8, 0x04, 0x15, 0x90, 0x03, 0x2c, 0x15, 0xd0, 0x0f, 0,
        ];
        let page = Page {
            decoded: 300,
            values: 1000,
        };
        assert_eq!(Page::read(&plain), Some(page));
        // A dictionary with a checksum.
        let checked = [0x15, 4, 0x15, 0x14, 0x15, 0x14, 0x15, 9, 0x3c, 0x15, 6, 0];
        assert_eq!(
            Page::read(&checked),
            Some(Page {
                decoded: 10,
                values: 3
            })
        );
        assert_eq!(Page::read(&[0x15, 0, 0x15]), None);
        // Less than nothing.
        assert_eq!(Page::read(&[0x15, 0, 0x15, 1, 0x15, 0, 0x2c]), None);
    }
}
