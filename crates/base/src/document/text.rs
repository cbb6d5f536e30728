//! Documents as a terminal shows them.

use super::{BlockDocument, DocumentBlock};
use crate::words::{labelled, section};

impl<P> BlockDocument<P> {
    /// The text of a terminal.
    pub fn text(&self) -> String {
        self.0.iter().map(block_text).collect()
    }
}

fn block_text<P>(block: &DocumentBlock<P>) -> String {
    match block {
        DocumentBlock::Line { words, .. } => format!("{words}\n"),
        DocumentBlock::List(sentences) => sentences.iter().flat_map(|one| [one, "\n"]).collect(),
        DocumentBlock::Facts(facts) => labelled(facts.clone()),
        DocumentBlock::Table(table) => table.text(),
        DocumentBlock::SideBySide(documents) => documents.iter().map(BlockDocument::text).collect(),
        DocumentBlock::Section(title, body) => section(title, &body.text()),
        DocumentBlock::Gap => "\n".to_string(),
        DocumentBlock::Fold(_, inner) | DocumentBlock::Terminal(inner) => inner.text(),
        DocumentBlock::Heading(..) | DocumentBlock::Page(_) | DocumentBlock::Piece(_) => {
            String::new()
        }
    }
}
