//! What Python writes where other tools write JSON: lists as `str(list)` prints them, NaN and infinities, halves of
//! surrogate pairs.

use super::literal::PythonLiteral;
use serde_json::Value;
use std::io::{BufRead, Read};

/// A list of texts, some of which may be null.
pub(in crate::records) type NullableTexts = Vec<Option<String>>;

/// Parses a list of quoted texts and nulls, written as JSON, or as Python or numpy print it. `None` for anything
/// else.
pub(in crate::records) fn spelled_list(text: &str) -> Option<NullableTexts> {
    if !text.starts_with('[') {
        return None;
    }
    serde_json::from_str(text).ok().or_else(|| {
        let nullable = |element: PythonLiteral| match element {
            PythonLiteral::Text(text) => Some(Some(text)),
            other => other.is_null().then_some(None),
        };
        elements(text)?.into_iter().map(nullable).collect()
    })
}

/// Parses a list as Python prints it: `['a', "it's", 3, None]`. `None` for anything else.
pub(in crate::records) fn python_list(text: &str) -> Option<NullableTexts> {
    let nullable = |element: PythonLiteral| match element {
        null if null.is_null() => Some(None),
        PythonLiteral::Text(text) | PythonLiteral::Word(text) => Some(Some(text)),
        _ => None,
    };
    elements(text)?.into_iter().map(nullable).collect()
}

/// Parses a list of objects, written as JSON, or as Python or numpy print it. `None` for anything else.
pub(in crate::records) fn spelled_objects(text: &str) -> Option<Value> {
    let inside = text.trim().strip_prefix('[')?;
    if !inside.trim_start().starts_with('{') {
        return None;
    }
    let list: Value = match serde_json::from_str(text) {
        Ok(list) => list,
        Err(_) => PythonLiteral::parse(text.trim())?.into_json(),
    };
    let is_objects = list.as_array()?.iter().all(Value::is_object);
    is_objects.then_some(list)
}

/// Parses the elements of a list as Python prints it.
fn elements(text: &str) -> Option<Vec<PythonLiteral>> {
    match PythonLiteral::parse(text)? {
        PythonLiteral::List(list) => Some(list),
        _ => None,
    }
}

/// A repaired text, and the number of halves of surrogate pairs that were replaced in it.
pub(in crate::records) struct RepairedJson {
    pub text: String,
    pub halves: u64,
}

/// Repairs JSON as Python writes it: NaN becomes null, an infinity a word, and halves of surrogate pairs the
/// replacement character. `None` where nothing needs repair.
pub(in crate::records) fn mended(text: &str) -> Option<RepairedJson> {
    let words = String::from_utf8(with_words(text.as_bytes(), non_finite)).ok()?;
    let (mut mended, mut rest, mut halves) = (String::with_capacity(text.len()), &*words, 0);
    while let Some(at) = rest.find('\\') {
        let (before, found) = rest.split_at(at);
        let (taken, put) = escape(found);
        halves += u64::from(put != &found[..taken]);
        mended.extend([before, put]);
        rest = &found[taken..];
    }
    mended.push_str(rest);
    (mended != text).then_some(RepairedJson {
        text: mended,
        halves,
    })
}

/// Returns JSON with null in place of every word, outside strings, that is a lost number: one that JSON cannot write.
pub fn with_nulls(text: &[u8], is_lost: impl Fn(&str) -> bool) -> Vec<u8> {
    with_words(text, |word| is_lost(word).then_some("null"))
}

/// Returns JSON in which other text takes the place of words outside strings.
fn with_words(text: &[u8], instead: impl Fn(&str) -> Option<&'static str>) -> Vec<u8> {
    let in_word = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    let mut fixed = Vec::with_capacity(text.len());
    let (mut quoted, mut rest) = (false, text);
    while let [first, ..] = rest {
        let mut length = 1;
        if quoted && *first == b'\\' {
            length = rest.len().min(2);
        } else if *first == b'"' {
            quoted = !quoted;
        } else if !quoted {
            length = rest.iter().take_while(in_word).count().max(1);
        }
        let (piece, after) = rest.split_at(length);
        let word = str::from_utf8(piece).ok().filter(|_| !quoted);
        let put = word.and_then(&instead).map_or(piece, str::as_bytes);
        fixed.extend_from_slice(put);
        rest = after;
    }
    fixed
}

/// Returns the length of an escape at the start of a text, and its replacement.
fn escape(text: &str) -> (usize, &str) {
    let unit = |text: &str| u16::from_str_radix(text.strip_prefix("\\u")?.get(..4)?, 16).ok();
    let next = text.chars().nth(1).map_or(1, |c| 1 + c.len_utf8());
    match (unit(text), text.get(6..).and_then(unit)) {
        (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => (12, &text[..12]),
        (Some(0xD800..=0xDFFF), _) => (6, "\\ufffd"),
        (Some(_), _) => (6, &text[..6]),
        (None, _) => (next, &text[..next]),
    }
}

/// The numbers of Python that JSON has no words for, and what takes their place. An infinity is no missing value, and
/// no column of numbers takes its word.
const NON_FINITE: [(&str, &str); 3] = [
    ("NaN", "null"),
    ("Infinity", r#""inf""#),
    ("-Infinity", r#""-inf""#),
];

/// Returns what takes the place of a number that JSON has no word for.
fn non_finite(word: &str) -> Option<&'static str> {
    let mut known = NON_FINITE.iter();
    known.find(|(name, _)| *name == word).map(|(_, put)| *put)
}

/// The most lists and objects inside each other, more than a parser builds: it remembers one byte of each level of what
/// it passes over, however many there are.
const DEEPEST: u32 = 256;

/// A reader of JSON in which NaN and infinities are replaced as by [`mended`], and which ends where lists and objects
/// are too deep.
pub(in crate::records) struct NonFiniteReader<R> {
    reader: R,
    /// Whether the next byte is inside a text, and follows a backslash there.
    quoted: bool,
    escaped: bool,
    /// The number of lists and objects around the next byte.
    depth: u32,
    /// Bytes that were read, or take the place of such, the next one last.
    pending: Vec<u8>,
}

impl<R: BufRead> NonFiniteReader<R> {
    pub(in crate::records) fn new(reader: R) -> Self {
        Self {
            reader,
            quoted: false,
            escaped: false,
            depth: 0,
            pending: Vec::new(),
        }
    }

    /// The next byte of the file, which stays there.
    fn peek(&mut self) -> std::io::Result<Option<u8>> {
        Ok(self.reader.fill_buf()?.first().copied())
    }

    fn next(&mut self) -> std::io::Result<Option<u8>> {
        if let Some(byte) = self.pending.pop() {
            return Ok(Some(byte));
        }
        let Some(byte) = self.peek()? else {
            return Ok(None);
        };
        self.reader.consume(1);
        match byte {
            _ if self.escaped => self.escaped = false,
            b'\\' => self.escaped = self.quoted,
            b'"' => self.quoted = !self.quoted,
            b'N' | b'I' | b'-' if !self.quoted => return self.word(byte).map(Some),
            b'[' | b'{' if !self.quoted => {
                self.depth += 1;
                if self.depth > DEEPEST {
                    let what = format!("more than {DEEPEST} lists and objects inside each other");
                    return Err(std::io::Error::other(what));
                }
            }
            b']' | b'}' if !self.quoted => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        Ok(Some(byte))
    }

    /// Reads on after the first byte of a word, and returns the first byte of what takes its place.
    fn word(&mut self, first: u8) -> std::io::Result<u8> {
        let mut read = vec![first];
        let goes_on = |read: &[u8], byte: u8| {
            let begins = |(word, _): &(&str, &str)| {
                word.as_bytes()
                    .strip_prefix(read)
                    .is_some_and(|rest| rest.first() == Some(&byte))
            };
            NON_FINITE.iter().any(begins)
        };
        while let Some(byte) = self.peek()?.filter(|&byte| goes_on(&read, byte)) {
            self.reader.consume(1);
            read.push(byte);
        }
        if let Some(put) = str::from_utf8(&read).ok().and_then(non_finite) {
            read = put.into();
        }
        read.reverse();
        self.pending = read;
        Ok(self.pending.pop().unwrap_or(first))
    }
}

impl<R: BufRead> Read for NonFiniteReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let Some(place) = buffer.first_mut() else {
            return Ok(0);
        };
        let byte = self.next()?;
        *place = byte.unwrap_or_default();
        Ok(usize::from(byte.is_some()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_as_python_prints_them() {
        let read = |text: &str| python_list(text);
        let some = |text: &&str| Some((*text).to_string());
        let texts = |texts: &[&str]| Some(texts.iter().map(some).collect::<Vec<_>>());
        assert_eq!(read("['a', \"it's\", 3]"), texts(&["a", "it's", "3"]));
        assert_eq!(
            read(r"['x\u200dy', 'a\'b', '\\']"),
            texts(&["x\u{200d}y", "a'b", "\\"])
        );
        assert_eq!(read("[]"), texts(&[]));
        assert_eq!(spelled_list("['a', \"it's\"]"), texts(&["a", "it's"]));
        assert_eq!(spelled_list("[\"a\"]"), texts(&["a"]));
        assert_eq!(spelled_list("['a', 3]"), None);
        let with_null = Some(vec![Some("a".to_string()), None]);
        for text in ["['a', None]", "['a', nan]", "[\"a\", null]", "[\"a\", NaN]"] {
            assert_eq!(spelled_list(text), with_null, "{text}");
        }
        assert_eq!(read("['a', None]"), with_null);
        assert_eq!(read("['a', nan]"), with_null);
        let numpy = "['a'\n \"it's\" 'b']";
        assert_eq!(spelled_list(numpy), texts(&["a", "it's", "b"]));
        for text in [
            "[a, b]",
            "['a'",
            "a",
            "[see above]",
            "['a''b']",
            "['a' b]",
            "[['a']]",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_that_json_has_no_words_for_are_replaced_also_in_a_stream() {
        let streamed = |text: &str| {
            // A buffer of three bytes, so that words lie across its ends.
            let buffered = std::io::BufReader::with_capacity(3, text.as_bytes());
            let mut read = String::new();
            let outcome = NonFiniteReader::new(buffered).read_to_string(&mut read);
            outcome.map(|_| read).unwrap()
        };
        let text = r#"[NaN, -Infinity,Infinity, -1, {"NaN": "-Infinity \" NaN \\"}, NaN]"#;
        let words = r#"[null, "-inf","inf", -1, {"NaN": "-Infinity \" NaN \\"}, null]"#;
        assert_eq!(streamed(text), words);
        assert_eq!(mended(text).unwrap().text, words);
        for broken in ["-Inf", "Nan", "I", "-", "Infinitt", "\"NaN"] {
            assert_eq!(streamed(broken), broken);
        }
    }
}
