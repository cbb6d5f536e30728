//! A folder for temporary files.

use super::{PREFIX, folder_of, is_ours, remove_unheld, sweep};
use crate::error::{Error, Result};
use std::fs::{self, File};
use std::io;
use std::path::Path;
use tempfile::{Builder, TempDir};

/// The file of a scratch folder that is locked while the folder is used.
const LOCK: &str = "lock";

/// A temporary folder of one command: removed when dropped.
#[derive(Debug)]
pub struct Scratch {
    folder: TempDir,
    _lock: File,
}

impl Scratch {
    /// Makes a folder where the system keeps temporary files.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn new() -> Result<Self> {
        Self::inside(&std::env::temp_dir())
    }

    /// Makes one in the folder of `path`, for files to be renamed to `path`. Parents are created.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn in_folder_of(path: &Path) -> Result<Self> {
        let folder = folder_of(path);
        fs::create_dir_all(folder).map_err(Error::writing(folder))?;
        Self::inside(folder)
    }

    fn inside(parent: &Path) -> Result<Self> {
        sweep(parent);
        loop {
            let made = Builder::new()
                .prefix(PREFIX)
                .rand_bytes(12)
                .tempdir_in(parent);
            let folder = made.map_err(Error::writing(parent))?;
            let path = folder.path().join(LOCK);
            match File::create_new(&path) {
                Ok(lock) if is_ours(&lock, &path) => {
                    return Ok(Self {
                        folder,
                        _lock: lock,
                    });
                }
                // Swept by another command before it was locked.
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(Error::writing(&path)(error)),
            }
        }
    }

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes a folder that is not in use.
pub(super) fn remove(folder: &Path) -> io::Result<()> {
    match remove_unheld(&folder.join(LOCK), || fs::remove_dir_all(folder)) {
        // Its maker was killed before the lock was there, or is about to make it and will try again.
        Err(error) if error.kind() == io::ErrorKind::NotFound => fs::remove_dir(folder),
        done => done,
    }
}

#[cfg(test)]
mod tests {
    use super::super::sweep_again;
    use super::*;

    #[test]
    fn what_nobody_works_in_is_swept() {
        let parent = tempfile::tempdir().unwrap();
        let at_work = Scratch::inside(parent.path()).unwrap();
        let left = parent.path().join(format!("{PREFIX}left"));
        let empty = parent.path().join(format!("{PREFIX}empty"));
        for folder in [&left, &empty] {
            fs::create_dir(folder).unwrap();
        }
        for name in [LOCK, "run-0"] {
            fs::write(left.join(name), "").unwrap();
        }
        sweep_again(parent.path());
        assert!(!left.exists() && !empty.exists() && at_work.path().exists());
        drop(at_work);
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    }
}
