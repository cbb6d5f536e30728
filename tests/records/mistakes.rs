//! Every mistake in a table is told with its place, what was found and what was expected.

use super::{Folder, gzip, zstd};
use arrow_array::{ArrayRef, Date32Array, Float64Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use std::sync::Arc;
use tiebreak::records::{ColumnMapping, TableReader};

/// Indexes one table and compares the message.
fn says(table: &str, text: &str, message: &str) {
    hints(table, text, message, "");
}

/// Indexes one table and compares the message and the start of the hint.
fn hints(table: &str, text: &str, message: &str, hint: &str) {
    let (found, advice) = Folder::with(&[(table, text)]).mistake();
    assert_eq!(found, message);
    assert!(advice.starts_with(hint), "{message}: hint is {advice:?}");
}

/// Reads one file and compares the message and the start of the hint.
fn misread(name: &str, bytes: impl AsRef<[u8]>, message: &str, hint: &str) {
    let folder = Folder::new();
    folder.write(name, bytes);
    let (found, advice) = folder.misread(name);
    assert_eq!(found, message);
    assert!(advice.starts_with(hint), "{message}: hint is {advice:?}");
}

#[test]
fn a_column_that_is_missing() {
    hints(
        "outputs.jsonl",
        r#"{"item": 1, "system": "a", "text": "x"}"#,
        "outputs.jsonl:1: no column `output`; columns are item, system, text",
        "map it with `columns.output = \"NAME\"`",
    );
    // In a table with a header even before the first row.
    hints(
        "comparisons.csv",
        "item,system_a,system_b\n",
        "comparisons.csv:1: no column `outcome`; columns are item, system_a, system_b",
        "map it with `columns.outcome = \"NAME\"`",
    );
    // In JSON Lines at any row.
    says(
        "judgments.jsonl",
        "{\"item\": 1, \"system\": \"a\", \"criterion\": \"c\", \"score\": 1}\n{\"item\": 1, \"system\": \"a\", \"score\": 1}",
        "judgments.jsonl:2: no column `criterion`; columns are item, system, score",
    );
}

#[test]
fn a_value_of_the_wrong_type() {
    let judgment = |score: &str| {
        format!(r#"{{"item": 1, "system": "a", "criterion": "c", "score": {score}}}"#)
    };
    let wrong =
        |found: &str| format!("judgments.jsonl:1: `score` is {found}, expected a finite number");
    hints(
        "judgments.jsonl",
        &judgment("\"4\""),
        &wrong("\"4\""),
        "write numbers without quotes",
    );
    says("judgments.jsonl", &judgment("[4]"), &wrong("a list"));
    says(
        "judgments.jsonl",
        &judgment("{\"a\": 4}"),
        &wrong("an object"),
    );
    says("judgments.jsonl", &judgment("true"), &wrong("true"));
    for (score, found) in [("high", "\"high\""), ("NaN", "\"NaN\""), ("inf", "\"inf\"")] {
        says(
            "judgments.csv",
            &format!("item,system,criterion,score\n1,a,c,{score}\n"),
            &format!("judgments.csv:2: `score` is {found}, expected a finite number"),
        );
    }
    says(
        "outputs.jsonl",
        r#"{"item": 1, "system": "a", "output": null}"#,
        "outputs.jsonl:1: `output` is null, expected a string",
    );
    says(
        "outputs.jsonl",
        r#"{"item": 1, "system": "a", "output": "x", "references": [1, {}]}"#,
        "outputs.jsonl:1: `references` is a list, expected a list of strings or one string",
    );
    hints(
        "outputs.jsonl",
        r#"{"item": 123456789012345678901234567890, "system": "a", "output": "x"}"#,
        "outputs.jsonl:1: `item` is 123456789012345680000000000000, expected a string",
        "a number this large is not exact",
    );
    says(
        "comparisons.jsonl",
        r#"{"item": 1, "system_a": "a", "system_b": "b", "outcome": 1, "seconds": -2}"#,
        "comparisons.jsonl:1: `seconds` is -2, expected a number not below 0",
    );
    says(
        "comparisons.jsonl",
        r#"{"item": 1, "system_a": "a", "system_b": "b", "outcome": 1, "price": "5 €"}"#,
        "comparisons.jsonl:1: `price` is \"5 €\", expected a finite number",
    );
}

#[test]
fn a_value_of_the_wrong_type_in_a_binary_file() {
    let folder = Folder::new();
    let batch = RecordBatch::try_from_iter([
        (
            "item",
            Arc::new(StringArray::from(vec!["1", "2"])) as ArrayRef,
        ),
        (
            "system",
            Arc::new(StringArray::from(vec!["a", "a"])) as ArrayRef,
        ),
        (
            "criterion",
            Arc::new(Date32Array::from(vec![1, 2])) as ArrayRef,
        ),
        (
            "score",
            Arc::new(Float64Array::from(vec![1.0, f64::NAN])) as ArrayRef,
        ),
    ])
    .unwrap();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let path = folder.write("judgments.parquet", bytes);
    assert_eq!(
        folder.mistake().0,
        "judgments.parquet: row 1: `criterion` is of type Date32, expected a string"
    );
    let mut rows = TableReader::open(&path, &ColumnMapping::default()).unwrap();
    let error = rows.nth(1).unwrap().unwrap().number("score").unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("row 2: `score` is NaN, expected a finite number")
    );
}

#[test]
fn an_outcome_that_is_none() {
    let json = |outcome: &str| {
        format!(r#"{{"item": 1, "system_a": "a", "system_b": "b", "outcome": {outcome}}}"#)
    };
    for (outcome, found) in [
        ("2", "2"),
        ("0.4", "0.4"),
        ("\"won\"", "won"),
        ("true", "true"),
    ] {
        says(
            "comparisons.jsonl",
            &json(outcome),
            &format!("comparisons.jsonl:1: outcome is {found}, expected 0, 0.5 or 1"),
        );
    }
    says(
        "comparisons.tsv",
        "item\tsystem_a\tsystem_b\toutcome\n1\ta\tb\t0.50\n1\ta\tb\t-1\n",
        "comparisons.tsv:3: outcome is -1, expected 0, 0.5 or 1",
    );
}

#[test]
fn names_that_are_empty_or_the_same() {
    says(
        "outputs.jsonl",
        r#"{"item": "", "system": "a", "output": "x"}"#,
        "outputs.jsonl:1: `item` is empty, expected a name",
    );
    says(
        "outputs.csv",
        "item,system,output\n1,,x\n",
        "outputs.csv:2: `system` is empty, expected a name",
    );
    says(
        "comparisons.jsonl",
        r#"{"item": 1, "system_a": "a", "system_b": "a", "outcome": 1}"#,
        "comparisons.jsonl:1: system `a` is compared with itself",
    );
}

#[test]
fn files_with_nothing_in_them() {
    for name in ["o.jsonl", "o.csv", "o.tsv", "o.parquet", "o.arrow"] {
        misread(name, "", &format!("{name}: the file is empty"), "");
    }
    misread("o.jsonl.gz", gzip(b""), "o.jsonl.gz: the file is empty", "");
    misread(
        "o.jsonl.gz",
        gzip(&gzip(b"{}")),
        "o.jsonl.gz: compressed twice, expected text inside",
        "unpack it once, as with gunzip or unzstd",
    );
    misread(
        "o.csv",
        "item,system,output\n1,a,x\nitem,system,output\n2,a,y\n",
        "o.csv:3: the header again, expected a row",
        "files were joined with their headers: leave this line out",
    );
    misread("o.csv.zst", zstd(b""), "o.csv.zst: the file is empty", "");
    misread("o.jsonl", "\u{feff}", "o.jsonl: the file is empty", "");
    misread("o.csv", "\n\r\n", "o.csv: the file is empty", "");
    let header_only = Folder::with(&[("comparisons.csv", "item,system_a,system_b,outcome\n")]);
    assert_eq!(header_only.index().unwrap().items(), 0);
}

#[test]
fn files_that_are_cut() {
    let line = "{\"item\": 1, \"system\": \"a\", \"output\": \"x y z\"}\n";
    let lines = (0..20_000).map(|n| format!("{{\"item\": {n}, \"noise\": {}}}\n", n * n % 7919));
    let long = lines.collect::<Vec<_>>().concat();
    for (name, whole) in [
        ("o.jsonl.gz", gzip(long.as_bytes())),
        ("o.jsonl.zst", zstd(long.as_bytes())),
    ] {
        let folder = Folder::new();
        folder.write(name, &whole[..whole.len() / 2]);
        let (message, _) = folder.misread(name);
        let start = format!("{name}: the file ends too early (truncated?), after line ");
        assert!(message.starts_with(&start), "{message}");
    }
    misread(
        "o.jsonl",
        [line, &line[..30]].concat(),
        "o.jsonl:2: the record ends too early (truncated?): EOF while parsing a string",
        "a record is one JSON object on one line",
    );
    misread(
        "o.jsonl.gz",
        line,
        "o.jsonl.gz: not gzip-compressed, though its name ends in .gz",
        "if it is plain, rename it to o.jsonl",
    );
    misread(
        "o.jsonl.zst",
        line,
        "o.jsonl.zst: not zstd-compressed, though its name ends in .zst",
        "if it is plain, rename it to o.jsonl",
    );
    misread(
        "o.jsonl",
        gzip(line.as_bytes()),
        "o.jsonl: gzip-compressed, but its name does not end in .gz",
        "rename it to end in .gz",
    );
    misread(
        "o.csv",
        zstd(line.as_bytes()),
        "o.csv: zstd-compressed, but its name does not end in .zst",
        "rename it to end in .zst",
    );
}

#[test]
fn text_that_is_not_utf8() {
    misread(
        "o.jsonl",
        b"{\"item\": 1}\n{\"item\": \"\xff\"}\n",
        "o.jsonl:2: invalid UTF-8 at byte 11",
        "",
    );
    misread(
        "o.csv",
        b"item,output\n1,\"two\nlines\"\n2,\xe9t\xe9\n",
        "o.csv:4: invalid UTF-8 in cell 2",
        "",
    );
    misread(
        "o.csv",
        b"\xff\xfei\0t\0e\0m\0",
        "o.csv: UTF-16 text, expected UTF-8",
        "save the file as UTF-8, such as: iconv -f utf-16 -t utf-8 ",
    );
}

#[test]
fn files_that_are_no_text_though_their_name_says_so() {
    let sheet = "save the sheet as CSV (UTF-8) in the spreadsheet program";
    misread(
        "o.csv",
        b"PK\x03\x04\x14\0\x06\0\x08\xff",
        "o.csv: an Excel workbook or another zip archive, expected text",
        sheet,
    );
    misread(
        "o.xlsx",
        b"PK\x03\x04\x14\0",
        "o.xlsx: cannot tell the format from the name",
        sheet,
    );
    misread(
        "o.jsonl",
        b"PAR1\x15\x04\x15\xff",
        "o.jsonl: a Parquet file, expected text",
        "rename it to end in .parquet",
    );
    misread(
        "o.tsv",
        b"ARROW1\0\0\xff\xff",
        "o.tsv: an Arrow file, expected text",
        "rename it to end in .arrow",
    );
}

#[test]
fn json_that_is_broken() {
    misread(
        "o.jsonl",
        "{\"item\": 1}\n{\"item\": 1,}\n",
        "o.jsonl:2: broken JSON at column 12: trailing comma",
        "",
    );
    misread(
        "o.jsonl",
        "{\"a\": 1} {\"a\": 2}\n",
        "o.jsonl:1: broken JSON at column 10: trailing characters",
        "",
    );
    misread(
        "o.jsonl",
        "{\"a\": 1, \"b\": 2, \"a\": 3}\n",
        "o.jsonl:1: column `a` appears twice",
        "",
    );
    misread(
        "o.jsonl",
        "[{\"a\": 1}]\n",
        "o.jsonl:1: a list, expected an object",
        "write one JSON object a line, without a list around them",
    );
    misread(
        "o.jsonl",
        "7\n",
        "o.jsonl:1: 7, expected an object at column 1",
        "",
    );
    misread(
        "o.jsonl",
        "{\n  \"item\": 1\n}\n",
        "o.jsonl:1: the record ends too early (truncated?): EOF while parsing an object",
        "a record is one JSON object on one line",
    );
}

#[test]
fn csv_that_is_broken() {
    let hint = "a cell that holds the delimiter or a line break must be in double quotes";
    misread(
        "o.csv",
        "a,b\n1,2\n1,2,3\n",
        "o.csv:3: cells: 3, expected 2 as in the header",
        hint,
    );
    misread(
        "o.tsv",
        "a\tb\n\n1\n",
        "o.tsv:3: cells: 1, expected 2 as in the header",
        hint,
    );
    misread(
        "o.csv",
        "a,b\n1,\"2\n3,4\n",
        "o.csv:2: a double quote is opened and never closed",
        "a cell that begins",
    );
    misread(
        "o.csv",
        "a,b\n1,\"2\"3\n",
        "o.csv:2: text after the closing double quote of a cell",
        "double the quotes",
    );
    for (text, hint) in [
        ("a,b\r1,2\r3,4\r", "its lines may end as on a classic Mac"),
        ("a,\"b\"\r1,2\r", "its lines may end as on a classic Mac"),
        ("a,b\r\r\n1,2\r\r\n", "its lines end in \\r\\r\\n"),
    ] {
        misread(
            "o.csv",
            text,
            "o.csv:1: a carriage return in the line, expected lines that end in \\n or \\r\\n",
            hint,
        );
    }
    misread(
        "o.csv",
        "a,b,a\n1,2,3\n",
        "o.csv:1: column `a` appears twice",
        "",
    );
}

#[test]
fn files_that_are_not_what_their_name_says() {
    let folder = Folder::new();
    for name in ["o.parquet", "o.arrow"] {
        folder.write(name, "item,system\n1,a\n");
        let (message, _) = folder.misread(name);
        let form = if name == "o.arrow" {
            "Arrow"
        } else {
            "Parquet"
        };
        let start = format!("{name}: not a readable {form} (truncated?): ");
        assert!(message.starts_with(&start), "{message}");
    }
    misread(
        "o.feather",
        "FEA1....",
        "o.feather: Feather version 1, expected Arrow",
        "write it again",
    );
    misread(
        "o.txt",
        "x",
        "o.txt: cannot tell the format from the name",
        "a table's name ends in jsonl",
    );
    let missing = folder.misread("none.csv");
    assert_eq!(missing.0, "none.csv: no such file or folder");
}

#[test]
fn a_lone_file_that_is_not_outputs() {
    let folder = Folder::with(&[("pairs.csv", "item,system_a,rank\n1,a,1\n")]);
    let path = folder.path().join("pairs.csv");
    let dataset = tiebreak::records::Dataset::open(&path, &[]).unwrap();
    let error = tiebreak::records::Index::build(&dataset).err().unwrap();
    let (message, hint) = folder.told(&error);
    assert_eq!(
        message,
        "pairs.csv:1: no column `system`; columns are item, system_a, rank"
    );
    assert!(hint.starts_with("a lone file is read as `outputs`; put any other table in a folder"));
}
