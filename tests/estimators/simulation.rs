//! What theory promises, over many simulated campaigns with fixed seeds. A tolerance of z standard
//! errors of the simulation is stated with each claim.

use super::{World, build, fed};
use tiebreak::estimators::{Judgments, Population, ScoredJudgment};
use tiebreak::evaluation::data_efficiency::{Campaigns, ComparedEstimator};
use tiebreak::rng::{Rng, Seed};
use tiebreak::stats::moments::Moments;

const WORLD: World = World {
    signal: 3.0,
    noise: 2.0,
    rho: 0.8,
};

/// The estimates of many campaigns of `n` single judgments.
fn values(estimator: &str, n: u32, campaigns: u64) -> Moments {
    (0..campaigns)
        .map(|i| {
            let judged = WORLD.judge(n, |_| 1, &mut Seed(11).stream("campaign", i));
            let estimator = fed(estimator, &World::population(), &judged);
            estimator.value().unwrap()
        })
        .collect()
}

fn bias_in_standard_errors(values: &Moments) -> f64 {
    let error = (values.sample_variance().unwrap() / values.count() as f64).sqrt();
    (values.mean().unwrap() - World::MEAN) / error
}

#[test]
fn the_mean_and_a_given_alpha_are_unbiased() {
    for estimator in [
        "mean",
        "control-variates:alpha=2.4",
        "control-variates:alpha=-1",
    ] {
        let bias = bias_in_standard_errors(&values(estimator, 5, 20_000));
        assert!(
            bias.abs() < 4.0,
            "{estimator} is off by {bias} standard errors"
        );
    }
}

#[test]
fn the_bias_of_a_fitted_alpha_falls_like_one_over_n() {
    // With y = g² and a standard normal g, μ̂ = m2 − (m3 − m2 m1) m1 in sample moments, so that
    // E[μ̂] − 1 = −3/n + (n + 2)/n² = −2/n + 2/n² exactly.
    let bias = |n: u32| {
        let all: Moments = (0..40_000)
            .map(|i| {
                let mut rng = Seed(12).stream("campaign", i);
                let judged = WORLD.judge(n, |_| 1, &mut rng);
                let judged: Judgments = judged
                    .rows()
                    .map(|one| ScoredJudgment {
                        y: ((one.g[0] - 20.0) / 5.0).powi(2),
                        ..one
                    })
                    .collect();
                let estimator = fed("control-variates", &World::population(), &judged);
                estimator.value().unwrap() - 1.0
            })
            .collect();
        let error = (all.sample_variance().unwrap() / 40_000.0).sqrt();
        (all.mean().unwrap(), error)
    };
    for n in [10, 40] {
        let (found, error) = bias(n);
        let n = f64::from(n);
        let expected = -2.0 / n + 2.0 / (n * n);
        assert!(
            (found - expected).abs() < 4.0 * error,
            "n = {n}: {found}, expected {expected}"
        );
        assert!(
            found < -4.0 * error,
            "n = {n}: the bias {found} should be visible"
        );
    }
}

#[test]
fn the_variance_is_that_of_theorem_3_1() {
    // 20 000 variances of near-normal values have a relative error of 1 %; fitting α adds about
    // (1 + corr²)/n, 2 % at n = 80.
    let n = 80;
    for (estimator, expected) in [
        ("mean", WORLD.signal.powi(2) + WORLD.noise.powi(2)),
        ("control-variates:alpha=2.4", WORLD.residual_variance()),
        (
            "control-variates",
            WORLD.residual_variance() * (1.0 + 1.5 / 80.0),
        ),
    ] {
        let variance = values(estimator, n, 20_000).sample_variance().unwrap();
        let ratio = variance * f64::from(n) / expected;
        assert!(
            (ratio - 1.0).abs() < 0.04,
            "{estimator}: {ratio} times the theorem's"
        );
    }
}

/// How often intervals from such judgments contain the truth.
fn covered(estimator: &str, campaigns: u64, judge: impl Fn(&mut Rng) -> Judgments) -> f64 {
    let intervals: Vec<(f64, f64)> = (0..campaigns)
        .map(|i| {
            let judged = judge(&mut Seed(13).stream("campaign", i));
            let estimator = fed(estimator, &World::population(), &judged);
            let interval = estimator.estimate(0.9).unwrap().interval.unwrap();
            (interval.lower, interval.upper)
        })
        .collect();
    let covering = intervals
        .iter()
        .filter(|(lower, upper)| (*lower..=*upper).contains(&World::MEAN));
    covering.count() as f64 / campaigns as f64
}

#[test]
fn normal_intervals_cover_as_often_as_they_say() {
    // The simulation's standard error is 0.0047 (4000 campaigns at 0.9).
    for (estimator, items) in [
        ("mean", 5),
        ("mean", 60),
        ("control-variates:alpha=2", 10),
        ("control-variates", 60),
        ("control-variates", 300),
    ] {
        let share = covered(estimator, 4000, |rng| WORLD.judge(items, |_| 1, rng));
        assert!(
            (share - 0.9).abs() < 0.017,
            "{estimator}, {items} items: {share}"
        );
    }
}

#[test]
fn repeated_judgments_do_not_make_intervals_overconfident() {
    // One to five judgments per item.
    let unequal = |rng: &mut Rng| WORLD.judge(60, |item| 1 + item % 5, rng);
    for estimator in ["mean", "control-variates"] {
        let share = covered(estimator, 4000, unequal);
        assert!((share - 0.9).abs() < 0.02, "{estimator}: {share}");
    }
    // The same, taking every judgment for an item of its own.
    let pretended = |rng: &mut Rng| {
        let judged = unequal(rng);
        let numbered = judged.rows().zip(0..);
        numbered
            .map(|(one, item)| ScoredJudgment { item, ..one })
            .collect()
    };
    let share = covered("mean", 4000, pretended);
    assert!(share < 0.8, "without clusters: {share}");
}

#[test]
fn bootstrap_intervals_cover_nearly_as_often() {
    // Percentile intervals are known to be short by a factor of about √((n − 1)/n) and for using
    // no t quantile: 1 % at 60 items. The simulation's standard error is 0.0095.
    for estimator in ["mean", "control-variates"] {
        let text = format!("{estimator}:interval=bootstrap,resamples=400");
        for annotators in [1, 3] {
            let share = covered(&text, 1000, |rng| WORLD.judge(60, |_| annotators, rng));
            assert!(
                (0.86..0.93).contains(&share),
                "{text}, {annotators} each: {share}"
            );
        }
    }
}

#[test]
fn rho_and_gamma_are_recovered_from_unequal_repeats() {
    // Per simulation, ρ̂ has a standard error of about 0.02 at 1500 items.
    for (signal, noise, rho) in [(3.0, 2.0, 0.8), (1.0, 2.0, 0.4), (2.0, 0.5, -0.6)] {
        let world = World { signal, noise, rho };
        let (mut rhos, mut gammas) = (Moments::default(), Moments::default());
        for i in 0..20 {
            let mut rng = Seed(14).stream("campaign", i);
            let judged = world.judge(1500, |item| 1 + item % 4, &mut rng);
            let components = judged.variance_components().unwrap();
            rhos.push(components.rho().unwrap());
            gammas.push(components.gamma().unwrap());
        }
        let (found, gamma) = (rhos.mean().unwrap(), (noise / signal).powi(2));
        assert!((found - rho).abs() < 0.02, "ρ is {rho}, found {found}");
        let found = gammas.mean().unwrap();
        assert!(
            (found / gamma - 1.0).abs() < 0.04,
            "γ is {gamma}, found {found}"
        );
    }
}

#[test]
fn variance_components_are_unbiased_under_unequal_repeats() {
    let world = World {
        signal: 1.0,
        noise: 2.0,
        rho: 0.5,
    };
    let (mut signal, mut noise) = (Moments::default(), Moments::default());
    for i in 0..20_000 {
        let mut rng = Seed(15).stream("campaign", i);
        let judged = world.judge(8, |item| [1, 1, 2, 2, 3, 4, 6, 9][item as usize], &mut rng);
        let components = judged.variance_components().unwrap();
        signal.push(components.signal);
        noise.push(components.noise);
    }
    for (found, truth) in [(signal, 1.0), (noise, 4.0)] {
        let error = (found.sample_variance().unwrap() / 20_000.0).sqrt();
        let off = (found.mean().unwrap() - truth) / error;
        assert!(
            off.abs() < 4.0,
            "{truth} is missed by {off} standard errors"
        );
    }
}

#[test]
fn resampled_campaigns_show_the_data_efficiency() {
    let mut rng = Seed(16).stream("world", 0);
    let judged = WORLD.judge(1000, |_| 1, &mut rng);
    // The judged outputs are the whole population here.
    let population = Population::from_scores(judged.rows().map(|one| one.g[0]));
    let methods = [
        ComparedEstimator {
            judged: &judged,
            make: &|| build("mean", &Population::default()),
        },
        ComparedEstimator {
            judged: &judged,
            make: &|| build("control-variates", &population),
        },
    ];
    let campaigns = Campaigns {
        methods: &methods,
        checkpoints: &[200, 50, 0, 50],
        runs: 4000,
        confidence: 0.9,
        seed: Seed(1),
    };
    let found = campaigns.run().unwrap();
    let [mean, controlled] = [0, 1].map(|method| found.spreads(method));
    assert_eq!(mean.iter().map(|of| of.0).collect::<Vec<_>>(), [50, 200]);
    let mut estimator = build("control-variates", &population).unwrap();
    let row = tiebreak::estimators::analyse(&mut *estimator, &judged, 0.9, None).unwrap();
    let expected = row.data_efficiency.unwrap();
    for ((n, mean), (_, controlled)) in mean.iter().zip(&controlled) {
        // Ratios of two variances over 4000 runs: about 3 %, and α̂ costs (1 + corr²)/n.
        let ratio = mean.variance / controlled.variance / expected;
        assert!((0.88..1.08).contains(&ratio), "n = {n}: {ratio}");
        let widths = (mean.width / controlled.width).powi(2) / expected;
        assert!((0.85..1.12).contains(&widths), "n = {n}: {widths}");
    }
    let averaged = found.efficiency(1).unwrap();
    let (lower, upper) = found.efficiency_interval(1, 200, 0.99, Seed(2)).unwrap();
    assert!(lower < averaged && averaged < upper && upper < 1.3 * lower);
    assert!((0.88..1.1).contains(&(averaged / expected)), "{averaged}");
    assert_eq!(found.efficiency(0), Some(1.0), "itself");
}
