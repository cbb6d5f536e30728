//! A file that one process writes to.

use std::fs::{File, TryLockError};
use std::path::Path;
use tiebreak_base::disk::is_at;
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
        let locked = Self(file);
        locked.retake(path)?;
        Ok(locked)
    }

    /// Locks an open file that may be replaced before it is locked.
    ///
    /// # Errors
    /// [`Error::Input`] if another process has locked it, or has put another file into its place.
    pub(super) fn in_place(file: File, path: &Path) -> Result<Self> {
        let locked = Self::new(file, path)?;
        locked.check_place(path)?;
        Ok(locked)
    }

    /// Checks that it is still the file at its path: what is added to one that was replaced is lost.
    ///
    /// # Errors
    /// [`Error::Input`] if another process has put another file into its place.
    pub(super) fn check_place(&self, path: &Path) -> Result<()> {
        match is_at(&self.0, path) {
            true => Ok(()),
            false => Err(in_use(path)),
        }
    }

    /// Unlocks it for now.
    pub(super) fn release(&self) -> std::io::Result<()> {
        self.0.unlock()
    }

    /// Locks it, again where it was unlocked.
    ///
    /// # Errors
    /// [`Error::Input`] if another process has locked it.
    pub(super) fn retake(&self, path: &Path) -> Result<()> {
        match self.0.try_lock() {
            Err(TryLockError::WouldBlock) => Err(in_use(path)),
            // Some network file systems have no locks; a file without one still works.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
        }
    }
}

fn in_use(path: &Path) -> Error {
    Error::input(path, "another tiebreak is using it").with_hint("finish or stop it first")
}

/// Closing the file would unlock it too, but not before every process just being started has let go
/// of the copy it is born with.
impl Drop for LockedFile {
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}
