//! A selection as a file: a row an output, with all its numbers; 100,000 rows at most.

use super::query::ViewQuery;
use super::{ROWS_IN_FILE, Viewer};
use crate::inputs::source::csv;
use serde_json::{Map, Value, json};
use tiebreak_base::duel::Arm;
use tiebreak_base::error::Result;

impl Viewer {
    pub(super) fn json_lines(&self, query: &ViewQuery) -> Result<String> {
        let rows = self.selected_rows(query)?.into_iter();
        Ok(rows.map(|row| row.to_string() + "\n").collect())
    }

    pub(super) fn csv(&self, query: &ViewQuery) -> Result<Vec<u8>> {
        let rows = self.selected_rows(query)?;
        let first = rows.first().and_then(Value::as_object);
        let columns = first.into_iter().flat_map(Map::keys);
        csv(&columns.map(String::as_str).collect::<Vec<_>>(), &rows)
    }

    fn selected_rows(&self, query: &ViewQuery) -> Result<Vec<Value>> {
        let mut selection = self.select(query)?;
        let mut rows = Vec::new();
        for &one in selection.at(0..ROWS_IN_FILE) {
            let (group, _) = self.group(one)?;
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
                    let label = slice.of_items[one.item as usize] as usize;
                    set(&slice.column, json!(slice.values.get_index(label)));
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
