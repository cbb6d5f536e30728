//! Byte-pair encoding with a vocabulary: words are built from characters by learned merges, and
//! merges that lead out of the vocabulary are undone.
//!
//! Source: Sennrich, Haddow and Birch, "Neural machine translation of rare words with subword
//! units", ACL 2016; as in subword-nmt 0.3.8 (version 0.2 of its codes) on files of fastBPE.

use super::super::checkpoint::Checkpoint;
use std::collections::{HashMap, HashSet};
use tiebreak_base::error::{Error, Location, Result};

/// The suffix of a word's last character, in codes.
const END: &str = "</w>";
/// The suffix of a piece that does not end its word, in the vocabulary.
const CONTINUED: &str = "@@";

/// Merges and vocabulary.
pub(super) struct Bpe {
    /// The rank of each merge by left part, then right part: the lower, the earlier.
    ranks: HashMap<Box<str>, HashMap<Box<str>, u32>>,
    /// The two parts of each merged piece.
    parts: HashMap<Box<str>, (Box<str>, Box<str>)>,
    vocabulary: HashSet<Box<str>>,
}

impl Bpe {
    /// Reads merges (`left right count` on each line) and the vocabulary (`piece count`).
    ///
    /// # Errors
    /// [`Error::Record`] for a line of another form.
    pub(super) fn read(
        checkpoint: &Checkpoint,
        codes: (&str, &[u8]),
        vocabulary: (&str, &[u8]),
    ) -> Result<Self> {
        let mut bpe = Self {
            ranks: HashMap::new(),
            parts: HashMap::new(),
            vocabulary: HashSet::new(),
        };
        let codes = rows(checkpoint, codes.0, codes.1, "two pieces and a count")?;
        // From the last to the first, so that of equal merges the first counts.
        for (rank, row) in codes.iter().enumerate().rev() {
            let (left, right) = (row[0], row[1]);
            let followers = bpe.ranks.entry(left.into()).or_default();
            if followers.insert(right.into(), rank as u32).is_none() {
                bpe.parts
                    .insert([left, right].concat().into(), (left.into(), right.into()));
            }
        }
        for row in rows(
            checkpoint,
            vocabulary.0,
            vocabulary.1,
            "a piece and a count",
        )? {
            bpe.vocabulary.insert(row[0].into());
        }
        Ok(bpe)
    }

    /// Appends the pieces of a word, all but the last with `@@` after them.
    pub(super) fn split(&self, word: &str, pieces: &mut Vec<String>) {
        let mut letters = word.chars();
        if letters.next().is_none() || letters.next().is_none() {
            pieces.extend((!word.is_empty()).then(|| word.to_string()));
            return;
        }
        let merged = self.merged(word);
        let (last, others) = merged.split_last().expect("a word has a last piece");
        for piece in others {
            self.keep(piece, pieces);
        }
        self.keep(last, pieces);
    }

    /// The pieces of a word after all merges, the last with the end mark.
    fn merged(&self, word: &str) -> Vec<String> {
        let mut pieces: Vec<String> = word.chars().map(String::from).collect();
        if let Some(last) = pieces.last_mut() {
            last.push_str(END);
        }
        loop {
            let ranks = pieces
                .windows(2)
                .filter_map(|pair| self.rank(&pair[0], &pair[1]));
            let Some(first) = ranks.min() else {
                return pieces;
            };
            let mut next: Vec<String> = Vec::with_capacity(pieces.len());
            let mut rest = pieces.into_iter().peekable();
            while let Some(mut piece) = rest.next() {
                let follows = |right: &String| self.rank(&piece, right) == Some(first);
                if let Some(right) = rest.next_if(follows) {
                    piece.push_str(&right);
                }
                next.push(piece);
            }
            pieces = next;
        }
    }

    fn rank(&self, left: &str, right: &str) -> Option<u32> {
        self.ranks.get(left)?.get(right).copied()
    }

    /// Appends a piece if the vocabulary has it or it cannot be split, else the pieces of its parts.
    fn keep(&self, piece: &str, pieces: &mut Vec<String>) {
        let shown = match piece.strip_suffix(END) {
            Some(last) => last.to_string(),
            None => format!("{piece}{CONTINUED}"),
        };
        match self.parts.get(piece) {
            Some((left, right))
                if !self.vocabulary.is_empty() && !self.vocabulary.contains(&*shown) =>
            {
                self.keep(left, pieces);
                self.keep(right, pieces);
            }
            _ => pieces.push(shown),
        }
    }
}

/// The fields of every line, at least two.
fn rows<'a>(
    checkpoint: &Checkpoint,
    file: &str,
    bytes: &'a [u8],
    form: &str,
) -> Result<Vec<Vec<&'a str>>> {
    let path = checkpoint.files.path(file);
    let text = std::str::from_utf8(bytes).map_err(|_| Error::input(&path, "is not UTF-8"))?;
    let mut rows = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let fields: Vec<&str> = line.trim_matches(['\r', ' ']).split(' ').collect();
        if fields.len() < 2 {
            let what = format!("`{line}`, expected {form}");
            return Err(Error::record(Location::line(&path, number), what)
                .with_hint("LASER's own are 93langs.fcodes and 93langs.fvocab"));
        }
        rows.push(fields);
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Files;
    use crate::descriptor::ModelDescriptor;

    fn bpe(codes: &str, vocabulary: &str) -> Result<Bpe> {
        let nowhere = Checkpoint {
            name: "test".into(),
            files: Files::Folder("nowhere".into()),
            descriptor: ModelDescriptor::default(),
        };
        Bpe::read(
            &nowhere,
            ("x.fcodes", codes.as_bytes()),
            ("x.fvocab", vocabulary.as_bytes()),
        )
    }

    fn split(bpe: &Bpe, word: &str) -> String {
        let mut pieces = Vec::new();
        bpe.split(word, &mut pieces);
        pieces.join(" ")
    }

    #[test]
    fn merges_are_made_in_their_order_and_undone_outside_the_vocabulary() {
        let codes = "l o 9\nlo w</w> 8\nlo w 7\nlow e 6\nr</w> x 1\n";
        let free = bpe(codes, "").unwrap();
        assert_eq!(split(&free, "low"), "low");
        assert_eq!(split(&free, "lower"), "lowe@@ r");
        assert_eq!(split(&free, "lolo"), "lo@@ l@@ o");
        let bound = bpe(codes, "low 3\nlow@@ 2\nlo@@ 2\n").unwrap();
        assert_eq!(split(&bound, "low"), "low");
        assert_eq!(split(&bound, "lower"), "low@@ e@@ r");
        let poor = bpe(codes, "lo@@ 2\n").unwrap();
        assert_eq!(split(&poor, "low"), "lo@@ w");
        assert_eq!(split(&poor, "x"), "x");
        assert_eq!(split(&poor, ""), "");
    }

    #[test]
    fn overlapping_pairs_merge_from_the_left() {
        let bpe = bpe("a a 2\n", "").unwrap();
        assert_eq!(split(&bpe, "aaaaa"), "aa@@ aa@@ a");
    }

    #[test]
    fn a_line_of_another_form_is_named() {
        let error = bpe("a b 1\nab\n", "").err().unwrap().to_string();
        assert!(error.contains("x.fcodes:2"), "{error}");
    }
}
