//! Earlier answers on the judging page: looked at and, where no question depends on them, corrected.

use super::serve::{Campaign, better, get, post};
use super::{text, tiebreak};
use serde_json::{Value, json};
use std::fs;

fn answer(url: &str, task: &Value, fields: &Value) -> Value {
    let mut said = fields.clone();
    said["question"] = task["question"].clone();
    let reply = post(&format!("{url}/answer"), &said);
    assert_eq!(reply.status(), 200, "{}", reply.text());
    reply.json()
}

#[test]
fn answers_about_pairs_are_looked_at_and_stay() {
    let campaign = Campaign::new(30);
    let server = campaign.serve(&["--annotators", "ana,ben"]);
    let url = &server.links["ana"];
    let earlier = |number: usize| get(&format!("{url}/earlier/{number}")).json();
    let mut task = get(&format!("{url}/task")).json();
    // There is nothing to look at yet.
    assert_eq!(earlier(0), task);
    let mut said = Vec::new();
    for number in 0..4 {
        let answer_given = if number == 2 {
            "both bad"
        } else {
            better(&task)
        };
        said.push((task["texts"].clone(), answer_given));
        task = answer(
            url,
            &task,
            &json!({ "answer": answer_given, "comment": "why" }),
        );
        while task["state"] != "task" {
            // Others come first now and then.
            let other = get(&format!("{}/task", server.links["ben"])).json();
            answer(
                &server.links["ben"],
                &other,
                &json!({ "answer": better(&other) }),
            );
            task = get(&format!("{url}/task")).json();
        }
    }
    for (number, (texts, answer)) in (1..).zip(&said) {
        let one = earlier(number);
        assert_eq!((&one["texts"], &one["state"]), (texts, &json!("earlier")));
        assert_eq!((&one["number"], &one["all"]), (&json!(number), &json!(4)));
        assert_eq!(one["said"]["answer"], *answer);
        assert_eq!(one["said"]["comment"], "why");
        assert_eq!(one["correctable"], false);
        let why = one["message"].as_str().unwrap();
        // The last one can still be taken back.
        let is_chosen_by = why.starts_with("Later questions were chosen");
        assert_eq!(is_chosen_by, number < 4, "{why}");
        assert!(why.contains("Undo takes back the last answer"), "{why}");
    }
    assert_eq!(earlier(0), earlier(4));
    let first = earlier(1);
    let other = if said[0].1 == "1" { "2" } else { "1" };
    let change = json!({ "question": first["question"], "answer": other, "corrects": true });
    assert_eq!(post(&format!("{url}/answer"), &change).status(), 409);
    assert_eq!(earlier(1), first);
    // Nobody sees what others said.
    let ben = get(&format!("{}/earlier/1", server.links["ben"])).json();
    assert!(said.iter().all(|(texts, _)| *texts != ben["texts"]));
}

#[test]
fn a_skipped_pair_is_answered_after_all() {
    let campaign = Campaign::new(30);
    let server = campaign.serve(&[]);
    let url = server.links.values().next().unwrap().clone();
    let task = get(&format!("{url}/task")).json();
    let task = answer(&url, &task, &json!({ "answer": "skip" }));
    answer(&url, &task, &json!({ "answer": better(&task) }));
    let skipped = get(&format!("{url}/earlier/1")).json();
    assert_eq!(skipped["said"]["answer"], "skip");
    assert_eq!(skipped["correctable"], true);
    assert_eq!(skipped["message"], Value::Null);
    let late = json!({ "answer": better(&skipped), "corrects": true });
    answer(&url, &skipped, &late);
    // Now it is an answer like others.
    assert_eq!(
        get(&format!("{url}/earlier/1")).json()["correctable"],
        false
    );
    server.kill();
    let server = campaign.serve(&[]);
    let status = get(&format!("{}/status", server.admin)).json();
    let questions = &status["questions"];
    assert_eq!(
        (&questions["answered"], &questions["skipped"]),
        (&json!(2), &json!(0))
    );
}

#[test]
fn a_rating_is_corrected_and_counts_as_it_was_said_last() {
    let campaign = Campaign::new(6);
    let flags = ["--task", "rating:quality=1..5"];
    let mut server = campaign.serve(&flags);
    let one = server.links.values().next().unwrap().clone();
    let mut task = get(&format!("{one}/task")).json();
    for _ in 0..3 {
        task = answer(
            &one,
            &task,
            &json!({ "scores": { "quality": 2 }, "comment": "mine" }),
        );
    }
    let skipped = answer(&one, &task, &json!({ "answer": "skip" }));
    let look = |url: &str, number: usize| get(&format!("{url}/earlier/{number}")).json();
    let first = look(&one, 1);
    assert_eq!(first["said"]["scores"], json!({ "quality": 2.0 }));
    assert_eq!(first["correctable"], true);
    let change = json!({ "scores": { "quality": 5 }, "corrects": true, "comment": "better" });
    let next = answer(&one, &first, &change);
    // The present task is what it was.
    assert_eq!(next["texts"], skipped["texts"]);
    assert_eq!(next["progress"], skipped["progress"]);
    // Sent twice it counts once, and what was skipped can be rated after all.
    answer(&one, &first, &change);
    let fourth = look(&one, 4);
    assert_eq!(fourth["said"]["answer"], "skip");
    answer(
        &one,
        &fourth,
        &json!({ "scores": { "quality": 4 }, "corrects": true }),
    );
    server.kill();
    server = campaign.serve(&[]);
    let one = server.links.values().next().unwrap().clone();
    let all: Vec<Value> = (1..=4)
        .map(|number| look(&one, number)["said"]["scores"].clone())
        .collect();
    assert_eq!(
        all,
        [5.0, 2.0, 2.0, 4.0].map(|score| json!({ "quality": score }))
    );
    assert_eq!(look(&one, 1)["said"]["comment"], "better");
    server.kill();
    let (run, out) = (campaign.path("run"), campaign.path("answers.csv"));
    tiebreak(&["export", text(&run), "--as", "answers", "--out", text(&out)]).ok();
    let table = fs::read_to_string(&out).unwrap();
    assert_eq!(table.lines().count(), 5, "{table}");
    assert_eq!(table.matches("better").count(), 1, "{table}");
}

#[test]
fn the_table_of_answers_has_one_that_can_still_be_taken_back() {
    for (task, said) in [
        ("rating:quality=1..5", json!({ "scores": { "quality": 2 } })),
        ("pairwise", json!({ "answer": "1" })),
    ] {
        let campaign = Campaign::new(6);
        let server = campaign.serve(&["--task", task]);
        let one = server.links.values().next().unwrap();
        let task = get(&format!("{one}/task")).json();
        answer(one, &task, &said);
        let table = get(&format!("{}/answers.csv", server.admin));
        assert_eq!(table.text().lines().count(), 2, "{}", table.text());
    }
}

#[test]
fn a_rating_that_was_looked_at_stays() {
    let campaign = Campaign::new(6);
    let server = campaign.serve(&["--task", "rating:quality=1..5", "--target-width", "1"]);
    let one = server.links.values().next().unwrap();
    let task = get(&format!("{one}/task")).json();
    let task = answer(one, &task, &json!({ "scores": { "quality": 2 } }));
    answer(one, &task, &json!({ "scores": { "quality": 3 } }));
    let first = get(&format!("{one}/earlier/1")).json();
    assert_eq!(first["correctable"], false);
    let why = first["message"].as_str().unwrap();
    assert!(why.contains("looked at"), "{why}");
    let change =
        json!({ "question": first["question"], "scores": { "quality": 5 }, "corrects": true });
    assert_eq!(post(&format!("{one}/answer"), &change).status(), 409);
}
