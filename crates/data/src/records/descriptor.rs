//! `dataset.toml`: the description of a data set, and the meaning of its columns.

use super::dataset::Kind;
use super::outcomes::{MEANINGS, Outcomes};
use super::reader::Row;
use std::path::Path;
use tiebreak_base::error::{Error, Location, Result, meant, text_of};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The contents of `dataset.toml`. Every key is optional.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct DatasetDescriptor {
    /// The name of the data set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The task of the systems.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The language of the outputs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The licence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub licence: Option<String>,
    /// The origin of the data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// The way the data set was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub made: Option<String>,
    /// `[columns]`: documented column name to the name in the files.
    #[serde(skip)]
    pub columns: Vec<(String, String)>,
    /// `[outcomes]`: words for outcomes.
    #[serde(skip)]
    pub outcomes: Outcomes,
    /// `[criteria.NAME]`: criterion to its lowest and highest possible judgment.
    #[serde(skip)]
    pub ranges: Vec<(String, [f64; 2])>,
    /// The place where each criterion is declared.
    #[serde(skip)]
    pub declared: Vec<(String, Location)>,
}

const KEYS: [&str; 9] = [
    "name", "task", "language", "licence", "origin", "made", "columns", "outcomes", "criteria",
];

/// The keys of a criterion.
const OF_CRITERION: [&str; 1] = ["range"];

impl DatasetDescriptor {
    /// Reads a `dataset.toml`.
    ///
    /// # Errors
    /// If it cannot be read, is not TOML, or has an unknown key or invalid value, with its line.
    pub fn read(path: &Path) -> Result<Self> {
        let text = text_of(path)?;
        let file = DescriptorFile { path, text: &text };
        let table = DeTable::parse(&text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start);
            file.error(start, error.message()).in_toml(&text, start)
        })?;
        let mut descriptor = Self::default();
        for (key, value) in table.get_ref() {
            descriptor.set(&file, key, value)?;
        }
        Ok(descriptor)
    }

    /// Returns the lowest and highest possible judgment of a criterion, where it is declared.
    pub fn range(&self, criterion: &str) -> Option<[f64; 2]> {
        let mut ranges = self.ranges.iter();
        ranges
            .find(|(name, _)| name == criterion)
            .map(|(_, range)| *range)
    }

    fn set(
        &mut self,
        file: &DescriptorFile<'_>,
        key: &TomlKey<'_>,
        value: &TomlValue<'_>,
    ) -> Result<()> {
        let field = match key.get_ref().as_ref() {
            "name" => &mut self.name,
            "task" => &mut self.task,
            "language" => &mut self.language,
            "licence" => &mut self.licence,
            "origin" => &mut self.origin,
            "made" => &mut self.made,
            "columns" => {
                self.columns = columns(file, key, value)?;
                return Ok(());
            }
            "outcomes" => {
                self.outcomes = outcomes(file, key, value)?;
                return Ok(());
            }
            "criteria" => {
                self.ranges = ranges(file, key, value)?;
                self.declared = declared(file, value);
                return Ok(());
            }
            _ => return Err(file.unknown("key", key, &KEYS)),
        };
        *field = Some(file.string(key, value)?);
        Ok(())
    }
}

type TomlKey<'a> = Spanned<std::borrow::Cow<'a, str>>;
type TomlValue<'a> = Spanned<DeValue<'a>>;

fn columns(
    file: &DescriptorFile<'_>,
    key: &TomlKey<'_>,
    value: &TomlValue<'_>,
) -> Result<Vec<(String, String)>> {
    let hint = "write [columns] on a line of its own, then lines like item = \"id\"";
    let table = file.table(key, value, hint)?;
    let known = Kind::columns();
    let pair = |(key, value): (&TomlKey<'_>, &TomlValue<'_>)| {
        if !known.contains(&key.get_ref().as_ref()) {
            return Err(file.unknown("column", key, &known));
        }
        Ok((key.get_ref().to_string(), file.string(key, value)?))
    };
    table.iter().map(pair).collect()
}

fn outcomes(
    file: &DescriptorFile<'_>,
    key: &TomlKey<'_>,
    value: &TomlValue<'_>,
) -> Result<Outcomes> {
    let hint = "write [outcomes] on a line of its own, then lines like model_a = 1, tie = 0.5 and \
                unsure = \"none\"";
    let mut words = Vec::new();
    for (word, value) in file.table(key, value, hint)? {
        let meaning = match value.get_ref() {
            DeValue::String(text) => Some(text.to_string()),
            _ => number(value).map(|number| number.to_string()),
        };
        let is_known = |meaning: &String| Outcomes::new([(String::new(), meaning)]).is_ok();
        let meaning = meaning.filter(is_known).ok_or_else(|| {
            let what = format!("outcome `{}` is not {MEANINGS}", word.get_ref());
            file.error(word.span().start, what).with_hint(hint)
        })?;
        words.push((word.get_ref().to_string(), meaning));
    }
    Outcomes::new(words)
}

/// Parses a number, with underscores or without.
fn number(value: &TomlValue<'_>) -> Option<f64> {
    match value.get_ref() {
        DeValue::Integer(number) => number.as_str().replace('_', "").parse().ok(),
        DeValue::Float(number) => number.as_str().replace('_', "").parse().ok(),
        _ => None,
    }
}

fn ranges(
    file: &DescriptorFile<'_>,
    key: &TomlKey<'_>,
    value: &TomlValue<'_>,
) -> Result<Vec<(String, [f64; 2])>> {
    let hint = "write [criteria.NAME] on a line of its own, then range = [LOWEST, HIGHEST]";
    let mut ranges = Vec::new();
    for (criterion, value) in file.table(key, value, hint)? {
        for (key, value) in file.table(criterion, value, hint)? {
            if !OF_CRITERION.contains(&key.get_ref().as_ref()) {
                return Err(file.unknown("key of a criterion", key, &OF_CRITERION));
            }
            ranges.push((criterion.get_ref().to_string(), file.range(key, value)?));
        }
    }
    Ok(ranges)
}

/// Lists the criteria of a table, each with its line.
fn declared(file: &DescriptorFile<'_>, value: &TomlValue<'_>) -> Vec<(String, Location)> {
    let tables = value.get_ref().as_table().into_iter().flatten();
    let declared = tables.map(|(criterion, _)| {
        let at = Location::offset(file.path, file.text, criterion.span().start);
        (criterion.get_ref().to_string(), at)
    });
    declared.collect()
}

/// A file being read, for errors with its line.
struct DescriptorFile<'a> {
    path: &'a Path,
    text: &'a str,
}

impl DescriptorFile<'_> {
    fn error(&self, start: usize, what: impl Into<String>) -> Error {
        Error::record(Location::offset(self.path, self.text, start), what)
    }

    fn unknown(&self, kind: &str, key: &TomlKey<'_>, known: &[&'static str]) -> Error {
        let name = key.get_ref();
        self.error(key.span().start, format!("unknown {kind} `{name}`"))
            .with_hint(meant(name, &format!("{kind}s are"), known.iter().copied()))
    }

    fn table<'a, 'b>(
        &self,
        key: &TomlKey<'_>,
        value: &'a TomlValue<'b>,
        hint: &str,
    ) -> Result<&'a DeTable<'b>> {
        match value.get_ref() {
            DeValue::Table(table) => Ok(table),
            _ => {
                let what = format!("`{}` is not a table", key.get_ref());
                Err(self.error(key.span().start, what).with_hint(hint))
            }
        }
    }

    /// Parses two finite numbers, the lower first.
    fn range(&self, key: &TomlKey<'_>, value: &TomlValue<'_>) -> Result<[f64; 2]> {
        let ends: Option<Vec<f64>> = match value.get_ref() {
            DeValue::Array(ends) => ends.iter().map(number).collect(),
            _ => None,
        };
        match ends.as_deref() {
            Some(&[low, high]) if low < high && -Row::LARGEST <= low && high <= Row::LARGEST => {
                Ok([low, high])
            }
            _ => Err(self
                .error(
                    key.span().start,
                    "`range` is not two numbers, the lower first",
                )
                .with_hint("the lowest and the highest judgment there can be: range = [1, 5]")),
        }
    }

    fn string(&self, key: &TomlKey<'_>, value: &TomlValue<'_>) -> Result<String> {
        match value.get_ref() {
            DeValue::String(text) => Ok(text.to_string()),
            _ => Err(self.error(
                key.span().start,
                format!("`{}` is not a string", key.get_ref()),
            )),
        }
    }
}
