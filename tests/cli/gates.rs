//! `gate` as somebody puts it into a workflow: exit codes, reports, logs of other tools, what the guide says.

use super::{Finished, command, text, tiebreak};
use crate::support::assert_contains;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// Rows as JSON lines.
fn lines(rows: impl Iterator<Item = Value>) -> String {
    rows.fold(String::new(), |text, row| text + &row.to_string() + "\n")
}

/// Rows of judgments, on which items the systems have.
fn judged(folder: &Path, name: &str, rows: impl Iterator<Item = Value>) -> PathBuf {
    let path = folder.join(name);
    fs::create_dir_all(&path).unwrap();
    fs::write(path.join("judgments.jsonl"), lines(rows)).unwrap();
    path
}

/// One judgment of whether an answer is right.
fn row(item: impl Into<Value>, system: &str, score: f64) -> Value {
    json!({"item": item.into(), "system": system, "criterion": "accuracy", "score": score})
}

/// Both systems in one data set.
fn base_and_worse(items: usize) -> impl Iterator<Item = Value> {
    (0..items).flat_map(|item| [row(item, "a", base(item)), row(item, "b", worse(item))])
}

/// A data set of one system's scores: item i has `score(i)`.
fn log(folder: &Path, name: &str, items: usize, score: impl Fn(usize) -> f64) -> PathBuf {
    let rows = (0..items).map(|item| row(format!("i{item}"), "model", score(item)));
    let path = judged(folder, name, rows);
    let texts = (0..items).map(|item| {
        let language = ["de", "fr", "cs"][item % 3];
        json!({"item": format!("i{item}"), "source": format!("question {item}"), "language": language})
    });
    fs::write(path.join("items.jsonl"), lines(texts)).unwrap();
    path
}

/// Eight in ten, with a share of other items than every seventh's.
fn base(item: usize) -> f64 {
    f64::from(u8::from(item % 10 < 8))
}

fn worse(item: usize) -> f64 {
    f64::from(u8::from(item % 10 < 6))
}

fn better(item: usize) -> f64 {
    f64::from(u8::from(item % 10 < 9))
}

/// As good, on other items: 5 of 60 differ either way.
fn other(item: usize) -> f64 {
    match item % 30 {
        0 => 0.0,
        8 => 1.0,
        _ => base(item),
    }
}

fn gate(base: &Path, new: &Path, flags: &str) -> Finished {
    let words = ["gate", text(base), text(new), "--quiet"].into_iter();
    tiebreak(&words.chain(flags.split_whitespace()).collect::<Vec<_>>())
}

/// A gate of a data set with several systems, as JSON.
fn within(data: &Path, flags: &str) -> Value {
    let words = ["gate", text(data), "--json"].into_iter();
    document(&tiebreak(
        &words.chain(flags.split_whitespace()).collect::<Vec<_>>(),
    ))
}

fn document(run: &Finished) -> Value {
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {}", run.stdout))
}

#[test]
fn exit_codes_say_what_was_decided() {
    let folder = tempfile::tempdir().unwrap();
    let log = |name: &str, score: fn(usize) -> f64| log(folder.path(), name, 300, score);
    let main = log("main", base);
    for (new, flags, code, verdicts) in [
        (log("same", base), "", 0, vec![]),
        (log("worse", worse), "", 3, vec!["worse"]),
        (log("other", other), "", 0, vec![]),
        (log("better", better), "--require better", 0, vec!["better"]),
        (log("other", other), "--require better", 4, vec![]),
        (
            log("other", other),
            "--require better --undecided pass",
            0,
            vec![],
        ),
        (log("worse", worse), "--require better", 3, vec!["worse"]),
        (
            log("same", base),
            "--require not-worse --margin 0.02",
            0,
            vec!["not-worse", "equivalent"],
        ),
        (
            log("worse", worse),
            "--require not-worse --margin 0.05",
            3,
            vec!["worse"],
        ),
        (
            log("other", other),
            "--require equivalent --margin 0.01",
            4,
            vec![],
        ),
        (log("worse", worse), "--over 20", 3, vec!["worse"]),
    ] {
        let run = gate(&main, &new, &format!("{flags} --json"));
        assert_eq!(
            run.code,
            Some(code),
            "{new:?} {flags:?}: {}{}",
            run.stdout,
            run.stderr
        );
        let found = document(&run);
        assert_eq!(found["passed"], json!(code == 0), "{flags:?}");
        assert_eq!(
            found["results"][0]["verdicts"],
            json!(verdicts),
            "{flags:?}"
        );
    }
    for (flags, said) in [
        (
            "--require not-worse",
            "is the smallest that these items can show",
        ),
        ("--require not-worse --margin 0", "margin above 0"),
        ("--margin -1", "--margin"),
        (
            "--require not-worse --margin 5",
            "--margin 0.05 is 5 % of the scale",
        ),
        (
            "--require equivalent --margin 100",
            "name a margin within the scale",
        ),
        ("--criterion acuracy", "did you mean `accuracy`"),
        ("--by colour", "no table has a column `colour`"),
        ("--base modl", "modl"),
    ] {
        let run = gate(&main, &log("other", other), flags);
        assert_eq!(run.code, Some(2), "{flags:?}: {}{}", run.stdout, run.stderr);
        assert!(run.stderr.contains(said), "{flags:?}: {}", run.stderr);
    }
}

#[test]
fn a_result_has_the_numbers_of_estimate_and_all_of_its_keys() {
    let folder = tempfile::tempdir().unwrap();
    let (main, new) = (
        log(folder.path(), "main", 300, base),
        log(folder.path(), "new", 280, worse),
    );
    let run = gate(&main, &new, "--json");
    let found = document(&run);
    let row = &found["results"][0];
    let of_row = "base new criterion slice n difference lower upper verdicts needed detectable";
    for (part, keys) in [
        (&found, "passed require margin confidence results unchanged"),
        (row, of_row),
    ] {
        for key in keys.split(' ') {
            assert!(part.get(key).is_some(), "{key}: {part}");
        }
    }
    assert_eq!((&row["n"], &row["only_base"]), (&json!(280), &json!(20)));
    assert!(row["base"].as_str().unwrap().ends_with("main"), "{row}");
    // One data set with both systems, on the items that both have.
    let both = judged(folder.path(), "both", base_and_worse(280));
    let one = within(&both, "--base a --new b")["results"][0].clone();
    let estimate = tiebreak(&["estimate", text(&both), "--differences", "--json"]).json();
    let pair = &estimate["differences"][0];
    for key in ["difference", "lower", "upper"] {
        assert_eq!(row[key], one[key], "{key}");
    }
    assert_eq!(pair["system_a"], "a");
    let near = |one: &Value, other: &Value| {
        (one.as_f64().unwrap() + other.as_f64().unwrap()).abs() < 1e-12
    };
    assert!(near(&one["difference"], &pair["difference"]));
    assert!(
        near(&one["lower"], &pair["upper"]) && near(&one["upper"], &pair["lower"]),
        "{one} {pair}"
    );
}

#[test]
fn the_smallest_margin_is_shown_as_often_as_it_says() {
    let folder = tempfile::tempdir().unwrap();
    let main = log(folder.path(), "main", 300, base);
    let new = log(folder.path(), "other", 300, other);
    for require in ["not-worse", "equivalent"] {
        let hint = gate(&main, &new, &format!("--require {require}")).stderr;
        let (before, _) = hint.split_once(" is the smallest that").unwrap();
        let margin = before.split_whitespace().last().unwrap();
        let flags = format!("--require {require} --margin {margin} --json");
        let found = document(&gate(&main, &new, &flags));
        let undecided = found["unchanged"]["undecided"].as_f64().unwrap();
        assert!(undecided < 0.205, "{require} {margin}: {found}");
    }
}

#[test]
fn a_judgment_outside_the_range_is_named_by_file_and_line() {
    let folder = tempfile::tempdir().unwrap();
    let main = log(folder.path(), "main", 6, |_| 0.0);
    let new = log(
        folder.path(),
        "new",
        6,
        |item| if item == 2 { 7.0 } else { 1.0 },
    );
    let run = gate(&main, &new, "--range 0,5");
    assert_eq!(run.code, Some(2), "{}", run.stdout);
    let place = new.join("judgments.jsonl:3: a judgment is 7, outside the given range");
    assert!(run.stderr.contains(text(&place)), "{}", run.stderr);
    // The other log may declare the range.
    let range = "[criteria.accuracy]\nrange = [0, 5]\n";
    fs::write(main.join("dataset.toml"), range).unwrap();
    let run = gate(&main, &new, "");
    let place = new.join("judgments.jsonl:3: `score` is 7, outside the range 0 to 5");
    assert!(run.stderr.contains(text(&place)), "{}", run.stderr);
    // Scores of a criterion that is not asked for are on a scale of their own.
    let both = |name: &str| {
        let rows = (0..60).flat_map(|item| {
            let time = json!({"item": item, "system": name, "criterion": "seconds", "score": 90});
            [row(item, name, base(item)), time]
        });
        judged(folder.path(), name, rows)
    };
    let run = gate(&both("c"), &both("d"), "--criterion accuracy --range 0,5");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
}

#[test]
fn items_too_few_to_prove_anything_are_undecided_at_least_so_often() {
    let folder = tempfile::tempdir().unwrap();
    for items in [1, 3, 5] {
        let main = log(folder.path(), "main", items, |_| 0.0);
        let new = log(folder.path(), "new", items, |_| 1.0);
        let run = gate(&main, &new, "--require better");
        assert_eq!(run.code, Some(4), "{}", run.stderr);
        let rates = "fails in at most 2.5 % of gates, and is undecided in at least 95 %.";
        assert!(run.stdout.contains(rates), "{}", run.stdout);
    }
}

/// A gate that could not fail does not pass, and one on few shared items says so, in every form.
#[test]
fn shared_items_too_few_to_show_a_regression_do_not_pass() {
    let folder = tempfile::tempdir().unwrap();
    let main = log(folder.path(), "main", 100, base);
    let sharing = |items: usize| {
        let name = |item: usize| match item < items {
            true => format!("i{item}"),
            false => format!("j{item}"),
        };
        let rows = (0..100).map(|item| row(name(item), "model", base(item)));
        judged(folder.path(), &format!("shares{items}"), rows)
    };
    for (items, code, said) in [
        (
            1,
            4,
            "Undecided: the items are too few to show a regression, on 1 item of 199.",
        ),
        (
            30,
            0,
            "Passed: nothing proves that the new system is worse, on 30 items of 170.",
        ),
    ] {
        let new = sharing(items);
        for form in ["text", "github"] {
            let run = gate(&main, &new, &format!("--report {form}"));
            assert_eq!(run.code, Some(code), "{}", run.stderr);
            assert!(run.stdout.contains(said), "{form}: {}", run.stdout);
        }
        let found = document(&gate(&main, &new, "--json"));
        assert_eq!(found["passed"], json!(code == 0));
        let junit = gate(&main, &new, "--report junit").stdout;
        assert!(
            junit.contains(&format!("failures=\"{}\"", usize::from(code != 0))),
            "{junit}"
        );
        let of = said.split(", on ").nth(1).unwrap().trim_end_matches('.');
        assert!(junit.contains(&format!(", {of}: ")), "{junit}");
    }
}

/// What a criterion's name says of its direction, a gate follows.
#[test]
fn a_rise_of_errors_does_not_pass() {
    let folder = tempfile::tempdir().unwrap();
    let rows = (0..300).flat_map(|item| {
        [("a", base(item)), ("b", worse(item))].map(|(system, score)| {
            json!({"item": item, "system": system, "criterion": "wer", "score": 1.0 - score})
        })
    });
    let data = judged(folder.path(), "errors", rows);
    let found = within(&data, "--base a");
    let row = &found["results"][0];
    assert_eq!((&row["base"], &row["new"]), (&json!("a"), &json!("b")));
    assert_eq!(row["verdicts"], json!(["worse"]));
    assert!(
        found["notes"]
            .to_string()
            .contains("have their sign turned")
    );
    let estimate = tiebreak(&["estimate", text(&data), "--differences", "--json"]).json();
    let pair = &estimate["differences"][0];
    assert!(pair["win_rate"].as_f64().unwrap() > 0.5, "{pair}");
    let told = tiebreak(&["estimate", text(&data), "--differences"]).ok();
    let direction =
        "Lower wer is better: a difference below 0 is in favour of the first of a pair.";
    assert!(told.contains(direction), "{told}");
}

/// Where items have unequal numbers of judgments, too, what decides it is what the interval takes.
#[test]
fn needed_items_are_those_of_the_interval() {
    let folder = tempfile::tempdir().unwrap();
    let rows = (0..40).flat_map(|item| {
        (0..=item % 3).flat_map(move |who| {
            let systems = [("a", 0), ("b", 2 + (item + who) % 2)].into_iter();
            let judged = systems.filter(move |(system, _)| who == 0 || *system == "a" || item % 2 == 0);
            judged.map(move |(system, better)| {
                json!({"item": item, "system": system, "criterion": "quality", "annotator": format!("w{who}"),
                       "score": 40 + item % 7 + better})
            })
        })
    });
    let data = judged(folder.path(), "uneven", rows);
    let found = within(&data, "--base a --range 0,100 --require better");
    let estimate = [
        "estimate",
        text(&data),
        "--range 0,100 --differences --json",
    ];
    let test = &tiebreak(&estimate).json()["differences"][0];
    let needed = 40.0 * test["needed_times"].as_f64().unwrap();
    let said = found["results"][0]["needed"].as_f64().unwrap();
    assert!((said - needed).abs() < 1.5, "{said} {needed}");
}

/// Where pairs went to other people, a gate, slices and win rates give annotators the weights that the ranking gives them:
/// by each pair's own annotators a would be proved better than b.
#[test]
fn annotators_weigh_as_in_rankings() {
    let folder = tempfile::tempdir().unwrap();
    let pairs = [
        ("a", "b"),
        ("a", "c"),
        ("a", "d"),
        ("b", "c"),
        ("b", "d"),
        ("c", "d"),
    ];
    // The one likes a, the other b; c and d are in between.
    let worth = |who: usize, system: &str| match (who, system) {
        (0, "a") | (1, "b") => 1.0,
        (0, "b") | (1, "a") => -1.0,
        _ => 0.0,
    };
    let rows = (0..200).flat_map(|item| {
        pairs.into_iter().enumerate().map(move |(place, (one, other))| {
            let usual = usize::from(place > 0);
            let who = if item % 10 == place { 1 - usual } else { usual };
            let often = 5.0 + 1.5 * (worth(who, one) - worth(who, other));
            let wins = ((item + item / 10 + place) % 10) as f64 + 0.5 < often;
            json!({"item": item, "system_a": one, "system_b": other, "annotator": format!("w{who}"),
                   "outcome": f64::from(u8::from(wins))})
        })
    });
    let data = folder.path().join("data");
    fs::create_dir_all(&data).unwrap();
    fs::write(data.join("comparisons.jsonl"), lines(rows)).unwrap();
    let language = |item: usize| ["de", "cs"][item % 2];
    let names = (0..200).map(|item| json!({"item": item, "language": language(item)}));
    fs::write(data.join("items.jsonl"), lines(names)).unwrap();
    let texts = (0..800).map(|place| {
        let (item, system) = (place / 4, ["a", "b", "c", "d"][place % 4]);
        json!({"item": item, "system": system, "output": "word ".repeat(5 + place * 7 % 13)})
    });
    fs::write(data.join("outputs.jsonl"), lines(texts)).unwrap();
    let ranked = [
        "rank",
        text(&data),
        "--style --baseline b --by language --json",
    ];
    let ranking = tiebreak(&ranked).json();
    let strength = |name: &str| {
        let mut all = ranking["strengths"].as_array().unwrap().iter();
        let found = all.find(|one| one["system"] == name).unwrap();
        found["strength"].as_f64().unwrap()
    };
    assert!(strength("b") > strength("a"));
    let found = within(&data, "--base b --new a");
    let row = &found["results"][0];
    assert!(row["difference"].as_f64().unwrap() < -0.2, "{row}");
    assert!(row["lower"].as_f64().unwrap() < -0.5, "{row}");
    let mut rates = ranking["against"]["rates"].as_array().unwrap().iter();
    let rate = rates.find(|one| one["system"] == "a").unwrap();
    let of_gate = 0.5 + 0.5 * row["difference"].as_f64().unwrap();
    let gap = rate["win_rate"].as_f64().unwrap() - of_gate;
    assert!(gap.abs() < 1e-9 && of_gate < 0.5, "{rate}");
    for slice in ranking["slices"]["rows"].as_array().unwrap() {
        let sign = match (slice["system_a"].as_str(), slice["system_b"].as_str()) {
            (Some("a"), Some("b")) => 1.0,
            (Some("b"), Some("a")) => -1.0,
            _ => continue,
        };
        let is_claimed = slice["lower"].is_number();
        let difference = sign * slice["difference"].as_f64().unwrap();
        assert!(!is_claimed || difference < 0.0, "{slice}");
    }
}

/// Who looks again at one system's low scores and the other's high ones does not turn a difference that all items have.
#[test]
fn items_that_a_second_annotator_checked_count_once() {
    let folder = tempfile::tempdir().unwrap();
    for names in [["ana", "ben"], ["", ""]] {
        let rows = (0..150).flat_map(|item: usize| {
            ["a", "b"].into_iter().flat_map(move |system| {
                let worth = (item * 37 % 150) as f64 / 200.0;
                let is_checked = match system {
                    "a" => worth < 0.2,
                    _ => worth >= 0.55,
                };
                let score = worth + if system == "a" { 0.02 } else { 0.0 };
                let by = names.into_iter().take(1 + usize::from(is_checked));
                by.map(move |by| {
                    let mut row =
                        json!({"item": item, "system": system, "criterion": "q", "score": score});
                    if !by.is_empty() {
                        row["annotator"] = by.into();
                    }
                    row
                })
            })
        });
        let data = judged(folder.path(), &format!("of{}", names[0]), rows);
        let found = within(&data, "--base b --range 0,1");
        let row = &found["results"][0];
        let difference = row["difference"].as_f64().unwrap();
        assert!((difference - 0.02).abs() < 1e-9, "{row}");
        assert!(!row["verdicts"].to_string().contains("worse"), "{row}");
        let estimate = ["estimate", text(&data), "--range 0,1 --differences"];
        let said = tiebreak(&estimate).ok();
        assert_contains(&said, &["% of the judgments, and higher scores"]);
    }
}

/// Of these items alone an interval has only what answers to one item add.
#[test]
fn these_items_alone_need_several_answers_to_each() {
    let folder = tempfile::tempdir().unwrap();
    let several = |answers: usize| {
        let rows = (0..300).flat_map(move |item| {
            let systems = [("a", 3 + item % 3), ("b", 1 + item % 5)];
            systems.into_iter().flat_map(move |(system, score)| {
                (0..answers).map(move |who| {
                    let row = row(item, system, (score + (item + who) % 2) as f64);
                    json!({"annotator": format!("w{who}"), "item": row["item"], "system": system,
                           "criterion": "fluency", "score": row["score"]})
                })
            })
        });
        judged(folder.path(), &format!("by{answers}"), rows)
    };
    let width = |data: &Path, flags: &str| {
        let found = within(data, &format!("--base a --range 1,10 {flags}"));
        let row = &found["results"][0];
        let width = row["upper"].as_f64().unwrap() - row["lower"].as_f64().unwrap();
        (width, found["notes"].to_string())
    };
    let (like, _) = width(&several(3), "");
    let (these, notes) = width(&several(3), "--items these");
    assert!(
        these < 0.9 * like && !notes.contains("several judgments"),
        "{these} {like}"
    );
    let (like, _) = width(&several(1), "");
    let (these, notes) = width(&several(1), "--items these");
    assert!((these - like).abs() < 1e-12 && notes.contains("No output has several judgments"));
}

/// What one annotator says of others is nothing, and that is said.
#[test]
fn one_annotator_does_not_speak_for_new_ones() {
    let folder = tempfile::tempdir().unwrap();
    let rows = base_and_worse(60).map(|mut row| {
        row["annotator"] = "ana".into();
        row
    });
    let data = judged(folder.path(), "one", rows);
    let said = "b on accuracy, for new annotators: too few annotators gave their names";
    for (people, is_said) in [("both", true), ("these", false)] {
        let found = within(&data, &format!("--base a --people {people}"));
        assert_eq!(
            found["notes"].to_string().contains(said),
            is_said,
            "{found}"
        );
    }
}

/// A column beside the outputs may be ratings or not: the criterion that the command names is.
#[test]
fn logs_may_have_their_criterion_as_a_column() {
    let folder = tempfile::tempdir().unwrap();
    let log = |name: &str, score: fn(usize) -> f64| {
        let path = folder.path().join(name).with_extension("jsonl");
        let row = |item| json!({"item": format!("i{item}"), "system": name, "output": "text", "tokens": item, "accuracy": score(item)});
        fs::write(&path, lines((0..60).map(row))).unwrap();
        path
    };
    let (main, new) = (log("main", base), log("new", other));
    let doubt = "columns of numbers next to the outputs: tokens, accuracy";
    let typed = "hint: say which: --criterion tokens or --criterion accuracy\n";
    gate(&main, &new, "").refused(&[doubt, typed]);
    let found = document(&gate(&main, &new, "--criterion accuracy --json"));
    let criteria: Vec<&Value> = found["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| &row["criterion"])
        .collect();
    assert_eq!(criteria, ["accuracy"]);
    let estimated = ["estimate", text(&main), "--criterion", "accuracy", "--json"];
    assert!(tiebreak(&estimated).ok().contains("accuracy"));
    gate(&main, &new, "--criterion accurcy").refused(&[
        "no column of numbers `accurcy` for a criterion",
        "hint: did you mean `accuracy`? columns of numbers are tokens, accuracy\n",
    ]);
}

/// A file of each system need not say whose it is, in any form that import reads.
#[test]
fn a_log_without_systems_is_that_of_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let log = |name: &str, score: fn(usize) -> f64| {
        let row =
            |item| json!({"item": format!("i{item}"), "output": "text", "score": score(item)});
        let rows: Vec<Value> = (0..60).map(row).collect();
        let path = folder.path().join(name);
        let text = match name {
            "main.json" => json!(rows).to_string(),
            _ => lines(rows.into_iter()),
        };
        fs::write(&path, text).unwrap();
        path
    };
    let (main, new) = (log("main.json", base), log("new.jsonl", worse));
    let found = document(&gate(&main, &new, "--json"));
    assert_eq!(found["results"][0]["base"], "main");
    assert_eq!(
        (&found["results"][0]["new"], &found["results"][0]["n"]),
        (&json!("new"), &json!(60))
    );
}

#[test]
fn one_thing_is_no_plural() {
    let folder = tempfile::tempdir().unwrap();
    let main = log(folder.path(), "main", 6, |_| 0.0);
    let new = log(folder.path(), "new", 5, |_| 1.0);
    let run = gate(&main, &new, "");
    assert!(
        run.stdout.contains("left out: 1 item of "),
        "{}",
        run.stdout
    );
    // Programs' forms have it too.
    let junit = gate(&main, &new, "--report junit").stdout;
    assert!(
        junit.contains("    <system-out>accuracy: left out: 1 item of "),
        "{junit}"
    );
    let summary = folder.path().join("summary.md");
    let run = command(&["gate", text(&main), text(&new), "--report", "github"])
        .env("GITHUB_STEP_SUMMARY", &summary)
        .output();
    assert_eq!(run.unwrap().status.code(), Some(4));
    let summary = fs::read_to_string(&summary).unwrap();
    assert!(
        summary.contains("\n- accuracy: left out: 1 item of "),
        "{summary}"
    );
    let one = log(folder.path(), "one", 1, |_| 1.0);
    let run = gate(&main, &one, "--report github");
    assert!(run.stdout.contains(", 1 item of 6: "), "{}", run.stdout);
}

#[test]
fn what_is_not_compared_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let main = log(folder.path(), "main", 60, base);
    // Other items, so that nothing of it can be compared.
    let rows = (0..60).map(|item| row(format!("j{item}"), "c", 1.0));
    let apart = judged(folder.path(), "apart", rows);
    let new = log(folder.path(), "new", 60, better);
    let run = tiebreak(&["gate", text(&main), text(&new), text(&apart), "--json"]);
    assert_eq!(run.code, Some(2), "{}", run.stdout);
    assert!(run.stderr.contains("no item has"), "{}", run.stderr);
    // A criterion of one side.
    let rows = (0..60).flat_map(|item| {
        ["a", "b"].into_iter().flat_map(move |system| {
            let criteria = ["accuracy", "safety"].into_iter();
            let criteria = criteria.filter(move |name| (system, *name) != ("b", "safety"));
            criteria.map(move |name| {
                json!({"item": item, "system": system, "criterion": name, "score": base(item)})
            })
        })
    });
    let data = judged(folder.path(), "safety", rows);
    let found = within(&data, "--base b");
    assert_eq!(
        found["notes"],
        json!(["No item has `safety` of both `b` and `a`, so this criterion is left out."])
    );
    assert_eq!(found["results"].as_array().unwrap().len(), 1);
    // A rise of errors would pass.
    for criterion in ["word error rate", "toxicity_score", "hallucinations"] {
        let rows = (0..60).flat_map(|item| {
            ["a", "b"].map(|system| {
                json!({"item": item, "system": system, "criterion": criterion, "score": base(item)})
            })
        });
        let data = judged(folder.path(), criterion, rows);
        let notes = within(&data, "--base a")["notes"].clone();
        let note = format!(
            "Higher scores of `{criterion}` count as better here. If lower ones are better, turn their sign first."
        );
        assert_eq!(notes, json!([note]));
    }
}

#[test]
fn items_of_one_side_are_counted_under_a_metric() {
    let folder = tempfile::tempdir().unwrap();
    let rows = (0..30).flat_map(|item| {
        let sides = ["a", "b"].into_iter();
        let sides = sides.filter(move |&system| system == "a" || item < 27);
        sides.map(move |system| {
            json!({
                "item": item, "system": system, "output": format!("the {item} cats sat on a {system} mat"),
                "source": "x", "references": [format!("the {item} cats sat on the mat")],
            })
        })
    });
    let data = folder.path().join("data");
    fs::create_dir(&data).unwrap();
    fs::write(data.join("outputs.jsonl"), lines(rows)).unwrap();
    let found = within(&data, "--base a --metric bleu bleu");
    assert_eq!(found["results"].as_array().unwrap().len(), 1, "{found}");
    let row = &found["results"][0];
    assert_eq!(
        (&row["n"], &row["only_base"], &row["only_new"]),
        (&json!(27), &json!(3), &json!(0))
    );
    let signature = found["signature"].as_str().unwrap();
    assert!(signature.contains("bleu"), "{signature}");
    // Of equal texts nothing is found, and it is said why.
    let table = data.join("outputs.jsonl");
    let rows = fs::read_to_string(&table)
        .unwrap()
        .replace("a b mat", "a a mat");
    fs::write(&table, rows).unwrap();
    let said = tiebreak(&["gate", text(&data), "--base", "a", "--metric", "bleu"]).ok();
    assert!(
        said.contains("b on bleu: no output differs for this metric"),
        "{said}"
    );
    assert!(!said.contains("a true difference of 0"), "{said}");
}

#[test]
fn slices_show_where_it_is_and_small_ones_claim_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let only_german = |item: usize| {
        if item.is_multiple_of(3) {
            worse(item)
        } else {
            base(item)
        }
    };
    let (main, new) = (
        log(folder.path(), "main", 600, base),
        log(folder.path(), "new", 600, only_german),
    );
    let found = document(&gate(&main, &new, "--by language --json"));
    let slice = |name: &str| {
        let rows = found["results"].as_array().unwrap();
        rows.iter()
            .find(|row| row["slice"] == json!(name))
            .unwrap()
            .clone()
    };
    assert_eq!(slice("de")["verdicts"], json!(["worse"]));
    assert_eq!(
        (slice("fr")["verdicts"].clone(), slice("fr")["n"].clone()),
        (json!([]), json!(200))
    );
    assert!(found["slices"][0]["p"].as_f64().unwrap() < 0.01, "{found}");
    let said = gate(&main, &new, "--by language").stdout;
    assert!(said.contains("new on accuracy: the slices by language differ (p "));
    // The forms for programs have the slices, too.
    for form in ["github", "junit"] {
        let told = gate(&main, &new, &format!("--by language --report {form}")).stdout;
        let told = told.replace(&format!("{}/", text(folder.path())), "");
        for said in [
            "new on accuracy (de) against main: -",
            "new on accuracy (fr) against main: +0",
            "new on accuracy: the slices by language differ",
        ] {
            assert!(told.contains(said), "{told}");
        }
        let warned = told.contains("::warning title=tiebreak gate%3A slice::new on accuracy (de)");
        assert_eq!(warned, form == "github", "{told}");
    }
    let alike = log(folder.path(), "alike", 600, worse);
    let alike = gate(&main, &alike, "--by language").stdout;
    assert!(
        alike.contains("by language are not proved to differ"),
        "{alike}"
    );
    let small = log(folder.path(), "small", 45, worse);
    let found = document(&gate(&main, &small, "--by language --json"));
    let few = &found["results"][1];
    assert_eq!(
        (&few["n"], &few["verdicts"], &few["lower"]),
        (&json!(15), &json!([]), &Value::Null)
    );
}

#[test]
fn scores_need_their_scale_and_repeats_are_averaged() {
    let folder = tempfile::tempdir().unwrap();
    let scored = |item: usize| 0.2 + 0.6 * ((item * 37 % 100) as f64 / 100.0);
    let (main, new) = (
        log(folder.path(), "main", 200, scored),
        log(folder.path(), "new", 200, move |item| {
            scored(item) - 0.1 - 0.05 * (item % 3) as f64
        }),
    );
    let run = gate(&main, &new, "");
    assert_eq!(run.code, Some(2), "{}", run.stdout);
    assert!(run.stderr.contains("--range 0,1"), "{}", run.stderr);
    // A pipeline says so before its first stage runs.
    let (file, out) = (folder.path().join("p.toml"), folder.path().join("out"));
    let stages = "[[estimate]]\n[[gate]]\nbase = \"model\"\nnew = \"model\"\n";
    fs::write(&file, format!("data = {:?}\n{stages}", text(&main))).unwrap();
    let itself = tiebreak(&["run", text(&file), "--out", text(&out)]);
    itself.refused(&["`model` is compared with itself"]);
    let rows = fs::read_to_string(main.join("judgments.jsonl")).unwrap();
    let both = rows.clone() + &rows.replace("\"model\"", "\"other\"");
    fs::write(main.join("judgments.jsonl"), both).unwrap();
    let stages = stages.replace("new = \"model\"", "new = \"other\"");
    fs::write(&file, format!("data = {:?}\n{stages}", text(&main))).unwrap();
    tiebreak(&["run", text(&file), "--out", text(&out)])
        .refused(&["p.toml:3: range: the scale of `accuracy` is not known"]);
    assert!(!out.join("estimate").exists());
    fs::write(main.join("judgments.jsonl"), rows).unwrap();
    let once = document(&gate(&main, &new, "--range 0,1 --json"));
    assert_eq!(once["results"][0]["verdicts"], json!(["worse"]));
    // Every answer twice is no more evidence.
    for path in [&main, &new] {
        let table = path.join("judgments.jsonl");
        let rows = fs::read_to_string(&table).unwrap();
        fs::write(&table, format!("{rows}{rows}")).unwrap();
    }
    let twice = document(&gate(&main, &new, "--range 0,1 --json"));
    for key in ["n", "difference", "lower", "upper"] {
        assert_eq!(twice["results"][0][key], once["results"][0][key], "{key}");
    }
    assert_eq!(twice["results"][0]["repeats"]["within"], json!(0.0));
    let said = gate(&main, &new, "--range 0,1").stdout;
    assert!(
        said.contains("new on accuracy: repeats of an item were averaged"),
        "{said}"
    );
    // Epochs of an item are repeats, in one data set as in two logs; its parts are none.
    let rows = |systems: &'static [&'static str], column: &'static str| {
        (0..40).flat_map(move |item| {
            systems.iter().flat_map(move |&system| {
                let score = move |epoch: usize| base(item + epoch) * f64::from(u8::from(system == "a"));
                [0, 8].map(|epoch| {
                    json!({"item": item, "system": system, "criterion": "accuracy", "score": score(epoch), column: format!("{epoch}")})
                })
            })
        })
    };
    let both = judged(folder.path(), "both", rows(&["a", "b"], "repeat"));
    let one = within(&both, "--base b");
    let new = judged(folder.path(), "a", rows(&["a"], "repeat"));
    let main = judged(folder.path(), "b", rows(&["b"], "repeat"));
    let two = document(&gate(&main, &new, "--json"));
    for found in [one, two] {
        let within = found["results"][0]["repeats"]["within"].as_f64().unwrap();
        // Of four items in ten one of two epochs is right: a variance of .5, of their mean .25.
        assert!((within - 0.1).abs() < 1e-12, "{found}");
    }
    let parts = judged(folder.path(), "parts", rows(&["a", "b"], "part"));
    let parts = within(&parts, "--base b");
    assert!(parts["results"][0]["repeats"].is_null(), "{parts}");
}

#[test]
fn reports_are_what_their_readers_take() {
    let folder = tempfile::tempdir().unwrap();
    let main = log(folder.path(), "main", 300, base);
    let new = log(folder.path(), "new & <other>", 300, worse);
    let xml = gate(&main, &new, "--report junit");
    assert_eq!(xml.code, Some(3));
    assert!(xml.stdout.starts_with(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"1\" failures=\"1\">"
    ));
    assert!(
        xml.stdout.contains("new &amp; &lt;other&gt;") && !xml.stdout.contains("<other>"),
        "{}",
        xml.stdout
    );
    assert_eq!(
        xml.stdout.matches("<testcase ").count(),
        xml.stdout.matches("</testcase>").count()
    );
    // What is open beside a regression is open.
    let open = log(folder.path(), "open", 300, other);
    let logs = ["gate", text(&main), text(&new), text(&open)];
    let flags = "--require not-worse --margin 0.02 --report junit".split(' ');
    let run = tiebreak(&logs.into_iter().chain(flags).collect::<Vec<_>>());
    for kind in ["not-met", "undecided"] {
        let failures = run
            .stdout
            .matches(&format!("<failure type=\"{kind}\""))
            .count();
        assert_eq!(failures, 1, "{kind}: {}", run.stdout);
    }
    let summary = folder.path().join("summary.md");
    let logs = ["gate", text(&main), text(&new)];
    let run = command(&[&logs[..], &["--report", "github", "--quiet"]].concat())
        .env("GITHUB_STEP_SUMMARY", &summary)
        .output()
        .unwrap();
    assert_eq!(run.status.code(), Some(3));
    let said = String::from_utf8(run.stdout).unwrap();
    assert!(
        said.starts_with("::error title=tiebreak gate%3A no-regression::"),
        "{said}"
    );
    let summary = fs::read_to_string(&summary).unwrap();
    assert!(
        summary.starts_with("### tiebreak gate\n\n**Failed: "),
        "{summary}"
    );
    let json = gate(&main, &new, "--report json");
    assert_eq!(document(&json)["passed"], json!(false));
    let text = gate(&main, &new, "").stdout;
    assert!(
        text.starts_with("Failed: ") && text.contains(" on accuracy is worse."),
        "{text}"
    );
    assert!(text.contains("fails in at most 2.5 % of gates"), "{text}");
    // What is decided takes no more items; what is open, even with a verdict on the margin, does.
    assert!(!text.contains("items decide it"), "{text}");
    let near = log(folder.path(), "near", 300, |item| {
        if item == 8 { 1.0 } else { base(item) }
    });
    let flags = "--require better --margin 0.1 --undecided pass";
    let text = gate(&main, &near, flags).ok();
    assert!(
        text.contains("equivalent") && text.contains("items decide it"),
        "{text}"
    );
}

/// The commands of the guide that decide something, with logs of ours in the place of theirs.
#[test]
fn the_commands_of_the_guide_decide() {
    let folder = tempfile::tempdir().unwrap();
    let main = log(folder.path(), "main", 300, base);
    let new = log(folder.path(), "new", 300, better);
    let guide = fs::read_to_string("docs/gate.md").unwrap();
    let mut commands = 0;
    for line in guide.lines() {
        let Some((_, line)) = line.split_once("tiebreak gate ") else {
            continue;
        };
        let line = line.split('#').next().unwrap().split(" > ").next().unwrap();
        let words: Vec<&str> = line.split_whitespace().collect();
        let logs = words
            .iter()
            .take_while(|word| !word.starts_with("--"))
            .count();
        if logs != 2 || line.contains('`') {
            continue;
        }
        let run = gate(&main, &new, &words[2..].join(" "));
        assert_eq!(run.code, Some(0), "{line}: {}{}", run.stdout, run.stderr);
        commands += 1;
    }
    assert!(commands >= 4, "{commands}");
}

#[test]
fn a_gate_is_a_stage_with_a_chapter() {
    let folder = tempfile::tempdir().unwrap();
    let data = judged(folder.path(), "both", base_and_worse(100));
    let file = folder.path().join("p.toml");
    let stages = "[[gate]]\nbase = \"a\"\nnew = \"b\"\n";
    fs::write(&file, format!("data = {:?}\n{stages}", text(&data))).unwrap();
    let out = folder.path().join("out");
    let told = tiebreak(&["run", text(&file), "--out", text(&out)]).ok();
    assert!(
        told.contains("gate: Failed: b on accuracy is worse."),
        "{told}"
    );
    let report: Value =
        serde_json::from_str(&fs::read_to_string(out.join("report.json")).unwrap()).unwrap();
    assert_eq!(report["gates"][0][1]["decision"], "not-met", "{report}");
    // Without a ranking the decision is the answer, and its folder is reported as a run is.
    assert_eq!(report["summary"]["best"], "Failed: b on accuracy is worse.");
    let alone = folder.path().join("alone");
    within(&data, &format!("--base a --new b --out {}", text(&alone)));
    let told = tiebreak(&["report", text(&alone)]).ok();
    assert!(
        told.starts_with(
            "alone\n═════\ngate  Failed: b on accuracy is worse.\n\
             sure  A system that has not changed fails in at most 2.5 % of gates.\n\
             next  Find where it is worse: `tiebreak gate` with --by COLUMN shows slices of the items.\n\n"
        ),
        "{told}"
    );
    let made = format!("\ntiebreak {}, seed 42\n", env!("CARGO_PKG_VERSION"));
    assert!(told.contains(&made), "{told}");
    let page = fs::read_to_string(alone.join("report.html")).unwrap();
    assert!(page.contains("worse: <code>tiebreak gate</code> with --by"));
    let stages = stages.replace("\"b\"", "\"c\"");
    fs::write(&file, format!("data = {:?}\n{stages}", text(&data))).unwrap();
    let other = folder.path().join("other");
    let wrong = tiebreak(&["run", text(&file), "--out", text(&other)]);
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.stderr.contains("p.toml:4: new: "), "{}", wrong.stderr);
}

/// Nine annotators differ more than the systems do: these find the new one better, and others might not.
#[test]
fn new_annotators_decide_where_they_are_asked_about() {
    let folder = tempfile::tempdir().unwrap();
    let tastes = [-25, -20, -10, 0, 5, 15, 25, 30, 35];
    let one = |item: i64, who: usize, system: &str| {
        let noise = (item * 5 + who as i64 * 3) % 7 - 3;
        let own = if system == "b" {
            tastes[who] + noise
        } else {
            0
        };
        json!({"item": format!("i{item}"), "system": system, "criterion": "quality", "annotator": format!("n{who}"),
               "score": 50 + item * 7 % 11 + own})
    };
    let rows =
        (0..200).flat_map(|item| (0..9).flat_map(move |who| [(item, who, "a"), (item, who, "b")]));
    let data = judged(
        folder.path(),
        "rated",
        rows.map(|(item, who, system)| one(item, who, system)),
    );
    let asked = "--base a --new b --range 0,100 --require better";
    let these = within(&data, asked);
    assert_eq!(
        (&these["decision"], &these["passed"]),
        (&"met".into(), &true.into())
    );
    let new = within(&data, &format!("{asked} --people new-annotators"));
    assert_eq!(
        (&new["decision"], &new["passed"]),
        (&"undecided".into(), &false.into())
    );
    let result = &new["results"][0];
    assert!(result["lower"].as_f64().unwrap() < 0.0 && result["upper"].as_f64().unwrap() > 0.0);
    let beside = &these["results"][0]["new_annotators"];
    assert!((result["lower"].as_f64().unwrap() - beside["lower"].as_f64().unwrap()).abs() < 1e-9);
    assert!(
        new["notes"].to_string().contains("about new annotators"),
        "{}",
        new["notes"]
    );
}

/// A criterion that a new system lacks is no better known than one of three items, in every form, for any number of systems.
#[test]
fn what_the_new_system_lacks_does_not_pass() {
    let folder = tempfile::tempdir().unwrap();
    let has = |system: &str, name: &str, item: usize| match (system, name) {
        (_, "accuracy") => true,
        ("b", _) => false,
        // On other items than the base.
        ("d", _) => item >= 30,
        _ => item < 30,
    };
    let rows = (0..60).flat_map(|item| {
        let systems = ["a", "b", "c", "d"].into_iter();
        let each = systems.flat_map(|system| ["accuracy", "safety"].map(|name| (system, name)));
        each.filter(move |&(system, name)| has(system, name, item))
            .map(move |(system, name)| {
                json!({"item": item, "system": system, "criterion": name, "score": base(item)})
            })
    });
    let data = judged(folder.path(), "safety", rows);
    let run = |flags: &str| {
        let words = ["gate", text(&data), "--base", "a"].into_iter();
        tiebreak(&words.chain(flags.split_whitespace()).collect::<Vec<_>>())
    };
    assert_eq!(run("--new c").code, Some(0));
    for (flags, lacking, items) in [
        ("--new b", "b", 0),
        ("--new d", "d", 30),
        ("--new c b", "b", 0),
        ("--new b --require not-worse --margin 0.2", "b", 0),
    ] {
        let told = run(flags);
        assert_eq!(told.code, Some(4), "{flags}: {}", told.stdout);
        let why = format!("no item has `safety` of both `a` and `{lacking}`");
        assert!(told.stdout.contains(&why), "{flags}: {}", told.stdout);
        let left = format!("left out: 30 items of a alone and {items} of {lacking} alone");
        assert!(told.stdout.contains(&left), "{flags}: {}", told.stdout);
        let found = within(&data, &format!("--base a {flags}"));
        let row = found["results"].as_array().unwrap().last().unwrap();
        assert_eq!((&row["n"], &row["difference"]), (&json!(0), &Value::Null));
        assert_eq!(found["passed"], json!(false), "{found}");
        let junit = run(&format!("{flags} --report junit")).stdout;
        assert_eq!(
            junit.matches("<failure type=\"undecided\"").count(),
            1,
            "{junit}"
        );
        let github = run(&format!("{flags} --report github")).stdout;
        assert_eq!(github.matches("::error ").count(), 1, "{github}");
    }
    assert!(
        run("--new b")
            .stdout
            .starts_with("Undecided: no item has `safety`")
    );
    assert_eq!(run("--new b --undecided pass").code, Some(0));
    assert_eq!(run("--new b --criterion accuracy").code, Some(0));
    run("--new b --criterion safety").refused(&["no item has `safety` of both `a` and `b`"]);
}

/// A slice that the new system lacks has its row.
#[test]
fn a_slice_without_shared_items_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let main = log(folder.path(), "main", 90, base);
    let rows = (0..90).filter(|item| item % 3 > 0);
    let new = judged(
        folder.path(),
        "new",
        rows.map(|item| row(format!("i{item}"), "model", base(item))),
    );
    let found = document(&gate(&main, &new, "--by language --json"));
    let mut rows = found["results"].as_array().unwrap().iter();
    let german = rows.find(|row| row["slice"] == "de").unwrap();
    assert_eq!(
        (&german["n"], &german["only_base"]),
        (&json!(0), &json!(30))
    );
    assert_eq!(found["passed"], json!(true), "{found}");
}

/// Where a system failed on the hardest items, and on most, the others say nothing good of it: by the rule of `estimate`.
#[test]
fn answers_to_the_easy_items_alone_do_not_pass() {
    let folder = tempfile::tempdir().unwrap();
    let easy = |item: usize| item >= 120;
    let base = |item: usize| {
        f64::from(u8::from(!item.is_multiple_of(if easy(item) {
            40
        } else {
            2
        })))
    };
    let data = |name: &str, worse: bool| {
        let rows = (0..200).flat_map(|item| {
            let score = match worse {
                true => f64::from(u8::from(item % 4 == 0)),
                false => base(item),
            };
            let new = easy(item).then(|| row(item, "new", score));
            [row(item, "base", base(item))].into_iter().chain(new)
        });
        judged(folder.path(), name, rows)
    };
    let both = data("both", false);
    let estimate = ["estimate", text(&both), "--differences", "--json"];
    let why = tiebreak(&estimate).json()["differences"][0]["why"].clone();
    let why = why.as_str().unwrap();
    assert!(
        why.starts_with("base has a mean of 0.5000 on 120 items of its own"),
        "{why}"
    );
    for (flags, undecided) in [
        ("", true),
        ("--require not-worse --margin 0.1", true),
        ("--require equivalent --margin 0.1", true),
        ("--require better", true),
        ("--people both", true),
    ] {
        let words = ["gate", text(&both), "--base", "base"].into_iter();
        let run = tiebreak(&words.chain(flags.split_whitespace()).collect::<Vec<_>>());
        assert_eq!(run.code == Some(4), undecided, "{flags}: {}", run.stdout);
        assert!(run.stdout.contains(why), "{flags}: {}", run.stdout);
        let found = within(&both, &format!("--base base {flags}"));
        assert_eq!(found["results"][0]["verdicts"], json!([]), "{found}");
    }
    // That it is worse on these is proved.
    let worse = data("worse", true);
    let found = within(&worse, "--base base");
    assert_eq!(found["decision"], "not-met", "{found}");
}

/// One range is not the scale of every criterion: yes or no, and what the data declare, keep theirs.
#[test]
fn a_range_does_not_stretch_other_scales() {
    let folder = tempfile::tempdir().unwrap();
    let rows = (0..50).flat_map(|item| {
        [("a", 1), ("b", 0)]
            .into_iter()
            .flat_map(move |(system, ok)| {
                [("da", item * 37 % 101), ("ok", ok)].map(|(criterion, score)| {
                json!({"item": item, "system": system, "criterion": criterion, "score": score})
            })
            })
    });
    let data = judged(folder.path(), "both", rows);
    let run = |flags: &str| {
        let words = ["gate", text(&data), "--base", "a"].into_iter();
        tiebreak(&words.chain(flags.split_whitespace()).collect::<Vec<_>>())
    };
    // The hint is right as it is typed.
    run("").refused(&["compare it alone: --criterion da --range 0,100"]);
    assert_eq!(run("--criterion da --range 0,100").code, Some(0));
    let alone = within(&data, "--base a --criterion ok")["results"][0].clone();
    assert_eq!(alone["verdicts"], json!(["worse"]));
    for range in ["0,100", "-100,100"] {
        let found = within(&data, &format!("--base a --range {range}"));
        assert_eq!(found["decision"], "not-met", "{found}");
        let ok = &found["results"][1];
        assert_eq!(
            (&ok["criterion"], &ok["verdicts"]),
            (&json!("ok"), &json!(["worse"]))
        );
        // Bonferroni's share of two.
        assert!(
            ok["upper"].as_f64().unwrap() <= -0.8 && ok["lower"] == json!(-1.0),
            "{ok}"
        );
    }
    let estimate = |flags: &str| {
        let words = ["estimate", text(&data), "--json"].into_iter();
        tiebreak(&words.chain(flags.split_whitespace()).collect::<Vec<_>>())
    };
    let upper = |found: &Value, criterion: &str| {
        let rows = found["estimates"].as_array().unwrap();
        let row = rows.iter().find(|row| row["criterion"] == criterion);
        row.unwrap()["range"][1].as_f64()
    };
    let found = estimate("--range 0,100").json();
    assert_eq!(
        (upper(&found, "da"), upper(&found, "ok")),
        (Some(100.0), Some(1.0))
    );
    let hint = "--criterion da --range 0,100 makes the intervals";
    assert!(tiebreak(&["estimate", text(&data)]).ok().contains(hint));
    // What is outside is refused where the range is the criterion's.
    run("--range 1,100").refused(&["a judgment is 0, outside the given range"]);
    fs::write(
        data.join("dataset.toml"),
        "[criteria.da]\nrange = [0, 200]\n",
    )
    .unwrap();
    let found = estimate("--range 0,100").json();
    assert_eq!(
        (upper(&found, "da"), upper(&found, "ok")),
        (Some(200.0), Some(1.0))
    );
    let found = estimate("--criterion da --range 0,100").json();
    assert_eq!(upper(&found, "da"), Some(100.0));
}

/// A log of Inspect with three epochs of each sample; `score` says what each has, null for none.
fn epochs(folder: &Path, model: &str, score: impl Fn(usize, usize) -> Value) -> PathBuf {
    let samples = (0..40).flat_map(|id| (1..=3).map(move |epoch| (id, epoch)));
    let samples = samples.map(|(id, epoch)| {
        let mut sample = json!({
            "id": id, "epoch": epoch, "input": format!("question {id}"), "target": "t",
            "output": {"completion": "t"}, "scores": {"match": {"value": score(id, epoch)}},
        });
        if (id, epoch) == (1, 3) {
            sample["error"] = json!({"message": "timeout"});
        }
        sample
    });
    let log = json!({
        "version": 2, "status": "success", "samples": samples.collect::<Vec<_>>(),
        "eval": {"task": "t", "model": model, "created": "2026-01-01", "config": {"epochs": 3}},
    });
    let path = folder.join(format!("{model}.json"));
    fs::write(&path, log.to_string()).unwrap();
    path
}

#[test]
fn repeats_without_a_score_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let base = epochs(folder.path(), "base", |id, epoch| {
        json!(f64::from(u8::from((7 * id + epoch) % 3 == 0)))
    });
    let new = epochs(folder.path(), "new", |id, epoch| {
        match epoch == 2 && id % 2 == 1 {
            true => Value::Null,
            false => json!(f64::from(u8::from((5 * id + epoch) % 4 > 0))),
        }
    });
    let run = gate(&base, &new, "--require better --json");
    let failures = json!([
        {"system": "base", "count": 1, "unscored": 0},
        {"system": "new", "count": 1, "unscored": 20},
    ]);
    assert_eq!(document(&run)["failures"], failures);
    let told = gate(&base, &new, "--require better").stdout;
    assert_contains(
        &told,
        &[
            "new: 20 scores are missing or no number. Means are over the others; where the system is to blame, score it 0.",
            "new: a call failed for 1 missing answer",
        ],
    );
    // Of a file with both systems each has its own.
    let rows = |system: &str, missing: usize| {
        (0..30).fold(String::new(), |text, item| match item < missing {
            true => text + &format!("{item},{system},x,\n"),
            false => text + &format!("{item},{system},x,{}\n", item % 2),
        })
    };
    let both = folder.path().join("both.csv");
    let header = "item,system,output,score\n".to_string();
    fs::write(&both, header + &rows("a", 0) + &rows("b", 3)).unwrap();
    let failures = json!([
        {"system": "a", "count": 0, "unscored": 0},
        {"system": "b", "count": 0, "unscored": 3},
    ]);
    assert_eq!(within(&both, "--base a")["failures"], failures);
}

/// Files of items and scores alone are logs of one system each, in any form.
#[test]
fn a_file_of_items_and_scores_is_a_log() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for (name, score) in [("main", base as fn(usize) -> f64), ("new", worse)] {
        let rows = (0..300).map(|item| json!({"item": item, "score": score(item)}));
        fs::write(path(&format!("{name}.jsonl")), lines(rows)).unwrap();
        let rows = (0..300).map(|item| format!("{item},{}\n", score(item)));
        let table = "item,score\n".to_string() + &rows.collect::<String>();
        fs::write(path(&format!("{name}.csv")), table).unwrap();
    }
    for ending in ["jsonl", "csv"] {
        let [main, new] = ["main", "new"].map(|name| path(&format!("{name}.{ending}")));
        let run = gate(&main, &new, "--json");
        assert_eq!(run.code, Some(3), "{ending}: {}{}", run.stdout, run.stderr);
        let row = &document(&run)["results"][0];
        assert_eq!(
            (&row["criterion"], &row["n"]),
            (&json!("score"), &json!(300))
        );
    }
}

/// Of verdicts that follow from one another the table has the strongest, and a margin that plays no part is said to.
#[test]
fn the_table_has_the_strongest_verdicts() {
    let folder = tempfile::tempdir().unwrap();
    let log = |name: &str, score: fn(usize) -> f64| log(folder.path(), name, 3000, score);
    let main = log("main", base);
    let unused = "The margin plays no part in";
    for (new, flags, proved, is_unused) in [
        (
            log("better", better),
            "--require better --margin 0.3",
            "better, by less than the margin",
            true,
        ),
        (log("better", better), "--require better", "better", false),
        (
            log("worse", worse),
            "--require not-worse --margin 0.3",
            "worse, by less than the margin",
            false,
        ),
        (
            log("worse", worse),
            "--require not-worse --margin 0.1",
            "worse",
            false,
        ),
        (
            log("same", base),
            "--require not-worse --margin 0.1",
            "equivalent",
            false,
        ),
        (log("same", base), "--margin 0.1", "equivalent", true),
    ] {
        let told = gate(&main, &new, flags).stdout;
        let row = told.lines().nth(2).unwrap_or_default();
        assert!(row.ends_with(&format!(" %  {proved}")), "{flags}: {told}");
        assert_eq!(told.contains(unused), is_unused, "{flags}: {told}");
    }
}

/// Holm's procedure proves a difference whose interval, by Bonferroni, includes 0: that is said.
#[test]
fn a_difference_that_is_proved_within_its_interval_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    // 12 of 200 items are lost and 2 won (p = .013), next to a criterion of which all are lost.
    let rows = (0..200).flat_map(|item| {
        ["a", "b"].into_iter().flat_map(move |system| {
            let is_new = system == "b";
            let close = match item {
                0..12 => !is_new,
                12..14 => is_new,
                _ => true,
            };
            [("close", close), ("far", !is_new)].map(|(criterion, ok)| {
                json!({"item": item, "system": system, "criterion": criterion, "score": u8::from(ok)})
            })
        })
    });
    let data = judged(folder.path(), "both", rows);
    let told = |flags: &str| {
        let words = ["gate", text(&data), "--base", "a"].into_iter();
        tiebreak(&words.chain(flags.split_whitespace()).collect::<Vec<_>>()).stdout
    };
    let why = "An interval may include 0 and its difference be proved";
    let confidence = "--confidence 0.98";
    let found = within(&data, &format!("--base a {confidence}"));
    let close = &found["results"][0];
    assert_eq!(close["verdicts"], json!(["worse"]), "{found}");
    assert!(close["upper"].as_f64().unwrap() >= 0.0, "{found}");
    assert!(told(confidence).contains(why), "{}", told(confidence));
    assert!(
        !told("--confidence 0.9").contains(why),
        "{}",
        told("--confidence 0.9")
    );
}

/// The name of something by the numbers of a question and an answer.
type Name<'a> = &'a dyn Fn(usize, usize) -> String;

/// Judgments of two systems on ten answers to each of 30 questions, with the names and sources of items.
fn ten_answers(folder: &Path, name: &str, item: Name<'_>, source: Name<'_>) -> PathBuf {
    let score = |question: usize, answer: usize, system: usize| {
        f64::from(u8::from(
            (question * (3 + system) + answer / (8 - system)) % 5 < 3,
        ))
    };
    let each = (0..300).map(|place| (place / 10, place % 10));
    let rows = each.clone().flat_map(|(question, answer)| {
        let systems = ["a", "b"].into_iter().zip(0..);
        systems.map(move |(system, number)| {
            let score = score(question, answer, number);
            row(item(question, answer), system, score)
        })
    });
    let path = judged(folder, name, rows);
    let mut items = std::collections::BTreeMap::new();
    for (question, answer) in each {
        let half = ["one", "other"][answer % 2];
        items.insert(
            item(question, answer),
            json!({"item": item(question, answer), "source": source(question, answer), "half": half, "document": question}),
        );
    }
    fs::write(path.join("items.jsonl"), lines(items.into_values())).unwrap();
    path
}

/// What a verb says in JSON.
fn in_json(data: &Path, verb: &str, flags: &[&str]) -> Value {
    let run = tiebreak(&[&[verb, text(data), "--json"], flags].concat());
    serde_json::from_str(&run.stdout).unwrap()
}

fn of_question(question: usize, _: usize) -> String {
    format!("{question:02}")
}

fn of_answer(question: usize, answer: usize) -> String {
    format!("{question:02}-{answer}")
}

/// Ten answers on each of 30 questions are no more evidence with names of their own than under the question's.
#[test]
fn items_with_the_same_source_are_no_more_evidence_than_one() {
    let folder = tempfile::tempdir().unwrap();
    let named = |name: &str, item: Name<'_>| ten_answers(folder.path(), name, item, &of_question);
    let questions = named("questions", &of_question);
    let answers = named("answers", &of_answer);
    let of = in_json;
    let gates = [&questions, &answers].map(|data| of(data, "gate", &["--base", "a", "--new", "b"]));
    assert_eq!(gates[0]["results"][0]["n"], 30);
    for field in ["difference", "lower", "upper", "needed", "detectable"] {
        let [one, other] = gates.each_ref().map(|all| &all["results"][0][field]);
        assert_eq!(one, other, "{field}");
    }
    let note =
        "300 judged items have 30 different sources. Items with the same source count as one";
    assert_contains(&gates[1]["notes"].to_string(), &[note]);
    let flags = ["--differences", "--range", "0,1"];
    let estimates = [&questions, &answers].map(|data| of(data, "estimate", &flags));
    for field in [
        "lower",
        "upper",
        "corrected_lower",
        "corrected_upper",
        "items",
    ] {
        let [one, other] = estimates
            .each_ref()
            .map(|all| &all["differences"][0][field]);
        assert_eq!(one, other, "{field}");
    }
    assert_contains(&estimates[1]["hints"].to_string(), &[note]);
    // A question is in both halves, and counts once in each.
    let sliced = of(
        &answers,
        "gate",
        &["--base", "a", "--new", "b", "--by", "half"],
    );
    let n: Vec<&Value> = sliced["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["n"])
        .collect();
    assert_eq!(n, [30, 30, 30]);
    // These answers alone are no sample of questions.
    let these = of(
        &answers,
        "gate",
        &["--base", "a", "--new", "b", "--items", "these"],
    );
    assert_eq!(these["results"][0]["n"], 300);
}

/// The sentences of a document share no source: a key says that they count as one.
#[test]
fn items_of_the_same_document_count_as_one_where_a_key_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let named = |name: &str, source: Name<'_>| ten_answers(folder.path(), name, &of_answer, source);
    let answers = named("answers", &of_question);
    let sentences = named("sentences", &of_answer);
    let of = in_json;
    let gate_of_sources = of(&answers, "gate", &["--base", "a", "--new", "b"]);
    let flags = ["--differences", "--range", "0,1"];
    let estimate_of_sources = of(&answers, "estimate", &flags);
    let documents = ["--cluster", "document"];
    let gate = [&["--base", "a", "--new", "b"], &documents[..]].concat();
    let gate = of(&sentences, "gate", &gate);
    for field in ["n", "difference", "lower", "upper"] {
        let [one, other] = [&gate, &gate_of_sources].map(|all| &all["results"][0][field]);
        assert_eq!(one, other, "{field}");
    }
    let note = "300 judged items have 30 different values of `document`. Items with the same value";
    assert_contains(&gate["notes"].to_string(), &[note]);
    let estimate = of(&sentences, "estimate", &[&flags[..], &documents].concat());
    assert_eq!(
        estimate["differences"][0]["corrected_upper"],
        estimate_of_sources["differences"][0]["corrected_upper"]
    );
    assert_contains(&estimate["hints"].to_string(), &[note]);
    let unaware = of(&sentences, "gate", &["--base", "a", "--new", "b"]);
    assert_eq!(unaware["results"][0]["n"], 300);
    let hint =
        "Items of one document may depend on each other: `--cluster document` counts them as one.";
    assert_contains(&unaware["notes"].to_string(), &[hint]);
    let unknown = [
        "gate",
        text(&sentences),
        "--base",
        "a",
        "--new",
        "b",
        "--cluster",
        "documents",
    ];
    let refused = tiebreak(&unknown);
    assert_eq!(refused.code, Some(2));
    assert_contains(
        &refused.stderr,
        &["no table has a column `documents` of items"],
    );
    let these = ["--cluster", "document", "--items", "these"];
    let refused = tiebreak(&[&["estimate", text(&sentences)], &these[..]].concat());
    assert_eq!(refused.code, Some(2));
    assert_contains(
        &refused.stderr,
        &["clusters do not matter to a result about these items alone"],
    );
}
