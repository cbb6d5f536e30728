//! One value of a table, whatever form the table has on disk.

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use std::borrow::Cow;
use std::fmt;

/// One value of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum CellValue {
    /// A missing value.
    Null,
    /// A truth value.
    Bool(bool),
    /// A whole number; every 64-bit one, signed or not, fits.
    Integer(i128),
    /// Any other number. Binary forms may hold NaN and infinities.
    Float(f64),
    /// A string.
    Text(String),
    /// A list.
    List(Vec<CellValue>),
    /// Named values of a binary format; those of JSON are [`Other`](Self::Other).
    Object(Vec<(String, CellValue)>),
    /// Another type than any documented column has, in words: `an object`.
    Other(String),
}

/// The bound below which a double holds every whole number exactly.
pub(in crate::records) const EXACT: f64 = 9_007_199_254_740_992.0;

/// The hint for a name or text that is a larger number.
pub(in crate::records) const INEXACT: &str =
    "a number this large is not exact; write it as a string";

/// Parses a finite number as people write it: also with a decimal comma, unless the digits after it could be thousands.
pub(in crate::records) fn decimal(text: &str) -> Option<f64> {
    let text = text.trim();
    let finite = |text: &str| text.parse().ok().filter(|number: &f64| number.is_finite());
    if let Some(number) = finite(text) {
        return Some(number);
    }
    let (whole, rest) = text.split_once(',')?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let unsigned = whole.trim_start_matches(['-', '+']);
    let thousands = rest.len() == 3 && unsigned != "0";
    let commaed = digits(unsigned) && digits(rest) && !thousands;
    commaed.then(|| finite(&format!("{whole}.{rest}")))?
}

impl CellValue {
    /// Returns the value as a name or text: strings as they are, numbers in their shortest form (whole
    /// ones without `.0`), truth values as `true` and `false`. `None` for anything else, and for
    /// whole numbers so large that two of them could read the same.
    pub fn to_text(&self) -> Option<String> {
        self.as_text().map(Cow::into_owned)
    }

    /// Returns the value as a name or text, borrowed where it is text already.
    pub(in crate::records) fn as_text(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Text(text) => Some(Cow::Borrowed(text)),
            Self::Bool(flag) => Some(flag.to_string().into()),
            Self::Integer(number) => Some(number.to_string().into()),
            // Adding zero turns -0 into 0.
            Self::Float(number) if number.abs() < EXACT => Some((number + 0.0).to_string().into()),
            _ => None,
        }
    }

    /// Replaces the value by a text, reusing its buffer.
    pub(super) fn become_text(&mut self, text: &str) {
        match self {
            Self::Text(place) => {
                place.clear();
                place.push_str(text);
            }
            other => *other = Self::Text(text.to_string()),
        }
    }

    /// Replaces the value by a list; a list stays as it is, so that its elements can be reused.
    pub(super) fn become_list(&mut self) -> &mut Vec<Self> {
        if !matches!(self, Self::List(_)) {
            *self = Self::List(Vec::new());
        }
        match self {
            Self::List(list) => list,
            _ => unreachable!("it was made a list"),
        }
    }

    /// Returns the value as a number, finite or not.
    pub fn to_number(&self) -> Option<f64> {
        match self {
            Self::Integer(number) => Some(*number as f64),
            Self::Float(number) => Some(*number),
            _ => None,
        }
    }
}

/// The description of named values in messages.
const OBJECT: &str = "an object";

/// Longest piece of a text that an error message quotes, in characters.
const SHOWN: usize = 40;

impl fmt::Display for CellValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(flag) => write!(f, "{flag}"),
            Self::Integer(number) => write!(f, "{number}"),
            Self::Float(number) => write!(f, "{number}"),
            Self::Text(text) if text.chars().nth(SHOWN).is_some() => {
                let start: String = text.chars().take(SHOWN).collect();
                write!(f, "{:?}", format!("{start}…"))
            }
            Self::Text(text) => write!(f, "{text:?}"),
            Self::List(_) => f.write_str("a list"),
            Self::Object(_) => f.write_str(OBJECT),
            Self::Other(what) => f.write_str(what),
        }
    }
}

impl<'de> Deserialize<'de> for CellValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut cell = CellValue::Null;
        CellSeed(&mut cell).deserialize(deserializer)?;
        Ok(cell)
    }
}

/// Deserializes a value into a cell, reusing what it held.
pub(super) struct CellSeed<'a>(pub &'a mut CellValue);

impl<'de> DeserializeSeed<'de> for CellSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for CellSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        *self.0 = CellValue::Null;
        Ok(())
    }

    fn visit_bool<E>(self, flag: bool) -> Result<(), E> {
        *self.0 = CellValue::Bool(flag);
        Ok(())
    }

    fn visit_i64<E>(self, number: i64) -> Result<(), E> {
        *self.0 = CellValue::Integer(i128::from(number));
        Ok(())
    }

    fn visit_u64<E>(self, number: u64) -> Result<(), E> {
        *self.0 = CellValue::Integer(i128::from(number));
        Ok(())
    }

    fn visit_f64<E>(self, number: f64) -> Result<(), E> {
        *self.0 = CellValue::Float(number);
        Ok(())
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        self.0.become_text(text);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let cells = self.0.become_list();
        let mut length = 0;
        loop {
            let mut new = CellValue::Null;
            let cell = cells.get_mut(length).unwrap_or(&mut new);
            if list.next_element_seed(CellSeed(cell))?.is_none() {
                cells.truncate(length);
                return Ok(());
            }
            if length == cells.len() {
                cells.push(new);
            }
            length += 1;
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        *self.0 = CellValue::Other(OBJECT.to_string());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(json: &str) -> CellValue {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn numbers_read_as_names_without_surprises() {
        assert_eq!(cell("12").to_text().unwrap(), "12");
        assert_eq!(cell("12.0").to_text().unwrap(), "12");
        assert_eq!(cell("-0.0").to_text().unwrap(), "0");
        assert_eq!(cell("0.5").to_text().unwrap(), "0.5");
        assert_eq!(cell("true").to_text().unwrap(), "true");
        assert_eq!(
            cell("18446744073709551615").to_text().unwrap(),
            "18446744073709551615"
        );
        assert_eq!(cell("184467440737095516150").to_text(), None);
        assert_eq!(cell("null").to_text(), None);
        assert_eq!(cell(r#"{"a": [1]}"#).to_text(), None);
    }

    #[test]
    fn long_texts_are_shown_shortened() {
        assert_eq!(cell(r#""a\"b""#).to_string(), r#""a\"b""#);
        let long = CellValue::Text("é".repeat(50)).to_string();
        assert_eq!(long, format!("\"{}…\"", "é".repeat(40)));
    }

    #[test]
    fn a_decimal_comma_is_read_and_thousands_are_not() {
        assert_eq!(decimal("4,5"), Some(4.5));
        assert_eq!(decimal("-0,25"), Some(-0.25));
        assert_eq!(decimal("0,814"), Some(0.814));
        assert_eq!(decimal(" 1e3 "), Some(1000.0));
        for text in [
            "1,234", "1,2,3", "4,", ",5", "a", "", "nan", "-inf", "1e400",
        ] {
            assert_eq!(decimal(text), None, "{text}");
        }
    }
}
