//! Cells arranged in rows and columns, with published numbers beside them.

use super::file::Grid;
use super::outcome::{CellRecord, QuantityEstimate};
use super::shown::{TableSettings, shows, spoken};
use crate::engine::names::file_name;
use crate::report::crosstab::{Crosstab, CrosstabEntry};
use crate::report::distinct;
use std::collections::BTreeMap;
use std::path::Path;
use tiebreak_base::error::{Error, Location, Result};

/// All tables of a grid.
pub(super) fn build(grid: &Grid, cells: &[CellRecord]) -> Vec<Crosstab> {
    let tables = grid.tables.iter();
    tables.flat_map(|(_, asked)| panels(asked, cells)).collect()
}

/// The table or, with panels, one for each panel that has a number.
fn panels(table: &TableSettings, cells: &[CellRecord]) -> Vec<Crosstab> {
    let shown = |cell: &&CellRecord| shows(&table.only, &cell.keys.label());
    let mut keys = table.rows.0.clone();
    keys.extend(table.columns.clone());
    let seen = cells.iter().filter(shown).flat_map(|cell| cell.seen(&keys));
    let seen: Vec<CellRecord> = seen.collect();
    let keys = &table.panels;
    if keys.is_empty() {
        return vec![arranged(table, &seen)];
    }
    let panel = |name_of_panel: String| {
        let of = |cell: &&CellRecord| cell.keys.name(keys) == name_of_panel;
        let cells: Vec<CellRecord> = seen.iter().filter(of).cloned().collect();
        Crosstab {
            name: format!("{}-{}", table.name, file_name(&name_of_panel)),
            title: format!("{}: {name_of_panel}", table.title),
            ..arranged(table, &cells)
        }
    };
    let names = distinct(seen.iter().map(|cell| cell.keys.name(keys)));
    let tables = names.into_iter().map(panel);
    tables.filter(|table| !table.entries.is_empty()).collect()
}

/// Numbers as they were published, by row and column.
pub(super) type PublishedNumbers = BTreeMap<(String, String), String>;

fn arranged(table: &TableSettings, cells: &[CellRecord]) -> Crosstab {
    let mut entries = Vec::new();
    for cell in cells {
        let row = cell.keys.name(&table.rows.0);
        for quantity in &table.value {
            let Some(&value) = cell.outcome.quantities.get(quantity) else {
                continue;
            };
            let column = match &table.columns {
                Some(key) => cell.keys.text(key).unwrap_or_default(),
                None => quantity.spoken(),
            };
            let QuantityEstimate {
                value,
                lower,
                upper,
            } = value;
            entries.push(CrosstabEntry {
                published: table.numbers.get(&(row.clone(), column.clone())).cloned(),
                row: row.clone(),
                column,
                value,
                lower,
                upper,
                unit: quantity.unit(),
            });
        }
    }
    let keys: Vec<String> = table.rows.0.iter().map(|key| spoken(key.name())).collect();
    Crosstab {
        name: table.name.clone(),
        title: table.title.clone(),
        corner: keys.join(", "),
        one_kind: table.value.len() == 1,
        baseline: table.baseline.clone(),
        drawn: table.drawn,
        entries,
    }
}

/// Reads a CSV file whose first column names rows and whose header names columns.
///
/// # Errors
/// [`Error::Input`] with the line.
pub(super) fn published(path: &Path) -> Result<PublishedNumbers> {
    let broken =
        |line: u64, error: csv::Error| Error::record(Location::line(path, line), error.to_string());
    let mut reader = csv::Reader::from_path(path).map_err(|error| broken(1, error))?;
    let columns = reader.headers().map_err(|error| broken(1, error))?.clone();
    let mut numbers = BTreeMap::new();
    for (record, line) in reader.records().zip(2..) {
        let record = record.map_err(|error| broken(line, error))?;
        for (column, text) in columns.iter().zip(&record).skip(1) {
            if !text.is_empty() {
                numbers.insert(
                    (record[0].to_string(), column.to_string()),
                    text.to_string(),
                );
            }
        }
    }
    Ok(numbers)
}
