//! Predictions as they are made: in memory and, where a folder is named, in a table there.
//!
//! The table is one part with all rows in the order of items and pairs, so that its bytes say what
//! was predicted, not when. It is written anew whenever it has grown by 16 rows and by a 64th, under a
//! temporary name that then replaces the part: a killed command loses that much at most, and readers see
//! a whole table.

use super::{Extras, PredictedPair};
use crate::engine::context::Context;
use crate::inputs::source::{PredictionTable, Source};
use crate::journal::LockedFile;
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use tiebreak_base::duel::{Pair, Prediction};
use tiebreak_base::error::{Error, Result};
use tiebreak_data::tables::format::OutputTableFormat;
use tiebreak_data::tables::meta::Meta;
use tiebreak_data::tables::parts::Folder;
use tiebreak_data::tables::schema::TableBuilder;

/// The table is written again when one row in this many is new.
const SHARE: usize = 64;

/// The fewest new rows for that: each write is synced to disk.
const FEWEST: usize = 16;

/// Predictions by item and pair, for the lower system of the pair.
pub(super) struct PredictionStore {
    known: BTreeMap<(u32, Pair), PredictedPair>,
    extras: Extras,
    /// The number of predictions that this command added.
    added: u64,
    unsaved: usize,
    kept: Option<LockedFolder>,
}

/// A folder that no other process writes to.
struct LockedFolder {
    path: PathBuf,
    folder: Folder,
    _lock: LockedFile,
}

impl PredictionStore {
    /// Opens the table in a folder, or begins it. Without one predictions are not kept.
    ///
    /// # Errors
    /// [`Error::Changed`] if it was begun by another model or with other settings; a name of a file;
    /// a folder of something else, or one that another command is writing to.
    pub(super) fn open(
        context: &Context<'_>,
        source: &Source,
        path: Option<&Path>,
        (meta, extras): (&Meta, Extras),
    ) -> Result<Self> {
        let mut store = Self {
            known: BTreeMap::new(),
            extras,
            added: 0,
            unsaved: 0,
            kept: None,
        };
        let Some(path) = path else {
            return Ok(store);
        };
        let kept = LockedFolder::open(path, meta)?;
        if kept.folder.has(0)? {
            let table = PredictionTable::open(context, source, path)?;
            for position in 0..source.index.items() {
                let item = u32::try_from(position).map_err(Error::failed)?;
                let rows = table.of_item(position)?.into_iter();
                let said = table.answers(position)?;
                let by_pair = rows
                    .zip(said)
                    .map(|((a, b, prediction), (position, answers))| {
                        let known = PredictedPair {
                            systems: (a, b),
                            prediction,
                            position,
                            answers,
                        };
                        ((item, Pair::new(a, b)), known)
                    });
                store.known.extend(by_pair);
            }
        }
        store.kept = Some(kept);
        Ok(store)
    }

    /// The known prediction of a pair, lower system first, on an item.
    pub(super) fn get(&self, item: u32, pair: Pair) -> Option<Prediction> {
        self.known.get(&(item, pair)).map(|known| known.prediction)
    }

    /// The number of predictions, and how many of them this command added.
    pub(super) fn count(&self) -> (u64, u64) {
        (self.known.len() as u64, self.added)
    }

    /// The folder in which they are kept.
    pub(super) fn path(&self) -> Option<&Path> {
        self.kept.as_ref().map(|kept| kept.path.as_path())
    }

    /// Adds predictions, and writes them where enough have gathered.
    pub(super) fn add(
        &mut self,
        source: &Source,
        items: &[String],
        item: u32,
        rows: Vec<PredictedPair>,
    ) -> Result<()> {
        for predicted in rows {
            let (a, b) = predicted.systems;
            // Two threads may have asked the same and got the same answer.
            if self
                .known
                .insert((item, Pair::new(a, b)), predicted)
                .is_none()
            {
                self.added += 1;
                self.unsaved += 1;
            }
        }
        match self.unsaved >= FEWEST.max(self.known.len() / SHARE) {
            true => self.save(source, items),
            false => Ok(()),
        }
    }

    /// Writes all there are, if any are not written yet.
    pub(super) fn save(&mut self, source: &Source, items: &[String]) -> Result<()> {
        let Some(kept) = self.kept.as_ref().filter(|_| self.unsaved > 0) else {
            return Ok(());
        };
        let mut rows = TableBuilder::new(self.extras.columns());
        for ((item, _), predicted) in &self.known {
            let names = (&*items[*item as usize], source.systems());
            self.extras.push(&mut rows, names, predicted, &[]);
        }
        kept.folder.write(0, &rows.finish())?;
        self.unsaved = 0;
        Ok(())
    }
}

impl LockedFolder {
    fn open(path: &Path, meta: &Meta) -> Result<Self> {
        if OutputTableFormat::from_path(path)?.is_some() {
            let what = format!(
                "{}: a file, but predictions that grow need a folder",
                path.display()
            );
            return Err(Error::usage(what).with_hint("name it without an extension"));
        }
        let folder = Folder::open(path, meta)?;
        let lock = path.join(".lock");
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(&lock)
            .map_err(Error::writing(&lock))?;
        Ok(Self {
            path: path.to_path_buf(),
            folder,
            _lock: LockedFile::new(file, path)?,
        })
    }
}
