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

/// What stands before a record, which is rows of one item: how many bytes the item and the rows take.
pub(super) struct Lengths {
    pub item: u64,
    pub body: u64,
}

/// Where a record lies: which run, and from which byte on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RunOffset {
    pub run: usize,
    pub byte: u64,
}

/// Runs that are there as long as this is.
pub(super) struct Runs {
    pub paths: Vec<PathBuf>,
    pub _folder: Scratch,
}

impl Lengths {
    /// What it takes itself, in bytes.
    pub(super) const BYTES: usize = 16;

    /// Its bytes: as many for any lengths, so that the rows' can be put there when all are known.
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

/// The rows of a record, each after its length.
pub(super) fn rows(body: &[u8]) -> impl Iterator<Item = Result<&[u8]>> {
    let mut take = ByteDecoder(body);
    std::iter::from_fn(move || (!take.0.is_empty()).then(|| take.slice()))
}

/// Bytes written at a time, and read ahead of a run that is merged or of all whose single records are read.
const BUFFER: usize = 1 << 16;

/// Writes a run.
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

    /// Appends records that lie one after the other as in a run. In pieces: for a large one systems may take large
    /// pages that nobody had yet, which took five times as long as the copying itself.
    pub(super) fn records(&mut self, bytes: &[u8]) -> Result<()> {
        let mut pieces = bytes.chunks(BUFFER);
        let written = pieces.try_for_each(|piece| self.file.write_all(piece));
        written.map_err(Error::writing(&self.path))
    }

    /// Where the run lies.
    pub(super) fn finish(mut self) -> Result<PathBuf> {
        self.file.flush().map_err(Error::writing(&self.path))?;
        Ok(self.path)
    }
}

/// Merges runs. The heap holds the item of the next record of each, by value, item and run.
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

    /// The item of the next record, `None` at the end.
    pub(super) fn item(&self) -> Option<&[u8]> {
        let Reverse((_, item, _)) = self.heads.peek()?;
        Some(item)
    }

    /// Appends the rows of the next record; where it lies, if there is one.
    ///
    /// # Errors
    /// If a run cannot be read back.
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
    /// A reader of single records. Those of a run are best asked for in their order.
    ///
    /// # Errors
    /// If a run cannot be opened.
    pub(super) fn reader(&self) -> Result<RunsReader> {
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
    /// Where the record begins whose item was read last, and where it ends.
    begun: u64,
    end: u64,
    /// The bytes of its rows.
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

    /// Goes to a record, from behind the one before.
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

/// Reads a number as [`ByteEncoder::put`] wrote it; `None` at the end of the file.
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
