//! A file that one process writes to.

use std::fs::{File, TryLockError};
use std::path::Path;
use tiebreak_base::error::{Error, Result};

/// A file that no other process writes to.
#[derive(Debug)]
pub(crate) struct LockedFile(pub(super) File);

impl LockedFile {
    /// Locks an open file; `path` is what it stands for.
    ///
    /// # Errors
    /// [`Error::Input`] if another process has locked it.
    pub(crate) fn new(file: File, path: &Path) -> Result<Self> {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => Err(in_use(path)),
            // Some network file systems have no locks; a file without one still works.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(Self(file)),
        }
    }

    /// Locks an open file that may be replaced before it is locked.
    ///
    /// # Errors
    /// [`Error::Input`] if another process has locked it, or has put another file into its place.
    pub(super) fn in_place(file: File, path: &Path) -> Result<Self> {
        let locked = Self::new(file, path)?;
        match is_at(&locked.0, path) {
            true => Ok(locked),
            false => Err(in_use(path)),
        }
    }
}

fn in_use(path: &Path) -> Error {
    Error::input(path, "another tiebreak is using it").with_hint("finish or stop it first")
}

/// Whether an open file is the one at `path`.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let there = std::fs::metadata(path).and_then(|there| Ok((file.metadata()?, there)));
    there.is_ok_and(|(own, there)| (own.dev(), own.ino()) == (there.dev(), there.ino()))
}

/// An open file cannot be replaced here.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

/// Closing the file would unlock it too, but not before every process just being started has let go
/// of the copy it is born with.
impl Drop for LockedFile {
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}
