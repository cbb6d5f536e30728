//! Objects added line by line to a file, each with a digest of itself.
//!
//! A line is in the file once it is written, so whatever a killed command had added is there. Its last line may
//! be torn: the next command that adds cuts it off, and knows its number. A changed line anywhere else is refused.

use super::{folder_of, sealed, sweep};
use crate::error::{Error, Location, Result};
use crate::limits::{CountingReader, Part};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The key of a line's digest.
const KEY: &str = "check";

/// The place of an object: its first byte, and its length in bytes.
pub type LogEntrySpan = (u64, usize);

/// A log that this command alone appends to, or one that it only reads.
pub struct Log {
    file: File,
    path: PathBuf,
    /// Where its whole lines end, and their number.
    end: (u64, u64),
    writes: bool,
    cut_off: Option<u64>,
}

impl Log {
    /// Opens or begins the log and passes every object with its place to `each`. While another command adds to
    /// it, it can only be read.
    ///
    /// # Errors
    /// If it cannot be read or made; a line that was changed; what `each` finds wrong.
    pub fn open(
        path: &Path,
        mut each: impl FnMut(&[u8], LogEntrySpan) -> Result<()>,
    ) -> Result<Self> {
        let folder = folder_of(path);
        fs::create_dir_all(folder).map_err(Error::writing(folder))?;
        sweep(folder);
        let mut open = File::options();
        let open = open.read(true).write(true).create(true).truncate(false);
        let file = open.open(path).map_err(Error::writing(path))?;
        let writes = !matches!(file.try_lock(), Err(fs::TryLockError::WouldBlock));
        let (end, torn) = scan(&file, path, (0, 0), &mut each)?;
        // Where another command adds, its last line may only not be whole yet.
        let cut_off = torn.filter(|_| writes);
        if cut_off.is_some() {
            file.set_len(end.0).map_err(Error::writing(path))?;
        }
        Ok(Self {
            file,
            path: path.to_path_buf(),
            end,
            writes,
            cut_off,
        })
    }

    /// The number of the last line, where it was torn and is cut off.
    pub fn cut_off(&self) -> Option<u64> {
        self.cut_off
    }

    /// Whether this command may add to the log.
    pub fn writes(&self) -> bool {
        self.writes
    }

    /// Adds an object.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(&mut self, object: &str) -> Result<LogEntrySpan> {
        let line = sealed::seal(object, KEY, "").line + "\n";
        let (end, number) = self.end;
        let place = (end, line.len() - 1);
        let at = self.file.seek(SeekFrom::Start(end));
        let written = at.and_then(|_| self.file.write_all(line.as_bytes()));
        written.map_err(Error::writing(&self.path))?;
        self.end = (end + line.len() as u64, number + 1);
        Ok(place)
    }

    /// The object at a place.
    ///
    /// # Errors
    /// If it cannot be read, or is not what was written there.
    pub fn read(&mut self, (start, length): LogEntrySpan) -> Result<Vec<u8>> {
        let mut line = vec![0; length];
        let at = self.file.seek(SeekFrom::Start(start));
        let read = at.and_then(|_| self.file.read_exact(&mut line));
        read.map_err(Error::reading(&self.path))?;
        object(&line).ok_or_else(|| Error::input(&self.path, "was changed while it was in use"))
    }

    /// Passes the objects that another command has added since to `each`.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn catch_up(
        &mut self,
        mut each: impl FnMut(&[u8], LogEntrySpan) -> Result<()>,
    ) -> Result<()> {
        let (end, _) = self.end;
        let failed = Error::reading(&self.path);
        if self.file.metadata().is_ok_and(|now| now.len() <= end) {
            return Ok(());
        }
        self.file.seek(SeekFrom::Start(end)).map_err(failed)?;
        (self.end, _) = scan(&self.file, &self.path, self.end, &mut each)?;
        Ok(())
    }

    /// Syncs the log to disk.
    ///
    /// # Errors
    /// If that fails.
    pub fn sync(&self) -> Result<()> {
        self.file.sync_data().map_err(Error::writing(&self.path))
    }
}

/// Reads all lines after so many bytes and lines; returns where the whole ones end, and the number of a torn last one.
fn scan(
    file: &File,
    path: &Path,
    (mut end, mut number): (u64, u64),
    each: &mut impl FnMut(&[u8], LogEntrySpan) -> Result<()>,
) -> Result<((u64, u64), Option<u64>)> {
    let mut lines = CountingReader::new(BufReader::new(file), Part::Batch);
    let mut line = Vec::new();
    loop {
        line.clear();
        lines.begin(0);
        let read = lines.read_until(b'\n', &mut line);
        let bytes = read.map_err(Error::reading(path))? as u64;
        match line.strip_suffix(b"\n").map(object) {
            Some(Some(found)) => {
                each(&found, (end, bytes as usize - 1))?;
                (end, number) = (end + bytes, number + 1);
            }
            None if bytes == 0 => return Ok(((end, number), None)),
            // The end, at least so far: another command may be adding to it.
            None => return Ok(((end, number), Some(number + 1))),
            Some(None) if lines.fill_buf().map_err(Error::reading(path))?.is_empty() => {
                return Ok(((end, number), Some(number + 1)));
            }
            Some(None) => {
                let what = "is not what was written here";
                let error = Error::record(Location::line(path, number + 1), what);
                return Err(error.with_hint("delete that line: its question is asked again"));
            }
        }
    }
}

/// Returns the object of a line; `None` where it is not what was written.
fn object(line: &[u8]) -> Option<Vec<u8>> {
    sealed::open(line, KEY, "").map(|(object, _)| object)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened(path: &Path) -> Result<(Log, Vec<String>)> {
        let mut all = Vec::new();
        let log = Log::open(path, |object, _| {
            all.push(String::from_utf8(object.to_vec()).unwrap());
            Ok(())
        })?;
        Ok((log, all))
    }

    #[test]
    fn what_was_added_is_there_and_a_torn_end_is_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/log.jsonl");
        let (mut log, all) = opened(&path).unwrap();
        assert!(log.writes() && all.is_empty());
        let places = ["{\"a\":1}", "{\"b\":\"é\"}"].map(|one| log.add(one).unwrap());
        assert_eq!(log.read(places[1]).unwrap(), "{\"b\":\"é\"}".as_bytes());
        assert!(!opened(&path).unwrap().0.writes(), "one adds at a time");
        let (mut other, _) = opened(&path).unwrap();
        log.add("{\"c\":2}").unwrap();
        let mut more = Vec::new();
        let caught = other.catch_up(|object, _| {
            more.extend_from_slice(object);
            Ok(())
        });
        assert!(caught.is_ok() && more == b"{\"c\":2}");
        drop((log, other));
        let whole = fs::read(&path).unwrap();
        let whole = &whole[..=places[1].0 as usize + places[1].1];
        for cut in places[0].1 + 1..whole.len() {
            fs::write(&path, &whole[..cut]).unwrap();
            let (mut log, all) = opened(&path).unwrap();
            assert_eq!(all, ["{\"a\":1}"]);
            let torn = cut > places[0].1 + 1;
            assert_eq!(log.cut_off(), torn.then_some(2));
            log.add("{\"b\":\"é\"}").unwrap();
            drop(log);
            assert_eq!(fs::read(&path).unwrap(), whole);
        }
    }

    #[test]
    fn a_line_that_was_changed_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.jsonl");
        let (mut log, _) = opened(&path).unwrap();
        log.add("{\"a\":1}").unwrap();
        log.add("{\"a\":2}").unwrap();
        drop(log);
        let changed = fs::read_to_string(&path).unwrap().replace(":1", ":3");
        fs::write(&path, changed).unwrap();
        let error = opened(&path).err().unwrap();
        assert!(error.to_string().contains("log.jsonl:1"), "{error}");
    }
}
