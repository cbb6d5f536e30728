//! Coefficients of systems' means: which metric is better, for these systems and for systems like these, and intervals that
//! hold what infinitely many items would give.
//!
//! `TIEBREAK_METRICS_RUNS` says how many data sets a cell has.

#![expect(clippy::print_stdout, reason = "numbers for whoever runs it")]

use rayon::prelude::*;
use tiebreak::evaluation::correlation::{
    Coefficient, Grouping, Human, Intervals, JudgedOutputs, Layout, PermutationTest,
    ResamplingUnits, Statistic,
};
use tiebreak::rng::{Rng, Seed};
use tiebreak::stats::correlation::{kendall, pearson, spearman};

fn runs(usual: u64) -> u64 {
    std::env::var("TIEBREAK_METRICS_RUNS").map_or(usual, |runs| runs.parse().unwrap())
}

/// The statistics between systems.
fn wanted() -> Vec<Statistic> {
    let all = JudgedOutputs::STATISTICS.iter();
    all.filter(|one| one.grouping == Grouping::System)
        .copied()
        .collect()
}

/// What people and metrics think of systems when they know all of their outputs.
struct World {
    quality: Vec<f64>,
    metrics: Vec<Vec<f64>>,
    items: usize,
    /// The noise of each metric about single outputs; people's is 1.
    noise: Vec<f64>,
}

impl World {
    /// Qualities that scatter by `spread`, and metrics whose errors about systems scatter by `errors`.
    fn new(systems: usize, items: usize, spread: f64, errors: &[f64], rng: &mut Rng) -> Self {
        let quality: Vec<f64> = (0..systems).map(|_| spread * rng.normal()).collect();
        let metric = |error: &f64| quality.iter().map(|x| x + error * rng.normal()).collect();
        Self {
            metrics: errors.iter().map(metric).collect(),
            items,
            noise: vec![1.0; errors.len()],
            quality,
        }
    }

    /// Two metrics that have exactly the same coefficients with people: a system and its opposite change places.
    fn mirrored(systems: usize, items: usize, noise: [f64; 2], rng: &mut Rng) -> Self {
        let half: Vec<f64> = (0..systems / 2).map(|_| 0.5 * rng.normal()).collect();
        let quality: Vec<f64> = half
            .iter()
            .copied()
            .chain(half.iter().map(|x| -x))
            .collect();
        let one: Vec<f64> = quality.iter().map(|x| x + 0.3 * rng.normal()).collect();
        let other = (0..systems).map(|at| -one[(at + systems / 2) % systems]);
        Self {
            metrics: vec![other.collect(), one],
            quality,
            items,
            noise: noise.to_vec(),
        }
    }

    /// Judged outputs with their scores; what is hard about an item is so for all systems.
    fn draw(&self, rng: &mut Rng) -> (JudgedOutputs, Vec<Vec<f64>>) {
        let systems = self.quality.len();
        let mut layout = Layout::new(systems);
        let (mut human, mut scores) = (Vec::new(), vec![Vec::new(); self.metrics.len()]);
        for _ in 0..self.items {
            layout.push(0..systems);
            let ease = rng.normal();
            for system in 0..systems {
                human.push(self.quality[system] + ease + rng.normal());
                for (metric, scores) in scores.iter_mut().enumerate() {
                    let noise = self.noise[metric] * rng.normal();
                    scores.push(self.metrics[metric][system] + 0.5 * ease + noise);
                }
            }
        }
        (JudgedOutputs::new(layout, human), scores)
    }
}

/// The share of data sets that meet each of some conditions.
fn shares(runs: u64, conditions: impl Fn(u64) -> Vec<bool> + Sync) -> Vec<f64> {
    let met: Vec<Vec<bool>> = (0..runs).into_par_iter().map(&conditions).collect();
    let share = |at: usize| met.iter().filter(|one| one[at]).count() as f64 / runs as f64;
    (0..met[0].len()).map(share).collect()
}

/// The share of data sets in which whole systems that change places call two metrics different, by statistic; of soft
/// pairwise accuracy with few systems only, because it is slow.
fn swapped(systems: usize, errors: [f64; 2], runs: u64) -> Vec<(Statistic, f64)> {
    let mut wanted = wanted();
    wanted.retain(|one| systems < 10 || one.coefficient != Coefficient::SoftPairwiseAccuracy);
    let found = shares(runs, |run| {
        let rng = &mut Seed(31).stream("world", run);
        let (human, scores) = World::new(systems, 20, 1.0, &errors, rng).draw(rng);
        let pair = [&scores[0][..], &scores[1]];
        let mut test = PermutationTest::of_systems(&human, pair, &wanted, Seed(run));
        test.run(0..99);
        test.p_values().iter().map(|p| p.unwrap() <= 0.05).collect()
    });
    println!("{systems} systems, errors {errors:?}: {found:.3?}");
    wanted.into_iter().zip(found).collect()
}

/// Measured with 100 data sets: at most .06 of equally good metrics; of a better one .07 to .15, .35 to .48 and .83 to .92
/// with 8, 14 and 30 systems.
#[test]
fn equally_good_metrics_differ_as_rarely_as_promised_for_systems_like_these() {
    let runs = runs(200);
    for (systems, errors) in [(6, 0.5), (8, 0.7), (14, 0.7), (30, 0.7)] {
        let found = swapped(systems, [errors, errors], runs);
        // 7 % with what chance leaves of so few data sets.
        let most = 0.07 + 2.0 * (0.05 * 0.95 / runs as f64).sqrt();
        for (statistic, share) in found {
            assert!(share <= most, "{systems} {statistic:?}: {share}");
        }
    }
    for (systems, least) in [(8, 0.02), (14, 0.3), (30, 0.8)] {
        let found = swapped(systems, [0.2, 1.0], runs);
        for (statistic, share) in found {
            assert!(share >= least, "{systems} {statistic:?}: {share}");
        }
    }
}

#[test]
fn five_systems_say_nothing_of_others() {
    let rng = &mut Seed(32).stream("world", 0);
    let (human, scores) = World::new(5, 40, 1.0, &[0.1, 2.0], rng).draw(rng);
    let wanted = wanted();
    let pair = [&scores[0][..], &scores[1]];
    let mut test = PermutationTest::of_systems(&human, pair, &wanted, Seed(1));
    test.run(0..99);
    assert_eq!(test.p_values(), [None; 5]);
}

/// The share of data sets in which resamples of the items call two metrics different, by statistic.
fn resampled(world: impl Fn(&mut Rng) -> World + Sync, runs: u64) -> Vec<f64> {
    let wanted = wanted();
    shares(runs, |run| {
        let rng = &mut Seed(33).stream("world", run);
        let (human, scores) = world(rng).draw(rng);
        let units = ResamplingUnits::Items;
        let mut resamples = Intervals::new(&human, &scores, &wanted, units, Seed(run));
        resamples.draw(0..99);
        (0..wanted.len())
            .map(|at| resamples.p_value([0, 1], at).is_ok_and(|p| p <= 0.05))
            .collect()
    })
}

#[test]
fn equally_good_metrics_differ_as_rarely_as_promised_for_these_systems() {
    let runs = runs(200);
    for (systems, items, noise) in [
        (6, 50, [1.0, 1.0]),
        (8, 10, [1.0, 1.0]),
        (14, 50, [0.5, 2.0]),
        (24, 50, [0.5, 2.0]),
    ] {
        let found = resampled(|rng| World::mirrored(systems, items, noise, rng), runs);
        println!("{systems} systems, {items} items, noise {noise:?}: {found:.3?}");
        let most = 0.05 + 3.0 * (0.05 * 0.95 / runs as f64).sqrt();
        for (share, statistic) in found.iter().zip(wanted()) {
            // A soft pairwise accuracy is of so many items, noise and all: a noisier metric is worse.
            let soft = statistic.coefficient == Coefficient::SoftPairwiseAccuracy;
            let null = !soft || noise[0] == noise[1];
            assert!(!null || *share <= most, "{systems} {statistic:?}: {share}");
        }
    }
    let found = resampled(|rng| World::new(10, 200, 1.0, &[0.2, 1.5], rng), runs / 4);
    println!("10 systems, one better: {found:.3?}");
    assert!(found.iter().all(|share| *share >= 0.6), "{found:?}");
}

/// The share of data sets whose intervals hold the coefficients of the systems themselves, and of soft pairwise accuracy its
/// mean over data sets with so many items.
fn covered(
    world: impl Fn(&mut Rng) -> World + Sync,
    soft: bool,
    runs: u64,
) -> (Vec<f64>, Vec<f64>) {
    let mut wanted = wanted();
    wanted.retain(|one| soft || one.coefficient != Coefficient::SoftPairwiseAccuracy);
    let found: Vec<Vec<Option<(bool, f64)>>> = (0..runs)
        .into_par_iter()
        .map(|run| {
            let rng = &mut Seed(34).stream("world", run);
            let world = world(rng);
            let truth = |one: &Statistic| {
                let (x, y) = (&world.quality, &world.metrics[0]);
                match one.coefficient {
                    Coefficient::Pearson => pearson(x, y).unwrap(),
                    Coefficient::Spearman => spearman(x, y).unwrap(),
                    Coefficient::Kendall => kendall(x, y).unwrap(),
                    Coefficient::Accuracy => 0.5 + 0.5 * kendall(x, y).unwrap(),
                    _ => {
                        let of = |_| {
                            let (human, scores) = world.draw(&mut *rng);
                            human.values(&scores[0], &[*one])[0].value.unwrap()
                        };
                        (0..40).map(of).sum::<f64>() / 40.0
                    }
                }
            };
            let truths: Vec<f64> = wanted.iter().map(truth).collect();
            let (human, scores) = world.draw(&mut Seed(35).stream("world", run));
            let units = ResamplingUnits::Items;
            let mut intervals = Intervals::new(&human, &scores, &wanted, units, Seed(run));
            intervals.draw(0..200);
            let holds = |(at, truth): (usize, &f64)| {
                let (lower, upper) = intervals.interval(0, at, 0.95).ok()?;
                Some(((lower - 1e-9..=upper + 1e-9).contains(truth), upper - lower))
            };
            truths.iter().enumerate().map(holds).collect()
        })
        .collect();
    let by_statistic = |at: usize| {
        let some: Vec<(bool, f64)> = found.iter().filter_map(|one| one[at]).collect();
        let held = some.iter().filter(|one| one.0).count() as f64;
        let width = some.iter().map(|one| one.1).sum::<f64>();
        (held / some.len() as f64, width / some.len() as f64)
    };
    (0..wanted.len()).map(by_statistic).unzip()
}

/// Measured with 100 data sets: Pearson .92 to .96, rank coefficients .98 to 1, soft pairwise accuracy .95 to .98. Percentiles
/// alone cover as little as .49.
#[test]
fn intervals_for_these_systems_hold_what_infinitely_many_items_would_give() {
    let runs = runs(200);
    for (systems, items, spread, errors) in [
        (5, 100, 1.0, 0.5),
        (8, 30, 0.5, 0.3),
        (8, 100, 0.5, 0.3),
        (8, 100, 1.0, 0.5),
        (15, 50, 0.5, 0.3),
        (15, 50, 0.3, 0.3),
        (30, 100, 0.3, 0.3),
    ] {
        let world = |rng: &mut Rng| World::new(systems, items, spread, &[errors], rng);
        let (found, widths) = covered(world, systems <= 8, runs);
        println!(
            "{systems} systems, {items} items, {spread} {errors}: {found:.3?} widths {widths:.2?}"
        );
        let least = 0.93 - 2.0 * (0.95 * 0.05 / runs as f64).sqrt();
        assert!(found.iter().all(|share| *share >= least), "{found:?}");
    }
}
