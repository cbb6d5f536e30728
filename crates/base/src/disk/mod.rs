//! How files reach the disk: whole or not at all, and nothing left behind.
//!
//! Whoever writes holds a lock on what is being written, never on the folder it lies in: several commands may
//! fill one folder at once. What nobody holds was left by a killed command, and the next command that
//! writes into the folder removes it.

mod cache;
mod draft;
#[cfg(feature = "judges")]
mod log;
mod scratch;
pub mod sealed;
mod turn;

pub use cache::Cache;
pub use cache::CachedFile;
pub use draft::{Draft, write};
#[cfg(feature = "judges")]
pub use log::{Log, LogEntrySpan};
pub use scratch::Scratch;
pub use turn::FileWriteLock;

use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// With which every name begins that stands for nothing but itself.
const PREFIX: &str = ".tiebreak-";

/// The folders this process has swept: once is enough, however many files it writes there.
static SWEPT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Whether something of this name is at work or left behind, and no file of the folder it lies in.
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

/// What cannot be removed is left to the next command.
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

/// Removes what `held` stands for, where no writer holds it; it is locked meanwhile, so that none begins.
fn remove_unheld(held: &Path, remove: impl FnOnce() -> std::io::Result<()>) -> std::io::Result<()> {
    let file = File::options().write(true).open(held)?;
    match file.try_lock() {
        Ok(()) => remove(),
        Err(TryLockError::WouldBlock) => Ok(()),
        // Where there are no locks nobody can tell.
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Whether a file just made is its maker's: a sweep of another command may be faster than the lock. Where
/// there are no locks nothing is swept.
fn is_ours(file: &File, path: &Path) -> bool {
    !matches!(file.try_lock(), Err(TryLockError::WouldBlock)) && path.exists()
}

/// The folder that a path lies in.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}
