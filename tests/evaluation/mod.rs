//! The loop and the annotation-complexity experiment on simulated comparisons.

mod correlation;
mod known;
mod rated;
mod standing;
mod systems;

use crate::bandits::all_variants;
use std::sync::Arc;
use tiebreak::bandits::BANDITS;
use tiebreak::duel::{Arm, Outcome, Pair};
use tiebreak::evaluation::active::{Limits, Setup, Stop};
use tiebreak::evaluation::experiment::Experiment;
use tiebreak::evaluation::known::PriorKnowledge;
use tiebreak::feedback::comparisons::Comparisons;
use tiebreak::feedback::matrix::{Bernoulli, PreferenceMatrix};
use tiebreak::feedback::names::Names;
use tiebreak::model_based::{Forecasts, Policy};
use tiebreak::registry::{Params, find_entry};
use tiebreak::rng::Seed;

/// Rows of comparisons in which the lower arm wins seven times in ten; ties are two in ten.
fn easy_rows(k: u16) -> Vec<(u32, Pair, Outcome)> {
    let mut rng = Seed(8).stream("rows", 0);
    let mut rows = Vec::new();
    for item in 0..100 {
        for i in 0..k {
            for j in i + 1..k {
                let outcome = match rng.below(10) {
                    0..7 => Outcome::Win,
                    7..9 => Outcome::Tie,
                    _ => Outcome::Loss,
                };
                rows.push((item, Pair::new(Arm(i), Arm(j)), outcome));
            }
        }
    }
    rows
}

pub(crate) fn easy_comparisons(k: u16) -> Comparisons {
    let names = Arc::new(Names::numbered(usize::from(k)));
    Comparisons::new(names, easy_rows(k)).unwrap()
}

fn setup(bandit: &str, arms: Vec<Arm>, budget: u64) -> Setup {
    let (name, params) = Params::parse(bandit).unwrap();
    let entry = find_entry("bandit", BANDITS, &name).unwrap();
    let limits = Limits::new(budget, Some(2 * budget));
    Setup::new(entry, params, arms, limits, Seed(42)).unwrap()
}

pub(crate) fn experiment<'a>(
    bandit: &str,
    budget: u64,
    comparisons: &'a Comparisons,
    model: Option<(&'a dyn Forecasts, Policy)>,
    delay: usize,
) -> Experiment<'a> {
    let setup = setup(bandit, Arm::all(comparisons.k()).collect(), budget);
    Experiment::new(setup, comparisons, model, delay).unwrap()
}

/// As [`experiment`], with a certificate where the bandit gives one.
pub(crate) fn certified<'a>(
    bandit: &str,
    budget: u64,
    comparisons: &'a Comparisons,
    model: Option<(&'a dyn Forecasts, Policy)>,
    confidence: f64,
) -> Experiment<'a> {
    let known = PriorKnowledge {
        confidence: Some(confidence),
        ..PriorKnowledge::default()
    };
    let setup = setup(bandit, Arm::all(comparisons.k()).collect(), budget);
    Experiment::new(setup.with(known).unwrap(), comparisons, model, 0).unwrap()
}

#[test]
fn runs_do_not_depend_on_threads_or_on_each_other() {
    let comparisons = easy_comparisons(6);
    for entry in BANDITS {
        let experiment = experiment(entry.name, 6000, &comparisons, None, 2);
        let with_threads = |n| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(n)
                .build()
                .unwrap();
            pool.install(|| experiment.run_many(0..12)).unwrap()
        };
        let runs = with_threads(1);
        assert_eq!(runs, with_threads(3));
        assert_eq!(runs[7], experiment.run_one(7).unwrap());
        assert_eq!(runs[4..9], experiment.run_many(4..9).unwrap());
        let summary = experiment.summarise(&runs).unwrap();
        assert_eq!(summary.winner, Arm(0), "{}", entry.name);
        assert!(
            summary.annotation_complexity.value.is_some(),
            "{}",
            entry.name
        );
    }
}

#[test]
fn renumbering_the_systems_renumbers_the_results() {
    let k = 5;
    let renumbered = |arm: Arm| Arm((arm.0 * 2 + 3) % k);
    let plain = easy_comparisons(k);
    let rows = easy_rows(k).into_iter().map(|(item, pair, outcome)| {
        let pair = Pair::new(renumbered(pair.first), renumbered(pair.second));
        (item, pair, outcome)
    });
    let names = Arc::new(Names::numbered(usize::from(k)));
    let moved = Comparisons::new(names, rows).unwrap();
    for (entry, params) in all_variants() {
        let spec = format!("{}:{params}", entry.name);
        let arms: Vec<Arm> = Arm::all(usize::from(k)).collect();
        let there = setup(&spec, arms.iter().copied().map(renumbered).collect(), 500);
        let here = setup(&spec, arms, 500);
        let here = Experiment::new(here, &plain, None, 0).unwrap();
        let there = Experiment::new(there, &moved, None, 0).unwrap();
        for run in 0..5 {
            let mut expected = here.run_one(run).unwrap();
            for (_, arm) in &mut expected.leaders {
                *arm = renumbered(*arm);
            }
            assert_eq!(there.run_one(run).unwrap(), expected, "{spec}");
        }
    }
}

#[test]
fn among_equals_every_system_wins_equally_often() {
    let matrix = PreferenceMatrix::from_upper(5, &[0.5; 10]).unwrap();
    for (entry, params) in all_variants() {
        let spec = format!("{}:{params}", entry.name);
        let setup = setup(&spec, Arm::all(5).collect(), 60);
        let mut wins = [0_u32; 5];
        for run in 0..1000 {
            let mut source = Bernoulli::new(matrix.clone(), 0.5).unwrap();
            let trace = setup.play(run, &mut source).unwrap();
            wins[trace.winner().unwrap().index()] += 1;
        }
        let chi2: f64 = wins
            .iter()
            .map(|&n| (f64::from(n) - 200.0).powi(2) / 200.0)
            .sum();
        assert!(chi2 < 18.5, "{spec}: {wins:?}"); // p = 0.001 with 4 degrees of freedom
    }
}

#[test]
fn a_delay_holds_answers_back_but_loses_none() {
    let comparisons = easy_comparisons(4);
    // Uniform asks the same pairs whatever the answers, so only the moment of arrival differs.
    let now = experiment("uniform", 150, &comparisons, None, 0);
    let late = experiment("uniform", 150, &comparisons, None, 40);
    for run in 0..20 {
        let (now, late) = (now.run_one(run).unwrap(), late.run_one(run).unwrap());
        assert_eq!((late.annotations, late.stop), (150, Stop::Budget));
        assert_eq!(now.winner(), late.winner());
        // Every leader before the end comes exactly 40 annotations later.
        let shifted: Vec<(u64, Arm)> = now.leaders[1..]
            .iter()
            .map(|&(n, arm)| (n + 40, arm))
            .take_while(|&(n, _)| n < 150)
            .collect();
        let seen: Vec<(u64, Arm)> = late.leaders[1..]
            .iter()
            .copied()
            .take_while(|&(n, _)| n < 150)
            .collect();
        assert_eq!(seen, shifted);
    }
    for entry in BANDITS {
        let delayed = experiment(entry.name, 5000, &comparisons, None, 50);
        let summary = delayed
            .summarise(&delayed.run_many(0..20).unwrap())
            .unwrap();
        assert_eq!(summary.winner, Arm(0), "{}", entry.name);
    }
}

#[test]
fn limits_hold_and_free_steps_count_as_steps() {
    let comparisons = easy_comparisons(3);
    let trace = experiment("rmed", 2000, &comparisons, None, 0)
        .run_one(0)
        .unwrap();
    assert_eq!((trace.stop, trace.steps), (Stop::Steps, 4000));
    assert!(trace.annotations < 2000);
    let trace = experiment("uniform", 50, &comparisons, None, 0)
        .run_one(0)
        .unwrap();
    assert_eq!(
        (trace.stop, trace.annotations, trace.steps),
        (Stop::Budget, 50, 50)
    );
    let entry = find_entry("bandit", BANDITS, "uniform").unwrap();
    let nothing = Limits::new(0, None);
    let arms = vec![Arm(0), Arm(1)];
    assert!(Setup::new(entry, Params::default(), arms, nothing, Seed(1)).is_err());
}

#[test]
fn a_single_survivor_wins_without_a_question_and_the_truth_is_about_all() {
    let comparisons = easy_comparisons(4);
    let wrong = Experiment::new(setup("rmed", vec![Arm(2)], 100), &comparisons, None, 0).unwrap();
    let runs = wrong.run_many(0..5).unwrap();
    assert_eq!((runs[0].annotations, runs[0].winner()), (0, Some(Arm(2))));
    let summary = wrong.summarise(&runs).unwrap();
    assert_eq!(summary.true_winners, [Arm(0)]);
    assert_eq!(summary.annotation_complexity.value, None);
    let right = Experiment::new(setup("rmed", vec![Arm(0)], 100), &comparisons, None, 0).unwrap();
    let summary = right.summarise(&right.run_many(0..5).unwrap()).unwrap();
    assert_eq!(summary.annotation_complexity.value, Some(0));
}

#[test]
fn kept_arms_keep_their_identity() {
    let comparisons = easy_comparisons(6);
    for entry in BANDITS {
        let kept = vec![Arm(3), Arm(5), Arm(4)];
        let experiment = Experiment::new(setup(entry.name, kept, 2500), &comparisons, None, 0);
        let experiment = experiment.unwrap();
        let summary = experiment
            .summarise(&experiment.run_many(0..10).unwrap())
            .unwrap();
        assert_eq!(summary.winner, Arm(3), "{}", entry.name);
    }
}

#[test]
fn traces_survive_storing() {
    let comparisons = easy_comparisons(4);
    let trace = experiment("rcs", 200, &comparisons, None, 0)
        .run_one(1)
        .unwrap();
    let text = serde_json::to_string(&trace).unwrap();
    assert_eq!(
        serde_json::from_str::<tiebreak::evaluation::active::RunTrace>(&text).unwrap(),
        trace
    );
}
