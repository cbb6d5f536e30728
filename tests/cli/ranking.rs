//! The full ranking: by all comparisons, after a bandit's run, and on data that decide little.

use super::{score_with_chrf, text, tiebreak};
use serde_json::Value;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// A data set of comparisons alone: (item, first, second, outcome).
fn data(folder: &Path, rows: &[(usize, &str, &str, f64)]) -> PathBuf {
    let data = folder.join("data");
    std::fs::create_dir_all(&data).unwrap();
    let mut lines = String::new();
    for (item, a, b, outcome) in rows {
        let row = serde_json::json!({
            "item": format!("item {item}"), "system_a": a, "system_b": b, "outcome": outcome
        });
        let _ = writeln!(lines, "{row}");
    }
    std::fs::write(data.join("comparisons.jsonl"), lines).unwrap();
    data
}

fn row<'a>(ranking: &'a Value, system: &str) -> &'a Value {
    let rows = ranking["ranking"].as_array().unwrap();
    rows.iter().find(|row| row["system"] == system).unwrap()
}

#[test]
fn all_comparisons_give_a_full_ranking() {
    let folder = tempfile::tempdir().unwrap();
    let all = [
        "rank",
        "data/tiny",
        "--all",
        "--json",
        "--out",
        text(folder.path()),
    ];
    let printed = tiebreak(&all).ok();
    let stored = std::fs::read_to_string(folder.path().join("ranking.json")).unwrap();
    assert_eq!(printed, stored);
    let ranking: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(
        (&ranking["winner"], &ranking["true_winner"]),
        (&"cedar".into(), &"cedar".into())
    );
    assert_eq!(
        (
            row(&ranking, "cedar")["rank_low"].as_u64(),
            ranking["runs"].as_u64()
        ),
        (Some(1), Some(0))
    );
    let systems = ranking["systems"].as_array().unwrap();
    assert_eq!(ranking["ranking"].as_array().unwrap().len(), systems.len());
    for row in ranking["ranking"].as_array().unwrap() {
        let number = |key: &str| row[key].as_f64().unwrap_or_else(|| panic!("{key}: {row}"));
        assert!(number("lower") < number("strength") && number("strength") < number("upper"));
        assert!(number("rank_low") <= number("rank_high") && number("group") >= 1.0);
        assert!(number("comparisons") > 0.0);
    }
    // One system twice: its two names are tied.
    let (atlas, again) = (row(&ranking, "atlas"), row(&ranking, "atlas-rerun"));
    assert_eq!(atlas["group"], again["group"]);
    let table = tiebreak(&["rank", "data/tiny", "--all"]).ok();
    assert!(
        table.contains("recorded comparisons") && table.contains("log-odds"),
        "{table}"
    );
    assert!(!table.contains("bandit"), "{table}");
}

#[test]
fn every_run_ends_with_a_full_ranking() {
    for (bandit, rest) in [
        ("adaptive", &["--budget", "800"][..]),
        ("rmed", &["--runs", "5"]),
    ] {
        let run = [&["rank", "data/tiny", "--bandit", bandit, "--json"], rest].concat();
        let ranking = tiebreak(&run).json();
        let rows = ranking["ranking"].as_array().unwrap();
        assert_eq!(rows.len(), ranking["systems"].as_array().unwrap().len());
        assert!(rows.iter().all(|row| row["comparisons"].as_u64() > Some(0)));
        assert_eq!(row(&ranking, "cedar")["rank_low"], 1, "{bandit}");
    }
    let told = tiebreak(&["rank", "data/tiny", "--budget", "300"]).ok();
    assert!(
        told.contains("of this run") && told.contains("the bandit needed"),
        "{told}"
    );
    let folder = tempfile::tempdir().unwrap();
    let stored = [
        "rank",
        "data/tiny",
        "--budget",
        "300",
        "--out",
        text(folder.path()),
    ];
    assert_eq!(tiebreak(&stored).ok(), told);
    assert_eq!(tiebreak(&stored).ok(), told, "from the stored run");
}

#[test]
fn targets_of_adaptive_are_told_in_words() {
    for (bandit, words) in [
        (
            "adaptive:target=top-k,k=1",
            "the top 1 are cedar with 95 % confidence, if any 1 systems",
        ),
        (
            "adaptive:epsilon=0.3",
            "is eps-best with 95 % confidence: no other system is preferred",
        ),
    ] {
        let run = tiebreak(&["rank", "data/tiny", "--bandit", bandit, "--budget", "40000"]).ok();
        assert!(run.contains(words), "{run}");
    }
}

#[test]
fn an_experiment_judges_what_was_announced() {
    for (target, words) in [
        ("top-k,k=2", "announce the top 2 of all judgments"),
        ("ranking", "announce the ranking by all judgments"),
    ] {
        let bandit = format!("adaptive:target={target}");
        let run = ["rank", "data/tiny", "--bandit", &bandit, "--runs", "4"];
        let told = tiebreak(&[&run[..], &["--budget", "60000", "--json"]].concat()).json();
        let verdict = told["verdict"].as_str().unwrap();
        if told["stopped"]["share"].as_f64() > Some(0.0) {
            assert!(verdict.contains(words), "{verdict}");
        }
        assert!(verdict.ends_with("those of the leader alone"), "{verdict}");
    }
}

#[test]
fn a_pair_that_was_never_judged_is_named_and_all_does_without_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut rows = Vec::new();
    for item in 0..30 {
        rows.push((item, "a", "b", if item % 3 == 0 { 0.0 } else { 1.0 }));
        rows.push((item, "b", "c", if item % 4 == 0 { 0.5 } else { 1.0 }));
    }
    let data = data(folder.path(), &rows);
    for bandit in ["adaptive", "rmed", "uniform"] {
        let refused = tiebreak(&["rank", text(&data), "--bandit", bandit]);
        assert_eq!(refused.code, Some(2), "{}", refused.stderr);
        assert!(refused.stderr.contains("`a` and `c`"), "{}", refused.stderr);
        assert!(refused.stderr.contains("--all"), "{}", refused.stderr);
    }
    let ranking = tiebreak(&["rank", text(&data), "--all", "--json"]).json();
    let order: Vec<&str> = ranking["ranking"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["system"].as_str().unwrap())
        .collect();
    assert_eq!(order, ["a", "b", "c"]);
    assert!(ranking["standings"][0]["copeland"].is_null());
}

#[test]
fn data_that_decide_nothing_have_a_named_result() {
    let folder = tempfile::tempdir().unwrap();
    let ties: Vec<_> = (0..40).map(|item| (item, "a", "b", 0.5)).collect();
    let one_item: Vec<_> = (0..40).map(|_| (1, "a", "b", 1.0)).collect();
    let apart: Vec<_> = (0..40)
        .flat_map(|item| [(item, "a", "b", 1.0), (item, "c", "d", 1.0)])
        .collect();
    for (rows, words) in [
        (ties, "the comparisons do not tell it apart from"),
        (one_item, "the comparisons do not tell it apart from b"),
        (
            apart,
            "2 groups of systems were never compared with each other",
        ),
    ] {
        let data = data(folder.path(), &rows);
        let told = tiebreak(&["rank", text(&data), "--all"]).ok();
        assert!(told.contains(words), "{told}");
        assert!(!told.contains("NaN") && !told.contains("inf"), "{told}");
        let budget = ["--budget", "200"];
        for bandit in ["adaptive", "rmed", "knockout", "uniform"] {
            let run = [&["rank", text(&data), "--bandit", bandit], &budget[..]].concat();
            let run = tiebreak(&run);
            let fine = run.code == Some(0) && !run.stdout.contains("NaN");
            let named = run.code == Some(2) && run.stderr.contains("a comparison of");
            assert!(fine || named, "{bandit}: {} {}", run.stdout, run.stderr);
        }
    }
    let with_bandit = tiebreak(&["rank", "data/tiny", "--all", "--bandit", "rmed"]);
    assert_eq!(with_bandit.code, Some(2), "{}", with_bandit.stderr);
}

/// chrF's predictions for `data/tiny`, written into `folder` again with every preference changed.
fn predicted(folder: &Path, name: &str, change: fn(f64) -> f64) -> PathBuf {
    let (scores, plain) = (folder.join("scores.jsonl"), folder.join("plain.jsonl"));
    if !plain.exists() {
        score_with_chrf(&scores);
        let (scores, plain) = (text(&scores), text(&plain));
        let link = ["--metric", "chrf", "--link", "btl", "--scores", scores];
        tiebreak(&[&["predict", "data/tiny", "--out", plain][..], &link].concat()).ok();
    }
    let mut lines = String::new();
    for line in std::fs::read_to_string(&plain).unwrap().lines() {
        let mut row: Value = serde_json::from_str(line).unwrap();
        row["p"] = change(row["p"].as_f64().unwrap()).into();
        let _ = writeln!(lines, "{row}");
    }
    let path = folder.join(name);
    std::fs::write(&path, lines).unwrap();
    path
}

/// Two models that contradict each other are no hint at all.
#[test]
fn several_predictions_are_averaged() {
    let folder = tempfile::tempdir().unwrap();
    let same = predicted(folder.path(), "same.jsonl", |p| p);
    let reversed = predicted(folder.path(), "reversed.jsonl", |p| 1.0 - p);
    let half = predicted(folder.path(), "half.jsonl", |_| 0.5);
    let run = |predictions: &[&Path], rest: &[&str]| {
        let given = predictions
            .iter()
            .flat_map(|path| ["--predictions", text(path)]);
        let limits = ["--budget", "300", "--runs", "3", "--json"];
        let command = ["rank", "data/tiny"].into_iter().chain(limits).chain(given);
        tiebreak(&command.chain(rest.iter().copied()).collect::<Vec<_>>())
    };
    let accuracy = |predictions: &[&Path]| run(predictions, &[]).json()["accuracy"].clone();
    let both = accuracy(&[&same, &reversed]);
    assert_eq!(both, accuracy(&[&half]));
    assert_ne!(both, accuracy(&[&same]));
    assert_eq!(accuracy(&[&same, &same]), accuracy(&[&same]));
    for answers in ["--mix=0.5", "--select=bald:0.1", "--eliminate"] {
        let refused = run(&[&same, &half], &[answers]);
        assert_eq!(refused.code, Some(2));
        let words = "2 predictions to answer or eliminate by, expected 1";
        assert!(refused.stderr.contains(words), "{}", refused.stderr);
    }
}

#[test]
fn a_pipeline_and_a_live_run_take_several_predictions() {
    let folder = tempfile::tempdir().unwrap();
    let same = predicted(folder.path(), "same.jsonl", |p| p);
    let half = predicted(folder.path(), "half.jsonl", |_| 0.5);
    let (same, half) = (text(&same), text(&half));
    let pipeline = folder.path().join("p.toml");
    let toml = format!(
        "data = \"data/tiny\"\n[[rank]]\nbudget = 50\npredictions = [{same:?}, {half:?}]\n"
    );
    std::fs::write(&pipeline, toml).unwrap();
    let out = folder.path().join("out");
    tiebreak(&["run", text(&pipeline), "--out", text(&out)]).ok();
    let stored = out.join("rank/adaptive+same+half/ranking.json");
    let ranking: Value = serde_json::from_str(&std::fs::read_to_string(stored).unwrap()).unwrap();
    let signature = ranking["signature"].as_str().unwrap();
    let found = signature.split("|predictions:").nth(1).unwrap_or_default();
    assert!(found.contains("]["), "{signature}");

    let live = folder.path().join("live");
    let sheet = folder.path().join("q.csv");
    let ask = [
        "ask",
        text(&live),
        "data/tiny",
        "--n",
        "2",
        "--out",
        text(&sheet),
    ];
    tiebreak(&[&ask[..], &["--predictions", same, "--predictions", half]].concat()).ok();
    let more = folder.path().join("more.csv");
    let ask = ["ask", text(&live), "--n", "2", "--out", text(&more)];
    tiebreak(&ask).ok();
    // One of them alone is another run.
    let last = folder.path().join("last.csv");
    let ask = [
        "ask",
        text(&live),
        "--n",
        "2",
        "--out",
        text(&last),
        "--predictions",
        half,
    ];
    let refused = tiebreak(&ask);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(refused.stderr.contains("predictions"), "{}", refused.stderr);
}
