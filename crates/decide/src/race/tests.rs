use super::*;
use std::collections::BTreeMap;
use tiebreak_base::claims::Premise;
use tiebreak_base::rng::Rng;

fn terms(items: RaceItems) -> RaceTerms {
    RaceTerms {
        items,
        confidence: 0.8,
        ..RaceTerms::new(Range::new(0.0, 1.0).unwrap())
    }
}

const ALL: [RaceItems; 3] = [RaceItems::These, RaceItems::LikeThese, RaceItems::Repeated];

/// The evidence that the mean of differences on [-1, 1] is above `margin`, as it is defined: for every number of rounds the
/// mean of the products over the bets; the largest.
fn oracle(differences: &[f64], margin: f64, items: Option<usize>) -> f64 {
    let bets: Vec<f64> = (0..6).map(|place| 0.99 * 0.4_f64.powi(place)).collect();
    let mut best: f64 = 1.0;
    for t in 1..=differences.len() {
        let product = |bet: &f64| -> f64 {
            let factor = |s: usize| {
                let before: f64 = differences[..s].iter().sum();
                let mean = match items {
                    None => margin,
                    Some(n) => (n as f64 * margin - before) / (n - s) as f64,
                };
                1.0 + bet / (1.0 + mean) * (differences[s] - mean)
            };
            (0..t).map(factor).product()
        };
        best = best.max(bets.iter().map(product).sum::<f64>() / 6.0);
    }
    best
}

/// Scores of every system on every item.
type Matrix = Vec<Vec<f64>>;

#[test]
fn evidence_is_what_its_definition_says_at_every_step_and_in_any_order_of_arrival() {
    for (index, items) in (0..60).zip(ALL.into_iter().cycle()) {
        let mut rng = Seed(1).stream("test", index);
        let scores: Matrix = (0..40)
            .map(|_| (0..3).map(|_| rng.uniform()).collect())
            .collect();
        let terms = RaceTerms {
            epsilon: 0.1,
            budget: Some(36),
            confidence: 0.9999,
            ..terms(items)
        };
        let mut race = Race::new(3, 40, terms).unwrap();
        let mut tasks: Vec<RaceTask> = std::iter::from_fn(|| race.ask()).collect();
        assert_eq!(tasks.len(), 36);
        let mut told = vec![None; 36];
        rng.shuffle(&mut tasks);
        for (step, task) in tasks.iter().enumerate() {
            let score = scores[task.item][task.system];
            match step % 7 {
                3 => assert!(race.miss(task.task).unwrap()),
                _ => assert!(race.tell(task.task, score).unwrap()),
            }
            assert!(
                !race.tell(task.task, 0.5).unwrap(),
                "only the first score counts"
            );
            told[task.task as usize] = Some((step % 7 != 3).then_some(score));
            for (i, j) in [(0, 1), (1, 0), (0, 2), (2, 1)] {
                let known =
                    |round: &usize| told[3 * round + i].is_some() && told[3 * round + j].is_some();
                let last = (0..12).rev().find(known).map_or(0, |round| round + 1);
                let score = |at: usize, worst: f64| told[at].flatten().unwrap_or(worst);
                let differences: Vec<f64> = (0..last)
                    .map(|t| score(3 * t + i, 0.0) - score(3 * t + j, 1.0))
                    .collect();
                let finite = (items == RaceItems::These).then_some(40);
                for (place, margin) in [(0, 0.0), (1, -0.1)] {
                    let expected = oracle(&differences, margin, finite).ln();
                    let found = race.ln(i, j, place);
                    assert!(
                        (found - expected).abs() < 1e-9,
                        "{items:?}: {found}, {expected}"
                    );
                }
            }
        }
    }
}

#[test]
fn the_order_of_arrival_decides_nothing() {
    for index in 0..60 {
        let items = ALL[index as usize % 3];
        let mut rng = Seed(2).stream("test", index);
        let means = [0.9, 0.6, 0.55, 0.2];
        let scores: Matrix = (0..120)
            .map(|_| {
                means
                    .iter()
                    .map(|&p| f64::from(u8::from(rng.bernoulli(p))))
                    .collect()
            })
            .collect();
        let terms = RaceTerms {
            top: 1 + index as usize % 3,
            budget: Some(360),
            ..terms(items)
        };
        let mut asked = Race::new(4, 120, terms).unwrap();
        let mut tasks: Vec<RaceTask> = std::iter::from_fn(|| asked.ask()).collect();
        let end = |tasks: &[RaceTask]| {
            let mut race = asked.clone();
            for task in tasks {
                race.tell(task.task, scores[task.item][task.system])
                    .unwrap();
            }
            let pairs = (0..16).map(|at| race.ln(at / 4, at % 4, 0));
            (race.verdict(), pairs.collect::<Vec<_>>())
        };
        let in_order = end(&tasks);
        tasks.reverse();
        assert_eq!(end(&tasks), in_order);
        rng.shuffle(&mut tasks);
        assert_eq!(end(&tasks), in_order);
    }
}

/// A kind of world: scores of four systems on items; the first has the highest mean, ties included.
struct World {
    name: &'static str,
    /// Given the share of the items before it.
    scores: fn(&mut Rng, f64) -> Vec<f64>,
}

fn yes(rng: &mut Rng, p: f64) -> f64 {
    f64::from(u8::from(rng.bernoulli(p)))
}

const WORLDS: [World; 6] = [
    World {
        name: "equal",
        scores: |rng, _| (0..4).map(|_| yes(rng, 0.5)).collect(),
    },
    World {
        name: "nearly equal",
        scores: |rng, _| [0.505, 0.5, 0.5, 0.5].map(|p| yes(rng, p)).into(),
    },
    World {
        // The first is a little better nearly always, and fails wholly now and then: the same mean.
        name: "heavy ends",
        scores: |rng, _| {
            let first = if rng.bernoulli(0.02) { 0.0 } else { 0.5 / 0.98 };
            vec![
                first,
                0.5,
                0.5,
                if rng.bernoulli(0.01) {
                    1.0
                } else {
                    0.49 / 0.99
                },
            ]
        },
    },
    World {
        name: "correlated",
        scores: |rng, _| {
            let item = rng.uniform();
            (0..4)
                .map(|_| {
                    if rng.bernoulli(0.8) {
                        item
                    } else {
                        rng.uniform()
                    }
                })
                .collect()
        },
    },
    World {
        name: "ties",
        scores: |rng, _| {
            let item = yes(rng, 0.7);
            (0..4)
                .map(|_| {
                    if rng.bernoulli(0.95) {
                        item
                    } else {
                        yes(rng, 0.7)
                    }
                })
                .collect()
        },
    },
    World {
        // As items stand in their file, the first is worse in the first half and better in the second.
        name: "drifting order",
        scores: |rng, at| {
            let drift = 0.3 * (2.0 * at - 1.0);
            [0.5 + drift, 0.5 - drift, 0.5, 0.5]
                .map(|p| yes(rng, p))
                .into()
        },
    },
];

/// Runs a race with so many scores open at once, of which low ones come late; `score` makes a score.
fn run(race: &mut Race, window: usize, mut score: impl FnMut(RaceTask) -> f64) {
    let mut open: Vec<(RaceTask, f64)> = Vec::new();
    loop {
        while open.len() < window
            && let Some(task) = race.ask()
        {
            open.push((task, score(task)));
        }
        // High scores come first; of the first system, which nobody should drop, the low ones.
        let rank = |(task, score): &(RaceTask, f64)| {
            if task.system == 0 {
                1.0 - score
            } else {
                *score
            }
        };
        let next = (0..open.len()).max_by(|&a, &b| rank(&open[a]).total_cmp(&rank(&open[b])));
        let Some(next) = next else { return };
        let (task, score) = open.remove(next);
        race.tell(task.task, score).unwrap();
    }
}

/// The number of simulated races of each kind; more by the environment.
fn races() -> u64 {
    std::env::var("TIEBREAK_RACES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(60)
}

/// Whether so many of `n` are at most a share, but for three standard deviations.
fn at_most(found: u64, n: u64, share: f64) -> bool {
    let expected = share * n as f64;
    found as f64 <= expected + 3.0 * (expected * (1.0 - share)).sqrt()
}

#[test]
fn a_best_system_is_dropped_as_rarely_as_promised() {
    const ITEMS: usize = 150;
    for world in &WORLDS {
        for items in ALL {
            // Late low scores keep much evidence open, which takes long.
            for (window, n) in [(1, races()), (12, races() / 5)] {
                let wrong = (0..n).filter(|&index| {
                    let mut rng = Seed(7).stream(world.name, index);
                    let mut matrix: Matrix = (0..ITEMS)
                        .map(|at| (world.scores)(&mut rng, at as f64 / ITEMS as f64))
                        .collect();
                    // Items at hand are a population of its own: the best is whichever is the best on them.
                    let total = |matrix: &Matrix, one: usize| {
                        matrix.iter().map(|row| row[one]).sum::<f64>()
                    };
                    let best = match items {
                        RaceItems::LikeThese => 0,
                        _ => (0..4)
                            .max_by(|&a, &b| total(&matrix, a).total_cmp(&total(&matrix, b)))
                            .unwrap(),
                    };
                    for row in &mut matrix {
                        row.swap(0, best);
                    }
                    let terms = RaceTerms {
                        budget: Some(4 * 300),
                        seed: Seed(index),
                        ..terms(items)
                    };
                    let mut race = Race::new(4, ITEMS, terms).unwrap();
                    run(&mut race, window, |task| matrix[task.item][task.system]);
                    matches!(race.places()[0], RacePlace::Out(_))
                });
                let wrong = wrong.count() as u64;
                assert!(
                    at_most(wrong, n, 0.2),
                    "{}, {items:?}: {wrong} of {n}",
                    world.name
                );
            }
        }
    }
}

/// Wrong scores drop the best system, and are found only when the race is over.
#[test]
fn a_best_system_that_wrong_scores_dropped_comes_back_and_is_dropped_as_rarely_as_promised() {
    const ITEMS: usize = 150;
    for items in ALL {
        let (n, mut back, mut wrong) = (races(), 0, 0);
        for index in 0..n {
            let mut rng = Seed(17).stream("test", index);
            let matrix: Matrix = (0..ITEMS)
                .map(|_| [0.62, 0.6, 0.6, 0.4].map(|p| yes(&mut rng, p)).into())
                .collect();
            let total = |one: usize| matrix.iter().map(|row| row[one]).sum::<f64>();
            let best = match items {
                RaceItems::LikeThese => 0,
                _ => (0..4)
                    .max_by(|&a, &b| total(a).total_cmp(&total(b)))
                    .unwrap(),
            };
            let terms = RaceTerms {
                budget: Some(4 * 300),
                seed: Seed(index),
                ..terms(items)
            };
            let mut race = Race::new(4, ITEMS, terms).unwrap();
            let score = |task: RaceTask| matrix[task.item][task.system];
            let mut faulty = BTreeMap::new();
            run(&mut race, 1, |task| {
                let is_faulty = task.system == best && rng.bernoulli(0.4);
                if is_faulty && score(task) > 0.0 {
                    faulty.insert(task.task, score(task));
                    return 0.0;
                }
                score(task)
            });
            let is_out = |race: &Race| matches!(race.places()[best], RacePlace::Out(_));
            let was_out = is_out(&race);
            let tasks: Vec<u64> = faulty.keys().copied().collect();
            race.take_back(&tasks).unwrap();
            for (task, score) in faulty {
                assert!(race.tell(task, score).unwrap());
            }
            run(&mut race, 1, score);
            let names = ["a", "b", "c", "d"].map(str::to_string);
            let claim = race.claim(&names);
            assert!(!claim.is_made() || claim.assumes.contains(&Premise::CorrectedForCause));
            wrong += u64::from(is_out(&race));
            back += u64::from(was_out && !is_out(&race));
        }
        assert!(at_most(wrong, n, 0.2), "{items:?}: {wrong} of {n}");
        assert!(2 * back > n, "{items:?}: back in {back} of {n}");
    }
}

#[test]
fn a_race_with_scores_that_were_taken_back_is_that_of_the_others() {
    let score = |task: &RaceTask| [0.9, 0.5, 0.2][task.system] + 0.001 * task.item as f64;
    let evidence = |race: &Race| {
        (0..9)
            .map(|at| race.ln(at / 3, at % 3, 0))
            .collect::<Vec<_>>()
    };
    for items in ALL {
        let mut race = Race::new(3, 60, terms(items)).unwrap();
        let mut tasks = Vec::new();
        while let Some(task) = race.ask() {
            race.tell(task.task, score(&task)).unwrap();
            tasks.push(task);
        }
        let (verdict, before) = (race.verdict(), evidence(&race));
        assert_eq!(verdict, RaceVerdict::Top(vec![0]));
        // As if they had never come, and then as if nothing had been.
        let late: Vec<u64> = tasks.iter().skip(4).map(|task| task.task).collect();
        assert!(race.take_back(&[late[0], 9999]).is_err());
        assert_eq!(
            (race.verdict(), evidence(&race)),
            (verdict.clone(), before.clone())
        );
        race.take_back(&late).unwrap();
        assert_eq!(race.verdict(), RaceVerdict::Open(vec![0, 1, 2]));
        assert_eq!((race.received(), race.asked()), (4, tasks.len() as u64));
        assert!(race.take_back(&late).is_err(), "they have no score now");
        for task in tasks.iter().skip(4).rev() {
            assert!(race.tell(task.task, score(task)).unwrap());
        }
        assert_eq!((race.verdict(), evidence(&race)), (verdict, before));
        assert_eq!(race.ask(), None);
    }
}

#[test]
fn a_system_that_comes_back_is_scored_on_what_it_missed() {
    let terms = RaceTerms {
        budget: Some(100),
        ..terms(RaceItems::These)
    };
    let mut race = Race::new(3, 60, terms).unwrap();
    let mut wrong = Vec::new();
    // The last system seems to fail until it is out; the others are level.
    while let Some(task) = race.ask().filter(|_| race.asked() < 80) {
        let score = if task.system == 2 { 0.0 } else { 0.9 };
        race.tell(task.task, score).unwrap();
        wrong.extend((task.system == 2).then_some(task.task));
    }
    assert!(matches!(race.places()[2], RacePlace::Out(_)));
    let rounds = race.rounds.len();
    race.take_back(&wrong).unwrap();
    for &task in &wrong {
        race.tell(task, 0.9).unwrap();
    }
    assert_eq!(
        race.places(),
        [RacePlace::Racing, RacePlace::Racing, RacePlace::Racing]
    );
    // What cannot be kept was not asked for.
    let before = format!("{race:?}");
    race.ask_if(9, |_| Err(Error::usage("no"))).unwrap_err();
    assert_eq!(format!("{race:?}"), before);
    let tasks: Vec<RaceTask> = std::iter::from_fn(|| race.ask()).collect();
    let missed = tasks.iter().filter(|task| task.task / 3 < rounds as u64);
    let missed: Vec<&RaceTask> = missed.filter(|task| task.system == 2).collect();
    assert!(
        missed.len() > 10 && missed.len() + wrong.len() <= rounds,
        "{}",
        missed.len()
    );
    assert!(
        missed
            .iter()
            .all(|task| race.rounds[(task.task / 3) as usize].item == task.item)
    );
    assert!(race.asked() <= 100, "the budget holds");
}

#[test]
fn the_bound_on_wrong_verdicts_is_nearly_reached() {
    let n = 5 * races();
    let wrong = (0..n).filter(|&index| {
        let mut rng = Seed(8).stream("test", index);
        let terms = RaceTerms {
            budget: Some(2 * 2000),
            confidence: 0.5,
            ..terms(RaceItems::Repeated)
        };
        let mut race = Race::new(2, 10, terms).unwrap();
        run(&mut race, 1, |_| yes(&mut rng, 0.5));
        matches!(race.places()[0], RacePlace::Out(_))
    });
    let wrong = wrong.count() as u64;
    // One of two equal systems is dropped in at most half of the races; were the threshold half as high, in nearly all.
    assert!(at_most(wrong, n, 0.5) && 8 * wrong > n, "{wrong} of {n}");
}

#[test]
fn equal_totals_are_never_told_apart_by_a_full_run() {
    for index in 0..races() {
        let mut rng = Seed(9).stream("test", index);
        let values: Vec<f64> = (0..50)
            .map(|_| (rng.uniform() * 10.0).round() / 10.0)
            .collect();
        let columns: Vec<Vec<f64>> = (0..3)
            .map(|_| {
                let mut column = values.clone();
                rng.shuffle(&mut column);
                column
            })
            .collect();
        let terms = RaceTerms {
            confidence: 1.0 - 1e-9,
            ..terms(RaceItems::These)
        };
        let mut race = Race::new(3, 50, terms).unwrap();
        run(&mut race, 1, |task| columns[task.system][task.item]);
        assert_eq!(
            (race.verdict(), race.asked()),
            (RaceVerdict::Open(vec![0, 1, 2]), 150)
        );
        // A single score more, and a full run knows.
        let mut race = Race::new(3, 50, terms).unwrap();
        let least = |column: &[f64]| {
            (0..50)
                .min_by(|&a, &b| column[a].total_cmp(&column[b]))
                .unwrap()
        };
        let raised = least(&columns[1]);
        run(&mut race, 1, |task| {
            let more = task.system == 1 && task.item == raised;
            columns[task.system][task.item] + if more { 0.01 } else { 0.0 }
        });
        assert_eq!(race.verdict(), RaceVerdict::Top(vec![1]));
    }
}

#[test]
fn a_race_takes_fewer_scores_than_the_same_proof_without_dropping() {
    for (top, means) in [
        (1, [0.8, 0.65, 0.5, 0.4, 0.3, 0.2]),
        (2, [0.8, 0.7, 0.5, 0.4, 0.3, 0.2]),
    ] {
        let (mut asked, mut full) = (0, 0);
        for index in 0..100 {
            let mut rng = Seed(11).stream("test", index);
            let terms = RaceTerms {
                top,
                confidence: 0.95,
                seed: Seed(index),
                ..terms(RaceItems::Repeated)
            };
            let mut race = Race::new(6, 500, terms).unwrap();
            let matrix: Matrix = (0..500)
                .map(|_| means.iter().map(|&p| yes(&mut rng, p)).collect())
                .collect();
            run(&mut race, 1, |task| matrix[task.item][task.system]);
            assert!(race.is_decided());
            asked += race.asked();
            // All are scored in every round until the last one.
            full += 6 * race.rounds.len() as u64;
        }
        let share = asked as f64 / full as f64;
        assert!(share < 0.7, "top {top}: {asked} of {full} scores");
    }
}

#[test]
fn the_top_systems_and_nearly_best_ones_are_named_as_rarely_wrongly_as_promised() {
    let means = [0.62, 0.6, 0.6, 0.5];
    let n = races();
    let (mut wrong_top, mut wrong_near, mut near) = (0, 0, 0);
    for index in 0..n {
        let mut rng = Seed(13).stream("test", index);
        let seed = Seed(index);
        let mut races = [
            RaceTerms {
                top: 2,
                budget: Some(4000),
                seed,
                ..terms(RaceItems::Repeated)
            },
            RaceTerms {
                epsilon: 0.1,
                budget: Some(8000),
                seed,
                ..terms(RaceItems::Repeated)
            },
        ]
        .map(|terms| Race::new(4, 10, terms).unwrap());
        for race in &mut races {
            run(race, 1, |task| yes(&mut rng, means[task.system]));
        }
        let out = |system: usize| matches!(races[0].places()[system], RacePlace::Out(_));
        wrong_top += u64::from(out(0) || races[0].places()[3] == RacePlace::In);
        near += u64::from(matches!(races[1].verdict(), RaceVerdict::NearlyBest(_)));
        wrong_near += u64::from(matches!(races[1].verdict(), RaceVerdict::NearlyBest(3)));
    }
    let wrong = [wrong_top, wrong_near];
    assert!(
        wrong.iter().all(|&wrong| at_most(wrong, n, 0.2)),
        "{wrong:?} of {n}"
    );
    assert!(2 * near > n, "nearly best systems are found: {near} of {n}");
}

#[test]
fn how_far_below_the_best_systems_are_at_most_is_right_as_often_as_promised() {
    const ITEMS: usize = 100;
    let n = races();
    for items in ALL {
        let (mut wrong, mut loose) = (0, 0);
        for index in 0..n {
            let mut rng = Seed(17).stream("test", index);
            let means = [0.7, 0.65, 0.6, 0.3];
            let matrix: Matrix = (0..ITEMS)
                .map(|_| means.iter().map(|&p| yes(&mut rng, p)).collect())
                .collect();
            let mean = |one: usize| match items {
                RaceItems::LikeThese => means[one],
                _ => matrix.iter().map(|row| row[one]).sum::<f64>() / ITEMS as f64,
            };
            let best = (0..4).map(mean).fold(0.0, f64::max);
            let terms = RaceTerms {
                budget: Some(4 * 300),
                seed: Seed(index),
                ..terms(items)
            };
            let mut race = Race::new(4, ITEMS, terms).unwrap();
            let is_right = |race: &Race| {
                let most = |one| race.most_below_best(one).unwrap();
                (0..4).all(|one| best - mean(one) <= most(one) + 1e-9)
            };
            let mut is_always = true;
            while let Some(task) = race.ask() {
                race.tell(task.task, matrix[task.item][task.system])
                    .unwrap();
                if race.received().is_multiple_of(40) {
                    is_always &= is_right(&race);
                }
            }
            wrong += u64::from(!(is_always && is_right(&race)));
            loose += u64::from(race.most_below_best(2).unwrap() > 0.5);
        }
        assert!(at_most(wrong, n, 0.2), "{items:?}: {wrong} of {n}");
        assert!(
            4 * loose < n,
            "{items:?}: {loose} of {n} say next to nothing"
        );
    }
    let top = RaceTerms {
        top: 2,
        ..terms(RaceItems::These)
    };
    assert_eq!(Race::new(3, 10, top).unwrap().most_below_best(0), None);
}

#[test]
fn nothing_is_known_of_a_system_without_scores_and_all_of_the_best_one() {
    let terms = RaceTerms {
        range: Range::new(1.0, 5.0).unwrap(),
        ..terms(RaceItems::These)
    };
    let mut race = Race::new(3, 50, terms).unwrap();
    assert_eq!(race.most_below_best(1), Some(4.0));
    run(&mut race, 1, |task| [4.0, 2.0, 3.0][task.system]);
    assert_eq!(race.most_below_best(0), Some(0.0));
    // At least the truth, and no more than a part of the range.
    for (system, gap) in [(1, 2.0), (2, 1.0)] {
        let most = race.most_below_best(system).unwrap();
        assert!((gap..3.5).contains(&most), "{system}: {most}");
    }
}

#[test]
fn asking_is_taken_back_where_it_cannot_be_kept() {
    for items in ALL {
        let mut race = Race::new(4, 30, terms(items)).unwrap();
        let first = race.ask_if(6, |_| Ok(())).unwrap();
        assert_eq!(first.len(), 6);
        let mut same = race.clone();
        let full = || Err(tiebreak_base::error::Error::usage("the disk is full"));
        assert!(race.ask_if(9, |_| full()).is_err());
        assert_eq!(race.asked(), 6);
        assert!(race.tell(7, 0.5).is_err(), "it was not asked for");
        let next = |race: &mut Race| race.ask_if(40, |_| Ok(())).unwrap();
        assert_eq!(next(&mut race), next(&mut same));
    }
}

#[test]
fn what_is_asked_next_follows_from_the_seed_and_the_scores() {
    let score = |task: RaceTask| ((task.item * 31 + task.system * 17) % 11) as f64 / 10.0;
    let mut first = Race::new(4, 30, terms(RaceItems::These)).unwrap();
    let mut tasks = Vec::new();
    for step in 0.. {
        let Some(task) = first.ask() else { break };
        tasks.push(task);
        if step % 3 == 0 {
            for task in &tasks {
                first.tell(task.task, score(*task)).unwrap();
            }
        }
    }
    let mut again = Race::new(4, 30, terms(RaceItems::These)).unwrap();
    for (step, task) in tasks.iter().enumerate() {
        assert_eq!(again.ask(), Some(*task));
        if step % 3 == 0 {
            for task in tasks[..=step].iter().rev() {
                again.tell(task.task, score(*task)).unwrap();
            }
        }
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let range = Range::new(0.0, 1.0).unwrap();
    let with = |change: fn(&mut RaceTerms)| {
        let mut terms = RaceTerms::new(range);
        change(&mut terms);
        Race::new(3, 10, terms).unwrap_err().to_string()
    };
    assert!(with(|terms| terms.top = 3).contains("expected a number from 1 to 2"));
    assert!(with(|terms| terms.epsilon = 1.0).contains("expected a number from 0 to below 1"));
    assert!(with(|terms| terms.confidence = 1.0).contains("between 0 and 1"));
    assert!(with(|terms| terms.budget = Some(2)).contains("expected 3 or more"));
    assert!(with(|terms| (terms.top, terms.epsilon) = (2, 0.1)).contains("one best system"));
    assert!(Race::new(1, 10, RaceTerms::new(range)).is_err());
    assert!(Race::new(2, 0, RaceTerms::new(range)).is_err());
    let mut race = Race::new(3, 10, RaceTerms::new(range)).unwrap();
    assert!(race.tell(0, 1.0).is_err(), "not asked for yet");
    let task = race.ask().unwrap();
    assert!(
        race.tell(1, 1.0).is_err(),
        "the next one is not asked for yet"
    );
    for score in [1.1, -0.1, f64::NAN] {
        assert!(
            race.tell(task.task, score)
                .unwrap_err()
                .to_string()
                .contains("outside the range 0,1")
        );
    }
}

#[test]
fn claims_name_what_they_are_about() {
    let names: Vec<String> = ["plain", "polite", "terse"].map(str::to_string).into();
    let mut claims = Vec::new();
    for (items, epsilon) in [(ALL[0], 0.0), (ALL[1], 0.0), (ALL[2], 0.25)] {
        let terms = RaceTerms {
            epsilon,
            items,
            ..RaceTerms::new(Range::new(0.0, 1.0).unwrap())
        };
        let mut race = Race::new(3, 100, terms).unwrap();
        assert_eq!(
            race.claim(&names).to_string(),
            "Not decided yet. There are no scores."
        );
        run(&mut race, 1, |task| match epsilon > 0.0 {
            true => f64::from(u8::from(task.item % 2 == 0)) * [1.0, 1.0, 0.0][task.system],
            false => [0.0, 0.1, 0.8][task.system],
        });
        claims.push(race.claim(&names).to_string());
    }
    assert_eq!(
        claims,
        [
            "terse is the best of the 3 systems (95 % confidence). Based on 29 scores. It holds for the scores that a full \
             run on these items would give. Assumptions: No score depends on the order in which scores are made.",
            "terse is the best of the 3 systems (95 % confidence). Based on 32 scores. It holds for mean scores on items \
             like these. Assumptions: No system changed during the race. The items are a random sample of items like them.",
            "plain is the best of the 3 systems, or nearly (95 % confidence). No other system's mean score is higher by \
             more than 0.25. Based on 55 scores. It holds for mean scores on these items. Assumptions: No system changed \
             during the race.",
        ]
    );
}
