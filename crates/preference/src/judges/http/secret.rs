//! The key of an endpoint, which goes there and nowhere else.

use crate::judges::reply;
use std::borrow::Cow;
use std::cell::Cell;

/// What stands where the key stood.
const COVER: &str = "[key]";

/// The fewest bytes of a key that is hidden: `none` or `x`, which servers without keys are given, are no secret and
/// may be words of any answer.
const SHORTEST: usize = 8;

/// A key that is covered in whatever is shown or kept, since an endpoint may repeat it.
#[derive(Default)]
pub(super) struct Secret(Option<String>);

impl Secret {
    /// Makes the secret of a key.
    pub(super) fn new(key: &str) -> Self {
        Self((key.len() >= SHORTEST).then(|| key.to_string()))
    }

    /// Covers the key in a text.
    pub(super) fn cover_text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match &self.0 {
            Some(key) if text.contains(key) => Cow::Owned(text.replace(key, COVER)),
            _ => Cow::Borrowed(text),
        }
    }

    /// Covers the key in the body of a reply, however JSON escapes it there.
    pub(super) fn cover_body(&self, body: &[u8]) -> String {
        let found = Cell::new(false);
        let line = reply::one_line(body, &|text| {
            let covered = self.cover_text(text);
            found.set(found.get() || matches!(covered, Cow::Owned(_)));
            covered
        });
        match line {
            Ok(line) if found.get() => line,
            _ => self.cover_text(&String::from_utf8_lossy(body)).into_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_key_is_covered_wherever_it_stands() {
        let secret = Secret::new("sk-very/secret");
        let body = json!({"a sk-very/secret": [1, "no"], "b": {"c": ["<sk-very/secret>", "sk-very/secret"]}});
        let covered = json!({"a [key]": [1, "no"], "b": {"c": ["<[key]>", "[key]"]}}).to_string();
        assert_eq!(secret.cover_body(body.to_string().as_bytes()), covered);
        assert_eq!(secret.cover_body(b"{\"a\": 1}"), "{\"a\": 1}", "as it came");
        let escaped = secret.cover_body(br#"{"error": "sk-very\/\u0073ecret"}"#);
        assert_eq!(escaped, r#"{"error":"[key]"}"#);
        assert_eq!(secret.cover_body(b"<sk-very/secret>"), "<[key]>");
        assert_eq!(Secret::new("A").cover_text("A"), "A", "no secret");
    }
}
