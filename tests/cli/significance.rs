//! `score --paired-bs` and `--paired-ar`, as a person uses them.

use super::newcomer::Desk;
use super::{text, tiebreak};
use crate::support::assert_contains;
use expect_test::expect;
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use tiebreak::rng::Seed;

const SCORE: [&str; 1] = ["score data/tiny --metric chrf rouge-l --corpus"];
const TEST: [&str; 2] = [SCORE[0], "--baseline delta"];

/// The table of a test has no scores for `correlate`.
#[test]
fn a_stored_test_has_no_next_command() {
    let desk = Desk::new();
    expect![[r#"
        $ score mine --metric chrf --paired-bs --out test.csv
        written: test.csv
    "#]]
    .assert_eq(&desk.session("score mine --metric chrf --paired-bs --out test.csv"));
}

/// sacrebleu's p of a copy is its least; corrected it is none.
#[test]
fn the_baseline_comes_first_and_a_copy_of_it_is_no_finding() {
    expect![[r#"
        system       metric   corpus       mean ± 95 %  p (sacrebleu)  corrected
        atlas        chrf      76.30     76.38 ± 2.902              –        –
        atlas-rerun  chrf      76.30     76.38 ± 2.902        0.00100    1.000
        birch        chrf      49.10     49.12 ± 2.476        0.00100    0.012 *
        cedar        chrf      58.33     58.32 ± 3.338        0.00100    0.012 *
        delta        chrf      79.73     79.76 ± 3.165        0.03197    0.180
        ember        chrf      50.59     50.78 ± 4.737        0.00100    0.012 *
        fjord        chrf      89.68     89.68 ± 2.029        0.00100    0.012 *
        atlas        rouge-l  0.7567  0.7575 ± 0.04029              –        –
        atlas-rerun  rouge-l  0.7567  0.7575 ± 0.04029       0.000999    1.000
        birch        rouge-l  0.4914  0.4909 ± 0.03352       0.000999    0.012 *
        cedar        rouge-l  0.6116  0.6109 ± 0.04381       0.000999    0.012 *
        delta        rouge-l  0.8188  0.8199 ± 0.03985       0.000999    0.016 *
        ember        rouge-l  0.6484  0.6508 ± 0.05435       0.001998    0.012 *
        fjord        rouge-l  0.9065  0.9067 ± 0.02544       0.000999    0.012 *

        paired bootstrap, 1000 resamples, 60 items, against atlas; ± is for items like these, each system by itself
        * differs: corrected p < 0.05, of both sides, by Holm among the 12 tests of this table; p as in sacrebleu, not corrected
        chrf|nrefs:var|case:mixed|eff:yes|nc:6|nw:0|space:no|beta:2|version:1|bs:1000|seed:42
        rouge-l|nrefs:var|stem:no|measure:fmeasure|version:1|bs:1000|seed:42
    "#]].assert_eq(&tiebreak(&[SCORE[0], "--baseline atlas --paired-bs"]).ok());
}

#[test]
fn scores_are_the_corpus_scores_and_threads_change_nothing() {
    let corpus = tiebreak(&[SCORE, ["--json"]].concat()).json();
    let run = |threads: &str, seed: &str| {
        let test = ["--paired-ar --trials 300 --resamples 200 --json"];
        let flags = ["--threads", threads, "--seed", seed];
        tiebreak(&[&TEST[..], &test, &flags].concat()).json()
    };
    let rows = run("1", "7");
    assert_eq!(rows, run("3", "7"));
    assert_ne!(rows, run("1", "8"));
    for row in rows.as_array().unwrap() {
        let same = |other: &&serde_json::Value| {
            (&other["system"], &other["metric"]) == (&row["system"], &row["metric"])
        };
        let other = corpus.as_array().unwrap().iter().find(same).unwrap();
        let [score, expected] = [row, other].map(|row| row["score"].as_f64().unwrap());
        assert!((score - expected).abs() < 1e-12, "{row}, {other}");
    }
}

/// Systems whose outputs hit the reference equally often, item by item by chance.
fn equals(systems: u32, items: u32, run: u64, path: &Path) {
    let mut rng = Seed(11).stream("test", run);
    let mut table = String::from("item,system,output,references\n");
    for item in 0..items {
        for system in 0..systems {
            let output = if rng.bernoulli(0.5) { "one two" } else { "one" };
            writeln!(table, "{item},s{system},{output},one two").unwrap();
        }
    }
    fs::write(path, table).unwrap();
}

#[test]
fn equal_systems_have_stars_in_one_of_twenty_tables() {
    const RUNS: u64 = 100;
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("outputs.csv");
    let (mut starred, mut uncorrected) = (0, 0);
    for run in 0..RUNS {
        equals(10, 150, run, &data);
        let test = ["--paired-bs", "--resamples", "400", "--json"];
        let arguments = ["score", text(&data), "--metric", "length", "--seed"];
        let seed = run.to_string();
        let rows = tiebreak(&[&arguments[..], &[&seed], &test].concat()).json();
        let any = |of: &dyn Fn(&Value) -> bool| u32::from(rows.as_array().unwrap().iter().any(of));
        starred += any(&|row| row["significant"] == true);
        uncorrected += any(&|row| row["p_value"].as_f64().is_some_and(|p| p < 0.05));
    }
    // 5 % of 100 with a standard deviation of 2.2.
    assert!(starred <= 11, "{starred} of {RUNS}");
    assert!(
        uncorrected > 30,
        "{uncorrected} of {RUNS}: nothing to correct?"
    );
}

/// Tests of two equal systems: the share of stars among so many data sets is that of chance, or none.
#[test]
fn equal_systems_of_few_items_are_hardly_ever_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("outputs.csv");
    for (test, replicates) in [("--paired-bs", "--resamples"), ("--paired-ar", "--trials")] {
        for items in [1, 2, 3, 5, 6, 10, 20, 30] {
            let runs = if items < 6 { 20 } else { 100 };
            let starred = (0..runs).filter(|&run| {
                equals(2, items, run, &data);
                let arguments = ["score", text(&data), "--metric", "length", "--json", test];
                let rows = tiebreak(&[&arguments[..], &[replicates, "400"]].concat()).json();
                assert!(rows[1]["p_value"].is_number(), "{rows}");
                assert_eq!(rows[1]["significant"].is_null(), items < 6, "{rows}");
                rows[1]["significant"] == true
            });
            // 5 % of 100 with a standard deviation of 2.2.
            let starred = starred.count();
            assert!(starred <= 11, "{test}, {items} items: {starred}");
        }
    }
}

#[test]
fn a_difference_of_one_item_is_undecided() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("outputs.csv");
    let score = |items: u32, test: &str| {
        let mut table = String::from("item,system,output,references\n");
        for item in 0..items {
            write!(table, "{item},a,one,one\n{item},b,two,one\n").unwrap();
        }
        fs::write(&data, table).unwrap();
        tiebreak(&["score", text(&data), "--metric", "chrf", test]).ok()
    };
    expect![[r#"
        system  metric  corpus  mean ± 95 %  p (sacrebleu)  corrected
        a       chrf     100.0            –              –        –
        b       chrf      11.1            –       0.000999        –

        paired bootstrap, 1000 resamples, 1 item, against a; ± is for items like these, each system by itself
        undecided: a test takes 6 items; p as in sacrebleu, not corrected
        chrf|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|beta:2|version:1|bs:1000|seed:42
    "#]].assert_eq(&score(1, "--paired-bs"));
    // Of seven items exchanged in all ways, 2 in 128 differ as much, whatever the test.
    for test in ["--paired-ar", "--paired-bs"] {
        let exact = "exact by all exchanges of outputs";
        assert_contains(&score(7, test), &["* differs", " *\n", exact]);
    }
    assert_contains(&score(5, "--paired-ar"), &["undecided"]);
}

#[test]
fn too_few_resamples_for_so_many_tests_are_told() {
    let run = tiebreak(&[TEST[0], TEST[1], "--paired-bs --resamples 100"]);
    expect![[r#"
        note: 100 resamples are too few for any of 12 tests to be significant; use at least --resamples 240
    "#]].assert_eq(&run.stderr);
}

/// A system's spread is over its own items, whatever others have.
#[test]
fn a_score_and_its_spread_are_of_the_same_items() {
    let folder = tempfile::tempdir().unwrap();
    let [all, alone] = ["all.jsonl", "alone.jsonl"].map(|name| folder.path().join(name));
    let row = |item: u32, system: &str| {
        let words = ["one", "two", "three", "four"].map(|word| format!("{word}{item}"));
        let kept = &words[..(item / 20 * 2 + 1).min(4) as usize];
        let (output, reference) = (kept.join(" "), words.join(" "));
        let row = serde_json::json!({"item": item, "system": system, "output": output, "references": [reference]});
        format!("{row}\n")
    };
    let whole: String = (0..40).map(|item| row(item, "whole")).collect();
    let half: String = (0..20).map(|item| row(item, "half")).collect();
    fs::write(&all, whole.clone() + &half).unwrap();
    fs::write(&alone, whole).unwrap();
    let score = |path: &Path| {
        let score = [
            "score",
            text(path),
            "--metric",
            "chrf",
            "--corpus",
            "--confidence",
            "--json",
        ];
        let rows = tiebreak(&score).json();
        let rows = rows.as_array().unwrap().iter();
        rows.clone()
            .find(|row| row["system"] == "whole")
            .unwrap()
            .clone()
    };
    assert_eq!(score(&all), score(&alone));
    let plain = tiebreak(&["score", text(&all), "--metric", "chrf"]);
    assert_contains(&plain.stderr, &["outputs for 20 to 40 items"]);
}

#[test]
fn systems_are_compared_on_the_items_they_share() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("outputs.csv");
    let table = "item,system,output,references\n\
                 1,a,one,one\n1,b,two,one\n2,a,two,two\n2,b,two,two\n3,a,three,four\n";
    fs::write(&data, table).unwrap();
    let run = tiebreak(&["score", text(&data), "--metric bleu-1 --paired-bs --json"]);
    assert_contains(&run.stderr, &["compared on the 2 of 3 items"]);
    let rows = run.json();
    assert_eq!((&rows[0]["n"], &rows[1]["n"]), (&2.into(), &2.into()));
    let score = |row: usize| rows[row]["score"].as_f64().unwrap();
    assert!(
        (score(0) - 1.0).abs() < 1e-6,
        "the item of `a` alone does not count: {rows}"
    );
    assert!((score(1) - 0.5).abs() < 1e-6, "{rows}");
}

#[test]
fn the_outcome_is_a_table_like_others() {
    let folder = tempfile::tempdir().unwrap();
    let (file, parts) = (folder.path().join("test.csv"), folder.path().join("test"));
    let printed = tiebreak(&[&TEST[..], &["--paired-bs", "--json"]].concat()).json();
    for out in [&file, &parts] {
        tiebreak(&[&TEST[..], &["--paired-bs", "--out", text(out)]].concat()).ok();
    }
    let lines = fs::read_to_string(&file).unwrap();
    let header = lines.lines().next().unwrap();
    assert_eq!(header, "system,metric,score,mean,ci,p_value,n,signature");
    assert_eq!(lines.lines().count(), 1 + printed.as_array().unwrap().len());
    for row in printed.as_array().unwrap() {
        let start = format!(
            "{},{},{}",
            row["system"].as_str().unwrap(),
            row["metric"].as_str().unwrap(),
            row["score"]
        );
        assert!(
            lines.lines().any(|line| line.starts_with(&start)),
            "{start} in {lines}"
        );
    }
    assert!(parts.join("rouge-l/part-00000.arrow").exists());
}

/// Twelve documents of ten items each: in all items of a document one system's output is the better one.
fn documents(folder: &Path, with_sources: bool) -> std::path::PathBuf {
    let data = folder.join(if with_sources { "sources" } else { "documents" });
    fs::create_dir(&data).unwrap();
    let (mut items, mut outputs) = (String::new(), "item,system,output\n".to_string());
    for item in 0..240 {
        let document = item / 10;
        let source = if with_sources {
            document.to_string()
        } else {
            String::new()
        };
        let row = serde_json::json!({
            "item": item, "document": document, "source": source, "references": ["a b c d e"]
        });
        writeln!(items, "{row}").unwrap();
        let ahead = document % 8 < 5;
        for (system, is_good) in [("one", ahead), ("other", !ahead)] {
            let output = if is_good { "a b c d e" } else { "a b c x y" };
            writeln!(outputs, "{item},{system},{output}").unwrap();
        }
    }
    fs::write(data.join("items.jsonl"), items).unwrap();
    fs::write(data.join("outputs.csv"), outputs).unwrap();
    data
}

/// Items of one document are drawn, and their outputs exchanged, together.
#[test]
fn items_of_one_document_are_resampled_together() {
    let folder = tempfile::tempdir().unwrap();
    let [sources, plain] = [true, false].map(|with| documents(folder.path(), with));
    for test in ["--paired-bs", "--paired-ar"] {
        let score = |data: &Path, flags: &[&str]| {
            let flags = [
                &["score", text(data), "--metric", "chrf", test, "--json"],
                flags,
            ]
            .concat();
            tiebreak(&flags).json()[1].clone()
        };
        let alone = score(&plain, &[]);
        assert_eq!(
            (&alone["n"], &alone["significant"]),
            (&240.into(), &true.into()),
            "{alone}"
        );
        let clustered = score(&plain, &["--cluster", "document"]);
        let expected = (&24.into(), &false.into());
        assert_eq!(
            (&clustered["n"], &clustered["significant"]),
            expected,
            "{clustered}"
        );
        let of_sources = score(&sources, &[]);
        for field in ["score", "p_value", "p_corrected", "n"] {
            assert_eq!(of_sources[field], clustered[field], "{field}");
        }
        assert_contains(&clustered["signature"].to_string(), &["clusters:document"]);
    }
    let told = tiebreak(&["score", text(&sources), "--metric", "chrf", "--paired-bs"]).ok();
    assert_contains(
        &told,
        &[
            "24 items, against one",
            "but for items that count as one",
            "240 scored items have 24 different sources. Items with the same source count as one",
        ],
    );
    let spread = |flags: &[&str]| {
        let all = [
            &[
                "score",
                text(&plain),
                "--metric",
                "chrf",
                "--confidence",
                "--json",
            ],
            flags,
        ];
        tiebreak(&all.concat()).json()[0]["confidence_var"]
            .as_f64()
            .unwrap()
    };
    assert!(spread(&["--cluster", "document"]) > 2.0 * spread(&[]));
    let run = tiebreak(&[
        "score",
        text(&plain),
        "--metric",
        "chrf",
        "--cluster",
        "document",
    ]);
    assert_eq!(run.code, Some(2));
    assert_contains(&run.stderr, &["tests and spreads alone", "--paired-bs"]);
}
