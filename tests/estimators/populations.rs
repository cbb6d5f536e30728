//! Whom estimates and differences are about: intervals hold for these annotators, and for new ones like them, however
//! outputs were dealt; one annotator more costs no claim.
//!
//! `TIEBREAK_POPULATION_RUNS` says how many data sets a cell has. With 1,000 the first line covers .946 to .968 (means)
//! and .941 to .976 (differences), the second .939 to .978; widths with one annotator more are 1.020 to 1.024 times as
//! large where outputs are drawn and 1.00 times where they are crossed; of four equal systems one is best in .1 %. With
//! 1,500 listed annotators are covered in .947 to .961 (means) and .938 to .986 (differences).

#![expect(clippy::print_stdout, reason = "numbers for whoever runs it")]

use super::{differences, make};
use tiebreak::estimators::{
    Analysis, AnalysisTerms, AnnotatorAllocation, Contender, EstimateDifference, Judgments,
    Population, Range, ScoredJudgment, Survey, analyse_with,
};
use tiebreak::rng::{Rng, Seed};

const CONFIDENCE: f64 = 0.95;

/// Standard deviations of what all judgments of an item share, of what those of an output share, and of each.
const ITEM: f64 = 0.6;
const OUTPUT: f64 = 0.4;
const NOISE: f64 = 0.6;

/// How outputs come to annotators.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Deal {
    /// Each output to one of them, at random.
    Drawn,
    /// Each item with all its outputs to two of them.
    Crossed,
    /// As drawn, but the first and the last give most judgments, each of other systems.
    Uneven,
    /// Drawn, but the first gives half of all.
    Half,
}

/// The standard normal's upper tail, to 1e-7 (Abramowitz and Stegun 7.1.26).
fn above(z: f64) -> f64 {
    let x = z.abs() / 2.0_f64.sqrt();
    let t = 1.0 / (1.0 + 0.327_591_1 * x);
    let terms = [
        1.061_405_429,
        -1.453_152_027,
        1.421_413_741,
        -0.284_496_736,
        0.254_829_592,
    ];
    let sum = terms.iter().fold(0.0, |sum, term| sum * t + term);
    let tail = 0.5 * sum * t * (-x * x).exp();
    if z < 0.0 { 1.0 - tail } else { tail }
}

/// People who judge, with their severities and tastes for systems.
pub(super) struct Crew {
    /// By annotator and system, what is added to a judgment.
    pub habits: Vec<Vec<f64>>,
    /// Whether judgments are rounded to stars from 1 to 5.
    stars: bool,
}

impl Crew {
    pub(super) fn new(people: usize, effects: &[f64], stars: bool, rng: &mut Rng) -> Self {
        let mut habit = || {
            let severity = 0.4 * rng.normal();
            let of_system = |effect: &f64| 3.0 + effect + severity + 0.25 * rng.normal();
            effects.iter().map(of_system).collect()
        };
        let habits = (0..people).map(|_| habit()).collect();
        Self { habits, stars }
    }

    pub(super) fn people(&self) -> usize {
        self.habits.len()
    }

    /// The mean of all judgments that an annotator would give to a system.
    fn mean(&self, annotator: usize, system: usize) -> f64 {
        let latent = self.habits[annotator][system];
        let spread = (ITEM * ITEM + OUTPUT * OUTPUT + NOISE * NOISE).sqrt();
        let above = |cut: f64| above((cut - latent) / spread);
        match self.stars {
            true => 1.0 + [1.5, 2.5, 3.5, 4.5].map(above).iter().sum::<f64>(),
            false => latent,
        }
    }

    fn annotator(&self, deal: Deal, system: usize, rng: &mut Rng) -> usize {
        let people = self.people();
        match deal {
            Deal::Uneven if rng.bernoulli(0.5) => system % 2 * (people - 1),
            Deal::Half if rng.bernoulli(0.5) => 0,
            _ => rng.below(people),
        }
    }

    /// Judgments of all systems on so many items.
    fn judge(&self, items: usize, deal: Deal, rng: &mut Rng) -> Vec<Judgments> {
        let each = if deal == Deal::Crossed { 2 } else { 1 };
        self.study(items, each, deal, rng)
    }

    /// The same with so many judgments of each output, by different annotators while there are enough.
    pub(super) fn study(
        &self,
        items: usize,
        repeats: usize,
        deal: Deal,
        rng: &mut Rng,
    ) -> Vec<Judgments> {
        let systems = self.habits[0].len();
        let mut all = vec![Judgments::new(0); systems];
        for item in 0..items {
            let difficulty = ITEM * rng.normal();
            for (system, judged) in all.iter_mut().enumerate() {
                let quality = difficulty + OUTPUT * rng.normal();
                let first = match deal {
                    Deal::Crossed => item,
                    _ => self.annotator(deal, system, rng),
                };
                for at in 0..repeats {
                    let annotator = (first + at) % self.people();
                    let y = self.habits[annotator][system] + quality + NOISE * rng.normal();
                    let y = if self.stars {
                        y.round().clamp(1.0, 5.0)
                    } else {
                        y
                    };
                    judged.push(ScoredJudgment {
                        annotator: Some(annotator as u32),
                        ..ScoredJudgment::new(item as u32, y, &[])
                    });
                }
            }
        }
        all
    }

    /// What these annotators would say of each system on average, each with the share of all judgments they gave; where
    /// they judged different systems, of a system's own judgments.
    fn truth(&self, judged: &[Judgments]) -> Vec<f64> {
        let apart = AnnotatorAllocation::new(judged).is_apart();
        let mean = |system: usize| {
            let of_system = std::slice::from_ref(&judged[system]);
            let all = if apart { of_system } else { judged };
            let each = all.iter().flat_map(Judgments::rows);
            let each = each.map(|one| self.mean(one.annotator.unwrap() as usize, system));
            let each: Vec<f64> = each.collect();
            each.iter().sum::<f64>() / each.len() as f64
        };
        (0..judged.len()).map(mean).collect()
    }
}

/// What is said of judged systems.
pub(super) fn estimate(
    judged: &[Judgments],
    range: Option<Range>,
) -> (Vec<Analysis>, Vec<EstimateDifference>) {
    estimate_as(&AnnotatorAllocation::new(judged), judged, range)
}

/// The same with a given allocation of judgments to annotators.
fn estimate_as(
    dealing: &AnnotatorAllocation,
    judged: &[Judgments],
    range: Option<Range>,
) -> (Vec<Analysis>, Vec<EstimateDifference>) {
    let survey = Survey {
        range,
        ..Survey::new(Population::unscored(1000))
    };
    let terms = AnalysisTerms {
        confidence: CONFIDENCE,
        range,
        weights: dealing.weights(),
    };
    let one = |(place, judged): (usize, &Judgments)| {
        let mut estimator = make("mean", &survey).unwrap();
        let row = analyse_with(estimator.as_mut(), judged, &terms).unwrap();
        (
            row,
            Contender::new(place, estimator.as_ref(), judged, &terms).unwrap(),
        )
    };
    let (rows, contenders): (Vec<_>, Vec<_>) = judged.iter().enumerate().map(one).unzip();
    let found = differences(&contenders, dealing, CONFIDENCE);
    (rows, found)
}

pub(super) fn runs(usual: u64) -> u64 {
    std::env::var("TIEBREAK_POPULATION_RUNS").map_or(usual, |runs| runs.parse().unwrap())
}

/// How many intervals there were, and how many held.
#[derive(Debug, Default)]
struct Held {
    all: f64,
    held: f64,
}

impl Held {
    fn add(&mut self, ends: Option<(f64, f64)>, truth: f64) {
        if let Some((lower, upper)) = ends {
            self.all += 1.0;
            self.held += f64::from(u8::from(lower <= truth && truth <= upper));
        }
    }

    fn share(&self) -> f64 {
        self.held / self.all
    }

    /// Whether so small a share is no more than chance where `least` are meant to hold.
    fn is_at_least(&self, least: f64) -> bool {
        self.share() >= least - 3.0 * (least * (1.0 - least) / self.all).sqrt()
    }
}

#[test]
fn the_first_line_holds_for_these_annotators_however_outputs_were_dealt() {
    for (stars, people, items) in [
        (false, 3, 30),
        (true, 3, 100),
        (false, 8, 100),
        (true, 2, 30),
        (false, 12, 300),
    ] {
        for deal in [Deal::Drawn, Deal::Crossed, Deal::Uneven] {
            let (mut means, mut pairs) = (Held::default(), Held::default());
            for run in 0..runs(250) {
                let mut rng = Seed(391).stream("run", run);
                let crew = Crew::new(people, &[0.0, 0.3], stars, &mut rng);
                let judged = crew.judge(items, deal, &mut rng);
                let truth = crew.truth(&judged);
                let (rows, found) = estimate(&judged, None);
                means.add(rows[0].lower.zip(rows[0].upper), truth[0]);
                pairs.add(found[0].interval, truth[0] - truth[1]);
            }
            println!(
                "{deal:?}, stars {stars}, {people} people, {items} items: means {:.3}, differences {:.3} of {}",
                means.share(),
                pairs.share(),
                pairs.all
            );
            assert!(
                means.is_at_least(0.94) && pairs.is_at_least(0.94),
                "{deal:?} {people} {items}"
            );
        }
    }
}

#[test]
fn listed_annotators_weigh_the_same_however_much_they_judged() {
    for (stars, people, items) in [(false, 3, 30), (true, 3, 100), (false, 5, 100)] {
        for deal in [Deal::Drawn, Deal::Uneven, Deal::Half] {
            let (mut means, mut pairs) = (Held::default(), Held::default());
            let listed: Vec<u32> = (0..people as u32).collect();
            for run in 0..runs(250) {
                let mut rng = Seed(395).stream("run", run);
                let crew = Crew::new(people, &[0.0, 0.3], stars, &mut rng);
                let judged = crew.judge(items, deal, &mut rng);
                let dealing = AnnotatorAllocation::of_listed(&judged, &listed);
                let (rows, found) = estimate_as(&dealing, &judged, None);
                if dealing.lacking().is_some_and(|lacking| !lacking.is_empty()) {
                    assert!(found[0].interval.is_none() && found[0].unshared.is_some());
                    continue;
                }
                let mean = |system: usize| {
                    let each = (0..people).map(|who| crew.mean(who, system));
                    each.sum::<f64>() / people as f64
                };
                let estimates = [0, 1].map(|system: usize| rows[system].estimate.unwrap());
                assert!((found[0].difference - (estimates[0] - estimates[1])).abs() < 1e-12);
                means.add(rows[0].lower.zip(rows[0].upper), mean(0));
                pairs.add(found[0].interval, mean(0) - mean(1));
            }
            println!(
                "listed, {deal:?}, stars {stars}, {people} people, {items} items: means {:.3}, differences {:.3} of {}",
                means.share(),
                pairs.share(),
                pairs.all
            );
            assert!(
                pairs.all > 0.7 * runs(250) as f64,
                "{deal:?} {people} {items}"
            );
            assert!(
                means.is_at_least(0.94) && pairs.is_at_least(0.94),
                "{deal:?} {people} {items}"
            );
        }
    }
}

#[test]
fn somebody_listed_who_has_not_judged_leaves_pairs_open() {
    let judged = |by: &[u32], step: usize| -> Judgments {
        let one = |(item, &who): (usize, &u32)| ScoredJudgment {
            annotator: Some(who),
            ..ScoredJudgment::new(item as u32, f64::from(who) + (step * item % 3) as f64, &[])
        };
        by.iter().enumerate().map(one).collect()
    };
    // The third annotator is listed and judged only the first two systems; the fourth left after one judgment.
    let both = [[0; 10], [1; 10], [2; 10]].concat();
    let judgments = [
        judged(&both, 1),
        judged(&[&both[..], &[3]].concat(), 2),
        judged(&both[..20], 1),
    ];
    let dealing = AnnotatorAllocation::of_listed(&judgments, &[0, 1, 2]);
    let (rows, found) = estimate_as(&dealing, &judgments, None);
    assert!(found[0].interval.is_some() && found[0].unshared.is_none());
    for pair in &found[1..] {
        let unshared = pair.unshared.unwrap();
        assert!(pair.interval.is_none() && !pair.significant);
        assert_eq!(
            (unshared.annotator, unshared.system, unshared.never),
            (Some(2), 2, true)
        );
    }
    let lacking = dealing.lacking().unwrap();
    assert_eq!(
        lacking.len(),
        1,
        "who left without enough of every system weighs nothing"
    );
    assert_eq!(dealing.left(), [vec![], vec![Some(3)]]);
    assert_eq!((rows[1].n, rows[1].annotators), (30, Some(3)));
    // Beside only one who is listed, too.
    let dealing_of_one = AnnotatorAllocation::of_listed(&judgments[..2], &[0]);
    assert_eq!(
        dealing_of_one.left(),
        [vec![Some(1), Some(2)], vec![Some(3)]]
    );
    let few = [
        judged(&[&[0; 10][..], &[3]].concat(), 1),
        judged(&[0; 10], 1),
    ];
    let dealing_of_one = AnnotatorAllocation::of_listed(&few, &[0]);
    let (by_one, _) = estimate_as(&dealing_of_one, &few, None);
    assert_eq!(by_one[0].estimate, by_one[1].estimate);
    // Nobody's mean moves with how often others answered.
    assert!((rows[0].estimate.unwrap() - 2.0).abs() < 0.2 && !dealing.requires_weights());
    let more = [[0; 60].as_slice(), &[1; 10], &[2; 10]].concat();
    let uneven = [judged(&more, 1), judged(&more, 2)];
    let dealing = AnnotatorAllocation::of_listed(&uneven, &[0, 1, 2]);
    let (rows, _) = estimate_as(&dealing, &uneven, None);
    assert!((rows[0].estimate.unwrap() - 2.0).abs() < 0.2, "{rows:?}");
    assert!(dealing.requires_weights());
    // With somebody who has no answers at all, or one, nothing is claimed of any pair; means are of the others.
    let one_more = [judged(&[&more[..], &[9]].concat(), 1), judged(&more, 2)];
    for (systems, who) in [(&uneven, 3), (&one_more, 9)] {
        let dealing = AnnotatorAllocation::of_listed(systems, &[0, 1, 2, who]);
        let (rows, found) = estimate_as(&dealing, systems, None);
        assert!(found[0].interval.is_none() && found[0].unshared.unwrap().annotator == Some(who));
        assert!((rows[0].estimate.unwrap() - 2.0).abs() < 0.2 && rows[0].n == 80);
        let apart = rows[0].estimate.unwrap() - rows[1].estimate.unwrap();
        assert!(
            (found[0].difference - apart).abs() < 1e-12,
            "means subtract"
        );
    }
}

/// Judgments that hardly vary within annotators say nothing sure, however much annotators differ from each other.
#[test]
fn strictness_is_no_variation_of_items() {
    let (people, items) = (3_u32, 60_u32);
    let range = Some(Range::new(1.0, 5.0).unwrap());
    let judged = |shift: f64, exceptions: u32, turn: u32| -> Judgments {
        let one = |item: u32| {
            let who = (item + turn) % people;
            let y = 1.0 + f64::from(who) + shift + f64::from(u8::from(item < exceptions));
            ScoredJudgment {
                annotator: Some(who),
                ..ScoredJudgment::new(item, y, &[])
            }
        };
        (0..items).map(one).collect()
    };
    let listed: Vec<u32> = (0..people).collect();
    for exceptions in [0, 2] {
        let systems = [judged(0.0, exceptions, 0), judged(1.0, 0, 1)];
        for dealing in [
            AnnotatorAllocation::new(&systems),
            AnnotatorAllocation::of_listed(&systems, &listed),
        ] {
            assert!(dealing.weights().is_some());
            let (_, open) = estimate_as(&dealing, &systems, None);
            assert!(exceptions > 0 || open[0].interval.is_none() && !open[0].significant);
            let (rows, found) = estimate_as(&dealing, &systems, range);
            let width = |ends: Option<(f64, f64)>| ends.map_or(f64::INFINITY, |one| one.1 - one.0);
            assert!(width(rows[0].lower.zip(rows[0].upper)) > 0.1, "{rows:?}");
            assert!(width(found[0].interval) > 0.1, "{found:?}");
        }
    }
}

#[test]
fn the_second_line_holds_for_new_annotators() {
    for people in [5, 8, 12, 20] {
        for deal in [Deal::Drawn, Deal::Crossed, Deal::Half] {
            let (mut means, mut pairs) = (Held::default(), Held::default());
            for run in 0..runs(250) {
                let mut rng = Seed(392).stream("run", run);
                let crew = Crew::new(people, &[0.0, 0.3], false, &mut rng);
                let judged = crew.judge(120, deal, &mut rng);
                let (rows, found) = estimate(&judged, None);
                let ends = |one: Option<tiebreak::estimators::NewAnnotators>| {
                    one.map(|one| (one.lower, one.upper))
                };
                means.add(ends(rows[0].new_annotators), 3.0);
                pairs.add(ends(found[0].new_annotators), -0.3);
            }
            println!(
                "{deal:?}, {people} people: means {:.3}, differences {:.3} of {}",
                means.share(),
                pairs.share(),
                pairs.all
            );
            assert!(
                means.is_at_least(0.94) && pairs.is_at_least(0.94),
                "{deal:?} {people}"
            );
        }
    }
}

#[test]
fn another_annotator_of_the_same_kind_costs_no_width() {
    let width = |people: usize, deal: Deal| {
        let runs = runs(150);
        let of_run = |run: u64| {
            let mut rng = Seed(393).stream("run", run);
            let crew = Crew::new(people, &[0.0, 0.2, 0.4, 0.6], true, &mut rng);
            let judged = crew.judge(40, deal, &mut rng);
            let (_, found) = estimate(&judged, None);
            let widths = found.iter().filter_map(|one| one.interval);
            let widths: Vec<f64> = widths.map(|(lower, upper)| upper - lower).collect();
            widths.iter().sum::<f64>() / widths.len() as f64
        };
        (0..runs).map(of_run).sum::<f64>() / runs as f64
    };
    for deal in [Deal::Drawn, Deal::Crossed] {
        let [two, three, four] = [2, 3, 4].map(|people| width(people, deal));
        println!("{deal:?}: {:.3} {:.3}", three / two, four / three);
        assert!(
            three <= 1.03 * two && four <= 1.03 * three,
            "{deal:?}: {two} {three} {four}"
        );
    }
}

#[test]
fn equal_systems_have_no_best_one_more_often_than_promised() {
    let mut wrong = 0.0;
    let runs = runs(300);
    for run in 0..runs {
        let mut rng = Seed(394).stream("run", run);
        let deal = [Deal::Drawn, Deal::Crossed, Deal::Uneven][run as usize % 3];
        let mut crew = Crew::new(3, &[0.0; 4], false, &mut rng);
        // Equal for these annotators, each of whom has their tastes all the same.
        for system in 0..4 {
            let mean = (0..3).map(|who| crew.habits[who][system]).sum::<f64>() / 3.0;
            crew.habits
                .iter_mut()
                .for_each(|habit| habit[system] -= mean);
        }
        let judged = crew.judge(60, deal, &mut rng);
        if deal == Deal::Uneven && AnnotatorAllocation::new(&judged).weights().is_none() {
            continue;
        }
        let (_, found) = estimate(&judged, None);
        let beaten = |system: usize| {
            let mut others = found.iter().filter(|one| [one.a, one.b].contains(&system));
            others.all(|one| one.significant)
        };
        wrong += f64::from(u8::from((0..4).any(beaten)));
    }
    println!("best of equal ones: {:.3}", wrong / runs as f64);
    assert!(wrong / runs as f64 <= 0.05 + 3.0 * (0.05 * 0.95 / runs as f64).sqrt());
}

/// Another kind of annotator, or unequal shares of them, is no difference of systems.
#[test]
fn systems_whose_annotators_differ_are_weighed_or_not_compared() {
    let strict = |who: u32| 2.0 - f64::from(who);
    let judged = |by: &dyn Fn(u32) -> u32| -> Judgments {
        let one = |item: u32| ScoredJudgment {
            annotator: Some(by(item)),
            ..ScoredJudgment::new(item, strict(by(item)) + f64::from(item % 4), &[])
        };
        (0..40).map(one).collect()
    };
    // Mostly one annotator each, but both judged both: weighed, the systems are the same.
    let mostly = [
        judged(&|item| u32::from(item < 8)),
        judged(&|item| u32::from(item >= 8)),
    ];
    let (rows, found) = estimate(&mostly, None);
    assert!(AnnotatorAllocation::new(&mostly).weights().is_some());
    let mean = |at: usize| rows[at].estimate.unwrap();
    assert!((found[0].difference - (mean(0) - mean(1))).abs() < 1e-12);
    // Within annotators no item tells the systems apart: only a known range bounds what others would do.
    assert!(
        found[0].difference.abs() < 1e-9 && found[0].interval.is_none(),
        "{found:?}"
    );
    let (_, found) = estimate(&mostly, Some(Range::new(1.0, 5.0).unwrap()));
    let (lower, upper) = found[0].interval.unwrap();
    assert!(
        lower < 0.0 && upper > 0.0 && !found[0].significant,
        "{found:?}"
    );
    // One annotator each: no claim, and why.
    let mut apart = [judged(&|_| 0), judged(&|_| 1), judged(&|_| 0)];
    let noisy = apart[2].rows().map(|one| ScoredJudgment {
        y: one.y + f64::from(one.item % 3),
        ..one
    });
    apart[2] = noisy.collect();
    let (rows, found) = estimate(&apart, None);
    assert!(rows.iter().all(|row| row.lower.is_some()));
    let unshared = found[0].unshared.unwrap();
    assert!(found[0].interval.is_none() && !found[0].significant && unshared.never);
    assert!(
        found[1].interval.is_some(),
        "those with one annotator are compared"
    );
}

/// The judgments of a system, one an item, by annotators drawn in these shares, each so strict.
fn judged_by(
    quality: &[f64],
    people: impl IntoIterator<Item = (f64, f64)>,
    noise: f64,
    rng: &mut Rng,
) -> Judgments {
    let mut bounds: Vec<(f64, f64)> = people.into_iter().collect();
    for at in 1..bounds.len() {
        bounds[at].0 += bounds[at - 1].0;
    }
    let one = |(item, quality): (usize, &f64)| {
        let drawn = rng.uniform();
        let annotator = bounds.iter().filter(|(bound, _)| drawn >= *bound).count();
        let annotator = annotator.min(bounds.len() - 1);
        let score = quality + bounds[annotator].1 + noise * rng.normal();
        ScoredJudgment {
            annotator: Some(annotator as u32),
            ..ScoredJudgment::new(item as u32, score, &[])
        }
    };
    quality.iter().enumerate().map(one).collect()
}

/// Asserts that two equal systems, judged as a run has it, hardly ever differ, and that most runs compare them.
fn assert_equal_systems_are_equal(what: &str, judge: impl Fn(&mut Rng) -> [Judgments; 2]) {
    let runs = runs(1000);
    let found = |run| estimate(&judge(&mut Seed(396).stream(what, run)), None).1[0];
    let found: Vec<EstimateDifference> = (0..runs).map(found).collect();
    let count = |is: fn(&&EstimateDifference) -> bool| found.iter().filter(is).count() as f64;
    let (tested, wrong) = (
        count(|one| one.interval.is_some()),
        count(|one| one.significant),
    );
    println!("{what}: of {tested} runs equal systems differ in {wrong}");
    assert!(tested >= 0.85 * runs as f64, "{what}: {tested} tested");
    let most = 0.05 + 3.0 * (0.05 * 0.95 / tested).sqrt();
    assert!(wrong / tested <= most, "{what}: {wrong} of {tested}");
}

/// Shares that differ hardly more than chance has it make equal systems differ, where annotators are far apart.
#[test]
fn slightly_different_shares_of_strict_annotators_are_no_difference() {
    assert_equal_systems_are_equal("slightly different shares", |rng| {
        let quality: Vec<f64> = (0..200).map(|_| 5.0 + 0.7 * rng.normal()).collect();
        let shares = [[0.37, 0.33, 0.3], [0.3, 0.33, 0.37]];
        shares.map(|shares| judged_by(&quality, shares.into_iter().zip([-2.0, 0.0, 2.0]), 0.3, rng))
    });
}

/// Of few judgments no test sees that shares differ, and chance has annotators lack a system.
#[test]
fn shares_of_few_judgments_are_no_difference() {
    assert_equal_systems_are_equal("few judgments", |rng| {
        let shares = [[0.4, 0.3, 0.2, 0.1], [0.1, 0.2, 0.3, 0.4]];
        shares.map(|shares| {
            judged_by(
                &[50.0; 30],
                shares.into_iter().zip([0.0, 4.0, 8.0, 12.0]),
                5.0,
                rng,
            )
        })
    });
}

/// Somebody strict who judged a few outputs of one system alone is left out.
#[test]
fn a_strict_annotator_of_one_system_alone_is_no_difference() {
    assert_equal_systems_are_equal("one system alone", |rng| {
        let four = [0.25; 4].map(|share| (share, 0.0));
        let base = judged_by(&[70.0; 100], four, 5.0, rng);
        let new = judged_by(&[70.0; 100], four, 5.0, rng);
        let strict = |one: ScoredJudgment<'static>| match one.item < 12 {
            true => ScoredJudgment {
                annotator: Some(4),
                y: one.y - 10.0,
                ..one
            },
            false => one,
        };
        let new = new
            .rows()
            .map(|one| strict(ScoredJudgment { g: &[], ..one }))
            .collect();
        [base, new]
    });
}
