//! Markdown as HTML: the events of a parser, each written as an element of ours or as text.

use super::dollars::with_dollars;
use super::{RenderedBlock, escaped, formulas};
use crate::report::html::markup::Html;
use pulldown_cmark::{Alignment, CowStr, Event, HeadingLevel, Options, Parser, Tag};
use std::borrow::Cow;
use std::ops::Range;

/// The nesting of elements below which no more are opened; their contents stay.
const DEEPEST: usize = 24;

/// The lowest level of a heading, and the levels that pages have above those of texts.
const LOWEST: u8 = 6;
const ABOVE: u8 = 3;

/// What is read beside CommonMark.
pub(super) fn options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_MATH
}

/// Renders Markdown, a block for each of its own.
pub(super) fn blocks(text: &str) -> Vec<RenderedBlock> {
    let text = with_dollars(text);
    let mut writer = MarkdownWriter {
        text: &text,
        ..MarkdownWriter::default()
    };
    for (event, at) in Parser::new_ext(&text, options()).into_offset_iter() {
        writer.write(event, &at);
    }
    writer.end_block();
    writer.blocks
}

/// Renders a text as it was written.
pub(super) fn as_written(text: &str) -> String {
    format!("<p class=\"written\" dir=\"auto\">{}</p>\n", escaped(text))
}

/// Renders a program.
pub(super) fn code(text: &str) -> String {
    format!("{CODE}{}</code></pre>\n", escaped(text))
}

const CODE: &str = "<pre dir=\"ltr\" tabindex=\"0\" role=\"region\" aria-label=\"Code\"><code>";
const TABLE: &str =
    "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Table\"><table dir=\"auto\">";
const FORMULA: &str =
    "<span class=\"formula\" tabindex=\"0\" role=\"region\" aria-label=\"Formula\">";
const TARGET: &str = "<span class=\"target\" dir=\"ltr\"> (";

/// The begin and the end of an element.
type ElementEnds = (Cow<'static, str>, &'static str);

/// Writes events as HTML.
#[derive(Default)]
struct MarkdownWriter<'t> {
    text: &'t str,
    blocks: Vec<RenderedBlock>,
    /// The block being written.
    html: String,
    letters: usize,
    /// The ends of open elements.
    open: Vec<&'static str>,
    /// Links and images: where each begins in `html`, and its address.
    links: Vec<(usize, CowStr<'t>)>,
    /// The columns of the table, and the place of the cell.
    columns: Vec<Alignment>,
    column: usize,
    is_head: bool,
}

impl<'t> MarkdownWriter<'t> {
    fn write(&mut self, event: Event<'t>, at: &Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(_) => self.end(),
            Event::Text(text) => self.words(&text),
            Event::Html(html) | Event::InlineHtml(html) => self.raw(&html),
            Event::Code(code) => {
                self.html += "<code dir=\"auto\">";
                self.words(&code);
                self.html += "</code>";
            }
            Event::InlineMath(latex) => self.formula(&latex, false, at),
            Event::DisplayMath(latex) => self.formula(&latex, true, at),
            Event::SoftBreak | Event::HardBreak => self.html += "<br/>",
            Event::Rule => self.html += "<hr/>\n",
            Event::TaskListMarker(true) => self.html += "☑ ",
            Event::TaskListMarker(false) => self.html += "☐ ",
            Event::FootnoteReference(name) => self.words(&name),
        }
        if self.open.is_empty() {
            self.end_block();
        }
    }

    /// Opens an element. Too deep, a text goes on without elements of its own; what an open one is made of stays.
    fn start(&mut self, tag: Tag<'t>) {
        let is_part = matches!(
            tag,
            Tag::Item | Tag::TableHead | Tag::TableRow | Tag::TableCell
        );
        let (begin, end) = match tag {
            Tag::Link { dest_url, .. } => return self.start_link("", dest_url, LINK),
            Tag::Image { dest_url, .. } => return self.start_link("[image: ", dest_url, IMAGE),
            Tag::Table(columns) => {
                self.columns = columns;
                (TABLE.into(), "</tbody></table></div>\n")
            }
            Tag::TableHead => self.row(true),
            Tag::TableRow => self.row(false),
            Tag::TableCell => self.cell(),
            tag => ends_of(&tag, self.open.is_empty()),
        };
        let is_in_open = self.open.last() != Some(&"");
        match is_in_open && (is_part || self.open.len() < DEEPEST) {
            true => {
                self.html += &begin;
                self.open.push(end);
            }
            false => self.open.push(""),
        }
    }

    /// Begins a link or an image, of which only words and address are shown.
    fn start_link(&mut self, begin: &str, address: CowStr<'t>, end: &'static str) {
        self.html += begin;
        self.links.push((self.html.len(), address));
        self.open.push(end);
    }

    fn row(&mut self, is_head: bool) -> ElementEnds {
        (self.column, self.is_head) = (0, is_head);
        match is_head {
            true => ("<thead><tr>".into(), "</tr></thead>\n<tbody>"),
            false => ("<tr>".into(), "</tr>\n"),
        }
    }

    fn cell(&mut self) -> ElementEnds {
        let class = match self.columns.get(self.column) {
            Some(Alignment::Center) => " class=\"center\"",
            Some(Alignment::Right) => " class=\"right\"",
            _ => "",
        };
        self.column += 1;
        match self.is_head {
            true => (format!("<th{class}>").into(), "</th>"),
            false => (format!("<td dir=\"auto\"{class}>").into(), "</td>"),
        }
    }

    fn end(&mut self) {
        match self.open.pop() {
            Some(LINK) => self.target(""),
            Some(IMAGE) => self.target("]"),
            Some(end) => self.html += end,
            None => {}
        }
    }

    /// Ends a link or an image: its address is text, once.
    fn target(&mut self, end: &str) {
        let Some((begin, address)) = self.links.pop() else {
            return;
        };
        self.html += end;
        let address = escaped(&address);
        let words = self.html[begin..].trim_end_matches(end);
        if !address.is_empty() && words != address && format!("mailto:{words}") != address {
            self.html += &format!("{TARGET}{address})</span>");
        }
    }

    fn words(&mut self, text: &str) {
        self.letters += text.chars().count();
        self.html += &escaped(text);
    }

    /// Writes raw HTML as it was typed; but a break, which people put into tables, is one.
    fn raw(&mut self, html: &str) {
        let tag = html.trim().to_ascii_lowercase();
        match ["<br>", "<br/>", "<br />"].contains(&tag.as_str()) {
            true => self.html += "<br/>",
            false => self.words(html),
        }
    }

    fn formula(&mut self, latex: &str, is_display: bool, at: &Range<usize>) {
        let next = self.text[at.end..].chars().next();
        // Between two prices there is no formula.
        let is_price = !is_display && next.is_some_and(char::is_alphanumeric);
        if is_price {
            return self.words(&self.text[at.clone()]);
        }
        self.letters += latex.chars().count();
        let mathml = formulas::mathml(latex, is_display);
        let inner =
            mathml.unwrap_or_else(|| format!("<code dir=\"ltr\">{}</code>", escaped(latex)));
        match is_display {
            true => self.html += &format!("{FORMULA}{inner}</span>"),
            false => self.html += &inner,
        }
    }

    fn end_block(&mut self) {
        if !self.html.is_empty() {
            self.blocks.push(RenderedBlock {
                html: Html::ready(std::mem::take(&mut self.html)),
                letters: std::mem::take(&mut self.letters),
            });
        }
    }
}

/// The ends of links and images, which are no elements.
const LINK: &str = "link";
const IMAGE: &str = "image";

/// Returns the begin and the end of an element. Lists and quotations take their direction from texts that have none of
/// their own.
fn ends_of(tag: &Tag<'_>, is_outermost: bool) -> ElementEnds {
    match tag {
        Tag::Paragraph if is_outermost => ("<p dir=\"auto\">".into(), "</p>\n"),
        Tag::Paragraph => ("<p>".into(), "</p>\n"),
        Tag::Heading { level, .. } => (heading(*level).into(), "</p>\n"),
        Tag::BlockQuote(_) => ("<blockquote dir=\"auto\">".into(), "</blockquote>\n"),
        Tag::CodeBlock(_) => (CODE.into(), "</code></pre>\n"),
        Tag::HtmlBlock => ("<p class=\"written\" dir=\"auto\">".into(), "</p>\n"),
        Tag::List(None) => ("<ul dir=\"auto\">".into(), "</ul>\n"),
        Tag::List(Some(first)) => {
            let begin = format!("<ol dir=\"auto\" start=\"{first}\">");
            (begin.into(), "</ol>\n")
        }
        Tag::Item => ("<li>".into(), "</li>\n"),
        Tag::Emphasis => ("<em>".into(), "</em>"),
        Tag::Strong => ("<strong>".into(), "</strong>"),
        Tag::Strikethrough => ("<del>".into(), "</del>"),
        _ => ("".into(), ""),
    }
}

fn heading(level: HeadingLevel) -> String {
    let level = level as u8;
    let below = (level + ABOVE).min(LOWEST);
    format!(
        "<p class=\"heading level-{level}\" role=\"heading\" aria-level=\"{below}\" dir=\"auto\">"
    )
}
