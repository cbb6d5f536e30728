//! The texts of Rust code: its literals, found as the compiler finds them, and the comments from which help is made.

use super::Passage;

/// Calls whose literals only a programmer reads.
const UNSEEN: &str = "panic unreachable unimplemented todo expect expect_err assert assert_eq assert_ne \
    debug_assert debug_assert_eq debug_assert_ne asm matches";

/// The fewest words of a literal that is read.
const FEWEST: usize = 3;

/// The literals that people may see and, where a file has arguments of the command line, its comments: they are help.
pub(super) fn passages(code: &str) -> Vec<Passage> {
    let holds_help = code.contains("clap::");
    read(code, |comment| holds_help && comment.starts_with("///"))
}

/// Those of the root of a crate, whose first comment is the front page of its documentation.
pub(super) fn passages_and_front_page(code: &str) -> Vec<Passage> {
    read(code, |comment| comment.starts_with("//!"))
}

/// A piece of code.
#[derive(Debug, PartialEq)]
enum Token<'a> {
    Word(&'a str),
    Sign(char),
    Literal(String),
    Comment(&'a str),
}

fn read(code: &str, is_read: impl Fn(&str) -> bool) -> Vec<Passage> {
    let tokens = tokens(code);
    let (mut passages, mut help) = (Vec::new(), Vec::<Passage>::new());
    // What opened each bracket: the name before it, where there is one.
    let mut calls: Vec<&str> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let (line, token) = &tokens[at];
        match token {
            Token::Comment(comment) if is_read(comment) => {
                let text = comment[3..].trim();
                match help.last_mut() {
                    Some(last) if last.line + last.text.matches('\n').count() + 1 == *line => {
                        last.text += &format!("\n{text}");
                    }
                    _ => help.push(Passage {
                        line: *line,
                        text: text.to_string(),
                    }),
                }
            }
            Token::Sign('#') if is_of_tests(&tokens[at..]) => {
                at = after_item(&tokens, at);
                continue;
            }
            Token::Sign('(' | '[' | '{') => calls.push(called(&tokens[..at])),
            Token::Sign(')' | ']' | '}') => {
                calls.pop();
            }
            Token::Literal(text) if text.split_whitespace().count() >= FEWEST => {
                let is_unseen = |call: &&str| UNSEEN.split(' ').any(|one| one == *call);
                if !calls.iter().any(is_unseen) {
                    passages.push(Passage {
                        line: *line,
                        text: text.clone(),
                    });
                }
            }
            _ => {}
        }
        at += 1;
    }
    passages.extend(help.into_iter().flat_map(without_code));
    passages
}

/// The paragraphs of a comment, in the lines of the file.
#[allow(clippy::needless_pass_by_value)] // what is returned keeps it
fn without_code(help: Passage) -> impl Iterator<Item = Passage> {
    let paragraphs = super::sentences::paragraphs(&help.text).into_iter();
    paragraphs.map(move |one| Passage {
        line: help.line + one.line - 1,
        ..one
    })
}

/// The name of what is called by the bracket that follows: `panic` of `panic!(`.
fn called<'a>(before: &[(usize, Token<'a>)]) -> &'a str {
    match before {
        [.., (_, Token::Word(name))] | [.., (_, Token::Word(name)), (_, Token::Sign('!'))] => name,
        _ => "",
    }
}

/// Whether an attribute begins that leaves an item to tests: `#[cfg(test)]`, `#[test]`, also among other conditions.
fn is_of_tests(tokens: &[(usize, Token<'_>)]) -> bool {
    let Some((_, Token::Sign('['))) = tokens.get(1) else {
        return false;
    };
    let words = tokens[2..]
        .iter()
        .take_while(|(_, token)| *token != Token::Sign(']'));
    let words: Vec<_> = words
        .filter_map(|(_, token)| match token {
            Token::Word(word) => Some(*word),
            _ => None,
        })
        .collect();
    match words.as_slice() {
        ["cfg", rest @ ..] => {
            rest.contains(&"test") && !rest.contains(&"any") && !rest.contains(&"not")
        }
        words => *words == ["test"],
    }
}

/// Where the code goes on after an item that begins with attributes: behind its braces or its semicolon.
fn after_item(tokens: &[(usize, Token<'_>)], from: usize) -> usize {
    let (mut depth, mut at) = (0, from);
    while at < tokens.len() {
        match tokens[at].1 {
            Token::Sign('(' | '[' | '{') => depth += 1,
            Token::Sign('}') if depth == 0 => return at,
            Token::Sign('}') if depth == 1 => return at + 1,
            Token::Sign(')' | ']' | '}') => depth -= 1,
            Token::Sign(';') if depth == 0 => return at + 1,
            _ => {}
        }
        at += 1;
    }
    at
}

/// The tokens with their lines. Comments other than documentation, lifetimes and characters are left out.
fn tokens(code: &str) -> Vec<(usize, Token<'_>)> {
    let (mut tokens, mut at, mut line) = (Vec::new(), 0, 1);
    while at < code.len() {
        let rest = &code[at..];
        let c = rest.chars().next().expect("not the end");
        let (length, token) = match c {
            '/' if rest.starts_with("//") => comment(rest),
            '/' if rest.starts_with("/*") => (block_comment(rest), None),
            '"' => quoted(rest),
            '\'' => (character(rest), None),
            c if c.is_alphanumeric() || c == '_' => word_or_raw(rest),
            c if c.is_whitespace() => (c.len_utf8(), None),
            c => (c.len_utf8(), Some(Token::Sign(c))),
        };
        tokens.extend(token.map(|token| (line, token)));
        line += rest[..length].matches('\n').count();
        at += length;
    }
    tokens
}

type Piece<'a> = (usize, Option<Token<'a>>);

fn comment(rest: &str) -> Piece<'_> {
    let end = rest.find('\n').unwrap_or(rest.len());
    let is_documentation = ["///", "//!"].iter().any(|mark| rest.starts_with(mark));
    (end, is_documentation.then(|| Token::Comment(&rest[..end])))
}

/// The length of a comment in which others may lie.
fn block_comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        let here = &rest[at..];
        match here {
            _ if here.starts_with("/*") => (depth, at) = (depth + 1, at + 2),
            _ if here.starts_with("*/") => (depth, at) = (depth - 1, at + 2),
            _ => at += here.chars().next().map_or(1, char::len_utf8),
        }
        if depth == 0 {
            break;
        }
    }
    at
}

/// The length of a character; of a lifetime only its mark.
fn character(rest: &str) -> usize {
    let mut chars = rest.char_indices().skip(1);
    match chars.next() {
        Some((_, '\\')) => {
            let after = rest[3..].find('\'');
            after.map_or(1, |end| end + 4)
        }
        Some(_) => match chars.next() {
            Some((at, '\'')) => at + 1,
            _ => 1,
        },
        None => 1,
    }
}

fn quoted(rest: &str) -> Piece<'_> {
    let (mut text, mut chars) = (String::new(), rest.char_indices().skip(1).peekable());
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return (at + 1, Some(Token::Literal(text))),
            '\\' => match chars.next() {
                Some((_, '\n')) => while chars.next_if(|(_, c)| c.is_whitespace()).is_some() {},
                Some((_, 'n')) => text.push('\n'),
                Some((_, c)) => text.push(c),
                None => {}
            },
            c => text.push(c),
        }
    }
    (rest.len(), None)
}

/// A word, or a literal that one begins: `r"…"`, `br#"…"#`, `b"…"`, `b'…'`.
fn word_or_raw(rest: &str) -> Piece<'_> {
    let end = rest
        .find(|c: char| !c.is_alphanumeric() && c != '_')
        .unwrap_or(rest.len());
    let (word, after) = rest.split_at(end);
    let hashes = after.len() - after.trim_start_matches('#').len();
    let opens = after[hashes..].starts_with('"');
    match word {
        "r" | "br" | "cr" if opens => {
            let close = format!("\"{}", "#".repeat(hashes));
            let begin = end + hashes + 1;
            let length = rest[begin..].find(&close).unwrap_or(rest.len() - begin);
            let text = rest[begin..begin + length].to_string();
            (begin + length + close.len(), Some(Token::Literal(text)))
        }
        "b" | "c" if after.starts_with('"') => {
            let (length, token) = quoted(after);
            (end + length, token)
        }
        "b" if after.starts_with('\'') => (end + character(after), None),
        word => (end, Some(Token::Word(word))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(code: &str) -> Vec<String> {
        passages(code).into_iter().map(|one| one.text).collect()
    }

    #[test]
    fn literals_that_people_see_are_found() {
        let code = r##"
            // "not in a comment"
            /* "nor in /* a nested */ one" */
            fn f<'a>(c: char) -> &'a str {
                let quotes = ['"', '\'', '\\', '\u{22}', b'"'];
                panic!("not what only programmers read {}", "or in it again");
                x.expect("nor this of them");
                assert!(true, "nor that of them");
                let raw = r#"a raw "quoted" one"#;
                format!("one that goes \
                         on \"here\"\n{}", if c == 'x' { "and one within it" } else { "short one" })
            }
            #[cfg(test)]
            mod tests { const T: &str = "not of any test"; fn g() { h(&["no", "}"]) } }
            #[cfg(test)]
            use a::b;
            #[test]
            fn t() { let a = "not of a test"; }
            #[cfg(any(test, feature = "cli"))]
            const AFTER: &str = "after tests it goes on";
        "##;
        let found = [
            "a raw \"quoted\" one",
            "one that goes on \"here\"\n{}",
            "and one within it",
            "after tests it goes on",
        ];
        assert_eq!(texts(code), found);
    }

    #[test]
    fn comments_are_help_where_they_are_read() {
        let code = "//! Front page\n/// First line\n/// of two\nstruct A;\n// not this\n/// Second\nfn f() {\n}\n";
        assert_eq!(passages(code), []);
        let places = |found: Vec<Passage>| {
            let places = found.into_iter().map(|one| (one.line, one.text));
            places.collect::<Vec<_>>()
        };
        let front = [(1, "Front page\n".to_string())];
        assert_eq!(places(passages_and_front_page(code)), front);
        let code = code.replace("//! Front page", "use clap::Args;");
        let help = [
            (2, "First line\nof two\n".to_string()),
            (6, "Second\n".to_string()),
        ];
        assert_eq!(places(passages(&code)), help);
    }
}
