//! Files that other tools wrote, with the tables that must come of them: `formats/` of the golden folder.
//!
//! Items are compared up to renaming, by everything that is said about them; so are annotators; the two systems of a
//! pair may stand in either order. What is left out is compared by counts.

use crate::support::{golden_dir, next_dir, skip_golden};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tiebreak::records::import::{ImportOptions, ImportSummary, Repeats};

const TABLES: [(&str, &[&str]); 4] = [
    ("outputs", &["system", "output", "source", "references"]),
    ("comparisons", &["system_a", "system_b", "outcome", "label"]),
    ("judgments", &["system", "criterion", "score", "repeat"]),
    ("predictions", &["system_a", "system_b", "p"]),
];

/// Single replies of judges are no data set: the tests of judges read them.
const ELSEWHERE: [&str; 1] = ["judge-responses"];

/// The fixtures of `next/formats` that importers read already.
const NEXT: [&str; 19] = [
    "braintrust",
    "deepeval",
    "every-eval-ever",
    "every-eval-ever-converted",
    "inspect-epochs",
    "inspect-nan",
    "inspect-reductions",
    "judgearena",
    "langfuse",
    "langsmith-experiment",
    "langsmith-feedback",
    "lighteval",
    "mlflow-eval-table",
    "mlflow-genai",
    "openai-evals",
    "opik-experiment",
    "phoenix-annotations",
    "phoenix-evals",
    "phoenix-experiment",
];

/// The folders of fixtures; none, said aloud, if there are none.
pub(crate) fn fixtures() -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(golden_dir().join("formats")) else {
        skip_golden("golden formats");
        return Vec::new();
    };
    let next = NEXT.map(|name| next_dir().join("formats").join(name));
    let folders = entries.map(|entry| entry.unwrap().path()).chain(next);
    let mut folders: Vec<PathBuf> = folders
        .filter(|folder| folder.join("expected.json").exists())
        .collect();
    folders.retain(|folder| !ELSEWHERE.iter().any(|name| folder.ends_with(name)));
    folders.sort();
    folders
}

/// What a fixture says its user must say.
pub(crate) fn options(said: &Value) -> ImportOptions {
    let mut options = ImportOptions::default();
    for (key, value) in said.as_object().into_iter().flatten() {
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), ToString::to_string);
        match key.as_str() {
            "criteria" => {
                let names = value.as_array().unwrap().iter();
                options.criteria = Some(
                    names
                        .map(|name| name.as_str().unwrap().to_string())
                        .collect(),
                );
            }
            _ => options.pick.push((key.clone(), text)),
        }
    }
    options
}

/// The options for tables that must come out: where judgments have no repeats, the first counts.
fn options_for(said: &Value, expected: &Value) -> ImportOptions {
    let mut judgments = expected["judgments"].as_array().into_iter().flatten();
    let has_repeats = judgments.any(|row| row.get("repeat").is_some());
    ImportOptions {
        repeats: match has_repeats {
            true => Repeats::All,
            false => Repeats::First,
        },
        ..options(said)
    }
}

/// The tables that a data set's folder holds, outputs with the texts of their items.
pub(crate) fn tables(folder: &Path) -> BTreeMap<&'static str, Vec<Value>> {
    let mut tables: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for (table, _) in TABLES {
        tables.insert(table, read(&folder.join(format!("{table}.jsonl"))));
    }
    let items = read(&folder.join("items.jsonl"))
        .into_iter()
        .map(|item| (item["item"].to_string(), item));
    let items: BTreeMap<String, Value> = items.collect();
    for row in tables.get_mut("outputs").unwrap() {
        let item = &items[&row["item"].to_string()];
        for column in ["source", "references"] {
            row[column] = item[column].clone();
        }
    }
    tables
}

fn read(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// A row as a text that is equal for equal rows.
fn told(row: &Value, table: &str, columns: &[&str], aliases: &BTreeMap<String, String>) -> String {
    let text = |column: &str| match &row[column] {
        Value::String(text) if column.starts_with("system") => {
            aliases.get(text).unwrap_or(text).clone()
        }
        other => other.to_string(),
    };
    let number = |column: &str| {
        row[column]
            .as_f64()
            .map(|number| format!("{:.9}", number + 0.0))
    };
    let pair = ["comparisons", "predictions"].contains(&table);
    let turned = pair && text("system_a") > text("system_b");
    let cell = |column: &&str| match *column {
        "system_a" if turned => text("system_b"),
        "system_b" if turned => text("system_a"),
        "outcome" | "p" if turned => format!("{:.9}", 1.0 - row[*column].as_f64().unwrap()),
        "outcome" | "p" | "score" => number(column).unwrap_or_default(),
        other => text(other),
    };
    columns.iter().map(cell).collect::<Vec<_>>().join("\u{1}")
}

/// What is said about each item, sorted: equal for data sets that are equal but for the names of items.
pub(crate) fn said(tables: &BTreeMap<&str, Vec<Value>>, expected: &Value) -> Vec<Vec<String>> {
    let mut aliases = BTreeMap::new();
    for (name, others) in expected["system_aliases"].as_object().into_iter().flatten() {
        for other in others.as_array().unwrap() {
            aliases.insert(other.as_str().unwrap().to_string(), name.clone());
        }
    }
    let mut items: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (table, columns) in TABLES {
        let Some(wanted) = expected[table].as_array() else {
            continue;
        };
        let known = |column: &&&str| wanted.iter().any(|row| row.get(**column).is_some());
        let columns: Vec<&str> = columns.iter().filter(known).copied().collect();
        for row in tables.get(table).into_iter().flatten() {
            let told = told(row, table, &columns, &aliases);
            items
                .entry(row["item"].to_string())
                .or_default()
                .push(format!("{table}\u{1}{told}"));
        }
    }
    let mut said: Vec<Vec<String>> = items.into_values().collect();
    for rows in &mut said {
        rows.sort();
    }
    said.sort();
    said
}

/// How many rows each annotator has.
fn by_annotator(rows: &[Value]) -> Vec<usize> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for row in rows {
        *counts.entry(row["annotator"].to_string()).or_default() += 1;
    }
    let mut counts: Vec<usize> = counts.into_values().collect();
    counts.sort_unstable();
    counts
}

/// Imports one input of a fixture and holds it against what must come of it.
fn check(fixture: &Path, input: &str, options: &ImportOptions, expected: &Value) -> ImportSummary {
    let place = format!("{} {input} {:?}", fixture.display(), options.pick);
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let imported = options
        .import(&[fixture.join(input)], &out)
        .unwrap_or_else(|error| panic!("{place}: {error}"));
    let tables = tables(&out);
    let wanted = TABLES.map(|(table, _)| {
        (
            table,
            expected[table].as_array().cloned().unwrap_or_default(),
        )
    });
    let wanted = BTreeMap::from(wanted);
    assert_eq!(said(&tables, expected), said(&wanted, expected), "{place}");
    for table in ["comparisons", "judgments"] {
        if wanted[table]
            .iter()
            .any(|row| row.get("annotator").is_some())
        {
            assert_eq!(
                by_annotator(&tables[table]),
                by_annotator(&wanted[table]),
                "{place}"
            );
        }
    }
    imported
}

/// The counts of what was left out, largest first.
fn dropped(imported: &ImportSummary) -> Vec<u64> {
    let mut counts: Vec<u64> = imported.dropped.iter().map(|one| one.count).collect();
    counts.sort_unstable();
    counts
}

#[test]
fn what_other_tools_wrote_becomes_the_tables_it_must() {
    for fixture in fixtures() {
        let text = std::fs::read_to_string(fixture.join("expected.json")).unwrap();
        let expected: Value = serde_json::from_str(&text).unwrap();
        let said = options_for(&expected["options"], &expected);
        let imported = check(
            &fixture,
            expected["input"].as_str().unwrap(),
            &said,
            &expected,
        );
        let listed = expected["dropped"].as_array().into_iter().flatten();
        let mut counts: Vec<u64> = listed.map(|one| one["count"].as_u64().unwrap()).collect();
        counts.sort_unstable();
        assert_eq!(
            dropped(&imported),
            counts,
            "{}: {:?}",
            fixture.display(),
            imported.dropped
        );
        // Of a judge's traffic the other files say what was asked.
        let also = expected["also_inputs"]
            .as_array()
            .filter(|_| !fixture.ends_with("judge-batch"));
        for input in also.into_iter().flatten() {
            check(&fixture, input.as_str().unwrap(), &said, &expected);
        }
        for variant in expected["variants"].as_array().into_iter().flatten() {
            let mut varied = expected.clone();
            varied
                .as_object_mut()
                .unwrap()
                .extend(variant.as_object().unwrap().clone());
            // Judgments of items whose outputs a variant does not list go with them.
            if let Some(outputs) = variant["outputs"].as_array().cloned() {
                let listed = varied["judgments"].as_array_mut();
                if let Some(rows) = listed {
                    rows.retain(|row| outputs.iter().any(|output| output["item"] == row["item"]));
                }
            }
            // An epoch has outputs of its own, which not every variant lists.
            if variant["options"].get("epoch").is_some() && variant.get("outputs").is_none() {
                varied.as_object_mut().unwrap().remove("outputs");
            }
            check(
                &fixture,
                expected["input"].as_str().unwrap(),
                &options_for(&variant["options"], &varied),
                &varied,
            );
        }
    }
}

/// Whatever is cut off is refused with the place, and never read as if it were whole.
#[test]
fn what_is_cut_off_is_refused_or_said() {
    for fixture in fixtures() {
        let text = std::fs::read_to_string(fixture.join("expected.json")).unwrap();
        let expected: Value = serde_json::from_str(&text).unwrap();
        let input = fixture.join(expected["input"].as_str().unwrap());
        if !input.is_file()
            || input
                .extension()
                .is_some_and(|extension| extension == "csv")
        {
            continue;
        }
        let bytes = std::fs::read(&input).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let cut = folder.path().join(input.file_name().unwrap());
        std::fs::write(&cut, &bytes[..bytes.len() * 3 / 4]).unwrap();
        let outcome = options(&expected["options"])
            .import(std::slice::from_ref(&cut), &folder.path().join("out"));
        let error = outcome.expect_err(&input.display().to_string());
        assert_eq!(error.exit_code(), 2, "{error}");
        assert!(
            error.to_string().starts_with(&cut.display().to_string()),
            "{error}"
        );
    }
}
