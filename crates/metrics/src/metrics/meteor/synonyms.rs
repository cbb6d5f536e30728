//! WordNet's synonym sets, as METEOR packs them: words that can mean the same.
//!
//! A word's sets are its own and those of its base forms. Base forms come from the table of
//! exceptions if the word is there, and otherwise from the first ending of [`ENDINGS`] whose
//! replacement gives a word that has sets.

use super::resources;
use crate::text::hash::FastBuildHasher;
use std::collections::HashMap;
use std::path::Path;
use tiebreak_base::error::{Error, Location, Result};

/// Endings and what a base form has instead, in the order in which they are tried.
const ENDINGS: [(&str, &str); 12] = [
    ("s", ""),
    ("men", "man"),
    ("ies", "y"),
    ("es", ""),
    ("ed", "e"),
    ("ed", ""),
    ("ing", "e"),
    ("ing", ""),
    ("er", ""),
    ("est", ""),
    ("er", "e"),
    ("est", "e"),
];

/// The synonym sets of words. A default one has no words.
#[derive(Debug, Default)]
pub(super) struct Synonyms {
    sets: HashMap<String, Vec<i32>, FastBuildHasher>,
    /// Base forms of irregular words.
    exceptions: HashMap<String, Vec<String>, FastBuildHasher>,
}

impl Synonyms {
    /// # Errors
    /// [`Error::Input`] if a table is not in the folder, [`Error::Record`] at the line that is no
    /// list of synonym sets.
    pub(super) fn load(folder: &Path) -> Result<Self> {
        let (path, synsets) = resources::read(folder, resources::SYNSETS)?;
        let mut sets = HashMap::default();
        for (number, word, ids) in pairs(&synsets) {
            let ids: Result<Vec<i32>, _> = ids.split_whitespace().map(str::parse).collect();
            let ids = ids.map_err(|_| {
                let what = format!("the sets of `{word}` are not all numbers");
                Error::record(Location::line(&path, number), what)
            })?;
            sets.insert(word.to_string(), ids);
        }
        let (_, forms) = resources::read(folder, resources::EXCEPTIONS)?;
        let mut exceptions: HashMap<String, Vec<String>, FastBuildHasher> = HashMap::default();
        for (_, base, forms) in pairs(&forms) {
            for form in forms.split_whitespace() {
                let bases = exceptions.entry(form.to_string()).or_default();
                bases.push(base.to_string());
            }
        }
        Ok(Self { sets, exceptions })
    }

    /// The sets of `word` and of its base forms, in order, each once.
    pub(super) fn sets(&self, word: &str) -> Vec<i32> {
        let own = self.sets.get(word).into_iter();
        let based = self.base_sets(word);
        let mut all: Vec<i32> = own.chain(based).flatten().copied().collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    fn base_sets(&self, word: &str) -> Vec<&Vec<i32>> {
        if let Some(bases) = self.exceptions.get(word) {
            return bases
                .iter()
                .filter_map(|base| self.sets.get(base))
                .collect();
        }
        // Short words and those in -ss are base forms already.
        if word.encode_utf16().count() <= 2 || word.ends_with("ss") {
            return Vec::new();
        }
        let mut form = String::new();
        let mut bases = ENDINGS.iter().filter_map(|(ending, instead)| {
            form.clear();
            form.extend([word.strip_suffix(ending)?, instead]);
            self.sets.get(&form)
        });
        bases.next().into_iter().collect()
    }
}

/// Pairs of lines, with the line number of the second.
fn pairs(text: &str) -> impl Iterator<Item = (u64, &str, &str)> {
    let mut lines = text.lines();
    let mut number = 0;
    std::iter::from_fn(move || {
        let (first, second) = (lines.next()?, lines.next()?);
        number += 2;
        Some((number, first.trim(), second))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn synonyms() -> Synonyms {
        let folder = tempfile::tempdir().unwrap();
        let synsets = "axe\n1\naxis\n2\ncat\n3 4\nhope\n5\nhop\n6\nman\n7\n";
        fs::write(folder.path().join("english.synsets"), synsets).unwrap();
        let exceptions = "axe\naxes\naxis\naxes\nunheard\nhoped\n";
        fs::write(folder.path().join("english.exceptions"), exceptions).unwrap();
        Synonyms::load(folder.path()).unwrap()
    }

    #[test]
    fn irregular_forms_have_all_their_bases_and_no_other() {
        let synonyms = synonyms();
        assert_eq!(synonyms.sets("axes"), [1, 2]);
        assert!(synonyms.sets("hoped").is_empty());
    }

    #[test]
    fn regular_forms_have_the_first_base_that_is_a_word() {
        let synonyms = synonyms();
        assert_eq!(synonyms.sets("cats"), [3, 4]);
        assert_eq!(synonyms.sets("hoping"), [5]);
        assert_eq!(synonyms.sets("men"), [7]);
        assert!(synonyms.sets("catss").is_empty());
    }

    #[test]
    fn a_damaged_table_is_refused_at_its_line() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("english.synsets"), "a\n1\nb\nc\n").unwrap();
        fs::write(folder.path().join("english.exceptions"), "").unwrap();
        let error = Synonyms::load(folder.path()).unwrap_err().to_string();
        assert!(
            error.contains("english.synsets:4: the sets of `b`"),
            "{error}"
        );
    }
}
