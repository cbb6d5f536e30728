//! BLEU-1 to BLEU-4, CIDEr and CIDEr-D against their definitions.

use super::texts::items;
use super::{metric, score};
use std::collections::{BTreeMap, BTreeSet};
use tiebreak::metrics::{Metric, Segment};

type Item = (String, Vec<String>);

fn ngrams(text: &str, n: usize) -> Vec<Vec<String>> {
    let words: Vec<String> = text.split_whitespace().map(str::to_string).collect();
    words.windows(n).map(<[String]>::to_vec).collect()
}

/// How often each n-gram occurs, times the logarithm of how rare it is.
fn vector(text: &str, n: usize, all: &[Item]) -> BTreeMap<Vec<String>, f64> {
    let mut counts = BTreeMap::new();
    for ngram in ngrams(text, n) {
        *counts.entry(ngram).or_insert(0.0) += 1.0;
    }
    for (ngram, count) in &mut counts {
        let has = |(_, references): &&Item| {
            references
                .iter()
                .any(|text| ngrams(text, n).contains(ngram))
        };
        let documents = all.iter().filter(has).count().max(1);
        *count *= (all.len() as f64 / documents as f64).ln();
    }
    counts
}

fn slow_cider(text: &str, references: &[String], all: &[Item], d: bool) -> f64 {
    let mut sum = 0.0;
    for reference in references {
        for n in 1..=4 {
            let (a, b) = (vector(text, n, all), vector(reference, n, all));
            let norm = |v: &BTreeMap<_, f64>| v.values().map(|x| x * x).sum::<f64>().sqrt();
            let product: f64 = a
                .iter()
                .filter_map(|(ngram, x)| {
                    b.get(ngram).map(|y| if d { x.min(*y) * y } else { x * y })
                })
                .sum();
            if norm(&a) * norm(&b) > 0.0 {
                let gap = ngrams(text, 2).len() as f64 - ngrams(reference, 2).len() as f64;
                let penalty = if d { (-gap * gap / 72.0).exp() } else { 1.0 };
                sum += penalty * product / (norm(&a) * norm(&b));
            }
        }
    }
    10.0 * sum / 4.0 / references.len() as f64
}

/// A metric that has seen all references.
fn prepared(text: &str, all: &[Item]) -> Box<dyn Metric> {
    let mut metric = metric(text);
    let segments: Vec<Segment<'_>> = all
        .iter()
        .map(|(hypothesis, references)| Segment {
            hypothesis,
            references,
            context: None,
        })
        .collect();
    metric.observe(&segments).unwrap();
    metric
}

#[test]
fn cider_is_its_definition() {
    let all: Vec<Item> = items("cider", 40).collect();
    for (name, d) in [("cider", false), ("cider-d", true)] {
        let metric = prepared(name, &all);
        let mut positive = 0;
        for (text, references) in &all {
            let got = score(metric.as_ref(), text, references);
            let expected = slow_cider(text, references, &all, d);
            assert!(
                (got - expected).abs() <= 1e-9 * expected.max(1.0),
                "{name} of {text:?}: {got}, expected {expected}"
            );
            assert!(
                (0.0..=10.0 + 1e-9).contains(&got),
                "{name} of {text:?} is {got}"
            );
            positive += usize::from(got > 0.0);
        }
        assert!(positive > 20, "{name}: only {positive} texts score at all");
    }
}

#[test]
fn a_segments_score_does_not_depend_on_which_are_scored_with_it() {
    let all: Vec<Item> = items("cider parts", 40).collect();
    for name in ["cider", "cider-d"] {
        let metric = prepared(name, &all);
        let segment =
            |(text, references): &'_ Item| -> f64 { score(metric.as_ref(), text, references) };
        let alone: Vec<u64> = all.iter().map(|item| segment(item).to_bits()).collect();
        let segments: Vec<Segment<'_>> = all
            .iter()
            .map(|(hypothesis, references)| Segment {
                hypothesis,
                references,
                context: None,
            })
            .collect();
        let together = metric.score(&segments).unwrap();
        assert_eq!(
            alone,
            together.iter().map(|x| x.to_bits()).collect::<Vec<_>>(),
            "{name}"
        );
        assert!(alone.iter().collect::<BTreeSet<_>>().len() > 20);
    }
}

#[test]
fn per_segment_frequencies_make_every_score_zero() {
    for name in ["cider:df=segment", "cider-d:df=segment"] {
        let metric = metric(name);
        for (text, references) in items("cider segment", 20) {
            assert_eq!(score(metric.as_ref(), &text, &references), 0.0);
        }
    }
}

#[test]
fn frequencies_may_come_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("df.tsv");
    std::fs::write(&table, "items\t100\n50\tthe\n1\tcat\n").unwrap();
    let metric = metric(&format!("cider:n=1,df={}", table.display()));
    assert!(!metric.needs_corpus());
    // Weights ln 2 and ln 100: "the" is the smaller part of what the texts share.
    let references = ["the cat".to_string()];
    let (the, cat) = (2_f64.ln(), 100_f64.ln());
    let norm = the.hypot(cat);
    for (text, weight) in [("the", the), ("cat", cat)] {
        let got = score(metric.as_ref(), text, &references);
        assert!((got - 10.0 * weight / norm).abs() < 1e-9, "{text}: {got}");
    }
    let signature = metric.signature().to_string();
    assert!(signature.starts_with("cider|n:1|df:file["), "{signature}");
}

#[test]
fn cider_refuses_to_score_what_it_was_not_prepared_for() {
    let references = ["a b".to_string()];
    let segment = Segment {
        hypothesis: "a",
        references: &references,
        context: None,
    };
    let error = metric("cider").score(&[segment]).unwrap_err();
    assert!(
        error.to_string().contains("references of the data set"),
        "{error}"
    );
}

fn count(list: &[Vec<String>], ngram: &Vec<String>) -> usize {
    list.iter().filter(|other| *other == ngram).count()
}

fn slow_bleu(text: &str, references: &[String], order: usize) -> f64 {
    let mut product = 1.0;
    for n in 1..=order {
        let own = ngrams(text, n);
        let different: BTreeSet<&Vec<String>> = own.iter().collect();
        let clipped = |ngram: &&Vec<String>| {
            let most = references
                .iter()
                .map(|text| count(&ngrams(text, n), ngram))
                .max();
            most.unwrap_or(0).min(count(&own, ngram))
        };
        let matches: usize = different.iter().map(clipped).sum();
        product *= (matches as f64 + 1e-15) / (own.len() as f64 + 1e-9);
    }
    let length = ngrams(text, 1).len();
    let lengths = references.iter().map(|text| ngrams(text, 1).len());
    let closest = lengths
        .min_by_key(|&other| (other.abs_diff(length), other))
        .unwrap();
    let ratio = (length as f64 + 1e-15) / (closest as f64 + 1e-9);
    (1.0 - 1.0 / ratio).min(0.0).exp() * product.powf(1.0 / order as f64)
}

#[test]
fn bleu_1_to_4_are_their_definition() {
    for order in 1..=4 {
        let metric = metric(&format!("bleu-{order}"));
        for (text, references) in items("caption bleu", 150) {
            let got = score(metric.as_ref(), &text, &references);
            let expected = slow_bleu(&text, &references, order);
            let place = format!("bleu-{order} of {text:?}: {got}, expected {expected}");
            assert!((got - expected).abs() <= 1e-9 * expected, "{place}");
        }
    }
}

#[test]
fn signatures_name_what_can_change_the_numbers() {
    let shown = |text: &str| metric(text).signature().to_string();
    assert_eq!(
        shown("bleu-2"),
        "bleu-2|case:mixed|tok:none|smooth:tiny|version:1"
    );
    assert_eq!(shown("cider:n=3"), "cider|n:3|df:corpus|version:1");
    assert_eq!(
        shown("cider-d:df=segment"),
        "cider-d|n:4|sigma:6|df:segment|version:1"
    );
}
