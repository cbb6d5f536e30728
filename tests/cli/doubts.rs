//! What may be wrong with a result is said beside it: who judged which slice, the order that a judge saw, rows given twice,
//! probabilities that cannot be, cycles; and nothing is said that does not hold.

use super::newcomer::Desk;
use serde_json::{Value, json};
use std::fs;

/// A data set with tables of rows.
fn desk(tables: &[(&str, Vec<Value>)]) -> Desk {
    let desk = Desk::empty();
    fs::create_dir(desk.path("d")).unwrap();
    for (name, rows) in tables {
        let lines: String = rows
            .iter()
            .fold(String::new(), |all, row| all + &row.to_string() + "\n");
        desk.file(&format!("d/{name}.jsonl"), &lines);
    }
    desk
}

/// A judgment under `q`.
fn judgment(item: usize, system: &str, score: f64, annotator: &str) -> Value {
    json!({"item": format!("i{item}"), "system": system, "criterion": "q", "score": score, "annotator": annotator})
}

/// Two annotators of opposite taste have nine in ten items of either language, which has no effect.
#[test]
fn slices_that_went_to_other_people_do_not_differ_by_them() {
    let who = |item: usize| match (item % 2, item % 20 < 2) {
        (0, false) | (1, true) => 0,
        _ => 1,
    };
    let items = (0..200)
        .map(|item| json!({"item": format!("i{item}"), "language": (["de", "en"][item % 2])}));
    let wins = |item: usize| (item / 20 * 7 + item) % 10 < [8, 2][who(item)];
    let comparisons = (0..200).map(|item| {
        json!({"item": format!("i{item}"), "system_a": "a", "system_b": "b", "annotator": format!("p{}", who(item)),
               "outcome": f64::from(u8::from(wins(item)))})
    });
    let judgments = (0..200).flat_map(|item| {
        let by = format!("p{}", who(item));
        let score =
            |likes: usize| 50.0 + [-5.0, 5.0][usize::from(who(item) == likes)] + (item % 7) as f64;
        [
            judgment(item, "a", score(0), &by),
            judgment(item, "b", score(1) + (item % 3) as f64 - 1.0, &by),
        ]
    });
    let desk = desk(&[
        ("items", items.collect()),
        ("comparisons", comparisons.collect()),
        ("judgments", judgments.collect()),
    ]);
    let gate = desk
        .run("gate d --base a --new b --range 0,100 --by language --json")
        .json();
    let rows = gate["results"].as_array().unwrap();
    for row in rows {
        assert_eq!(row["verdicts"].as_array().map_or(0, Vec::len), 0, "{row}");
    }
    assert!(
        rows.iter()
            .any(|row| !row["slice"].is_null() && row["lower"].is_f64())
    );
    for test in gate["slices"].as_array().unwrap() {
        assert!(test["p"].as_f64().unwrap() > 0.05, "{test}");
    }
    let told = desk
        .run("gate d --base a --new b --range 0,100 --by language")
        .ok();
    assert!(
        told.contains("weigh the same in all slices by language under `q`"),
        "{told}"
    );
    assert!(
        told.contains("nothing proves that the new system is worse over all items."),
        "{told}"
    );
    for command in [
        "rank d --by language --json",
        "estimate d --differences --range 0,100 --by language --json",
    ] {
        let slices = &desk.run(command).json()["slices"];
        let rows = slices["rows"].as_array().unwrap();
        assert!(
            rows.iter()
                .all(|row| row["significant"] == false && row["lower"].is_f64()),
            "{slices}"
        );
    }
}

/// A slice that lacks somebody who weighs is compared with nothing.
#[test]
fn nothing_is_claimed_of_a_slice_that_somebody_never_judged() {
    let items = (0..100)
        .map(|item| json!({"item": format!("i{item}"), "language": (["de", "en"][item % 2])}));
    let judgments = (0..100).flat_map(|item| {
        let by = ["p0", "p1"][item % 2];
        let likes = if item % 2 == 0 { 1.0 } else { -1.0 };
        [
            judgment(item, "a", 3.0 + likes, by),
            judgment(item, "b", 3.0 - likes, by),
        ]
    });
    let desk = desk(&[
        ("items", items.collect()),
        ("judgments", judgments.collect()),
    ]);
    let told = desk
        .run("gate d --base a --new b --range 1,5 --by language")
        .ok();
    assert!(
        told.contains("different people judged different systems or slices"),
        "{told}"
    );
}

/// The verdicts of a judge that likes what is first, and was always shown the same system first.
#[test]
fn a_judge_that_saw_one_order_is_not_trusted_silently() {
    let desk = |swaps: bool| {
        let outputs = (0..60).flat_map(|item| {
            ["a", "b", "c"]
                .map(|system| json!({"item": format!("i{item}"), "system": system, "output": "x"}))
        });
        let verdicts = (0..60).flat_map(|item| {
            // Of the pair whose outputs are equal the judge was not asked.
            [("a", "b", 0.9), ("a", "c", 0.9), ("b", "c", 0.5)].map(|(one, other, p)| {
                let first = if swaps && item % 2 == 1 { other } else { one };
                let answer = if p == 0.5 { String::new() } else { format!("{first} first: A") };
                json!({"item": format!("i{item}"), "system_a": one, "system_b": other, "p": p, "answer": answer})
            })
        });
        desk(&[
            ("outputs", outputs.collect()),
            ("predictions", verdicts.collect()),
        ])
    };
    let says = "osition bias is not balanced: in all 120 verdicts";
    for (swaps, is_said) in [(false, true), (true, false)] {
        let desk = desk(swaps);
        let ranked = desk.run("rank d --verdicts");
        assert_eq!(ranked.stdout.contains(says), is_said);
        // The verdict says it too.
        assert!(ranked.stdout.contains("a is the best"), "{}", ranked.stdout);
        let premise = "though the same systems were often first";
        assert_eq!(
            ranked.stdout.contains(premise),
            is_said,
            "{}",
            ranked.stdout
        );
        let gate = desk.run("gate d --base a --new b --criterion verdicts");
        assert_eq!(gate.stdout.contains(says), is_said, "{}", gate.stdout);
        for said in [&ranked.stdout, &gate.stdout] {
            assert!(!said.contains(".."), "two full stops: {said}");
        }
        assert_eq!(gate.code, Some(if is_said { 4 } else { 3 }));
        let better = desk.run("gate d --base b --new a --criterion verdicts --require better");
        assert_eq!(better.code, Some(if is_said { 4 } else { 0 }));
    }
}

#[test]
fn a_position_bias_has_one_interval_whatever_command_shows_it() {
    for bias in [0.3, 0.0] {
        let items = || (0..40).map(|item| format!("i{item}"));
        let outputs = items().flat_map(|item| {
            ["a", "b"].map(|system| json!({"item": item, "system": system, "output": system}))
        });
        let pair = |item: String| json!({"item": item, "system_a": "a", "system_b": "b"});
        let verdicts = items().enumerate().map(|(at, item)| {
            let mut row = pair(item);
            row["p"] = json!(0.6);
            row["position"] = json!(bias * [0.5, 1.5][at % 2]);
            row
        });
        let comparisons = items().map(|item| {
            let mut row = pair(item);
            row["outcome"] = json!(1);
            row["annotator"] = json!("ana");
            row
        });
        let desk = desk(&[
            ("outputs", outputs.collect()),
            ("predictions", verdicts.collect()),
            ("comparisons", comparisons.collect()),
        ]);
        let position = |command: &str| {
            let said = desk.run(command).stdout;
            let said: Value = serde_json::from_str(&said).unwrap();
            ["value", "lower", "upper"].map(|end| said["position"][end].as_f64().unwrap())
        };
        let found = position("assess d --predictions d/predictions.jsonl --json");
        assert_eq!(found, position("rank d --verdicts --json"));
        let [value, lower, upper] = found;
        assert!((value - bias).abs() < 1e-12, "{value}");
        assert!(bias - 0.2 < lower && lower < bias && bias < upper && upper < bias + 0.2);
    }
}

#[test]
fn a_clear_cycle_has_no_best_system() {
    let comparisons = (0..300).map(|row| {
        let (one, other) = [("a", "b"), ("b", "c"), ("c", "a")][row % 3];
        json!({"item": format!("i{}", row / 3), "system_a": one, "system_b": other, "annotator": "x",
               "outcome": f64::from(u8::from(row / 3 % 5 > 0))})
    });
    let told = desk(&[("comparisons", comparisons.collect())])
        .run("rank d")
        .ok();
    assert!(told.starts_with("No system beats all others."), "{told}");
}

#[test]
fn a_check_promises_no_replay_of_pairs_that_were_never_compared() {
    let comparisons = (0..40).map(|item| {
        let (one, other) = [("a", "b"), ("c", "d")][item % 2];
        json!({"item": format!("i{item}"), "system_a": one, "system_b": other, "outcome": 1})
    });
    let desk = desk(&[("comparisons", comparisons.collect())]);
    let told = desk.run("check d").ok();
    assert!(
        told.contains("simulate  no: some pairs were never compared"),
        "{told}"
    );
    assert_eq!(desk.run("simulate d").code, Some(2));
}

#[test]
fn rows_of_judgments_that_are_there_again_are_said() {
    let said = |again: bool| {
        let rows = (0..60).map(|item| judgment(item, "a", (item % 5) as f64, "ann"));
        let rows: Vec<Value> = rows.collect();
        let rows = if again {
            [rows.clone(), rows].concat()
        } else {
            rows
        };
        let told = desk(&[("judgments", rows)]).run("estimate d --range 0,4");
        let says =
            "There again, with the same output, criterion, score and annotator: 60 judgments";
        (told.stdout + &told.stderr).contains(says)
    };
    assert_eq!([false, true].map(said), [false, true]);
}

#[test]
fn probabilities_that_cannot_have_chosen_the_outputs_are_doubted() {
    let outputs =
        (0..100).map(|item| json!({"item": format!("i{item}"), "system": "a", "output": "x"}));
    let judgments = (0..40).map(|item| judgment(item, "a", (item % 5) as f64, "ann"));
    let desk = desk(&[
        ("outputs", outputs.collect()),
        ("judgments", judgments.collect()),
    ]);
    let doubts = |p: f64| {
        let rows =
            (0..100).map(|item| format!("{{\"item\": \"i{item}\", \"probability\": {p}}}\n"));
        desk.file("p.jsonl", &rows.collect::<String>());
        let told = desk.run("estimate d --range 0,4 --probabilities p.jsonl");
        (told.stdout + &told.stderr)
            .contains("40 of 100 outputs are judged under q, but by these probabilities about 90")
    };
    assert_eq!([0.9, 0.4].map(doubts), [true, false]);
}

#[test]
fn of_items_that_are_all_judged_others_say_nothing() {
    let outputs =
        (0..100).map(|item| json!({"item": format!("i{item}"), "system": "a", "output": "x"}));
    let judgments = (0..100).map(|item| judgment(item, "a", 1.0 + (item * 7 % 5) as f64, "ann"));
    let desk = desk(&[
        ("outputs", outputs.collect()),
        ("judgments", judgments.collect()),
    ]);
    let told = |items: &str| {
        desk.run(&format!(
            "estimate d --range 1,5 --target-width .1 --items {items}"
        ))
        .ok()
    };
    let these = told("these");
    assert!(
        these.contains("Only several judgments of each output can narrow")
            && !these.contains("outputs on"),
        "{these}"
    );
    assert!(told("like-these").contains("Enough would be outputs on"));
}

/// What was not tested is not called alike.
#[test]
fn systems_that_were_not_tested_are_in_no_group() {
    let judgments = (0..40).flat_map(|item| {
        let score = 1.0 + (item * 7 % 5) as f64;
        [
            judgment(item, "a", score, "harsh"),
            judgment(item, "b", score, "mild"),
        ]
    });
    let told = desk(&[("judgments", judgments.collect())]);
    let told = told.run("estimate d --differences --range 1,5").ok();
    assert!(
        told.contains("Not tested: ") && told.contains("(1 a system)"),
        "{told}"
    );
    assert!(!told.contains("No significant difference"), "{told}");
}

/// Scores of systems over different items are no comparison, however many items each has: on a terminal and in a report.
#[test]
fn scores_over_different_items_are_remarked_on() {
    let rows = |mine: fn(usize) -> bool| {
        let rows = (0..8).flat_map(move |item| {
            let other = mine(item).then_some("b");
            let rows = ["a"].into_iter().filter(move |_| item < 6).chain(other);
            rows.map(move |system| {
                json!({"item": format!("i{item}"), "system": system, "output": "a dog sat"})
            })
        });
        rows.collect::<Vec<_>>()
    };
    let clause = "each score is over its own: a paired test compares them on the same";
    for (mine, which) in [
        (
            (|item| item >= 2) as fn(usize) -> bool,
            Some("6 of 8 items, not all the same ones"),
        ),
        (|item| item < 4, Some("4 to 6 items")),
        (|item| item < 6, None),
    ] {
        let desk = desk(&[("outputs", rows(mine))]);
        desk.file("p.toml", "data = \"d\"\n[[score]]\nmetric = [\"length\"]\n");
        desk.run("run p.toml --out run").ok();
        let which = which.map(|which| format!("ystems have outputs for {which}, and {clause}"));
        for line in [
            "score d --metric length",
            "score d --metric length --json",
            "report run",
        ] {
            let run = desk.run(line);
            let said = run.stdout + &run.stderr;
            match &which {
                Some(which) => {
                    assert!(said.contains(which), "{line}: {said}");
                    assert!(!said.contains(".."), "{line}: {said}");
                }
                None => assert!(!said.contains(clause), "{line}: {said}"),
            }
        }
    }
}

/// Of verdicts in both orders most were refused in one of them: what is left is in one order.
#[test]
fn orders_that_were_refused_are_not_made_up_for() {
    let desk = |both: usize| {
        let outputs = (0..40).flat_map(|item| {
            ["a", "b"]
                .map(|system| json!({"item": format!("i{item}"), "system": system, "output": "x"}))
        });
        let verdicts = (0..40).map(|item| {
            let (p, answer) = match item < both {
                true => (0.5, "a first: A\nb first: A"),
                false => (0.9, "a first: A"),
            };
            json!({"item": format!("i{item}"), "system_a": "a", "system_b": "b", "p": p, "answer": answer})
        });
        desk(&[
            ("outputs", outputs.collect()),
            ("predictions", verdicts.collect()),
        ])
    };
    let clause = "in 34 of 40 verdicts the same system of a pair was shown first, and not second";
    let ranked = desk(6).run("rank d --verdicts").ok();
    assert!(ranked.contains(clause), "{ranked}");
    let gate = desk(6).run("gate d --base b --new a --criterion verdicts --require better");
    assert_eq!(gate.code, Some(4), "{}", gate.stdout);
    assert!(
        gate.stdout.contains("it may prefer a place"),
        "{}",
        gate.stdout
    );
    // A few are no matter.
    let ranked = desk(37).run("rank d --verdicts").ok();
    assert!(!ranked.contains("osition bias is not balanced"), "{ranked}");
}
