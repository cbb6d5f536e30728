//! Sentences, how long they are, and which words they hold.

use super::Passage;

/// The most words of a sentence.
const MOST_WORDS: usize = 25;

/// Words of our own, old words, and words for annotators, who are *they*.
const WORDS: &str = "
    bet bets betting deal deals dealt dealing stake stakes staked wealth told settle settled settles
    nobody whoever whomever whosoever thereof therein beside besides shall whom hopeless till lest
    hence thus upon certificate certificates she her hers herself he him his himself oneself
    annotation-complexity wherein";

/// Phrases of the same kinds.
const PHRASES: &str = "at large, takes for granted, take for granted, taken for granted, in the eyes of, in vain, \
    whose opinion, bear out, bears out, save for, of which, no longer than needed, what is \
    said of";

/// Words with a full stop that ends no sentence.
const ABBREVIATIONS: [&str; 5] = ["e.g.", "i.e.", "al.", "vs.", "cf."];

/// The sentences of a text that are too long, or have a word that not everybody knows.
pub(super) fn faults(text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for sentence in sentences(text) {
        let words = words(&sentence);
        if words.len() > MOST_WORDS {
            faults.push(format!("{} words: {sentence}", words.len()));
        }
        let spaced = format!(" {} ", words.join(" "));
        let private = WORDS.split_whitespace().chain(PHRASES.split(", "));
        let private: Vec<_> = private
            .filter(|one| spaced.contains(&format!(" {one} ")))
            .collect();
        if !private.is_empty() {
            faults.push(format!("{private:?}: {sentence}"));
        }
    }
    faults
}

/// The sentences of a text: a full stop ends one, and a colon or a semicolon where the next begins with a capital, a
/// quotation or a bracket; so do list items, cells of tables and empty lines.
fn sentences(text: &str) -> Vec<String> {
    let text = simplified(text);
    let (mut sentences, mut sentence) = (Vec::new(), String::new());
    let words: Vec<&str> = text.split_inclusive(char::is_whitespace).collect();
    for (at, word) in words.iter().enumerate() {
        sentence.push_str(word);
        let rest = &words[at + 1..];
        let is_break = word.ends_with('\n') && next_begins_block(rest);
        if is_break || ends_sentence(word.trim_end(), rest) || word.trim() == "|" {
            sentences.push(std::mem::take(&mut sentence));
        }
    }
    sentences.push(sentence);
    let one_line = |one: String| one.split_whitespace().collect::<Vec<_>>().join(" ");
    let sentences = sentences.into_iter().map(one_line);
    sentences
        .filter(|one| one.contains(char::is_alphanumeric))
        .collect()
}

/// Whether a sentence ends with a word, by the word and what follows it.
fn ends_sentence(word: &str, rest: &[&str]) -> bool {
    let next = rest.iter().find(|next| !next.trim().is_empty());
    let begins = next.is_none_or(|next| begins_sentence(next));
    let last = word.trim_end_matches(['"', ')', '*', '”']).chars().last();
    match last {
        Some('.' | '!' | '?') => begins || !ABBREVIATIONS.contains(&word),
        // Results with their intervals stand in a row.
        Some(';') if word.ends_with("];") => true,
        Some(':' | ';') => begins,
        _ => false,
    }
}

fn begins_sentence(word: &str) -> bool {
    let first = word.chars().next().unwrap_or(' ');
    first.is_uppercase() || first.is_ascii_digit() || "\"`*[(“…".contains(first)
}

/// Whether a new block begins after the end of a line: an empty line, a list item, a heading, a row of a table.
fn next_begins_block(rest: &[&str]) -> bool {
    let next = rest.first().map_or("", |word| word.trim());
    let is_numbered =
        next.ends_with('.') && next[..next.len() - 1].chars().all(|c| c.is_ascii_digit());
    next.is_empty()
        || is_numbered
        || ["-", "*", "|", ">", "▸", "•"].contains(&next)
        || next.starts_with('#')
}

/// A text where code, placeholders and addresses are one word each.
fn simplified(text: &str) -> String {
    let mut simple = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let end = match c {
            '`' => rest[1..].find('`').map(|end| end + 2),
            '{' if !rest.starts_with("{{") => rest.find('}').map(|end| end + 1),
            _ => None,
        };
        match end {
            Some(_) => simple.push('X'),
            None => simple.push(c),
        }
        rest = &rest[end.unwrap_or(c.len_utf8())..];
    }
    simple
}

/// The words of a sentence in lower case; signs and addresses are none.
fn words(sentence: &str) -> Vec<String> {
    let clean = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        word.to_lowercase()
    };
    let parts = sentence.split([' ', '/', '—']);
    parts.map(clean).filter(|word| !word.is_empty()).collect()
}

/// The paragraphs of a document in Markdown, without code and without the targets of links.
pub(super) fn paragraphs(document: &str) -> Vec<Passage> {
    let (mut passages, mut passage) = (
        Vec::new(),
        Passage {
            line: 1,
            text: String::new(),
        },
    );
    let mut is_code = false;
    for (at, line) in document.lines().enumerate() {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        if is_fence || is_code || line.trim().is_empty() {
            let next = Passage {
                line: at + 2,
                text: String::new(),
            };
            passages.push(std::mem::replace(&mut passage, next));
            continue;
        }
        passage.text.push_str(&without_targets(line));
        passage.text.push('\n');
    }
    passages.push(passage);
    passages.retain(|passage| !passage.text.is_empty());
    passages
}

/// A line of Markdown where `[words](target)` is `words`, and each cell of a table stands alone.
fn without_targets(line: &str) -> String {
    let mut plain = String::new();
    let mut rest = line;
    while let Some(at) = rest.find("](") {
        plain.push_str(&rest[..at]);
        rest = rest[at..].find(')').map_or("", |end| &rest[at + end + 1..]);
    }
    plain.push_str(rest);
    let plain = plain.replace(['[', ']'], "").replace("**", "");
    match line.trim_start().starts_with('|') {
        true => plain.replace('|', " | "),
        false => plain,
    }
}

/// The texts between the tags of a page; scripts and styles are none.
pub(super) fn elements(page: &str) -> Vec<Passage> {
    let (mut passages, mut rest, mut line) = (Vec::new(), page, 1);
    while let Some(open) = rest.find('<') {
        push_if_words(&mut passages, line, &rest[..open]);
        let mut hidden = ["script", "style", "svg"].into_iter();
        let hidden = hidden.find(|name| rest[open + 1..].starts_with(name));
        let close = hidden.map_or(">".to_string(), |name| format!("</{name}>"));
        let end = rest[open..]
            .find(&close)
            .map_or(rest.len(), |end| open + end + close.len());
        line += rest[..end].matches('\n').count();
        rest = &rest[end..];
    }
    push_if_words(&mut passages, line, rest);
    passages
}

/// The texts of a terminal: lines, and in tables their cells.
pub(super) fn cells(text: &str) -> Vec<Passage> {
    let mut passages = Vec::new();
    for (at, line) in text.lines().enumerate() {
        for cell in line.split("  ") {
            push_if_words(&mut passages, at + 1, cell);
        }
    }
    passages
}

fn push_if_words(passages: &mut Vec<Passage>, line: usize, text: &str) {
    if text.chars().any(char::is_alphabetic) {
        let text = text.trim().replace("&#39;", "'").replace("&quot;", "\"");
        passages.push(Passage { line, text });
    }
}

#[test]
fn planted_sentences_are_found() {
    let long = "word ".repeat(26);
    assert_eq!(faults(&long).len(), 1);
    assert_eq!(faults(&"word ".repeat(25)), Vec::<String>::new());
    for private in [
        "Nobody has answered yet.",
        "It was settled without people.",
        "systems of which one is best",
        "of people at large",
        "Her answers count.",
    ] {
        assert_eq!(faults(private).len(), 1, "{private}");
    }
    for plain in [
        "the estimator `betting` is in `code of which {nobody}`",
        "There are no answers yet. Sharing helps; nothing was retold.",
    ] {
        assert_eq!(faults(plain), Vec::<String>::new(), "{plain}");
    }
}

#[test]
fn sentences_end_where_readers_stop() {
    let ends = |text: &str| sentences(text).len();
    assert_eq!(ends("One. Two: three; four. five? \"Six.\" 7 is last."), 5);
    assert_eq!(ends("a value of 1.5 e.g. here, and\nso on"), 1);
    assert_eq!(ends("first\n- second\n- third\n\nfourth"), 4);
    assert_eq!(ends("| a cell | another |"), 2);
    let placeholders = "{} {name} {0:.3} of `tiebreak rank DATA` ".repeat(6);
    assert_eq!(words(&simplified(&placeholders)).len(), 30);
}

#[test]
fn documents_and_pages_are_read_without_their_marks() {
    let document =
        "# Title\nSee [the *page*](docs/a_long_name.md).\n\n```sh\ncode told\n```\n| a | b |\n";
    let texts: Vec<String> = paragraphs(document)
        .into_iter()
        .map(|one| one.text)
        .collect();
    assert_eq!(texts, ["# Title\nSee the *page*.\n", " |  a  |  b  | \n"]);
    let page = "<p class=\"told\">One</p>\n<script>told</script><td>1</td><b>two</b>";
    let found: Vec<_> = elements(page)
        .into_iter()
        .map(|one| (one.line, one.text))
        .collect();
    assert_eq!(found, [(1, "One".to_string()), (2, "two".to_string())]);
}
