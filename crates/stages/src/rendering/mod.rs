//! Texts that a system or a person wrote, as HTML for every page that shows them: pages for judging, with a server or
//! without, and reports.
//!
//! The HTML holds elements of ours only, each closed, and is well-formed XML. What was written becomes text by being
//! escaped: raw HTML stands there as it was typed, a link is its words and its address, an image its description. So a
//! page loads and runs nothing that an output names, and no sanitiser is needed, whose HTML parser would take longer to
//! build than all that stands here.

mod dollars;
mod formulas;
mod guess;
mod markdown;
mod turns;

use crate::report::html::markup::Html;
use serde::{Deserialize, Serialize};

/// The style sheet of rendered texts. Pages define its colours: `--line` and `--soft`.
pub const STYLE: &str = include_str!("style.css");

/// Colours, type and the components that all pages in a browser have.
pub const TOKENS: &str = include_str!("tokens.css");

/// The way in which outputs are shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rendering {
    /// Markdown with tables, fenced code and LaTeX, as chat models write it.
    Markdown,
    /// The characters as they are.
    #[default]
    Plain,
    /// A program, in a monospaced font.
    Code,
}

/// A block of a rendered text, such as a paragraph, a list or a turn of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RenderedBlock {
    /// The HTML, all elements closed.
    pub html: Html,
    /// The number of characters to be read.
    pub letters: usize,
}

impl Rendering {
    /// Whether texts are shown as they are.
    pub fn is_plain(&self) -> bool {
        *self == Self::Plain
    }

    /// Returns the rendering of prompts whose outputs have this one: the prompt for a program is Markdown.
    #[must_use]
    pub fn for_prompts(self) -> Self {
        match self {
            Self::Code => Self::Markdown,
            other => other,
        }
    }

    /// Renders a text as HTML.
    pub fn html(self, text: &str) -> String {
        let blocks = self.blocks(text).into_iter().map(|block| block.html);
        blocks.collect::<Html>().into_string()
    }

    /// Renders a text block by block.
    pub(crate) fn blocks(self, text: &str) -> Vec<RenderedBlock> {
        if text.trim().is_empty() {
            return Vec::new();
        }
        match self {
            Self::Markdown => turns::blocks(text),
            Self::Plain => vec![RenderedBlock::new(markdown::as_written(text), text)],
            Self::Code => vec![RenderedBlock::new(markdown::code(text), text)],
        }
    }
}

impl RenderedBlock {
    fn new(html: String, text: &str) -> Self {
        Self {
            html: Html::ready(html),
            letters: text.chars().count(),
        }
    }
}

/// Returns a text as HTML.
fn escaped(text: &str) -> String {
    Html::from(text).into_string()
}

#[cfg(test)]
mod tests;
