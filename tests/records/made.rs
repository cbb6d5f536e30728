//! Files that the tools themselves write, where Python has them: `make_formats.py`.

use crate::support::say;
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use tiebreak::records::import::ImportOptions;
use tiebreak::records::{Dataset, Index};

/// The sum of a column of a table.
fn sum(folder: &Path, table: &str, column: &str) -> f64 {
    let text = std::fs::read_to_string(folder.join(table)).unwrap_or_default();
    let rows = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    rows.map(|row| row[column].as_f64().unwrap()).sum()
}

#[test]
fn what_the_tools_write_is_read() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/records/make_formats.py");
    let python = std::env::var("TIEBREAK_PYTHON").unwrap_or_else(|_| "python3".to_string());
    let folder = tempfile::tempdir().unwrap();
    let ran = Command::new(&python)
        .arg(script)
        .arg(folder.path())
        .output();
    let Ok(ran) = ran else {
        return say("SKIPPED", &format!("files of other tools: no {python}"));
    };
    let errors = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{errors}");
    // Tools print what they like; our lines are objects that name the tool.
    let told = String::from_utf8(ran.stdout).unwrap();
    let lines = told
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    for made in lines.filter(|made| made["tool"].is_string()) {
        let tool = made["tool"].as_str().unwrap();
        if let Some(reason) = made["skipped"].as_str() {
            say("SKIPPED", &format!("files of {tool}: {reason}"));
            continue;
        }
        let input = folder.path().join(made["input"].as_str().unwrap());
        let out = folder.path().join(format!("{tool}-out"));
        let imported = ImportOptions::default()
            .import(&[input], &out)
            .unwrap_or_else(|error| panic!("{tool}: {error}"));
        let count = |key: &str| made[key].as_u64().unwrap_or(0);
        let found = [
            imported.items,
            imported.systems.len() as u64,
            imported.outputs,
            imported.comparisons,
            imported.judgments,
        ];
        let expected = ["items", "systems", "outputs", "comparisons", "judgments"].map(count);
        assert_eq!(found, expected, "{tool}: {imported}");
        let total =
            sum(&out, "judgments.jsonl", "score") + sum(&out, "comparisons.jsonl", "outcome");
        assert_eq!(total, made["scores"].as_f64().unwrap_or(0.0), "{tool}");
        Index::build(&Dataset::open(&out, &[]).unwrap()).unwrap();
    }
}
