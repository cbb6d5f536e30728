//! Embedding average, vector extrema and greedy matching against nlg-eval.

use super::cases::{Record, golden, own};
use super::close::{Differences, number};
use crate::support::{golden_dir, say};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tiebreak::metrics::word_vectors::{WordVectorMetric, WordVectorParams, WordVectorSimilarity};
use tiebreak::metrics::{Metric, Segment};
use tiebreak::text::word_tokenize::WordTokenizer;
use tiebreak::vectors::WordVectors;

/// nlg-eval computes in f32.
const TOLERANCE: f64 = 1e-6;

const KINDS: [(&str, &str, WordVectorSimilarity); 3] = [
    (
        "EmbeddingAverageCosineSimilarity",
        "embedding",
        WordVectorSimilarity::EmbeddingAverage,
    ),
    (
        "VectorExtremaCosineSimilarity",
        "vector",
        WordVectorSimilarity::VectorExtrema,
    ),
    (
        "GreedyMatchingScore",
        "greedy",
        WordVectorSimilarity::GreedyMatching,
    ),
];

fn metric(kind: WordVectorSimilarity, vectors: &Arc<WordVectors>) -> WordVectorMetric {
    WordVectorMetric::new(kind, WordVectorParams::default(), Arc::clone(vectors))
}

fn tokens(line: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    WordTokenizer::default().tokens(line, |token| tokens.push(token.to_string()));
    tokens
}

/// The scores of the records, the expected value of which `expected` finds; the largest difference.
fn check(
    metric: &WordVectorMetric,
    records: &[Record],
    expected: impl Fn(&Record) -> Option<f64>,
    differences: &mut Differences,
) -> f64 {
    let mut worst = 0.0_f64;
    for record in records {
        let Some(expected) = expected(record) else {
            continue;
        };
        let segment = Segment {
            hypothesis: &record.hypotheses[0],
            references: &record.references[0],
            context: None,
        };
        let got = metric.score(&[segment]).unwrap()[0];
        worst = worst.max((got - expected).abs());
        differences.check((got - expected).abs() <= TOLERANCE, || {
            format!(
                "{} {}: expected {expected}, got {got}",
                record.id,
                metric.signature()
            )
        });
    }
    worst
}

fn check_tokens(records: &[Record], differences: &mut Differences) {
    for record in records {
        let expected = record.line["tokens_hyp"].as_array();
        let expected: Vec<&str> = expected
            .into_iter()
            .flatten()
            .filter_map(|x| x.as_str())
            .collect();
        let found = tokens(&record.hypotheses[0]);
        differences.check(found == expected, || {
            format!("{}: expected {expected:?}, got {found:?}", record.id)
        });
    }
}

/// The files of a folder, in order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn word_vector_metrics_are_nlg_evals() {
    let Some(records) = golden("embedding_matching") else {
        return;
    };
    let mut differences = Differences::default();
    check_tokens(&records, &mut differences);
    let folder = records[0].line["vectors"].as_str().unwrap();
    let mut worst = 0.0_f64;
    for file in files(&golden_dir().join(folder)) {
        let vectors = Arc::new(WordVectors::open(&file).unwrap());
        for (name, _, kind) in KINDS {
            let expected = |record: &Record| Some(number(&record.cases.first()?.1[name]));
            let metric = metric(kind, &vectors);
            worst = worst.max(check(&metric, &records, expected, &mut differences));
        }
    }
    differences.finish("embedding_matching");
    say(
        "CHECKED",
        &format!("embedding_matching: within {worst:.1e}"),
    );
}

#[test]
fn every_form_of_our_own_vectors_gives_nlg_evals_values() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/vectors");
    let mut differences = Differences::default();
    for form in [
        "words.glove.txt",
        "words.word2vec.txt",
        "words.word2vec.bin",
    ] {
        let vectors = Arc::new(WordVectors::open(&folder.join(form)).unwrap());
        for (_, family, kind) in KINDS {
            let records = own(&format!("metrics/{family}"));
            check_tokens(&records, &mut differences);
            let expected = |record: &Record| Some(number(&record.cases[0].1));
            check(
                &metric(kind, &vectors),
                &records,
                expected,
                &mut differences,
            );
        }
    }
    differences.finish("own word vectors");
}
