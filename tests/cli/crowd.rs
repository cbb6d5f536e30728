//! Simulated people over HTTP: nobody is better, and a campaign says so as often as it promises.

use super::serve::{Campaign, get, post};
use crate::support::say;
use serde_json::{Value, json};
use tiebreak::rng::{Rng, Seed};

const PEOPLE: [&str; 4] = ["ana", "ben", "cy", "dan"];

/// By how much each prefers the one over the other; nobody does on average.
const TASTES: [f64; 4] = [0.15, -0.15, 0.1, -0.1];

/// Of two texts the one whose system comes first among the words, with a taste for it.
fn said(task: &Value, taste: f64, rng: &mut Rng) -> &'static str {
    let rank = |place: usize| {
        let text = task["texts"][place].as_str().unwrap();
        ["fine", "poor", "dire"]
            .iter()
            .position(|word| text.contains(word))
    };
    let first = if rank(0) < rank(1) {
        0.5 + taste
    } else {
        0.5 - taste
    };
    match (rng.bernoulli(0.2), rng.bernoulli(first)) {
        (true, _) => "tie",
        (false, true) => "1",
        (false, false) => "2",
    }
}

/// Whether something is claimed after so many answers, of which some are taken back and some skipped.
fn claims(run: u64, answers: usize) -> bool {
    let campaign = Campaign::new(60);
    let seed = run.to_string();
    let flags = ["--annotators ana,ben,cy,dan --overlap 0.3 --seed", &seed];
    let server = campaign.serve(&flags);
    let mut rng = Seed(77).stream("crowd", run);
    for _ in 0..answers {
        let person = rng.below(PEOPLE.len());
        let url = &server.links[PEOPLE[person]];
        let task = get(&format!("{url}/task")).json();
        match task["state"].as_str() {
            Some("task") => {}
            Some("wait") => continue,
            _ => break,
        }
        let answer = match rng.bernoulli(0.05) {
            true => "skip",
            false => said(&task, TASTES[person], &mut rng),
        };
        let answer = json!({ "question": task["question"], "answer": answer, "seconds": 2.0 });
        let next = post(&format!("{url}/answer"), &answer);
        assert_eq!(next.status(), 200);
        if rng.bernoulli(0.1) {
            post(
                &format!("{url}/undo"),
                &json!({ "question": next.json()["question"] }),
            );
        }
    }
    let status = get(&format!("{}/status", server.admin)).json();
    status["claim"]["kind"] != "undecided"
}

#[test]
fn a_campaign_of_equal_systems_over_http_ends_undecided() {
    assert!(!claims(0, 60));
}

#[test]
#[ignore = "twenty campaigns over HTTP take some minutes"]
fn twenty_campaigns_over_http_are_wrong_no_more_often_than_they_say() {
    let wrong = (0..20).filter(|&run| claims(run, 300)).count();
    say(
        "MEASURED",
        &format!("wrong announcements over HTTP: {wrong} of 20"),
    );
    // 20 δ and two standard errors: 2.9.
    assert!(wrong <= 2, "{wrong}");
}
