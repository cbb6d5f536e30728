//! Estimators under resampling: judgments per second in an online trajectory, items per second in
//! a bootstrap interval.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use tiebreak::estimators::{ESTIMATORS, Estimator, Judged, Population};
use tiebreak::registry::{Params, find};
use tiebreak::rng::Seed;

const RESAMPLES: u64 = 1000;

/// One judgment of each of `n` items, going with the metric.
fn judged(n: u32) -> Vec<Judged> {
    let mut rng = Seed(1).stream("bench", 0);
    (0..n)
        .map(|item| {
            let g = rng.normal();
            let y = 0.7 * g + rng.normal();
            Judged { item, y, g }
        })
        .collect()
}

fn estimator(text: &str, judged: &[Judged]) -> Box<dyn Estimator> {
    let (name, params) = Params::parse(text).expect("a well-formed name");
    let entry = find("estimator", ESTIMATORS, &name).expect("a listed name");
    let population = Population::of(judged.iter().map(|one| one.g));
    (entry.build)(&params, population, Seed(1)).expect("good parameters")
}

fn trajectory(c: &mut Criterion) {
    let mut group = c.benchmark_group("trajectory");
    let judged = judged(10_000);
    group.throughput(Throughput::Elements(judged.len() as u64));
    for name in ["mean", "control-variates"] {
        group.bench_function(name, |bench| {
            bench.iter(|| {
                let mut estimator = estimator(name, &judged);
                for one in &judged {
                    estimator.push(*one);
                    black_box(estimator.estimate(0.95));
                }
            });
        });
    }
    group.finish();
}

fn interval(c: &mut Criterion) {
    let mut group = c.benchmark_group("bootstrap-interval");
    for n in [100, 1000] {
        let judged = judged(n);
        let text = format!("control-variates:interval=bootstrap,resamples={RESAMPLES}");
        let mut estimator = estimator(&text, &judged);
        for one in &judged {
            estimator.push(*one);
        }
        group.throughput(Throughput::Elements(u64::from(n) * RESAMPLES));
        group.bench_function(BenchmarkId::from_parameter(n), |bench| {
            bench.iter(|| black_box(estimator.estimate(0.95)));
        });
    }
    group.finish();
}

criterion_group!(benches, trajectory, interval);
criterion_main!(benches);
