//! Sorted runs in temporary files, and their merge.

use super::codec::{ByteDecoder, ByteEncoder, damaged};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use tiebreak_base::disk::Scratch;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::order;

/// The lengths before a record, which is the rows of one item: those of the item and of the rows, in bytes.
pub(super) struct Lengths {
    pub item: u64,
    pub body: u64,
}

/// The place of a record: its run, and the byte where it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RunOffset {
    pub run: usize,
    pub byte: u64,
}

/// Temporary files of runs, removed when dropped.
pub(super) struct Runs {
    pub paths: Vec<PathBuf>,
    pub _folder: Scratch,
}

impl Lengths {
    /// The encoded size, in bytes.
    pub(super) const BYTES: usize = 16;

    /// Returns the encoding, of a fixed size, so that the rows' length can be filled in when it is known.
    pub(super) fn encode(&self) -> [u8; Self::BYTES] {
        (u128::from(self.body) << 64 | u128::from(self.item)).to_le_bytes()
    }

    fn decode(bytes: [u8; Self::BYTES]) -> Self {
        let both = u128::from_le_bytes(bytes);
        Self {
            item: both as u64,
            body: (both >> 64) as u64,
        }
    }
}

/// Returns the rows of a record, each of which follows its length.
pub(super) fn rows(body: &[u8]) -> impl Iterator<Item = Result<&[u8]>> {
    let mut take = ByteDecoder(body);
    std::iter::from_fn(move || (!take.0.is_empty()).then(|| take.slice()))
}

/// Bytes written at a time, and read ahead from a run in a merge, or from all runs for single records.
const BUFFER: usize = 1 << 16;

pub(super) struct RunWriter {
    path: PathBuf,
    file: BufWriter<File>,
}

impl RunWriter {
    pub(super) fn create(path: PathBuf) -> Result<Self> {
        let file = File::create(&path).map_err(Error::writing(&path))?;
        Ok(Self {
            path,
            file: BufWriter::with_capacity(BUFFER, file),
        })
    }

    /// Appends a record, whose body is given in pieces.
    pub(super) fn write<'a>(
        &mut self,
        item: &[u8],
        mut bodies: impl Iterator<Item = &'a [u8]> + Clone,
    ) -> Result<()> {
        let lengths = Lengths {
            item: item.len() as u64,
            body: bodies.clone().map(|body| body.len() as u64).sum(),
        };
        self.records(&lengths.encode())?;
        self.records(item)?;
        bodies.try_for_each(|bytes| self.records(bytes))
    }

    /// Appends records that lie one after the other as in a run. In pieces: for a large one systems may take new large
    /// pages of memory, which took five times as long as the copying itself.
    pub(super) fn records(&mut self, bytes: &[u8]) -> Result<()> {
        let mut pieces = bytes.chunks(BUFFER);
        let written = pieces.try_for_each(|piece| self.file.write_all(piece));
        written.map_err(Error::writing(&self.path))
    }

    /// Completes the run; returns its path.
    pub(super) fn finish(mut self) -> Result<PathBuf> {
        self.file.flush().map_err(Error::writing(&self.path))?;
        Ok(self.path)
    }
}

/// A merge of runs. The heap holds the item of the next record of each, by value, item and run.
pub(super) struct Merge {
    runs: Vec<RunReader>,
    heads: BinaryHeap<Reverse<(u64, Vec<u8>, usize)>>,
}

impl Merge {
    pub(super) fn open(paths: &[PathBuf]) -> Result<Self> {
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

    /// Returns the item of the next record; `None` at the end.
    pub(super) fn item(&self) -> Option<&[u8]> {
        let Reverse((_, item, _)) = self.heads.peek()?;
        Some(item)
    }

    /// Appends the rows of the next record; returns its place, if there is one.
    pub(super) fn take(&mut self, rows: &mut Vec<u8>) -> Result<Option<RunOffset>> {
        let Some(Reverse((_, _, run))) = self.heads.pop() else {
            return Ok(None);
        };
        let byte = self.runs[run].begun;
        self.runs[run].body(rows)?;
        self.advance(run)?;
        Ok(Some(RunOffset { run, byte }))
    }

    fn advance(&mut self, run: usize) -> Result<()> {
        let mut item = Vec::new();
        if self.runs[run].item(&mut item)? {
            self.heads.push(Reverse((order::number(&item), item, run)));
        }
        Ok(())
    }
}

impl Runs {
    /// Returns a reader of single records. Those of a run are best read in their order.
    pub(super) fn reader(&self) -> Result<RunsReader> {
        let buffer = BUFFER / self.paths.len().max(1);
        let runs = self.paths.iter().map(|path| RunReader::open(path, buffer));
        Ok(RunsReader {
            runs: runs.collect::<Result<_>>()?,
            item: Vec::new(),
        })
    }
}

/// A reader of single records of runs.
pub(super) struct RunsReader {
    runs: Vec<RunReader>,
    item: Vec<u8>,
}

impl RunsReader {
    /// Appends the body of a record to `rows`, after its item where they are empty.
    pub(super) fn read(&mut self, at: RunOffset, rows: &mut Vec<u8>) -> Result<()> {
        let run = self.runs.get_mut(at.run).ok_or_else(damaged)?;
        run.seek(at.byte)?;
        if !run.item(&mut self.item)? {
            return Err(damaged());
        }
        if rows.is_empty() {
            rows.put_slice(&self.item);
        }
        run.body(rows)
    }
}

struct RunReader {
    path: PathBuf,
    file: BufReader<File>,
    /// The offset of the record whose item was read last, and of its end.
    begun: u64,
    end: u64,
    /// The length of its rows, in bytes.
    body: u64,
}

impl RunReader {
    fn open(path: &Path, buffer: usize) -> Result<Self> {
        let file = File::open(path).map_err(Error::reading(path))?;
        Ok(Self {
            path: path.to_path_buf(),
            file: BufReader::with_capacity(buffer, file),
            begun: 0,
            end: 0,
            body: 0,
        })
    }

    /// Seeks a record, from the end of the one before.
    fn seek(&mut self, byte: u64) -> Result<()> {
        let forward = byte as i64 - self.end as i64;
        let sought = self.file.seek_relative(forward);
        sought.map_err(Error::reading(&self.path))?;
        self.end = byte;
        Ok(())
    }

    /// Reads the item of the next record, whose rows are to be read next; false at the end.
    fn item(&mut self, item: &mut Vec<u8>) -> Result<bool> {
        let reading = Error::reading(&self.path);
        if self.file.fill_buf().map_err(reading)?.is_empty() {
            return Ok(false);
        }
        let mut lengths = [0; Lengths::BYTES];
        self.file.read_exact(&mut lengths).map_err(|_| damaged())?;
        let lengths = Lengths::decode(lengths);
        item.clear();
        read_exactly(&mut self.file, lengths.item, item)?;
        self.begun = self.end;
        self.end += Lengths::BYTES as u64 + lengths.item + lengths.body;
        self.body = lengths.body;
        Ok(true)
    }

    /// Appends the rows of the record whose item was read.
    fn body(&mut self, rows: &mut Vec<u8>) -> Result<()> {
        read_exactly(&mut self.file, self.body, rows)
    }
}

/// Reads a number encoded by [`ByteEncoder::put`]; `None` at the end of the file.
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
    // At once where it is no more than is held anyway: a damaged length may be anything.
    buffer.reserve(length.min(BUFFER as u64) as usize);
    let read = file.take(length).read_to_end(buffer);
    match read {
        Ok(read) if read as u64 == length => Ok(()),
        _ => Err(damaged()),
    }
}
