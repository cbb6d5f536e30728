//! Records in files of other tools, with their places, and typed access to their values.
//!
//! Fields are read by name. Missing and null are the same; a value of another type than expected
//! is a mistake, reported with the field and the place.

use super::json::lenient;
use crate::records::decimals::DecimalMarks;
use crate::records::outcomes::is_missing;
use crate::records::reader::{EXACT, INEXACT, decimal, is_row_index};
use crate::records::{Kind, LABEL, RANKING};
use serde_json::{Map, Value};
use tiebreak_base::error::{Error, Flag, Location, Message, Result};
use tiebreak_base::message;

/// The hint for a number with a comma that may mark thousands.
pub(in crate::records::import) const AMBIGUOUS_COMMA: &str =
    "the comma may be of decimals or of thousands: write a point, or no comma";

/// A record in a file of another tool.
#[derive(Debug, Clone)]
pub(in crate::records::import) struct ImportRecord {
    /// The contents.
    pub value: Value,
    /// The place where it begins.
    pub at: Location,
}

/// A value of a record, under the name by which it was read.
#[derive(Debug, Clone, Copy)]
pub(in crate::records::import) struct RecordValue<'a> {
    value: &'a Value,
    name: &'a str,
    at: &'a Location,
}

impl ImportRecord {
    /// Returns the record as one value.
    pub(crate) fn node(&self) -> RecordValue<'_> {
        RecordValue {
            value: &self.value,
            name: "record",
            at: &self.at,
        }
    }

    /// Returns a field, null where there is none.
    pub(crate) fn get<'a>(&'a self, name: &'a str) -> RecordValue<'a> {
        self.node().get(name)
    }

    /// Returns the first of these fields that is not null.
    pub(crate) fn first<'a>(&'a self, names: &[&'a str]) -> RecordValue<'a> {
        self.node().first(names)
    }

    /// Returns the fields not in `known`, except lists, objects and those that are written to a column of comparisons.
    pub(crate) fn rest(&self, known: &[&str]) -> Map<String, Value> {
        let columns = Kind::Comparisons.documented();
        let written = columns.iter().filter(|name| **name != RANKING);
        self.further_fields(|name| {
            name == LABEL || known.contains(&name) || written.clone().any(|own| *own == name)
        })
    }

    /// Returns the fields without a column of their own, except lists and objects.
    pub(crate) fn further_fields(&self, has_column: impl Fn(&str) -> bool) -> Map<String, Value> {
        let fields = self.value.as_object().into_iter().flatten();
        let kept = fields.filter(|(name, value)| {
            is_simple(value) && !value.is_null() && !is_row_index(name) && !has_column(name)
        });
        kept.map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    }

    /// Makes an error at the record.
    pub(crate) fn error(&self, what: impl Into<String>) -> Error {
        Error::record(self.at.clone(), what)
    }
}

/// Whether a value can be a cell of a table: no list and no object.
pub(in crate::records::import) fn is_simple(value: &Value) -> bool {
    !value.is_array() && !value.is_object()
}

impl<'a> RecordValue<'a> {
    /// Returns the bare value.
    pub(crate) fn value(self) -> &'a Value {
        self.value
    }

    /// Returns a field of an object, null where there is none.
    pub(crate) fn get(self, name: &'a str) -> RecordValue<'a> {
        let value = self.value.get(name).unwrap_or(&Value::Null);
        RecordValue {
            value,
            name,
            at: self.at,
        }
    }

    /// Returns the first of these fields that is not null.
    pub(crate) fn first(self, names: &[&'a str]) -> RecordValue<'a> {
        let mut fields = names.iter().map(|name| self.get(name));
        let found = fields.find(|field| !field.is_null());
        found.unwrap_or_else(|| self.get(names.first().copied().unwrap_or_default()))
    }

    /// Reads the first of these fields that is a text or name and not empty.
    pub(crate) fn first_filled(self, names: &[&'a str]) -> Result<Option<String>> {
        let mut fields = names.iter().map(|name| self.get(name).filled());
        fields.find_map(Result::transpose).transpose()
    }

    /// Returns an element of a list, null where there is none.
    pub(crate) fn nth(self, index: usize) -> RecordValue<'a> {
        let value = self.value.get(index).unwrap_or(&Value::Null);
        RecordValue { value, ..self }
    }

    /// Returns the elements of a list; none of anything else.
    pub(crate) fn items(
        self,
    ) -> impl DoubleEndedIterator<Item = RecordValue<'a>> + ExactSizeIterator {
        let list = self.value.as_array().map_or(&[][..], Vec::as_slice);
        list.iter().map(move |value| RecordValue { value, ..self })
    }

    /// Returns the fields of an object, in file order; none of anything else.
    pub(crate) fn fields(self) -> impl Iterator<Item = (&'a str, RecordValue<'a>)> {
        let fields = self.value.as_object().into_iter().flatten();
        fields.map(move |(name, value)| {
            let node = RecordValue {
                value,
                name,
                at: self.at,
            };
            (name.as_str(), node)
        })
    }

    /// Whether the value is null.
    pub(crate) fn is_null(self) -> bool {
        self.value.is_null()
    }

    /// Whether the value is a list.
    pub(crate) fn is_list(self) -> bool {
        self.value.is_array()
    }

    /// Reads a text or name; numbers and truth values are read as such, null is `None`.
    pub(crate) fn text(self) -> Result<Option<String>> {
        if self.is_null() {
            return Ok(None);
        }
        let text = plain(self.value);
        text.map(Some).ok_or_else(|| match self.value {
            Value::Number(_) => self.wrong("a text").with_hint(INEXACT),
            _ => self.wrong("a text or a number"),
        })
    }

    /// Reads a text or name that must be there and not empty.
    ///
    /// # Errors
    /// If there is none, or it is a list or an object.
    pub(crate) fn name(self) -> Result<String> {
        match self.text()?.filter(|text| !text.is_empty()) {
            Some(name) => Ok(name),
            None if self.is_null() => Err(self.error(format!("no `{}`", self.name))),
            None => Err(self.wrong("a name")),
        }
    }

    /// Reads a text or name; an empty one is `None`.
    pub(crate) fn filled(self) -> Result<Option<String>> {
        Ok(self.text()?.filter(|text| !text.is_empty()))
    }

    /// Reads a list of texts without its nulls, or one text.
    pub(crate) fn texts(self) -> Result<Vec<String>> {
        match self.is_list() {
            true => self
                .items()
                .filter_map(|text| text.text().transpose())
                .collect(),
            false => Ok(self.text()?.into_iter().collect()),
        }
    }

    /// Reads a finite number; truth values are 1 and 0, texts that are numbers are read, null and an empty text are
    /// `None`.
    ///
    /// # Errors
    /// If it is anything else.
    pub(crate) fn number(self) -> Result<Option<f64>> {
        if self.is_null()
            || self
                .value
                .as_str()
                .is_some_and(|text| text.trim().is_empty())
        {
            return Ok(None);
        }
        match self.measure() {
            Some(number) => Ok(Some(number)),
            None => Err(self.wrong("a finite number")),
        }
    }

    /// Reads a number that cannot be negative, such as seconds and money.
    ///
    /// # Errors
    /// If it is anything else.
    pub(crate) fn amount(self) -> Result<Option<f64>> {
        match self.number()? {
            Some(number) if number < 0.0 => Err(self.wrong("a number not below 0")),
            amount => Ok(amount),
        }
    }

    /// Returns the number that the value is or spells, if any.
    pub(crate) fn measure(self) -> Option<f64> {
        match self.value {
            Value::Bool(flag) => Some(f64::from(u8::from(*flag))),
            Value::Number(number) => number.as_f64(),
            Value::String(text) => decimal(text),
            _ => None,
        }
    }

    /// Returns a score: a number, or true or false, also where a text spells it.
    pub(crate) fn score(self) -> Option<f64> {
        let word = self.value.as_str().unwrap_or_default().trim();
        match word {
            _ if word.eq_ignore_ascii_case("true") => Some(1.0),
            _ if word.eq_ignore_ascii_case("false") => Some(0.0),
            _ => self.measure(),
        }
    }

    /// Whether nothing is said: null, or a text that stands for a missing value.
    pub(crate) fn is_missing(self) -> bool {
        self.is_null() || self.value.as_str().is_some_and(is_missing)
    }

    /// Reads a rating of a table: a [score](Self::score), `None` where it is missing.
    ///
    /// # Errors
    /// If it is anything else, or its decimals may be marked otherwise than those of `earlier` ones.
    pub(crate) fn rating(self, earlier: &mut DecimalMarks) -> Result<Option<f64>> {
        let Some(score) = self.score() else {
            return match self.is_missing() {
                true => Ok(None),
                false => Err(self.no_rating()),
            };
        };
        if let Some(text) = self.value.as_str() {
            earlier.note(text, || self.at.clone());
            earlier.check(self.name)?;
        }
        Ok(Some(score))
    }

    fn no_rating(self) -> Error {
        let hint = match self.is_ambiguous() {
            true => AMBIGUOUS_COMMA.into(),
            false => message!(
                "correct it, or leave it empty; {} names the columns that are ratings",
                Message::except_in_python(Flag("criteria").to_string(), "`criteria=`".to_string())
            ),
        };
        self.wrong("a finite number").with_hint(hint)
    }

    /// Whether a text is a number with one comma, which is of decimals or of thousands.
    pub(crate) fn is_ambiguous(self) -> bool {
        let text = self.value.as_str().unwrap_or_default();
        decimal(text).is_none() && decimal(&text.replacen(',', ".", 1)).is_some()
    }

    /// Returns the object or list that a text spells as JSON; `None` where it spells none.
    pub(crate) fn spelled(self) -> Option<ImportRecord> {
        let text = self.value.as_str()?.trim();
        let is_begun = text.starts_with(['{', '[']);
        let value = is_begun.then(|| lenient(text.as_bytes()).ok())??.value;
        let at = self.at.clone();
        Some(ImportRecord { value, at })
    }

    /// Whether the value is true.
    pub(crate) fn is_true(self) -> bool {
        matches!(self.value, Value::Bool(true))
            || self
                .value
                .as_str()
                .is_some_and(|text| text.eq_ignore_ascii_case("true"))
    }

    /// Makes an error at the record.
    pub(crate) fn error(self, what: impl Into<String>) -> Error {
        Error::record(self.at.clone(), what)
    }

    /// Makes the error for an unexpected value.
    pub(crate) fn wrong(self, expected: &str) -> Error {
        // A cell of a type that no table has is an object that says so.
        let fields = self.value.as_object().into_iter().flatten();
        let unread = fields.filter(|(what, value)| what.starts_with("of type ") && value.is_null());
        let found = match unread.map(|(what, _)| what).next() {
            Some(what) => what.clone(),
            None => shortened(&self.value.to_string()),
        };
        self.error(format!("`{}` is {found}, expected {expected}", self.name))
    }
}

/// Returns a value as a name or text: whole numbers without `.0`. `None` for lists, objects and null, and for numbers
/// so large that two of them could read the same.
pub(in crate::records::import) fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Number(number) => match number.as_f64().filter(|_| number.is_f64()) {
            Some(float) => (float.abs() < EXACT).then(|| (float + 0.0).to_string()),
            None => Some(number.to_string()),
        },
        _ => None,
    }
}

/// Longest piece of a value that a message quotes, in characters.
const SHOWN: usize = 60;

/// Returns the beginning of a text for a message.
pub(in crate::records::import) fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

/// Returns the place of the highest likelihood, the first of equals; `None` where one is no number, or there are none.
pub(in crate::records::import) fn likeliest<'a>(
    likelihoods: impl Iterator<Item = RecordValue<'a>>,
) -> Option<usize> {
    let mut best: Option<(usize, f64)> = None;
    for (k, likelihood) in likelihoods.enumerate() {
        let likelihood = likelihood.measure()?;
        if best.is_none_or(|(_, highest)| likelihood > highest) {
            best = Some((k, likelihood));
        }
    }
    best.map(|(k, _)| k)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn record(value: Value) -> ImportRecord {
        ImportRecord {
            value,
            at: Location::line("x.jsonl", 3),
        }
    }

    #[test]
    fn numbers_are_names_without_surprises() {
        let record = record(json!({"a": 12, "b": 12.0, "c": "x", "d": null, "e": [1]}));
        let name = |field| record.get(field).name().map_err(|error| error.to_string());
        assert_eq!(name("a").unwrap(), "12");
        assert_eq!(name("b").unwrap(), "12");
        assert_eq!(name("c").unwrap(), "x");
        assert_eq!(name("d").unwrap_err(), "x.jsonl:3: no `d`");
        let message = name("e").unwrap_err();
        assert_eq!(
            message,
            "x.jsonl:3: `e` is [1], expected a text or a number"
        );
    }
}
