//! The texts about people in a journal, which can be erased without breaking its chain.
//!
//! In the place of each such text the digest of a line covers its *pseudonym*: a digest of the text, keyed with random
//! bits that stand in the line itself (`keys`, in the order of the texts; a name has its key where it is first).
//! Erasing a text puts its pseudonym into its place and leaves its key out. The line then has the digest that it had,
//! and without the key nobody can try texts until one fits.

use super::chain::Chain;
use super::lines::{JournalEntry, PrivateField};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use tiebreak_base::error::{Error, Result};

/// What comes before the first key of a line. It is nowhere else: inside a string a quote has a backslash, and a score
/// under a criterion of this name is a number.
const KEYS: &str = ",\"keys\":[\"";

/// What comes before the digest of a line.
const CHAIN: &str = ",\"chain\":";

/// The beginning of a person's pseudonym, and that of any other text's.
const BEGINNINGS: [&str; 2] = ["person-", "text-"];

/// Hexadecimal digits of a pseudonym: 64 bits, as many as a digest of the chain has.
const DIGITS: usize = 16;

/// The keys of the names that a journal holds.
#[derive(Debug, Clone, Default)]
pub(super) struct NameKeys(BTreeMap<String, String>);

/// An entry as the digest of its line covers it: with pseudonyms in the place of texts.
pub(super) struct CoveredEntry {
    /// Its JSON.
    text: String,
    /// What stands in the place of each text.
    pseudonyms: Vec<String>,
    /// The keys of the texts that are first here, each with the place of its text.
    keys: Vec<(usize, String)>,
    /// The names among these, with their keys.
    names: BTreeMap<String, String>,
}

/// Whether a text is what was left of one that was erased.
pub fn is_pseudonym(text: &str) -> bool {
    let mut digits = BEGINNINGS.iter().filter_map(|one| text.strip_prefix(one));
    digits.any(|digits| {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        digits.len() == DIGITS && digits.bytes().all(is_digit)
    })
}

fn pseudonym(field: &PrivateField, key: &str, text: &str) -> String {
    let hash = Sha256::new().chain_update(key).chain_update(text);
    let mut digits = format!("{:x}", hash.finalize());
    digits.truncate(DIGITS);
    let [person, other] = BEGINNINGS;
    match field {
        PrivateField::Name => format!("{person}{digits}"),
        PrivateField::Remark(_) | PrivateField::Sheet => format!("{other}{digits}"),
    }
}

/// Exchanges the texts of an entry with others.
fn exchange(entry: &mut JournalEntry, others: &mut [String]) {
    for ((_, text), other) in entry.private_texts().into_iter().zip(others) {
        std::mem::swap(text, other);
    }
}

impl NameKeys {
    /// Covers an entry, which is the same afterwards. `next` has the keys of those texts that are first here.
    pub(super) fn cover(
        &self,
        entry: &mut JournalEntry,
        mut next: impl FnMut() -> Result<String>,
    ) -> Result<CoveredEntry> {
        let (mut keys, mut names) = (Vec::new(), BTreeMap::<String, String>::new());
        let mut pseudonyms = Vec::new();
        for (place, (field, text)) in entry.private_texts().into_iter().enumerate() {
            if is_pseudonym(text) {
                pseudonyms.push(text.clone());
                continue;
            }
            let known = self.0.get(text.as_str()).or_else(|| names.get(text));
            let key = match known.filter(|_| field == PrivateField::Name) {
                Some(known) => known.clone(),
                None => {
                    let key = next()?;
                    keys.push((place, key.clone()));
                    if field == PrivateField::Name {
                        names.insert(text.clone(), key.clone());
                    }
                    key
                }
            };
            pseudonyms.push(pseudonym(&field, &key, text));
        }
        exchange(entry, &mut pseudonyms);
        let text = serde_json::to_string(entry).map_err(Error::failed);
        exchange(entry, &mut pseudonyms);
        Ok(CoveredEntry {
            text: text?,
            pseudonyms,
            keys,
            names,
        })
    }

    /// Remembers the keys of a line that is in the journal.
    pub(super) fn learn(&mut self, covered: CoveredEntry) {
        self.0.extend(covered.names);
    }

    /// Puts pseudonyms into the place of those texts of an entry that `is_erased` names, for good; returns its line,
    /// which has the digest that it had, and the pseudonyms.
    pub(super) fn erase(
        &mut self,
        (mut entry, keys): (JournalEntry, Vec<String>),
        chain: &mut Chain,
        is_erased: impl Fn(PrivateField, &str) -> bool,
    ) -> Result<(String, Vec<(PrivateField, String)>)> {
        let mut next = keys.into_iter();
        let mut covered = self.cover(&mut entry, || next.next().ok_or_else(keyless))?;
        let (mut places, mut pseudonyms) = (BTreeSet::new(), Vec::new());
        let texts = entry.private_texts().into_iter();
        for (place, ((field, text), cover)) in texts.zip(&covered.pseudonyms).enumerate() {
            if !is_pseudonym(text) && is_erased(field, text) {
                text.clone_from(cover);
                places.insert(place);
                pseudonyms.push((field, cover.clone()));
            }
        }
        covered.keys.retain(|(place, _)| !places.contains(place));
        let line = covered.link(&entry, chain)?;
        self.learn(covered);
        Ok((line, pseudonyms))
    }

    /// Reads the line that is next in a chain; `None` where it is not what was logged there.
    pub(super) fn follow(
        &mut self,
        chain: &mut Chain,
        line: &[u8],
    ) -> Option<serde_json::Result<JournalEntry>> {
        let Some((mut entry, keys)) = std::str::from_utf8(line).ok().and_then(split) else {
            let object = chain.follow(line)?;
            return Some(serde_json::from_slice(&object));
        };
        // The digest covers all of a line without texts.
        if keys.is_empty() && entry.private_texts().is_empty() {
            return chain.follow(line).map(|_| Ok(entry));
        }
        let mut keys = keys.into_iter();
        let next = || keys.next().ok_or_else(keyless);
        let covered = self.cover(&mut entry, next).ok()?;
        let mut after = chain.clone();
        // The digest does not cover all that stands in the line, so it must be what would be written.
        let written = covered.link(&entry, &mut after).ok()?;
        (written.as_bytes() == line).then_some(())?;
        *chain = after;
        self.learn(covered);
        Some(Ok(entry))
    }
}

impl CoveredEntry {
    /// The line of `entry`, which this covers, that is logged next in a chain; without its end.
    pub(super) fn link(&self, entry: &JournalEntry, chain: &mut Chain) -> Result<String> {
        let shown = serde_json::to_string(entry).map_err(Error::failed)?;
        let sealed = chain.link(&self.text);
        let (open, end) = (&shown[..shown.len() - 1], &sealed[self.text.len() - 1..]);
        let keys = match self.keys.is_empty() {
            true => String::new(),
            false => {
                let keys: Vec<&str> = self.keys.iter().map(|(_, key)| key.as_str()).collect();
                // Digits, of which none is to be escaped.
                format!("{KEYS}{}\"]", keys.join("\",\""))
            }
        };
        Ok(format!("{open}{keys}{end}"))
    }
}

fn keyless() -> Error {
    Error::failed("a text of a journal without its key")
}

/// The entry of a line and its keys, before anything is checked; `None` where it is no entry.
pub(super) fn split(line: &str) -> Option<(JournalEntry, Vec<String>)> {
    let (open, _) = line.rsplit_once(CHAIN)?;
    let (open, keys) = match open.rsplit_once(KEYS) {
        None => (open, Vec::new()),
        Some((open, keys)) => (open, serde_json::from_str(&format!("[\"{keys}")).ok()?),
    };
    Some((serde_json::from_str(&format!("{open}}}")).ok()?, keys))
}
