//! Looking at a data set: its items as a list, outputs side by side, all that is known of them. Searches, filters and
//! orders are answered from numbers in memory; texts are read for the items that are shown.

mod columns;
mod notes;
mod page;
mod query;
#[cfg(test)]
mod tests;
mod words;

use crate::engine::context::Context;
use crate::inputs::source::campaign::JOURNAL;
use crate::inputs::source::table::csv;
use crate::inputs::source::{PredictionTable, Source};
use crate::rendering::Rendering;
use columns::OutputColumns;
use notes::{ItemNotes, Notes};
use query::{OrderChoice, SelectedItem, Selection, ViewQuery, order_choices};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use tiebreak_base::duel::Arm;
use tiebreak_base::error::{Error, Result, is_there};
use tiebreak_data::records::index::Group;

/// Items on a page of the list.
const ITEMS_PER_PAGE: usize = 20;

/// The most items of a page that needs no server.
const STATIC_ITEMS: usize = 200;

/// The most rows of a selection that is saved.
const ROWS_IN_FILE: usize = 100_000;

/// The media type of pages.
const HTML: &str = "text/html; charset=utf-8";

/// A data set to be looked at. Many threads may read one.
pub struct Viewer {
    source: Source,
    name: String,
    columns: OutputColumns,
    choices: Vec<OrderChoice>,
    notes: Notes,
    predictions: Option<PredictionTable>,
    rendering: Rendering,
    is_campaign: bool,
}

impl Viewer {
    /// Reads a data set with tables of scores and of predictions; without the latter those that the set holds.
    ///
    /// # Errors
    /// Tables that do not fit the data set; [`Error::Interrupted`]; temporary files that cannot be written.
    pub fn open(
        context: &Context<'_>,
        source: Source,
        scores: &[PathBuf],
        predictions: Option<&Path>,
    ) -> Result<Self> {
        let path = predictions.or(source.dataset.predictions());
        let predictions = path.map(|path| PredictionTable::open(context, &source, path));
        let predictions = predictions.transpose()?;
        let notes = Notes::read(context, &source, path)?;
        let columns = OutputColumns::read(context, &source, scores, predictions.as_ref(), &notes)?;
        Ok(Self {
            name: source.dataset.name(),
            choices: order_choices(&columns),
            columns,
            notes,
            predictions,
            rendering: Rendering::guess(&source.dataset),
            is_campaign: is_there(&source.dataset.path().join(JOURNAL)),
            source,
        })
    }

    /// What a link leads to, with its media type: the list, without a name; `item`, by its name or by its place in a
    /// selection; `page.html`, which needs no server and has 200 items at most; `selection.jsonl` and `selection.csv`;
    /// nothing by another name. `query` is what stands after `?`; what a page itself runs has the nonce.
    ///
    /// # Errors
    /// A query that does not fit the data set; an item that is not there; files that cannot be read.
    pub fn reply(
        &self,
        name: &str,
        query: &str,
        nonce: &str,
    ) -> Result<Option<(&'static str, Vec<u8>)>> {
        let query = self.parse(query)?;
        Ok(Some(match name {
            "" => (HTML, self.list(&query, nonce)?.into()),
            "item" => (HTML, self.item(&query, nonce)?.into()),
            "page.html" => (HTML, self.static_page(&query)?.into()),
            "selection.jsonl" => {
                let rows = self.rows(&query)?.into_iter();
                let lines: String = rows.map(|row| row.to_string() + "\n").collect();
                ("application/x-ndjson", lines.into())
            }
            "selection.csv" => {
                let rows = self.rows(&query)?;
                let first = rows.first().and_then(Value::as_object);
                let columns = first.into_iter().flat_map(Map::keys).map(String::as_str);
                let table = csv(&columns.collect::<Vec<_>>(), &rows)?;
                ("text/csv; charset=utf-8", table)
            }
            _ => return Ok(None),
        }))
    }

    fn select(&self, query: &ViewQuery) -> Result<Selection> {
        let found = (!query.text.is_empty()).then(|| self.columns.words.slots_with(&query.text));
        Ok(query.select(self, found.transpose()?.as_deref()))
    }

    /// An item with the notes on it.
    fn group(&self, one: SelectedItem) -> Result<(Group, ItemNotes)> {
        let at = u64::from(one.item)..u64::from(one.item) + 1;
        let (group, notes) = (self.source.groups(at.clone())?, self.notes.of_items(at)?);
        let both = group.into_iter().zip(notes).next();
        both.ok_or_else(|| Error::failed("the index is shorter than it was"))
    }

    /// The selection as rows, one an output, with all its numbers.
    fn rows(&self, query: &ViewQuery) -> Result<Vec<Value>> {
        let columns = &self.columns;
        let mut rows = Vec::new();
        for &one in self.select(query)?.at(0..ROWS_IN_FILE) {
            let (group, _) = self.group(one)?;
            let is_asked = |&output: &usize| query.asks(columns.systems[output]);
            for output in columns.range(group.position).filter(is_asked) {
                let system = Arm(columns.systems[output]);
                let mut row = Map::new();
                let mut set = |column: &str, value| row.insert(column.to_string(), value);
                set("item", json!(group.item));
                for ((_, column), one) in &columns.slices {
                    let label = one.of_items.get(group.position as usize);
                    let label = label.and_then(|&label| one.values.get_index(label as usize));
                    set(column, json!(label));
                }
                set("system", json!(self.source.system(system)));
                set("source", json!(group.source));
                set("output", json!(group.output(system)));
                for measure in &columns.measures {
                    set(&measure.name, json!(measure.values[output]));
                }
                rows.push(Value::Object(row));
            }
            if rows.len() >= ROWS_IN_FILE {
                rows.truncate(ROWS_IN_FILE);
                break;
            }
        }
        Ok(rows)
    }
}
