//! Tables stored as folders of parts.
//!
//! A part that exists is whole, and holds its own digest.
//! `meta.json` is written before the first part, by whichever command is first; a folder whose meta differs is
//! never continued. Several commands may fill one folder at once, each its own parts.

use super::file::write_batch;
use super::meta::{self, Meta};
use super::sealed::{self, DigestStatus};
use arrow_array::RecordBatch;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use tiebreak_base::disk::{Draft, is_temporary, sweep};
use tiebreak_base::error::{Error, Result};

/// A folder of parts that belong together.
#[derive(Debug, Clone)]
pub struct Folder {
    path: PathBuf,
    meta: Meta,
}

impl Folder {
    /// Begins a folder, or continues one with the same meta, even while other commands do.
    ///
    /// # Errors
    /// [`Error::Changed`] if the folder was begun under other settings; [`Error::Usage`] if it
    /// holds something else; [`Error::Write`] if it cannot be written.
    pub fn open(path: &Path, meta: &Meta) -> Result<Self> {
        begin(path, meta)?;
        Ok(Self {
            path: path.to_path_buf(),
            meta: meta.clone(),
        })
    }

    /// Returns the path of part `index`.
    pub fn part(&self, index: u64) -> PathBuf {
        name(&self.path, index)
    }

    /// Whether part `index` is there and whole; damaged parts are made again.
    ///
    /// # Errors
    /// For a part that was made under other settings.
    pub fn has(&self, index: u64) -> Result<bool> {
        let part = self.part(index);
        Ok(part.exists() && state(&part, &self.meta)? == PartState::Whole)
    }

    /// Writes part `index`.
    ///
    /// # Errors
    /// If it cannot be written; nothing then has its name.
    pub fn write(&self, index: u64, batch: &RecordBatch) -> Result<()> {
        write_batch(&self.part(index), &self.meta, batch)
    }

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The metadata of the table.
    pub fn meta(&self) -> &Meta {
        &self.meta
    }
}

/// Returns the path of a part of a folder.
pub(super) fn name(folder: &Path, index: u64) -> PathBuf {
    folder.join(format!("part-{index:05}.arrow"))
}

/// The state of an existing part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PartState {
    /// The part is what was written.
    Whole,
    /// The part differs from what was written, or holds nothing to compare with.
    Damaged,
}

/// Checks a part of a table with this meta.
///
/// # Errors
/// For a part of another table; if it cannot be read.
pub(super) fn state(part: &Path, meta: &Meta) -> Result<PartState> {
    let known = match sealed::check(part)? {
        DigestStatus::Whole => true,
        DigestStatus::Broken => false,
        DigestStatus::None => !meta.is_sealed(),
    };
    if !known {
        return Ok(PartState::Damaged);
    }
    match Meta::of_table(part)? {
        Some(own) => own.require_same(meta, part).map_err(foreign)?,
        None => return Ok(PartState::Damaged),
    }
    Ok(PartState::Whole)
}

/// Words the error for a part of another table than its folder's.
fn foreign(error: Error) -> Error {
    match error {
        Error::Changed {
            path,
            key,
            was,
            now,
        } => {
            let what = format!("made with {key} = {now}, but other parts have {key} = {was}");
            Error::input(path, what).with_hint("delete it, and run the command again")
        }
        other => other,
    }
}

/// Begins a folder with its `meta.json`, or continues one that was begun with the same meta.
///
/// # Errors
/// As [`Folder::open`].
pub fn begin(path: &Path, meta: &Meta) -> Result<()> {
    let begun = path.join(meta::INSIDE);
    if !begun.exists() {
        match found(path, &begun, meta) {
            // Another command was faster.
            Err(_) if begun.exists() => {}
            founded => founded?,
        }
    }
    sweep(path);
    meta.require_same(&Meta::read(&begun)?, path)
}

fn found(path: &Path, begun: &Path, meta: &Meta) -> Result<()> {
    refuse_foreign(path)?;
    let mut file = Draft::create(begun)?;
    let text = meta.to_json()?;
    file.write_all(text.as_bytes())
        .map_err(Error::writing(begun))?;
    file.finish_if_first()
}

/// Refuses a folder with other contents, which is probably not where parts should go.
fn refuse_foreign(folder: &Path) -> Result<()> {
    if folder.is_file() {
        return Err(
            Error::usage(format!("{} is a file, not a folder", folder.display())).with_hint(
                "name a file with an extension (.csv, .jsonl, .parquet, …) or a new folder",
            ),
        );
    }
    let Ok(mut entries) = fs::read_dir(folder) else {
        return Ok(());
    };
    let foreign = entries.find_map(|entry| {
        let name = entry.ok()?.file_name().to_string_lossy().into_owned();
        (!is_temporary(&name)).then_some(name)
    });
    match foreign {
        None => Ok(()),
        Some(name) => Err(Error::occupied(
            folder,
            &format!("holds {name}, and was not begun by this command"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::schema::{SCORES, TableBuilder, TableCell};

    fn batch() -> RecordBatch {
        let mut rows = TableBuilder::new(SCORES);
        rows.push(&[
            TableCell::Text("1"),
            TableCell::Text("a"),
            TableCell::Text("chrf"),
            TableCell::Number(Some(0.1)),
        ]);
        rows.finish()
    }

    #[test]
    fn the_same_part_has_the_same_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("scores");
        let meta = Meta::new("scores", "chrf", 42, "d")
            .with("b", 1)
            .with("a", 2)
            .with("c", 3);
        let parts = Folder::open(&path, &meta).unwrap();
        parts.write(0, &batch()).unwrap();
        parts.write(1, &batch()).unwrap();
        assert_eq!(
            fs::read(parts.part(0)).unwrap(),
            fs::read(parts.part(1)).unwrap()
        );
        let parts = Folder::open(&path, &meta).unwrap();
        assert!(parts.has(1).unwrap() && !parts.has(2).unwrap());
    }

    #[test]
    fn a_folder_of_something_else_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("thesis.tex"), "precious").unwrap();
        let error = Folder::open(folder.path(), &Meta::new("scores", "", 0, "")).unwrap_err();
        assert!(error.to_string().contains("thesis.tex"), "{error}");
    }
}
