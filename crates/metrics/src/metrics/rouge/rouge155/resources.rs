//! The files that come with ROUGE-1.5.5: irregular forms and words to leave out.

use crate::text::resource;
use sha2::{Digest, Sha256};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use tiebreak_base::error::{Error, Result};

/// The tables of irregular stems and of words to leave out.
#[derive(Debug)]
pub(super) struct Resources {
    pub(super) stem: bool,
    /// Words whose stem is listed, not computed.
    pub(super) exceptions: Option<Resource<HashMap<String, String>>>,
    /// Words that are left out.
    pub(super) stop_words: Option<Resource<HashSet<String>>>,
}

/// A table, and the beginning of its digest.
#[derive(Debug)]
pub(super) struct Resource<T> {
    pub(super) table: T,
    pub(super) digest: String,
}

impl Resources {
    /// # Errors
    /// [`Error::Input`] for a file that cannot be read or is no table of word and stem.
    pub(super) fn load(
        stem: bool,
        exceptions: Option<&Path>,
        stop_words: Option<&Path>,
    ) -> Result<Self> {
        Ok(Self {
            stem,
            exceptions: exceptions.map(word_pairs).transpose()?,
            stop_words: stop_words.map(word_list).transpose()?,
        })
    }
}

/// Reads a list of words, one per line.
fn word_list(path: &Path) -> Result<Resource<HashSet<String>>> {
    let (text, digest) = read(path, "smart_common_words.txt")?;
    let table = text.split_ascii_whitespace().map(str::to_string).collect();
    Ok(Resource { table, digest })
}

/// Reads pairs of word and stem, one per line, separated by a tab.
fn word_pairs(path: &Path) -> Result<Resource<HashMap<String, String>>> {
    let (text, digest) = read(path, "WordNet-2.0-Exceptions")?;
    let mut table = HashMap::new();
    for (number, line) in (1..).zip(text.lines()) {
        let Some((word, stem)) = line.split_once('\t') else {
            let what = format!("line {number} is `{line}`, expected a word, a tab and its stem");
            return Err(Error::input(path, what));
        };
        table.insert(word.to_string(), stem.to_string());
    }
    Ok(Resource { table, digest })
}

/// Reads the text of a file, compressed if its name ends in `.gz`, and the beginning of its digest.
fn read(path: &Path, original: &str) -> Result<(String, String)> {
    let hint = format!("it is `{original}` of the folder `data` that comes with ROUGE-1.5.5");
    let text = resource::read(path).map_err(resource::unreadable(path, &hint))?;
    let digest = format!("{:x}", Sha256::digest(text.as_bytes()));
    Ok((text, digest[..8].to_string()))
}
