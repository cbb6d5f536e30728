//! Signs of careless answering: planted ones are found, honest people are left alone.

use tiebreak::annotators::QuestionAnswer;
use tiebreak::annotators::checks::agreement::agreement;
use tiebreak::annotators::checks::copies::copies;
use tiebreak::annotators::checks::runs::runs;
use tiebreak::annotators::checks::sides::{can_be_told, sides};
use tiebreak::annotators::checks::speed::{reading_length, speed};
use tiebreak::annotators::checks::{AnnotatorCheckResult, Check, CheckedAnswer};
use tiebreak::annotators::outliers::{reach, traits};
use tiebreak::annotators::standing::AnnotatorProfile;
use tiebreak::duel::Arm;
use tiebreak::rng::{Rng, Seed};
use tiebreak::stats::holm;

/// The levels that `tiebreak annotators` works at.
const STANDING: f64 = 0.03;
const CHECKS: f64 = 0.01;
/// Anybody may be named in so many data sets of honest people.
const NAMED: f64 = STANDING + CHECKS;

/// How people answer, and what.
#[derive(Clone, Copy)]
struct Plan {
    people: usize,
    items: usize,
    systems: usize,
    /// Two outputs compared, or each judged from one to five.
    compared: bool,
    /// Of how many people each question is asked.
    overlap: usize,
    /// The share of questions on which nobody doubts.
    easy: f64,
    order: Order,
}

#[derive(Clone, Copy)]
enum Order {
    Shuffled,
    ByItem,
    BySystem,
}

/// Everything people said.
#[derive(Default, Clone)]
struct Said {
    questions: Vec<Vec<QuestionAnswer>>,
    /// The item of each question.
    units: Vec<usize>,
    rows: Vec<Vec<CheckedAnswer>>,
    /// By annotator the question of each row, and the place of the answer in it.
    places: Vec<Vec<[usize; 2]>>,
}

/// A person: skill, leaning towards higher answers or the tie, and pace.
struct Person {
    noise: f64,
    bias: f64,
    pace: f64,
}

fn person(rng: &mut Rng) -> Person {
    Person {
        noise: 0.8 * (0.25 * rng.normal()).exp(),
        bias: 0.2 * rng.normal(),
        pace: (0.5 * rng.normal()).exp(),
    }
}

/// Honest answers of honest people.
fn said(plan: &Plan, rng: &mut Rng) -> Said {
    let people: Vec<Person> = (0..plan.people).map(|_| person(rng)).collect();
    let quality: Vec<f64> = (0..plan.systems).map(|_| 0.7 * rng.normal()).collect();
    let mut asked: Vec<(usize, [usize; 2])> = Vec::new();
    for item in 0..plan.items {
        for a in 0..plan.systems {
            match plan.compared {
                false => asked.push((item, [a; 2])),
                true => asked.extend((a + 1..plan.systems).map(|b| (item, [a, b]))),
            }
        }
    }
    match plan.order {
        Order::Shuffled => rng.shuffle(&mut asked),
        Order::ByItem => {}
        Order::BySystem => asked.sort_by_key(|&(item, systems)| (systems, item)),
    }
    let mut said = Said {
        rows: vec![Vec::new(); plan.people],
        places: vec![Vec::new(); plan.people],
        ..Said::default()
    };
    let ease: Vec<f64> = (0..plan.items).map(|_| 0.5 * rng.normal()).collect();
    for (item, [a, b]) in asked {
        let easy = rng.bernoulli(plan.easy);
        let text = 80.0 + 120.0 * rng.uniform();
        let worth = match plan.compared {
            true => quality[a] - quality[b] + rng.normal(),
            false => quality[a] + ease[item] + 0.5 * rng.normal(),
        };
        let mut order: Vec<usize> = (0..plan.people).collect();
        rng.shuffle(&mut order);
        let mut chosen = order[..plan.overlap.min(plan.people)].to_vec();
        chosen.sort_unstable();
        let mut answers = Vec::new();
        for who in chosen {
            let Person { noise, bias, pace } = people[who];
            let felt = if easy {
                worth.signum() * 9.0
            } else {
                worth + noise * rng.normal()
            };
            let (value, systems, row_value) = match plan.compared {
                true => {
                    let turned = rng.bernoulli(0.5);
                    let value = f64::from(u8::from(felt > 0.0));
                    match turned {
                        true => (value, [b, a], 1.0 - value),
                        false => (value, [a, b], value),
                    }
                }
                false => {
                    let value = (3.0 + felt + bias).round().clamp(1.0, 5.0);
                    (value, [a; 2], value)
                }
            };
            let seconds = 12.0 * pace * (0.6 * rng.normal()).exp() + text / 40.0;
            said.places[who].push([said.questions.len(), answers.len()]);
            said.rows[who].push(CheckedAnswer {
                value: row_value,
                systems: systems.map(Arm::from),
                item: item as u32,
                unit: item as u32,
                seconds: Some(seconds),
                to_read: Some(text as u32),
            });
            answers.push(QuestionAnswer {
                annotator: Some(who),
                value,
            });
        }
        said.questions.push(answers);
        said.units.push(item);
    }
    said
}

impl Said {
    /// Changes one answer, as the row has it.
    fn answer(&mut self, who: usize, at: usize, value: f64) {
        let [question, place] = self.places[who][at];
        let row = &mut self.rows[who][at];
        row.value = value;
        let turned = row.systems[0] > row.systems[1];
        self.questions[question][place].value = if turned { 1.0 - value } else { value };
    }

    /// What the checks find, all tests together.
    fn found(&self) -> Vec<AnnotatorCheckResult> {
        let mut all = copies(&self.questions, &self.units);
        all.extend(runs(&self.rows));
        all.extend(sides(&self.rows));
        all.extend(speed(&self.rows));
        let people = self.rows.len();
        let copied = all
            .iter()
            .any(|one| one.check == Check::Copies && one.p < CHECKS);
        let reach = reach(people, STANDING / traits(!self.is_compared()) as f64);
        if !copied || reach.is_some_and(|reach| reach <= 25.0) {
            all.extend(agreement(&self.questions, &self.units, people));
        }
        let p_values: Vec<f64> = all.iter().map(|one| one.p).collect();
        let rejected = holm::rejected(&p_values, CHECKS);
        let found = all.into_iter().zip(rejected);
        found.filter(|one| one.1).map(|one| one.0).collect()
    }

    fn is_compared(&self) -> bool {
        self.rows.iter().flatten().any(CheckedAnswer::is_comparison)
    }

    fn anybody_stands_out(&self) -> bool {
        let (people, scale) = (self.rows.len(), !self.is_compared());
        let standings = match scale {
            true => AnnotatorProfile::on_a_scale(&self.questions, &self.units, people),
            false => AnnotatorProfile::among_categories(&self.questions, &self.units, people),
        };
        let level = STANDING / traits(scale) as f64;
        !AnnotatorProfile::outliers(&standings, scale, level)
            .concat()
            .is_empty()
    }

    fn names(&self, check: Check, who: usize, other: Option<usize>) -> bool {
        let found = self.found();
        let named = |one: &AnnotatorCheckResult| {
            (one.check, one.annotator, one.other) == (check, who, other)
        };
        found.iter().any(named) && found.iter().all(|one| one.annotator == who)
    }
}

const PLAN: Plan = Plan {
    people: 6,
    items: 60,
    systems: 4,
    compared: false,
    overlap: 3,
    easy: 0.1,
    order: Order::ByItem,
};

/// Worlds of honest people: few and many, easy and hard, in any order of rows.
fn plans() -> Vec<Plan> {
    let mut plans = Vec::new();
    for compared in [false, true] {
        for order in [Order::Shuffled, Order::ByItem, Order::BySystem] {
            for (people, overlap, easy) in [
                (2, 2, 0.0),
                (3, 3, 0.1),
                (3, 3, 0.97),
                (8, 3, 0.3),
                (12, 1, 0.1),
            ] {
                plans.push(Plan {
                    people,
                    compared,
                    overlap,
                    easy,
                    order,
                    ..PLAN
                });
            }
        }
    }
    plans
}

/// So many runs of every world: at most 4 % of them may name anybody, the checks in at most 1 %.
fn honest(runs: u64) {
    named_rarely(&plans(), runs, |plan, number| {
        said(plan, &mut Seed(6).stream("honest", number))
    });
}

/// Asserts how often honest people are named in so many data sets of each plan.
fn named_rarely<P>(plans: &[P], runs: u64, said: impl Fn(&P, u64) -> Said) {
    let (mut named, mut checked) = (0, 0);
    for (number, plan) in (0..).zip(plans) {
        for run in 0..runs {
            let said = said(plan, number * runs + run);
            let found = !said.found().is_empty();
            checked += usize::from(found);
            named += usize::from(found || said.anybody_stands_out());
        }
    }
    let runs = plans.len() as f64 * runs as f64;
    let most = |level: f64| (level * runs + 2.6 * (level * (1.0 - level) * runs).sqrt()) as usize;
    assert!(checked <= most(CHECKS), "{checked} of {runs}");
    assert!(named <= most(NAMED), "{named} of {runs}");
}

#[test]
fn honest_people_are_rarely_named() {
    honest(15);
}

#[test]
#[ignore = "minutes"]
fn honest_people_are_rarely_named_in_many_runs() {
    honest(500);
}

/// In how many of `RUNS` worlds a planted fault is found, and nothing else.
fn power(
    plan: Plan,
    plant: impl Fn(&mut Said, &mut Rng) -> (Check, usize, Option<usize>),
) -> usize {
    (0..RUNS)
        .filter(|&run| {
            let rng = &mut Seed(7).stream("planted", run);
            let mut said = said(&plan, rng);
            let (check, who, other) = plant(&mut said, rng);
            said.names(check, who, other)
        })
        .count()
}

const RUNS: u64 = 20;
/// Nearly all of them.
const MOST: usize = 18;

/// The second gives the first's answers wherever both were asked.
fn copy(said: &mut Said, _: &mut Rng) -> (Check, usize, Option<usize>) {
    for question in 0..said.questions.len() {
        let of = |who: usize| {
            said.places[who]
                .iter()
                .position(|place| place[0] == question)
        };
        if let (Some(first), Some(second)) = (of(0), of(1)) {
            let [one, other] = [said.rows[0][first], said.rows[1][second]];
            let same = one.systems == other.systems;
            said.answer(1, second, if same { one.value } else { 1.0 - one.value });
        }
    }
    (Check::Copies, 0, Some(1))
}

#[test]
fn copies_are_found_among_two_three_and_many() {
    // Two alone differ from nobody else, and need more items.
    for (compared, people, overlap, items) in [
        (false, 2, 2, 200),
        (false, 3, 3, 60),
        (true, 3, 3, 60),
        (true, 10, 8, 80),
    ] {
        let plan = Plan {
            people,
            items,
            compared,
            overlap,
            ..PLAN
        };
        let found = power(plan, copy);
        assert!(found >= MOST, "{compared} {people}: {found}");
    }
}

#[test]
fn few_or_trivial_shared_questions_are_no_copies() {
    let five = said(
        &Plan {
            items: 5,
            systems: 1,
            people: 3,
            overlap: 3,
            easy: 1.0,
            ..PLAN
        },
        &mut Seed(8).stream("test", 0),
    );
    assert!(
        copies(&five.questions, &five.units).is_empty(),
        "too few to be tested"
    );
    // A thousand questions on which nobody doubts: all are the same, and nobody is a copy.
    let trivial = Plan {
        items: 500,
        systems: 2,
        people: 3,
        overlap: 3,
        easy: 1.0,
        ..PLAN
    };
    let trivial = said(&trivial, &mut Seed(8).stream("test", 1));
    let tested = copies(&trivial.questions, &trivial.units);
    assert!(
        tested.iter().all(|one| one.found == one.of && one.p == 1.0),
        "{tested:?}"
    );
}

#[test]
fn one_answer_in_a_row_is_found() {
    for (compared, from, to) in [
        (false, 0, 200),
        (false, 40, 90),
        // Whoever gives one answer throughout is found by its side.
        (true, 0, 150),
        (true, 60, 140),
    ] {
        let plan = Plan {
            compared,
            easy: 0.0,
            items: 100,
            people: 8,
            overlap: 4,
            order: Order::Shuffled,
            ..PLAN
        };
        let found = power(plan, |said, _| {
            (from..to.min(said.rows[2].len()))
                .for_each(|at| said.answer(2, at, if compared { 1.0 } else { 4.0 }));
            (Check::Runs, 2, None)
        });
        assert!(found >= MOST, "{compared} {from} to {to}: {found}");
    }
}

/// One answer throughout is a sign where others vary, and where all hardly vary it has no small probability.
#[test]
fn one_answer_throughout_is_unlikely_only_where_others_vary() {
    let plan = Plan {
        systems: 1,
        order: Order::Shuffled,
        ..PLAN
    };
    let varied = power(plan, |said, _| {
        (0..said.rows[2].len()).for_each(|at| said.answer(2, at, 4.0));
        (Check::Runs, 2, None)
    });
    assert!(varied < MOST, "30 answers are too few: {varied}");
    let (mut people, mut unlikely) = (0, 0);
    for run in 0..200 {
        let rng = &mut Seed(16).stream("constant", run);
        // Some give other answers a fifth as often as others do.
        let rows = (0..6).map(|who| {
            let rate = 0.1 * if who < 3 { 0.2 } else { 1.0 };
            let row = |item: u32| CheckedAnswer {
                value: if rng.bernoulli(rate) { 4.0 } else { 5.0 },
                systems: [Arm(0); 2],
                item,
                unit: item,
                seconds: None,
                to_read: None,
            };
            (0..30).map(row).collect::<Vec<_>>()
        });
        let tested = runs(&rows.collect::<Vec<_>>());
        people += tested.len();
        let is_unlikely = |one: &&AnnotatorCheckResult| one.found == one.of && one.p < 0.1;
        unlikely += tested.iter().filter(is_unlikely).count();
    }
    assert!(10 * unlikely <= people, "{unlikely} of {people}");
}

#[test]
fn a_side_is_found_where_systems_change_sides() {
    let plan = Plan {
        compared: true,
        people: 5,
        ..PLAN
    };
    let lean = |said: &mut Said, rng: &mut Rng| {
        for at in 0..said.rows[1].len() {
            if rng.bernoulli(0.4) {
                said.answer(1, at, 1.0);
            }
        }
        (Check::Side, 1, None)
    };
    assert!(power(plan, lean) >= MOST, "{}", power(plan, lean));
    // Named in one order only, a side is a system.
    let mut fixed = said(&plan, &mut Seed(9).stream("test", 0));
    for row in fixed.rows.iter_mut().flatten() {
        row.systems.sort_unstable();
        row.value = 1.0;
    }
    assert!(!can_be_told(&fixed.rows) && sides(&fixed.rows).is_empty());
}

#[test]
fn clicking_through_is_found() {
    for characters in [true, false] {
        let hurry = |said: &mut Said, rng: &mut Rng| {
            for row in &mut said.rows[0] {
                row.seconds = Some(0.5 + 0.5 * rng.uniform());
            }
            if !characters {
                said.rows
                    .iter_mut()
                    .flatten()
                    .for_each(|row| row.to_read = None);
            }
            (Check::Speed, 0, None)
        };
        let found = power(PLAN, hurry);
        assert!(found >= MOST, "{characters}: {found}");
    }
}

#[test]
fn one_of_three_who_guesses_agrees_little_with_the_others() {
    let plan = Plan {
        people: 3,
        overlap: 3,
        easy: 0.5,
        ..PLAN
    };
    let guess = |said: &mut Said, rng: &mut Rng| {
        for at in 0..said.rows[2].len() {
            said.answer(2, at, 1.0 + rng.below(5) as f64);
        }
        (Check::Agreement, 2, None)
    };
    assert!(power(plan, guess) >= MOST, "{}", power(plan, guess));
}

/// Six to nine are too few for outliers. One of them takes the scale, or the question, the wrong way round.
#[test]
fn who_takes_a_scale_the_wrong_way_round_is_found() {
    for (people, overlap, compared) in [(6, 3, false), (8, 8, false), (8, 8, true), (9, 3, false)] {
        let plan = Plan {
            people,
            overlap,
            compared,
            items: 40 * people / overlap,
            ..PLAN
        };
        let found = power(plan, |said, _| {
            for at in 0..said.rows[4].len() {
                let value = said.rows[4][at].value;
                said.answer(4, at, if compared { 1.0 - value } else { 6.0 - value });
            }
            (Check::Agreement, 4, None)
        });
        assert!(found >= MOST, "{people} {compared}: {found}");
    }
}

/// Eight who rate 40 items, among whom somebody may be named in one of twenty data sets.
#[test]
fn one_of_eight_who_inverts_the_scale_of_40_items_is_named() {
    let plan = Plan {
        people: 8,
        overlap: 8,
        items: 40,
        systems: 1,
        ..PLAN
    };
    let named = |number: u64, is_inverted: bool| {
        let mut said = said(&plan, &mut Seed(14).stream("inverted", number));
        for at in (0..40).filter(|_| is_inverted) {
            let value = said.rows[0][at].value;
            said.answer(0, at, 6.0 - value);
        }
        let tested = agreement(&said.questions, &said.units, plan.people);
        let p_values: Vec<f64> = tested.iter().map(|one| one.p).collect();
        let named = tested.iter().zip(holm::rejected(&p_values, 0.05));
        let named = named.filter(|one| one.1).map(|one| one.0.annotator);
        named.collect::<Vec<_>>()
    };
    let found = (0..500).filter(|&run| named(run, true) == [0]).count();
    let accused = (0..500)
        .filter(|&run| !named(run, false).is_empty())
        .count();
    assert!(found > 400 && accused <= 25, "{found} {accused}");
}

/// Faults so rare that one item decides whether somebody agrees name nobody.
#[test]
fn who_misses_a_rare_fault_is_not_named() {
    let named = (0..400).filter(|&run| {
        let rng = &mut Seed(15).stream("faults", run);
        let question = |rng: &mut Rng| {
            let faulty = rng.bernoulli(0.04);
            let answer = |annotator| QuestionAnswer {
                annotator: Some(annotator),
                value: f64::from(u8::from(rng.bernoulli(if faulty { 0.7 } else { 0.01 }))),
            };
            (0..3).map(answer).collect::<Vec<_>>()
        };
        let questions: Vec<Vec<QuestionAnswer>> = (0..100).map(|_| question(rng)).collect();
        let units: Vec<usize> = (0..100).collect();
        let tested = agreement(&questions, &units, 3);
        tested.iter().any(|one| one.p < CHECKS / 9.0)
    });
    let named = named.count();
    assert!(named <= 8, "{named}");
}

#[test]
fn three_cannot_tell_who_stands_out_and_twenty_can() {
    assert_eq!(reach(1, 0.05), None);
    let far = |annotators| reach(annotators, STANDING / 3.0).unwrap();
    assert!(far(3) > 300.0 && far(20) < 5.5, "{} {}", far(3), far(20));
    assert!((3..40).all(|annotators| far(annotators) > far(annotators + 1)));
}

/// Rankings of five of ten systems, each written as ten pairs: of how many people, and how many rankings.
#[derive(Clone, Copy)]
struct RankingPlan {
    people: usize,
    items: usize,
    /// How many people rank each item.
    overlap: usize,
    shuffled: bool,
}

/// Honest rankings, as WMT has them: a ranking's rows name the systems in the order in which they were shown.
fn ranked(plan: &RankingPlan, rng: &mut Rng) -> Said {
    let people: Vec<Person> = (0..plan.people).map(|_| person(rng)).collect();
    let quality: Vec<f64> = (0..10).map(|_| 0.7 * rng.normal()).collect();
    let mut said = Said {
        rows: vec![Vec::new(); plan.people],
        places: vec![Vec::new(); plan.people],
        ..Said::default()
    };
    for item in 0..plan.items {
        let worth: Vec<f64> = quality.iter().map(|of| of + rng.normal()).collect();
        let mut chosen: Vec<usize> = (0..plan.people).collect();
        rng.shuffle(&mut chosen);
        chosen.truncate(plan.overlap);
        chosen.sort_unstable();
        let mut shown: Vec<usize> = (0..10).collect();
        rng.shuffle(&mut shown);
        let first = said.questions.len();
        let mut numbers: Vec<[usize; 2]> = Vec::new();
        for who in chosen {
            rng.shuffle(&mut shown[..5]);
            let Person { noise, pace, .. } = people[who];
            let felt: Vec<f64> = worth.iter().map(|of| of + noise * rng.normal()).collect();
            let seconds = 6.0 * pace * (0.6 * rng.normal()).exp() + 3.0;
            for (at, &a) in shown[..5].iter().enumerate() {
                for &b in &shown[at + 1..5] {
                    let difference = felt[a] - felt[b];
                    let value = match difference.abs() < 0.5 {
                        true => 0.5,
                        false => f64::from(u8::from(difference > 0.0)),
                    };
                    let pair = [a.min(b), a.max(b)];
                    let number = numbers.iter().position(|one| *one == pair);
                    let number = number.unwrap_or_else(|| {
                        numbers.push(pair);
                        said.questions.push(Vec::new());
                        said.units.push(item);
                        numbers.len() - 1
                    });
                    let answers = &mut said.questions[first + number];
                    said.places[who].push([first + number, answers.len()]);
                    answers.push(QuestionAnswer {
                        annotator: Some(who),
                        value: if a < b { value } else { 1.0 - value },
                    });
                    said.rows[who].push(CheckedAnswer {
                        value,
                        systems: [a, b].map(Arm::from),
                        item: item as u32,
                        unit: item as u32,
                        seconds: Some(seconds),
                        to_read: Some(90),
                    });
                }
            }
        }
    }
    if plan.shuffled {
        for (rows, places) in said.rows.iter_mut().zip(&mut said.places) {
            let mut order: Vec<usize> = (0..rows.len()).collect();
            rng.shuffle(&mut order);
            *rows = order.iter().map(|&at| rows[at]).collect();
            *places = order.iter().map(|&at| places[at]).collect();
        }
    }
    said
}

/// Few people and many, rows in order and shuffled, alone and overlapping.
fn ranking_plans() -> Vec<RankingPlan> {
    let mut plans = Vec::new();
    for (people, items) in [(8, 200), (30, 450)] {
        for overlap in [1, 3] {
            for shuffled in [false, true] {
                plans.push(RankingPlan {
                    people,
                    items: if overlap == 1 { 2 * items } else { items },
                    overlap,
                    shuffled,
                });
            }
        }
    }
    plans
}

/// The share of the data sets in which honest people who rank are named, for each plan.
fn named_of_honest_rankings(runs: u64) {
    named_rarely(&ranking_plans(), runs, |plan, number| {
        ranked(plan, &mut Seed(10).stream("rankings", number))
    });
}

#[test]
fn honest_people_who_rank_are_rarely_named() {
    named_of_honest_rankings(10);
}

#[test]
#[ignore = "minutes"]
fn honest_people_who_rank_are_rarely_named_in_many_runs() {
    named_of_honest_rankings(200);
}

/// In how many of `RUNS` data sets of rankings a planted fault is found, and nothing else.
fn power_in_rankings(
    people: usize,
    plant: impl Fn(&mut Said, &mut Rng) -> (Check, usize, Option<usize>),
) -> usize {
    let plan = RankingPlan {
        people,
        items: 25 * people,
        overlap: 2,
        shuffled: false,
    };
    let found = (0..RUNS).filter(|&run| {
        let rng = &mut Seed(11).stream("rankings", run);
        let mut said = ranked(&plan, rng);
        let (check, who, other) = plant(&mut said, rng);
        said.names(check, who, other)
    });
    found.count()
}

#[test]
fn careless_rankings_are_found() {
    for people in [8, 30] {
        let side = power_in_rankings(people, |said, rng| {
            for at in 0..said.rows[1].len() {
                if rng.bernoulli(0.5) {
                    said.answer(1, at, 1.0);
                }
            }
            (Check::Side, 1, None)
        });
        let hurry = power_in_rankings(people, |said, rng| {
            for row in &mut said.rows[1] {
                row.seconds = Some(0.2 + 0.2 * rng.uniform());
            }
            (Check::Speed, 1, None)
        });
        assert!(side >= MOST && hurry >= MOST, "{people}: {side} {hurry}");
    }
    // Two of three who rank everything: one has the other's ranking wherever both saw the same pairs.
    let plan = RankingPlan {
        people: 3,
        items: 60,
        overlap: 3,
        shuffled: false,
    };
    let found = (0..RUNS).filter(|&run| {
        let mut said = ranked(&plan, &mut Seed(12).stream("rankings", run));
        let (check, who, other) = copy(&mut said, &mut Seed(12).stream("copy", run));
        said.names(check, who, other)
    });
    let found = found.count();
    assert!(found >= MOST, "{found}");
}

/// Everybody clicks through, in a third of a second a text: no one is left to compare with.
#[test]
fn all_who_click_through_are_found() {
    for constant in [false, true] {
        let mut said = ranked(&ranking_plans()[0], &mut Seed(13).stream("test", 0));
        let rng = &mut Seed(13).stream("test", 1);
        for row in said.rows.iter_mut().flatten() {
            let noise = if constant { 0.0 } else { 0.1 * rng.uniform() };
            row.seconds = Some(0.3 + noise);
        }
        let found = said.found();
        let fast = found.iter().filter(|one| one.check == Check::Speed);
        assert_eq!(fast.count(), said.rows.len(), "{found:?}");
        assert!(
            !said
                .rows
                .iter()
                .any(|rows| CheckedAnswer::are_batched(rows))
        );
    }
    // Whole seconds, and pages of answers that were sent together, are the clock's.
    let mut said = ranked(&ranking_plans()[0], &mut Seed(13).stream("test", 0));
    for row in said.rows.iter_mut().flatten() {
        row.seconds = Some(0.0);
    }
    assert!(
        said.rows
            .iter()
            .all(|rows| CheckedAnswer::are_batched(rows))
    );
    for row in said.rows.iter_mut().flatten() {
        row.seconds = Some(0.1 * f64::from(1 + row.item / 50));
    }
    assert!(
        said.rows
            .iter()
            .all(|rows| CheckedAnswer::are_batched(rows))
    );
}

#[test]
fn characters_of_dense_scripts_take_longer() {
    assert_eq!(reading_length("Grüße, мир"), 10);
    assert_eq!(reading_length("世界"), 6);
    assert_eq!(reading_length("かなカナ"), 8);
    assert_eq!(reading_length("한글"), 4);
    // Thirty Han characters are ninety Latin ones.
    let row = |text: &str, seconds| CheckedAnswer {
        value: 1.0,
        systems: [Arm(0); 2],
        item: 0,
        unit: 0,
        seconds: Some(seconds),
        to_read: Some(reading_length(text)),
    };
    let tested = |text: &str, seconds: f64| {
        let rows = (0..30).map(|unit| CheckedAnswer {
            unit,
            ..row(text, seconds)
        });
        speed(&[rows.collect::<Vec<_>>()])[0].found
    };
    assert_eq!(tested(&"世".repeat(30), 1.2), 30);
    assert_eq!(tested(&"a".repeat(30), 1.2), 0);
    assert_eq!(tested(&"a".repeat(30), 0.6), 30);
}
