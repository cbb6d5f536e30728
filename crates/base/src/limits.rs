//! Limits on how much of an untrusted file is held in memory at once.
//!
//! Files are read in pieces: a line, a batch of rows, what belongs to one item. A small file can hold an enormous
//! piece, so each kind of piece has its share of one limit, and readers check it before they allocate. The shares
//! keep a command within the limit, whatever it reads; a file that is held as it is (a checkpoint, a file of
//! vectors) counts by its size.

mod reader;

pub use reader::{CountingReader, excess_of, file_bytes, file_text};

use crate::error::{Flag, Message};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// The limit unless another is set, in bytes.
pub const MEMORY: u64 = 1 << 30;

/// The default limit on all indexes that are kept between commands, in bytes.
pub const INDEXES: u64 = 4 << 30;

/// The limit on the reply of a judge, in bytes: an answer is kilobytes, with the log-probabilities of a long one some
/// megabytes.
const REPLY: u64 = 8 << 20;

/// The flag that sets the limit on memory.
const FLAG: Flag<'_> = Flag("limit-memory");

/// The limit of the whole process: it decides what is refused, never a number.
static LIMIT: AtomicU64 = AtomicU64::new(MEMORY);

/// Sets the limit, in bytes.
pub fn set(bytes: u64) {
    LIMIT.store(bytes, Ordering::Relaxed);
}

/// The limit, in bytes.
pub fn now() -> u64 {
    LIMIT.load(Ordering::Relaxed)
}

/// A kind of piece that is held at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// A line of a text file, a row of a table, or a document that is parsed whole. Parsed, it takes up to 80 times as
    /// much, a little over the whole limit, where every value in it is a byte or two.
    Row,
    /// The rows of one item.
    Item,
    /// The part of a compressed or columnar file that is decoded at a time, or a file that is held whole.
    Batch,
    /// The window of a compressed file.
    Window,
    /// The names of systems, or of criteria; a list of what a file holds.
    Names,
    /// The columns of a table.
    Columns,
    /// The reply of a judge.
    Reply,
    /// The replies of a judge that are held at once.
    Replies,
}

impl Part {
    /// The limit for this kind of piece: bytes, or a count.
    pub fn most(self) -> u64 {
        let share = match self {
            Self::Reply => return REPLY,
            Self::Row => 64,
            Self::Item | Self::Batch | Self::Replies => 4,
            Self::Window => 8,
            Self::Names => 16,
            Self::Columns => 1024,
        };
        now() / share
    }

    /// Checks that `amount` is within the limit.
    ///
    /// # Errors
    /// An [`Excess`], which says what the limit is.
    pub fn holds(self, amount: u64) -> Result<(), Excess> {
        match amount <= self.most() {
            true => Ok(()),
            false => Err(self.excess()),
        }
    }

    /// The error for a piece that is too large.
    pub fn excess(self) -> Excess {
        Excess(self)
    }
}

/// A piece above its limit.
#[derive(Debug, Clone, Copy)]
pub struct Excess(Part);

impl fmt::Display for Excess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let most = self.0.most();
        match self.0 {
            Part::Columns => write!(f, "more than the limit of {most}"),
            _ => write!(f, "more than the limit of {}", Size(most)),
        }
    }
}

impl std::error::Error for Excess {}

/// The hint for such an error.
pub fn advice() -> Message {
    let now = now();
    let more = Size(now.saturating_mul(2));
    Message::except_in_python(
        format!(
            "to read it, raise {FLAG} from {} to {more} or more",
            Size(now)
        ),
        format!("split it; only the command line can raise the limit: {FLAG} {more}"),
    )
}

/// A number of bytes, as people write it: `512M`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size(pub u64);

const UNITS: [(&str, u64); 4] = [("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10), ("", 1)];

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = |(_, unit): &&(&str, u64)| self.0 >= *unit && self.0.is_multiple_of(*unit);
        let (name, unit) = UNITS.iter().find(whole).unwrap_or(&("", 1));
        write!(f, "{}{name}", self.0 / unit)
    }
}

impl std::str::FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parse = || {
            let digits = text.trim_end_matches(|letter: char| !letter.is_ascii_digit());
            let unit = text[digits.len()..].trim().to_uppercase();
            let unit = unit.strip_suffix('B').unwrap_or(&unit);
            let (_, unit) = UNITS.iter().find(|(name, _)| *name == unit)?;
            digits.parse::<u64>().ok()?.checked_mul(*unit)
        };
        let size = parse().filter(|bytes| *bytes >= SMALLEST);
        size.map(Self).ok_or_else(|| {
            format!(
                "expected a size of at least {}, such as 512M or 4G",
                Size(SMALLEST)
            )
        })
    }
}

/// The smallest limit with which ordinary files can be read.
const SMALLEST: u64 = 64 << 20;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Audience;

    #[test]
    fn sizes_are_read_as_they_are_written() {
        for (text, bytes) in [
            ("512M", 512 << 20),
            ("4G", 4 << 30),
            ("100000000", 100_000_000),
        ] {
            let size: Size = text.parse().unwrap();
            assert_eq!((size.0, size.to_string().as_str()), (bytes, text));
        }
        assert_eq!("4gb".parse(), Ok(Size(4 << 30)));
        assert_eq!("1 GB".parse(), Ok(Size(1 << 30)));
        for wrong in ["", "G", "-1", "1T", "12", "99999999999G", "é"] {
            assert!(wrong.parse::<Size>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_is_too_much_is_told_with_the_flag() {
        assert!(Part::Row.holds(Part::Row.most()).is_ok());
        let excess = Part::Row.holds(Part::Row.most() + 1).unwrap_err();
        assert_eq!(excess.to_string(), "more than the limit of 16M");
        assert_eq!(
            advice().shown_to(Audience::Terminal),
            "to read it, raise --limit-memory from 1G to 2G or more"
        );
    }
}
