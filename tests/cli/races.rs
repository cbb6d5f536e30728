//! A race by scores, as somebody runs it who looks for the best of some prompts: files out, scores back.

use super::{Finished, text, tiebreak};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Items without outputs: those are still to be written, by each prompt.
fn items(folder: &Path, n: usize) -> PathBuf {
    let data = folder.join("data");
    fs::create_dir_all(&data).unwrap();
    let row = |item| {
        json!({"item": format!("q{item}"), "source": format!("question {item}")}).to_string() + "\n"
    };
    fs::write(
        data.join("items.jsonl"),
        (0..n).map(row).collect::<String>(),
    )
    .unwrap();
    data
}

const PROMPTS: [&str; 5] = ["plain", "polite", "terse", "steps", "shout"];

/// Whether the program under test passes: `steps` does most often.
fn score(row: &Value) -> f64 {
    let item: usize = row["item"].as_str().unwrap()[1..].parse().unwrap();
    let system = PROMPTS
        .iter()
        .position(|one| row["system"] == *one)
        .unwrap();
    let passes = [6, 5, 5, 9, 2][system];
    f64::from(u8::from((item * 7 + system * 3) % 10 < passes))
}

fn rows(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn write_scored(path: &Path, rows: &[Value]) {
    let line = |row: &Value| {
        let mut row = row.clone();
        row["score"] = json!(score(&row));
        row.to_string() + "\n"
    };
    fs::write(path, rows.iter().map(line).collect::<String>()).unwrap();
}

fn begin(run: &Path, data: &Path, more: &[&str]) -> Finished {
    let prompts = PROMPTS.join(",");
    let all = [
        "ask",
        text(run),
        text(data),
        "--task",
        "score",
        "--range",
        "0,1",
        "--systems",
        &prompts,
    ];
    tiebreak(&[&all[..], more].concat())
}

#[test]
fn the_best_prompt_is_proved_with_part_of_the_scores_of_a_full_run() {
    let folder = tempfile::tempdir().unwrap();
    let (run, data) = (folder.path().join("run"), items(folder.path(), 400));
    let mut asked = BTreeSet::new();
    let mut file = folder.path().join("next-0.jsonl");
    begin(&run, &data, &["--n", "60", "--out", text(&file)]).ok();
    fs::remove_dir_all(&data).unwrap();
    for round in 1.. {
        let tasks = rows(&file);
        for row in &tasks {
            let output = (row["item"].to_string(), row["system"].to_string());
            assert!(asked.insert(output), "{row} was asked for before");
        }
        // The command was killed before its file was written: it is given again.
        if round == 2 {
            fs::remove_file(&file).unwrap();
            tiebreak(&["ask", text(&run), "--n", "60", "--out", text(&file)]).ok();
            assert_eq!(rows(&file), tasks);
        }
        write_scored(&file, &tasks);
        let status = tiebreak(&["tell", text(&run), text(&file), "--json"]).json();
        assert_eq!(
            status["told"],
            json!({"new": tasks.len(), "again": 0, "taken_back": 0, "not_asked": 0, "missing": 0})
        );
        let again = tiebreak(&["tell", text(&run), text(&file), "--json"]).json();
        assert_eq!(
            again["told"],
            json!({"new": 0, "again": tasks.len(), "taken_back": 0, "not_asked": 0, "missing": 0})
        );
        if status["claim"]["kind"] == "best" {
            assert_eq!(status["claim"]["systems"], json!(["steps"]));
            assert_eq!(status["claim"]["about"], "scores");
            assert_eq!(status["systems"][4]["place"], "out");
            break;
        }
        file = folder.path().join(format!("next-{round}.jsonl"));
        tiebreak(&["ask", text(&run), "--n", "60", "--out", text(&file)]).ok();
    }
    assert!(asked.len() < 5 * 400 / 2, "{}", asked.len());
    let told = tiebreak(&["ask", text(&run)]).ok();
    assert!(
        told.contains("steps is the best of the 5 systems (95 % confidence)"),
        "{told}"
    );
    assert!(told.contains("nothing is left to score"), "{told}");
    let report = tiebreak(&["report", text(&run)]).ok();
    assert_eq!(
        fs::read_to_string(run.join("report.txt")).unwrap().trim(),
        report.trim()
    );
    let stored: Value =
        serde_json::from_str(&fs::read_to_string(run.join("report.json")).unwrap()).unwrap();
    assert_eq!(stored["claim"]["confidence"], 0.95);
    let most = |system: usize| {
        stored["systems"][system]["most_below_best"]
            .as_f64()
            .unwrap()
    };
    assert!(
        most(3) == 0.0 && most(4) >= 0.7 && most(0) >= 0.3,
        "{stored}"
    );
    let page = fs::read_to_string(run.join("report.html")).unwrap();
    let verdict = stored["verdict"].as_str().unwrap();
    for words in [
        verdict,
        "below the best at most",
        "<svg",
        "shout",
        "out: worse than",
        "Next: nothing is left",
    ] {
        assert!(page.contains(words), "no {words} on the page");
    }
}

#[test]
fn scores_come_as_logs_and_in_any_order_or_on_standard_output() {
    let folder = tempfile::tempdir().unwrap();
    let (run, data) = (folder.path().join("run"), items(folder.path(), 60));
    let printed = begin(&run, &data, &["--n", "20"]).ok();
    let tasks: Vec<Value> = printed
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(tasks.len(), 20);
    // Logs of other tools have no tasks, more items, and their own order.
    let logs = folder.path().join("logs");
    fs::create_dir_all(&logs).unwrap();
    let mut lines: Vec<String> = tasks.iter().rev().map(|row| (row, score(row)))
        .map(|(row, score)| json!({"item": row["item"], "system": row["system"], "criterion": "passed", "score": score}).to_string())
        .collect();
    let asked: BTreeSet<String> = tasks.iter().map(|row| row["item"].to_string()).collect();
    let other = (0..60)
        .map(|item| format!("q{item}"))
        .find(|item| !asked.contains(&json!(item).to_string()))
        .unwrap();
    lines.push(
        json!({"item": other, "system": "plain", "criterion": "passed", "score": 1}).to_string(),
    );
    fs::write(logs.join("judgments.jsonl"), lines.join("\n")).unwrap();
    let status = tiebreak(&["tell", text(&run), text(&logs), "--json"]).json();
    assert_eq!(
        status["told"],
        json!({"new": 20, "again": 0, "taken_back": 0, "not_asked": 1, "missing": 0})
    );
    assert_eq!(
        status["scores"],
        json!({"asked": 20, "received": 20, "open": 0})
    );
    // Open tasks are written again.
    let file = folder.path().join("next.jsonl");
    tiebreak(&["ask", text(&run), "--n", "7", "--out", text(&file)]).ok();
    let again = tiebreak(&["ask", text(&run), "--again"]).ok();
    assert_eq!(again.trim(), fs::read_to_string(&file).unwrap().trim());
}

/// Names come with blanks after their commas, and nobody leads where means are equal.
/// Systems that have written nothing yet need no data set: a file of the inputs is enough, with texts or without.
#[test]
fn a_file_of_inputs_is_enough_where_systems_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let inputs = items(folder.path(), 5).join("items.jsonl");
    let names = folder.path().join("names.csv");
    fs::write(&names, "item\nq0\nq1\nq2\nq3\nq4\n").unwrap();
    for (place, data) in [inputs, names].iter().enumerate() {
        let run = folder.path().join(format!("run-{place}"));
        begin(
            &run,
            data,
            &["--out", text(&folder.path().join("all.jsonl"))],
        )
        .ok();
        let tasks = rows(&folder.path().join("all.jsonl"));
        assert_eq!(tasks.len(), 25);
        fs::remove_file(folder.path().join("all.jsonl")).unwrap();
    }
    let (run, data) = (folder.path().join("none"), folder.path().join("names.csv"));
    let unnamed = [
        "ask",
        text(&run),
        text(&data),
        "--task",
        "score",
        "--range",
        "0,1",
    ];
    tiebreak(&unnamed).refused(&["it names no systems", "--systems plain,polite,terse"]);
}

#[test]
fn equal_means_are_called_equal() {
    let folder = tempfile::tempdir().unwrap();
    let (run, data) = (folder.path().join("run"), items(folder.path(), 3));
    let ask = ["ask", text(&run), text(&data), "--task score --range 0,1"];
    let file = folder.path().join("next.jsonl");
    let systems = ["--systems", "plain, polite", "--out", text(&file)];
    tiebreak(&[&ask[..], &systems].concat()).ok();
    let mut tasks = rows(&file);
    // The same scores in another order.
    let mut counts = [0, 2];
    for task in &mut tasks {
        let system = usize::from(task["system"] == "polite");
        task["score"] = json!([0.1, 0.2, 0.3][counts[system]]);
        counts[system] = if system == 0 {
            counts[0] + 1
        } else {
            counts[1].max(1) - 1
        };
    }
    let lines: Vec<String> = tasks.iter().map(|task| format!("{task}\n")).collect();
    let lines = lines.concat();
    fs::write(&file, lines).unwrap();
    let status = tiebreak(&["tell", text(&run), text(&file), "--json"]).json();
    let verdict = "Not decided. plain and polite have the same mean, and none is higher.";
    assert_eq!(status["verdict"], verdict, "{status}");
    assert!(status["leader"].is_null());
}

/// Equal means of some items say nothing of the others, and those of a sample nothing of all.
#[test]
fn equal_means_so_far_are_not_called_equal() {
    let folder = tempfile::tempdir().unwrap();
    let data = items(folder.path(), 20);
    let file = |name: &str| folder.path().join(name);
    let status = |name: &str, draws: &str, scored: usize| {
        let (run, tasks, out) = (file(name), file("next.jsonl"), file("scored.jsonl"));
        let ask = [
            "ask",
            text(&run),
            text(&data),
            "--task score --range 0,1 --systems plain,polite",
        ];
        tiebreak(&[&ask[..], &["--items", draws, "--out", text(&tasks)]].concat()).ok();
        let scores = rows(&tasks).into_iter().take(scored).map(|mut task| {
            task["score"] = json!(1);
            task.to_string() + "\n"
        });
        fs::write(&out, scores.collect::<String>()).unwrap();
        fs::remove_file(&tasks).unwrap();
        tiebreak(&["tell", text(&run), text(&out), "--json"]).json()
    };
    let open = "Not decided yet. Any of the 2 systems may still be best.";
    assert_eq!(status("some", "these", 2)["verdict"], open);
    let end = "Not decided. Any of the 2 systems may be best.";
    assert_eq!(status("sample", "like-these", 40)["verdict"], end);
    let equal = "Not decided. plain and polite have the same mean, and none is higher.";
    assert_eq!(status("all", "these", 40)["verdict"], equal);
}

#[test]
fn a_budget_that_is_used_up_is_named_and_can_grow() {
    let folder = tempfile::tempdir().unwrap();
    let (run, data) = (folder.path().join("run"), items(folder.path(), 400));
    let file = |name: &str| folder.path().join(name);
    let score_all = |name: &str| {
        let tasks = rows(&file(name));
        write_scored(&file(name), &tasks);
        tiebreak(&["tell", text(&run), text(&file(name))]).ok()
    };
    begin(
        &run,
        &data,
        &["--budget", "32", "--out", text(&file("1.jsonl"))],
    )
    .ok();
    assert_eq!(rows(&file("1.jsonl")).len(), 30, "whole rounds of five");
    let told = score_all("1.jsonl");
    let next =
        "Next: the budget of 32 scores is used up; to go on, give a larger one: tiebreak ask";
    assert!(
        told.contains(next) && told.contains("--budget 64 --out next.jsonl"),
        "{told}"
    );
    let ask = |budget: &str, name: &str| {
        tiebreak(&[
            "ask",
            text(&run),
            "--budget",
            budget,
            "--out",
            text(&file(name)),
        ])
    };
    ask("31", "2.jsonl").refused(&["--budget", "it was 32", "only grow"]);
    ask("64", "2.jsonl").ok();
    assert_eq!(rows(&file("2.jsonl")).len(), 30);
    score_all("2.jsonl");
    // The same settings as at the beginning, but for the budget, go on too.
    begin(
        &run,
        &data,
        &["--budget", "2000", "--out", text(&file("3.jsonl"))],
    )
    .ok();
    assert_eq!(rows(&file("3.jsonl")).len(), 100);
}

#[test]
fn a_tie_for_the_last_place_leaves_the_others_in_theirs() {
    let folder = tempfile::tempdir().unwrap();
    let (run, data) = (folder.path().join("run"), items(folder.path(), 4));
    let ask = ["ask", text(&run), text(&data), "--task score --range 0,1"];
    let file = folder.path().join("next.jsonl");
    let systems = ["--systems", "plain,polite,terse", "--out", text(&file)];
    tiebreak(&[&ask[..], &["--top", "2"], &systems].concat()).ok();
    let scored = rows(&file).into_iter().map(|mut task| {
        task["score"] = json!(if task["system"] == "polite" { 0.9 } else { 0.3 });
        format!("{task}\n")
    });
    let lines: String = scored.collect();
    fs::write(&file, lines).unwrap();
    let status = tiebreak(&["tell", text(&run), text(&file), "--json"]).json();
    assert_eq!(
        status["verdict"],
        "Not decided. polite is one of the 2 best. plain and terse have exactly the same mean, for the last place.",
        "{status}"
    );
    assert_eq!(status["next"], "nothing is left to score");
}

#[test]
fn what_does_not_fit_a_race_is_refused_and_nothing_is_taken() {
    let folder = tempfile::tempdir().unwrap();
    let (run, data) = (folder.path().join("run"), items(folder.path(), 60));
    tiebreak(&["ask", text(&run), text(&data), "--task", "score"])
        .refused(&["the range of scores is not given", "--range"]);
    let bare = [
        "ask",
        text(&run),
        text(&data),
        "--task",
        "score",
        "--range",
        "0,1",
    ];
    tiebreak(&bare).refused(&["--systems", "no outputs"]);
    begin(&run, &data, &["--top", "5"]).refused(&["--top", "expected a number from 1 to 4"]);
    assert!(!run.exists(), "nothing is left behind");
    let file = folder.path().join("next.jsonl");
    begin(&run, &data, &["--annotators", "ana,ben"])
        .refused(&["--annotators", "no setting of a race"]);
    begin(
        &run,
        &data,
        &["--out", text(&folder.path().join("next.csv"))],
    )
    .refused(&["ends in .jsonl"]);
    begin(&run, &data, &["--n", "10", "--out", text(&file)]).ok();
    begin(&run, &data, &["--top", "2"]).refused(&["begun with other systems, items or settings"]);
    begin(&run, &data, &["--out", text(&file)]).refused(&["already there"]);
    tiebreak(&["ask", text(&run), "--task", "pairwise"]).refused(&["here is a race by scores"]);
    tiebreak(&["rank", text(&run)]).refused(&["here is a race by scores"]);
    let tasks = rows(&file);
    let wrong = |change: &dyn Fn(&mut Value), expected: &[&str]| {
        write_scored(&file, &tasks);
        let mut lines = rows(&file);
        change(&mut lines[3]);
        let lines: Vec<String> = lines.iter().map(|row| row.to_string() + "\n").collect();
        fs::write(&file, lines.concat()).unwrap();
        tiebreak(&["tell", text(&run), text(&file)])
            .refused(&[&["next.jsonl:4"][..], expected].concat());
    };
    wrong(
        &|row| row["score"] = json!(1.5),
        &["score 1.5", "from 0 to 1"],
    );
    wrong(&|row| row["system"] = json!("polit"), &["system `polit`"]);
    wrong(
        &|row| row["task"] = json!(999),
        &["task 999 was not asked for"],
    );
    wrong(
        &|row| row["system"] = json!("plain"),
        &["is item", "of system"],
    );
    wrong(
        &|row| *row = json!({"score": 1}),
        &["neither `task`, nor `item` and `system`"],
    );
    let status = tiebreak(&["report", text(&run), "--json"]).json();
    assert_eq!(status["scores"]["received"], 0);
    write_scored(&file, &tasks);
    tiebreak(&["tell", text(&run), text(&file)]).ok();
    fs::write(
        &file,
        "{\"task\": 1, \"score\": null}\n{\"task\": 2, \"score\": NaN}\n",
    )
    .unwrap();
    let told = tiebreak(&["tell", text(&run), text(&file)]).ok();
    assert!(
        told.contains("Read: 0 new scores, 2 missing (empty, null or NaN)."),
        "{told}"
    );
    // And a campaign that asks people takes no settings of a race.
    let people = folder.path().join("people");
    tiebreak(&[
        "ask",
        text(&people),
        "data/tiny",
        "--range",
        "0,1",
        "--out",
        "x.csv",
    ])
    .refused(&["--range", "a setting of a race by scores", "--task score"]);
}

/// A program scored one prompt wrongly: the scores are taken back as they were, and the right ones are read.
#[test]
fn wrong_scores_are_taken_back_and_the_right_ones_count() {
    let folder = tempfile::tempdir().unwrap();
    let (run, data) = (folder.path().join("my run"), items(folder.path(), 400));
    let file = folder.path().join("wrong.jsonl");
    begin(&run, &data, &["--n", "300", "--out", text(&file)]).ok();
    let write = |path: &Path, score_of: &dyn Fn(&Value) -> f64| {
        let mut lines = rows(&file);
        for row in &mut lines {
            row["score"] = json!(score_of(row));
        }
        let lines: Vec<String> = lines.iter().map(|row| row.to_string() + "\n").collect();
        fs::write(path, lines.concat()).unwrap();
    };
    let wrong = |row: &Value| match row["system"].as_str() {
        Some("steps") => 0.0,
        Some("polite") => 1.0,
        _ => score(row),
    };
    let right = folder.path().join("right.jsonl");
    write(&right, &score);
    write(&file, &wrong);
    let told = tiebreak(&["tell", text(&run), text(&file), "--json"]).json();
    assert_eq!(told["claim"]["systems"], json!(["polite"]), "{told}");
    // The message says how it is corrected.
    let refused = tiebreak(&["tell", text(&run), text(&right)]);
    refused.refused(&[
        "already",
        "take the score back as it was: the line {\"task\": ",
        "--take-back",
    ]);
    tiebreak(&["tell", text(&run), text(&right), "--take-back"]).refused(&["already"]);
    let back = tiebreak(&["tell", text(&run), text(&file), "--take-back", "--json"]).json();
    assert_eq!(
        (&back["told"]["taken_back"], &back["told"]["new"]),
        (&json!(300), &json!(0))
    );
    assert_eq!(
        back["scores"],
        json!({"asked": 300, "received": 0, "open": 300})
    );
    tiebreak(&["tell", text(&run), text(&file), "--take-back"])
        .refused(&["nothing can be taken back"]);
    let told = tiebreak(&["tell", text(&run), text(&right)]).ok();
    assert!(told.contains("Read: 300 new scores."), "{told}");
    // Systems that come back are scored on what they missed.
    let mut status = Value::Null;
    for round in 0..20 {
        let next = folder.path().join(format!("next-{round}.jsonl"));
        status = tiebreak(&["ask", text(&run), "--out", text(&next), "--json"]).json();
        if !next.exists() {
            break;
        }
        write_scored(&next, &rows(&next));
        tiebreak(&["tell", text(&run), text(&next)]).ok();
    }
    assert_eq!(status["claim"]["systems"], json!(["steps"]), "{status}");
    let said = tiebreak(&["report", text(&run)]).ok();
    assert!(
        said.contains(
            "Scores were taken back because they were wrong, not because of what they led to."
        ),
        "{said}"
    );
}

/// A data set in which every prompt is scored on every item.
fn scored(folder: &Path, n: usize) -> PathBuf {
    let data = items(folder, n);
    let row = |item: usize, prompt: &str| {
        let mut row = json!({"item": format!("q{item}"), "system": prompt, "criterion": "passed"});
        row["score"] = json!(score(&row));
        row.to_string() + "\n"
    };
    let rows = (0..n).flat_map(|item| PROMPTS.map(|prompt| row(item, prompt)));
    fs::write(data.join("judgments.jsonl"), rows.collect::<String>()).unwrap();
    data
}

#[test]
fn replays_of_scores_say_what_a_proof_would_have_taken() {
    let folder = tempfile::tempdir().unwrap();
    let data = scored(folder.path(), 200);
    let replay = |more: &[&str]| {
        let all = [
            "simulate",
            text(&data),
            "--criterion",
            "passed",
            "--runs",
            "40",
        ];
        tiebreak(&[&all[..], more].concat())
    };
    // All scores are 0 or 1, so the range is known.
    let race = replay(&["--json"]).json();
    assert_eq!(
        (&race["best"], &race["systems"]),
        (
            &json!("steps"),
            &json!(["plain", "polite", "shout", "steps", "terse"])
        )
    );
    assert_eq!(
        (&race["runs"], &race["method"]),
        (&json!(40), &json!("race"))
    );
    let number = |found: &Value| found.as_f64().unwrap();
    assert!(number(&race["wrong"]) <= 0.05 && number(&race["stopped"]["share"]) > 0.95);
    assert_eq!(race["stopped"]["correct"], 1.0);
    let mean = number(&race["calls"]["mean"]);
    assert!((mean / 1000.0 - number(&race["share_of_all"])).abs() < 1e-12);
    assert!(number(&race["calls"]["median"]) < 700.0, "{race}");
    let uniform = replay(&["--json", "--method", "uniform", "--range", "0,1"]).json();
    assert!(
        mean < 0.8 * number(&uniform["calls"]["mean"]),
        "{race} {uniform}"
    );
    // What proves nothing takes as many scores as the race, unless it is said, and is held beside it.
    for (at, method) in ["successive-rejects", "successive-halving"]
        .into_iter()
        .enumerate()
    {
        let found = replay(&["--json", "--method", method]).json();
        assert_eq!(found["stopped"], json!({"share": 0.0, "correct": null}));
        assert!(number(&found["calls"]["mean"]) <= mean + 0.5);
        let beside = &race["unproved"][at];
        assert_eq!(
            (&beside["method"], &beside["wrong"]),
            (&json!(method), &found["wrong"])
        );
        let needed = beside["needed"].as_u64().unwrap();
        let fewest = [5, 10][at];
        let at = |budget: u64| {
            let budget = budget.to_string();
            number(&replay(&["--json", "--method", method, "--budget", &budget]).json()["wrong"])
        };
        assert!(
            at(needed) <= 0.05 && at(needed - 1) > 0.05,
            "{method}: {needed}"
        );
        assert!(at(fewest) > 0.3, "{method}: so few are not enough");
    }
    let told = replay(&[]).ok();
    for words in [
        "40 replays, all with proof",
        "steps is the best by all scores",
        "successive rejects",
        "Only the race",
    ] {
        assert!(told.contains(words), "{told}");
    }
    // Systems within the margin are as good as the best, and items may be drawn again and again.
    let near = replay(&["--json", "--epsilon", "0.4"]).json();
    assert!(number(&near["calls"]["mean"]) < mean, "{near}");
    let again = replay(&["--json", "--repeated", "--budget", "400"]).json();
    assert!(number(&again["calls"]["mean"]) <= 400.0 && again["repeated"] == true);
    // Stored, it is a report of its own.
    let out = folder.path().join("out");
    let stored = replay(&["--out", text(&out), "--json"]).json();
    assert_eq!(stored, race);
    let report = tiebreak(&["report", text(&out)]).ok();
    assert!(
        report.contains("steps is the best by all scores"),
        "{report}"
    );
}

#[test]
fn replays_of_a_metric_know_which_scores_are_better() {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("scores.csv");
    tiebreak(&[
        "score",
        "data/tiny",
        "--metric",
        "chrf",
        "ter",
        "--out",
        text(&table),
    ])
    .ok();
    for (metric, range) in [("chrf", "0,100"), ("ter", "0,1000")] {
        let run = |threads| {
            let all = [
                "simulate",
                "data/tiny",
                "--scores",
                text(&table),
                "--metric",
                metric,
            ];
            let more = [
                "--range",
                range,
                "--runs",
                "10",
                "--json",
                "--threads",
                threads,
            ];
            tiebreak(&[&all[..], &more].concat()).json()
        };
        let found = run("1");
        assert_eq!(found["best"], "fjord", "{metric}");
        assert_eq!(found["standings"][0]["system"], "fjord");
        assert!(
            found["standings"][0]["mean"].as_f64() > Some(0.0),
            "{found}"
        );
        assert_eq!(found, run("2"));
    }
}

/// A criterion with the name of a metric runs as the metric does; of other names of errors it is said that they do not.
#[test]
fn replays_of_errors_know_which_are_better_or_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let data = items(folder.path(), 60);
    for (criterion, best) in [("WER", "steps"), ("hallucinations", "plain")] {
        let wrong = |prompt: &str| match prompt {
            "steps" => 0.0,
            "plain" => 1.0,
            _ => 0.5,
        };
        let row = |item: usize, prompt: &str| {
            let row = json!({
                "item": format!("q{item}"), "system": prompt, "criterion": criterion, "score": wrong(prompt),
            });
            row.to_string() + "\n"
        };
        let rows = (0..60).flat_map(|item| PROMPTS.map(|prompt| row(item, prompt)));
        fs::write(data.join("judgments.jsonl"), rows.collect::<String>()).unwrap();
        let of = ["simulate", text(&data), "--criterion", criterion];
        let run = tiebreak(&[&of[..], &["--range", "0,1", "--runs", "10", "--json"]].concat());
        let note = "Higher scores of `hallucinations` count as better here.";
        assert_eq!(
            run.stderr.contains(note),
            criterion != "WER",
            "{}",
            run.stderr
        );
        assert_eq!(run.json()["best"], best);
    }
}

#[test]
fn what_replays_of_scores_cannot_take_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let data = scored(folder.path(), 20);
    let replay = |more: &[&str]| tiebreak(&[&["simulate", text(&data)], more].concat());
    let by = ["--criterion", "passed"];
    replay(&[&by[..], &["--bandit", "rmed"]].concat())
        .refused(&["--bandit", "replays of comparisons"]);
    replay(&[&by[..], &["--delay", "2"]].concat()).refused(&["--delay", "leave it out"]);
    replay(&["--range", "0,1"]).refused(&["--range", "replays of scores", "--criterion"]);
    replay(&["--metric", "chrf"]).refused(&["--scores"]);
    replay(&[
        "--criterion",
        "passed",
        "--scores",
        "x.csv",
        "--metric",
        "chrf",
    ])
    .refused(&["--criterion", "one of the two"]);
    replay(&["--criterion", "fluency"]).refused(&["--criterion", "fluency"]);
    replay(&[&by[..], &["--method", "raced"]].concat()).refused(&["--method", "raced"]);
    replay(
        &[
            &by[..],
            &["--method", "successive-halving", "--budget", "9"],
        ]
        .concat(),
    )
    .refused(&["--budget", "successive-halving, expected 10 or more"]);
    // Without a proof a race is not said to be enough.
    let short = replay(&[&by[..], &["--runs", "20", "--budget", "5"]].concat()).ok();
    let race = short
        .lines()
        .find(|line| line.starts_with("race "))
        .unwrap();
    assert!(race.ends_with('–'), "{short}");
    let other = folder.path().join("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("simulation.json"), "mine").unwrap();
    replay(&[&by[..], &["--out", text(&other)]].concat())
        .refused(&["simulation.json", "already there"]);
    assert_eq!(
        fs::read_to_string(other.join("simulation.json")).unwrap(),
        "mine"
    );
    replay(&[&by[..], &["--range", "0.5,1"]].concat())
        .refused(&["--range", "has the score 0, outside 0.5,1"]);
    let file = data.join("judgments.jsonl");
    let halves = fs::read_to_string(&file)
        .unwrap()
        .replace("\"score\":1.0", "\"score\":0.5");
    fs::write(&file, halves).unwrap();
    replay(&by).refused(&["--range", "the range of the scores is not known"]);
}
