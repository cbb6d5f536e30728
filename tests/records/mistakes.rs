//! Every mistake in a table is told with its place, what was found and what was expected.

use super::{Folder, gzip, zstd};
use crate::support::{assert_contains, table_rows};
use arrow_array::{ArrayRef, Date32Array, Float64Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use std::sync::Arc;
use tiebreak::records::{ColumnMapping, TableReader};

/// The bytes of a cell with escapes in it, compressed where it says so first.
fn bytes(cell: &str) -> Vec<u8> {
    for (name, compressed) in [("gzip", gzip as fn(&[u8]) -> Vec<u8>), ("zstd", zstd)] {
        if let Some(rest) = cell.strip_prefix(name) {
            return compressed(&bytes(rest.trim_start()));
        }
    }
    let mut parts = cell.split('\\');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let (escaped, rest) = match part.as_bytes() {
            [b'x', rest @ ..] => (u8::from_str_radix(&part[1..3], 16).unwrap(), &rest[2..]),
            [b'n', rest @ ..] => (b'\n', rest),
            [b't', rest @ ..] => (b'\t', rest),
            [b'r', rest @ ..] => (b'\r', rest),
            _ => panic!("\\{part}"),
        };
        bytes.push(escaped);
        bytes.extend(rest);
    }
    bytes
}

/// Tables that cannot be indexed: the name, the rows, the message after the name, and how its hint begins.
const TABLES: &str = r#"
outputs.jsonl | {"item": 1, "system": "a", "text": "x"} | :1: no column `output`; columns are item, system, text | map it with `columns.output = "NAME"`
comparisons.csv | item,system_a,system_b\n | :1: no column `outcome`; columns are item, system_a, system_b | map it with `columns.outcome = "NAME"`
judgments.jsonl | {"item": 1, "system": "a", "criterion": "c", "score": 1}\n{"item": 1, "system": "a", "score": 1} | :2: no column `criterion`; columns are item, system, score |

judgments.jsonl | {"item": 1, "system": "a", "criterion": "c", "score": "4"} | :1: `score` is "4", expected a finite number | write numbers without quotes
judgments.jsonl | {"item": 1, "system": "a", "criterion": "c", "score": [4]} | :1: `score` is a list, expected a finite number |
judgments.jsonl | {"item": 1, "system": "a", "criterion": "c", "score": {"a": 4}} | :1: `score` is an object, expected a finite number |
judgments.jsonl | {"item": 1, "system": "a", "criterion": "c", "score": Infinity} | :1: `score` is "inf", expected a finite number |
judgments.jsonl | {"item": 1, "system": "a", "criterion": "c", "score": -Infinity} | :1: `score` is "-inf", expected a finite number |
judgments.jsonl | {"item": 1, "system": "a", "criterion": "c", "score": "true"} | :1: `score` is "true", expected a finite number |
judgments.csv | item,system,criterion,score\n1,a,c,high\n | :2: `score` is "high", expected a finite number |
judgments.csv | item,system,criterion,score\n1,a,c,NaN\n | :2: `score` is "NaN", expected a finite number |
judgments.csv | item,system,criterion,score\n1,a,c,inf\n | :2: `score` is "inf", expected a finite number |
outputs.jsonl | {"item": 1, "system": "a", "output": null} | :1: `output` is null, expected a string |
outputs.jsonl | {"item": 1, "system": "a", "output": "x", "references": [1, {}]} | :1: `references` is a list, expected a list of strings or one string |
outputs.jsonl | {"item": 123456789012345678901234567890, "system": "a", "output": "x"} | :1: `item` is 123456789012345680000000000000, expected a string | a number this large is not exact
comparisons.jsonl | {"item": 1, "system_a": "a", "system_b": "b", "outcome": 1, "seconds": -2} | :1: `seconds` is -2, expected a number not below 0 |
comparisons.jsonl | {"item": 1, "system_a": "a", "system_b": "b", "outcome": 1, "price": "5 €"} | :1: `price` is "5 €", expected a finite number |

comparisons.jsonl | {"item": 1, "system_a": "a", "system_b": "b", "outcome": 2} | :1: outcome is 2, expected 0, 0.5 or 1 |
comparisons.jsonl | {"item": 1, "system_a": "a", "system_b": "b", "outcome": 0.4} | :1: outcome is 0.4, expected 0, 0.5 or 1 |
comparisons.jsonl | {"item": 1, "system_a": "a", "system_b": "b", "outcome": "won"} | :1: outcome is won, expected 0, 0.5 or 1 |
comparisons.jsonl | {"item": 1, "system_a": "a", "system_b": "b", "outcome": true} | :1: outcome is true, expected 0, 0.5 or 1 |
comparisons.tsv | item\tsystem_a\tsystem_b\toutcome\n1\ta\tb\t0.50\n1\ta\tb\t-1\n | :3: outcome is -1, expected 0, 0.5 or 1 |

outputs.jsonl | {"item": "", "system": "a", "output": "x"} | :1: `item` is empty, expected a name |
outputs.csv | item,system,output\n1,,x\n | :2: `system` is empty, expected a name |
comparisons.jsonl | {"item": 1, "system_a": "a", "system_b": "a", "outcome": 1} | :1: system `a` is compared with itself |
"#;

#[test]
fn rows_that_no_table_may_hold() {
    for [name, rows, message, hint] in table_rows(TABLES) {
        let rows = String::from_utf8(bytes(rows)).unwrap();
        let (found, advice) = Folder::with(&[(name, &rows)]).mistake();
        assert_eq!(found, format!("{name}{message}"), "{rows}");
        assert!(advice.starts_with(hint), "{message}: hint is {advice:?}");
    }
}

/// Files that cannot be read, likewise.
const FILES: &str = r#"
o.jsonl | | : the file is empty |
o.csv | | : the file is empty |
o.tsv | | : the file is empty |
o.parquet | | : the file is empty |
o.arrow | | : the file is empty |
o.jsonl.gz | gzip | : the file is empty |
o.csv.zst | zstd | : the file is empty |
o.jsonl | \xef\xbb\xbf | : the file is empty |
o.csv | \n\r\n | : the file is empty |
o.jsonl.gz | gzip gzip {} | : compressed twice, expected text inside | unpack it once, as with gunzip or unzstd
o.csv | item,system,output\n1,a,x\nitem,system,output\n2,a,y\n | :3: the header again, expected a row | files were joined with their headers: leave this line out

o.jsonl | {"item": 1}\n{"item": 1, "output": "x y | :2: the record ends too early (truncated?): EOF while parsing a string | a record is one JSON object on one line
o.jsonl.gz | {"item": 1}\n | : not gzip-compressed, though its name ends in .gz | if it is plain, rename it to o.jsonl
o.jsonl.zst | {"item": 1}\n | : not zstd-compressed, though its name ends in .zst | if it is plain, rename it to o.jsonl
o.jsonl | gzip {"item": 1}\n | : gzip-compressed, but its name does not end in .gz | rename it to end in .gz
o.csv | zstd {"item": 1}\n | : zstd-compressed, but its name does not end in .zst | rename it to end in .zst

o.jsonl | {"item": 1}\n{"item": "\xff"}\n | :2: invalid UTF-8 at byte 11 |
o.csv | item,output\n1,"two\nlines"\n2,\xe9t\xe9\n | :4: invalid UTF-8 in cell 2 |
o.csv | \xff\xfei\x00t\x00e\x00m\x00 | : UTF-16 text, expected UTF-8 | save the file as UTF-8, such as: iconv -f utf-16 -t utf-8
o.csv | PK\x03\x04\x14\x00\x06\x00\x08\xff | : an Excel workbook or another zip archive, expected text | save the sheet as CSV (UTF-8) in the spreadsheet program
o.xlsx | PK\x03\x04\x14\x00 | : cannot tell the format from the name | save the sheet as CSV (UTF-8) in the spreadsheet program
o.jsonl | PAR1\x15\x04\x15\xff | : a Parquet file, expected text | rename it to end in .parquet
o.tsv | ARROW1\x00\x00\xff\xff | : an Arrow file, expected text | rename it to end in .arrow
o.feather | FEA1.... | : Feather version 1, expected Arrow | write it again
o.txt | x | : cannot tell the format from the name | a table's name ends in jsonl

o.jsonl | {"item": 1}\n{"item": 1,}\n | :2: broken JSON at column 12: trailing comma |
o.jsonl | {"a": 1} {"a": 2}\n | :1: broken JSON at column 10: trailing characters |
o.jsonl | {"a": 1, "b": 2, "a": 3}\n | :1: column `a` appears twice | columns 1 and 3 are called so
o.jsonl | [{"a": 1}]\n | :1: a list, expected an object | write one JSON object a line, without a list around them
o.jsonl | 7\n | :1: 7, expected an object at column 1 |
o.jsonl | {\n  "item": 1\n}\n | :1: the record ends too early (truncated?): EOF while parsing an object | a record is one JSON object on one line

o.csv | a,b\n1,2\n1,2,3\n | :3: cells: 3, expected 2 as in the header | a cell that holds the delimiter or a line break must be in double quotes
o.tsv | a\tb\n\n1\n | :3: cells: 1, expected 2 as in the header | a cell that holds the delimiter or a line break must be in double quotes
o.csv | a,b\n1,"2\n3,4\n | :2: a double quote is opened and never closed | a cell that begins
o.csv | a,b\n1,"2"3\n | :2: text after the closing double quote of a cell | double the quotes
o.csv | a,b\r1,2\r3,4\r | :1: a carriage return in the line, expected lines that end in \n or \r\n | its lines may end as on a classic Mac
o.csv | a,"b"\r1,2\r | :1: a carriage return in the line, expected lines that end in \n or \r\n | its lines may end as on a classic Mac
o.csv | a,b\r\r\n1,2\r\r\n | :1: a carriage return in the line, expected lines that end in \n or \r\n | its lines end in \r\r\n
o.csv | a,b,a\n1,2,3\n | :1: column `a` appears twice | columns 1 and 3 are called so: delete all but one, or give them names of their own, such as `a 2`
o.csv | a,b, a \n1,2,3\n | :1: column `a` appears twice | columns 1 and 3 are called so
o.csv | a,b,,\n1,2,,\n1,2,3,\n | :3: a cell in a column without a name | the first line names the columns
o.csv | ,,\na,b,\n | :1: no column has a name | the first line names the columns
"#;

#[test]
fn files_that_cannot_be_read() {
    let folder = Folder::new();
    for [name, content, message, hint] in table_rows(FILES) {
        folder.write(name, bytes(content));
        let (found, advice) = folder.misread(name);
        assert_eq!(found, format!("{name}{message}"), "{content}");
        assert!(advice.starts_with(hint), "{message}: hint is {advice:?}");
    }
    let missing = folder.misread("none.csv");
    assert_eq!(missing.0, "none.csv: no such file or folder");
    let header_only = Folder::with(&[("comparisons.csv", "item,system_a,system_b,outcome\n")]);
    assert_eq!(header_only.index().unwrap().items(), 0);
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
fn files_that_are_cut() {
    let lines = (0..20_000).map(|n| format!("{{\"item\": {n}, \"noise\": {}}}\n", n * n % 7919));
    let long = lines.collect::<String>();
    let half = |whole: Vec<u8>| whole[..whole.len() / 2].to_vec();
    let early = "the file ends too early (truncated?), after line ";
    let no_table = b"item,system\n1,a\n".to_vec();
    let folder = Folder::new();
    for (name, bytes, start) in [
        ("o.jsonl.gz", half(gzip(long.as_bytes())), early),
        ("o.jsonl.zst", half(zstd(long.as_bytes())), early),
        (
            "o.parquet",
            no_table.clone(),
            "not a readable Parquet (truncated?): ",
        ),
        ("o.arrow", no_table, "not a readable Arrow (truncated?): "),
    ] {
        folder.write(name, bytes);
        let (message, _) = folder.misread(name);
        assert!(
            message.starts_with(&format!("{name}: {start}")),
            "{message}"
        );
    }
}

#[test]
fn a_column_called_a_criterion_makes_scores_judgments() {
    let rows = "item,system,metric,value\n1,a,fluency,3\n1,b,fluency,4\n";
    let folder = Folder::with(&[("c.csv", rows)]);
    let names = [("criterion", "metric"), ("score", "value")];
    let columns = names.map(|(name, file)| (name.to_string(), file.to_string()));
    let set = tiebreak::records::Dataset::open(folder.path().join("c.csv"), &columns).unwrap();
    let index = tiebreak::records::Index::build(&set).unwrap();
    assert_eq!(index.rows(tiebreak::records::Kind::Judgments), 2);
}

#[test]
fn judgments_under_a_criterion_may_stand_next_to_their_outputs() {
    let rows = "item,system,output,criterion,score,annotator\n1,a,x,fluency,3,ann\n1,a,x,adequacy,4,ann\n\
                1,b,y,fluency,2,ann\n1,b,y,fluency,5,ben\n";
    let folder = Folder::with(&[("c.csv", rows)]);
    let set = tiebreak::records::Dataset::open(folder.path().join("c.csv"), &[]).unwrap();
    let index = tiebreak::records::Index::build(&set).unwrap();
    let kinds = [
        tiebreak::records::Kind::Outputs,
        tiebreak::records::Kind::Judgments,
    ];
    assert_eq!(kinds.map(|kind| index.rows(kind)), [2, 4]);
}

#[test]
fn epochs_are_repeats() {
    let rows = "item,system,output,epoch,score\n1,a,x,0,0\n1,a,y,1,1\n1,a,z,2,0\n";
    let folder = Folder::with(&[("c.csv", rows)]);
    let set = tiebreak::records::Dataset::open(folder.path().join("c.csv"), &[]).unwrap();
    let index = tiebreak::records::Index::build(&set).unwrap();
    assert_eq!(index.criteria(), ["score"]);
    let judged = &index.decoded(0..1).unwrap()[0].judgments;
    let repeats: Vec<Option<&str>> = judged.iter().map(|one| one.repeat.as_deref()).collect();
    assert_eq!(repeats, [Some("0"), Some("1"), Some("2")]);
}

#[test]
fn hints_have_the_whole_command() {
    let wide = "item,source,reference,atlas,birch\n1,s,r,x,y\n";
    let rated = "id,system,output,rating\n1,atlas,x,3\n";
    let folder = Folder::with(&[("wide.csv", wide), ("rated.csv", rated)]);
    let hint = |file: &str, columns: &[(String, String)]| {
        let path = folder.path().join(file);
        let error = tiebreak::records::Dataset::open(&path, columns).unwrap_err();
        folder.told(&error).1
    };
    assert_eq!(
        hint("wide.csv", &[]),
        "a row of outputs has `item`, `system` and `output`; a table with a column for each system is read by \
         `tiebreak import --wide wide.csv --system COLUMN --out DIR`"
    );
    assert_eq!(
        hint("rated.csv", &[("item".into(), "id".into())]),
        "say which: tiebreak import rated.csv --column item=id --criteria rating --out DIR or \
         tiebreak import rated.csv --column item=id --criteria none --out DIR"
    );
}

#[test]
fn a_lone_file_that_is_not_outputs() {
    let folder = Folder::with(&[
        ("pairs.csv", "item,system_a,rank\n1,a,1\n"),
        ("texts.csv", "item,output,tokens\n1,x,one\n"),
    ]);
    let open = |file: &str, columns: &[(&str, &str)]| {
        let own = |(name, in_file): &(&str, &str)| (name.to_string(), in_file.to_string());
        let columns: Vec<(String, String)> = columns.iter().map(own).collect();
        let read = tiebreak::records::Dataset::open(folder.path().join(file), &columns);
        let read = read.and_then(|set| tiebreak::records::Index::build(&set).map(drop));
        folder.told(&read.unwrap_err())
    };
    let (message, hint) = open("pairs.csv", &[]);
    let unknown = "pairs.csv: no known format; pairs.csv has item, system_a, rank";
    assert_eq!(message, unknown);
    assert_contains(
        &hint,
        &[
            "A table has for outputs item, system and output; for votes item, system_a, system_b, outcome and annotator; for",
            "Map columns of other names with `columns.outcome = \"NAME\"`",
        ],
    );
    let (message, hint) = open("texts.csv", &[]);
    let lacking = "texts.csv:1: no column `system`; columns are item, output, tokens";
    assert_eq!(message, lacking);
    assert!(hint.starts_with("a lone file of outputs has a row for each."));
    // What is typed wrong is named before what is missing because of it.
    for (file, column) in [("pairs.csv", "outcome"), ("texts.csv", "system")] {
        let (message, hint) = open(file, &[(column, "tokns")]);
        let what = format!("{file}: no table has a column `tokns`, to which `{column}` is mapped");
        assert_eq!(message, what);
        assert_eq!(hint.contains("did you mean `tokens`?"), file == "texts.csv");
    }
}

#[test]
fn names_of_columns_have_no_blanks_around_them_and_empty_columns_need_none() {
    let folder = Folder::with(&[(
        "votes.csv",
        "Item ;System A; System B;winner;;\n1;a;b;a;;\n2;a;b;b;;\n",
    )]);
    let mapped = [
        ("item", "Item"),
        ("system_a", "System A"),
        ("system_b", "System B"),
    ];
    let mapped = mapped.map(|(name, in_file)| (name.to_string(), in_file.to_string()));
    let set = tiebreak::records::Dataset::open(folder.path().join("votes.csv"), &mapped).unwrap();
    assert_eq!(tiebreak::records::Index::build(&set).unwrap().items(), 2);
    let told = set.imported().unwrap().to_string();
    assert_contains(&told, &["votes.csv: 2 columns without a name, not read"]);
}
