//! The location of a model's files: a folder, or the program itself.

use super::shipped;
use std::io;
use std::path::{Path, PathBuf};
use tiebreak_base::error::is_there;
use tiebreak_base::limits::{Part, file_bytes};

/// The location of a model's files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Files {
    /// A folder.
    Folder(PathBuf),
    /// The program, for the model that comes with it.
    Shipped,
}

/// Whether a name, taken as a path, stays in the folder it is looked up in, on every system.
pub(super) fn stays_inside(name: &str) -> bool {
    let mut parts = name.split(['/', '\\']);
    parts.all(|part| !matches!(part, "" | "." | "..") && !part.contains([':', '\0']))
}

/// The limit on a file: one that is parsed takes many times its bytes; weights are held as they are.
fn part(file: &str) -> Option<Part> {
    match Path::new(file).extension()?.to_str()? {
        "json" if file == "tokenizer.json" => Some(Part::Names),
        "json" | "jinja" | "fcodes" | "fvocab" => Some(Part::Row),
        _ => None,
    }
}

impl Files {
    /// The path of a file in messages.
    pub fn path(&self, file: &str) -> PathBuf {
        match self {
            Self::Folder(folder) => folder.join(file),
            Self::Shipped => Path::new(shipped::NAME).join(file),
        }
    }

    /// The location of all files in messages.
    pub fn location(&self) -> PathBuf {
        match self {
            Self::Folder(folder) => folder.clone(),
            Self::Shipped => shipped::NAME.into(),
        }
    }

    /// Whether there is such a file.
    pub fn has(&self, file: &str) -> bool {
        match self {
            Self::Folder(folder) => stays_inside(file) && is_there(&folder.join(file)),
            Self::Shipped => shipped::file(file).is_some(),
        }
    }

    /// The bytes of a file.
    ///
    /// # Errors
    /// Those of reading it; a file that is parsed and too large for that.
    pub fn read(&self, file: &str) -> io::Result<Vec<u8>> {
        match self {
            Self::Folder(_) if !stays_inside(file) => {
                let what = "a model's files lie in its folder";
                Err(io::Error::new(io::ErrorKind::InvalidInput, what))
            }
            Self::Folder(folder) => match part(file) {
                Some(part) => file_bytes(&folder.join(file), part),
                None => std::fs::read(folder.join(file)),
            },
            Self::Shipped => shipped::file(file)
                .map(<[u8]>::to_vec)
                .ok_or_else(|| io::ErrorKind::NotFound.into()),
        }
    }

    /// The names of all of them, sorted.
    ///
    /// # Errors
    /// If a folder cannot be read.
    pub fn names(&self) -> io::Result<Vec<String>> {
        let mut names = match self {
            Self::Folder(folder) => std::fs::read_dir(folder)?
                .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
                .collect::<io::Result<Vec<String>>>()?,
            Self::Shipped => shipped::names(),
        };
        names.sort();
        Ok(names)
    }
}
