//! Judgments drawn without replacement: what is claimed of all of them is true as often as it says, whatever
//! models predict and however late answers are, and takes fewer of them.

use super::{Claims, DELTA, Preferences};
use crate::support::say;
use std::sync::Arc as Shared;
use tiebreak::bandits::{BANDITS, Square};
use tiebreak::duel::{Arm, Outcome, Pair};
use tiebreak::evaluation::active::{Limits, Setup};
use tiebreak::evaluation::controls::{Controls, PairItemPredictor};
use tiebreak::evaluation::eligible::EligibleItems;
use tiebreak::evaluation::experiment::Experiment;
use tiebreak::evaluation::known::PriorKnowledge;
use tiebreak::feedback::comparisons::Comparisons;
use tiebreak::feedback::names::Names;
use tiebreak::registry::{Params, find_entry};
use tiebreak::rng::Seed;

/// All judgments of each pair, one an item: by how many more the lower system wins than loses, of so many.
#[derive(Debug, Clone, Copy)]
struct World {
    k: u16,
    judgments: i32,
    /// Of systems so far apart.
    ahead: fn(u16) -> i32,
}

/// Nobody is better.
const EVEN: fn(u16) -> i32 = |_| 0;

/// The last is best, by a single judgment.
const BARELY: fn(u16) -> i32 = |_| -1;

/// Nobody beats all others: neighbours are won, and those further on lost.
const CYCLE: fn(u16) -> i32 = |apart| if apart == 1 { 9 } else { -9 };

impl World {
    fn pairs(self) -> impl Iterator<Item = (u16, u16)> {
        (0..self.k).flat_map(move |i| (i + 1..self.k).map(move |j| (i, j)))
    }

    /// The outcome of the lower system of two so far apart on an item: wins first, then losses, one in five ties.
    fn outcome(self, apart: u16, item: i32) -> Outcome {
        let ahead = (self.ahead)(apart);
        let ties = self.judgments / 5;
        let ties = ties + (self.judgments - ties - ahead).rem_euclid(2);
        let decided = self.judgments - ties;
        match item {
            item if 2 * item < decided + ahead => Outcome::Win,
            item if item < decided => Outcome::Loss,
            _ => Outcome::Tie,
        }
    }

    fn comparisons(self) -> Comparisons {
        let rows = self.pairs().flat_map(|(i, j)| {
            let pair = Pair::new(Arm(i), Arm(j));
            (0..self.judgments).map(move |item| (item as u32, pair, self.outcome(j - i, item)))
        });
        comparisons(self.k, rows)
    }

    fn truth(self) -> Preferences {
        let p = |apart| 0.5 + f64::from((self.ahead)(apart)) / f64::from(2 * self.judgments);
        Preferences::from_fn(usize::from(self.k), |i, j| p((j - i) as u16))
    }
}

fn comparisons(k: u16, rows: impl Iterator<Item = (u32, Pair, Outcome)>) -> Comparisons {
    let names = Names {
        systems: (0..k).map(|i| format!("system {i}")).collect(),
        items: Vec::new(),
    };
    Comparisons::new(Shared::new(names), rows).unwrap()
}

/// What a model says of an item.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Model {
    /// Mostly what people say.
    Good,
    /// The opposite.
    Hostile,
    /// Whatever comes.
    Noise,
}

impl Model {
    fn says(self, world: World, pair: Pair, item: i32) -> f64 {
        let Pair { first, second } = pair;
        let number = (item as u64) << 32 | u64::from(first.0) << 16 | u64::from(second.0);
        let chance = Seed(5).stream("model", number).uniform();
        let score = world.outcome(second.0 - first.0, item).score();
        match self {
            Self::Good => 0.5 * score + 0.8 * (chance - 0.5),
            Self::Hostile => -Self::Good.says(world, pair, item),
            Self::Noise => 2.0 * chance - 1.0,
        }
    }
}

/// `adaptive` that is told of a stock of so many judgments of each pair, which are of so many items.
fn setup(bandit: &str, k: usize, controls: Option<Controls>, (stock, items): (i32, i32)) -> Setup {
    let (name, params) = Params::parse(bandit).unwrap();
    let limits = Limits::new(20_000, Some(20_000));
    let known = PriorKnowledge {
        confidence: Some(1.0 - DELTA),
        controls: controls.map(Shared::new),
        eligible: Some(EligibleItems::new(move |_| (0..items as u32).collect())),
        stock: Some(Square::from_fn(k, |i, j| {
            f64::from(i32::from(i != j) * stock)
        })),
        ..PriorKnowledge::default()
    };
    let entry = find_entry("bandit", BANDITS, &name).unwrap();
    let setup = Setup::new(entry, params, Arm::all(k).collect(), limits, Seed(23)).unwrap();
    setup.with(known).unwrap()
}

/// Runs of `adaptive` that are told of so many judgments of each pair.
fn claims(
    bandit: &str,
    world: World,
    models: &[Model],
    (runs, delay, stock): (u64, usize, i32),
) -> Claims {
    let k = usize::from(world.k);
    let all = || 0..world.judgments;
    let predicted = |model: Model| {
        let says = move |pair| all().map(move |item| (item as u32, model.says(world, pair, item)));
        Box::new(move |pair| says(pair).collect()) as PairItemPredictor<'_>
    };
    let predicted: Vec<PairItemPredictor<'_>> =
        models.iter().map(|&model| predicted(model)).collect();
    let drawn = |_| all().map(|item| item as u32).collect();
    let controls = (!models.is_empty()).then(|| Controls::new(k, &predicted, drawn));
    let (comparisons, truth) = (world.comparisons(), world.truth());
    let setup = setup(bandit, k, controls, (stock, world.judgments));
    let experiment = Experiment::new(setup, &comparisons, None, delay).unwrap();
    let mut claims = Claims::default();
    for trace in experiment.run_many(0..runs).unwrap() {
        claims.add(&trace, &truth);
    }
    claims
}

const BANDITS_OF_CLAIMS: [&str; 4] = [
    "adaptive",
    "adaptive:assume=none",
    "adaptive:epsilon=0.02",
    "adaptive:target=ranking",
];

fn all_claims(runs: u64, sizes: &[i32], mut told: impl FnMut(&str, Claims)) {
    use Model::{Good, Hostile, Noise};
    let models = [&[][..], &[Good], &[Hostile], &[Noise, Good]];
    for (name, ahead) in [("even", EVEN), ("barely", BARELY), ("cycle", CYCLE)] {
        for (&judgments, k) in sizes.iter().flat_map(|size| [(size, 2), (size, 4)]) {
            let world = World {
                k,
                judgments,
                ahead,
            };
            for (bandit, models) in BANDITS_OF_CLAIMS
                .into_iter()
                .flat_map(|bandit| models.map(|models| (bandit, models)))
            {
                for delay in [0, 12] {
                    let found = claims(bandit, world, models, (runs, delay, judgments));
                    let what = format!(
                        "{bandit}, {name}, k = {k}, {judgments} a pair, {models:?}, delay {delay}"
                    );
                    told(&what, found);
                }
            }
        }
    }
}

#[test]
fn claims_about_all_judgments_are_as_true_as_they_say() {
    let mut all = Claims::default();
    all_claims(12, &[60], |what, found| {
        found.assert_valid(what);
        all.runs += found.runs;
        all.wrong += found.wrong;
    });
    all.assert_valid("all of them together");
}

#[test]
#[ignore = "a thousand runs of every world take a quarter of an hour"]
fn claims_about_all_judgments_are_as_true_as_they_say_in_a_thousand_runs() {
    let (mut worst, mut all) = (0, 0);
    all_claims(1000, &[40], |what, found| {
        found.assert_valid_in_a_thousand(what);
        worst = worst.max(found.wrong);
        all += found.wrong;
    });
    say(
        "MEASURED",
        &format!("at worst {worst} of 1000 are wrong, {all} in all"),
    );
}

/// What makes the claims true is that the rest is known: with a smaller one it is not.
#[test]
fn a_stock_that_is_too_small_claims_what_is_not_so() {
    let world = World {
        k: 2,
        judgments: 200,
        ahead: EVEN,
    };
    let found = claims("adaptive", world, &[], (60, 0, 50));
    assert!(3 * found.wrong > found.runs, "{found:?}");
    let right = claims("adaptive", world, &[], (60, 0, 200));
    right.assert_valid("the whole stock");
}

/// Systems of which neither is better, since every answer is a coin's: one is ahead in the answers all the same. Claims
/// are true of the answers; of means they would be wrong in most runs.
#[test]
fn of_answers_by_chance_claims_are_about_the_answers_alone() {
    let mut found = Claims::default();
    for run in 0..400 {
        let mut coin = Seed(8).stream("coins", run);
        let rows = (0..41).map(|item| {
            let outcome = match coin.bernoulli(0.5) {
                true => Outcome::Win,
                false => Outcome::Loss,
            };
            (item, Pair::new(Arm(0), Arm(1)), outcome)
        });
        let comparisons = comparisons(2, rows);
        let p = comparisons.preferences().unwrap().get(Arm(0), Arm(1));
        let truth = Preferences::from_fn(2, |_, _| p);
        let setup = setup("adaptive", 2, None, (41, 41));
        let experiment = Experiment::new(setup, &comparisons, None, 0).unwrap();
        found.add(&experiment.run_one(run).unwrap(), &truth);
    }
    found.assert_valid("the answers");
    // An odd number of answers has no tie.
    assert!(found.made + found.wrong >= found.runs, "{found:?}");
}

/// All is known once all is drawn, and before that once the rest can change nothing.
#[test]
fn in_the_end_everything_is_certain() {
    for (ahead, bandit) in [(BARELY, "adaptive"), (BARELY, "adaptive:assume=none")] {
        let world = World {
            k: 3,
            judgments: 41,
            ahead,
        };
        let found = claims(bandit, world, &[], (20, 0, 41));
        assert_eq!((found.made, found.wrong), (20, 0), "{bandit}");
        assert!(found.mean_annotations() <= 123.0);
    }
    let even = World {
        k: 2,
        judgments: 40,
        ahead: EVEN,
    };
    let found = claims("adaptive", even, &[], (20, 0, 40));
    assert!(found.nobody >= 18, "{found:?}");
}
