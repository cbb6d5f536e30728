//! Writes `items.jsonl`, `outputs.jsonl` and `dataset.toml`, all or none.

use crate::disk::Scratch;
use crate::error::{Error, Result};
use serde::Serialize;
use std::fs::{self, File};
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

const FILES: [&str; 3] = ["items.jsonl", "outputs.jsonl", "dataset.toml"];

/// A data set being written beside where it will stand.
pub(super) struct Writer {
    out: PathBuf,
    /// Removed when dropped; the data set is the folder `whole` in it.
    _folder: Scratch,
    whole: PathBuf,
    items: Table,
    outputs: Table,
}

#[derive(Serialize)]
struct ItemRow<'a> {
    item: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'a str>,
    references: &'a [String],
}

#[derive(Serialize)]
struct OutputRow<'a> {
    item: &'a str,
    system: &'a str,
    output: &'a str,
}

impl Writer {
    /// # Errors
    /// If nothing can be written beside `out`.
    pub fn create(out: &Path) -> Result<Self> {
        let folder = Scratch::beside(out)?;
        // A folder of its own, because a temporary one is closed to other users.
        let whole = folder.path().join("whole");
        fs::create_dir(&whole).map_err(Error::writing(&whole))?;
        Ok(Self {
            out: out.to_path_buf(),
            items: Table::create(whole.join(FILES[0]))?,
            outputs: Table::create(whole.join(FILES[1]))?,
            _folder: folder,
            whole,
        })
    }

    /// Writes an item.
    ///
    /// # Errors
    /// If writing fails.
    pub fn item(&mut self, item: &str, source: Option<&str>, references: &[String]) -> Result<()> {
        self.items.push(&ItemRow {
            item,
            source,
            references,
        })
    }

    /// Writes an output.
    ///
    /// # Errors
    /// If writing fails.
    pub fn output(&mut self, item: &str, system: &str, output: &str) -> Result<()> {
        self.outputs.push(&OutputRow {
            item,
            system,
            output,
        })
    }

    /// Describes the data set and puts it in its place.
    ///
    /// # Errors
    /// If something else is there already, or writing fails.
    pub fn finish(self, made: &str) -> Result<()> {
        let Self {
            out,
            _folder,
            whole,
            items,
            outputs,
        } = self;
        items.finish()?;
        outputs.finish()?;
        let descriptor = whole.join(FILES[2]);
        let text = toml::Table::from_iter([("made".to_string(), made.into())]).to_string();
        fs::write(&descriptor, text).map_err(Error::writing(&descriptor))?;
        if out.exists() {
            if is_same(&whole, &out).map_err(Error::reading(&out))? {
                return Ok(());
            }
            // Succeeds for an empty folder only.
            fs::remove_dir(&out).map_err(|_| Error::occupied(&out, "with other content"))?;
        }
        fs::rename(&whole, &out).map_err(Error::writing(&out))
    }
}

struct Table {
    path: PathBuf,
    file: BufWriter<File>,
}

impl Table {
    fn create(path: PathBuf) -> Result<Self> {
        let file = File::create(&path).map_err(Error::writing(&path))?;
        Ok(Self {
            path,
            file: BufWriter::with_capacity(1 << 16, file),
        })
    }

    fn push(&mut self, row: &impl Serialize) -> Result<()> {
        serde_json::to_writer(&mut self.file, row)
            .map_err(std::io::Error::from)
            .and_then(|()| self.file.write_all(b"\n"))
            .map_err(Error::writing(&self.path))
    }

    fn finish(mut self) -> Result<()> {
        let flushed = self.file.flush();
        flushed
            .and_then(|()| self.file.get_ref().sync_all())
            .map_err(Error::writing(&self.path))
    }
}

/// Whether `there` holds exactly the files of `new`, byte for byte.
fn is_same(new: &Path, there: &Path) -> std::io::Result<bool> {
    if !there.is_dir() || fs::read_dir(there)?.count() != FILES.len() {
        return Ok(false);
    }
    for name in FILES {
        let (new, there) = (new.join(name), there.join(name));
        if !there.is_file() || fs::metadata(&new)?.len() != fs::metadata(&there)?.len() {
            return Ok(false);
        }
        let mut new = BufReader::new(File::open(new)?).bytes();
        let mut there = BufReader::new(File::open(there)?).bytes();
        while let (Some(a), Some(b)) = (new.next().transpose()?, there.next().transpose()?) {
            if a != b {
                return Ok(false);
            }
        }
    }
    Ok(true)
}
