//! Which outputs a campaign of ratings draws: evenly, by uncertainty, by strata; rated by criteria of one's own on one blind
//! sheet, finished or not; and what `sample` was.

use super::{Finished, text, tiebreak};
use crate::support::assert_contains;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

const SYSTEMS: [&str; 3] = ["atlas", "borea", "ceres"];
const ITEMS: usize = 40;

struct Campaign(tempfile::TempDir);

impl Campaign {
    fn new() -> Self {
        let campaign = Self(tempfile::tempdir().unwrap());
        let mut outputs = "item,system,source,output\n".to_string();
        let mut uncertain = "item,system,uncertainty\n".to_string();
        let mut strata = "item,stratum\n".to_string();
        for item in 0..ITEMS {
            for (place, system) in SYSTEMS.iter().enumerate() {
                // What it is worth stands in the text, as people would see it.
                let worth = 10 * place + item % 7;
                writeln!(outputs, "{item},{system},in {item},no {item} worth {worth}").unwrap();
                writeln!(uncertain, "{item},{system},{}", 1 + item % 4).unwrap();
            }
            writeln!(strata, "{item},{}", item % 3).unwrap();
        }
        fs::create_dir(campaign.path("data")).unwrap();
        campaign.file("data/outputs.csv", &outputs);
        campaign.file("uncertain.csv", &uncertain);
        campaign.file("strata.csv", &strata);
        campaign
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn file(&self, name: &str, content: &str) {
        fs::write(self.path(name), content).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Begins a campaign with all questions of its plan on `RUN.csv`; `worth` has no scale.
    fn ask(&self, run: &str, more: &[&str]) -> Finished {
        self.ask_as("rating:worth", run, more)
    }

    fn ask_as(&self, task: &str, run: &str, more: &[&str]) -> Finished {
        let (data, sheet) = (self.path("data"), self.path(&format!("{run}.csv")));
        let run = self.path(run);
        let ask = ["ask", text(&run), text(&data), "--task", task];
        tiebreak(&[&ask[..], &["--n", "999", "--out", text(&sheet)], more].concat())
    }

    fn tell(&self, sheet: &str) -> Finished {
        let (run, sheet) = (self.path("run"), self.path(sheet));
        tiebreak(&["tell", text(&run), text(&sheet), "--json"])
    }

    /// The plan of a campaign, as its journal has it.
    fn plan(&self, run: &str) -> Value {
        let journal = self.read(&format!("{run}/journal.jsonl"));
        let mut lines = journal.lines().map(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            line.get("plan").cloned()
        });
        lines.find_map(|plan| plan).unwrap()
    }

    /// The header of the sheet, and so many rows filled in as the texts say.
    fn filled(&self, rows: usize) -> (String, Vec<String>) {
        let sheet = self.read("run.csv");
        let mut lines = sheet.trim_start_matches('\u{feff}').lines();
        let header = lines.next().unwrap().to_string();
        let filled = lines.enumerate().map(|(place, line)| {
            let cells: Vec<&str> = line.split(',').collect();
            let [question, source, output, "", "", ""] = cells[..] else {
                panic!("{line}");
            };
            let worth = output.split(' ').next_back().unwrap();
            let score = if place < rows { worth } else { "" };
            format!("{question},{source},{output},{score},me,")
        });
        (header, filled.collect())
    }
}

#[test]
fn outputs_are_drawn_rated_blindly_and_estimated() {
    let campaign = Campaign::new();
    let uncertain = campaign.path("uncertain.csv");
    let by = ["--budget", "62", "--uncertainties", text(&uncertain)];
    let told = campaign.ask("run", &by).ok();
    assert_contains(&told, &["62 still to be rated"]);
    let sheet = campaign.read("run.csv");
    assert!(sheet.starts_with("\u{feff}question,source,text,worth,annotator,seconds\n"));
    assert!(SYSTEMS.iter().all(|system| !sheet.contains(system)));
    let mut counts: BTreeMap<u64, u32> = BTreeMap::new();
    for one in campaign.plan("run")["outputs"].as_array().unwrap() {
        *counts.entry(one["system"].as_u64().unwrap()).or_default() += 1;
    }
    assert_eq!(counts.into_values().collect::<Vec<_>>(), [21, 21, 20]);

    let (header, rows) = campaign.filled(50);
    campaign.file("filled.csv", &format!("{header}\n{}\n", rows.join("\n")));
    let status = campaign.tell("filled.csv").json();
    assert_eq!(
        (&status["told"]["new"], &status["left"]["questions"]),
        (&json!(50), &json!(12)),
        "{status}"
    );
    let run = campaign.path("run");
    let found = tiebreak(&["estimate", text(&run), "--criterion", "worth", "--json"]).json();
    let rows = found["estimates"].as_array().unwrap();
    assert_eq!(rows.len(), 3);
    for (place, row) in rows.iter().enumerate() {
        assert_eq!(row["system"], SYSTEMS[place]);
        assert!(row["estimator"].as_str().unwrap().starts_with("active"));
        // The mean of i % 7 over forty items is 2.875, of standard deviation 2.
        let error = row["estimate"].as_f64().unwrap() - (10 * place) as f64 - 2.875;
        assert!(error.abs() < 2.5, "{row}");
        assert!(row["lower"].as_f64() < row["estimate"].as_f64(), "{row}");
        assert!(row["range"].is_null(), "{row}");
    }
}

#[test]
fn fewer_rows_never_shrink_what_was_read() {
    let campaign = Campaign::new();
    campaign.ask("run", &["--budget", "30"]).ok();
    let (header, rows) = campaign.filled(30);
    let part = |name: &str, rows: &[String]| {
        campaign.file(name, &format!("{header}\n{}\n", rows.join("\n")));
    };
    part("first.csv", &rows[..20]);
    part("second.csv", &rows[15..]);
    let answered = |sheet: &str| {
        let status = campaign.tell(sheet).json();
        let answered = status["questions"]["answered"].as_u64().unwrap();
        (answered, status["estimates"].clone())
    };
    assert_eq!(answered("first.csv").0, 20);
    let all = answered("second.csv");
    assert_eq!(all.0, 30);
    assert_eq!(answered("first.csv"), all);
}

#[test]
fn the_same_seed_draws_the_same_and_another_does_not() {
    let campaign = Campaign::new();
    let drawn = |run: &str, seed: &str| {
        campaign.ask(run, &["--budget", "30", "--seed", seed]).ok();
        // Codes of questions are the campaign's own.
        let sheet = campaign.read(&format!("{run}.csv"));
        let asked = sheet.lines().map(|line| line.split_once(',').unwrap().1);
        (campaign.plan(run), asked.collect::<Vec<_>>().join("\n"))
    };
    assert_eq!(drawn("one", "3"), drawn("two", "3"));
    assert_ne!(drawn("three", "4").0, campaign.plan("one"));
}

#[test]
fn strata_get_their_share() {
    let campaign = Campaign::new();
    let strata = campaign.path("strata.csv");
    let by = ["--budget", "60", "--strata", text(&strata)];
    campaign.ask("run", &by).ok();
    let mut counts = [0; 3];
    for one in campaign.plan("run")["outputs"].as_array().unwrap() {
        // Items are in the order of the data set.
        let stratum = one["item"].as_u64().unwrap() as usize % 3;
        let [n, outputs] = [[7, 7, 6][stratum], [14, 13, 13][stratum]];
        counts[stratum] += 1;
        let probability = one["p"].as_f64().unwrap();
        assert!(
            (probability - f64::from(n) / f64::from(outputs)).abs() < 1e-12,
            "{one}"
        );
    }
    assert_eq!(counts, [21, 21, 18]);
}

/// What is said about a mistake.
fn mistake(finished: &Finished, phrase: &str) {
    finished.refused(&[phrase]);
}

#[test]
fn mistakes_in_drawing_are_told_before_anything_is_begun() {
    let campaign = Campaign::new();
    campaign.file("few.csv", "item,uncertainty\n1,0.5\n");
    campaign.file("negative.csv", "item,uncertainty\n1,-0.5\n");
    for (table, phrase) in [
        ("few.csv", "no uncertainty of system `atlas`"),
        ("negative.csv", "uncertainty is -0.5"),
        ("strata.csv", "uncertainty"),
    ] {
        let table = campaign.path(table);
        let asked = campaign.ask("c", &["--budget", "9", "--uncertainties", text(&table)]);
        mistake(&asked, phrase);
    }
    let strata = campaign.path("strata.csv");
    let by = ["--budget", "15", "--strata", text(&strata)];
    mistake(&campaign.ask("c", &by), "at least two of each stratum");
    let pilot = ["--budget 60 --strata", text(&strata), "--pilot old"];
    assert_eq!(campaign.ask("c", &pilot).code, Some(2));
    mistake(
        &campaign.ask("c", &["--target-width", "2"]),
        "`worth` has no scale",
    );
    mistake(
        &campaign.ask_as("rating:worth=1", "c", &["--budget", "9"]),
        "rating:worth=0..100",
    );
    assert!(!campaign.path("c").exists() && !campaign.path("c.csv").exists());
}
