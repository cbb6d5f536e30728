//! Estimators under resampling: judgments per second in an online trajectory, items per second in
//! a bootstrap interval.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use tiebreak::estimators::{ESTIMATORS, Estimator, Judgments, Population, ScoredJudgment, Survey};
use tiebreak::registry::{Params, find_entry};
use tiebreak::rng::Seed;

const RESAMPLES: u64 = 1000;

/// One judgment of each of `n` items, going with the metric.
fn judged(n: u32) -> Judgments {
    let mut rng = Seed(1).stream("bench", 0);
    let mut judged = Judgments::new(1);
    for item in 0..n {
        let g = rng.normal();
        judged.push(ScoredJudgment::new(item, 0.7 * g + rng.normal(), &[g]));
    }
    judged
}

fn estimator(text: &str, judged: &Judgments) -> Box<dyn Estimator> {
    let (name, params) = Params::parse(text).expect("a well-formed name");
    let entry = find_entry("estimator", ESTIMATORS, &name).expect("a listed name");
    let survey = Survey::new(Population::from_scores(judged.rows().map(|one| one.g[0])));
    (entry.build.build)(&params, &survey).expect("good parameters")
}

fn trajectory(c: &mut Criterion) {
    let mut group = c.benchmark_group("trajectory");
    let judged = judged(10_000);
    group.throughput(Throughput::Elements(judged.len() as u64));
    for name in ["mean", "control-variates"] {
        group.bench_function(name, |bench| {
            bench.iter(|| {
                let mut estimator = estimator(name, &judged);
                for one in judged.rows() {
                    estimator.push(&one);
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
        for one in judged.rows() {
            estimator.push(&one);
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
