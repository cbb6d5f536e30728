//! One wide table: a row for every item, a column for every system.

use super::aligned::check_names;
use super::frame::{DatasetBuilder, ImportOptions, ImportRecord, ImportSummary, Nulls, decimal};
use super::roles::{Roles, source_hint};
use crate::records::Kind;
use crate::records::dataset::merged;
use crate::records::outcomes::is_missing;
use crate::records::reader::{CellValue, ColumnMapping, Row, TableReader};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use tiebreak_base::error::{Audience, Error, Flag, Location, Message, Result};
use tiebreak_base::layout::path_argument;

/// The name of the format.
const FORMAT: &str = "a wide table with a column for every system";

/// The table to read, and the options.
#[derive(Debug, Clone, Default)]
pub struct WideTableOptions {
    /// The table, in any form a table may have.
    pub file: PathBuf,
    /// The systems, by name and column; if none, every column without another role is one.
    pub systems: Vec<(String, String)>,
    /// The columns of `item`, `source` and `references`, where they have other names.
    pub columns: Vec<(String, String)>,
    /// The treatment of null and empty outputs.
    pub nulls: Nulls,
}

/// Returns what reads a table with a column for each system.
pub(crate) fn wide_command(file: &Path) -> Message {
    Message::except_in_python(
        format!(
            "`tiebreak import {} {} {} COLUMN {} DIR`",
            Flag("wide"),
            path_argument(file),
            Flag("system"),
            Flag("out")
        ),
        "`tb.load(frame.melt([\"item\"], var_name=\"system\", value_name=\"output\"))`".to_string(),
    )
}

impl WideTableOptions {
    /// Makes a data set of a wide table in the folder `out`. Without an `item` column items are
    /// numbered from 1. A row that lacks the column of a system has no output of it.
    ///
    /// # Errors
    /// If the table cannot be read, the role of a column is unclear, an item has two rows, an output is not a text (or
    /// null, where that is a mistake), or `out` holds something else.
    pub fn import(&self, out: &Path) -> Result<ImportSummary> {
        check_renamed(&self.columns)?;
        let rows = TableReader::open(&self.file, &ColumnMapping::default())?;
        let (references, others): (Vec<_>, Vec<_>) = self
            .columns
            .iter()
            .cloned()
            .partition(|(name, _)| name == "references");
        let references: Vec<String> = references.into_iter().map(|(_, column)| column).collect();
        let columns = merged(&[], &others)?;
        let columns = (&columns, &references[..]);
        let roles = Roles::from_columns(&self.file, rows.columns(), columns, &self.systems)?;
        check_names(roles.systems.iter().map(|(name, _)| name.as_str()))?;
        let known_columns = rows.columns().to_vec();
        let options = ImportOptions {
            nulls: self.nulls,
            ..ImportOptions::default()
        };
        let mut builder = DatasetBuilder::create(out, &options, FORMAT)?;
        roles
            .taken()
            .into_iter()
            .for_each(|line| builder.taken(line));
        if roles.source.is_none() {
            let hint = source_hint(roles.further.iter().map(String::as_str));
            if let Some(hint) = hint {
                builder.note(hint.shown_to(Audience::Terminal));
            }
        }
        let guessed = self.systems.is_empty();
        let mut reading = WideTableImport {
            numbers: vec![ColumnValueKinds::default(); roles.systems.len()],
            roles,
            guessed,
            rows: 0,
            items: HashMap::new(),
        };
        for row in rows {
            let row = row?;
            if guessed {
                check_columns(&row, &known_columns)?;
            }
            reading.row(&row, &mut builder)?;
        }
        if reading.rows == 0 {
            return Err(Error::input(&self.file, "a table without rows"));
        }
        if guessed {
            reading.check_numbers(&self.file)?;
        }
        builder.finish(&self.file)
    }
}

fn check_renamed(columns: &[(String, String)]) -> Result<()> {
    let known = ["item", "source", "references"];
    match columns
        .iter()
        .find(|(name, _)| !known.contains(&name.as_str()))
    {
        None => Ok(()),
        Some((name, _)) => Err(Error::UnknownName {
            kind: "column",
            name: name.clone(),
            hint: Some("a wide table has item, source and references".into()),
        }),
    }
}

/// The progress of a table's import.
struct WideTableImport {
    roles: Roles,
    /// Whether the systems are all columns without another role.
    guessed: bool,
    rows: u64,
    /// The place of each item.
    items: HashMap<String, Location>,
    /// The kinds of values in each column of a system.
    numbers: Vec<ColumnValueKinds>,
}

/// Whether a column holds numbers, and whether it holds anything else.
#[derive(Debug, Clone, Copy, Default)]
struct ColumnValueKinds {
    some: bool,
    others: bool,
}

impl WideTableImport {
    /// Adds an item and its outputs.
    fn row(&mut self, row: &Row, builder: &mut DatasetBuilder<'_>) -> Result<()> {
        self.rows += 1;
        let roles = &self.roles;
        let item = match &roles.item {
            None => self.rows.to_string(),
            Some(column) => match row.text(column)? {
                item if item.is_empty() => {
                    return Err(row.error(format!("`{column}` is empty, expected a name")));
                }
                item => item,
            },
        };
        if let Some(first) = self.items.insert(item.clone(), row.at()) {
            return Err(row
                .error(format!("item `{item}` is already at {first}"))
                .with_hint(
                    "a wide table has one row per item: give each text an item of its own",
                ));
        }
        let source = match &roles.source {
            None => None,
            Some(column) => row.optional_text(column)?,
        };
        let mut references = Vec::new();
        for column in &roles.references {
            references.extend(row.optional_texts(column)?.unwrap_or_default());
        }
        let at = ImportRecord::from_row(row.clone());
        let more = at.further_fields(|name| {
            roles.further.iter().all(|further| further != name)
                || Kind::Items.documented().contains(&name)
        });
        builder.item_with(&item, source.as_deref(), &references, Some(&more))?;
        for ((system, column), numbers) in roles.systems.iter().zip(&mut self.numbers) {
            let output = match row.cell(column) {
                None => {
                    builder.drop("a row without the column of a system");
                    continue;
                }
                Some(CellValue::Null) => None,
                Some(cell) if self.guessed && !matches!(cell, CellValue::Text(_)) => {
                    let what =
                        format!("column `{column}` is {cell}, expected the text of a system");
                    return Err(row.error(what).with_hint(name_systems()));
                }
                Some(_) => Some(row.text(column)?),
            };
            if let Some(text) = output.as_deref().filter(|text| !text.is_empty()) {
                let number = decimal(text).is_some();
                numbers.some |= number;
                numbers.others |= !number && !is_missing(text);
            }
            builder.output(&item, system, output.as_deref(), at.node())?;
        }
        Ok(())
    }

    /// Refuses columns of numbers, which are more likely ratings, lengths or prices than systems.
    fn check_numbers(&self, file: &Path) -> Result<()> {
        let systems = self.roles.systems.iter().zip(&self.numbers);
        let only = systems.filter(|(_, numbers)| numbers.some && !numbers.others);
        let names: Vec<&str> = only.map(|((_, column), _)| column.as_str()).collect();
        if names.is_empty() {
            return Ok(());
        }
        let what = format!(
            "columns of numbers: {}; are they ratings or texts of systems?",
            names.join(", ")
        );
        Err(Error::input(file, what).with_hint(format!(
            "if they are ratings, give each row its `system` and leave {} out: tiebreak import {} {} {} {} DIR. If they \
             are texts of systems, name all systems: {} COLUMN",
            Flag("wide"),
            file.display(),
            Flag("criteria"),
            names.join(","),
            Flag("out"),
            Flag("system")
        )))
    }
}

/// The hint where a column may be no system.
fn name_systems() -> String {
    format!(
        "name the columns that are systems: {} COLUMN",
        Flag("system")
    )
}

/// Refuses a new column in a later row where the systems are all columns without another role: it would be a
/// system that was overlooked.
fn check_columns(row: &Row, known: &[String]) -> Result<()> {
    match row.columns().iter().find(|name| !known.contains(name)) {
        None => Ok(()),
        Some(name) => Err(row
            .error(format!("column `{name}` is not in the first row"))
            .with_hint(name_systems())),
    }
}
