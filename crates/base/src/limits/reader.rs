//! The counting reader, which is under every decoder and every body that comes over a network.

use super::{Excess, Part};
use std::fs::File;
use std::io::{self, BufRead, Read, Seek, SeekFrom};
use std::path::Path;

/// A reader that counts the bytes of the piece being read, and fails with an [`Excess`] where it is too large.
pub struct CountingReader<R> {
    reader: R,
    part: Part,
    /// The bytes of the piece that were read.
    held: u64,
}

impl<R> CountingReader<R> {
    /// A reader at the beginning of a piece.
    pub fn new(reader: R, part: Part) -> Self {
        Self {
            reader,
            part,
            held: 0,
        }
    }

    /// Begins a piece of which `held` bytes are held already.
    pub fn begin(&mut self, held: u64) {
        self.held = held;
    }

    /// The reader without the count.
    pub fn into_inner(self) -> R {
        self.reader
    }
}

impl<R: BufRead> CountingReader<R> {
    /// Reads the next line, without its end, as a piece of its own; false at the end of the file.
    ///
    /// # Errors
    /// If it cannot be read or is not UTF-8; an [`Excess`] where it is too long.
    pub fn next_line(&mut self, line: &mut String) -> io::Result<bool> {
        self.begin(0);
        line.clear();
        let read = self.read_line(line)?;
        let text = line.strip_suffix('\n').unwrap_or(line);
        line.truncate(text.strip_suffix('\r').unwrap_or(text).len());
        Ok(read > 0)
    }
}

impl<R: Read> Read for CountingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        self.held += read as u64;
        self.part.holds(self.held).map_err(io::Error::other)?;
        Ok(read)
    }
}

impl<R: BufRead> BufRead for CountingReader<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let bytes = self.reader.fill_buf()?;
        let room = self.part.most().saturating_sub(self.held);
        match bytes.len().min(usize::try_from(room).unwrap_or(usize::MAX)) {
            0 if !bytes.is_empty() => Err(io::Error::other(self.part.excess())),
            some => Ok(&bytes[..some]),
        }
    }

    fn consume(&mut self, amount: usize) {
        self.reader.consume(amount);
        self.held += amount as u64;
    }
}

impl<R: Seek> Seek for CountingReader<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.reader.seek(to)
    }
}

/// Reads a file whole, as one piece.
///
/// # Errors
/// If it cannot be read; an [`Excess`] where it is too large.
pub fn file_bytes(path: &Path, part: Part) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    CountingReader::new(File::open(path)?, part).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a text file whole, as one piece.
///
/// # Errors
/// If it cannot be read or is not UTF-8; an [`Excess`] where it is too large.
pub fn file_text(path: &Path, part: Part) -> io::Result<String> {
    let mut text = String::new();
    CountingReader::new(File::open(path)?, part).read_to_string(&mut text)?;
    Ok(text)
}

/// Returns what was too large, where that is why reading failed.
pub fn excess_of(error: &io::Error) -> Option<Excess> {
    error.get_ref()?.downcast_ref().copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::limits::advice;
    use std::io::BufReader;

    fn most() -> usize {
        Part::Row.most() as usize
    }

    #[test]
    fn a_piece_may_be_as_large_as_its_limit_and_no_larger() {
        for (length, fits) in [(most(), true), (most() + 1, false)] {
            let text = vec![b'x'; length];
            let mut whole = Vec::new();
            let read = CountingReader::new(&text[..], Part::Row).read_to_end(&mut whole);
            assert_eq!(read.is_ok(), fits);
            let mut line = Vec::new();
            let mut lines = CountingReader::new(BufReader::new(&text[..]), Part::Row);
            let read = lines.read_until(b'\n', &mut line);
            assert_eq!((read.is_ok(), line.len()), (fits, most()));
            assert_eq!(
                excess_of(&read.err().unwrap_or_else(|| io::Error::other("none"))).is_none(),
                fits
            );
        }
    }

    #[test]
    fn every_piece_has_the_limit_to_itself() {
        let text = [vec![b'x'; most() - 1], vec![b'\n']].concat().repeat(2);
        let mut lines = CountingReader::new(&text[..], Part::Row);
        let mut line = String::new();
        for _ in 0..2 {
            assert!(lines.next_line(&mut line).unwrap());
            assert_eq!(line.len(), most() - 1);
        }
        assert!(!lines.next_line(&mut line).unwrap() && line.is_empty());
    }

    #[test]
    fn a_file_that_is_too_large_is_an_error_with_the_flag() {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(most() as u64 + 1).unwrap();
        let read = file_bytes(file.path(), Part::Row).map_err(Error::reading(file.path()));
        let error = read.unwrap_err();
        let words = "holds more than the limit of 16M";
        assert!(error.to_string().ends_with(words), "{error}");
        assert_eq!((error.advice(), error.exit_code()), (Some(advice()), 2));
    }
}
