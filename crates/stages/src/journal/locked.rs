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
            Err(TryLockError::WouldBlock) => {
                let what = "another tiebreak is using it";
                Err(Error::input(path, what).with_hint("finish or stop it first"))
            }
            // Some network file systems have no locks; a file without one still works.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(Self(file)),
        }
    }
}

/// Closing the file would unlock it too, but not before every process just being started has let go
/// of the copy it is born with.
impl Drop for LockedFile {
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}
