//! What `adaptive` claims, held against simulated runs in which the truth is known.

use std::collections::VecDeque;
use tiebreak::bandits::{Arena, BANDITS, DuelingBandit, Square};
use tiebreak::duel::{Arm, Duel, Origin, Outcome, Verdict};
use tiebreak::registry::{Params, find_entry};
use tiebreak::rng::{Rng, Seed};

/// The probability that i is preferred to j.
pub(super) type Truth = fn(usize, usize) -> f64;

/// Systems in order, every one a little better than the next.
pub(super) fn close(i: usize, j: usize) -> f64 {
    0.5 + 0.005 * (j as f64 - i as f64)
}

pub(super) fn clear(i: usize, j: usize) -> f64 {
    0.5 + 0.04 * (j as f64 - i as f64)
}

pub(super) fn equal(_: usize, _: usize) -> f64 {
    0.5
}

/// 0 beats 1, 1 beats 2, 2 beats 0: nobody beats all others.
fn cycle(i: usize, j: usize) -> f64 {
    [0.5, 0.6, 0.4][(3 + j - i) % 3]
}

/// Answers with three ties in ten.
pub(super) fn answer(duel: &Duel, truth: Truth, rng: &mut Rng) -> Outcome {
    let ties = 0.3;
    let p = truth(duel.pair.first.index(), duel.pair.second.index());
    match rng.uniform() {
        u if u < p - ties / 2.0 => Outcome::Win,
        u if u < p + ties / 2.0 => Outcome::Tie,
        _ => Outcome::Loss,
    }
}

pub(super) fn build(spec: &str, arena: &Arena) -> Box<dyn DuelingBandit> {
    let (name, params) = Params::parse(spec).unwrap();
    (find_entry("bandit", BANDITS, &name).unwrap().build)(&params, arena).unwrap()
}

pub(super) fn arena(k: usize, confidence: f64) -> Arena {
    let arena = Arena::new(k, 10_000).unwrap();
    arena.with_confidence(confidence).unwrap()
}

/// Plays at most `steps` questions; the announced system and the number of questions.
fn play(spec: &str, arena: &Arena, truth: Truth, steps: u64, run: u64) -> (Option<Arm>, u64) {
    let mut bandit = build(spec, arena);
    let mut choices = Seed(11).stream("choices", run);
    let mut answers = Seed(11).stream("answers", run);
    let mut asked = 0;
    while asked < steps {
        let Some(duel) = bandit.ask(&mut choices) else {
            break;
        };
        assert!(!duel.pair.is_self() && duel.bet.abs() <= 0.9);
        bandit.record_outcome(duel.id, answer(&duel, truth, &mut answers), Origin::Human);
        asked += 1;
    }
    match bandit.verdict() {
        Verdict::Winner { arm, .. } => {
            assert_eq!(bandit.leader(), arm);
            (Some(arm), asked)
        }
        _ => (None, asked),
    }
}

/// How many of `runs` runs may be wrong when each is with probability `delta`: 3 standard
/// deviations above the mean.
pub(super) fn tolerated(runs: u64, delta: f64) -> u64 {
    let mean = runs as f64 * delta;
    (mean + 3.0 * (mean * (1.0 - delta)).sqrt()) as u64
}

fn count_wrong(
    spec: &str,
    arena: &Arena,
    truth: Truth,
    right: Option<Arm>,
    runs: u64,
    steps: u64,
) -> (u64, u64) {
    let announced = (0..runs).filter_map(|run| play(spec, arena, truth, steps, run).0);
    announced.fold((0, 0), |(wrong, all), arm| {
        (wrong + u64::from(Some(arm) != right), all + 1)
    })
}

#[test]
fn an_announcement_is_wrong_no_more_often_than_it_says() {
    let runs = 250;
    for (spec, k) in [
        ("adaptive", 2),
        ("adaptive", 4),
        ("adaptive:assume=none", 2),
    ] {
        let arena = arena(k, 0.8);
        let (wrong, _) = count_wrong(spec, &arena, close, Some(Arm(0)), runs, 1500);
        assert!(wrong <= tolerated(runs, 0.2), "{spec}, k = {k}: {wrong}");
    }
}

#[test]
fn predictions_that_are_reversed_cannot_break_the_promise() {
    let (runs, k) = (200, 3);
    let reversed = Square::from_fn(k, |i, j| 0.1 * (i as f64 - j as f64));
    let arena = arena(k, 0.8).with_margins(vec![reversed]).unwrap();
    let (wrong, _) = count_wrong("adaptive", &arena, close, Some(Arm(0)), runs, 1500);
    assert!(wrong <= tolerated(runs, 0.2), "{wrong}");
}

#[test]
fn without_assumption_no_winner_is_announced_where_there_is_none() {
    let runs = 150;
    let spec = "adaptive:assume=none";
    for (truth, k) in [(equal as Truth, 2), (equal, 4), (cycle, 3)] {
        let (wrong, _) = count_wrong(spec, &arena(k, 0.9), truth, None, runs, 2000);
        assert!(wrong <= tolerated(runs, 0.1), "k = {k}: {wrong}");
    }
    // Where a Condorcet winner is assumed the same answers speak against the last one left.
    let mut bandit = build("adaptive", &arena(3, 0.9));
    let mut rng = Seed(2).stream("test", 0);
    while let Some(duel) = bandit.ask(&mut rng) {
        bandit.record_outcome(duel.id, answer(&duel, cycle, &mut rng), Origin::Human);
    }
    assert_eq!(bandit.verdict(), Verdict::NoWinner);
}

#[test]
fn clear_winners_are_announced_and_assuming_less_costs_more() {
    let runs = 40;
    let mut questions = [0, 0];
    for (spec, total) in ["adaptive", "adaptive:assume=none"]
        .iter()
        .zip(&mut questions)
    {
        for run in 0..runs {
            let (winner, asked) = play(spec, &arena(5, 0.95), clear, 20_000, run);
            assert!(winner.is_some(), "{spec}, run {run}");
            *total += asked;
        }
        let (wrong, all) = count_wrong(spec, &arena(5, 0.95), clear, Some(Arm(0)), runs, 20_000);
        assert!(all == runs && wrong <= tolerated(runs, 0.05), "{wrong}");
    }
    assert!(questions[0] < questions[1], "{questions:?}");
}

/// Fifty questions are open at any time, and answers against the better system come back four times
/// as fast. Counting answers as they arrive, two runs in five would be wrong.
#[test]
fn answers_whose_delay_depends_on_what_they_say_cannot_break_the_promise() {
    let (runs, delta) = (400, 0.05);
    let mut wrong = 0;
    for run in 0..runs {
        let mut bandit = build("adaptive", &arena(2, 1.0 - delta));
        let mut rng = Seed(13).stream("test", run);
        let mut open: VecDeque<(Duel, Outcome)> = VecDeque::new();
        for _ in 0..1500 {
            let Some(duel) = bandit.ask(&mut rng) else {
                break;
            };
            open.push_back((duel, answer(&duel, close, &mut rng)));
            while open.len() > 50 {
                let (duel, outcome) = open[rng.below(open.len())];
                let first_is_better = duel.pair.first == Arm(0);
                let against =
                    outcome != Outcome::Tie && (outcome == Outcome::Loss) == first_is_better;
                if against || rng.bernoulli(0.25) {
                    open.retain(|(other, _)| other.id != duel.id);
                    bandit.record_outcome(duel.id, outcome, Origin::Human);
                }
            }
        }
        let verdict = bandit.verdict();
        wrong += u64::from(matches!(verdict, Verdict::Winner { arm, .. } if arm != Arm(0)));
    }
    assert!(wrong <= tolerated(runs, delta), "{wrong}");
}

#[test]
fn answers_of_a_model_prove_nothing() {
    let mut bandit = build("adaptive", &arena(3, 0.8));
    let mut rng = Seed(3).stream("test", 0);
    for _ in 0..500 {
        let duel = bandit.ask(&mut rng).expect("nothing is proven");
        let first_wins = duel.pair.first < duel.pair.second;
        let outcome = if first_wins {
            Outcome::Win
        } else {
            Outcome::Loss
        };
        bandit.record_outcome(duel.id, outcome, Origin::Model);
    }
    assert_eq!((bandit.leader(), bandit.verdict()), (Arm(0), Verdict::Open));
}

#[test]
fn systems_with_the_very_same_outputs_are_one_system() {
    let copies = |i: usize, j: usize| matches!((i, j), (0, 1) | (1, 0));
    let table = Square::from_fn(4, |i, j| if i == j || copies(i, j) { 0.0 } else { 0.6 });
    let arena = arena(4, 0.9).with_differing(table).unwrap();
    let mut bandit = build("adaptive", &arena);
    let mut rng = Seed(3).stream("test", 0);
    while let Some(duel) = bandit.ask(&mut rng) {
        assert!(duel.pair.first != Arm(1) && duel.pair.second != Arm(1));
        bandit.record_outcome(duel.id, answer(&duel, clear, &mut rng), Origin::Human);
    }
    assert!(matches!(bandit.verdict(), Verdict::Winner { .. }));

    let all_the_same = Square::from_fn(4, |_, _| 0.0);
    let arena = Arena::new(4, 100).unwrap().with_differing(all_the_same);
    let mut bandit = build("adaptive", &arena.unwrap());
    assert!(bandit.ask(&mut rng).is_none());
    assert_eq!(bandit.verdict(), Verdict::Undecided(Arm::all(4).collect()));
}

#[test]
fn who_may_be_best_is_a_distribution_that_begins_with_the_first_answer() {
    let table = Square::from_fn(4, |i, j| {
        f64::from(u8::from(i / 2 != j / 2 || (i != j && i < 2)))
    });
    let mut bandit = build("adaptive", &arena(4, 0.9).with_differing(table).unwrap());
    let mut rng = Seed(4).stream("test", 0);
    let outlook = |bandit: &dyn DuelingBandit| bandit.outlook(&mut Seed(4).stream("outlook", 0));
    assert_eq!(outlook(bandit.as_ref()).chances, None);
    for answers in 1..=150 {
        let duel = bandit.ask(&mut rng).expect("nothing is certain yet");
        bandit.record_outcome(duel.id, answer(&duel, clear, &mut rng), Origin::Human);
        if ![1, 20, 150].contains(&answers) {
            continue;
        }
        let found = outlook(bandit.as_ref());
        assert_eq!(found, outlook(bandit.as_ref()));
        let chances = found.chances.unwrap();
        let groups: Vec<&[Arm]> = chances.best.iter().map(|(group, _)| &group[..]).collect();
        assert_eq!(groups, [&[Arm(0)][..], &[Arm(1)], &[Arm(2), Arm(3)]]);
        let total: f64 = chances.best.iter().map(|(_, p)| p).sum();
        assert!((total + chances.none - 1.0).abs() < 1e-12);
        assert_eq!(chances.answers, answers);
        match answers {
            1 => assert!(chances.best.iter().all(|(_, p)| (0.1..0.6).contains(p))),
            150 => assert!(chances.best[0].1 > 0.4 && chances.best[2].1 < 0.2),
            _ => {}
        }
    }
}

#[test]
fn where_no_system_beats_all_others_the_draws_say_so() {
    let mut bandit = build("adaptive", &Arena::new(3, 10_000).unwrap());
    let mut rng = Seed(4).stream("test", 0);
    for _ in 0..3000 {
        let duel = bandit.ask(&mut rng).unwrap();
        bandit.record_outcome(duel.id, answer(&duel, cycle, &mut rng), Origin::Human);
    }
    let chances = bandit.outlook(&mut rng).chances.unwrap();
    assert!(chances.none > 0.9, "{chances:?}");
}

#[test]
fn good_predictions_are_followed_from_the_start_and_shorten_the_run() {
    let k = 6;
    let margins = Square::from_fn(k, |i, j| 0.04 * (j as f64 - i as f64));
    let told = Arena::new(k, 100)
        .unwrap()
        .with_margins(vec![margins])
        .unwrap();
    assert_eq!(build("adaptive", &told).leader(), Arm(0));
    let right = |arena: &Arena| {
        let mut count = 0;
        for run in 0..60 {
            let mut bandit = build("adaptive", arena);
            let mut rng = Seed(17).stream("test", run);
            for _ in 0..60 {
                let duel = bandit.ask(&mut rng).unwrap();
                bandit.record_outcome(duel.id, answer(&duel, clear, &mut rng), Origin::Human);
            }
            count += u32::from(bandit.leader() == Arm(0));
        }
        count
    };
    let (with, without) = (right(&told), right(&Arena::new(k, 100).unwrap()));
    assert!(with > without + 10, "{with} and {without} of 60");
}

#[test]
fn an_arena_refuses_what_cannot_be() {
    let arena = || Arena::new(3, 100).unwrap();
    for confidence in [0.0, 1.0, -0.5, f64::NAN] {
        assert!(arena().with_confidence(confidence).is_err());
    }
    assert!(
        arena()
            .with_differing(Square::from_fn(2, |_, _| 0.5))
            .is_err()
    );
    assert!(
        arena()
            .with_differing(Square::from_fn(3, |i, _| i as f64 / 4.0))
            .is_err()
    );
    assert!(
        arena()
            .with_margins(vec![Square::from_fn(3, |_, _| 0.2)])
            .is_err()
    );
    let nan = Square::from_fn(3, |_, _| f64::NAN);
    let error = arena().with_margins(vec![nan]).unwrap_err();
    assert!(error.to_string().contains("predicted margins"), "{error}");
}
