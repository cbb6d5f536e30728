//! Values as Python and numpy print them: quoted texts, words, lists, dictionaries and arrays.

use serde_json::{Map, Value};

/// A value as Python prints it.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum PythonLiteral {
    /// A text in quotes.
    Text(String),
    /// A number, a truth value or a null, as it is written.
    Word(String),
    /// A list, or an array of numpy.
    List(Vec<PythonLiteral>),
    /// A dictionary whose keys are texts.
    Dict(Vec<(String, PythonLiteral)>),
}

/// The words for null: of Python, numpy, JSON and pandas.
const NULLS: [&str; 5] = ["None", "nan", "NaN", "null", "<NA>"];
const TRUE: [&str; 2] = ["True", "true"];
const FALSE: [&str; 2] = ["False", "false"];

/// The most lists and dictionaries inside each other.
const DEEPEST: usize = 64;

impl PythonLiteral {
    /// Parses a whole text; `None` for anything else.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (literal, rest) = literal(text, DEEPEST)?;
        rest.is_empty().then_some(literal)
    }

    /// Whether it is a word for null.
    pub(super) fn is_null(&self) -> bool {
        matches!(self, Self::Word(word) if NULLS.contains(&word.as_str()))
    }

    /// Converts to a value of JSON; a number that JSON cannot write becomes null.
    pub(super) fn into_json(self) -> Value {
        match self {
            Self::Text(text) => Value::String(text),
            Self::Word(word) if TRUE.contains(&word.as_str()) => Value::Bool(true),
            Self::Word(word) if FALSE.contains(&word.as_str()) => Value::Bool(false),
            Self::Word(word) => serde_json::from_str(&word).unwrap_or_default(),
            Self::List(list) => list.into_iter().map(Self::into_json).collect(),
            Self::Dict(fields) => {
                let fields = fields.into_iter().map(|(key, one)| (key, one.into_json()));
                Value::Object(fields.collect::<Map<_, _>>())
            }
        }
    }
}

/// Parses the value at the start of a text, and returns the rest after it.
fn literal(text: &str, levels: usize) -> Option<(PythonLiteral, &str)> {
    let inside = || levels.checked_sub(1);
    if let Some(array) = text.strip_prefix("array(") {
        let (list, rest) = literal(array, inside()?)?;
        let (_, rest) = rest.split_once(')')?;
        return Some((list, rest));
    }
    match text.chars().next()? {
        quote @ ('\'' | '"') => {
            let (read, rest) = quoted(&text[1..], quote)?;
            Some((PythonLiteral::Text(read), rest))
        }
        '[' => {
            let levels = inside()?;
            let element = |rest| literal(rest, levels);
            let is_word = |one: &PythonLiteral| matches!(one, PythonLiteral::Word(_));
            let (list, rest) = elements(&text[1..], ']', element, is_word)?;
            Some((PythonLiteral::List(list), rest))
        }
        '{' => {
            let levels = inside()?;
            let (fields, rest) = elements(&text[1..], '}', |rest| field(rest, levels), |_| true)?;
            Some((PythonLiteral::Dict(fields), rest))
        }
        _ => {
            let is_end = |c: char| c.is_whitespace() || ",]})".contains(c);
            let (word, rest) = text.split_at(text.find(is_end).unwrap_or(text.len()));
            let is_known = [&NULLS[..], &TRUE, &FALSE].concat().contains(&word);
            (is_known || word.parse::<f64>().is_ok())
                .then(|| (PythonLiteral::Word(word.to_string()), rest))
        }
    }
}

/// Parses a key and its value.
fn field(text: &str, levels: usize) -> Option<((String, PythonLiteral), &str)> {
    let (PythonLiteral::Text(key), rest) = literal(text, levels)? else {
        return None;
    };
    let rest = rest.trim_start().strip_prefix(':')?.trim_start();
    let (value, rest) = literal(rest, levels)?;
    Some(((key, value), rest))
}

/// Parses elements up to the closing bracket. Numpy writes no commas, and breaks long lists into lines: a gap may part two
/// elements of which neither is a word.
fn elements<'a, T>(
    mut rest: &'a str,
    close: char,
    element: impl Fn(&'a str) -> Option<(T, &'a str)>,
    is_word: impl Fn(&T) -> bool,
) -> Option<(Vec<T>, &'a str)> {
    let mut read = Vec::new();
    loop {
        rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix(close) {
            return Some((read, after));
        }
        let (one, after) = element(rest)?;
        let next = after.trim_start();
        let has_gap = next.len() < after.len() && !is_word(&one);
        rest = match next.strip_prefix(',') {
            Some(next) => next,
            None if next.starts_with(close) => next,
            None if has_gap && next.starts_with(['\'', '"', '[', '{']) => next,
            None => return None,
        };
        read.push(one);
    }
}

/// Splits a text at its closing quote into the text before and the rest after.
fn quoted(text: &str, quote: char) -> Option<(String, &str)> {
    let mut read = String::new();
    let mut characters = text.char_indices();
    while let Some((at, c)) = characters.next() {
        match c {
            c if c == quote => return Some((read, &text[at + 1..])),
            '\\' => {
                let escape = characters.next()?.1;
                let digits = match escape {
                    'x' => 2,
                    'u' => 4,
                    'U' => 8,
                    _ => 0,
                };
                let code: String = characters.by_ref().take(digits).map(|(_, c)| c).collect();
                read.push(match escape {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    _ if digits > 0 => char::from_u32(u32::from_str_radix(&code, 16).ok()?)?,
                    other => other,
                });
            }
            c => read.push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lists_of_dictionaries_are_read_as_python_and_numpy_print_them() {
        let read = |text: &str| PythonLiteral::parse(text).map(PythonLiteral::into_json);
        let expected =
            json!([{"content": "it's", "role": "user"}, {"content": "yo", "role": "assistant"}]);
        for gap in [", ", "\n ", ","] {
            let text = format!(
                "[{{'content': \"it's\", 'role': 'user'}}{gap}{{'content': 'yo', 'role': 'assistant'}}]"
            );
            assert_eq!(read(&text), Some(expected.clone()), "{text}");
        }
        assert_eq!(
            read(
                "{'a': array([{'text': 'x', 'n': 1.5}], dtype=object), 'b': [True, None, nan, -inf]}"
            ),
            Some(json!({"a": [{"text": "x", "n": 1.5}], "b": [true, null, null, null]}))
        );
        for text in [
            "[{'a': 1} ...\n {'a': 2}]",
            "{1: 'a'}",
            "{'a' 'b'}",
            "[{'a': 1}] x",
            "[1 2]",
            &"[".repeat(100_000),
        ] {
            assert_eq!(read(text), None, "{text:.40}");
        }
    }
}
