//! Segments per second of the lexical metrics: eight systems on each of a hundred items, the
//! systems of an item one after another, as the pipeline passes them.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use tiebreak::env::Env;
use tiebreak::metrics::{METRICS, Segment};
use tiebreak::registry::{Params, find_entry};
use tiebreak::rng::{Rng, Seed};

const ITEMS: u64 = 100;
const SYSTEMS: usize = 8;

/// A sentence of some twenty words, frequent ones short, with a comma and a full stop.
fn sentence(rng: &mut Rng) -> Vec<String> {
    let word = |rng: &mut Rng| {
        let rank = (5_000.0 * rng.uniform().powi(4)) as u32;
        let stem = ["ta", "ne", "ri", "so", "lu", "ing", "er", "st"];
        let syllables = 1 + rank.max(1).ilog10().min(3) as usize;
        let letters = (0..syllables).map(|k| stem[(rank >> (3 * k) & 7) as usize]);
        letters.collect::<String>()
    };
    let mut words: Vec<String> = (0..16 + rng.below(10)).map(|_| word(rng)).collect();
    words[7].push(',');
    words.push("end.".to_string());
    words
}

/// The sentence with one word in five replaced.
fn output(rng: &mut Rng, reference: &[String]) -> String {
    let other = sentence(rng);
    let words: Vec<&str> = reference
        .iter()
        .map(|word| {
            if rng.bernoulli(0.2) {
                rng.choose(&other)
            } else {
                word
            }
        })
        .map(String::as_str)
        .collect();
    words.join(" ")
}

fn corpus() -> Vec<(Vec<String>, Vec<String>)> {
    (0..ITEMS)
        .map(|item| {
            let mut rng = Seed(42).stream("bench", item);
            let reference = sentence(&mut rng);
            let outputs = (0..SYSTEMS).map(|_| output(&mut rng, &reference)).collect();
            (vec![reference.join(" ")], outputs)
        })
        .collect()
}

fn lexical(criterion: &mut Criterion) {
    let corpus = corpus();
    let segments: Vec<Segment<'_>> = corpus
        .iter()
        .flat_map(|(references, outputs)| {
            outputs.iter().map(|hypothesis| Segment {
                hypothesis,
                references,
                context: None,
            })
        })
        .collect();
    let mut group = criterion.benchmark_group("lexical");
    group.throughput(Throughput::Elements(segments.len() as u64));
    for text in [
        "bleu",
        "chrf",
        "chrf++",
        "rouge-2",
        "rouge-l",
        "rouge-l:use-stemmer=true",
    ] {
        let (name, params) = Params::parse(text).expect("a metric");
        let entry = find_entry("metric", METRICS, &name).expect("a listed metric");
        let metric = (entry.build.build)(&params, &Env::default()).expect("its parameters");
        group.bench_function(text, |bencher| {
            bencher.iter(|| metric.score(black_box(&segments)).expect("references"));
        });
    }
    group.finish();
}

criterion_group!(benches, lexical);
criterion_main!(benches);
