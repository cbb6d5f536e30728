//! The digest of an Arrow or Parquet file, stored in the file itself.
//!
//! It is part of the footer's metadata: first as zeros, which are replaced by the digest when all else is
//! written. The digest is of the file with the zeros. So one file holds both, and a
//! bit that flips anywhere is found before the file is read.

use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;
use tiebreak_base::disk::Draft;
use tiebreak_base::error::{Error, Result};

/// The footer's key of the digest.
pub(super) const KEY: &str = "digest";

/// The prefix of the digest's digits.
const MARK: &str = "tiebreak:sha256:";

/// The number of digits of the digest.
const DIGITS: usize = 64;

/// The last bytes of each format, after its footer and the footer's length in four bytes.
const ENDINGS: [&[u8]; 2] = [b"ARROW1", b"PAR1"];

/// The result of comparing a file with the digest in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DigestStatus {
    /// The bytes are those that were written.
    Whole,
    /// The bytes differ from those that were written.
    Broken,
    /// The file holds no digest: tiebreak did not write it, or not to its end.
    None,
}

/// Returns the placeholder of a digest that is not known yet.
pub(super) fn blank() -> String {
    format!("{MARK}{}", "0".repeat(DIGITS))
}

/// Writes the digest into its placeholder, once all else is written. The draft must be digested.
pub(super) fn seal(draft: &mut Draft) -> io::Result<()> {
    let missing = || io::Error::other("no place for the digest");
    let digest = draft.digest().ok_or_else(missing)?;
    let file = draft.file();
    let place = digest_offset(file)?.ok_or_else(missing)?;
    file.seek(SeekFrom::Start(place))?;
    file.write_all(digest.as_bytes())
}

/// Compares a file with the digest in it.
pub(super) fn check(path: &Path) -> Result<DigestStatus> {
    let compare = || -> io::Result<DigestStatus> {
        let mut file = File::open(path)?;
        let Some(place) = digest_offset(&mut file)? else {
            return Ok(DigestStatus::None);
        };
        let (said, found) = read(&mut file, place)?;
        Ok(match said == found.as_bytes() {
            true => DigestStatus::Whole,
            false => DigestStatus::Broken,
        })
    };
    compare().map_err(Error::reading(path))
}

/// Returns the digits that a file holds at an offset, and the right ones.
fn read(file: &mut File, place: u64) -> io::Result<(Vec<u8>, String)> {
    let (mut hash, mut said) = (Sha256::new(), vec![0; DIGITS]);
    file.rewind()?;
    let mut before = BufReader::with_capacity(1 << 16, Read::by_ref(file).take(place));
    io::copy(&mut before, &mut hash)?;
    file.read_exact(&mut said)?;
    hash.update([b'0'; DIGITS]);
    let mut after = BufReader::with_capacity(1 << 16, file);
    io::copy(&mut after, &mut hash)?;
    Ok((said, format!("{:x}", hash.finalize())))
}

/// Returns the offset of the digits; `None` where a file has no footer with a mark.
fn digest_offset(file: &mut File) -> io::Result<Option<u64>> {
    let length = file.seek(SeekFrom::End(0))?;
    let mut end = [0; 10];
    if length < end.len() as u64 {
        return Ok(None);
    }
    file.seek(SeekFrom::End(-(end.len() as i64)))?;
    file.read_exact(&mut end)?;
    let Some(ending) = ENDINGS.into_iter().find(|ending| end.ends_with(ending)) else {
        return Ok(None);
    };
    let size = &end[end.len() - ending.len() - 4..end.len() - ending.len()];
    let size = u64::from(u32::from_le_bytes(
        size.try_into().map_err(io::Error::other)?,
    ));
    let Some(start) = length.checked_sub(size + ending.len() as u64 + 4) else {
        return Ok(None);
    };
    let mut footer = Vec::new();
    file.seek(SeekFrom::Start(start))?;
    file.take(size).read_to_end(&mut footer)?;
    let mut windows = footer.windows(MARK.len() + DIGITS);
    let found = windows.rposition(|window| window.starts_with(MARK.as_bytes()));
    Ok(found.map(|at| start + (at + MARK.len()) as u64))
}
