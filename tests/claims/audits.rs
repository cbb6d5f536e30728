//! A model that answers and people who audit it now and then: whatever the model is worth, what is
//! claimed of people is true as often as it says.

use super::{Claims, Preferences, outcome, setup};
use std::sync::Arc;
use tiebreak::duel::{Arm, AuditWeighting, Outcome, Pair, Prediction};
use tiebreak::error::Result;
use tiebreak::feedback::names::Names;
use tiebreak::feedback::recollected::DeduplicatedFeedback;
use tiebreak::feedback::{DuelAnswer, FeedbackSource, PairQuestion, Reply, Sample};
use tiebreak::model_based::thresholds::Thresholds;
use tiebreak::model_based::{AssistedFeedback, Audits, PairPredictions, Policy};
use tiebreak::rng::{Rng, Seed};

/// What the model says of a comparison.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Model {
    /// What a person would say with this probability, else the opposite.
    Right(f64),
    /// That the system of the lower number loses, whatever it is compared with.
    Biased,
    /// The opposite of what a person would say.
    Adversarial,
}

struct Audited {
    people: Preferences,
    model: Model,
    /// |q|.
    size: f64,
    /// π, half of it where the model says that the first wins.
    probability: f64,
    /// What a person would say of the question at hand.
    answer: Outcome,
    weighing: AuditWeighting,
    rng: Rng,
}

impl Audited {
    fn new(people: &Preferences, model: Model, (size, probability): (f64, f64), rng: &Rng) -> Self {
        Self {
            people: people.clone(),
            model,
            size,
            probability,
            answer: Outcome::Tie,
            weighing: AuditWeighting::NONE,
            rng: rng.clone(),
        }
    }

    fn says(&mut self, pair: Pair) -> Outcome {
        match self.model {
            Model::Right(share) if self.rng.bernoulli(share) => self.answer,
            Model::Right(_) | Model::Adversarial => self.answer.flipped(),
            Model::Biased if pair.first < pair.second => Outcome::Loss,
            Model::Biased => Outcome::Win,
        }
    }
}

impl FeedbackSource for Audited {
    fn draw(&mut self, pair: Pair, rng: &mut Rng) -> Result<Sample> {
        self.answer = outcome(self.people.get(pair.first, pair.second), rng.uniform());
        let said = self.says(pair);
        let unsure = if said == Outcome::Win { 0.5 } else { 1.0 };
        self.weighing = AuditWeighting {
            q: self.size * said.score(),
            probability: self.probability * unsure,
        };
        Ok(Sample::item(0))
    }

    fn reach(&mut self) -> Result<Option<f64>> {
        let extreme = AuditWeighting {
            q: self.size,
            probability: self.probability / 2.0,
        };
        Ok(Some(extreme.reach()))
    }

    fn weighing(&mut self, _question: &PairQuestion) -> Result<Option<AuditWeighting>> {
        Ok(Some(self.weighing))
    }

    fn ask(&mut self, question: PairQuestion) -> Result<Reply> {
        let audited = self.rng.bernoulli(self.weighing.probability);
        Ok(Reply::Answer(match audited {
            true => DuelAnswer::human(question, self.answer),
            false => DuelAnswer::model(question, Outcome::Tie),
        }))
    }
}

/// Each system a little better than the next.
fn in_line(k: usize, step: f64) -> Preferences {
    Preferences::from_fn(k, |i, j| 0.5 + step * (j as f64 - i as f64))
}

fn claims(
    people: &Preferences,
    model: Model,
    (size, probability): (f64, f64),
    (runs, steps): (u64, u64),
) -> Claims {
    let setup = setup("adaptive", people.k, steps);
    Claims::of(&setup, runs, |rng| {
        let source = Audited::new(people, model, (size, probability), rng);
        (source, people.clone())
    })
}

fn assert_true_as_often_as_said(runs: u64, steps: u64, systems: &[usize]) {
    let models = [
        Model::Right(0.6),
        Model::Right(0.9),
        Model::Biased,
        Model::Adversarial,
    ];
    for model in models {
        for audits in [(1.0, 0.2), (0.5, 0.5)] {
            for (&k, step) in systems.iter().flat_map(|k| [(k, 0.0), (k, 0.005)]) {
                let found = claims(&in_line(k, step), model, audits, (runs, steps));
                found.assert_valid(&format!("{model:?}, {audits:?}, k = {k}, step {step}"));
            }
        }
    }
}

#[test]
fn audited_claims_are_true_as_often_as_they_say_whatever_the_model_is() {
    assert_true_as_often_as_said(40, 600, &[2, 4]);
}

#[test]
#[ignore = "a thousand runs of every model take some minutes"]
fn audited_claims_are_true_as_often_as_they_say_in_a_thousand_runs() {
    assert_true_as_often_as_said(1000, 1500, &[2, 3, 5]);
}

#[test]
fn a_good_model_saves_annotations_and_a_bad_one_cannot_lead_astray() {
    let clear = in_line(3, 0.1);
    let alone = Claims::of_matrix("adaptive", &clear, (60, 5000));
    let good = claims(&clear, Model::Right(0.9), (0.8, 0.3), (60, 5000));
    let bad = claims(&clear, Model::Biased, (0.8, 0.3), (60, 5000));
    for (what, found) in [("alone", alone), ("good", good), ("bad", bad)] {
        found.assert_valid(what);
        assert!(found.made >= 57, "{what}: {found:?}");
    }
    let annotations = [alone, good, bad].map(|found| found.mean_annotations());
    assert!(annotations[1] < 0.9 * annotations[0], "{annotations:?}");
}

/// One person's answers about two systems, given once and for all: whether the first is preferred, by item.
struct Answers(Vec<bool>);

impl FeedbackSource for Answers {
    fn draw(&mut self, _: Pair, rng: &mut Rng) -> Result<Sample> {
        Ok(Sample::item(rng.below(self.0.len()) as u32))
    }

    fn ask(&mut self, question: PairQuestion) -> Result<Reply> {
        let is_first =
            self.0[question.sample.item as usize] == (question.duel.pair.first == Arm(0));
        let outcome = if is_first {
            Outcome::Win
        } else {
            Outcome::Loss
        };
        Ok(Reply::Answer(DuelAnswer::human(question, outcome)))
    }
}

/// Claims about few items are claims about the answers to these, which chance may have made uneven, and about the people
/// who tossed a coin for them, too.
#[test]
fn a_mix_with_a_biased_judge_claims_rightly_about_few_items() {
    for items in [20, 40] {
        a_mix_claims_rightly(items);
    }
}

fn a_mix_claims_rightly(items: usize) {
    let biased = Prediction {
        p: 0.85,
        uncertainty: None,
    };
    let pair = Pair::new(Arm(0), Arm(1));
    let rows = (0..items as u32).map(|item| (item, pair, biased));
    let names = Arc::new(Names::numbered(2));
    let predictions = PairPredictions::new(names, rows, Thresholds::default()).unwrap();
    for (world, is_even) in [("even", true), ("tossed", false), ("coin", false)] {
        let setup = setup("adaptive", 2, 3000);
        let found = Claims::of(&setup, 1000, |rng| {
            let mut wins: Vec<bool> = match is_even {
                true => (0..items).map(|item| item % 2 == 0).collect(),
                false => (0..items).map(|_| rng.bernoulli(0.5)).collect(),
            };
            rng.shuffle(&mut wins);
            let share = match world {
                "coin" => 0.5,
                _ => wins.iter().filter(|won| **won).count() as f64 / items as f64,
            };
            let people = DeduplicatedFeedback::new(Answers(wins));
            let audits = Audits::new("0.1".parse().unwrap(), Seed(rng.next_u64()), 0);
            let policy = Policy::Mixing { share: 0.5 };
            let source = AssistedFeedback::new(people, &predictions, policy, rng.clone());
            let truth = Preferences::from_fn(2, |_, _| share);
            (source.audited(Some(audits)), truth)
        });
        found.assert_valid_in_a_thousand(&format!("{world}, {items} items"));
    }
}
