//! Vectors as text: a word and its numbers on every line, separated by spaces.
//!
//! GloVe's files begin at once; word2vec's text form and fastText's `.vec` begin with a line that
//! says how many words there are and how many numbers each has. A word may hold spaces, as some of
//! GloVe's do: the numbers are counted from the end of the line.

use super::source::VectorFileReader;
use super::table::WordVectorTable;
use tiebreak_base::error::{Error, Result};

/// The first line: the number of words, and of numbers of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct VectorFileHeader {
    pub words: u64,
    pub width: usize,
}

impl VectorFileHeader {
    /// Reads a first line of exactly two counts.
    pub(super) fn parse(line: &[u8]) -> Option<Self> {
        let line = std::str::from_utf8(line).ok()?;
        let mut counts = line.split_ascii_whitespace();
        let header = Self {
            words: counts.next()?.parse().ok()?,
            width: counts.next()?.parse().ok()?,
        };
        (counts.next().is_none() && header.words > 0 && header.width > 0).then_some(header)
    }

    /// The bytes of that many rows, `number` bytes for a number and one for the end of the word.
    pub(super) fn bytes(self, number: u64) -> Option<u64> {
        let row = (self.width as u64).checked_mul(number)?.checked_add(1)?;
        self.words.checked_mul(row)
    }

    /// The dimensions, as errors give them.
    pub(super) fn dimensions_text(self) -> String {
        format!("{} words of {} numbers each", self.words, self.width)
    }
}

/// Whether what stands behind the first word of a line is a number.
pub(super) fn begins_a_row(bytes: &[u8]) -> bool {
    let line = bytes
        .split(|&byte| byte == b'\n')
        .next()
        .unwrap_or_default();
    let mut fields = line.split(|&byte| is_gap(byte)).skip(1);
    fields.next().and_then(number).is_some()
}

/// Reads a table, the first line of which gives its size if there is a `header`.
///
/// # Errors
/// For a line that has not as many numbers as the first, and for fewer or more lines than the
/// first one says.
pub(super) fn read(
    mut source: VectorFileReader,
    header: Option<VectorFileHeader>,
) -> Result<(WordVectorTable, String)> {
    let mut line = Vec::new();
    let mut number = 0;
    if let Some(header) = header {
        // The shortest number and the gap before it take two bytes.
        source.require(&header.dimensions_text(), header.bytes(2))?;
        source.until(b'\n', &mut line)?;
        number = 1;
    }
    let promised = header.map_or(0, |header| header.words as usize);
    let mut table = header.map(|header| WordVectorTable::new(header.width, promised));
    let mut rows = 0;
    loop {
        let whole = source.until(b'\n', &mut line)?;
        if !whole && line.is_empty() {
            break;
        }
        number += 1;
        let row = trim(&line);
        if row.is_empty() && source.left() == 0 {
            break;
        }
        let width = row.iter().filter(|&&byte| is_gap(byte)).count();
        let table = table.get_or_insert_with(|| WordVectorTable::new(width, 0));
        add_row(table, row).map_err(|what| wrong_row(&source, number, what))?;
        rows += 1;
    }
    let table = table.filter(|table| table.len() > 0);
    let table = table.ok_or_else(|| source.wrong("has no vectors"))?;
    match header {
        Some(header) if header.words != rows => {
            let what = format!(
                "the first line says {}, but there are {rows}",
                header.dimensions_text()
            );
            Err(source
                .wrong(what)
                .with_hint("the file is truncated or damaged: fetch it again"))
        }
        _ => Ok((table, source.digest())),
    }
}

fn wrong_row(source: &VectorFileReader, line: u64, what: String) -> Error {
    let hint = if source.left() == 0 {
        "it is the last line: the file is truncated, fetch it again"
    } else {
        "every line holds a word and as many numbers as the first line"
    };
    source.wrong_at(line, what).with_hint(hint)
}

/// Adds the vector of one line.
fn add_row(table: &mut WordVectorTable, row: &[u8]) -> Result<(), String> {
    let width = table.width();
    let places = || row.iter().enumerate().filter(|(_, byte)| is_gap(**byte));
    let gaps = places().count();
    let first = gaps
        .checked_sub(width)
        .and_then(|skipped| places().nth(skipped));
    let Some((end, _)) = first else {
        return Err(format!("{gaps} numbers, expected {width}"));
    };
    let (word, numbers) = (&row[..end], &row[end + 1..]);
    table.insert(word, |into| {
        for field in numbers.split(|&byte| is_gap(byte)) {
            let wrong = || {
                let field = String::from_utf8_lossy(field);
                format!("`{field}` is not a number; expected {width} numbers")
            };
            into.push(self::number(field).ok_or_else(wrong)?);
        }
        Ok(())
    })
}

fn number(field: &[u8]) -> Option<f32> {
    let number: f32 = std::str::from_utf8(field).ok()?.parse().ok()?;
    number.is_finite().then_some(number)
}

fn is_gap(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// The line without spaces and breaks at its end.
fn trim(line: &[u8]) -> &[u8] {
    let end = line
        .iter()
        .rposition(|&byte| !is_gap(byte) && byte != b'\r');
    end.map_or(&[], |end| &line[..=end])
}
