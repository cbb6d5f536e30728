//! The full ranking: by all comparisons, after a bandit's run, and on data that decide little.

use super::{here, score_with_chrf, text, tiebreak};
use crate::support::{assert_contains, assert_lacks};
use expect_test::expect;
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

fn row<'a>(ranking: &'a Value, list: &str, system: &str) -> &'a Value {
    let rows = ranking[list].as_array().unwrap();
    rows.iter().find(|row| row["system"] == system).unwrap()
}

#[test]
fn all_comparisons_give_a_full_ranking() {
    let folder = tempfile::tempdir().unwrap();
    let all = ["rank", "data/tiny", "--json", "--out", text(folder.path())];
    let printed = tiebreak(&all).ok();
    let stored = tiebreak::tables::json::printed_text(&folder.path().join("ranking.json"));
    assert_eq!(printed, stored.unwrap());
    let ranking: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(row(&ranking, "ranks", "cedar")["rank_low"], 1);
    let systems = ranking["systems"].as_array().unwrap();
    assert_eq!(
        ranking["strengths"].as_array().unwrap().len(),
        systems.len()
    );
    for row in ranking["strengths"].as_array().unwrap() {
        let number = |key: &str| row[key].as_f64().unwrap_or_else(|| panic!("{key}: {row}"));
        assert!(number("lower") < number("strength") && number("strength") < number("upper"));
        assert!(number("comparisons") > 0.0);
    }
    for row in ranking["ranks"].as_array().unwrap() {
        assert!(
            row["rank_low"].as_u64() <= row["rank_high"].as_u64(),
            "{row}"
        );
    }
    // One system twice: its two names are tied.
    let groups = ranking["groups"].as_array().unwrap();
    let in_group = |group: &Value, name: &str| group.as_array().unwrap().contains(&name.into());
    let tied = |group: &Value| in_group(group, "atlas") && in_group(group, "atlas-rerun");
    assert!(groups.iter().any(tied), "{groups:?}");
    let claim = &ranking["claim"];
    assert_eq!(claim["basis"], "inference");
    assert!(!claim["assumes"].to_string().contains("condorcet"));
    let table = tiebreak(&["rank", "data/tiny"]).ok();
    assert_contains(&table, &["log-odds"]);
    assert_lacks(&table, &["bandit"]);
}

/// Battles with names of their own on the same prompts are no more evidence than comparisons on as many items.
#[test]
fn items_with_the_same_source_count_as_one() {
    let folder = tempfile::tempdir().unwrap();
    let rank = |name: &str, source: &dyn Fn(usize) -> String, with: &[&str]| {
        let data = folder.path().join(name);
        std::fs::create_dir_all(&data).unwrap();
        let (mut comparisons, mut items) = (String::new(), String::new());
        for battle in 0..200 {
            let (prompt, outcome) = (battle / 10, u8::from(battle / 10 % 3 != 0));
            let item = match name {
                "prompts" => format!("{prompt:03}"),
                _ => format!("{battle:03}"),
            };
            let row = serde_json::json!({"item": item, "system_a": "a", "system_b": "b", "outcome": outcome});
            let _ = writeln!(comparisons, "{row}");
            if name != "prompts" || battle % 10 == 0 {
                let _ = writeln!(
                    items,
                    "{}",
                    serde_json::json!({"item": item, "source": source(prompt), "document": prompt})
                );
            }
        }
        std::fs::write(data.join("comparisons.jsonl"), comparisons).unwrap();
        std::fs::write(data.join("items.jsonl"), items).unwrap();
        tiebreak(&[&["rank", text(&data)], with].concat()).ok()
    };
    let prompt = |prompt: usize| format!("Prompt {prompt}{}", " ".repeat(prompt % 2));
    let json = |name: &str, source: &dyn Fn(usize) -> String| -> Value {
        serde_json::from_str(&rank(name, source, &["--json"])).unwrap()
    };
    let [prompts, battles] = ["prompts", "battles"].map(|name| json(name, &prompt));
    assert_eq!(battles["claim"]["kind"], "undecided");
    for field in ["strengths", "ranks", "claim"] {
        assert_eq!(battles[field], prompts[field], "{field}");
    }
    assert_contains(
        &rank("battles", &prompt, &[]),
        &["200 compared items have 20 different sources. Items with the same source count as one"],
    );
    // Without sources, a key says which items count as one.
    let alone = json("alone", &|_| String::new());
    assert_eq!(alone["claim"]["kind"], "best");
    let flags = ["--cluster", "document", "--json"];
    let documents: Value =
        serde_json::from_str(&rank("alone", &|_| String::new(), &flags)).unwrap();
    for field in ["strengths", "ranks", "claim"] {
        assert_eq!(documents[field], prompts[field], "{field}");
    }
    // A model's predictions are matched with items, and those with the same source still count as one.
    let predictions = folder.path().join("predictions.csv");
    let rows = (0..200).map(|battle| format!("{battle:03},a,b,0.5\n"));
    let rows: String = rows.collect();
    std::fs::write(&predictions, format!("item,system_a,system_b,p\n{rows}")).unwrap();
    let predicted = rank(
        "battles",
        &prompt,
        &["--predictions", text(&predictions), "--json"],
    );
    let predicted: Value = serde_json::from_str(&predicted).unwrap();
    assert_eq!(predicted["claim"], prompts["claim"]);
    assert_contains(
        &predicted["hints"].to_string(),
        &["200 compared items have 20 different sources. Items with the same source count as one"],
    );
    // Of one prompt alone, samples are all there is.
    let one = json("one", &|_| "Prompt".to_string());
    assert_eq!(one["claim"]["kind"], "best");
    assert_contains(
        &one["hints"].to_string(),
        &["All 200 compared items have the same source"],
    );
}

/// What a file is sorted by decides nothing: its order is no order of asking.
#[test]
fn the_order_of_a_file_is_no_evidence() {
    let folder = tempfile::tempdir().unwrap();
    let mut rows: Vec<_> = (0..100)
        .map(|row| (row % 50, "a", "b", f64::from(u8::from(row % 2 == 0))))
        .collect();
    let told = |rows: &[(usize, &str, &str, f64)], name: &str| {
        let data = data(&folder.path().join(name), rows);
        tiebreak(&["rank", text(&data), "--json"]).json()
    };
    let mixed = told(&rows, "mixed");
    rows.sort_by(|a, b| b.3.total_cmp(&a.3));
    let sorted = told(&rows, "sorted");
    assert_eq!(mixed["strengths"], sorted["strengths"]);
    assert_eq!(sorted["claim"], mixed["claim"]);
    assert_eq!(sorted["claim"]["kind"], "undecided");
    assert!(sorted["claim"]["confidence"].is_null());
}

/// Rock beats scissors, scissors beat paper, paper beats rock, and one of them by most.
#[test]
fn where_no_system_beats_all_others_nobody_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let mut rows = Vec::new();
    for item in 0..200 {
        rows.push((
            item,
            "rock",
            "scissors",
            if item % 20 == 0 { 0.0 } else { 1.0 },
        ));
        rows.push((
            item,
            "scissors",
            "paper",
            if item % 10 < 4 { 0.0 } else { 1.0 },
        ));
        rows.push((item, "paper", "rock", if item % 10 < 4 { 0.0 } else { 1.0 }));
    }
    let data = data(folder.path(), &rows);
    let ranking = tiebreak(&["rank", text(&data), "--json"]).json();
    assert_eq!(
        row(&ranking, "ranks", "rock")["rank_high"],
        1,
        "strongest of all"
    );
    assert_eq!(
        ranking["claim"]["kind"], "undecided",
        "{}",
        ranking["claim"]
    );
    assert_eq!(
        ranking["claim"]["why"]["own-duels"],
        serde_json::json!(["paper"])
    );
    let replays = ["simulate", text(&data), "--runs 5 --budget 300 --json"];
    let replays = tiebreak(&replays).json();
    assert!(replays["true_winner"].is_null() && replays["condorcet"] == false);
    assert!(replays["annotation_complexity"]["value"].is_null());
    assert!(replays["stopped"]["correct"].is_null());
    expect!["paper leads in 5 of 5 replays at their end, no other in more. No replay stopped with proof. In the records no system beats all others, so no leader is right."].assert_eq(replays["verdict"].as_str().unwrap());
}

/// Replays claim nothing, however they end.
#[test]
fn replays_plan_and_claim_nothing() {
    for rest in [
        &["--budget", "800"][..],
        &["--bandit", "rmed", "--runs", "5"],
    ] {
        let run = [&["simulate", "data/tiny"], rest].concat();
        let told = tiebreak(&run).ok();
        assert_lacks(&told, &["confidence", "is best"]);
        let json = tiebreak(&[&run[..], &["--json"]].concat()).json();
        assert!(json.get("claim").is_none());
        assert_eq!(
            (&json["condorcet"], &json["true_winner"]),
            (&true.into(), &"cedar".into())
        );
    }
    let folder = tempfile::tempdir().unwrap();
    let stored = ["simulate data/tiny --budget 300 --out", text(folder.path())];
    let told = tiebreak(&stored).ok();
    assert_eq!(tiebreak(&stored).ok(), told, "from the stored run");
    assert_contains(&told, &["The replay did not stop within 300 judgments"]);
}

#[test]
fn targets_of_adaptive_are_told_in_words() {
    for (bandit, words) in [
        ("adaptive:target=top-k,k=1", "stopped with proof after"),
        ("adaptive:epsilon=0.3", "judgments, naming"),
    ] {
        let run = tiebreak(&["simulate data/tiny --bandit", bandit, "--budget 40000"]).ok();
        assert_contains(&run, &[words]);
    }
}

#[test]
fn an_experiment_judges_what_was_announced() {
    for (target, words) in [
        ("top-k,k=2", "name the top 2 of all records"),
        ("ranking", "name the ranking by all records"),
    ] {
        let bandit = format!("adaptive:target={target}");
        let run = ["simulate", "data/tiny", "--bandit", &bandit, "--runs", "4"];
        let told = tiebreak(&[&run[..], &["--budget", "60000", "--json"]].concat()).json();
        let verdict = told["verdict"].as_str().unwrap();
        if told["stopped"]["share"].as_f64() > Some(0.0) {
            assert_contains(verdict, &[words]);
        }
        assert!(
            verdict.ends_with("whether the leader is the winner of all records."),
            "{verdict}"
        );
    }
}

/// Delta is preferred to cedar in 48.6 % of their comparisons.
#[test]
fn a_system_within_the_margin_of_the_best_is_no_wrong_proof() {
    let run = "simulate data/tiny --bandit adaptive:epsilon=0.05 --runs 20 --budget 4000 --json";
    let told = tiebreak(&[run]).json();
    let mut standings = told["standings"].as_array().unwrap().iter();
    let delta = standings.find(|one| one["system"] == "delta").unwrap();
    assert!(delta["named"].as_f64() > Some(0.1), "{delta}");
    assert_eq!(told["stopped"]["correct"], 1.0, "{}", told["stopped"]);
    let within = "All these name the winner of all records or a system within the margin of it.";
    assert_contains(told["verdict"].as_str().unwrap(), &[within]);
}

#[test]
fn replays_that_end_at_their_steps_say_so() {
    let run = "simulate data/tiny --bandit dts --runs 3 --budget 300 --steps 300";
    let ended = "replays ended           3 at the limit of `steps`";
    assert_contains(&tiebreak(&[run]).ok(), &[ended]);
}

/// With a small budget only the quickest replays have a proof.
#[test]
fn replays_without_proof_count_as_last() {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("p.toml"), folder.path().join("out"));
    let stages = "data = \"data/mt-bench\"\n\
        [[simulate]]\nname = \"short\"\nruns = 20\nbudget = 220\n\
        [[simulate]]\nname = \"long\"\nruns = 20\nbudget = 1500\n";
    std::fs::write(&file, here(stages)).unwrap();
    let told = tiebreak(&["run", text(&file), "--out", text(&out)]).ok();
    let table = told.split("way of asking").nth(1).unwrap();
    let line = |name: &str| table.lines().position(|line| line.starts_with(name));
    assert!(line("long") < line("short"), "{table}");
    let short = table.lines().nth(line("short").unwrap()).unwrap();
    assert_contains(short, &["over 220 ("]);
    let found = std::fs::read_to_string(out.join("simulate/short/simulation.json")).unwrap();
    let found: Value = serde_json::from_str(&found).unwrap();
    let (stopped, until) = (&found["stopped"], &found["stopped"]["annotations"]);
    assert!(
        until["median"].is_null() && until["q75"].is_null(),
        "{stopped}"
    );
    assert_eq!(stopped["median_taken"], 220.0);
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
        tiebreak(&["simulate", text(&data), "--bandit", bandit])
            .refused(&["`a` and `c`", "`tiebreak rank`"]);
    }
    let ranking = tiebreak(&["rank", text(&data), "--json"]).json();
    let order: Vec<&str> = ranking["strengths"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["system"].as_str().unwrap())
        .collect();
    assert_eq!(order, ["a", "b", "c"]);
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
        (
            ties,
            "Not decided yet. 40 comparisons cannot separate the 2 systems",
        ),
        (
            one_item,
            "Not decided yet. 40 comparisons cannot separate the 2 systems",
        ),
        (
            apart,
            "2 groups of systems were never compared with each other",
        ),
    ] {
        let data = data(folder.path(), &rows);
        let told = tiebreak(&["rank", text(&data)]).ok();
        assert_contains(&told, &[words]);
        assert_lacks(&told, &["NaN", "inf"]);
        let budget = ["--budget", "200"];
        for bandit in ["adaptive", "rmed", "knockout", "uniform"] {
            let run = [&["simulate", text(&data), "--bandit", bandit], &budget[..]].concat();
            let run = tiebreak(&run);
            let fine = run.code == Some(0) && !run.stdout.contains("NaN");
            let named = run.code == Some(2) && run.stderr.contains("a comparison of");
            assert!(fine || named, "{bandit}: {} {}", run.stdout, run.stderr);
        }
    }
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
fn several_predictions_are_weighed_and_never_answer_together() {
    let folder = tempfile::tempdir().unwrap();
    let same = predicted(folder.path(), "same.jsonl", |p| p);
    let reversed = predicted(folder.path(), "reversed.jsonl", |p| 1.0 - p);
    let half = predicted(folder.path(), "half.jsonl", |_| 0.5);
    let run = |predictions: &[&Path], rest: &[&str]| {
        let given = predictions
            .iter()
            .flat_map(|path| ["--predictions", text(path)]);
        let limits = ["--budget", "300", "--runs", "3", "--json"];
        let command = ["simulate", "data/tiny"]
            .into_iter()
            .chain(limits)
            .chain(given);
        tiebreak(&command.chain(rest.iter().copied()).collect::<Vec<_>>())
    };
    let accuracy = |predictions: &[&Path]| run(predictions, &[]).json()["accuracy"].clone();
    let both = accuracy(&[&same, &reversed]);
    // Their mean says nothing, but one of them may be right.
    assert_ne!(both, accuracy(&[&half]));
    assert_ne!(both, accuracy(&[&same]));
    assert_eq!(both, accuracy(&[&same, &reversed]));
    for answers in ["--mix=0.5", "--select=bald:0.1", "--eliminate"] {
        let refused = run(&[&same, &half], &[answers]);
        assert_eq!(refused.code, Some(2));
        let words = "2 predictions to answer or eliminate by, expected 1";
        assert_contains(&refused.stderr, &[words]);
    }
}

/// A metric cannot be sampled, so BALD and STD of what it predicts are unknown.
#[test]
fn predictions_without_draws_answer_where_they_are_far_from_a_half() {
    let folder = tempfile::tempdir().unwrap();
    let sure = predicted(
        folder.path(),
        "sure.jsonl",
        |p| {
            if p > 0.5 { 0.9 } else { 0.4 }
        },
    );
    let answers = |select: &str| {
        let how = ["--bandit", "rmed", "--select", select, "--budget", "100"];
        let from = ["simulate", "data/tiny", "--predictions", text(&sure)];
        let told = tiebreak(&[&from[..], &how, &["--json"]].concat()).json();
        let signature = told["signature"].as_str().unwrap();
        let written = format!("|select:{}|", select.replace(':', "<"));
        assert_contains(signature, &[&written]);
        told["model_answers"].as_f64().unwrap()
    };
    assert_eq!(answers("margin:0.1"), 0.0, "1 − |2p − 1| is .2 or .8");
    let (some, all) = (answers("margin:0.5"), answers("margin:1"));
    assert!(0.0 < some && some < all, "{some} of {all}");
    assert!(answers("margin:auto") < all);

    let pipeline = folder.path().join("p.toml");
    let select = "select = { by = \"margin\", above = 0.5 }";
    let body = format!("data = \"data/tiny\"\n[[simulate]]\npredictions = {sure:?}\n{select}\n");
    std::fs::write(&pipeline, here(&body)).unwrap();
    let out = folder.path().join("out");
    tiebreak(&["run", text(&pipeline), "--out", text(&out)]).ok();

    let live = folder.path().join("live");
    let ask = ["ask", text(&live), "data/tiny", "--predictions"];
    let how = [text(&sure), "--select", "margin:0.5", "--n", "20", "--json"];
    let sheet = folder.path().join("q.csv");
    let status = tiebreak(&[&ask[..], &how, &["--out", text(&sheet)]].concat()).json();
    assert!(status["model_answers"].as_u64() > Some(0), "{status}");
}

#[test]
fn a_pipeline_and_a_live_run_take_several_predictions() {
    let folder = tempfile::tempdir().unwrap();
    let same = predicted(folder.path(), "same.jsonl", |p| p);
    let half = predicted(folder.path(), "half.jsonl", |_| 0.5);
    let (same, half) = (text(&same), text(&half));
    let pipeline = folder.path().join("p.toml");
    let toml = format!(
        "data = \"data/tiny\"\n[[simulate]]\nbudget = 50\npredictions = [{same:?}, {half:?}]\n"
    );
    std::fs::write(&pipeline, here(&toml)).unwrap();
    let out = folder.path().join("out");
    tiebreak(&["run", text(&pipeline), "--out", text(&out)]).ok();
    let stored = out.join("simulate/adaptive+same+half/simulation.json");
    let ranking: Value = serde_json::from_str(&std::fs::read_to_string(stored).unwrap()).unwrap();
    let signature = ranking["signature"].as_str().unwrap();
    let found = signature.split("|predictions:").nth(1).unwrap_or_default();
    assert!(found.contains("]["), "{signature}");

    let live = folder.path().join("live");
    let sheet = folder.path().join("q.csv");
    let ask = ["ask", text(&live), "data/tiny --n 2 --out", text(&sheet)];
    tiebreak(&[&ask[..], &["--predictions", same, "--predictions", half]].concat()).ok();
    let more = folder.path().join("more.csv");
    let ask = ["ask", text(&live), "--n", "2", "--out", text(&more)];
    tiebreak(&ask).ok();
    // One of them alone is another run.
    let last = folder.path().join("last.csv");
    let ask = [
        "ask",
        text(&live),
        "--n 2 --out",
        text(&last),
        "--predictions",
        half,
    ];
    tiebreak(&ask).refused(&["predictions"]);
}

/// A long-winded system wins by its length: as people said more than half of the time, in one style it does not.
#[test]
fn win_rates_against_a_baseline_are_those_of_people_and_of_one_style() {
    let folder = tempfile::tempdir().unwrap();
    let (mut outputs, mut comparisons) = (String::new(), String::new());
    let (mut wins, mut asked) = (0.0, 0.0);
    for item in 0..240 {
        // Each is longer at times, "windy" mostly, and people like what is longer three times in four.
        for (place, system) in ["plain", "windy", "other"].into_iter().enumerate() {
            let words = 8 + (item * 7 + place * 5) % 11 + if place == 1 { 6 } else { 0 };
            let row = serde_json::json!({"item": item, "system": system, "output": "word ".repeat(words).trim()});
            let _ = writeln!(outputs, "{row}");
        }
        let length =
            |place: usize| 8 + (item * 7 + place * 5) % 11 + if place == 1 { 6 } else { 0 };
        for (a, b) in [(0, 1), (1, 2), (2, 0)] {
            let longer = length(a) > length(b);
            let outcome = f64::from(u8::from(longer ^ ((item + a) % 4 == 0)));
            if (a, b) == (0, 1) {
                wins += 1.0 - outcome;
                asked += 1.0;
            }
            let names = ["plain", "windy", "other"];
            let row = serde_json::json!({
                "item": item, "system_a": names[a], "system_b": names[b], "outcome": outcome
            });
            let _ = writeln!(comparisons, "{row}");
        }
    }
    std::fs::write(folder.path().join("outputs.jsonl"), outputs).unwrap();
    std::fs::write(folder.path().join("comparisons.jsonl"), comparisons).unwrap();
    let against = |baseline| {
        let data = text(folder.path());
        tiebreak(&["rank", data, "--style", "--baseline", baseline, "--json"])
    };
    let ranking = against("plain").json();
    let rates = &ranking["against"]["rates"];
    assert_eq!(rates.as_array().unwrap().len(), 2);
    let windy = rates
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["system"] == "windy")
        .unwrap();
    let number = |key: &str| windy[key].as_f64().unwrap();
    assert!((number("win_rate") - wins / asked).abs() < 1e-12);
    assert!(
        number("win_rate") > 0.65 && number("comparisons") == asked,
        "{windy}"
    );
    assert!(number("lower") < number("equal_style") && number("equal_style") < number("upper"));
    // People like what is longer, however much longer it is: a line through that takes most of it away.
    assert!(number("equal_style") < number("win_rate") - 0.08, "{windy}");
    assert!(number("error") > 0.0 && number("words") > 18.0);
    against("plane").refused(&["did you mean `plain`?"]);
    tiebreak(&["rank", text(folder.path()), "--baseline", "plain"]).refused(&["style"]);
    // What one system always has and the others never cannot be told from the system.
    let table = folder.path().join("outputs.jsonl");
    let rows = std::fs::read_to_string(&table).unwrap();
    let bold = rows.lines().map(|row| match row.contains("windy") {
        true => row.replacen("word ", "**word** ", 1) + "\n",
        false => format!("{row}\n"),
    });
    std::fs::write(&table, bold.collect::<String>()).unwrap();
    let ranking = against("plain").json();
    let effects = ranking["style"].as_array().unwrap();
    assert!(effects[0]["effect"].is_number(), "{effects:?}");
    assert_eq!(
        (&effects[1]["feature"], effects[1]["effect"].is_null()),
        (&"bold".into(), true)
    );
    let said = tiebreak(&["rank", text(folder.path()), "--style"]).ok();
    assert!(
        said.starts_with("No verdict. Strengths and ranks are for outputs of equal style"),
        "{said}"
    );
    assert!(
        said.contains("No effect (–): two systems always differ alike in it"),
        "{said}"
    );
}

/// By comparisons a is ahead, as it wins those items that have many, and by items b is: the ranking says so, as estimates do.
#[test]
fn who_would_be_ahead_by_items_is_said_where_their_numbers_are_unequal() {
    let folder = tempfile::tempdir().unwrap();
    let rows = (0..60).flat_map(|item| {
        let is_won = item < 10 || item % 3 == 0;
        let often = if item < 10 { 10 } else { 1 };
        std::iter::repeat_n((item, "a", "b", f64::from(u8::from(is_won))), often)
    });
    let data = data(folder.path(), &rows.collect::<Vec<_>>());
    let which = "for a against b, 10 of 60 items have 67 % of the judgments, and higher scores";
    let says = [
        format!(
            "Items with more judgments weigh more under preference: {which}. In a gate all items weigh the same."
        ),
        "If all items weighed the same, these would win more often than they lose: b against a."
            .to_string(),
    ];
    let found = tiebreak(&["rank", text(&data), "--json"]).json();
    assert_eq!(found["hints"], serde_json::json!(says));
    assert_eq!(found["strengths"][0]["system"], "a");
    let told = tiebreak(&["rank", text(&data)]).ok();
    assert_contains(&told, &says.each_ref().map(String::as_str));
    let gate = tiebreak(&["gate", text(&data), "--base a --new b"]).ok();
    assert_contains(
        &gate,
        &[&format!(
            "All items weigh the same under `preference`, but in rankings those with more judgments more: {which}."
        )],
    );
}

/// Of systems that no comparison links, more comparisons of the same pairs say nothing: the page says what to ask.
#[test]
fn systems_that_nothing_links_are_to_be_compared() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("apart");
    std::fs::create_dir(&data).unwrap();
    let (mut outputs, mut comparisons) = (String::new(), String::new());
    for item in 0..40 {
        let (a, b) = if item < 20 {
            ("ant", "bee")
        } else {
            ("cat", "dog")
        };
        for system in [a, b] {
            outputs += &format!("{item},{system},{system} {item}\n");
        }
        comparisons += &format!("{item},{a},{b},1\n");
    }
    std::fs::write(
        data.join("outputs.csv"),
        "item,system,output\n".to_string() + &outputs,
    )
    .unwrap();
    let header = "item,system_a,system_b,outcome\n".to_string();
    std::fs::write(data.join("comparisons.csv"), header + &comparisons).unwrap();
    let pipeline = folder.path().join("p.toml");
    std::fs::write(&pipeline, "data = \"apart\"\n\n[[rank]]\n").unwrap();
    let out = folder.path().join("out");
    let page = tiebreak(&["run", text(&pipeline), "--out", text(&out)]).ok();
    assert!(
        page.contains("No comparison links 2 groups of systems."),
        "{page}"
    );
    let run = folder.path().join("run");
    let sheet = folder.path().join("q.csv");
    tiebreak(&["ask", text(&run), text(&data), "--out", text(&sheet)]).refused(&[
        "no item has an output of both `ant` and `cat`",
        "add outputs of both systems for the same items",
    ]);
}

#[test]
fn replays_of_some_systems_list_these_alone() {
    let flags = [
        "simulate",
        "data/mt-bench",
        "--systems",
        "2",
        "--runs",
        "3",
        "--budget",
        "100",
    ];
    let found = tiebreak(&[&flags[..], &["--json"]].concat()).json();
    let names = |key: &str| found[key].as_array().unwrap().len();
    assert_eq!((names("systems"), names("standings")), (2, 2), "{found}");
    let beats = found["standings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["copeland"].as_u64());
    assert_eq!(beats.collect::<Vec<_>>(), [Some(1), Some(0)]);
}
