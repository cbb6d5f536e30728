//! MoverScore against the authors' two programs.

use super::cases::{Record, golden, own};
use super::checkpoints::{by_model, folder, segment, settings};
use super::close::{Differences, number};
use crate::support::say;
use serde_json::Value;
use std::path::Path;
use tiebreak::encoders::Checkpoint;
use tiebreak::env::Env;
use tiebreak::metrics::moverscore::{MoverScore, MoverScoreParams, MoverScoreVersion};
use tiebreak::metrics::{Metric, Segment};

/// The originals move earth in steps of 1e-6; v2 also takes roots of differences near 0.
fn tolerance(variant: MoverScoreVersion) -> f64 {
    match variant {
        MoverScoreVersion::V1 => 1e-4,
        MoverScoreVersion::V2 => 1e-3,
    }
}

fn params(settings: &Value) -> MoverScoreParams {
    let variant = match settings["version"].as_str() {
        Some("v1") => MoverScoreVersion::V1,
        Some("v2") => MoverScoreVersion::V2,
        other => panic!("no version {other:?}"),
    };
    MoverScoreParams {
        variant,
        idf: settings["idf"] == "idf",
        n_gram: settings["n_gram"].as_u64().unwrap() as usize,
        remove_subwords: settings["remove_subwords"] == true,
        ..MoverScoreParams::default()
    }
}

/// The largest difference over all records of one model, of each variant.
fn check_model(folder: &Path, group: &[&Record], differences: &mut Differences) -> [f64; 2] {
    let checkpoint = Checkpoint::in_folder(folder).unwrap();
    let segments: Vec<Segment<'_>> = group.iter().map(|record| segment(record, true)).collect();
    let mut worst = [0.0_f64; 2];
    for settings in settings(group) {
        let params = params(settings);
        let (variant, tolerance) = (params.variant, tolerance(params.variant));
        let mut metric = MoverScore::load(params, &checkpoint, &Env::default()).unwrap();
        if metric.needs_corpus() {
            metric.observe(&segments).unwrap();
        }
        let scores = metric.score(&segments).unwrap();
        for (record, got) in group.iter().zip(scores) {
            let Some((_, expected)) = record.cases.iter().find(|(own, _)| own == settings) else {
                continue;
            };
            let expected = number(expected);
            let difference = (expected - got).abs();
            let place = usize::from(variant == MoverScoreVersion::V2);
            worst[place] = worst[place].max(difference);
            differences.check(difference <= tolerance, || {
                format!("{} {settings}: expected {expected}, got {got}", record.id)
            });
        }
    }
    worst
}

fn check(name: &str, records: &[Record]) {
    let mut differences = Differences::default();
    let mut worst = [0.0_f64; 2];
    for (model, group) in by_model(records) {
        if let Some(folder) = folder(name, model) {
            let found = check_model(&folder, &group, &mut differences);
            worst = [worst[0].max(found[0]), worst[1].max(found[1])];
        }
    }
    differences.finish(name);
    let [v1, v2] = worst;
    say(
        "CHECKED",
        &format!("{name}: v1 within {v1:.1e}, v2 within {v2:.1e}"),
    );
}

#[test]
fn moverscore_is_the_authors() {
    check("own moverscore", &own("metrics/moverscore"));
    if let Some(records) = golden("moverscore") {
        check("moverscore", &records);
    }
}
