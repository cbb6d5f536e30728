//! METEOR's own tables for English: function words, and words that a dot follows.
//!
//! They are looked for in a folder, under the names in METEOR's jar (`function/english.words`, say)
//! or flat (`english.function.words`), compressed by gzip or not.

use crate::text::resource;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use tiebreak_base::error::{Error, Result, is_there};

/// A table by its name in METEOR's jar and its flat name.
pub(super) type ResourceName = [&'static str; 2];

pub(super) const FUNCTION_WORDS: ResourceName =
    ["function/english.words", "english.function.words"];
pub(super) const PREFIXES: ResourceName = [
    "nonbreaking/english.prefixes",
    "english.nonbreaking.prefixes",
];
pub(super) const SYNSETS: ResourceName = ["synonym/english.synsets", "english.synsets"];
pub(super) const EXCEPTIONS: ResourceName = ["synonym/english.exceptions", "english.exceptions"];

/// The hint that says where to get what is missing.
pub(super) const HINT: &str = "unpack meteor-1.5.jar (from the METEOR 1.5 release, \
    https://www.cs.cmu.edu/~alavie/METEOR) and give the folder as resources=DIR; \
    `meteor:language=other` needs no tables";

/// Reads a table: its text, and where it was found.
///
/// # Errors
/// [`Error::Input`] if the folder has no such table or it cannot be read as text.
pub(super) fn read(folder: &Path, table: ResourceName) -> Result<(PathBuf, String)> {
    let names = table
        .iter()
        .flat_map(|name| [(*name).to_string(), format!("{name}.gz")]);
    let mut paths = names.map(|name| folder.join(name));
    let Some(path) = paths.find(|path| is_there(path)) else {
        let what = format!("METEOR's table `{}` is not there", table[0]);
        return Err(Error::input(folder, what).with_hint(HINT));
    };
    let text = resource::read(&path).map_err(Error::reading(&path))?;
    Ok((path, text))
}

/// Eight hexadecimal digits that stand for the text of these tables.
pub(super) fn digest(folder: &Path, tables: &[ResourceName]) -> Result<String> {
    let mut hash = Sha256::new();
    for table in tables {
        hash.update(read(folder, *table)?.1);
    }
    let [a, b, c, d, ..] = <[u8; 32]>::from(hash.finalize());
    Ok(format!("{:08x}", u32::from_be_bytes([a, b, c, d])))
}

/// Reads the words that carry grammar more than meaning.
pub(super) fn function_words(folder: &Path) -> Result<BTreeSet<String>> {
    let (_, text) = read(folder, FUNCTION_WORDS)?;
    let words = text.lines().map(str::trim).filter(|word| !word.is_empty());
    Ok(words.map(str::to_string).collect())
}

/// Words after which a dot does not end a sentence.
#[derive(Debug, Clone, Default)]
pub(super) struct Prefixes {
    /// For each word, whether it must be followed by a number.
    numeric_only: BTreeMap<String, bool>,
}

impl Prefixes {
    pub(super) fn load(folder: &Path) -> Result<Self> {
        Ok(Self::parse(&read(folder, PREFIXES)?.1))
    }

    /// Parses a word per line; `#` begins a comment, `#NUMERIC_ONLY#` after a word is no comment.
    pub(super) fn parse(text: &str) -> Self {
        let entry = |line: &str| {
            let word = line.split('#').next().unwrap_or("").trim();
            (!word.is_empty()).then(|| (word.to_string(), line.contains("#NUMERIC_ONLY#")))
        };
        Self {
            numeric_only: text.lines().filter_map(entry).collect(),
        }
    }

    /// Whether a dot after `word`, before a word that begins with `next`, belongs to the word.
    pub(super) fn holds(&self, word: &str, next: Option<char>) -> bool {
        match self.numeric_only.get(word) {
            Some(true) => next.is_some_and(|c| c.is_ascii_digit()),
            Some(false) => true,
            None => false,
        }
    }
}
