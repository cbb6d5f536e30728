//! A selection as a file: a row an output.

use super::query::ViewQuery;
use super::{ROWS_IN_FILE, ViewReply, Viewer};
use crate::inputs::source::csv;
use serde_json::{Map, Value, json};
use tiebreak_base::duel::Arm;
use tiebreak_base::error::Result;

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
        let rows = self.selected_rows(&self.parse(query)?)?;
        let (kind, body) = match form {
            SelectionForm::JsonLines => {
                let lines = rows.iter().map(|row| format!("{row}\n"));
                ("application/x-ndjson", lines.collect::<String>().into())
            }
            SelectionForm::Csv => {
                let first = rows.first().and_then(Value::as_object);
                let columns: Vec<&str> = first
                    .into_iter()
                    .flat_map(Map::keys)
                    .map(|key| &**key)
                    .collect();
                ("text/csv; charset=utf-8", csv(&columns, &rows)?)
            }
        };
        Ok(ViewReply { kind, body })
    }

    fn selected_rows(&self, query: &ViewQuery) -> Result<Vec<Value>> {
        let mut selection = self.select(query)?;
        let mut rows = Vec::new();
        for &one in selection.at(0..ROWS_IN_FILE) {
            let group = self.group(one)?;
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
                let mut set = |column: &str, value| row.insert(column.to_string(), value);
                set("item", json!(group.item));
                for slice in &self.columns.slices {
                    set(&slice.column, json!(slice.label(group.position)));
                }
                set("system", json!(self.source.system(Arm(system))));
                set("source", json!(group.source));
                set("output", json!(group.output(Arm(system))));
                for measure in &self.columns.measures {
                    set(&measure.name, json!(measure.values[output]));
                }
                rows.push(Value::Object(row));
            }
        }
        Ok(rows)
    }
}
