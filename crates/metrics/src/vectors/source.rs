//! A file of vectors, read from front to back with its length at hand.

use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use tiebreak_base::error::{Error, Location, Result};

/// The buffer's size: room for the first line and a row after it, which say what the file is.
const BUFFER: usize = 1 << 18;

/// A file that is read, hashed and measured.
pub(super) struct VectorFileReader {
    reader: BufReader<HashingReader>,
    path: PathBuf,
    /// The length in bytes.
    length: u64,
    /// The number of bytes that have been handed out.
    read: u64,
}

struct HashingReader {
    file: File,
    hash: Sha256,
}

impl Read for HashingReader {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(bytes)?;
        self.hash.update(&bytes[..read]);
        Ok(read)
    }
}

impl VectorFileReader {
    /// Opens a file.
    ///
    /// # Errors
    /// If there is no such file, or it is a folder or empty.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(Error::reading(path))?;
        let metadata = file.metadata().map_err(Error::reading(path))?;
        if metadata.is_dir() {
            return Err(Error::input(
                path,
                "is a folder, expected a file of vectors",
            ));
        }
        if metadata.len() == 0 {
            return Err(Error::input(path, "the file is empty").with_hint(super::ADVICE));
        }
        let hash = Sha256::new();
        Ok(Self {
            reader: BufReader::with_capacity(BUFFER, HashingReader { file, hash }),
            path: path.to_path_buf(),
            length: metadata.len(),
            read: 0,
        })
    }

    /// The next bytes, without moving on: up to a quarter of a megabyte.
    pub(super) fn ahead(&mut self) -> Result<&[u8]> {
        self.reader.fill_buf().map_err(Error::reading(&self.path))
    }

    /// The number of bytes that have not been handed out.
    pub(super) fn left(&self) -> u64 {
        self.length.saturating_sub(self.read)
    }

    /// An error about the file.
    pub(super) fn wrong(&self, what: impl Into<String>) -> Error {
        Error::input(&self.path, what)
    }

    /// An error about a line of the file.
    pub(super) fn wrong_at(&self, line: u64, what: impl Into<String>) -> Error {
        Error::record(Location::line(&self.path, line), what)
    }

    /// Refuses a table of which the file, or what is left of it, cannot hold `bytes` bytes.
    ///
    /// # Errors
    /// Says how much there is.
    pub(super) fn require(&self, what: &str, bytes: Option<u64>) -> Result<()> {
        match bytes {
            Some(bytes) if bytes <= self.left() => Ok(()),
            bytes => {
                let needed = bytes.map_or("more bytes than can be counted".to_string(), |bytes| {
                    format!("at least {bytes} bytes")
                });
                let left = self.left();
                let what = format!("{what} would take {needed}, but only {left} are left");
                Err(self
                    .wrong(what)
                    .with_hint("the file is truncated or damaged: fetch it again"))
            }
        }
    }

    /// Reads up to `end`, without it, into `bytes`. Returns false if the file ends before.
    pub(super) fn until(&mut self, end: u8, bytes: &mut Vec<u8>) -> Result<bool> {
        bytes.clear();
        let read = self.reader.read_until(end, bytes);
        self.read += read.map_err(Error::reading(&self.path))? as u64;
        let ended = bytes.last() == Some(&end);
        if ended {
            bytes.pop();
        }
        Ok(ended)
    }

    /// The next `N` bytes.
    pub(super) fn bytes<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut bytes = [0; N];
        let read = self.reader.read_exact(&mut bytes);
        read.map_err(Error::reading(&self.path))?;
        self.read += N as u64;
        Ok(bytes)
    }

    pub(super) fn i32(&mut self) -> Result<i32> {
        Ok(i32::from_le_bytes(self.bytes()?))
    }

    pub(super) fn i64(&mut self) -> Result<i64> {
        Ok(i64::from_le_bytes(self.bytes()?))
    }

    /// Appends `count` numbers, little-endian, of 4 bytes each.
    ///
    /// # Errors
    /// If the file ends before, or one of them is not finite.
    pub(super) fn floats(&mut self, count: usize, numbers: &mut Vec<f32>) -> Result<()> {
        let mut left = count;
        let mut buffer = [0; 1 << 12];
        while left > 0 {
            let part = left.min(buffer.len() / 4);
            let bytes = &mut buffer[..part * 4];
            let read = self.reader.read_exact(bytes);
            read.map_err(Error::reading(&self.path))?;
            let (quads, _) = bytes.as_chunks::<4>();
            let before = numbers.len();
            numbers.extend(quads.iter().map(|&quad| f32::from_le_bytes(quad)));
            if !numbers[before..].iter().all(|x| x.is_finite()) {
                return Err(self.wrong(format!("a number after byte {} is not finite", self.read)));
            }
            self.read += bytes.len() as u64;
            left -= part;
        }
        Ok(())
    }

    /// The first 16 hexadecimal digits of the SHA-256 of what was read so far: of the whole file,
    /// where it was read to its end.
    pub(super) fn digest(self) -> String {
        let digest = self.reader.into_inner().hash.finalize();
        digest.iter().take(8).fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
    }
}
