//! Each fixture of each format, written in other ways that mean the same: the import makes the same tables of it. What
//! stands twice may be left out and counted.

mod ways;

use super::Folder;
use super::damaged::fixtures::{self, Fixture};
use crate::golden::formats::{said, tables};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tiebreak::records::import::ImportSummary;
use ways::{Files, WAYS};

/// What an import makes: everything that is said about each item, the names of items apart.
struct Made {
    summary: ImportSummary,
    said: Vec<Vec<String>>,
}

/// The rows of a table, without what may differ: the case of labels.
fn plain(mut tables: BTreeMap<&'static str, Vec<Value>>) -> BTreeMap<&'static str, Vec<Value>> {
    for row in tables.values_mut().flatten() {
        if let Some(label) = row["label"].as_str().map(str::to_lowercase) {
            row["label"] = label.into();
        }
    }
    tables
}

fn made(fixture: &Fixture, files: &Files, input: &str) -> Result<Made, String> {
    let folder = Folder::new();
    for (name, bytes) in files {
        folder.write(name, bytes);
    }
    let out = tempfile::tempdir().unwrap();
    let out = out.path().join("out");
    let inputs: Vec<PathBuf> = inputs(folder.path(), input, fixture);
    let summary = fixture
        .options
        .import(&inputs, &out)
        .map_err(|error| error.to_string())?;
    let tables = plain(tables(&out));
    let all = json!(tables);
    Ok(Made {
        summary,
        said: said(&tables, &all),
    })
}

/// The input of a fixture, under the name that it has now; with it the rest of a file that was split.
fn inputs(folder: &Path, input: &str, fixture: &Fixture) -> Vec<PathBuf> {
    let whole: PathBuf = folder.join(input).components().collect();
    if !fixture.files.iter().any(|(name, _)| name == input) {
        return vec![whole];
    }
    let named = [
        input.to_string(),
        format!("{input}.gz"),
        ways::second(input),
    ];
    let named = named.map(|name| folder.join(name)).into_iter();
    named.filter(|path| path.exists()).collect()
}

/// The number of records that were left out.
fn left_out(summary: &ImportSummary) -> u64 {
    summary.dropped.iter().map(|one| one.count).sum()
}

/// What is wrong with the fixture in each way.
fn differences(fixture: &Fixture) -> Vec<String> {
    let original = made(fixture, &fixture.files, &fixture.input)
        .unwrap_or_else(|error| panic!("{}: {error}", fixture.name));
    let mut wrong = Vec::new();
    for way in WAYS {
        let Some(files) = (way.rewrite)(&fixture.files) else {
            continue;
        };
        let mut without = way.without.split_whitespace();
        if without.any(|format| fixture.is_of(format)) {
            continue;
        }
        let place = format!("{} ({})", fixture.name, way.name);
        match made(fixture, &files, &fixture.input) {
            Err(error) => wrong.push(format!("{place}: {error}")),
            Ok(other) if other.said != original.said => {
                let said = |made: &Made| format!("{:?}", made.said).replace('\u{1}', "|");
                wrong.push(format!(
                    "{place}: other tables\n{}\n{}\n{}",
                    said(&original),
                    said(&other),
                    other.summary
                ));
            }
            Ok(other)
                if !way.repeats && left_out(&other.summary) != left_out(&original.summary) =>
            {
                wrong.push(format!("{place}: other counts\n{}", other.summary));
            }
            Ok(_) => {}
        }
    }
    wrong
}

#[test]
fn files_written_otherwise_give_the_same_tables() {
    let own = fixtures::all();
    let wrong: Vec<String> = own.iter().flat_map(differences).collect();
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn files_of_tools_written_otherwise_give_the_same_golden_tables() {
    let folders = crate::golden::formats::fixtures();
    let golden = folders.iter().map(|folder| Fixture::golden(folder));
    let wrong: Vec<String> = golden.flat_map(|fixture| differences(&fixture)).collect();
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
}
