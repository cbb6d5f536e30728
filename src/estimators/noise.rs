//! How much people disagree about one output, and how well the metric would go with their mean.
//!
//! Source: Chaganty, Mussmann and Liang (ACL 2018): a judgment is f(z) plus noise, with
//! `σ_f² = Var f(z)`, `σ_a² = E[Var(Y|z)]`, `γ = σ_a²/σ_f²` and `ρ = corr(f(z), g(z))`. All come
//! from outputs judged more than once, by an analysis of variance with unequal group sizes: the
//! estimate of `σ_a²` pools the squares within outputs, that of `σ_f²` is
//! `Var(ȳ_z) − σ_a² · mean(1/k_z)`, where the `k_z` judgments of output z have the mean `ȳ_z`. Both
//! are unbiased whatever the `k_z`. The covariance of `ȳ_z` and g needs no correction, because
//! noise is independent of the metric.
//!
//! Deviation: none known; the paper does not say how it estimates them under unequal numbers.

use super::Judgments;
use crate::stats::moments::{JointMoments, Moments};
use std::collections::BTreeMap;

/// The variance of judgments, split into what outputs and what annotators contribute.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VarianceComponents {
    /// `σ_f²`: variance of the outputs' true means. Unbiased, so negative at times.
    pub signal: f64,
    /// `σ_a²`: mean variance of judgments of one output.
    pub noise: f64,
    /// Covariance of the outputs' means and the metric.
    pub covariance: f64,
    /// Variance of the metric over the judged outputs.
    pub metric: f64,
}

impl VarianceComponents {
    /// `γ = σ_a²/σ_f²`; `None` when nothing but noise is seen.
    pub fn gamma(&self) -> Option<f64> {
        let gamma = self.noise / self.signal;
        (self.signal > 0.0 && gamma.is_finite()).then_some(gamma)
    }

    /// ρ, the metric's correlation with the outputs' true means. Correcting for noise can
    /// overshoot, so it is cut to [-1, 1]; `None` when nothing but noise is seen or the metric
    /// does not vary.
    pub fn rho(&self) -> Option<f64> {
        let scale = self.signal.max(0.0).sqrt() * self.metric.sqrt();
        (scale > 0.0).then(|| (self.covariance / scale).clamp(-1.0, 1.0))
    }
}

/// The variance components of judgments of one system; `None` without two outputs, or without an
/// output judged twice. The metric is the first, or one that is 0 everywhere.
pub fn variance_components(judged: &Judgments) -> Option<VarianceComponents> {
    let mut outputs: BTreeMap<u32, JointMoments> = BTreeMap::new();
    for one in judged.rows() {
        let g = one.g.first().copied().unwrap_or_default();
        outputs.entry(one.item).or_default().push(one.y, g);
    }
    let spare = judged.len() - outputs.len();
    if spare == 0 {
        return None;
    }
    let within: f64 = outputs
        .values()
        .filter_map(|output| squares(output.x()))
        .sum();
    let noise = within / spare as f64;
    let shrinkage = outputs
        .values()
        .map(|output| 1.0 / output.x().count() as f64);
    let shrinkage = shrinkage.sum::<f64>() / outputs.len() as f64;
    let between: JointMoments = outputs
        .values()
        .filter_map(|output| Some((output.x().mean()?, output.y().mean()?)))
        .collect();
    Some(VarianceComponents {
        signal: between.x().sample_variance()? - noise * shrinkage,
        noise,
        covariance: between.sample_covariance()?,
        metric: between.y().sample_variance()?,
    })
}

/// The sum of squared deviations from the mean.
fn squares(moments: &Moments) -> Option<f64> {
    Some(moments.population_variance()? * moments.count() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimators::Judged;

    fn judged(rows: &[(u32, f64, f64)]) -> Judgments {
        rows.iter()
            .map(|(item, y, g)| Judged::new(*item, *y, std::slice::from_ref(g)))
            .collect()
    }

    #[test]
    fn by_hand() {
        let rows = [(0, 1.0, 0.0), (0, 3.0, 0.0), (1, 6.0, 1.0), (2, 10.0, 2.0)];
        let components = variance_components(&judged(&rows)).unwrap();
        assert_eq!(components.noise, 2.0);
        // Means 2, 6, 10 have variance 16; 1/k is ½, 1, 1.
        assert!((components.signal - (16.0 - 2.0 * 2.5 / 3.0)).abs() < 1e-12);
        assert_eq!(components.covariance, 4.0);
        assert_eq!(components.rho(), Some(1.0), "4/√(14.3) is cut");
    }

    #[test]
    fn without_repeats_or_signal_there_is_nothing_to_say() {
        assert_eq!(variance_components(&Judgments::default()), None);
        let single = [(0, 1.0, 0.0), (1, 3.0, 1.0)];
        assert_eq!(variance_components(&judged(&single)), None);
        let one_output = [(0, 1.0, 0.0), (0, 3.0, 0.0)];
        assert_eq!(variance_components(&judged(&one_output)), None);
        let noise_only = [(0, 0.0, 0.0), (0, 2.0, 0.0), (1, 0.0, 1.0), (1, 2.0, 1.0)];
        let components = variance_components(&judged(&noise_only)).unwrap();
        assert_eq!((components.gamma(), components.rho()), (None, None));
    }
}
