//! The keys that people write in flags and files. A stage's keys are one struct: its fields are the keys
//! of a TOML table, the flags of a verb, and the axes of an experiment. All of them refuse the same
//! values.

pub mod axes;
pub mod bounds;
pub mod file;
pub mod named;
pub mod one_or_more;
pub mod table;

pub use bounds::{
    BoundedInteger, Confidence, CorrelationValue, MOST_DRAWS, MOST_RESAMPLES, MinimumInteger,
    NonNegativeNumber, PositiveNumber, ScaleRange, Share,
};
pub use named::ParameterizedName;
pub use table::Table;

use crate::error::Result;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt;

/// The keys of a stage. Written with `#[serde(default, rename_all = "kebab-case")]`, so that a key that is
/// not given has the value of [`Default`].
pub trait Keys: Default + Serialize + DeserializeOwned {
    /// Checks keys that are valid each by itself, as far as possible without reading any file.
    ///
    /// # Errors
    /// [`crate::error::Error::Key`], naming the key to blame.
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// The names of all keys, those of groups among them.
    fn names() -> Vec<String> {
        match serde_json::to_value(Self::default()) {
            Ok(serde_json::Value::Object(keys)) => keys.into_iter().map(|(key, _)| key).collect(),
            _ => unreachable!("keys are a struct"),
        }
    }

    /// Returns all keys with their values, defaults included: what is needed to repeat a run.
    fn resolved(&self) -> toml::Table {
        toml::Table::try_from(self).expect("keys are written in TOML")
    }

    /// Returns the names of the keys whose value is not the default.
    fn non_default(&self) -> Vec<String> {
        let usual = Self::default().resolved();
        let mut given = self.resolved();
        given.retain(|key, value| usual.get(key) != Some(value));
        given.into_iter().map(|(key, _)| key).collect()
    }
}

/// Reads the value of a flag as that of its key is read: as a number or truth value where it can be one,
/// else as text.
///
/// # Errors
/// What was found and what was expected.
pub fn flag<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let words = || T::deserialize(toml::Value::String(text.to_string()));
    let number = || text.parse().ok().filter(|number: &f64| number.is_finite());
    // TOML does not take `.5`, which people type.
    let value = text
        .parse()
        .ok()
        .or_else(|| number().map(toml::Value::Float));
    let value = match value {
        Some(value) => T::deserialize(value).or_else(|error| words().map_err(|_| error)),
        None => words(),
    };
    value.map_err(|error| table::message(&error))
}

/// Returns the name of a variant without fields, as files and flags spell it.
pub fn name_of(variant: &impl Serialize) -> String {
    fmt::from_fn(|f| variant.serialize(f)).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_is_read_as_its_key_is() {
        assert_eq!(flag::<f64>("1"), Ok(1.0));
        assert_eq!(flag::<String>("1"), Ok("1".to_string()));
        assert_eq!(flag::<Confidence>("0.9").unwrap().value(), 0.9);
        assert_eq!(flag::<Confidence>(".9").unwrap().value(), 0.9);
        assert_eq!(flag::<String>(".9"), Ok(".9".to_string()));
        let error = flag::<Confidence>("1.5").unwrap_err();
        assert_eq!(error, "1.5, expected a number between 0 and 1");
        assert!(flag::<Confidence>("much").unwrap_err().contains("much"));
        assert_eq!(flag::<ScaleRange>("1,5").unwrap(), flag("[1, 5]").unwrap());
    }
}
