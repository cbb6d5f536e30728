//! Documents on pages: plots and HTML among their blocks, and all of them as HTML.

pub(crate) use tiebreak_base::document::DocumentTable;

use super::html::figure::{figure, figures};
use super::html::markup::{Html, HtmlTable, element, facts, folded, prose, row_cells, with};
use super::plot::Plot;
use tiebreak_base::document::{BlockDocument, DocumentBlock};
use tiebreak_base::error::Result;

/// A result as people read it.
pub(crate) type ResultDocument = BlockDocument<PagePiece>;

/// What no block of a terminal can be.
#[derive(Debug, Clone)]
pub(crate) enum PagePiece {
    /// A plot.
    Figure(DocumentFigure),
    /// Ready HTML, where a page must be richer than blocks are.
    Html(Html),
}

/// A plot with a note on how to read it; it is left out where it has no points.
#[derive(Debug, Clone)]
pub(crate) struct DocumentFigure {
    pub plot: Plot,
    pub note: String,
}

impl DocumentFigure {
    /// Creates a figure.
    pub(crate) fn new(plot: Plot, note: impl Into<String>) -> Self {
        let note = note.into();
        Self { plot, note }
    }
}

impl From<DocumentFigure> for ResultDocument {
    fn from(figure: DocumentFigure) -> Self {
        DocumentBlock::Piece(PagePiece::Figure(figure)).into()
    }
}

impl From<Html> for ResultDocument {
    fn from(html: Html) -> Self {
        DocumentBlock::Piece(PagePiece::Html(html)).into()
    }
}

/// A result that has a document.
pub(crate) trait DocumentedResult {
    /// Returns the document of the result alone.
    fn document(&self) -> ResultDocument;

    /// Returns what a terminal shows.
    fn text(&self) -> String {
        self.document().text()
    }
}

/// A result that terminals and pages show.
pub trait ShownResult {
    /// Renders the result for a terminal.
    fn render(&self) -> String;

    /// Renders the result as a piece of HTML.
    ///
    /// # Errors
    /// If a plot cannot be drawn.
    fn html(&self) -> Result<String>;
}

impl<T: DocumentedResult> ShownResult for T {
    fn render(&self) -> String {
        self.text()
    }

    fn html(&self) -> Result<String> {
        Ok(page_html(&self.document())?.into_string())
    }
}

/// A document as a page shows it.
pub(crate) fn page_html(document: &ResultDocument) -> Result<Html> {
    document.0.iter().map(block_html).collect()
}

fn block_html(block: &DocumentBlock<PagePiece>) -> Result<Html> {
    Ok(match block {
        DocumentBlock::Line { words, is_note } => line_html(words, *is_note),
        DocumentBlock::Heading(level, heading) => element(&format!("h{level}"), heading),
        DocumentBlock::List(sentences) => {
            let items: Html = sentences
                .iter()
                .map(|one| element("li", prose(one)))
                .collect();
            around(items, |items| element("ul", items))
        }
        DocumentBlock::Facts(known) => facts(known.clone()),
        DocumentBlock::Table(table) => table_html(table),
        DocumentBlock::SideBySide(documents) => {
            let columns = documents.iter().map(column);
            figures(columns.collect::<Result<Vec<_>>>()?)
        }
        DocumentBlock::Fold(summary, inner) => {
            around(page_html(inner)?, |inner| folded(summary, inner))
        }
        DocumentBlock::Section(_, inner) | DocumentBlock::Page(inner) => page_html(inner)?,
        DocumentBlock::Piece(PagePiece::Figure(one)) => figure(&one.plot, &one.note)?,
        DocumentBlock::Piece(PagePiece::Html(html)) => html.clone(),
        DocumentBlock::Gap | DocumentBlock::Terminal(_) => Html::default(),
    })
}

fn line_html(words: &str, is_note: bool) -> Html {
    match is_note {
        true => with("p", &[("class", "note")], prose(words)),
        false => element("p", prose(words)),
    }
}

/// One of several documents side by side, kept together.
fn column(document: &ResultDocument) -> Result<Html> {
    let html = page_html(document)?;
    Ok(match document.0.as_slice() {
        [DocumentBlock::Piece(_) | DocumentBlock::Table(_) | DocumentBlock::Facts(_)] => html,
        _ => around(html, |html| element("div", html)),
    })
}

/// What surrounds HTML, where there is any.
fn around(html: Html, surround: impl FnOnce(Html) -> Html) -> Html {
    match html.is_empty() {
        true => html,
        false => surround(html),
    }
}

fn table_html(table: &DocumentTable) -> Html {
    let mut rows: Vec<Vec<Html>> = table.rows.iter().map(|row| row_cells(row)).collect();
    for (row, share) in rows.iter_mut().zip(&table.bars) {
        if let Some(cell) = row.get_mut(1) {
            *cell = barred(*share, std::mem::take(cell));
        }
    }
    let marked = HtmlTable {
        caption: table.caption.clone(),
        header: table.header.clone(),
        texts: table.texts,
        rows,
    };
    match table.is_titled {
        true => Html::from([element("h4", table.caption.as_str()), marked.html()]),
        false => marked.html(),
    }
}

/// A share as a bar and as it is written.
fn barred(share: f64, written: Html) -> Html {
    let width = format!("width:{:.1}%", 100.0 * share);
    let bar = with("span", &[("class", "bar"), ("style", &width)], "");
    let track = with("span", &[("class", "track"), ("aria-hidden", "true")], bar);
    let share = [track, element("span", written)];
    with("span", &[("class", "share")], share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_told_on_a_terminal_and_on_a_page() {
        let rows = vec![vec!["<a>".to_string(), "50.0 %".to_string()]];
        let table = DocumentTable {
            bars: vec![0.5],
            ..DocumentTable::new("Shares", &["system", "share"], rows)
        };
        let short = ResultDocument::default().note("short");
        let long = ResultDocument::default().note("as long as it takes");
        let document = ResultDocument::default()
            .heading(3, "a")
            .on_terminal(short)
            .on_page(long)
            .paragraph("No annotator stands out.")
            .fold("Nothing", ResultDocument::default())
            .side_by_side([table]);
        let text = "short\nNo annotator stands out.\nsystem   share\n<a>     50.0 %\n";
        assert_eq!(document.text(), text);
        let page = page_html(&document).unwrap().into_string();
        let begin = "<h3>a</h3>\n<p class=\"note\">as long as it takes</p>\n<p>No annotator stands out.</p>\n<div class=\"figures\"><div ";
        assert!(page.starts_with(begin), "{page}");
        let row = "<bdi>&lt;a&gt;</bdi></th><td class=\"number\"><span class=\"share\">";
        assert!(page.contains(row) && page.contains("width:50.0%"), "{page}");
    }

    #[test]
    fn a_row_without_a_second_cell_has_no_bar() {
        let table = DocumentTable {
            bars: vec![0.5],
            ..DocumentTable::new("Shares", &["system"], vec![vec!["a".to_string()]])
        };
        let page = table_html(&table).into_string();
        assert!(
            page.contains("<bdi>a</bdi>") && !page.contains("bar"),
            "{page}"
        );
    }
}
