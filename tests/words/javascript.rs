//! The texts of scripts: literals in quotation marks, on one line each, as our scripts have them.

use super::Passage;

/// The literals of at least three words. Comments are none, and `${…}` is one word.
pub(super) fn passages(code: &str) -> Vec<Passage> {
    let mut passages = Vec::new();
    for (at, line) in code.lines().enumerate() {
        let comment = ["//", "*", "/*"];
        if comment
            .iter()
            .any(|mark| line.trim_start().starts_with(mark))
        {
            continue;
        }
        for text in literals(line) {
            if text.split_whitespace().count() >= 3 {
                passages.push(Passage { line: at + 1, text });
            }
        }
    }
    passages
}

fn literals(line: &str) -> Vec<String> {
    let (mut found, mut open, mut text) = (Vec::new(), None, String::new());
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match (open, c) {
            (None, '"' | '`' | '\'') => open = Some(c),
            (None, _) => {}
            (Some(_), '\\') => text.extend(chars.next()),
            (Some(mark), c) if c == mark => {
                open = None;
                found.push(std::mem::take(&mut text).replace("${", "{"));
            }
            (Some(_), c) => text.push(c),
        }
    }
    found
}

#[test]
fn literals_of_scripts_are_found() {
    let code = "// told and told again\nconst a = [\"told in one\", 'x', `with ${a.told} two`];\n";
    let found: Vec<_> = passages(code).into_iter().map(|one| one.text).collect();
    assert_eq!(found, ["told in one", "with {a.told} two"]);
}
