//! Looking at a data set: its items as a list, outputs side by side, all that is known of them. Searches, filters and
//! orders are answered from numbers in memory; texts are read for the items that are shown.

mod columns;
mod export;
mod notes;
mod page;
mod query;
#[cfg(test)]
mod tests;
mod words;

use crate::engine::context::Context;
use crate::inputs::source::campaign::JOURNAL;
use crate::inputs::source::{PredictionTable, Source};
use crate::rendering::Rendering;
use columns::OutputColumns;
use notes::{ItemNotes, Notes};
use query::{OrderChoice, SelectedItem, Selection, ViewQuery, order_choices};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
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
    /// The last search, with the texts in which it was found.
    searched: Mutex<(String, Arc<Vec<bool>>)>,
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
            searched: Mutex::default(),
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
            "selection.jsonl" => ("application/x-ndjson", self.json_lines(&query)?.into()),
            "selection.csv" => ("text/csv; charset=utf-8", self.csv(&query)?),
            _ => return Ok(None),
        }))
    }

    fn select(&self, query: &ViewQuery) -> Result<Selection> {
        let asked = Some(&query.text).filter(|text| !text.is_empty());
        let found = asked.map(|text| self.search(text)).transpose()?;
        Ok(query.select(self, found.as_ref().map(|found| &found[..])))
    }

    /// Finds a text, or remembers where it was found.
    fn search(&self, text: &str) -> Result<Arc<Vec<bool>>> {
        let mut last = self.searched.lock().unwrap_or_else(PoisonError::into_inner);
        if last.0 != text {
            *last = (
                text.to_string(),
                Arc::new(self.columns.words.slots_with(text)?),
            );
        }
        Ok(Arc::clone(&last.1))
    }

    /// An item with the notes on it.
    fn group(&self, one: SelectedItem) -> Result<(Group, ItemNotes)> {
        let at = u64::from(one.item)..u64::from(one.item) + 1;
        let (group, notes) = (
            self.source.index.groups(at.clone()).next(),
            self.notes.of_items(at)?,
        );
        let short = || Error::failed("the index is shorter than it was");
        let (group, notes) = group.zip(notes.into_iter().next()).ok_or_else(short)?;
        Ok((group?, notes))
    }
}
