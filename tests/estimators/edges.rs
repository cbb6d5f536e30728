//! Too few judgments, no variation, nonsense: named values and errors, never NaN.

use super::{World, build};
use tiebreak::estimators::{
    Analysis, ESTIMATORS, Judged, Judgments, Population, Range, Survey, analyse,
};
use tiebreak::registry::{Params, find};
use tiebreak::rng::Seed;

fn row(text: &str, judged: &Judgments, range: Option<Range>) -> tiebreak::Result<Analysis> {
    let mut estimator = build(text, &World::population())?;
    analyse(&mut *estimator, judged, 0.95, range)
}

fn judged(rows: &[(u32, f64, f64)]) -> Judgments {
    rows.iter()
        .map(|(item, y, g)| Judged::new(*item, *y, std::slice::from_ref(g)))
        .collect()
}

#[test]
fn nothing_is_known_of_nothing() {
    for entry in ESTIMATORS {
        assert_eq!(
            row(entry.name, &Judgments::default(), None).unwrap(),
            Analysis::default()
        );
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

#[test]
fn what_does_not_vary_is_said_as_none() {
    let constant = row(
        "control-variates",
        &judged(&[(0, 4.0, 1.0), (1, 4.0, 2.0), (2, 4.0, 9.0)]),
        None,
    );
    let constant = constant.unwrap();
    assert_eq!((constant.estimate, constant.alpha), (Some(4.0), Some(0.0)));
    assert_eq!((constant.lower, constant.upper), (Some(4.0), Some(4.0)));
    assert_eq!(
        (constant.correlation, constant.data_efficiency),
        (None, None)
    );
    assert_eq!(constant.judgments_for_width(0.1, 0.95, None), None);

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
    let needed = planned.judgments_for_width(0.5, 0.95, None).unwrap();
    let items = (needed / 2) as u32;
    let full = world.judge(items, |_| 2, &mut Seed(1).stream("full", 0));
    let reached = row("control-variates", &full, None).unwrap();
    let width = reached.upper.unwrap() - reached.lower.unwrap();
    assert!(
        (width / 0.5 - 1.0).abs() < 0.1,
        "{needed} judgments gave {width}"
    );
}

#[test]
fn a_range_bounds_plans_and_intervals() {
    let range = Range::new(1.0, 5.0).unwrap();
    let few = judged(&[(0, 5.0, 20.0), (1, 4.0, 20.0)]);
    let cut = row("mean", &few, Some(range)).unwrap();
    assert_eq!(cut.upper, Some(5.0));
    let none = row("mean", &Judgments::default(), Some(range)).unwrap();
    // (2 · 1.96 · 2 / 0.5)² = 245.9
    assert_eq!(none.judgments_for_width(0.5, 0.95, Some(range)), Some(246));
    assert_eq!(none.judgments_for_width(0.5, 0.95, None), None);
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
    ] {
        let error = build(text, &World::population()).err().unwrap();
        assert!(error.to_string().contains(says), "{text}: {error}");
        assert_eq!(error.exit_code(), 2);
    }
    let error = build("control-variates", &Population::default())
        .err()
        .unwrap();
    assert!(error.hint().unwrap().contains("--scores"), "{error}");
    for bad in [(0, f64::NAN, 1.0), (0, 1.0, f64::INFINITY)] {
        assert!(row("mean", &judged(&[bad]), None).is_err());
    }
    let mut estimator = build("mean", &Population::default()).unwrap();
    assert!(analyse(&mut *estimator, &Judgments::default(), 95.0, None).is_err());
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
        let build = find("estimator", ESTIMATORS, &name).unwrap().build.build;
        let survey = Survey {
            seed: Seed(seed),
            ..Survey::of(World::population())
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
