//! Questions for other annotation tools, and what those export, as their own formats have it.

use super::Finished;
use super::live::{Live, questions};
use crate::support::{assert_contains, assert_lacks};
use serde_json::{Value, json};
use std::fs;

/// A run whose first questions went to a tool; the tasks that were written.
fn begun(tool: &str, file: &str) -> (Live, Value) {
    let live = Live::new();
    fs::create_dir(live.path("tool")).unwrap();
    let asked = live.begin(&format!("tool/{file}"), &["--n 6 --json --as", tool]);
    let next = asked.json()["next"].as_str().unwrap().to_string();
    assert_contains(&next, &[tool, "tell"]);
    let tasks = fs::read_to_string(live.path("tool").join(file)).unwrap();
    assert!(!tasks.contains("secret-"), "no system is named");
    let tasks = match file.ends_with("jsonl") {
        true => tasks
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap())
            .collect(),
        false => serde_json::from_str(&tasks).unwrap(),
    };
    (live, tasks)
}

/// Which of two texts is better, from 0.
fn better(one: &Value, two: &Value) -> Option<usize> {
    [one, two]
        .iter()
        .position(|text| text.as_str().unwrap().contains("fine"))
}

/// Tells what a tool exported: all six answers are read, the better texts win.
fn told(live: &Live, export: &str, more: &[&str]) -> Finished {
    let again = live.tell(export, &[&["--json"], more].concat()).json();
    assert_eq!(
        (questions(&again, "answered"), questions(&again, "open")),
        (6, 0)
    );
    live.run(&["export run --as jsonl --out rows"]).ok();
    let text = fs::read_to_string(live.path("rows/comparisons.jsonl")).unwrap();
    for line in text.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let good = |side: &str| row[side] == "secret-good";
        let expected = if good("system_a") {
            1.0
        } else if good("system_b") {
            0.0
        } else {
            0.5
        };
        assert_eq!(row["outcome"].as_f64(), Some(expected), "{row}");
    }
    live.tell(export, more)
}

#[test]
fn label_studio() {
    let (live, tasks) = begun("label-studio", "tasks.json");
    assert!(
        fs::read_to_string(live.path("tool/tasks.xml"))
            .unwrap()
            .contains("<Pairwise")
    );
    let export: Vec<Value> = tasks.as_array().unwrap().iter().zip(1..).map(|(task, id)| {
        let data = &task["data"];
        let result = match better(&data["left"], &data["right"]) {
            Some(side) => json!({"from_name": "better", "to_name": "left", "type": "pairwise", "value": {"selected": if side == 0 { "left" } else { "right" }}}),
            None => json!({"from_name": "neither", "to_name": "source", "type": "choices", "value": {"choices": ["both bad"]}}),
        };
        json!({"id": id, "data": data, "annotations": [{"id": id, "completed_by": 3, "was_cancelled": false, "lead_time": 4.5, "result": [result]}]})
    }).collect();
    fs::write(live.path("export.json"), json!(export).to_string()).unwrap();
    let again = told(&live, "export.json", &["--annotator", "ana"]).ok();
    assert_contains(&again, &["6 known already"]);
    let journal = String::from_utf8(live.journal()).unwrap();
    assert_contains(&journal, &["\"ana\"", "4.5"]);
}

/// Whom the tool names answered, if the campaign knows them, whoever was asked.
#[test]
fn answers_are_of_the_listed_person_that_a_tool_names() {
    let live = Live::new();
    let people = "--annotators ana@x.org,ben@x.org";
    live.begin("lent", &["--n 12 --as label-studio", people])
        .ok();
    let tasks = fs::read_to_string(live.path("lent/ana-x.org.json")).unwrap();
    let tasks: Vec<Value> = serde_json::from_str(&tasks).unwrap();
    let export = |who: &[&str], tasks: &[Value]| {
        let of = |task: &Value| {
            let by = |email: &&str| {
                let side = if email.starts_with("ana") {
                    "left"
                } else {
                    "right"
                };
                let said = json!({"from_name": "better", "to_name": "left", "type": "pairwise", "value": {"selected": side}});
                json!({"completed_by": {"id": 7, "email": email}, "was_cancelled": false, "result": [said]})
            };
            json!({"data": task["data"], "annotations": who.iter().map(by).collect::<Vec<_>>()})
        };
        let export: Vec<Value> = tasks.iter().map(of).collect();
        fs::write(live.path("export.json"), json!(export).to_string()).unwrap();
    };
    let by = |who: &str| {
        live.run(&["export run --as answers --force --out answers.csv"])
            .ok();
        let answers = fs::read_to_string(live.path("answers.csv")).unwrap();
        answers.matches(who).count()
    };
    let few = tasks.len() / 2;
    export(&["ben@x.org"], &tasks[..few]);
    let told = live.tell("export.json", &[]).ok();
    assert_contains(&told, &["by another annotator than the one asked"]);
    assert_eq!((by("ana@x.org"), by("ben@x.org")), (0, few));
    // Where both saw it, it is ana who was asked.
    export(&["ana@x.org", "ben@x.org"], &tasks[few..]);
    live.tell("export.json", &[]).ok();
    assert_eq!((by("ana@x.org"), by("ben@x.org")), (tasks.len() - few, few));
}

/// Label Studio exports what an annotator has cancelled, and a side beside a tie.
#[test]
fn what_an_export_says_twice_or_withdraws_is_said() {
    let (live, tasks) = begun("label-studio", "tasks.json");
    let side = json!({"from_name": "better", "to_name": "left", "type": "pairwise", "value": {"selected": "left"}});
    let tie = json!({"from_name": "neither", "to_name": "source", "type": "choices", "value": {"choices": ["tie"]}});
    let task = |(place, task): (usize, &Value)| {
        let result = match place {
            0 => json!([side, tie]),
            _ => json!([side]),
        };
        json!({"id": place, "data": task["data"], "annotations": [{"id": place, "completed_by": 3, "was_cancelled": place == 1, "lead_time": 4.5, "result": result}]})
    };
    let export: Vec<Value> = tasks
        .as_array()
        .unwrap()
        .iter()
        .enumerate()
        .map(task)
        .collect();
    fs::write(live.path("export.json"), json!(export).to_string()).unwrap();
    let told = live.tell("export.json", &[]);
    assert_contains(
        &told.stderr,
        &[
            "export.json: left out: 1 (skipped (was_cancelled))",
            "export.json: annotations with a side and, in a Choices control, another answer, which counts: 1",
        ],
    );
    assert_contains(&told.ok(), &["5 new answers"]);
}

#[test]
fn pearmut() {
    let (live, campaign) = begun("pearmut", "campaign.json");
    assert_eq!(campaign["info"]["shuffle"], false);
    let rows = campaign["data"][0].as_array().unwrap().iter().map(|document| {
        let texts = &document[0]["tgt"];
        let score = |side: usize| if better(&texts["text_1"], &texts["text_2"]) == Some(side) { 90 } else { 40 };
        let said = |side| json!({"score": score(side), "error_spans": [], "textfield": null});
        json!({
            "annotation": [{"text_1": said(0), "text_2": said(1)}], "item": document, "user_id": "loud-owl-7", "item_i": 0,
            "actions": [{"time": 100.0, "action": "load"}, {"time": 112.0, "action": "submit"}],
        }).to_string() + "\n"
    });
    let log: String = rows.collect();
    fs::write(live.path("annotations.jsonl"), log).unwrap();
    told(&live, "annotations.jsonl", &[]).ok();
}

#[test]
fn potato() {
    let (live, data) = begun("potato", "questions.jsonl");
    assert!(
        fs::read_to_string(live.path("tool/questions.yaml"))
            .unwrap()
            .contains("annotation_type: pairwise")
    );
    // As Potato 2.12 stores it.
    let chosen: serde_json::Map<String, Value> = data
        .as_array()
        .unwrap()
        .iter()
        .map(|task| {
            let choice = better(&task["responses"][0], &task["responses"][1]);
            let choice = choice.map_or("tie", |side| ["A", "B"][side]);
            (
                task["id"].as_str().unwrap().to_string(),
                json!([[{"schema": "preference", "name": "selection"}, choice]]),
            )
        })
        .collect();
    let folder = live.path("tool/annotation_output/ana");
    fs::create_dir_all(&folder).unwrap();
    let state = json!({"user_id": "ana", "instance_id_to_label_to_value": chosen});
    fs::write(folder.join("user_state.json"), state.to_string()).unwrap();
    told(&live, "tool", &[]).ok();
}

#[test]
fn appraise() {
    let (live, batches) = begun("appraise", "batches.json");
    let mut csv = String::new();
    for item in batches[0]["items"].as_array().unwrap() {
        let texts = &item["targets"];
        let best = better(&texts[0]["targetText"], &texts[1]["targetText"]);
        for side in 0..2 {
            let score = if best == Some(side) { 80 } else { 20 };
            let (system, id) = (texts[side]["targetID"].as_str().unwrap(), &item["itemID"]);
            csv += &format!("engeng01,{system},{id},TGT,eng,eng,{score},100{id}.0,110{id}.5\n");
        }
    }
    fs::write(live.path("scores.csv"), csv).unwrap();
    told(&live, "scores.csv", &[]).ok();
}

#[test]
fn what_nobody_asked_is_refused() {
    let (live, tasks) = begun("label-studio", "tasks.json");
    let data = &tasks[0]["data"];
    let export = |item: &str, left: &Value| {
        let mut data = data.clone();
        data["item"] = json!(item);
        data["left"] = left.clone();
        let result = json!([{"type": "pairwise", "value": {"selected": "left"}}]);
        let export = json!([{"id": 1, "data": data, "annotations": [{"id": 1, "completed_by": 3, "result": result}]}]);
        fs::write(live.path("export.json"), export.to_string()).unwrap();
        live.tell("export.json", &[])
    };
    export("qnothing", &data["left"]).refused(&["was not asked in this campaign"]);
    export(data["item"].as_str().unwrap(), &json!("something else"))
        .refused(&["not those of the question"]);
    fs::write(
        live.path("export.json"),
        "{\"tiebreak\": 1, \"answers\": 3}",
    )
    .unwrap();
    live.tell("export.json", &[])
        .refused(&["as the page saved it"]);
    live.ask("more.json", &["--as", "labelstudio"])
        .refused(&["did you mean `label-studio`"]);
}

/// Ratings of `i`, as a tool keeps them: a score a criterion, or an edited text.
fn rated_run(tool: &str, task: &str) -> (Live, Value) {
    let live = Live::new();
    fs::create_dir(live.path("tool")).unwrap();
    let flags = ["--task", task, "--budget 8 --n 8 --as", tool];
    live.begin("tool/tasks.json", &flags).ok();
    let tasks = fs::read_to_string(live.path("tool/tasks.json")).unwrap();
    assert!(!tasks.contains("secret-"), "no system is named");
    (live, serde_json::from_str(&tasks).unwrap())
}

/// Tells what a tool exported of ratings by `adequacy`: 90 of a fine text, 20 of any other.
fn told_ratings(live: &Live, export: &str) {
    let told = live.tell(export, &["--json"]).json();
    assert_eq!(questions(&told, "open"), 0, "{told}");
    live.run(&["export run --as jsonl --out rows"]).ok();
    let judged = fs::read_to_string(live.path("rows/judgments.jsonl")).unwrap();
    for line in judged.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let expected = if row["system"] == "secret-good" {
            90.0
        } else {
            20.0
        };
        assert_eq!(row["score"].as_f64(), Some(expected), "{row}");
    }
    assert!(judged.lines().count() >= 8 - 2, "{judged}");
}

fn adequacy(shown: &Value) -> u64 {
    if shown.as_str().unwrap().contains("fine") {
        90
    } else {
        20
    }
}

#[test]
fn label_studio_rates_and_edits() {
    let (live, tasks) = rated_run("label-studio", "rating:adequacy=0..100");
    let config = fs::read_to_string(live.path("tool/tasks.xml")).unwrap();
    assert!(config.contains(r#"<Number name="adequacy" toName="text" min="0" max="100""#));
    let export = |tasks: &Value, result: &dyn Fn(&Value) -> Value| {
        let all = tasks.as_array().unwrap().iter().zip(1..);
        let all: Vec<Value> = all
            .map(|(task, id)| {
                let said = [result(&task["data"]["text"])];
                let annotation = json!({"id": id, "completed_by": 3, "was_cancelled": false, "lead_time": 4.5, "result": said});
                json!({"id": id, "data": task["data"], "annotations": [annotation]})
            })
            .collect();
        json!(all).to_string()
    };
    let scored = export(
        &tasks,
        &|shown| json!({"from_name": "adequacy", "to_name": "text", "type": "number", "value": {"number": adequacy(shown)}}),
    );
    fs::write(live.path("export.json"), scored).unwrap();
    told_ratings(&live, "export.json");

    // The short forms, as Label Studio 1.23 writes them.
    let rows: Vec<Value> = tasks
        .as_array()
        .unwrap()
        .iter()
        .zip(1..)
        .map(|(task, id)| {
            let mut row = task["data"].clone();
            row["adequacy"] = json!([{"number": adequacy(&row["text"])}]);
            for (name, value) in [
                ("id", json!(id)),
                ("annotator", json!(1)),
                ("annotation_id", json!(id)),
                ("lead_time", json!(7.25)),
            ] {
                row[name] = value;
            }
            row
        })
        .collect();
    fs::write(live.path("short.json"), json!(rows).to_string()).unwrap();
    let mut csv = csv::Writer::from_path(live.path("short.csv")).unwrap();
    csv.write_record(rows[0].as_object().unwrap().keys())
        .unwrap();
    for row in &rows {
        let cell = |cell: &Value| {
            cell.as_str()
                .map_or_else(|| cell.to_string(), str::to_string)
        };
        csv.write_record(row.as_object().unwrap().values().map(cell))
            .unwrap();
    }
    csv.flush().unwrap();
    for file in ["short.json", "short.csv"] {
        let told = live.tell(file, &["--json"]).json();
        assert!(
            told["told"]["new"] == 0 && told["told"]["known"].as_u64() >= Some(6),
            "{told}"
        );
    }

    let (live, tasks) = rated_run("label-studio", "post-edit");
    let edited = export(&tasks, &|shown| {
        let better = shown.as_str().unwrap().replace("poor", "fine");
        json!({"from_name": "post_edit", "to_name": "text", "type": "textarea", "value": {"text": [better]}})
    });
    fs::write(live.path("export.json"), edited).unwrap();
    let told = live.tell("export.json", &["--json"]).json();
    assert_eq!(questions(&told, "open"), 0, "{told}");
    let journal = String::from_utf8(live.journal()).unwrap();
    assert_contains(&journal, &["fine"]);
    assert_lacks(&journal, &["poor"]);
}

#[test]
fn pearmut_rates_and_edits() {
    let log = |campaign: &Value, said: &dyn Fn(&Value) -> Value| -> String {
        let documents = campaign["data"][0].as_array().unwrap().iter();
        let row = |document: &Value| {
            json!({
                "annotation": [{"text_1": said(&document[0]["tgt"]["text_1"])}], "item": document, "user_id": "loud-owl-7", "item_i": 0,
                "actions": [{"time": 100.0, "action": "load"}, {"time": 112.0, "action": "submit"}],
            })
            .to_string()
                + "\n"
        };
        documents.map(row).collect()
    };
    let (live, campaign) = rated_run("pearmut", "rating:adequacy=0..100");
    assert_eq!(
        campaign["info"]["sliders"],
        json!([{"name": "adequacy", "min": 0.0, "max": 100.0, "step": 1.0}])
    );
    let scored = log(
        &campaign,
        &|shown| json!({"score": null, "sliders": {"adequacy": adequacy(shown)}, "error_spans": []}),
    );
    fs::write(live.path("log.jsonl"), scored).unwrap();
    told_ratings(&live, "log.jsonl");

    let (live, campaign) = rated_run("pearmut", "post-edit");
    assert_eq!(campaign["info"]["textfield"], "prefilled");
    let edited = log(&campaign, &|shown| {
        let better = shown.as_str().unwrap().replace("poor", "fine");
        json!({"score": null, "sliders": {}, "error_spans": [], "textfield": better})
    });
    fs::write(live.path("log.jsonl"), edited).unwrap();
    let told = live.tell("log.jsonl", &["--json"]).json();
    assert_eq!(questions(&told, "open"), 0, "{told}");
    let unbounded = live.ask("no.json", &["--task", "rating:worth", "--as", "pearmut"]);
    assert_eq!(unbounded.code, Some(2));
}
