//! How files reach the disk: whole or not at all, and nothing left behind.
//!
//! A writer locks what it writes, never the folder around it: several commands may fill one folder at once.
//! What nothing locks was left by a killed command, and the next command that writes into the folder removes
//! it.

mod cache;
mod draft;
#[cfg(feature = "judges")]
mod log;
mod scratch;
pub mod sealed;
mod turn;

pub use cache::Cache;
pub use cache::CachedFile;
pub use draft::{Draft, write, write_private};
#[cfg(feature = "judges")]
pub use log::{Log, LogEntrySpan};
pub use scratch::Scratch;
pub use turn::FileWriteLock;

use crate::error::{Error, Flag, Result};
use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The prefix of the names of temporary files, folders and locks.
const PREFIX: &str = ".tiebreak-";

/// The folders this process has swept: once is enough, however many files it writes there.
static SWEPT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Whether this is the name of a temporary file or folder, in use or left behind.
pub fn is_temporary(name: &str) -> bool {
    name.starts_with(PREFIX)
}

/// Removes what killed commands left in a folder, where this process has not done so before.
pub fn sweep(folder: &Path) {
    let mut swept = SWEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if swept.insert(folder.to_path_buf()) {
        sweep_again(folder);
    }
}

/// Sweeps a folder; what cannot be removed is left to the next command.
fn sweep_again(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| is_temporary(&entry.file_name().to_string_lossy())) {
        let path = entry.path();
        let _ = match path.is_dir() {
            true => scratch::remove(&path),
            false => remove_unheld(&path, || fs::remove_file(&path)),
        };
    }
}

/// Removes what `held` stands for if no writer holds it; a lock keeps new writers out meanwhile.
fn remove_unheld(held: &Path, remove: impl FnOnce() -> std::io::Result<()>) -> std::io::Result<()> {
    let file = File::options().write(true).open(held)?;
    match file.try_lock() {
        Ok(()) => remove(),
        Err(TryLockError::WouldBlock) => Ok(()),
        // Without locks it cannot be known whether the file is in use.
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Whether a file just made is still there and ours: a sweep of another command may be faster than the lock.
/// Without locks nothing is swept.
fn is_ours(file: &File, path: &Path) -> bool {
    !matches!(file.try_lock(), Err(TryLockError::WouldBlock)) && path.exists()
}

/// Whether an open file is the one at a path: another may have been put there since.
#[cfg(unix)]
pub fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let there = fs::metadata(path).and_then(|there| Ok((file.metadata()?, there)));
    there.is_ok_and(|(own, there)| (own.dev(), own.ino()) == (there.dev(), there.ino()))
}

/// Whether an open file is the one at a path: where it cannot be asked which file that is, one that is there.
#[cfg(not(unix))]
pub fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

/// Refuses a path at which there is a pipe or a device: nothing is read, locked or replaced there.
///
/// # Errors
/// If there is one.
pub fn refuse_device(path: &Path) -> Result<()> {
    let is_device = |there: fs::Metadata| !there.is_file() && !there.is_dir();
    if !fs::metadata(path).is_ok_and(is_device) {
        return Ok(());
    }
    let what = "a pipe or a device, expected a name for a file or folder";
    let hint = format!("for a table on standard output: {} -", Flag("out"));
    Err(Error::input(path, what).with_hint(hint))
}

/// The folder that a path lies in.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}
