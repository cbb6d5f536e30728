//! Documents as a page shows them.

use super::{DocumentBlock, DocumentLine, ResultDocument};
use crate::report::html::figure::{figure, figures};
use crate::report::html::markup::{Html, element, facts, folded, with};
use tiebreak_base::error::Result;
use tiebreak_base::words::capitalised;

impl ResultDocument {
    /// The HTML of a page.
    ///
    /// # Errors
    /// If a plot cannot be drawn.
    pub(crate) fn html(&self) -> Result<Html> {
        self.0.iter().map(block_html).collect()
    }
}

fn block_html(block: &DocumentBlock) -> Result<Html> {
    Ok(match block {
        DocumentBlock::Line(line) => line_html(line),
        DocumentBlock::Heading(level, heading) => element(&format!("h{level}"), heading),
        DocumentBlock::List(sentences) => {
            let items: Html = sentences.iter().map(|one| element("li", one)).collect();
            around(items, |items| element("ul", items))
        }
        DocumentBlock::Facts(known) => facts(known.clone()),
        DocumentBlock::Table(table) => table.html(),
        DocumentBlock::Figure(one) => figure(&one.plot, &one.note)?,
        DocumentBlock::Beside(documents) => {
            let columns = documents.iter().map(column);
            figures(columns.collect::<Result<Vec<_>>>()?)
        }
        DocumentBlock::Fold(summary, inner) => {
            around(inner.html()?, |inner| folded(summary, inner))
        }
        DocumentBlock::Section(_, inner) | DocumentBlock::Page(inner) => inner.html()?,
        DocumentBlock::Html(html) => html.clone(),
        DocumentBlock::Gap | DocumentBlock::Terminal(_) | DocumentBlock::Text(_) => Html::default(),
    })
}

fn line_html(line: &DocumentLine) -> Html {
    let words = match line.is_phrase {
        true => capitalised(&line.words),
        false => line.words.clone(),
    };
    match line.is_note {
        true => with("p", &[("class", "note")], words),
        false => element("p", words),
    }
}

/// One of several documents side by side; several blocks are kept together.
fn column(document: &ResultDocument) -> Result<Html> {
    let html = document.html()?;
    Ok(match document.0.len() {
        0 | 1 => html,
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
