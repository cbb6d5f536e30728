//! Differences between systems: errors that pair, decisions that are rarely wrong, groups.

#![expect(clippy::print_stdout, reason = "numbers for whoever runs it")]

use super::{differences, fed, make};
use std::collections::BTreeSet;
use tiebreak::estimators::{
    AnalysisTerms, AnnotatorAllocation, AnnotatorWeights, Contender, Contributions,
    EstimateDifference, Estimator, Judgments, PairComparison, PairedDifferences, Population, Range,
    ScoredJudgment, Survey,
};
use tiebreak::rng::{Rng, Seed};
use tiebreak::scope::ItemScope;
use tiebreak::stats::quantiles;

/// A system whose estimator has taken all its judgments.
fn contender(estimator: &dyn Estimator, judged: &Judgments, range: Option<Range>) -> Contender {
    let terms = AnalysisTerms {
        confidence: 0.9,
        range,
        weights: None,
    };
    Contender::new(0, estimator, judged, &terms).unwrap()
}

/// Systems with these means, judged on the same items, whose difficulty they share.
fn contenders(means: &[f64], items: u32, rng: &mut Rng) -> Vec<Contender> {
    let difficulty: Vec<f64> = (0..items).map(|_| 3.0 * rng.normal()).collect();
    let one = |&mean: &f64| {
        let judged: Judgments = (0..items)
            .map(|item| {
                ScoredJudgment::new(item, mean + difficulty[item as usize] + rng.normal(), &[])
            })
            .collect();
        let estimator = fed("mean", &Population::unscored(1000), &judged);
        contender(estimator.as_ref(), &judged, None)
    };
    means.iter().map(one).collect()
}

#[test]
fn intervals_use_that_items_are_shared() {
    let hits = (0..1000).filter(|&run| {
        let mut rng = Seed(41).stream("run", run);
        let systems = contenders(&[1.0, 0.5], 30, &mut rng);
        let found = differences(&systems, &AnnotatorAllocation::default(), 0.9)[0];
        // The textbook's paired t interval, √(2/30) wide in deviations, and not that of
        // two samples, three times as wide.
        assert!(
            (0.15..0.40).contains(&found.standard_error.unwrap()),
            "{found:?}"
        );
        let (lower, upper) = found.interval.unwrap();
        (lower..=upper).contains(&0.5)
    });
    // 900 with a standard deviation of 9.5.
    let hits = hits.count();
    assert!((862..=938).contains(&hits), "{hits}");
}

#[test]
fn equal_systems_are_told_apart_as_rarely_as_promised() {
    let wrong = (0..1000).filter(|&run| {
        let mut rng = Seed(42).stream("run", run);
        let systems = contenders(&[0.0, 0.0, 0.0, 0.0, 3.0], 25, &mut rng);
        let found = differences(&systems, &AnnotatorAllocation::default(), 0.9);
        assert!(
            found
                .iter()
                .filter(|one| one.b == 4)
                .all(|one| one.significant)
        );
        found.iter().any(|one| one.b < 4 && one.significant)
    });
    // At most 100, and four standard deviations.
    let wrong = wrong.count();
    assert!(wrong <= 138, "{wrong}");
}

#[test]
fn corrected_intervals_leave_out_zero_exactly_where_systems_differ() {
    let mut seen = [0, 0];
    for run in 0..200 {
        let mut rng = Seed(45).stream("run", run);
        for one in differences(
            &contenders(&[0.0, 0.4, 0.8, 1.2], 25, &mut rng),
            &AnnotatorAllocation::default(),
            0.9,
        ) {
            let ((lower, upper), alone) = (one.corrected.unwrap(), one.interval.unwrap());
            assert_eq!(one.significant, lower > 0.0 || upper < 0.0, "{one:?}");
            assert!(
                lower < alone.0 + 1e-9 && upper > alone.1 - 1e-9,
                "wider, or as wide: {one:?}"
            );
            seen[usize::from(one.significant)] += 1;
        }
    }
    assert!(seen[0] > 100 && seen[1] > 100, "{seen:?}");
}

#[test]
fn intervals_of_one_pair_lie_within_those_of_all() {
    let mut compared = 0;
    for run in 0..60 {
        let mut rng = Seed(46).stream("run", run);
        let range = Some(Range::new(0.0, 100.0).unwrap());
        let systems = (0..7).map(|_| {
            let mut judged = Judgments::new(0);
            for item in 0..3 + rng.below(6) as u32 {
                let score = (60.0 + 25.0 * rng.normal()).round().clamp(0.0, 100.0);
                if rng.uniform() < 0.7 {
                    judged.push(ScoredJudgment::new(item, score, &[]));
                }
            }
            let estimator = fed("mean", &Population::unscored(60), &judged);
            (judged.len() > 1).then(|| contender(estimator.as_ref(), &judged, range))
        });
        let systems: Vec<Contender> = systems.flatten().collect();
        for one in differences(&systems, &AnnotatorAllocation::default(), 0.95) {
            let (Some(own), Some(all)) = (one.interval, one.corrected) else {
                continue;
            };
            assert!(all.0 <= own.0 && own.1 <= all.1, "{run}: {one:?}");
            assert!((own.0..=own.1).contains(&one.difference), "{one:?}");
            compared += 1;
        }
    }
    assert!(compared > 500, "{compared}");
}

#[test]
fn groups_are_the_longest_runs_in_which_no_two_differ() {
    let mut rng = Seed(43).stream("run", 0);
    let systems = contenders(&[0.0, 9.0, 0.05, 5.0], 40, &mut rng);
    let found = differences(&systems, &AnnotatorAllocation::default(), 0.95);
    let groups = EstimateDifference::groups(&systems, &found);
    let mut last = groups[2].clone();
    last.sort_unstable();
    assert_eq!(
        (&groups[0], &groups[1], last),
        (&vec![1], &vec![3], vec![0, 2])
    );
    // The middle one is told apart from neither end, which differ: two runs.
    let mut near = differences(
        &contenders(&[0.0, 0.4, 0.8], 40, &mut rng),
        &AnnotatorAllocation::default(),
        0.95,
    );
    for (pair, significant) in near.iter_mut().zip([false, true, false]) {
        pair.significant = significant;
    }
    let three = contenders(&[0.0, 4.0, 8.0], 40, &mut rng);
    let runs = EstimateDifference::groups(&three, &near);
    assert_eq!(runs, [[2, 1], [1, 0]]);
    // Nothing is known of the middle one and an end that were not tested against each other.
    let last = near.pop().unwrap().untested();
    near.push(last);
    let runs = tiebreak::estimators::EstimateDifference::groups(&three, &near);
    assert_eq!(runs, [vec![2], vec![1, 0]]);
    let one = found.iter().find(|one| (one.a, one.b) == (0, 1)).unwrap();
    let wins = one.wins.unwrap();
    let (rate, (lower, upper)) = (wins.rate, (wins.lower, wins.upper));
    assert!(rate == 0.0 && lower < 1e-9 && upper < 0.1 && one.items == 40);
}

#[test]
fn systems_without_shared_items_have_no_wins_and_equal_ones_no_difference() {
    let mut rng = Seed(44).stream("run", 0);
    let mut systems = contenders(&[1.0], 10, &mut rng);
    systems.push(systems[0].clone());
    let same = differences(&systems, &AnnotatorAllocation::default(), 0.9)[0];
    assert!(!same.significant && same.difference == 0.0 && same.standard_error.unwrap() < 1e-12);
    assert_eq!(same.wins.unwrap().rate, 0.5);
    let shift = |(item, value): (&u32, &f64)| (item + 100, *value);
    let moved = |(item, mean): (&u32, &(f64, f64))| (item + 100, *mean);
    systems[1].items = systems[0].items.iter().map(moved).collect();
    let again = |(item, by): (&u32, &Vec<_>)| (item + 100, by.clone());
    systems[1].judged = systems[0].judged.iter().map(again).collect();
    let error = systems[0].error.clone().unwrap();
    systems[1].error = Some(Contributions::of_items(
        error.by_item.iter().map(shift).collect(),
        error.df,
    ));
    let apart = differences(&systems, &AnnotatorAllocation::default(), 0.9)[0];
    assert_eq!((apart.wins, apart.items), (None, 0));
    assert!(differences(&systems, &AnnotatorAllocation::default(), 1.0).is_empty());
}

/// Two systems with a rare fault each, judged yes or no on the same items.
fn faulty(items: u32, shares: [f64; 2], range: Option<Range>, rng: &mut Rng) -> Vec<Contender> {
    let one = |share: f64| {
        let judged: Judgments = (0..items)
            .map(|item| ScoredJudgment::new(item, f64::from(u8::from(rng.bernoulli(share))), &[]))
            .collect();
        let estimator = fed("mean", &Population::unscored(1000), &judged);
        contender(estimator.as_ref(), &judged, range)
    };
    shares.map(one).to_vec()
}

#[test]
fn few_or_equal_judgments_are_no_certainty() {
    let range = Some(Range::new(0.0, 1.0).unwrap());
    for items in [3, 10, 30, 60] {
        let missed = (0..300).filter(|&run| {
            let mut rng = Seed(46).stream("run", run);
            let systems = faulty(items, [0.05, 0.05], range, &mut rng);
            let found = differences(&systems, &AnnotatorAllocation::default(), 0.9)[0];
            let (lower, upper) = found.interval.unwrap();
            assert!(upper > lower, "{items} items: {found:?}");
            lower > 0.0 || upper < 0.0
        });
        // At most 30, and three standard deviations.
        let missed = missed.count();
        assert!(missed <= 45, "{items}: {missed}");
    }
    let mut rng = Seed(47).stream("run", 0);
    let mut certain = |items, range| {
        let systems = faulty(items, [0.0, 1.0], range, &mut rng);
        differences(&systems, &AnnotatorAllocation::default(), 0.95)[0]
    };
    let three = certain(3, range);
    assert!(!three.significant && three.interval.unwrap().1 > -1.0);
    assert!(certain(30, range).significant);
    let unknown = certain(30, None);
    assert!(!unknown.significant, "{unknown:?}");
    assert_eq!((unknown.interval, unknown.corrected), (None, None));
}

/// Systems that were judged on different items, equally good: the second is better but for rare faults.
#[test]
fn faults_that_went_unseen_are_no_difference() {
    let range = Some(Range::new(0.0, 100.0).unwrap());
    let missed = (0..1000).filter(|&run| {
        let mut rng = Seed(49).stream("run", run);
        let mut one = |first: u32, mean: f64, faults: f64| {
            let mut judge = || match rng.bernoulli(faults) {
                true => rng.uniform(),
                false => mean + rng.normal(),
            };
            let judged: Judgments = (first..first + 40)
                .map(|item| ScoredJudgment::new(item, judge(), &[]))
                .collect();
            let estimator = fed("mean", &Population::unscored(1000), &judged);
            contender(estimator.as_ref(), &judged, range)
        };
        let systems = [one(0, 83.31, 0.0), one(40, 85.0, 0.02)];
        let found = differences(&systems, &AnnotatorAllocation::default(), 0.95)[0];
        let (lower, upper) = found.interval.unwrap();
        assert_eq!(found.significant, lower > 0.0 || upper < 0.0);
        found.significant
    });
    // At most 50, and three standard deviations; by Student's t alone it is 450.
    let missed = missed.count();
    assert!(missed <= 70, "{missed}");
}

#[test]
fn the_habits_of_annotators_who_judge_both_systems_cancel() {
    let survey = Population::unscored(1000);
    let missed = (0..400).filter(|&run| {
        let mut rng = Seed(48).stream("run", run);
        let habits: Vec<f64> = (0..6).map(|_| rng.normal()).collect();
        let mut one = || {
            let judge = |item: u32| ScoredJudgment {
                annotator: Some(item % 6),
                ..ScoredJudgment::new(item, habits[item as usize % 6] + 0.5 * rng.normal(), &[])
            };
            let judged: Judgments = (0..60).map(judge).collect();
            let estimator = fed("mean", &survey, &judged);
            contender(estimator.as_ref(), &judged, None)
        };
        let systems = [one(), one()];
        let found = differences(&systems, &AnnotatorAllocation::default(), 0.9)[0];
        // 0.09 without habits, which alone would make it 0.6.
        assert!(found.standard_error.unwrap() < 0.25, "{found:?}");
        let (lower, upper) = found.interval.unwrap();
        lower > 0.0 || upper < 0.0
    });
    // At most 40, and three standard deviations.
    let missed = missed.count();
    assert!(missed <= 58, "{missed}");
}

#[test]
fn the_items_of_annotators_who_judged_all_of_them_are_a_sample() {
    let items = 40_u32;
    let score = |system: u32, row: u32| f64::from((row * 37 + system * 11) % 100) / 100.0;
    let judged = |system: u32| -> Judgments {
        let judge = |row: u32| ScoredJudgment {
            annotator: Some(row % 2),
            ..ScoredJudgment::new(row / 2, score(system, row) / f64::from(1 + system), &[])
        };
        (0..2 * items).map(judge).collect()
    };
    let judged = [judged(0), judged(1)];
    let dealing = AnnotatorAllocation::new(&judged);
    let terms = AnalysisTerms {
        confidence: 0.9,
        range: Some(Range::new(0.0, 1.0).unwrap()),
        weights: dealing.weights(),
    };
    assert!(terms.weights.is_some());
    let systems = [0, 1].map(|place: usize| {
        let estimator = fed("mean", &Population::unscored(1000), &judged[place]);
        Contender::new(place, estimator.as_ref(), &judged[place], &terms).unwrap()
    });
    let found = differences(&systems, &dealing, 0.9)[0].interval.unwrap();
    let mean = |system: usize, item: u32| {
        let rows = judged[system].rows().filter(|one| one.item == item);
        0.5 * rows.map(|one| one.y).sum::<f64>()
    };
    let values: Vec<f64> = (0..items)
        .map(|item| mean(0, item) - mean(1, item))
        .collect();
    let paired = PairedDifferences::new(&values, 1.0, true)
        .unwrap()
        .ends(0.05);
    assert!(
        (found.0 - paired.0).abs() < 1e-9 && (found.1 - paired.1).abs() < 1e-9,
        "{found:?} {paired:?}"
    );
}

#[test]
fn rare_regressions_do_not_look_like_gains_at_small_levels_where_items_have_uneven_shares() {
    let range = Some(Range::new(0.0, 1.0).unwrap());
    let t = quantiles::two_sided_t(0.999, 99).unwrap();
    let (mut wrong, mut by_t) = (0, 0);
    for run in 0..1000 {
        let mut rng = Seed(43).stream("rare", run);
        let mut system = |gain: f64, regressions: f64| {
            let score = |rng: &mut Rng| match rng.bernoulli(regressions) {
                true => 0.1,
                false => 0.9 + gain + 0.005 * rng.normal(),
            };
            let mut judged: Judgments = (0..100)
                .map(|item| ScoredJudgment::new(item, score(&mut rng), &[]))
                .collect();
            if regressions > 0.0 {
                judged.push(ScoredJudgment::new(0, score(&mut rng), &[]));
            }
            let estimator = fed("mean", &Population::unscored(1000), &judged);
            contender(estimator.as_ref(), &judged, range)
        };
        // As good on average: what the others gain makes up for them.
        let systems = [system(0.8 * 0.02 / 0.98, 0.02), system(0.0, 0.0)];
        let pair = PairComparison::new(&systems, &AnnotatorAllocation::default(), 0, 1);
        assert!(pair.paired().is_none());
        let (lower, upper) = pair.interval(0.001).unwrap();
        let found = [pair.p_above(0.0), pair.p_below(0.0)].map(|p| p <= 0.0005);
        assert!(found[0] <= (lower > 0.0) && found[1] <= (upper < 0.0));
        wrong += usize::from(found != [false; 2]);
        by_t += usize::from(pair.difference() > t * pair.standard_error().unwrap());
    }
    assert!(wrong <= 5 && by_t > 80, "{wrong} {by_t}");
}

/// Of these items alone, what items have in common cancels in a difference, and what answers add does not.
#[test]
fn differences_on_these_items_hold_where_items_differ_most() {
    let (held, narrower) = held_on_these_items(1000, |_| 3);
    assert!(
        (930..=972).contains(&held) && narrower > 950,
        "{held} {narrower}"
    );
    // Items whose answers are many or few by chance weigh unequally, which stays an error when all are judged.
    let (held, _) = held_on_these_items(1000, |rng| [1, 2, 9][rng.below(3)]);
    assert!(held >= 930, "{held}");
}

/// The runs in which the interval holds the difference on 40 items, and in which it is narrower than that on items like
/// these, with so many answers to each output.
fn held_on_these_items(runs: u64, answers: impl Fn(&mut Rng) -> u32) -> (u64, u64) {
    let items = 40;
    let (mut held, mut narrower) = (0, 0);
    for run in 0..runs {
        let mut rng = Seed(44).stream("these", run);
        let hard: Vec<f64> = (0..items).map(|_| 3.0 * rng.normal()).collect();
        let means: Vec<f64> = (0..items).map(|_| rng.normal()).collect();
        let mut system = |own: f64, scope: ItemScope| {
            let mut judged = Judgments::new(0);
            for item in 0..items {
                let mean = hard[item as usize] + own * means[item as usize];
                for _ in 0..answers(&mut rng) {
                    judged.push(ScoredJudgment::new(item, mean + rng.normal(), &[]));
                }
            }
            let survey = Survey {
                items: scope,
                ..Survey::unscored(u64::from(items))
            };
            let mut estimator = make("mean", &survey).unwrap();
            judged.rows().for_each(|one| estimator.push(&one));
            contender(estimator.as_ref(), &judged, None)
        };
        let truth = means.iter().sum::<f64>() / f64::from(items);
        let mut interval = |scope: ItemScope| {
            let systems = [system(1.0, scope), system(0.0, scope)];
            let found = differences(&systems, &AnnotatorAllocation::default(), 0.95);
            found[0].interval.unwrap()
        };
        let (lower, upper) = interval(ItemScope::These);
        held += u64::from((lower..=upper).contains(&truth));
        let (least, most) = interval(ItemScope::LikeThese);
        narrower += u64::from(upper - lower < 0.8 * (most - least));
    }
    (held, narrower)
}

/// Two systems that chance or their owner gave 60 of 100 items each; `easy` items have scores of 4 and 5, others of 1 and 2.
fn on_own_items(rng: &mut Rng, by_chance: bool, easy: impl Fn(u32) -> bool) -> Vec<Contender> {
    let scores: Vec<f64> = (0..100)
        .map(|item| f64::from(u8::from(rng.uniform() < 0.3)) + if easy(item) { 4.0 } else { 1.0 })
        .collect();
    let one = |place: u32, rng: &mut Rng| {
        let mut items: Vec<u32> = (0..100).collect();
        match by_chance {
            true => rng.shuffle(&mut items),
            false => items.rotate_left(40 * place as usize),
        }
        let judged: Judgments = items[..60]
            .iter()
            .map(|&item| ScoredJudgment::new(item, scores[item as usize], &[]))
            .collect();
        let estimator = fed("mean", &Population::unscored(1000), &judged);
        contender(estimator.as_ref(), &judged, None)
    };
    (0..2).map(|place| one(place, rng)).collect()
}

/// Equal systems seem to differ where one was judged on harder items too.
#[test]
fn nothing_is_said_where_items_of_one_system_are_unlike_those_of_both() {
    let found = |run: u64, by_chance: bool, easy: &dyn Fn(u32) -> bool| {
        let systems = on_own_items(&mut Seed(71).stream("own items", run), by_chance, easy);
        differences(&systems, &AnnotatorAllocation::default(), 0.95)[0]
    };
    for run in 0..200 {
        let apart = found(run, false, &|item| item < 50);
        let unlike = apart.unlike.unwrap();
        assert_eq!((unlike.alone, apart.items), (40, 20));
        assert!((unlike.mean_alone - unlike.mean_shared).abs() > 0.5 && apart.interval.is_none());
        assert!(!apart.significant);
    }
    // Where chance chose, one in a hundred pairs is silent: 20 of 2,000 with a standard deviation of 4.5.
    let silent = (0..2000).filter(|&run| found(run, true, &|item| item % 5 == 0).unlike.is_some());
    let silent = silent.count();
    assert!(silent <= 38, "{silent}");
}

/// Whether an item is won is a matter of who judged it, too, unless the same people judged both.
#[test]
fn wins_are_by_annotators_who_judged_both() {
    let mut rng = Seed(72).stream("strict", 0);
    let qualities: Vec<f64> = (0..400).map(|_| 10.0 * rng.normal()).collect();
    let mut one = |strict: f64| {
        let judged: Judgments = (0..400)
            .map(|item: u32| {
                let annotator = u32::from(rng.uniform() < strict);
                let score = qualities[item as usize] - 30.0 * f64::from(annotator) + rng.normal();
                ScoredJudgment {
                    annotator: Some(annotator),
                    ..ScoredJudgment::new(item, score, &[])
                }
            })
            .collect();
        let estimator = fed("mean", &Population::unscored(1000), &judged);
        contender(estimator.as_ref(), &judged, None)
    };
    let systems = [one(0.8), one(0.2)];
    let wins = differences(&systems, &AnnotatorAllocation::default(), 0.95)[0]
        .wins
        .unwrap();
    let (rate, (lower, upper)) = (wins.rate, (wins.lower, wins.upper));
    // A third of the items have one annotator for both.
    assert!(
        lower < 0.5 && 0.5 < upper && upper - lower > 0.12,
        "{rate} {lower} {upper}"
    );
}

/// What an interval leaves out is proved at its level, and nothing else is: of unevenly judged items, at usual levels too.
#[test]
fn p_values_agree_with_intervals() {
    let range = Some(Range::new(0.0, 100.0).unwrap());
    let mut rng = Seed(73).stream("uneven", 0);
    let mut system = || {
        let mut judged = Judgments::new(0);
        for item in 0..200 {
            for _ in 0..=rng.below(3) {
                let score = (85.0 + 6.0 * rng.normal()).clamp(0.0, 100.0);
                judged.push(ScoredJudgment::new(item, score, &[]));
            }
        }
        let estimator = fed("mean", &Population::unscored(1000), &judged);
        contender(estimator.as_ref(), &judged, range)
    };
    let systems = [system(), system()];
    let pair = PairComparison::new(&systems, &AnnotatorAllocation::default(), 0, 1);
    assert!(pair.paired().is_none());
    for level in [0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4] {
        let (lower, upper) = pair.interval(2.0 * level).unwrap();
        for near in [1e-3, -1e-3] {
            let above = pair.p_above(lower + near) <= level;
            let below = pair.p_below(upper - near) <= level;
            assert_eq!([above, below], [near < 0.0; 2], "{level} {near}");
        }
    }
}

/// The difference of two systems judged on 100 items, whose difficulty they share, by what is said now and what means say.
/// Items are lacking for a system by its number and the place of the item when all are in the order of difficulty.
fn lacking(
    run: u64,
    gap: f64,
    hard: f64,
    is_lacking: &dyn Fn(usize, usize, &mut Rng) -> bool,
) -> [EstimateDifference; 2] {
    let mut rng = Seed(74).stream("lacking", run);
    let mut difficulty: Vec<f64> = (0..100).map(|_| hard * rng.normal()).collect();
    difficulty.sort_by(f64::total_cmp);
    let judged = [0, 1].map(|system| -> Judgments {
        let mut rows = Judgments::new(0);
        for (place, ease) in difficulty.iter().enumerate() {
            let score = ease + gap * system as f64 + rng.normal();
            if !is_lacking(system, place, &mut rng) {
                rows.push(ScoredJudgment::new(place as u32, score, &[]));
            }
        }
        rows
    });
    let terms = AnalysisTerms {
        confidence: 0.95,
        range: None,
        weights: None,
    };
    let survey = Survey::unscored(1000);
    let of_items = |at: usize, items: &BTreeSet<u32>, _: Option<&AnnotatorWeights>| {
        let mut estimator = make("mean", &survey).unwrap();
        Contender::of_items(at, estimator.as_mut(), &judged[at], items, &terms)
    };
    let all: BTreeSet<u32> = (0..100).collect();
    let systems = [0, 1].map(|at| of_items(at, &all, None).unwrap());
    let dealing = AnnotatorAllocation::default();
    let said = EstimateDifference::all(&systems, &of_items, &dealing, 0.95)[0];
    [said, differences(&systems, &dealing, 0.95)[0]]
}

/// How many of 1,000 data sets say that two systems differ, by what is said and by means of all judgments.
fn differ(gap: f64, hard: f64, is_lacking: &dyn Fn(usize, usize, &mut Rng) -> bool) -> [usize; 2] {
    let found: Vec<_> = (0..1000)
        .map(|run| lacking(run, gap, hard, is_lacking))
        .collect();
    [0, 1].map(|which| found.iter().filter(|one| one[which].significant).count())
}

/// One system lacks hard items and the other easy ones: equal systems do not seem to differ.
#[test]
fn items_that_are_lacking_for_a_reason_make_no_difference() {
    let few = |system: usize, place: usize, _: &mut Rng| match system {
        0 => place < 8,
        _ => place >= 92,
    };
    // A third of the hard half of one, and of the easy half of the other.
    let many = |system: usize, place: usize, rng: &mut Rng| {
        (system == 0) == (place < 50) && rng.bernoulli(0.3)
    };
    for (hard, by_means) in [(2.0, 800), (1.0, 400)] {
        let [said, means] = differ(0.0, hard, &few);
        println!("few, {hard}: {said} {means}");
        assert!(said <= 70 && means >= by_means, "{hard}: {said} {means}");
        let [said, means] = differ(0.0, hard, &many);
        println!("many, {hard}: {said} {means}");
        assert!(said <= 70, "{hard}: {said}");
    }
    let [one, means] = lacking(0, 0.0, 2.0, &few);
    assert_eq!((one.items, one.left_out, means.left_out), (84, 16, 0));
}

/// What chance left out costs little, and where nothing is lacking all is as it was.
#[test]
fn items_that_are_lacking_by_chance_cost_little() {
    let nothing = |_: usize, _: usize, _: &mut Rng| false;
    let [one, means] = lacking(0, 0.4, 1.0, &nothing);
    assert_eq!(one, means);
    let by_chance = |_: usize, _: usize, rng: &mut Rng| rng.bernoulli(0.08);
    let [said, means] = differ(0.45, 1.0, &by_chance);
    println!("power: {said} {means}");
    assert!(said > 700 && said * 100 >= means * 95, "{said} {means}");
    let [said, _] = differ(0.0, 1.0, &by_chance);
    assert!(said <= 70, "{said}");
    // Most items are others: means are compared, as chance may have chosen them.
    let half = |_: usize, _: usize, rng: &mut Rng| rng.bernoulli(0.5);
    let [one, means] = lacking(0, 0.4, 1.0, &half);
    assert_eq!((one, one.left_out), (means, 0));
}

/// Of items that somebody with a weight hardly judged there is no mean with these weights.
#[test]
fn some_items_need_all_who_have_a_weight() {
    let judge = |item: u32| ScoredJudgment {
        annotator: Some(u32::from(item >= 14)),
        ..ScoredJudgment::new(item, f64::from(item % 3), &[])
    };
    let judged: Judgments = (0..20).map(judge).collect();
    let dealing = AnnotatorAllocation::new([&judged, &judged]);
    let terms = AnalysisTerms {
        confidence: 0.95,
        range: None,
        weights: dealing.weights(),
    };
    assert!(terms.weights.is_some());
    let is_known = |items: u32| {
        let mut estimator = make("mean", &Survey::unscored(20)).unwrap();
        let items = (0..items).collect();
        Contender::of_items(0, estimator.as_mut(), &judged, &items, &terms).is_some()
    };
    assert_eq!([15, 18].map(is_known), [false, true]);
}
