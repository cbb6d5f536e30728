//! JSON as servers write it, which is not always JSON.

use serde_json::Value;

/// Parses a reply. Numbers that JSON does not have (`NaN`, `-Infinity`, `1e999`), which some servers write for
/// log-probabilities, become null, so that one of them makes one answer unreadable and not the endpoint.
pub(super) fn parse(text: &[u8]) -> serde_json::Result<Value> {
    serde_json::from_slice(text)
        .or_else(|error| serde_json::from_slice(&finite(text)).map_err(|_| error))
}

/// Returns the text with null in place of every number, outside strings, that is not finite.
fn finite(text: &[u8]) -> Vec<u8> {
    let in_number = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    let mut fixed = Vec::with_capacity(text.len());
    let (mut quoted, mut rest) = (false, text);
    while let [first, ..] = rest {
        let mut length = 1;
        if quoted && *first == b'\\' {
            length = rest.len().min(2);
        } else if *first == b'"' {
            quoted = !quoted;
        } else if !quoted {
            length = rest.iter().take_while(in_number).count().max(1);
        }
        let (piece, after) = rest.split_at(length);
        let number = str::from_utf8(piece).ok().filter(|_| !quoted);
        let number = number.and_then(|piece| piece.parse::<f64>().ok());
        let lost = number.is_some_and(|number| !number.is_finite());
        fixed.extend_from_slice(if lost { b"null" } else { piece });
        rest = after;
    }
    fixed
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
