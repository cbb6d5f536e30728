//! Formulas between `\(` and `\)`, or `\[` and `\]`, as Markdown has them: between dollars.

use super::markdown::options;
use pulldown_cmark::{Event, Parser, Tag};

/// Writes a formula between dollars where it is between `\(` and `\)`, or `\[` and `\]`, outside code.
pub(super) fn with_dollars(text: &str) -> String {
    if !text.contains("\\(") && !text.contains("\\[") {
        return text.to_string();
    }
    let events = Parser::new_ext(text, options()).into_offset_iter();
    let kept = events.filter_map(|(event, at)| match event {
        Event::Start(Tag::CodeBlock(_))
        | Event::Code(_)
        | Event::InlineMath(_)
        | Event::DisplayMath(_) => Some(at),
        _ => None,
    });
    let mut made = String::with_capacity(text.len());
    let mut from = 0;
    for at in kept.chain([text.len()..text.len()]) {
        if at.start >= from {
            dollars_between(&text[from..at.start], &mut made);
            made += &text[at.clone()];
            from = at.end;
        }
    }
    made
}

/// Signs around formulas, and what stands for them.
const DELIMITERS: [(&str, &str, &str); 2] = [("\\(", "\\)", "$"), ("\\[", "\\]", "$$")];

fn dollars_between(text: &str, made: &mut String) {
    let mut rest = text;
    // An end that is missing once is not searched for again.
    let mut ends = [true; 2];
    while let Some(at) = rest.find('\\') {
        let (before, formula) = rest.split_at(at);
        *made += before;
        let kinds = DELIMITERS.iter().zip(&mut ends);
        let written = kinds
            .into_iter()
            .find_map(|((open, close, dollars), is_there)| {
                let inner = formula.strip_prefix(open).filter(|_| *is_there)?;
                let parted = inner.split_once(close);
                *is_there = parted.is_some();
                let (inner, after) = parted?;
                let is_one = !inner.contains("\n\n") && !inner.contains('$');
                (is_one && !inner.trim().is_empty()).then_some((inner, after, dollars))
            });
        match written {
            Some((inner, after, dollars)) => {
                // On one line nothing in it can begin a list or a heading.
                let inner = inner.split_whitespace().collect::<Vec<_>>().join(" ");
                *made += &format!("{dollars}{inner}{dollars}");
                rest = after;
            }
            None => {
                let escape = formula.chars().take(2).map(char::len_utf8).sum();
                *made += &formula[..escape];
                rest = &formula[escape..];
            }
        }
    }
    *made += rest;
}
