//! Plans that come true: whoever judges as many items, as often, by as many annotators as a pilot asks for reaches what was
//! wished, in the share of studies that is promised.
//!
//! `TIEBREAK_POPULATION_RUNS` says how many studies a cell has.

#![expect(clippy::print_stdout, reason = "numbers for whoever runs it")]

use super::make;
use super::populations::{Crew, Deal, estimate, runs};
use tiebreak::estimators::{
    AnalysisTerms, AnnotatorAllocation, Contender, DesignTerms, Judgments, Pilot, Population,
    Range, ScaleKind, ScoredJudgment, StudyTarget, Survey, analyse, analyse_with,
};
use tiebreak::rng::{Rng, Seed};
use tiebreak::scope::PeopleScope;

const WIDTH: f64 = 0.3;
const POWER: f64 = 0.8;

fn pilot(judged: &[Judgments]) -> Pilot {
    pilot_on(judged, None, ScaleKind::Unknown)
}

fn survey(range: Option<Range>) -> Survey {
    Survey {
        range,
        ..Survey::new(Population::unscored(1000))
    }
}

fn pilot_on(judged: &[Judgments], range: Option<Range>, scale: ScaleKind) -> Pilot {
    let dealing = AnnotatorAllocation::new(judged);
    let survey = survey(range);
    let terms = AnalysisTerms {
        confidence: 0.95,
        range,
        weights: dealing.weights(),
    };
    let mut pilot = Pilot::new(dealing.weights().is_some(), scale);
    for (place, judged) in judged.iter().enumerate() {
        let mut estimator = make("mean", &survey).unwrap();
        let found = analyse_with(estimator.as_mut(), judged, &terms).unwrap();
        let contender = Contender::new(place, estimator.as_ref(), judged, &terms).unwrap();
        pilot.add(judged, contender, &found);
    }
    pilot
}

fn terms(wish: StudyTarget, people: PeopleScope) -> DesignTerms {
    DesignTerms {
        wish,
        confidence: 0.95,
        people,
    }
}

fn width(ends: Option<(f64, f64)>) -> f64 {
    ends.map_or(f64::INFINITY, |(lower, upper)| upper - lower)
}

/// People to whom the second system is better by so much.
fn apart_by(mut crew: Crew, difference: f64) -> Crew {
    let mean = |crew: &Crew, system: usize| {
        let all = crew.habits.iter().map(|habit| habit[system]);
        all.sum::<f64>() / crew.people() as f64
    };
    let gap = mean(&crew, 1) - mean(&crew, 0);
    for habit in &mut crew.habits {
        habit[1] += difference - gap;
    }
    crew
}

/// What comes of plans of one kind.
#[derive(Debug, Default)]
struct Followed {
    studies: f64,
    reached: f64,
}

impl Followed {
    fn add(&mut self, reached: bool) {
        self.studies += 1.0;
        self.reached += f64::from(u8::from(reached));
    }

    fn share(&self) -> f64 {
        self.reached / self.studies
    }
}

/// A pilot of some items, and what is then planned with so many judgments of each output.
struct Case {
    deal: Deal,
    people: usize,
    pilot: (usize, usize),
    repeats: u32,
}

const CASES: [Case; 5] = [
    Case::new(Deal::Drawn, 3, (40, 1), 1),
    Case::new(Deal::Drawn, 3, (40, 2), 3),
    Case::new(Deal::Crossed, 3, (40, 2), 2),
    Case::new(Deal::Crossed, 5, (60, 5), 1),
    Case::new(Deal::Crossed, 2, (80, 1), 1),
];

impl Case {
    const fn new(deal: Deal, people: usize, pilot: (usize, usize), repeats: u32) -> Self {
        Self {
            deal,
            people,
            pilot,
            repeats,
        }
    }

    /// Whether the interval of a mean, and the test of a difference, do what was wished.
    fn follow(&self, rng: &mut Rng) -> [bool; 2] {
        let crew = Crew::new(self.people, &[0.0, 0.0], false, rng);
        let crew = apart_by(crew, WIDTH);
        let (items, repeats) = self.pilot;
        let pilot = pilot(&crew.study(items, repeats, self.deal, rng));
        let study = |items: u64, rng: &mut Rng| {
            let judged = crew.study(items as usize, self.repeats as usize, self.deal, rng);
            estimate(&judged, None)
        };
        let people = self.people as u64;
        let design = pilot.of_means().unwrap().design(
            self.repeats,
            people,
            &terms(StudyTarget::Width(WIDTH), PeopleScope::These),
        );
        let (rows, _) = study(design.unwrap().items, rng);
        let narrow = width(rows[0].lower.zip(rows[0].upper)) <= WIDTH;
        let wish = StudyTarget::Difference {
            least: WIDTH,
            power: POWER,
        };
        let terms = terms(wish, PeopleScope::These);
        let design = pilot
            .of_differences()
            .unwrap()
            .design(self.repeats, people, &terms);
        let (_, found) = study(design.unwrap().items, rng);
        [narrow, found[0].significant]
    }
}

#[test]
fn a_plan_that_is_followed_comes_true() {
    for (at, case) in CASES.iter().enumerate() {
        let [mut narrow, mut found] = [Followed::default(), Followed::default()];
        for run in 0..runs(150) {
            let mut rng = Seed(395 + at as u64).stream("run", run);
            let [is_narrow, is_found] = case.follow(&mut rng);
            narrow.add(is_narrow);
            found.add(is_found);
        }
        println!(
            "{:?}, {} people, {:?} to {}: narrow {:.3}, found {:.3}",
            case.deal,
            case.people,
            case.pilot,
            case.repeats,
            narrow.share(),
            found.share()
        );
        let least = |promised: f64| promised - 0.08 - 3.0 * (0.16 / narrow.studies).sqrt();
        assert!(
            narrow.share() >= least(0.8) && found.share() >= least(POWER),
            "case {at}"
        );
    }
}

/// `plan` and `estimate` expect the same of further judgments: who is stricter is no noise of the outputs.
#[test]
fn an_estimate_and_a_pilot_expect_the_same() {
    for (people, deal, repeats) in [
        (2, Deal::Crossed, 2),
        (3, Deal::Crossed, 3),
        (4, Deal::Drawn, 2),
        (3, Deal::Drawn, 1),
    ] {
        let mut rng = Seed(405).stream("run", people as u64);
        let mut crew = Crew::new(people, &[0.0], false, &mut rng);
        for (who, habit) in crew.habits.iter_mut().enumerate() {
            habit[0] += 2.0 * who as f64;
        }
        let judged = crew.study(80, repeats, deal, &mut rng);
        let (rows, _) = estimate(&judged, None);
        let (own, planned) = (
            rows[0].prospect(None).unwrap(),
            pilot(&judged).of_means().unwrap(),
        );
        let close = |one: f64, other: f64| (one - other).abs() < 1e-9;
        assert!(close(own.signal, planned.signal), "{own:?} {planned:?}");
        assert_eq!(own.noise.is_some(), repeats > 1);
        let noises = own.noise.zip(planned.noise);
        assert!(
            noises.is_none_or(|(own, planned)| close(own, planned)),
            "{own:?} {planned:?}"
        );
        // Outputs vary by .36 + .16, judgments of one by .36, and severities by more than either.
        assert!(own.noise.is_none_or(|noise| noise < 0.6), "{own:?}");
    }
}

#[test]
fn a_wanted_width_of_one_system_is_reached_by_the_number_that_is_said() {
    let mut narrow = Followed::default();
    for run in 0..runs(150) {
        let mut rng = Seed(401).stream("run", run);
        let crew = Crew::new(4, &[0.0, 0.0], true, &mut rng);
        let (rows, _) = estimate(&crew.study(50, 1, Deal::Drawn, &mut rng), None);
        let needed = rows[0].judgments_for_width(WIDTH, None).unwrap();
        let (rows, _) = estimate(&crew.study(needed as usize, 1, Deal::Drawn, &mut rng), None);
        narrow.add(width(rows[0].lower.zip(rows[0].upper)) <= WIDTH);
    }
    println!("one system: {:.3}", narrow.share());
    assert!(narrow.share() > 0.72 && narrow.share() < 0.95);
}

/// Where everybody judged the same items, what these have in common is not taken for agreement of annotators.
#[test]
fn items_that_new_annotators_share_are_planned_for() {
    let wanted = 0.75;
    let terms = terms(StudyTarget::Width(wanted), PeopleScope::NewAnnotators);
    let mut narrow = Followed::default();
    for run in 0..runs(150) {
        let mut rng = Seed(406).stream("run", run);
        // Items and outputs vary by .52, annotators by .2225, and noise by .36.
        let study = |people: usize, items: usize, rng: &mut Rng| {
            let crew = Crew::new(people, &[0.0, 0.0], false, rng);
            crew.study(items, people, Deal::Crossed, rng)
        };
        let pilot = pilot(&study(10, 30, &mut rng));
        let prospect = pilot.of_means().unwrap();
        let Some(enough) = prospect.enough_annotators(&terms) else {
            continue;
        };
        let Ok(design) = prospect.design(1, enough, &terms) else {
            continue;
        };
        // As many items, each judged by all, narrow it at least as much as each judged once.
        let judged = study(enough as usize, design.items as usize, &mut rng);
        let (rows, _) = estimate(&judged, None);
        let new = rows[0].new_annotators.map(|new| (new.lower, new.upper));
        narrow.add(width(new) <= wanted);
    }
    println!("shared items: {:.3} of {}", narrow.share(), narrow.studies);
    assert!(narrow.studies > 100.0 && narrow.share() > 0.7);
}

/// New annotators are spoken of by others of their kind: as many as the plan asks for, each with items of their own.
#[test]
fn as_many_annotators_as_are_asked_for_are_enough() {
    let [mut narrow, mut annotators] = [Followed::default(), Followed::default()];
    let wanted = 0.7;
    for run in 0..runs(150) {
        let mut rng = Seed(402).stream("run", run);
        let crew = Crew::new(9, &[0.0, 0.0], false, &mut rng);
        let (rows, _) = estimate(&crew.study(90, 1, Deal::Drawn, &mut rng), None);
        let terms = terms(StudyTarget::Width(wanted), PeopleScope::NewAnnotators);
        let prospect = rows[0].prospect(None).unwrap();
        let enough = prospect.annotators_with(10.0, &terms).unwrap() as usize;
        let many = Crew::new(enough, &[0.0, 0.0], false, &mut rng);
        let (rows, _) = estimate(&many.study(10 * enough, 1, Deal::Drawn, &mut rng), None);
        let new = rows[0].new_annotators.map(|new| (new.lower, new.upper));
        narrow.add(width(new) <= wanted);
        annotators.add(enough > 9);
    }
    println!(
        "new annotators: {:.3}, more than nine {:.3}",
        narrow.share(),
        annotators.share()
    );
    assert!(narrow.share() > 0.7 && annotators.share() > 0.7);
}

/// Scores of single outputs that are seldom low, and the width that is wanted.
type Rare = (&'static str, [f64; 2], f64, fn(&mut Rng) -> f64);

const RARE: [Rare; 5] = [
    ("slider, 5 % fail", [0.0, 100.0], 10.0, |rng| {
        slider(rng, 0.05)
    }),
    ("slider, 15 % fail", [0.0, 100.0], 6.0, |rng| {
        slider(rng, 0.15)
    }),
    (
        "five stars, mostly the best",
        [1.0, 5.0],
        0.3,
        |rng| match rng.uniform() {
            u if u < 0.02 => 1.0,
            u if u < 0.05 => 2.0,
            u if u < 0.10 => 3.0,
            u if u < 0.20 => 4.0,
            _ => 5.0,
        },
    ),
    ("yes or no, 3 % fail", [0.0, 1.0], 0.1, |rng| {
        f64::from(u8::from(rng.uniform() >= 0.03))
    }),
    ("yes or no, 20 % fail", [0.0, 1.0], 0.1, |rng| {
        f64::from(u8::from(rng.uniform() >= 0.2))
    }),
];

fn slider(rng: &mut Rng, fails: f64) -> f64 {
    match rng.uniform() < fails {
        true => 20.0 * rng.uniform(),
        false => 90.0 + 8.0 * rng.uniform(),
    }
}

/// Skewed scores and heavy tails: the variance of few outputs says little, and intervals reach farther than Student's.
#[test]
fn widths_of_scores_that_are_seldom_low_are_reached() {
    let wish = |wanted| terms(StudyTarget::Width(wanted), PeopleScope::These);
    for (at, (name, [low, high], wanted, score)) in RARE.into_iter().enumerate() {
        let range = Range::new(low, high).unwrap();
        let kind = match range.is_yes_no() {
            true => ScaleKind::YesNo,
            false => ScaleKind::Bounded,
        };
        for items in [200, 2000] {
            let (mut narrow, mut half) = (Followed::default(), Followed::default());
            for run in 0..runs(300) {
                let mut rng = Seed(411 + at as u64).stream("run", run);
                let mut study = |items: u64| {
                    let mut judged = Judgments::new(0);
                    let each = 0..items as u32;
                    each.for_each(|item| {
                        judged.push(ScoredJudgment::new(item, score(&mut rng), &[]));
                    });
                    judged
                };
                let pilot = pilot_on(&[study(items)], Some(range), kind);
                let Some(prospect) = pilot.of_means() else {
                    continue;
                };
                let needed = prospect.design(1, 1, &wish(wanted)).unwrap().items;
                let mut is_narrow = |items: u64| {
                    let mut estimator = make("mean", &survey(Some(range))).unwrap();
                    let found =
                        analyse(estimator.as_mut(), &study(items), 0.95, Some(range)).unwrap();
                    width(found.lower.zip(found.upper)) <= wanted
                };
                narrow.add(is_narrow(needed));
                half.add(is_narrow(needed / 2));
            }
            let (reached, by_half) = (narrow.share(), half.share());
            println!("{name}, pilot of {items}: {reached:.3}, by half as many {by_half:.3}");
            assert!(reached > 0.68 && by_half < 0.5, "{name}");
        }
    }
}
