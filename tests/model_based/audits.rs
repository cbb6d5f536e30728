//! Runs whose model is audited: what they claim is true of people, whatever the model is worth, and a
//! model that is worth something saves answers.

use std::sync::Arc;
use tiebreak::bandits::BANDITS;
use tiebreak::duel::{Arm, Outcome, Pair, Prediction, Uncertainty, Verdict};
use tiebreak::error::Result;
use tiebreak::estimators::margins::Reading;
use tiebreak::evaluation::active::{Limits, RunTrace, Setup, Stop};
use tiebreak::evaluation::known::PriorKnowledge;
use tiebreak::feedback::delayed::DelayedFeedback;
use tiebreak::feedback::names::Names;
use tiebreak::feedback::{DuelAnswer, FeedbackSource, PairQuestion, Reply, Sample};
use tiebreak::model_based::audits::Rate;
use tiebreak::model_based::thresholds::Thresholds;
use tiebreak::model_based::{
    AdvisedPolicy, AssistedFeedback, Audits, PairPredictions, Policy, Selection, UncertaintyMeasure,
};
use tiebreak::registry::{Params, find_entry};
use tiebreak::rng::{Rng, Seed};

const ITEMS: usize = 1000;

/// People who give the same answer whenever they are asked about a pair on an item.
#[derive(Clone)]
struct People {
    k: usize,
    /// At (i·K + j)·ITEMS + item for i < j: whether i is preferred.
    wins: Vec<bool>,
}

impl People {
    /// A system is preferred to the next one on a share `p` of the items, to the one after that on as
    /// many more.
    fn new(k: usize, p: f64) -> Self {
        let mut wins = vec![false; k * k * ITEMS];
        for (i, j) in pairs(k) {
            let share = 0.5 + (p - 0.5) * (j - i) as f64;
            let won = (share * ITEMS as f64).round() as usize;
            let mut items: Vec<bool> = (0..ITEMS).map(|item| item < won).collect();
            let mut rng = Seed(9).stream("items", (i * k + j) as u64);
            rng.shuffle(&mut items);
            wins[(i * k + j) * ITEMS..][..ITEMS].copy_from_slice(&items);
        }
        Self { k, wins }
    }

    fn prefer_first(&self, pair: Pair, item: u32) -> bool {
        let (i, j) = pair.indices();
        let lower = self.wins[(i.min(j) * self.k + i.max(j)) * ITEMS + item as usize];
        lower == (i < j)
    }
}

impl FeedbackSource for People {
    fn draw(&mut self, _: Pair, rng: &mut Rng) -> Result<Sample> {
        Ok(Sample::item(rng.below(ITEMS) as u32))
    }

    fn ask(&mut self, question: PairQuestion) -> Result<Reply> {
        let outcome = match self.prefer_first(question.duel.pair, question.sample.item) {
            true => Outcome::Win,
            false => Outcome::Loss,
        };
        Ok(Reply::Answer(DuelAnswer::human(question, outcome)))
    }
}

fn pairs(k: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..k).flat_map(move |i| (i + 1..k).map(move |j| (i, j)))
}

/// What a model says.
#[derive(Debug, Clone, Copy)]
enum Model {
    /// It is right with this probability.
    Right(f64),
    /// So too, and else it says that the first system of all loses.
    AgainstTheBest(f64),
    /// It is always wrong.
    Wrong,
    /// It is sure on every other item and then right in 95 of 100; on the others it guesses, and says so.
    Knowing,
}

/// Predictions that are unsure of every fourth item.
fn predictions(people: &People, model: Model) -> PairPredictions {
    let mut rng = Seed(5).stream("model", 0);
    let mut rows = Vec::new();
    for (i, j) in pairs(people.k) {
        for item in 0..ITEMS as u32 {
            let pair = Pair::new(Arm::from(i), Arm::from(j));
            let wins = people.prefer_first(pair, item);
            let says = match model {
                Model::Right(accuracy) => wins == rng.bernoulli(accuracy),
                Model::AgainstTheBest(accuracy) if rng.bernoulli(accuracy) => wins,
                Model::AgainstTheBest(_) => i != 0,
                Model::Wrong => !wins,
                Model::Knowing => wins == rng.bernoulli(if item % 2 == 0 { 0.95 } else { 0.5 }),
            };
            let sure = match model {
                Model::Knowing if item % 2 == 0 => 0.95,
                Model::Knowing => 0.51,
                _ => 0.85,
            };
            let mean = if says { sure } else { 1.0 - sure };
            let std = if item % 4 == 0 { 0.2 } else { 0.01 };
            let uncertainty = Some(Uncertainty {
                mean,
                bald: std,
                std,
            });
            rows.push((
                item,
                pair,
                Prediction {
                    p: mean,
                    uncertainty,
                },
            ));
        }
    }
    let names = Arc::new(Names::numbered(people.k));
    PairPredictions::new(names, rows, Thresholds::default()).unwrap()
}

/// Whose audits are one in ten.
const MIXING: Policy = Policy::Mixing { share: 0.8 };

/// Whose audits are one in two: people answer every fourth question anyway, so that fewer would leave most
/// of the evidence to few of them.
const SELECTION: Policy = Policy::Selection(Selection {
    by: UncertaintyMeasure::Std,
    threshold: 0.1,
});

fn rate(text: &str) -> Rate {
    text.parse().unwrap()
}

/// A study of some people and a model.
struct Study {
    people: People,
    predictions: PairPredictions,
    /// Without a policy people answer everything.
    policy: Option<Policy>,
    audit: Rate,
    delay: usize,
    budget: u64,
}

impl Study {
    fn new(people: &People, model: Model, policy: Option<Policy>, budget: u64) -> Self {
        Self {
            people: people.clone(),
            predictions: predictions(people, model),
            policy,
            audit: rate(if policy == Some(SELECTION) {
                "0.5"
            } else {
                "0.1"
            }),
            delay: 0,
            budget,
        }
    }

    fn run(&self, run: u64, note: &mut dyn FnMut(Reading)) -> RunTrace {
        let entry = find_entry("bandit", BANDITS, "adaptive").unwrap();
        let seed = Seed(77);
        let known = PriorKnowledge {
            confidence: Some(0.95),
            ..PriorKnowledge::default()
        };
        let limits = Limits::new(self.budget, Some(20 * self.budget));
        let arms = Arm::all(self.people.k).collect();
        let setup = Setup::new(entry, Params::default(), arms, limits, seed).unwrap();
        let setup = setup.with(known).unwrap();
        let mut people = DelayedFeedback::new(self.people.clone(), self.delay);
        let Some(policy) = self.policy else {
            return setup.play_noting(run, &mut people, note).unwrap();
        };
        let audits = Audits::new(self.audit, seed, run);
        let mixing = seed.stream("mixing", run);
        let mut assisted =
            AssistedFeedback::new(people, &self.predictions, policy, mixing).audited(Some(audits));
        setup.play_noting(run, &mut assisted, note).unwrap()
    }

    /// In how many of some runs a winner was announced and was not the first system, the only one that
    /// may be; how many runs claimed anything; and the annotations of all.
    fn claims(&self, runs: u64, there_is_a_winner: bool) -> (u64, u64, u64) {
        let (mut wrong, mut claims, mut annotations) = (0, 0, 0);
        for run in 0..runs {
            let trace = self.run(run, &mut |_| {});
            annotations += trace.annotations;
            if let Verdict::Winner { arm, .. } = trace.verdict {
                claims += 1;
                wrong += u64::from(!there_is_a_winner || arm != Arm(0));
            }
        }
        (wrong, claims, annotations)
    }
}

const MODELS: [Model; 5] = [
    Model::Right(0.6),
    Model::Right(0.9),
    Model::AgainstTheBest(0.6),
    Model::Wrong,
    Model::Knowing,
];

/// No more than δ of so many runs, with three standard errors.
fn most(runs: u64) -> u64 {
    let n = runs as f64;
    (0.05 * n + 3.0 * (0.0475 * n).sqrt()) as u64
}

fn wrong_claims_are_rare(runs: u64, budget: u64) {
    for (k, p) in [(2, 0.5), (2, 0.505), (4, 0.505)] {
        let people = People::new(k, p);
        for model in MODELS {
            for (policy, audit, delay) in [
                (MIXING, "0.1", 0),
                (MIXING, "neyman:0.1", 0),
                (SELECTION, "0.5", 0),
                (SELECTION, "0.5", 5),
                (SELECTION, "neyman:0.5", 5),
            ] {
                let mut study = Study::new(&people, model, Some(policy), budget);
                (study.audit, study.delay) = (rate(audit), delay);
                let (wrong, claims, _) = study.claims(runs, p > 0.5);
                let what = format!("{k} {p} {model:?} {policy:?} {audit} {delay}");
                assert!(wrong <= most(runs), "{what}: {wrong} of {claims}");
            }
        }
    }
}

#[test]
fn claims_are_true_of_people_whatever_the_model_says() {
    wrong_claims_are_rare(40, 150);
}

#[test]
#[ignore = "a thousand runs a path take half an hour"]
fn claims_are_true_of_people_in_a_thousand_runs() {
    wrong_claims_are_rare(1000, 600);
}

#[test]
fn a_good_model_saves_answers_and_a_bad_one_costs_few() {
    let people = People::new(3, 0.6);
    let mean = |model, policy| {
        let study = Study::new(&people, model, policy, 3000);
        let runs = 40;
        let (wrong, claims, annotations) = study.claims(runs, true);
        assert_eq!(claims, runs, "{model:?}");
        assert!(wrong <= most(runs), "{model:?}: {wrong}");
        annotations as f64 / runs as f64
    };
    let alone = mean(Model::Wrong, None);
    for (model, mixing, selection) in [
        (Model::Right(0.9), 0.8, 1.2),
        (Model::Right(0.6), 1.25, 1.4),
        (Model::AgainstTheBest(0.6), 1.25, 1.4),
        (Model::Wrong, 0.8, 1.2), // believed the other way round
    ] {
        for (policy, at_most) in [(MIXING, mixing), (SELECTION, selection)] {
            let share = mean(model, Some(policy)) / alone;
            assert!(share < at_most, "{model:?} {policy:?}: {share}");
        }
    }
}

#[test]
#[ignore = "a study: prints a table"]
#[expect(clippy::print_stdout, reason = "its table is what it is for")]
fn table_of_allocations() {
    for (k, p) in [(2, 0.55), (4, 0.6)] {
        let people = People::new(k, p);
        for model in MODELS {
            for audit in ["0.1", "neyman:0.1", "0.2", "neyman:0.2"] {
                let policy = Policy::Mixing { share: 1.0 };
                let mut study = Study::new(&people, model, Some(policy), 5000);
                study.audit = rate(audit);
                let (wrong, claims, annotations) = study.claims(200, true);
                let mean = annotations as f64 / 200.0;
                println!("{k} {p} {model:?} {audit}: {mean:.0} answers, {wrong} of {claims} wrong");
            }
        }
    }
}

/// A model's answers counted like people's: why they are not.
#[test]
fn a_biased_model_would_decide_who_is_best() {
    struct Passed<F>(F);
    impl<F: FeedbackSource> FeedbackSource for Passed<F> {
        fn inner(&mut self) -> Option<&mut dyn FeedbackSource> {
            Some(&mut self.0)
        }

        fn draw(&mut self, pair: Pair, rng: &mut Rng) -> Result<Sample> {
            self.0.draw(pair, rng)
        }

        fn ask(&mut self, question: PairQuestion) -> Result<Reply> {
            Ok(match self.0.ask(question)? {
                Reply::Answer(answer) => Reply::Answer(DuelAnswer::human(question, answer.outcome)),
                other => other,
            })
        }
    }
    let people = People::new(2, 0.505);
    let predictions = predictions(&people, Model::AgainstTheBest(0.6));
    let entry = find_entry("bandit", BANDITS, "adaptive").unwrap();
    let arms = Arm::all(2).collect();
    let setup = Setup::new(
        entry,
        Params::default(),
        arms,
        Limits::new(3000, None),
        Seed(77),
    );
    let known = PriorKnowledge {
        confidence: Some(0.95),
        ..PriorKnowledge::default()
    };
    let setup = setup.unwrap().with(known).unwrap();
    let wrong = (0..40).filter(|&run| {
        let mixing = Seed(77).stream("mixing", run);
        let assisted = AssistedFeedback::new(people.clone(), &predictions, MIXING, mixing);
        let trace = setup.play(run, &mut Passed(assisted)).unwrap();
        trace.stop == Stop::Certificate && trace.winner() == Some(Arm(1))
    });
    assert!(wrong.count() > 30);
}

#[test]
fn audits_are_the_same_whatever_else_is_run_and_every_question_is_weighed() {
    let people = People::new(3, 0.55);
    let study = Study::new(&people, Model::Right(0.8), Some(SELECTION), 300);
    let mut readings = Vec::new();
    let trace = study.run(3, &mut |one| readings.push(one));
    study.run(2, &mut |_| {});
    assert_eq!(trace, study.run(3, &mut |_| {}));
    for one in &readings {
        let sure = one.item % 4 != 0;
        assert_eq!(one.weighing.probability, if sure { 0.5 } else { 1.0 });
        assert!(one.weighing.q.abs() <= 0.5 && (sure || one.answer.is_some()));
    }
    let sure = || readings.iter().filter(|one| one.item % 4 != 0);
    let put = sure().filter(|one| one.answer.is_some()).count();
    let share = put as f64 / sure().count() as f64;
    assert!((0.4..0.6).contains(&share), "{share}");
    // Predictions are believed only once answers were compared with some.
    let q: Vec<f64> = sure().map(|one| one.weighing.q).collect();
    assert!(q[0] == 0.0 && q[q.len() - 1].abs() > 0.3);
}

/// The run begins again once the predictions have earned it, and may then claim something once more.
#[test]
fn a_selection_by_advice_goes_on_with_a_certificate() {
    let policy = Policy::Advised(AdvisedPolicy::Selection(UncertaintyMeasure::Std));
    let people = People::new(3, 0.56);
    let study = Study::new(&people, Model::Right(0.9), Some(policy), 3000);
    let runs = 20;
    let mut again = 0;
    for run in 0..runs {
        let trace = study.run(run, &mut |_| {});
        again += u64::from(trace.restarted_after.is_some());
        assert_eq!(trace.stop, Stop::Certificate);
    }
    assert!(again > runs / 2, "{again}");
    assert!(study.claims(runs, true).0 <= most(runs));
    let even = People::new(2, 0.5);
    let study = Study::new(&even, Model::Right(0.9), Some(policy), 300);
    let (wrong, ..) = study.claims(40, false);
    assert!(wrong <= most(40), "{wrong}");
}
