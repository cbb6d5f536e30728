//! Texts of items on a page: what is long is folded, and outputs stand side by side.

use super::markup::{Html, element, with};
use crate::rendering::{RenderedBlock, Rendering};

/// A text of an item, in whichever direction its script is written.
fn passage(text: &str) -> Html {
    with("p", &[("class", "passage"), ("dir", "auto")], text)
}

/// Characters of a text that are read at a glance.
const GLANCE: usize = 420;

/// A text whose rest is folded if it is long.
pub(crate) fn folding(text: &str, rendering: Rendering) -> Html {
    if text.trim().is_empty() {
        return with("p", &[("class", "note")], "(empty)");
    }
    let (begin, rest, left) = match rendering {
        Rendering::Plain => cut_passage(text),
        _ => cut_blocks(rendering.blocks(text)),
    };
    if rest.is_empty() {
        return begin;
    }
    let summary = element("summary", format!("… {left} more characters"));
    let more = with("details", &[("class", "rest")], [summary, rest]);
    Html::from([begin, more])
}

/// The beginning of a text, its rest, and the number of characters in that.
fn cut_passage(text: &str) -> (Html, Html, usize) {
    let letters = text.chars().count();
    if letters <= GLANCE + GLANCE / 4 {
        return (passage(text), Html::default(), 0);
    }
    let cut = |from: usize| {
        text.char_indices()
            .nth(from)
            .map_or(text.len(), |(at, _)| at)
    };
    // Cut between words where there are words.
    let (short, long) = (cut(GLANCE - 60), cut(GLANCE));
    let at = text[short..long]
        .rfind(char::is_whitespace)
        .map_or(long, |space| short + space);
    let (begin, rest) = text.split_at(at);
    let left = letters - begin.chars().count();
    (passage(begin), passage(rest.trim_start()), left)
}

/// The first blocks, at least one, the others, and the number of characters in these.
fn cut_blocks(blocks: Vec<RenderedBlock>) -> (Html, Html, usize) {
    let (mut begin, mut rest) = (Vec::new(), Vec::new());
    let (mut read, mut left) = (0, 0);
    for block in blocks {
        if begin.is_empty() || rest.is_empty() && read + block.letters <= GLANCE {
            read += block.letters;
            begin.push(block.html);
        } else {
            left += block.letters;
            rest.push(block.html);
        }
    }
    let rendered = |blocks: Vec<Html>| match blocks.is_empty() {
        true => Html::default(),
        false => with(
            "div",
            &[("class", "rendered")],
            blocks.into_iter().collect::<Html>(),
        ),
    };
    (rendered(begin), rendered(rest), left)
}

/// An example of an item: its heading, the texts that were given (source and reference) with their rendering, and what
/// was written for it, side by side.
pub(crate) fn example(
    heading: Html,
    given: [&Option<String>; 2],
    rendering: Rendering,
    sides: Html,
) -> Html {
    let renderings = [rendering.for_prompts(), rendering];
    let given = ["Source", "Reference"]
        .into_iter()
        .zip(renderings)
        .zip(given);
    let given = given.filter_map(|((label, rendering), text)| {
        let label = with("p", &[("class", "label")], label);
        Some(Html::from([label, folding(text.as_ref()?, rendering)]))
    });
    let sides = with("div", &[("class", "sides")], sides);
    let body = [heading, given.collect(), sides];
    with("article", &[("class", "example")], body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_folded_between_words_or_blocks() {
        let folded = |text: &str, rendering| folding(text, rendering).into_string();
        for rendering in [Rendering::Plain, Rendering::Markdown] {
            assert!(folded(" \n", rendering).contains("(empty)"));
            assert!(!folded("short", rendering).contains("<details"));
        }
        let plain = folded(&"word ".repeat(200), Rendering::Plain);
        assert!(plain.contains("… 581 more characters"), "{plain}");
        let blocks = "**bold** ".repeat(20) + "\n\n" + &"- item\n".repeat(100);
        let html = folded(&blocks, Rendering::Markdown);
        assert!(html.contains("… 400 more characters"), "{html}");
        assert_eq!(html.matches("<strong>").count(), 20);
        assert_eq!(html.matches("<li>").count(), 100);
        let whole = folded(&"print()\n".repeat(100), Rendering::Code);
        assert!(!whole.contains("<details"), "one block is not cut: {whole}");
    }
}
