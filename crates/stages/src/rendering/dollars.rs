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
    for at in kept.chain(std::iter::once(text.len()..text.len())) {
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
    // An opening before this place begins no formula, by kind: no part of the text is searched again and again.
    let mut barren = [0; 2];
    while let Some(at) = rest.find('\\') {
        let (before, formula) = rest.split_at(at);
        *made += before;
        let place = text.len() - formula.len();
        match formula_at(formula, place, &mut barren) {
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

/// Returns a formula at the start of a text, which is at `place`, with the text after it and its dollars. Where there
/// is none, up to the last sign before its end that no formula holds, openings there are `barren`.
fn formula_at<'a>(
    text: &'a str,
    place: usize,
    barren: &mut [usize; 2],
) -> Option<(&'a str, &'a str, &'static str)> {
    let mut kinds = DELIMITERS.into_iter().zip(barren);
    kinds.find_map(|((open, close, dollars), barren)| {
        let inner = text.strip_prefix(open).filter(|_| place >= *barren)?;
        let Some((inner, after)) = inner.split_once(close) else {
            *barren = usize::MAX;
            return None;
        };
        if let Some(stop) = inner.rfind('$').max(inner.rfind("\n\n")) {
            *barren = place + open.len() + stop;
            return None;
        }
        (!inner.trim().is_empty()).then_some((inner, after, dollars))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openings_without_a_formula_are_passed_over_at_once() {
        let mut barren = [0; 2];
        assert_eq!(formula_at("\\(a\\(b$c\\)", 0, &mut barren), None);
        assert_eq!(barren, [6, 0], "no opening before the dollar is looked at");
        assert_eq!(formula_at("\\(b\n\nc", 9, &mut barren), None);
        assert_eq!(barren, [usize::MAX, 0], "nothing ends a formula");
        let written = with_dollars("\\(a\\(b$c\\(d\\) \\[e\\]");
        assert_eq!(written, "\\(a\\(b$c$d$ $$e$$");
        for end in ["$x\\)", "\n\n\\)", ""] {
            let text = "\\(".repeat(200_000) + end;
            assert_eq!(with_dollars(&text), text);
        }
    }
}
