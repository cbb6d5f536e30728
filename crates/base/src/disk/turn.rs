//! Locks for files that belong together and are written by one command at a time.

use super::{PREFIX, folder_of, is_at};
use crate::error::{Error, Result};
use std::fs::{self, File};
use std::io;
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
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // Long names would leave no room for the prefix.
        let name: String = name.chars().take(40).collect();
        let lock = folder_of(path).join(format!("{PREFIX}turn-{name}"));
        taken(&lock).map_err(Error::writing(path))
    }
}

fn taken(lock: &Path) -> io::Result<FileWriteLock> {
    loop {
        let open = File::options()
            .write(true)
            .create(true)
            .truncate(false)
            .open(lock);
        let file = open?;
        // Some network file systems have no locks; there only digests reveal a second writer.
        let _ = file.lock();
        // The previous holder has removed the lock file, and another command may have made a new one.
        if is_at(&file, lock) {
            return Ok(FileWriteLock {
                file,
                path: lock.to_path_buf(),
            });
        }
    }
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
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
