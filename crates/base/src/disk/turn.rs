//! Locks for files that belong together and are written by one command at a time.

use super::{PREFIX, folder_of, is_at};
use crate::error::{Error, Result};
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

/// The right to write a file and those beside it. It ends when this is dropped.
pub struct FileWriteLock {
    file: File,
    path: PathBuf,
}

impl FileWriteLock {
    /// Waits for the lock of a file, whose folder exists.
    ///
    /// # Errors
    /// If there can be no lock for it.
    pub fn wait(path: &Path) -> Result<Self> {
        loop {
            let (file, lock) = opened(path)?;
            // Some network file systems have no locks; there only digests reveal a second writer.
            let _ = file.lock();
            if let Some(taken) = Self::in_place(file, lock) {
                return Ok(taken);
            }
        }
    }

    /// Takes the lock of a file, whose folder exists; `None` while another command may hold it.
    ///
    /// # Errors
    /// If there can be no lock for it.
    pub fn try_take(path: &Path) -> Result<Option<Self>> {
        let (file, lock) = opened(path)?;
        Ok(match file.try_lock() {
            Err(TryLockError::WouldBlock) => None,
            Ok(()) | Err(TryLockError::Error(_)) => Self::in_place(file, lock),
        })
    }

    /// The lock, unless its previous holder has removed the file: another command may have made a new one.
    fn in_place(file: File, path: PathBuf) -> Option<Self> {
        // Not `then_some`: dropping a lock that is not in place would remove another's.
        is_at(&file, &path).then(|| Self { file, path })
    }
}

/// Opens or makes the lock file of a file.
fn opened(path: &Path) -> Result<(File, PathBuf)> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    // Long names would leave no room for the prefix.
    let name: String = name.chars().take(40).collect();
    let lock = folder_of(path).join(format!("{PREFIX}turn-{name}"));
    let mut open = File::options();
    let file = open.write(true).create(true).truncate(false).open(&lock);
    Ok((file.map_err(Error::writing(path))?, lock))
}

impl Drop for FileWriteLock {
    fn drop(&mut self) {
        // Removed while locked, so that no other command locks a file that is gone.
        let _ = fs::remove_file(&self.path);
        let _ = self.file.unlock();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn one_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        let (inside, most) = (AtomicU32::new(0), AtomicU32::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let turn = FileWriteLock::wait(&path).unwrap();
                        let now = inside.fetch_add(1, Ordering::SeqCst) + 1;
                        most.fetch_max(now, Ordering::SeqCst);
                        std::thread::yield_now();
                        inside.fetch_sub(1, Ordering::SeqCst);
                        drop(turn);
                    }
                });
            }
        });
        assert_eq!(most.into_inner(), 1);
        let turn = FileWriteLock::try_take(&path).unwrap().unwrap();
        assert!(FileWriteLock::try_take(&path).unwrap().is_none());
        drop(turn);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
