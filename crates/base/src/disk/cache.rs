//! A folder of files that can be made again: kept while there is room for them, locked while they are read.
//!
//! A reader shares a lock on its file; a writer that needs room removes the files that were used longest ago and are
//! not locked. So a file that is read stays, however many commands need room at once.

use super::{Draft, folder_of, is_temporary, remove_unheld};
use crate::error::{Error, Result};
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A cache: its folder, and how many bytes its files may take together.
#[derive(Debug, Clone)]
pub struct Cache {
    folder: PathBuf,
    most: u64,
}

/// A file of a cache, which is not removed while this exists.
#[derive(Debug)]
pub struct CachedFile {
    path: PathBuf,
    file: File,
}

impl CachedFile {
    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file, to be read from its beginning.
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }
}

impl Cache {
    /// A cache of at most `most` bytes. Its folder is made when something is kept.
    pub fn new(folder: PathBuf, most: u64) -> Self {
        Self { folder, most }
    }

    /// The folder of the files.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The names of cached files that begin with `start`.
    pub fn names_with_prefix(&self, start: &str) -> Vec<String> {
        let names = self.entries().into_iter().map(|(name, _)| name);
        names.filter(|name| name.starts_with(start)).collect()
    }

    /// Opens a file by name and marks it as used; `None` where there is none that can be read.
    pub fn hold(&self, name: &str) -> Option<CachedFile> {
        let path = self.folder.join(name);
        let file = File::open(&path).ok()?;
        // A command is about to remove it. Where there are no locks, files are only removed by hand.
        if let Err(TryLockError::WouldBlock) = file.try_lock_shared() {
            return None;
        }
        // It may have been removed before it was locked.
        path.exists().then_some(())?;
        // Fails harmlessly on the cache of another user, which can still be read.
        let _ = file.set_modified(now());
        Some(CachedFile { path, file })
    }

    /// Keeps a file of `size` bytes, unless the cache is smaller; the files used longest ago make room for it. It may be
    /// damaged where the machine goes off soon afterwards, so it is to be checked when it is read.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn keep(
        &self,
        name: &str,
        size: u64,
        write: impl FnOnce(&mut Draft) -> io::Result<()>,
    ) -> Result<()> {
        if size > self.most {
            return Ok(());
        }
        let path = self.folder.join(name);
        private(&self.folder).map_err(Error::writing(&self.folder))?;
        self.make_room(size);
        let mut draft = Draft::create(&path)?;
        write(&mut draft).map_err(Error::writing(&path))?;
        draft.finish_in_memory()
    }

    /// Removes a damaged file.
    pub fn discard(&self, name: &str) {
        let _ = fs::remove_file(self.folder.join(name));
    }

    /// Removes files until there is room for `size` bytes more, or all others are locked.
    fn make_room(&self, size: u64) {
        let mut entries = self.entries();
        entries.sort_by_key(|(_, meta)| meta.modified().ok());
        let mut taken: u64 = entries.iter().map(|(_, meta)| meta.len()).sum();
        for (name, meta) in entries {
            if taken + size <= self.most {
                return;
            }
            let path = self.folder.join(name);
            let _ = remove_unheld(&path, || fs::remove_file(&path));
            if !path.exists() {
                taken -= meta.len();
            }
        }
    }

    fn entries(&self) -> Vec<(String, fs::Metadata)> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let entry = |entry: fs::DirEntry| {
            let name = entry.file_name().into_string().ok()?;
            let meta = entry.metadata().ok()?;
            (meta.is_file() && !is_temporary(&name)).then_some((name, meta))
        };
        entries.filter_map(entry).collect()
    }
}

/// Makes a folder that only its user can read: cached files may be copies of secrets.
fn private(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(folder_of(folder))?;
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    // Another command may have made it meanwhile.
    match builder.create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

#[allow(clippy::disallowed_methods)] // which file was used longest ago
fn now() -> SystemTime {
    SystemTime::now()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::time::Duration;

    fn keep(cache: &Cache, name: &str, bytes: usize, used: u64) {
        let write = |draft: &mut Draft| draft.write_all(&vec![b'x'; bytes]);
        cache.keep(name, bytes as u64, write).unwrap();
        if let Ok(file) = File::open(cache.folder.join(name)) {
            file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(used))
                .unwrap();
        }
    }

    fn names(cache: &Cache) -> Vec<String> {
        let mut names = cache.names_with_prefix("");
        names.sort();
        names
    }

    fn cache(most: u64) -> (tempfile::TempDir, Cache) {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path().join("new"), most);
        (folder, cache)
    }

    #[test]
    fn what_was_used_longest_ago_makes_room() {
        let (_folder, cache) = cache(100);
        assert!(cache.hold("a").is_none() && names(&cache).is_empty());
        keep(&cache, "a", 40, 1);
        keep(&cache, "b", 40, 2);
        // Using it makes it the newest.
        let mut text = String::new();
        let mut held = cache.hold("a").unwrap();
        held.file().read_to_string(&mut text).unwrap();
        assert_eq!(text.len(), 40);
        drop(held);
        keep(&cache, "c", 40, 3);
        assert_eq!(names(&cache), ["a", "c"]);
        keep(&cache, "too-large", 101, 4);
        assert_eq!(names(&cache), ["a", "c"]);
        assert_eq!(cache.names_with_prefix("c"), ["c"]);
    }

    #[test]
    fn what_is_held_stays() {
        let (_folder, cache) = cache(100);
        keep(&cache, "a", 60, 1);
        let held = cache.hold("a").unwrap();
        keep(&cache, "b", 60, 2);
        assert_eq!(names(&cache), ["a", "b"]);
        drop(held);
        keep(&cache, "c", 60, 3);
        assert_eq!(names(&cache), ["c"]);
    }

    #[cfg(unix)]
    #[test]
    fn the_folder_is_its_users_alone() {
        use std::os::unix::fs::PermissionsExt;
        let (_folder, cache) = cache(100);
        keep(&cache, "a", 1, 1);
        let mode = fs::metadata(&cache.folder).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }
}
