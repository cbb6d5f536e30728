//! `--model` in `simulate`, `ask` and `tell`: a model that is asked only for the predictions that are needed.

use super::{Finished, command, here, text, tiebreak, tree, typed};
use crate::support::{assert_contains, table_rows};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::process::Stdio;

/// A threshold below which about half of the predictions of the tiny model lie.
const SELECT: [&str; 4] = ["--bandit", "rmed", "--select", "bald:0.00001"];

/// A folder with all predictions of the tiny model on the tiny data set.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self::asked(&["--draws", "3"])
    }

    /// The same, asked in another way.
    fn asked(how: &[&str]) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        let all = folder.path("all.csv");
        let predict = ["predict", "data/tiny", "--model", "tiny-electra"];
        tiebreak(&[&predict[..], how, &["--out", text(&all)]].concat()).ok();
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Ranks with the whole table, or with the model and what is kept in `cache`.
    fn simulate(&self, cache: Option<&str>, more: &[&str]) -> Finished {
        let path = self.path(cache.unwrap_or("all.csv"));
        let asked = ["--model", "tiny-electra", "--cache", text(&path)];
        let read = ["--predictions", text(&path)];
        let from: &[&str] = if cache.is_some() { &asked } else { &read };
        tiebreak(&[&["simulate", "data/tiny", "--json"], from, more].concat())
    }

    /// The rows of a table by item and pair.
    fn rows(&self, name: &str) -> BTreeMap<[String; 3], Vec<Value>> {
        let rows = tiebreak::records::reader::TableReader::open(
            &self.path(name),
            &tiebreak::records::reader::ColumnMapping::default(),
        );
        let row = |row: tiebreak::Result<tiebreak::records::reader::Row>| {
            let row = row.unwrap();
            let key = ["item", "system_a", "system_b"].map(|name| row.text(name).unwrap());
            let numbers = ["p", "mean", "bald", "std"];
            let numbers = numbers.map(|name| row.optional_number(name).unwrap().into());
            (key, numbers.to_vec())
        };
        rows.unwrap().map(row).collect()
    }
}

#[test]
fn the_numbers_are_those_of_a_whole_table_of_which_little_is_made() {
    let folder = Folder::new();
    let few = [&SELECT[..], &["--budget", "40"]].concat();
    let asked = folder.simulate(Some("kept"), &[&few[..], &["--draws", "3"]].concat());
    let note = asked.stderr.clone();
    assert_eq!(asked.ok(), folder.simulate(None, &few).ok());
    let (all, kept) = (folder.rows("all.csv"), folder.rows("kept"));
    assert!(
        !kept.is_empty() && 3 * kept.len() < all.len(),
        "{}",
        kept.len()
    );
    assert!(kept.iter().all(|(key, numbers)| all[key] == *numbers));
    let told = format!("predicted {} of {} pairs", kept.len(), all.len());
    assert_contains(&note, &[&told]);
    // The same again asks nothing; several runs ask about what was judged, whatever the threads.
    let asked = [&few[..], &["--draws", "3"]].concat();
    assert!(
        !folder
            .simulate(Some("kept"), &asked)
            .stderr
            .contains("predicted")
    );
    let many = [&SELECT[..], &["--runs", "6"]].concat();
    for (cache, threads) in [("kept", "1"), ("fresh", "3")] {
        let asked = ["--draws", "3", "--threads", threads];
        let asked = folder
            .simulate(Some(cache), &[&many[..], &asked].concat())
            .ok();
        assert_eq!(asked, folder.simulate(None, &many).ok());
    }
    assert!(tree(&folder.path("kept")) == tree(&folder.path("fresh")));
    let kept = folder.path("kept");
    let ranked = folder.simulate(None, &many).ok();
    assert_eq!(folder_ranks(&kept, &many), ranked);
    let assess = ["assess data/tiny --predictions", text(&kept), "--json"];
    assert_eq!(tiebreak(&assess).json()["counts"]["unpredicted"], 0);
}

/// What is kept is a table like any other.
fn folder_ranks(table: &std::path::Path, more: &[&str]) -> String {
    let rank = ["simulate data/tiny --json --predictions", text(table)];
    tiebreak(&[&rank[..], more].concat()).ok()
}

#[test]
fn however_a_model_is_asked_the_numbers_are_those_of_the_table() {
    let draws = "adaptive:bald=0.00001,most=10";
    let draw = format!("--draws {draws}");
    let how = [&draw, "--dropout last-layer", "--precision bf16"];
    let folder = Folder::asked(&how);
    let few = [&SELECT[..], &["--budget", "40"]].concat();
    let asked = folder.simulate(Some("kept"), &[&few[..], &how].concat());
    assert_eq!(asked.ok(), folder.simulate(None, &few).ok());
    let (all, kept) = (folder.rows("all.csv"), folder.rows("kept"));
    assert!(!kept.is_empty() && kept.len() < all.len());
    assert!(kept.iter().all(|(key, numbers)| all[key] == *numbers));
    let usual = folder.simulate(Some("usual"), &[&few[..], &["--draws", "10"]].concat());
    usual.ok();
    let usual = folder.rows("usual");
    assert!(
        kept.keys()
            .any(|key| usual.get(key).is_some_and(|numbers| *numbers != kept[key]))
    );
    // A pipeline spells it in the same words.
    let pipeline = folder.path("p.toml");
    let stage = format!(
        "data = \"data/tiny\"\n[[simulate]]\nname = \"asked\"\nmodel = \"tiny-electra\"\nbandit = \"rmed\"\n\
         budget = 40\nselect = {{ by = \"bald\", above = 0.00001 }}\ndraws = \"{draws}\"\n\
         dropout = \"last-layer\"\nprecision = \"bf16\"\n"
    );
    fs::write(&pipeline, here(&stage)).unwrap();
    tiebreak(&["run", text(&pipeline), "--out", text(&folder.path("run"))]).ok();
    assert_eq!(
        tree(&folder.path("run/simulate/asked/predictions")),
        tree(&folder.path("kept"))
    );
    // A live run goes on as it was begun.
    let ask = |more: &[&str], sheet: &str| {
        let (run, sheet) = (folder.path("live"), folder.path(sheet));
        tiebreak(
            &[
                &["ask", text(&run)],
                more,
                &["--n", "9", "--out", text(&sheet)],
            ]
            .concat(),
        )
    };
    let begin = [&["data/tiny", "--model", "tiny-electra"], &SELECT[..], &how].concat();
    ask(&begin, "one.csv").ok();
    ask(&[], "two.csv").ok();
    let live = folder.rows("live/predictions");
    assert!(live.iter().all(|(key, numbers)| all[key] == *numbers));
    let other = ask(&["--dropout", "all"], "three.csv");
    assert_eq!(other.code, Some(2), "{}", other.stderr);
    // What was kept of one way is not taken for another.
    for (left_out, says) in [
        (0, ["draws = adaptive:bald=0.00001,most=10", "draws = 20"]),
        (1, ["dropout-in = last-layer", "dropout-in = (not set)"]),
        (2, ["arithmetic = bf16", "arithmetic = (not set)"]),
    ] {
        let rest = [&how[..left_out], &how[left_out + 1..]].concat();
        let other = folder.simulate(Some("kept"), &[&few[..], &rest].concat());
        assert_eq!(other.code, Some(2));
        for says in says {
            assert_contains(&other.stderr, &[says]);
        }
    }
}

#[test]
fn what_needs_all_predictions_takes_all_or_a_sample() {
    let folder = Folder::new();
    // Preferences need no draws; the table above has some, but the same preferences.
    let whole = folder.simulate(Some("whole"), &[]).json();
    let table = folder.simulate(None, &[]).json();
    assert_eq!(whole["ranking"], table["ranking"]);
    assert_eq!(folder.rows("whole").len(), folder.rows("all.csv").len());
    let items = |name: &str| -> BTreeSet<String> {
        folder
            .rows(name)
            .into_keys()
            .map(|[item, ..]| item)
            .collect()
    };
    let sampled = |n| {
        folder
            .simulate(Some(&format!("sample-{n}")), &["--sample", n])
            .json()
    };
    let (small, large) = (sampled("5"), sampled("20"));
    assert_eq!((items("sample-5").len(), items("sample-20").len()), (5, 20));
    assert!(items("sample-5").is_subset(&items("sample-20")));
    assert_ne!(small["signature"], large["signature"]);
    // What was asked before does not change what a sample says.
    let again = folder
        .simulate(Some("sample-20"), &["--sample", "5"])
        .json();
    assert_eq!(again, small);
    for eliminate in ["alpha=0.6", "formula=released"] {
        let more = ["--bandit", "rmed", "--eliminate", eliminate];
        let asked = folder.simulate(Some("drawn"), &[&more[..], &["--draws", "3"]].concat());
        assert_eq!(asked.ok(), folder.simulate(None, &more).ok(), "{eliminate}");
    }
    let advised = ["--bandit", "rmed", "--select", "auto"];
    let asked = [&advised[..], &["--draws", "3"]].concat();
    let asked = folder.simulate(Some("drawn"), &asked).ok();
    assert_eq!(asked, folder.simulate(None, &advised).ok());
    // How close preferences are to a half needs no draws either.
    for select in ["margin:auto", "margin:0.9"] {
        let close = ["--bandit", "rmed", "--select", select];
        let asked = folder.simulate(Some("whole"), &close).json();
        let read = folder.simulate(None, &close).json();
        for key in ["accuracy", "model_answers"] {
            assert_eq!(asked[key], read[key], "{select}");
        }
    }
}

#[test]
fn a_live_run_goes_on_by_its_name_and_at_the_terminal() {
    let folder = Folder::new();
    let all = folder.path("all.csv");
    let from = [
        ("read", vec!["--predictions", text(&all)]),
        (
            "asked",
            vec!["--model", "models/tiny-electra", "--draws", "3"],
        ),
    ];
    let mut ends = Vec::new();
    for (name, from) in from {
        let run = folder.path(name);
        let run = text(&run);
        let sheet = |round: &str| folder.path(&format!("{name}-{round}.csv"));
        let (one, two) = (sheet("one"), sheet("two"));
        let begin = [&["ask", run, "data/tiny"], &SELECT[..], &from].concat();
        tiebreak(&[&begin[..], &["--n", "12", "--out", text(&one)]].concat()).ok();
        let unanswered = fs::read_to_string(&one).unwrap();
        let filled = unanswered.replace(",,,\n", ",1,,\n");
        fs::write(&one, filled).unwrap();
        tiebreak(&["tell", run, text(&one)]).ok();
        let asked = ["ask", run, "--n", "8", "--json", "--out", text(&two)];
        let status = tiebreak(&asked).json();
        let texts = |sheet: PathBuf| {
            let mut reader = csv::Reader::from_path(sheet).unwrap();
            let texts = reader.records().map(|row| {
                let row = row.unwrap();
                BTreeSet::from([row[3].to_string(), row[4].to_string()])
            });
            texts.collect::<BTreeSet<_>>()
        };
        ends.push((
            texts(two),
            status["model_answers"].clone(),
            status["rivals"].clone(),
        ));
    }
    assert_eq!(ends[0], ends[1]);
    assert!(ends[1].1.as_u64() > Some(0));
    let (kept, all) = (folder.rows("asked/predictions"), folder.rows("all.csv"));
    assert!(
        3 * kept.len() < all.len(),
        "{} of {}",
        kept.len(),
        all.len()
    );
    let settings = fs::read_to_string(folder.path("asked/campaign.toml")).unwrap();
    assert_contains(&settings, &["models/tiny-electra\""]);
    let report = tiebreak(&["report", text(&folder.path("asked"))]).ok();
    assert_contains(&report, &["tiny-electra"]);
    let live = folder.path("live");
    let how = "data/tiny --bandit rmed --mix 0.5 --model tiny-electra";
    let how: Vec<&str> = how.split(' ').collect();
    let console = [&["ask", text(&live)], &how[..]].concat();
    typed(&console, "1\n2\nq\n").ok();
    typed(&console, "q\n").ok();
    assert!(!folder.rows("live/predictions").is_empty());
}

#[test]
fn mistakes_are_refused_with_what_to_do() {
    let folder = Folder::new();
    let simulate = |cache: &str, flags: &str| {
        let flags = flags.replace("SELECT", &SELECT.join(" "));
        let flags: Vec<&str> = flags.split(' ').collect();
        folder.simulate((!cache.is_empty()).then_some(cache), &flags)
    };
    simulate("kept", "SELECT --draws 3 --budget 5").ok();
    for [cache, flags, says] in table_rows(
        "kept     | SELECT --draws 4               | begun with draws = 3 && now draws = 4 && another name
         kept     | SELECT --draws 3 --seed 7      | seed = 42 && seed = 7
         kept     | SELECT --draws 0               | draws = 3 && draws = (not set)
         undrawn  | SELECT --draws 0               | no uncertainty
         kept     | SELECT --sample 0              | --sample
         kept.csv | SELECT                         | kept.csv && need a folder && without an extension
                  | --draws 3                      | --draws: this is for a model && --model
                  | --dropout all                  | --dropout: this is for a model && --model
                  | --precision f32                | --precision: this is for a model && --model
                  | --order both                   | --order: this is for a model && --model
         kept     | SELECT --dropout some          | `all` or `last-layer`
         kept     | SELECT --precision int4        | `f32`, `bf16`, `int8`
         kept     | SELECT --draws adaptive:most=3 | most is 3 && at least 5
         kept     | --predictions p.csv            | --model && --predictions
         kept2    | --bandit rmed                  | --mix && --select",
    ) {
        simulate(cache, flags).refused(&says.split(" && ").collect::<Vec<_>>());
    }
    let pipeline = folder.path("p.toml");
    let unasked = "data = \"data/tiny\"\n[[simulate]]\nsample = 5\n";
    fs::write(&pipeline, here(unasked)).unwrap();
    let run = |out: &str| tiebreak(&["run", text(&pipeline), "--out", text(&folder.path(out))]);
    run("a").refused(&["p.toml:3: sample: this is for a model"]);
    let asked = "data = \"data/tiny\"\n[[simulate]]\nmodel = \"tiny-electra\"\nsample = 5\nbandit = \"adaptive\"\n";
    fs::write(&pipeline, here(asked)).unwrap();
    run("b").ok();
    let kept = "b/simulate/adaptive+tiny-electra/predictions";
    assert_eq!(folder.rows(kept).len(), 5 * 21);
    // While one command writes to a table no other does.
    let live = folder.path("live");
    let how = "data/tiny --bandit rmed --mix 0.5 --model tiny-electra";
    let how: Vec<&str> = how.split(' ').collect();
    let mut child = command(&[&["ask", text(&live)], &how[..]].concat())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while !live.join("campaign.toml").exists() {
        assert!(child.try_wait().unwrap().is_none());
        std::thread::yield_now();
    }
    let other = folder.simulate(Some("live/predictions"), &["--draws", "0"]);
    other.refused(&["another tiebreak is using it"]);
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
}
