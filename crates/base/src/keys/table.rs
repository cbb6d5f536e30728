//! A table of keys that knows where in its file each of them stands.

use super::Keys;
use crate::error::{Error, Location, Result, nearest, text_of};
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toml::de::DeTable;

/// A file of tables.
#[derive(Debug, Clone)]
pub struct Document {
    /// The keys outside of lists of tables.
    pub top: Table,
    /// The lists of tables, `[[name]]`, in the order of their first.
    pub lists: Vec<(String, Vec<Table>)>,
    /// The tables among the keys of `top`, `[name]`, with the places of their own keys.
    pub tables: BTreeMap<String, Table>,
}

/// A table of keys, with their places.
#[derive(Debug, Clone)]
pub struct Table {
    /// The keys with their values.
    pub values: toml::Table,
    file: Arc<TomlSource>,
    /// The byte where the table begins.
    start: usize,
    pub(super) places: BTreeMap<String, KeyOffsets>,
}

/// The places of a key, its value, and the entries of that.
#[derive(Debug, Clone)]
pub(super) struct KeyOffsets {
    key: usize,
    pub value: usize,
    pub items: Vec<usize>,
}

#[derive(Debug)]
struct TomlSource {
    path: PathBuf,
    text: String,
}

impl Document {
    /// Reads a file.
    ///
    /// # Errors
    /// [`Error::Input`] if it cannot be read, [`Error::Pipeline`] where it is not TOML.
    pub fn read(path: &Path) -> Result<Self> {
        let text = text_of(path)?;
        Self::parse(path, text)
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// [`Error::Pipeline`] where it is not TOML.
    pub fn parse(path: &Path, text: String) -> Result<Self> {
        let file = TomlSource {
            path: path.to_path_buf(),
            text,
        };
        let file = Arc::new(file);
        let wrong = |error: toml::de::Error| {
            let offset = error.span().map_or(0, |span| span.start);
            let at = Location::offset(path, &file.text, offset);
            Error::pipeline(at, message(&error)).in_toml(&file.text, offset)
        };
        let values: toml::Table = file.text.parse().map_err(wrong)?;
        let places = DeTable::parse(&file.text).map_err(wrong)?;
        let mut top = Table::new(&file, 0, places.get_ref(), values);
        let (mut lists, mut inner) = (Vec::new(), BTreeMap::new());
        for (key, place) in places.get_ref() {
            if let (Some(places), Some(values)) = (
                place.get_ref().as_table(),
                top.values.get(key.get_ref().as_ref()),
            ) {
                let values = values.as_table().cloned().unwrap_or_default();
                let table = Table::new(&file, place.span().start, places, values);
                inner.insert(key.get_ref().to_string(), table);
            }
            let Some(tables) = place.get_ref().as_array() else {
                continue;
            };
            if tables.is_empty() || !tables.iter().all(|one| one.get_ref().is_table()) {
                continue;
            }
            let key = key.get_ref().to_string();
            let Some(toml::Value::Array(values)) = top.values.remove(&key) else {
                continue;
            };
            let list = tables.iter().zip(values).filter_map(|(place, values)| {
                let start = place.span().start;
                let toml::Value::Table(values) = values else {
                    return None;
                };
                Some(Table::new(
                    &file,
                    start,
                    place.get_ref().as_table()?,
                    values,
                ))
            });
            lists.push((key, list.collect()));
        }
        Ok(Self {
            top,
            lists,
            tables: inner,
        })
    }
}

impl Table {
    fn new(
        file: &Arc<TomlSource>,
        start: usize,
        places: &DeTable<'_>,
        values: toml::Table,
    ) -> Self {
        let places = places.iter().map(|(key, value)| {
            let items = value.get_ref().as_array();
            let place = KeyOffsets {
                key: key.span().start,
                value: value.span().start,
                items: items.map_or_else(Vec::new, |items| {
                    items.iter().map(|item| item.span().start).collect()
                }),
            };
            (key.get_ref().to_string(), place)
        });
        Self {
            values,
            file: Arc::clone(file),
            start,
            places: places.collect(),
        }
    }

    /// The location of the table.
    pub fn location(&self) -> Location {
        Location::offset(&self.file.path, &self.file.text, self.start)
    }

    /// The location of a key's value, or else of the table.
    pub fn place_of(&self, key: &str) -> Location {
        let start = self.places.get(key).map_or(self.start, |place| place.value);
        Location::offset(&self.file.path, &self.file.text, start)
    }

    /// For `map_err`: moves an error of a key, or of keys that do not fit together, to its place. An error
    /// with a place of its own keeps it.
    pub fn at(&self) -> impl Fn(Error) -> Error + '_ {
        |error| {
            let at = match &error {
                Error::Key { key, .. } => self.place_of(key),
                Error::Usage { .. } | Error::UnknownName { .. } | Error::MissingInput { .. } => {
                    self.location()
                }
                // Such an error has a place of its own.
                _ => return error,
            };
            Error::pipeline(at, error.message()).with_hint_of(&error)
        }
    }

    /// Removes a key and reads its value.
    ///
    /// # Errors
    /// An error at its value, if it is of another type.
    pub fn take<T: DeserializeOwned>(&mut self, key: &str) -> Result<Option<T>> {
        let Some(value) = self.values.remove(key) else {
            return Ok(None);
        };
        let read = T::deserialize(value).map(Some);
        read.map_err(|error| self.wrong(key, &error))
    }

    fn wrong(&self, key: &str, error: &toml::de::Error) -> Error {
        let what = format!("{key}: {}", message(error));
        Error::pipeline(self.place_of(key), what)
    }

    /// Reads the keys of a stage and checks them together.
    ///
    /// # Errors
    /// For an unknown key, a value that cannot be, and what [`Keys::check`] finds, at its line.
    pub fn read<K: Keys>(&self) -> Result<K> {
        let known = K::names();
        for (key, value) in &self.values {
            if !known.contains(key) {
                return Err(self.unknown(key, &known));
            }
            self.alone::<K>(key, value)?;
        }
        let keys = K::deserialize(self.values.clone());
        let keys = keys.map_err(|error| Error::pipeline(self.location(), message(&error)))?;
        keys.check().map_err(self.at())?;
        Ok(keys)
    }

    /// Reads one key by itself: an error in a whole table does not name its key.
    pub(super) fn alone<K: Keys>(&self, key: &str, value: &toml::Value) -> Result<K> {
        let alone = toml::Table::from_iter([(key.to_string(), value.clone())]);
        K::deserialize(alone).map_err(|error| self.wrong(key, &error))
    }

    /// The error for a key that is not among those known.
    pub fn unknown(&self, key: &str, known: &[String]) -> Error {
        let start = self.places.get(key).map_or(self.start, |place| place.key);
        let at = Location::offset(&self.file.path, &self.file.text, start);
        let error = Error::pipeline(at, format!("unknown key `{key}`"));
        error.with_hint(match nearest(key, known.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the keys here are {}", known.join(", ")),
        })
    }
}

/// The message of the TOML reader, without its location.
pub(crate) fn message(error: &toml::de::Error) -> String {
    let text = error.message();
    let text = text.lines().next().unwrap_or_default().trim();
    let spoken = [
        ("u64", "a whole number, 0 or above"),
        ("u32", "a whole number, 0 or above"),
        ("usize", "a whole number, 0 or above"),
        ("i64", "a whole number"),
        ("f64", "a number"),
        ("a boolean", "true or false"),
        ("a sequence", "a list"),
        ("path string", "a path"),
    ];
    let known = spoken.iter().find_map(|(name, words)| {
        let start = text.strip_suffix(&format!("expected {name}"))?;
        Some(format!("{start}expected {words}"))
    });
    value_as_written(&known.unwrap_or_else(|| text.to_string()), "a table")
}

/// A message in which a value stands as it was written, not as the parser names its type; `fields` are what a list of named
/// values is called.
pub fn value_as_written(text: &str, fields: &str) -> String {
    let kinds = ["invalid type: ", "invalid value: "];
    let Some(rest) = kinds.iter().find_map(|kind| text.strip_prefix(kind)) else {
        return text.to_string();
    };
    let Some((value, expected)) = rest.rsplit_once(", expected ") else {
        return text.to_string();
    };
    let plain = match value.split_once(' ') {
        Some(("string", quoted)) => format!("`{}`", quoted.trim_matches('"')),
        Some(("integer" | "boolean", number)) => number.trim_matches('`').to_string(),
        Some(("floating", number)) => {
            let number = number.trim_start_matches("point ");
            number.trim_matches('`').to_string()
        }
        _ => match value {
            "sequence" => "a list".to_string(),
            "map" => fields.to_string(),
            other => other.to_string(),
        },
    };
    format!("{plain}, expected {expected}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::{Confidence, MinimumInteger};
    use serde::{Deserialize, Serialize};

    #[derive(Debug, Default, Serialize, Deserialize)]
    #[serde(default, rename_all = "kebab-case")]
    struct Example {
        confidence: Confidence,
        runs: MinimumInteger<1, 10>,
        #[serde(flatten)]
        group: Group,
    }

    #[derive(Debug, Default, Serialize, Deserialize)]
    #[serde(default, rename_all = "kebab-case")]
    struct Group {
        least_width: Option<f64>,
    }

    impl Keys for Example {
        fn check(&self) -> Result<()> {
            match self.group.least_width {
                Some(width) if width > 9.0 => Err(Error::key("least-width", "9 at most")),
                _ => Ok(()),
            }
        }
    }

    fn read(text: &str) -> Result<Example> {
        let document = Document::parse(Path::new("p.toml"), text.to_string())?;
        document.lists[0].1[0].read()
    }

    #[test]
    fn keys_of_groups_are_keys() {
        let example = read("[[x]]\nleast-width = 2\nruns = 3\n").unwrap();
        assert_eq!(example.group.least_width, Some(2.0));
        assert_eq!(
            (example.runs.value(), example.confidence.value()),
            (3, 0.95)
        );
        assert_eq!(
            example.resolved().to_string(),
            "confidence = 0.95\nruns = 3\nleast-width = 2.0\n"
        );
    }

    #[test]
    fn what_is_wrong_is_told_at_its_line() {
        for (text, expected) in [
            (
                "\n[[x]]\nconfidence = 1.5",
                "p.toml:3: confidence: 1.5, expected a number between 0 and 1",
            ),
            (
                "[[x]]\n\nruns = 0",
                "p.toml:3: runs: 0, expected a whole number, at least 1",
            ),
            (
                "[[x]]\nleast_width = 1",
                "p.toml:2: unknown key `least_width`",
            ),
            (
                "[[x]]\nruns = 2\nleast-width = \"a\"",
                "p.toml:3: least-width: ",
            ),
            (
                "[[x]]\nruns = 2\nleast-width = 10",
                "p.toml:3: least-width: 9",
            ),
            ("a = 1\nb =", "p.toml:2: "),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
