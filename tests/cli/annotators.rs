//! `annotators`, as a person uses it.

use super::{text, tiebreak};
use crate::support::{assert_contains, assert_lacks, table_rows};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

#[test]
fn agreement_outliers_and_labels_of_the_small_set() {
    let printed = tiebreak(&["annotators", "data/tiny"]).ok();
    assert_contains(
        &printed,
        &[
            "comparisons",
            "judgments of fluency",
            "kappa Fleiss",
            "stand",
            "|version:3",
        ],
    );
    let json = tiebreak(&["annotators", "data/tiny", "--json"]).json();
    assert_eq!(json["agreement"].as_array().unwrap().len(), 3);
    for one in json["agreement"].as_array().unwrap() {
        let alpha = one["alpha_ordinal"].as_f64().unwrap();
        assert!(alpha > 0.0 && alpha < 1.0, "{one}");
    }
    let one = tiebreak(&[
        "annotators",
        "data/tiny",
        "--criterion",
        "fluency",
        "--json",
    ])
    .json();
    assert_eq!(one["agreement"][0], json["agreement"][2]);
    assert_eq!(one["agreement"].as_array().unwrap().len(), 1);
}

/// A data set of comparisons in which one annotator of twelve always takes the first side.
fn with_a_careless_one(folder: &Path) {
    let mut rows = String::from("item,system_a,system_b,outcome,annotator\n");
    for item in 0..90 {
        let best = if item % 3 == 0 { "y" } else { "x" };
        let (a, b) = if item % 2 == 0 {
            ("x", "y")
        } else {
            ("y", "x")
        };
        for annotator in 0..12 {
            let noisy = (item * 7 + annotator * 13) % (9 + annotator) == 0;
            let outcome = if annotator == 5 {
                1
            } else {
                i32::from((a == best) != noisy)
            };
            writeln!(rows, "{item},{a},{b},{outcome},p{annotator}").unwrap();
        }
    }
    fs::write(folder.join("comparisons.csv"), rows).unwrap();
}

#[test]
fn the_careless_are_named_and_labels_do_without_them() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let out = folder.path().join("labelled");
    fs::create_dir(&data).unwrap();
    with_a_careless_one(&data);
    let run = [
        "annotators",
        text(&data),
        "--labels",
        "dawid-skene",
        "--out",
        text(&out),
    ];
    let json = tiebreak(&[&run[..], &["--json"]].concat()).json();
    for one in json["annotators"].as_array().unwrap() {
        let careless = one["annotator"] == "p5";
        let outlier: Vec<&str> = one["outlier"]
            .as_array()
            .unwrap()
            .iter()
            .map(|x| x.as_str().unwrap())
            .collect();
        assert_eq!(outlier == ["agreement", "bias"], careless, "{one}");
        assert!(
            (one["accuracy"].as_f64().unwrap() < 0.7) == careless,
            "{one}"
        );
    }
    // The folder is a data set: other commands read its labels.
    let check = tiebreak(&["check", text(&out)]).ok();
    assert_contains(&check, &["not read: annotators.csv"]);
    let ranking = tiebreak(&["rank", text(&out), "--json"]).json();
    assert_eq!(ranking["strengths"][0]["system"], "x");
    let labels = fs::read_to_string(out.join("comparisons.csv")).unwrap();
    assert!(labels.starts_with("item,system_a,system_b,outcome,annotator,probability\n0,x,y,0"));
    assert_eq!(labels.lines().count(), 91);
    let beside = fs::read_to_string(out.join("annotators.agreement.json")).unwrap();
    assert!(beside.contains("\"alpha_nominal\"") && beside.contains("\"pairs\""));
}

#[test]
fn a_stage_and_flags_agree_and_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("data")).unwrap();
    with_a_careless_one(&at("data"));
    let flags = [
        "annotators",
        text(&at("data")),
        "--labels",
        "mace",
        "--out",
        text(&at("flags")),
    ]
    .map(str::to_string);
    let printed = tiebreak(&flags.iter().map(String::as_str).collect::<Vec<_>>()).ok();
    assert_contains(&printed, &["|labels:mace|"]);
    let stage = format!(
        "data = '{}'\n[[annotators]]\nlabels = \"mace\"\n",
        at("data").display()
    );
    fs::write(at("p.toml"), stage).unwrap();
    tiebreak(&["run", text(&at("p.toml")), "--out", text(&at("run"))]).ok();
    let same = super::tree(&at("run").join("annotators/annotators")) == super::tree(&at("flags"));
    assert!(same, "a stage writes what the flags write");
    for dir in ["run", "flags"] {
        let report = tiebreak(&["report", text(&at(dir))]).ok();
        assert_contains(&report, &["Whether people agree"]);
        let page = fs::read_to_string(at(dir).join("report.html")).unwrap();
        assert!(
            page.contains("p5 stands out in agreement and bias."),
            "{dir}"
        );
    }
    for (stage, expected) in [
        ("labels = \"majority\"", "dawid-skene"),
        ("criterion = \"fluency\"", "fluency"),
        (
            "name = \"a\"\n[[annotators]]\nname = \"a\"",
            "are called `a`",
        ),
    ] {
        let file = format!(
            "data = '{}'\n[[annotators]]\n{stage}\n",
            at("data").display()
        );
        fs::write(at("p.toml"), file).unwrap();
        let run = tiebreak(&["run", text(&at("p.toml")), "--out", text(&at("no"))]);
        assert_eq!(run.code, Some(2), "{stage}: {}", run.stderr);
        assert!(run.stderr.contains(expected), "{stage}: {}", run.stderr);
    }
}

/// Three people on 1,400 ratings; the second has the first's answers, the third a mind of her own.
fn with_a_copy(folder: &Path) {
    let mut rows = String::from("item,system,criterion,score,annotator\n");
    for item in 0..350 {
        for system in 0..4 {
            let one = 1 + (item * 7 + system * 3 + item / 5) % 5;
            let other = if (item + system) % 3 == 0 {
                1 + one % 5
            } else {
                one
            };
            for (annotator, score) in [("ana", one), ("ben", one), ("carl", other)] {
                writeln!(rows, "{item},s{system},quality,{score},{annotator}").unwrap();
            }
        }
    }
    fs::write(folder.join("judgments.csv"), rows).unwrap();
}

#[test]
fn identical_columns_are_named_and_three_are_too_few_to_stand_out() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("data")).unwrap();
    with_a_copy(&at("data"));
    let (data, out) = (at("data"), at("out"));
    let run = ["annotators", text(&data), "--out", text(&out)];
    let found = tiebreak(&[&run[..], &["--json"]].concat()).json();
    let findings = found["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 1, "{findings:?}");
    let expected = serde_json::json!({
        "check": "copies", "annotator": "ana", "other": "ben", "human": "judgments",
        "criterion": "quality", "found": 350, "of": 350, "answers": 1400,
    });
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(&findings[0][key], value, "{key}");
    }
    assert!(findings[0]["p_value"].as_f64().unwrap() < 1e-50);
    let unknown = |check: &str| {
        let all = found["not_known"].as_array().unwrap().iter();
        all.filter(|one| one["check"] == check).count()
    };
    assert_eq!(
        (unknown("outliers"), unknown("distance")),
        (1, 1),
        "{found}"
    );
    let printed = tiebreak(&run).ok();
    assert_contains(
        &printed,
        &[
            "Not tested who stands out, since 3 annotators are too few",
            "ana and ben",
            "1 sign found",
            "Not checked: distance of judgments of quality, since",
        ],
    );
    assert_lacks(&printed, &["No annotator stands out"]);
    tiebreak(&["report", text(&out)]).ok();
    let page = fs::read_to_string(out.join("report.html")).unwrap();
    assert!(page.contains("ana and ben gave the same answers in 350 of 350 items"));
}

#[test]
fn a_side_is_a_system_where_the_order_never_changes() {
    let folder = tempfile::tempdir().unwrap();
    let mut rows = String::from("item,system_a,system_b,outcome,annotator\n");
    for item in 0..100 {
        for annotator in ["p", "q", "r"] {
            writeln!(rows, "{item},x,y,{},{annotator}", u8::from(item % 7 > 0)).unwrap();
        }
    }
    fs::write(folder.path().join("comparisons.csv"), rows).unwrap();
    let found = tiebreak(&["annotators", text(folder.path()), "--json"]).json();
    let sides = found["not_known"].as_array().unwrap().iter();
    let why: Vec<&str> = sides
        .filter(|one| one["check"] == "side")
        .map(|one| one["why"].as_str().unwrap())
        .collect();
    assert_eq!(why.len(), 1, "{found}");
    assert_contains(why[0], &["a side is a system"]);
    // Everybody said the same: of these people and questions nothing is to be told.
    assert!(found["findings"].as_array().unwrap().is_empty(), "{found}");
}

#[test]
fn sorted_rows_are_not_in_the_order_of_answering() {
    let folder = tempfile::tempdir().unwrap();
    let mut rows = String::from("item,system,criterion,score,annotator\n");
    for system in 0..3 {
        for score in 1..=5 {
            for item in (0..100).filter(|item| 1 + (item * 7 + system) % 5 == score) {
                for (number, annotator) in ["p", "q", "r", "s"].iter().enumerate() {
                    let off = usize::from((item + 2 * number) % 9 == 0 && score < 5);
                    let score = score + off;
                    writeln!(rows, "{item},s{system},quality,{score},{annotator}").unwrap();
                }
            }
        }
    }
    fs::write(folder.path().join("judgments.csv"), rows).unwrap();
    let found = tiebreak(&["annotators", text(folder.path()), "--json"]).json();
    assert!(found["findings"].as_array().unwrap().is_empty(), "{found}");
    let mut unknown = found["not_known"].as_array().unwrap().iter();
    assert!(unknown.any(|one| one["check"] == "runs"), "{found}");
}

#[test]
fn rows_in_any_order_and_answers_given_twice() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (folder.path().join("one"), folder.path().join("other"));
    let rows = [
        "1,a,f,3,p",
        "1,a,f,4,q",
        "1,b,f,5,p",
        "1,b,f,5,q",
        "1,b,f,4,q",
        "2,a,f,1,p",
        "2,a,f,2,r",
        "2,b,f,2,",
    ];
    for (folder, order) in [
        (&one, [0, 1, 2, 3, 4, 5, 6, 7]),
        (&other, [7, 4, 6, 2, 1, 3, 0, 5]),
    ] {
        fs::create_dir(folder).unwrap();
        let lines: Vec<&str> = order.iter().map(|&at| rows[at]).collect();
        let table = format!(
            "item,system,criterion,score,annotator\n{}\n",
            lines.join("\n")
        );
        fs::write(folder.join("judgments.csv"), table).unwrap();
    }
    let run = |folder: &Path| tiebreak(&["annotators", text(folder), "--json"]).json();
    assert_eq!(run(&one), run(&other));
    let agreement = &run(&one)["agreement"][0];
    let expected = [
        ("annotators", 3),
        ("questions", 4),
        ("shared", 3),
        ("answers", 7),
        ("repeated", 1),
        ("unknown", 1),
    ];
    for (key, n) in expected {
        assert_eq!(agreement[key], n, "{key}: {agreement}");
    }
    let printed = tiebreak(&["annotators", text(&one)]).ok();
    assert_contains(
        &printed,
        &[
            "answers that repeat a question for the same annotator: 1.",
            "answers without an annotator's name: 1.",
        ],
    );
}

#[test]
fn repeats_of_an_output_are_one_answer() {
    let folder = tempfile::tempdir().unwrap();
    let rows = "item,system,criterion,score,annotator,repeat\n\
                1,a,f,3,p,\n1,a,f,1,,1\n1,a,f,5,,2\n1,b,f,2,p,1\n1,b,f,4,p,2\n";
    fs::write(folder.path().join("judgments.csv"), rows).unwrap();
    let found = tiebreak(&["annotators", text(folder.path()), "--json"]).json();
    let agreement = &found["agreement"][0];
    for (key, n) in [
        ("questions", 2),
        ("answers", 3),
        ("repeated", 0),
        ("unknown", 1),
    ] {
        assert_eq!(agreement[key], n, "{key}: {agreement}");
    }
}

#[test]
fn one_annotator_no_overlap_and_all_ties_are_results() {
    let folder = tempfile::tempdir().unwrap();
    for (name, rows, note) in [
        ("one", "1,a,b,1,p\n2,a,b,0,p\n", true),
        ("apart", "1,a,b,1,p\n2,a,b,0,q\n", true),
        (
            "ties",
            "1,a,b,0.5,p\n1,a,b,0.5,q\n2,a,b,0.5,p\n2,a,b,0.5,q\n",
            false,
        ),
    ] {
        let data = folder.path().join(name);
        fs::create_dir(&data).unwrap();
        let table = format!("item,system_a,system_b,outcome,annotator\n{rows}");
        fs::write(data.join("comparisons.csv"), table).unwrap();
        let out = folder.path().join(format!("{name}-out"));
        let run = [
            "annotators",
            text(&data),
            "--labels",
            "dawid-skene",
            "--out",
            text(&out),
        ];
        let printed = tiebreak(&run).ok();
        let said = printed.contains("is unknown: no question has answers by two annotators");
        assert_eq!(said, note, "{name}: {printed}");
        assert_contains(&printed, &["Not tested who stands out"]);
        assert_lacks(&printed, &["NaN"]);
    }
}

/// What is typed, and what is said.
const REFUSED: &str = "
annotators data/tiny/outputs.jsonl | judgments or comparisons
annotators NOBODY | no answer has an annotator's name
annotators data/tiny --criterion flency | did you mean `fluency`
annotators data/tiny --labels dawid-skene | --out
annotators data/tiny --labels majority --out OUT | dawid-skene
annotators data/tiny --labels dawid-skene --out FILE | --out DIR
annotators FINE --labels dawid-skene --out OUT | short scales
";

#[test]
fn mistakes_say_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let nobody = folder.path().join("nobody");
    fs::create_dir(&nobody).unwrap();
    fs::write(
        nobody.join("judgments.csv"),
        "item,system,criterion,score\n1,a,f,3\n",
    )
    .unwrap();
    let fine = folder.path().join("fine");
    fs::create_dir(&fine).unwrap();
    let rows: Vec<String> = (0..30).map(|i| format!("{i},a,f,{i},p\n")).collect();
    let rows = rows.concat();
    fs::write(
        fine.join("judgments.csv"),
        format!("item,system,criterion,score,annotator\n{rows}"),
    )
    .unwrap();
    let out = folder.path().join("out");
    let file = folder.path().join("out.csv");
    let [nobody, fine, out, file] = [&nobody, &fine, &out, &file].map(|path| text(path));
    for [line, expected] in table_rows(REFUSED) {
        let words = line.split(' ').map(|word| match word {
            "NOBODY" => nobody,
            "FINE" => fine,
            "OUT" => out,
            "FILE" => file,
            word => word,
        });
        let run = tiebreak(&words.collect::<Vec<_>>());
        assert_eq!(run.code, Some(2), "{line}: {}", run.stderr);
        assert!(run.stderr.contains(expected), "{line}: {}", run.stderr);
    }
}

/// Rankings of five of ten systems as WMT writes them, by eight people who agree on which system is better; everybody
/// takes `seconds` a pair. The first three say of every pair that the first is better.
fn with_rankings(folder: &Path, seconds: f64) {
    let mut rows = String::from("item,system_a,system_b,outcome,annotator,ranking_id,seconds\n");
    let mut outputs = String::from("item,system,output\n");
    for item in 0..240 {
        for system in 0..10 {
            let text = "word ".repeat(12 + (item * 3 + system) % 9);
            writeln!(outputs, "i{item},s{system},{text}{system}").unwrap();
        }
        let annotator = item % 8;
        let shown: Vec<usize> = (0..5)
            .map(|place| (item * 7 + place * (1 + 2 * (item / 8 % 2))) % 10)
            .collect();
        let felt = |system: usize| (system * 10 + (item * 13 + system * 29) % 37) % 60;
        for (at, &a) in shown.iter().enumerate() {
            for &b in &shown[at + 1..] {
                let outcome = i32::from(annotator < 3 || felt(a) > felt(b));
                writeln!(
                    rows,
                    "i{item},s{a},s{b},{outcome},j{annotator},{item},{seconds}"
                )
                .unwrap();
            }
        }
    }
    fs::write(folder.join("comparisons.csv"), rows).unwrap();
    fs::write(folder.join("outputs.csv"), outputs).unwrap();
}

/// Everybody clicks through: no one is left to be compared with, and what acting on it costs is said.
#[test]
fn all_who_click_through_are_named_unless_the_clock_is_coarse() {
    let found = |seconds: f64| {
        let folder = tempfile::tempdir().unwrap();
        with_rankings(folder.path(), seconds);
        let printed = tiebreak(&["annotators", text(folder.path())]).ok();
        let json = tiebreak(&["annotators", text(folder.path()), "--json"]).json();
        (printed, json)
    };
    let fast = |json: &serde_json::Value| {
        let all = json["findings"].as_array().unwrap().iter();
        all.filter(|one| one["check"] == "speed").count()
    };
    let (printed, json) = found(0.3);
    assert_eq!(fast(&json), 8, "{json}");
    let speed = json["findings"].as_array().unwrap().iter();
    for one in speed.filter(|one| one["check"] == "speed") {
        let cost = ["found", "of", "answers"].map(|key| one[key].as_u64().unwrap());
        assert_eq!(cost, [30, 30, 300], "{one}");
        assert_eq!(one["share"], 0.125);
        assert!((one["wider"].as_f64().unwrap() - (8.0_f64 / 7.0).sqrt()).abs() < 1e-12);
    }
    assert_contains(
        &printed,
        &[
            "check that `seconds` holds seconds",
            "300 answers",
            "× 1.07",
        ],
    );
    let (printed, json) = found(0.0);
    assert_eq!(fast(&json), 0, "{json}");
    assert_contains(
        &printed,
        &["Not checked: speed of comparisons, since most times are too short"],
    );
    assert_eq!(fast(&found(9.5).1), 0);
}
