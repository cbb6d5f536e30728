//! Parquet files whose pages are checked against the memory limit before they are decoded.
//!
//! The library requests the header of every page separately, so the page's size is checked there:
//! it allocates as the header announces, before it decodes. The bytes of pages are counted until the next batch
//! begins.

use super::thrift::{CompactThriftReader, I32, LIST, STRUCT};
use bytes::Bytes;
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};
use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tiebreak_base::limits::{Excess, Part};

/// Bytes after the last header: the length of the footer, and the magic.
const TAIL: u64 = 8;
/// The longest header, in bytes.
const HEADER: u64 = 1 << 24;
/// Most bytes of a value of a page while it is assigned to its row.
const VALUE: u64 = 16;

/// Deepest nesting of columns: the library recurses as deep.
const DEEP: usize = 64;

/// The file, and the bytes requested of it.
#[derive(Clone)]
pub(super) struct Pages {
    file: Arc<File>,
    length: u64,
    taken: Arc<AtomicU64>,
    /// The data offsets of pages with checked headers: the library may request them just as it does headers.
    data: Arc<Mutex<HashSet<u64>>>,
}

impl Pages {
    pub(super) fn new(file: File, length: u64) -> Self {
        Self {
            file: Arc::new(file),
            length,
            taken: Arc::default(),
            data: Arc::default(),
        }
    }

    /// Checks that the footer, which takes many times its bytes, is within the memory limit. A file that is damaged there
    /// is refused when it is read.
    pub(super) fn check_footer(&self) -> Result<(), Excess> {
        let start = self.length.saturating_sub(TAIL);
        let size = self.file.get_bytes(start, 4).unwrap_or_default();
        let size = size.first_chunk().copied().map_or(0, u32::from_le_bytes);
        match u64::from(size) < self.length {
            true => Part::Names.holds(size.into()),
            false => Ok(()),
        }
    }

    /// Resets the count: pages decoded so far are no longer held.
    pub(super) fn begin(&self) {
        self.taken.store(0, Ordering::Relaxed);
    }

    /// Returns the excess over the memory limit, if any: the library keeps only the text of the error.
    pub(super) fn excess(&self) -> Option<Excess> {
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
        let is_tail = start.checked_add(TAIL).is_none_or(|end| end >= self.length);
        let mut data = self.data.lock().unwrap_or_else(PoisonError::into_inner);
        if is_tail || data.remove(&start) {
            return Ok(bytes);
        }
        let mut page = Page::read(bytes.fill_buf()?);
        if page.is_none() {
            // A page may carry statistics, which make its header long.
            let mut long = Vec::new();
            self.file
                .get_read(start)?
                .take(HEADER)
                .read_to_end(&mut long)?;
            page = Page::read(&long);
        }
        let page = page.ok_or_else(|| ParquetError::General("a page without a header".into()))?;
        data.insert(start + page.header);
        self.take(&page)?;
        Ok(bytes)
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        let end = start.checked_add(length as u64);
        if end.is_none_or(|end| end > self.length) {
            return Err(ParquetError::EOF("it ends too early".to_string()));
        }
        let bytes = self.file.get_bytes(start, length)?;
        let is_footer = end.map(|end| end + TAIL) == Some(self.length);
        match is_footer && depth(&bytes).is_none_or(|depth| depth > DEEP) {
            true => Err(ParquetError::General(
                "its columns make no sense".to_string(),
            )),
            false => Ok(bytes),
        }
    }
}

/// The sizes that the header of a page announces.
#[derive(Debug, PartialEq)]
struct Page {
    /// Bytes of the header itself.
    header: u64,
    /// Bytes of the decoded page.
    decoded: u64,
    values: u64,
}

impl Page {
    /// Parses a header: field 2 is the decoded size; fields 5, 7 and 8 describe a page of each kind, the
    /// number of values first.
    fn read(bytes: &[u8]) -> Option<Self> {
        let (mut decoded, mut values) = (None, 0);
        let mut rest = CompactThriftReader(bytes);
        rest.fields(|header, number, kind| match (number, kind) {
            (2, I32) => header
                .integer()
                .map(|size| decoded = u64::try_from(size).ok()),
            (5 | 7 | 8, STRUCT) => header.fields(|page, number, kind| match (number, kind) {
                (1, I32) => page
                    .integer()
                    .map(|count| values = u64::try_from(count).unwrap_or(0)),
                _ => page.skip(kind),
            }),
            _ => header.skip(kind),
        })?;
        Some(Self {
            header: (bytes.len() - rest.0.len()) as u64,
            decoded: decoded?,
            values,
        })
    }
}

/// Returns the nesting depth of a footer's columns: field 2 lists them, each before its children, of
/// which its field 5 is the number.
fn depth(footer: &[u8]) -> Option<usize> {
    let mut open = Vec::new();
    let mut deepest = 0;
    CompactThriftReader(footer).fields(|footer, number, kind| {
        if (number, kind) != (2, LIST) {
            return footer.skip(kind);
        }
        let (columns, kind) = footer.list()?;
        for _ in 0..(if kind == STRUCT { columns } else { return None }) {
            let mut held = 0;
            footer.fields(|column, number, kind| match (number, kind) {
                (5, I32) => column.integer().map(|count| held = count),
                _ => column.skip(kind),
            })?;
            while open.pop_if(|left| *left <= 0).is_some() {}
            if let Some(left) = open.last_mut() {
                *left -= 1;
            }
            open.push(held);
            deepest = deepest.max(open.len());
        }
        Some(())
    })?;
    Some(deepest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_tells_bytes_and_values() {
        let page = |header, decoded, values| {
            Some(Page {
                header,
                decoded,
                values,
            })
        };
        // A data page of 300 bytes, 200 on disk, with 1000 values.
        let plain = [
            0x15, 0, 0x15, 0xd8, 0x04, 0x15, 0x90, 0x03, 0x2c, 0x15, 0xd0, 0x0f, 0, 0,
        ];
        assert_eq!(Page::read(&plain), page(14, 300, 1000));
        // A dictionary with a checksum, and data behind it.
        let checked = [
            0x15, 4, 0x15, 0x14, 0x15, 0x14, 0x15, 9, 0x3c, 0x15, 6, 0, 0, 7, 7,
        ];
        assert_eq!(Page::read(&checked), page(13, 10, 3));
        assert_eq!(Page::read(&plain[..12]), None);
        // A negative size.
        assert_eq!(Page::read(&[0x15, 0, 0x15, 1, 0x15, 0, 0]), None);
    }

    #[test]
    fn columns_in_columns_are_counted() {
        let group = |held: u8| vec![0x55, 2 * held, 0];
        let leaf = || vec![0x15, 2, 0];
        let footer = |columns: &[Vec<u8>]| {
            let count = columns.len() as u8;
            [
                &[0x15, 2, 0x19, count << 4 | STRUCT][..],
                &columns.concat(),
                &[0],
            ]
            .concat()
        };
        assert_eq!(depth(&footer(&[group(2), leaf(), leaf()])), Some(2));
        assert_eq!(
            depth(&footer(&[
                group(3),
                group(1),
                leaf(),
                leaf(),
                group(1),
                group(1),
                leaf()
            ])),
            Some(4)
        );
        assert_eq!(depth(&footer(&[])), Some(0));
        assert_eq!(depth(&[0x29, 0xfc]), None);
    }
}
