//! Appraise: batches of pairwise tasks.
//!
//! Its items have numbers and its systems names, so the code of a question is in the names of its two systems:
//! `CODE#1`, `CODE#2`. A plus in a name would stand for several systems. Appraise wants languages, and texts of equal
//! content never come up.

use super::{AnnotationTool, OutgoingQuestions, SIDES, TaskFile, json, texts};
use serde_json::{Value, json};
use tiebreak_base::error::Result;

pub(super) const FRIEND: AnnotationTool = AnnotationTool {
    name: "appraise",
    extension: "json",
    holds: super::is_of_pairs,
    write,
};

/// The sign between a question's code and the side.
pub(in crate::campaign) const SIDE: char = '#';

fn write(batch: &OutgoingQuestions<'_>) -> Result<Vec<TaskFile>> {
    let item = |(place, row)| -> Value {
        let texts: [&str; 2] = texts(row);
        let target = |side: usize| {
            json!({
                "_itemAll": 2 * place + side, "_target": side,
                "targetID": format!("{}{SIDE}{}", row.code, SIDES[side]),
                "targetText": texts[side],
            })
        };
        json!({
            "_block": 0, "_item": place,
            "itemID": place + 1, "itemType": "TGT",
            "sourceID": row.code, "sourceText": row.source.unwrap_or_default(),
            "targets": [target(0), target(1)], "targetsSize": 2,
        })
    };
    let items: Vec<Value> = batch.rows.iter().enumerate().map(item).collect();
    let batches = json!([{
        "items": items,
        "task": {
            "batchNo": 1, "batchSize": batch.rows.len(), "randomSeed": 0,
            "requiredAnnotations": 1,
            "sourceLanguage": "eng", "targetLanguage": "eng",
        },
    }]);
    Ok(vec![("json", json(&batches)?)])
}
