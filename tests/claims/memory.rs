//! What was answered about an item is taken off the answers about its other pairs: what is claimed is true as often as it
//! says, whether items tell anything or nothing, however late answers are and however few items there are, and where they
//! tell something it takes fewer answers.

use super::{Claims, DELTA, Preferences, outcome};
use crate::support::say;
use tiebreak::bandits::BANDITS;
use tiebreak::duel::{Arm, Pair};
use tiebreak::error::Result;
use tiebreak::evaluation::active::{Limits, Setup};
use tiebreak::evaluation::eligible::EligibleItems;
use tiebreak::evaluation::known::PriorKnowledge;
use tiebreak::feedback::delayed::DelayedFeedback;
use tiebreak::feedback::recollected::DeduplicatedFeedback;
use tiebreak::feedback::{DuelAnswer, FeedbackSource, PairQuestion, Reply, Sample};
use tiebreak::registry::{Params, find_entry};
use tiebreak::rng::{Rng, Seed};

/// Items of the usual worlds.
const ITEMS: u32 = 64;

/// People who find the output of a system good on half of the items, other ones for each system, and bad on the rest.
#[derive(Debug, Clone)]
struct Items {
    people: Preferences,
    items: u32,
    /// By how much more often a good output is preferred.
    swing: f64,
    rng: Rng,
}

impl Items {
    /// How good a system is on an item beyond what it is on average.
    fn quality(&self, system: Arm, item: u32) -> f64 {
        match item >> system.0 & 1 {
            0 => self.swing,
            _ => -self.swing,
        }
    }
}

impl FeedbackSource for Items {
    fn draw(&mut self, _: Pair, rng: &mut Rng) -> Result<Sample> {
        Ok(Sample::item(rng.below(self.items as usize) as u32))
    }

    fn ask(&mut self, question: PairQuestion) -> Result<Reply> {
        let (Pair { first, second }, item) = (question.duel.pair, question.sample.item);
        let ahead = self.quality(first, item) - self.quality(second, item);
        let outcome = outcome(self.people.get(first, second) + ahead, self.rng.uniform());
        Ok(Reply::Answer(DuelAnswer::human(question, outcome)))
    }
}

fn remembering(
    bandit: &str,
    (k, steps): (usize, u64),
    eligible: impl Fn(Pair) -> Vec<u32> + Send + Sync + 'static,
) -> Setup {
    let (name, params) = Params::parse(bandit).unwrap();
    let entry = find_entry("bandit", BANDITS, &name).unwrap();
    let limits = Limits::new(steps, Some(steps));
    let known = PriorKnowledge {
        confidence: Some(1.0 - DELTA),
        eligible: Some(EligibleItems::new(eligible)),
        ..PriorKnowledge::default()
    };
    let setup = Setup::new(entry, params, Arm::all(k).collect(), limits, Seed(23)).unwrap();
    setup.with(known).unwrap()
}

fn in_line(k: usize, step: f64) -> Preferences {
    Preferences::from_fn(k, |i, j| 0.5 + step * (j as f64 - i as f64))
}

/// One in a cycle beats the next; of two that do not meet there the first.
fn cycle(k: usize) -> Preferences {
    Preferences::from_fn(k, |i, j| if i == 0 && j + 1 == k { 0.45 } else { 0.55 })
}

fn claims(setup: &Setup, truth: &Preferences, swing: f64, delay: usize, runs: u64) -> Claims {
    Claims::of(setup, runs, |rng| {
        let items = Items {
            people: truth.clone(),
            items: ITEMS,
            swing,
            rng: rng.clone(),
        };
        (DelayedFeedback::new(items, delay), truth.clone())
    })
}

fn all_claims(runs: u64, steps: u64, mut told: impl FnMut(&str, Claims)) {
    let worlds = |k| {
        [
            ("equal", in_line(k, 0.0)),
            ("barely", in_line(k, -0.004)),
            ("cycle", cycle(k)),
        ]
    };
    for bandit in ["adaptive", "adaptive:assume=none", "adaptive:epsilon=0.001"] {
        let setups = [3, 5].map(|k| (k, remembering(bandit, (k, steps), |_| (0..ITEMS).collect())));
        for (k, setup) in setups {
            for (name, truth) in worlds(k) {
                for (swing, delay) in [(0.0, 0), (0.15, 0), (0.15, 12)] {
                    let found = claims(&setup, &truth, swing, delay, runs);
                    let what = format!("{bandit}, {name}, k = {k}, swing {swing}, delay {delay}");
                    told(&what, found);
                }
            }
        }
    }
}

#[test]
fn claims_are_true_as_often_as_they_say_whatever_items_tell() {
    all_claims(40, 500, |what, found| found.assert_valid(what));
}

#[test]
#[ignore = "a thousand runs of every world take some minutes"]
fn claims_are_true_as_often_as_they_say_in_a_thousand_runs_whatever_items_tell() {
    let mut worst = 0;
    all_claims(1000, 2000, |what, found| {
        found.assert_valid_in_a_thousand(what);
        worst = worst.max(found.wrong);
    });
    say("MEASURED", &format!("at worst {worst} of 1000 are wrong"));
}

#[test]
fn where_items_tell_something_it_takes_fewer_answers_and_elsewhere_no_more() {
    // The first is best.
    let truth = Preferences::from_fn(6, |i, _| if i == 0 { 0.56 } else { 0.5 });
    let mean = |bandit: &str, swing| {
        let setup = remembering(bandit, (6, 20_000), |_| (0..ITEMS).collect());
        let found = claims(&setup, &truth, swing, 0, 150);
        found.assert_valid(bandit);
        assert!(found.made >= 145, "{bandit}: {found:?}");
        found.mean_annotations()
    };
    for (swing, most) in [(0.22, 0.92), (0.0, 1.1)] {
        let with = mean("adaptive", swing);
        let without = mean("adaptive:memory=false", swing);
        let what = format!("swing {swing}: {with} answers, {without} without");
        say("MEASURED", &what);
        assert!(with < most * without, "{what}");
    }
}

/// Few items, of which a person who is asked again says the same again: claims hold with what she said again and without.
fn few(items: u32, k: usize, runs: u64) -> Claims {
    let setup = remembering("adaptive", (k, 20_000), move |_| (0..items).collect());
    let truth = in_line(k, 0.0);
    Claims::of(&setup, runs, |rng| {
        let people = Items {
            people: truth.clone(),
            items,
            swing: 0.0,
            rng: rng.clone(),
        };
        (DeduplicatedFeedback::new(people), truth.clone())
    })
}

#[test]
fn few_items_make_no_more_wrong_claims_of_people_who_toss_coins() {
    for (items, k) in [(20, 3), (50, 4)] {
        few(items, k, 60).assert_valid(&format!("{items} items, k = {k}"));
    }
}

#[test]
#[ignore = "a thousand runs of every world take some minutes"]
fn few_items_make_no_more_wrong_claims_of_people_who_toss_coins_in_a_thousand_runs() {
    for (items, k) in [(10, 3), (20, 3), (50, 3), (20, 5), (50, 5), (100, 5)] {
        let found = few(items, k, 1000);
        found.assert_valid_in_a_thousand(&format!("{items} items, k = {k}"));
    }
}

/// That the other tests can fail.
#[test]
fn a_mean_over_other_items_than_those_drawn_would_make_false_claims() {
    // Items on which the first system is good are taken to be drawn five times as often.
    let times = |item: u32| if item & 1 == 0 { 5 } else { 1 };
    let taken: Vec<u32> = (0..ITEMS)
        .flat_map(|item| vec![item; times(item)])
        .collect();
    let setup = remembering("adaptive", (3, 3000), move |_| taken.clone());
    let found = claims(&setup, &in_line(3, 0.0), 0.2, 0, 40);
    assert!(found.wrong > 10, "{found:?}");
}
