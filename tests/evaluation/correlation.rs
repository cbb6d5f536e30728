//! Metrics held against people: slow oracles, what cannot be told, and the errors that tests promise.

#![expect(clippy::print_stdout, reason = "numbers for whoever runs it")]

use tiebreak::duel::Outcome;
use tiebreak::evaluation::correlation::{
    AnnotatorAnswers, AnnotatorIntervals, Coefficient, ComparedOutputs, Grouping, Human, Intervals,
    ItemUnits, JudgedOutputs, Layout, OutputPreference, Pairing, PermutationTest, ResamplingUnits,
    Statistic,
};
use tiebreak::evaluation::slices::SliceEstimate;
use tiebreak::rng::{Rng, Seed};

/// All systems on all items.
fn full(systems: usize, items: usize) -> Layout {
    let mut layout = Layout::new(systems);
    (0..items).for_each(|_| layout.push(0..systems));
    layout
}

/// What people think of each output: systems differ, and so do outputs.
fn truth(systems: usize, items: usize, rng: &mut Rng) -> Vec<f64> {
    let quality: Vec<f64> = (0..systems).map(|_| rng.normal()).collect();
    (0..systems * items)
        .map(|output| quality[output % systems] + rng.normal())
        .collect()
}

fn noisy(truth: &[f64], noise: f64, rng: &mut Rng) -> Vec<f64> {
    truth.iter().map(|x| x + noise * rng.normal()).collect()
}

/// Judged outputs seen as comparisons of all pairs of an item, decided unless they are close.
fn compared(layout: &Layout, human: &[f64]) -> ComparedOutputs {
    let mut answers = Vec::new();
    for (first, second) in (0..layout.items()).flat_map(|item| layout.pairs(item)) {
        let outcome = match human[first] - human[second] {
            difference if difference > 0.5 => Outcome::Win,
            difference if difference < -0.5 => Outcome::Loss,
            _ => Outcome::Tie,
        };
        answers.push(OutputPreference {
            first,
            second,
            outcome,
        });
    }
    ComparedOutputs::new(layout.clone(), &answers)
}

fn value<H: Human>(human: &H, scores: &[f64], wanted: (Grouping, Coefficient)) -> Option<f64> {
    let at = H::STATISTICS
        .iter()
        .position(|one| (one.grouping, one.coefficient) == wanted)
        .unwrap();
    human.values(scores, H::STATISTICS)[at].value
}

#[test]
fn people_themselves_are_the_perfect_metric_and_their_opposite_the_worst() {
    let rng = &mut Seed(1).stream("test", 0);
    let layout = full(5, 30);
    let human = truth(5, 30, rng);
    let judged = JudgedOutputs::new(layout.clone(), human.clone());
    let opposite: Vec<f64> = human.iter().map(|x| -x).collect();
    for (statistic, (best, worst)) in JudgedOutputs::STATISTICS.iter().zip(
        judged
            .values(&human, JudgedOutputs::STATISTICS)
            .into_iter()
            .zip(judged.values(&opposite, JudgedOutputs::STATISTICS)),
    ) {
        let (best, worst) = (best.value.unwrap(), worst.value.unwrap());
        assert!((best - 1.0).abs() < 1e-12, "{statistic:?}: {best}");
        let lowest = match statistic.coefficient {
            Coefficient::Pearson | Coefficient::Spearman | Coefficient::Kendall => -1.0,
            _ => 0.0,
        };
        let soft = statistic.coefficient == Coefficient::SoftPairwiseAccuracy;
        assert!(
            worst < lowest + if soft { 0.4 } else { 1e-12 },
            "{statistic:?}: {worst}"
        );
    }
}

#[test]
fn comparisons_count_once_and_opponents_alike() {
    let mut layout = Layout::new(3);
    layout.push([0, 1, 2]);
    layout.push([0, 1]);
    let answer = |first, second, outcome| OutputPreference {
        first,
        second,
        outcome,
    };
    let answers = vec![
        answer(0, 1, Outcome::Win),
        answer(1, 0, Outcome::Tie),
        answer(2, 0, Outcome::Win),
        answer(3, 4, Outcome::Win),
    ];
    let compared = ComparedOutputs::new(layout, &answers);
    // Differences of the four: 1, -1, 3, -0.5.
    let scores = [2.0, 1.0, 5.0, 1.0, 1.5];
    let of = |grouping, coefficient| value(&compared, &scores, (grouping, coefficient));
    assert_eq!(of(Grouping::Global, Coefficient::Accuracy), Some(0.5));
    // Calling 1 a tie loses the first and gains the second; nothing is better than ε = 0.
    assert_eq!(
        of(Grouping::Global, Coefficient::CalibratedAccuracy),
        Some(0.5)
    );
    // Preferences: system 0 met 1 with mean 5/6 and 2 with 0; 1 met 0 with 1/6; 2 met 0 with 1.
    let human = [5.0 / 12.0, 1.0 / 6.0, 1.0];
    let means = [1.5, 1.25, 5.0];
    let expected = tiebreak::stats::correlation::pearson(&human, &means).unwrap();
    let found = of(Grouping::System, Coefficient::Pearson).unwrap();
    assert!((found - expected).abs() < 1e-12);
}

#[test]
fn soft_accuracy_of_comparisons_is_that_of_scores_one_apart() {
    let rng = &mut Seed(8).stream("test", 0);
    let layout = full(2, 40);
    let (mut answers, mut human) = (Vec::new(), Vec::new());
    for item in 0..40 {
        let outcome = match rng.below(6) {
            0 => Outcome::Loss,
            1 => Outcome::Tie,
            _ => Outcome::Win,
        };
        let (first, second) = (2 * item, 2 * item + 1);
        // Seen from either side, and said once or several times.
        for turn in 0..=item % 3 {
            answers.push(match turn {
                1 => OutputPreference {
                    first: second,
                    second: first,
                    outcome: outcome.flipped(),
                },
                _ => OutputPreference {
                    first,
                    second,
                    outcome,
                },
            });
        }
        human.extend([outcome.value(), 0.5]);
    }
    let soft = (Grouping::System, Coefficient::SoftPairwiseAccuracy);
    let judged = JudgedOutputs::new(layout.clone(), human.clone());
    let compared = ComparedOutputs::new(layout, &answers);
    for noise in [0.0, 0.5, 2.0, 8.0] {
        let metric = noisy(&human, noise, rng);
        let [one, other] = [
            value(&judged, &metric, soft),
            value(&compared, &metric, soft),
        ];
        let (one, other) = (one.unwrap(), other.unwrap());
        assert!((one - other).abs() < 1e-12, "{noise}: {one} {other}");
        assert!(
            noise > 0.0 || (other - 1.0).abs() < 1e-12,
            "as sure as people: {other}"
        );
    }
    let opposite: Vec<f64> = human.iter().map(|x| -x).collect();
    let worst = value(&compared, &opposite, soft).unwrap();
    assert!(worst < 0.1, "as sure of the opposite: {worst}");
}

/// The metric is heard on those items only on which people compared the two systems.
#[test]
fn soft_accuracy_leaves_out_what_nobody_compared() {
    let answers = |items: std::ops::Range<usize>| {
        let answer = |item| OutputPreference {
            first: 3 * item,
            second: 3 * item + 1,
            outcome: Outcome::Win,
        };
        items.map(answer).collect::<Vec<_>>()
    };
    let compared = ComparedOutputs::new(full(3, 12), &answers(0..6));
    let mut scores: Vec<f64> = (0..36).map(|output| f64::from(output % 3 == 0)).collect();
    let soft = (Grouping::System, Coefficient::SoftPairwiseAccuracy);
    assert!((value(&compared, &scores, soft).unwrap() - 1.0).abs() < 1e-12);
    scores[18..].iter_mut().for_each(|score| *score = -*score);
    assert!((value(&compared, &scores, soft).unwrap() - 1.0).abs() < 1e-12);
    let nothing = ComparedOutputs::new(full(3, 12), &answers(0..0));
    assert_eq!(value(&nothing, &scores, soft), None);
}

#[test]
fn what_cannot_be_told_is_none() {
    let constant = |layout: &Layout| vec![3.0; layout.outputs()];
    for (systems, items) in [(4, 6), (1, 6), (4, 1), (1, 1), (4, 0)] {
        let rng = &mut Seed(2).stream("test", 0);
        let layout = full(systems, items);
        let human = truth(systems, items, rng);
        let judged = JudgedOutputs::new(layout.clone(), human.clone());
        for (statistic, found) in JudgedOutputs::STATISTICS
            .iter()
            .zip(judged.values(&constant(&layout), JudgedOutputs::STATISTICS))
        {
            let is_accuracy = !matches!(
                statistic.coefficient,
                Coefficient::Pearson | Coefficient::Spearman | Coefficient::Kendall
            );
            // A constant metric still orders pairs, if only as ties; without pairs nothing does.
            let expected = is_accuracy && systems > 1 && items > 0;
            assert_eq!(found.value.is_some(), expected, "{statistic:?}");
        }
        if systems > 1 && items > 0 {
            let compared = compared(&layout, &human);
            let accuracy = (Grouping::Global, Coefficient::CalibratedAccuracy);
            assert!(value(&compared, &constant(&layout), accuracy).is_some());
            let pearson = (Grouping::System, Coefficient::Pearson);
            assert_eq!(value(&compared, &constant(&layout), pearson), None);
        }
    }
    let ties = JudgedOutputs::new(full(3, 4), vec![1.0; 12]);
    let scores = truth(3, 4, &mut Seed(2).stream("test", 1));
    assert_eq!(
        value(&ties, &scores, (Grouping::Global, Coefficient::Pearson)),
        None
    );
    assert_eq!(
        value(
            &ties,
            &scores,
            (Grouping::Item, Coefficient::CalibratedAccuracy)
        ),
        Some(1.0),
        "all ties: the best ε is the largest difference"
    );
}

/// The statistics between outputs, which come before those between systems.
fn between_outputs() -> &'static [Statistic] {
    let all = JudgedOutputs::STATISTICS;
    &all[..all.partition_point(|one| one.grouping != Grouping::System)]
}

/// Whatever the data, resampling and swapping give numbers or `None`, in the asked order and number.
fn resample_and_swap<H: Human>(human: &H, metrics: &[Vec<f64>]) -> Vec<bool> {
    let wanted = H::STATISTICS;
    let mut intervals = Intervals::new(human, metrics, wanted, ResamplingUnits::Both, Seed(3));
    intervals.draw(0..60);
    let pair = [&metrics[0][..], &metrics[1]];
    let mut items = PermutationTest::of_items(human, pair, wanted, Seed(3));
    let mut outputs = PermutationTest::of_outputs(human, pair, wanted, Seed(3));
    let mut systems = PermutationTest::of_systems(human, pair, wanted, Seed(3));
    for test in [&mut items, &mut outputs, &mut systems] {
        test.run(0..30);
    }
    let found = (0..wanted.len()).map(|s| {
        let interval = intervals.interval(0, s, 0.9);
        if let Ok((lower, upper)) = interval {
            assert!(lower <= upper && lower.is_finite() && upper.is_finite());
        }
        let p_values = [&items, &outputs, &systems].map(|test| test.p_values()[s]);
        for p in p_values
            .into_iter()
            .chain([intervals.p_value([0, 1], s).ok()])
        {
            assert!(p.is_none_or(|p| p > 0.0 && p <= 1.0), "{p:?}");
        }
        interval.is_ok()
    });
    found.collect()
}

#[test]
fn resampling_survives_small_and_constant_data() {
    for (systems, items) in [(1, 5), (2, 2), (3, 1), (6, 9)] {
        let rng = &mut Seed(4).stream("test", 0);
        let layout = full(systems, items);
        let human = truth(systems, items, rng);
        let metrics = vec![noisy(&human, 1.0, rng), vec![0.0; human.len()]];
        let judged =
            resample_and_swap(&JudgedOutputs::new(layout.clone(), human.clone()), &metrics);
        let system_pearson = 8;
        match systems {
            1 => assert!(!judged[system_pearson]),
            6 => assert!(judged.iter().all(|found| *found)),
            _ => {}
        }
        if systems > 1 {
            resample_and_swap(&compared(&layout, &human), &metrics);
        }
    }
}

#[test]
fn a_resample_repeats_what_it_draws() {
    let layout = full(3, 2);
    let human = vec![1.0, 2.0, 4.0, 3.0, 0.0, 1.0];
    let (judged, source) =
        JudgedOutputs::new(layout.clone(), human.clone()).resampled(&[1, 1], &[2, 0, 2]);
    assert_eq!(source, [3, 5, 5, 3, 5, 5]);
    let scores: Vec<f64> = source.iter().map(|&output| human[output]).collect();
    let accuracy = (Grouping::Item, Coefficient::Accuracy);
    assert_eq!(value(&judged, &scores, accuracy), Some(1.0));
    // Of comparisons 0-2 and 1-2, those with copies of both systems: 0-2 twice in each drawn item.
    let (drawn, _) = compared(&layout, &human).resampled(&[1, 1], &[2, 0, 2]);
    let n = drawn.values(&scores, ComparedOutputs::STATISTICS)[0].n;
    assert_eq!(n, 4);
}

/// The share of data sets in which a test at a level of 10 % calls two metrics different. What is good about an item, and
/// their errors about it, are alike for all of its outputs and scatter by `shared`; errors about outputs scatter by `noise`.
fn rejections(
    is_of_items: bool,
    [systems, items]: [usize; 2],
    shared: f64,
    noise: [f64; 2],
    runs: u64,
) -> Vec<(Statistic, f64)> {
    let wanted = between_outputs();
    let mut counts = vec![0_u32; wanted.len()];
    for run in 0..runs {
        let rng = &mut Seed(6).stream("world", run);
        let add_to_items = |scores: &mut [f64], rng: &mut Rng| {
            for item in scores.chunks_mut(systems) {
                let of_item = shared * rng.normal();
                for score in item.iter_mut() {
                    *score += of_item;
                }
            }
        };
        let mut human = truth(systems, items, rng);
        add_to_items(&mut human, rng);
        let metrics = noise.map(|noise| {
            let mut scores = noisy(&human, noise, rng);
            add_to_items(&mut scores, rng);
            scores
        });
        let human = noisy(&human, 0.5, rng);
        let judged = JudgedOutputs::new(full(systems, items), human);
        let pair = [&metrics[0][..], &metrics[1][..]];
        let mut test = match is_of_items {
            true => PermutationTest::of_items(&judged, pair, wanted, Seed(run)),
            false => PermutationTest::of_outputs(&judged, pair, wanted, Seed(run)),
        };
        test.run(0..39);
        let p_values = test.p_values();
        for (at, count) in counts.iter_mut().enumerate() {
            *count += u32::from(p_values[at].unwrap() <= 0.1);
        }
    }
    let shares = counts
        .into_iter()
        .map(|count| f64::from(count) / runs as f64);
    let found: Vec<_> = wanted.iter().copied().zip(shares).collect();
    let kind = if is_of_items { "items" } else { "outputs" };
    let shares: Vec<f64> = found.iter().map(|one| one.1).collect();
    println!("{kind}, {systems} x {items}, shared {shared}, noise {noise:?}: {shares:.3?}");
    found
}

/// `TIEBREAK_METRICS_RUNS` says how many data sets a cell has.
#[test]
fn equally_good_metrics_differ_as_rarely_as_promised_on_items_like_these() {
    let runs = std::env::var("TIEBREAK_METRICS_RUNS").map_or(120, |runs| runs.parse().unwrap());
    let most = 0.11 + 3.0 * (0.1 * 0.9 / runs as f64).sqrt();
    for (size, shared) in [
        ([6, 10], 0.0),
        ([6, 10], 1.5),
        ([6, 30], 1.5),
        ([12, 20], 1.5),
    ] {
        for (statistic, share) in rejections(true, size, shared, [1.0, 1.0], runs) {
            assert!(share <= most, "{size:?} {shared} {statistic:?}: {share}");
        }
    }
    // Outputs that change places are taken to err by themselves, which no longer holds of pooled ones.
    for (statistic, share) in rejections(false, [6, 10], 0.0, [1.0, 1.0], runs) {
        assert!(share <= most, "{statistic:?}: {share}");
    }
    for (statistic, share) in rejections(false, [12, 20], 1.5, [1.0, 1.0], runs) {
        let pooled = statistic.grouping == Grouping::Global;
        assert!(!pooled || share > most, "{statistic:?}: {share}");
    }
    for (statistic, share) in rejections(true, [6, 10], 0.5, [0.3, 4.0], 30) {
        assert!(share > 0.9, "{statistic:?}: {share}");
    }
}

#[test]
fn intervals_hold_the_truth_about_as_often_as_promised() {
    const RUNS: u64 = 120;
    let wanted = [JudgedOutputs::STATISTICS[5]];
    assert_eq!(wanted[0].grouping.name(), "global");
    let draw = |systems, items, rng: &mut Rng| {
        let human = truth(systems, items, rng);
        let metric = noisy(&human, 1.0, rng);
        (
            JudgedOutputs::new(full(systems, items), human),
            vec![metric],
        )
    };
    // Var human is 2, Var metric 3, their covariance 2.
    let expected = 2.0 / 6.0_f64.sqrt();
    let holding = (0..RUNS).filter(|&run| {
        let (human, metrics) = draw(12, 15, &mut Seed(7).stream("world", run));
        let mut intervals =
            Intervals::new(&human, &metrics, &wanted, ResamplingUnits::Both, Seed(run));
        intervals.draw(0..100);
        let (lower, upper) = intervals.interval(0, 0, 0.9).unwrap();
        (lower..=upper).contains(&expected)
    });
    let share = holding.count() as f64 / RUNS as f64;
    // 90 % with a standard deviation of 2.7 %; resampling both is known to err on the wide side.
    assert!((0.8..=1.0).contains(&share), "{share}");
}

/// The share of data sets in which slices whose coefficients are the same are called different at 5 %, by statistic.
fn differing_slices(sizes: &[usize], systems: usize, stars: bool, runs: u64) -> Vec<f64> {
    let wanted = between_outputs();
    let found = (0..runs).map(|run| {
        let rng = &mut Seed(23).stream("slices", run);
        let quality: Vec<f64> = (0..systems).map(|_| rng.normal()).collect();
        let noise = if run % 2 == 0 { 0.5 } else { 1.5 };
        let mut estimates = vec![Vec::new(); wanted.len()];
        for &items in sizes {
            let mut human = Vec::new();
            for _ in 0..items {
                let item = 0.7 * rng.normal();
                human.extend(quality.iter().map(|quality| quality + item + rng.normal()));
            }
            let metric = noisy(&human, noise, rng);
            if stars {
                for x in &mut human {
                    *x = x.round().clamp(-2.0, 2.0);
                }
            }
            let (human, metrics) = (JudgedOutputs::new(full(systems, items), human), [metric]);
            let units = ResamplingUnits::Items;
            let mut intervals = Intervals::new(&human, &metrics, wanted, units, Seed(run));
            intervals.draw(0..200);
            for (at, estimates) in estimates.iter_mut().enumerate() {
                estimates.extend(intervals.spread(0, at));
            }
        }
        estimates
            .iter()
            .map(|one| SliceEstimate::homogeneity(one).is_some_and(|p| p <= 0.05))
            .collect()
    });
    let found: Vec<Vec<bool>> = found.collect();
    let share = |at| found.iter().filter(|run| run[at]).count() as f64 / runs as f64;
    (0..wanted.len()).map(share).collect()
}

/// `TIEBREAK_POPULATION_RUNS` says how many data sets a cell has.
#[test]
fn equal_slices_are_called_different_as_rarely_as_promised() {
    let runs = std::env::var("TIEBREAK_POPULATION_RUNS").map_or(60, |runs| runs.parse().unwrap());
    let allowed = 0.06 + 3.0 * (0.05 * 0.95 / runs as f64).sqrt();
    for sizes in [&[20; 2][..], &[20; 3], &[20; 6], &[20, 60, 100]] {
        for (systems, stars) in [(3, false), (6, false), (6, true)] {
            let shares = differing_slices(sizes, systems, stars, runs);
            println!("{sizes:?} {systems} {stars}: {shares:.3?}");
            assert!(shares.iter().all(|&share| share <= allowed), "{shares:?}");
        }
    }
}

/// What a sample of the pairs of very many systems says is, in the mean, what all of them say.
#[test]
fn pairs_of_very_many_systems_are_sampled_fairly() {
    let rng = &mut Seed(5).stream("test", 0);
    let human = truth(90, 6, rng);
    let metric = noisy(&human, 1.0, rng);
    let judged = JudgedOutputs::new(full(90, 6), human);
    let sampled: Vec<Vec<f64>> = (0..60)
        .map(|_| {
            let pairing = Pairing::drawn(90, rng);
            let values = judged.values_of(&metric, JudgedOutputs::STATISTICS, &pairing);
            values.iter().map(|one| one.value.unwrap()).collect()
        })
        .collect();
    let all = judged.values(&metric, JudgedOutputs::STATISTICS);
    let mut varied = 0;
    for (s, (statistic, all)) in JudgedOutputs::STATISTICS.iter().zip(all).enumerate() {
        let of = sampled.iter().map(|values| values[s]);
        let mean = of.clone().sum::<f64>() / 60.0;
        let deviation = (of.map(|x| (x - mean).powi(2)).sum::<f64>() / 59.0).sqrt();
        varied += usize::from(deviation > 1e-9);
        let error = (mean - all.value.unwrap()).abs();
        // The best tie of fewer pairs fits them a little better.
        let slack = if statistic.coefficient == Coefficient::CalibratedAccuracy {
            0.002
        } else {
            1e-9
        };
        assert!(
            error <= 3.5 * deviation / 60f64.sqrt() + slack,
            "{statistic:?}: {mean} for {all:?}"
        );
        assert!(deviation < 0.01, "{statistic:?}: {deviation}");
    }
    assert_eq!(
        varied, 3,
        "the accuracies within items and the soft one go through pairs"
    );
}

/// What each of these annotators says of outputs whose metric has a correlation of .5 with their quality: each has a
/// sensitivity of their own, .6 in the mean, so that a coefficient with one of them is .3 in the mean.
fn crew(
    people: usize,
    half: bool,
    crossed: bool,
    rng: &mut Rng,
) -> (usize, Vec<AnnotatorAnswers<JudgedOutputs>>) {
    let items = 120;
    let sensitivity: Vec<f64> = (0..people).map(|_| 0.6 + 0.12 * rng.normal()).collect();
    let severity: Vec<f64> = (0..people).map(|_| rng.normal()).collect();
    let mut own = vec![(Layout::new(2), Vec::new(), Vec::new(), Vec::new()); people];
    for item in 0..items {
        let outputs: Vec<[f64; 2]> = (0..2)
            .map(|_| {
                let quality = rng.normal();
                [quality, 0.5 * quality + 0.75_f64.sqrt() * rng.normal()]
            })
            .collect();
        let first = if half && rng.bernoulli(0.5) {
            0
        } else {
            rng.below(people)
        };
        let judges: Vec<usize> = if crossed {
            (0..people).collect()
        } else {
            vec![first]
        };
        for who in judges {
            let (layout, human, metric, items) = &mut own[who];
            layout.push(0..2);
            items.push(item);
            for [quality, score] in &outputs {
                let rest = (1.0 - sensitivity[who] * sensitivity[who]).sqrt();
                human.push(severity[who] + sensitivity[who] * quality + rest * rng.normal());
                metric.push(*score);
            }
        }
    }
    let own = own.into_iter().filter(|one| !one.1.is_empty());
    let own = own.map(|(layout, human, metric, items)| AnnotatorAnswers {
        human: JudgedOutputs::new(layout, human),
        scores: vec![metric],
        items,
    });
    (items, own.collect())
}

/// `TIEBREAK_POPULATION_RUNS` says how many data sets a cell has. With 1,000 the intervals hold in .937 to .972 of them.
#[test]
fn intervals_hold_for_new_annotators() {
    let runs: u64 =
        std::env::var("TIEBREAK_POPULATION_RUNS").map_or(150, |runs| runs.parse().unwrap());
    let wanted = [JudgedOutputs::STATISTICS[5]];
    assert_eq!(wanted[0].grouping.name(), "global");
    for people in [8, 12, 20] {
        for (half, crossed) in [(false, false), (true, false), (false, true)] {
            let holds = |run: &u64| {
                let rng = &mut Seed(395).stream("world", *run);
                let (items, crew) = crew(people, half, crossed, rng);
                let mut intervals = AnnotatorIntervals::new(
                    &crew,
                    ItemUnits::each(items),
                    &wanted,
                    ResamplingUnits::Items,
                    Seed(*run),
                );
                intervals.draw(0..60);
                let found = intervals.interval(0, 0, 0.95).unwrap();
                (found.lower..=found.upper).contains(&0.3)
            };
            let share = (0..runs).filter(holds).count() as f64 / runs as f64;
            println!("{people} people, half {half}, crossed {crossed}: {share:.3}");
            let slack = 3.0 * (0.94 * 0.06 / runs as f64).sqrt();
            assert!(share >= 0.94 - slack, "{people} {half} {crossed}: {share}");
        }
    }
}

/// Annotators who saw the same outputs share what is by chance in them, which their scatter does not show.
#[test]
fn what_annotators_share_widens_intervals_of_new_ones() {
    let rng = &mut Seed(9).stream("world", 0);
    let (items, crew) = crew(12, false, true, rng);
    let wanted = [JudgedOutputs::STATISTICS[5]];
    let mut intervals = AnnotatorIntervals::new(
        &crew,
        ItemUnits::each(items),
        &wanted,
        ResamplingUnits::Items,
        Seed(1),
    );
    intervals.draw(0..100);
    let found = intervals.interval(0, 0, 0.95).unwrap();
    let all = Pairing::all(2);
    let own = crew.iter().map(|one| {
        one.human.values_of(&one.scores[0], &wanted, &all)[0]
            .value
            .unwrap()
    });
    let own: Vec<f64> = own.collect();
    let mean = own.iter().sum::<f64>() / 12.0;
    assert!((found.value - mean).abs() < 1e-12 && found.annotators == 12);
    let scatter = (own.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / 11.0 / 12.0).sqrt();
    let alone = 2.0 * 2.201 * scatter;
    assert!(
        found.upper - found.lower > 1.2 * alone,
        "{found:?}, alone {alone}"
    );
}
