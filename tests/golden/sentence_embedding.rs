//! Sentence vectors of an encoder against sentence-transformers.

use super::cases::golden;
use super::checkpoints::folder;
use super::close::Differences;
use crate::support::say;
use serde_json::Value;
use tiebreak::encoders::{Checkpoint, Device, Embedder, dot};

const TOLERANCE: f64 = 1e-5;

/// A value of the file: a list of numbers, or one.
fn numbers(value: &Value) -> Vec<f64> {
    match value.as_array() {
        Some(list) => list.iter().map(|x| x.as_f64().unwrap()).collect(),
        None => vec![value.as_f64().unwrap()],
    }
}

#[test]
fn sentence_vectors_are_sentence_transformers() {
    let Some(records) = golden("sentence_embedding") else {
        return;
    };
    let named = records
        .iter()
        .find(|record| record.line["model"].is_object());
    let named = named.expect("a record that names the model");
    let Some(folder) = folder("sentence_embedding", &named.line["model"]) else {
        return;
    };
    let limit = named.line["settings"]["max_seq_length"].as_u64().unwrap() as usize;
    let checkpoint = Checkpoint::in_folder(&folder).unwrap();
    let embedder = Embedder::load(&checkpoint, Device::Cpu).unwrap();
    let vector = |text: &str| embedder.sentence(text, limit).unwrap();
    let cosine = |a: &str, b: &str| vec![f64::from(dot(&vector(a), &vector(b)))];
    let mut differences = Differences::default();
    let mut worst = 0.0_f64;
    for record in &records {
        let line = &record.line;
        let text = |key: &str| line[key].as_str().unwrap();
        let (found, expected) = if line["text"].is_string() {
            let found = vector(text("text")).into_iter().map(f64::from).collect();
            (found, numbers(&line["expected"]["embedding"]))
        } else if line["text_a"].is_string() {
            let found = cosine(text("text_a"), text("text_b"));
            (found, numbers(&line["expected"]["cosine"]))
        } else {
            let found = cosine(&record.hypotheses[0], &record.references[0][0]);
            (found, numbers(&line["expected"]["cosine"]))
        };
        assert_eq!(found.len(), expected.len(), "{}", record.id);
        for (got, expected) in found.iter().zip(&expected) {
            worst = worst.max((got - expected).abs());
            differences.check((got - expected).abs() <= TOLERANCE, || {
                format!("{}: expected {expected}, got {got}", record.id)
            });
        }
    }
    differences.finish("sentence_embedding");
    say(
        "CHECKED",
        &format!("sentence_embedding: within {worst:.1e}"),
    );
}
