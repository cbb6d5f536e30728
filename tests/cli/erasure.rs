//! What a campaign's folder holds about a person is shown to them, or erased; nothing else changes.

use super::serve::{Campaign, Server, get, post};
use super::{Finished, text, tiebreak, tree};
use crate::support::assert_contains;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use tiebreak::journal::Journal;

const PEOPLE: &str = "ana,Zebedee,cy";

/// What Zebedee says beside answers.
const REMARK: &str = "my left \"knee\" aches, über alles";

/// Answers so many questions of everybody, with remarks.
fn answer(server: &Server, questions: usize) {
    for (name, link) in &server.links {
        let remark = match name.as_str() {
            "Zebedee" => REMARK,
            other => other,
        };
        for number in 0..questions {
            let task = get(&format!("{link}/task")).json();
            if task["state"] != "task" {
                break;
            }
            let (said, reason) = match number % 4 {
                3 => ("skip", json!(remark)),
                2 => ("tie", Value::Null),
                _ => ("1", Value::Null),
            };
            let body = json!({
                "question": task["question"],
                "answer": said,
                "seconds": 3.5,
                "comment": remark,
                "reason": reason,
            });
            assert_eq!(post(&format!("{link}/answer"), &body).status(), 200);
        }
        if name == "Zebedee" {
            post(&format!("{link}/undo"), &json!({ "question": null }));
        }
    }
}

fn people(run: &Path, words: &[&str]) -> Finished {
    tiebreak(&[&["people", text(run)], words].concat())
}

/// The statistics of a campaign, by command.
fn statistics(run: &Path, more: &[&[&str]]) -> Vec<String> {
    let commands = [&["annotators"][..], &["check"]];
    let commands = commands.iter().chain(more);
    let printed = commands.map(|command| {
        let (verb, flags) = command.split_first().unwrap();
        tiebreak(&[&[*verb, text(run), "--json"], flags].concat()).ok()
    });
    printed.collect()
}

/// Asserts that a folder has a word neither in a name nor in a file.
fn assert_no_trace(folder: &Path, words: &[&str]) {
    for (path, bytes) in tree(folder) {
        let read = String::from_utf8_lossy(&bytes).to_lowercase();
        let name = path.display().to_string().to_lowercase();
        for word in words {
            let word = word.to_lowercase();
            assert!(
                !name.contains(&word) && !read.contains(&word),
                "{word} in {name}"
            );
        }
    }
}

#[test]
fn a_person_is_exported_and_then_erased_and_the_campaign_goes_on() {
    let campaign = Campaign::new(20);
    let run = campaign.path("run");
    let flags = ["--annotators", PEOPLE, "--overlap", "0.5"];
    let server = campaign.serve(&flags);
    answer(&server, 8);
    let links = server.links.clone();
    // The server has the journal: what is stored can be looked at, not changed.
    let export = people(&run, &["export", "zebedee"]).json();
    people(&run, &["erase", "Zebedee"]).refused(&["another tiebreak is using it"]);
    server.stop();
    assert_eq!(export["annotator"], "Zebedee");
    assert!(links["Zebedee"].ends_with(export["link"]["token"].as_str().unwrap()));
    let answers = export["answers"].as_array().unwrap();
    assert_eq!(answers.len(), 8);
    assert!(
        answers
            .iter()
            .all(|one| one["comment"] == REMARK && one["at"].is_u64())
    );
    assert!(
        answers
            .iter()
            .all(|one| one["systems"][0].as_str().unwrap().starts_with("secret-"))
    );
    assert_eq!(
        answers
            .iter()
            .filter(|one| one["on_record"] == false)
            .count(),
        1
    );
    let before = statistics(&run, &[&["rank"]]);
    tiebreak(&["report", text(&run)]).ok();
    let report = fs::read_to_string(run.join("report.json")).unwrap();
    let length = fs::read(run.join("journal.length.json")).unwrap();

    let erased = people(&run, &["erase", "ZEBEDEE", "--json"]).json();
    let pseudonym = erased["pseudonyms"][0].as_str().unwrap();
    assert_eq!(
        (&erased["link"], &erased["remarks"], &erased["left"]),
        (&json!(true), &json!(10), &json!([]))
    );
    assert_no_trace(
        &run,
        &[
            "zebedee",
            "knee",
            "über",
            links["Zebedee"].rsplit('/').next().unwrap(),
        ],
    );
    assert_eq!(fs::read(run.join("journal.length.json")).unwrap(), length);
    let renamed = |text: &str| text.replace("Zebedee", pseudonym);
    let by_row = |text: &str| -> BTreeMap<String, usize> {
        let mut rows = BTreeMap::new();
        for row in text.split(['{', '}']) {
            *rows.entry(row.trim().to_string()).or_default() += 1;
        }
        rows
    };
    for (was, now) in before.iter().zip(statistics(&run, &[&["rank"]])) {
        // `check` lists people by name.
        assert_eq!(by_row(&renamed(was)), by_row(&now));
    }
    let now = fs::read_to_string(run.join("report.json")).unwrap();
    let rows = |text: &str| -> Vec<String> {
        let rows = text.lines().filter(|line| !line.contains("digest"));
        rows.map(str::to_string).collect()
    };
    assert_eq!(rows(&renamed(&report)), rows(&now));

    // Typed again it finds nothing, and says so; a name that never was is a mistake before anybody is erased.
    let again = people(&run, &["erase", "Zebedee"]).ok();
    assert_contains(&again, &["Nothing in the journal names Zebedee"]);
    let known = format!("there are ana, cy, {pseudonym}");
    assert_contains(&again, &[&known]);
    let server = campaign.serve(&[]);
    for name in ["ana", "cy"] {
        let path = |link: &str| link.rsplit('/').next().unwrap().to_string();
        assert_eq!(path(&server.links[name]), path(&links[name]));
    }
    let token = links["Zebedee"].rsplit('/').next().unwrap();
    let base = server.admin.split("/admin/").next().unwrap();
    assert_eq!(get(&format!("{base}/j/{token}/task")).status(), 404);
    let closed = get(&format!("{}/task", server.links[pseudonym])).json();
    assert_eq!(closed["state"], "closed");
    let answered = |server: &Server| {
        let status = get(&format!("{}/status", server.admin)).json();
        status["questions"]["answered"].as_u64().unwrap()
    };
    let count = answered(&server);
    answer(&server, 4);
    assert!(answered(&server) > count);
    server.stop();
    assert_no_trace(&run, &["zebedee", "knee"]);
}

/// Fills the sheets of a campaign of ratings, that of Zebedee with remarks.
fn fill(sheets: &Path) {
    for (path, _) in tree(sheets) {
        let path = sheets.join(path);
        let mut reader = csv::Reader::from_path(&path).unwrap();
        let mut header = reader.headers().unwrap().clone();
        let column = header.iter().position(|name| name == "fluency").unwrap();
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        let mut writer = csv::Writer::from_path(&path).unwrap();
        header.push_field("comment");
        writer.write_record(&header).unwrap();
        for (number, row) in rows.iter().enumerate() {
            let mut cells: Vec<String> = row.iter().map(str::to_string).collect();
            for cell in &mut cells[column..column + 3] {
                *cell = (1 + (number * 7 + path.as_os_str().len()) % 5).to_string();
            }
            let remark = if path.ends_with("Zebedee.csv") {
                REMARK
            } else {
                ""
            };
            cells.push(remark.to_string());
            writer.write_record(&cells).unwrap();
        }
    }
}

#[test]
fn an_erasure_that_was_interrupted_completes_and_names_what_it_leaves() {
    let campaign = Campaign::of("data/tiny");
    let (run, sheets) = (campaign.path("run"), campaign.path("run/sheets"));
    let ask = [
        "ask",
        text(&run),
        "data/tiny --task rating --budget 40 --n 40",
    ];
    let whose = ["--annotators", PEOPLE, "--overlap 0.5 --out", text(&sheets)];
    tiebreak(&[&ask[..], &whose[..]].concat()).ok();
    fill(&sheets);
    tiebreak(&["tell", text(&run), text(&sheets)]).ok();
    let differences = ["estimate", "--criterion", "fluency", "--differences"];
    let before = statistics(&run, &[&differences]);
    tiebreak(&["report", text(&run)]).ok();
    people(&run, &["erase", "Zebede"]).refused(&["the annotators are Zebedee, ana, cy"]);

    let erased = Journal::erase(&run.join("journal.jsonl"), "Zebedee", || Ok(())).unwrap();
    let pseudonym = erased.pseudonyms.into_iter().next().unwrap();
    let erased = people(&run, &["erase", "Zebedee", "--json"]).json();
    assert_eq!(
        (&erased["pseudonyms"], &erased["names"]),
        (&json!([]), &json!(0))
    );
    let left = erased["left"].as_array().unwrap();
    assert_eq!(left.len(), 1, "{erased}");
    assert_eq!(
        (&left[0]["path"], &left[0]["in_path"]),
        (&json!("sheets/Zebedee.csv"), &json!(true))
    );
    fs::remove_dir_all(&sheets).unwrap();
    assert_no_trace(&run, &["zebedee", "knee"]);
    let after = statistics(&run, &[&differences]);
    assert_eq!(before[0].replace("Zebedee", &pseudonym), after[0]);
    assert_eq!(before[2].replace("Zebedee", &pseudonym), after[2]);
    // The campaign goes on for those who are left.
    tiebreak(&[
        "ask",
        text(&run),
        "--annotators",
        "ana,cy",
        "--n",
        "4",
        "--out",
        text(&sheets),
    ])
    .ok();
}

#[test]
fn an_erasure_without_the_data_set_says_what_is_left_and_completes_with_it() {
    let campaign = Campaign::new(8);
    let run = campaign.path("run");
    let server = campaign.serve(&["--annotators", PEOPLE]);
    answer(&server, 3);
    server.stop();
    tiebreak(&["report", text(&run)]).ok();
    let moved = campaign.path("moved");
    fs::rename(campaign.path("data"), &moved).unwrap();
    let failed = people(&run, &["erase", "Zebedee"]);
    assert_eq!(failed.code, Some(2), "{}", failed.stderr);
    let words: Vec<&str> = failed.stderr.split_whitespace().collect();
    let words = words.join(" ");
    assert_contains(
        &words,
        &[
            "Zebedee is erased from the journal and the links",
            "--data DATA",
        ],
    );
    for name in ["journal.jsonl", "links.json"] {
        let stored = fs::read_to_string(run.join(name)).unwrap();
        assert!(!stored.contains("Zebedee"), "{name}");
    }
    people(&run, &["erase", "Zebedee", "--data", text(&moved)]).ok();
    assert_no_trace(&run, &["zebedee", "knee"]);
}

#[test]
fn tables_of_answers_that_were_taken_back_are_gone() {
    let campaign = Campaign::of("data/tiny");
    let (run, sheets) = (campaign.path("run"), campaign.path("sheets"));
    let ask = ["ask", text(&run), "data/tiny", "--task", "rating"];
    let whose = ["--budget", "40", "--n", "40", "--overlap", "0.5"];
    let out = ["--annotators", PEOPLE, "--out", text(&sheets)];
    tiebreak(&[&ask[..], &whose, &out].concat()).ok();
    fill(&sheets);
    tiebreak(&["tell", text(&run), text(&sheets)]).ok();
    let folders = ["annotators", "estimates"].map(|name| run.join(name));
    assert!(folders.iter().all(|folder| folder.is_dir()));
    tiebreak(&["tell", text(&run), text(&sheets), "--take-back"]).ok();
    assert!(folders.iter().all(|folder| !folder.exists()));
    // The report needs none of them.
    tiebreak(&["report", text(&run)]).ok();
}

/// The same answer, given again after it was taken back, is one answer on record.
#[test]
fn an_answer_that_was_undone_is_not_on_record() {
    let campaign = Campaign::new(20);
    let server = campaign.serve(&["--annotators", "ana,ben"]);
    let link = &server.links["ana"];
    let task = get(&format!("{link}/task")).json();
    let said = json!({ "question": task["question"], "answer": "1", "seconds": 2.0 });
    let undone = json!({ "question": null });
    for (what, body) in [("answer", &said), ("undo", &undone), ("answer", &said)] {
        let came = post(&format!("{link}/{what}"), body);
        assert_eq!(came.status(), 200, "{}", came.text());
    }
    let export = people(&campaign.path("run"), &["export", "ana"]).json();
    let answers = export["answers"].as_array().unwrap();
    let on_record: Vec<&Value> = answers.iter().map(|one| &one["on_record"]).collect();
    assert_eq!(on_record, [false, true]);
}

/// Nobody has the link of a person who was erased: the next step is another list.
#[test]
fn an_erased_annotator_is_not_waited_for() {
    let campaign = Campaign::new(20);
    let server = campaign.serve(&["--annotators", "ana,ben"]);
    for link in server.links.values() {
        get(&format!("{link}/task"));
    }
    server.stop();
    let run = campaign.path("run");
    let erased = people(&run, &["erase", "ben", "--json"]).json();
    let server = campaign.serve(&[]);
    let status = get(&format!("{}/status", server.admin)).json();
    let next = status["next"].as_str().unwrap();
    let pseudonym = erased["pseudonyms"][0].as_str().unwrap();
    assert_contains(next, &["serve again with the others' names", pseudonym]);
}
