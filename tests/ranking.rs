//! Ranking from memory is what the command `rank` does from files.

use crate::cli::tiebreak;
use serde_json::Value;
use std::fs;
use tiebreak::rng::Seed;
use tiebreak::{Comparison, Outcome, rank};

/// The comparisons of `data/tiny`, as its file has them.
fn rows() -> Vec<Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/data/tiny/comparisons.jsonl");
    let text = fs::read_to_string(path).unwrap();
    let row = |line| serde_json::from_str(line).unwrap();
    text.lines().map(row).collect()
}

fn comparison(row: &Value) -> Comparison<'_> {
    let text = |key: &str| row[key].as_str().unwrap();
    let outcome = Outcome::from_value(row["outcome"].as_f64().unwrap()).unwrap();
    Comparison::new(text("system_a"), text("system_b"), outcome)
        .on(text("item"))
        .by(text("annotator"))
}

#[test]
fn memory_and_files_give_the_same_numbers() {
    let rows = rows();
    let in_memory = rank(rows.iter().map(comparison), 0.9).unwrap();
    let by_command = ["rank", "data/tiny", "--confidence", "0.9"];
    let stored = tiebreak(&[&by_command[..], &["--json"]].concat()).json();
    assert_eq!(serde_json::to_value(&in_memory).unwrap(), stored);
    assert_eq!(in_memory.to_string(), tiebreak(&by_command).ok());
}

/// But for the last digits, as sums are made in another order.
#[test]
fn the_order_of_comparisons_plays_no_part() {
    let mut rows = rows();
    let planned = rank(rows.iter().map(comparison), 0.95).unwrap();
    Seed(1).stream("test", 0).shuffle(&mut rows);
    let shuffled = rank(rows.iter().map(comparison), 0.95).unwrap();
    assert_eq!(planned.ranks, shuffled.ranks);
    assert_eq!(planned.claim, shuffled.claim);
    for (one, other) in planned.strengths.iter().zip(&shuffled.strengths) {
        let ends = |one: &tiebreak::ranking::result::Strength| [one.strength, one.lower, one.upper];
        for (one, other) in ends(one).into_iter().zip(ends(other)) {
            assert!((one.unwrap() - other.unwrap()).abs() < 1e-9);
        }
    }
}

/// Without items every comparison is independent; on one item nothing is known of the error.
#[test]
fn comparisons_without_items_are_on_items_of_their_own() {
    let wins = [Comparison::new("a", "b", Outcome::Win); 40];
    let apart = rank(wins, 0.95).unwrap();
    let numbers: Vec<String> = (0..wins.len()).map(|item| item.to_string()).collect();
    let numbered = wins.iter().zip(&numbers).map(|(one, item)| one.on(item));
    assert_eq!(rank(numbered, 0.95).unwrap(), apart);
    assert_eq!(apart.claim.systems, ["a"]);
    let together = rank(wins.map(|one| one.on("only")), 0.95).unwrap();
    assert_eq!(together.strengths[0].lower, None);
    assert!(!together.claim.is_made());
}

#[test]
fn what_cannot_be_ranked_is_refused() {
    let with_itself = [
        Comparison::new("a", "a", Outcome::Tie),
        Comparison::new("a", "b", Outcome::Tie),
    ];
    for (comparisons, confidence, named) in [
        (&[][..], 0.95, "0 systems"),
        (&with_itself[..1], 0.95, "1 system"),
        (&with_itself[..], 0.95, "`a` is compared with itself"),
        (&with_itself[1..], 1.0, "confidence is 1"),
    ] {
        let error = rank(comparisons, confidence).unwrap_err();
        assert!(error.to_string().contains(named), "{error}");
        assert_eq!(error.exit_code(), 2);
    }
}

/// What has no interval says why, in the text and in JSON.
#[test]
fn few_items_have_no_interval_and_it_is_said_why() {
    let items = ["1", "2", "3", "4", "5", "6", "7", "8"];
    let of = |n: usize| {
        let rows = items[..n].iter().enumerate();
        let rows = rows.map(|(at, item)| {
            let outcome = if at == 0 { Outcome::Loss } else { Outcome::Win };
            Comparison::new("atlas", "cedar", outcome)
                .on(item)
                .by("ana")
        });
        rank(rows, 0.95).unwrap()
    };
    let why = "No interval for atlas and cedar: it takes about five items of equal weight or more.";
    let few = of(4);
    assert!(few.strengths.iter().all(|one| one.lower.is_none()));
    assert_eq!(few.hints, [why]);
    assert!(few.to_string().contains(why));
    let more = of(8);
    assert!(more.strengths.iter().all(|one| one.lower.is_some()));
    assert!(more.hints.is_empty(), "{:?}", more.hints);
}
