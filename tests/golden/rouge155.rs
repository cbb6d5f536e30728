//! ROUGE against ROUGE-1.5.5, all options.

use super::cases::{Record, golden, own};
use super::close::{Differences, number};
use super::lexical::{metric, segments};
use crate::support;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use tiebreak::metrics::Metric;

/// Half of the last decimal that the program prints.
const ABSOLUTE: f64 = 5e-6;

/// A file of the program's, by its name there.
type Resource = fn(&str) -> Value;

/// The program's own, which lie beside the golden values.
fn its_own(name: &str) -> Value {
    let path = support::golden_file("resources/rouge155").map(|folder| folder.join(name));
    let path = path.filter(|path| path.exists());
    json!(path.unwrap_or_else(|| panic!("{name} is missing")))
}

/// Empty ones.
fn none(_: &str) -> Value {
    Value::Null
}

/// The program's arguments as options.
fn options(arguments: &str, resource: Resource) -> Value {
    let mut params = json!({});
    let mut words = arguments.split_whitespace();
    while let Some(flag) = words.next() {
        let mut value = || words.next().expect("a value");
        match flag {
            "-u" => params["unigrams"] = json!(true),
            "-m" => {
                params["use_stemmer"] = json!(true);
                params["exceptions"] = resource("wordnet-2.0-exceptions.tsv.gz");
            }
            "-s" => params["stop_words"] = resource("smart_common_words.txt"),
            "-2" => params["skip_distance"] = json!(value().parse::<i64>().unwrap()),
            "-w" => params["weight"] = json!(value().parse::<f64>().unwrap()),
            "-l" => params["words"] = json!(value().parse::<usize>().unwrap()),
            "-b" => params["bytes"] = json!(value().parse::<usize>().unwrap()),
            "-p" => params["alpha"] = json!(value().parse::<f64>().unwrap()),
            "-f" => {
                let best = value() == "B";
                params["references"] = json!(if best { "best" } else { "average" });
            }
            // How far n-grams go and the number of resamples change no score.
            "-n" | "-r" => drop(value()),
            other => panic!("argument {other} of `{arguments}`"),
        }
    }
    params
}

/// Our name of what the program calls ROUGE-L or ROUGE-SU4, and its parameters: options that other
/// kinds have are left out. Of several lines the program's ROUGE-L is `rouge-lsum`.
fn ours(kind: &str, lines: bool, mut params: Value) -> (String, Value) {
    let kind = kind.strip_prefix("ROUGE-").expect("a kind of ROUGE");
    let map = params.as_object_mut().unwrap();
    let own: &[&str] = match kind.as_bytes()[0] {
        b'S' => &["unigrams", "skip_distance"],
        b'W' => &["weight"],
        _ => &["implementation"],
    };
    for option in ["unigrams", "skip_distance", "weight"] {
        if !own.contains(&option) {
            map.remove(option);
        }
    }
    match kind.as_bytes()[0] {
        b'S' => {
            map.entry("unigrams").or_insert(json!(false));
            ("rouge-su4".to_string(), params)
        }
        b'W' => ("rouge-w".to_string(), params),
        _ => {
            map.insert("implementation".to_string(), json!("1.5.5"));
            let kind = if lines && kind == "L" { "Lsum" } else { kind };
            (format!("rouge-{}", kind.to_lowercase()), params)
        }
    }
}

fn check(name: &str, records: &[Record], resource: Resource) {
    let mut differences = Differences::default();
    let mut metrics: BTreeMap<String, Box<dyn Metric>> = BTreeMap::new();
    for record in records {
        for (settings, expected) in &record.cases {
            let arguments = settings["args"].as_str().unwrap();
            for (kind, expected) in expected.as_object().unwrap() {
                let lines = record.hypotheses[0].contains('\n');
                let (ours, params) = ours(kind, lines, options(arguments, resource));
                for (key, measure) in [("R", "recall"), ("P", "precision"), ("F", "fmeasure")] {
                    let mut params = params.clone();
                    params["measure"] = json!(measure);
                    let metric = metrics
                        .entry(format!("{ours} {params}"))
                        .or_insert_with(|| metric(&ours, &params));
                    let got = metric.score(&segments(record)).unwrap()[0];
                    let expected = number(&expected[key]);
                    differences.check((got - expected).abs() < ABSOLUTE, || {
                        let place = format!("{} {arguments} {kind} {key}", record.id);
                        format!("{place}: expected {expected}, got {got}")
                    });
                }
            }
        }
    }
    differences.finish(name);
}

#[test]
fn rouge_is_the_perl_programs() {
    check("own rouge155", &own("metrics/rouge155"), none);
    if let Some(records) = golden("rouge155") {
        check("rouge155", &records, its_own);
    }
}
