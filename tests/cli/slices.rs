//! Slices of the items by a column: `estimate`, `rank` and `gate` say the same of the same two systems, and `correlate` of
//! metrics.

use super::{Finished, text, tiebreak};
use expect_test::expect;
use serde_json::{Value, json};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// Two systems by yes-or-no judgments and by comparisons that say the same: `new` is better on German items, and as good
/// elsewhere. Czech items are few.
fn data(folder: &Path) -> PathBuf {
    let data = folder.join("data");
    fs::create_dir_all(&data).unwrap();
    let (mut items, mut judgments, mut comparisons) = (String::new(), String::new(), String::new());
    for item in 0..95 {
        let language = if item < 40 {
            "de"
        } else if item < 80 {
            "fr"
        } else {
            "cs"
        };
        let (base, new) = match (language, item % 4) {
            ("de", 0 | 1) | (_, 0) => (0, 1),
            ("de", _) => (1, 1),
            (_, 1) => (1, 0),
            _ => (0, 0),
        };
        let _ = writeln!(
            items,
            "{}",
            json!({"item": item, "source": "a text", "language": language})
        );
        for (system, score) in [("base", base), ("new", new)] {
            let row =
                json!({"item": item, "system": system, "criterion": "correct", "score": score});
            let _ = writeln!(judgments, "{row}");
        }
        let outcome = 0.5 + 0.5 * f64::from(new - base);
        let row = json!({"item": item, "system_a": "new", "system_b": "base", "outcome": outcome});
        let _ = writeln!(comparisons, "{row}");
    }
    fs::write(data.join("items.jsonl"), items).unwrap();
    fs::write(data.join("judgments.jsonl"), judgments).unwrap();
    fs::write(data.join("comparisons.jsonl"), comparisons).unwrap();
    data
}

/// A command on a data set: its verb, then its flags.
fn on(data: &Path, line: &str) -> Finished {
    let (verb, flags) = line.split_once(' ').unwrap_or((line, ""));
    let words = [verb, text(data)]
        .into_iter()
        .chain(flags.split_whitespace());
    tiebreak(&words.collect::<Vec<_>>())
}

fn document(data: &Path, line: &str) -> Value {
    serde_json::from_str(&on(data, &format!("{line} --json")).stdout).unwrap()
}

/// A slice, its items, its difference and the ends of its interval.
type SliceNumbers = (String, u64, f64, Option<f64>, Option<f64>);

/// The numbers of each slice, new less base, however a list names them.
fn numbers(rows: &Value, first: &str, criterion: &str) -> Vec<SliceNumbers> {
    let rows = rows.as_array().unwrap().iter();
    let rows = rows.filter(|row| row["criterion"] == criterion && row["slice"].is_string());
    let number = |row: &Value| {
        let turned = row[first] == "base";
        let sign = if turned { -1.0 } else { 1.0 };
        let end = |name: &str| row[name].as_f64().map(|x| sign * x);
        let ends = match turned {
            true => (end("upper"), end("lower")),
            false => (end("lower"), end("upper")),
        };
        let slice = row["slice"].as_str().unwrap().to_string();
        let difference = sign * row["difference"].as_f64().unwrap();
        (
            slice,
            row["n"].as_u64().unwrap(),
            difference,
            ends.0,
            ends.1,
        )
    };
    rows.map(number).collect()
}

#[test]
fn estimate_rank_and_gate_say_the_same_of_two_systems() {
    let folder = tempfile::tempdir().unwrap();
    let data = data(folder.path());
    let gate = "gate --by language --base base --new new --criterion";
    let gate = |criterion: &str| document(&data, &format!("{gate} {criterion}"));
    let judged = gate("correct");
    let estimated = document(&data, "estimate --differences --by language");
    let by_estimate = numbers(&estimated["slices"]["rows"], "system_a", "correct");
    assert_eq!(by_estimate, numbers(&judged["results"], "new", "correct"));
    let (few, german) = (&by_estimate[0], &by_estimate[1]);
    assert_eq!((few.0.as_str(), few.1, few.3), ("cs", 15, None));
    assert!(german.3.unwrap() > 0.0 && by_estimate[2].3.unwrap() < 0.0);
    let compared = gate("preference");
    let ranked = document(&data, "rank --by language");
    let by_rank = numbers(&ranked["slices"]["rows"], "system_a", "preference");
    assert_eq!(by_rank, numbers(&compared["results"], "new", "preference"));
    // Judgments of 0 and 1 and comparisons of the same outcomes are the same evidence.
    assert_eq!(by_rank, by_estimate);
    assert_eq!(
        ranked["slices"]["tests"][0]["p"], compared["slices"][0]["p"],
        "the same test of the same items"
    );
    // On all items too: the difference of `estimate` is the gate's, whose interval is the corrected one.
    let (pair, row) = (&estimated["differences"][0], &judged["results"][0]);
    assert_eq!(
        pair["lower"].as_f64().map(f64::abs),
        row["upper"].as_f64().map(f64::abs)
    );
}

#[test]
fn slices_are_told_with_what_is_proved_first() {
    let folder = tempfile::tempdir().unwrap();
    let data = data(folder.path());
    let out = folder.path().join("e.csv");
    let told = on(&data, "rank --by language --quiet").ok();
    let (_, slices) = told.split_once("Slices by").unwrap();
    expect![[r#"
         language
        ──────────────────
        A difference is proved in 1 slice, of 3 comparisons.
        preference, base – new: the difference varies by slice (p = 0.000664).
        95 % intervals that hold together over all slices and pairs, over the items that both systems have. They allow for differences that are rare. Where slices went to different annotators, each annotator weighs the same in all.
        criterion   systems     slice  items  difference            interval  verdict
        preference  base – new  cs        15     +0.0000                   –  no claim
        preference  base – new  de        40     -0.5000  [-0.6825, -0.3125]  differ
        preference  base – new  fr        40     +0.0000  [-0.2680, +0.2680]  undecided
        No interval (–): fewer than 20 items: no claim.
    "#]].assert_eq(slices);
    let line = format!("estimate --differences --by language --out {}", text(&out));
    on(&data, &line).ok();
    let table = fs::read_to_string(folder.path().join("e.slices.csv")).unwrap();
    assert!(
        table.starts_with("slice,criterion,system_a,system_b,n,"),
        "{table}"
    );
}

/// Judged outputs of six systems in three languages, and scores by a metric that goes with people in one of them only.
fn correlated(folder: &Path) -> (PathBuf, PathBuf) {
    let data = folder.join("rated");
    fs::create_dir_all(&data).unwrap();
    let (mut items, mut outputs, mut judgments) = (String::new(), String::new(), String::new());
    let mut scores = "item,system,metric,score\n".to_string();
    for item in 0..72 {
        // Items of a slice do not stand together.
        let language = ["de", "fr"].get(item % 12 / 5).unwrap_or(&"cs");
        let _ = writeln!(items, "{}", json!({"item": item, "language": language}));
        for system in 0..6 {
            let (quality, noise) = (system as f64, ((item * 7 + system * 5) % 11) as f64);
            let name = format!("s{system}");
            let row = json!({"item": item, "system": name, "output": "a text"});
            let _ = writeln!(outputs, "{row}");
            let row = json!({"item": item, "system": name, "criterion": "good", "score": quality + 0.2 * noise});
            let _ = writeln!(judgments, "{row}");
            let other = ((item * 3 + system * 4) % 7) as f64;
            let score = if *language == "de" {
                quality + 0.2 * other
            } else {
                other
            };
            let _ = writeln!(scores, "{item},{name},mine,{score}");
        }
    }
    let table = folder.join("s.csv");
    for (path, text) in [
        (data.join("items.jsonl"), items),
        (data.join("outputs.jsonl"), outputs),
        (data.join("judgments.jsonl"), judgments),
        (table.clone(), scores),
    ] {
        fs::write(path, text).unwrap();
    }
    (data, table)
}

#[test]
fn metrics_are_correlated_in_slices() {
    let folder = tempfile::tempdir().unwrap();
    let (data, scores) = correlated(folder.path());
    let out = folder.path().join("c.csv");
    let correlate = format!("correlate --scores {} --metric mine", text(&scores));
    let sliced = format!("{correlate} --by language --resamples 100");
    let found = document(&data, &sliced);
    let slices = &found["slices"];
    assert_eq!(slices["by"], "language");
    let of = |slice: &str, coefficient: &str| {
        let rows = slices["rows"].as_array().unwrap().iter();
        let mut rows = rows.filter(|row| row["slice"] == slice && row["grouping"] == "global");
        rows.find(|row| row["coefficient"] == coefficient)
            .unwrap()
            .clone()
    };
    for coefficient in ["pearson", "kendall"] {
        let [german, french, czech] = ["de", "fr", "cs"].map(|slice| of(slice, coefficient));
        assert!(
            german["lower"].as_f64() > french["upper"].as_f64(),
            "{german} {french}"
        );
        assert_eq!(
            (&german["items"], &czech["items"]),
            (&json!(30), &json!(12))
        );
        assert!(
            czech["value"].is_number() && czech["lower"].is_null(),
            "{czech}"
        );
        assert_eq!(czech["why"], "fewer than 20 items: no claim");
        let mut tests = slices["tests"].as_array().unwrap().iter();
        let test =
            tests.find(|one| one["grouping"] == "global" && one["coefficient"] == coefficient);
        assert!(test.unwrap()["p"].as_f64().unwrap() < 1e-4, "{slices}");
    }
    // Slices move no number of all items.
    let all = document(&data, &format!("{correlate} --resamples 100"));
    assert_eq!(all["correlations"], found["correlations"]);
    let told = on(&data, &format!("{sliced} --out {}", text(&out))).ok();
    assert!(
        told.contains("Slices by language") && told.contains("varies by slice"),
        "{told}"
    );
    assert!(told.contains("|by:language"), "{told}");
    let table = fs::read_to_string(folder.path().join("c.slices.csv")).unwrap();
    assert!(
        table.starts_with("slice,items,metric,human,criterion,"),
        "{table}"
    );
    assert!(folder.path().join("c.slices.json").exists());
    let wrong = on(&data, &format!("{correlate} --by colour"));
    wrong.refused(&["no table has a column `colour`"]);
}

#[test]
fn keys_that_do_not_go_with_slices_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let data = data(folder.path());
    let unknown = "no table has a column `colour`";
    for (line, said) in [
        ("estimate --by language", "--differences"),
        ("estimate --differences --by colour", unknown),
        ("rank --by colour", unknown),
        (
            "estimate --differences --by language --estimator betting",
            "slices compare plain means",
        ),
    ] {
        on(&data, line).refused(&[said]);
    }
}

#[test]
fn verdicts_of_a_judge_decide_a_gate_in_the_judges_name() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("judged");
    fs::create_dir_all(&data).unwrap();
    let (mut outputs, mut predictions) = (String::new(), String::new());
    for item in 0..60 {
        for system in ["base", "new"] {
            let row = json!({"item": item, "system": system, "output": format!("{system} {item}")});
            let _ = writeln!(outputs, "{row}");
        }
        let p = i32::from(item % 10 != 0);
        let row =
            json!({"item": item, "system_a": "new", "system_b": "base", "p": p, "judge": "gpt-x"});
        let _ = writeln!(predictions, "{row}");
    }
    fs::write(data.join("outputs.jsonl"), outputs).unwrap();
    fs::write(data.join("predictions.jsonl"), predictions).unwrap();
    let gate = "gate --base base --require better";
    let found = document(&data, gate);
    let row = &found["results"][0];
    assert_eq!(
        (&row["criterion"], &row["verdicts"]),
        (&json!("verdicts"), &json!(["better"]))
    );
    assert!(
        (row["difference"].as_f64().unwrap() - 0.8).abs() < 1e-12,
        "{row}"
    );
    assert_eq!(found["judge"], "gpt-x");
    // With one verdict an item, `rank` has the same win rate; its strengths are drawn a little towards 0.
    let ranked = document(&data, "rank --verdicts --baseline base");
    let rate = ranked["against"]["rates"][0]["win_rate"].as_f64().unwrap();
    assert!((rate - 0.9).abs() < 1e-12, "{rate}");
    let strength = |at: usize| ranked["strengths"][at]["strength"].as_f64().unwrap();
    let odds = 1.0 / (1.0 + (strength(1) - strength(0)).exp());
    assert!((0.88..=0.9).contains(&odds), "{odds}");
    let told = on(&data, gate).ok();
    assert!(
        told.contains("about this judge, not about people"),
        "{told}"
    );
}

/// A slice is of items: where an item has two values the order of rows would decide. Any table may have the column.
#[test]
fn an_item_is_in_one_slice() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, rows: &mut dyn Iterator<Item = Value>| {
        let lines = rows.fold(String::new(), |all, row| all + &row.to_string() + "\n");
        fs::write(folder.path().join(name), lines).unwrap();
        folder.path().join(name)
    };
    let judged = |item: usize, system: &str, of: &str| json!({"item": item, "system": system, "criterion": "q", "score": item % 2, "of": of});
    let mixed = write(
        "mixed.jsonl",
        &mut (0..40).flat_map(|item| [judged(item, "a", "x"), judged(item, "b", "y")]),
    );
    let found = on(&mixed, "estimate --differences --by of");
    found.refused(&[
        "item `0` has `x` and `y` in the column `of`",
        "one value for each item",
    ]);
    let logs = [("a", "x"), ("b", "y")].map(|(system, of)| {
        write(
            &format!("{system}.jsonl"),
            &mut (0..40).map(|item| judged(item, system, of)),
        )
    });
    let gate = tiebreak(&["gate", text(&logs[0]), text(&logs[1]), "--by", "of"]);
    gate.refused(&["item `0` has `x` and `y` in the column `of`"]);
    let compared = write(
        "comparisons.jsonl",
        &mut (0..80).map(|item| {
            json!({"item": item, "system_a": "a", "system_b": "b", "outcome": item % 2, "of": item % 2})
        }),
    );
    assert!(on(&compared, "rank --by of").ok().contains("Slices by of"));
}
