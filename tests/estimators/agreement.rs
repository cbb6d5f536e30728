//! Estimators against slow, obvious computations of the same thing.

use super::{World, build, fed};
use tiebreak::estimators::{Judgments, Population, ScoredJudgment, analyse};
use tiebreak::rng::Seed;

const WORLD: World = World {
    signal: 3.0,
    noise: 2.0,
    rho: 0.8,
};

fn judged() -> Judgments {
    WORLD.judge(80, |item| 1 + item % 3, &mut Seed(3).stream("world", 0))
}

fn mean(values: impl Iterator<Item = f64> + Clone) -> f64 {
    values.clone().sum::<f64>() / values.count() as f64
}

#[test]
fn every_prefix_is_algorithm_1_read_literally() {
    let (judged, population) = (judged(), World::population());
    let mut online = build("control-variates", &population).unwrap();
    for n in 1..=judged.len() {
        online.push(&judged.get(n - 1));
        let y = judged.rows().take(n).map(|one| one.y);
        let g = judged.rows().take(n).map(|one| (one.g[0] - 20.0) / 5.0);
        let y_bar = mean(y.clone());
        let alpha = mean(y.clone().zip(g.clone()).map(|(y, g)| (y - y_bar) * g));
        let value = mean(y.zip(g).map(|(y, g)| y - alpha * g));
        let estimate = online.estimate(0.9).unwrap();
        assert!((estimate.value - value).abs() < 1e-9, "n = {n}");
        assert!((estimate.alpha.unwrap() - alpha).abs() < 1e-9, "n = {n}");
        assert_eq!(Some(estimate.value), online.value());
        assert_eq!(estimate.n, n as u64);
    }
}

#[test]
fn alpha_is_the_least_squares_slope_when_the_sample_is_the_population() {
    let judged = judged();
    let population = Population::from_scores(judged.rows().map(|one| one.g[0]));
    let estimate = fed("control-variates", &population, &judged).estimate(0.9);
    // Slope of y on g by the normal equations, per standard deviation of g.
    let (y, g) = (
        judged.rows().map(|one| one.y),
        judged.rows().map(|one| one.g[0]),
    );
    let (y_bar, g_bar) = (mean(y.clone()), mean(g.clone()));
    let cross = mean(y.zip(g.clone()).map(|(y, g)| (y - y_bar) * (g - g_bar)));
    let slope = cross / mean(g.map(|g| (g - g_bar).powi(2)));
    let estimate = estimate.unwrap();
    assert!((estimate.alpha.unwrap() / (slope * population.variance(0).sqrt()) - 1.0).abs() < 1e-9);
    // And with ḡ at the population's mean, there is nothing to correct.
    assert!((estimate.value - y_bar).abs() < 1e-9);
}

#[test]
fn units_of_the_metric_do_not_matter() {
    let (judged, population) = (judged(), World::population());
    let plain = fed("control-variates", &population, &judged)
        .estimate(0.9)
        .unwrap();
    for (scale, shift) in [(0.01, 0.0), (100.0, -7.0), (-3.0, 1e4)] {
        let mut moved = Judgments::new(1);
        for one in judged.rows() {
            moved.push(ScoredJudgment {
                g: &[scale * one.g[0] + shift],
                ..one
            });
        }
        let population = Population {
            mean: vec![scale * population.mean[0] + shift],
            covariance: vec![scale * scale * population.variance(0)],
            ..population.clone()
        };
        let other = fed("control-variates", &population, &moved)
            .estimate(0.9)
            .unwrap();
        assert!((plain.value - other.value).abs() < 1e-8);
        let (one, two) = (plain.interval.unwrap(), other.interval.unwrap());
        assert!((one.width() - two.width()).abs() < 1e-8);
        let sign = f64::signum(scale);
        assert!((plain.alpha.unwrap() - sign * other.alpha.unwrap()).abs() < 1e-8);
    }
}

#[test]
fn a_constant_metric_and_a_given_alpha_of_zero_equal_the_mean() {
    let judged = judged();
    let mean = fed("mean", &Population::default(), &judged)
        .estimate(0.9)
        .unwrap();
    let constant = Population {
        covariance: vec![0.0],
        ..World::population()
    };
    for (text, population) in [
        ("control-variates", &constant),
        ("control-variates:alpha=3", &constant),
        ("control-variates:alpha=0", &World::population()),
    ] {
        let found = fed(text, population, &judged).estimate(0.9).unwrap();
        assert_eq!(
            (found.value, found.interval),
            (mean.value, mean.interval),
            "{text}"
        );
        assert_eq!(found.alpha, Some(0.0));
    }
    assert_eq!(mean.alpha, None);
}

#[test]
fn single_judgments_have_the_textbook_interval() {
    let judged = [2.0, 4.0, 4.0, 5.0, 10.0];
    let judged = judged
        .iter()
        .zip(0..)
        .map(|(&y, item)| ScoredJudgment::new(item, y, &[]));
    let judged: Judgments = judged.collect();
    let estimate = fed("mean:interval=normal", &Population::default(), &judged)
        .estimate(0.95)
        .unwrap();
    let interval = estimate.interval.unwrap();
    assert_eq!(estimate.value, 5.0);
    // s² = 9, so the standard error is 3/√5; t(0.975, 4) = 2.7764451051977987.
    assert!((interval.standard_error.unwrap() - 3.0 / 5_f64.sqrt()).abs() < 1e-12);
    let reach = 2.776_445_105_197_798_7 * 3.0 / 5_f64.sqrt();
    assert!((interval.lower - (5.0 - reach)).abs() < 1e-9);
    assert!((interval.upper - (5.0 + reach)).abs() < 1e-9);
}

#[test]
fn asking_the_same_judgment_of_everyone_adds_nothing() {
    // Each judgment ten times over is ten times as many numbers and not one more item.
    let once = WORLD.judge(50, |_| 1, &mut Seed(4).stream("world", 0));
    let often: Judgments = once.rows().flat_map(|one| [one; 10]).collect();
    for text in ["mean", "control-variates", "mean:interval=bootstrap"] {
        let population = World::population();
        let one = fed(text, &population, &once).estimate(0.9).unwrap();
        let ten = fed(text, &population, &often).estimate(0.9).unwrap();
        let (one, ten) = (one.interval.unwrap(), ten.interval.unwrap());
        assert!(
            (one.standard_error.unwrap() / ten.standard_error.unwrap() - 1.0).abs() < 1e-9,
            "{text}"
        );
        assert!((one.width() / ten.width() - 1.0).abs() < 1e-9, "{text}");
    }
}

#[test]
fn a_row_has_the_papers_data_efficiency() {
    // (1 + γ)/(1 − ρ² + γ) from the components equals 1/(1 − corr²) from the judgments.
    let judged = WORLD.judge(20_000, |_| 2, &mut Seed(5).stream("world", 0));
    let mut estimator = build("control-variates", &World::population()).unwrap();
    let row = analyse(&mut *estimator, &judged, 0.95, None).unwrap();
    let (rho, gamma) = (row.rho.unwrap(), row.gamma.unwrap());
    let papers = (1.0 + gamma) / (1.0 - rho * rho + gamma);
    let ratio = row.data_efficiency.unwrap() / papers;
    assert!((ratio - 1.0).abs() < 0.01, "{ratio}");
    assert_eq!((row.n, row.items), (40_000, 20_000));
}
