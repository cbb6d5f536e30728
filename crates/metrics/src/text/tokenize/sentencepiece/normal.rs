//! What SentencePiece does to a line before it cuts it: characters are replaced, and spaces are made visible.

use super::SPACE;
use super::protobuf::{Field, Fields};
use super::tree::PieceTree;

/// The rules of a model.
#[derive(Debug)]
pub(super) struct Normalizer {
    /// A double array of texts that are replaced: what each one becomes is a place in `texts`.
    units: Vec<u32>,
    /// Texts, a zero byte after each.
    texts: Vec<u8>,
    adds_space: bool,
    /// Whether that space is added behind the line.
    pub(super) space_is_suffix: bool,
    removes_extra_spaces: bool,
    escapes_spaces: bool,
}

impl Default for Normalizer {
    fn default() -> Self {
        Self {
            units: Vec::new(),
            texts: Vec::new(),
            adds_space: true,
            space_is_suffix: false,
            removes_extra_spaces: true,
            escapes_spaces: true,
        }
    }
}

impl Normalizer {
    /// Reads the specification of a model.
    pub(super) fn read(&mut self, bytes: &[u8]) -> Result<(), String> {
        for field in Fields(bytes) {
            match field? {
                (2, Field::Bytes(map)) if !map.is_empty() => self.read_map(map)?,
                (3, Field::Number(flag)) => self.adds_space = flag != 0,
                (4, Field::Number(flag)) => self.removes_extra_spaces = flag != 0,
                (5, Field::Number(flag)) => self.escapes_spaces = flag != 0,
                _ => {}
            }
        }
        Ok(())
    }

    /// The size of a double array, the array, and texts.
    fn read_map(&mut self, map: &[u8]) -> Result<(), String> {
        let parts = map.split_first_chunk().and_then(|(size, rest)| {
            let size = u32::from_le_bytes(*size) as usize;
            rest.split_at_checked(size)
        });
        let (units, texts) = parts.ok_or("the table of replaced characters is cut off")?;
        let (units, _) = units.as_chunks();
        self.units = units.iter().map(|unit| u32::from_le_bytes(*unit)).collect();
        self.texts = texts.to_vec();
        Ok(())
    }

    /// The line that is cut; what is `taken` wherever it stands is not changed.
    pub(super) fn normalized(&self, line: &str, taken: &PieceTree) -> String {
        let space = match self.escapes_spaces {
            true => SPACE,
            false => " ",
        };
        let space = space.as_bytes();
        let mut rest = line.as_bytes();
        if self.removes_extra_spaces {
            while let (b" ", length) = self.prefix(rest, taken) {
                rest = &rest[length..];
            }
        }
        if rest.is_empty() {
            return String::new();
        }
        let mut text = Vec::with_capacity(line.len() * 3 / 2);
        if self.adds_space && !self.space_is_suffix {
            text.extend(space);
        }
        let mut after_space = self.removes_extra_spaces;
        while !rest.is_empty() {
            let (mut becomes, length) = self.prefix(rest, taken);
            while after_space && let Some(next) = becomes.strip_prefix(b" ") {
                becomes = next;
            }
            for &byte in becomes {
                match byte {
                    b' ' => text.extend(space),
                    byte => text.push(byte),
                }
            }
            if let Some(last) = becomes.last() {
                after_space = self.removes_extra_spaces && *last == b' ';
            }
            rest = &rest[length..];
        }
        if self.removes_extra_spaces {
            while text.ends_with(space) {
                text.truncate(text.len() - space.len());
            }
        }
        if self.adds_space && self.space_is_suffix {
            text.extend(space);
        }
        // Only a broken model makes something else of it than UTF-8.
        String::from_utf8(text)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }

    /// What the longest beginning of `rest` becomes that has a rule, or its first character, and the length of that.
    fn prefix<'a>(&'a self, rest: &'a [u8], taken: &PieceTree) -> (&'a [u8], usize) {
        if let Some(length) = taken.longest(rest) {
            return (&rest[..length], length);
        }
        match self.longest_rule(rest) {
            Some((at, length)) => {
                let text = self.texts.get(at..).unwrap_or_default();
                let end = text.iter().position(|byte| *byte == 0);
                (&text[..end.unwrap_or(text.len())], length)
            }
            None => {
                let continues = |byte: &&u8| **byte & 0xc0 == 0x80;
                let more = rest.iter().skip(1).take_while(continues).count();
                let length = (1 + more).min(rest.len());
                (&rest[..length], length)
            }
        }
    }

    /// Where the text of the longest rule stands, and how long a text it replaces.
    fn longest_rule(&self, rest: &[u8]) -> Option<(usize, usize)> {
        // A unit holds a label, whether a text ends here, and how far its children are away.
        let offset = |unit: u32| (unit >> 10) << ((unit & 1 << 9) >> 6);
        let mut longest = None;
        let mut at = offset(*self.units.first()?);
        for (number, &byte) in rest.iter().enumerate() {
            at ^= u32::from(byte);
            let Some(&unit) = self.units.get(at as usize) else {
                break;
            };
            if unit & 0x8000_00ff != u32::from(byte) {
                break;
            }
            at ^= offset(unit);
            if unit >> 8 & 1 == 1
                && let Some(value) = self.units.get(at as usize)
            {
                longest = Some(((value & 0x7fff_ffff) as usize, number + 1));
            }
        }
        longest
    }
}
