//! A page that needs no server: the annotator's page with the states that a server would give.

use super::OutgoingQuestions;
use crate::campaign::page;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

pub(super) const EXTENSION: &str = "html";

/// The hexadecimal digits by which browsers tell pages apart.
const LENGTH: usize = 16;

pub(super) fn write(batch: &OutgoingQuestions<'_>) -> Vec<u8> {
    let shared = batch.task.state();
    let states = batch.rows.iter().map(|row| {
        let mut state = shared.clone();
        state["question"] = json!(row.code);
        batch.task.show(&batch.task.content(row), &mut state);
        state
    });
    let sheet = json!({
        "id": id(batch),
        "sheet": batch.name,
        "annotator": batch.rows.first().and_then(|row| row.annotator),
        "states": states.collect::<Vec<Value>>(),
    });
    page::offline(&sheet, &batch.task.page_words()).into_bytes()
}

/// Returns the key under which a browser keeps answers: the same for the same questions only.
fn id(batch: &OutgoingQuestions<'_>) -> String {
    let mut hash = Sha256::new();
    for row in batch.rows {
        hash.update(super::key(row));
        hash.update([0]);
    }
    let digest = format!("{:x}", hash.finalize());
    digest[..LENGTH].to_string()
}
