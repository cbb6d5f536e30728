//! When one could have stopped.

use super::make;
use tiebreak::estimators::{
    Goal, Judgments, Population, Range, ScoredJudgment, StoppingPoint, Survey, widths,
};
use tiebreak::rng::Seed;

fn survey() -> Survey {
    Survey {
        range: Some(Range::new(0.0, 10.0).unwrap()),
        ..Survey::new(Population::unscored(5000))
    }
}

fn judged(n: u32, each: u32) -> Judgments {
    let mut rng = Seed(4).stream("judged", 0);
    let mut judged = Judgments::new(0);
    for item in 0..n {
        let f = rng.below(5);
        for _ in 0..each {
            judged.push(ScoredJudgment::new(
                item,
                (5 + f.max(rng.below(3))) as f64,
                &[],
            ));
        }
    }
    judged
}

#[test]
fn the_time_is_the_first_that_a_look_after_every_item_would_find() {
    for each in [1, 3] {
        let judged = judged(120, each);
        for goal in [Goal::Width(3.0), Goal::Relative(0.2)] {
            let make = || make("betting:anytime=true", &survey());
            let found = StoppingPoint::first(&make, &judged, 0.9, goal)
                .unwrap()
                .unwrap();
            let (mut estimator, mut first) = (make().unwrap(), None);
            for (place, one) in judged.rows().enumerate() {
                estimator.push(&one);
                let n = place as u64 + 1;
                if !n.is_multiple_of(u64::from(each)) || first.is_some() {
                    continue;
                }
                let interval = estimator.estimate(0.9).unwrap().interval.unwrap();
                let (low, high) = (interval.lower, interval.upper);
                let done = match goal {
                    Goal::Width(width) => high - low <= width,
                    Goal::Relative(share) => (1.0 + share) * low >= (1.0 - share) * high,
                };
                first = done.then_some((n, low, high));
            }
            assert_eq!(Some((found.n, found.lower, found.upper)), first);
            if let Goal::Relative(share) = goal {
                assert_is_within(found.estimate, [found.lower, found.upper], share);
            }
            assert!(found.n > 5 && found.n < judged.len() as u64);
        }
    }
}

/// Whatever the mean is in the interval, an estimate is at most this share of it away.
fn assert_is_within(estimate: f64, ends: [f64; 2], share: f64) {
    for mean in ends {
        let off = (estimate - mean).abs();
        assert!(
            off <= share * mean.abs() * (1.0 + 1e-9),
            "{estimate} {mean}"
        );
    }
}

/// The widths on the way are those of an estimator that has seen so many judgments, and no more.
#[test]
fn widths_are_those_of_looks_on_the_way() {
    let judged = judged(100, 3);
    let make = || make("betting:anytime=true", &survey());
    let found = widths(&make, &judged, 0.9, 12).unwrap();
    assert!(
        (8..=13).contains(&found.len()) && found.last().unwrap().0 == 300,
        "{found:?}"
    );
    assert!(
        found
            .windows(2)
            .all(|two| two[0].0 < two[1].0 && two[0].1 >= two[1].1)
    );
    for &(n, width) in &found {
        assert!(n.is_multiple_of(3), "an item's judgments are seen together");
        let mut estimator = make().unwrap();
        judged
            .rows()
            .take(n as usize)
            .for_each(|one| estimator.push(&one));
        let interval = estimator.estimate(0.9).unwrap().interval.unwrap();
        assert_eq!(width, interval.width());
    }
    let stop = StoppingPoint::first(&make, &judged, 0.9, Goal::Width(3.0))
        .unwrap()
        .unwrap();
    let narrow = found.iter().find(|(_, width)| *width <= 3.0).unwrap();
    assert!(stop.n <= narrow.0);
    assert!(
        widths(&make, &Judgments::new(0), 0.9, 12)
            .unwrap()
            .is_empty()
    );
}

#[test]
fn a_goal_out_of_reach_is_none_and_nonsense_an_error() {
    let judged = judged(30, 1);
    let anytime = || make("betting:anytime=true", &survey());
    assert_eq!(
        StoppingPoint::first(&anytime, &judged, 0.9, Goal::Width(0.1)).unwrap(),
        None
    );
    assert_eq!(
        StoppingPoint::first(&anytime, &Judgments::new(0), 0.9, Goal::Width(1.0)).unwrap(),
        None
    );
    for goal in [
        Goal::Width(0.0),
        Goal::Width(f64::NAN),
        Goal::Relative(1.0),
        Goal::Relative(-0.1),
    ] {
        let error = StoppingPoint::first(&anytime, &judged, 0.9, goal).unwrap_err();
        assert_eq!(error.exit_code(), 2);
    }
    let once = || make("betting", &survey());
    let error = StoppingPoint::first(&once, &judged, 0.9, Goal::Width(3.0)).unwrap_err();
    assert!(error.hint().unwrap().contains("anytime=true"), "{error}");
    // An item that comes back later has been looked at before it was complete.
    let mut torn = judged.clone();
    torn.push(ScoredJudgment::new(0, 5.0, &[]));
    let error = StoppingPoint::first(&anytime, &torn, 0.9, Goal::Width(0.01)).unwrap_err();
    assert!(error.to_string().contains("next to each other"), "{error}");
}

#[test]
fn means_below_zero_have_relative_goals_too() {
    let survey = Survey {
        range: Some(Range::new(-10.0, 0.0).unwrap()),
        ..survey()
    };
    let mirrored: Judgments = judged(200, 1)
        .rows()
        .map(|one| ScoredJudgment { y: -one.y, ..one })
        .collect();
    let make = || make("betting:anytime=true", &survey);
    let found = StoppingPoint::first(&make, &mirrored, 0.9, Goal::Relative(0.2)).unwrap();
    let found = found.unwrap();
    assert!(found.upper < 0.0);
    assert_is_within(found.estimate, [found.lower, found.upper], 0.2);
}
