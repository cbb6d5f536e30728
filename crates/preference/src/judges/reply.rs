//! Replies of endpoints: JSON, which is not always JSON.
//!
//! A reply is parsed twice, and never into a tree of all that it holds: into the line that is kept, and into the few
//! values that are read.

use crate::verdicts::{Completion, UnreadableAnswer, Usage};
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess};
use serde::de::{SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;
use tiebreak_base::limits::Part;
use tiebreak_data::records::reader::with_nulls;

/// The keys that are read, wherever they stand.
const KEYS: [&str; 15] = [
    "choices",
    "message",
    "content",
    "refusal",
    "finish_reason",
    "done_reason",
    LOGPROBS,
    "top_logprobs",
    "token",
    "logprob",
    "usage",
    "prompt_tokens",
    "completion_tokens",
    "prompt_eval_count",
    "eval_count",
];

/// The key of the log-probabilities, of which those of the first token are read.
const LOGPROBS: &str = "logprobs";

/// The most values that are read of a reply: 128 choices with 20 tokens each have 9,000.
const MOST_VALUES: usize = 1 << 14;

/// A reply.
pub(super) struct Reply {
    /// The JSON that is kept, in one line.
    pub text: String,
    /// The choices in it, or why there are none.
    pub completion: Result<Completion, UnreadableAnswer>,
    /// The tokens that it says it took.
    pub usage: Option<Usage>,
}

impl Reply {
    /// Parses the body of a reply, with `cover` over every string in it.
    ///
    /// # Errors
    /// A body that is no JSON, or has more values than a completion.
    pub(super) fn parse(body: &[u8], cover: &Cover<'_>) -> serde_json::Result<Self> {
        Self::from_line(one_line(body, cover)?)
    }

    /// Parses a reply that is one line already.
    ///
    /// # Errors
    /// As [`Self::parse`].
    pub(super) fn from_line(text: String) -> serde_json::Result<Self> {
        // Numbers may take more digits than they came with.
        if Part::Reply.holds(text.len() as u64).is_err() {
            return Ok(Self::too_long());
        }
        let ReplyOutline(outline) = serde_json::from_str(&text)?;
        Ok(Self {
            completion: Completion::read(&outline),
            usage: Usage::read(&outline),
            text,
        })
    }

    /// The stand-in for a reply that is too long to be read: it is paid for, and no answer.
    pub(super) fn too_long() -> Self {
        Self {
            text: Value::Null.to_string(),
            completion: Err(UnreadableAnswer::TooLong),
            usage: None,
        }
    }
}

/// The function that covers a secret in a text.
pub(super) type Cover<'a> = dyn Fn(&str) -> Cow<'_, str> + 'a;

/// Leaves a text as it is.
pub(super) fn uncovered(text: &str) -> Cow<'_, str> {
    Cow::Borrowed(text)
}

/// Returns the body of a reply as JSON in one line, with `cover` over every string in it.
///
/// # Errors
/// A body that is no JSON.
pub(super) fn one_line(body: &[u8], cover: &Cover<'_>) -> serde_json::Result<String> {
    lenient(body, |body| {
        let mut line = String::with_capacity(body.len());
        let mut json = serde_json::Deserializer::from_slice(body);
        let into = &mut line;
        JsonLineSeed { into, cover }.deserialize(&mut json)?;
        json.end().map(|()| line)
    })
}

/// Parses JSON in which numbers that JSON does not have (`NaN`, `-Infinity`, `1e999`) are null: some servers write them
/// for log-probabilities, and one of them makes one answer unreadable and not the endpoint.
///
/// # Errors
/// Those of `parse` about what is broken otherwise.
pub(super) fn lenient<T>(
    text: &[u8],
    parse: impl Fn(&[u8]) -> serde_json::Result<T>,
) -> serde_json::Result<T> {
    let is_lost = |word: &str| word.parse().is_ok_and(|number: f64| !number.is_finite());
    parse(text).or_else(|error| parse(&with_nulls(text, is_lost)).map_err(|_| error))
}

/// JSON of any form, in one line.
pub(super) struct JsonLine(pub String);

impl<'de> Deserialize<'de> for JsonLine {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        let mut line = String::new();
        let into = &mut line;
        let cover = &uncovered;
        JsonLineSeed { into, cover }.deserialize(json)?;
        Ok(Self(line))
    }
}

/// Writes a value on a line, without holding more of it than a string.
struct JsonLineSeed<'a> {
    into: &'a mut String,
    cover: &'a Cover<'a>,
}

impl JsonLineSeed<'_> {
    fn push<E: Error>(self, scalar: impl Into<Value>) -> Result<(), E> {
        self.into.push_str(&scalar.into().to_string());
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
        self.push(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        self.push(value)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<(), E> {
        self.push(number)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<(), E> {
        self.push(number)
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<(), E> {
        self.push(number)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        let covered = (self.cover)(text).into_owned();
        self.push(covered)
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

/// The values that are read of a reply: those at certain keys, of log-probabilities the first.
pub(super) struct ReplyOutline(pub Value);

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
            if !KEYS.contains(&&*key) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_that_json_does_not_have_are_null() {
        let text =
            br#"{"a": [NaN, -Infinity, 1e999, -0.5], "NaN": "\"NaN, Infinity", "b": {}, "c": []}"#;
        let line = one_line(text, &uncovered).unwrap();
        let expected = r#"{"a":[null,null,null,-0.5],"NaN":"\"NaN, Infinity","b":{},"c":[]}"#;
        assert_eq!(line, expected);
        for bad in ["<html>", "{\"a\": nothing}", "\"\\", "", "[1", "1 2"] {
            assert!(one_line(bad.as_bytes(), &uncovered).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_is_kept_is_all_in_one_line_and_read_is_little() {
        let likely = |token: &str| {
            json!({"token": token, "top_logprobs": [
                {"token": "A", "logprob": -0.1, "bytes": [65]}, {"token": "B", "logprob": -2.5}
            ]})
        };
        let body = json!({"id": "é\n", "big": 1e300, "choices": [
            {"message": {"content": "A", "reasoning": "…"}, "logprobs": {"content": [likely("A"), likely(".")]}}
        ], "usage": {"prompt_tokens": 5, "completion_tokens": 2}});
        let pretty = serde_json::to_string_pretty(&body).unwrap();
        let reply = Reply::parse(pretty.as_bytes(), &uncovered).unwrap();
        assert_eq!(reply.text, body.to_string());
        assert_eq!(reply.completion, Completion::read(&body));
        assert_eq!(reply.usage, Usage::read(&body));
        let ReplyOutline(read) = serde_json::from_str(&pretty).unwrap();
        assert_eq!(
            read["choices"][0]["logprobs"]["content"]
                .as_array()
                .unwrap()
                .len(),
            1
        );
        assert_eq!(
            (&read["id"], &read["choices"][0]["message"]["reasoning"]),
            (&Value::Null, &Value::Null)
        );
        let ollama = json!({"message": {"content": "B"}, "logprobs": [likely("B"), likely(".")]});
        let reply = Reply::parse(ollama.to_string().as_bytes(), &uncovered).unwrap();
        assert_eq!(reply.completion, Completion::read(&ollama));
    }

    #[test]
    fn a_reply_of_values_without_end_is_refused_before_it_is_held() {
        let choices = |count: usize| {
            let choices = vec![r#"{"message":{}}"#; count].join(",");
            Reply::parse(
                format!("{{\"choices\":[{choices}]}}").as_bytes(),
                &uncovered,
            )
        };
        assert_eq!(choices(128).unwrap().completion.unwrap().choices.len(), 128);
        let error = choices(MOST_VALUES).err().unwrap();
        assert!(error.to_string().contains("more values"), "{error}");
        let ignored = format!(
            "{{\"message\":{{}},\"more\":[{}0]}}",
            "0,".repeat(MOST_VALUES)
        );
        assert!(
            Reply::parse(ignored.as_bytes(), &uncovered)
                .unwrap()
                .completion
                .is_ok()
        );
    }
}
