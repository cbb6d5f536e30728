//! `sample`: drawn, judged on a sheet, read back, estimated; and mistakes.

use super::{Finished, text, tiebreak};
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
                // What it is worth stands in the text, as judges would see it.
                let worth = 10 * place + item % 7;
                writeln!(outputs, "{item},{system},in {item},worth {worth}").unwrap();
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

    fn draw(&self, out: &str, more: &[&str]) -> Finished {
        let (data, out) = (self.path("data"), self.path(out));
        let draw = ["sample", "draw", text(&data), "--out", text(&out)];
        tiebreak(&[&draw[..], more].concat())
    }

    fn told(&self, sheet: &str, more: &[&str]) -> Finished {
        let (sample, sheet, out) = (self.path("campaign"), self.path(sheet), self.path("judged"));
        let read = [
            "sample",
            "read",
            text(&sample),
            text(&sheet),
            "--out",
            text(&out),
        ];
        tiebreak(&[&read[..], &["--criterion", "worth"], more].concat())
    }

    /// The sheet of the campaign with the first rows filled in as the texts say.
    fn filled(&self, rows: usize) -> String {
        let sheet = self.read("campaign/sheet.csv");
        let mut lines = sheet.trim_start_matches('\u{feff}').lines();
        let mut filled = lines.next().unwrap().to_string() + "\n";
        for (place, line) in lines.enumerate() {
            let cells: Vec<&str> = line.split(',').collect();
            let [question, source, output, "", "", ""] = cells[..] else {
                panic!("{line}");
            };
            let worth = output.strip_prefix("worth ").unwrap();
            let score = if place < rows { worth } else { "" };
            writeln!(filled, "{question},{source},{output},{score},me,").unwrap();
        }
        filled
    }
}

#[test]
fn a_sample_is_drawn_judged_blindly_and_estimated() {
    let campaign = Campaign::new();
    let uncertain = campaign.path("uncertain.csv");
    let by = ["--budget", "62", "--uncertainties", text(&uncertain)];
    let told = campaign.draw("campaign", &by).ok();
    assert!(told.contains("sheet.csv"), "{told}");
    let sheet = campaign.read("campaign/sheet.csv");
    assert!(sheet.starts_with("\u{feff}question,source,text,score,annotator,seconds\n"));
    assert!(SYSTEMS.iter().all(|system| !sheet.contains(system)));
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for line in campaign.read("campaign/sample.csv").lines().skip(1) {
        let system = line.split(',').nth(2).unwrap();
        *counts.entry(system.to_string()).or_default() += 1;
    }
    assert_eq!(counts.into_values().collect::<Vec<_>>(), [21, 21, 20]);

    campaign.file("filled.csv", &campaign.filled(50));
    let judged = campaign.told("filled.csv", &["--json"]).json();
    assert_eq!(
        judged,
        serde_json::json!({ "judgments": 50, "outputs": 50, "open": 12 })
    );
    fs::copy(
        campaign.path("judged/judgments.csv"),
        campaign.path("data/judgments.csv"),
    )
    .unwrap();
    let (data, probabilities) = (
        campaign.path("data"),
        campaign.path("judged/probabilities.csv"),
    );
    let estimate = ["estimate", text(&data), "--estimator", "active", "--json"];
    let found = tiebreak(&[&estimate[..], &["--probabilities", text(&probabilities)]].concat());
    let found = found.json();
    let rows = found["estimates"].as_array().unwrap();
    assert_eq!(rows.len(), 3);
    for (place, row) in rows.iter().enumerate() {
        assert_eq!(row["system"], SYSTEMS[place]);
        // The mean of i % 7 over forty items is 2.875, of standard deviation 2.
        let error = row["estimate"].as_f64().unwrap() - (10 * place) as f64 - 2.875;
        assert!(error.abs() < 2.5, "{row}");
        assert!(row["lower"].as_f64() < row["estimate"].as_f64(), "{row}");
    }
}

#[test]
fn fewer_sheets_never_shrink_what_was_read() {
    let campaign = Campaign::new();
    campaign.draw("campaign", &["--budget", "30"]).ok();
    let filled = campaign.filled(30);
    let (header, rows) = filled.split_once('\n').unwrap();
    let rows: Vec<&str> = rows.lines().collect();
    campaign.file(
        "first.csv",
        &format!("{header}\n{}\n", rows[..20].join("\n")),
    );
    campaign.file(
        "second.csv",
        &format!("{header}\n{}\n", rows[15..].join("\n")),
    );
    let judged = campaign.told("first.csv", &["--json"]).json();
    assert_eq!(
        (&judged["outputs"], &judged["open"]),
        (&20.into(), &10.into())
    );
    let judged = campaign.told("second.csv", &["--json"]).json();
    assert_eq!(
        (&judged["outputs"], &judged["open"]),
        (&30.into(), &0.into())
    );
    let again = campaign.told("first.csv", &["--json"]).json();
    assert_eq!(again, judged);
    let [sample, sheet, out] = ["campaign", "first.csv", "judged"].map(|name| campaign.path(name));
    let read = [
        "sample",
        "read",
        text(&sample),
        text(&sheet),
        "--out",
        text(&out),
    ];
    let other = tiebreak(&[&read[..], &["--criterion", "length"]].concat());
    mistake(&other, "another sample or criterion");
}

#[test]
fn the_same_seed_draws_the_same_and_another_does_not() {
    let campaign = Campaign::new();
    let drawn = |out: &str, seed: &str| {
        campaign.draw(out, &["--budget", "30", "--seed", seed]).ok();
        campaign.read(&format!("{out}/sample.csv")) + &campaign.read(&format!("{out}/sheet.csv"))
    };
    assert_eq!(drawn("one", "3"), drawn("two", "3"));
    assert_ne!(drawn("three", "4"), campaign.read("one/sample.csv"));
}

#[test]
fn strata_get_their_share() {
    let campaign = Campaign::new();
    let strata = campaign.path("strata.csv");
    let by = ["--budget", "60", "--strata", text(&strata)];
    campaign.draw("campaign", &by).ok();
    let mut counts = [0; 3];
    for line in campaign.read("campaign/sample.csv").lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let stratum = cells[1].parse::<usize>().unwrap() % 3;
        let [n, outputs] = [[7, 7, 6][stratum], [14, 13, 13][stratum]];
        counts[stratum] += 1;
        let probability: f64 = cells[3].parse().unwrap();
        assert!(
            (probability - f64::from(n) / f64::from(outputs)).abs() < 1e-12,
            "{line}"
        );
    }
    assert_eq!(counts, [21, 21, 18]);
}

/// What is said about a mistake.
fn mistake(finished: &Finished, phrase: &str) {
    assert_eq!(finished.code, Some(2), "{}", finished.stderr);
    assert!(finished.stderr.contains(phrase), "{}", finished.stderr);
}

#[test]
fn mistakes_in_drawing_are_told() {
    let campaign = Campaign::new();
    mistake(
        &campaign.draw("c", &["--budget", "2"]),
        "at least one output of each of 3",
    );
    mistake(&campaign.draw("c", &["--budget", "0"]), "--budget");
    campaign.file("few.csv", "item,uncertainty\n1,0.5\n");
    campaign.file("negative.csv", "item,uncertainty\n1,-0.5\n");
    let strata = campaign.path("strata.csv");
    for (table, phrase) in [
        ("few.csv", "no uncertainty of system `atlas`"),
        ("negative.csv", "uncertainty is -0.5"),
        ("strata.csv", "uncertainty"),
    ] {
        let table = campaign.path(table);
        let drawn = campaign.draw("c", &["--budget", "9", "--uncertainties", text(&table)]);
        mistake(&drawn, phrase);
    }
    let by = ["--budget", "15", "--strata", text(&strata)];
    mistake(&campaign.draw("c", &by), "at least two of each stratum");
    let pilot = [
        "--budget",
        "60",
        "--strata",
        text(&strata),
        "--criterion",
        "worth",
    ];
    assert_eq!(campaign.draw("c", &pilot).code, Some(2));
    mistake(
        &campaign.draw("c", &["--budget", "9", "--uniform", "0.5"]),
        "--uncertainties",
    );
    assert!(!campaign.path("c").exists());
    campaign.draw("c", &["--budget", "9"]).ok();
    mistake(&campaign.draw("c", &["--budget", "9"]), "may hold answers");
}

#[test]
fn mistakes_on_sheets_are_told() {
    let campaign = Campaign::new();
    campaign.file("none.csv", "question,score\n");
    mistake(&campaign.told("none.csv", &[]), "no sample was drawn here");
    campaign.draw("campaign", &["--budget", "9"]).ok();
    let filled = campaign.filled(9);
    let first = filled.lines().nth(1).unwrap();
    let question = first.split(',').next().unwrap();
    for (sheet, phrase) in [
        ("question,score\n".to_string(), "no score yet"),
        ("question,answer\nx,1\n".to_string(), "score"),
        (
            "question,score\nqqqqqqqqq,1\n".to_string(),
            "not of this sample",
        ),
        (format!("question,score\n{question},good\n"), "score"),
        (
            format!("question,score\n{question},1\n{question},2\n"),
            "score is 2, but it is 1",
        ),
    ] {
        campaign.file("wrong.csv", &sheet);
        mistake(&campaign.told("wrong.csv", &[]), phrase);
    }
    // The same twice is harmless, and two people may judge one output.
    let twice =
        format!("question,score,annotator\n{question},1,a\n{question},1,a\n{question},3,b\n");
    campaign.file("twice.csv", &twice);
    let judged = campaign.told("twice.csv", &["--json"]).json();
    assert_eq!(
        (&judged["judgments"], &judged["outputs"]),
        (&2.into(), &1.into())
    );
}
