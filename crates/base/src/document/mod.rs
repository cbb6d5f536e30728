//! A result as people read it, told once: a document of blocks, from which a terminal's text and a page are rendered.
//!
//! A block is told everywhere, unless it is marked as of one of the two. A page's own pieces (plots, HTML) are of a type
//! `P` that whoever makes pages knows. JSON holds the typed rows and nothing of this.

mod table;
mod text;

pub use table::DocumentTable;

/// A document: what is told of a result, block by block.
///
/// ```
/// use tiebreak_base::document::BlockDocument;
/// let about = BlockDocument::<()>::default().heading(3, "atlas").paragraph("No annotator stands out.");
/// assert_eq!(about.under("Annotators").text(), "\nAnnotators\n──────────\nNo annotator stands out.\n");
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct BlockDocument<P>(pub Vec<DocumentBlock<P>>);

/// A piece of a document.
#[derive(Debug, Clone)]
pub enum DocumentBlock<P> {
    /// A line of words.
    Line {
        /// The words.
        words: String,
        /// Whether they say what numbers mean, and a page shows them in small type.
        is_note: bool,
    },
    /// A heading of a page, by its level; a terminal has the titles of sections.
    Heading(u8, String),
    /// Sentences that stand alone, a line each.
    List(Vec<String>),
    /// Labels with their values.
    Facts(Vec<(&'static str, String)>),
    /// Numbers in rows and columns.
    Table(DocumentTable),
    /// Documents side by side where there is room.
    SideBySide(Vec<BlockDocument<P>>),
    /// A part that a page opens on request.
    Fold(String, BlockDocument<P>),
    /// A part with a title of its own on a terminal.
    Section(String, BlockDocument<P>),
    /// An empty line of a terminal.
    Gap,
    /// What a terminal alone shows.
    Terminal(BlockDocument<P>),
    /// What a page alone shows.
    Page(BlockDocument<P>),
    /// A piece of a page that no other block can be.
    Piece(P),
}

impl<P> BlockDocument<P> {
    fn with(mut self, block: DocumentBlock<P>) -> Self {
        self.0.push(block);
        self
    }

    fn with_line(self, words: impl Into<String>, is_note: bool) -> Self {
        let words = words.into();
        self.with(DocumentBlock::Line { words, is_note })
    }

    /// Adds a paragraph.
    pub fn paragraph(self, sentence: impl Into<String>) -> Self {
        self.with_line(sentence, false)
    }

    /// Adds a note on what numbers mean.
    pub fn note(self, sentence: impl Into<String>) -> Self {
        self.with_line(sentence, true)
    }

    /// Adds notes.
    pub fn notes(self, sentences: impl IntoIterator<Item = String>) -> Self {
        sentences.into_iter().fold(self, Self::note)
    }

    /// Adds a heading of a page.
    pub fn heading(self, level: u8, heading: impl Into<String>) -> Self {
        self.with(DocumentBlock::Heading(level, heading.into()))
    }

    /// Adds a list.
    pub fn list(self, sentences: Vec<String>) -> Self {
        self.with(DocumentBlock::List(sentences))
    }

    /// Adds labels with their values.
    pub fn facts(self, facts: Vec<(&'static str, String)>) -> Self {
        self.with(DocumentBlock::Facts(facts))
    }

    /// Adds documents side by side.
    pub fn side_by_side(self, documents: impl IntoIterator<Item: Into<Self>>) -> Self {
        let documents = documents.into_iter().map(Into::into);
        self.with(DocumentBlock::SideBySide(documents.collect()))
    }

    /// Adds a part that a page opens on request.
    pub fn fold(self, summary: impl Into<String>, inner: impl Into<Self>) -> Self {
        self.with(DocumentBlock::Fold(summary.into(), inner.into()))
    }

    /// Makes a section of the document, with a title of its own on a terminal.
    pub fn under(self, title: impl Into<String>) -> Self {
        DocumentBlock::Section(title.into(), self).into()
    }

    /// Adds an empty line of a terminal.
    pub fn gap(self) -> Self {
        self.with(DocumentBlock::Gap)
    }

    /// Adds what a terminal alone shows.
    pub fn on_terminal(self, document: impl Into<Self>) -> Self {
        self.with(DocumentBlock::Terminal(document.into()))
    }

    /// Adds what a page alone shows.
    pub fn on_page(self, document: impl Into<Self>) -> Self {
        self.with(DocumentBlock::Page(document.into()))
    }

    /// Adds another document, a table or a piece of a page.
    pub fn append(mut self, other: impl Into<Self>) -> Self {
        self.0.extend(other.into().0);
        self
    }
}

impl<P> Default for BlockDocument<P> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<P> From<DocumentBlock<P>> for BlockDocument<P> {
    fn from(block: DocumentBlock<P>) -> Self {
        Self(vec![block])
    }
}

impl<P> From<DocumentTable> for BlockDocument<P> {
    fn from(table: DocumentTable) -> Self {
        DocumentBlock::Table(table).into()
    }
}

impl<P> FromIterator<BlockDocument<P>> for BlockDocument<P> {
    fn from_iter<I: IntoIterator<Item = BlockDocument<P>>>(documents: I) -> Self {
        documents.into_iter().fold(Self::default(), Self::append)
    }
}
