//! Looking at a data set: its items as a list, outputs side by side, all that is known of them. Searches, filters and
//! orders are answered from numbers in memory; texts are read for the items that are shown.

mod columns;
mod export;
mod lists;
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
use lists::{NumberedNames, RowLabels};
use notes::RowNotes;
use query::{OrderChoice, SelectedItem, Selection, ViewQuery, order_choices};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tiebreak_base::error::{Error, Result, is_there};
use tiebreak_data::records::Kind;
use tiebreak_data::records::index::Group;
use words::FoundWords;

/// Items on a page of the list.
const ITEMS_PER_PAGE: usize = 20;

/// The most items of a page that needs no server.
pub const STATIC_ITEMS: usize = 200;

/// The most rows of a selection that is saved.
const ROWS_IN_FILE: usize = 100_000;

/// Searches whose results are held.
const SEARCHES: usize = 4;

/// The media type of pages.
const HTML: &str = "text/html; charset=utf-8";

/// A search and the texts in which it was found.
type RecentSearch = (String, Arc<FoundWords>);

/// A data set to be looked at. Many threads may read one.
pub struct Viewer {
    source: Source,
    name: String,
    columns: OutputColumns,
    choices: Vec<OrderChoice>,
    /// Notes on comparisons, and on judgments.
    notes: [RowNotes; 2],
    predictions: Option<(PredictionTable, RowNotes)>,
    rendering: Rendering,
    is_campaign: bool,
    searches: Mutex<Vec<RecentSearch>>,
}

/// A file or page for a browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewReply {
    /// The media type.
    pub kind: &'static str,
    /// The content.
    pub body: Vec<u8>,
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
        let mut names = NumberedNames::default();
        let mut read = |kind| RowNotes::of_answers(context, &source, kind, &mut names);
        let (compared, labels) = read(Kind::Comparisons)?;
        let (judged, labels_judged) = read(Kind::Judgments)?;
        let answers = RowLabels {
            names,
            labels: [labels, labels_judged],
            notes: [compared, judged],
        };
        let path = predictions.or(source.dataset.predictions());
        let predictions = path.map(|path| -> Result<_> {
            let table = PredictionTable::open(context, &source, path)?;
            Ok((table, RowNotes::of_predictions(context, path)?))
        });
        let predictions = predictions.transpose()?;
        let table = predictions.as_ref().map(|(table, _)| table);
        let (columns, notes) = OutputColumns::read(context, &source, scores, table, answers)?;
        Ok(Self {
            name: source.dataset.name(),
            choices: order_choices(&columns),
            columns,
            notes,
            predictions,
            rendering: Rendering::guess(&source.dataset),
            is_campaign: is_there(&source.dataset.path().join(JOURNAL)),
            searches: Mutex::default(),
            source,
        })
    }

    /// Checks a query before anything is shown.
    ///
    /// # Errors
    /// A query that does not fit the data set.
    pub fn check(&self, query: &str) -> Result<()> {
        self.parse(query).map(drop)
    }

    /// A page of the first items of a selection that needs no server: [`STATIC_ITEMS`] at most.
    ///
    /// # Errors
    /// As [`reply`](Self::reply).
    pub fn page(&self, query: &str) -> Result<String> {
        self.static_page(&self.parse(query)?)
    }

    /// What a link leads to: the list, without a name; `item`, by its name or by its place in a selection; `page.html`;
    /// `selection.jsonl` and `selection.csv`; nothing by another name. `query` is what stands after `?`; what a page itself
    /// runs has the nonce.
    ///
    /// # Errors
    /// A query that does not fit the data set; an item that is not there; files that cannot be read.
    pub fn reply(&self, name: &str, query: &str, nonce: &str) -> Result<Option<ViewReply>> {
        let query = self.parse(query)?;
        let (kind, body) = match name {
            "" => (HTML, self.list(&query, nonce)?.into()),
            "item" => (HTML, self.item(&query, nonce)?.into()),
            "page.html" => (HTML, self.static_page(&query)?.into()),
            "selection.jsonl" => ("application/x-ndjson", self.json_lines(&query)?.into()),
            "selection.csv" => ("text/csv; charset=utf-8", self.csv(&query)?),
            _ => return Ok(None),
        };
        Ok(Some(ViewReply { kind, body }))
    }

    fn select(&self, query: &ViewQuery) -> Result<Selection> {
        let asked = Some(&query.text).filter(|text| !text.is_empty());
        let found = asked.map(|text| self.search(text)).transpose()?;
        Ok(query.select(&self.columns, found.as_deref()))
    }

    /// Finds a text, or remembers where it was found.
    fn search(&self, text: &str) -> Result<Arc<FoundWords>> {
        let held = || self.searches.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, found)) = held().iter().find(|(known, _)| known == text) {
            return Ok(Arc::clone(found));
        }
        let found = Arc::new(self.columns.words.find_text(text)?);
        let mut held = held();
        held.truncate(SEARCHES - 1);
        held.insert(0, (text.to_string(), Arc::clone(&found)));
        Ok(found)
    }

    fn group(&self, one: SelectedItem) -> Result<Group> {
        let position = u64::from(one.item);
        let group = self.source.index.groups(position..position + 1).next();
        group.unwrap_or_else(|| Err(Error::failed("the index is shorter than it was")))
    }
}
