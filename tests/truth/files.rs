//! Files of comparisons and judgments: `check`, `rank`, `estimate`, `correlate`, and a pipeline with its report.

mod cases;
mod correlated;
mod counted;
mod estimated;
mod ranked;

use super::{Grid, Sayings, grids_of_page, grids_of_text};
use crate::cli::{text, tiebreak};
use cases::{CASES, Case};
use rayon::prelude::*;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use tiebreak::layout::{number, same_decimals};

/// What breaks a walk.
type Change<'a> = &'a dyn Fn(&mut Walk);

/// What a command says with `--json`, and as text.
#[derive(Debug, Clone)]
struct Both {
    json: Value,
    text: String,
}

/// Everything that is said of a data set.
#[derive(Debug, Clone)]
struct Walk {
    check: Both,
    rank: Option<Both>,
    estimate: Option<Both>,
    correlate: Both,
    /// `report.json` and `report.txt`.
    report: Both,
    page: String,
}

impl Both {
    fn new(arguments: &[&str]) -> Self {
        Self {
            json: tiebreak(&[arguments, &["--json"]].concat()).json(),
            text: tiebreak(arguments).ok(),
        }
    }
}

impl Walk {
    fn new(case: &Case) -> Self {
        let folder = case.written();
        let (data, beside) = (text(folder.path()), tempfile::tempdir().unwrap());
        let scores = beside.path().join("scores.csv");
        let score = ["score", data, "--metric", "length", "--out", text(&scores)];
        tiebreak(&score).ok();
        let correlate = [
            "correlate",
            data,
            "--scores",
            text(&scores),
            "--metric length",
        ];
        let few = ["--resamples", "100"];
        let rank = [&["rank", data], case.rank].concat();
        let estimate = [&["estimate", data, "--differences"], case.criterion()].concat();
        let (report, page) = run(case, folder.path(), beside.path());
        Self {
            check: Both::new(&["check", data]),
            rank: case.comparisons.map(|_| Both::new(&rank)),
            estimate: case.judgments.map(|_| Both::new(&estimate)),
            correlate: Both::new(&[&correlate[..], &few].concat()),
            report,
            page,
        }
    }

    /// What is said twice and differently, or does not go together.
    fn sayings(&self, case: &Case) -> Sayings {
        let mut sayings = Sayings::default();
        counted::say(self, &mut sayings);
        if let Some(rank) = &self.rank {
            ranked::say(rank, self, &mut sayings);
        }
        if let Some(estimate) = &self.estimate {
            estimated::say(estimate, self, case.systems, &mut sayings);
        }
        correlated::say(self, &mut sayings);
        let commands = [&self.check, &self.correlate].into_iter();
        let commands = commands.chain(&self.rank).chain(&self.estimate);
        for said in commands.chain([&self.report]) {
            sayings.demand_plain_words(&said.text, "text");
        }
        sayings.demand_plain_words(&self.page, "report.html");
        sayings
    }
}

/// A pipeline of everything, and its report.
fn run(case: &Case, data: &Path, beside: &Path) -> (Both, String) {
    let criterion = match case.criterion() {
        [_, criterion] => format!("criterion = \"{criterion}\"\n"),
        _ => String::new(),
    };
    let style = if case.rank.is_empty() {
        ""
    } else {
        "style = true\n"
    };
    let mut stages = format!(
        "data = \"{}\"\n[[score]]\nmetric = \"length\"\n",
        text(data)
    );
    if case.comparisons.is_some() {
        stages += &format!("[[rank]]\n{style}");
    }
    if case.judgments.is_some() {
        stages += &format!("[[estimate]]\ndifferences = true\n{criterion}");
    }
    stages += "[[correlate]]\nmetric = \"length\"\nresamples = 100\n";
    let (pipeline, out) = (beside.join("p.toml"), beside.join("run"));
    fs::write(&pipeline, stages).unwrap();
    tiebreak(&["run", text(&pipeline), "--out", text(&out)]).ok();
    let read = |name: &str| fs::read_to_string(out.join(name)).unwrap();
    let report = Both {
        json: serde_json::from_str(&read("report.json")).unwrap(),
        text: read("report.txt"),
    };
    (report, read("report.html"))
}

fn list<'a>(of: &'a Value, key: &str) -> &'a [Value] {
    of[key].as_array().map_or(&[], Vec::as_slice)
}

fn words<'a>(of: &'a Value, key: &str) -> &'a str {
    of[key].as_str().unwrap_or_default()
}

/// The ends of an interval as JSON has them, and as texts write them.
fn ends(of: &Value) -> (Option<(f64, f64)>, String) {
    let found = of["lower"].as_f64().zip(of["upper"].as_f64());
    let written = found.map(|(low, high)| format!("[{}, {}]", number(low), number(high)));
    (found, written.unwrap_or_else(|| "–".to_string()))
}

/// The first whole number before these words in a text.
fn before(text: &str, words: &str) -> Option<String> {
    let head = &text[..text.find(words)?];
    let last = head.trim_end().rsplit([' ', '\n', '(']).next()?;
    let n = last.replace(',', "").parse::<u64>().ok();
    n.map(|n| n.to_string())
}

/// The names in a list.
fn names(of: &Value) -> Vec<&str> {
    let names = of.as_array().map_or(&[][..], Vec::as_slice);
    names.iter().filter_map(Value::as_str).collect()
}

/// The tables of a command, of the report and of its page.
fn forms<'a>(command: &str, name: &'a str, walk: &Walk) -> [(&'a str, Vec<Grid>); 3] {
    [
        (name, grids_of_text(command)),
        ("report.txt", grids_of_text(&walk.report.text)),
        ("report.html", grids_of_page(&walk.page)),
    ]
}

/// `2`, or `1–3` where it may be any of these; nothing where an end is not known.
fn places(low: &Value, high: &Value) -> Option<String> {
    let (low, high) = low.as_u64().zip(high.as_u64())?;
    Some(if low == high {
        low.to_string()
    } else {
        format!("{low}–{high}")
    })
}

#[test]
fn everything_that_is_said_of_files_is_said_once() {
    let walked: Vec<(usize, Vec<String>)> = CASES
        .par_iter()
        .map(|case| {
            let sayings = Walk::new(case).sayings(case);
            let faults = sayings.faults().into_iter();
            (
                sayings.shared(),
                faults
                    .map(|fault| format!("{}: {fault}", case.name))
                    .collect(),
            )
        })
        .collect();
    let faults: Vec<&String> = walked.iter().flat_map(|(_, faults)| faults).collect();
    assert!(faults.is_empty(), "{faults:#?}");
    assert!(
        walked.iter().all(|(shared, _)| *shared > 20),
        "little was heard: {walked:?}"
    );
}

/// A walk that finds nothing must not be one that looks at nothing.
#[test]
fn a_contradiction_on_any_page_is_found() {
    let case = CASES.iter().find(|case| case.name == "both").unwrap();
    let walk = Walk::new(case);
    let faults = |walk: &Walk| walk.sayings(case).faults();
    assert_eq!(faults(&walk), Vec::<String>::new());
    let broken = |change: &dyn Fn(&mut Walk)| {
        let mut walk = walk.clone();
        change(&mut walk);
        faults(&walk)
    };
    let strengths = list(&walk.rank.as_ref().unwrap().json, "strengths").iter();
    let strengths: Vec<f64> = strengths
        .filter_map(|one| one["strength"].as_f64())
        .collect();
    let write = same_decimals(strengths.iter().copied());
    let strongest = format!(">{}<", write(strengths[0]));
    let changes: [(&str, Change<'_>); 9] = [
        ("a rank", &|walk| {
            walk.rank.as_mut().unwrap().json["ranks"][0]["rank_high"] = 6.into();
        }),
        ("a group", &|walk| {
            walk.report.json["rankings"][0][1]["groups"] = json!([]);
        }),
        ("a strength", &|walk| {
            walk.page = walk.page.replace(&strongest, ">9.9<");
        }),
        ("a count", &|walk| walk.check.json["comparisons"] = 7.into()),
        ("an end", &|walk| {
            walk.estimate.as_mut().unwrap().json["estimates"][0]["upper"] = 1.into();
        }),
        ("a verdict", &|walk| {
            let one = &mut walk.estimate.as_mut().unwrap().json["differences"][0]["significant"];
            *one = (*one == false).into();
        }),
        ("a difference", &|walk| {
            walk.report.json["comparisons"][0][1]["differences"][1]["difference"] = 9.into();
        }),
        ("a coefficient", &|walk| {
            walk.correlate.text = walk.correlate.text.replace("0.", "1.");
        }),
        ("a headline", &|walk| {
            walk.report.json["summary"]["best"] = "inlet is the best.".into();
        }),
    ];
    for (what, change) in changes {
        assert!(!broken(change).is_empty(), "nobody notices {what}");
    }
}
