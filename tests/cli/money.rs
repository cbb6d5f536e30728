//! Money: what replays pay for people's answers by the prices of the comparisons, and runs that end when it is spent.

use super::live::{Live, refused};
use super::{here, text, tiebreak};
use crate::support::assert_contains;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// `data/tiny` with a price for each comparison: an expert's (`a1`, `a2`) costs more, of one annotator (`a6`) nobody
/// noted any.
struct Priced(TempDir);

const EXPERT: f64 = 0.7;
const OTHER: f64 = 0.1;

fn price(annotator: &str) -> Option<f64> {
    match annotator {
        "a1" | "a2" => Some(EXPERT),
        "a6" => None,
        _ => Some(OTHER),
    }
}

impl Priced {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for file in ["items.jsonl", "outputs.jsonl", "judgments.jsonl"] {
            fs::copy(Path::new("data/tiny").join(file), folder.path().join(file)).unwrap();
        }
        let mut rows = String::new();
        for mut row in comparisons(Path::new("data/tiny")) {
            let price = price(row["annotator"].as_str().unwrap());
            row.as_object_mut().unwrap().remove("seconds");
            if let Some(price) = price {
                row["price"] = price.into();
            }
            rows += &format!("{row}\n");
        }
        fs::write(folder.path().join("comparisons.jsonl"), rows).unwrap();
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn replay(&self, more: &[&str]) -> super::Finished {
        tiebreak(&[&["simulate", text(self.0.path())], more].concat())
    }
}

fn comparisons(data: &Path) -> Vec<Value> {
    let rows = fs::read_to_string(data.join("comparisons.jsonl")).unwrap();
    let rows = rows.lines().map(serde_json::from_str);
    rows.collect::<Result<_, _>>().unwrap()
}

const ONE: [&str; 1] = ["--bandit uniform --runs 1 --steps 5000 --json"];

#[test]
fn a_budget_of_money_ends_a_replay_at_the_answer_that_reaches_it() {
    let data = Priced::new();
    let spent = |answers: &str| {
        let found = data
            .replay(&[&ONE[..], &["--budget", answers]].concat())
            .json();
        found["money"]["mean"].as_f64().unwrap()
    };
    let (before, reached) = (spent("39"), spent("40"));
    assert!(before < reached);
    // A limit that is reached exactly, and one that is passed by the same answer: where prices are added as they are
    // the first would ask once too often, or once too rarely.
    for limit in [reached, f64::midpoint(before, reached)] {
        let limit = limit.to_string();
        let found = data
            .replay(&[&ONE[..], &["--money", &limit]].concat())
            .json();
        assert_eq!(found["mean_annotations"], 40.0, "{found}");
        assert_eq!(found["stopped"]["reasons"]["budget"], 1);
        assert_eq!(found["money"]["mean"].as_f64().unwrap(), reached);
        let signature = found["signature"].as_str().unwrap();
        assert_contains(signature, &[&format!("money:{limit}")]);
        assert_eq!(found.get("time"), None);
    }
}

#[test]
fn an_answer_without_a_price_counts_as_the_mean_of_the_others() {
    let data = Priced::new();
    let prices: Vec<f64> = comparisons(data.0.path())
        .iter()
        .filter_map(|row| row["price"].as_f64())
        .collect();
    let mean = prices.iter().sum::<f64>() / prices.len() as f64;
    assert!(OTHER < mean && mean < EXPERT);
    let found = data
        .replay(&["--runs", "40", "--budget", "300", "--json"])
        .json();
    let each =
        found["money"]["mean"].as_f64().unwrap() / found["mean_annotations"].as_f64().unwrap();
    assert!((each / mean - 1.0).abs() < 0.2, "{each} beside {mean}");
}

#[test]
fn replays_say_what_is_paid_however_the_table_is_written() {
    let data = Priced::new();
    let replays = ["--runs", "6", "--budget", "2500"];
    let found = data.replay(&[&replays[..], &["--json"]].concat()).json();
    let money = &found["money"];
    assert!(money["complexity"]["value"].is_number(), "{money}");
    let said = data.replay(&replays).ok();
    let line = said
        .lines()
        .find(|line| line.starts_with("money paid"))
        .unwrap();
    assert_contains(
        line,
        &[
            " a replay; ",
            "] until 95 % of replays are right and stay right",
        ],
    );
    for form in ["csv", "parquet"] {
        let other = tempfile::tempdir().unwrap();
        fs::copy(
            data.path("outputs.jsonl"),
            other.path().join("outputs.jsonl"),
        )
        .unwrap();
        fs::copy(data.path("items.jsonl"), other.path().join("items.jsonl")).unwrap();
        let table = other.path().join(format!("comparisons.{form}"));
        let export = data.path("exported");
        let arguments = [
            "export",
            text(data.0.path()),
            "--as",
            form,
            "--out",
            text(&export),
        ];
        tiebreak(&arguments).ok();
        fs::copy(export.join(format!("comparisons.{form}")), &table).unwrap();
        fs::remove_dir_all(&export).unwrap();
        let again =
            tiebreak(&[&["simulate", text(other.path())], &replays[..], &["--json"]].concat());
        assert_eq!(again.json()["money"], *money, "{form}");
    }
}

#[test]
fn experiments_find_what_replays_pay() {
    let data = Priced::new();
    let file = data.path("grid.toml");
    let grid = "data-root = \".\"\n[[experiment]]\ndata = \".\"\nruns = 6\nbudget = 2500\n\
                [[table]]\nname = \"paid\"\ntitle = \"Paid\"\nvalue = [\"price-complexity\", \"mean-price\"]\n";
    fs::write(&file, here(grid)).unwrap();
    let out = data.path("out");
    tiebreak(&["run", text(&file), "--out", text(&out)]).ok();
    let replays = ["--runs", "6", "--budget", "2500", "--json"];
    let found = data.replay(&replays).json();
    let cells = super::tree(&out.join("cells"));
    let cell: Value = serde_json::from_slice(&cells[0].1).unwrap();
    let quantities = &cell["outcome"]["quantities"];
    assert_eq!(quantities["price-complexity"], found["money"]["complexity"]);
    assert_eq!(quantities["mean-price"]["value"], found["money"]["mean"]);
}

#[test]
fn a_report_says_what_was_paid_and_what_replays_pay() {
    let data = Priced::new();
    let file = data.path("priced.toml");
    fs::write(&file, "data = \".\"\n[[simulate]]\nruns = 2\nmoney = 20\n").unwrap();
    let out = data.path("out");
    tiebreak(&["run", text(&file), "--out", text(&out)]).ok();
    let rows = comparisons(data.0.path());
    let prices: Vec<f64> = rows
        .iter()
        .filter_map(|row| row["price"].as_f64())
        .collect();
    let (all, priced, paid) = (rows.len(), prices.len(), prices.iter().sum::<f64>());
    for page in ["report.html", "report.txt"] {
        let page = fs::read_to_string(out.join(page)).unwrap();
        for words in [
            &format!("{paid:.2} was paid for {priced} of {all} comparisons"),
            "money paid",
        ] {
            assert!(page.contains(words), "{words}");
        }
    }
}

#[test]
fn wrong_prices_are_refused_with_their_place() {
    let data = Priced::new();
    let row = |price: Value| json!({"item": "item-01", "system_a": "atlas", "system_b": "birch", "outcome": 1, "price": price});
    for (wrong, words) in [
        (
            json!(-0.5),
            "`price` is -0.5, expected a number not below 0",
        ),
        (
            json!("dear"),
            "`price` is \"dear\", expected a finite number",
        ),
    ] {
        let rows = format!("{}\n{}\n", row(json!(0)), row(wrong));
        fs::write(data.path("comparisons.jsonl"), &rows).unwrap();
        refused(&data.replay(&[]), &["comparisons.jsonl:2", words]);
        // A table by itself, which is read as other tools' tables are.
        let folder = tempfile::tempdir().unwrap();
        let lone = folder.path().join("lone.jsonl");
        fs::write(&lone, &rows).unwrap();
        refused(
            &tiebreak(&["simulate", text(&lone)]),
            &["lone.jsonl:2", words],
        );
    }
}

#[test]
fn there_is_no_limit_of_money_where_nothing_has_a_price() {
    let unpriced = tiebreak(&["simulate", "data/tiny", "--money", "1"]);
    refused(
        &unpriced,
        &["--money", "none of the comparisons has a price", "--budget"],
    );
    let none = tiebreak(&["simulate", "data/tiny", "--money", "0"]);
    refused(&none, &["--money", "0"]);
    let live = Live::new();
    refused(
        &live.begin("0.csv", &["--n", "4", "--money", "5"]),
        &["--money", "people's answers in a campaign have no price"],
    );
    assert!(!live.path("run").exists() && !live.path("0.csv").exists());
}
