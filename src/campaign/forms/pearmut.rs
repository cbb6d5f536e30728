//! Pearmut: a campaign in which each document is one question, its two texts side by side, each with a score.
//!
//! The text with the higher score becomes the better one when the log is read. The order of the texts is ours and must
//! stay, hence no shuffling. One text gets a slider for each criterion, by its name, or is edited in a field.

use super::{
    AnnotationTool, LETTERS, OutgoingQuestions, SIDES, TaskFile, is_of_pairs, json, key, texts,
};
use crate::campaign::task::{Criterion, Task};
use serde_json::{Value, json};
use tiebreak_base::error::Result;

pub(super) const FRIEND: AnnotationTool = AnnotationTool {
    name: "pearmut",
    extension: "json",
    holds,
    write,
};

/// The steps of a slider whose criterion takes any score between its ends.
const STEPS: f64 = 100.0;

/// Whether every criterion has two ends, as a slider needs.
fn holds(task: &Task) -> bool {
    task.criteria.iter().all(|one| one.range().is_some())
}

fn write(batch: &OutgoingQuestions<'_>) -> Result<Vec<TaskFile>> {
    let of_pairs = is_of_pairs(batch.task);
    let name = |side: usize| format!("{LETTERS}{}", SIDES[side]);
    let document = |row| -> Value {
        let [one, two] = texts(row);
        let mut segment = json!({
            "item_id": key(row),
            "src": row.source.unwrap_or_default(),
            "tgt": match of_pairs {
                true => json!({name(0): one, name(1): two}),
                false => json!({name(0): one}),
            },
        });
        if let Some(reference) = row.references.first() {
            segment["ref"] = json!(reference);
        }
        json!([segment])
    };
    let documents: Vec<Value> = batch.rows.iter().map(document).collect();
    let person = batch.rows.first().and_then(|row| row.annotator);
    let mut campaign = json!({
        "campaign_id": batch.name,
        "info": {
            "assignment": "task-based",
            "protocol": "DA",
            "shuffle": false,
            "users": [person.unwrap_or(batch.name)],
            "instructions": instructions(batch.task),
        },
        "data": [documents],
    });
    if !of_pairs {
        let info = &mut campaign["info"];
        info["sliders"] = batch.task.criteria.iter().filter_map(slider).collect();
        info["textfield"] = json!(batch.task.edited_column().map(|_| "prefilled"));
    }
    Ok(vec![("json", json(&campaign)?)])
}

/// Returns the instructions, with the questions of the sliders, which show only names.
fn instructions(task: &Task) -> String {
    let questions = task
        .criteria
        .iter()
        .map(|one| format!("{}: {}", one.name, one.question()));
    let lines = std::iter::once(task.prompt.clone()).chain(questions);
    lines.collect::<Vec<_>>().join("<br>\n")
}

fn slider(criterion: &Criterion) -> Option<Value> {
    let [low, high] = criterion.range()?;
    let step = criterion.step.unwrap_or((high - low) / STEPS);
    Some(json!({"name": criterion.name, "min": low, "max": high, "step": step}))
}
