//! `--people` and `--items`: whom and what `rank`, `estimate` and `correlate` are about.

use super::{Finished, here, text, tiebreak};
use crate::support::assert_contains;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use tiebreak::rng::Seed;

/// Three systems on forty items, compared and judged by so many people, each item by two of them.
fn data(folder: &Path, people: usize) -> PathBuf {
    let data = folder.join(format!("of-{people}"));
    fs::create_dir_all(&data).unwrap();
    let mut rng = Seed(40).stream("whose", people as u64);
    let (mut outputs, mut comparisons, mut judgments) =
        (String::new(), String::new(), String::new());
    for item in 0..40 {
        for (at, system) in ["a", "b", "c"].into_iter().enumerate() {
            let output = "word ".repeat(1 + (item * (at + 2)) % 7);
            outputs += &format!(
                "{}\n",
                json!({"item": item.to_string(), "system": system, "output": output})
            );
            let other = ["b", "c", "a"][at];
            for who in [item % people, (item + 1) % people] {
                let who = format!("p{who}");
                let score = (3.5 - 0.4 * at as f64 + rng.normal())
                    .round()
                    .clamp(1.0, 5.0);
                let judgment = json!({"item": item.to_string(), "system": system, "criterion": "quality",
                                      "score": score, "annotator": who});
                judgments += &format!("{judgment}\n");
                let wins = f64::from(u8::from(rng.bernoulli(if at == 2 { 0.3 } else { 0.65 })));
                let comparison = json!({"item": item.to_string(), "system_a": system, "system_b": other,
                                        "outcome": wins, "annotator": who});
                comparisons += &format!("{comparison}\n");
            }
        }
    }
    for (name, rows) in [
        ("outputs", outputs),
        ("comparisons", comparisons),
        ("judgments", judgments),
    ] {
        fs::write(data.join(format!("{name}.jsonl")), rows).unwrap();
    }
    data
}

/// The three commands on a data set.
fn commands(folder: &Path, data: &Path) -> [Vec<String>; 3] {
    let name = data.file_name().unwrap().to_str().unwrap();
    let scores = folder.join(format!("{name}-scores.csv"));
    let score = ["score", text(data), "--metric length --out", text(&scores)];
    tiebreak(&score).ok();
    let owned = |words: &[&str]| words.iter().map(ToString::to_string).collect();
    let correlate = [
        "correlate",
        text(data),
        "--scores",
        text(&scores),
        "--metric length",
    ];
    let quick = ["--resamples", "100", "--resample", "items"];
    [
        owned(&["rank", text(data)]),
        owned(&["estimate", text(data)]),
        owned(&[&correlate[..], &quick].concat()),
    ]
}

fn with(command: &[String], more: &[&str]) -> Finished {
    let words = command
        .iter()
        .map(String::as_str)
        .chain(more.iter().copied());
    tiebreak(&words.collect::<Vec<_>>())
}

/// What is said of new annotators, and the document without it.
fn parted(mut document: Value) -> (Vec<Value>, Value) {
    let mut found = Vec::new();
    let mut part = |of: &mut Value| found.push(of["new_annotators"].take());
    match document.get("ranks").is_some() {
        true => part(&mut document),
        false => {
            for list in ["estimates", "correlations"] {
                let rows = document.get_mut(list).and_then(Value::as_array_mut);
                rows.into_iter().flatten().for_each(&mut part);
            }
        }
    }
    (found, document)
}

/// What does not say what was asked for.
fn first_line(mut document: Value) -> Value {
    for asked in ["people", "signature", "intervals", "new_annotators"] {
        document.as_object_mut().unwrap().remove(asked);
    }
    document
}

#[test]
fn new_annotators_stand_beside_these_where_there_are_enough_or_where_asked() {
    let folder = tempfile::tempdir().unwrap();
    for people in [3, 9] {
        let data = data(folder.path(), people);
        for command in commands(folder.path(), &data) {
            let said = |more: &[&str]| parted(with(&command, &[more, &["--json"]].concat()).json());
            let (usual, these) = said(&[]);
            let shown = usual.iter().any(|new| !new.is_null());
            assert_eq!(shown, people >= 8, "{command:?} {usual:?}");
            let too_few = "3 annotators are too few to say what others would answer.";
            let told = with(&command, &[]).ok();
            assert_eq!(told.contains(too_few), people == 3, "{told}");
            for whose in ["these", "both", "new-annotators"] {
                let (new, document) = said(&["--people", whose]);
                assert_eq!(
                    first_line(document),
                    first_line(these.clone()),
                    "{command:?} {whose}"
                );
                let shown = new.iter().any(|new| !new.is_null());
                assert_eq!(
                    shown,
                    people >= 8 || whose != "these",
                    "{command:?} {whose}"
                );
            }
            let asked = with(&command, &["--people", "new-annotators"]).ok();
            assert!(asked.to_lowercase().contains("new annotator"), "{asked}");
        }
    }
}

#[test]
fn these_items_are_a_choice() {
    let folder = tempfile::tempdir().unwrap();
    let data = data(folder.path(), 9);
    let [rank, estimate, correlate] = commands(folder.path(), &data);
    let width = |row: &Value| row["upper"].as_f64().unwrap() - row["lower"].as_f64().unwrap();
    for (command, list) in [(rank, "strengths"), (estimate, "estimates")] {
        let row =
            |items: &str| with(&command, &["--items", items, "--json"]).json()[list][0].clone();
        let (like, these) = (row("like-these"), row("these"));
        assert!(width(&these) <= width(&like), "{command:?} {these} {like}");
        assert!(
            these["lower"].as_f64() < these["upper"].as_f64(),
            "{command:?} {these}"
        );
    }
    let rows = |items: &str| {
        with(&correlate, &["--items", items, "--json"]).json()["correlations"].clone()
    };
    assert_eq!(rows("these"), rows("like-these"), "no correction");
    let told = with(&correlate, &["--items", "these"]).ok();
    assert_contains(&told, &["`--items these` has no effect here"]);
    let told = with(&commands(folder.path(), &data)[0], &["--items", "these"]).ok();
    assert_contains(&told, &["`--items these` makes no interval narrower"]);
}

/// Where one annotator judged each output again and again, of these items only that scatter remains; without a table of
/// outputs the items are those that were judged.
#[test]
fn repeats_show_what_remains_of_these_items() {
    let folder = tempfile::tempdir().unwrap();
    let rows = |(item, again): (i32, i32)| {
        [("a", 0), ("b", 3 * (item % 4))].map(|(system, better)| {
            let score = 20 + 5 * (item % 10) + better + (item * 7 + again * 5) % 3;
            let row = json!({"item": item, "system": system, "criterion": "quality", "annotator": "ana", "score": score});
            format!("{row}\n")
        })
    };
    let all = (0..50).flat_map(|item| (0..3).map(move |again| (item, again)));
    let table: String = all.flat_map(rows).collect();
    let data = folder.path().join("judgments.jsonl");
    fs::write(&data, table).unwrap();
    let found = |items: &str| {
        let estimate = [
            "estimate",
            text(&data),
            "--differences --json --items",
            items,
        ];
        tiebreak(&estimate).json()
    };
    let (like, these) = (found("like-these"), found("these"));
    let error =
        |document: &Value, list: &str| document[list][0]["standard_error"].as_f64().unwrap();
    for list in ["estimates", "differences"] {
        let (like, these) = (error(&like, list), error(&these, list));
        assert!(these > 0.0 && these < 0.3 * like, "{list}: {these} {like}");
    }
    let gate = [
        "gate",
        text(&data),
        "--base b --new a --range 0,100 --json --items these",
    ];
    let difference = tiebreak(&gate).json()["results"][0]["difference"].as_f64();
    assert_eq!(difference, these["differences"][0]["difference"].as_f64());
}

#[test]
fn wrong_values_say_which_there_are() {
    let folder = tempfile::tempdir().unwrap();
    let data = data(folder.path(), 3);
    for command in commands(folder.path(), &data) {
        for (flag, value, known) in [
            ("--people", "those", "`these`, `new-annotators`, `both`"),
            ("--items", "all", "`like-these` or `these`"),
        ] {
            let run = with(&command, &[flag, value]);
            assert_eq!(run.code, Some(2), "{command:?}: {}", run.stderr);
            for said in [flag, value, known] {
                assert!(run.stderr.contains(said), "{command:?}: {}", run.stderr);
            }
        }
    }
}

#[test]
fn pipelines_take_the_same_keys() {
    let folder = tempfile::tempdir().unwrap();
    let data = data(folder.path(), 3);
    let keys = "people = \"both\"\nitems = \"these\"\n";
    let stages = format!(
        "data = \"{}\"\n[[score]]\nmetric = \"length\"\n[[rank]]\n{keys}[[estimate]]\n{keys}[[correlate]]\n\
         metric = \"length\"\nresamples = 100\nresample = \"items\"\n{keys}",
        text(&data)
    );
    let (pipeline, out) = (folder.path().join("p.toml"), folder.path().join("run"));
    fs::write(&pipeline, here(&stages)).unwrap();
    tiebreak(&["run", text(&pipeline), "--out", text(&out)]).ok();
    let report: Value =
        serde_json::from_str(&fs::read_to_string(out.join("report.json")).unwrap()).unwrap();
    let [rank, estimate, correlate] = commands(folder.path(), &data);
    let asked = ["--people", "both", "--items", "these", "--json"];
    let said = |command: &[String]| with(command, &asked).json();
    assert_eq!(report["rankings"][0][1]["ranks"], said(&rank)["ranks"]);
    assert_eq!(
        report["rankings"][0][1]["new_annotators"],
        said(&rank)["new_annotators"]
    );
    assert_eq!(report["correlations"][0][1], said(&correlate));
    let new = |row: &Value| row["new_annotators"]["lower"].clone();
    let ours = &report["estimates"][0][1][0];
    assert!(!new(ours).is_null());
    assert_eq!(new(ours), new(&said(&estimate)["estimates"][0]));
    let resumed = tiebreak(&["report", text(&out)]).ok();
    assert_contains(&resumed, &["With new annotators like these"]);
    // The first lines are about those asked for.
    for (people, best) in [(3, "Not decided yet."), (9, "Not decided yet. a leads")] {
        let new = format!("data = \"of-{people}\"\n[[rank]]\npeople = \"new-annotators\"\n");
        self::data(folder.path(), people);
        fs::write(&pipeline, new).unwrap();
        tiebreak(&["run", text(&pipeline), "--out", text(&out), "--force"]).ok();
        let report = fs::read_to_string(out.join("report.txt")).unwrap();
        assert_contains(&report, &[best, "it takes more annotators"]);
    }
    let wrong = stages.replacen("both", "everybody", 1);
    fs::write(&pipeline, here(&wrong)).unwrap();
    let run = tiebreak(&[
        "run",
        text(&pipeline),
        "--out",
        text(&folder.path().join("o")),
    ]);
    run.refused(&["people", "everybody"]);
}
