//! Table metadata: enough to tell whether two tables may be mixed, and to make them again.

use super::format::OutputTableFormat;
use super::{json, sealed};
use crate::records::meta_path;
use crate::records::reader::{ColumnMapping, TableReader};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use tiebreak_base::error::{Error, Result, is_there};
use tiebreak_base::limits::{Part, file_text};

/// The version of the on-disk layout; raised when a reader has to know.
pub(crate) const FORMAT_VERSION: u32 = 2;

/// The first format version in which a table holds its own digest.
const SEALED_SINCE: u32 = 2;

/// The file name of the metadata in a folder of parts.
pub(crate) const INSIDE: &str = "meta.json";

/// The parameter of a folder that holds its number of parts when complete.
pub const PARTS: &str = "parts";

/// The last key of a metadata document: the digest of everything before it.
const SEAL: &str = "seal";

/// The value of an absent setting, in messages.
const ABSENT: &str = "(not set)";

/// The origin of a table. Holds no time, host, path or thread count: the same inputs give the same meta.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meta {
    /// The kind of table: `scores`, `predictions`, …
    pub table: String,
    /// The version of the on-disk layout.
    pub format: u32,
    /// The signature of the numbers: what produced them.
    pub signature: String,
    /// The seed of all randomness in the numbers.
    pub seed: u64,
    /// The digest of the data set that they were computed from.
    pub data: String,
    /// All other inputs that can change the numbers, by name.
    pub parameters: BTreeMap<String, String>,
    /// The digest of the table's file, where the metadata lie beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}

impl Meta {
    /// The parameter that holds the digest of the texts alone, which later judgments do not change.
    pub const TEXTS: &str = "texts";

    /// Creates the metadata of a table, still without parameters.
    pub fn new(
        table: &str,
        signature: impl Into<String>,
        seed: u64,
        data: impl Into<String>,
    ) -> Self {
        Self {
            table: table.to_string(),
            format: FORMAT_VERSION,
            signature: signature.into(),
            seed,
            data: data.into(),
            parameters: BTreeMap::new(),
            digest: None,
        }
    }

    /// Adds a parameter.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl std::fmt::Display) -> Self {
        self.parameters.insert(key.to_string(), value.to_string());
        self
    }

    /// Adds some parameters.
    #[must_use]
    pub fn with_all(self, parameters: Vec<(&str, String)>) -> Self {
        let all = parameters.into_iter();
        all.fold(self, |meta, (key, value)| meta.with(key, value))
    }

    /// Returns the metadata as those of an Arrow or Parquet schema.
    pub fn to_schema(&self) -> HashMap<String, String> {
        self.fields().into_iter().collect()
    }

    /// Reads the metadata of an Arrow or Parquet schema; `None` where tiebreak did not write them.
    pub fn of_schema(schema: &BTreeMap<String, String>) -> Option<Self> {
        let mut fields = schema.clone();
        let mut take = |key: &str| fields.remove(key);
        let (table, format) = (take("table")?, take("format")?);
        let (signature, seed, data) = (take("signature")?, take("seed")?, take("data")?);
        // The digest of a file's own bytes is no parameter of what made it.
        take(sealed::KEY);
        Some(Self {
            table,
            format: format.parse().ok()?,
            signature,
            seed: seed.parse().ok()?,
            data,
            parameters: fields,
            digest: None,
        })
    }

    /// Returns the metadata as a JSON document, for `.meta.json`.
    ///
    /// # Errors
    /// Never in practice: every field is a string or an integer.
    pub fn to_json(&self) -> Result<String> {
        let mut document = serde_json::to_value(self).map_err(Error::failed)?;
        document[SEAL] = seal(&document)?.into();
        json::text(&document)
    }

    /// Whether a table of this version holds its own digest.
    pub(super) fn is_sealed(&self) -> bool {
        self.format >= SEALED_SINCE
    }

    /// Reads the metadata of a table in any form, without checking its bytes; `None` for anything else.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn of_table(path: &Path) -> Result<Option<Self>> {
        let inside = path.join(INSIDE);
        if is_there(&inside) {
            return Self::read(&inside).map(Some);
        }
        if let Some(beside) = Self::of_text_table(path)? {
            return Ok(Some(beside));
        }
        match OutputTableFormat::from_path(path)? {
            Some(OutputTableFormat::Parquet | OutputTableFormat::Arrow) => {
                let rows = TableReader::open(path, &ColumnMapping::default())?;
                Ok(Self::of_schema(rows.metadata()))
            }
            _ => Ok(None),
        }
    }

    /// Reads a `.meta.json`.
    ///
    /// # Errors
    /// If the file is missing or is not such a document.
    pub fn read(path: &Path) -> Result<Self> {
        let text = file_text(path, Part::Row).map_err(Error::reading(path))?;
        let broken = |_| {
            Error::input(
                path,
                "not the metadata of a table, or changed since they were written",
            )
            .with_hint("delete the table and make it again")
        };
        let mut document: Value = serde_json::from_str(&text).map_err(broken)?;
        let said = document.as_object_mut().and_then(|all| all.remove(SEAL));
        let meta: Self = serde_json::from_value(document.clone()).map_err(broken)?;
        let is_whole = match said {
            Some(said) => said == seal(&document)?.as_str(),
            None => !meta.is_sealed(),
        };
        if is_whole {
            return Ok(meta);
        }
        let what = "changed since it was written, so its table has no known origin";
        Err(Error::input(path, what).with_hint("delete the table and make it again"))
    }

    /// Reads the metadata beside a text table; `None` where there are none, as beside tables made by hand.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn of_text_table(table: &Path) -> Result<Option<Self>> {
        let path = meta_path(table);
        is_there(&path).then(|| Self::read(&path)).transpose()
    }

    /// Refuses to continue a table that was begun under other settings.
    ///
    /// # Errors
    /// [`Error::Changed`] with the first setting that differs, of those that people choose if there is one.
    pub fn require_same(&self, begun: &Self, path: &Path) -> Result<()> {
        let (was, now) = (begun.fields(), self.fields());
        let absent = ABSENT.to_string();
        let mut keys: Vec<&String> = was.keys().chain(now.keys()).collect();
        keys.sort_by_key(|key| follows_from_others(key)); // stable
        for key in keys {
            let (was, now) = (
                was.get(key).unwrap_or(&absent),
                now.get(key).unwrap_or(&absent),
            );
            if was != now {
                let (key, was, now) = within(key, was, now);
                return Err(Error::Changed {
                    path: path.to_path_buf(),
                    key,
                    was,
                    now,
                });
            }
        }
        Ok(())
    }

    /// Returns all settings by name, parameters among the rest.
    pub fn fields(&self) -> BTreeMap<String, String> {
        let mut fields = self.parameters.clone();
        fields.insert("table".into(), self.table.clone());
        fields.insert("format".into(), self.format.to_string());
        fields.insert("signature".into(), self.signature.clone());
        fields.insert("seed".into(), self.seed.to_string());
        fields.insert("data".into(), self.data.clone());
        fields
    }
}

/// Whether a value is never chosen: how a table is divided, which follows from the settings.
fn follows_from_others(key: &str) -> bool {
    key == PARTS || key.ends_with(" per part")
}

/// The digest of a document without its seal.
fn seal(document: &Value) -> Result<String> {
    let text = json::text(document)?;
    Ok(format!("sha256:{:x}", Sha256::digest(text)))
}

/// Returns the name and both values of the difference in a setting: in a signature, the first field that differs.
fn within(key: &str, was: &str, now: &str) -> (String, String, String) {
    let name = |text: &str| text.split('|').next().map(str::to_string);
    if name(was) == name(now) {
        let fields = |text: &str| -> Vec<(String, String)> {
            let fields = text.split('|').filter_map(|field| field.split_once(':'));
            fields
                .map(|(field, value)| (field.to_string(), value.to_string()))
                .collect()
        };
        let (was, now) = (fields(was), fields(now));
        let of = |all: &[(String, String)], field: &str| {
            let found = all.iter().find(|(name, _)| name == field);
            found.map_or_else(|| ABSENT.to_string(), |(_, value)| value.clone())
        };
        for (field, _) in was.iter().chain(&now) {
            let (was, now) = (of(&was, field), of(&now, field));
            if was != now {
                return (field.clone(), was, now);
            }
        }
    }
    (key.to_string(), was.to_string(), now.to_string())
}

/// Returns the parameter under which a table of several metrics holds the signature of one.
pub fn signature_of(metric: &str) -> String {
    format!("signature of {metric}")
}

/// Returns the digest of a file, or of a folder's parts in order.
///
/// # Errors
/// If it cannot be read.
pub fn digest(path: &Path) -> Result<String> {
    let mut hash = Sha256::new();
    for file in files(path)? {
        let mut file = File::open(&file).map_err(Error::reading(&file))?;
        io::copy(&mut file, &mut hash).map_err(Error::reading(path))?;
    }
    Ok(format!("sha256:{:x}", hash.finalize()))
}

fn files(path: &Path) -> Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let mut inside = Vec::new();
    for entry in fs::read_dir(path).map_err(Error::reading(path))? {
        inside.push(entry.map_err(Error::reading(path))?.path());
    }
    inside.sort();
    let nested: Vec<Vec<PathBuf>> = inside
        .iter()
        .map(|path| files(path))
        .collect::<Result<_>>()?;
    Ok(nested.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_setting_is_named_with_both_values() {
        let begun = Meta::new("scores", "chrf|nc:6", 42, "abc").with("items per part", 512);
        let now = Meta::new("scores", "chrf|nc:4", 42, "abc").with("items per part", 512);
        let error = now
            .require_same(&begun, Path::new("out"))
            .unwrap_err()
            .to_string();
        assert_eq!(error, "out: begun with nc = 6, now nc = 4");
        let shorter = Meta {
            signature: "chrf|nw:2|nc:6".into(),
            ..now.clone()
        };
        let error = shorter.require_same(&begun, Path::new("out")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "out: begun with nw = (not set), now nw = 2"
        );
        let other = Meta {
            signature: "bleu|tok:13a".into(),
            ..begun.clone()
        };
        let error = other.require_same(&begun, Path::new("out")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "out: begun with signature = chrf|nc:6, now signature = bleu|tok:13a"
        );
        assert!(begun.require_same(&begun.clone(), Path::new("out")).is_ok());
    }

    #[test]
    fn the_number_of_parts_is_named_only_where_nothing_else_differs() {
        let begun = |runs: u64| {
            let meta = Meta::new("trace", format!("adaptive|runs:{runs}"), 42, "abc");
            meta.with(PARTS, runs / 4).with("runs per part", 4)
        };
        let changed = |now: Meta| {
            let error = now.require_same(&begun(300), Path::new("trace"));
            let error = error.unwrap_err();
            (error.to_string(), error.hint().unwrap())
        };
        let (what, hint) = changed(begun(312));
        assert_eq!(what, "trace: begun with runs = 300, now runs = 312");
        assert!(hint.starts_with("set runs = 300 again, "), "{hint}");
        let (what, hint) = changed(begun(300).with("runs per part", 8));
        let divided = "trace: begun with runs per part = 4, now runs per part = 8";
        assert_eq!(what, divided);
        assert!(hint.starts_with("use the settings,"), "{hint}");
    }
}
