//! Records of JSON, one at a time: a record a line, an array of records, or an array somewhere inside one large
//! object, in memory that does not grow with the file.

use super::record::Record;
use crate::error::{Error, Location, Result};
use crate::limits::{Part, advice};
use crate::records::reader::bytes::{Lines, trim_break};
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess,
    Visitor,
};
use serde_json::{Map, Value};
use std::cell::Cell;
use std::fmt;
use std::io::{BufRead, Read};
use std::path::Path;
use std::rc::Rc;

/// What is done with each record.
pub(super) type Each<'a> = &'a mut dyn FnMut(Record) -> Result<()>;

/// Gives the records of a file of JSON lines.
pub(super) fn lines(path: &Path, each: Each<'_>) -> Result<()> {
    let mut lines = Lines::open(path)?;
    let mut buffer = Vec::new();
    while lines.append(&mut buffer)? {
        if !buffer.trim_ascii().is_empty() {
            let at = Location::line(path, lines.number());
            let value = line(trim_break(&buffer), &at)?;
            each(Record { value, at })?;
        }
        buffer.clear();
    }
    Ok(())
}

fn line(bytes: &[u8], at: &Location) -> Result<Value> {
    serde_json::from_slice(bytes).or_else(|error| {
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let byte = error.valid_up_to() + 1;
            Error::record(at.clone(), format!("invalid UTF-8 at byte {byte}"))
        })?;
        let mended = mended(text).and_then(|text| serde_json::from_str(&text).ok());
        mended.ok_or_else(|| broken(&error, at.clone(), Some(error.column())))
    })
}

/// Gives the records at `inside` of a file that is one value, or several in a row: the elements of the list
/// there, or what is there itself.
pub(super) fn document(path: &Path, inside: &[&str], each: Each<'_>) -> Result<()> {
    let position = Rc::new(Position::default());
    let mut failed = None;
    let mut json = serde_json::Deserializer::from_reader(Counted {
        reader: Lines::open(path)?.into_reader(),
        position: Rc::clone(&position),
    });
    let mut give = |line, value| {
        let at = Location::line(path, line);
        each(Record { value, at }).map_err(|error| failed = Some(error))
    };
    let mut read = || loop {
        let walk = Walk {
            inside,
            position: &position,
            each: &mut give,
        };
        walk.deserialize(&mut json)?;
        if json.end().is_ok() {
            return Ok(());
        }
    };
    let outcome = read();
    match (failed, outcome) {
        (Some(error), _) => Err(error),
        (None, Ok(())) => Ok(()),
        (None, Err(error)) => Err(explained(&error, path)),
    }
}

/// A file that is one object, without the long lists and objects at these paths.
pub(super) fn outline(path: &Path, without: &[&str]) -> Result<Record> {
    let reader = Lines::open(path)?.into_reader();
    let mut json = serde_json::Deserializer::from_reader(reader);
    let value = Outline { without }
        .deserialize(&mut json)
        .and_then(|value| json.end().map(|()| value))
        .map_err(|error| explained(&error, path))?;
    Ok(Record {
        value,
        at: Location::file(path),
    })
}

/// The first value of a text, as far as it goes: of lists the first element, and whatever stands before it breaks
/// off. `None` where there is no value.
pub(super) fn sketch(reader: impl Read) -> Option<Value> {
    let mut value = None;
    let mut json = serde_json::Deserializer::from_reader(reader);
    // Breaking off is the rule here, and what is broken is told when it is read.
    let _ = Sketch {
        into: value.get_or_insert(Value::Null),
        top: true,
    }
    .deserialize(&mut json);
    value.filter(|value| value.is_object() || value.is_array())
}

fn explained(error: &serde_json::Error, path: &Path) -> Error {
    broken(error, Location::line(path, error.line() as u64), None)
}

fn broken(error: &serde_json::Error, at: Location, column: Option<usize>) -> Error {
    let message = error.to_string();
    let reason = message.split(" at line ").next().unwrap_or(&message);
    if error.is_io() {
        let error = Error::record(at, reason);
        return match reason.starts_with(TOO_LONG) {
            true => error.with_hint(advice()),
            false => error,
        };
    }
    if error.is_eof() {
        return Error::record(at, format!("ends too early (truncated?): {reason}"));
    }
    match column {
        Some(column) => Error::record(at, format!("broken JSON at column {column}: {reason}")),
        None => Error::record(at, format!("broken JSON: {reason}")),
    }
}

/// What Python writes and JSON does not know: NaN and infinities, which become null, and halves of surrogate
/// pairs, which become the replacement character. `None` where there is nothing of the kind.
pub(in crate::records::import) fn mended(text: &str) -> Option<String> {
    let mut mended = String::with_capacity(text.len());
    let (mut rest, mut quoted, mut changed) = (text, false, false);
    while let Some(c) = rest.chars().next() {
        let (taken, put) = match c {
            '\\' if quoted => escape(rest),
            '"' => {
                quoted = !quoted;
                (1, "\"")
            }
            'N' | 'I' | '-' if !quoted => word(rest),
            c => (c.len_utf8(), &rest[..c.len_utf8()]),
        };
        changed |= put != &rest[..taken];
        mended.push_str(put);
        rest = &rest[taken..];
    }
    changed.then_some(mended)
}

/// How much of a text a number that is none takes, and what is put there.
fn word(text: &str) -> (usize, &str) {
    let words = ["NaN", "Infinity", "-Infinity"];
    let found = words.into_iter().find(|word| text.starts_with(word));
    found.map_or((1, &text[..1]), |word| (word.len(), "null"))
}

/// How much of a text an escape takes, and what is put there.
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

/// How far a file was read.
#[derive(Debug, Default)]
struct Position {
    breaks: Cell<u64>,
    bytes: Cell<u64>,
    /// Where the record that is being read began.
    began: Cell<Option<u64>>,
}

impl Position {
    fn line(&self) -> u64 {
        self.breaks.get() + 1
    }
}

/// Counts what is read through it, and refuses a record that is too long to be held.
struct Counted<R> {
    reader: R,
    position: Rc<Position>,
}

impl<R: BufRead> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.reader.read(buffer)?;
        let breaks = buffer[..read].iter().filter(|&&byte| byte == b'\n').count();
        let Position {
            breaks: lines,
            bytes,
            began,
        } = &*self.position;
        lines.set(lines.get() + breaks as u64);
        bytes.set(bytes.get() + read as u64);
        let length = began.get().map_or(0, |began| bytes.get() - began);
        Part::Row
            .holds(length)
            .map_err(|excess| std::io::Error::other(format!("{TOO_LONG} {excess}")))?;
        Ok(read)
    }
}

/// How the refusal of a record begins that is too long.
const TOO_LONG: &str = "a record of";

/// Goes to where the records are and gives them.
struct Walk<'a, F> {
    inside: &'a [&'a str],
    position: &'a Position,
    each: &'a mut F,
}

impl<'de, F: FnMut(u64, Value) -> Result<(), ()>> DeserializeSeed<'de> for Walk<'_, F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, F: FnMut(u64, Value) -> Result<(), ()>> Visitor<'de> for Walk<'_, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of records or an object")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some((line, value)) = list.next_element_seed(Element(self.position))? {
            (self.each)(line, value).map_err(|()| A::Error::custom("stopped"))?;
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Some((wanted, rest)) = self.inside.split_first() else {
            let (line, mut object) = (self.position.line(), Map::new());
            while let Some((key, value)) = map.next_entry()? {
                object.insert(key, value);
            }
            let given = (self.each)(line, Value::Object(object));
            return given.map_err(|()| A::Error::custom("stopped"));
        };
        while let Some(key) = map.next_key::<String>()? {
            if key == *wanted {
                map.next_value_seed(Walk {
                    inside: rest,
                    position: self.position,
                    each: &mut *self.each,
                })?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

/// An element of a list and the line on which it begins: its first byte has been looked at by then.
struct Element<'a>(&'a Position);

impl<'de> DeserializeSeed<'de> for Element<'_> {
    type Value = (u64, Value);

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        let line = self.0.line();
        self.0.began.set(Some(self.0.bytes.get()));
        let value = Value::deserialize(deserializer)?;
        self.0.began.set(None);
        Ok((line, value))
    }
}

/// An object without some of its fields.
struct Outline<'a> {
    without: &'a [&'a str],
}

impl<'de> DeserializeSeed<'de> for Outline<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Outline<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            if self.without.contains(&key.as_str()) {
                map.next_value::<IgnoredAny>()?;
            } else {
                object.insert(key, map.next_value()?);
            }
        }
        Ok(Value::Object(object))
    }
}

/// Fills what is at hand of a value.
struct Sketch<'a> {
    into: &'a mut Value,
    top: bool,
}

impl<'de> DeserializeSeed<'de> for Sketch<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Sketch<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        *self.into = Value::Object(Map::new());
        let object = self.into.as_object_mut().expect("just made");
        while let Some(key) = map.next_key::<String>()? {
            let into = object.entry(key).or_insert(Value::Null);
            map.next_value_seed(Sketch { into, top: false })?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        *self.into = Value::Array(vec![Value::Null]);
        let into = &mut self.into[0];
        list.next_element_seed(Sketch { into, top: false })?;
        if self.top {
            return Err(A::Error::custom("enough"));
        }
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, flag: bool) -> Result<(), E> {
        *self.into = Value::from(flag);
        Ok(())
    }

    fn visit_i64<E>(self, number: i64) -> Result<(), E> {
        *self.into = Value::from(number);
        Ok(())
    }

    fn visit_u64<E>(self, number: u64) -> Result<(), E> {
        *self.into = Value::from(number);
        Ok(())
    }

    fn visit_f64<E>(self, number: f64) -> Result<(), E> {
        *self.into = Value::from(number);
        Ok(())
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        *self.into = Value::from(text);
        Ok(())
    }
}
