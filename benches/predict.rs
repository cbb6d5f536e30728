//! Contests per second of the preference model: without dropout draws, with twenty, and with
//! twenty that are had for less.
//!
//! By default the tiny checkpoint, on the processor; `TIEBREAK_BENCH_MODEL` names another model, `TIEBREAK_BENCH_DEVICE`
//! another device, which has f32 only.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use tiebreak::encoders::{Precision, Scope};
use tiebreak::env::{Device, Env};
use tiebreak::preference::{Contest, Options, load};
use tiebreak::rng::Seed;

const WORDS: [&str; 12] = [
    "the", "year", "water", "company", "said", "people", "found", "that", "after", "good", "car",
    "again",
];

/// Sixteen contests of about 84 tokens each.
fn texts() -> Vec<[String; 3]> {
    let mut rng = Seed(1).stream("bench", 0);
    let mut text = || {
        let words: Vec<&str> = (0..20 + rng.below(14))
            .map(|_| *rng.choose(&WORDS))
            .collect();
        words.join(" ")
    };
    (0..16).map(|_| [text(), text(), text()]).collect()
}

fn predict(criterion: &mut Criterion) {
    let name = std::env::var("TIEBREAK_BENCH_MODEL").unwrap_or_else(|_| "tiny-electra".into());
    let device = std::env::var("TIEBREAK_BENCH_DEVICE").unwrap_or_else(|_| "cpu".into());
    let env = Env {
        device: device.parse().expect("a device"),
        ..Env::default()
    };
    let texts = texts();
    let contests: Vec<Contest<'_>> = texts
        .iter()
        .map(|[source, a, b]| Contest {
            a,
            b,
            source: Some(source),
            references: &[],
        })
        .collect();
    let mut group = criterion.benchmark_group("predict");
    group.throughput(Throughput::Elements(contests.len() as u64));
    group.sample_size(10);
    for (way, draws, dropout, precision) in [
        ("0", "0", Scope::All, Precision::F32),
        ("0, bf16", "0", Scope::All, Precision::Bf16),
        ("0, int8", "0", Scope::All, Precision::Int8),
        ("20", "20", Scope::All, Precision::F32),
        ("20, bf16", "20", Scope::All, Precision::Bf16),
        ("20, int8", "20", Scope::All, Precision::Int8),
        ("20, last layer", "20", Scope::LastLayer, Precision::F32),
        ("adaptive", "adaptive", Scope::All, Precision::F32),
    ] {
        if env.device != Device::Cpu && precision != Precision::F32 {
            continue;
        }
        let options = Options {
            draws: Some(draws.parse().expect("draws")),
            dropout: Some(dropout),
            precision: Some(precision),
            ..Options::default()
        };
        let model = load(&name, &options, &env).expect("a model that loads");
        group.bench_function(BenchmarkId::new(&name, way), |bencher| {
            bencher.iter(|| model.predict(&contests).expect("predictions"));
        });
    }
    group.finish();
}

criterion_group!(benches, predict);
criterion_main!(benches);
