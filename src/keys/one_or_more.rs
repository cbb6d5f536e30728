//! One name or a list of them, in a file: `"a"` or `["a", "b"]`, each as its type is written.

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer, StrDeserializer};
use serde::de::{Deserializer, Error, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;
use std::marker::PhantomData;
use toml::Spanned;

/// Writes one name as itself.
#[allow(clippy::ptr_arg)] // the signature that serde calls
pub(crate) fn serialize<S: Serializer, T: Serialize>(
    names: &Vec<Spanned<T>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match names.as_slice() {
        [only] => only.serialize(serializer),
        names => names.serialize(serializer),
    }
}

/// Reads names, each with its place in the file.
pub(crate) fn deserialize<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Vec<Spanned<T>>, D::Error> {
    let read = Spanned::<Names<T>>::deserialize(deserializer)?;
    let span = read.span();
    Ok(match read.into_inner() {
        Names::One(name) => vec![Spanned::new(span, name)],
        Names::More(names) => names,
    })
}

enum Names<T> {
    One(T),
    More(Vec<Spanned<T>>),
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Names<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OneOrMore(PhantomData))
    }
}

struct OneOrMore<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for OneOrMore<T> {
    type Value = Names<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name or a list of names")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Names<T>, E> {
        let name: StrDeserializer<'_, E> = name.into_deserializer();
        T::deserialize(name).map(Names::One)
    }

    fn visit_map<A: MapAccess<'de>>(self, name: A) -> Result<Names<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(name)).map(Names::One)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, names: A) -> Result<Names<T>, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(names)).map(Names::More)
    }
}
