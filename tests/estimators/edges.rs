//! Too few judgments, no variation, nonsense: named values and errors, never NaN.

use super::{World, build, make};
use tiebreak::estimators::{
    Analysis, AnalysisTerms, Contender, ESTIMATORS, Judgments, Population, Range, ScoredJudgment,
    Survey, analyse, analyse_with,
};
use tiebreak::registry::{Params, find_entry};
use tiebreak::rng::Seed;

fn row(text: &str, judged: &Judgments, range: Option<Range>) -> tiebreak::Result<Analysis> {
    let survey = Survey {
        range,
        ..Survey::new(World::population())
    };
    let mut estimator = make(text, &survey)?;
    analyse(&mut *estimator, judged, 0.95, range)
}

fn judged(rows: &[(u32, f64, f64)]) -> Judgments {
    rows.iter()
        .map(|(item, y, g)| ScoredJudgment::new(*item, *y, std::slice::from_ref(g)))
        .collect()
}

#[test]
fn nothing_is_known_of_nothing() {
    for entry in ESTIMATORS {
        let range = Some(Range::new(0.0, 100.0).unwrap());
        let nothing = row(entry.name, &Judgments::default(), range).unwrap();
        let expected = Analysis {
            confidence: 0.95,
            ..Analysis::default()
        };
        assert_eq!(nothing, expected, "{}", entry.name);
    }
}

#[test]
fn few_judgments_have_an_estimate_and_no_interval() {
    for (text, least) in [
        ("mean", 2),
        ("mean:interval=bootstrap", 2),
        ("control-variates:alpha=1", 2),
        ("control-variates", 3),
        ("control-variates:interval=bootstrap", 3),
    ] {
        let rows: Vec<_> = [(0, 3.0, 21.0), (1, 5.0, 25.0), (2, 4.0, 24.0)][..least].to_vec();
        let all = row(text, &judged(&rows), None).unwrap();
        assert!(all.lower.unwrap() < all.upper.unwrap(), "{text}: {all:?}");
        let fewer = row(text, &judged(&rows[..least - 1]), None).unwrap();
        assert!(fewer.estimate.is_some(), "{text}");
        let unknown = (fewer.lower, fewer.upper, fewer.standard_error);
        assert_eq!(unknown, (None, None, None), "{text}");
        // Many judgments of too few items are still too few.
        let items = least as u32 - 1;
        let repeated: Vec<_> = (0..20).map(|i| (i % items, f64::from(i), 20.0)).collect();
        let repeated = row(text, &judged(&repeated), None).unwrap();
        assert_eq!(repeated.lower, None, "{text}");
    }
}

/// Four of twenty outputs fail, and a metric that has 5 % of all outputs fail tells: ȳ + α̂ (.2 − .05)/σ would be 1.305.
#[test]
fn no_estimate_lies_beyond_the_scale() {
    let survey = Survey::scored((0..200).map(|at| f64::from(u8::from(at < 10))));
    let rows = (0..20).map(|at| match at < 4 {
        true => (at, 0.0, 1.0),
        false => (at, 1.0, 0.0),
    });
    let judged = judged(&rows.collect::<Vec<_>>());
    let found = |range| {
        let survey = Survey {
            range,
            ..survey.clone()
        };
        let mut estimator = make("control-variates", &survey).unwrap();
        let terms = AnalysisTerms {
            confidence: 0.95,
            range,
            weights: None,
        };
        let found = analyse_with(&mut *estimator, &judged, &terms).unwrap();
        let compared = Contender::new(0, &*estimator, &judged, &terms).unwrap();
        assert_eq!(found.estimate, Some(compared.estimate));
        (compared.estimate, found.upper.unwrap())
    };
    assert!((found(None).0 - 1.305).abs() < 1e-3);
    assert_eq!(found(Some(Range::new(0.0, 1.0).unwrap())), (1.0, 1.0));
}

#[test]
fn what_does_not_vary_is_said_as_none() {
    let constant = row(
        "control-variates",
        &judged(&[(0, 4.0, 1.0), (1, 4.0, 2.0), (2, 4.0, 9.0)]),
        None,
    );
    let constant = constant.unwrap();
    assert_eq!((constant.estimate, constant.alpha), (Some(4.0), Some(0.0)));
    assert_eq!((constant.lower, constant.upper), (None, None));
    assert_eq!(
        (constant.correlation, constant.data_efficiency),
        (None, None)
    );
    assert_eq!(constant.judgments_for_width(0.1, None), None);

    let perfect = row(
        "control-variates",
        &judged(&[(0, 1.0, 1.0), (1, 2.0, 2.0), (2, 9.0, 9.0)]),
        None,
    );
    let perfect = perfect.unwrap();
    assert!((perfect.correlation.unwrap() - 1.0).abs() < 1e-12);
    assert_eq!(perfect.data_efficiency, None, "infinite");
    assert_eq!((perfect.rho, perfect.gamma), (None, None), "no repeats");
}

#[test]
fn a_wanted_width_is_reached_by_the_planned_number() {
    let world = World {
        signal: 3.0,
        noise: 2.0,
        rho: 0.8,
    };
    let pilot = world.judge(400, |_| 2, &mut Seed(1).stream("pilot", 0));
    let planned = row("control-variates", &pilot, None).unwrap();
    let needed = planned.judgments_for_width(0.5, None).unwrap();
    let items = (needed / 2) as u32;
    let full = world.judge(items, |_| 2, &mut Seed(1).stream("full", 0));
    let reached = row("control-variates", &full, None).unwrap();
    let width = reached.upper.unwrap() - reached.lower.unwrap();
    assert!(
        (0.85..1.02).contains(&(width / 0.5)),
        "{needed} judgments gave {width}"
    );
}

/// Bets on judgments that vary narrow as 1/√n, whatever they could reach if nothing varied.
#[test]
fn bets_reach_the_width_that_was_planned() {
    let range = Range::new(0.0, 1.0).unwrap();
    for scores in [|x: f64| x, |x: f64| x.round()] {
        let told = |items: u32, run: u64| {
            let mut rng = Seed(77).stream("bets", run);
            let all: Vec<(u32, f64, f64)> = (0..items)
                .map(|item| (item, scores(rng.uniform()), 0.0))
                .collect();
            row("betting", &judged(&all), Some(range)).unwrap()
        };
        let reached = (0..10).filter(|&run| {
            let needed = told(400, run).judgments_for_width(0.04, Some(range));
            let found = told(needed.unwrap() as u32, 100 + run);
            found.upper.unwrap() - found.lower.unwrap() <= 0.04
        });
        let reached = reached.count();
        assert!(reached >= 6, "{reached}");
    }
}

/// Where nothing varies, an interval on a known scale is as wide as what could go unseen, which shrinks as 1/n.
#[test]
fn constant_judgments_take_as_many_as_their_intervals_formula_says() {
    let range = Range::new(0.0, 100.0).unwrap();
    let constant = |name: &str, y: f64, items: u32| {
        let all: Vec<(u32, f64, f64)> = (0..items).map(|item| (item, y, 0.0)).collect();
        row(name, &judged(&all), Some(range)).unwrap()
    };
    let needed = |name: &str, items: u32| {
        let needed = constant(name, 70.0, items).judgments_for_width(0.25, Some(range));
        needed.unwrap() as u32
    };
    // 2.66 · 100 / 0.25
    assert_eq!(needed("mean", 100), 1064);
    assert_eq!(needed("mean", 10), 1064);
    for name in ["mean", "betting"] {
        let found = constant(name, 70.0, needed(name, 100));
        let width = found.upper.unwrap() - found.lower.unwrap();
        assert!((0.2..0.26).contains(&width), "{name} {width}");
    }
}

#[test]
fn a_range_bounds_plans_and_intervals() {
    let range = Range::new(1.0, 5.0).unwrap();
    let few = judged(&[(0, 5.0, 20.0), (1, 4.0, 20.0)]);
    let cut = row("mean", &few, Some(range)).unwrap();
    assert_eq!(cut.upper, Some(5.0));
    let none = row("mean", &Judgments::default(), Some(range)).unwrap();
    // (2 · 1.97 · 2 / 0.5)² = 248.3, by Student’s t, and one more for the variance of a sample
    assert_eq!(none.judgments_for_width(0.5, Some(range)), Some(250));
    assert_eq!(none.judgments_for_width(0.5, None), None);
    let outside = row("mean", &judged(&[(0, 5.5, 20.0)]), Some(range)).unwrap_err();
    assert!(outside.to_string().contains("5.5"), "{outside}");
}

#[test]
fn nonsense_is_an_error_that_says_what_it_found() {
    for (text, says) in [
        ("mean:resamples=3", "resamples is 3"),
        ("mean:alpha=1", "alpha"),
        ("control-variates:interval=exact", "exact"),
        ("control-variates:alpha=nan", "alpha"),
        ("mean:clusters=item", "clusters"),
        ("regression:folds=1", "folds is 1"),
        ("regression:ridge=0", "ridge is 0"),
        ("guarded:alpha=1", "alpha"),
        ("active:population=finite", "population"),
        ("ppi++:lambda=inf", "lambda"),
        ("stratified:strata=0", "strata is 0"),
        ("betting", "needs the range of the judgments"),
        ("empirical-bernstein", "needs the range of the judgments"),
    ] {
        let error = build(text, &World::population()).err().unwrap();
        assert!(error.to_string().contains(says), "{text}: {error}");
        assert_eq!(error.exit_code(), 2);
    }
    let error = build("control-variates", &Population::default())
        .err()
        .unwrap();
    assert!(error.hint().unwrap().contains("`scores`"), "{error}");
    for bad in [(0, f64::NAN, 1.0), (0, 1.0, f64::INFINITY)] {
        assert!(row("mean", &judged(&[bad]), None).is_err());
    }
    let mut estimator = build("mean", &Population::default()).unwrap();
    assert!(analyse(&mut *estimator, &Judgments::default(), 95.0, None).is_err());
}

#[test]
fn what_an_estimator_cannot_use_is_an_error_with_a_hint() {
    let range = Some(Range::new(0.0, 100.0).unwrap());
    let one = |item, probability| ScoredJudgment {
        probability,
        ..ScoredJudgment::new(item, 1.0, &[20.0])
    };
    for (first, second, says) in [
        (one(0, None), one(1, None), "no probability"),
        (one(0, Some(0.0)), one(1, Some(0.5)), "probability 0"),
        (one(0, Some(1.5)), one(1, Some(0.5)), "probability 1.5"),
        (one(0, Some(0.2)), one(0, Some(0.5)), "0.2 and 0.5"),
    ] {
        let judged = [first, second].into_iter().collect();
        let error = row("active", &judged, range).unwrap_err();
        assert!(error.to_string().contains(says), "{error}");
        assert!(error.hint().is_some());
    }
    let survey = Survey {
        range,
        ..Survey::new(Population::from_scores([1.0, 2.0]))
    };
    let many = judged(&[(0, 1.0, 1.0), (1, 2.0, 2.0), (2, 3.0, 2.0)]);
    for text in ["mean", "control-variates", "betting", "stratified"] {
        let mut estimator = make(&format!("{text}:population=finite"), &survey).unwrap();
        let error = analyse(&mut *estimator, &many, 0.9, range).unwrap_err();
        assert!(
            error.to_string().contains("only these items"),
            "{text}: {error}"
        );
    }
    let mut population = Population::unscored(10);
    population.strata = vec![6, 4];
    let mut estimator = make("stratified", &Survey::new(population)).unwrap();
    let error = analyse(&mut *estimator, &many, 0.9, None).unwrap_err();
    assert!(error.to_string().contains("stratum 2 of 2"), "{error}");
    let error = make(
        "betting:alpha=1",
        &Survey {
            range,
            ..Survey::default()
        },
    )
    .err()
    .unwrap();
    assert!(error.hint().unwrap().contains("`scores`"));
    for text in ["anytime=true", "population=finite"] {
        let text = format!("empirical-bernstein:bound=maurer-pontil,{text}");
        assert!(make(&text, &survey).is_err());
    }
}

/// The mean of all that there is is known, and with one output less its bounds are.
#[test]
fn nothing_is_open_about_a_census() {
    let range = Some(Range::new(1.0, 5.0).unwrap());
    let survey = Survey {
        range,
        ..Survey::new(Population::unscored(100))
    };
    let scores: Vec<(u32, f64, f64)> = (0..100)
        .map(|item| (item, 1.0 + f64::from(item * 7 % 5), 0.0))
        .collect();
    let found = |n: usize| {
        let mut made = make("betting:population=finite", &survey).unwrap();
        let row = analyse(&mut *made, &judged(&scores[..n]), 0.95, range).unwrap();
        row.lower.zip(row.upper).unwrap()
    };
    let (lower, upper) = found(100);
    assert!(
        (lower - 3.0).abs() < 1e-9 && (upper - 3.0).abs() < 1e-9,
        "{lower} {upper}"
    );
    let (lower, upper) = found(99);
    assert!(
        lower <= 3.0 && 3.0 <= upper && upper - lower < 0.5,
        "{lower} {upper}"
    );
}

#[test]
fn no_estimator_ever_says_nan() {
    let range = Some(Range::new(0.0, 5.0).unwrap());
    let population = |scores: &[f64]| Population::from_scores(scores.iter().copied());
    let flat = population(&[2.0; 5]);
    let varied = population(&[1.0, 2.0, 2.0, 3.0, 9.0]);
    let all: [&[(u32, f64, f64)]; 5] = [
        &[(0, 4.0, 2.0)],
        &[(0, 4.0, 2.0), (0, 5.0, 2.0)],
        &[(0, 0.0, 2.0), (1, 0.0, 2.0), (2, 0.0, 2.0), (3, 0.0, 2.0)],
        &[(0, 5.0, 2.0), (1, 0.0, 2.0), (2, 5.0, 2.0)],
        &[
            (0, 1.0, 1.0),
            (1, 2.0, 2.0),
            (2, 3.0, 3.0),
            (3, 5.0, 9.0),
            (4, 2.0, 2.0),
        ],
    ];
    for (entry, rows) in ESTIMATORS
        .iter()
        .flat_map(|entry| all.map(|rows| (entry, rows)))
    {
        for population in [&flat, &varied] {
            let survey = Survey {
                range,
                ..Survey::new(population.clone())
            };
            let judged = judged(rows);
            let sampled = judged.rows().map(|one| ScoredJudgment {
                probability: Some(0.5),
                ..one
            });
            let mut estimator = (entry.build.build)(&Params::default(), &survey).unwrap();
            let found = analyse(&mut *estimator, &sampled.collect(), 0.95, range).unwrap();
            let numbers = [
                found.estimate,
                found.lower,
                found.upper,
                found.standard_error,
                found.alpha,
                found.data_efficiency,
            ];
            let finite = numbers.iter().flatten().all(|number| number.is_finite());
            assert!(
                finite && found.estimate.is_some(),
                "{}: {found:?}",
                entry.name
            );
            assert!(found.lower <= found.upper, "{}: {found:?}", entry.name);
        }
    }
}

#[test]
fn seeds_decide_bootstrap_ends_and_nothing_else() {
    let world = World {
        signal: 1.0,
        noise: 1.0,
        rho: 0.5,
    };
    let judged = world.judge(40, |_| 2, &mut Seed(9).stream("world", 0));
    let row = |seed, text| {
        let (name, params) = Params::parse(text).unwrap();
        let build = find_entry("estimator", ESTIMATORS, &name)
            .unwrap()
            .build
            .build;
        let survey = Survey {
            seed: Seed(seed),
            ..Survey::new(World::population())
        };
        let mut estimator = build(&params, &survey).unwrap();
        analyse(&mut *estimator, &judged, 0.9, None).unwrap()
    };
    let text = "control-variates:interval=bootstrap";
    assert_eq!(row(1, text), row(1, text));
    assert_ne!(row(1, text).lower, row(2, text).lower);
    assert_eq!(row(1, text).estimate, row(2, text).estimate);
    assert_eq!(row(1, "control-variates"), row(2, "control-variates"));
}

#[test]
fn the_order_of_records_makes_no_difference() {
    let world = World {
        signal: 1.0,
        noise: 1.0,
        rho: 0.5,
    };
    let mut judged = world.judge(40, |_| 2, &mut Seed(10).stream("world", 0));
    for text in ["mean", "control-variates:interval=bootstrap"] {
        let before = row(text, &judged, None).unwrap();
        let mut order: Vec<usize> = (0..judged.len()).collect();
        Seed(1).stream("order", 0).shuffle(&mut order);
        judged = order.into_iter().map(|place| judged.get(place)).collect();
        assert_eq!(before, row(text, &judged, None).unwrap());
    }
}
