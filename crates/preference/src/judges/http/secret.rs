//! The key of an endpoint, which goes there and nowhere else.

use crate::judges::reply;
use serde_json::Value;

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
    pub(super) fn cover_text(&self, text: &str) -> String {
        match &self.0 {
            Some(key) => text.replace(key, COVER),
            None => text.to_string(),
        }
    }

    /// Covers the key in the body of a reply, however JSON escapes it there.
    pub(super) fn cover_body(&self, body: &[u8]) -> String {
        let mut parsed = reply::parse(body).unwrap_or_default();
        match self.cover(&mut parsed) {
            true => parsed.to_string(),
            false => self.cover_text(&String::from_utf8_lossy(body)),
        }
    }

    /// Covers the key in every string, and returns whether it was anywhere.
    pub(super) fn cover(&self, value: &mut Value) -> bool {
        let Some(key) = &self.0 else { return false };
        match value {
            Value::String(text) if text.contains(key) => {
                *text = self.cover_text(text);
                true
            }
            // All of them, not the first alone.
            Value::Array(all) => all
                .iter_mut()
                .fold(false, |found, one| self.cover(one) | found),
            Value::Object(all) => {
                let named = all.keys().any(|name| name.contains(key));
                if named {
                    let fields = std::mem::take(all).into_iter();
                    *all = fields
                        .map(|(name, one)| (self.cover_text(&name), one))
                        .collect();
                }
                all.values_mut()
                    .fold(named, |found, one| self.cover(one) | found)
            }
            _ => false,
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
        let mut value = json!({"a sk-very/secret": [1, "no"], "b": {"c": ["<sk-very/secret>", "sk-very/secret"]}});
        assert!(secret.cover(&mut value));
        let covered = json!({"a [key]": [1, "no"], "b": {"c": ["<[key]>", "[key]"]}});
        assert_eq!(value, covered);
        assert!(!secret.cover(&mut value));
        let escaped = secret.cover_body(br#"{"error": "sk-very\/\u0073ecret"}"#);
        assert_eq!(escaped, r#"{"error":"[key]"}"#);
        assert_eq!(secret.cover_body(b"<sk-very/secret>"), "<[key]>");
        assert_eq!(Secret::new("A").cover_text("A"), "A", "no secret");
    }
}
