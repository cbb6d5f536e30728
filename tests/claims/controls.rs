//! Predictions of items taken off the answers: whatever they are worth, what is claimed is true as often as
//! it says, and good ones save answers.

use super::{Claims, DELTA, Preferences, outcome};
use std::sync::Arc as Shared;
use tiebreak::bandits::{BANDITS, Square};
use tiebreak::duel::{Arm, Pair};
use tiebreak::error::Result;
use tiebreak::evaluation::active::{Limits, Setup};
use tiebreak::evaluation::controls::{Controls, PairItemPredictor};
use tiebreak::evaluation::known::PriorKnowledge;
use tiebreak::feedback::{DuelAnswer, FeedbackSource, PairQuestion, Reply, Sample};
use tiebreak::registry::{Params, find_entry};
use tiebreak::rng::{Rng, Seed};

/// Items, an even number.
const ITEMS: u32 = 60;

/// By how much more or less than on average the lower system is preferred on an item.
const SWING: f64 = 0.35;

/// Which side an item is on; as many are on one as on the other.
fn side(item: u32) -> f64 {
    match item < ITEMS / 2 {
        true => 1.0,
        false => -1.0,
    }
}

/// People who prefer one system on half of the items, and the other on the rest.
#[derive(Debug, Clone)]
struct Divided {
    people: Preferences,
    rng: Rng,
}

impl FeedbackSource for Divided {
    fn draw(&mut self, _pair: Pair, rng: &mut Rng) -> Result<Sample> {
        Ok(Sample::item(rng.below(ITEMS as usize) as u32))
    }

    fn ask(&mut self, question: PairQuestion) -> Result<Reply> {
        let Pair { first, second } = question.duel.pair;
        let lower = if first < second { 1.0 } else { -1.0 };
        let swing = lower * SWING * side(question.sample.item);
        let outcome = outcome(self.people.get(first, second) + swing, self.rng.uniform());
        Ok(Reply::Answer(DuelAnswer::human(question, outcome)))
    }
}

/// What a model says of the lower system of a pair.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Model {
    /// Which side an item is on, and how sure it is differs.
    Good,
    /// The opposite.
    Hostile,
    /// Whatever comes.
    Noise,
    /// That it wins, and the more so the higher the number of the item.
    Favours,
}

impl Model {
    fn says(self, pair: Pair, item: u32) -> f64 {
        let number =
            u64::from(item) << 32 | u64::from(pair.first.0) << 16 | u64::from(pair.second.0);
        let chance = Seed(5).stream("model", number).uniform();
        match self {
            Self::Good => side(item) * (0.4 + 0.5 * chance),
            Self::Hostile => -Self::Good.says(pair, item),
            Self::Noise => 2.0 * chance - 1.0,
            Self::Favours => f64::from(item) / f64::from(ITEMS),
        }
    }
}

/// A run that starts from what models say; each item is taken to be drawn so many times.
fn controlled(
    bandit: &str,
    (k, steps): (usize, u64),
    models: &[Model],
    times: impl Fn(u32) -> usize,
) -> Setup {
    let (name, params) = Params::parse(bandit).unwrap();
    let limits = Limits::new(steps, Some(steps));
    let predicted = |model: Model| {
        let says = move |pair| {
            (0..ITEMS)
                .map(|item| (item, model.says(pair, item)))
                .collect()
        };
        Box::new(says) as PairItemPredictor<'_>
    };
    let predicted: Vec<PairItemPredictor<'_>> =
        models.iter().map(|&model| predicted(model)).collect();
    let drawn = |_| {
        (0..ITEMS)
            .flat_map(|item| vec![item; times(item)])
            .collect()
    };
    let margin = |i: usize, j: usize| {
        let pair = Pair::new(Arm::from(i.min(j)), Arm::from(i.max(j)));
        let all = (0..ITEMS)
            .map(|item| models[0].says(pair, item))
            .sum::<f64>();
        let margin = all / f64::from(ITEMS) / 2.0;
        match i.cmp(&j) {
            std::cmp::Ordering::Less => margin,
            std::cmp::Ordering::Equal => 0.0,
            std::cmp::Ordering::Greater => -margin,
        }
    };
    let known = PriorKnowledge {
        confidence: Some(1.0 - DELTA),
        margins: vec![Square::from_fn(k, margin)],
        controls: Some(Shared::new(Controls::new(k, &predicted, drawn))),
        ..PriorKnowledge::default()
    };
    let entry = find_entry("bandit", BANDITS, &name).unwrap();
    let setup = Setup::new(entry, params, Arm::all(k).collect(), limits, Seed(23)).unwrap();
    setup.with(known).unwrap()
}

fn in_line(k: usize, step: f64) -> Preferences {
    Preferences::from_fn(k, |i, j| 0.5 + step * (j as f64 - i as f64))
}

fn claims(setup: &Setup, truth: &Preferences, runs: u64) -> Claims {
    Claims::of(setup, runs, |rng| {
        let (people, rng) = (truth.clone(), rng.clone());
        (Divided { people, rng }, truth.clone())
    })
}

fn assert_true_as_often_as_said(runs: u64, steps: u64, systems: &[usize]) {
    use Model::{Favours, Good, Hostile, Noise};
    for models in [
        &[Good][..],
        &[Hostile],
        &[Noise],
        &[Favours],
        &[Favours, Good, Noise],
    ] {
        for bandit in ["adaptive", "adaptive:assume=none", "adaptive:epsilon=0.001"] {
            for (&k, step) in systems.iter().flat_map(|k| [(k, 0.0), (k, -0.004)]) {
                let setup = controlled(bandit, (k, steps), models, |_| 1);
                let what = format!("{bandit}, {models:?}, k = {k}, step {step}");
                claims(&setup, &in_line(k, step), runs).assert_valid(&what);
            }
        }
    }
}

#[test]
fn claims_are_true_as_often_as_they_say_whatever_the_predictions_are() {
    assert_true_as_often_as_said(40, 500, &[2, 4]);
}

#[test]
#[ignore = "a thousand runs of every model take some minutes"]
fn claims_are_true_as_often_as_they_say_in_a_thousand_runs_whatever_the_predictions_are() {
    assert_true_as_often_as_said(1000, 1500, &[2, 4]);
}

#[test]
fn predictions_that_tell_items_apart_save_answers_and_others_cost_next_to_none() {
    let truth = in_line(3, 0.06);
    let mean = |bandit: &str, model| {
        let setup = controlled(bandit, (3, 6000), &[model], |_| 1);
        let found = claims(&setup, &truth, 60);
        found.assert_valid(bandit);
        assert!(found.made >= 57, "{bandit}: {found:?}");
        found.mean_annotations()
    };
    let without = mean("adaptive:controls=false", Model::Good);
    let good = mean("adaptive", Model::Good);
    let hostile = mean("adaptive", Model::Hostile);
    // Half of the variance of an answer is in the items.
    assert!(good < 0.75 * without, "{good}, not {without}");
    assert!(hostile < 0.75 * without, "{hostile}, not {without}");
    let noise = mean("adaptive", Model::Noise);
    let ignored = mean("adaptive:controls=false", Model::Noise);
    assert!(noise < 1.2 * ignored, "{noise}, not {ignored}");
}

/// That the other tests can fail.
#[test]
fn a_mean_over_other_items_than_those_drawn_would_make_false_claims() {
    let setup = controlled("adaptive", (2, 1500), &[Model::Good], |item| {
        1 + 4 * usize::from(item < ITEMS / 2)
    });
    let found = claims(&setup, &in_line(2, 0.0), 40);
    assert!(found.wrong > 10, "{found:?}");
}
