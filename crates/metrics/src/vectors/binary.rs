//! word2vec's binary form: a line with the counts, then words, each followed by a space and its
//! numbers as little-endian f32; some programs put a line break before each word.

use super::source::VectorFileReader;
use super::table::WordVectorTable;
use super::text::VectorFileHeader;
use tiebreak_base::error::Result;

/// Reads a table of the size that its first line gives.
pub(super) fn read(
    mut source: VectorFileReader,
    header: VectorFileHeader,
) -> Result<(WordVectorTable, String)> {
    let mut word = Vec::new();
    source.require(&header.dimensions_text(), header.bytes(4))?;
    source.until(b'\n', &mut word)?;
    let mut table = WordVectorTable::new(header.width, header.words as usize);
    for read in 0..header.words {
        if !source.until(b' ', &mut word)? {
            let what = format!("ends after {read} of {}", header.dimensions_text());
            let hint = "the file is truncated: fetch it again";
            return Err(source.wrong(what).with_hint(hint));
        }
        let start = word.iter().position(|&byte| byte != b'\n');
        let word = &word[start.unwrap_or(word.len())..];
        table.insert(word, |into| source.floats(header.width, into))?;
    }
    Ok((table, source.digest()))
}
