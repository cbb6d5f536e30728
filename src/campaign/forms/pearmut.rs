//! Pearmut: a campaign in which each document is one question, its two texts side by side, each with a score.
//!
//! Scores become comparisons when the log is read: the text with the higher score is better. The order of the texts is
//! ours and must stay, hence no shuffling.

use super::{Batch, Friend, SIDES, Written, json, key, texts};
use crate::error::Result;
use serde_json::{Value, json};

pub(super) const FRIEND: Friend = Friend {
    name: "pearmut",
    extension: "json",
    write,
};

fn write(batch: &Batch<'_>) -> Result<Vec<Written>> {
    let document = |row| -> Value {
        let [one, two] = texts(row);
        let mut segment = json!({
            "item_id": key(row),
            "src": row.source.unwrap_or_default(),
            "tgt": {SIDES[0]: one, SIDES[1]: two},
        });
        if let Some(reference) = row.references.first() {
            segment["ref"] = json!(reference);
        }
        json!([segment])
    };
    let documents: Vec<Value> = batch.rows.iter().map(document).collect();
    let person = batch.rows.first().and_then(|row| row.annotator);
    let campaign = json!({
        "campaign_id": batch.name,
        "info": {
            "assignment": "task-based",
            "protocol": "DA",
            "shuffle": false,
            "users": [person.unwrap_or(batch.name)],
            "instructions": batch.task.prompt,
        },
        "data": [documents],
    });
    Ok(vec![("json", json(&campaign)?)])
}
