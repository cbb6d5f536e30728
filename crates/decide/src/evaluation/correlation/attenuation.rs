//! What coefficients of systems' means would be without the noise of the items.
//!
//! The mean of n items is off by noise, which draws coefficients towards 0 (Spearman, "The proof and measurement of
//! association between two things", 1904), and a resample of the items adds as much again. Percentiles of resamples lie too
//! low twice over: 95 % intervals of Pearson's r for these systems covered .49 to .93, and none where noise is most. With S the covariances of people's
//! and a metric's means over systems, S* their mean in resamples and V = (S* − S)n/(n − 1) the noise, a resample's r is
//! that of
//! S + V where S − V is meant. So an end r becomes (r − 2V_xy/√(S*_xx S*_yy))/√((S_xx − V_xx)(S_yy − V_yy)/(S*_xx S*_yy)),
//! as if what is subtracted from resamples were known exactly (simulation and extrapolation: Cook and Stefanski, JASA
//! 1994). Spearman's ρ, Kendall's τ and accuracy take the way through the r of a normal law of the same coefficient.
//!
//! Of few systems a rank coefficient moves in steps that no extrapolation meets, so its interval holds the percentiles too.
//! Measured: `tests/evaluation/systems.rs`.

use super::{Coefficient, Grouping, Statistic};
use std::f64::consts::PI;
use tiebreak_base::stats::moments::{JointMoments, Moments};

/// The smallest attenuation that is taken back: below it systems differ hardly more than noise does.
const LEAST: f64 = 0.2;

/// The variances of two sides over systems, and their covariance.
type Covariances = [f64; 3];

/// A collector of the covariances in resamples of the items.
#[derive(Debug, Clone, Default)]
pub(super) struct ItemNoise {
    sums: Covariances,
    resamples: u32,
}

/// How much noise draws the coefficients of resamples towards 0.
#[derive(Debug, Clone, Copy)]
pub(super) struct Attenuation {
    factor: f64,
    /// The r that noise alone would make.
    shift: f64,
}

impl ItemNoise {
    /// Adds a resample by its two sides.
    pub(super) fn push(&mut self, sides: &[Vec<Option<f64>>; 2]) {
        if let Some(found) = covariances(sides) {
            let sums = self.sums.iter_mut().zip(found);
            sums.for_each(|(sum, one)| *sum += one);
            self.resamples += 1;
        }
    }

    /// The attenuation; `None` where the sides of all the data, over `items` items, do not differ by more than noise.
    pub(super) fn attenuation(
        &self,
        sides: &[Vec<Option<f64>>; 2],
        items: usize,
    ) -> Option<Attenuation> {
        let observed = covariances(sides)?;
        let resampled = self.sums.map(|sum| sum / f64::from(self.resamples));
        let unbiased = items as f64 / (items as f64 - 1.0);
        let noise = |at: usize| (resampled[at] - observed[at]) * unbiased;
        let reliability = |at: usize| (observed[at] - noise(at)).max(0.0) / resampled[at];
        let factor = (reliability(0) * reliability(1)).sqrt();
        // False for what is no number too.
        (factor >= LEAST).then(|| Attenuation {
            factor,
            shift: 2.0 * noise(2) / (resampled[0] * resampled[1]).sqrt(),
        })
    }
}

impl Attenuation {
    /// A resample's coefficient as it would be without noise.
    pub(super) fn removed(self, coefficient: Coefficient, value: f64) -> f64 {
        let back = |r: f64| ((r - self.shift) / self.factor).clamp(-1.0, 1.0);
        let of_signs = |tau: f64| 2.0 / PI * back((PI * tau / 2.0).sin()).asin();
        match coefficient {
            Coefficient::Pearson => back(value),
            Coefficient::Spearman => 6.0 / PI * (0.5 * back(2.0 * (PI * value / 6.0).sin())).asin(),
            Coefficient::Kendall => of_signs(value),
            Coefficient::Accuracy => 0.5 + 0.5 * of_signs(2.0 * value - 1.0),
            // Its p-values are those of so many items, noise and all.
            Coefficient::CalibratedAccuracy | Coefficient::SoftPairwiseAccuracy => value,
        }
    }
}

/// Whether noise of the items draws a statistic towards 0.
pub(super) fn is_attenuated(statistic: Statistic) -> bool {
    use Coefficient::{Accuracy, Kendall, Pearson, Spearman};
    statistic.grouping == Grouping::System
        && matches!(
            statistic.coefficient,
            Pearson | Spearman | Kendall | Accuracy
        )
}

fn covariances([human, metric]: &[Vec<Option<f64>>; 2]) -> Option<Covariances> {
    let sides = human.iter().zip(metric);
    let both: JointMoments = sides.filter_map(|(x, y)| (*x).zip(*y)).collect();
    let [x, y] = [both.x(), both.y()].map(Moments::sample_variance);
    Some([x?, y?, both.sample_covariance()?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_noisy_correlation_is_made_whole() {
        let side = |scale: f64| -> Vec<Option<f64>> {
            [-1.0, 0.0, 1.0].iter().map(|x| Some(scale * x)).collect()
        };
        // One side of variance 1 with noise of a quarter, the other without.
        let mut noise = ItemNoise::default();
        noise.push(&[side(1.25_f64.sqrt()), side(1.0)]);
        let sides = [side(1.0), side(1.0)];
        let found = noise.attenuation(&sides, 1_000_000_000).unwrap();
        assert!((found.factor - (0.75_f64 / 1.25).sqrt()).abs() < 1e-6);
        let shift = 2.0 * (1.25_f64.sqrt() - 1.0) / 1.25_f64.sqrt();
        assert!((found.shift - shift).abs() < 1e-6, "{found:?}");
        let plain = Attenuation {
            factor: 0.5,
            shift: 0.0,
        };
        assert!((plain.removed(Coefficient::Pearson, 0.3) - 0.6).abs() < 1e-12);
        // τ = 1/3 is r = 1/2.
        assert!((plain.removed(Coefficient::Kendall, 1.0 / 3.0) - 1.0).abs() < 1e-6);
        assert!((plain.removed(Coefficient::Accuracy, 2.0 / 3.0) - 1.0).abs() < 1e-6);
        assert!((plain.removed(Coefficient::Spearman, -0.9) + 1.0).abs() < 1e-12);
        assert!(noise.attenuation(&[side(0.5), side(1.0)], 100).is_none());
    }
}
