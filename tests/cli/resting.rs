//! A campaign that asks nothing new, or has lost what it rested on: all that tell of it tell the same.

use super::live::{Live, questions};
use super::serve::{Campaign, Server, answer_all, get, post};
use super::{command, fill_in, text, tiebreak, typed};
use crate::support::{assert_contains, assert_lacks};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::Stdio;

/// What `serve` says until it serves.
fn start(live: &Live) -> String {
    let run = live.path("run");
    let mut child = command(&["serve", text(&run)])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut said = String::new();
    for line in lines.map_while(Result::ok) {
        said += &format!("{line}\n");
        if line.contains("Ctrl-C ends it") {
            break;
        }
    }
    child.kill().unwrap();
    child.wait().unwrap();
    said
}

fn serve(live: &Live) -> Server {
    Server::start(&["serve", text(&live.path("run")), "--print-links"])
}

/// The state of the page of the only annotator, and of the admin's.
fn pages(server: &Server) -> (Value, Value) {
    let url = server.links.values().next().unwrap();
    let page = get(&format!("{url}/task")).json();
    (page, get(&format!("{}/status", server.admin)).json())
}

/// Answers sheets until `ask` writes none; returns what it says then.
fn answered(live: &Live, answer: impl Fn(&Live, &str)) -> Value {
    for round in 0..20 {
        let sheet = format!("{round}.csv");
        let more = ["--n", "15", "--json"];
        let asked = match round {
            0 => live.begin(&sheet, &more).json(),
            _ => live.ask(&sheet, &more).json(),
        };
        if !live.path(&sheet).exists() {
            return asked;
        }
        answer(live, &sheet);
        live.tell(&sheet, &[]).ok();
    }
    panic!("there is no end");
}

fn proved() -> Live {
    let live = Live::new();
    let end = answered(&live, |live, sheet| {
        live.fill(sheet, sheet);
    });
    assert_eq!(
        (&end["state"], &end["stopped"]),
        (&json!("over"), &json!("certificate"))
    );
    live
}

/// The run would only compare what it has, although some pairs were never compared on some items.
#[test]
fn where_nothing_is_left_to_ask_pages_and_the_terminal_say_so_too() {
    let live = Live::with_few_items();
    let end = answered(&live, |live, sheet| {
        live.fill_two_of_three(sheet);
    });
    assert_eq!(
        (&end["state"], &end["stopped"]),
        (&json!("exhausted"), &Value::Null)
    );
    let next = end["next"].as_str().unwrap();
    assert!(next.starts_with("begin another campaign"), "{next}");
    let asked = typed(&["ask", text(&live.path("run")), "--json"], "q\n");
    assert_contains(&asked.stderr, &["You have answered all there is."]);
    let asked = asked.json();
    assert_eq!(
        (&asked["state"], asked["next"].as_str().unwrap()),
        (&end["state"], next)
    );
    let said = start(&live);
    assert_contains(
        &said,
        &[&format!("Ctrl-C ends it. Nothing is left to ask: {next}")],
    );
    let server = serve(&live);
    let (page, status) = pages(&server);
    assert_eq!(
        (&page["state"], &status["state"]),
        (&json!("done"), &end["state"])
    );
    assert_eq!(page["message"], "You have answered all there is.");
    let expected = format!("{next}. Or download the report and the answers here");
    assert_eq!(status["next"], expected.as_str());
    #[cfg(unix)]
    assert_contains(
        &server.stop(),
        &["verdict", "next            begin another campaign"],
    );
}

#[test]
fn after_a_proof_it_is_the_statement() {
    let live = proved();
    let run = live.path("run");
    let told = live.tell("0.csv", &[]).ok();
    let ranked = tiebreak(&["rank", text(&run)]).ok();
    for said in [&told, &ranked] {
        assert_contains(
            said,
            &["secret-good is the best of the 3 systems (95 % confidence)"],
        );
        assert_lacks(said, &["probability"]);
    }
    assert_contains(
        &start(&live),
        &["Ctrl-C ends it. Nothing is left to ask: the campaign is over"],
    );
    let server = serve(&live);
    let (page, status) = pages(&server);
    assert_eq!(
        page["message"],
        "The campaign has all the answers it needs."
    );
    assert_eq!(
        (&status["state"], &status["chances"]),
        (&json!("over"), &json!([]))
    );
    assert_contains(status["next"].as_str().unwrap(), &["the campaign is over"]);
    // A campaign that was paused is no less over.
    post(&format!("{}/pause", server.admin), &json!({"paused": true}));
    let (page, status) = pages(&server);
    assert_eq!(
        (&page["state"], &status["paused"]),
        (&json!("done"), &json!(true))
    );
    #[cfg(unix)]
    assert_contains(
        &server.stop(),
        &["next            nothing: the campaign is over"],
    );
}

/// After a proof, too, answers are taken back, and the questions are open to be answered again.
#[test]
fn what_was_taken_back_after_a_proof_is_asked_again() {
    let live = proved();
    let run = live.path("run");
    let mut sheet = csv::Reader::from_path(live.path("1.csv")).unwrap();
    let mut two = csv::Writer::from_path(live.path("two.csv")).unwrap();
    two.write_record(sheet.headers().unwrap()).unwrap();
    for row in sheet.records().take(2) {
        two.write_record(&row.unwrap()).unwrap();
    }
    two.flush().unwrap();
    let back = live.tell("two.csv", &["--take-back", "--json"]).json();
    let number = questions(&back, "open");
    assert!(number == 2 && back["state"] == "taken-back", "{back}");
    let next = back["next"].as_str().unwrap();
    assert_contains(
        next,
        &[
            "without them nothing is proved",
            "--again --out questions-4.csv",
        ],
    );
    let (_, again) = next.split_once("(`tiebreak ").unwrap();
    let (again, _) = again.split_once('`').unwrap();
    let again: Vec<&str> = again.split(' ').collect();
    let asked = live.run(&[&again[..], &["--json"]].concat()).json();
    assert_eq!(
        asked["sheet"]["questions"].as_u64(),
        Some(number),
        "{asked}"
    );
    let report = tiebreak(&["report", text(&run)]).ok();
    // What is written holds no path.
    let command = "`tiebreak ask run --again --out questions-5.csv`";
    assert_contains(&report, &["to be given again", command]);
    let server = serve(&live);
    let (page, status) = pages(&server);
    assert_eq!(
        (&page["state"], &status["state"]),
        (&json!("task"), &json!("taken-back"))
    );
    assert_contains(status["next"].as_str().unwrap(), &["some were taken back"]);
    server.kill();
    live.fill("questions-4.csv", "questions-4.csv");
    let told = live.tell("questions-4.csv", &["--json"]).json();
    assert_eq!(
        (&told["state"], &told["claim"]["kind"]),
        (&json!("over"), &json!("best"))
    );
    // Another answer is a correction, by which the proof is lost for good.
    live.tell("two.csv", &["--take-back"]).ok();
    fill_in(
        &live.path("questions-4.csv"),
        &live.path("ties.csv"),
        |_, _, column| (column == "answer").then(|| "tie".to_string()),
    );
    let lost = live.tell("ties.csv", &["--json"]).json();
    assert_eq!(
        (&lost["state"], &lost["claim"]["why"]),
        (&json!("lost"), &json!("corrected"))
    );
    let next = lost["next"].as_str().unwrap();
    let (_, export) = next.split_once(": tiebreak ").unwrap();
    live.run(&export.split(' ').collect::<Vec<_>>()).ok();
    let server = serve(&live);
    let (page, status) = pages(&server);
    assert_eq!(
        (&page["state"], &status["state"]),
        (&json!("done"), &json!("lost"))
    );
    assert_eq!(page["message"], "You have answered all there is.");
    assert_contains(
        status["next"].as_str().unwrap(),
        &["begin another campaign"],
    );
}

/// No more answers are forecast than can be given.
#[test]
fn a_forecast_is_not_above_the_questions_there_are() {
    let live = Live::with_few_items();
    let mut forecasts = 0;
    for round in 0..5 {
        let sheet = format!("{round}.csv");
        let more = ["--n", "6"];
        match round {
            0 => {
                let sure = ["--confidence", "0.999999"];
                live.begin(&sheet, &[&more[..], &sure].concat()).ok()
            }
            _ => live.ask(&sheet, &more).ok(),
        };
        live.fill(&sheet, &sheet);
        let told = live.tell(&sheet, &["--json"]).json();
        if let Some(left) = told["left"]["questions"].as_u64() {
            // Three pairs on twelve items.
            assert!(left + questions(&told, "answered") <= 36, "{told}");
            forecasts += 1;
        }
    }
    assert!(forecasts > 0);
}

/// A budget that is used up is no answer, and a report names the folder in the command that goes on.
#[test]
fn a_limit_that_is_used_up_is_said_everywhere() {
    for (limit, phrase) in [("budget", "the budget"), ("steps", "the limit of steps")] {
        let live = Live::new();
        let run = live.path("my run");
        let ask = |more: &[&str]| live.run(&[&["ask", "my run"], more].concat());
        let flag = format!("--{limit}");
        ask(&["data", &flag, "6", "--out", "q.csv"]).ok();
        let open = ask(&["--out", "more.csv"]).ok();
        assert_contains(
            &open,
            &["nothing: no new question can be asked now", phrase],
        );
        live.fill("q.csv", "q.csv");
        let told = live.run(&["tell", "my run", "q.csv", "--json"]).json();
        assert_eq!(told["state"], "used-up", "{told}");
        let next = told["next"].as_str().unwrap();
        assert_contains(next, &[phrase, &format!("tiebreak ask 'my run' {flag} ")]);
        let report = tiebreak(&["report", text(&run)]).ok();
        let (_, raise) = next.split_once(": ").unwrap();
        assert_contains(&report, &[&format!("goes on: `{raise}`")]);
        assert_lacks(&report, &["RUN"]);
        let server = Server::start(&["serve", text(&run), "--print-links"]);
        let (page, status) = pages(&server);
        assert_eq!(
            (&page["state"], &status["state"]),
            (&json!("done"), &json!("used-up"))
        );
        assert_contains(
            page["message"].as_str().unwrap(),
            &["the planned number is reached"],
        );
        assert_contains(status["next"].as_str().unwrap(), &["Or download"]);
    }
}

/// A visitor who comes when the budget is used up is not told that it was enough.
#[test]
fn a_visitor_who_comes_too_late_reads_why() {
    let campaign = Campaign::new(3);
    let server = campaign.serve(&["--open", "5", "--n", "3", "--budget", "3"]);
    let begun = post(&server.open, &json!({}));
    assert_eq!(begun.status(), 200, "{}", begun.text());
    let late = get(&server.open);
    assert_eq!(late.status(), 410);
    assert_contains(late.text(), &["the planned number is reached"]);
}

#[test]
fn one_who_took_all_their_answers_back_is_not_done() {
    let campaign = Campaign::new(3);
    let server = campaign.serve(&["--confidence", "0.999999"]);
    let url = &server.links["annotator"];
    let (state, _) = answer_all(url, |_| "tie");
    let status = get(&format!("{}/status", server.admin)).json();
    assert_eq!(
        (&state["state"], &status["state"]),
        (&json!("done"), &json!("exhausted"))
    );
    let state = post(&format!("{url}/undo"), &json!({})).json();
    let status = get(&format!("{}/status", server.admin)).json();
    assert_eq!(
        (&state["state"], &status["state"]),
        (&json!("task"), &json!("asking"))
    );
}

#[test]
fn commands_to_copy_name_the_folder_as_a_shell_takes_it() {
    let live = Live::new();
    live.run(&["tell", "my run", "q.csv"])
        .refused(&["tiebreak ask 'my run' DATA"]);
    live.run(&["ask", "my run", "data", "--n", "4", "--out", "q.csv"])
        .ok();
    live.run(&["annotators", "my run"])
        .refused(&["`tiebreak ask 'my run'`", "`tiebreak tell 'my run' SHEET`"]);
    let race = [
        "ask", "my race", "data", "--task", "score", "--range", "0,1",
    ];
    live.run(&[&race[..], &["--out", "next.jsonl"]].concat())
        .ok();
    live.run(&["serve", "my race"])
        .refused(&["`tiebreak ask 'my race'`", "`tiebreak tell 'my race' FILE`"]);
}
