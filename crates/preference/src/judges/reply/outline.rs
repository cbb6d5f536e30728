//! The few values that are read of a reply.

use crate::verdicts::{COMPLETION_KEYS, LOGPROBS};
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess};
use serde::de::{SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;

/// The most values that are read of a reply: 128 choices with 20 tokens each have 9,000.
pub(super) const MOST_VALUES: usize = 1 << 14;

/// The values that are read of a reply: those at certain keys, of log-probabilities the first.
pub(in crate::judges) struct ReplyOutline(pub Value);

impl<'de> Deserialize<'de> for ReplyOutline {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        let seed = ReplyOutlineSeed {
            count: &Cell::new(0),
            first_only: false,
        };
        seed.deserialize(json).map(Self)
    }
}

#[derive(Clone, Copy)]
struct ReplyOutlineSeed<'a> {
    /// The number of values so far.
    count: &'a Cell<usize>,
    /// Whether the next list is read up to its first element.
    first_only: bool,
}

impl<'de> DeserializeSeed<'de> for ReplyOutlineSeed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Value, D::Error> {
        self.count.set(self.count.get() + 1);
        match self.count.get() <= MOST_VALUES {
            true => json.deserialize_any(self),
            false => Err(D::Error::custom("more values than a completion has")),
        }
    }
}

impl<'de> Visitor<'de> for ReplyOutlineSeed<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut elements = Vec::new();
        let element = Self {
            first_only: false,
            ..self
        };
        while let Some(next) = list.next_element_seed(element)? {
            elements.push(next);
            if self.first_only {
                while list.next_element::<IgnoredAny>()?.is_some() {}
                break;
            }
        }
        Ok(Value::Array(elements))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = map.next_key::<Cow<'_, str>>()? {
            if !COMPLETION_KEYS.contains(&&*key) {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let value = map.next_value_seed(Self {
                first_only: self.first_only || key == LOGPROBS,
                ..self
            })?;
            object.insert(key.into_owned(), value);
        }
        Ok(Value::Object(object))
    }
}
