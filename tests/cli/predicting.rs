//! `predict` by a model: cheaper draws and bf16, in flags and in pipelines.

use super::{here, text, tiebreak, tree};
use crate::support::{assert_contains, assert_lacks};
use std::fs;

const ADAPTIVE: &str = "adaptive:bald=0.002,most=10";

#[test]
fn a_pipeline_and_flags_ask_a_model_in_the_same_way() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let stage = format!(
        "data = \"data/tiny\"\n[[predict]]\nmodel = \"tiny-electra\"\ndraws = \"{ADAPTIVE}\"\n\
         dropout = \"last-layer\"\nprecision = \"bf16\"\nkeep-draws = true\n"
    );
    fs::write(path("p.toml"), here(&stage)).unwrap();
    tiebreak(&["run", text(&path("p.toml")), "--out", text(&path("run"))]).ok();
    let predict = ["predict", "data/tiny", "--model", "tiny-electra"];
    let asked = ["--draws", ADAPTIVE, "--dropout last-layer --precision bf16"];
    let with = |more: &[&str]| tiebreak(&[&predict[..], &asked, more].concat());
    let out = path("flags");
    with(&["--keep-draws", "--out", text(&out)]).ok();
    assert_eq!(tree(&out), tree(&path("run/predict/tiny-electra")));

    let rows = path("p.jsonl");
    with(&["--keep-draws", "--out", text(&rows)]).ok();
    let rows = fs::read_to_string(rows).unwrap();
    let lengths = rows.lines().map(|row| {
        let row: serde_json::Value = serde_json::from_str(row).unwrap();
        row["draws"].as_array().unwrap().len()
    });
    let lengths: std::collections::BTreeSet<usize> = lengths.collect();
    assert_eq!(Vec::from_iter(lengths), [5, 10]);

    // Only a model can be asked so.
    let (scores, linked) = (path("scores.csv"), path("q.csv"));
    super::score_with_chrf(&scores);
    let from = super::predict_from(&scores);
    for flag in [["--draws", "5"], ["--dropout", "all"], ["--order", "both"]] {
        let link = ["--link", "linear", "--out", text(&linked)];
        let refused = tiebreak(&[&from[..], &link, &flag].concat());
        assert_eq!(refused.code, Some(2));
        let says = format!("{}: this is for a model", flag[0]);
        assert_contains(&refused.stderr, &[&says]);
    }

    // A folder of such predictions takes no others.
    let other = [&predict[..], &["--keep-draws", "--out", text(&out)]].concat();
    let refused = tiebreak(&other);
    refused.refused(&[ADAPTIVE]);
}

/// A vocabulary without a script sees the same in all its texts.
#[test]
fn texts_that_the_vocabulary_does_not_hold_are_said() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("outputs.jsonl");
    let run = |texts: [&str; 3]| {
        let [reference, one, two] = texts;
        let row = |system, output| {
            let row = serde_json::json!({"item": "1", "system": system, "output": output, "references": [reference]});
            format!("{row}\n")
        };
        fs::write(&data, row("a", one) + &row("b", two)).unwrap();
        let predict = [
            "predict",
            text(&data),
            "--model",
            "tiny-electra",
            "--draws",
            "0",
        ];
        let finished = tiebreak(&[&predict[..], &["--out", "-"]].concat());
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        finished.stderr
    };
    let said = run(["猫がいる。", "猫が居ます。", "犬がいる。"]);
    let part = "% of the tokens of these texts are not in the vocabulary of tiny-electra";
    assert_contains(&said, &[part]);
    let said = run(["There is a cat.", "A cat is there.", "There is a dog, ü."]);
    assert_lacks(&said, &["vocabulary", "cut at the end"]);
    let long = "A cat is there. ".repeat(99);
    let said = run(["There is a cat.", &long, "There is a dog."]);
    let part = "1 of 1 model inputs exceed the 128 tokens that tiny-electra reads";
    assert_contains(&said, &[part]);
}
