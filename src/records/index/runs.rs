//! Sorted runs in temporary files, and their merge.

use super::codec::{Put, Take, damaged};
use super::order;
use crate::error::{Error, Result};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// Rows of one item.
#[derive(Debug, Default)]
pub(super) struct Record {
    pub item: Vec<u8>,
    /// Each row after its length.
    pub body: Vec<u8>,
}

impl Record {
    /// The rows.
    pub fn rows(&self) -> impl Iterator<Item = Result<&[u8]>> {
        rows(&self.body)
    }
}

/// The rows of a record's body.
pub(super) fn rows(body: &[u8]) -> impl Iterator<Item = Result<&[u8]>> {
    let mut take = Take(body);
    std::iter::from_fn(move || (!take.0.is_empty()).then(|| take.slice()))
}

/// Writes a run.
pub(super) struct RunWriter {
    path: PathBuf,
    file: BufWriter<File>,
    lengths: Vec<u8>,
}

impl RunWriter {
    pub fn create(path: PathBuf) -> Result<Self> {
        let file = File::create(&path).map_err(Error::writing(&path))?;
        Ok(Self {
            path,
            file: BufWriter::with_capacity(1 << 16, file),
            lengths: Vec::new(),
        })
    }

    pub fn write(&mut self, item: &[u8], body: &[u8]) -> Result<()> {
        self.lengths.clear();
        self.lengths.put(item.len() as u64);
        self.lengths.put(body.len() as u64);
        [&self.lengths, item, body]
            .into_iter()
            .try_for_each(|bytes| self.file.write_all(bytes))
            .map_err(Error::writing(&self.path))
    }

    /// Where the run lies.
    pub fn finish(mut self) -> Result<PathBuf> {
        self.file.flush().map_err(Error::writing(&self.path))?;
        Ok(self.path)
    }
}

/// Merges runs. The heap holds the next record of each, by value, item and run.
pub(super) struct Merge {
    runs: Vec<RunReader>,
    heads: BinaryHeap<Reverse<(u64, Vec<u8>, usize)>>,
}

impl Merge {
    pub fn open(paths: &[PathBuf]) -> Result<Self> {
        let runs = paths.iter().map(|path| RunReader::open(path));
        let mut merge = Self {
            runs: runs.collect::<Result<_>>()?,
            heads: BinaryHeap::new(),
        };
        for run in 0..merge.runs.len() {
            merge.advance(run)?;
        }
        Ok(merge)
    }

    /// Reads the next record into `record`; false when there is none.
    ///
    /// # Errors
    /// If a run cannot be read back.
    pub fn next(&mut self, record: &mut Record) -> Result<bool> {
        let Some(Reverse((_, item, run))) = self.heads.pop() else {
            return Ok(false);
        };
        record.item = item;
        std::mem::swap(&mut record.body, &mut self.runs[run].body);
        self.advance(run)?;
        Ok(true)
    }

    fn advance(&mut self, run: usize) -> Result<()> {
        if let Some(item) = self.runs[run].next()? {
            self.heads.push(Reverse((order::number(&item), item, run)));
        }
        Ok(())
    }
}

struct RunReader {
    path: PathBuf,
    file: BufReader<File>,
    /// The body of the record whose item was read last.
    body: Vec<u8>,
}

impl RunReader {
    fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(Error::reading(path))?;
        Ok(Self {
            path: path.to_path_buf(),
            file: BufReader::with_capacity(1 << 16, file),
            body: Vec::new(),
        })
    }

    fn next(&mut self) -> Result<Option<Vec<u8>>> {
        let Some(item_length) = read_number(&mut self.file, &self.path)? else {
            return Ok(None);
        };
        let body_length = read_number(&mut self.file, &self.path)?.ok_or_else(damaged)?;
        let mut item = Vec::new();
        read_exactly(&mut self.file, item_length, &mut item)?;
        read_exactly(&mut self.file, body_length, &mut self.body)?;
        Ok(Some(item))
    }
}

/// Reads a number as [`Put::put`] wrote it; `None` at the end of the file.
pub(super) fn read_number(file: &mut impl Read, path: &Path) -> Result<Option<u64>> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let mut byte = [0];
        let read = file.read(&mut byte).map_err(Error::reading(path))?;
        match (read, shift) {
            (0, 0) => return Ok(None),
            (0, _) => return Err(damaged()),
            _ => number |= u64::from(byte[0] & 0x7f) << shift,
        }
        if byte[0] < 0x80 {
            return Ok(Some(number));
        }
    }
    Err(damaged())
}

/// Replaces the buffer by the next `length` bytes.
pub(super) fn read_exactly(file: &mut impl Read, length: u64, buffer: &mut Vec<u8>) -> Result<()> {
    buffer.clear();
    let read = file.take(length).read_to_end(buffer);
    match read {
        Ok(read) if read as u64 == length => Ok(()),
        _ => Err(damaged()),
    }
}
