//! Ways to write the files of a tool that mean the same: each takes the files of a fixture, and returns others.

use crate::records::gzip;
use crate::support::variants;
use serde_json::{Map, Value};
use std::io::{Cursor, Read, Write};
use tiebreak::records::reader::with_nulls;

/// Files with their names.
pub(super) type Files = Vec<(String, Vec<u8>)>;

/// A way to write files.
pub(super) struct Way {
    pub name: &'static str,
    /// Returns the files in this way; `None` where none is another.
    pub rewrite: fn(&Files) -> Option<Files>,
    /// Whether records stand twice, which is counted.
    pub repeats: bool,
    /// The formats that have no such way, with blanks between.
    pub without: &'static str,
}

/// Formats whose records have no names, so that two alike are two.
const NAMELESS: &str = "appraise evalica fastchat-log judgearena preference ratings response-ab tables outcome-spellings \
    wide-ratings";

/// Formats in which a file is a run or a campaign of its own, or is known by its name.
const BY_FILE: &str = "appraise judge-batch langsmith-experiment lighteval lm-eval mlflow mlflow-genai pearmut \
    phoenix-evals phoenix-experiment";

const WAY: Way = Way {
    name: "",
    rewrite: |_| None,
    repeats: false,
    without: "",
};

#[allow(clippy::needless_update)] // a line may name all fields
pub(super) const WAYS: &[Way] = &variants![WAY => Way
    { name: "fields in another order", rewrite: |files| each(files, reversed) }
    { name: "unknown fields", rewrite: |files| each(files, with_unknown), without: "mlflow-eval-table" }
    { name: "nulls left out", rewrite: |files| by_records(files, without_nulls) }
    { name: "null scores as NaN", rewrite: |files| Some(files.iter().map(with_nan).collect()) }
    { name: "words in capitals", rewrite: |files| each(files, capitals), without: "outcome-spellings" }
    { name: "records that stand twice", rewrite: |files| by_records(files, twice), repeats: true, without: NAMELESS }
    { name: "records in two files", rewrite: split, without: BY_FILE }
    { name: "compressed", rewrite: |files| Some(files.iter().map(compressed).collect()), without: "mt-metrics-eval" }
    { name: "line ends of Windows", rewrite: |files| Some(files.iter().map(windows).collect()) }
];

/// The records of a file, whose form is kept.
enum Form {
    /// A record a line.
    Lines,
    /// A list of records.
    List,
    /// One object, in which the first list of objects at most two levels deep holds records.
    Object,
    /// A table with a header.
    Delimited(u8),
    /// An archive of objects.
    Zip,
}

fn form(name: &str, bytes: &[u8]) -> Option<Form> {
    let (_, ending) = name.rsplit_once('.')?;
    let first = bytes.trim_ascii_start().first();
    match ending {
        "jsonl" => Some(Form::Lines),
        "json" if first == Some(&b'[') => Some(Form::List),
        // Some tools write a record a line here too.
        "json" if values(bytes).len() > 1 => Some(Form::Lines),
        "json" => Some(Form::Object),
        "csv" => Some(Form::Delimited(b',')),
        "tsv" => Some(Form::Delimited(b'\t')),
        "eval" => Some(Form::Zip),
        _ => None,
    }
}

/// The values of a file of JSON, one after the other; NaN is null.
fn values(bytes: &[u8]) -> Vec<Value> {
    let non_finite = ["NaN", "Infinity", "-Infinity"];
    let bytes = with_nulls(bytes, |word| non_finite.contains(&word));
    let values = serde_json::Deserializer::from_slice(&bytes).into_iter();
    values.map_while(Result::ok).collect()
}

/// Rewrites every record on its own: the whole of an object too, and what it holds in lists.
fn each(files: &Files, change: fn(&mut Map<String, Value>)) -> Option<Files> {
    by_records(files, |records| {
        for record in records.iter_mut().filter_map(Value::as_object_mut) {
            change(record);
        }
    })
}

/// Rewrites the records of each file.
fn by_records(files: &Files, change: impl Fn(&mut Vec<Value>)) -> Option<Files> {
    let mut any = false;
    let files = files.iter().map(|(name, bytes)| {
        let written = written(name, bytes, &change);
        any |= written.as_ref().is_some_and(|written| written != bytes);
        (name.clone(), written.unwrap_or_else(|| bytes.clone()))
    });
    let files = files.collect();
    any.then_some(files)
}

fn written(name: &str, bytes: &[u8], change: &impl Fn(&mut Vec<Value>)) -> Option<Vec<u8>> {
    Some(match form(name, bytes)? {
        Form::Lines => {
            let mut records = values(bytes);
            change(&mut records);
            lines(&records)
        }
        Form::List | Form::Object => {
            let mut value = values(bytes).pop()?;
            inside(&mut value, change);
            value.to_string().into_bytes()
        }
        Form::Delimited(delimiter) => delimited(name, bytes, delimiter, change)?,
        Form::Zip => zipped(bytes, change),
    })
}

fn lines(records: &[Value]) -> Vec<u8> {
    let lines = records.iter().map(|record| format!("{record}\n"));
    lines.collect::<String>().into_bytes()
}

/// Changes the records of a document: the elements of its list, or of the lists in it, and the document itself where a
/// change does not add or remove records.
fn inside(value: &mut Value, change: &impl Fn(&mut Vec<Value>)) {
    fn walk(value: &mut Value, depth: usize, change: &impl Fn(&mut Vec<Value>)) {
        match value {
            Value::Array(records) if records.iter().any(Value::is_object) => change(records),
            Value::Object(fields) if depth > 0 => {
                for key in [
                    "results",
                    "samples",
                    "request_states",
                    "result",
                    "items",
                    "testCases",
                ] {
                    if let Some(inner) = fields.get_mut(key) {
                        walk(inner, depth - 1, change);
                    }
                }
                let mut own = vec![Value::Object(std::mem::take(fields))];
                change(&mut own);
                if let Some(Value::Object(changed)) = own.into_iter().next() {
                    *fields = changed;
                }
            }
            _ => {}
        }
    }
    // Lists lie two objects deep at most.
    walk(value, 2, change);
}

/// Changes the rows of a table, as objects of texts. A table without a header has none.
fn delimited(
    name: &str,
    bytes: &[u8],
    delimiter: u8,
    change: &impl Fn(&mut Vec<Value>),
) -> Option<Vec<u8>> {
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .from_reader(bytes);
    let header: Vec<String> = reader.headers().ok()?.iter().map(str::to_string).collect();
    let is_header = !header.iter().any(|cell| cell.parse::<f64>().is_ok());
    if !is_header || name.contains("leaderboard") {
        return None;
    }
    let mut records = Vec::new();
    for row in reader.records() {
        let row = row.ok()?;
        let cells = header.iter().cloned().zip(row.iter().map(Value::from));
        records.push(Value::Object(cells.collect()));
    }
    change(&mut records);
    let names: Vec<String> = records.first()?.as_object()?.keys().cloned().collect();
    let mut writer = csv::WriterBuilder::new()
        .delimiter(delimiter)
        .from_writer(Vec::new());
    writer.write_record(&names).unwrap();
    for record in &records {
        let cells = names.iter().map(|name| match &record[name] {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            other => other.to_string(),
        });
        writer.write_record(cells).unwrap();
    }
    writer.into_inner().ok()
}

/// Changes the members of an archive; those of samples are records.
fn zipped(bytes: &[u8], change: &impl Fn(&mut Vec<Value>)) -> Vec<u8> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut made = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for place in 0..archive.len() {
        let mut member = archive.by_index(place).unwrap();
        let name = member.name().unwrap().into_owned();
        let mut text = Vec::new();
        member.read_to_end(&mut text).unwrap();
        if name.starts_with("samples/") {
            let mut records = values(&text);
            change(&mut records);
            text = records[0].to_string().into_bytes();
        }
        made.start_file(name, zip::write::SimpleFileOptions::default())
            .unwrap();
        made.write_all(&text).unwrap();
    }
    made.finish().unwrap().into_inner()
}

/// Reverses the fields of an object, and of all objects in it but those that are texts of their own.
fn reversed(object: &mut Map<String, Value>) {
    fn turn(value: &mut Value) {
        match value {
            Value::Object(inner) => reversed(inner),
            Value::Array(list) => list.iter_mut().for_each(turn),
            _ => {}
        }
    }
    let fields = std::mem::take(object).into_iter().collect::<Vec<_>>();
    for (name, mut value) in fields.into_iter().rev() {
        if !["output", "vars", "doc"].contains(&name.as_str()) {
            turn(&mut value);
        }
        object.insert(name, value);
    }
}

fn with_unknown(object: &mut Map<String, Value>) {
    object.insert("zz_text".to_string(), "new".into());
    // A table has texts alone.
    if object.values().any(|value| !value.is_string()) {
        object.insert(
            "zz_list".to_string(),
            serde_json::json!([{"a": null}, ["b"]]),
        );
    }
}

/// Removes the fields that are null, but those of the first record, by which a format is known.
#[allow(clippy::ptr_arg)] // as other changes of records
fn without_nulls(records: &mut Vec<Value>) {
    let later = records.iter_mut().skip(1);
    for object in later.filter_map(Value::as_object_mut) {
        object.retain(|_, value| !value.is_null());
    }
}

/// Writes a null that stands for a number as Python does.
fn with_nan((name, bytes): &(String, Vec<u8>)) -> (String, Vec<u8>) {
    let text = match (name.contains(".json"), std::str::from_utf8(bytes)) {
        (true, Ok(text)) => ["score", "value", "preference"]
            .iter()
            .fold(text.replace("\": null", "\":null"), |text, key| {
                text.replace(&format!("\"{key}\":null"), &format!("\"{key}\":NaN"))
            }),
        _ => return (name.clone(), bytes.clone()),
    };
    (name.clone(), text.into_bytes())
}

/// Fields whose values are words of a list.
const WORDS: &str = "winner outcome g1_winner g2_winner selected selection type preference";

fn capitals(object: &mut Map<String, Value>) {
    fn walk(name: &str, value: &mut Value) {
        match value {
            Value::String(text) if WORDS.split(' ').any(|word| word == name) => {
                *text = text.to_uppercase();
            }
            Value::Object(inner) => inner.iter_mut().for_each(|(name, value)| walk(name, value)),
            Value::Array(list) => list.iter_mut().for_each(|value| walk(name, value)),
            _ => {}
        }
    }
    object
        .iter_mut()
        .for_each(|(name, value)| walk(name, value));
}

fn twice(records: &mut Vec<Value>) {
    *records = records
        .iter()
        .flat_map(|one| [one.clone(), one.clone()])
        .collect();
}

/// Puts the second half of the records of each file into another file beside it.
fn split(files: &Files) -> Option<Files> {
    let mut parts = Vec::new();
    for (name, bytes) in files {
        let halves = match form(name, bytes) {
            Some(Form::Lines) => Some(values(bytes)),
            Some(Form::List) => values(bytes).pop().and_then(|list| match list {
                Value::Array(records) => Some(records),
                _ => None,
            }),
            _ => None,
        };
        let is_known_by_name = [
            "display_predictions",
            "per_instance_stats",
            "dataset",
            "state",
        ];
        let Some(records) = halves.filter(|records| {
            records.len() > 1 && !is_known_by_name.iter().any(|known| name.contains(known))
        }) else {
            parts.push((name.clone(), bytes.clone()));
            continue;
        };
        let (one, other) = records.split_at(records.len() / 2);
        let is_list = matches!(form(name, bytes), Some(Form::List));
        let text = |records: &[Value]| match is_list {
            true => Value::from(records.to_vec()).to_string().into_bytes(),
            false => lines(records),
        };
        parts.push((name.clone(), text(one)));
        parts.push((second(name), text(other)));
    }
    (parts.len() > files.len()).then_some(parts)
}

/// The name of the second of two files.
pub(super) fn second(name: &str) -> String {
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    format!("{stem}-more.{ending}")
}

fn compressed((name, bytes): &(String, Vec<u8>)) -> (String, Vec<u8>) {
    let is_text = [".json", ".jsonl", ".csv", ".tsv"]
        .iter()
        .any(|ending| name.ends_with(ending));
    let is_kept = ["state.json", "dataset_dict.json"];
    match is_text
        && !is_kept
            .iter()
            .any(|kept| name.ends_with(&format!("/{kept}")))
    {
        true => (format!("{name}.gz"), gzip(bytes)),
        false => (name.clone(), bytes.clone()),
    }
}

/// Ends lines as Windows does; in cells of tables line breaks are texts.
fn windows((name, bytes): &(String, Vec<u8>)) -> (String, Vec<u8>) {
    (name.clone(), with_windows_ends(name, bytes))
}

fn with_windows_ends(name: &str, bytes: &[u8]) -> Vec<u8> {
    let is_binary = [".eval", ".arrow", ".parquet"]
        .iter()
        .any(|ending| name.ends_with(ending));
    let is_table = name.ends_with("sv");
    let Ok(text) = std::str::from_utf8(bytes) else {
        return bytes.to_vec();
    };
    let is_plain = |line: &str| line.matches('"').count().is_multiple_of(2);
    if is_binary || (is_table && !text.lines().all(is_plain)) || text.contains('\r') {
        return bytes.to_vec();
    }
    text.replace('\n', "\r\n").into_bytes()
}
