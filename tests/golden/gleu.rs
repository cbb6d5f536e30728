//! GLEU for grammatical error correction against its authors' program.

use super::cases::{Record, golden, own};
use super::close::{Differences, number};
use super::lexical::{RELATIVE, metric, segments, totals};
use serde_json::json;
use tiebreak::metrics::Segment;

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
