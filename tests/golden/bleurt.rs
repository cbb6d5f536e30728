//! BLEURT against transformers, on regression models.

use super::cases::own;
use super::checkpoints::segment;
use super::close::{Differences, number};
use super::folders;
use crate::support::{golden_dir, regression_model, say};
use std::path::Path;
use tiebreak::encoders::Checkpoint;
use tiebreak::env::Env;
use tiebreak::metrics::bleurt::{Bleurt, BleurtParams};
use tiebreak::metrics::{METRICS, Metric, MultiReference, Segment};
use tiebreak::registry::{Params, find_entry};
use tiebreak::rng::Seed;

const TOLERANCE: f64 = 1e-5;

fn load(folder: &Path, max_length: Option<usize>, multi_reference: MultiReference) -> Bleurt {
    let params = BleurtParams {
        max_length,
        multi_reference,
        ..BleurtParams::default()
    };
    let checkpoint = Checkpoint::in_folder(folder).unwrap();
    Bleurt::load(&params, &checkpoint, &Env::default()).unwrap()
}

#[test]
fn bleurt_is_a_pair_of_reference_and_text() {
    let model = regression_model();
    let mut differences = Differences::default();
    for record in own("metrics/bleurt") {
        for (settings, expected) in &record.cases {
            let multiple = match settings["refs"].as_str() {
                Some("max") => MultiReference::Max,
                Some("mean") => MultiReference::Mean,
                _ => MultiReference::First,
            };
            let length = settings["max_length"].as_u64().map(|n| n as usize);
            let metric = load(model.path(), length, multiple);
            let got = metric.score(&[segment(&record, false)]).unwrap()[0];
            let expected = number(expected);
            differences.check((expected - got).abs() <= TOLERANCE, || {
                format!("{} {settings}: expected {expected}, got {got}", record.id)
            });
        }
    }
    differences.finish("own bleurt");
}

/// The regression models of the golden folder, through the metric.
#[test]
fn bleurt_computes_golden_logits() {
    let mut checked = 0;
    for folder in folders::folders() {
        let Ok(checkpoint) = Checkpoint::in_folder(&folder) else {
            continue;
        };
        let params = BleurtParams::default();
        let Ok(metric) = Bleurt::load(&params, &checkpoint, &Env::default()) else {
            continue;
        };
        for case in folders::expected(&folder) {
            let (Some(reference), Some(text)) = (case["text_a"].as_str(), case["text_b"].as_str())
            else {
                continue;
            };
            let references = [reference.to_string()];
            let segment = Segment {
                hypothesis: text,
                references: &references,
                context: None,
            };
            // transformers takes an empty second text of a single pair for none at all.
            if text.is_empty() {
                continue;
            }
            let got = metric.score(&[segment]).unwrap()[0];
            let logits = &case["expected"]["logits"];
            let expected = logits.pointer("/0/0").unwrap_or(&logits[0]);
            let expected = expected.as_f64().unwrap();
            assert!((got - expected).abs() < TOLERANCE, "{}", case["id"]);
            checked += 1;
        }
    }
    if golden_dir().is_dir() {
        assert!(checked > 0, "no regression model");
        say("CHECKED", &format!("bleurt: {checked} golden logits"));
    }
}

#[test]
fn draws_depend_on_nothing_but_seed_and_texts() {
    let model = regression_model();
    let metric = load(model.path(), None, MultiReference::Mean);
    assert!(metric.has_dropout());
    let references = ["the heron".to_string(), "a heron".to_string()];
    let others = ["rain".to_string()];
    let segment = |hypothesis, references| Segment {
        hypothesis,
        references,
        context: None,
    };
    let (one, other) = (
        segment("many herons", &references[..]),
        segment("rain", &others[..]),
    );
    let all = metric.draws(&[other, one, other], 6).unwrap().unwrap();
    let few = metric.draws(&[one], 3).unwrap().unwrap();
    assert_eq!(all.row(1)[..3], few.row(0)[..]);
    assert_eq!(all.row(0), all.row(2));
    let draws = all.row(1);
    assert!(draws.iter().any(|draw| *draw != draws[0]));
    assert!(metric.draws(&[one], 0).unwrap().is_none());
    let checkpoint = Checkpoint::in_folder(model.path()).unwrap();
    let env = Env {
        seed: Seed(7),
        ..Env::default()
    };
    let reseeded = Bleurt::load(&BleurtParams::default(), &checkpoint, &env).unwrap();
    assert_eq!(
        reseeded.score(&[one]).unwrap(),
        metric.score(&[one]).unwrap()
    );
    assert!(reseeded.draws(&[one], 3).unwrap().unwrap() != few);
}

#[test]
fn a_model_that_is_no_regression_is_refused() {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
    let env = Env {
        models,
        ..Env::default()
    };
    let build = find_entry("metric", METRICS, "bleurt").unwrap().build.build;
    let (_, params) = Params::parse("bleurt:model=tiny-electra").unwrap();
    let error = build(&params, &env).err().unwrap();
    assert!(error.to_string().contains("3 labels"), "{error}");
    assert!(error.hint().is_some());
    let model = regression_model();
    let spec = format!("bleurt:model={},max-length=3", model.path().display());
    let (_, params) = Params::parse(&spec).unwrap();
    let error = build(&params, &env).err().unwrap();
    assert!(error.to_string().contains("4 to 128"), "{error}");
}
