//! Sorted runs in temporary files, and their merge.

use super::codec::{Put, Take, damaged, length};
use super::order;
use crate::disk::Scratch;
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
    /// Where it lies, unless in memory.
    pub at: Option<At>,
}

/// Where a record lies: which run, and from which byte on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct At {
    pub run: usize,
    pub byte: u64,
}

/// Runs that are there as long as this is.
pub(super) struct Runs {
    pub paths: Vec<PathBuf>,
    pub _folder: Scratch,
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

/// Bytes read ahead, of a run that is merged or of all whose single records are read.
const BUFFER: usize = 1 << 16;

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

    /// Appends a record, whose body is given in pieces.
    pub fn write<'a>(
        &mut self,
        item: &[u8],
        mut bodies: impl Iterator<Item = &'a [u8]> + Clone,
    ) -> Result<()> {
        self.lengths.clear();
        self.lengths.put(item.len() as u64);
        self.lengths
            .put(bodies.clone().map(<[u8]>::len).sum::<usize>() as u64);
        let begin = [&self.lengths, item];
        let written = begin
            .into_iter()
            .try_for_each(|bytes| self.file.write_all(bytes));
        written
            .and_then(|()| bodies.try_for_each(|bytes| self.file.write_all(bytes)))
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
        let runs = paths.iter().map(|path| RunReader::open(path, BUFFER));
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
        let reader = &mut self.runs[run];
        std::mem::swap(&mut record.body, &mut reader.body);
        record.at = Some(At {
            run,
            byte: reader.begun,
        });
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

impl Runs {
    /// A reader of single records. Those of a run are best asked for in their order.
    ///
    /// # Errors
    /// If a run cannot be opened.
    pub fn reader(&self) -> Result<RunsReader> {
        let buffer = BUFFER / self.paths.len().max(1);
        let runs = self.paths.iter().map(|path| RunReader::open(path, buffer));
        Ok(RunsReader {
            runs: runs.collect::<Result<_>>()?,
            item: Vec::new(),
        })
    }
}

/// Reads single records of runs.
pub(super) struct RunsReader {
    runs: Vec<RunReader>,
    item: Vec<u8>,
}

impl RunsReader {
    /// Appends the body of a record to `rows`, where they are empty after its item.
    ///
    /// # Errors
    /// If the run cannot be read back.
    pub fn read(&mut self, at: At, rows: &mut Vec<u8>) -> Result<()> {
        let run = self.runs.get_mut(at.run).ok_or_else(damaged)?;
        run.seek(at.byte)?;
        let body = run.head(&mut self.item)?.ok_or_else(damaged)?;
        if rows.is_empty() {
            rows.put_slice(&self.item);
        }
        read_exactly(&mut run.file, body, rows)
    }
}

struct RunReader {
    path: PathBuf,
    file: BufReader<File>,
    /// The byte before which it stands.
    byte: u64,
    /// Where the record that was read last begins.
    begun: u64,
    /// Its body.
    body: Vec<u8>,
}

impl RunReader {
    fn open(path: &Path, buffer: usize) -> Result<Self> {
        let file = File::open(path).map_err(Error::reading(path))?;
        Ok(Self {
            path: path.to_path_buf(),
            file: BufReader::with_capacity(buffer, file),
            byte: 0,
            begun: 0,
            body: Vec::new(),
        })
    }

    fn seek(&mut self, byte: u64) -> Result<()> {
        let forward = byte as i64 - self.byte as i64;
        let sought = self.file.seek_relative(forward);
        sought.map_err(Error::reading(&self.path))?;
        self.byte = byte;
        Ok(())
    }

    /// The item of the next record, whose body is read.
    fn next(&mut self) -> Result<Option<Vec<u8>>> {
        let mut item = Vec::new();
        let Some(body) = self.head(&mut item)? else {
            return Ok(None);
        };
        self.body.clear();
        read_exactly(&mut self.file, body, &mut self.body)?;
        Ok(Some(item))
    }

    /// Reads the item of the next record. Gives the length of its body, which is to be read next; `None` at the end.
    fn head(&mut self, item: &mut Vec<u8>) -> Result<Option<u64>> {
        let Some(item_length) = read_number(&mut self.file, &self.path)? else {
            return Ok(None);
        };
        let body_length = read_number(&mut self.file, &self.path)?.ok_or_else(damaged)?;
        item.clear();
        read_exactly(&mut self.file, item_length, item)?;
        self.begun = self.byte;
        self.byte += length(item_length) + length(body_length) + item_length + body_length;
        Ok(Some(body_length))
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

/// Appends the next `length` bytes to the buffer.
pub(super) fn read_exactly(file: &mut impl Read, length: u64, buffer: &mut Vec<u8>) -> Result<()> {
    let read = file.take(length).read_to_end(buffer);
    match read {
        Ok(read) if read as u64 == length => Ok(()),
        _ => Err(damaged()),
    }
}
