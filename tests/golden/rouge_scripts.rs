//! ROUGE of texts in eight scripts, through rouge-score's hook for tokenizers.

use super::close::number;
use super::lexical::metric;
use crate::support::{next_dir, say};
use flate2::read::GzDecoder;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufRead, BufReader};
use tiebreak::metrics::Segment;

/// ICU4X's words of texts in six scripts; the golden segments are of both kinds, with and without letters.
#[cfg(feature = "icu")]
#[test]
fn icus_words_are_icu4xs() {
    let path = next_dir().join("word_segments.jsonl.gz");
    let Ok(file) = File::open(&path) else {
        return say("SKIPPED", "word_segments");
    };
    for line in BufReader::new(GzDecoder::new(file)).lines() {
        let record: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let others = record["others"].as_array().unwrap();
        let dictionary = |one: &&Value| {
            let name = one["impl"]["name"].as_str().unwrap();
            name.ends_with("new_dictionary")
        };
        let segments = &others.iter().find(dictionary).unwrap()["segments"];
        let segments = segments.as_array().unwrap().iter();
        let segments = segments.map(|one| one.as_str().unwrap().to_lowercase());
        let is_word = |one: &String| one.contains(char::is_alphanumeric);
        let expected: Vec<String> = segments.filter(is_word).collect();
        let mut found = Vec::new();
        tiebreak::text::tokenize::icu_words(record["text"].as_str().unwrap(), |word| {
            found.push(word.to_string());
        });
        assert_eq!(found, expected, "{}", record["id"]);
    }
}

#[test]
fn rouge_of_any_script_is_the_references() {
    let path = next_dir().join("rouge_unicode.jsonl.gz");
    let Ok(file) = File::open(&path) else {
        return say("SKIPPED", "rouge_unicode");
    };
    let mut checked = 0;
    for line in BufReader::new(GzDecoder::new(file)).lines() {
        let record: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let references = record["refs"].as_array().unwrap().iter();
        let references: Vec<String> = references.map(|one| one.as_str().unwrap().into()).collect();
        let segment = Segment {
            hypothesis: record["hyp"].as_str().unwrap(),
            references: &references,
            context: None,
        };
        for case in record["cases"].as_array().unwrap() {
            let tokenizer = match case["settings"]["tokenizer"].as_str().unwrap() {
                "rouge_score" => "reference",
                "unicode_words" => "unicode",
                "letters" => "letters",
                // ICU's segments need its dictionaries.
                _ => continue,
            };
            for (name, key) in [
                ("rouge-1", "rouge1"),
                ("rouge-2", "rouge2"),
                ("rouge-l", "rougeL"),
                ("rouge-lsum", "rougeLsum"),
            ] {
                for measure in ["precision", "recall", "fmeasure"] {
                    let settings = json!({"tokenizer": tokenizer, "measure": measure});
                    let rouge = metric(name, &settings);
                    let found = rouge.score(std::slice::from_ref(&segment)).unwrap()[0];
                    let expected = number(&case["expected"][key][measure]);
                    let id = &record["id"];
                    assert!(
                        (found - expected).abs() < 1e-9,
                        "{id} {name} {settings}: {found}, expected {expected}"
                    );
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 0, "{} has no cases", path.display());
}
