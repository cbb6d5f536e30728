//! Encoders and classifiers against transformers: every folder of `models/` that has a
//! `config.json`, whatever its name and size.

use super::folders::{expected, folders, read_elsewhere};
use crate::support::say;
use serde_json::Value;
use std::path::Path;
use std::slice;
use tiebreak::encoders::{
    Checkpoint, Classifier, Config, Device, Encoder, SubwordTokenizer, Tokens, Weights,
};

const TOLERANCE: f64 = 1e-5;

#[test]
fn every_model_computes_what_transformers_computed() {
    for folder in folders() {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        if folder.join("config.json").exists() && folder.join("expected.jsonl.gz").exists() {
            check(&folder, &name);
        } else if !read_elsewhere(&folder) {
            say("PENDING", &name);
        }
    }
}

/// Tiny models of all families, made by `make_families.py`, that come with the code.
#[test]
fn every_family_computes_what_transformers_computed() {
    let families = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/families");
    let mut folders: Vec<_> = std::fs::read_dir(families).unwrap().collect();
    assert!(folders.len() >= 9);
    folders.sort_by_key(|entry| entry.as_ref().unwrap().path());
    for entry in folders {
        let folder = entry.unwrap().path();
        check(&folder, &folder.file_name().unwrap().to_string_lossy());
    }
}

struct Model {
    tokenizer: SubwordTokenizer,
    config: Config,
    encoder: Encoder,
    classifier: Option<Classifier>,
}

fn load(folder: &Path) -> Model {
    let checkpoint = Checkpoint::in_folder(folder).unwrap();
    let config = Config::read(&checkpoint).unwrap();
    let weights = Weights::read(&checkpoint, Device::Cpu).unwrap();
    let headed = ["classifier.weight", "classifier.out_proj.weight"]
        .iter()
        .any(|name| weights.has(name));
    Model {
        tokenizer: SubwordTokenizer::read(&checkpoint).unwrap(),
        encoder: Encoder::new(&checkpoint.name, &config, &weights).unwrap(),
        classifier: headed.then(|| Classifier::new(&checkpoint, &config, &weights).unwrap()),
        config,
    }
}

fn check(folder: &Path, name: &str) {
    let model = load(folder);
    let mut cases = 0;
    let mut worst = 0.0_f64;
    for case in expected(folder) {
        let id = case["id"].as_str().unwrap().to_string();
        if case["texts_a"].is_array() {
            batch(&model, &case, &id, &mut worst);
        } else {
            single(&model, &case, &id, &mut worst);
        }
        cases += 1;
    }
    assert!(cases > 0, "{name}: no cases");
    assert!(worst < TOLERANCE, "{name}: {worst:e}");
    say(
        "CHECKED",
        &format!("{name}: {cases} cases within {worst:.1e}"),
    );
}

fn single(model: &Model, case: &Value, id: &str, worst: &mut f64) {
    let text = case["text_a"].as_str().or(case["text"].as_str()).unwrap();
    let max_length = case["settings"]["max_length"]
        .as_u64()
        .map_or(model.config.positions, |n| n as usize);
    let expected = &case["expected"];
    let ids = integers(&expected["input_ids"]);
    let pair = case["text_b"].as_str();
    let mut tokens = model.tokenizer.encode(text, pair, max_length).unwrap();
    if pair == Some("") && tokens.ids != ids {
        // Called with one pair, transformers takes an empty second text for none at all.
        tokens = model.tokenizer.encode(text, None, max_length).unwrap();
    }
    assert_eq!(tokens.ids, ids, "{id}: input_ids");
    if expected["token_type_ids"].is_array() {
        let types = integers(&expected["token_type_ids"]);
        assert_eq!(tokens.types, types, "{id}: token_type_ids");
    }
    let layers = 0..=model.config.layers;
    let states = model
        .encoder
        .states(slice::from_ref(&tokens), layers)
        .unwrap();
    let hidden = &states[0];
    let last = hidden.layers.last().unwrap();
    let first_tokens: Vec<f32> = hidden
        .layers
        .iter()
        .flat_map(|layer| layer[..hidden.width].to_vec())
        .collect();
    let mut compare = |key: &str, found: &[f32]| {
        *worst = worst.max(distance(&expected[key], found, &format!("{id}: {key}")));
    };
    compare("last_hidden_state", last);
    compare("hidden_states_by_layer", &hidden.layers.concat());
    compare("cls_hidden_by_layer", &first_tokens);
    if let Some(classifier) = &model.classifier {
        let logits = classifier.logits(&tokens, None).unwrap();
        compare("logits", &logits);
        compare("softmax", &softmax(&logits));
    }
}

/// transformers padded these to one length; here each runs at its own.
fn batch(model: &Model, case: &Value, id: &str, worst: &mut f64) {
    let classifier = model.classifier.as_ref().expect("a batch has logits");
    let expected = &case["expected"];
    for (row, ids) in expected["input_ids"].as_array().unwrap().iter().enumerate() {
        let length = integers(&expected["attention_mask"][row])
            .iter()
            .sum::<u32>() as usize;
        let tokens = Tokens {
            ids: integers(ids)[..length].to_vec(),
            types: integers(&expected["token_type_ids"][row])[..length].to_vec(),
        };
        let max_length = case["settings"]["max_length"].as_u64().unwrap() as usize;
        let texts = (case["texts_a"][row].as_str(), case["texts_b"][row].as_str());
        let own = model
            .tokenizer
            .encode(texts.0.unwrap(), texts.1, max_length)
            .unwrap();
        assert_eq!(own, tokens, "{id}: row {row}");
        let logits = classifier.logits(&tokens, None).unwrap();
        let label = format!("{id}: row {row}");
        *worst = worst.max(distance(&expected["logits"][row], &logits, &label));
    }
}

/// The largest absolute difference; 0 where nothing is expected.
fn distance(expected: &Value, found: &[f32], label: &str) -> f64 {
    let mut numbers = Vec::new();
    flatten(expected, &mut numbers);
    if numbers.is_empty() {
        return 0.0;
    }
    assert_eq!(numbers.len(), found.len(), "{label}: size");
    numbers
        .iter()
        .zip(found)
        .map(|(expected, &found)| {
            let difference = (expected - f64::from(found)).abs();
            assert!(
                difference < TOLERANCE,
                "{label}: {found}, expected {expected}"
            );
            difference
        })
        .fold(0.0, f64::max)
}

fn flatten(value: &Value, into: &mut Vec<f64>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| flatten(value, into)),
        Value::Null => {}
        number => into.push(number.as_f64().expect("a number")),
    }
}

fn integers(value: &Value) -> Vec<u32> {
    let values = value.as_array().expect("a list");
    values.iter().map(|v| v.as_u64().unwrap() as u32).collect()
}

fn softmax(logits: &[f32]) -> Vec<f32> {
    let total: f32 = logits.iter().map(|logit| logit.exp()).sum();
    logits.iter().map(|logit| logit.exp() / total).collect()
}
