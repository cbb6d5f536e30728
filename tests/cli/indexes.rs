//! The index of a large data set is made once, and never stands for another one.

use super::{Finished, command, finished, text, tree};
use crate::support::assert_contains;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

/// Outputs of some megabytes more than are read again each time.
fn outputs(path: &Path, first: &str) {
    let mut file = std::io::BufWriter::new(fs::File::create(path).unwrap());
    let padding = "word ".repeat(400);
    for item in 0..10_000 {
        let said = if item == 0 { first } else { "some" };
        writeln!(
            file,
            r#"{{"item":"{item}","system":"s","output":"{said} {padding}"}}"#
        )
        .unwrap();
    }
    file.flush().unwrap();
}

fn score(data: &Path, indexes: &Path, limit: &str) -> Finished {
    let mut command = command(&["score", text(data), "--metric", "length", "--json"]);
    let command = command.env("TIEBREAK_INDEXES", indexes);
    finished(
        &command
            .env("TIEBREAK_LIMIT_INDEXES", limit)
            .output()
            .unwrap(),
    )
}

#[test]
fn a_large_data_set_is_indexed_once() {
    let folder = tempfile::tempdir().unwrap();
    let [data, indexes] = ["outputs.jsonl", "made/indexes"].map(|name| folder.path().join(name));
    outputs(&data, "once");
    let none = score(&data, &indexes, "0").ok();
    assert!(!indexes.exists());
    // What was just written may still be written to.
    std::thread::sleep(Duration::from_millis(2100));
    for _ in 0..2 {
        assert_eq!(score(&data, &indexes, "1G").ok(), none);
        assert_eq!(tree(&indexes).len(), 1);
    }
    // It is read: a damaged one is told, and made again.
    let kept = indexes.join(&tree(&indexes)[0].0);
    let whole = fs::read(&kept).unwrap();
    fs::write(&kept, &whole[..whole.len() / 2]).unwrap();
    let again = score(&data, &indexes, "1G");
    assert_contains(&again.stderr, &["damaged"]);
    assert_eq!(again.ok(), none);
    assert!(fs::read(&kept).unwrap() == whole);
    // Another data set of the same size, changed a moment ago.
    outputs(&data, "o ce");
    assert_ne!(score(&data, &indexes, "1G").ok(), none);
    outputs(&data, "once");
    assert_eq!(score(&data, &indexes, "1G").ok(), none);
}

#[test]
fn where_nothing_can_be_kept_the_command_says_so_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("outputs.jsonl");
    outputs(&data, "once");
    std::thread::sleep(Duration::from_millis(2100));
    let none = score(&data, folder.path(), "0").ok();
    let no_folder = score(&data, &data.join("inside"), "1G");
    let said = "no index could be taken from the cache or kept in it";
    assert_contains(&no_folder.stderr, &[said]);
    assert_eq!(no_folder.ok(), none);
    score(&data, folder.path(), "1K").refused(&["or 0"]);
}
