//! Conversations, as imports write them: each turn begins with its role, an empty line between them.

use super::{RenderedBlock, escaped, markdown};
use crate::report::html::markup::Html;

/// The roles of speakers.
const ROLES: [&str; 9] = [
    "assistant",
    "developer",
    "function",
    "gpt",
    "human",
    "model",
    "system",
    "tool",
    "user",
];

/// The bytes in which a role and its colon are looked for.
const LONGEST_ROLE: usize = 16;

/// The sign between turns.
const BETWEEN: &str = "\n\n";

/// Renders a text; each turn of a conversation is a block.
pub(super) fn blocks(text: &str) -> Vec<RenderedBlock> {
    match turns(text).as_slice() {
        [] | [_] => markdown::blocks(text),
        turns => turns.iter().map(|&(role, said)| turn(role, said)).collect(),
    }
}

fn turn(role: &str, said: &str) -> RenderedBlock {
    let blocks = markdown::blocks(said);
    let letters = blocks.iter().map(|block| block.letters).sum();
    let said: Html = blocks.into_iter().map(|block| block.html).collect();
    let (role, said) = (escaped(role), said.into_string());
    RenderedBlock {
        html: Html::ready(format!(
            "<section class=\"turn\"><p class=\"role\">{role}</p>{said}</section>\n"
        )),
        letters,
    }
}

/// Splits a text into turns: role and words. None where it does not begin with one.
fn turns(text: &str) -> Vec<(&str, &str)> {
    let mut turns = Vec::new();
    let Some((mut role, mut start)) = role_at(text) else {
        return turns;
    };
    let mut from = start;
    while let Some(found) = text[from..].find(BETWEEN) {
        let end = from + found;
        let next = text.len() - text[end..].trim_start_matches('\n').len();
        from = next;
        if let Some((following, length)) = role_at(&text[next..]) {
            turns.push((role, text[start..end].trim()));
            (role, start) = (following, next + length);
            from = start;
        }
    }
    turns.push((role, text[start..].trim()));
    turns
}

/// The role at the beginning of a text, and where its words begin.
fn role_at(text: &str) -> Option<(&str, usize)> {
    // A role is short: a text need not be searched to its end.
    let end = text
        .bytes()
        .take(LONGEST_ROLE)
        .position(|byte| byte == b':')?;
    let role = &text[..end];
    let known = ROLES.contains(&role.to_ascii_lowercase().as_str());
    known.then_some((role, end + 1))
}
