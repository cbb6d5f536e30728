//! ROUGE-SU4 and its variants against ROUGE-1.5.5.

use super::cases::{Record, golden};
use super::close::{Differences, number};
use super::lexical::{metric, segments};
use crate::support;
use serde_json::{Value, json};

/// Half of the last decimal that the program prints.
const ABSOLUTE: f64 = 5e-6;

/// The program's arguments as parameters; `None` if they do not ask for skip-bigrams.
fn params(arguments: &str) -> Option<Value> {
    let resource = |name: &str| {
        let path = support::golden_file(&format!("resources/rouge155/{name}"));
        json!(path.unwrap_or_else(|| panic!("{name} is missing")))
    };
    let mut params = json!({ "unigrams": false });
    let mut skips = false;
    let mut words = arguments.split_whitespace();
    while let Some(flag) = words.next() {
        let mut value = || words.next().expect("a value");
        match flag {
            "-u" => params["unigrams"] = json!(true),
            "-m" => {
                params["stem"] = json!(true);
                params["exceptions"] = resource("wordnet-2.0-exceptions.tsv.gz");
            }
            "-s" => params["stop_words"] = resource("smart_common_words.txt"),
            "-2" => {
                skips = true;
                params["skip_distance"] = json!(value().parse::<i64>().unwrap());
            }
            "-l" => params["words"] = json!(value().parse::<usize>().unwrap()),
            "-b" => params["bytes"] = json!(value().parse::<usize>().unwrap()),
            "-p" => params["alpha"] = json!(value().parse::<f64>().unwrap()),
            "-f" => {
                let best = value() == "B";
                params["references"] = json!(if best { "best" } else { "average" });
            }
            // n-grams, resamples and the weight of ROUGE-W are not skip-bigrams' business.
            "-n" | "-r" | "-w" => drop(value()),
            other => panic!("argument {other} of `{arguments}`"),
        }
    }
    skips.then_some(params)
}

fn check(name: &str, records: &[Record]) {
    let mut differences = Differences::default();
    let mut pending: Vec<String> = Vec::new();
    for record in records {
        for (settings, expected) in &record.cases {
            let arguments = settings["args"].as_str().unwrap();
            for (kind, expected) in expected.as_object().unwrap() {
                let Some(params) = params(arguments).filter(|_| kind.starts_with("ROUGE-S")) else {
                    if !pending.contains(kind) {
                        pending.push(kind.clone());
                    }
                    continue;
                };
                for (key, measure) in [("R", "recall"), ("P", "precision"), ("F", "fmeasure")] {
                    let mut params = params.clone();
                    params["measure"] = json!(measure);
                    let got = metric("rouge-su4", &params)
                        .score(&segments(record))
                        .unwrap()[0];
                    let expected = number(&expected[key]);
                    differences.check((got - expected).abs() < ABSOLUTE, || {
                        let place = format!("{} {arguments} {kind} {key}", record.id);
                        format!("{place}: expected {expected}, got {got}")
                    });
                }
            }
        }
    }
    pending.sort();
    for kind in pending {
        support::say("PENDING", &format!("{name} {kind}"));
    }
    differences.finish(name);
}

#[test]
fn rouge_su4_is_the_perl_programs() {
    if let Some(records) = golden("rouge155") {
        check("rouge155", &records);
    }
}
