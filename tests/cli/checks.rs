//! Tasks whose answer is known, among those of a campaign that is served.

use super::serve::{Campaign, get, post};
use serde_json::{Value, json};
use std::fs;

/// Training, then a check in every second place.
const TASK: &str = r#"
protocol = "pairwise"
prompt = "Which is better?"

[checks]
rate = 0.5
train = true

[[checks.training]]
texts = ["right", "wrong"]
answers = ["1"]
right = "Well done."
wrong = "Look again."

[[checks.training]]
texts = ["so", "so"]
answers = ["tie", "both bad"]
wrong = "They are the same."

[[checks.mixed]]
kind = "loud"
texts = ["choose the other", "choose this"]
answers = ["2"]
"#;

fn answer(link: &str, task: &Value, answer: &str) -> Value {
    let said = json!({"question": task["question"], "answer": answer, "seconds": 2.0});
    let came = post(&format!("{link}/answer"), &said).json();
    assert_eq!(
        post(&format!("{link}/answer"), &said).status(),
        200,
        "sent again"
    );
    came
}

#[test]
fn checks_teach_are_kept_and_prove_nothing() {
    let campaign = Campaign::new(20);
    let file = campaign.path("mine.toml");
    fs::write(&file, TASK).unwrap();
    let flags = ["--task", file.to_str().unwrap()];
    let server = campaign.serve(&flags);
    let link = server.links.values().next().unwrap().clone();
    let path = link.split('/').skip(3).collect::<Vec<_>>().join("/");
    let first = get(&format!("{link}/task")).json();
    assert_eq!(
        (&first["texts"], &first["prompt"]),
        (&json!(["right", "wrong"]), &json!("Which is better?"))
    );
    let second = answer(&link, &first, "2");
    assert_eq!(
        (&second["feedback"], &second["texts"]),
        (&json!("Look again."), &json!(["so", "so"]))
    );
    assert_eq!(
        (&second["progress"]["answered"], &second["undo"]),
        (&json!(0), &json!(false))
    );
    // What was done stays done, whatever happens to the server.
    server.kill();
    let server = campaign.serve(&flags);
    let at = server.admin.split('/').nth(2).unwrap();
    let link = format!("http://{at}/{path}");
    let mut task = get(&format!("{link}/task")).json();
    assert_eq!(task["texts"], json!(["so", "so"]));
    task = answer(&link, &task, "tie");
    assert!(task["feedback"].is_null());
    let (mut checks, mut answers) = (0, 0);
    while answers < 20 {
        assert_eq!(task["state"], "task", "{task}");
        assert_eq!(task["progress"]["answered"], answers);
        let is_check = task["texts"][1] == "choose this";
        if is_check {
            checks += 1;
        } else {
            answers += 1;
        }
        // The first check is passed, all others are not.
        let said = if is_check && checks == 1 {
            "2"
        } else {
            ["1", "tie"][answers % 2]
        };
        task = answer(&link, &task, said);
    }
    assert!((5..60).contains(&checks), "{checks}");
    let status = get(&format!("{}/status", server.admin)).json();
    assert_eq!(status["questions"]["answered"], 20);
    let flags = status["annotators"][0]["flags"].to_string();
    assert!(
        flags.contains(&format!("{} of {checks} checks failed", checks - 1)),
        "{flags}"
    );
    let rows = get(&format!("{}/answers.csv", server.admin));
    let rows = rows.text();
    assert_eq!(rows.lines().count(), 21, "{rows}");
}
