//! Links, thresholds and direct models: laws, recovery of known parameters, slow oracles.

use tiebreak::duel::Outcome;
use tiebreak::env::Env;
use tiebreak::metrics::{DrawMatrix, METRICS, Metric, Segment};
use tiebreak::model_based::thresholds::Thresholds;
use tiebreak::preference::calibration::{Calibration, ItemScorePairs, Provenance};
use tiebreak::preference::direct::{Direct, SampledScore};
use tiebreak::preference::links::{LINKS, LabelledScorePair, Link, Parameters};
use tiebreak::preference::{Contest, PairwiseModel, Preference};
use tiebreak::registry::{Params, find_entry};
use tiebreak::rng::{Rng, Seed};
use tiebreak::signature::Signature;

fn fit(name: &str, pairs: &[LabelledScorePair]) -> tiebreak::Result<Box<dyn Link>> {
    (find_entry("link", LINKS, name)?.build.fit)(pairs)
}

/// Pairs of scores on a scale, judged as the logistic function of their difference says, the rest
/// of the way to 1 being ties.
fn simulated(n: usize, scale: f64, ties: f64, rng: &mut Rng) -> Vec<LabelledScorePair> {
    let mut one = || {
        let (first, second) = (scale * rng.normal(), scale * rng.normal());
        let p = 1.0 / (1.0 + (-(first - second) / (0.7 * scale)).exp());
        let outcome = match (rng.bernoulli(ties), rng.bernoulli(p)) {
            (true, _) => Outcome::Tie,
            (_, true) => Outcome::Win,
            (_, false) => Outcome::Loss,
        };
        LabelledScorePair {
            first,
            second,
            outcome,
        }
    };
    (0..n).map(|_| one()).collect()
}

#[test]
fn every_link_is_a_preference_whatever_the_scores() {
    let mut rng = Seed(1).stream("links", 0);
    for scale in [1e-300, 1e-9, 0.3, 100.0, 1e12, 1e300] {
        let pairs = simulated(200, scale, 0.2, &mut rng);
        for entry in LINKS {
            let link = (entry.build.fit)(&pairs).unwrap();
            let mut scores: Vec<f64> = (0..60).map(|_| 2.0 * scale * rng.normal()).collect();
            scores.extend([
                0.0,
                -0.0,
                f64::MAX,
                f64::MIN,
                f64::MIN_POSITIVE,
                -scale,
                scale,
            ]);
            scores.extend(pairs.iter().take(10).map(|pair| pair.first));
            scores.sort_by(f64::total_cmp);
            for &a in &scores {
                let mut before = 0.0;
                for b in scores.iter().rev() {
                    let p = link.preference(a, *b);
                    let name = entry.name;
                    assert!((0.0..=1.0).contains(&p), "{name}({a}, {b}) = {p}");
                    assert_eq!(p + link.preference(*b, a), 1.0, "{name}({a}, {b})");
                    assert!(p >= before, "{name}({a}, {b}) = {p} falls from {before}");
                    before = p;
                }
                assert_eq!(link.preference(a, a), 0.5);
            }
        }
    }
}

#[test]
fn links_by_hand() {
    let pair = |first, second| LabelledScorePair {
        first,
        second,
        outcome: Outcome::Win,
    };
    let pairs = [pair(3.0, 1.0), pair(2.0, 6.0)];
    let linear = fit("linear", &pairs).unwrap();
    assert_eq!(linear.preference(3.0, 2.0), 0.5 + 1.0 / 8.0);
    assert_eq!(
        linear.preference(9.0, 1.0),
        1.0,
        "beyond the largest difference, 4"
    );
    let btl = fit("btl", &pairs).unwrap();
    assert_eq!(btl.preference(2.0, 4.0), 0.25, "floor 1: strengths 1 and 3");
    assert_eq!(btl.preference(4.0, 1.0), 1.0);
    assert_eq!(btl.preference(1.0, -5.0), 0.5, "both at or below the floor");
}

#[test]
fn the_logistic_scale_is_recovered_on_any_scale() {
    // The standard error of the scale at 20 000 pairs is about 1.5 %.
    for scale in [1e-6, 0.2, 1.0, 50.0] {
        let mut rng = Seed(2).stream("links", 0);
        let pairs = simulated(20_000, scale, 0.0, &mut rng);
        let link = fit("btl-logistic", &pairs).unwrap();
        let ratio = link.parameters().0["scale"] / (0.7 * scale);
        assert!((ratio - 1.0).abs() < 0.06, "{ratio} times the true scale");
    }
}

fn cross_entropy(pairs: &[LabelledScorePair], scale: f64) -> f64 {
    // −ln p and −ln(1 − p) as they are computed without overflow.
    let surprise = |x: f64| (-x).max(0.0) + (-x.abs()).exp().ln_1p();
    let one = |pair: &LabelledScorePair| {
        let x = (pair.first - pair.second) / scale;
        let w = pair.outcome.value();
        w * surprise(x) + (1.0 - w) * surprise(-x)
    };
    pairs.iter().map(one).sum::<f64>() / pairs.len() as f64
}

#[test]
fn the_logistic_scale_beats_the_papers_grid_of_a_thousand() {
    let mut rng = Seed(3).stream("links", 0);
    let pairs = simulated(500, 0.3, 0.3, &mut rng);
    let scale = fit("btl-logistic", &pairs).unwrap().parameters().0["scale"];
    let grid = (0..1000).map(|i| 0.005 + 0.995 * f64::from(i) / 999.0);
    let best = grid.min_by(|a, b| cross_entropy(&pairs, *a).total_cmp(&cross_entropy(&pairs, *b)));
    let best = best.unwrap();
    assert!(cross_entropy(&pairs, scale) <= cross_entropy(&pairs, best));
    assert!((scale - best).abs() < 0.001, "{scale}, on the grid {best}");
}

#[test]
fn scores_that_always_or_never_agree_with_people_still_have_a_scale() {
    let pairs = |outcome| {
        let one = |i: i32| LabelledScorePair {
            first: f64::from(i),
            second: 0.0,
            outcome,
        };
        (1..20).map(one).collect::<Vec<_>>()
    };
    let separable = fit("btl-logistic", &pairs(Outcome::Win)).unwrap();
    assert!(separable.preference(2.0, 1.0) > 0.999);
    let reversed = fit("btl-logistic", &pairs(Outcome::Loss)).unwrap();
    let p = reversed.preference(2.0, 1.0);
    assert!((0.5..0.501).contains(&p), "{p}");
}

#[test]
fn without_pairs_or_differences_there_is_nothing_to_fit() {
    let same = LabelledScorePair {
        first: 3.0,
        second: 3.0,
        outcome: Outcome::Tie,
    };
    for entry in LINKS {
        for pairs in [&[][..], &[same, same]] {
            let error = (entry.build.fit)(pairs).err().unwrap();
            assert!(error.to_string().contains(entry.name), "{error}");
            assert!(error.hint().is_some());
        }
    }
    let provenance = Provenance {
        metric: "chrf".into(),
        signature: "chrf".into(),
        data: "sha256:00".into(),
    };
    let odd = LabelledScorePair {
        first: f64::NAN,
        ..same
    };
    let odd = ItemScorePairs {
        item: "1".into(),
        pairs: vec![odd],
    };
    let error = Calibration::fit("linear", provenance, &[odd]).unwrap_err();
    assert!(error.to_string().contains("NaN"), "{error}");
}

/// The truth of a link fitted to a few pairs: its accuracy on a great many like them.
fn accuracy_elsewhere(calibration: &Calibration, rng: &mut Rng) -> f64 {
    let other = ItemScorePairs {
        item: "elsewhere".into(),
        pairs: simulated(4000, 1.0, 0.3, rng),
    };
    calibration
        .on("other data")
        .unwrap()
        .accuracy(&[other])
        .unwrap()
}

#[test]
fn held_out_accuracy_is_not_too_good() {
    const RUNS: u64 = 100;
    let (mut in_sample, mut held_out, mut truth) = (0.0, 0.0, 0.0);
    for run in 0..RUNS {
        let mut rng = Seed(12).stream("links", run);
        let of_item = |item: usize, rng: &mut Rng| ItemScorePairs {
            item: item.to_string(),
            pairs: simulated(2, 1.0, 0.3, rng),
        };
        let items: Vec<ItemScorePairs> = (0..30).map(|item| of_item(item, &mut rng)).collect();
        let provenance = Provenance {
            metric: "chrf".into(),
            signature: "chrf".into(),
            data: "sha256:00".into(),
        };
        let fitted = Calibration::fit("btl-logistic", provenance, &items).unwrap();
        in_sample += fitted.accuracy / RUNS as f64;
        held_out += fitted.held_out.unwrap() / RUNS as f64;
        truth += accuracy_elsewhere(&fitted, &mut rng) / RUNS as f64;
    }
    // Of 60 judgments a share has a standard deviation of 6.4 %, its mean over 100 runs of 0.64 %.
    assert!(in_sample > truth + 0.02, "{in_sample} {truth}");
    assert!((held_out - truth).abs() < 0.02, "{held_out} {truth}");
}

/// Every pair of the grid tried on every judgment, τ1 varying fastest.
fn best_thresholds(judged: &[(f64, Outcome)]) -> (f64, f64) {
    let mut best = (-1.0, (0.0, 0.0));
    for upper in 500..=600 {
        for lower in 400..=500 {
            let (tau1, tau2) = (f64::from(lower) / 1000.0, f64::from(upper) / 1000.0);
            let accuracy = Thresholds::new(tau1, tau2)
                .unwrap()
                .accuracy(judged)
                .unwrap();
            if accuracy > best.0 {
                best = (accuracy, (tau1, tau2));
            }
        }
    }
    best.1
}

#[test]
fn thresholds_agree_with_trying_them_all() {
    for case in 0..40 {
        let mut rng = Seed(4).stream("thresholds", case);
        let n = 1 + rng.below(60);
        let ties = rng.uniform();
        let mut one = || {
            // Some preferences exactly on the grid, most within it.
            let p = match rng.below(3) {
                0 => (400 + rng.below(201)) as f64 / 1000.0,
                1 => 0.38 + 0.24 * rng.uniform(),
                _ => rng.uniform(),
            };
            let outcome = match (rng.bernoulli(ties), rng.bernoulli(p)) {
                (true, _) => Outcome::Tie,
                (_, true) => Outcome::Win,
                (_, false) => Outcome::Loss,
            };
            (p, outcome)
        };
        let judged: Vec<_> = (0..n).map(|_| one()).collect();
        let found = Thresholds::fit(&judged);
        assert_eq!(
            (found.tau1(), found.tau2()),
            best_thresholds(&judged),
            "case {case}"
        );
    }
}

#[test]
fn an_outcome_on_a_threshold_is_a_tie() {
    let thresholds = Thresholds::new(0.4, 0.6).unwrap();
    let outcomes = [0.39, 0.4, 0.5, 0.6, 0.61].map(|p| thresholds.outcome(p).value());
    assert_eq!(outcomes, [0.0, 0.5, 0.5, 0.5, 1.0]);
    assert!(Thresholds::new(0.6, 0.4).is_err());
    assert!(Thresholds::new(f64::NAN, 0.4).is_err());
    assert_eq!(thresholds.accuracy(&[]), None);
    assert_eq!(Thresholds::fit(&[]), Thresholds::default());
}

#[test]
fn draws_are_linked_one_by_one() {
    let mut rng = Seed(5).stream("links", 0);
    let link = fit("btl-logistic", &simulated(100, 1.0, 0.1, &mut rng)).unwrap();
    let (a, b) = ([0.1, 0.4, 0.3], [0.2, 0.1, 0.3]);
    let scored = |score, draws| SampledScore { score, draws };
    let found = Preference::direct(&*link, scored(0.3, &a), scored(0.2, &b)).unwrap();
    assert_eq!(found.p, link.preference(0.3, 0.2));
    let expected: Vec<f64> = (0..3).map(|l| link.preference(a[l], b[l])).collect();
    assert_eq!(found.draws, expected);
    let unequal = Preference::direct(&*link, scored(0.3, &a), scored(0.2, &b[..2])).unwrap_err();
    assert!(unequal.to_string().contains("3 draws"), "{unequal}");
    assert!(Preference::direct(&*link, scored(f64::NAN, &a), scored(0.2, &b)).is_err());
}

/// Scores an output by its number of characters, and draw l by l characters more.
struct Length;

impl Metric for Length {
    fn signature(&self) -> Signature {
        Signature::new("length").with("version", 1)
    }

    fn score(&self, segments: &[Segment<'_>]) -> tiebreak::Result<Vec<f64>> {
        let length = |segment: &Segment<'_>| segment.hypothesis.len() as f64;
        Ok(segments.iter().map(length).collect())
    }

    fn draws(&self, segments: &[Segment<'_>], _: usize) -> tiebreak::Result<Option<DrawMatrix>> {
        let scores = self.score(segments)?;
        let drawn = scores.iter().flat_map(|score| [*score, score + 1.0]);
        Ok(Some(DrawMatrix::new(drawn.collect(), 2)))
    }
}

#[test]
fn any_metric_with_any_link_is_a_pairwise_model() {
    let pair = LabelledScorePair {
        first: 0.0,
        second: 10.0,
        outcome: Outcome::Loss,
    };
    let model = Direct {
        metric: Box::new(Length),
        link: fit("btl", &[pair]).unwrap(),
        name: "btl".into(),
    };
    assert_eq!(
        model.signature().to_string(),
        "btl|floor:0|metric:length|version:1"
    );
    let contest = |a, b| Contest {
        a,
        b,
        source: None,
        references: &[],
    };
    let found = model.predict(&[contest("abc", "a"), contest("a", "abc"), contest("", "")]);
    let found = found.unwrap();
    assert_eq!(
        (found[0].p, &found[0].draws[..]),
        (0.75, &[0.75, 4.0 / 6.0][..])
    );
    assert_eq!((found[1].p, found[1].draws[0]), (0.25, 0.25));
    assert_eq!(found[2].p, 0.5);
}

#[test]
fn where_lower_is_better_the_lower_score_is_preferred() {
    let pairs = [
        LabelledScorePair {
            first: 10.0,
            second: 60.0,
            outcome: Outcome::Loss,
        },
        LabelledScorePair {
            first: 20.0,
            second: 30.0,
            outcome: Outcome::Loss,
        },
    ];
    let references = ["a b c d".to_string()];
    let contest = |a, b| Contest {
        a,
        b,
        source: None,
        references: &references,
    };
    for (name, good) in [("chrf", "a b c d"), ("ter", "a b c d"), ("wer", "a b c d")] {
        for entry in LINKS {
            let build = find_entry("metric", METRICS, name).unwrap().build.build;
            let model = Direct {
                metric: build(&Params::default(), &Env::default()).unwrap(),
                link: fit(entry.name, &pairs).unwrap(),
                name: entry.name.into(),
            };
            let found = model.predict(&[contest(good, "a x y d"), contest("a x y d", good)]);
            let found = found.unwrap();
            assert!(found[0].p > 0.5, "{name} {}: {}", entry.name, found[0].p);
            assert_eq!(found[0].p + found[1].p, 1.0, "{name} {}", entry.name);
        }
    }
}

#[test]
fn fitted_links_are_restored_from_their_parameters_only() {
    let mut rng = Seed(6).stream("links", 0);
    let pairs = simulated(50, 1.0, 0.1, &mut rng);
    for entry in LINKS {
        let fitted = (entry.build.fit)(&pairs).unwrap();
        let stored = fitted.parameters();
        let restored = (entry.build.restore)(&stored).unwrap();
        assert_eq!(restored.preference(0.3, -0.2), fitted.preference(0.3, -0.2));
        let mut more = stored.clone();
        more.0.insert("other".into(), 1.0);
        assert!((entry.build.restore)(&more).is_err(), "{}", entry.name);
        assert!((entry.build.restore)(&Parameters::default()).is_err());
        let nan = stored.0.keys().map(|key| (key.clone(), f64::NAN));
        assert!((entry.build.restore)(&Parameters(nan.collect())).is_err());
    }
}
