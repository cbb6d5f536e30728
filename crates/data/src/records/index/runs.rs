//! Sorted runs in temporary files, and their merge.

use super::codec::{ByteDecoder, ByteEncoder, damaged};
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tiebreak_base::disk::Scratch;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::order;

/// The place of a record's body, which is the rows of one item: its run, the byte where it begins, and its length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BodyPlace {
    pub run: usize,
    pub byte: u64,
    pub length: u64,
}

/// A sorted run: a file of bodies, and one of the item and the body's length of each record. A merge reads only the
/// second.
pub(super) struct Run {
    bodies: PathBuf,
    items: PathBuf,
}

/// Temporary files of runs, removed when dropped.
pub(super) struct Runs {
    pub all: Vec<Run>,
    pub _folder: Scratch,
}

/// Returns the rows of a record, each of which follows its length.
pub(super) fn rows(body: &[u8]) -> impl Iterator<Item = Result<&[u8]>> {
    let mut take = ByteDecoder(body);
    std::iter::from_fn(move || (!take.0.is_empty()).then(|| take.slice()))
}

/// Bytes written at a time, and read ahead from a run in a merge, or from all runs for single bodies.
const BUFFER: usize = 1 << 16;

pub(super) struct RunWriter {
    run: Run,
    bodies: BufWriter<File>,
    items: BufWriter<File>,
    head: Vec<u8>,
}

impl RunWriter {
    pub(super) fn create(folder: &Path, number: usize) -> Result<Self> {
        let run = Run {
            bodies: folder.join(format!("run-{number}")),
            items: folder.join(format!("run-{number}-items")),
        };
        let begun = |path: &PathBuf| {
            let file = File::create(path).map_err(Error::writing(path))?;
            Ok(BufWriter::with_capacity(BUFFER, file))
        };
        Ok(Self {
            bodies: begun(&run.bodies)?,
            items: begun(&run.items)?,
            head: Vec::new(),
            run,
        })
    }

    /// Appends a record without its body, which has so many bytes.
    pub(super) fn item(&mut self, item: &[u8], body: u64) -> Result<()> {
        self.head.clear();
        self.head.put_slice(item);
        self.head.put(body);
        let written = self.items.write_all(&self.head);
        written.map_err(Error::writing(&self.run.items))
    }

    /// Appends bodies, or a part of one. In pieces: for a large one systems may take new large pages of memory, which
    /// took five times as long as the copying itself.
    pub(super) fn body(&mut self, bytes: &[u8]) -> Result<()> {
        let mut pieces = bytes.chunks(BUFFER);
        let written = pieces.try_for_each(|piece| self.bodies.write_all(piece));
        written.map_err(Error::writing(&self.run.bodies))
    }

    pub(super) fn finish(mut self) -> Result<Run> {
        let flushed = self.bodies.flush();
        flushed.map_err(Error::writing(&self.run.bodies))?;
        let flushed = self.items.flush();
        flushed.map_err(Error::writing(&self.run.items))?;
        Ok(self.run)
    }
}

impl Run {
    /// Removes the files.
    pub(super) fn remove(&self) -> Result<()> {
        let mut paths = [&self.bodies, &self.items].into_iter();
        paths.try_for_each(|path| std::fs::remove_file(path).map_err(Error::writing(path)))
    }
}

/// A merge of runs. The heap holds the item of the next record of each, by value, item and run.
pub(super) struct Merge {
    runs: Vec<MergedRun>,
    heads: BinaryHeap<Reverse<(u64, Vec<u8>, usize)>>,
}

/// The items of a run, with the place of the body whose item was read last.
struct MergedRun {
    path: PathBuf,
    items: BufReader<File>,
    place: BodyPlace,
}

impl Merge {
    pub(super) fn open(runs: &[Run]) -> Result<Self> {
        let runs = runs.iter().enumerate().map(|(run, Run { items, .. })| {
            let file = File::open(items).map_err(Error::reading(items))?;
            Ok(MergedRun {
                path: items.clone(),
                items: BufReader::with_capacity(BUFFER, file),
                place: BodyPlace {
                    run,
                    byte: 0,
                    length: 0,
                },
            })
        });
        let mut runs: Vec<MergedRun> = runs.collect::<Result<_>>()?;
        let mut heads = BinaryHeap::new();
        for (place, run) in runs.iter_mut().enumerate() {
            let mut item = Vec::new();
            if run.next(&mut item)? {
                heads.push(Reverse((order::number(&item), item, place)));
            }
        }
        Ok(Self { runs, heads })
    }

    /// Returns the item of the next record; `None` at the end.
    pub(super) fn item(&self) -> Option<&[u8]> {
        let Reverse((_, item, _)) = self.heads.peek()?;
        Some(item)
    }

    /// Passes the next record; returns the place of its body. Those of a run follow each other.
    pub(super) fn take(&mut self) -> Result<Option<BodyPlace>> {
        let Some(mut head) = self.heads.peek_mut() else {
            return Ok(None);
        };
        let Reverse((number, item, run)) = &mut *head;
        let run = &mut self.runs[*run];
        let place = run.place;
        match run.next(item)? {
            true => *number = order::number(item),
            false => drop(PeekMut::pop(head)),
        }
        Ok(Some(place))
    }
}

impl MergedRun {
    /// Reads the next item into `item`; false when there is none.
    fn next(&mut self, item: &mut Vec<u8>) -> Result<bool> {
        let Some(length) = read_number(&mut self.items, &self.path)? else {
            return Ok(false);
        };
        item.clear();
        read_exactly(&mut self.items, length, item)?;
        let body = read_number(&mut self.items, &self.path)?.ok_or_else(damaged)?;
        self.place.byte += self.place.length;
        self.place.length = body;
        Ok(true)
    }
}

/// The bodies of sorted records, of which several threads read pieces.
pub(super) enum Bodies {
    Memory(Vec<u8>),
    Runs(Vec<Mutex<File>>),
}

/// The bodies of some records: of each run those that follow each other, and the byte where they begin.
pub(super) struct ReadBodies<'a>(Vec<(u64, Cow<'a, [u8]>)>);

impl Bodies {
    pub(super) fn open(runs: &[Run]) -> Result<Self> {
        let open = |Run { bodies, .. }: &Run| {
            let file = File::open(bodies).map_err(Error::reading(bodies))?;
            Ok(Mutex::new(file))
        };
        Ok(Self::Runs(runs.iter().map(open).collect::<Result<_>>()?))
    }

    /// Reads the bodies at places as a merge gives them, from each run at once.
    pub(super) fn read<'p>(
        &self,
        places: impl Iterator<Item = &'p BodyPlace>,
    ) -> Result<ReadBodies<'_>> {
        let files = match self {
            Self::Memory(bytes) => return Ok(ReadBodies(vec![(0, bytes.into())])),
            Self::Runs(files) => files,
        };
        let mut ranges = vec![0..0; files.len()];
        for place in places {
            let range = &mut ranges[place.run];
            if range.start == range.end {
                range.start = place.byte;
            }
            range.end = place.byte + place.length;
        }
        let read = |(range, file): (Range<u64>, &Mutex<File>)| {
            let mut bytes = Vec::new();
            if range.start < range.end {
                let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                let sought = file.seek(SeekFrom::Start(range.start));
                sought.map_err(|_| damaged())?;
                read_exactly(&mut *file, range.end - range.start, &mut bytes)?;
            }
            Ok((range.start, bytes.into()))
        };
        let runs = ranges.into_iter().zip(files).map(read);
        Ok(ReadBodies(runs.collect::<Result<_>>()?))
    }
}

impl ReadBodies<'_> {
    /// The body at one of the places that were read.
    pub(super) fn at(&self, place: &BodyPlace) -> &[u8] {
        let (start, bytes) = &self.0[place.run];
        let from = (place.byte - start) as usize;
        &bytes[from..from + place.length as usize]
    }
}

/// A reader of single bodies. Those of a run are best read in their order.
pub(super) struct BodyReader {
    runs: Vec<RunReader>,
}

struct RunReader {
    path: PathBuf,
    file: BufReader<File>,
    /// The end of the body read last.
    end: u64,
}

impl BodyReader {
    pub(super) fn open(runs: &[Run]) -> Result<Self> {
        let buffer = BUFFER / runs.len().max(1);
        let open = |Run { bodies, .. }: &Run| {
            let file = File::open(bodies).map_err(Error::reading(bodies))?;
            Ok(RunReader {
                path: bodies.clone(),
                file: BufReader::with_capacity(buffer, file),
                end: 0,
            })
        };
        Ok(Self {
            runs: runs.iter().map(open).collect::<Result<_>>()?,
        })
    }

    /// Appends a body to `rows`.
    pub(super) fn read(&mut self, place: BodyPlace, rows: &mut Vec<u8>) -> Result<()> {
        let run = self.runs.get_mut(place.run).ok_or_else(damaged)?;
        let sought = run.file.seek_relative(place.byte as i64 - run.end as i64);
        sought.map_err(Error::reading(&run.path))?;
        run.end = place.byte + place.length;
        read_exactly(&mut run.file, place.length, rows)
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
    if length <= BUFFER as u64 {
        let start = buffer.len();
        buffer.resize(start + length as usize, 0);
        return file.read_exact(&mut buffer[start..]).map_err(|_| damaged());
    }
    buffer.reserve(BUFFER);
    let read = file.take(length).read_to_end(buffer);
    match read {
        Ok(read) if read as u64 == length => Ok(()),
        _ => Err(damaged()),
    }
}
