//! A cache of open files, so that several metrics on one file share it.

use super::WordVectors;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use tiebreak_base::error::{Error, Result};

/// The word vectors in use, by file. Clones share the same cache.
#[derive(Debug, Clone, Default)]
pub struct WordVectorCache {
    open: Arc<Mutex<BTreeMap<PathBuf, Weak<WordVectors>>>>,
}

impl WordVectorCache {
    /// The vectors of a file, read unless they are in use already.
    ///
    /// # Errors
    /// As [`WordVectors::open`].
    pub fn words(&self, path: &Path) -> Result<Arc<WordVectors>> {
        let place = path.canonicalize().map_err(Error::reading(path))?;
        // Held while reading, so that two threads do not read the same file at once.
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(vectors) = open.get(&place).and_then(Weak::upgrade) {
            return Ok(vectors);
        }
        let vectors = Arc::new(WordVectors::open(path)?);
        open.insert(place, Arc::downgrade(&vectors));
        Ok(vectors)
    }
}
