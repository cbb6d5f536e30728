//! One name or a list of them, in a file: `"a"` or `["a", "b"]`.

use serde::de::value::SeqAccessDeserializer;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;
use toml::Spanned;

/// Writes one name as itself.
#[allow(clippy::ptr_arg)] // the signature that serde calls
pub(super) fn serialize<S: Serializer>(
    names: &Vec<Spanned<String>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match names.as_slice() {
        [only] => only.serialize(serializer),
        names => names.serialize(serializer),
    }
}

/// Reads names, each with its place in the file.
pub(super) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<Spanned<String>>, D::Error> {
    let read = Spanned::<Names>::deserialize(deserializer)?;
    let span = read.span();
    Ok(match read.into_inner() {
        Names::One(name) => vec![Spanned::new(span, name)],
        Names::More(names) => names,
    })
}

enum Names {
    One(String),
    More(Vec<Spanned<String>>),
}

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OneOrMore)
    }
}

struct OneOrMore;

impl<'de> Visitor<'de> for OneOrMore {
    type Value = Names;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name or a list of names")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Names, E> {
        Ok(Names::One(name.to_string()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, names: A) -> Result<Names, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(names)).map(Names::More)
    }
}
