//! Reads golden files in every documented form of input.

use crate::support;
use flate2::read::GzDecoder;
use serde_json::Value;
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::sync::OnceLock;

/// One line of a golden file: inputs, and what the reference made of them under each setting.
#[derive(Clone)]
pub(super) struct Record {
    pub id: String,
    pub level: String,
    /// One text per segment; a single one at the sentence level.
    pub hypotheses: Vec<String>,
    /// The references of each segment, without missing ones.
    pub references: Vec<Vec<String>>,
    /// The source of each segment, if they are known.
    pub sources: Vec<String>,
    /// Settings and expected values, but for cases on which the reference raised an error: what a
    /// metric does there is its own to define.
    pub cases: Vec<(Value, Value)>,
    /// The whole line, for fields of one file only.
    pub line: Value,
}

/// The records of a golden file, or `None`, said aloud, if it is not there.
pub(super) fn golden(name: &str) -> Option<Vec<Record>> {
    let path = support::golden_dir().join(format!("{name}.jsonl.gz"));
    if !path.exists() {
        support::skip_golden(name);
        return None;
    }
    let lines: Vec<Value> = lines(&path).collect();
    let raised = lines
        .iter()
        .flat_map(|line| array(&line["cases"]))
        .filter(|case| raised(case));
    match raised.count() {
        0 => {}
        cases => support::say(
            "UNANCHORED",
            &format!("{name}: the reference raised in {cases} cases"),
        ),
    }
    let records: Vec<Record> = lines.into_iter().map(record).collect();
    assert!(!records.is_empty(), "{} is empty", path.display());
    Some(records)
}

/// The records of a file for open issues, or `None`, said aloud, if it is not there.
pub(super) fn next(name: &str) -> Option<Vec<Record>> {
    let path = support::next_dir().join(format!("{name}.jsonl.gz"));
    if !path.exists() {
        support::say("SKIPPED", name);
        return None;
    }
    Some(lines(&path).map(record).collect())
}

/// Whether the reference raised an error instead of giving a value.
fn raised(case: &Value) -> bool {
    case["expected"].get("error").is_some()
}

/// The records of one of our own files in `tests/golden/`, whose first line says how the others
/// were made.
pub(super) fn own(name: &str) -> Vec<Record> {
    own_lines(name).into_iter().map(record).collect()
}

/// The same as they are.
pub(super) fn own_lines(name: &str) -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut lines = lines(&folder.join(format!("{name}.jsonl")));
    let made = lines.next().expect("a first line");
    for key in ["tool", "version", "options"] {
        assert!(
            made[key].is_string(),
            "the first line of {name} does not give its {key}"
        );
    }
    let lines: Vec<Value> = lines.collect();
    assert!(!lines.is_empty(), "{name} has no cases");
    lines
}

fn lines(path: &Path) -> impl Iterator<Item = Value> + use<> {
    let shown = path.display().to_string();
    let file = File::open(path).unwrap_or_else(|error| panic!("{shown}: {error}"));
    let reader: Box<dyn Read> = if path.extension().is_some_and(|extension| extension == "gz") {
        Box::new(GzDecoder::new(file))
    } else {
        Box::new(file)
    };
    let parse = move |(number, line): (usize, std::io::Result<String>)| {
        let line = line.unwrap_or_else(|error| panic!("{shown}:{}: {error}", number + 1));
        serde_json::from_str(&line)
            .unwrap_or_else(|error| panic!("{shown}:{}: {error}", number + 1))
    };
    BufReader::new(reader).lines().enumerate().map(parse)
}

fn record(line: Value) -> Record {
    let (hypotheses, references) = input(&line);
    let id = line["id"].as_str().unwrap_or("?").to_string();
    let cases = array(&line["cases"]);
    let case = |case: &Value| (case["settings"].clone(), case["expected"].clone());
    let cases = cases
        .iter()
        .filter(|case| !raised(case))
        .map(case)
        .collect();
    Record {
        id,
        level: line["level"].as_str().unwrap_or("").to_string(),
        hypotheses,
        references,
        sources: sources(&line),
        cases,
        line,
    }
}

/// The texts of a line, in whichever form they are given; inline text goes before `gmeg`.
fn input(line: &Value) -> (Vec<String>, Vec<Vec<String>>) {
    if line["hyps"].is_array() {
        // A text by itself is one reference.
        let of_one = |one: &Value| match one {
            Value::String(text) => vec![text.clone()],
            several => texts(several),
        };
        let references = array(&line["refs"]).iter().map(of_one).collect();
        return (texts(&line["hyps"]), references);
    }
    if line["hyp"].is_string() {
        return (vec![text(&line["hyp"])], vec![texts(&line["refs"])]);
    }
    if line["gmeg"]["line"].is_u64() {
        let (hypothesis, references) = segment(&line["gmeg"], number(&line["gmeg"]["line"]));
        return (vec![hypothesis], vec![references]);
    }
    if line["gmeg"].is_object() {
        return series(&line["gmeg"]).into_iter().unzip();
    }
    if line["gmeg_join"].is_object() {
        let (hypothesis, references) = document(&line["gmeg_join"]);
        return (vec![hypothesis], vec![references]);
    }
    if line["gmeg_text"].is_object() {
        let at = &line["gmeg_text"];
        let item = item(&at["domain"], number(&at["line"]));
        return (
            vec![which(item, at["which"].as_str().unwrap_or(""))],
            Vec::new(),
        );
    }
    if line["text"].is_string() {
        return (vec![text(&line["text"])], Vec::new());
    }
    (Vec::new(), Vec::new())
}

/// The only text of a line that has one.
pub(super) fn text_of(line: &Value) -> String {
    let (texts, _) = input(line);
    let [text] = &texts[..] else {
        panic!("expected one text in {line}");
    };
    text.clone()
}

/// The sources of a corpus.
fn sources(line: &Value) -> Vec<String> {
    if line["srcs"].is_array() {
        return texts(&line["srcs"]);
    }
    let at = &line["gmeg"];
    if !at["count"].is_u64() {
        return Vec::new();
    }
    let (start, step) = (number(&at["start"]), number(&at["step"]));
    (0..number(&at["count"]))
        .map(|k| which(item(&at["domain"], start + k * step), "source"))
        .collect()
}

/// One segment of the corpus.
fn segment(at: &Value, line: u64) -> (String, Vec<String>) {
    let item = item(&at["domain"], line);
    let references = array(&at["refs"]).iter().filter_map(Value::as_str);
    let references = references.map(|name| which(item, name)).collect();
    (which(item, at["system"].as_str().unwrap_or("")), references)
}

/// The segments start, start + step, … of the corpus, `count` of them.
fn series(at: &Value) -> Vec<(String, Vec<String>)> {
    let (start, step) = (number(&at["start"]), number(&at["step"]));
    (0..number(&at["count"]))
        .map(|k| segment(at, start + k * step))
        .collect()
}

/// The segments first, …, first + n - 1 of such a series, joined into one text each.
fn document(at: &Value) -> (String, Vec<String>) {
    let (first, n) = (number(&at["first"]) as usize, number(&at["n"]) as usize);
    let joiner = at["joiner"].as_str().expect("a joiner");
    let parts = &series(at)[first..first + n];
    let join = |texts: Vec<&str>| texts.join(joiner);
    let references = (0..parts[0].1.len())
        .map(|k| {
            join(
                parts
                    .iter()
                    .map(|(_, references)| references[k].as_str())
                    .collect(),
            )
        })
        .collect();
    let hypothesis = join(
        parts
            .iter()
            .map(|(hypothesis, _)| hypothesis.as_str())
            .collect(),
    );
    (hypothesis, references)
}

/// A text of an item: `refK`, `source`, or a system's name.
fn which(item: &Value, name: &str) -> String {
    let reference = name
        .strip_prefix("ref")
        .and_then(|k| k.parse::<usize>().ok());
    let found = match reference {
        Some(k) => &item["refs"][k],
        None if item["systems"][name].is_string() => &item["systems"][name],
        None => &item[name],
    };
    assert!(found.is_string(), "the corpus has no `{name}` in {item}");
    text(found)
}

/// An item of `corpus/gmeg_test.jsonl.gz`, by domain and line.
fn item(domain: &Value, line: u64) -> &'static Value {
    static CORPUS: OnceLock<HashMap<(String, u64), Value>> = OnceLock::new();
    let corpus = CORPUS.get_or_init(|| {
        let path = support::golden_file("corpus/gmeg_test.jsonl.gz").expect("the golden corpus");
        lines(&path)
            .map(|item| ((text(&item["domain"]), number(&item["line"])), item))
            .collect()
    });
    let domain = text(domain);
    corpus
        .get(&(domain.clone(), line))
        .unwrap_or_else(|| panic!("the corpus has no {domain} {line}"))
}

fn array(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// The strings of a list; a missing (null) reference is none.
fn texts(list: &Value) -> Vec<String> {
    let present = array(list).iter().filter(|value| !value.is_null());
    present.map(text).collect()
}

fn text(value: &Value) -> String {
    match value.as_str() {
        Some(text) => text.to_string(),
        None => panic!("expected a text, found {value}"),
    }
}

fn number(value: &Value) -> u64 {
    value
        .as_u64()
        .unwrap_or_else(|| panic!("expected a number, found {value}"))
}

#[test]
fn inline_text_is_what_the_corpus_has() {
    for name in ["rouge_score", "sacrebleu_bleu"] {
        for record in golden(name).unwrap_or_default() {
            let mut line = record.line.clone();
            let fields = line.as_object_mut().unwrap();
            let inline = fields.remove("hyp").is_some();
            let listed = fields.contains_key("gmeg") || fields.contains_key("gmeg_join");
            if inline && listed {
                let expected = (record.hypotheses, record.references);
                assert_eq!(input(&line), expected, "{name} {}", record.id);
            }
        }
    }
}
