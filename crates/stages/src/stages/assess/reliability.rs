//! Reliability in bins (whether what is forecast with 70 % happens 70 times in a hundred), and the
//! expected calibration error.
//!
//! Sources: DeGroot and Fienberg, "The comparison and evaluation of forecasters", The Statistician
//! 1983; Naeini, Cooper and Hauskrecht, "Obtaining well calibrated probabilities using Bayesian
//! binning", AAAI 2015; Guo et al., "On calibration of modern neural networks", ICML 2017.
//!
//! Every forecast is seen from the likelier side, so bins of equal width cover [½, 1] and the side
//! named first does not matter. The error Σ nᵦ/n |mean outcome − mean forecast| is above 0 even for
//! perfect forecasts, by chance; [`expected_by_chance`] says by how much.

use std::f64::consts::FRAC_2_PI;
use tiebreak_base::stats::forecast::Forecast;

/// Forecasts of nearly the same probability.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bin {
    /// Lowest probability of the likelier side.
    pub lower: f64,
    /// The highest.
    pub upper: f64,
    /// The number of forecasts, by weight.
    pub weight: f64,
    forecasts: f64,
    outcomes: f64,
    /// The weighted sum of (outcome − forecast)².
    squares: f64,
}

impl Bin {
    /// Mean forecast, `None` for an empty bin.
    pub(crate) fn forecast(&self) -> Option<f64> {
        (self.weight > 0.0).then(|| self.forecasts / self.weight)
    }

    /// Σ (outcome − forecast), which is nᵦ times the difference of their means.
    fn gap(&self) -> f64 {
        self.outcomes - self.forecasts
    }
}

/// The bin of a forecast, out of `count`.
pub(crate) fn bin_index(forecast: Forecast, count: usize) -> usize {
    let n = count as f64;
    // Not (2p − 1)n, whose rounding would put an edge such as 0.6 into the bin below.
    let place = 2.0 * forecast.folded().p * n - n;
    (place as usize).min(count - 1)
}

/// Weighted forecasts in `count` bins, at least one.
pub(crate) fn bins(forecasts: impl IntoIterator<Item = (Forecast, f64)>, count: usize) -> Vec<Bin> {
    let edge = |bin: usize| 0.5 + 0.5 * bin as f64 / count as f64;
    let empty = |bin: usize| Bin {
        lower: edge(bin),
        upper: edge(bin + 1),
        weight: 0.0,
        forecasts: 0.0,
        outcomes: 0.0,
        squares: 0.0,
    };
    let mut bins: Vec<Bin> = (0..count).map(empty).collect();
    for (forecast, weight) in forecasts {
        let bin = &mut bins[bin_index(forecast, count)];
        let Forecast { p, outcome } = forecast.folded();
        bin.weight += weight;
        bin.forecasts += weight * p;
        bin.outcomes += weight * outcome;
        bin.squares += weight * (outcome - p).powi(2);
    }
    bins
}

/// The expected calibration error, in [0, 1]; `None` where all bins are empty.
pub(crate) fn calibration_error(bins: &[Bin]) -> Option<f64> {
    let all: f64 = bins.iter().map(|bin| bin.weight).sum();
    (all > 0.0).then(|| bins.iter().map(|bin| bin.gap().abs()).sum::<f64>() / all)
}

/// The calibration error that perfectly calibrated forecasts with as much spread would show by
/// chance: outcome − forecast then has mean 0 in every bin, and the absolute value of a normal mean
/// of nᵦ of them with variance v is √(2v/(π nᵦ)) on average. Assumes independent outcomes.
pub(crate) fn expected_by_chance(bins: &[Bin]) -> Option<f64> {
    let all: f64 = bins.iter().map(|bin| bin.weight).sum();
    let spread = |bin: &Bin| {
        let variance = match bin.weight {
            weight if weight > 1.0 => (bin.squares - bin.gap().powi(2) / weight) / (weight - 1.0),
            _ => 0.0,
        };
        (FRAC_2_PI * variance.max(0.0) * bin.weight).sqrt()
    };
    (all > 0.0).then(|| bins.iter().map(spread).sum::<f64>() / all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::rng::Seed;

    fn forecast(p: f64, outcome: f64) -> (Forecast, f64) {
        (Forecast { p, outcome }, 1.0)
    }

    #[test]
    fn bins_by_hand() {
        let seen = [
            forecast(0.5, 1.0),
            forecast(0.6, 1.0),
            forecast(0.3, 1.0),
            forecast(1.0, 1.0),
            forecast(0.0, 0.5),
        ];
        let bins = bins(seen, 5);
        let weights: Vec<f64> = bins.iter().map(|bin| bin.weight).collect();
        assert_eq!(weights, [1.0, 1.0, 1.0, 0.0, 2.0]);
        let outcomes: Vec<f64> = bins.iter().map(|bin| bin.outcomes).collect();
        assert_eq!(outcomes, [0.5, 1.0, 0.0, 0.0, 1.5]);
        assert_eq!((bins[2].forecast(), bins[3].forecast()), (Some(0.7), None));
        // Gaps 0, 0.4, 0.7, and 0.25 for two.
        let error = calibration_error(&bins).unwrap();
        assert!((error - (0.4 + 0.7 + 2.0 * 0.25) / 5.0).abs() < 1e-12);
        assert_eq!(calibration_error(&super::bins([], 5)), None);
    }

    #[test]
    fn weights_are_repetitions() {
        let seen = [forecast(0.8, 1.0), forecast(0.8, 0.0), forecast(0.1, 0.5)];
        let weighted = seen.iter().zip([2.0, 0.0, 3.0]).map(|(&(f, _), w)| (f, w));
        let repeated = [seen[0], seen[0], seen[2], seen[2], seen[2]];
        let (one, other) = (bins(weighted, 4), bins(repeated, 4));
        let errors = [&one, &other].map(|bins| calibration_error(bins).unwrap());
        assert!((errors[0] - errors[1]).abs() < 1e-12);
        let chance = [&one, &other].map(|bins| expected_by_chance(bins).unwrap());
        assert!((chance[0] - chance[1]).abs() < 1e-9);
    }

    /// Mean calibration error of `runs` samples of `n` outcomes that happen as forecast after
    /// `bend`, and the mean of what is expected by chance.
    fn simulated(n: usize, runs: u64, bend: fn(f64) -> f64) -> (f64, f64) {
        let (mut error, mut chance) = (0.0, 0.0);
        for run in 0..runs {
            let mut rng = Seed(11).stream("test", run);
            let sample: Vec<_> = (0..n)
                .map(|_| {
                    let p = rng.uniform();
                    let won = rng.bernoulli(bend(p));
                    let tied = rng.bernoulli(0.2);
                    // A tie says the same as win and loss by a coin.
                    let halved = if tied { 0.5 } else { f64::from(u8::from(won)) };
                    forecast(if tied { 0.5 } else { p }, halved)
                })
                .collect();
            let bins = bins(sample, 10);
            error += calibration_error(&bins).unwrap() / runs as f64;
            chance += expected_by_chance(&bins).unwrap() / runs as f64;
        }
        (error, chance)
    }

    #[test]
    fn perfect_forecasts_err_as_much_as_chance_explains_and_others_more() {
        // Bins of a few, nearly certain forecasts often show no variance at all.
        for (n, tolerance) in [(200, 0.12), (2000, 0.04)] {
            let (error, chance) = simulated(n, 200, |p| p);
            let excess = error / chance - 1.0;
            assert!(excess.abs() < tolerance, "{n}: {error} {chance}");
        }
        // Outcomes nearer to ½ than forecast: the folded gap is (p − ½)/2, on average 1/8, for
        // the four fifths that are no ties.
        let (error, chance) = simulated(2000, 20, |p| 0.25 + 0.5 * p);
        assert!((error - 0.1).abs() < 0.01, "{error}");
        assert!(chance < 0.03, "{chance}");
    }
}
