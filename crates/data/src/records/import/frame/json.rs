//! Records of JSON, one at a time: a record a line, an array of records, or an array somewhere inside one large
//! object, in memory that does not grow with the file.

use super::record::ImportRecord;
use crate::records::reader::bytes::{TextLines, too_long, trim_break};
use crate::records::reader::python::{NonFiniteReader, RepairedJson, mended};
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess,
    Visitor,
};
use serde_json::de::{SliceRead, StrRead};
use serde_json::{Map, Value};
use std::cell::Cell;
use std::fmt;
use std::io::{self, Read};
use std::path::Path;
use std::rc::Rc;
use tiebreak_base::error::{Error, Location, Result};
use tiebreak_base::keys::table::value_as_written;
use tiebreak_base::limits::{Part, excess_of};

/// The function that is called for each record.
pub(super) type RecordCallback<'a> = &'a mut dyn FnMut(ImportRecord) -> Result<()>;

/// Calls `each` for the records of a JSON Lines file; returns how many halves of surrogate pairs were replaced in them.
pub(super) fn lines(path: &Path, each: RecordCallback<'_>) -> Result<u64> {
    let mut lines = TextLines::open(path)?;
    let mut buffer = Vec::new();
    let mut halves = 0;
    while lines.append(&mut buffer)? {
        if !buffer.trim_ascii().is_empty() {
            let at = Location::line(path, lines.number());
            let line = line(trim_break(&buffer), &at)?;
            halves += line.halves;
            let value = line.value;
            each(ImportRecord { value, at })?;
        }
        buffer.clear();
    }
    Ok(halves)
}

fn line(bytes: &[u8], at: &Location) -> Result<LenientValue> {
    lenient(bytes).map_err(|error| {
        if let Err(error) = std::str::from_utf8(bytes) {
            return Error::not_utf8_at(at.clone(), error);
        }
        broken(&error, at.clone(), Some(error.column()))
    })
}

/// A value, and the number of halves of surrogate pairs that were replaced in it.
pub(in crate::records::import) struct LenientValue {
    pub value: Value,
    pub halves: u64,
}

/// Parses a value that Python may have written ([`mended`]).
///
/// # Errors
/// If it is broken in any other way, or an object names a field twice.
pub(in crate::records::import) fn lenient(bytes: &[u8]) -> serde_json::Result<LenientValue> {
    let whole = |bytes: &[u8]| serde_json::from_slice(bytes).map(|UniqueKeyJson(value)| value);
    let error = match whole(bytes) {
        Ok(value) => return Ok(LenientValue { value, halves: 0 }),
        Err(error) => error,
    };
    let Some(RepairedJson { text, halves }) = std::str::from_utf8(bytes).ok().and_then(mended)
    else {
        return Err(error);
    };
    match whole(text.as_bytes()) {
        Ok(value) => Ok(LenientValue { value, halves }),
        // Where the text is broken elsewhere too, errors give places in the original.
        Err(other) if other.is_data() => Err(other),
        Err(_) => Err(error),
    }
}

/// Calls `each` for the records at `inside` of a file that is one value, or several in a row: the elements of the list
/// there, or the value there itself.
pub(super) fn document(path: &Path, inside: &[&str], each: RecordCallback<'_>) -> Result<()> {
    let position = Rc::new(Position::default());
    let mut failed = None;
    let mut json = serde_json::Deserializer::from_reader(tracked(path, &position)?);
    let mut give = |line, value| {
        let at = Location::line(path, line);
        each(ImportRecord { value, at }).map_err(|error| failed = Some(error))
    };
    let mut read = || loop {
        let walk = RecordVisitor {
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
        (None, Err(error)) => Err(explained(error, path)),
    }
}

/// Reads a file that is one object, without the long lists and objects at these paths.
pub(super) fn outline(path: &Path, without: &[&str]) -> Result<ImportRecord> {
    let position = Rc::new(Position::default());
    let mut json = serde_json::Deserializer::from_reader(tracked(path, &position)?);
    let outline = Outline {
        without,
        position: &position,
    };
    let value = outline
        .deserialize(&mut json)
        .and_then(|value| json.end().map(|()| value))
        .map_err(|error| explained(error, path))?;
    Ok(ImportRecord {
        value,
        at: Location::file(path),
    })
}

/// Returns the first value of a file, as far as its first `most` bytes hold it: of a list the first element. `None`
/// where the file is empty.
///
/// # Errors
/// If it cannot be read, or is broken before those bytes end.
pub(super) fn sketch(path: &Path, most: u64) -> Result<Option<Value>> {
    let mut bytes = Vec::new();
    let mut reader = TextLines::open(path)?.into_reader().take(most);
    reader
        .read_to_end(&mut bytes)
        .map_err(Error::reading(path))?;
    if bytes.trim_ascii().is_empty() {
        return Ok(None);
    }
    let goes_on = bytes.len() as u64 == most;
    let is_fine = |error: &serde_json::Error| error.is_data() || (error.is_eof() && goes_on);
    let (value, outcome) = begun(SliceRead::new(&bytes));
    let Some(error) = outcome.err().filter(|error| !is_fine(error)) else {
        return Ok(Some(value));
    };
    if let Some(RepairedJson { text, .. }) = mended(&String::from_utf8_lossy(&bytes)) {
        let (value, outcome) = begun(StrRead::new(&text));
        if outcome.as_ref().map_or_else(is_fine, |()| true) {
            return Ok(Some(value));
        }
    }
    Err(explained(error, path))
}

/// Parses as much of a value as is there; returns it, and how parsing ended.
fn begun<'de>(text: impl serde_json::de::Read<'de>) -> (Value, serde_json::Result<()>) {
    let mut value = Value::Null;
    let begun = JsonValueSeed {
        into: &mut value,
        extent: ParseExtent::Sketch { top: true },
    };
    let outcome = begun.deserialize(&mut serde_json::Deserializer::new(text));
    (value, outcome)
}

fn explained(error: serde_json::Error, path: &Path) -> Error {
    let at = Location::line(path, error.line() as u64);
    if !error.is_io() {
        return broken(&error, at, None);
    }
    let reason = io::Error::from(error);
    match excess_of(&reason) {
        Some(excess) => too_long(at, excess),
        None => Error::record(at, reason.to_string()),
    }
}

fn broken(error: &serde_json::Error, at: Location, column: Option<usize>) -> Error {
    let message = error.to_string();
    let reason = message.split(" at line ").next().unwrap_or(&message);
    if error.is_eof() {
        let is_lines = at.path.extension().is_some_and(|one| one == "jsonl");
        let error = Error::record(at, format!("ends too early (truncated?): {reason}"));
        return match is_lines {
            true => error.with_hint(
                "a record is one JSON object on one line; a file of objects on several lines is .json",
            ),
            false => error,
        };
    }
    if error.is_data() {
        let error = Error::record(at, value_as_written(reason, "an object"));
        return match reason.ends_with(TWICE) {
            true => error.with_hint("name each field once"),
            false => error,
        };
    }
    match column {
        Some(column) => Error::record(at, format!("broken JSON at column {column}: {reason}")),
        None => Error::record(at, format!("broken JSON: {reason}")),
    }
}

/// The end of serde's error about an object with a repeated field.
const TWICE: &str = "appears twice in one object";

/// The position in a file.
#[derive(Debug, Default)]
struct Position {
    breaks: Cell<u64>,
    bytes: Cell<u64>,
    /// The byte at which the current record began.
    began: Cell<Option<u64>>,
}

impl Position {
    fn line(&self) -> u64 {
        self.breaks.get() + 1
    }

    /// Parses a part of a record of which `held` bytes are held already, so that the memory limit is for both; returns
    /// how many are held then.
    fn hold<T, E>(&self, held: u64, parse: impl FnOnce() -> Result<T, E>) -> Result<(T, u64), E> {
        let began = self.bytes.get().saturating_sub(held);
        self.began.set(Some(began));
        let value = parse()?;
        self.began.set(None);
        Ok((value, self.bytes.get() - began))
    }
}

/// Opens a file for a parser, with the position that the parser has reached.
fn tracked(path: &Path, position: &Rc<Position>) -> Result<impl Read + use<>> {
    Ok(PositionTrackingReader {
        reader: NonFiniteReader::new(TextLines::open(path)?.into_reader()),
        position: Rc::clone(position),
    })
}

/// A reader that tracks the position, and refuses a record over the memory limit.
struct PositionTrackingReader<R> {
    reader: R,
    position: Rc<Position>,
}

impl<R: Read> Read for PositionTrackingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        let breaks = memchr::memchr_iter(b'\n', &buffer[..read]).count();
        let Position {
            breaks: lines,
            bytes,
            began,
        } = &*self.position;
        lines.set(lines.get() + breaks as u64);
        bytes.set(bytes.get() + read as u64);
        let length = began.get().map_or(0, |began| bytes.get() - began);
        Part::Row.holds(length).map_err(io::Error::other)?;
        Ok(read)
    }
}

/// Finds the records in a value and passes them on.
struct RecordVisitor<'a, F> {
    inside: &'a [&'a str],
    position: &'a Position,
    each: &'a mut F,
}

impl<'de, F: FnMut(u64, Value) -> Result<(), ()>> DeserializeSeed<'de> for RecordVisitor<'_, F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, F: FnMut(u64, Value) -> Result<(), ()>> Visitor<'de> for RecordVisitor<'_, F> {
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
            let (line, mut object) = (self.position.line(), Value::Null);
            let seed = JsonValueSeed::whole(&mut object);
            self.position.hold(0, || seed.visit_map(map))?;
            let given = (self.each)(line, object);
            return given.map_err(|()| A::Error::custom("stopped"));
        };
        while let (Some(key), _) = self.position.hold(0, || map.next_key::<String>())? {
            if key == *wanted {
                map.next_value_seed(RecordVisitor {
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

/// An element of a list and the line on which it begins: its first byte has been read by then.
struct Element<'a>(&'a Position);

impl<'de> DeserializeSeed<'de> for Element<'_> {
    type Value = (u64, Value);

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        let line = self.0.line();
        let (UniqueKeyJson(value), _) = self
            .0
            .hold(0, || UniqueKeyJson::deserialize(deserializer))?;
        Ok((line, value))
    }
}

/// Deserializes an object without some of its fields.
struct Outline<'a> {
    without: &'a [&'a str],
    position: &'a Position,
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
        let (mut object, mut held) = (Map::new(), 0);
        loop {
            let (key, with_key) = self.position.hold(held, || map.next_key::<String>())?;
            let Some(key) = key else {
                return Ok(Value::Object(object));
            };
            if self.without.contains(&key.as_str()) {
                map.next_value::<IgnoredAny>()?;
            } else if object.contains_key(&key) {
                return Err(twice(&key));
            } else {
                let value = || map.next_value();
                let (UniqueKeyJson(value), with_value) = self.position.hold(with_key, value)?;
                object.insert(key, value);
                held = with_value;
            }
        }
    }
}

fn twice<E: serde::de::Error>(key: &str) -> E {
    E::custom(format!("`{key}` {TWICE}"))
}

/// A value in which no object repeats a field.
struct UniqueKeyJson(Value);

impl<'de> Deserialize<'de> for UniqueKeyJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut value = Value::Null;
        JsonValueSeed::whole(&mut value).deserialize(deserializer)?;
        Ok(Self(value))
    }
}

/// Deserializes into a value.
struct JsonValueSeed<'a> {
    into: &'a mut Value,
    extent: ParseExtent,
}

/// The part of a value that is read.
#[derive(Clone, Copy, PartialEq)]
enum ParseExtent {
    /// The whole value; no object may repeat a field.
    Whole,
    /// The available part, of lists the first element; nothing follows the list at the top.
    Sketch { top: bool },
}

impl<'a> JsonValueSeed<'a> {
    fn whole(into: &'a mut Value) -> Self {
        Self {
            into,
            extent: ParseExtent::Whole,
        }
    }
}

impl ParseExtent {
    /// The extent for the values inside such a value.
    fn inside(self) -> Self {
        match self {
            Self::Whole => Self::Whole,
            Self::Sketch { .. } => Self::Sketch { top: false },
        }
    }
}

impl<'de> DeserializeSeed<'de> for JsonValueSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for JsonValueSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let extent = self.extent.inside();
        *self.into = Value::Object(Map::new());
        let object = self.into.as_object_mut().expect("just made");
        while let Some(key) = map.next_key::<String>()? {
            if extent == ParseExtent::Whole && object.contains_key(&key) {
                return Err(twice(&key));
            }
            let into = object.entry(key).or_insert(Value::Null);
            map.next_value_seed(JsonValueSeed { into, extent })?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let extent = self.extent.inside();
        *self.into = Value::Array(Vec::new());
        let elements = self.into.as_array_mut().expect("just made");
        loop {
            elements.push(Value::Null);
            let into = elements.last_mut().expect("just pushed");
            let more = list
                .next_element_seed(JsonValueSeed { into, extent })?
                .is_some();
            match self.extent {
                ParseExtent::Whole if more => {}
                ParseExtent::Whole => {
                    elements.pop();
                    return Ok(());
                }
                ParseExtent::Sketch { top: true } => return Err(A::Error::custom("enough")),
                ParseExtent::Sketch { top: false } => break,
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_passed_over_is_no_deeper_than_what_is_held() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep.json");
        let read = |inside: &str| {
            std::fs::write(&path, format!("{{\n\"more\": {inside}, \"[{{\": 1}}")).unwrap();
            document(&path, &["records"], &mut |_| Ok(()))
        };
        let deep = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        assert!(read(&deep(200)).is_ok());
        let wide = format!("[{}]", vec![deep(100); 10].join(","));
        assert!(read(&wide).is_ok());
        let error = read(&deep(100_000)).unwrap_err().to_string();
        let told = "deep.json:2: more than 256 lists and objects inside each other";
        assert!(error.ends_with(told), "{error}");
    }

    #[test]
    fn one_object_is_held_within_the_limit_like_a_record_of_many() {
        let folder = tempfile::tempdir().unwrap();
        let long = "[0],".repeat(Part::Row.most() as usize / 16);
        let object = |parts: usize| {
            let path = folder.path().join("object.json");
            let parts: Vec<_> = (0..parts).map(|n| format!("\"{n}\": [{long}0]")).collect();
            std::fs::write(&path, format!("{{{}}}", parts.join(","))).unwrap();
            path
        };
        let read = |path: &Path| document(path, &[], &mut |_| Ok(()));
        let outlined = |path: &Path, without: &[&str]| outline(path, without).map(|_| ());
        let many = object(5);
        for outcome in [read(&many), outlined(&many, &["9"])] {
            let error = outcome.unwrap_err().to_string();
            assert!(error.contains("a record of more than"), "{error}");
        }
        assert!(outlined(&many, &["0", "1"]).is_ok());
    }
}
