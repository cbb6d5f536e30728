//! Results stored as text (JSON, TOML): each ends with the digest of all that is before it, so that no edit passes
//! for what was computed.
//!
//! In JSON the digest is the last member of an object or the last element of a list, in TOML a comment on the last
//! line, as a key would belong to the table above it.

use sha2::{Digest, Sha256};
use std::path::Path;
use tiebreak_base::error::{Error, Result};

/// The last lines of an object and of a list, before the digest.
const IN_OBJECT: &str = "\n  \"digest\": \"";
const IN_LIST: &str = "\n  {\n    \"digest\": \"";

/// The last line of a TOML file, before the digest.
const COMMENT: &str = "# digest: ";

/// The length of the part of a digest that an error shows.
const SHOWN: usize = "sha256:".len() + 12;

const HINT: &str = "delete it, and run the command again that made it";

/// The hint for a file that people may also write.
const HINT_OR_OWN: &str =
    "delete it, and run the command again that made it; to use it as it is, delete its last line";

/// Seals a document of JSON as [`super::json::text`] writes it; what is neither object nor list stays as it is.
pub fn seal_json(body: &str) -> String {
    let [(start, end), (before, after)] = match body.starts_with('{') {
        true => [("{", "}"), (IN_OBJECT, "\"\n}\n")],
        false => [("[", "]"), (IN_LIST, "\"\n  }\n]\n")],
    };
    let inside = body.trim_end().strip_prefix(start);
    let Some(inside) = inside.and_then(|inside| inside.strip_suffix(end)) else {
        return body.to_string();
    };
    let inside = inside.trim_end();
    let comma = if inside.is_empty() { "" } else { "," };
    format!("{start}{inside}{comma}{before}{}{after}", digest(body))
}

/// Seals a document of TOML.
pub fn seal_toml(body: &str) -> String {
    format!("{body}{COMMENT}{}\n", digest(body))
}

/// Returns a sealed document of JSON without its seal.
///
/// # Errors
/// If it has none, or was changed.
pub(super) fn open_json(path: &Path, text: &str) -> Result<String> {
    let (before, after, end) = match text.starts_with('{') {
        true => (IN_OBJECT, "\"\n}\n", "}\n"),
        false => (IN_LIST, "\"\n  }\n]\n", "]\n"),
    };
    let parts = text.rsplit_once(before);
    let found = parts.and_then(|(head, tail)| {
        let body = match head {
            "{" | "[" => format!("{head}{end}"),
            _ => format!("{}\n{end}", head.strip_suffix(',')?),
        };
        Some((body, tail.strip_suffix(after)?))
    });
    let (body, said) = found.ok_or_else(|| unsealed(path))?;
    require_same(path, said, &body)?;
    Ok(body)
}

/// Checks a sealed document of TOML.
///
/// # Errors
/// If it has no seal, or was changed.
pub(crate) fn check_toml(path: &Path, text: &str) -> Result<()> {
    match split_toml(text) {
        Some((body, said)) => require_same(path, said, body),
        None => Err(unsealed(path)),
    }
}

/// Checks a document of TOML that people may also write, then without a seal.
///
/// # Errors
/// If it has a seal and was changed.
pub fn check_toml_if_sealed(path: &Path, text: &str) -> Result<()> {
    let Some((body, said)) = split_toml(text) else {
        return Ok(());
    };
    require_same(path, said, body).map_err(|error| error.with_hint(HINT_OR_OWN))
}

/// Returns what a seal on the last line is of, and the digest in it.
fn split_toml(text: &str) -> Option<(&str, &str)> {
    let last = text.lines().next_back()?;
    let said = last.strip_prefix(COMMENT)?;
    let (body, _) = text.rsplit_once(last)?;
    Some((body, said))
}

fn require_same(path: &Path, said: &str, body: &str) -> Result<()> {
    let found = digest(body);
    if said == found {
        return Ok(());
    }
    let [said, found] = [said, &found].map(|all| all.get(..SHOWN).unwrap_or(all));
    let what = format!("changed since it was written: expected {said}…, found {found}…");
    Err(Error::input(path, what).with_hint(HINT))
}

fn unsealed(path: &Path) -> Error {
    let what =
        "changed since it was written: expected a digest of its contents at its end, found none";
    Error::input(path, what).with_hint(HINT)
}

fn digest(body: &str) -> String {
    format!("sha256:{:x}", Sha256::digest(body))
}

#[cfg(test)]
mod tests {
    use super::super::json;
    use super::*;
    use serde_json::{Value, json};

    /// All texts that differ from this one in a digit.
    fn edited(text: &str) -> impl Iterator<Item = String> {
        let digits = text.char_indices().filter(|(_, one)| one.is_ascii_digit());
        digits.map(|(at, one)| {
            let other = if one == '9' { "1" } else { "9" };
            format!("{}{other}{}", &text[..at], &text[at + 1..])
        })
    }

    #[test]
    fn a_document_is_what_it_was_and_no_digit_of_it_changes_unseen() {
        let path = Path::new("a.json");
        for document in [
            json!({}),
            json!([]),
            json!({"a": [1.5, {"digest": "12"}], "digest": "7"}),
            json!([{"a": 12, "b": null}, {"digest": "3"}]),
        ] {
            let body = json::text(&document).unwrap();
            let text = seal_json(&body);
            assert_eq!(open_json(path, &text).unwrap(), body);
            let read: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(read.is_array(), document.is_array(), "{text}");
            let moved = [body, text.replacen('\n', "\n\n", 1), format!("{text}\n")];
            for bad in edited(&text).chain(moved) {
                let error = open_json(path, &bad).unwrap_err();
                assert!(error.to_string().contains("changed since"), "{error}");
                assert!(error.hint().unwrap().contains("run the command again"));
                assert_eq!(error.exit_code(), 2);
            }
        }
    }

    #[test]
    fn a_toml_file_may_be_made_by_hand_only_where_people_make_it() {
        let (path, body) = (Path::new("a.toml"), "a = 0.5\n[[stage]]\nb = \"c7\"\n");
        let text = seal_toml(body);
        assert!(check_toml(path, &text).is_ok() && check_toml(path, body).is_err());
        assert!(check_toml_if_sealed(path, body).is_ok());
        let read: [toml::Table; 2] = [&text, body].map(|text| text.parse().unwrap());
        assert_eq!(read[0], read[1]);
        for bad in edited(&text) {
            assert!(check_toml(path, &bad).is_err(), "{bad}");
            assert!(check_toml_if_sealed(path, &bad).is_err(), "{bad}");
        }
    }
}
