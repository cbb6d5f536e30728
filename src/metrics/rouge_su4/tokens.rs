//! Texts as ROUGE-1.5.5 reads them: a sentence per line, bytes rather than characters.

use crate::error::{Error, Result};
use crate::text::stem::{Mode, stem};
use flate2::read::GzDecoder;
use sha2::{Digest, Sha256};
use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::Read;
use std::path::Path;

/// Words longer than this are stemmed.
const UNSTEMMED: usize = 3;

/// How much of a text is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Limit {
    None,
    Words(usize),
    Bytes(usize),
}

/// A table that comes with ROUGE-1.5.5, and the beginning of its digest.
#[derive(Debug)]
pub(super) struct Resource<T> {
    pub(super) table: T,
    pub(super) digest: String,
}

/// Cuts texts into tokens.
#[derive(Debug)]
pub(super) struct Tokens {
    pub(super) limit: Limit,
    pub(super) stem: bool,
    /// Words whose stem is listed, not computed.
    pub(super) exceptions: Option<Resource<HashMap<String, String>>>,
    /// Words that are left out.
    pub(super) stop_words: Option<Resource<HashSet<String>>>,
}

impl Tokens {
    /// Calls `emit` with each token of `text`: a word of a-z and 0-9, or its stem.
    pub(super) fn read(&self, text: &str, mut emit: impl FnMut(&str)) {
        let bytes = self.limit.cut(text);
        let words = bytes.split(|byte| !byte.is_ascii_alphanumeric());
        for word in words.filter(|word| !word.is_empty()) {
            let word = String::from_utf8_lossy(word).to_ascii_lowercase();
            let stop_words = self.stop_words.as_ref();
            if stop_words.is_some_and(|stop_words| stop_words.table.contains(&word)) {
                continue;
            }
            if !self.stem || word.len() <= UNSTEMMED {
                emit(&word);
                continue;
            }
            let exceptions = self.exceptions.as_ref();
            match exceptions.and_then(|exceptions| exceptions.table.get(&word)) {
                Some(listed) => emit(listed),
                None => emit(&stem(&word, Mode::Original)),
            }
        }
    }
}

impl Limit {
    /// The beginning of the text, its lines joined by spaces.
    fn cut(self, text: &str) -> Vec<u8> {
        let (mut kept, mut used) = (Vec::new(), 0);
        for line in text.as_bytes().split(|&byte| byte == b'\n') {
            match self {
                Self::None => kept.extend_from_slice(line),
                Self::Bytes(limit) => {
                    let line = &line[..line.len().min(limit - used)];
                    kept.extend_from_slice(line);
                    used += line.len();
                }
                Self::Words(limit) => {
                    for word in perl_split(line).take(limit - used) {
                        kept.extend_from_slice(word);
                        kept.push(b' ');
                        used += 1;
                    }
                }
            }
            kept.push(b' ');
        }
        kept
    }
}

/// The words of a line, as Perl's `split(/\s+/)` gives them: if the line begins with white space
/// the first is empty, and it counts.
fn perl_split(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let space = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0x0b;
    let leading = line.first().is_some_and(space) && !line.iter().all(space);
    let words = line.split(move |byte| space(byte));
    let empty: &[u8] = &[];
    let leading = leading.then_some(empty).into_iter();
    leading.chain(words.filter(|word| !word.is_empty()))
}

/// Reads a list of words, one per line.
pub(super) fn word_list(path: &Path) -> Result<Resource<HashSet<String>>> {
    let (text, digest) = read(path, "smart_common_words.txt")?;
    let table = text.split_ascii_whitespace().map(str::to_string).collect();
    Ok(Resource { table, digest })
}

/// Reads pairs of word and stem, one per line, separated by a tab.
pub(super) fn word_pairs(path: &Path) -> Result<Resource<HashMap<String, String>>> {
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

/// The text of a file, compressed if its name ends in `.gz`, and the beginning of its digest.
fn read(path: &Path, original: &str) -> Result<(String, String)> {
    let unreadable = |source: std::io::Error| {
        let hint = format!("it is `{original}` of the folder `data` that comes with ROUGE-1.5.5");
        Error::input(path, source.to_string()).with_hint(hint)
    };
    let bytes = fs::read(path).map_err(unreadable)?;
    let mut text = String::new();
    if path.extension().is_some_and(|extension| extension == "gz") {
        let mut decoder = GzDecoder::new(&bytes[..]);
        decoder.read_to_string(&mut text).map_err(unreadable)?;
    } else {
        let mut plain = &bytes[..];
        plain.read_to_string(&mut text).map_err(unreadable)?;
    }
    let digest = format!("{:x}", Sha256::digest(text.as_bytes()));
    Ok((text, digest[..8].to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(limit: Limit, stem: bool, text: &str) -> String {
        let tokens = Tokens {
            limit,
            stem,
            exceptions: None,
            stop_words: None,
        };
        let mut found = Vec::new();
        tokens.read(text, |token| found.push(token.to_string()));
        found.join(" ")
    }

    #[test]
    fn every_byte_but_ascii_letters_and_digits_separates() {
        assert_eq!(
            tokens(Limit::None, false, "Well-known naïve 3.5\nX"),
            "well known na ve 3 5 x"
        );
        assert_eq!(tokens(Limit::None, true, "houses was"), "hous was");
    }

    #[test]
    fn limits_are_counted_before_tokenising_and_over_lines() {
        assert_eq!(tokens(Limit::Words(3), false, "a-b c\nd e"), "a b c d");
        assert_eq!(tokens(Limit::Words(2), false, " a b"), "a");
        assert_eq!(tokens(Limit::Bytes(4), false, "ab\ncde"), "ab cd");
    }
}
