//! What another tool's files hold is taken, left out and counted, or refused with its place: nothing is lost silently, and
//! what is imported can be opened.

use super::formats::{dropped, from, index, refused, table};
use super::{Folder, groups};
use crate::support::assert_contains;
use arrow_array::{
    ArrayRef, BinaryArray, BinaryViewArray, Date32Array, Int64Array, LargeBinaryArray, RecordBatch,
    StringArray,
};
use expect_test::expect;
use parquet::arrow::ArrowWriter;
use serde_json::json;
use std::sync::Arc;
use tiebreak::records::import::{ImportOptions, ImportSummary, Nulls, WideTableOptions};
use tiebreak::records::{Dataset, Index};

fn imported(folder: &Folder, inputs: &[&str]) -> ImportSummary {
    from(folder, inputs, &ImportOptions::default()).unwrap()
}

fn refusal(folder: &Folder, input: &str) -> (String, String) {
    refused(folder, &[input], &ImportOptions::default())
}

/// How a lone file ends that is read where it lies.
fn read_in_place(folder: &Folder, file: &str) -> (String, String) {
    let outcome = Dataset::open(folder.path().join(file), &[]).and_then(|set| Index::build(&set));
    folder.told(&outcome.err().expect("a mistake"))
}

const SCORED: &str = "ana,atlas,1,TGT,en,de,SCORE,doc#atlas,False,[],10.0,20.0\n\
                      ana,cedar,1,TGT,en,de,60,doc#cedar,False,[],30.0,40.0\n";

#[test]
fn a_score_that_is_no_finite_number_is_refused_in_text_forms() {
    for word in ["nan", "inf", "-Infinity", "1e400", "x"] {
        let folder = Folder::with(&[("scores.csv", &SCORED.replace("SCORE", word))]);
        let (message, _) = refusal(&folder, "scores.csv");
        let expected = format!("scores.csv:1: cell 7 is `{word}`, expected a number");
        assert_eq!(message, expected, "also where it is in the first row");
    }
    let folder = Folder::with(&[
        ("set/sources/en-de.txt", "One.\n"),
        ("set/system-outputs/en-de/atlas.txt", "Eins.\n"),
        ("set/human-scores/en-de.mqm.seg.score", "atlas\tnan\n"),
    ]);
    let (message, _) = refusal(&folder, "set");
    assert_eq!(
        message,
        "set/human-scores/en-de.mqm.seg.score:1: score is nan, expected a number or None"
    );
}

const SAMPLE: &str = r#"{"doc_id":0,"doc":{},"target":"4","arguments":{"gen_args_0":{"arg_0":"2+2?","arg_1":{}}},"resps":[["4"]],"filtered_resps":["4"],"filter":"none","metrics":["acc"],"doc_hash":"h","acc":SCORE}"#;
const RESULT: &str = r#"{"promptIdx":0,"testIdx":0,"score":SCORE,"namedScores":{},"provider":{"id":"atlas"},"vars":{"q":"x"},"prompt":{"raw":"x","label":"x"},"response":{"output":"y"}}"#;

#[test]
fn the_only_score_of_an_old_log_is_read_under_its_scorer() {
    let log = |results: &str| {
        format!(
            r#"{{"version":2,"eval":{{"task":"t","model":"ant"}},"results":{results},"samples":[{{"id":1,"epoch":1,"input":"x","target":"y","output":{{"completion":"z"}},"score":{{"value":"C"}}}}]}}"#
        )
    };
    for (results, criterion) in [
        (r#"{"scorer":{"name":"match"},"metrics":{}}"#, "match"),
        (r#"{"scores":[{"name":"model_graded"}]}"#, "model_graded"),
        ("null", "score"),
    ] {
        let folder = Folder::with(&[("log.json", &log(results))]);
        imported(&folder, &["log.json"]);
        let rows = table(&folder, "judgments");
        assert_eq!(rows.len(), 1, "{results}");
        assert_eq!(
            (&rows[0]["criterion"], &rows[0]["score"]),
            (&criterion.into(), &1.0.into())
        );
    }
}

#[test]
fn conversations_that_a_cell_spells_are_read_and_others_counted() {
    let said = |answer: &str, gap: &str| {
        format!(
            "[{{'content': \"it's\", 'role': 'user'}}{gap}{{'content': '{answer}', 'role': 'assistant'}}]"
        )
    };
    let votes = |conversations: [&str; 2]| {
        let cells = conversations.map(|text| format!("\"{}\"", text.replace('"', "\"\"")));
        format!(
            "question_id,model_a,model_b,winner,judge,conversation_a,conversation_b,turn\n81,ant,bee,model_a,e,{},{},1\n",
            cells[0], cells[1]
        )
    };
    for gap in [", ", "\n "] {
        let both = [said("yo", gap), said("ya", gap)];
        let folder = Folder::with(&[("votes.csv", &votes([&both[0], &both[1]]))]);
        let read = imported(&folder, &["votes.csv"]);
        assert_eq!(dropped(&read), [], "{gap:?}");
        let group = &groups(&index(&folder))[0];
        assert_eq!(group.source.as_deref(), Some("it's"));
        let texts: Vec<&str> = group.outputs.iter().map(|one| &*one.text).collect();
        assert_eq!(texts, ["yo", "ya"]);
    }
    let cut = said("yo", " ...\n ");
    let folder = Folder::with(&[("votes.csv", &votes([&cut, &cut]))]);
    let read = imported(&folder, &["votes.csv"]);
    assert_eq!((read.comparisons, read.outputs), (1, 0));
    assert_eq!(
        dropped(&read),
        [("texts of a battle: no list of messages", 1)]
    );
}

#[test]
fn a_list_of_references_may_have_nan_in_it() {
    let table =
        "item,system,output,references\n1,ant,x,\"['r1', nan]\"\n1,bee,y,\"['r1', None]\"\n";
    let folder = Folder::with(&[("o.csv", table)]);
    let read = imported(&folder, &["o.csv"]);
    assert_eq!(dropped(&read), [("a null among references", 2)]);
    assert_eq!(read.outputs, 2);
    assert_eq!(groups(&index(&folder))[0].references, ["r1"]);
}

#[test]
fn a_first_line_that_names_the_delimiter_is_no_header() {
    let table = "sep=;\r\nitem;system;output\r\n1;ant;x, y\r\n1;bee;z\r\n";
    let quoted = table.replace("sep=;", "\"sep=;\"");
    let piped = table.replace(';', "|");
    let folder = Folder::with(&[("a.csv", table), ("B.CSV", &quoted), ("c.csv", &piped)]);
    for file in ["a.csv", "B.CSV", "c.csv"] {
        imported(&folder, &[file]);
        let rows = self::table(&folder, "outputs");
        assert_eq!(rows[0]["output"], "x, y", "{file}");
        assert_eq!(rows.len(), 2);
    }
}

#[test]
fn old_results_without_numbers_of_tests_are_counted_as_they_come() {
    let row = |provider: &str, vars: &str| {
        format!(
            r#"{{"provider":{{"id":"{provider}"}},"prompt":{{"raw":"x","label":"x"}},"vars":{{"q":"{vars}"}},"response":{{"output":"y"}},"success":true,"score":1,"namedScores":{{}}}}"#
        )
    };
    let rows = [
        row("ant", "1"),
        row("bee", "2"),
        row("bee", "1"),
        row("ant", "2"),
        row("ant", "1"),
    ];
    let results = format!(
        r#"{{"version":2,"results":{{"version":2,"results":[{}]}}}}"#,
        rows.join(",")
    );
    let folder = Folder::with(&[("r.json", &results)]);
    let read = imported(&folder, &["r.json"]);
    assert_eq!((read.items, read.outputs, read.judgments), (2, 4, 5));
    let rows = table(&folder, "judgments");
    let repeats = rows.iter().filter_map(|row| row.get("repeat")?.as_u64());
    assert_eq!(repeats.collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn a_metric_that_is_null_is_counted_as_no_number() {
    for (file, text, reason) in [
        ("logs/atlas/samples_t.jsonl", SAMPLE, "acc is not a number"),
        ("results.jsonl", RESULT, "score is not a number"),
    ] {
        for score in ["null", "NaN"] {
            let folder = Folder::with(&[(file, &text.replace("SCORE", score))]);
            let imported = imported(&folder, &[file]);
            assert_eq!((imported.outputs, imported.judgments), (1, 0));
            assert_eq!(dropped(&imported), [(reason, 1)], "{file}: {score}");
        }
    }
}

#[test]
fn an_infinite_score_is_refused_where_it_stands() {
    let row = r#"{"item":"1","system":"a","criterion":"ok","score":-Infinity}"#;
    let list = format!("[\n{row}]");
    let result = RESULT.replace("SCORE", "-Infinity");
    let folder = Folder::with(&[
        ("j.jsonl", row),
        ("j.json", &list),
        ("results.jsonl", &result),
    ]);
    for (file, line) in [("j.jsonl", 1), ("j.json", 2), ("results.jsonl", 1)] {
        let expected = format!("{file}:{line}: `score` is \"-inf\", expected a finite number");
        assert_eq!(refusal(&folder, file).0, expected);
    }
}

const OUTPUTS: &str = "item,system,output\n1,atlas,Hello\n1,cedar,Hi\n2,atlas,Bye\n";

#[test]
fn answers_about_outputs_that_are_not_there_are_left_out_and_counted() {
    let comparisons =
        "item,system_a,system_b,outcome\n1,atlas,cedar,1\n9,atlas,cedar,0\n1,atlas,oak,1\n";
    let judgments = "item,system,criterion,score\n9,atlas,style,1\n1,cedar,tone,2\n1,oak,tone,2\n8,oak,tone,2\n";
    let folder = Folder::with(&[
        ("d/1.csv", OUTPUTS),
        ("d/2.csv", comparisons),
        ("d/3.csv", judgments),
        ("d/4.csv", "item,system_a,system_b,p\n1,atlas,oak,0.5\n"),
    ]);
    let imported = imported(&folder, &["d"]);
    let counts = (imported.items, imported.comparisons, imported.judgments);
    assert_eq!(counts, (2, 1, 1));
    assert_eq!(imported.predictions, 0);
    assert_eq!(imported.systems, ["atlas", "cedar"]);
    assert_eq!(imported.criteria, ["tone"]);
    assert_eq!(
        dropped(&imported),
        [
            ("a comparison of a system without outputs: oak", 1),
            ("a comparison of an item without outputs: 9", 1),
            ("a judgment of a system without outputs: oak", 1),
            ("a judgment of an item without outputs: 8, 9", 2),
            ("a prediction of a system without outputs: oak", 1),
        ]
    );
    assert_eq!(table(&folder, "comparisons").len(), 1);
    assert_eq!(table(&folder, "judgments")[0]["system"], "cedar");
    assert!(!folder.path().join("out/predictions.jsonl").exists());
    index(&folder);
}

#[test]
fn a_missing_file_of_answers_leaves_out_what_was_said_of_them() {
    let answer = r#"{"question_id":1,"model_id":"atlas","choices":[{"index":0,"turns":["Hi"]}]}"#;
    let single = |model: &str| {
        format!(r#"{{"question_id":1,"model":"{model}","judge":["j","s"],"score":7,"turn":1}}"#)
    };
    let folder = Folder::with(&[
        ("d/model_answer/atlas.jsonl", answer),
        (
            "d/model_judgment/j_single.jsonl",
            &format!("{}\n{}\n", single("atlas"), single("cedar")),
        ),
    ]);
    let imported = imported(&folder, &["d"]);
    assert_eq!((imported.outputs, imported.judgments), (1, 1));
    assert_eq!(
        dropped(&imported),
        [("a judgment of a system without outputs: cedar", 1)]
    );
    index(&folder);
}

#[test]
fn comparisons_need_no_outputs_but_an_item_where_items_are_told() {
    let comparisons = "item,system_a,system_b,outcome\n1,atlas,cedar,1\n9,atlas,cedar,0\n";
    let folder = Folder::with(&[
        ("c.csv", comparisons),
        ("d/c.csv", comparisons),
        ("d/i.csv", "item,source\n1,Hello\n"),
    ]);
    assert_eq!(imported(&folder, &["c.csv"]).comparisons, 2);
    let with_items = imported(&folder, &["d"]);
    assert_eq!(with_items.comparisons, 1);
    assert_eq!(
        dropped(&with_items),
        [("a comparison of an item not among the items: 9", 1)]
    );
    index(&folder);
}

#[test]
fn names_that_are_inexact_numbers_are_refused() {
    let rows = [99_999_999_999_999_999_998u128, 99_999_999_999_999_999_999]
        .map(|item| format!(r#"{{"item":{item},"system":"a","output":"x"}}"#));
    let folder = Folder::with(&[("o.json", &format!("[{}]", rows.join(",\n")))]);
    let (message, hint) = refusal(&folder, "o.json");
    assert_eq!(message, "o.json:1: `item` is 1e+20, expected a text");
    assert_eq!(
        hint,
        "a number this large is not exact; write it as a string"
    );
}

#[test]
fn a_field_that_stands_twice_is_refused_wherever_it_stands() {
    let twice = r#"{"item":1,"system":"a","output":"x","output":"y"}"#;
    let nested = r#"{"src":"s","tgt":{"a":"x","a":"y"}}"#;
    let folder = Folder::with(&[
        ("o.jsonl", twice),
        ("o.json", &format!("[\n{twice}]")),
        ("n.jsonl", nested),
        ("nan.jsonl", &nested.replace(r#""s""#, "NaN")),
    ]);
    for (file, told) in [
        ("o.jsonl", "o.jsonl:1: `output` appears twice in one object"),
        ("o.json", "o.json:2: `output` appears twice in one object"),
        ("n.jsonl", "n.jsonl:1: `a` appears twice in one object"),
        ("nan.jsonl", "nan.jsonl:1: `a` appears twice in one object"),
    ] {
        assert_eq!(refusal(&folder, file).0, told);
    }
    let (message, _) = read_in_place(&folder, "o.jsonl");
    assert_eq!(message, "o.jsonl:1: column `output` appears twice");
}

#[test]
fn halves_of_surrogate_pairs_are_counted_or_refused() {
    let row = r#"{"item":1,"system":"a","output":"x\ud800\udfff \udc00 \ud83d"}"#;
    let folder = Folder::with(&[("o.jsonl", row)]);
    let imported = imported(&folder, &["o.jsonl"]);
    assert_eq!(
        imported.notes,
        ["halves of surrogate pairs, which no text can hold, became U+FFFD: 2"]
    );
    let text = table(&folder, "outputs")[0]["output"].clone();
    assert_eq!(text, "x\u{103ff} \u{fffd} \u{fffd}");
    let (message, _) = read_in_place(&folder, "o.jsonl");
    assert!(message.starts_with("o.jsonl:1: broken JSON"), "{message}");
}

#[test]
fn a_missing_output_and_a_null_are_alike() {
    let first = r#"{"item":1,"system":"a","output":"x"}"#;
    for second in [
        r#"{"item":1,"system":"b"}"#,
        r#"{"item":1,"system":"b","output":null}"#,
    ] {
        let folder = Folder::with(&[("o.jsonl", &format!("{first}\n{second}\n"))]);
        let (message, _) = read_in_place(&folder, "o.jsonl");
        assert!(message.starts_with("o.jsonl:2: "), "{message}");
        let imported = imported(&folder, &["o.jsonl"]);
        assert_eq!((imported.outputs, imported.nulls), (2, 1));
    }
    let late = "{\"item\":1,\"system\":\"b\",\"style\":3}\n{\"item\":1,\"system\":\"a\",\"output\":\"x\"}\n";
    let folder = Folder::with(&[("o.jsonl", late)]);
    let (message, _) = refusal(&folder, "o.jsonl");
    assert_eq!(
        message,
        "o.jsonl:2: column `output` is not in the first row"
    );
}

/// pandas writes None as an empty cell.
#[test]
fn empty_outputs_are_counted_and_refused_where_nulls_are() {
    let rows = "item,system,output,lang\n1,a,x,de\n2,a,,de\n";
    let folder = Folder::with(&[("o.csv", rows)]);
    assert_eq!(imported(&folder, &["o.csv"]).nulls, 1);
    let strict = ImportOptions {
        nulls: Nulls::Error,
        ..ImportOptions::default()
    };
    let (message, _) = refused(&folder, &["o.csv"], &strict);
    assert_eq!(message, "o.csv:3: the output of system `a` is empty");
}

#[test]
fn columns_of_references_are_read_together() {
    let rows = "item,system,output,reference_2,reference_1\n1,a,x,z,y\n2,a,x,,y\n";
    let folder = Folder::with(&[("o.csv", rows)]);
    let summary = imported(&folder, &["o.csv"]);
    assert_eq!((summary.references, &summary.notes[..]), (2, &[][..]));
    let items = table(&folder, "items");
    assert_eq!(items[0]["references"], json!(["y", "z"]));
    assert_eq!(items[1]["references"], json!(["y"]));
    let set = Dataset::open(folder.path().join("o.csv"), &[]).unwrap();
    assert_eq!(
        groups(&Index::build(&set).unwrap())[0].references,
        ["y", "z"]
    );
    let two =
        ["reference_1", "reference_2"].map(|column| ("references".to_string(), column.to_string()));
    let twice = ImportOptions {
        columns: two.to_vec(),
        ..ImportOptions::default()
    };
    let (message, hint) = refused(&folder, &["o.csv"], &twice);
    assert_eq!(
        message,
        "column `references` is mapped twice, to `reference_1` and to `reference_2`"
    );
    assert_eq!(
        hint,
        "leave one out, or call the columns reference_1 and reference_2"
    );
    folder.write("w.csv", "id,one,two,ant\n1,y,z,x\n");
    let wide_table = WideTableOptions {
        file: folder.path().join("w.csv"),
        systems: vec![("ant".to_string(), "ant".to_string())],
        columns: [("item", "id"), ("references", "two"), ("references", "one")]
            .map(|(name, column)| (name.to_string(), column.to_string()))
            .to_vec(),
        ..WideTableOptions::default()
    };
    wide_table.import(&folder.path().join("out")).unwrap();
    assert_eq!(table(&folder, "items")[0]["references"], json!(["z", "y"]));
}

#[test]
fn a_comma_of_decimals_or_thousands_is_named() {
    let rows = "item;system;output;score\n1;a;x;0,5\n2;a;y;1\n3;a;z;1,000\n";
    let (message, hint) = refusal(&Folder::with(&[("o.csv", rows)]), "o.csv");
    assert_eq!(
        message,
        "o.csv:4: `score` is \"1,000\", expected a finite number"
    );
    assert_eq!(
        hint,
        "the comma may be of decimals or of thousands: write a point, or no comma"
    );
    let rows = "item;system;output;score\n1;a;x;1.234\n1;b;y;2,5\n2;a;z;3,5\n";
    let (message, hint) = refusal(&Folder::with(&[("o.csv", rows)]), "o.csv");
    assert_eq!(
        message,
        "o.csv:3: `score` is 2,5 here and 1.234 in o.csv:2: some decimals have a comma and some a point"
    );
    assert_eq!(hint, "write all with a decimal point");
}

#[test]
fn rows_that_stand_twice_are_counted() {
    let folder = Folder::with(&[
        ("o.csv", &format!("{OUTPUTS}1,atlas,Hello\n")),
        ("d/i.csv", "item,source\n1,Hello\n1,Bye\n"),
        ("d/o.csv", "item,system,output\n1,atlas,x\n"),
    ]);
    let again = imported(&folder, &["o.csv"]);
    assert_eq!(again.outputs, 3);
    assert_eq!(dropped(&again), [("the same output again", 1)]);
    let items = imported(&folder, &["d"]);
    assert_eq!(
        dropped(&items),
        [("another source or references of the same item", 1)]
    );
}

/// A row that lacks the source or the references of its item has no others, wherever it stands.
#[test]
fn an_absent_source_is_no_other_source() {
    let rows = [
        r#"{"item":1,"system":"a","output":"x"}"#,
        r#"{"item":1,"system":"b","output":"y","source":"hi"}"#,
        r#"{"item":1,"system":"c","output":"z","source":"hi","references":["r","s"]}"#,
        r#"{"item":2,"system":"a","output":"x","source":"ho"}"#,
    ];
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2], [2, 0, 3, 1]] {
        let rows = order.map(|place: usize| rows[place]).join("\n");
        let folder = Folder::with(&[("o.jsonl", &rows)]);
        let imported = imported(&folder, &["o.jsonl"]);
        assert_eq!((imported.items, imported.outputs), (2, 4), "{order:?}");
        assert_eq!(dropped(&imported), [], "{order:?}");
        assert!(imported.to_string().contains("0 to 2 references an item"));
        let mut items = table(&folder, "items");
        items.sort_by_key(|item| item["item"].to_string());
        let expected = json!([{"item": "1", "source": "hi", "references": ["r", "s"]}, {"item": "2", "source": "ho"}]);
        assert_eq!(json!(items), expected, "{order:?}");
    }
}

/// Some writers of Parquet leave out the mark that bytes are text.
#[test]
fn bytes_that_are_text_are_read_and_other_types_are_refused_by_name() {
    let folder = Folder::new();
    let columns = |output: ArrayRef| {
        let names: ArrayRef = Arc::new(StringArray::from(vec!["1", "2"]));
        let systems: ArrayRef = Arc::new(BinaryViewArray::from_iter_values([b"a", b"b"]));
        [("item", names), ("system", systems), ("output", output)]
    };
    let given: [ArrayRef; 4] = [
        Arc::new(BinaryArray::from_iter_values([b"hello", b"world"])),
        Arc::new(LargeBinaryArray::from_iter_values([b"hello", b"world"])),
        Arc::new(BinaryArray::from_iter_values([b"hello", b"w\xffrld"])),
        Arc::new(Date32Array::from(vec![1, 2])),
    ];
    let said = given.map(|output| {
        let batch = RecordBatch::try_from_iter(columns(output)).unwrap();
        let mut bytes = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        folder.write("o.parquet", bytes);
        match from(&folder, &["o.parquet"], &ImportOptions::default()) {
            Ok(imported) => format!("{} outputs, {} null", imported.outputs, imported.nulls),
            Err(_) => refusal(&folder, "o.parquet").0,
        }
    });
    expect![[r#"
        2 outputs, 0 null
        2 outputs, 0 null
        o.parquet: row 1: `output` is of type Binary, expected a text or a number
        o.parquet: row 1: `output` is of type Date32, expected a text or a number
    "#]]
    .assert_eq(&(said.join("\n") + "\n"));
}

/// Datasets of Hugging Face store classes as numbers, and their names beside the columns.
#[test]
fn a_numbered_class_is_its_name() {
    let classes = json!({"_type": "ClassLabel", "names": ["model_a", "model_b", "tie"]});
    let told = json!({"info": {"features": {"outcome": classes, "item": {"_type": "Value"}}}});
    let texts = |text: &str| -> ArrayRef { Arc::new(StringArray::from(vec![text; 4])) };
    let items: ArrayRef = Arc::new(StringArray::from(vec!["1", "2", "3", "4"]));
    let columns = [
        ("item", items),
        ("system_a", texts("atlas")),
        ("system_b", texts("cedar")),
        ("outcome", Arc::new(Int64Array::from(vec![0, 1, 2, -1]))),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let schema = batch.schema().as_ref().clone();
    let schema = schema.with_metadata([("huggingface".to_string(), told.to_string())].into());
    let batch = batch.with_schema(Arc::new(schema)).unwrap();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let folder = Folder::new();
    folder.write("votes.parquet", bytes);
    let imported = imported(&folder, &["votes.parquet"]);
    assert_eq!(dropped(&imported), [("no outcome", 1)]);
    let rows = table(&folder, "comparisons");
    let outcomes: Vec<_> = rows.iter().map(|row| row["outcome"].clone()).collect();
    assert_eq!(json!(outcomes), json!([1.0, 0.0, 0.5]));
}

#[test]
fn line_ends_that_are_not_read_are_told() {
    let folder = Folder::with(&[("o.csv", &OUTPUTS.replace('\n', "\r"))]);
    let (message, hint) = refusal(&folder, "o.csv");
    assert!(
        message.starts_with("o.csv:1: a carriage return"),
        "{message}"
    );
    assert_contains(&hint, &["classic Mac"]);
}

#[test]
fn nulls_among_references_are_none_and_counted() {
    let row = r#"{"item":1,"system":"a","output":"x","references":["y",null]}"#;
    let folder = Folder::with(&[("o.json", &format!("[{row}]"))]);
    let imported = imported(&folder, &["o.json"]);
    assert_eq!(dropped(&imported), [("a null among references", 1)]);
    assert_eq!(
        table(&folder, "items")[0]["references"],
        serde_json::json!(["y"])
    );
}

#[test]
fn a_list_in_a_cell_is_a_list_as_json_or_python_spell_it() {
    let rows = "item,system,output,references\n1,a,x,\"['y', 'z']\"\n2,a,x,\"[\"\"y\"\", \"\"z\"\"]\"\n3,a,x,[3]\n";
    let folder = Folder::with(&[("o.csv", rows)]);
    let index = Index::build(&Dataset::open(folder.path().join("o.csv"), &[]).unwrap()).unwrap();
    let in_place = groups(&index);
    imported(&folder, &["o.csv"]);
    let imported = table(&folder, "items");
    for (item, expected) in [vec!["y", "z"], vec!["y", "z"], vec!["[3]"]]
        .iter()
        .enumerate()
    {
        assert_eq!(&in_place[item].references, expected);
        assert_eq!(imported[item]["references"], serde_json::json!(expected));
    }
}

#[test]
fn criteria_are_named_as_they_are_called_and_no_others() {
    let sample = SAMPLE.replace("SCORE", "1.0");
    let loose = sample.replace(r#""filter":"none""#, r#""filter":"loose""#);
    let folder = Folder::with(&[("atlas/samples_t.jsonl", &format!("{sample}\n{loose}\n"))]);
    let named = |names: &[&str]| ImportOptions {
        criteria: Some(names.iter().map(ToString::to_string).collect()),
        ..ImportOptions::default()
    };
    // As a command line parts what it is given at commas.
    let imported = from(&folder, &["atlas"], &named(&["acc", "loose"])).unwrap();
    assert_eq!(imported.criteria, ["acc,loose"]);
    let (message, hint) = refused(&folder, &["atlas"], &named(&["acc", "loose", "f1"]));
    assert_eq!(message, "unknown criterion `f1`");
    assert_contains(&hint, &["criteria are acc,loose, acc,none"]);
}

#[test]
fn scores_that_samples_do_not_have_are_told() {
    let log = r#"{"version":2,"eval":{"task":"t","model":"atlas"},"results":{"scores":[{"name":"match"}]},"samples":[{"id":1,"epoch":1,"input":"x","target":"y","output":{"completion":"z"}}]}"#;
    let folder = Folder::with(&[("log.json", log)]);
    let imported = imported(&folder, &["log.json"]);
    let told = "scores that its samples do not have are not read: match";
    assert!(imported.notes[0].ends_with(told), "{:?}", imported.notes);
}

#[test]
fn verdicts_are_read_from_either_side() {
    let judgment = |score: &str| {
        format!(
            r#"{{"question_id":"{score}","model":"atlas","judge":"j","baseline":"base","games":[{{"score":"{score}"}}]}}"#
        )
    };
    let folder = Folder::with(&[(
        "j.jsonl",
        &["A<B", "A<<B", "B<A", "B<<A"].map(judgment).join("\n"),
    )]);
    imported(&folder, &["j.jsonl"]);
    let rows = table(&folder, "predictions");
    let p: Vec<f64> = rows.iter().map(|row| row["p"].as_f64().unwrap()).collect();
    assert_eq!(p, [1.0, 1.0, 0.0, 0.0], "the model is B in the first game");
}

#[test]
fn a_comparison_without_an_outcome_is_left_out_and_counted() {
    let rows = "item,system_a,system_b,outcome\n1,ant,bee,1\n2,ant,bee,\n3,ant,bee,0\n";
    let folder = Folder::with(&[("c.csv", rows)]);
    let imported = imported(&folder, &["c.csv"]);
    assert_eq!(imported.comparisons, 2);
    assert_eq!(dropped(&imported), [("no outcome", 1)]);
    index(&folder);
}

#[test]
fn a_null_among_references_is_none_wherever_it_is_read() {
    let row = r#"{"item":"1","system":"s","output":"a","references":["a b c",null]}"#;
    let cell = "item,system,output,references\n1,s,a,\"[\"\"a b c\"\", null]\"\n";
    let folder = Folder::with(&[("o.jsonl", row), ("o.csv", cell)]);
    let imported = imported(&folder, &["o.jsonl"]);
    assert_eq!(dropped(&imported), [("a null among references", 1)]);
    for file in ["o.jsonl", "o.csv"] {
        let set = Dataset::open(folder.path().join(file), &[]).unwrap();
        let group = &groups(&Index::build(&set).unwrap())[0];
        assert_eq!(group.references, ["a b c"], "{file}");
    }
}

#[test]
fn a_data_frame_as_one_object_gives_the_rows_of_a_list() {
    let list = r#"[{"item":1,"system":"a","output":"x"},{"item":1,"system":"b","output":"y"}]"#;
    let by_columns =
        r#"{"item":{"0":1,"1":1},"system":{"0":"a","1":"b"},"output":{"0":"x","1":"y"}}"#;
    let by_rows =
        r#"{"0":{"item":1,"system":"a","output":"x"},"1":{"item":1,"system":"b","output":"y"}}"#;
    let split =
        r#"{"columns":["item","system","output"],"index":[0,1],"data":[[1,"a","x"],[1,"b","y"]]}"#;
    let tables = [list, by_columns, by_rows, split].map(|text| {
        let folder = Folder::with(&[("o.json", text)]);
        imported(&folder, &["o.json"]);
        table(&folder, "outputs")
    });
    assert_eq!(tables[0].len(), 2);
    assert!(tables.iter().all(|rows| *rows == tables[0]), "{tables:?}");
}

#[test]
fn scores_beside_the_samples_of_a_log_are_read() {
    let log = |samples: &str, rest: &str| {
        format!(
            r#"{{"version":2,"status":"success","eval":{{"created":"2026-03-05","task":"fn","model":"bee"}},
            "results":{{"scores":[{{"name":"fs"}}]}},"samples":[{samples}]{rest}}}"#
        )
    };
    let sample = |id: &str, events: &str| {
        format!(
            r#"{{"id":{id},"epoch":1,"input":"ask","target":"x","output":{{"completion":"f"}},"events":[{events}]}}"#
        )
    };
    let early = r#"{"event":"score","intermediate":true,"score":{"value":0.5}},"#;
    let last = r#"{"event":"score","intermediate":false,"score":{"value":"C"}}"#;
    let by_events = log(&sample("\"q1\"", &format!("{early}{last}")), "");
    let reduced = r#","reductions":[{"scorer":"fs","samples":[{"sample_id":3,"value":1.0}]}]"#;
    let by_reductions = log(&sample("3", ""), reduced);
    for log in [by_events, by_reductions] {
        let folder = Folder::with(&[("log.json", &log)]);
        let imported = imported(&folder, &["log.json"]);
        assert_eq!((imported.outputs, imported.judgments), (1, 1), "{log}");
        let judgment = &table(&folder, "judgments")[0];
        assert_eq!(
            (&judgment["criterion"], &judgment["score"]),
            (&"fs".into(), &1.0.into())
        );
        assert!(imported.notes.is_empty(), "{:?}", imported.notes);
    }
}
