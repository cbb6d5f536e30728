//! GLEU against nltk, and GLEU for grammatical error correction against its authors' program.

use super::cases::{Record, golden, own};
use super::close::{Differences, number};
use super::lexical::{RELATIVE, metric, score, segments, totals};
use crate::support;
use serde_json::{Value, json};
use tiebreak::metrics::Segment;

fn check_gleu(name: &str, records: &[Record]) {
    let mut differences = Differences::default();
    let mut pending: Vec<String> = Vec::new();
    for record in records {
        for (settings, expected) in &record.cases {
            let mut given = settings.clone();
            let kind = given.as_object_mut().unwrap().remove("metric");
            let kind = kind.as_ref().and_then(Value::as_str).unwrap_or("gleu");
            if kind != "gleu" && kind != "corpus_gleu" {
                if !pending.iter().any(|known| known == kind) {
                    pending.push(kind.to_string());
                }
                continue;
            }
            let got = score(metric("gleu", &given).as_ref(), record);
            let expected = number(expected.get("score").unwrap_or(expected));
            let place = || format!("{} {settings}", record.id);
            differences.close(RELATIVE, expected, got, place);
        }
    }
    for kind in pending {
        support::say("PENDING", &format!("{name} {kind}"));
    }
    differences.finish(name);
}

#[test]
fn gleu_is_nltks() {
    check_gleu("own gleu", &own("metrics/gleu"));
    if let Some(records) = golden("nltk") {
        check_gleu("nltk", &records);
    }
}

fn check_corrections(name: &str, records: &[Record]) {
    let mut differences = Differences::default();
    for record in records {
        let pairs = segments(record).into_iter().zip(&record.sources);
        let segments: Vec<Segment<'_>> = pairs
            .map(|(segment, source)| Segment {
                context: Some(source),
                ..segment
            })
            .collect();
        assert_eq!(segments.len(), record.hypotheses.len(), "{}", record.id);
        for (settings, expected) in &record.cases {
            let iterations = settings["iterations"].as_u64().unwrap();
            let mut metric = metric("gec-gleu", &json!({ "iter": iterations }));
            metric.observe(&segments).unwrap();
            let place = |what: &str| format!("{} {iterations} {what}", record.id);
            let corpus = metric.corpus().unwrap();
            let got = corpus.aggregate(&totals(corpus, &segments));
            let whole = number(&expected["gleu_mean"]);
            differences.close(RELATIVE, whole, got, || place("corpus"));
            let each = expected["per_segment"].as_array().unwrap();
            let scores = metric.score(&segments).unwrap();
            assert_eq!(each.len(), scores.len(), "{}", record.id);
            for (at, (expected, got)) in each.iter().zip(scores).enumerate() {
                let mean = number(&expected["mean"]);
                differences.close(RELATIVE, mean, got, || place(&at.to_string()));
            }
        }
    }
    differences.finish(name);
}

#[test]
fn gleu_of_corrections_is_its_authors() {
    check_corrections("own gec-gleu", &own("metrics/gec"));
    if let Some(records) = golden("gec_gleu") {
        check_corrections("gec_gleu", &records);
    }
}
