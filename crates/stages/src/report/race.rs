//! The page of a race by scores.

use super::chapter::NamedEstimate;
use super::document::{DocumentFigure, DocumentTable, ResultDocument, page_html};
use super::html::figure::{Dots, dots};
use super::html::markup::element;
use super::html::{Section, document};
use tiebreak_base::error::Result;

/// A race in words and numbers, for its page.
#[derive(Debug)]
pub struct RacePage<'a> {
    /// The name of its folder.
    pub name: &'a str,
    /// The verdict so far.
    pub verdict: &'a str,
    /// The names of the columns.
    pub header: &'a [&'a str],
    /// A row for each system; the first two cells are text.
    pub rows: Vec<Vec<String>>,
    /// What is drawn of each system, after the label of its axis.
    pub drawn: (&'a str, Vec<(String, f64)>),
    /// Sentences on the scores and the next step.
    pub notes: Vec<String>,
}

impl RacePage<'_> {
    /// Returns the whole page as HTML.
    ///
    /// # Errors
    /// If the plot cannot be drawn.
    pub fn html(self) -> Result<String> {
        let title = "The systems";
        let table = DocumentTable {
            texts: 2,
            ..DocumentTable::new(title, self.header, self.rows)
        };
        let (label, drawn) = self.drawn;
        let named = |(name, value): (String, f64)| -> NamedEstimate { (name, value, None) };
        let values = Dots {
            name: label.to_string(),
            values: drawn.into_iter().map(named).collect(),
        };
        let figure = match values.values.is_empty() {
            true => ResultDocument::default(),
            false => DocumentFigure::new(dots(title, label, &[values]), label).into(),
        };
        let systems = ResultDocument::default()
            .side_by_side([figure, table.into()])
            .notes(self.notes);
        let heading = [element("h1", self.name), element("p", self.verdict)];
        let systems = Section::new("systems", title, page_html(&systems)?);
        Ok(document(
            self.name,
            heading.into_iter().collect(),
            vec![systems],
            Vec::new(),
        ))
    }
}
