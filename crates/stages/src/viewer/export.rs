//! A selection as a file: a row an output.

use super::query::ViewQuery;
use super::{ROWS_IN_FILE, ViewReply, Viewer};
use serde_json::{Map, Value, json};
use tiebreak_base::duel::Arm;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::layout::as_cell;

/// The form of a saved selection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SelectionForm {
    /// JSON, an object a line.
    JsonLines,
    /// Comma-separated values.
    Csv,
}

impl Viewer {
    /// The outputs of a selection, those of the chosen systems if any are, with all their numbers: 100,000 rows at most.
    ///
    /// # Errors
    /// As [`list`](Self::list).
    pub fn save(&self, query: &str, form: SelectionForm) -> Result<ViewReply> {
        let query = self.parse(query)?;
        let rows = self.selected_rows(&query)?;
        Ok(match form {
            SelectionForm::JsonLines => {
                let lines = rows
                    .into_iter()
                    .map(|row| Value::Object(row).to_string() + "\n");
                ViewReply {
                    kind: "application/x-ndjson",
                    body: lines.collect::<String>().into_bytes(),
                }
            }
            SelectionForm::Csv => {
                let mut writer = csv::Writer::from_writer(Vec::new());
                let header = rows.first().map(|row| {
                    row.keys()
                        .map(|key| as_cell(key).into_owned())
                        .collect::<Vec<_>>()
                });
                writer
                    .write_record(header.unwrap_or_default())
                    .map_err(Error::failed)?;
                for row in &rows {
                    let cells = row.values().map(|value| match value {
                        Value::Null => String::new(),
                        Value::String(text) => as_cell(text).into_owned(),
                        other => other.to_string(),
                    });
                    writer.write_record(cells).map_err(Error::failed)?;
                }
                ViewReply {
                    kind: "text/csv; charset=utf-8",
                    body: writer.into_inner().map_err(Error::failed)?,
                }
            }
        })
    }

    fn selected_rows(&self, query: &ViewQuery) -> Result<Vec<Map<String, Value>>> {
        let mut selection = self.select(query)?;
        let mut rows = Vec::new();
        let all = selection.len();
        for one in selection.at(0..all.min(ROWS_IN_FILE)) {
            let group = self.group(u64::from(one.item))?;
            for output in self.columns.range(group.position) {
                let system = self.columns.systems[output];
                let chosen = [query.system, query.against];
                if query.system.is_some() && !chosen.contains(&Some(system)) {
                    continue;
                }
                if rows.len() == ROWS_IN_FILE {
                    return Ok(rows);
                }
                let mut row = Map::new();
                row.insert("item".into(), json!(group.item));
                for slice in &self.columns.slices {
                    let label = slice.of_items[one.item as usize] as usize;
                    row.insert(slice.column.clone(), json!(slice.values.names.get(label)));
                }
                row.insert("system".into(), json!(self.source.system(Arm(system))));
                row.insert("source".into(), json!(group.source));
                row.insert("output".into(), json!(group.output(Arm(system))));
                for measure in &self.columns.measures {
                    row.insert(measure.name.clone(), json!(measure.values[output]));
                }
                rows.push(row);
            }
        }
        Ok(rows)
    }
}
