//! What Python gives: keys as JSON, tables as Arrow or JSON lines, or paths.

use crate::errors::raise;
use crate::table::{Table, read};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use serde_json::{Map, Value};
use std::path::PathBuf;
use tempfile::TempDir;
use tiebreak::keys::Keys;
use tiebreak::records::{InputTable, Kind};
use tiebreak::{Error, Result};

/// The keys of a stage from their JSON: names as flags have them.
///
/// # Errors
/// For a key that the stage does not have, or a value that cannot be.
pub(crate) fn keys_of<K: Keys>(json: &str) -> Result<K> {
    let given: Map<String, Value> = serde_json::from_str(json).map_err(Error::failed)?;
    let known = K::names();
    if let Some(key) = given.keys().find(|key| !known.contains(key)) {
        let argument = |key: &str| key.replace('-', "_");
        let known: Vec<String> = known.iter().map(|key| argument(key)).collect();
        let error = Error::usage(format!("unknown key `{}`", argument(key)));
        let near = tiebreak::error::nearest(key, known.iter().map(String::as_str));
        return Err(error.with_hint(match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("keys are {}", known.join(", ")),
        }));
    }
    // One by one, so that a wrong value is told with its key.
    for (key, value) in &given {
        let alone = Map::from_iter([(key.clone(), value.clone())]);
        serde_json::from_value::<K>(alone.into())
            .map_err(|error| Error::key(key, error.to_string()))?;
    }
    let keys: K = serde_json::from_value(given.into()).map_err(Error::failed)?;
    keys.check()?;
    Ok(keys)
}

/// A table of a data set as Python has it: its name, and JSON lines or something that speaks Arrow.
///
/// # Errors
/// A name that no table has; `TypeError` for what is no table.
pub(crate) fn held(name: &str, given: &Bound<'_, PyAny>) -> PyResult<(Kind, InputTable)> {
    let kind = Kind::ALL.into_iter().find(|kind| kind.name() == name);
    let kind = kind.ok_or_else(|| {
        let names = Kind::ALL.map(Kind::name).join(", ");
        PyTypeError::new_err(format!("no table is called {name:?}: there are {names}"))
    })?;
    Ok((kind, in_memory(given)?))
}

/// A table in memory. One that Arrow cannot hold is given by rows where it has such, so that errors name the row.
pub(crate) fn in_memory(given: &Bound<'_, PyAny>) -> PyResult<InputTable> {
    if let Ok(lines) = given.extract::<String>() {
        return Ok(InputTable::Lines(lines));
    }
    match read(given) {
        Ok((schema, batches)) => Ok(InputTable::Batches(schema, batches)),
        Err(error) => {
            let tables = given.py().import("tiebreak._table")?;
            let lines = tables.call_method1("mixed_lines", (given,))?;
            let lines: Option<String> = lines.extract()?;
            lines.map(InputTable::Lines).ok_or(error)
        }
    }
}

/// Tables beside the data, by the keys that name them: files, or things in memory that lie in files meanwhile.
pub(crate) struct Beside {
    _folder: TempDir,
    paths: Vec<(String, PathBuf)>,
}

impl Beside {
    /// # Errors
    /// `TypeError` for what is neither a path nor a table; if it cannot be written.
    pub(crate) fn new(tables: &[(String, Bound<'_, PyAny>)]) -> PyResult<Self> {
        let folder = TempDir::new()?;
        let mut paths = Vec::new();
        for (key, given) in tables {
            // A judge is called by its file where no row names it.
            let stem = if key == "verdicts" {
                "judge"
            } else {
                key.as_str()
            };
            let mut path = folder.path().join(format!("{stem}.arrow"));
            let written = if let Ok(table) = given.cast::<Table>() {
                table.get().write_to(&path)
            } else {
                let table = in_memory(given)?;
                path.set_extension(table.extension());
                table.write(&path)
            };
            written.map_err(raise(given.py()))?;
            paths.push((key.clone(), path));
        }
        Ok(Self {
            _folder: folder,
            paths,
        })
    }

    /// The keys of a stage from their JSON, with these tables.
    ///
    /// # Errors
    /// As [`keys_of`].
    pub(crate) fn keys<K: Keys>(&self, json: &str) -> Result<K> {
        let mut keys: Map<String, Value> = serde_json::from_str(json).map_err(Error::failed)?;
        let paths = self.paths.iter();
        keys.extend(paths.map(|(key, path)| (key.clone(), path.to_string_lossy().into())));
        keys_of(&Value::from(keys).to_string())
    }

    /// A text in which files that only lie here meanwhile have the names of their keys.
    pub(crate) fn named(&self, text: &str) -> String {
        let paths = self.paths.iter();
        paths.fold(text.to_string(), |text, (key, path)| {
            text.replace(&*path.to_string_lossy(), key)
        })
    }
}
