//! A name with parameters, as people write it in flags and pipelines.

use crate::error::Result;
use crate::registry::Params;
use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;

/// A named thing with parameters: `"chrf"`, `"chrf:word-order=2"` or `{ name = "chrf", word-order = 2 }`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ParameterizedName {
    /// The name, as in a registry.
    pub name: String,
    /// Its parameters.
    pub params: Params,
}

impl ParameterizedName {
    /// A name without parameters.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_string(),
            params: Params::default(),
        }
    }

    /// Reads `NAME[:key=value,…]`.
    ///
    /// # Errors
    /// As [`Params::parse`].
    pub fn parse(text: &str) -> Result<Self> {
        let (name, params) = Params::parse(text)?;
        Ok(Self { name, params })
    }

    /// Reads a list such as `chrf,bleu:tokenize=none,lowercase=true`: a part with `=` but no name of
    /// its own belongs to the name before it.
    ///
    /// # Errors
    /// As [`Params::parse`].
    pub fn parse_list(text: &str) -> Result<Vec<Self>> {
        let mut names: Vec<String> = Vec::new();
        for part in text.split(',') {
            match names.last_mut() {
                Some(last) if part.contains('=') && !part.contains(':') => {
                    last.push(if last.contains(':') { ',' } else { ':' });
                    last.push_str(part);
                }
                _ => names.push(part.to_string()),
            }
        }
        names.iter().map(|name| Self::parse(name)).collect()
    }

    /// The name in tables: as written, but only the last part of a path, since results hold no paths.
    pub fn label(&self) -> String {
        let mut params = self.params.clone();
        for (_, value) in &mut params.0 {
            if let toml::Value::String(text) = value
                && let Some(name) = text.rsplit(['/', '\\']).find(|part| !part.is_empty())
            {
                *text = name.to_string();
            }
        }
        let name = self.name.clone();
        Self { name, params }.to_string()
    }

    /// The name for files and folders: only characters that every file system takes.
    pub fn slug(&self) -> String {
        self.label()
            .replace([':', ',', '/', '\\', ' '], "_")
            .replace('=', "-")
    }
}

impl fmt::Display for ParameterizedName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if self.params.is_empty() {
            Ok(())
        } else {
            write!(f, ":{}", self.params)
        }
    }
}

/// Several names, which text may separate by commas: `chrf,bleu:tokenize=none`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ParameterizedNameList(pub Vec<ParameterizedName>);

impl<'de> Deserialize<'de> for ParameterizedNameList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match toml::Value::deserialize(deserializer)? {
            toml::Value::String(text) => ParameterizedName::parse_list(&text)
                .map_err(|error| D::Error::custom(error.with_its_hint())),
            one => ParameterizedName::deserialize(one)
                .map(|one| vec![one])
                .map_err(D::Error::custom),
        }
        .map(Self)
    }
}

impl Serialize for ParameterizedNameList {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let names: Vec<String> = self.0.iter().map(ParameterizedName::to_string).collect();
        serializer.collect_str(&names.join(","))
    }
}

impl<'de> Deserialize<'de> for ParameterizedName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match toml::Value::deserialize(deserializer)? {
            toml::Value::String(text) => {
                Self::parse(&text).map_err(|error| D::Error::custom(error.with_its_hint()))
            }
            toml::Value::Table(mut table) => match table.remove("name") {
                Some(toml::Value::String(name)) => Ok(Self {
                    name,
                    params: Params(table),
                }),
                _ => Err(D::Error::custom(
                    "a table here needs a `name`, such as { name = \"rmed\" }",
                )),
            },
            other => Err(D::Error::custom(format!(
                "found {}, expected a name such as \"chrf\" or \"chrf:word-order=2\"",
                other.type_str()
            ))),
        }
    }
}

impl Serialize for ParameterizedName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_holds_no_path() {
        let named =
            ParameterizedName::parse("bertscore:model=/data/models/minilm/,idf=true").unwrap();
        assert_eq!(named.label(), "bertscore:model=minilm,idf=true");
        assert_eq!(named.slug(), "bertscore_model-minilm_idf-true");
    }

    #[test]
    fn a_list_keeps_parameters_with_their_names() {
        let list = ParameterizedName::parse_list("chrf,bleu:tokenize=none,lowercase=true,rouge-l")
            .unwrap();
        let list: Vec<String> = list.iter().map(ToString::to_string).collect();
        assert_eq!(
            list,
            ["chrf", "bleu:tokenize=none,lowercase=true", "rouge-l"]
        );
    }
}
