//! Whether intervals hold when nothing is asked for but an estimate: few judgments, skewed ones, ties,
//! metrics, annotators with habits; and what holding costs in width.

#![expect(clippy::print_stdout, reason = "tables for whoever runs it")]

use super::make;
use tiebreak::estimators::{
    Analysis, InferenceScope, Judgments, Population, Range, ScoredJudgment, Survey, analyse,
};
use tiebreak::rng::{Rng, Seed};
use tiebreak::scope::ItemScope;
use tiebreak::stats::normal;

/// How people judge.
#[derive(Debug, Clone, Copy, PartialEq)]
enum World {
    Clipped,
    Stars,
    Rare,
    Ties,
    Normal,
    LogNormal,
    /// A slider from 0 to 100 with the mean and deviation of most judgments, of which so many thousandths are about 0.
    Slider(f64, f64, u32),
    /// From 88 to 100, on a scale from 0.
    High,
    /// Log-normal up to 20.
    Skewed,
}

use World::{Clipped, High, LogNormal, Normal, Rare, Skewed, Slider, Stars, Ties};

/// The mean of a log-normal number cut at 20: √e Φ(ln 20 − 1) + 20 (1 − Φ(ln 20)).
const SKEWED_MEAN: f64 = 1.638_21;

impl World {
    /// The range that is known, if any.
    fn range(self) -> Option<Range> {
        let (lower, upper) = match self {
            Stars => (1.0, 5.0),
            Clipped | Rare | Ties => (0.0, 1.0),
            Slider(..) | High => (0.0, 100.0),
            Skewed => (0.0, 20.0),
            Normal | LogNormal => return None,
        };
        Some(Range::new(lower, upper).unwrap())
    }

    fn draw(self, rng: &mut Rng) -> f64 {
        let u = rng.uniform();
        match self {
            Clipped => (0.5 + 0.2 * rng.normal()).clamp(0.0, 1.0),
            Stars => [0.05, 0.15, 0.35, 0.75]
                .iter()
                .fold(1.0, |stars, &cut| if u > cut { stars + 1.0 } else { stars }),
            Rare => f64::from(u8::from(u < 0.05)),
            Ties if u < 0.92 => 0.8,
            Ties => rng.uniform(),
            Normal => rng.normal(),
            LogNormal => rng.normal().exp(),
            Slider(.., faults) if u < f64::from(faults) / 1000.0 => 5.0 * rng.uniform(),
            Slider(mean, deviation, _) => (mean + deviation * rng.normal()).clamp(0.0, 100.0),
            High => 88.0 + 12.0 * u,
            Skewed => rng.normal().exp().min(20.0),
        }
    }

    fn mean(self) -> f64 {
        match self {
            Clipped => 0.5,
            Stars => 0.05 + 0.2 + 0.6 + 1.6 + 1.25,
            Rare => 0.05,
            Ties => 0.92 * 0.8 + 0.08 * 0.5,
            Normal => 0.0,
            LogNormal => 0.5_f64.exp(),
            Slider(mean, deviation, faults) => {
                let share = f64::from(faults) / 1000.0;
                let z = (100.0 - mean) / deviation;
                let density = (-0.5 * z * z).exp() / std::f64::consts::TAU.sqrt();
                let cut = deviation * (density - z * (1.0 - normal::cdf(z)));
                (1.0 - share) * (mean - cut) + 2.5 * share
            }
            High => 94.0,
            Skewed => SKEWED_MEAN,
        }
    }

    /// How often an interval must hold the mean.
    fn least(self, n: u32) -> f64 {
        match (self, n) {
            (LogNormal, 10) => 0.9,
            (LogNormal, _) => 0.92,
            _ => 0.93,
        }
    }

    fn judge(self, n: u32, rng: &mut Rng) -> Judgments {
        let judged = (0..n).map(|item| ScoredJudgment::new(item, self.draw(rng), &[]));
        judged.collect()
    }

    fn measure(self, estimator: &str, n: u32, runs: u64) -> Measured {
        let survey = Survey {
            range: self.range(),
            ..Survey::new(Population::unscored(1_000_000))
        };
        Measured::of(runs, self.mean(), |run| {
            let judged = self.judge(n, &mut Seed(91).stream("run", run));
            told(estimator, &survey, &judged)
        })
    }
}

fn told(estimator: &str, survey: &Survey, judged: &Judgments) -> Analysis {
    let mut estimator = make(estimator, survey).unwrap();
    analyse(&mut *estimator, judged, 0.95, survey.range).unwrap()
}

/// What many intervals were like.
#[derive(Debug, Clone, Copy)]
struct Measured {
    runs: f64,
    /// The share that hold the truth; those that are not there hold nothing.
    covered: f64,
    /// Their mean width.
    width: f64,
    /// The share with a width of 0.
    points: f64,
}

impl Measured {
    fn of(runs: u64, truth: f64, told: impl Fn(u64) -> Analysis) -> Self {
        let (mut held, mut there, mut width, mut points) = (0.0, 0.0, 0.0, 0.0);
        for row in (0..runs).map(told) {
            let Some((lower, upper)) = row.lower.zip(row.upper) else {
                continue;
            };
            there += 1.0;
            width += upper - lower;
            points += f64::from(u8::from(upper == lower));
            let holds = lower <= truth + 1e-12 && truth <= upper + 1e-12;
            held += f64::from(u8::from(holds));
        }
        let runs = runs as f64;
        Self {
            runs,
            covered: held / runs,
            width: width / there,
            points: points / runs,
        }
    }

    /// Whether a share that is `least` could look like this: three standard errors.
    fn holds(&self, least: f64) -> bool {
        self.covered >= least - 3.0 * (least * (1.0 - least) / self.runs).sqrt()
    }
}

/// Numbers of judgments, each with so many samples: fewer of the larger ones.
fn sizes(runs: u64) -> [(u32, u64); 4] {
    [(10, runs), (30, runs), (100, runs), (1000, runs / 4)]
}

#[test]
fn the_mean_of_every_kind_of_judgments_is_held() {
    for world in [Clipped, Stars, Rare, Ties, Normal, LogNormal] {
        for (n, runs) in sizes(600) {
            let found = world.measure("mean", n, runs);
            let at = format!("{world:?}, {n} judgments: {found:?}");
            assert!(found.holds(world.least(n)), "{at}");
            assert_eq!(found.points, 0.0, "{at}");
        }
    }
}

#[test]
fn holding_costs_little_where_judgments_are_many_and_less_than_betting_where_they_are_few() {
    for world in [Clipped, Stars, Rare, Ties] {
        for n in [10, 30] {
            let [ours, betting] = ["mean", "betting"].map(|name| world.measure(name, n, 200).width);
            assert!(ours <= betting, "{world:?}, {n}: {ours} {betting}");
        }
    }
    for (world, most) in [(Clipped, 1.05), (Normal, 1.05), (Stars, 1.05), (Rare, 1.15)] {
        for n in [100, 1000] {
            let of = |name| world.measure(name, n, 100).width;
            let more = of("mean") / of("mean:interval=corrected");
            assert!(more <= most, "{world:?}, {n}: {more}");
        }
    }
}

/// The numbers of judgments from which the sample's own shape is trusted.
const ENOUGH: [u32; 4] = [30, 50, 100, 300];

/// With 2 % of faults, 13 % of samples of 100 show none, and their own shape says nothing of them.
#[test]
fn rare_faults_are_held_however_the_others_vary() {
    for deviation in [6.0, 1.0] {
        for faults in [2, 10, 20, 50, 80] {
            for n in ENOUGH {
                let found = Slider(85.0, deviation, faults).measure("mean", n, 2000);
                // Where little else varies, a share that is just too large to go unseen is missed in 7 % of samples.
                let least = if deviation > 1.0 { 0.94 } else { 0.93 };
                println!("faults {faults}, deviation {deviation}, {n}: {found:?}");
                assert!(found.holds(least), "{faults}, {deviation}, {n}: {found:?}");
            }
        }
    }
    for (n, least) in [(30, 0.93), (50, 0.94), (100, 0.94)] {
        let found = Skewed.measure("mean", n, 2000);
        println!("skewed, {n}: {found:?}");
        assert!(found.holds(least), "{n}: {found:?}");
    }
}

/// As wide as Student's t where the deviation is at least 1.34 D/√n, D the distance to the farther end.
#[test]
fn room_for_what_is_unseen_has_its_price() {
    let price = |world: World| {
        let of = |name| world.measure(name, 100, 400).width;
        of("mean") / of("mean:interval=normal")
    };
    for (world, wider) in [
        (Stars, 1.0),
        (Slider(80.0, 10.0, 0), 1.05),
        (Slider(85.0, 6.0, 0), 1.46),
        (High, 2.33),
    ] {
        let found = price(world);
        println!("{world:?}: {found:.3} times as wide");
        assert!((found - wider).abs() < 0.04, "{world:?}: {found}");
    }
    assert!(price(Slider(80.0, 1.34 * 80.0 / 10.0, 0)) < 1.055);
}

/// What is only almost equal makes no difference.
#[test]
fn equal_judgments_and_nearly_equal_ones_have_the_same_interval() {
    let survey = Survey {
        range: Slider(0.0, 0.0, 0).range(),
        ..Survey::new(Population::unscored(1000))
    };
    for faults in [0, 1, 5] {
        let judged = |jitter: f64| -> Analysis {
            let mut rng = Seed(98).stream("run", 0);
            let rows = (0..60).map(|item| {
                let y = if item < faults { 1.0 } else { 85.0 };
                ScoredJudgment::new(item, y + jitter * rng.uniform(), &[])
            });
            told("mean", &survey, &rows.collect())
        };
        let [equal, nearly] = [0.0, 1e-6].map(judged);
        let gap = |ends: fn(&Analysis) -> Option<f64>| {
            (ends(&equal).unwrap() - ends(&nearly).unwrap()).abs()
        };
        assert!(gap(|row| row.lower) < 1e-4 && gap(|row| row.upper) < 1e-4);
        assert!(equal.upper > equal.lower, "{equal:?}");
    }
}

/// Of these outputs only those that are not judged can hide anything.
#[test]
fn only_what_is_left_can_hide_faults() {
    let outputs: Vec<f64> = (0..150)
        .map(|at| {
            if at < 3 {
                1.0
            } else {
                85.0 + f64::from(at % 7)
            }
        })
        .collect();
    let truth = outputs.iter().sum::<f64>() / 150.0;
    let survey = Survey {
        range: Slider(0.0, 0.0, 0).range(),
        ..Survey::new(Population::unscored(150))
    };
    for n in [40, 100, 150] {
        let of = |estimator: &str| {
            Measured::of(1000, truth, |run| {
                let mut order: Vec<usize> = (0..150).collect();
                Seed(99).stream("run", run).shuffle(&mut order);
                let judged = order[..n]
                    .iter()
                    .map(|&item| ScoredJudgment::new(item as u32, outputs[item], &[]));
                told(estimator, &survey, &judged.collect())
            })
        };
        let [finite, all] = ["mean:population=finite", "mean"].map(of);
        println!("{n} of 150: {finite:?}, {all:?}");
        assert!(
            finite.holds(0.94) && finite.width < all.width,
            "{n}: {finite:?} {all:?}"
        );
    }
}

/// Coverage, and the width beside those of `betting` and of the usual interval, as the module of the rule
/// has it.
#[test]
#[ignore = "2,000 samples a cell: a minute"]
fn table_of_coverage_and_width() {
    for world in [Clipped, Stars, Rare, Ties, Normal, LogNormal] {
        for (n, runs) in sizes(2000).map(|(n, _)| (n, 2000)) {
            let of = |name| world.measure(name, n, runs);
            let (ours, usual) = (of("mean"), of("mean:interval=corrected"));
            let few = world.range().is_some() && n < 1000;
            let betting = few.then(|| of("betting").width / usual.width);
            println!(
                "{world:?} {n}: {:.3} (usual {:.3}); {:.3} times as wide, betting {betting:.3?}",
                ours.covered,
                usual.covered,
                ours.width / usual.width,
            );
            assert!(ours.covered >= world.least(n) && ours.points == 0.0);
        }
    }
}

/// Judgments of outputs with a metric that goes with them or does not, from a million of them.
fn with_metric(world: World, estimator: &str, noise: f64, n: u32, runs: u64) -> Measured {
    let mut rng = Seed(92).stream("outputs", 0);
    let outputs: Vec<(f64, f64)> = (0..4000)
        .map(|_| {
            let y = world.draw(&mut rng);
            (y, y + noise * rng.normal())
        })
        .collect();
    let truth = outputs.iter().map(|(y, _)| y).sum::<f64>() / outputs.len() as f64;
    let survey = Survey {
        range: world.range(),
        ..Survey::new(Population::from_scores(outputs.iter().map(|(_, g)| *g)))
    };
    Measured::of(runs, truth, |run| {
        let mut rng = Seed(93).stream("run", run);
        let judged = (0..n).map(|item| {
            let (y, g) = rng.choose(&outputs);
            let probability = Some(f64::from(n) / outputs.len() as f64);
            ScoredJudgment {
                probability,
                ..ScoredJudgment::new(item, *y, std::slice::from_ref(g))
            }
        });
        told(estimator, &survey, &judged.collect())
    })
}

#[test]
fn so_are_estimates_that_a_metric_corrects() {
    let estimators = [
        "control-variates",
        "regression",
        "guarded",
        "ppi++:clip=false",
        "stratified",
        "active",
    ];
    for world in [Clipped, Stars, Rare, Ties, Slider(85.0, 6.0, 20)] {
        for estimator in estimators {
            for noise in [0.2, 5.0] {
                for (n, runs) in [(10, 400), (30, 300), (100, 200)] {
                    let found = with_metric(world, estimator, noise, n, runs);
                    let at = format!("{estimator}, {world:?}, noise {noise}, {n}: {found:?}");
                    assert!(found.holds(0.93) && found.points == 0.0, "{at}");
                }
            }
        }
    }
}

/// A crew whose members have habits: an item's judgments are its quality, the habit of whoever judges,
/// and noise; every item is judged `each` times, by people in turn.
#[derive(Debug, Clone, Copy)]
struct Crew {
    people: u32,
    habits: f64,
    each: u32,
}

impl Crew {
    const TRUTH: f64 = 0.5;

    /// Judgments, and what these annotators would say on average.
    fn judge(self, items: u32, rng: &mut Rng) -> (Judgments, f64) {
        let habits: Vec<f64> = (0..self.people)
            .map(|_| self.habits * rng.normal())
            .collect();
        let mut judged = Judgments::new(0);
        for item in 0..items {
            let quality = Self::TRUTH + 0.1 * rng.normal();
            for repeat in 0..self.each {
                let annotator = (item + repeat) % self.people;
                let y = quality + habits[annotator as usize] + 0.05 * rng.normal();
                judged.push(ScoredJudgment {
                    annotator: Some(annotator),
                    ..ScoredJudgment::new(item, y, &[])
                });
            }
        }
        let own = judged.rows().filter_map(|one| one.annotator);
        let own: Vec<f64> = own.map(|who| habits[who as usize]).collect();
        let mean = own.iter().sum::<f64>() / own.len() as f64;
        (judged, Self::TRUTH + mean)
    }

    fn measure(self, estimator: &str, items: u32, runs: u64) -> Measured {
        let survey = Survey {
            range: Some(Range::new(-2.0, 3.0).unwrap()),
            ..Survey::new(Population::unscored(100_000))
        };
        // What is off by is the same for all truths.
        Measured::of(runs, 0.0, |run| {
            let (judged, truth) = self.judge(items, &mut Seed(94).stream("run", run));
            let row = told(estimator, &survey, &judged);
            Analysis {
                estimate: row.estimate.map(|value| value - truth),
                lower: row.lower.map(|end| end - truth),
                upper: row.upper.map(|end| end - truth),
                ..row
            }
        })
    }
}

/// From hardly any habits to habits that are all.
const CREWS: [(f64, u32); 4] = [(0.1, 1), (0.1, 3), (0.03, 1), (0.0, 2)];

/// However many they are, the estimate is about these annotators, and as sure of them as of one.
#[test]
fn annotators_with_habits_are_who_an_estimate_is_about() {
    for people in [2, 5, 20] {
        for (habits, each) in CREWS {
            let crew = Crew {
                people,
                habits,
                each,
            };
            for (items, runs) in [(40, 400), (100, 300)] {
                let found = crew.measure("mean", items, runs);
                assert!(found.holds(0.93), "{crew:?}, {items} items: {found:?}");
            }
        }
    }
    let told = |people: u32| {
        let crew = Crew {
            people,
            habits: 0.2,
            each: people,
        };
        let (judged, _) = crew.judge(40, &mut Seed(95).stream("run", 0));
        told("mean", &Survey::new(Population::unscored(1000)), &judged)
    };
    let width = |row: Analysis| row.upper.unwrap() - row.lower.unwrap();
    let [one, two, three] = [1, 2, 3].map(told);
    for (people, row) in [(1, one), (2, two), (3, three)] {
        assert_eq!(
            (row.over, row.annotators),
            (InferenceScope::TheseAnnotators, Some(people))
        );
    }
    assert!(width(three) < 1.2 * width(two), "{three:?} {two:?}");
}

#[test]
fn of_these_items_the_noise_of_judgments_is_left() {
    let mut rng = Seed(96).stream("outputs", 0);
    let outputs: Vec<f64> = (0..60).map(|_| rng.normal()).collect();
    let truth = outputs.iter().sum::<f64>() / 60.0;
    let survey = Survey::new(Population::unscored(60));
    let judge = |items: usize, run: u64| {
        let mut rng = Seed(97).stream("run", run);
        let mut order: Vec<usize> = (0..60).collect();
        rng.shuffle(&mut order);
        let each = order[..items].iter().flat_map(|&item| [item, item]);
        let judged: Judgments = each
            .map(|item| ScoredJudgment::new(item as u32, outputs[item] + rng.normal(), &[]))
            .collect();
        judged
    };
    for estimator in ["mean", "mean:interval=corrected"] {
        let joint = if estimator.contains(':') { ',' } else { ':' };
        let these = format!("{estimator}{joint}population=finite");
        let of_items = Survey {
            items: ItemScope::These,
            ..survey.clone()
        };
        for items in [40, 60] {
            let found = Measured::of(600, truth, |run| {
                told(estimator, &of_items, &judge(items, run))
            });
            assert!(
                found.holds(0.93) && found.covered < 0.98,
                "{estimator}, {items}: {found:?}"
            );
            let wide = Measured::of(50, truth, |run| told("mean", &survey, &judge(items, run)));
            assert!(found.width < wide.width, "{found:?} {wide:?}");
        }
        // Some outputs have eight answers, by chance.
        let uneven = |run: u64| {
            let mut rng = Seed(98).stream("uneven", run);
            let mut judged = judge(60, run);
            for item in (0..60)
                .filter(|_| rng.uniform() < 0.3)
                .collect::<Vec<u32>>()
            {
                let mut answer = || outputs[item as usize] + rng.normal();
                (0..6).for_each(|_| judged.push(ScoredJudgment::new(item, answer(), &[])));
            }
            told(estimator, &of_items, &judged)
        };
        let found = Measured::of(600, truth, uneven);
        assert!(found.holds(0.93), "{estimator}: {found:?}");
        let row = told(&these, &survey, &judge(60, 0));
        assert_eq!(
            (row.lower, row.over),
            (row.upper, InferenceScope::OutputsAtHand)
        );
        let row = told(estimator, &of_items, &judge(60, 0));
        assert_eq!(row.over, InferenceScope::TheseItems);
    }
}
