//! What does not count leaves nothing behind, what comes twice counts once, and of several runs the whole one counts.

use super::Folder;
use super::formats::{dropped, from, index, refused, table};
use expect_test::expect;
use tiebreak::records::import::{ImportOptions, ImportSummary, Repeats};
use tiebreak::records::{Dataset, Index, Kind};

fn imported(folder: &Folder, input: &str) -> ImportSummary {
    from(folder, &[input], &ImportOptions::default()).unwrap()
}

/// The systems that have outputs.
fn with_outputs(folder: &Folder) -> Vec<String> {
    let rows = table(folder, "outputs");
    let systems = rows
        .iter()
        .map(|row| row["system"].as_str().unwrap().to_string());
    systems.collect()
}

#[test]
fn votes_that_do_not_count_leave_no_outputs() {
    let side = |text: &str| {
        format!(r#"[{{"role":"user","content":"Hi"}},{{"role":"assistant","content":"{text}"}}]"#)
    };
    let vote = |id: &str, [a, b]: [&str; 2], winner: &str| {
        format!(
            r#"{{"question_id":"{id}","model_a":"{a}","model_b":"{b}","winner":"{winner}","conversation_a":{},"conversation_b":{}}}"#,
            side("x"),
            side("y")
        )
    };
    let votes = [
        vote("1", ["ant", "bee"], "model_a"),
        vote("2", ["cat", "cat"], "model_a"),
        vote("3", ["dog", "eel"], ""),
        vote("4", ["fox", "gnu"], "n/a"),
        vote("1", ["ant", "bee"], "model_a"),
    ];
    let kaggle = "id,model_a,model_b,prompt,response_a,response_b,winner_model_a,winner_model_b,winner_tie\n\
        1,ant,bee,\"[\"\"Hi\"\"]\",\"[\"\"x\"\"]\",\"[\"\"y\"\"]\",1,0,0\n\
        2,cat,cat,\"[\"\"Hi\"\"]\",\"[\"\"x\"\"]\",\"[\"\"y\"\"]\",1,0,0\n\
        3,dog,eel,\"[\"\"Hi\"\"]\",\"[\"\"x\"\"]\",\"[\"\"y\"\"]\",0,0,0\n";
    let row = |[a, b]: [&str; 2], winner: &str| {
        format!(
            r#"{{"instruction":"Hi {a}","response_a":"x","response_b":"y","winner":{winner},"model_a":"{a}","model_b":"{b}"}}"#
        )
    };
    let rows = [
        row(["ant", "bee"], "\"A\""),
        row(["cat", "cat"], "\"A\""),
        row(["dog", "eel"], "null"),
    ];
    let folder = Folder::with(&[
        ("votes.jsonl", &votes.join("\n")),
        ("kaggle.csv", kaggle),
        ("rows.jsonl", &rows.join("\n")),
    ]);
    for input in ["votes.jsonl", "kaggle.csv", "rows.jsonl"] {
        assert_eq!(imported(&folder, input).comparisons, 1, "{input}");
        assert_eq!(with_outputs(&folder), ["ant", "bee"], "{input}");
    }
    let again = imported(&folder, "votes.jsonl");
    assert!(
        dropped(&again).contains(&("the same vote again", 1)),
        "{again}"
    );
}

#[test]
fn further_columns_of_tables_are_kept_and_named() {
    let outputs = [
        r#"{"item":"1","system":"a","output":"x","lang":"de","seconds":2,"tags":["t"]}"#,
        r#"{"item":"1","system":"b","output":"y","lang":"fr"}"#,
    ];
    let folder = Folder::with(&[
        ("d/items.csv", "item,source,domain\n1,s,news\n"),
        ("d/outputs.jsonl", &outputs.join("\n")),
        (
            "d/comparisons.csv",
            "item,system_a,system_b,winner,who,ranking_id,page\n1,a,b,A,ana,r7,3\n",
        ),
        (
            "d/judgments.csv",
            "item,system,criterion,score,batch\n1,a,f,4,b2\n",
        ),
        (
            "d/predictions.csv",
            "item,system_a,system_b,p,mean,std\n1,a,b,0.7,0.6,0.1\n",
        ),
        (
            "rated.csv",
            "item,system,output,lang,fluency,annotator\n1,a,x,de,4,ana\n1,a,x,de,3,ben\n",
        ),
    ]);
    let options = ImportOptions {
        columns: vec![("annotator".to_string(), "who".to_string())],
        ..ImportOptions::default()
    };
    let notes = from(&folder, &["d"], &options).unwrap().notes;
    let noted = |of: &str| {
        let of = format!("{of}: ");
        let ends = notes
            .iter()
            .filter_map(|note| Some(note.split_once(&of)?.1));
        ends.collect::<Vec<_>>()
    };
    assert_eq!(
        noted("items.csv"),
        ["further columns, which are kept: domain"]
    );
    assert_eq!(
        noted("outputs.jsonl"),
        [
            "further columns, which are kept: lang, seconds",
            "lists and objects, which are not read: tags"
        ]
    );
    assert_eq!(
        noted("comparisons.csv"),
        ["further columns, which are kept: page"]
    );
    let first = |name: &str| serde_json::to_string(&table(&folder, name)[0]).unwrap();
    let written = [
        "items",
        "outputs",
        "comparisons",
        "judgments",
        "predictions",
    ]
    .map(first);
    expect![[r#"
        {"item":"1","source":"s","domain":"news"}
        {"item":"1","system":"a","output":"x","lang":"de","seconds":2}
        {"item":"1","system_a":"a","system_b":"b","outcome":1.0,"label":"A","annotator":"ana","page":"3","ranking_id":"r7"}
        {"item":"1","system":"a","criterion":"f","score":4.0,"batch":"b2"}
        {"item":"1","system_a":"a","system_b":"b","p":0.7,"mean":0.6,"std":0.1}"#]].assert_eq(&written.join("\n"));
    let options = ImportOptions {
        criteria: Some(vec!["fluency".to_string()]),
        ..ImportOptions::default()
    };
    from(&folder, &["rated.csv"], &options).unwrap();
    let languages = table(&folder, "judgments");
    let languages: Vec<_> = languages.iter().map(|row| &row["lang"]).collect();
    assert_eq!(
        languages,
        ["de", "de"],
        "what a rating's row says stays with it"
    );
}

#[test]
fn several_turns_are_the_same_in_every_form_of_a_row() {
    let said = |role: &str, text: &str| format!(r#"{{"role":"{role}","content":"{text}"}}"#);
    let (asked, then) = (said("user", "Hi"), said("user", "and again"));
    let answers = |name: &str| [said("assistant", name), said("assistant", "more")];
    let [one, more] = answers("Hello");
    let rows = [
        r#"{"prompt":["Hi","and again"],"response_a":["Hello","more"],"response_b":["Hello","more"],"winner":"A"}"#
            .to_string(),
        format!(
            r#"{{"prompt":[{asked}],"response_a":[{one},{then},{more}],"response_b":[{asked},{one},{then},{more}],"winner":"A"}}"#
        ),
    ];
    let folder = Folder::with(&[("rows.jsonl", &rows.join("\n"))]);
    imported(&folder, "rows.jsonl");
    let outputs = table(&folder, "outputs");
    assert_eq!(
        table(&folder, "items").len(),
        1,
        "both rows are of one item"
    );
    assert_eq!(
        table(&folder, "items")[0]["source"],
        "user: Hi\n\nuser: and again"
    );
    let output = "assistant: Hello\n\nuser: and again\n\nassistant: more";
    assert!(
        outputs.iter().all(|row| row["output"] == output),
        "{outputs:?}"
    );
}

#[test]
fn what_is_said_about_a_text_that_is_left_out_is_left_out() {
    let state = |model: &str| {
        format!(
            r#"{{"adapter_spec":{{"model":"{model}"}},"request_states":[{{"instance":{{"id":"1","input":{{"text":"Hi {model}"}},"references":[]}},"result":{{"success":true,"completions":[{{"text":"x"}}]}}}},{{"instance":{{"id":"2","input":{{"text":"Bye"}},"references":[]}},"result":{{"success":true,"completions":[{{"text":"x"}}]}}}}]}}"#
        )
    };
    let stats =
        r#"[{"instance_id":"1","stats":{"match":1.0}},{"instance_id":"2","stats":{"match":1.0}}]"#;
    let folder = Folder::with(&[
        ("runs/s:model=ant/scenario_state.json", &state("ant")),
        ("runs/s:model=ant/display_predictions.json", stats),
        ("runs/s:model=bee/scenario_state.json", &state("bee")),
        ("runs/s:model=bee/display_predictions.json", stats),
    ]);
    let imported = imported(&folder, "runs");
    assert_eq!((imported.outputs, imported.judgments), (3, 3));
    assert_eq!(
        dropped(&imported),
        [
            (
                "an output, with any scores, for another instance under the same id",
                1
            ),
            ("an answer about an output that is left out", 1)
        ]
    );
}

/// Another task may lack the filter whose texts are the outputs.
#[test]
fn outputs_without_the_picked_filter_take_their_scores_along() {
    let sample = |filter: &str| {
        format!(
            r#"{{"doc_id":0,"doc":{{}},"target":"4","arguments":{{"gen_args_0":{{"arg_0":"2?","arg_1":{{}}}}}},"resps":[["4"]],"filtered_resps":["4"],"filter":"{filter}","metrics":["acc"],"doc_hash":"h","acc":1.0}}"#
        )
    };
    let sums = ["strict", "loose"].map(sample).join("\n");
    let folder = Folder::with(&[
        ("logs/ant/samples_sums_2026-01-01T00-00-00.jsonl", &sums),
        (
            "logs/ant/samples_trivia_2026-01-01T00-00-00.jsonl",
            &sample("none"),
        ),
    ]);
    let picked = |filter: &str| ImportOptions {
        pick: vec![("filter".to_string(), filter.to_string())],
        ..ImportOptions::default()
    };
    let summary = from(&folder, &["logs"], &picked("strict")).unwrap();
    assert_eq!((summary.outputs, summary.judgments), (1, 2));
    assert_eq!(summary.criteria, ["acc,strict", "acc,loose"]);
    assert_eq!(
        dropped(&summary),
        [
            ("a response that `strict` did not filter", 1),
            ("a judgment of an item without outputs: trivia/0", 1)
        ]
    );
    index(&folder);
    let (message, _) = refused(&folder, &["logs"], &picked("exact"));
    assert!(
        message.ends_with("no filter `exact`; filters are loose, none, strict"),
        "{message}"
    );
}

#[test]
fn sources_that_differ_in_blanks_around_them_are_the_same() {
    let rows = |end: &str| {
        format!(
            "item,system,output,source,score\n1,x,a,Who?,1\n2,x,b,When?,1\n1,y,c,Who?{end},5\n2,y,d,When?{end},5\n"
        )
    };
    let folder = Folder::with(&[("ws.csv", &rows(" ")), ("other.csv", &rows("!"))]);
    let same = imported(&folder, "ws.csv");
    assert_eq!(
        (same.outputs, same.judgments, dropped(&same)),
        (4, 4, vec![])
    );
    assert_eq!(table(&folder, "items")[0]["source"], "Who?");
    let other = imported(&folder, "other.csv");
    let told = "an output, with any scores, for another source or references of the same item";
    assert_eq!(dropped(&other), [(told, 2)]);
    assert_eq!(other.notes, ["systems without any record left: y"]);
}

/// A sample is a battle of its own where the prompt's item has another output.
#[test]
fn votes_on_samples_of_one_prompt_are_all_kept() {
    let row = |a: &str, b: &str, by: &str| {
        format!(
            r#"{{"prompt":"Hi?","response_a":"{a}","response_b":"{b}","winner":"A","model_a":"ant","model_b":"bee","annotator":"{by}"}}"#
        )
    };
    let rows = [
        row("1", "2", "ana"),
        row("3", "4", "ana"),
        row("3", "4", "ben"),
        row("1", "2", "ben"),
    ];
    let folder = Folder::with(&[("rows.jsonl", &rows.join("\n"))]);
    let summary = imported(&folder, "rows.jsonl");
    assert_eq!(
        (summary.items, summary.outputs, summary.comparisons),
        (2, 4, 4)
    );
    assert_eq!(dropped(&summary), []);
    let named = Folder::with(&[("rows.jsonl", &rows.join("\n").replace('{', r#"{"id":"1","#))]);
    let told = "a vote on other outputs of the same systems for the same item";
    assert_eq!(dropped(&imported(&named, "rows.jsonl")), [(told, 2)]);
}

#[test]
fn an_annotation_in_two_exports_counts_once() {
    let task = r#"[{"id":1,"data":{"item":"1","left":"x","right":"y","sys_left":"ant","sys_right":"bee"},"annotations":[{"id":9,"completed_by":1,"result":[{"value":{"selected":"left"}}]}]}]"#;
    let folder = Folder::with(&[("d/1.json", task), ("d/2.json", task)]);
    let imported = imported(&folder, "d");
    assert_eq!(imported.comparisons, 1);
    assert_eq!(dropped(&imported), [("the same annotation again", 1)]);
}

#[test]
fn texts_in_fields_of_other_names_are_missed() {
    let task = r#"[{"id":1,"data":{"item":"1","one":"x","two":"y","sys_left":"ant","sys_right":"bee"},"annotations":[{"id":9,"completed_by":1,"result":[{"value":{"selected":"left"}}]}]}]"#;
    let told = imported(&Folder::with(&[("d/1.json", task)]), "d").to_string();
    assert!(
        told.contains("no texts are read") && !told.contains("outputs: left"),
        "{told}"
    );
}

#[test]
fn a_copy_of_a_file_counts_once() {
    let ratings = "item,system,fluency,annotator\n1,a,3,ana\n1,b,4,ana\n";
    let copies = [("in/ratings.csv", ratings), ("in/ratings (1).csv", ratings)];
    let summary = imported(&Folder::with(&copies), "in");
    assert_eq!(summary.judgments, 2);
    let [left_out] = &summary.left_out[..] else {
        panic!("{summary:?}")
    };
    assert_eq!(left_out.rule, "the same contents as another file");
    assert!(left_out.files[0].ends_with("ratings.csv"));
}

#[test]
fn a_later_run_that_is_not_whole_does_not_count() {
    let log = |created: &str, more: &str, text: &str| {
        format!(
            r#"{{"version":2,{more},"eval":{{"task":"t","model":"ant","created":"{created}"}},"samples":[{{"id":1,"epoch":1,"input":"x","target":"y","output":{{"completion":"{text}"}}}}]}}"#
        )
    };
    let sample = |doc: u64| {
        format!(
            r#"{{"doc_id":{doc},"doc":{{}},"target":"4","arguments":{{"gen_args_0":{{"arg_0":"2?","arg_1":{{}}}}}},"resps":[["4"]],"filtered_resps":["4"],"filter":"none","metrics":["acc"],"doc_hash":"h{doc}","acc":1.0}}"#
        )
    };
    let folder = Folder::with(&[
        (
            "d/a.json",
            &log("2026-01-01", r#""status":"success""#, "whole"),
        ),
        (
            "d/b.json",
            &log("2026-01-02", r#""status":"error""#, "broken"),
        ),
        (
            "d/c.json",
            &log("2026-01-03", r#""status":"started""#, "begun"),
        ),
        (
            "e/ant/samples_t_2026-01-01T00-00-00.jsonl",
            &format!("{}\n{}\n", sample(0), sample(1)),
        ),
        ("e/ant/samples_t_2026-01-02T00-00-00.jsonl", &sample(0)),
    ]);
    let inspect = imported(&folder, "d");
    assert_eq!(table(&folder, "outputs")[0]["output"], "whole");
    assert_eq!(
        dropped(&inspect),
        [("a sample of a later run that is not whole", 2)]
    );
    let samples = imported(&folder, "e");
    assert_eq!(samples.outputs, 2);
    assert_eq!(
        dropped(&samples),
        [(
            "a row of a later run of the same task, which has fewer documents",
            1
        )]
    );
}

#[test]
fn the_index_of_a_data_frame_is_no_column() {
    for name in ["", "Unnamed: 0"] {
        let outputs = format!("{name},item,system,output\n0,1,ant,x\n1,1,bee,y\n");
        let ratings = format!("{name},item,system,fluency\n0,1,ant,3\n1,1,bee,4\n");
        let votes = format!("{name},left,right,winner\n0,ant,bee,left\n");
        let folder = Folder::with(&[("o.csv", &outputs), ("r.csv", &ratings), ("v.csv", &votes)]);
        assert_eq!(imported(&folder, "o.csv").outputs, 2);
        assert_eq!(imported(&folder, "r.csv").criteria, ["fluency"]);
        imported(&folder, "v.csv");
        let row = table(&folder, "comparisons")[0].clone();
        assert!(row.get(name).is_none(), "{row}");
        let read = Dataset::open(folder.path().join("o.csv"), &[]).unwrap();
        assert_eq!(Index::build(&read).unwrap().rows(Kind::Outputs), 2);
    }
}

#[test]
fn criteria_of_tables_may_have_commas() {
    let rows = "item,system,\"exact,strict\"\n1,ant,1\n1,bee,0\n";
    let folder = Folder::with(&[("r.csv", rows)]);
    let named = |names: &[&str]| ImportOptions {
        criteria: Some(names.iter().map(ToString::to_string).collect()),
        ..ImportOptions::default()
    };
    let imported = from(&folder, &["r.csv"], &named(&["exact", "strict"])).unwrap();
    assert_eq!(
        (&*imported.criteria, imported.judgments),
        (&["exact,strict".to_string()][..], 2)
    );
    let (message, _) = refused(&folder, &["r.csv"], &named(&["exact"]));
    assert_eq!(message, "r.csv: no column `exact` for a criterion");
}

#[test]
fn lists_of_numpy_and_nulls_in_cells_are_read() {
    let rows = "item,system,output,references\n1,ant,x,\"['y' 'z']\"\n2,ant,x,\"['y', None]\"\n";
    let folder = Folder::with(&[("o.csv", rows)]);
    let imported = imported(&folder, "o.csv");
    let items = table(&folder, "items");
    assert_eq!(items[0]["references"], serde_json::json!(["y", "z"]));
    assert_eq!(items[1]["references"], serde_json::json!(["y"]));
    assert_eq!(dropped(&imported), [("a null among references", 1)]);
    let set = Dataset::open(folder.path().join("o.csv"), &[]).unwrap();
    let groups = super::groups(&Index::build(&set).unwrap());
    assert_eq!(groups[0].references, ["y", "z"]);
    assert_eq!(groups[1].references, ["y"]);
}

#[test]
fn rows_that_nobody_answered_are_left_out_and_counted_where_they_lie() {
    let outputs = "item,system,output\n1,ant,x\n1,bee,y\n";
    let comparisons = [
        r#"{"item":1,"system_a":"ant","system_b":"bee","outcome":1}"#,
        r#"{"item":1,"system_a":"ant","system_b":"bee","outcome":null}"#,
        r#"{"item":1,"system_a":"ant","system_b":"bee","outcome":""}"#,
        r#"{"item":1,"system_a":"ant","system_b":"bee","outcome":0}"#,
    ];
    let judgments = "item,system,criterion,score\n1,ant,style,\n1,bee,style,3\n";
    let folder = Folder::with(&[
        ("outputs.csv", outputs),
        ("comparisons.jsonl", &comparisons.join("\n")),
        ("judgments.csv", judgments),
    ]);
    let index = folder.index().unwrap();
    let counts = [Kind::Comparisons, Kind::Judgments].map(|kind| {
        let unanswered = index.unanswered(kind);
        (index.rows(kind), unanswered.count, unanswered.first)
    });
    assert_eq!(counts, [(2, 2, 2), (1, 1, 2)]);
    let groups = super::groups(&index);
    let places: Vec<u64> = groups[0].comparisons.iter().map(|one| one.place).collect();
    assert_eq!(places, [0, 3], "places are those of the file");
}

#[test]
fn repeats_of_a_table_are_kept_or_the_first_is_taken() {
    let rows =
        "item,system,repeat,output,right\n1,ant,1,x,1\n1,ant,2,z,0\n1,bee,1,y,0\n1,bee,2,y,0\n";
    let folder = Folder::with(&[("r.csv", rows)]);
    let options = |repeats| ImportOptions {
        criteria: Some(vec!["right".to_string()]),
        repeats,
        ..ImportOptions::default()
    };
    let all = from(&folder, &["r.csv"], &options(Repeats::All)).unwrap();
    assert_eq!((all.outputs, all.judgments), (2, 4));
    assert_eq!(
        dropped(&all),
        [("an output of a further repeat, whose scores are kept", 2)]
    );
    assert_eq!(table(&folder, "judgments")[1]["repeat"], 2);
    let groups = super::groups(&index(&folder));
    let repeats = groups[0].judgments.iter().map(|one| one.repeat.as_deref());
    assert_eq!(
        repeats.collect::<Vec<_>>(),
        [Some("1"), Some("2"), Some("1"), Some("2")]
    );
    let first = from(&folder, &["r.csv"], &options(Repeats::First)).unwrap();
    assert_eq!((first.outputs, first.judgments), (2, 2));
}

#[test]
fn repeats_of_a_test_keep_their_scores() {
    let row = |test: u64, score: u64, output: &str| {
        format!(
            r#"{{"promptIdx":0,"testIdx":{test},"score":{score},"namedScores":{{}},"provider":{{"id":"ant"}},"vars":{{"q":"x"}},"prompt":{{"raw":"x","label":"x"}},"response":{{"output":"{output}"}}}}"#
        )
    };
    let rows = [
        row(1, 0, "second"),
        row(0, 1, "first"),
        row(0, 1, "first"),
        row(0, 0, "rerun"),
    ];
    let folder = Folder::with(&[("results.jsonl", &rows.join("\n"))]);
    let imported = imported(&folder, "results.jsonl");
    assert_eq!(
        dropped(&imported),
        [
            ("an output of a further repeat, whose scores are kept", 1),
            ("the same result again", 1),
            ("a further run of a test, whose first result counts", 1)
        ]
    );
    assert_eq!(table(&folder, "outputs")[0]["output"], "first");
    let judgments = table(&folder, "judgments");
    let said = judgments
        .iter()
        .map(|row| (row["repeat"].as_u64(), row["score"].as_f64()));
    assert_eq!(
        said.collect::<Vec<_>>(),
        [(Some(2), Some(0.0)), (Some(1), Some(1.0))]
    );
}

#[test]
fn a_campaign_is_read_whichever_of_its_files_is_named() {
    let log = r#"{"annotation":[{"ant":{"score":70}}],"item":[{"item_id":"1","src":"One","tgt":{"ant":"Eins"}}],"user_id":"ana","item_i":0}"#;
    let campaign = r#"{"campaign_id":"c","info":{},"data":[[[{"item_id":"1","src":"One","tgt":{"ant":"Eins"}}]]]}"#;
    let folder = Folder::with(&[
        ("c.json", campaign),
        ("data/campaigns/c.json", campaign),
        ("data/progress/c.json", r#"{"ana":{"progress":[true]}}"#),
        ("data/annotations/c.jsonl", log),
    ]);
    for input in ". c.json data data/campaigns/c.json data/progress/c.json \
        data/annotations/c.jsonl"
        .split(' ')
    {
        assert_eq!(imported(&folder, input).judgments, 1, "{input}");
    }
}

/// Two evals number their tests each from 0: a test with other variables is another item.
#[test]
fn tests_of_two_evals_are_all_kept() {
    let row = |test: usize, question: &str| {
        format!(
            r#"{{"promptIdx":0,"testIdx":{test},"score":1,"namedScores":{{}},"provider":{{"id":"ant"}},"vars":{{"q":"{question}"}},"prompt":{{"raw":"Say {question}","label":"x"}},"response":{{"output":"{question}"}}}}"#
        )
    };
    let rows = |questions: &[&str]| {
        let rows = questions.iter().enumerate();
        let rows: Vec<String> = rows.map(|(test, question)| row(test, question)).collect();
        rows.join("\n")
    };
    let folder = Folder::with(&[
        ("one.jsonl", &rows(&["cat", "dog"])),
        ("two.jsonl", &rows(&["fox", "cat", "gnu"])),
    ]);
    let options = ImportOptions::default();
    let imported = from(&folder, &["one.jsonl", "two.jsonl"], &options).unwrap();
    assert_eq!((imported.items, imported.outputs), (4, 4));
    assert_eq!(
        dropped(&imported),
        [("an output of a further repeat, whose scores are kept", 1)]
    );
    let rows = table(&folder, "outputs");
    let items = rows
        .iter()
        .map(|row| (row["item"].as_str(), row["output"].as_str()));
    let expected = [("0", "cat"), ("1", "dog"), ("two/0", "fox"), ("2", "gnu")];
    assert_eq!(
        items.collect::<Vec<_>>(),
        expected.map(|(item, output)| (Some(item), Some(output)))
    );
    let note = "items of two with the number of another test have its name: two/NUMBER";
    assert_eq!(imported.notes, [note]);
}

/// A table in two forms would count twice.
#[test]
fn a_table_in_two_forms_is_refused() {
    let table = "item,system_a,system_b,outcome\n1,a,b,1\n";
    let folder = Folder::with(&[("votes/mine.csv", table)]);
    folder.write("votes/mine.csv.gz", super::gzip(table.as_bytes()));
    let (what, hint) = refused(&folder, &["votes"], &ImportOptions::default());
    assert_eq!(
        what,
        "votes: table `mine` is there twice: mine.csv and mine.csv.gz"
    );
    assert_eq!(hint, "remove one of the two");
}

/// Votes with two systems and a winner, and nothing else: each is on an item of its own.
#[test]
fn votes_without_items_or_texts_are_read() {
    let votes = "model_a,model_b,winner\nant,bee,model_a\nant,bee,tie\nbee,cat,model_b\n";
    let json = r#"{"model_a":"ant","model_b":"bee","winner":"model_b","annotator":"ana"}"#;
    let folder = Folder::with(&[("votes.csv", votes), ("votes.jsonl", json)]);
    let found = imported(&folder, "votes.csv");
    assert_eq!((found.items, found.comparisons), (3, 3));
    assert_eq!(found.systems, ["ant", "bee", "cat"]);
    assert_eq!(imported(&folder, "votes.jsonl").comparisons, 1);
    assert_eq!(table(&folder, "comparisons")[0]["annotator"], "ana");
}
