//! Sentence vectors of fastText, sent2vec and LASER, and the cosines made of them.

use super::cases::{Record, own, text_of};
use super::close::{Differences, number};
use super::folders::{expected, folders, static_model};
use crate::support::say;
use serde_json::Value;
use std::path::{Path, PathBuf};
use tiebreak::env::Env;
use tiebreak::metrics::{METRICS, Metric, Segment};
use tiebreak::registry::{Params, find_entry};
use tiebreak::vectors::{SentenceVectors, WordVectors};

/// The programs compute in f32; sent2vec prints five digits.
fn tolerance(kind: &str, expected: f64) -> f64 {
    match kind {
        "sent2vec" => 1e-4 * expected.abs() + 1e-7,
        _ => 1e-6,
    }
}

/// Compares a vector with its expected one; the largest difference.
fn compare(
    found: &[f32],
    list: &Value,
    tolerance: impl Fn(f64) -> f64,
    differences: &mut Differences,
    id: &str,
) -> f64 {
    let list = list.as_array().unwrap_or_else(|| panic!("{id}: no vector"));
    assert_eq!(found.len(), list.len(), "{id}");
    let mut worst = 0.0_f64;
    for (got, expected) in found.iter().zip(list) {
        let (got, expected) = (f64::from(*got), number(expected));
        worst = worst.max((got - expected).abs());
        differences.check((got - expected).abs() <= tolerance(expected), || {
            format!("{id}: expected {expected}, got {got}")
        });
    }
    worst
}

fn name(folder: &Path) -> String {
    folder.file_name().unwrap().to_string_lossy().into_owned()
}

/// A metric with its `model`, the other parameters as they are.
fn metric(name: &str, model: &Path, more: &str) -> Box<dyn Metric> {
    let spec = format!("{name}:model={}{more}", model.display());
    let (name, params) = Params::parse(&spec).unwrap();
    let entry = find_entry("metric", METRICS, &name).unwrap();
    (entry.build.build)(&params, &Env::default()).unwrap()
}

fn score(metric: &dyn Metric, hypothesis: &str, references: &[String]) -> f64 {
    let segment = Segment {
        hypothesis,
        references,
        context: None,
    };
    metric.score(&[segment]).unwrap()[0]
}

/// Compares a case's cosine of two texts with the metric's.
fn compare_cosine(metric: &dyn Metric, case: &Value, differences: &mut Differences) {
    let text = |key: &str| case[key].as_str().unwrap().to_string();
    let got = score(metric, &text("text_a"), &[text("text_b")]);
    let expected = number(&case["expected"]["cosine"]);
    // sent2vec's cosines are of rounded vectors.
    differences.check((got - expected).abs() <= 1e-4, || {
        format!("{}: expected {expected}, got {got}", case["id"])
    });
}

#[test]
fn static_sentence_vectors_are_fasttexts_and_sent2vecs() {
    for folder in folders() {
        let Some(file) = static_model(&folder) else {
            continue;
        };
        let (name, vectors) = (name(&folder), SentenceVectors::open(&file).unwrap());
        let vecsim = metric("vecsim", &file, "");
        let mut differences = Differences::default();
        let mut worst = 0.0_f64;
        for case in expected(&folder) {
            let id = case["id"].as_str().unwrap();
            if case["expected"]["cosine"].is_number() {
                compare_cosine(&*vecsim, &case, &mut differences);
            } else if let Some(word) = case["word"].as_str() {
                check_word(&file, word, &case["expected"]["vector"], &mut differences);
            } else {
                let found = vectors.sentence(&text_of(&case));
                let list = &case["expected"]["sentence_vector"];
                let tolerance = |expected| tolerance(vectors.kind(), expected);
                worst = worst.max(compare(&found, list, tolerance, &mut differences, id));
            }
        }
        differences.finish(&name);
        say("CHECKED", &format!("{name}: within {worst:.1e}"));
    }
}

/// Compares the vector of a word. A word without any row is zeros for fastText; here it has the mean
/// of all.
fn check_word(file: &Path, word: &str, list: &Value, differences: &mut Differences) {
    let vectors = WordVectors::open(file).unwrap();
    if list.as_array().unwrap().iter().any(|x| number(x) != 0.0) {
        let mut found = Vec::new();
        vectors.append(word, &mut found);
        compare(&found, list, |_| 1e-6, differences, word);
    }
}

fn ours(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden/vectors")
        .join(name)
}

/// Checks the cases of our own records of a metric, with the model that a case names.
fn check_own(name: &str, records: &[Record], model: impl Fn(&Value) -> PathBuf) {
    let mut differences = Differences::default();
    for record in records {
        for (settings, expected) in &record.cases {
            let (model, refs) = (model(settings), settings["refs"].as_str().unwrap());
            let metric = metric(name, &model, &format!(",multi-reference={refs}"));
            let got = score(&*metric, &record.hypotheses[0], &record.references[0]);
            let expected = number(expected);
            differences.check((got - expected).abs() <= 1e-6, || {
                format!("{} {settings}: expected {expected}, got {got}", record.id)
            });
        }
    }
    differences.finish(name);
}

#[test]
fn vecsim_of_our_own_models_is_the_cosine_of_fasttexts_vectors() {
    let records = own("metrics/vecsim");
    let file = |settings: &Value| ours(&format!("{}.bin", settings["model"].as_str().unwrap()));
    let mut differences = Differences::default();
    for record in &records {
        let vectors = SentenceVectors::open(&file(&record.cases[0].0)).unwrap();
        let found = vectors.sentence(&record.hypotheses[0]);
        compare(
            &found,
            &record.line["vector"],
            |_| 1e-6,
            &mut differences,
            &record.id,
        );
    }
    differences.finish("own fastText vectors");
    check_own("vecsim", &records, file);
}

#[cfg(feature = "neural")]
mod laser {
    use super::*;
    use crate::golden::folders::is_laser;
    use tiebreak::encoders::{Checkpoint, Laser};
    use tiebreak::text::moses::Moses;

    fn moses(text: &str) -> String {
        Moses::default().tokenize(text)
    }

    fn check(laser: &Laser, text: &str, units: &Value, id: &str, differences: &mut Differences) {
        let expected = units.as_str().unwrap();
        let found = laser.units(text).join(" ");
        differences.check(found == expected, || {
            format!("{id}: expected {expected:?}, got {found:?}")
        });
    }

    #[test]
    fn lasers_vectors_are_lasers() {
        for folder in folders().iter().filter(|folder| is_laser(folder)) {
            let name = name(folder);
            let laser = Laser::load(&Checkpoint::in_folder(folder).unwrap(), moses).unwrap();
            let mut differences = Differences::default();
            let mut worst = 0.0_f64;
            let metric = metric("laser", folder, "");
            for case in expected(folder) {
                if case["expected"]["cosine"].is_number() {
                    compare_cosine(&*metric, &case, &mut differences);
                    continue;
                }
                let (text, expected) = (text_of(&case), &case["expected"]);
                let id = case["id"].as_str().unwrap();
                check(&laser, &text, &expected["bpe"], id, &mut differences);
                let ids: Value = laser.ids(&text).into();
                differences.check(ids == expected["ids"], || format!("{id}: {ids}"));
                let found = laser.sentence(&text);
                let list = &expected["embedding"];
                worst = worst.max(compare(&found, list, |_| 1e-5, &mut differences, id));
            }
            differences.finish(&name);
            say("CHECKED", &format!("{name}: within {worst:.1e}"));
        }
    }

    #[test]
    fn laser_on_our_own_encoder_is_the_cosine_of_lasers_vectors() {
        let records = own("metrics/laser");
        let folder = ours("laser");
        let laser = Laser::load(&Checkpoint::in_folder(&folder).unwrap(), moses).unwrap();
        let mut differences = Differences::default();
        for record in &records {
            let (text, line) = (&record.hypotheses[0], &record.line);
            check(&laser, text, &line["bpe"], &record.id, &mut differences);
            let found = laser.sentence(text);
            compare(
                &found,
                &line["embedding"],
                |_| 1e-6,
                &mut differences,
                &record.id,
            );
        }
        differences.finish("own laser");
        check_own("laser", &records, |_| folder.clone());
    }
}
