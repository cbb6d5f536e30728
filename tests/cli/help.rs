//! The help: what its pages hold, and that its examples run.

use super::{command, finished, tiebreak};
use crate::support::assert_contains;
use std::fs;
use std::path::Path;

/// The widest and longest that a page may be.
const COLUMNS: &str = "100";
const LINES: usize = 70;

/// A page at the widest.
fn page(names: &[&str]) -> String {
    let all = [&["help"], names].concat();
    let run = command(&all).env("COLUMNS", COLUMNS).output().unwrap();
    finished(&run).ok()
}

/// The commands that the page of the program lists.
fn commands() -> Vec<String> {
    let all = page(&[]);
    let (lists, _) = all.split_once("\nMore options:").unwrap();
    let (_, lists) = lists.split_once("\nUsage:").unwrap();
    let lines = lists.lines().filter_map(|line| line.strip_prefix("  "));
    let names = lines.filter(|line| !line.starts_with(' '));
    names
        .map(|line| line.split(' ').next().unwrap().to_string())
        .collect()
}

/// The examples of a page, without their comments.
fn examples(page: &str) -> Vec<String> {
    let (_, below) = page.split_once("Examples:\n").expect(page);
    let lines = below.lines().map_while(|line| line.strip_prefix("  "));
    lines
        .map(|line| line.split(" # ").next().unwrap().trim_end().to_string())
        .collect()
}

#[test]
fn pages_are_short_and_begin_with_examples() {
    let mut pages: Vec<Vec<String>> = commands().into_iter().map(|name| vec![name]).collect();
    assert!(pages.len() > 20);
    for inner in ["link", "pairwise", "calibration"] {
        pages.push(vec!["fit".to_string(), inner.to_string()]);
    }
    for names in &pages {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let text = page(&names);
        assert!(
            text.starts_with("Examples:\n  tiebreak "),
            "{names:?}: {text}"
        );
        let (lines, shown) = (text.lines().count(), examples(&text).len());
        assert!(lines <= LINES, "{names:?} has {lines} lines:\n{text}");
        assert!(shown >= 2, "{names:?}: {text}");
        let widest = text.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(100), "{names:?}: {text}");
        // The options for every command are in one place.
        assert!(!text.contains("--limit-indexes"), "{names:?}: {text}");
        let typed = command(&[&names[..], &["--help"]].concat())
            .env("COLUMNS", COLUMNS)
            .output();
        assert_eq!(finished(&typed.unwrap()).ok(), text);
    }
    assert!(page(&[]).lines().count() <= LINES);
    let options = page(&["options"]);
    assert_contains(
        &options,
        &["--limit-indexes", "--json", "--seed", "--version", "--help"],
    );
}

/// Every example on data of the repository, in a folder that has its data.
#[test]
fn examples_on_the_data_here_run() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["mt-bench/hints", "mt-bench", "tiny"] {
        copied(
            &Path::new("data").join(name),
            &folder.path().join("data").join(name),
        );
    }
    let mut all: Vec<String> = commands()
        .iter()
        .flat_map(|name| examples(&page(&[name])))
        .filter(|line| line.contains(" data/"))
        .collect();
    all.dedup();
    // Scores are made before they are read.
    all.sort_by_key(|line| !line.contains("--out scores.csv"));
    assert!(all.len() > 15, "{all:#?}");
    for line in all {
        let words: Vec<&str> = line.split_whitespace().skip(1).collect();
        let run = command(&words).current_dir(folder.path()).output().unwrap();
        let run = finished(&run);
        assert_eq!(run.code, Some(0), "{line}: {}", run.stderr);
    }
}

/// Copies the files of a folder.
fn copied(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(from)).unwrap() {
        let entry = entry.unwrap();
        if entry.path().is_file() {
            fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}

#[test]
fn what_is_no_page_is_an_error_with_the_nearest_one() {
    tiebreak(&["help", "optoins"]).refused(&["did you mean `tiebreak help options`?"]);
}
