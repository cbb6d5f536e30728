//! JSON as servers write it, which is not always JSON.

use serde_json::Value;
use tiebreak_data::records::reader::with_nulls;

/// Parses a reply. Numbers that JSON does not have (`NaN`, `-Infinity`, `1e999`), which some servers write for
/// log-probabilities, become null, so that one of them makes one answer unreadable and not the endpoint.
pub(super) fn parse(text: &[u8]) -> serde_json::Result<Value> {
    let is_lost = |word: &str| word.parse().is_ok_and(|number: f64| !number.is_finite());
    serde_json::from_slice(text)
        .or_else(|error| serde_json::from_slice(&with_nulls(text, is_lost)).map_err(|_| error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_that_json_does_not_have_are_null() {
        let text = br#"{"a": [NaN, -Infinity, 1e999, -0.5], "NaN": "\"NaN, Infinity"}"#;
        let parsed = parse(text).unwrap();
        assert_eq!(parsed["a"], json!([null, null, null, -0.5]));
        assert_eq!(parsed["NaN"], "\"NaN, Infinity");
        for bad in ["<html>", "{\"a\": nothing}", "\"\\", ""] {
            assert!(parse(bad.as_bytes()).is_err(), "{bad}");
        }
    }
}
