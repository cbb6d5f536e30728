//! Correlations on disk: a table, and the differences between metrics beside it.

use super::Correlated;
use crate::error::{Error, Result};
use crate::tables::destination::Destination;
use crate::tables::file::{TableFile, write_atomically};
use crate::tables::schema::{CORRELATIONS, Cell, Rows, schema};

/// Writes the correlations to a file (`correlations.csv` in a folder), and the differences between
/// metrics beside it as `….differences.json`.
///
/// # Errors
/// If they cannot be written.
pub fn write(correlated: &Correlated, destination: &Destination) -> Result<()> {
    let mut rows = Rows::new(CORRELATIONS);
    for one in &correlated.found.correlations {
        rows.push(&[
            Cell::Text(&one.metric),
            Cell::Text(&one.held.human),
            Cell::Text(one.held.criterion.as_deref().unwrap_or("")),
            Cell::Text(&one.held.grouping),
            Cell::Text(&one.held.coefficient),
            Cell::Count(one.n),
            Cell::Number(one.value),
            Cell::Number(one.lower),
            Cell::Number(one.upper),
            Cell::Number(one.epsilon),
        ]);
    }
    let (path, format) = destination.file("correlations.csv");
    let mut file = TableFile::create(&path, format, &schema(CORRELATIONS), &correlated.meta)?;
    file.write(&rows.finish())?;
    file.finish()?;
    let differences = &correlated.found.differences;
    let text = serde_json::to_string_pretty(differences).map_err(Error::failed)? + "\n";
    write_atomically(&path.with_extension("differences.json"), text.as_bytes())
}
