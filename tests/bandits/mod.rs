//! What holds for every bandit on the list.

mod adaptive;
mod ccb;
pub(crate) mod chances;
mod degenerate;
mod oracles;
mod stability;
mod targets;

use std::collections::VecDeque;
use tiebreak::bandits::{Arena, BANDITS, BuildDueling, DuelingBandit};
use tiebreak::duel::{Arm, DuelId, Origin, Outcome, Pair};
use tiebreak::registry::{Entry, Params};
use tiebreak::rng::{Rng, Seed};

/// Every bandit in each of its variants, with the parameters that choose the variant.
pub(crate) fn all_variants() -> Vec<(&'static Entry<BuildDueling>, Params)> {
    let mut all = Vec::new();
    for entry in BANDITS {
        let defaults = (entry.parameters)();
        if defaults.get("variant").is_none() {
            all.push((entry, Params::default()));
            continue;
        }
        for variant in ["original", "released"] {
            let text = format!("{}:variant={variant}", entry.name);
            all.push((entry, Params::parse(&text).unwrap().1));
        }
    }
    all
}

pub(crate) fn build(
    entry: &Entry<BuildDueling>,
    params: &Params,
    k: usize,
) -> Box<dyn DuelingBandit> {
    (entry.build)(params, &Arena::new(k, 10_000).unwrap()).unwrap()
}

/// A total order: the lower arm wins with probability `p`, a fifth of the answers are ties.
fn answer(pair: Pair, p: f64, rng: &mut Rng) -> Outcome {
    if pair.is_self() || rng.bernoulli(0.2) {
        return Outcome::Tie;
    }
    let first_wins = rng.bernoulli(p) == (pair.first < pair.second);
    if first_wins {
        Outcome::Win
    } else {
        Outcome::Loss
    }
}

#[test]
fn every_bandit_finds_an_easy_condorcet_winner() {
    for (entry, params) in all_variants() {
        for k in [2, 3, 5, 9] {
            let mut right = 0;
            for run in 0..25 {
                let mut bandit = build(entry, &params, k);
                let mut choices = Seed(1).stream("choices", run);
                let mut answers = Seed(1).stream("answers", run);
                for _ in 0..150 * k * k + 2000 {
                    let Some(duel) = bandit.ask(&mut choices) else {
                        break;
                    };
                    assert!(duel.pair.first.index() < k && duel.pair.second.index() < k);
                    let outcome = answer(duel.pair, 0.9, &mut answers);
                    bandit.record_outcome(duel.id, outcome, Origin::Human);
                }
                right += u32::from(bandit.leader() == Arm(0));
            }
            assert!(
                right >= 23,
                "{} {params}, k = {k}: {right} of 25",
                entry.name
            );
        }
    }
}

#[test]
fn the_same_seed_asks_the_same_pairs_and_looking_at_the_leader_changes_nothing() {
    for (entry, params) in all_variants() {
        let play = |look: bool| -> Vec<Pair> {
            let mut bandit = build(entry, &params, 5);
            let mut choices = Seed(7).stream("choices", 0);
            let mut answers = Seed(7).stream("answers", 0);
            let step = |_| {
                let duel = bandit.ask(&mut choices)?;
                bandit.record_outcome(duel.id, answer(duel.pair, 0.6, &mut answers), Origin::Human);
                if look {
                    assert!(bandit.leader().index() < 5);
                    let _ = bandit.verdict();
                }
                Some(duel.pair)
            };
            (0..1000).map_while(step).collect()
        };
        assert_eq!(play(false), play(true), "{} {params}", entry.name);
    }
}

/// Enough for the slowest to find a winner that wins nine times in ten.
const LATE_STEPS: usize = 6000;

/// Answers come late, in batches and in random order, far later than the K(K−1)/2 + K questions
/// after which the released RMED runs out of candidates.
#[test]
fn every_bandit_bears_late_answers_in_any_order() {
    let k = 6;
    for (entry, params) in all_variants() {
        for delay in [1, 7, 60] {
            let mut bandit = build(entry, &params, k);
            let mut rng = Seed(3).stream("test", delay as u64);
            let mut waiting: VecDeque<(DuelId, Pair)> = VecDeque::new();
            for step in 1..=LATE_STEPS {
                let duel = bandit.ask(&mut rng);
                waiting.extend(duel.map(|duel| (duel.id, duel.pair)));
                if waiting.len() > delay || duel.is_none() || step == LATE_STEPS {
                    waiting.make_contiguous();
                    rng.shuffle(waiting.as_mut_slices().0);
                    for (id, pair) in waiting.drain(..) {
                        bandit.record_outcome(id, answer(pair, 0.9, &mut rng), Origin::Human);
                    }
                }
                if duel.is_none() {
                    break;
                }
            }
            let leader = bandit.leader();
            assert_eq!(leader, Arm(0), "{} {params}, delay {delay}", entry.name);
        }
    }
}

/// Telling an answer again, or one that nobody asked for, changes no later question.
#[test]
fn an_answer_counts_once() {
    for (entry, params) in all_variants() {
        let play = |again: bool| -> Vec<Pair> {
            let mut bandit = build(entry, &params, 4);
            let mut choices = Seed(2).stream("choices", 0);
            let mut answers = Seed(2).stream("answers", 0);
            let mut earlier: VecDeque<(DuelId, Outcome)> = VecDeque::new();
            let step = |_| {
                let duel = bandit.ask(&mut choices)?;
                let outcome = answer(duel.pair, 0.7, &mut answers);
                bandit.record_outcome(duel.id, outcome, Origin::Human);
                earlier.push_back((duel.id, outcome));
                if again && earlier.len() > 3 {
                    let (old, outcome) = earlier.pop_front()?;
                    bandit.record_outcome(old, outcome.flipped(), Origin::Human);
                    bandit.record_outcome(duel.id, outcome.flipped(), Origin::Human);
                    bandit.record_outcome(DuelId(1_000_000), outcome, Origin::Human);
                }
                Some(duel.pair)
            };
            (0..1500).map_while(step).collect()
        };
        assert_eq!(play(false), play(true), "{} {params}", entry.name);
    }
}

#[test]
fn every_entry_is_well_formed_and_refuses_what_it_does_not_know() {
    let arena = Arena::new(4, 100).unwrap();
    for (place, entry) in BANDITS.iter().enumerate() {
        assert!(
            BANDITS[..place]
                .iter()
                .all(|other| other.name != entry.name)
        );
        assert!(!entry.summary.is_empty() && !entry.cite.is_empty());
        assert!((entry.build)(&Params::default(), &arena).is_ok());
        let defaults = (entry.parameters)();
        for (key, value) in defaults.as_object().unwrap() {
            let text = value.to_string();
            let (_, params) =
                Params::parse(&format!("x:{key}={}", text.trim_matches('"'))).unwrap();
            assert!(
                (entry.build)(&params, &arena).is_ok(),
                "{}:{params}",
                entry.name
            );
            if value.is_number() {
                let (_, params) = Params::parse(&format!("x:{key}=-1")).unwrap();
                let error = (entry.build)(&params, &arena).err().unwrap();
                assert!(error.to_string().contains(key.as_str()), "{error}");
            }
        }
        let (_, unknown) = Params::parse("x:no-such-key=1").unwrap();
        let error = (entry.build)(&unknown, &arena).err().unwrap();
        assert!(error.to_string().contains(entry.name), "{error}");
        assert_eq!(error.exit_code(), 2);
    }
    assert!(Arena::new(1, 100).is_err());
}
