//! The mapping of documented column names to the columns of a file.

use crate::records::Kind;
use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use tiebreak_base::error::{Audience, Error, Flag, Message, Result};
use tiebreak_base::layout::argument;
use tiebreak_base::limits::{Part, advice};
use tiebreak_base::message;

/// Most columns listed in a message.
const TOLD: usize = 50;

/// A renaming of columns: documented name to the name in the file (`item=segment_id`). The default is that of tables
/// whose columns have the documented names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ColumnMapping {
    renamed: BTreeMap<String, String>,
    /// Whether hints may suggest a renaming by `--column`.
    renames: bool,
    /// The documented names that are read, where only some are.
    only: Option<&'static [&'static str]>,
}

impl ColumnMapping {
    /// Makes a mapping of `(documented name, name in the file)`; a later pair replaces an
    /// earlier one.
    pub fn new(pairs: impl IntoIterator<Item = (String, String)>) -> Self {
        Self {
            renamed: pairs.into_iter().collect(),
            renames: true,
            only: None,
        }
    }

    /// Restricts reading to some of the documented names, in formats that can read single columns.
    pub(in crate::records) fn only(&self, names: &'static [&'static str]) -> Self {
        Self {
            only: Some(names),
            ..self.clone()
        }
    }

    /// Returns the name in the file of a documented column.
    pub fn in_file<'a>(&'a self, name: &'a str) -> &'a str {
        self.renamed.get(name).map_or(name, String::as_str)
    }

    /// Returns all renamings, by documented name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.renamed
            .iter()
            .map(|(name, in_file)| (name.as_str(), in_file.as_str()))
    }

    /// Returns a name in the files that stands for two documented ones, and these two.
    pub(in crate::records) fn mapped_twice(&self) -> Option<(&str, &str, &str)> {
        let mut pairs = self.iter().enumerate();
        pairs.find_map(|(i, (name, in_file))| {
            let mut later = self.iter().skip(i + 1);
            let again = later.find(|(_, other)| *other == in_file);
            again.map(|(other, _)| (in_file, name, other))
        })
    }

    /// Returns the renaming as it applies to a table with these columns: one renaming serves every table
    /// of a data set, so a table that lacks the new name and has the documented one keeps it.
    fn fitted_to(&self, names: &[String]) -> Self {
        let has = |wanted: &str| names.iter().any(|name| name == wanted);
        let applies = |(name, in_file): &(&str, &str)| has(in_file) || !has(name);
        let pairs = self.iter().filter(applies);
        Self {
            only: self.only,
            renames: self.renames,
            ..Self::new(pairs.map(|(name, in_file)| (name.to_string(), in_file.to_string())))
        }
    }
}

/// Whether a column is the index of a data frame, which pandas writes without a name, or with one of its own.
pub(in crate::records) fn is_row_index(name: &str) -> bool {
    name.is_empty() || name.starts_with("Unnamed: ") || name.starts_with("__index_level_")
}

/// The form of a table on disk, as far as it decides the meaning of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TableForm {
    /// Typed cells, located by line; a row may lack columns.
    Json,
    /// Untyped cells, located by line.
    Delimited,
    /// Typed cells, located by row.
    Columnar,
}

/// The properties that the rows of a table share.
#[derive(Debug)]
pub(super) struct TableHeader {
    pub path: PathBuf,
    pub form: TableForm,
    pub names: Vec<String>,
    columns: Arc<ColumnMapping>,
}

impl TableHeader {
    /// Makes the header of a table's first row; fixes how the renaming applies to the table.
    pub(super) fn first(
        path: PathBuf,
        form: TableForm,
        names: Vec<String>,
        columns: &ColumnMapping,
    ) -> Self {
        let columns = Arc::new(columns.fitted_to(&names));
        Self {
            path,
            form,
            names,
            columns,
        }
    }

    /// Makes the header of a later row with other columns.
    pub(super) fn with_names(&self, names: Vec<String>) -> Self {
        Self {
            path: self.path.clone(),
            form: self.form,
            names,
            columns: Arc::clone(&self.columns),
        }
    }

    /// Returns the position of a documented column.
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        let wanted = self.columns.in_file(name);
        self.names.iter().position(|name| name == wanted)
    }

    /// Returns the positions of the columns that may be read.
    pub(super) fn asked(&self) -> Vec<usize> {
        let all = 0..self.names.len();
        match self.columns.only {
            None => all.collect(),
            Some(only) => {
                let in_file = only.iter().map(|name| self.columns.in_file(name));
                let asked: HashSet<&str> = in_file.collect();
                all.filter(|&i| asked.contains(&*self.names[i])).collect()
            }
        }
    }

    /// Returns the reason why a documented column is missing, and a hint.
    pub(super) fn missing(&self, name: &str) -> (String, Message) {
        let in_file = self.columns.in_file(name);
        let meant = if in_file == name {
            format!("no column `{name}`")
        } else {
            format!("no column `{in_file}` (for `{name}`)")
        };
        (
            format!("{meant}; columns are {}", self.name_list()),
            match self.columns.renames {
                true => message!("map it with {}", self.otherwise_spelled(name)),
                false => {
                    format!("the column that holds it must be called `{name}` in this table").into()
                }
            },
        )
    }

    /// Lists the renamings of columns that are there in capitals, or the one of `name`.
    fn otherwise_spelled(&self, name: &str) -> Message {
        let meant = |name: &'static str| {
            let mut names = self.names.iter();
            let found = names.find(|found| found.to_lowercase() == name && **found != *name);
            found.map(|found| renamed(name, found))
        };
        let known: Vec<Message> = Kind::columns().into_iter().filter_map(meant).collect();
        match known.is_empty() {
            true => renamed(name, "NAME"),
            false => Message::each(|audience| {
                let each: Vec<&str> = known.iter().map(|one| one.shown_to(audience)).collect();
                each.join(" ")
            }),
        }
    }

    /// Lists the first of the names.
    fn name_list(&self) -> String {
        let mut names = self.names.iter().take(TOLD).map(String::as_str);
        let more = self.names.len().saturating_sub(TOLD);
        let rest = format!("and {more} more");
        let names: Vec<&str> = names.by_ref().chain((more > 0).then_some(&*rest)).collect();
        names.join(", ")
    }

    /// Checks that each name occurs once, and that names are not too many. `error` makes an error at the header.
    ///
    /// # Errors
    /// The first violation.
    pub(super) fn check(&self, error: impl Fn(String) -> Error) -> Result<()> {
        let count = self.names.len();
        Part::Columns
            .holds(count as u64)
            .map_err(|excess| error(format!("{count} columns: {excess}")).with_hint(advice()))?;
        let mut known = HashSet::with_capacity(count);
        let Some(name) = self.names.iter().find(|name| !known.insert(name.as_str())) else {
            return Ok(());
        };
        let places = (1..).zip(&self.names).filter(|(_, other)| *other == name);
        let places: Vec<String> = places.map(|(place, _)| place.to_string()).collect();
        let twice = error(format!("column `{name}` appears twice"));
        Err(twice.with_hint(format!(
            "columns {} are called so: delete all but one, or give them names of their own, such as `{name} 2`",
            places.join(" and ")
        )))
    }
}

/// What says that a column has another name: a flag, a key of a pipeline, or an argument of `load`.
pub fn renamed(column: &str, name: &str) -> Message {
    Message::each(|audience| match audience {
        Audience::Terminal => {
            format!(
                "{} {}",
                Flag("column"),
                argument(&format!("{column}={name}"))
            )
        }
        Audience::File => format!("`columns.{column} = {name:?}`"),
        Audience::Python => format!("`columns={{{column:?}: {name:?}}}`"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(names: &[&str]) -> TableHeader {
        let columns = ColumnMapping::new([("item".to_string(), "segment".to_string())]);
        let names = names.iter().map(ToString::to_string).collect();
        TableHeader::first(PathBuf::from("x"), TableForm::Json, names, &columns)
    }

    #[test]
    fn a_renaming_wins_over_the_documented_name() {
        assert_eq!(header(&["item", "segment"]).position("item"), Some(1));
    }

    #[test]
    fn a_table_without_the_new_name_keeps_the_documented_one() {
        let first = header(&["system", "item"]);
        assert_eq!(first.position("item"), Some(1));
        let later = first.with_names(vec!["segment".to_string()]);
        assert_eq!(later.position("item"), None);
    }

    #[test]
    fn a_column_absent_from_the_first_row_is_still_the_renamed_one() {
        let later = header(&["system"]).with_names(vec!["item".into(), "segment".into()]);
        assert_eq!(later.position("item"), Some(1));
    }
}
