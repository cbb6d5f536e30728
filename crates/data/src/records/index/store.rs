//! A store of consecutive records: in memory while they are few, in a temporary file otherwise. Readers seek
//! by a sparse table of offsets whose size is bounded.

use super::codec::{ByteEncoder, damaged};
use super::offsets::Offsets;
use super::runs::{read_exactly, read_number};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Cursor, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tiebreak_base::disk::{CachedFile, Scratch};
use tiebreak_base::error::{Error, Result};

/// A writer of records.
pub(super) struct StoreWriter {
    budget: usize,
    memory: Vec<u8>,
    file: Option<(SpillFile, BufWriter<File>)>,
    offsets: Offsets,
    length: u64,
}

/// The records, readable by any number of threads.
pub(super) struct RecordStore {
    memory: Vec<u8>,
    file: Option<SpillFile>,
    offsets: Offsets,
    length: u64,
}

/// A file of records, from some byte to its end.
struct SpillFile {
    path: PathBuf,
    start: u64,
    _keeper: SpillFileGuard,
}

/// The guard of a file, which exists at least as long.
enum SpillFileGuard {
    /// A temporary file, removed with its folder.
    Scratch { _folder: Scratch },
    /// A file of the cache, which may be removed afterwards.
    Cache { _held: CachedFile },
}

impl StoreWriter {
    /// Creates a store that holds about `budget` bytes in memory.
    pub(super) fn new(budget: usize) -> Self {
        Self {
            budget,
            memory: Vec::new(),
            file: None,
            offsets: Offsets::new(),
            length: 0,
        }
    }

    /// Appends a record.
    pub(super) fn push(&mut self, record: &[u8]) -> Result<()> {
        self.offsets.push(self.length);
        let start = self.memory.len();
        self.memory.put(record.len() as u64);
        self.memory.extend_from_slice(record);
        self.length += (self.memory.len() - start) as u64;
        if self.file.is_some() || self.memory.len() > self.budget {
            self.flush()?;
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<RecordStore> {
        let file = match self.file.take() {
            None => None,
            Some((file, mut writer)) => {
                writer.flush().map_err(Error::writing(&file.path))?;
                Some(file)
            }
        };
        Ok(RecordStore {
            memory: self.memory,
            file,
            offsets: self.offsets,
            length: self.length,
        })
    }

    /// Moves the buffered records to the file, which is created when first needed.
    fn flush(&mut self) -> Result<()> {
        if self.file.is_none() {
            let folder = Scratch::new()?;
            let path = folder.path().join("groups");
            let file = File::create(&path).map_err(Error::writing(&path))?;
            let writer = BufWriter::with_capacity(1 << 16, file);
            let spilled = SpillFile {
                path,
                start: 0,
                _keeper: SpillFileGuard::Scratch { _folder: folder },
            };
            self.file = Some((spilled, writer));
        }
        if let Some((file, writer)) = &mut self.file {
            let written = writer.write_all(&self.memory);
            written.map_err(Error::writing(&file.path))?;
        }
        self.memory.clear();
        // The buffer that the first flush freed is not needed again.
        self.memory.shrink_to(1 << 16);
        Ok(())
    }
}

impl RecordStore {
    /// Opens the records of a cached file, `length` bytes from byte `start` on.
    pub(super) fn kept(held: CachedFile, start: u64, length: u64, offsets: Offsets) -> Self {
        Self {
            length,
            memory: Vec::new(),
            file: Some(SpillFile {
                path: held.path().to_path_buf(),
                start,
                _keeper: SpillFileGuard::Cache { _held: held },
            }),
            offsets,
        }
    }

    /// Writes the records one after the other, as they are read.
    pub(super) fn write_to(&self, out: &mut impl Write) -> io::Result<()> {
        let Some(file) = &self.file else {
            return out.write_all(&self.memory);
        };
        let mut records = File::open(&file.path)?;
        records.seek(SeekFrom::Start(file.start))?;
        let mut records = BufReader::with_capacity(1 << 16, records);
        io::copy(&mut records, out).map(drop)
    }

    /// The number of bytes of the records.
    pub(super) fn bytes(&self) -> u64 {
        self.length
    }

    /// The offsets of the records.
    pub(super) fn offsets(&self) -> &Offsets {
        &self.offsets
    }

    /// The number of records.
    pub(super) fn len(&self) -> u64 {
        self.offsets.records()
    }

    /// Whether the records are in a file.
    pub(super) fn is_spilled(&self) -> bool {
        self.file.is_some()
    }

    /// Returns a reader before record `position`, or at the end where there are fewer.
    pub(super) fn reader(&self, position: u64) -> Result<StoreReader<'_>> {
        let (near, offset) = self.offsets.before(position);
        let mut reader = match &self.file {
            None => {
                let mut memory = Cursor::new(self.memory.as_slice());
                memory.set_position(offset);
                StoreReader::new(Box::new(memory), Path::new("memory"))
            }
            Some(file) => {
                let reading = Error::reading(&file.path);
                let mut groups = File::open(&file.path).map_err(&reading)?;
                groups
                    .seek(SeekFrom::Start(file.start + offset))
                    .map_err(&reading)?;
                StoreReader::new(
                    Box::new(BufReader::with_capacity(1 << 16, groups)),
                    &file.path,
                )
            }
        };
        for _ in near..position {
            if !reader.skip()? {
                break;
            }
        }
        Ok(reader)
    }
}

/// A reader of consecutive records.
pub(super) struct StoreReader<'a> {
    bytes: Box<dyn SeekableRead + Send + 'a>,
    path: &'a Path,
}

trait SeekableRead: Read + Seek {}
impl<T: Read + Seek> SeekableRead for T {}

impl<'a> StoreReader<'a> {
    fn new(bytes: Box<dyn SeekableRead + Send + 'a>, path: &'a Path) -> Self {
        Self { bytes, path }
    }

    /// Reads the next record into `record`; false when there is none.
    pub(super) fn next(&mut self, record: &mut Vec<u8>) -> Result<bool> {
        let Some(length) = read_number(&mut self.bytes, self.path)? else {
            return Ok(false);
        };
        record.clear();
        read_exactly(&mut self.bytes, length, record)?;
        Ok(true)
    }

    fn skip(&mut self) -> Result<bool> {
        let Some(length) = read_number(&mut self.bytes, self.path)? else {
            return Ok(false);
        };
        let length = i64::try_from(length).map_err(|_| damaged())?;
        self.bytes
            .seek_relative(length)
            .map_err(Error::reading(self.path))?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store(records: u64, budget: usize) -> RecordStore {
        let mut writer = StoreWriter::new(budget);
        for n in 0..records {
            writer.push(n.to_string().as_bytes()).unwrap();
        }
        writer.finish().unwrap()
    }

    fn at(store: &RecordStore, position: u64) -> Option<String> {
        let mut record = Vec::new();
        let found = store.reader(position).unwrap().next(&mut record).unwrap();
        found.then(|| String::from_utf8(record).unwrap())
    }

    #[test]
    fn any_position_is_found_in_memory_and_on_disk() {
        for (budget, spilled) in [(usize::MAX, false), (100, true)] {
            let store = store(500, budget);
            assert_eq!((store.len(), store.is_spilled()), (500, spilled));
            for position in [0, 1, 250, 499] {
                assert_eq!(at(&store, position), Some(position.to_string()));
            }
            assert_eq!(at(&store, 500), None);
            assert_eq!(at(&store, u64::MAX), None);
        }
    }

    #[test]
    fn an_empty_store_has_nothing() {
        assert_eq!(at(&store(0, 1), 0), None);
    }
}
