//! One wide table: a row for every item, a column for every system.

use super::aligned::check_names;
use super::frame::{Dropped, Imported, ItemRow, OutputRow, Writer};
use super::roles::Roles;
use crate::error::{Error, Result};
use crate::records::reader::{Cell, Columns, Row, Rows};
use std::path::{Path, PathBuf};

/// What this is called.
const FORMAT: &str = "a wide table with a column for every system";

/// Which table to read, and how.
#[derive(Debug, Clone, Default)]
pub struct Wide {
    /// The table, in any form a table may have.
    pub file: PathBuf,
    /// Name and column of the systems; if none, every column that is nothing else is one.
    pub systems: Vec<(String, String)>,
    /// Which columns are `item`, `source` and `references`, where they are not called so.
    pub columns: Vec<(String, String)>,
}

/// Makes a data set of a wide table in the folder `out`. Without an `item` column items are
/// numbered from 1; a null is an output that is not there, an empty text an empty output.
///
/// # Errors
/// If the table cannot be read, it is unclear what a column is, an output is not a text, or `out`
/// holds something else.
pub fn wide(table: &Wide, out: &Path) -> Result<Imported> {
    check_renamed(&table.columns)?;
    let rows = Rows::open(&table.file, &Columns::default())?;
    let columns = Columns::new(table.columns.iter().cloned());
    let roles = Roles::find(&table.file, rows.columns(), &columns, &table.systems)?;
    check_names(roles.systems.iter().map(|(name, _)| name.as_str()))?;
    let known_columns = rows.columns().to_vec();
    let mut writer = Writer::create(out)?;
    let (mut items, mut missing) = (0, 0);
    for row in rows {
        let row = row?;
        if table.systems.is_empty() {
            check_columns(&row, &known_columns)?;
        }
        items += 1;
        missing += write_row(&row, items, &roles, table.systems.is_empty(), &mut writer)?;
    }
    if items == 0 {
        return Err(Error::input(&table.file, "a table without rows"));
    }
    writer.finish(&format!("{FORMAT}, by tiebreak import"))?;
    let dropped = (missing > 0).then(|| Dropped {
        reason: "outputs that are null".to_string(),
        count: missing,
    });
    Ok(Imported {
        format: FORMAT.to_string(),
        items,
        outputs: items * roles.systems.len() as u64 - missing,
        systems: roles.systems.iter().map(|(name, _)| name.clone()).collect(),
        source: roles.source.is_some(),
        references: roles.references.len(),
        dropped: dropped.into_iter().collect(),
        taken: roles.taken(),
        ..Imported::default()
    })
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
            hint: Some("a wide table has item, source and references".to_string()),
        }),
    }
}

/// Writes a row as an item and its outputs; returns how many outputs are missing.
fn write_row(
    row: &Row,
    number: u64,
    roles: &Roles,
    guessed: bool,
    writer: &mut Writer,
) -> Result<u64> {
    let item = match &roles.item {
        None => number.to_string(),
        Some(column) => match row.text(column)? {
            item if item.is_empty() => {
                return Err(row.error(format!("`{column}` is empty, expected a name")));
            }
            item => item,
        },
    };
    let source = match &roles.source {
        None => None,
        Some(column) => row.optional_text(column)?,
    };
    let mut references = Vec::new();
    for column in &roles.references {
        references.extend(row.optional_texts(column)?.unwrap_or_default());
    }
    writer.push(&ItemRow {
        item: &item,
        source: source.as_deref(),
        references: &references,
    })?;
    let mut missing = 0;
    for (system, column) in &roles.systems {
        match row.cell(column) {
            None | Some(Cell::Null) => missing += 1,
            Some(cell) if guessed && !matches!(cell, Cell::Text(_)) => {
                let what = format!("column `{column}` is {cell}, expected the text of a system");
                return Err(row
                    .error(what)
                    .with_hint("name the columns that are systems: --system COLUMN"));
            }
            Some(_) => writer.push(&OutputRow {
                item: &item,
                system,
                output: &row.text(column)?,
            })?,
        }
    }
    Ok(missing)
}

/// Where the systems are whatever columns there are, a column that appears later is one that was
/// overlooked.
fn check_columns(row: &Row, known: &[String]) -> Result<()> {
    match row.columns().iter().find(|name| !known.contains(name)) {
        None => Ok(()),
        Some(name) => Err(row
            .error(format!("column `{name}` is not in the first row"))
            .with_hint("name the columns that are systems: --system COLUMN")),
    }
}
