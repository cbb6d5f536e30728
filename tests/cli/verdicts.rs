//! `rank --verdicts`: a judge's ranking, in the judge's name.

use super::{text, tiebreak};
use crate::support::{assert_contains, assert_lacks};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A log of AlpacaEval: a judge prefers the first 24 outputs of `good`, and of `other` every third, to those of `base`.
pub(super) fn alpaca(folder: &Path) -> PathBuf {
    let log = folder.join("log");
    fs::create_dir(&log).unwrap();
    let mut rows = Vec::new();
    for item in 0..30 {
        for (system, preference) in [
            ("good", if item < 24 { 1.9 } else { 1.2 }),
            ("other", if item % 3 == 0 { 1.8 } else { 1.1 }),
        ] {
            rows.push(serde_json::json!({
                "dataset": "mine", "instruction": format!("question {item}"),
                "output_1": format!("base says {item}"), "generator_1": "base",
                "output_2": format!("{system} says {}", "word ".repeat(1 + item % 4)),
                "generator_2": system, "annotator": "weighted_gpt4_turbo", "preference": preference,
            }));
        }
    }
    let text = serde_json::to_string(&rows).unwrap();
    fs::write(log.join("annotations.json"), text).unwrap();
    log
}

/// The judge's log as a data set of its own.
fn imported(folder: &Path) -> PathBuf {
    let (log, data) = (alpaca(folder), folder.join("mine"));
    tiebreak(&["import", text(&log), "--out", text(&data)]).ok();
    data
}

#[test]
fn a_judges_log_leads_to_a_ranking_in_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let data = imported(folder.path());
    let refused = tiebreak(&["rank", text(&data)]);
    assert_eq!(refused.code, Some(2));
    let path = data.display();
    let expected = format!(
        "error: `{path}` has no comparisons by people, which `rank` needs. It has a judge's verdicts: `tiebreak rank \
         {path} --verdicts`\n"
    );
    assert_eq!(refused.stderr, expected);
    let checked = tiebreak(&["check", text(&data), "--json"]).json();
    let ability = &checked["abilities"][2];
    let note = format!("only by a judge's verdicts: `tiebreak rank {path} --verdicts`");
    let told = serde_json::json!({"command": "rank", "possible": true, "note": note});
    assert_eq!(ability, &told);
    let ranking = tiebreak(&["rank", text(&data), "--verdicts", "--json"]).json();
    let claim = &ranking["claim"];
    assert_eq!(
        (
            &claim["about"],
            &claim["judge"],
            &claim["n"],
            &claim["annotators"]
        ),
        (
            &"judge".into(),
            &"weighted_gpt4_turbo".into(),
            &60.into(),
            &0.into()
        )
    );
    assert_eq!(claim["systems"], serde_json::json!(["good"]));
    for key in ["systems", "strengths", "ranks", "groups"] {
        assert!(!ranking[key].as_array().unwrap().is_empty(), "{key}");
    }
    let against = &ranking["against"];
    assert_eq!(against["baseline"], "base");
    let good = &against["rates"][0];
    // The mean of preference − 1.
    let rate = (24.0 * 0.9 + 6.0 * 0.2) / 30.0;
    assert!(
        (good["win_rate"].as_f64().unwrap() - rate).abs() < 1e-9,
        "{good}"
    );
    let (low, high) = (
        good["rate_lower"].as_f64().unwrap(),
        good["rate_upper"].as_f64().unwrap(),
    );
    assert!(
        0.5 < low && low < rate && rate < high && high < 1.0,
        "{good}"
    );
    let told = tiebreak(&["rank", text(&data), "--verdicts"]).ok();
    assert_contains(
        &told,
        &["60 verdicts by weighted_gpt4_turbo, not by people"],
    );
    assert_lacks(&told, &["people prefer", "annotator"]);
    let styled = tiebreak(&["rank", text(&data), "--verdicts", "--style", "--json"]).json();
    assert!(styled["against"]["rates"][0]["equal_style"].is_f64());
}

/// A log of MT-Bench with both orders: what is shown first is preferred in three of four verdicts.
pub(super) fn mt_bench(folder: &Path) -> PathBuf {
    let log = folder.join("log");
    fs::create_dir_all(log.join("model_answer")).unwrap();
    fs::create_dir_all(log.join("model_judgment")).unwrap();
    let (mut questions, mut verdicts) = (String::new(), String::new());
    for item in 0..12 {
        questions += &format!("{{\"question_id\":{item},\"turns\":[\"q{item}\"]}}\n");
        // Game 2 shows model_2 first; half of the time the first wins both games.
        let second = if item % 2 == 0 { "model_2" } else { "model_1" };
        verdicts += &format!(
            "{{\"question_id\":{item},\"model_1\":\"a\",\"model_2\":\"b\",\"g1_winner\":\"model_1\",\
             \"g2_winner\":\"{second}\",\"judge\":[\"gpt-4\",\"pair-v2\"],\"turn\":1,\"tstamp\":1.0}}\n"
        );
    }
    fs::write(log.join("question.jsonl"), questions).unwrap();
    for model in ["a", "b"] {
        let answer = |item: i32| {
            format!(
                "{{\"question_id\":{item},\"answer_id\":\"x\",\"model_id\":\"{model}\",\"choices\":[{{\"index\":0,\
                 \"turns\":[\"{model} {item}\"]}}],\"tstamp\":1.0}}\n"
            )
        };
        let answers: String = (0..12).map(answer).collect();
        fs::write(log.join(format!("model_answer/{model}.jsonl")), answers).unwrap();
    }
    fs::write(log.join("model_judgment/gpt-4_pair.jsonl"), verdicts).unwrap();
    log
}

#[test]
fn position_bias_is_told_where_both_orders_are_there() {
    let folder = tempfile::tempdir().unwrap();
    let log = mt_bench(folder.path());
    let ranking = tiebreak(&["rank", text(&log), "--verdicts", "--json"]).json();
    let position = &ranking["position"];
    assert_eq!(
        (&position["value"], &position["verdicts"]),
        (&0.5.into(), &12.into())
    );
    let [lower, upper] = ["lower", "upper"].map(|end| position[end].as_f64().unwrap());
    assert!(
        -1.0 < lower && lower < 0.5 && 0.5 < upper && upper < 1.0,
        "{position}"
    );
    assert_eq!(ranking["claim"]["judge"], "gpt-4");
}

#[test]
fn verdicts_stand_in_the_place_of_people() {
    let folder = tempfile::tempdir().unwrap();
    let hints = "data/mt-bench/hints/gpt-4.jsonl.gz";
    let by_judge = tiebreak(&["rank", "data/mt-bench", "--verdicts", hints, "--json"]).json();
    assert_eq!(by_judge["claim"]["judge"], "GPT-4 as a judge");
    let both = [
        "rank data/mt-bench --verdicts",
        hints,
        "--predictions",
        hints,
    ];
    tiebreak(&both).refused(&["leave out --predictions"]);
    tiebreak(&["rank", "data/tiny", "--verdicts"]).refused(&["data/tiny holds no predictions"]);
    let pipeline = folder.path().join("p.toml");
    let data = imported(folder.path());
    let stages = format!("data = {:?}\n[[rank]]\nverdicts = true\n", text(&data));
    fs::write(&pipeline, stages).unwrap();
    let out = folder.path().join("out");
    let told = tiebreak(&["run", text(&pipeline), "--out", text(&out)]).ok();
    assert_contains(&told, &["by a judge's verdicts, not by people"]);
    assert_lacks(&told, &["comparisons by people"]);
}

/// Each command is run in a folder of its own, as it is printed.
#[test]
fn the_next_step_checks_the_ranking() {
    let folder = tempfile::tempdir().unwrap();
    let data = imported(folder.path());
    let told = tiebreak(&["rank", text(&data), "--verdicts"]).ok();
    let next = told
        .lines()
        .find_map(|line| line.strip_prefix("next: tiebreak "));
    let words = next.unwrap_or_else(|| panic!("{told}")).split(' ');
    let ran = Command::new(env!("CARGO_BIN_EXE_tiebreak"))
        .args(words)
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    assert!(folder.path().join("questions.csv").exists());
}

/// What outcomes mean is said again where they are read again.
#[test]
fn the_next_step_reads_the_data_alike() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let (table, verdicts) = (at("comparisons.csv"), at("verdicts.csv"));
    let rows = |last: fn(u32) -> &'static str| {
        let row = |item| format!("{item},atlas,cedar,{}\n", last(item));
        (0..20).map(row).collect::<String>()
    };
    let answers = rows(|item| if item % 4 == 0 { "yes" } else { "no" });
    let said = rows(|item| if item % 3 == 0 { "0" } else { "1" });
    fs::write(&table, format!("item,system_a,system_b,outcome\n{answers}")).unwrap();
    fs::write(&verdicts, format!("item,system_a,system_b,p\n{said}")).unwrap();
    let words = ["--outcome", "yes=0,no=1"];
    let rank = ["rank", text(&table), "--verdicts", text(&verdicts)];
    let told = tiebreak(&[&rank[..], &words[..]].concat()).ok();
    let next = [
        "assess",
        text(&table),
        words[0],
        words[1],
        "--predictions",
        text(&verdicts),
    ];
    let line = format!("next: tiebreak {}\n", next.join(" "));
    assert!(told.ends_with(&line), "{told}");
    tiebreak(&next).ok();
}

#[test]
fn preference_data_without_systems_is_not_ranked() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("prefs.jsonl");
    let row = |n: i32| {
        format!("{{\"prompt\":\"q{n}\",\"chosen\":\"yes {n}\",\"rejected\":\"no {n}\"}}\n")
    };
    fs::write(&file, (0..8).map(row).collect::<String>()).unwrap();
    tiebreak(&["rank", text(&file)]).refused(&["names no systems", "fit pairwise"]);
    let out = folder.path().join("mine");
    let told = tiebreak(&["import", text(&file), "--out", text(&out)]).ok();
    assert_lacks(&told, &["next: tiebreak rank"]);
}
