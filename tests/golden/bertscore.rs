//! BERTScore against bert-score.

use super::cases::{Record, golden, own};
use super::checkpoints::{by_model, folder, segment, settings};
use super::close::{Differences, number};
use crate::support::say;
use serde_json::Value;
use std::path::Path;
use tiebreak::encoders::Checkpoint;
use tiebreak::env::Env;
use tiebreak::metrics::bertscore::{BertScore, BertScoreParams};
use tiebreak::metrics::{METRICS, Metric, Segment};
use tiebreak::registry::{Params, find_entry};

const TOLERANCE: f64 = 1e-5;

fn params(settings: &Value) -> BertScoreParams {
    BertScoreParams {
        num_layers: settings["num_layers"].as_u64().map(|n| n as usize),
        idf: settings["idf"] == true,
        ..BertScoreParams::default()
    }
}

/// The largest difference over all records of one model.
fn check_model(folder: &Path, group: &[&Record], differences: &mut Differences) -> f64 {
    let checkpoint = Checkpoint::in_folder(folder).unwrap();
    let firsts: Vec<Segment<'_>> = group.iter().map(|record| segment(record, true)).collect();
    let mut worst = 0.0_f64;
    for settings in settings(group) {
        let mut metric = BertScore::load(params(settings), &checkpoint, &Env::default()).unwrap();
        if metric.needs_corpus() {
            metric.observe(&firsts).unwrap();
        }
        let first = settings["refs"] == "first";
        let segments: Vec<_> = group.iter().map(|record| segment(record, first)).collect();
        let matches = metric.matches(&segments).unwrap();
        for (record, found) in group.iter().zip(matches) {
            let Some((_, expected)) = record.cases.iter().find(|(own, _)| own == settings) else {
                continue;
            };
            let values = [("P", found.precision), ("R", found.recall), ("F", found.f)];
            for (key, got) in values {
                let expected = number(&expected[key]);
                if expected.is_nan() {
                    // Pieces that all weigh nothing: bert-score divides zero by zero.
                    assert!(got.is_finite(), "{}: {got}", record.id);
                    continue;
                }
                worst = worst.max((expected - got).abs());
                differences.check((expected - got).abs() <= TOLERANCE, || {
                    format!(
                        "{} {settings} {key}: expected {expected}, got {got}",
                        record.id
                    )
                });
            }
        }
    }
    worst
}

fn check(name: &str, records: &[Record]) {
    let mut differences = Differences::default();
    let mut worst = 0.0_f64;
    for (model, group) in by_model(records) {
        if let Some(folder) = folder(name, model) {
            worst = worst.max(check_model(&folder, &group, &mut differences));
        }
    }
    differences.finish(name);
    say("CHECKED", &format!("{name}: within {worst:.1e}"));
}

#[test]
fn bertscore_is_bert_scores() {
    check("own bertscore", &own("metrics/bertscore"));
    if let Some(records) = golden("bert_score") {
        check("bert_score", &records);
    }
}

/// `bertscore:…` as users write it.
fn registered(spec: &str) -> tiebreak::error::Result<Box<dyn Metric>> {
    let (name, params) = Params::parse(spec).unwrap();
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
    let env = Env {
        models,
        ..Env::default()
    };
    (find_entry("metric", METRICS, &name).unwrap().build.build)(&params, &env)
}

#[test]
fn each_measure_has_its_name() {
    let records = own("metrics/bertscore");
    for (measure, key) in [("precision", "P"), ("recall", "R"), ("fmeasure", "F")] {
        let spec = format!("bertscore:model=tiny-electra,layer=1,measure={measure}");
        let metric = registered(&spec).unwrap();
        for record in &records {
            let case = record.cases.iter().find(|(settings, _)| {
                settings["num_layers"] == 1 && settings["refs"] == "all" && settings["idf"] == false
            });
            let expected = number(&case.unwrap().1[key]);
            let got = metric.score(&[segment(record, false)]).unwrap()[0];
            assert!(
                (expected - got).abs() <= TOLERANCE,
                "{} {measure}",
                record.id
            );
        }
    }
}

#[test]
fn a_baseline_rescales_and_the_mean_is_one_over_references() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "LAYER,P,R,F\n0,0,0,0\n1,0.1,0.2,0.5\n").unwrap();
    let references = ["a heron".to_string(), "the last ferry".to_string()];
    let of = |spec: &str, references: &[String]| {
        let metric = registered(&format!("bertscore:model=tiny-electra,layer=1{spec}")).unwrap();
        let segment = Segment {
            hypothesis: "the heron",
            references,
            context: None,
        };
        metric.score(&[segment]).unwrap()[0]
    };
    let each: Vec<f64> = references.chunks(1).map(|one| of("", one)).collect();
    assert!(each[0] != each[1]);
    let largest = each[0].max(each[1]);
    assert_eq!(of("", &references), largest);
    assert_eq!(of(",multi-reference=first", &references), each[0]);
    assert_eq!(
        of(",multi-reference=mean", &references),
        f64::midpoint(each[0], each[1])
    );
    let spec = format!(",baseline={}", file.path().display());
    assert_eq!(of(&spec, &references), (largest - 0.5) / 0.5);
}

#[test]
fn what_cannot_be_is_refused_with_advice() {
    let error = registered("bertscore:model=tiny-electra,layer=9")
        .err()
        .unwrap();
    assert!(error.to_string().contains("expected 0 to 2"), "{error}");
    assert!(
        registered("bertscore:model=tiny-electro")
            .err()
            .unwrap()
            .hint()
            .is_some()
    );
    let metric = registered("bertscore:model=tiny-electra,idf=true").unwrap();
    let references = ["a".to_string()];
    let segment = |references| Segment {
        hypothesis: "a",
        references,
        context: None,
    };
    let error = metric.score(&[segment(&references)]).unwrap_err();
    assert!(error.to_string().contains("idf"), "{error}");
    let metric = registered("bertscore:model=tiny-electra").unwrap();
    let error = metric.score(&[segment(&[])]).unwrap_err();
    assert!(error.to_string().contains("references"), "{error}");
}
