//! WER against VizSeq and jiwer, TER against pyter.

use super::cases::{Record, golden, own};
use super::close::{Differences, number};
use super::lexical::{RELATIVE, metric, score};
use serde_json::{Value, json};

/// Our name and parameters of what a case asks for.
fn ours(settings: &Value) -> (&'static str, Value) {
    let refs = match settings["refs"].as_str() {
        Some("first") => "first",
        Some(refs) if refs.starts_with("min") => "min",
        other => panic!("references {other:?}"),
    };
    let (name, implementation) = match settings["metric"].as_str() {
        Some("vizseq_wer") => ("wer", "vizseq"),
        Some("jiwer_wer") => ("wer", "jiwer"),
        Some("pyter_ter") => ("ter", "pyter"),
        other => panic!("metric {other:?}"),
    };
    let params = json!({ "implementation": implementation, "multi_reference": refs });
    (name, params)
}

fn check(name: &str, records: &[Record]) {
    let mut differences = Differences::default();
    for record in records {
        for (settings, expected) in &record.cases {
            let (ours, params) = ours(settings);
            let got = score(metric(ours, &params).as_ref(), record);
            let place = || format!("{} {settings}", record.id);
            differences.close(RELATIVE, number(expected), got, place);
        }
    }
    differences.finish(name);
}

#[test]
fn error_rates_are_vizseqs_jiwers_and_pyters() {
    check("own wer", &own("metrics/wer"));
    if let Some(records) = golden("edit") {
        check("edit", &records);
    }
}
