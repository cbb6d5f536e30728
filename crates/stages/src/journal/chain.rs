//! The chain of a journal: each line ends with a digest of itself and of all lines before it, so that no changed,
//! removed or added line goes unnoticed.
//!
//! The chain cannot tell how long it was. So its length and last digest are also kept beside the
//! journal, written after it: after a crash the journal may be ahead of them, never behind.

use crate::inputs::source::campaign::SETTINGS;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use tiebreak_base::disk;
use tiebreak_base::disk::sealed::{open, seal};
use tiebreak_base::error::{Error, Location, Result, is_there};
use tiebreak_base::limits::{Part, file_bytes};

/// The key of the digest.
const KEY: &str = "chain";

/// The length of a journal and its last digest.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Chain {
    /// Lines, the header among them.
    pub lines: u64,
    /// The digest of the last one.
    last: String,
}

impl Chain {
    /// The line of an object that is logged next, without its end.
    pub(super) fn link(&mut self, object: &str) -> String {
        self.lines += 1;
        let sealed = seal(object, KEY, &self.last);
        self.last = sealed.digest;
        sealed.line
    }

    /// The object of the line that is read next; `None` where it is not what was logged there.
    pub(super) fn follow(&mut self, line: &[u8]) -> Option<Vec<u8>> {
        let (object, digest) = open(line, KEY, &self.last)?;
        self.lines += 1;
        self.last = digest;
        Some(object)
    }

    /// Reads the least length that the journal at `path` had; `None` where no record of it is kept.
    pub(super) fn kept(path: &Path) -> Result<Option<Self>> {
        let path = length_path(path);
        if !is_there(&path) {
            return Ok(None);
        }
        let text = file_bytes(&path, Part::Row).map_err(Error::reading(&path))?;
        let kept = serde_json::from_slice(&text);
        kept.map(Some).map_err(|source| {
            let what = format!("not the length of a journal: {source}");
            Error::input(&path, what).with_hint(as_it_is())
        })
    }

    /// Checks that the length of the journal at `path`, which is this long now, was not removed. A process that is
    /// killed may leave a header without a record; the settings of a campaign come after both.
    ///
    /// # Errors
    /// If it was.
    fn require_record(&self, path: &Path) -> Result<()> {
        let is_begun = self.lines > 1 || is_there(&path.with_file_name(SETTINGS));
        let record = length_path(path);
        if !is_begun || is_there(&record) {
            return Ok(());
        }
        let what = "the file is missing; it says how long the journal was, so questions or answers may be missing too";
        Err(Error::input(record, what).with_hint(as_it_is()))
    }

    /// The error of a line that is not what was logged there.
    pub(super) fn changed(path: &Path, line: u64) -> Error {
        let what = "this is not the line that was logged here: it was changed, or an earlier line is missing";
        Error::record(Location::line(path, line), what.to_string()).with_hint(format!(
            "{FROM_A_COPY}. To go on with the lines before it, delete it and all after it, and {FORGET}"
        ))
    }

    /// Checks the line that was followed last against the least length of the journal at `path`.
    ///
    /// # Errors
    /// If another line was logged there.
    pub(super) fn check_line(&self, path: &Path, line: u64, kept: Option<&Self>) -> Result<()> {
        match kept.is_some_and(|kept| self.lines == kept.lines && self != kept) {
            true => Err(Self::changed(path, line)),
            false => Ok(()),
        }
    }

    /// Checks that the journal at `path`, all of which was followed, went as far as `kept` at least.
    ///
    /// # Errors
    /// If it is shorter; if its length should be on record and is not.
    pub(super) fn check_end(&self, path: &Path, kept: Option<&Self>) -> Result<()> {
        match kept {
            None => self.require_record(path),
            Some(kept) if self.lines < kept.lines => {
                let what = format!(
                    "the file ends after line {}, but {} lines were logged: questions or answers are missing",
                    self.lines, kept.lines
                );
                Err(Error::input(path, what).with_hint(as_it_is()))
            }
            Some(_) => Ok(()),
        }
    }

    /// Records the length of the journal at `path`.
    pub(super) fn keep(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string(self).map_err(Error::failed)?;
        disk::write(&length_path(path), (text + "\n").as_bytes())
    }
}

/// The path of the record: `journal.length.json` beside `journal.jsonl`.
fn length_path(path: &Path) -> PathBuf {
    path.with_extension("length.json")
}

/// Hint for a journal of which something is lost for good.
fn as_it_is() -> String {
    format!("{FROM_A_COPY}. To go on with what is left, {FORGET}")
}

const FROM_A_COPY: &str = "restore journal.jsonl and journal.length.json from a copy of the folder";

/// What has the record of the length forgotten.
const FORGET: &str = "write {\"lines\":0,\"last\":\"\"} into journal.length.json";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_hint_says_is_the_record_of_nothing() {
        let none = serde_json::to_string(&Chain::default()).unwrap();
        assert!(FORGET.contains(&none), "{none}");
    }

    #[test]
    fn a_line_is_what_was_logged_there_or_none() {
        let mut chain = Chain::default();
        let lines = ["{\"a\":1}", "{\"b\":[2]}", "{\"b\":[2]}"].map(|one| chain.link(one));
        assert_ne!(lines[1], lines[2], "a line says where it stands");
        let mut read = Chain::default();
        for (line, object) in lines
            .iter()
            .zip(["{\"a\":1}", "{\"b\":[2]}", "{\"b\":[2]}"])
        {
            assert_eq!(read.follow(line.as_bytes()).unwrap(), object.as_bytes());
        }
        assert_eq!(read, chain);
        assert!(Chain::default().follow(lines[1].as_bytes()).is_none());
        let first = lines[0].as_bytes();
        for bit in 0..8 * first.len() {
            let mut flipped = first.to_vec();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(Chain::default().follow(&flipped).is_none(), "bit {bit}");
        }
        for end in 0..first.len() {
            assert!(Chain::default().follow(&first[..end]).is_none());
        }
    }
}
