//! Parts made piece by piece, so that a killed command loses little of a part that takes long.
//!
//! Pieces lie in `.pieces/` until all of a part are there. The part is then written from what was
//! stored, never from memory, so its bytes do not say which pieces were made by which command.

use super::file::write_batch;
use super::parts::{self, Folder, PartState};
use crate::records::reader::Batches;
use arrow_array::RecordBatch;
use arrow_select::concat::concat_batches;
use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use tiebreak_base::error::{Error, Result};

/// Most attempts to create the folder of the pieces, which another command may remove meanwhile.
const TRIES: u32 = 100;

/// The pieces of one part of a folder.
pub struct Pieces<'a> {
    folder: &'a Folder,
    part: u64,
    path: PathBuf,
}

impl<'a> Pieces<'a> {
    /// The pieces of part `part`.
    pub fn of_part(folder: &'a Folder, part: u64) -> Self {
        let path = root(folder.path()).join(format!("{part:05}"));
        Self { folder, part, path }
    }

    /// Whether the piece of these units is there and whole.
    ///
    /// # Errors
    /// As [`Folder::has`].
    pub fn has(&self, units: &Range<u64>) -> Result<bool> {
        let piece = self.piece(units);
        Ok(piece.exists() && parts::state(&piece, self.folder.meta())? == PartState::Whole)
    }

    /// Writes the piece of these units.
    ///
    /// # Errors
    /// If it cannot be written; nothing then has its name.
    pub fn write(&self, units: &Range<u64>, batch: &RecordBatch) -> Result<()> {
        self.make_place().map_err(Error::writing(&self.path))?;
        write_batch(&self.piece(units), self.folder.meta(), batch)
    }

    /// Creates the folder of the pieces, also while another command removes its parent.
    fn make_place(&self) -> io::Result<()> {
        let mut made = fs::create_dir_all(&self.path);
        for _ in 0..TRIES {
            match made {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    made = fs::create_dir_all(&self.path);
                }
                done => return done,
            }
        }
        made
    }

    /// Writes the part from `all` its pieces, in order, and discards them.
    ///
    /// # Errors
    /// If a piece cannot be read, or the part not written.
    pub fn join(&self, all: &[Range<u64>]) -> Result<()> {
        let mut batches = Vec::with_capacity(all.len());
        for units in all {
            batches.extend(read(&self.piece(units))?);
        }
        if let Some(first) = batches.first() {
            let whole = concat_batches(&first.schema(), &batches).map_err(Error::failed)?;
            self.folder.write(self.part, &whole)?;
        }
        self.discard()
    }

    /// Removes the pieces, if there are any.
    ///
    /// # Errors
    /// If they are there and cannot be removed.
    pub fn discard(&self) -> Result<()> {
        match fs::remove_dir_all(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(Error::writing(&self.path)(error))
            }
            _ => Ok(()),
        }
    }

    fn piece(&self, units: &Range<u64>) -> PathBuf {
        // A version that cuts parts otherwise thus finds none of its pieces here, rather than wrong ones.
        self.path
            .join(format!("{}-{}.arrow", units.start, units.end))
    }
}

/// The folder of all pieces. Readers of the table take none of them for a part.
fn root(folder: &Path) -> PathBuf {
    folder.join(".pieces")
}

impl Folder {
    /// Removes the folder of pieces if it is empty.
    pub fn tidy(&self) {
        // Another command may still have pieces there.
        let _ = fs::remove_dir(root(self.path()));
    }
}

fn read(piece: &Path) -> Result<Vec<RecordBatch>> {
    Batches::open(piece)?
        .collect::<Result<_, _>>()
        .map_err(|source| {
            Error::input(piece, format!("not a piece of a table: {source}"))
                .with_hint("delete it to compute it again")
        })
}
