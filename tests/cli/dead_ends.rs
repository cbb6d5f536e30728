//! Campaigns that seem to be stuck: what they say is the way on, and it works.

use super::live::{Live, questions};
use super::serve::{Campaign, answer_all, get};
use super::{Finished, fill_in, text, tiebreak};
use crate::support::{assert_contains, assert_lacks};
use serde_json::{Value, json};
use std::fs;

/// Begins a campaign in which a model answers half of the questions.
fn begin_with_model(live: &Live, more: &[&str]) {
    let mut predictions = String::from("item,system_a,system_b,p\n");
    for item in 0..60 {
        predictions += &format!("i{item},secret-good,secret-bad,0.9\n");
        predictions += &format!("i{item},secret-good,secret-ugly,0.9\n");
        predictions += &format!("i{item},secret-bad,secret-ugly,0.6\n");
    }
    fs::write(live.path("p.csv"), predictions).unwrap();
    let model = ["--predictions", "p.csv", "--mix", "0.5", "--n", "10"];
    live.begin("q.csv", &[&model[..], more].concat()).ok();
}

/// What a command says that is refused.
fn refusal<'a>(run: &'a Finished, parts: &[&str]) -> &'a str {
    run.refused(parts);
    &run.stderr
}

/// The words of the commands in a hint.
fn commands(said: &str) -> Vec<Vec<&str>> {
    let quoted = said.split('`').skip(1).step_by(2);
    quoted.map(|one| one.split(' ').skip(1).collect()).collect()
}

#[test]
fn where_no_audit_was_wanted_no_number_of_items_helps() {
    let live = Live::new();
    begin_with_model(&live, &["--audit", "0", "--budget", "10"]);
    live.fill("q.csv", "q.csv");
    let told = live.tell("q.csv", &["--json"]).json();
    let next = told["next"].as_str().unwrap();
    assert_contains(next, &["begin another campaign without --audit 0"]);
    let report = tiebreak(&["report", text(&live.path("run"))]).ok();
    assert_contains(&report, &["Begin another campaign without --audit 0"]);
    assert_lacks(&report, &["..\n"]);
    live.ask("r.csv", &["--audit", "0.1"])
        .refused(&["audit was 0 when the campaign began, and is 0.1 now"]);
}

#[test]
fn a_sheet_with_a_name_and_one_without_are_two_peoples_until_the_other_has_it() {
    let live = Live::new();
    let name = |sheet: &str, name: &str| {
        live.fill(sheet, sheet);
        fill_in(&live.path(sheet), &live.path(sheet), |_, _, column| {
            (column == "annotator").then(|| name.to_string())
        });
    };
    live.begin("q1.csv", &["--n", "6"]).ok();
    name("q1.csv", "");
    live.tell("q1.csv", &[]).ok();
    live.ask("q2.csv", &["--n", "4"]).ok();
    name("q2.csv", "ana");
    let told = live.tell("q2.csv", &["--json"]).json();
    assert_eq!(told["claim"]["why"], "not-dealt");
    let next = told["next"].as_str().unwrap();
    assert_contains(
        next,
        &[
            "tiebreak tell run SHEET --annotator NAME",
            "4 answers have a name and 6 none, so they count as two people's",
        ],
    );
    let report = tiebreak(&["report", text(&live.path("run"))]).ok();
    assert_contains(&report, &["SHEET --annotator NAME"]);
    let told = live
        .tell("q1.csv", &["--annotator", "ana", "--json"])
        .json();
    assert_ne!(told["claim"]["why"], "not-dealt");
    assert_contains(told["next"].as_str().unwrap(), &["ask the next questions"]);
}

/// A page refuses another answer, and no sheet has these questions.
#[test]
fn skipped_questions_of_a_page_go_out_on_a_sheet() {
    let campaign = Campaign::new(3);
    let server = campaign.serve(&["--confidence", "0.999999"]);
    let url = &server.links["annotator"];
    answer_all(url, |at| if at == 0 { "skip" } else { "tie" });
    server.kill();
    let run = campaign.path("run");
    let again = campaign.path("again.csv");
    let ask =
        |sheet: &str| tiebreak(&["ask", text(&run), "--again", "--out", sheet, "--json"]).json();
    let asked = ask(text(&again));
    assert_eq!(
        (&asked["sheet"]["questions"], questions(&asked, "skipped")),
        (&json!(1), 1),
        "{asked}"
    );
    fill_in(&again, &again, |_, _, column| {
        (column == "answer").then(|| "tie".to_string())
    });
    let told = tiebreak(&["tell", text(&run), text(&again), "--json"]).json();
    assert_eq!(
        (&told["told"]["new"], questions(&told, "skipped")),
        (&json!(1), 0),
        "{told}"
    );
    assert!(ask(text(&campaign.path("none.csv")))["sheet"].is_null());
}

#[test]
fn the_admin_of_skipped_questions_reads_where_people_answer_them() {
    let campaign = Campaign::new(3);
    let server = campaign.serve(&["--confidence", "0.999999"]);
    let url = &server.links["annotator"];
    answer_all(url, |_| "skip");
    let status = get(&format!("{}/status", server.admin)).json();
    assert_eq!(status["state"], "exhausted", "{status}");
    let next = status["next"].as_str().unwrap();
    assert_contains(
        next,
        &[
            "ask for answers to the skipped questions, which people find under Earlier answers on their page (tiebreak serve ",
        ],
    );
    assert_lacks(next, &["--again"]);
}

#[test]
fn what_has_moved_is_named_by_a_command_that_asks_nothing() {
    let live = Live::new();
    begin_with_model(&live, &[]);
    live.fill("q.csv", "q.csv");
    let told = live.tell("q.csv", &["--json"]).json();
    let asked = |status: &Value| questions(status, "asked");
    let rename = |from: &str, to: &str| fs::rename(live.path(from), live.path(to)).unwrap();
    rename("data", "moved");
    for verb in ["rank", "annotators", "tell"] {
        let more: &[&str] = if verb == "tell" { &["q.csv"] } else { &[] };
        let run = live.run(&[&[verb, "run"], more].concat());
        let said = refusal(
            &run,
            &["if the data set has moved", "which asks nothing new"],
        );
        let commands = commands(said);
        assert_eq!(commands[0], ["tell", "run", "SHEET", "--data", "DATA"]);
        assert_eq!(
            commands[1],
            ["ask", "run", "DATA", "--again", "--out", "open.csv"]
        );
    }
    let found = live.ask("open.csv", &["moved", "--again", "--json"]).json();
    assert_eq!(asked(&found), asked(&told));
    live.run(&["rank", "run"]).ok();
    rename("p.csv", "p9.csv");
    for verb in ["rank", "tell"] {
        let more: &[&str] = if verb == "tell" { &["q.csv"] } else { &[] };
        let run = live.run(&[&[verb, "run"], more].concat());
        let said = refusal(
            &run,
            &["if the predictions have moved", "which asks nothing new"],
        );
        let command = &commands(said)[0];
        let command: Vec<&str> = command
            .iter()
            .map(|word| if *word == "FILE" { "p9.csv" } else { word })
            .collect();
        if verb == "tell" {
            let found = live.run(&[&command[..], &["--json"]].concat()).json();
            assert_eq!(asked(&found), asked(&told));
        }
    }
    live.tell("q.csv", &[]).ok();
    live.run(&["rank", "run"]).ok();
}

/// As after a kill between the sheets and what is said of them.
#[test]
fn a_command_whose_sheets_are_there_says_how_their_answers_are_read() {
    let live = Live::new();
    live.begin("q.csv", &["--n", "4"]).ok();
    let journal = live.journal();
    live.ask("q.csv", &["--n", "4"])
        .refused(&["its questions are asked", "tiebreak tell run q.csv"]);
    assert!(live.journal() == journal);
    let ask = |run: &str, out: &str, n: &str| {
        live.run(&[
            "ask",
            run,
            "data",
            "--annotators ana,ben",
            "--n",
            n,
            "--out",
            out,
        ])
    };
    ask("two", "sheets", "10").ok();
    ask("two", "sheets", "10").refused(&["its questions are asked", "tiebreak tell two sheets"]);
    // One question is one annotator's: the other one's sheet is not missing.
    ask("two", "one", "1").ok();
    ask("two", "one", "1").refused(&["its questions are asked", "tiebreak tell two one"]);
    // Once all is answered the file only stands in the way.
    live.fill("q.csv", "q.csv");
    live.tell("q.csv", &[]).ok();
    live.ask("q.csv", &["--n", "4"])
        .refused(&["already there, and may hold answers"]);
}
