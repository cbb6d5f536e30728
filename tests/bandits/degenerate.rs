//! Matrices that leave nothing to find: every bandit ends by its limits with a named result.

use super::all_variants;
use tiebreak::duel::{Arm, Verdict};
use tiebreak::evaluation::active::{Limits, RunTrace, Setup, Stop};
use tiebreak::evaluation::known::PriorKnowledge;
use tiebreak::feedback::matrix::{Bernoulli, PreferenceMatrix};
use tiebreak::registry::Params;
use tiebreak::rng::Seed;

/// Enough for the slowest to tell 0.8 from one half.
const STEPS: u64 = 6000;

/// A run of every bandit on a matrix of `k` systems with a share of ties.
fn on_each(k: usize, upper: &[f64], ties: f64, look: impl Fn(&str, &RunTrace)) {
    for (entry, params) in all_variants() {
        let arms: Vec<Arm> = Arm::all(k).collect();
        let limits = Limits::new(STEPS, Some(2 * STEPS));
        let setup = Setup::new(entry, params.clone(), arms, limits, Seed(4)).unwrap();
        let known = PriorKnowledge {
            confidence: Some(0.95),
            ..PriorKnowledge::default()
        };
        let setup = setup.with(known).unwrap();
        let matrix = PreferenceMatrix::from_upper(k, upper).unwrap();
        let mut people = Bernoulli::new(matrix, ties).unwrap();
        let trace = setup.play(0, &mut people).unwrap();
        let name = format!("{} {params}, k = {k}", entry.name);
        assert!(
            trace.annotations <= STEPS && trace.steps <= 2 * STEPS,
            "{name}"
        );
        assert!(trace.winner().is_some_and(|arm| arm.index() < k), "{name}");
        look(&name, &trace);
    }
}

#[test]
fn equal_systems_end_by_budget_or_by_exhaustion_and_claim_nothing() {
    for k in [2, 3, 6] {
        let equal = vec![0.5; k * (k - 1) / 2];
        // Half the answers are ties, or all of them.
        on_each(k, &equal, 1.0, |name, trace| {
            assert_ne!(trace.stop, Stop::Certificate, "{name}");
            assert!(!trace.verdict.is_claim(), "{name}: {:?}", trace.verdict);
        });
        on_each(k, &equal, 0.5, |name, trace| {
            assert_ne!(trace.stop, Stop::Ended, "{name}");
        });
    }
}

#[test]
fn two_systems_are_a_case_like_any_other() {
    on_each(2, &[0.95], 0.05, |name, trace| {
        assert_eq!(trace.winner(), Some(Arm(0)), "{name}");
    });
}

/// 0 and 1 are the same system twice; both beat 2 and 3.
#[test]
fn a_duplicated_winner_is_named_once_under_one_of_its_names() {
    let upper = [0.5, 0.8, 0.9, 0.8, 0.9, 0.7];
    on_each(4, &upper, 0.2, |name, trace| {
        let winner = trace.winner().unwrap();
        assert!(winner.index() < 2, "{name}: {winner:?}");
    });
}

#[test]
fn one_system_is_best_without_a_question() {
    for (entry, params) in all_variants() {
        let setup = Setup::new(entry, params, vec![Arm(7)], Limits::new(10, None), Seed(1));
        let mut nobody =
            Bernoulli::new(PreferenceMatrix::from_upper(1, &[]).unwrap(), 0.0).unwrap();
        let trace = setup.unwrap().play(0, &mut nobody).unwrap();
        assert_eq!((trace.winner(), trace.steps), (Some(Arm(7)), 0));
        assert_eq!((trace.stop, trace.verdict), (Stop::Finished, Verdict::Open));
    }
    let none = Setup::new(
        all_variants()[0].0,
        Params::default(),
        Vec::new(),
        Limits::new(10, None),
        Seed(1),
    );
    assert_eq!(none.err().unwrap().exit_code(), 2);
}
