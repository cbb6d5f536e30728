//! Both GLEUs against their definitions.

use super::texts::items;
use super::{metric, score};
use std::collections::BTreeMap;
use tiebreak::metrics::Segment;

type Counts = BTreeMap<Vec<String>, f64>;

fn ngrams(text: &str, n: usize) -> Counts {
    let words: Vec<String> = text.split_whitespace().map(str::to_string).collect();
    let mut counts = Counts::new();
    for window in words.windows(n) {
        *counts.entry(window.to_vec()).or_default() += 1.0;
    }
    counts
}

fn shared(a: &Counts, b: &Counts) -> f64 {
    a.iter()
        .filter_map(|(ngram, x)| b.get(ngram).map(|y| x.min(*y)))
        .sum()
}

#[test]
fn gleu_is_the_smaller_of_precision_and_recall() {
    let metric = metric("gleu");
    for (text, references) in items("gleu", 300) {
        let best = references.iter().map(|reference| {
            let (mut matches, mut own, mut other) = (0.0, 0.0, 0.0);
            for n in 1..=4 {
                let (a, b) = (ngrams(&text, n), ngrams(reference, n));
                matches += shared(&a, &b);
                own += a.values().sum::<f64>();
                other += b.values().sum::<f64>();
            }
            let share = |all: f64| if all > 0.0 { matches / all } else { 0.0 };
            share(own).min(share(other))
        });
        let expected = best.fold(0.0, f64::max);
        let got = score(metric.as_ref(), &text, &references);
        assert!(
            (got - expected).abs() < 1e-12,
            "{text:?}: {got}, expected {expected}"
        );
    }
}

/// Of one segment, with 1 for every 0.
fn slow_correction(text: &str, source: &str, references: &[String]) -> f64 {
    let or_one = |count: f64| if count == 0.0 { 1.0 } else { count };
    let length = |text: &str| or_one(text.split_whitespace().count() as f64);
    let mut sum = 0.0;
    for reference in references {
        let mut logs = 0.0;
        for n in 1..=4 {
            let (text, reference) = (ngrams(text, n), ngrams(reference, n));
            let mut kept = ngrams(source, n);
            kept.retain(|ngram, _| !reference.contains_key(ngram));
            let good = (shared(&text, &reference) - shared(&text, &kept)).max(0.0);
            logs += (or_one(good) / or_one(text.values().sum())).ln() / 4.0;
        }
        sum += ((1.0 - length(reference) / length(text)).min(0.0) + logs).exp();
    }
    sum / references.len() as f64
}

/// Sources are the last references, so that texts share more than the references with them.
fn corrections(stream: &str) -> Vec<(String, String, Vec<String>)> {
    let all = items(stream, 150);
    all.map(|(text, mut references)| {
        let source = references.pop().unwrap();
        references.push(text.chars().rev().collect());
        (text, source, references)
    })
    .collect()
}

#[test]
fn gleu_of_corrections_is_its_definition() {
    let metric = metric("gec-gleu");
    for (text, source, references) in corrections("corrections") {
        let segment = Segment {
            hypothesis: &text,
            references: &references,
            context: Some(&source),
        };
        let got = metric.score(&[segment]).unwrap()[0];
        let expected = slow_correction(&text, &source, &references);
        assert!(
            (got - expected).abs() <= 1e-9 * expected,
            "{text:?}: {got}, expected {expected}"
        );
    }
}

#[test]
fn a_corpus_scored_in_parts_is_the_corpus() {
    let all = corrections("corrections in parts");
    let mut metric = metric("gec-gleu:iter=20");
    let segments: Vec<Segment<'_>> = all
        .iter()
        .map(|(text, source, references)| Segment {
            hypothesis: text,
            references,
            context: Some(source),
        })
        .collect();
    metric.observe(&segments).unwrap();
    let segment = |(text, source, references): &'_ (String, String, Vec<String>)| {
        let corpus = metric.corpus().unwrap();
        let at = all.iter().position(|(other, ..)| other == text).unwrap() as u64;
        let segment = Segment {
            hypothesis: text,
            references,
            context: Some(source),
        };
        corpus.statistics_at(&[segment], &[at]).unwrap()
    };
    let segments: Vec<Segment<'_>> = all
        .iter()
        .map(|(hypothesis, source, references)| Segment {
            hypothesis,
            references,
            context: Some(source),
        })
        .collect();
    let together = metric.corpus().unwrap().statistics(&segments).unwrap();
    let width = metric.corpus().unwrap().width();
    for (row, item) in together.chunks_exact(width).zip(&all) {
        // Texts that occur twice have two places.
        if all.iter().filter(|(other, ..)| *other == item.0).count() == 1 {
            assert_eq!(segment(item), row);
        }
    }
}

#[test]
fn a_correction_without_its_source_or_before_its_data_set_is_refused() {
    let references = ["a b".to_string()];
    let segment = Segment {
        hypothesis: "a",
        references: &references,
        context: None,
    };
    let error = metric("gec-gleu").score(&[segment]).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("gec-gleu needs the text that was corrected"),
        "{error}"
    );
    let segment = Segment {
        context: Some("a"),
        ..segment
    };
    let metric = metric("gec-gleu");
    let error = metric.corpus().unwrap().statistics(&[segment]).unwrap_err();
    assert!(
        error.to_string().contains("references of the data set"),
        "{error}"
    );
}

#[test]
fn signatures_tell_the_two_apart() {
    let shown = |text: &str| metric(text).signature().to_string();
    assert_eq!(shown("gleu:max-len=3"), "gleu|min:1|max:3|version:1");
    assert_eq!(shown("gec-gleu"), "gec-gleu|n:4|refs:mean|version:1");
    let corpus = metric("gec-gleu:iter=50");
    let corpus = corpus.corpus().unwrap().corpus_signature().to_string();
    assert_eq!(corpus, "gec-gleu|n:4|refs:drawn|iter:50|version:1");
}
