//! Steps per second of every bandit, with its feedback, for 8, 16 and 28 systems.
//!
//! Two phases, because they cost differently: the first ten annotations per pair, and the time after
//! ten thousand steps, when most bandits duel their leader with itself.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use tiebreak::bandits::{Arena, BANDITS, DuelingBandit};
use tiebreak::duel::{Arm, Origin, Outcome, Pair};
use tiebreak::evaluation::active::{Limits, Setup};
use tiebreak::feedback::matrix::{Bernoulli, PreferenceMatrix};
use tiebreak::registry::Params;
use tiebreak::rng::{Rng, Seed};

const STEPS: u64 = 1000;

/// Arms in a total order with a margin of 0.1, a third of the answers ties.
fn matrix(k: usize) -> PreferenceMatrix {
    PreferenceMatrix::from_upper(k, &vec![0.6; k * (k - 1) / 2]).expect("0.6 is a probability")
}

fn outcome(pair: Pair, rng: &mut Rng) -> Outcome {
    match rng.below(30) {
        _ if pair.is_self() => Outcome::Tie,
        0..10 => Outcome::Tie,
        10..23 if pair.first < pair.second => Outcome::Win,
        23.. if pair.first > pair.second => Outcome::Win,
        _ => Outcome::Loss,
    }
}

fn steps(bandit: &mut dyn DuelingBandit, n: u64, rng: &mut Rng) {
    for _ in 0..n {
        let Some(duel) = bandit.ask(rng) else { return };
        bandit.record_outcome(duel.id, outcome(duel.pair, rng), Origin::Human);
    }
}

fn settled(criterion: &mut Criterion) {
    for entry in BANDITS {
        let mut group = criterion.benchmark_group(format!("settled/{}", entry.name));
        group.throughput(Throughput::Elements(STEPS));
        for k in [8, 16, 28] {
            let arena = Arena::new(k, 1_000_000).expect("k is in range");
            let mut rng = Seed(1).stream("bench", k as u64);
            let mut bandit = (entry.build)(&Params::default(), &arena).expect("defaults build");
            steps(bandit.as_mut(), 10_000, &mut rng);
            group.bench_function(k.to_string(), |bench| {
                bench.iter(|| steps(bandit.as_mut(), STEPS, &mut rng));
            });
        }
        group.finish();
    }
}

fn whole_runs(criterion: &mut Criterion) {
    for entry in BANDITS {
        let mut group = criterion.benchmark_group(format!("run/{}", entry.name));
        for k in [8_usize, 16, 28] {
            let annotations = 10 * (k * (k - 1) / 2) as u64;
            group.throughput(Throughput::Elements(annotations));
            let limits = Limits::new(annotations, Some(annotations));
            let arms = Arm::all(k).collect();
            let setup = Setup::new(entry, Params::default(), arms, limits, Seed(1))
                .expect("defaults build");
            group.bench_function(k.to_string(), |bench| {
                bench.iter_batched_ref(
                    || Bernoulli::new(matrix(k), 0.3).expect("0.3 leaves room for 0.6"),
                    |source| setup.play(0, source),
                    BatchSize::SmallInput,
                );
            });
        }
        group.finish();
    }
}

criterion_group!(benches, whole_runs, settled);
criterion_main!(benches);
