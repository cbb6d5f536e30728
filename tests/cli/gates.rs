//! `gate` as somebody puts it into a workflow: exit codes, reports, logs of other tools, what the guide says.

use super::{Finished, command, text, tiebreak};
use crate::support::{assert_contains, assert_lacks, table_rows};
use serde_json::{Value, json};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// A data set of one system's scores: item i has `score(i)`.
fn log(folder: &Path, name: &str, items: usize, score: impl Fn(usize) -> f64) -> PathBuf {
    let path = judged(&folder.join(name), items, &[("model", &score)]);
    let mut texts = String::new();
    for item in 0..items {
        let language = ["de", "fr", "cs"][item % 3];
        let row = json!({"item": format!("i{item}"), "source": "a question", "language": language});
        let _ = writeln!(texts, "{row}");
    }
    fs::write(path.join("items.jsonl"), texts).unwrap();
    path
}

/// A data set of scores: those of item i are `score(i)` of each system.
fn judged(path: &Path, items: usize, systems: &[(&str, &dyn Fn(usize) -> f64)]) -> PathBuf {
    fs::create_dir_all(path).unwrap();
    let mut judgments = String::new();
    for item in 0..items {
        for (system, score) in systems {
            let row = json!({"item": format!("i{item}"), "system": system, "criterion": "accuracy", "score": score(item)});
            let _ = writeln!(judgments, "{row}");
        }
    }
    fs::write(path.join("judgments.jsonl"), judgments).unwrap();
    path.to_path_buf()
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

fn gate(base: &Path, new: &Path, more: &[&str]) -> Finished {
    tiebreak(&[&["gate", text(base), text(new), "--quiet"][..], more].concat())
}

fn document(run: &Finished) -> Value {
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {}", run.stdout))
}

#[test]
fn exit_codes_say_what_was_decided() {
    let folder = tempfile::tempdir().unwrap();
    let log = |name: &str, score: fn(usize) -> f64| log(folder.path(), name, 300, score);
    let main = log("main", base);
    for (name, score) in [
        ("same", base as fn(usize) -> f64),
        ("worse", worse),
        ("other", other),
        ("better", better),
    ] {
        log(name, score);
    }
    for [new, flags, code, verdicts] in table_rows(
        "same   |                                          | 0 |
         worse  |                                          | 3 | worse
         other  |                                          | 0 |
         better | --require better                         | 0 | better
         other  | --require better                         | 4 |
         other  | --require better --undecided pass        | 0 |
         worse  | --require better                         | 3 | worse
         same   | --require not-worse --margin 0.02        | 0 | not-worse equivalent
         worse  | --require not-worse --margin 0.05        | 3 | worse
         other  | --require equivalent --margin 0.01       | 4 |
         worse  | --over 20                                | 3 | worse",
    ) {
        let flags: Vec<&str> = flags.split_whitespace().chain(["--json"]).collect();
        let run = gate(&main, &folder.path().join(new), &flags);
        let code: i32 = code.parse().unwrap();
        let said = format!("{new} {flags:?}: {}{}", run.stdout, run.stderr);
        assert_eq!(run.code, Some(code), "{said}");
        let found = document(&run);
        assert_eq!(found["passed"], json!(code == 0), "{said}");
        let verdicts: Vec<&str> = verdicts.split_whitespace().collect();
        assert_eq!(found["results"][0]["verdicts"], json!(verdicts), "{said}");
    }
    for (flags, said) in [
        (
            "--require not-worse",
            "is the smallest that these items can show",
        ),
        ("--require not-worse --margin 0", "margin above 0"),
        ("--margin -1", "--margin"),
        ("--criterion acuracy", "did you mean `accuracy`"),
        ("--by colour", "no table has a column `colour`"),
        ("--base modl", "modl"),
    ] {
        let flags: Vec<&str> = flags.split_whitespace().collect();
        let run = gate(&main, &log("other", other), &flags);
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
    let run = gate(&main, &new, &["--json"]);
    let found = document(&run);
    for key in "passed require margin confidence results unchanged".split(' ') {
        assert!(found.get(key).is_some(), "{key}: {found}");
    }
    let row = &found["results"][0];
    for key in
        "base new criterion slice n difference lower upper verdicts needed detectable".split(' ')
    {
        assert!(row.get(key).is_some(), "{key}: {row}");
    }
    assert_eq!((&row["n"], &row["only_base"]), (&json!(280), &json!(20)));
    assert!(row["base"].as_str().unwrap().ends_with("main"), "{row}");
    // One data set with both systems, on the items that both have.
    let both = judged(
        &folder.path().join("both"),
        280,
        &[("a", &base), ("b", &worse)],
    );
    let one = tiebreak(&["gate", text(&both), "--base", "a", "--new", "b", "--json"]);
    let one = document(&one)["results"][0].clone();
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
fn slices_show_where_it_is_and_small_ones_claim_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let only_german = |item: usize| {
        if item % 3 == 0 {
            worse(item)
        } else {
            base(item)
        }
    };
    let (main, new) = (
        log(folder.path(), "main", 600, base),
        log(folder.path(), "new", 600, only_german),
    );
    let found = document(&gate(&main, &new, &["--by", "language", "--json"]));
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
    let small = log(folder.path(), "small", 45, worse);
    let found = document(&gate(&main, &small, &["--by", "language", "--json"]));
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
    gate(&main, &new, &[]).refused(&["--range 0,1"]);
    let once = document(&gate(&main, &new, &["--range", "0,1", "--json"]));
    assert_eq!(once["results"][0]["verdicts"], json!(["worse"]));
    // Every answer twice is no more evidence.
    for path in [&main, &new] {
        let table = path.join("judgments.jsonl");
        let rows = fs::read_to_string(&table).unwrap();
        fs::write(&table, format!("{rows}{rows}")).unwrap();
    }
    let twice = document(&gate(&main, &new, &["--range", "0,1", "--json"]));
    for key in ["n", "difference", "lower", "upper"] {
        assert_eq!(twice["results"][0][key], once["results"][0][key], "{key}");
    }
    assert_eq!(twice["results"][0]["repeats"]["within"], json!(0.0));
}

#[test]
fn reports_are_what_their_readers_take() {
    let folder = tempfile::tempdir().unwrap();
    let main = log(folder.path(), "main", 300, base);
    let new = log(folder.path(), "new & <other>", 300, worse);
    let xml = gate(&main, &new, &["--report", "junit"]);
    assert_eq!(xml.code, Some(3));
    assert!(xml.stdout.starts_with(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"1\" failures=\"1\">"
    ));
    assert_contains(&xml.stdout, &["new &amp; &lt;other&gt;"]);
    assert_lacks(&xml.stdout, &["<other>"]);
    assert_eq!(
        xml.stdout.matches("<testcase ").count(),
        xml.stdout.matches("</testcase>").count()
    );
    let summary = folder.path().join("summary.md");
    let run = command(&[
        "gate",
        text(&main),
        text(&new),
        "--report",
        "github",
        "--quiet",
    ])
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
    let json = gate(&main, &new, &["--report", "json"]);
    assert_eq!(document(&json)["passed"], json!(false));
    let text = gate(&main, &new, &[]).stdout;
    assert!(
        text.starts_with("Failed: ") && text.contains(" on accuracy is worse."),
        "{text}"
    );
    assert_contains(&text, &["fails in at most 2.5 % of gates"]);
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
        let run = gate(&main, &new, &words[2..]);
        assert_eq!(run.code, Some(0), "{line}: {}{}", run.stdout, run.stderr);
        commands += 1;
    }
    assert!(commands >= 4, "{commands}");
}

#[test]
fn a_gate_is_a_stage_with_a_chapter() {
    let folder = tempfile::tempdir().unwrap();
    let data = judged(
        &folder.path().join("both"),
        100,
        &[("a", &base), ("b", &worse)],
    );
    let file = folder.path().join("p.toml");
    let stages = "[[gate]]\nbase = \"a\"\nnew = \"b\"\n";
    fs::write(&file, format!("data = {:?}\n{stages}", text(&data))).unwrap();
    let out = folder.path().join("out");
    let told = tiebreak(&["run", text(&file), "--out", text(&out)]).ok();
    assert_contains(&told, &["gate: Failed: b on accuracy is worse."]);
    let report: Value =
        serde_json::from_str(&fs::read_to_string(out.join("report.json")).unwrap()).unwrap();
    assert_eq!(report["gates"][0][1]["decision"], "not-met", "{report}");
    fs::write(
        &file,
        format!(
            "data = {:?}\n[[gate]]\nbase = \"a\"\nnew = \"c\"\n",
            text(&data)
        ),
    )
    .unwrap();
    tiebreak(&[
        "run",
        text(&file),
        "--out",
        text(&folder.path().join("other")),
    ])
    .refused(&["p.toml:4: new: "]);
}
