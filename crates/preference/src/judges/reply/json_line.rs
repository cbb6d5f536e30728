//! JSON that is written on a line as it is parsed, without holding more of it than a string.

use super::{SecretCover, uncovered};
use serde::Serialize;
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// JSON of any form, in one line.
pub(in crate::judges) struct JsonLine(pub String);

impl<'de> Deserialize<'de> for JsonLine {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        let mut line = String::new();
        let into = &mut line;
        let cover = &uncovered;
        JsonLineSeed { into, cover }.deserialize(json)?;
        Ok(Self(line))
    }
}

/// Writes a value on a line.
pub(super) struct JsonLineSeed<'a> {
    pub into: &'a mut String,
    pub cover: &'a SecretCover<'a>,
}

impl JsonLineSeed<'_> {
    fn push<E: Error>(self, scalar: &impl Serialize) -> Result<(), E> {
        *self.into += &serde_json::to_string(scalar).map_err(E::custom)?;
        Ok(())
    }

    /// The seed of a value inside.
    fn inner(&mut self) -> JsonLineSeed<'_> {
        let (into, cover) = (&mut *self.into, self.cover);
        JsonLineSeed { into, cover }
    }
}

impl<'de> DeserializeSeed<'de> for JsonLineSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for JsonLineSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.push(&())
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        self.push(&value)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<(), E> {
        self.push(&number)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<(), E> {
        self.push(&number)
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<(), E> {
        self.push(&number)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        let covered = (self.cover)(text);
        self.push(&covered)
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<(), A::Error> {
        self.into.push('[');
        let start = self.into.len();
        while list.next_element_seed(self.inner())?.is_some() {
            self.into.push(',');
        }
        self.into.truncate(self.into.len().max(start + 1) - 1);
        self.into.push(']');
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        self.into.push('{');
        let start = self.into.len();
        while map.next_key_seed(self.inner())?.is_some() {
            self.into.push(':');
            map.next_value_seed(self.inner())?;
            self.into.push(',');
        }
        self.into.truncate(self.into.len().max(start + 1) - 1);
        self.into.push('}');
        Ok(())
    }
}
