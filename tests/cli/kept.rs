//! What a campaign keeps, whatever happens to its files and sheets.

use super::live::{Live, questions, refused};
use crate::support::assert_contains;
use std::fs;

#[test]
fn a_sheet_that_was_not_written_is_written_by_the_same_command() {
    let live = Live::new();
    live.begin("q.csv", &["--n", "8"]).ok();
    let (sheet, journal) = (fs::read(live.path("q.csv")).unwrap(), live.journal());
    // As if the command had died between the questions and the sheet.
    fs::remove_file(live.path("q.csv")).unwrap();
    let status = live.ask("q.csv", &["--n", "8", "--json"]).json();
    assert!(fs::read(live.path("q.csv")).unwrap() == sheet);
    assert!(live.journal() == journal, "nothing is drawn twice");
    assert_eq!(
        (questions(&status, "asked"), &status["sheet"]["again"]),
        (8, &8.into())
    );
    // A name is free again once all of its sheet is answered.
    live.fill("q.csv", "filled.csv");
    live.tell("filled.csv", &[]).ok();
    fs::remove_file(live.path("q.csv")).unwrap();
    let status = live.ask("q.csv", &["--n", "5", "--json"]).json();
    assert_eq!(
        (questions(&status, "asked"), &status["sheet"]["again"]),
        (13, &0.into())
    );
}

#[test]
fn of_several_sheets_those_are_written_that_are_missing() {
    let live = Live::new();
    let people = ["--annotators", "ana,ben", "--n", "12"];
    live.begin("sheets", &people).ok();
    let ben = live.path("sheets/ben.csv");
    let [ana, lost] = ["sheets/ana.csv", "sheets/ben.csv"].map(|name| live.path(name));
    let before = [&ana, &lost].map(|path| fs::read(path).unwrap());
    fs::remove_file(&ben).unwrap();
    live.ask("sheets", &["--n", "12"]).ok();
    assert!([&ana, &lost].map(|path| fs::read(path).unwrap()) == before);
}

#[test]
fn answers_beside_other_texts_are_refused() {
    let live = Live::new();
    live.begin("q.csv", &["--n", "6"]).ok();
    live.fill("q.csv", "filled.csv");
    let mut reader = csv::Reader::from_path(live.path("filled.csv")).unwrap();
    let header = reader.headers().unwrap().clone();
    let mut rows: Vec<Vec<String>> = reader
        .records()
        .map(|row| row.unwrap().iter().map(str::to_string).collect())
        .collect();
    let write = |name: &str, rows: &[Vec<String>]| {
        let mut writer = csv::Writer::from_path(live.path(name)).unwrap();
        writer.write_record(&header).unwrap();
        for row in rows {
            writer.write_record(row).unwrap();
        }
    };
    let text = header.iter().position(|name| name == "text_1").unwrap();
    // Blanks, line ends and a formula's apostrophe are what spreadsheets change.
    let mut blanks = rows.clone();
    for row in &mut blanks {
        row[text] = row[text].replace('\n', "\r\n") + " ";
    }
    // One column sorted, the others not.
    let mut sorted: Vec<String> = rows.iter().map(|row| row[text].clone()).collect();
    sorted.rotate_left(1);
    for (row, moved) in rows.iter_mut().zip(sorted) {
        row[text] = moved;
    }
    write("sorted.csv", &rows);
    let journal = live.journal();
    refused(
        &live.tell("sorted.csv", &[]),
        &[
            "sorted.csv:2",
            "not those of the question",
            "sort whole rows",
        ],
    );
    assert!(live.journal() == journal);
    blanks.reverse();
    write("blanks.csv", &blanks);
    let told = live.tell("blanks.csv", &["--json"]).json();
    assert_eq!(told["told"]["new"], 6);
}

#[test]
fn a_journal_that_lost_something_is_not_continued() {
    let live = Live::new();
    live.begin("q.csv", &["--n", "6"]).ok();
    let (path, journal) = (live.path("run/journal.jsonl"), live.journal());
    fs::write(&path, &journal[..journal.len() - 20]).unwrap();
    refused(
        &live.ask("more.csv", &[]),
        &[
            "journal.jsonl",
            "ends after line 1, but 2 lines were logged",
        ],
    );
    fs::remove_file(&path).unwrap();
    refused(
        &live.ask("more.csv", &[]),
        &["journal.jsonl", "the file is missing"],
    );
    assert!(!path.exists() && !live.path("more.csv").exists());
    // Cut at the end of a line, with the record of its length away.
    let record = path.with_extension("length.json");
    let length = fs::read(&record).unwrap();
    let header = 1 + journal.iter().position(|&byte| byte == b'\n').unwrap();
    for end in [0, header, journal.len()] {
        fs::write(&path, &journal[..end]).unwrap();
        fs::remove_file(&record).unwrap();
        let parts = [
            "journal.length.json",
            "is missing",
            "from a copy",
            "write {",
        ];
        refused(&live.ask("more.csv", &[]), &parts);
        refused(&live.tell("q.csv", &[]), &parts);
        assert!(!live.path("more.csv").exists());
        fs::write(&record, &length).unwrap();
    }
    fs::write(&path, [&journal[..], b"{\"answers\""].concat()).unwrap();
    let status = live.ask("more.csv", &["--n", "2"]);
    assert_contains(&status.stderr, &["6 questions and 0 answers"]);
    status.ok();
}
