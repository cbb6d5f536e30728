//! Every form of a table gives the same rows.

use super::{Folder, groups, gzip, rows, zstd};
use crate::support::assert_contains;
use arrow_array::builder::{Float64Builder, ListBuilder, StringBuilder};
use arrow_array::types::{Float64Type, Int8Type, Int32Type};
use arrow_array::{
    ArrayRef, Decimal32Array, Decimal128Array, DictionaryArray, FixedSizeListArray, Float16Array,
    Float32Array, Float64Array, Int8Array, Int16Array, Int32Array, LargeListArray,
    LargeListViewArray, LargeStringArray, ListArray, ListViewArray, RecordBatch, StringArray,
    StringViewArray, UInt8Array, UInt32Array, UInt64Array,
};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use parquet::arrow::ArrowWriter;
use std::path::PathBuf;
use std::sync::Arc;
use tiebreak::records::reader::CellValue;
use tiebreak::records::{ColumnMapping, Dataset, Index, Kind, Row, TableReader};

/// Item, system, output, references and score of each row.
type Read = (String, String, String, Vec<String>, Option<f64>);

fn expected() -> Vec<Read> {
    let texts = |texts: &[&str]| texts.iter().map(ToString::to_string).collect();
    let row = |item: &str, system: &str, output: &str, references, score| {
        let [item, system, output] = [item, system, output].map(String::from);
        (item, system, output, references, score)
    };
    vec![
        row(
            "1",
            "a",
            "It said \"so\", twice",
            texts(&["x", "y, z"]),
            Some(0.5),
        ),
        row("1", "b", "", texts(&["one"]), None),
        row("seg\t2", "a", "two\nlines é\0", texts(&[]), Some(-3.0)),
    ]
}

fn read(row: &Row) -> Read {
    (
        row.text("item").unwrap(),
        row.text("system").unwrap(),
        row.text("output").unwrap(),
        row.optional_texts("references")
            .unwrap()
            .unwrap_or_default(),
        row.optional_number("score").unwrap(),
    )
}

fn jsonl() -> String {
    let lines = expected()
        .into_iter()
        .map(|(item, system, output, references, score)| {
            serde_json::json!({
                "item": item, "system": system, "output": output, "references": references,
                "score": score, "ranking_id": {"kept": ["as", 1]},
            })
            .to_string()
        });
    lines.collect::<Vec<_>>().join("\n")
}

fn delimited(delimiter: u8) -> Vec<u8> {
    let mut writer = csv::WriterBuilder::new()
        .delimiter(delimiter)
        .from_writer(Vec::new());
    let header = ["item", "system", "output", "references", "score"];
    writer.write_record(header).unwrap();
    for (item, system, output, references, score) in expected() {
        let references = match references.as_slice() {
            [one] => one.clone(),
            several => serde_json::to_string(several).unwrap(),
        };
        let score = score.map_or(String::new(), |score| score.to_string());
        writer
            .write_record([item, system, output, references, score])
            .unwrap();
    }
    writer.into_inner().unwrap()
}

/// A batch whose strings, lists and numbers are of the kinds given.
fn batch(kind: usize) -> RecordBatch {
    let rows = expected();
    let column = |field: fn(&Read) -> &String| -> ArrayRef {
        let values = rows.iter().map(|row| field(row).as_str());
        match kind {
            0 => Arc::new(StringArray::from_iter_values(values)),
            1 => Arc::new(LargeStringArray::from_iter_values(values)),
            2 => Arc::new(StringViewArray::from_iter_values(values)),
            _ => Arc::new(values.collect::<DictionaryArray<Int32Type>>()),
        }
    };
    let mut references = ListBuilder::new(StringBuilder::new());
    for row in &rows {
        references.append_value(row.3.iter().map(Some));
    }
    let references: ListArray = references.finish();
    let scores = rows.iter().map(|row| row.4);
    let score: ArrayRef = if kind == 0 {
        Arc::new(scores.collect::<Float64Array>())
    } else {
        Arc::new(
            scores
                .map(|s| s.map(|s| s as f32))
                .collect::<Float32Array>(),
        )
    };
    RecordBatch::try_from_iter_with_nullable([
        ("item", column(|row| &row.0), false),
        ("system", column(|row| &row.1), false),
        ("output", column(|row| &row.2), false),
        ("references", Arc::new(references) as ArrayRef, true),
        ("score", score, true),
        (
            "rank",
            Arc::new(Int32Array::from(vec![1, 2, 3])) as ArrayRef,
            true,
        ),
    ])
    .unwrap()
}

fn parquet(batch: &RecordBatch) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
    bytes
}

/// As Spark partitions a table, at any depth.
#[test]
fn folders_of_parquet_name_their_systems() {
    let texts = |texts: [&str; 2]| {
        let column = |values: [&str; 2]| Arc::new(StringArray::from(values.to_vec())) as ArrayRef;
        let batch =
            RecordBatch::try_from_iter([("item", column(["1", "2"])), ("output", column(texts))]);
        parquet(&batch.unwrap())
    };
    let folder = Folder::new();
    folder.write("day=1/system=a/part-0.parquet", texts(["x", "y"]));
    folder.write("day=1/system=b%20c/part-0.parquet", texts(["x", "z"]));
    folder.write("_SUCCESS", "");
    let set = Dataset::open(folder.path(), &[]).unwrap();
    let index = Index::build(&set).unwrap();
    assert_eq!(index.systems(), ["a", "b c"]);
    assert_eq!(index.rows(Kind::Outputs), 4);
    // The same bytes elsewhere are another system's.
    let digest = |name: &str| {
        let path = folder.write(name, texts(["x", "y"]));
        Dataset::open(path, &[]).unwrap().digests().unwrap().all
    };
    assert_ne!(
        digest("system=a/lone.parquet"),
        digest("system=d/lone.parquet")
    );
}

fn arrow_file(batches: &[RecordBatch]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = FileWriter::try_new(&mut bytes, &batches[0].schema()).unwrap();
    for batch in batches {
        writer.write(batch).unwrap();
    }
    writer.finish().unwrap();
    drop(writer);
    bytes
}

fn arrow_stream(batch: &RecordBatch) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = StreamWriter::try_new(&mut bytes, &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.finish().unwrap();
    drop(writer);
    bytes
}

#[test]
fn every_form_gives_the_same_rows() {
    let folder = Folder::new();
    let (jsonl, csv, tsv) = (jsonl().into_bytes(), delimited(b','), delimited(b'\t'));
    let crlf = jsonl.iter().flat_map(|&byte| match byte {
        b'\n' => vec![b'\r', b'\n'],
        byte => vec![byte],
    });
    let mut two_members = gzip(&jsonl[..40]);
    two_members.extend(gzip(&jsonl[40..]));
    let mut files: Vec<(String, Vec<u8>)> = vec![
        ("o.jsonl".into(), jsonl.clone()),
        ("crlf.ndjson".into(), crlf.collect()),
        (
            "bom.jsonl".into(),
            [b"\xef\xbb\xbf", jsonl.as_slice()].concat(),
        ),
        (
            "blank.jsonl".into(),
            [b"\n  \n", jsonl.as_slice(), b"\n\n"].concat(),
        ),
        ("o.jsonl.gz".into(), gzip(&jsonl)),
        ("members.jsonl.gz".into(), two_members),
        ("o.jsonl.zst".into(), zstd(&jsonl)),
        ("o.csv".into(), csv.clone()),
        ("bom.csv".into(), [b"\xef\xbb\xbf", csv.as_slice()].concat()),
        ("o.csv.gz".into(), gzip(&csv)),
        ("o.csv.zst".into(), zstd(&csv)),
        ("o.tsv".into(), tsv.clone()),
        ("o.tsv.gz".into(), gzip(&tsv)),
        ("o.tsv.zst".into(), zstd(&tsv)),
        ("stream.arrow".into(), arrow_stream(&batch(0))),
    ];
    for kind in 0..4 {
        files.push((format!("{kind}.parquet"), parquet(&batch(kind))));
        files.push((format!("{kind}.arrow"), arrow_file(&[batch(kind)])));
        files.push((format!("{kind}.feather"), arrow_file(&[batch(kind)])));
    }
    for (name, bytes) in files {
        let read: Vec<Read> = rows(&folder.write(&name, bytes)).iter().map(read).collect();
        assert_eq!(read, expected(), "{name}");
    }
}

/// Outputs whose rows repeat their item, source and references or not, beside a column that means nothing.
fn outputs(other: &str) -> [String; 4] {
    let rows = [
        (r#""1""#, "a", "null", r#"["x"]"#),
        (r#""1""#, "b", "null", r#"["x"]"#),
        (r#""1""#, "c", r#""s""#, r#"["x"]"#),
        (r#""1""#, "d", r#""s""#, "null"),
        (r#""2""#, "a", r#""s""#, r#"["x"]"#),
        (r#""2""#, "b", r#""s""#, r#"["x"]"#),
        (r#""3""#, "a", "null", r#"["x","y"]"#),
        (r#""3""#, "b", "null", other),
    ];
    let line = |(item, system, source, references): (&str, &str, &str, &str)| {
        format!(
            r#"{{"note":"n","item":{item},"system":"{system}","output":"o","source":{source},"references":{references}}}"#
        )
    };
    let lines = rows.map(line).join("\n");
    let name = |text: &str| text.trim_matches('"').to_string();
    let columns = [0, 1, 2].map(|column| {
        let texts = rows.map(|row| name([row.0, row.1, row.2][column]));
        texts.join(",")
    });
    let [items, systems, sources] = columns;
    [lines, items, systems, sources]
}

#[test]
fn rows_that_repeat_others_mean_the_same_in_every_form() {
    for (other, fits) in [
        (r#"["x","y"]"#, true),
        (r#"["x"]"#, false),
        (r#"["x","z"]"#, false),
    ] {
        let [lines, items, systems, sources] = outputs(other);
        let folder = Folder::new();
        folder.write("outputs.jsonl", lines.as_bytes());
        let expected = folder.index().map(|index| groups(&index));
        assert_eq!(expected.is_ok(), fits);
        let references: Vec<Option<Vec<String>>> = lines
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
            .map(|row| serde_json::from_value(row["references"].clone()).unwrap())
            .collect();
        for kind in 0..3 {
            let batch = repeating(kind, [&items, &systems, &sources], &references);
            for (name, bytes) in [
                ("outputs.parquet", parquet(&batch)),
                ("outputs.arrow", arrow_file(std::slice::from_ref(&batch))),
            ] {
                let folder = Folder::new();
                folder.write(name, bytes);
                match (folder.index(), &expected) {
                    (Ok(index), Ok(expected)) => assert_eq!(&groups(&index), expected, "{name}"),
                    (Err(error), Err(_)) => {
                        let found = error.to_string();
                        assert_contains(&found, &["row 8: item `3` has another list"]);
                    }
                    _ => panic!("{name} fits: {}", !fits),
                }
            }
        }
    }
}

/// The same as texts, as views, or as dictionaries.
fn repeating(kind: usize, names: [&str; 3], references: &[Option<Vec<String>>]) -> RecordBatch {
    let column = |names: &str| -> ArrayRef {
        let texts = names
            .split(',')
            .map(|text| (text != "null").then_some(text));
        match kind {
            0 => Arc::new(texts.collect::<StringArray>()),
            1 => Arc::new(texts.collect::<StringViewArray>()),
            _ => Arc::new(texts.collect::<DictionaryArray<Int32Type>>()),
        }
    };
    let mut lists = ListBuilder::new(StringBuilder::new());
    for texts in references {
        lists.append_option(texts.as_ref().map(|texts| texts.iter().map(Some)));
    }
    let notes = references.iter().map(|_| Some("note"));
    let outputs = references.iter().map(|_| Some("o"));
    RecordBatch::try_from_iter_with_nullable([
        (
            "note",
            Arc::new(notes.collect::<StringArray>()) as ArrayRef,
            true,
        ),
        ("item", column(names[0]), true),
        ("system", column(names[1]), true),
        ("output", Arc::new(outputs.collect::<StringArray>()), true),
        ("source", column(names[2]), true),
        ("references", Arc::new(lists.finish()), true),
    ])
    .unwrap()
}

#[test]
fn a_record_is_located_by_the_line_on_which_it_starts() {
    let folder = Folder::new();
    let csv = "item,output\r\n\r\n1,\"two\r\nlines\"\r\n2,x\r\n";
    let lines = |path: PathBuf| -> Vec<String> {
        let at = |row: &Row| row.at().to_string();
        let places = rows(&path).iter().map(at).collect::<Vec<_>>();
        let folder = folder.path().display().to_string();
        places
            .iter()
            .map(|place| place.replace(&folder, ""))
            .collect()
    };
    assert_eq!(lines(folder.write("o.csv", csv)), ["/o.csv:3", "/o.csv:5"]);
    let jsonl = "{\"item\": 1}\n\n{\"item\": 2}\n";
    assert_eq!(
        lines(folder.write("o.jsonl", jsonl)),
        ["/o.jsonl:1", "/o.jsonl:3"]
    );
    let arrow = arrow_file(&[batch(0), batch(0)]);
    let places = lines(folder.write("o.arrow", arrow));
    assert_eq!(places[0], "/o.arrow: row 1");
    assert_eq!(places[5], "/o.arrow: row 6");
}

#[test]
fn numbers_and_truth_values_are_read_as_names() {
    let folder = Folder::new();
    let jsonl = r#"{"a": 7, "b": 7.0, "c": true, "d": 18446744073709551615, "e": 0.25}"#;
    let row = &rows(&folder.write("o.jsonl", jsonl))[0];
    let texts = ["a", "b", "c", "d", "e"].map(|name| row.text(name).unwrap());
    assert_eq!(texts, ["7", "7", "true", "18446744073709551615", "0.25"]);
    let batch = RecordBatch::try_from_iter([
        ("a", Arc::new(UInt64Array::from(vec![u64::MAX])) as ArrayRef),
        ("b", Arc::new(Float64Array::from(vec![2.0])) as ArrayRef),
    ]);
    let row = &rows(&folder.write("o.parquet", parquet(&batch.unwrap())))[0];
    assert_eq!(row.text("a").unwrap(), "18446744073709551615");
    assert_eq!(row.text("b").unwrap(), "2");
    assert_eq!(row.cell("b"), Some(&CellValue::Float(2.0)));
}

#[test]
fn columns_are_mapped() {
    let folder = Folder::with(&[("o.csv", "seg,item\n1,x\n")]);
    let columns = ColumnMapping::new([("item".to_string(), "seg".to_string())]);
    let rows = TableReader::open(&folder.path().join("o.csv"), &columns).unwrap();
    assert_eq!(rows.columns(), ["seg", "item"]);
    assert_eq!(rows.last().unwrap().unwrap().text("item").unwrap(), "1");
}

#[test]
fn lists_of_numbers_are_read_from_every_form() {
    let folder = Folder::new();
    let jsonl = rows(&folder.write("p.jsonl", r#"{"draws": [0.5, 1]}"#));
    assert_eq!(jsonl[0].numbers("draws").unwrap(), [0.5, 1.0]);
    let csv = rows(&folder.write("p.csv", "draws\n\"[0.5, 1]\"\n"));
    assert_eq!(csv[0].numbers("draws").unwrap(), [0.5, 1.0]);
    let mut list = ListBuilder::new(Float64Builder::new());
    list.append_value([Some(0.5), Some(1.0)]);
    let batch = RecordBatch::try_from_iter([("draws", Arc::new(list.finish()) as ArrayRef)]);
    let arrow = rows(&folder.write("p.arrow", arrow_file(&[batch.unwrap()])));
    assert_eq!(arrow[0].numbers("draws").unwrap(), [0.5, 1.0]);
}

/// Every width and kind of a type gives the same cells, in what was cut from a longer array too.
#[test]
fn every_kind_of_number_and_list_is_read() {
    let folder = Folder::new();
    let read = |array: ArrayRef| {
        let cut = RecordBatch::try_from_iter([("x", array)])
            .unwrap()
            .slice(1, 2);
        let rows = rows(&folder.write("o.arrow", arrow_stream(&cut)));
        let cells = rows.iter().map(|row| row.cell("x").cloned());
        cells.map(Option::unwrap).collect::<Vec<CellValue>>()
    };
    let integers: [ArrayRef; 5] = [
        Arc::new(Int8Array::from(vec![Some(1), Some(2), None])),
        Arc::new(Int16Array::from(vec![Some(1), Some(2), None])),
        Arc::new(UInt8Array::from(vec![Some(1), Some(2), None])),
        Arc::new(UInt32Array::from(vec![Some(1), Some(2), None])),
        Arc::new(UInt64Array::from(vec![Some(1), Some(2), None])),
    ];
    for array in integers {
        assert_eq!(read(array), [CellValue::Integer(2), CellValue::Null]);
    }
    let half = [1.0f32, 0.25].map(|value| Some(arrow_half(value)));
    let small = Decimal32Array::from(vec![Some(100), Some(25), None]);
    let large = Decimal128Array::from(vec![Some(1000), Some(250), None]);
    let floats: [ArrayRef; 4] = [
        Arc::new(half.into_iter().chain([None]).collect::<Float16Array>()),
        Arc::new(Float32Array::from(vec![Some(1.0), Some(0.25), None])),
        Arc::new(small.with_precision_and_scale(5, 2).unwrap()),
        Arc::new(large.with_precision_and_scale(9, 3).unwrap()),
    ];
    for array in floats {
        assert_eq!(read(array), [CellValue::Float(0.25), CellValue::Null]);
    }
    let given = || {
        [
            Some(vec![Some(9.0), Some(8.0)]),
            Some(vec![Some(0.5), None]),
            None,
        ]
    };
    let lists: [ArrayRef; 5] = [
        Arc::new(ListArray::from_iter_primitive::<Float64Type, _, _>(given())),
        Arc::new(LargeListArray::from_iter_primitive::<Float64Type, _, _>(
            given(),
        )),
        Arc::new(FixedSizeListArray::from_iter_primitive::<Float64Type, _, _>(given(), 2)),
        Arc::new(ListViewArray::from(ListArray::from_iter_primitive::<
            Float64Type,
            _,
            _,
        >(given()))),
        Arc::new(LargeListViewArray::from(
            LargeListArray::from_iter_primitive::<Float64Type, _, _>(given()),
        )),
    ];
    for array in lists {
        let list = CellValue::List(vec![CellValue::Float(0.5), CellValue::Null]);
        assert_eq!(read(array), [list, CellValue::Null]);
    }
    let words: DictionaryArray<Int8Type> = [Some("a"), Some("b"), None].into_iter().collect();
    assert_eq!(
        read(Arc::new(words)),
        [CellValue::Text("b".into()), CellValue::Null]
    );
}

/// A number of half precision, whose type is of a crate that is not ours.
fn arrow_half(
    value: f32,
) -> <arrow_array::types::Float16Type as arrow_array::ArrowPrimitiveType>::Native {
    use arrow_array::types::Float16Type;
    type Half = <Float16Type as arrow_array::ArrowPrimitiveType>::Native;
    Half::from_f32(value)
}

#[test]
fn a_folder_of_parts_is_read_in_the_order_of_its_paths() {
    let folder = Folder::with(&[
        ("scores/a/part-0001.csv", "n\n2\n"),
        ("scores/a/part-0000.csv", "n\n0\n1\n"),
        ("scores/b/part-0000.jsonl", "{\"n\": 3}\n"),
        ("scores/run.toml", "n = 9"),
        ("scores/.part-0002.csv.tmp", "n\n9\n"),
    ]);
    let numbers = rows(&folder.path().join("scores"));
    let numbers: Vec<f64> = numbers.iter().map(|row| row.number("n").unwrap()).collect();
    assert_eq!(numbers, [0.0, 1.0, 2.0, 3.0]);
}

#[test]
fn a_folder_without_files_called_parts_is_all_its_tables() {
    let folder = Folder::with(&[
        ("scores/chrf.csv", "n\n1\n"),
        ("scores/bleu.jsonl", "{\"n\": 0}\n"),
        ("scores/.chrf.csv", "n\n9\n"),
        ("scores/_summary.csv", "n\n9\n"),
        ("none/run.toml", "n = 9"),
    ]);
    let numbers = rows(&folder.path().join("scores"));
    let numbers: Vec<f64> = numbers.iter().map(|row| row.number("n").unwrap()).collect();
    assert_eq!(numbers, [0.0, 1.0]);
    let none = TableReader::open(&folder.path().join("none"), &ColumnMapping::default());
    let (message, hint) = folder.told(&none.err().unwrap());
    assert_eq!(message, "none: a folder without tables");
    assert!(
        hint.starts_with("tables are files ending in jsonl"),
        "{hint}"
    );
}

#[test]
fn the_schemas_metadata_is_kept() {
    let folder = Folder::new();
    let batch = batch(0);
    let metadata = [("signature".to_string(), "chrf|version:1".to_string())];
    let schema = batch
        .schema()
        .as_ref()
        .clone()
        .with_metadata(metadata.into());
    let batch = batch.with_schema(Arc::new(schema)).unwrap();
    for (name, bytes) in [
        ("s.arrow", arrow_file(std::slice::from_ref(&batch))),
        ("s.parquet", parquet(&batch)),
    ] {
        let rows =
            TableReader::open(&folder.write(name, bytes), &ColumnMapping::default()).unwrap();
        assert_eq!(rows.metadata()["signature"], "chrf|version:1");
    }
}

#[test]
fn a_cut_or_altered_binary_file_is_an_error_and_never_a_panic() {
    let folder = Folder::new();
    let read = |name: &str, bytes: &[u8]| {
        let rows = TableReader::open(&folder.write(name, bytes), &ColumnMapping::default());
        rows.and_then(Iterator::collect::<tiebreak::Result<Vec<Row>>>)
    };
    let whole = [
        ("o.parquet", parquet(&batch(0))),
        ("o.arrow", arrow_file(&[batch(3)])),
        // A stream has no end mark that must be there: a cut between batches cannot be told.
        ("stream.arrow", arrow_stream(&batch(0))),
    ];
    for (name, bytes) in whole {
        for length in (0..bytes.len()).step_by(5) {
            let cut = read(name, &bytes[..length]);
            let told = cut.is_err() || name == "stream.arrow";
            assert!(told, "{name} cut at {length}");
        }
    }
    let parquet = parquet(&batch(0));
    for at in (0..parquet.len()).step_by(3) {
        let mut altered = parquet.clone();
        altered[at] ^= 0x55;
        // It may still make sense; but a reader that panics must not take us along.
        let _ = read("o.parquet", &altered);
    }
}

#[test]
fn very_long_lines_are_read() {
    let folder = Folder::new();
    let long = "é".repeat(3_000_000);
    let jsonl = folder.write("o.jsonl", serde_json::json!({ "output": long }).to_string());
    assert_eq!(rows(&jsonl)[0].text("output").unwrap(), long);
    let csv = folder.write("o.csv", format!("output\n\"{long}\"\n"));
    assert_eq!(rows(&csv)[0].text("output").unwrap(), long);
}
