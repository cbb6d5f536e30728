//! METEOR's table of paraphrases: phrases that can mean the same.
//!
//! The file, often compressed by gzip, has three lines for each pair: a probability, which METEOR does
//! not use, a phrase, and a paraphrase of it.

use crate::text::resource;
use crate::text::vocabulary::Vocabulary;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::path::Path;
use tiebreak_base::error::{Error, Location, Result};
use tiebreak_base::limits::Part;

/// The hint that says where to get the table.
pub(super) const HINT: &str = "it is `data/paraphrase-en.gz` of the METEOR 1.5 release, \
    https://www.cs.cmu.edu/~alavie/METEOR";

/// The id of words that the table does not have.
pub(super) const UNKNOWN: u32 = u32::MAX;

/// A table; a default one is empty.
#[derive(Debug, Default)]
pub(super) struct Paraphrases {
    words: Vocabulary,
    /// The paraphrases of each phrase, in the order of the file.
    of_phrase: HashMap<Box<[u32]>, Vec<u32>>,
    /// The words of all paraphrases, one after the other, and where each ends.
    paraphrases: Vec<u32>,
    ends: Vec<usize>,
    /// The length of the longest phrase.
    longest: usize,
    /// Eight hexadecimal digits that stand for the table.
    digest: String,
}

impl Paraphrases {
    /// # Errors
    /// [`Error::Input`] for a file that cannot be read, [`Error::Record`] at a line that is no phrase or at
    /// the end of a file that is cut short.
    pub(super) fn load(path: &Path) -> Result<Self> {
        let unreadable = resource::unreadable(path, HINT);
        let mut lines = resource::open(path, Part::Row).map_err(&unreadable)?;
        let mut table = Self::default();
        let mut hash = Sha256::new();
        let mut phrase = Vec::new();
        let mut number = 0;
        let mut line = String::new();
        while lines.next_line(&mut line).map_err(&unreadable)? {
            number += 1;
            hash.update(&line);
            hash.update("\n");
            if number % 3 == 1 {
                continue;
            }
            let words = table.read(&line);
            if words.is_empty() {
                let what = "an empty line, expected a phrase";
                return Err(Error::record(Location::line(path, number), what).with_hint(HINT));
            }
            if number % 3 == 2 {
                phrase = words;
            } else {
                table.add(&phrase, &words);
            }
        }
        if number == 0 || number % 3 != 0 {
            let what = "the table ends within an entry of three lines";
            return Err(Error::record(Location::line(path, number), what).with_hint(HINT));
        }
        table.digest = format!("{:x}", hash.finalize())[..8].to_string();
        Ok(table)
    }

    fn read(&mut self, line: &str) -> Vec<u32> {
        let words = line.split_ascii_whitespace();
        words.map(|word| self.words.id(word)).collect()
    }

    fn add(&mut self, phrase: &[u32], paraphrase: &[u32]) {
        let entry = self.ends.len() as u32;
        self.paraphrases.extend_from_slice(paraphrase);
        self.ends.push(self.paraphrases.len());
        self.longest = self.longest.max(phrase.len());
        match self.of_phrase.get_mut(phrase) {
            Some(entries) => entries.push(entry),
            None => drop(self.of_phrase.insert(phrase.into(), vec![entry])),
        }
    }

    /// The id of a word, [`UNKNOWN`] if the table does not have it.
    pub(super) fn word(&self, word: &str) -> u32 {
        self.words.find_token(word).unwrap_or(UNKNOWN)
    }

    /// What identifies the table in signatures, if there is one.
    pub(super) fn digest(&self) -> Option<&str> {
        (!self.digest.is_empty()).then_some(self.digest.as_str())
    }

    /// Calls `emit` with the position and length of every phrase of a text that has paraphrases, and
    /// with each of these: from left to right, shorter phrases first, in the order of the file.
    pub(super) fn each(&self, text: &[u32], mut emit: impl FnMut(usize, usize, &[u32])) {
        for at in 0..text.len() {
            for length in 1..=self.longest.min(text.len() - at) {
                let entries = self.of_phrase.get(&text[at..at + length]);
                for &entry in entries.into_iter().flatten() {
                    emit(at, length, self.paraphrase(entry as usize));
                }
            }
        }
    }

    fn paraphrase(&self, entry: usize) -> &[u32] {
        let start = entry.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.paraphrases[start..self.ends[entry]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn table(text: &str) -> Result<Paraphrases> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("paraphrases");
        fs::write(&path, text).unwrap();
        Paraphrases::load(&path)
    }

    #[test]
    fn phrases_are_found_wherever_they_stand() {
        let table = table("0.5\na lot\nmuch\n0.1\na\none\n0.1\na lot\na great deal\n").unwrap();
        let text: Vec<u32> = ["not", "a", "lot"].map(|word| table.word(word)).to_vec();
        let mut found = Vec::new();
        table.each(&text, |at, length, paraphrase| {
            found.push((at, length, paraphrase.len()));
        });
        assert_eq!(found, [(1, 1, 1), (1, 2, 1), (1, 2, 3)]);
        assert_eq!(text[0], UNKNOWN);
    }

    #[test]
    fn a_damaged_table_is_refused_at_its_line() {
        for (text, says) in [
            ("", ":0: the table ends"),
            ("0.5\na\n", ":2: the table ends"),
            ("0.5\na\n \n", ":3: an empty line"),
        ] {
            let error = table(text).unwrap_err();
            assert!(error.to_string().contains(says), "{error}");
            assert!(error.hint().unwrap().contains("paraphrase-en.gz"));
        }
    }
}
