//! Replies of endpoints: JSON, which is not always JSON.
//!
//! A reply is parsed twice, and never into a tree of all that it holds: into the line that is kept, and into the few
//! values that are read.

mod json_line;
mod outline;

pub(super) use json_line::JsonLine;
pub(super) use outline::ReplyOutline;

use crate::verdicts::{Completion, UnreadableAnswer, Usage};
use json_line::JsonLineSeed;
use serde::de::DeserializeSeed;
use serde_json::Value;
use std::borrow::Cow;
use tiebreak_base::limits::Part;
use tiebreak_data::records::reader::with_nulls;

pub(super) struct JudgeReply {
    /// The JSON that is kept, in one line.
    pub text: String,
    /// The choices in it, or why there are none.
    pub completion: Result<Completion, UnreadableAnswer>,
    /// The tokens that it says it took.
    pub usage: Option<Usage>,
}

impl JudgeReply {
    /// Parses the body of a reply, with `cover` over every string in it.
    ///
    /// # Errors
    /// A body that is no JSON.
    pub(super) fn parse(body: &[u8], cover: &SecretCover<'_>) -> serde_json::Result<Self> {
        Ok(Self::from_line(one_line(body, cover)?))
    }

    /// Parses a reply that is one line of JSON already.
    pub(super) fn from_line(text: String) -> Self {
        // Numbers may take more digits than they came with.
        if Part::Reply.holds(text.len() as u64).is_err() {
            return Self::too_long();
        }
        // The line is JSON: what fails is the number of values.
        let Ok(ReplyOutline(outline)) = serde_json::from_str(&text) else {
            return Self::too_long();
        };
        Self {
            completion: Completion::read(&outline),
            usage: Usage::read(&outline),
            text,
        }
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
pub(super) type SecretCover<'a> = dyn Fn(&str) -> Cow<'_, str> + 'a;

/// Leaves a text as it is.
pub(super) fn uncovered(text: &str) -> Cow<'_, str> {
    Cow::Borrowed(text)
}

/// Returns the body of a reply as JSON in one line, with `cover` over every string in it.
///
/// # Errors
/// A body that is no JSON.
pub(super) fn one_line(body: &[u8], cover: &SecretCover<'_>) -> serde_json::Result<String> {
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

#[cfg(test)]
mod tests {
    use super::outline::MOST_VALUES;
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
        let reply = JudgeReply::parse(pretty.as_bytes(), &uncovered).unwrap();
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
        let ollama = json!({"message": {"content": "B"}, "logprobs": [likely("B"), likely(".")],
            "done_reason": "length", "prompt_eval_count": 5, "eval_count": 1});
        let parts =
            json!([{"type": "thinking", "text": "A"}, "it is ", {"type": "text", "text": "B"}]);
        let parts = json!({"choices": [{"message": {"content": parts, "refusal": "no"}, "finish_reason": "stop"}]});
        for body in [ollama, parts] {
            let reply = JudgeReply::parse(body.to_string().as_bytes(), &uncovered).unwrap();
            assert_eq!(reply.completion, Completion::read(&body));
            assert_eq!(reply.usage, Usage::read(&body));
        }
    }

    #[test]
    fn a_reply_of_values_without_end_is_kept_as_too_long_and_not_held() {
        let choices = |count: usize| {
            let choices = vec![r#"{"message":{}}"#; count].join(",");
            JudgeReply::parse(
                format!("{{\"choices\":[{choices}]}}").as_bytes(),
                &uncovered,
            )
        };
        assert_eq!(choices(128).unwrap().completion.unwrap().choices.len(), 128);
        let endless = choices(MOST_VALUES).unwrap();
        assert_eq!(endless.completion, Err(UnreadableAnswer::TooLong));
        assert_eq!(endless.text, "null");
        let ignored = format!(
            "{{\"message\":{{}},\"more\":[{}0]}}",
            "0,".repeat(MOST_VALUES)
        );
        assert!(
            JudgeReply::parse(ignored.as_bytes(), &uncovered)
                .unwrap()
                .completion
                .is_ok()
        );
    }
}
