//! Document frequencies from a file, so that scores do not depend on the data set.
//!
//! The file, compressed if its name ends in `.gz`, begins with the word `items`, a tab and the number of items. Each
//! further line is for an n-gram: its number of items, a tab, and its words with spaces between.
//! A pickled table of the authors' program becomes one by
//!
//! ```text
//! df = pickle.load(open("coco-val-df.p", "rb"), encoding="latin-1")
//! print("items", 40504, sep="\t")
//! for ngram, n in df.items(): print(int(n), " ".join(ngram), sep="\t")
//! ```

use super::document_frequencies::NgramDocumentFrequencies;
use crate::text::resource;
use crate::text::whitespace::words;
use sha2::{Digest, Sha256};
use std::path::Path;
use tiebreak_base::error::{Error, Location, Result};

const HINT: &str = "df is corpus, segment, or a table of document frequencies";

/// Reads a file; returns the frequencies and what identifies them in signatures.
///
/// # Errors
/// [`Error::Input`] for a file that cannot be read, [`Error::Record`] at a malformed line.
pub(super) fn read(path: &Path) -> Result<(NgramDocumentFrequencies, String)> {
    let text = resource::read(path).map_err(resource::unreadable(path, HINT))?;
    let digest = format!("{:x}", Sha256::digest(text.as_bytes()));
    Ok((parse(&text, path)?, digest[..8].to_string()))
}

fn parse(text: &str, path: &Path) -> Result<NgramDocumentFrequencies> {
    let wrong = |number: u64, found: &str, expected: &str| {
        let what = format!("`{found}`, expected {expected}");
        Error::record(Location::line(path, number), what)
    };
    let mut lines = (1..).zip(text.lines());
    let (_, first) = lines.next().unwrap_or((1, ""));
    let items = first.strip_prefix("items\t").and_then(|n| n.parse().ok());
    let items: u32 = items
        .filter(|&items| items > 0)
        .ok_or_else(|| wrong(1, first, "`items`, a tab and their number"))?;
    let mut frequencies = NgramDocumentFrequencies::listed(items);
    for (number, line) in lines {
        let parts = line.split_once('\t');
        let parts = parts.and_then(|(count, ngram)| Some((count.parse::<u32>().ok()?, ngram)));
        let (count, ngram) = parts
            .filter(|&(count, ngram)| count <= items && words(ngram).next().is_some())
            .ok_or_else(|| wrong(number, line, "a number of items, a tab and an n-gram"))?;
        frequencies.list(words(ngram), count);
    }
    Ok(frequencies)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::ngram_ids::Node;

    #[test]
    fn listed_ngrams_have_their_numbers_and_others_are_in_one_item() {
        let frequencies = parse("items\t4\n2\ta b\n4\tc\n0\td\n", Path::new("x")).unwrap();
        let inverse = |ngram: &str| {
            let step = |before: Option<Node>, word| frequencies.find_ngram(before?, word);
            frequencies.inverse(ngram.split(' ').fold(Some(Node::ROOT), step))
        };
        assert_eq!((inverse("a b"), inverse("c")), (2_f64.ln(), 0.0));
        for unlisted in ["a", "b", "d", "c a"] {
            assert_eq!(inverse(unlisted), 4_f64.ln(), "{unlisted}");
        }
    }

    #[test]
    fn a_damaged_file_is_refused_at_its_line() {
        for (text, line) in [
            ("", 1),
            ("items\t0\n", 1),
            ("items\t3\n1 a\n", 2),
            ("items\t3\n1\ta\n4\tb\n", 3),
            ("items\t3\n1\t \n", 2),
        ] {
            let error = parse(text, Path::new("x")).unwrap_err().to_string();
            assert!(error.starts_with(&format!("x:{line}: ")), "{error}");
        }
    }
}
