//! Files of other tools: what is detected, what becomes of it, what is left out, and what is refused.

use super::{Folder, groups, gzip};
use crate::support::assert_contains;
use std::path::PathBuf;
use tiebreak::error::{Error, Result};
use tiebreak::records::import::{FORMATS, ImportOptions, ImportSummary, Nulls};
use tiebreak::records::{Dataset, Index, Kind, Outcomes};

pub(super) fn from(
    folder: &Folder,
    inputs: &[&str],
    options: &ImportOptions,
) -> Result<ImportSummary> {
    let inputs: Vec<PathBuf> = inputs
        .iter()
        .map(|input| folder.path().join(input))
        .collect();
    let out = folder.path().join("out");
    let _ = std::fs::remove_dir_all(&out);
    options.import(&inputs, &out)
}

fn picked(pick: &[(&str, &str)]) -> ImportOptions {
    let pair = |(key, value): &(&str, &str)| ((*key).to_string(), (*value).to_string());
    ImportOptions {
        pick: pick.iter().map(pair).collect(),
        ..ImportOptions::default()
    }
}

pub(super) fn table(folder: &Folder, name: &str) -> Vec<serde_json::Value> {
    let path = folder.path().join("out").join(format!("{name}.jsonl"));
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

pub(super) fn index(folder: &Folder) -> Index {
    Index::build(&Dataset::open(folder.path().join("out"), &[]).unwrap()).unwrap()
}

pub(super) fn dropped(imported: &ImportSummary) -> Vec<(&str, u64)> {
    imported
        .dropped
        .iter()
        .map(|one| (one.reason.as_str(), one.count))
        .collect()
}

pub(super) fn refused(
    folder: &Folder,
    inputs: &[&str],
    options: &ImportOptions,
) -> (String, String) {
    let error: Error = from(folder, inputs, options).unwrap_err();
    assert_eq!(error.exit_code(), 2, "{error}");
    assert!(
        !folder.path().join("out").exists(),
        "nothing is left of what was refused"
    );
    folder.told(&error)
}

const VOTES: &str = concat!(
    r#"{"question_id":"x1","model_a":"atlas","model_b":"cedar","winner":"model_a","judge":"u1","conversation_a":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"}],"conversation_b":[{"role":"user","content":"Hi"},{"role":"assistant","content":null}],"language":"English"}"#,
    "\n",
    r#"{"question_id":"x2","model_a":"cedar","model_b":"atlas","winner":"tie (bothbad)","judge":"u2","conversation_a":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"},{"role":"assistant","content":"d"}],"conversation_b":[{"role":"user","content":"a"},{"role":"assistant","content":"e"},{"role":"user","content":"c"},{"role":"assistant","content":"f"}]}"#,
    "\n",
    r#"{"question_id":"x3","model_a":"cedar","model_b":"atlas","winner":null,"judge":"u2","conversation_a":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}],"conversation_b":[{"role":"user","content":"a"},{"role":"assistant","content":"e"}]}"#,
    "\n",
    r#"{"question_id":"x4","model_a":"cedar","model_b":"atlas","winner":"model_b","judge":"u2","conversation_a":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}],"conversation_b":[{"role":"user","content":"other"},{"role":"assistant","content":"e"}]}"#,
    "\n",
);

#[test]
fn votes_become_comparisons_with_their_texts() {
    let folder = Folder::with(&[("votes.jsonl", VOTES)]);
    let imported = from(&folder, &["votes.jsonl"], &ImportOptions::default()).unwrap();
    assert_eq!(imported.format, "Chatbot Arena votes");
    assert_eq!(
        (imported.items, imported.outputs, imported.comparisons),
        (2, 4, 2)
    );
    assert_eq!(imported.nulls, 1);
    let left_out = [
        ("no winner", 1),
        ("a battle of two different prompts under one id", 1),
    ];
    assert_eq!(dropped(&imported), left_out);
    let rows = table(&folder, "comparisons");
    assert_eq!(rows[0]["outcome"], 1.0);
    assert_eq!(rows[0]["language"], "English");
    assert_eq!(
        (&rows[1]["outcome"], &rows[1]["label"]),
        (&0.5.into(), &"tie (bothbad)".into())
    );
    let groups = groups(&index(&folder));
    assert_eq!(groups[0].outputs[1].text, "", "a null is an empty text");
    assert_eq!(groups[1].source.as_deref(), Some("user: a\n\nuser: c"));
    assert_eq!(
        groups[1].outputs[1].text,
        "assistant: b\n\nuser: c\n\nassistant: d"
    );
    let strict = ImportOptions {
        nulls: Nulls::Error,
        ..ImportOptions::default()
    };
    let (message, _) = refused(&folder, &["votes.jsonl"], &strict);
    assert_eq!(
        message,
        "votes.jsonl:1: the output of system `cedar` is null"
    );
}

#[test]
fn an_array_and_a_compressed_file_are_the_same_as_lines() {
    let lines: Vec<&str> = VOTES.lines().collect();
    let folder = Folder::with(&[
        ("a/votes.jsonl", VOTES),
        ("b/votes.json", &format!("[\n{}\n]", lines.join(",\n"))),
    ]);
    folder.write("c/votes.jsonl.gz", gzip(VOTES.as_bytes()));
    let rows = ["a/votes.jsonl", "b/votes.json", "b", "c"].map(|input| {
        from(&folder, &[input], &ImportOptions::default()).unwrap();
        ["items", "outputs", "comparisons"].map(|name| table(&folder, name))
    });
    assert!(rows.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn broken_files_are_told_with_their_line() {
    let lines: Vec<&str> = VOTES.lines().collect();
    let broken = format!("{}\n{}\n", lines[0], &lines[1][..200]);
    let array = format!("[\n{},\n{}", lines[0], &lines[1][..200]);
    let folder = Folder::with(&[
        ("a.jsonl", &broken),
        ("b.json", &array),
        ("c.json", "{\"a\": "),
        ("d.json", "[]"),
    ]);
    let told = |name: &str| refused(&folder, &[name], &ImportOptions::default()).0;
    assert!(
        told("a.jsonl").starts_with("a.jsonl:2: ends too early (truncated?)"),
        "{}",
        told("a.jsonl")
    );
    assert!(
        told("b.json").starts_with("b.json:3: ends too early (truncated?)"),
        "{}",
        told("b.json")
    );
    assert!(
        told("c.json").starts_with("c.json:1: ends too early"),
        "{}",
        told("c.json")
    );
    assert!(
        told("d.json").starts_with("d.json: no known format"),
        "{}",
        told("d.json")
    );
    let missing = lines[0].replace("model_b", "model_z");
    let folder = Folder::with(&[("a.jsonl", &format!("{}\n{missing}\n", lines[0]))]);
    let (message, _) = refused(&folder, &["a.jsonl"], &ImportOptions::default());
    assert_eq!(message, "a.jsonl:2: no `model_b`");
}

const SAMPLES: &str = concat!(
    r#"{"doc_id":0,"doc":{"q":"2+2?"},"target":"['4', \"four\"]","arguments":{"gen_args_0":{"arg_0":"Q: 2+2?","arg_1":{"until":[]}}},"resps":[[" 4","5"]],"filtered_resps":["4"],"filter":"strict","metrics":["em"],"doc_hash":"h0","em":1.0}"#,
    "\n",
    r#"{"doc_id":1,"doc":{"q":"3+3?"},"target":"6","arguments":{"gen_args_0":{"arg_0":"Q: 3+3?","arg_1":{"until":[]}}},"resps":[["seven"]],"filtered_resps":["[invalid]"],"filter":"strict","metrics":["em"],"doc_hash":"h1","em":NaN}"#,
    "\n",
    r#"{"doc_id":0,"doc":{"q":"2+2?"},"target":"4","arguments":{"gen_args_0":{"arg_0":"Q: 2+2?","arg_1":{"until":[]}}},"resps":[[" 4","5"]],"filtered_resps":["4"],"filter":"loose","metrics":["em"],"doc_hash":"h0","em":1.0}"#,
    "\n",
    r#"{"doc_id":1,"doc":{"q":"3+3?"},"target":"6","arguments":{"gen_args_0":{"arg_0":"Q: 3+3?","arg_1":{"until":[]}}},"resps":[["seven"]],"filtered_resps":["7"],"filter":"loose","metrics":["em"],"doc_hash":"h1","em":0.0}"#,
    "\n",
);

#[test]
fn samples_of_a_harness_have_a_system_a_folder_and_a_criterion_a_metric_and_filter() {
    let other = SAMPLES.replace("\"h1\"", "\"another\"");
    let folder = Folder::with(&[
        ("logs/atlas/samples_sums_2026-01-02T03-04-05.jsonl", SAMPLES),
        ("logs/cedar/samples_sums_2026-01-02T03-04-05.jsonl", &other),
        ("logs/cedar/samples_sums_2025-01-02T03-04-05.jsonl", SAMPLES),
        (
            "logs/cedar/results_2026-01-02T03-04-05.json",
            "{\"results\": {}}",
        ),
    ]);
    let imported = from(&folder, &["logs"], &ImportOptions::default()).unwrap();
    assert_eq!(imported.systems, ["atlas", "cedar"]);
    assert_eq!(imported.criteria, ["em,strict", "em,loose"]);
    assert_eq!(
        (imported.items, imported.outputs, imported.judgments),
        (2, 3, 5)
    );
    assert_eq!(
        dropped(&imported),
        [
            ("a further repeat", 2),
            ("em,strict is not a number", 1),
            ("a row of an earlier run of the same task", 4),
            (
                "an output, with any scores, for another document under the same id",
                2
            )
        ]
    );
    let items = table(&folder, "items");
    assert_eq!(items[0]["references"], serde_json::json!(["4", "four"]));
    assert_eq!(table(&folder, "outputs")[0]["output"], " 4");
    index(&folder);
    let filtered = from(&folder, &["logs/atlas"], &picked(&[("filter", "loose")])).unwrap();
    assert_eq!(filtered.outputs, 2);
    assert_eq!(table(&folder, "outputs")[1]["output"], "7");
    let (message, hint) = refused(&folder, &["logs"], &picked(&[("text", "filtered")]));
    assert!(
        message.ends_with("several filters: strict, loose"),
        "{message}"
    );
    assert_eq!(
        hint,
        "say whose text is the output: --pick filter=strict or --pick filter=loose"
    );
    let (message, hint) = refused(&folder, &["logs"], &picked(&[("filtr", "loose")]));
    assert_eq!(message, "unknown pick `filtr`");
    assert!(hint.starts_with("did you mean `filter`?"), "{hint}");
}

#[test]
fn prompts_that_differ_for_one_document_are_counted() {
    let other = SAMPLES.replace("Q: 3+3?", "Answer: 3+3?");
    let folder = Folder::with(&[("logs/llama.jsonl", SAMPLES), ("logs/qwen.jsonl", &other)]);
    let imported = from(&folder, &["logs"], &ImportOptions::default()).unwrap();
    let note =
        "records whose prompt is not the first of their document, which is kept as the source: 2";
    assert!(
        imported.notes.iter().any(|line| line == note),
        "{:?}",
        imported.notes
    );
    assert_eq!(table(&folder, "items")[1]["source"], "Q: 3+3?");
}

#[test]
fn samples_of_a_harness_that_were_renamed_are_systems() {
    let by_name = Folder::with(&[("logs/llama.jsonl", SAMPLES), ("logs/qwen.jsonl", SAMPLES)]);
    let by_folder = Folder::with(&[("llama/s.jsonl", SAMPLES), ("qwen/s.jsonl", SAMPLES)]);
    for (folder, inputs) in [(&by_name, &["logs"][..]), (&by_folder, &["llama", "qwen"])] {
        let imported = from(folder, inputs, &ImportOptions::default()).unwrap();
        assert_eq!(imported.systems, ["llama", "qwen"]);
        assert_eq!((imported.items, imported.outputs), (2, 4));
        assert_eq!(table(folder, "items")[0]["item"], "0");
    }
    let [a, b] = ["llama/sums.jsonl", "llama/facts.jsonl"];
    let [c, d] = ["qwen/sums.jsonl", "qwen/facts.jsonl"];
    let tasks = Folder::with(&[a, b, c, d].map(|name| (name, SAMPLES)));
    let imported = from(&tasks, &["llama", "qwen"], &ImportOptions::default()).unwrap();
    assert_eq!(
        (imported.systems.len(), imported.items, imported.outputs),
        (2, 4, 8)
    );
}

#[test]
fn outcomes_are_read_as_people_write_them() {
    let rows = |words: &[&str]| {
        let rows = words
            .iter()
            .enumerate()
            .map(|(i, word)| format!("{i},atlas,cedar,{word}\n"));
        format!(
            "item,system_a,system_b,outcome\n{}",
            rows.collect::<String>()
        )
    };
    let outcomes = |folder: &Folder| -> Vec<f64> {
        let rows = table(folder, "comparisons");
        rows.iter()
            .map(|row| row["outcome"].as_f64().unwrap())
            .collect()
    };
    let folder = Folder::with(&[
        (
            "words.csv",
            &rows(&["A", "model_b", "tie", "both bad", "cedar", ">", "\"0,5\""]),
        ),
        ("counted.csv", &rows(&["1", "2", "1.5"])),
        ("mixed.csv", &rows(&["0", "1", "2"])),
        ("unknown.csv", &rows(&["A", "B", "unsure"])),
    ]);
    from(&folder, &["words.csv"], &ImportOptions::default()).unwrap();
    assert_eq!(outcomes(&folder), [1.0, 0.0, 0.5, 0.5, 0.0, 1.0, 0.5]);
    assert_eq!(table(&folder, "comparisons")[3]["label"], "both bad");
    let imported = from(&folder, &["counted.csv"], &ImportOptions::default()).unwrap();
    assert_eq!(outcomes(&folder), [1.0, 0.0, 0.5]);
    assert!(imported.notes[0].starts_with("outcomes count the systems"));
    let (message, hint) = refused(&folder, &["mixed.csv"], &ImportOptions::default());
    assert_eq!(
        message,
        "mixed.csv: outcomes are 0, 1, 2: is 0 a tie or a loss?"
    );
    assert_contains(&hint, &["--outcome 1=1,2=0,0=0.5"]);
    let (message, hint) = refused(&folder, &["unknown.csv"], &ImportOptions::default());
    assert_eq!(
        message,
        "unknown.csv:4: outcome is unsure, expected 0, 0.5 or 1"
    );
    assert_contains(&hint, &["--outcome 'unsure=NUMBER'"]);
    let said = [
        ("unsure".to_string(), 0.5),
        ("2".to_string(), 0.0),
        ("0".to_string(), 0.5),
    ];
    let options = ImportOptions {
        outcomes: Outcomes::new(said).unwrap(),
        ..ImportOptions::default()
    };
    from(&folder, &["unknown.csv"], &options).unwrap();
    assert_eq!(outcomes(&folder), [1.0, 0.0, 0.5]);
    from(&folder, &["mixed.csv"], &options).unwrap();
    assert_eq!(outcomes(&folder), [0.5, 1.0, 0.0]);
}

/// The column of numbers that judgments have is no guess: NaN in it is left out and counted.
#[test]
fn scores_beside_outputs_are_ratings() {
    let rows = "{\"item\":\"1\",\"system\":\"a\",\"output\":\"x\",\"score\":NaN}\n\
                {\"item\":\"2\",\"system\":\"a\",\"output\":\"y\",\"score\":1}\n";
    let folder = Folder::with(&[("rows.jsonl", rows)]);
    let imported = from(&folder, &["rows.jsonl"], &ImportOptions::default()).unwrap();
    assert_eq!((imported.outputs, imported.judgments), (2, 1));
    assert_eq!(
        dropped(&imported)
            .iter()
            .map(|(_, count)| count)
            .sum::<u64>(),
        1
    );
    assert_eq!(table(&folder, "judgments")[0]["criterion"], "score");
    let data = Dataset::open(folder.path().join("rows.jsonl"), &[]).unwrap();
    let index = Index::build(&data).unwrap();
    assert_eq!(
        (index.rows(Kind::Outputs), index.rows(Kind::Judgments)),
        (2, 1)
    );
}

/// Options whose likelihoods were compared have no text: the answer is the likeliest.
#[test]
fn choices_of_lighteval_are_answers() {
    let row = |gold: u32, logprobs: &str| {
        format!(
            r#"{{"doc":{{"id":"{gold}","query":"q{gold}","choices":[" A"," B"],"gold_index":{gold}}},"metric":{{"acc":1}},"model_response":{{"text":[],"logprobs":{logprobs}}}}}"#
        )
    };
    let rows = format!(
        "{}\n{}\n{}\n",
        row(0, "[-0.5,-1.5]"),
        row(1, "[-3,-2]"),
        row(2, "[]")
    );
    let folder = Folder::with(&[(
        "details/org/m/2026-11-20/details_toy_2026-11-20.jsonl",
        &rows,
    )]);
    from(&folder, &["details"], &ImportOptions::default()).unwrap();
    let outputs = table(&folder, "outputs");
    let outputs: Vec<&str> = outputs
        .iter()
        .map(|row| row["output"].as_str().unwrap())
        .collect();
    assert_eq!(outputs, ["A", "B", ""]);
    assert_eq!(table(&folder, "judgments").len(), 3);
}

#[test]
fn columns_of_numbers_beside_outputs_are_not_guessed() {
    let text =
        "item,system,output,fluency,adequacy,annotator\n1,a,Hello,5,4,ana\n1,b,Hi,\"4,5\",,ana\n";
    let folder = Folder::with(&[
        ("ratings.csv", text),
        ("bare.csv", "item,system,fluency\n1,a,3\n"),
    ]);
    let (message, hint) = refused(&folder, &["ratings.csv"], &ImportOptions::default());
    assert_eq!(
        message,
        "ratings.csv: columns of numbers next to the outputs: fluency, adequacy; are they ratings?"
    );
    assert_eq!(
        hint,
        "say which: tiebreak import ratings.csv --criteria fluency,adequacy --out DIR or \
         tiebreak import ratings.csv --criteria none --out DIR"
    );
    let criteria = |names: &[&str]| ImportOptions {
        criteria: Some(names.iter().map(ToString::to_string).collect()),
        ..ImportOptions::default()
    };
    let imported = from(
        &folder,
        &["ratings.csv"],
        &criteria(&["fluency", "adequacy"]),
    )
    .unwrap();
    assert_eq!((imported.outputs, imported.judgments), (2, 3));
    assert_eq!(dropped(&imported), [("an empty rating", 1)]);
    assert_eq!(table(&folder, "judgments")[2]["score"], 4.5);
    let imported = from(&folder, &["ratings.csv"], &criteria(&[])).unwrap();
    assert_eq!((imported.outputs, imported.judgments), (2, 0));
    let imported = from(&folder, &["bare.csv"], &ImportOptions::default()).unwrap();
    assert_eq!(imported.criteria, ["fluency"]);
}

#[test]
fn what_may_be_two_formats_is_refused_with_both_commands() {
    let folder = Folder::with(&[
        ("both/votes.jsonl", VOTES),
        ("both/pairs.csv", "left,right,winner\na,b,left\n"),
        ("none/notes.json", "{\"hello\": 1}"),
    ]);
    let (message, hint) = refused(&folder, &["both"], &ImportOptions::default());
    assert!(
        message.starts_with("both: may be read as Chatbot Arena votes (both/votes.jsonl) or as"),
        "{message}"
    );
    assert_eq!(
        hint,
        "say which: tiebreak import both --format arena --out DIR or tiebreak import both --format evalica --out DIR"
    );
    let evalica = ImportOptions {
        format: Some("evalica".to_string()),
        ..ImportOptions::default()
    };
    assert_eq!(from(&folder, &["both"], &evalica).unwrap().comparisons, 1);
    let (message, hint) = refused(&folder, &["none"], &ImportOptions::default());
    assert_eq!(message, "none: no known format; none/notes.json has hello");
    assert!(hint.starts_with("`tiebreak list formats`"), "{hint}");
    let unknown = ImportOptions {
        format: Some("areena".to_string()),
        ..ImportOptions::default()
    };
    let (message, hint) = refused(&folder, &["both"], &unknown);
    assert_eq!(message, "unknown format `areena`");
    assert!(hint.starts_with("did you mean `arena`?"), "{hint}");
}

#[test]
fn a_test_set_has_the_domain_and_the_document_of_each_item() {
    let set = |documents: &str| {
        Folder::with(&[
            ("set/sources/en-de.txt", "One.\nTwo.\nThree.\n"),
            (
                "set/system-outputs/en-de/atlas.txt",
                "Eins.\nZwei.\nDrei.\n",
            ),
            ("set/documents/en-de.docs", documents),
        ])
    };
    let folder = set("news d1\nnews\td 2\ntalk d3\n");
    let imported = from(&folder, &["set"], &ImportOptions::default()).unwrap();
    assert!(imported.left_out.is_empty(), "{:?}", imported.left_out);
    assert_eq!(
        imported.taken.last().unwrap(),
        "domain, document: documents"
    );
    let items = table(&folder, "items");
    let columns = ["domain", "document"].map(|name| {
        let values = items.iter().map(|row| row[name].as_str().unwrap());
        values.collect::<Vec<_>>()
    });
    let expected = [["news", "news", "talk"], ["d1", "d 2", "d3"]];
    assert_eq!(columns, expected);
    for (documents, message) in [
        (
            "news d1\nnews d1\n",
            "set/documents/en-de.docs: 2 lines, but set/sources/en-de.txt has 3: en-de ends after line 2",
        ),
        (
            "news d1\nnews\ntalk d3\n",
            "set/documents/en-de.docs:2: `news`, expected a domain and a document with a blank between",
        ),
    ] {
        let refused = refused(&set(documents), &["set"], &ImportOptions::default());
        assert_eq!(refused.0, message);
    }
}

/// They are read as nothing, since a row does not say whose output it is about.
#[test]
fn exports_that_name_no_systems_are_refused_by_name() {
    let record = r#"{"id": "r1", "fields": {"prompt": "x"}, "metadata": {}, "suggestions": {}, "responses": {"fine": [{"value": "yes", "user_id": "u"}]}, "vectors": {}, "_server_id": null}"#;
    let columns =
        r#"{"id": ["r1"], "fields": [{"prompt": "x"}], "suggestions": [{}], "responses": [{}]}"#;
    let folder = Folder::with(&[
        ("records.json", &format!("[{record}]")),
        ("by-id.json", &format!(r#"{{"r1": {record}}}"#)),
        ("columns.json", columns),
        (
            "older.json",
            r#"[{"id": "0", "fields": {"prompt": "x"}, "responses": [{"user_id": "u", "values": {}}]}]"#,
        ),
        (
            "argilla.jsonl",
            r#"{"text": "x", "fine": {"user_id": ["u"], "value": ["yes"], "status": ["submitted"]}}"#,
        ),
        (
            "prodigy.jsonl",
            r#"{"text": "x", "_input_hash": 1, "_task_hash": 2, "answer": "accept"}"#,
        ),
        (
            "doccano.jsonl",
            r#"{"id": 1, "text": "x", "label": ["good"], "Comments": []}"#,
        ),
        (
            "mqm.tsv",
            "system\tdoc\tseg_id\trater\tsource\ttarget\tcategory\tseverity\na\td\t1\tr1\tx\ty\tStyle\tMinor\n",
        ),
    ]);
    for (file, name, advice) in [
        ("argilla.jsonl", "Argilla", "make a table of it"),
        ("records.json", "Argilla", "make a table of it"),
        ("by-id.json", "Argilla", "make a table of it"),
        ("columns.json", "Argilla", "make a table of it"),
        ("older.json", "Argilla", "make a table of it"),
        ("prodigy.jsonl", "Prodigy", "make a table of it"),
        ("doccano.jsonl", "doccano", "make a table of it"),
        ("mqm.tsv", "WMT's MQM errors", "import the test set"),
    ] {
        let (message, hint) = refused(&folder, &[file], &ImportOptions::default());
        assert_eq!(
            message,
            format!("{file}: an export of {name}, which is not read")
        );
        assert!(hint.starts_with(advice), "{hint}");
    }
}

#[test]
fn a_judge_shown_both_orders_makes_one_prediction() {
    let pair = |first: &str, second: &str| {
        format!(
            r#"{{"question_id":1,"model_1":"a","model_2":"b","g1_winner":"{first}","g2_winner":"{second}","judge":["j","pair"],"turn":1}}"#
        )
    };
    let text = [
        pair("model_1", "tie"),
        pair("model_2", "error").replace(":1,\"m", ":2,\"m"),
        pair("error", "error"),
    ];
    let folder = Folder::with(&[("model_judgment/j_pair.jsonl", &text.join("\n"))]);
    let imported = from(&folder, &["model_judgment"], &ImportOptions::default()).unwrap();
    let p: Vec<f64> = table(&folder, "predictions")
        .iter()
        .map(|row| row["p"].as_f64().unwrap())
        .collect();
    assert_eq!(p, [0.75, 0.0]);
    assert_eq!(
        dropped(&imported),
        [
            ("a failed judgment (one order)", 1),
            ("a failed judgment (both orders)", 1)
        ]
    );
    assert!(imported.notes[0].starts_with("position: the output shown first won 1 of 2 verdicts"));
    let two = format!("{}\n{}\n", text[0], text[0].replace("[\"j\"", "[\"k\""));
    folder.write("model_judgment/j_pair.jsonl", two);
    let (_, hint) = refused(&folder, &["model_judgment"], &ImportOptions::default());
    assert_eq!(
        hint,
        "say whose predictions to read: --pick judge=j or --pick judge=k"
    );
    from(&folder, &["model_judgment"], &picked(&[("judge", "k")])).unwrap();
}

#[test]
fn the_formats_are_listed_once_and_in_order() {
    let names: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
    assert!(names.windows(2).all(|pair| pair[0] < pair[1]), "{names:?}");
    assert!(FORMATS.iter().all(|format| !format.summary.is_empty()));
}
