//! One value of a table, whatever form the table has on disk.

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// One value of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// Nothing.
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
    List(Vec<Cell>),
    /// Named values, as binary forms hold them; of JSON it is [`Other`](Self::Other).
    Object(Vec<(String, Cell)>),
    /// Something no documented column can hold, in words: `an object`.
    Other(String),
}

/// Whole numbers up to here are told apart by a double.
const EXACT: f64 = 9_007_199_254_740_992.0;

impl Cell {
    /// The value as a name or text: strings as they are, numbers in their shortest form (whole
    /// ones without `.0`), truth values as `true` and `false`. `None` for anything else, and for
    /// whole numbers so large that two of them could read the same.
    pub fn to_text(&self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text.clone()),
            Self::Bool(flag) => Some(flag.to_string()),
            Self::Integer(number) => Some(number.to_string()),
            // Adding zero turns -0 into 0.
            Self::Float(number) if number.abs() < EXACT => Some((number + 0.0).to_string()),
            _ => None,
        }
    }

    /// The value as a number, finite or not.
    pub fn to_number(&self) -> Option<f64> {
        match self {
            Self::Integer(number) => Some(*number as f64),
            Self::Float(number) => Some(*number),
            _ => None,
        }
    }
}

/// What named values are called.
const OBJECT: &str = "an object";

/// Longest piece of a text that an error message repeats, in characters.
const SHOWN: usize = 40;

impl fmt::Display for Cell {
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

impl<'de> Deserialize<'de> for Cell {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CellVisitor)
    }
}

struct CellVisitor;

impl<'de> Visitor<'de> for CellVisitor {
    type Value = Cell;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Cell, E> {
        Ok(Cell::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Cell, E> {
        Ok(Cell::Bool(flag))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Cell, E> {
        Ok(Cell::Integer(i128::from(number)))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Cell, E> {
        Ok(Cell::Integer(i128::from(number)))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Cell, E> {
        Ok(Cell::Float(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Cell, E> {
        Ok(Cell::Text(text.to_string()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Cell, A::Error> {
        let mut cells = Vec::new();
        while let Some(cell) = list.next_element()? {
            cells.push(cell);
        }
        Ok(Cell::List(cells))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Cell, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Cell::Other(OBJECT.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(json: &str) -> Cell {
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
        let long = Cell::Text("é".repeat(50)).to_string();
        assert_eq!(long, format!("\"{}…\"", "é".repeat(40)));
    }
}
