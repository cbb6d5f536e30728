//! A result as people read it, told once: a document of blocks, from which a terminal's text and a page are rendered.
//!
//! A block is told everywhere, unless a terminal is too narrow for it (plots) or it is marked as of one of the two. JSON
//! holds the typed rows and nothing of this.

mod page;
mod table;
mod text;

pub(crate) use table::DocumentTable;

use super::html::markup::Html;
use super::plot::Plot;

/// What is told of a result, block by block.
#[derive(Debug, Clone, Default)]
pub(crate) struct ResultDocument(Vec<DocumentBlock>);

/// A piece of a document.
#[derive(Debug, Clone)]
enum DocumentBlock {
    /// A line of words.
    Line(DocumentLine),
    /// A heading of a page, by its level; a terminal has the titles of sections.
    Heading(u8, String),
    /// Sentences that stand alone, a line each.
    List(Vec<String>),
    /// Labels with their values.
    Facts(Vec<(&'static str, String)>),
    /// Numbers in rows and columns.
    Table(DocumentTable),
    /// A plot, for pages.
    Figure(DocumentFigure),
    /// Documents side by side where there is room.
    Beside(Vec<ResultDocument>),
    /// A part that a page opens on request.
    Fold(String, ResultDocument),
    /// A part with a title of its own on a terminal.
    Section(String, ResultDocument),
    /// An empty line of a terminal.
    Gap,
    /// What a terminal alone shows.
    Terminal(ResultDocument),
    /// What a page alone shows.
    Page(ResultDocument),
    /// Ready text, for a terminal.
    Text(String),
    /// Ready HTML, where a page must be richer than blocks are.
    Html(Html),
}

/// A plot with a note on how to read it; it is left out where it has no points.
#[derive(Debug, Clone)]
pub(crate) struct DocumentFigure {
    /// The plot.
    pub plot: Plot,
    /// The note.
    pub note: String,
}

impl DocumentFigure {
    /// Creates a figure.
    pub(crate) fn new(plot: Plot, note: impl Into<String>) -> Self {
        let note = note.into();
        Self { plot, note }
    }
}

/// A line of words.
#[derive(Debug, Clone)]
struct DocumentLine {
    words: String,
    /// Whether it says what numbers mean, and a page shows it in small type.
    is_note: bool,
    /// Whether a page makes a sentence of it, with a capital and a full stop.
    is_phrase: bool,
}

impl ResultDocument {
    fn with(mut self, block: DocumentBlock) -> Self {
        self.0.push(block);
        self
    }

    fn with_line(self, words: impl Into<String>, is_note: bool, is_phrase: bool) -> Self {
        self.with(DocumentBlock::Line(DocumentLine {
            words: words.into(),
            is_note,
            is_phrase,
        }))
    }

    /// Adds a paragraph.
    pub(crate) fn paragraph(self, sentence: impl Into<String>) -> Self {
        self.with_line(sentence, false, false)
    }

    /// Adds a paragraph that is a phrase on a terminal and a sentence on a page.
    pub(crate) fn phrase(self, phrase: impl Into<String>) -> Self {
        self.with_line(phrase, false, true)
    }

    /// Adds a note on what numbers mean.
    pub(crate) fn note(self, sentence: impl Into<String>) -> Self {
        self.with_line(sentence, true, false)
    }

    /// Adds notes.
    pub(crate) fn notes(self, sentences: impl IntoIterator<Item = String>) -> Self {
        sentences.into_iter().fold(self, Self::note)
    }

    /// Adds notes that are phrases on a terminal and sentences on a page.
    pub(crate) fn phrase_notes(self, phrases: impl IntoIterator<Item = String>) -> Self {
        let add = |document: Self, phrase| document.with_line(phrase, true, true);
        phrases.into_iter().fold(self, add)
    }

    /// Adds a heading of a page.
    pub(crate) fn heading(self, level: u8, heading: impl Into<String>) -> Self {
        self.with(DocumentBlock::Heading(level, heading.into()))
    }

    /// Adds a list.
    pub(crate) fn list(self, sentences: Vec<String>) -> Self {
        self.with(DocumentBlock::List(sentences))
    }

    /// Adds labels with their values.
    pub(crate) fn facts(self, facts: Vec<(&'static str, String)>) -> Self {
        self.with(DocumentBlock::Facts(facts))
    }

    /// Adds a table.
    pub(crate) fn table(self, table: DocumentTable) -> Self {
        self.with(DocumentBlock::Table(table))
    }

    /// Adds a plot.
    pub(crate) fn figure(self, figure: DocumentFigure) -> Self {
        self.with(DocumentBlock::Figure(figure))
    }

    /// Adds documents side by side.
    pub(crate) fn beside(self, documents: impl IntoIterator<Item: Into<Self>>) -> Self {
        let documents = documents.into_iter().map(Into::into);
        self.with(DocumentBlock::Beside(documents.collect()))
    }

    /// Adds a part that a page opens on request.
    pub(crate) fn fold(self, summary: impl Into<String>, inner: impl Into<Self>) -> Self {
        self.with(DocumentBlock::Fold(summary.into(), inner.into()))
    }

    /// Makes a section of the document, with a title of its own on a terminal.
    pub(crate) fn under(self, title: impl Into<String>) -> Self {
        DocumentBlock::Section(title.into(), self).into()
    }

    /// Adds an empty line of a terminal.
    pub(crate) fn gap(self) -> Self {
        self.with(DocumentBlock::Gap)
    }

    /// Adds what a terminal alone shows.
    pub(crate) fn on_terminal(self, document: impl Into<Self>) -> Self {
        self.with(DocumentBlock::Terminal(document.into()))
    }

    /// Adds what a page alone shows.
    pub(crate) fn on_page(self, document: impl Into<Self>) -> Self {
        self.with(DocumentBlock::Page(document.into()))
    }

    /// Adds ready text for a terminal.
    pub(crate) fn ready_text(self, text: impl Into<String>) -> Self {
        self.with(DocumentBlock::Text(text.into()))
    }

    /// Adds another document.
    pub(crate) fn append(mut self, other: impl Into<Self>) -> Self {
        self.0.extend(other.into().0);
        self
    }
}

impl From<DocumentBlock> for ResultDocument {
    fn from(block: DocumentBlock) -> Self {
        Self(vec![block])
    }
}

impl From<Html> for ResultDocument {
    fn from(html: Html) -> Self {
        DocumentBlock::Html(html).into()
    }
}

impl From<DocumentTable> for ResultDocument {
    fn from(table: DocumentTable) -> Self {
        DocumentBlock::Table(table).into()
    }
}

impl From<DocumentFigure> for ResultDocument {
    fn from(figure: DocumentFigure) -> Self {
        DocumentBlock::Figure(figure).into()
    }
}

impl FromIterator<ResultDocument> for ResultDocument {
    fn from_iter<I: IntoIterator<Item = ResultDocument>>(documents: I) -> Self {
        documents.into_iter().fold(Self::default(), Self::append)
    }
}
