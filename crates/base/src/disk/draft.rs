//! A file that has its name only when it is whole.
//!
//! It is written beside its place, under a name that nobody can predict and that is created exclusively, so
//! neither a link nor another command can be where it is written.

use super::{PREFIX, folder_of, is_ours, refuse_device, sweep};
use crate::error::{Error, Result};
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile};

/// A file that is being written. Dropped before it is finished, it is gone.
pub struct Draft {
    path: PathBuf,
    file: NamedTempFile,
    /// The hash of what was written, where a digest is wanted.
    hash: Option<Sha256>,
}

impl Draft {
    /// Begins the file that will be at `path`. Parents are created.
    ///
    /// # Errors
    /// If the folder or the file cannot be created, or there is a pipe or a device.
    pub fn create(path: &Path) -> Result<Self> {
        Self::begin(path, Readers::Everybody)
    }

    fn begin(path: &Path, readers: Readers) -> Result<Self> {
        refuse_device(path)?;
        let folder = folder_of(path);
        fs::create_dir_all(folder).map_err(Error::writing(folder))?;
        sweep(folder);
        Ok(Self {
            path: path.to_path_buf(),
            file: begin(folder, readers).map_err(Error::writing(path))?,
            hash: None,
        })
    }

    /// Has a digest made of what is written.
    #[must_use]
    pub fn digested(mut self) -> Self {
        self.hash = Some(Sha256::new());
        self
    }

    /// The digest (SHA-256, in hexadecimal) of what was written, if there is one.
    pub fn digest(&self) -> Option<String> {
        let hash = self.hash.clone()?;
        Some(format!("{:x}", hash.finalize()))
    }

    /// The file, for what is patched afterwards. The digest does not cover that.
    pub fn file(&mut self) -> &mut File {
        self.file.as_file_mut()
    }

    /// Gives the file its name, replacing what had it; both file and folder are on disk then.
    ///
    /// # Errors
    /// If it cannot be written or named; what had the name has it still.
    pub fn finish(self) -> Result<()> {
        self.sync_and_rename(|file, path| file.persist(path).map(drop).map_err(|error| error.error))
    }

    /// Gives the file its name unless another file has it, which then stays.
    ///
    /// # Errors
    /// If it cannot be written or named.
    pub fn finish_if_first(self) -> Result<()> {
        self.sync_and_rename(|file, path| match file.persist_noclobber(path) {
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            Err(error) => Err(error.error),
            Ok(_) => Ok(()),
        })
    }

    /// Gives the file its name, replacing what had it, without waiting for the disk.
    pub(super) fn finish_in_memory(self) -> Result<()> {
        let named = self.file.persist(&self.path);
        named
            .map(drop)
            .map_err(|error| Error::writing(&self.path)(error.error))
    }

    fn sync_and_rename(
        self,
        name: impl FnOnce(NamedTempFile, &Path) -> io::Result<()>,
    ) -> Result<()> {
        let Self { path, file, .. } = self;
        let synced = file.as_file().sync_all();
        let named = synced.and_then(|()| name(file, &path));
        let kept = named.and_then(|()| sync(folder_of(&path)));
        kept.map_err(Error::writing(&path))
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Not through the temporary file, whose errors have its name.
        let written = self.file.as_file().write(bytes)?;
        if let Some(hash) = &mut self.hash {
            hash.update(&bytes[..written]);
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_file().flush()
    }
}

/// Writes a small file, whole or not at all.
///
/// # Errors
/// If the folder or file cannot be written.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    write_all(Draft::create(path)?, bytes)
}

/// Writes a small file of secrets, which no other user can read at any time.
///
/// # Errors
/// If the folder or file cannot be written.
pub fn write_private(path: &Path, bytes: &[u8]) -> Result<()> {
    write_all(Draft::begin(path, Readers::User)?, bytes)
}

fn write_all(mut file: Draft, bytes: &[u8]) -> Result<()> {
    let written = file.write_all(bytes);
    written.map_err(Error::writing(&file.path))?;
    file.finish()
}

/// The users who may read a file.
#[derive(Debug, Clone, Copy)]
enum Readers {
    /// All whom the user's mask allows.
    Everybody,
    /// The user who writes it.
    User,
}

/// Creates a file of its own, locked.
#[cfg_attr(not(unix), allow(unused_variables))]
fn begin(folder: &Path, readers: Readers) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(PREFIX).rand_bytes(12);
    #[cfg(unix)]
    {
        // The usual permissions, less what the user's mask takes away; tempfile's own are the user's alone.
        use std::os::unix::fs::PermissionsExt;
        if let Readers::Everybody = readers {
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
    }
    loop {
        let file = builder.tempfile_in(folder)?;
        if is_ours(file.as_file(), file.path()) {
            return Ok(file);
        }
    }
}

/// Syncs a folder: only then is a new name kept. There is no such thing on Windows.
fn sync(folder: &Path) -> io::Result<()> {
    match cfg!(unix) {
        true => File::open(folder)?.sync_all(),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::sweep_again;
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string();
        entries.map(|entry| name(entry).unwrap()).collect()
    }

    #[test]
    fn a_file_is_there_when_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/a.txt");
        let mut draft = Draft::create(&path).unwrap();
        draft.write_all(b"whole").unwrap();
        assert!(!path.exists());
        draft.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        drop(Draft::create(&path).unwrap());
        assert_eq!(names(path.parent().unwrap()), ["a.txt"]);
    }

    #[test]
    fn two_write_one_file_and_each_version_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        let [mut one, mut other] = [(); 2].map(|()| Draft::create(&path).unwrap());
        one.write_all(b"on").unwrap();
        other.write_all(b"other").unwrap();
        one.write_all(b"e").unwrap();
        one.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one");
        other.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"other");
        Draft::create(&path).unwrap().finish_if_first().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"other");
        assert_eq!(names(folder.path()), ["a.txt"]);
    }

    #[test]
    fn what_a_killed_command_left_is_swept_and_what_is_at_work_stays() {
        let folder = tempfile::tempdir().unwrap();
        let left = folder.path().join(format!("{PREFIX}left"));
        fs::write(&left, "torn").unwrap();
        let at_work = begin(folder.path(), Readers::Everybody).unwrap();
        sweep_again(folder.path());
        assert!(!left.exists() && at_work.path().exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_the_way_is_replaced_and_what_it_points_to_is_not_touched() {
        let folder = tempfile::tempdir().unwrap();
        let [target, path] = ["target", "a.txt"].map(|name| folder.path().join(name));
        fs::write(&target, "mine").unwrap();
        std::os::unix::fs::symlink(&target, &path).unwrap();
        write(&path, b"new").unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"mine");
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }

    #[cfg(unix)]
    #[test]
    fn a_file_of_secrets_is_its_users_alone_from_the_first_byte() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secrets.json");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        // What was readable before is replaced.
        write(&path, b"{}").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        let draft = Draft::begin(&path, Readers::User).unwrap();
        assert_eq!(mode(draft.file.path()), 0o600);
        drop(draft);
        write_private(&path, b"secret").unwrap();
        assert_eq!(
            (mode(&path), fs::read(&path).unwrap()),
            (0o600, b"secret".to_vec())
        );
    }
}
