//! Documents as a terminal shows them.

use super::{DocumentBlock, ResultDocument};
use tiebreak_base::words::{labelled, section};

impl ResultDocument {
    /// The text of a terminal.
    pub(crate) fn text(&self) -> String {
        self.0.iter().map(block_text).collect()
    }
}

fn block_text(block: &DocumentBlock) -> String {
    match block {
        DocumentBlock::Line(line) => format!("{}\n", line.words),
        DocumentBlock::List(sentences) => sentences.iter().flat_map(|one| [one, "\n"]).collect(),
        DocumentBlock::Facts(facts) => labelled(facts.clone()),
        DocumentBlock::Table(table) => table.text(),
        DocumentBlock::Beside(documents) => documents.iter().map(ResultDocument::text).collect(),
        DocumentBlock::Section(title, body) => section(title, &body.text()),
        DocumentBlock::Gap => "\n".to_string(),
        DocumentBlock::Fold(_, inner) | DocumentBlock::Terminal(inner) => inner.text(),
        DocumentBlock::Text(text) => text.clone(),
        DocumentBlock::Heading(..)
        | DocumentBlock::Figure(..)
        | DocumentBlock::Page(_)
        | DocumentBlock::Html(_) => String::new(),
    }
}
