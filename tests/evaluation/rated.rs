//! Variance components, their intervals, and the oracles of data efficiency, where the truth is known.

use crate::estimators::{World, build};
use tiebreak::estimators::{Judgments, Population, ScoredJudgment, VarianceComponents};
use tiebreak::evaluation::data_efficiency::{Campaigns, ComparedEstimator};
use tiebreak::evaluation::ratings::{Resampling, SystemRatings};
use tiebreak::rng::Seed;
use tiebreak::stats::moments::Moments;

const WORLD: World = World {
    signal: 3.0,
    noise: 2.0,
    rho: 0.6,
};

/// Three systems, far apart, with one to four judgments of each output.
fn systems(items: u32, campaign: u64) -> Vec<Judgments> {
    let system = |place: u64| {
        let mut rng = Seed(21).stream("campaign", 3 * campaign + place);
        let judged = WORLD.judge(items, |item| 1 + item % 4, &mut rng);
        let mut moved = Judgments::new(1);
        for one in judged.rows() {
            let y = one.y + 10.0 * place as f64;
            moved.push(ScoredJudgment { y, ..one });
        }
        moved
    };
    (0..3).map(system).collect()
}

#[test]
fn pooled_components_are_unbiased_under_unequal_numbers() {
    let mut found = [Moments::default(); 3];
    for campaign in 0..2000 {
        let ratings = SystemRatings::new(&systems(12, campaign));
        let all: Vec<usize> = (0..ratings.items()).collect();
        let of = VarianceComponents::pooled(&ratings.outputs(&all)).unwrap();
        found[0].push(of.signal);
        found[1].push(of.noise);
        found[2].push(of.covariance);
    }
    // Cov(f, g) = ρ σ_f σ_g.
    for (moments, truth) in found.iter().zip([9.0, 4.0, 0.6 * 3.0 * 5.0]) {
        let error = (moments.sample_variance().unwrap() / 2000.0).sqrt();
        let bias = (moments.mean().unwrap() - truth) / error;
        assert!(
            bias.abs() < 4.0,
            "{truth} is missed by {bias} standard errors"
        );
    }
}

#[test]
fn intervals_of_gamma_cover_it() {
    let mut covered = 0;
    for campaign in 0..300 {
        let ratings = SystemRatings::new(&systems(80, campaign));
        let resampling = Resampling {
            resamples: 200,
            confidence: 0.9,
            seed: Seed(campaign),
        };
        let found = ratings.bounded(&resampling, |items| {
            let of = VarianceComponents::pooled(&ratings.outputs(items));
            vec![of.and_then(|of| of.gamma())]
        });
        let (lower, upper) = found[0].interval.unwrap();
        covered += u32::from((lower..=upper).contains(&(4.0 / 9.0)));
    }
    // 0.9 of 300 is 270 with a standard error of 5.2; percentile intervals are a little short.
    assert!((250..=290).contains(&covered), "{covered} of 300");
}

#[test]
fn oracles_save_what_the_formulas_say() {
    // Each output is judged by k = 3 people. With v = σ_f² + σ_a²/k and T = σ_f² + σ_a²:
    let k = 3.0;
    let (signal, noise) = (9.0, 4.0);
    let (total, of_means) = (signal + noise, signal + noise / k);
    let explained = 0.36 * signal;
    let others = signal / (signal + noise / (k - 1.0));
    let expected = [
        total / (total - explained),
        total / (of_means - explained),
        // The judgment predicted is one of the three: too good by k/(k − 1).
        total / noise * k / (k - 1.0),
        total / (total - others * signal),
    ];
    let judged = WORLD.judge(3000, |_| 3, &mut Seed(22).stream("campaign", 0));
    let own = Population::from_scores(judged.rows().map(|one| one.g[0]));
    let noiseless = judged.noiseless_humans();
    let (perfect, of_perfect) = judged.perfect_metric();
    let (loo, of_loo) = judged.leave_one_out();
    let helped = || build("control-variates", &own);
    let methods = [
        ComparedEstimator {
            judged: &judged,
            make: &|| build("mean", &Population::default()),
        },
        ComparedEstimator {
            judged: &judged,
            make: &helped,
        },
        ComparedEstimator {
            judged: &noiseless,
            make: &helped,
        },
        ComparedEstimator {
            judged: &perfect,
            make: &|| build("control-variates", &of_perfect),
        },
        ComparedEstimator {
            judged: &loo,
            make: &|| build("control-variates", &of_loo),
        },
    ];
    let campaigns = Campaigns {
        methods: &methods,
        checkpoints: &[200, 300, 400],
        runs: 2000,
        confidence: 0.8,
        seed: Seed(23),
    };
    let found = campaigns.run().unwrap();
    for (place, expected) in expected.into_iter().enumerate() {
        // Squared ratios of widths over 2000 runs: about 4 %; the 3000 items: about 3 %.
        let ratio = found.efficiency(place + 1).unwrap() / expected;
        assert!(
            (0.88..1.12).contains(&ratio),
            "method {place}: {ratio} of {expected}"
        );
    }
}

#[test]
fn campaigns_refuse_what_makes_no_sense() {
    let judged = WORLD.judge(5, |_| 1, &mut Seed(1).stream("campaign", 0));
    let mean = || build("mean", &Population::default());
    let method = |judged| ComparedEstimator {
        judged,
        make: &mean,
    };
    let refused = |methods: &[ComparedEstimator<'_>], checkpoints: &[u32], runs, confidence| {
        let campaigns = Campaigns {
            methods,
            checkpoints,
            runs,
            confidence,
            seed: Seed(1),
        };
        campaigns.run().err().expect("an error").to_string()
    };
    let none = Judgments::default();
    let fewer: Judgments = judged.rows().skip(1).collect();
    let one = [method(&judged)];
    let two = [method(&judged), method(&fewer)];
    assert!(refused(&[method(&none)], &[5], 9, 0.8).contains("no judgments"));
    assert!(refused(&two, &[5], 9, 0.8).contains("different items"));
    assert!(refused(&one, &[0], 9, 0.8).contains("no number"));
    assert!(refused(&one, &[5], 1, 0.8).contains("at least 2"));
    assert!(refused(&one, &[5], 9, 1.0).contains("between 0 and 1"));
}
