//! The common needs of tables beside a data set: metadata, the texts they were made from, errors at their rows.

use super::Source;
use crate::engine::context::Context;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use tiebreak_base::duel::Arm;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::layout::as_cell;
use tiebreak_data::records::reader::{Row, TableReader};
use tiebreak_data::tables::Meta;

/// Rows with some columns as CSV; what a row lacks is empty.
///
/// # Errors
/// If memory is short.
pub(crate) fn csv(columns: &[&str], rows: &[Value]) -> Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let header = columns.iter().map(|column| as_cell(column).into_owned());
    writer.write_record(header).map_err(Error::failed)?;
    for row in rows {
        let cell = |column: &&str| match row.get(*column).unwrap_or(&Value::Null) {
            Value::Null => String::new(),
            Value::String(text) => as_cell(text).into_owned(),
            other => other.to_string(),
        };
        let cells = columns.iter().map(cell);
        writer.write_record(cells).map_err(Error::failed)?;
    }
    writer.into_inner().map_err(Error::failed)
}

/// An error at a row, where a lookup by name failed.
pub(crate) fn at(row: &Row, error: &Error) -> Error {
    row.error(error.message()).with_hint_of(error)
}

/// The two systems that a row is about.
///
/// # Errors
/// A system that the data set does not have, or one paired with itself.
pub(super) fn two_systems(source: &Source, row: &Row) -> Result<[Arm; 2]> {
    let arm = |column| {
        let found = source.index.system(&row.text(column)?);
        found.map_err(|error| at(row, &error))
    };
    let systems = [arm("system_a")?, arm("system_b")?];
    if systems[0] == systems[1] {
        let system = source.system(systems[0]);
        let what = format!("system `{system}` is paired with itself, expected two systems");
        return Err(row.error(what));
    }
    Ok(systems)
}

/// The metadata of a table: in its schema, or in the `.meta.json` beside a text form.
pub(crate) fn metadata(path: &Path, rows: &TableReader) -> Result<BTreeMap<String, String>> {
    let beside = Meta::of_text_table(path)?;
    Ok(beside.map_or_else(|| rows.metadata().clone(), |meta| meta.fields()))
}

/// Checks that a table was made from the texts of this data set. A table without that record, such as one made by
/// hand, is accepted with a warning.
pub(crate) fn of_these_texts(
    context: &Context<'_>,
    source: &Source,
    path: &Path,
    metadata: &BTreeMap<String, String>,
) -> Result<()> {
    match metadata.get(Meta::TEXTS) {
        Some(texts) if *texts == source.texts => Ok(()),
        Some(_) => {
            let data = source.dataset.path().display();
            let what = format!("made from files with other bytes than those of {data}");
            let hint = "make it again from these, even if the texts are the same, or give the files it was made from";
            Err(Error::input(path, what).with_hint(hint))
        }
        None if source.dataset.predictions() == Some(path) => Ok(()),
        None => {
            let path = path.display();
            let what = "does not say from which texts it was made; this is not checked";
            context.progress.warn(&format!("{path} {what}"));
            Ok(())
        }
    }
}
