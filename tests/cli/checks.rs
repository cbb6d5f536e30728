//! Tasks whose answer is known, among those of a campaign that is served.

use super::serve::{Campaign, get, post};
use super::{text, tiebreak};
use crate::support::assert_contains;
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
fn a_sheet_of_a_task_with_checks_says_that_it_has_none() {
    let campaign = Campaign::new(20);
    let file = campaign.path("mine.toml");
    fs::write(&file, TASK).unwrap();
    let [data, run, sheet] = ["data", "run", "q.csv"].map(|name| campaign.path(name));
    let ask = [
        "ask",
        text(&run),
        text(&data),
        "--task",
        text(&file),
        "--out",
    ];
    let asked = tiebreak(&[&ask[..], &[text(&sheet)]].concat());
    let none = "are shown by `tiebreak serve` only: here annotators get none";
    assert_contains(&asked.stderr, &[none]);
}

#[test]
fn checks_teach_are_kept_and_prove_nothing() {
    let campaign = Campaign::new(20);
    let file = campaign.path("mine.toml");
    fs::write(&file, TASK).unwrap();
    let flags = ["--task", file.to_str().unwrap(), "--annotators", "ana"];
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
        (&json!(1), &json!(true))
    );
    // What was done stays done, whatever happens to the server.
    server.kill();
    let server = campaign.serve(&flags);
    let at = server.admin.split('/').nth(2).unwrap();
    let link = format!("http://{at}/{path}");
    let mut task = get(&format!("{link}/task")).json();
    assert_eq!(task["texts"], json!(["so", "so"]));
    task = answer(&link, &task, "tie");
    assert_eq!(
        task["feedback"],
        "That was the last training task. From now on your answers count."
    );
    let (mut checks, mut answers) = (0, 0);
    while answers < 20 {
        assert_eq!(task["state"], "task", "{task}");
        assert_eq!(task["progress"]["answered"], 2 + checks + answers);
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
    assert_contains(
        &flags,
        &[&format!("{} of {checks} checks failed", checks - 1)],
    );
    let rows = get(&format!("{}/answers.csv", server.admin));
    let rows = rows.text();
    assert_eq!(rows.lines().count(), 21, "{rows}");
    server.stop();
    let name = status["annotators"][0]["name"].as_str().unwrap();
    let failed = format!(
        "Failed checks with known answers: {name} ({} of {checks}).",
        checks - 1
    );
    let run = campaign.path("run");
    for command in ["annotators", "report"] {
        let found = tiebreak(&[command, run.to_str().unwrap()]).ok();
        assert_contains(
            &found.split_whitespace().collect::<Vec<_>>().join(" "),
            &[&failed],
        );
    }
}

/// Headers but for the length of the body, and the fields of the body with their kinds.
fn shape(link: &str, answered: &str) -> Vec<String> {
    let task = get(&format!("{link}/task"));
    let mut shape: Vec<String> = vec![task.headers_but_length(), kinds(&task.json())];
    let question = task.json()["question"].clone();
    let said = |answer: &str, seconds: f64| {
        let said = json!({"question": question, "answer": answer, "seconds": seconds});
        post(&format!("{link}/answer"), &said)
    };
    // What is refused is refused in the same words.
    for refused in [said("so", 1.0), said("1", -1.0)] {
        shape.push(format!("{} {}", refused.status(), refused.text()));
    }
    let undo = |link: &str, task: &Value| {
        let back = json!({"question": task["question"]});
        post(&format!("{link}/undo"), &back).json()
    };
    let next = said(answered, 2.0).json();
    shape.push(kinds(&next));
    let again = undo(link, &next);
    assert_eq!(
        (&again["question"], &again["undo"]),
        (&question, &json!(false))
    );
    assert_eq!(said(answered, 2.0).json()["question"], next["question"]);
    assert_eq!(said(answered, 2.0).status(), 200);
    let other = said("both bad", 2.0);
    shape.push(format!("{} {}", other.status(), kinds(&other.json())));
    shape
}

/// Which fields an object has, and what they are.
fn kinds(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(name, _)| *name != "source");
            let fields: Vec<String> = fields
                .map(|(name, value)| format!("{name}: {}", kinds(value)))
                .collect();
            format!("{{{}}}", fields.join(", "))
        }
        Value::Array(list) => format!("[{}]", list.iter().map(kinds).collect::<String>()),
        Value::String(text) => {
            let is_name = text.len() == 16 && text.chars().all(|c| c.is_ascii_hexdigit());
            if is_name { "name" } else { "text" }.to_string()
        }
        Value::Bool(truth) => truth.to_string(),
        Value::Null => "nothing".to_string(),
        Value::Number(_) => "number".to_string(),
    }
}

#[test]
fn nothing_that_a_page_receives_tells_a_check_from_a_question() {
    let campaign = Campaign::new(40);
    let file = campaign.path("mine.toml");
    fs::write(&file, TASK.replace("train = true", "train = false")).unwrap();
    let flags = ["--task", file.to_str().unwrap(), "--confidence", "0.999999"];
    let server = campaign.serve(&flags);
    let link = server.links.values().next().unwrap().clone();
    let (mut shapes, mut kinds) = ([Vec::new(), Vec::new()], [0; 2]);
    // Not the first, before which there is nothing to take back.
    let first = get(&format!("{link}/task")).json();
    answer(&link, &first, "1");
    while kinds[0] < 6 || kinds[1] < 6 {
        let task = get(&format!("{link}/task")).json();
        let kind = usize::from(task["texts"][1] == "choose this");
        kinds[kind] += 1;
        shapes[kind].push(shape(&link, "2"));
    }
    for shapes in &shapes {
        for shape in shapes {
            assert_eq!(shape, &shapes[0]);
        }
    }
    assert_eq!(shapes[0][0], shapes[1][0]);
}
