//! BLEU and GLEU against nltk.

use super::cases::{Record, golden, own};
use super::close::{Differences, number};
use super::lexical::{RELATIVE, metric, score};
use crate::support;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use tiebreak::metrics::Metric;

/// Our name and parameters of what a case asks for, if we have it.
fn ours(settings: &Value) -> Option<(String, Value)> {
    let kind = settings["metric"].as_str().unwrap_or("gleu");
    match kind.strip_prefix("corpus_").unwrap_or(kind) {
        "gleu" => {
            let mut params = settings.clone();
            params.as_object_mut().unwrap().remove("metric");
            Some(("gleu".to_string(), params))
        }
        "bleu" => {
            assert!(settings["weights"].is_null() || settings["weights"] == "uniform");
            assert!(settings["auto_reweigh"].is_null() || settings["auto_reweigh"] == false);
            let params = json!({
                "implementation": "nltk",
                "smoothing_function": settings["smoothing"],
            });
            Some((format!("bleu-{}", settings["max_n"]), params))
        }
        _ => None,
    }
}

fn check(name: &str, records: &[Record]) {
    let mut differences = Differences::default();
    let mut pending = BTreeSet::new();
    let mut unanchored = BTreeSet::new();
    let mut metrics: BTreeMap<String, Box<dyn Metric>> = BTreeMap::new();
    for record in records {
        for (settings, expected) in &record.cases {
            let Some((ours, params)) = ours(settings) else {
                pending.insert(settings["metric"].to_string());
                continue;
            };
            // nltk looks for a third order where there is none, unless no word is shared.
            if matches!(&*ours, "bleu-1" | "bleu-2") && settings["smoothing"] == "method6" {
                unanchored.insert(format!("{ours} {settings}"));
                continue;
            }
            let metric = metrics
                .entry(format!("{ours} {params}"))
                .or_insert_with(|| metric(&ours, &params));
            let got = score(metric.as_ref(), record);
            let expected = number(expected.get("score").unwrap_or(expected));
            let place = || format!("{} {settings}", record.id);
            differences.close(RELATIVE, expected, got, place);
        }
    }
    for kind in pending {
        support::say("PENDING", &format!("{name} {kind}"));
    }
    for case in unanchored {
        support::say("UNANCHORED", &format!("{name} {case}"));
    }
    differences.finish(name);
}

#[test]
fn bleu_and_gleu_are_nltks() {
    check("own gleu", &own("metrics/gleu"));
    check("own nltk", &own("metrics/nltk"));
    if let Some(records) = golden("nltk") {
        check("nltk", &records);
    }
}
