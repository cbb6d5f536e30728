//! One name or a list of them, in a file: `"a"` or `["a", "b"]`, each as its type is written.

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer, StrDeserializer};
use serde::de::{Deserializer, Error, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;
use std::marker::PhantomData;

/// Writes one name as itself.
///
/// # Errors
/// Those of the writer.
#[allow(clippy::ptr_arg)] // the signature that serde calls
pub fn serialize<S: Serializer, T: Serialize>(
    names: &Vec<T>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match names.as_slice() {
        [only] => only.serialize(serializer),
        names => names.serialize(serializer),
    }
}

/// Reads one name or several.
///
/// # Errors
/// Whatever is neither, and names that cannot be.
pub fn deserialize<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    deserializer.deserialize_any(OneOrMore(PhantomData))
}

struct OneOrMore<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for OneOrMore<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name or a list of names")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Vec<T>, E> {
        let name: StrDeserializer<'_, E> = name.into_deserializer();
        T::deserialize(name).map(|one| vec![one])
    }

    fn visit_map<A: MapAccess<'de>>(self, name: A) -> Result<Vec<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(name)).map(|one| vec![one])
    }

    fn visit_seq<A: SeqAccess<'de>>(self, names: A) -> Result<Vec<T>, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(names))
    }
}
