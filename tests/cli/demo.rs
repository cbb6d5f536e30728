//! The demo: it needs nothing but the program.

use super::{command, finished, tree};
use crate::support::assert_contains;
use std::fs;

#[test]
fn the_demo_runs_in_an_empty_folder_and_says_how_to_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let demo = || {
        let run = command(&["demo"]).current_dir(folder.path()).output();
        finished(&run.unwrap())
    };
    let text = demo().ok();
    let page = folder
        .path()
        .join("tiebreak-demo/out/quickstart/report.html");
    assert!(page.is_file());
    let (_, own) = text.split_once("your own files").unwrap();
    let verbs: Vec<&str> = own
        .lines()
        .filter_map(|line| line.strip_prefix("  tiebreak ")?.split(' ').next())
        .collect();
    assert_eq!(verbs, ["import", "check", "ask", "tell", "rank"], "{text}");
    // `ask` replaces no sheet, so the next round has another one.
    assert!(own.contains("next with questions-2.csv"), "{text}");
    // What is there already stays as it is.
    let before = tree(folder.path());
    let again = demo();
    assert_eq!((again.code, again.stdout.as_str()), (Some(2), ""));
    assert_contains(&again.stderr, &["not an empty folder"]);
    assert_eq!(tree(folder.path()), before);
}

#[test]
fn the_demo_replaces_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tiebreak-demo");
    fs::write(&file, "mine").unwrap();
    let run = command(&["demo"]).current_dir(folder.path()).output();
    assert_eq!(finished(&run.unwrap()).code, Some(2));
    assert_eq!(fs::read_to_string(file).unwrap(), "mine");
}
