//! One record of a file of another tool, with its place, and the values in it.
//!
//! Fields are asked by name. What is missing and what is null are the same; what is of another type than was
//! asked for is a mistake, told with the field and the place.

use crate::records::Kind;
use crate::records::reader::{EXACT, INEXACT};
use serde_json::{Map, Value};
use tiebreak_base::error::{Error, Location, Result};

/// What comparisons are imported with besides the columns that mean something.
const LABEL: &str = "label";

/// A record.
#[derive(Debug, Clone)]
pub(in crate::records::import) struct ImportRecord {
    /// What it holds.
    pub value: Value,
    /// Where it begins.
    pub at: Location,
}

/// A value of a record, under the name by which it was asked.
#[derive(Debug, Clone, Copy)]
pub(in crate::records::import) struct RecordValue<'a> {
    value: &'a Value,
    name: &'a str,
    at: &'a Location,
}

impl ImportRecord {
    /// The record as a whole.
    pub(crate) fn node(&self) -> RecordValue<'_> {
        RecordValue {
            value: &self.value,
            name: "record",
            at: &self.at,
        }
    }

    /// A field, null where there is none.
    pub(crate) fn get<'a>(&'a self, name: &'a str) -> RecordValue<'a> {
        self.node().get(name)
    }

    /// The first of these fields that is not null.
    pub(crate) fn first<'a>(&'a self, names: &[&'a str]) -> RecordValue<'a> {
        self.node().first(names)
    }

    /// The fields that nobody asked for, but for lists, objects and what a table has columns for.
    pub(crate) fn rest(&self, known: &[&str]) -> Map<String, Value> {
        let fields = self.value.as_object().into_iter().flatten();
        let kept = fields.filter(|(name, value)| {
            let simple = !value.is_null() && !value.is_array() && !value.is_object();
            let name = name.as_str();
            let written = name == LABEL || Kind::Comparisons.documented().contains(&name);
            simple && !written && !known.contains(&name)
        });
        kept.map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    }

    /// An error at the record.
    pub(crate) fn error(&self, what: impl Into<String>) -> Error {
        Error::record(self.at.clone(), what)
    }
}

impl<'a> RecordValue<'a> {
    /// The value itself.
    pub(crate) fn value(self) -> &'a Value {
        self.value
    }

    /// A field of an object, null where there is none.
    pub(crate) fn get(self, name: &'a str) -> RecordValue<'a> {
        let value = self.value.get(name).unwrap_or(&Value::Null);
        RecordValue {
            value,
            name,
            at: self.at,
        }
    }

    /// The first of these fields that is not null.
    pub(crate) fn first(self, names: &[&'a str]) -> RecordValue<'a> {
        let mut fields = names.iter().map(|name| self.get(name));
        let found = fields.find(|field| !field.is_null());
        found.unwrap_or_else(|| self.get(names.first().copied().unwrap_or_default()))
    }

    /// An element of a list, null where there is none.
    pub(crate) fn nth(self, index: usize) -> RecordValue<'a> {
        let value = self.value.get(index).unwrap_or(&Value::Null);
        RecordValue { value, ..self }
    }

    /// The elements of a list; none of anything else.
    pub(crate) fn items(
        self,
    ) -> impl DoubleEndedIterator<Item = RecordValue<'a>> + ExactSizeIterator {
        let list = self.value.as_array().map_or(&[][..], Vec::as_slice);
        list.iter().map(move |value| RecordValue { value, ..self })
    }

    /// The fields of an object, in file order; none of anything else.
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

    /// Whether there is nothing.
    pub(crate) fn is_null(self) -> bool {
        self.value.is_null()
    }

    /// Whether it is a list.
    pub(crate) fn is_list(self) -> bool {
        self.value.is_array()
    }

    /// A text or name; numbers and truth values are read as such, null is none.
    ///
    /// # Errors
    /// If it is a list or an object.
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

    /// The same where there must be one that is not empty.
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

    /// The same where an empty one is none.
    ///
    /// # Errors
    /// If it is a list or an object.
    pub(crate) fn filled(self) -> Result<Option<String>> {
        Ok(self.text()?.filter(|text| !text.is_empty()))
    }

    /// A list of texts without its nulls, or one text.
    ///
    /// # Errors
    /// If anything in it is a list or an object.
    pub(crate) fn texts(self) -> Result<Vec<String>> {
        match self.is_list() {
            true => self
                .items()
                .filter_map(|text| text.text().transpose())
                .collect(),
            false => Ok(self.text()?.into_iter().collect()),
        }
    }

    /// A finite number; truth values are 1 and 0, texts that are numbers are read, null and an empty text are
    /// none.
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

    /// The same of what cannot be negative, such as seconds and money.
    ///
    /// # Errors
    /// If it is anything else.
    pub(crate) fn amount(self) -> Result<Option<f64>> {
        match self.number()? {
            Some(number) if number < 0.0 => Err(self.wrong("a number not below 0")),
            amount => Ok(amount),
        }
    }

    /// The number it is or spells, if it is one.
    pub(crate) fn measure(self) -> Option<f64> {
        match self.value {
            Value::Bool(flag) => Some(f64::from(u8::from(*flag))),
            Value::Number(number) => number.as_f64(),
            Value::String(text) => decimal(text),
            _ => None,
        }
    }

    /// Whether it is true.
    pub(crate) fn is_true(self) -> bool {
        matches!(self.value, Value::Bool(true))
            || self
                .value
                .as_str()
                .is_some_and(|text| text.eq_ignore_ascii_case("true"))
    }

    /// An error at the record.
    pub(crate) fn error(self, what: impl Into<String>) -> Error {
        Error::record(self.at.clone(), what)
    }

    /// That it should be something else.
    pub(crate) fn wrong(self, expected: &str) -> Error {
        let found = shortened(&self.value.to_string());
        self.error(format!("`{}` is {found}, expected {expected}", self.name))
    }
}

/// A value as a name or text: whole numbers without `.0`. None for lists, objects and null, and for numbers so large
/// that two of them could read the same.
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

/// A finite number as people write it: also with a decimal comma, unless what follows could be thousands.
pub(in crate::records::import) fn decimal(text: &str) -> Option<f64> {
    let text = text.trim();
    let finite = |text: &str| text.parse().ok().filter(|number: &f64| number.is_finite());
    if let Some(number) = finite(text) {
        return Some(number);
    }
    let (whole, rest) = text.split_once(',')?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let thousands = rest.len() == 3;
    let commaed = digits(whole.trim_start_matches(['-', '+'])) && digits(rest) && !thousands;
    commaed.then(|| finite(&format!("{whole}.{rest}")))?
}

/// Longest piece of a value that a message repeats, in characters.
const SHOWN: usize = 60;

fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
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

    #[test]
    fn a_decimal_comma_is_read_and_thousands_are_not() {
        assert_eq!(decimal("4,5"), Some(4.5));
        assert_eq!(decimal("-0,25"), Some(-0.25));
        assert_eq!(decimal(" 1e3 "), Some(1000.0));
        for text in [
            "1,234", "1,2,3", "4,", ",5", "a", "", "nan", "-inf", "1e400",
        ] {
            assert_eq!(decimal(text), None, "{text}");
        }
    }
}
