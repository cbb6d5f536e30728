//! The file of a journal. Lines added to it are on disk with their length, or it is as it was.
//!
//! Lines are synced first and their length is recorded after them; what could not be stored is taken back in the
//! opposite order. So whatever is lost in between, the record is never ahead of the lines.

use super::LockedFile;
use super::chain::Chain;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use tiebreak_base::error::{Error, Result};

/// The bytes of the space that is tried: a few answers with comments.
const TRIED: usize = 16 << 10;

/// A journal's file, locked, with the lines in it that count.
#[derive(Debug)]
pub(super) struct JournalFile {
    path: PathBuf,
    file: LockedFile,
    /// The chain of the lines that count.
    chain: Chain,
    /// Their length in bytes.
    length: u64,
    /// The reason why nothing can be added to the file, if there is one.
    unwritable: Option<ErrorKind>,
    /// Whether there may be more in the file, or another length on record.
    is_uncut: bool,
}

impl JournalFile {
    /// Opens the file at `path`, or creates it. None of its lines counts yet.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let opened = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(path);
        // Where a campaign may only be read, its journal can still be replayed.
        let (file, unwritable) = match opened {
            Ok(file) => (file, None),
            Err(error) => match (error.kind(), File::open(path)) {
                (
                    kind @ (ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied),
                    Ok(file),
                ) => (file, Some(kind)),
                _ => return Err(Error::writing(path)(error)),
            },
        };
        Ok(Self {
            unwritable,
            path: path.to_path_buf(),
            file: LockedFile::in_place(file, path)?,
            chain: Chain::default(),
            length: 0,
            is_uncut: false,
        })
    }

    /// Returns everything that is in the file.
    pub(super) fn read(&mut self) -> Result<Vec<u8>> {
        let mut text = Vec::new();
        let read = self.file.0.rewind();
        read.and_then(|()| self.file.0.read_to_end(&mut text))
            .map_err(Error::reading(&self.path))?;
        Ok(text)
    }

    /// Returns the whole lines of the file, and the number of bytes of a last one without its end: it was being written when
    /// the process died, and never took effect.
    pub(super) fn whole_lines(&mut self) -> Result<(Vec<u8>, usize)> {
        let mut text = self.read()?;
        let whole = super::whole_lines(&text);
        let torn = text.len() - whole;
        text.truncate(whole);
        Ok((text, torn))
    }

    /// Returns the lines that count, with their chain.
    pub(super) fn lines(&mut self) -> Result<(Vec<u8>, Chain)> {
        let mut text = self.read()?;
        text.truncate(usize::try_from(self.length).map_err(Error::failed)?);
        Ok((text, self.chain.clone()))
    }

    /// Has the lines that were read count, and cuts off what comes after them.
    pub(super) fn adopt(&mut self, chain: &Chain, length: usize) -> Result<()> {
        self.chain = chain.clone();
        self.length = length as u64;
        self.is_uncut = true;
        self.cut()
    }

    /// Adds lines that end with this chain.
    ///
    /// # Errors
    /// If they cannot be stored: then they do not count, and are cut off at once or before anything else is written.
    /// [`Error::Input`] if the file was replaced.
    pub(super) fn append(&mut self, text: &str, chain: &Chain) -> Result<()> {
        self.require_writable()?;
        self.file.check_place(&self.path)?;
        self.cut()?;
        self.is_uncut = true;
        let written = self.write(text.as_bytes());
        if let Err(error) = written.and_then(|()| chain.keep(&self.path)) {
            let _ = self.cut();
            return Err(error);
        }
        self.chain = chain.clone();
        self.length += text.len() as u64;
        self.is_uncut = false;
        Ok(())
    }

    /// Checks that lines can be added and their length recorded. What this writes has no end of a line: if the
    /// process is killed meanwhile, it never took effect.
    pub(super) fn check_space(&mut self) -> Result<()> {
        self.require_writable()?;
        self.file.check_place(&self.path)?;
        self.cut()?;
        self.is_uncut = true;
        let written = self.write(&[b' '; TRIED]);
        let recorded = written.and_then(|()| self.chain.keep(&self.path));
        self.cut().and(recorded)
    }

    /// Lets other processes use the file for now.
    pub(super) fn release(&self) -> Result<()> {
        let released = self.file.release();
        released.map_err(Error::reading(&self.path))
    }

    /// Takes the file again; returns whether it is as it was.
    ///
    /// # Errors
    /// [`Error::Input`] if another process has it.
    pub(super) fn retake(&self) -> Result<bool> {
        self.file.retake(&self.path)?;
        let length = self
            .file
            .0
            .metadata()
            .map_err(Error::reading(&self.path))?
            .len();
        Ok(self.file.check_place(&self.path).is_ok()
            && length == self.length
            && Chain::kept(&self.path)?.unwrap_or_default() == self.chain)
    }

    fn require_writable(&self) -> Result<()> {
        self.unwritable
            .map_or(Ok(()), |kind| Err(Error::writing(&self.path)(kind.into())))
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let written = self.file.0.write_all(bytes);
        written
            .and_then(|()| self.file.0.sync_data())
            .map_err(Error::writing(&self.path))
    }

    /// Cuts off what does not count.
    fn cut(&mut self) -> Result<()> {
        if !self.is_uncut {
            return Ok(());
        }
        let writing = Error::writing(&self.path);
        if Chain::kept(&self.path)?.unwrap_or_default() != self.chain {
            // Another process may have been killed before it had synced them.
            self.file.0.sync_data().map_err(&writing)?;
            self.chain.keep(&self.path)?;
        }
        if self.file.0.metadata().map_err(&writing)?.len() != self.length {
            let cut = self.file.0.set_len(self.length);
            cut.and_then(|()| self.file.0.sync_data())
                .map_err(&writing)?;
        }
        self.is_uncut = false;
        Ok(())
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_released_file_is_as_it_was_until_somebody_adds_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        let mut ours = JournalFile::open(&path).unwrap();
        let mut chain = Chain::default();
        ours.append(&(chain.link("{\"a\":1}") + "\n"), &chain)
            .unwrap();
        assert!(JournalFile::open(&path).is_err());
        ours.release().unwrap();
        drop(JournalFile::open(&path).unwrap());
        assert!(ours.retake().unwrap());
        ours.release().unwrap();
        let mut theirs = JournalFile::open(&path).unwrap();
        assert!(ours.retake().is_err());
        let text = theirs.read().unwrap();
        theirs.adopt(&chain, text.len()).unwrap();
        theirs
            .append(&(chain.link("{\"a\":2}") + "\n"), &chain)
            .unwrap();
        drop(theirs);
        assert!(!ours.retake().unwrap());
    }

    #[test]
    fn nothing_is_added_to_a_file_that_was_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let [path, other] = ["journal.jsonl", "other"].map(|name| folder.path().join(name));
        let mut file = JournalFile::open(&path).unwrap();
        let mut chain = Chain::default();
        let line = chain.link("{\"a\":1}") + "\n";
        file.append(&line, &chain).unwrap();
        fs::write(&other, &line).unwrap();
        fs::rename(&other, &path).unwrap();
        let next = chain.link("{\"a\":2}") + "\n";
        for refused in [file.append(&next, &chain), file.check_space()] {
            let error = refused.unwrap_err();
            assert!(matches!(error, Error::Input { .. }), "{error}");
            assert!(error.to_string().contains("another tiebreak is using it"));
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), line);
        assert_eq!(Chain::kept(&path).unwrap().unwrap().lines, 1);
    }
}
