//! Which column of a file is meant by a name of the documented tables.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::limits::{Part, advice};

/// Most columns that a message names.
const TOLD: usize = 50;

/// A renaming of columns: documented name to the name in the file (`item=segment_id`). The default is that of tables
/// whose columns have the documented names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ColumnMapping {
    renamed: BTreeMap<String, String>,
    /// Whether whoever reads the table may be told of a renaming.
    renames: bool,
    /// The documented names that are asked for, where it is known that no others are.
    only: Option<&'static [&'static str]>,
}

impl ColumnMapping {
    /// The renaming made of `(documented name, name in the file)`; a later pair replaces an
    /// earlier one.
    pub fn new(pairs: impl IntoIterator<Item = (String, String)>) -> Self {
        Self {
            renamed: pairs.into_iter().collect(),
            renames: true,
            only: None,
        }
    }

    /// The same for who asks for some of the documented names only: forms that can read these alone do.
    pub(in crate::records) fn only(&self, names: &'static [&'static str]) -> Self {
        Self {
            only: Some(names),
            ..self.clone()
        }
    }

    /// The name in the file of a documented column.
    pub fn in_file<'a>(&'a self, name: &'a str) -> &'a str {
        self.renamed.get(name).map_or(name, String::as_str)
    }

    /// All renamings, by documented name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.renamed
            .iter()
            .map(|(name, in_file)| (name.as_str(), in_file.as_str()))
    }

    /// A name in the files that stands for two documented ones, and those.
    pub(in crate::records) fn mapped_twice(&self) -> Option<(&str, &str, &str)> {
        let mut pairs = self.iter().enumerate();
        pairs.find_map(|(i, (name, in_file))| {
            let mut later = self.iter().skip(i + 1);
            let again = later.find(|(_, other)| *other == in_file);
            again.map(|(other, _)| (in_file, name, other))
        })
    }

    /// The renaming as it applies to a table with these columns: one renaming serves every table
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

/// In what form a table lies on disk, as far as the meaning of its cells goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TableForm {
    /// Typed cells, located by line; a row may lack columns.
    Json,
    /// Untyped cells, located by line.
    Delimited,
    /// Typed cells, located by row.
    Columnar,
}

/// What the rows of a table share.
#[derive(Debug)]
pub(super) struct TableHeader {
    pub path: PathBuf,
    pub form: TableForm,
    pub names: Vec<String>,
    columns: Arc<ColumnMapping>,
}

impl TableHeader {
    /// The header of a table's first row; fixes how the renaming applies to the table.
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

    /// The header of a later row with other columns.
    pub(super) fn with_names(&self, names: Vec<String>) -> Self {
        Self {
            path: self.path.clone(),
            form: self.form,
            names,
            columns: Arc::clone(&self.columns),
        }
    }

    /// Where a documented column stands.
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        let wanted = self.columns.in_file(name);
        self.names.iter().position(|name| name == wanted)
    }

    /// Where the columns stand that may be asked for.
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

    /// Why a documented column is not found, and what to do about it.
    pub(super) fn missing(&self, name: &str) -> (String, String) {
        let in_file = self.columns.in_file(name);
        let meant = if in_file == name {
            format!("no column `{name}`")
        } else {
            format!("no column `{in_file}` (for `{name}`)")
        };
        (
            format!("{meant}; columns are {}", self.name_list()),
            match self.columns.renames {
                true => format!("map it with --column {name}=NAME"),
                false => format!("the column that holds it must be called `{name}` in this table"),
            },
        )
    }

    /// The first of the names.
    fn name_list(&self) -> String {
        let mut names = self.names.iter().take(TOLD).map(String::as_str);
        let more = self.names.len().saturating_sub(TOLD);
        let rest = format!("and {more} more");
        let names: Vec<&str> = names.by_ref().chain((more > 0).then_some(&*rest)).collect();
        names.join(", ")
    }

    /// Whether each name stands once, and there are not too many. `error` makes an error at the header's place.
    ///
    /// # Errors
    /// Says what is wrong.
    pub(super) fn check(&self, error: impl Fn(String) -> Error) -> Result<()> {
        let count = self.names.len();
        Part::Columns
            .holds(count as u64)
            .map_err(|excess| error(format!("{count} columns: {excess}")).with_hint(advice()))?;
        let mut known = HashSet::with_capacity(count);
        match self.names.iter().find(|name| !known.insert(name.as_str())) {
            Some(name) => Err(error(format!("column `{name}` appears twice"))),
            None => Ok(()),
        }
    }
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
