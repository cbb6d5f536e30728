//! The disagreement of people about one output, and the metric's correlation with their mean.
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
use std::collections::BTreeMap;
use tiebreak_base::stats::moments::{JointMoments, Moments};

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

    /// (1 + γ)/(1 − ρ²): the data efficiency if people did not differ. `None` for a perfect metric.
    pub fn noiseless_efficiency(&self) -> Option<f64> {
        let (gamma, rho) = (self.gamma()?, self.rho()?);
        finite((1.0 + gamma) / (1.0 - rho * rho))
    }

    /// (1 + γ)/γ: the data efficiency of a perfect metric, with people as they are. `None` without
    /// noise.
    pub fn perfect_efficiency(&self) -> Option<f64> {
        let gamma = self.gamma()?;
        finite((1.0 + gamma) / gamma)
    }

    /// ρ, the metric's correlation with the outputs' true means. Correcting for noise can
    /// overshoot, so it is cut to [-1, 1]; `None` when nothing but noise is seen or the metric
    /// does not vary.
    pub fn rho(&self) -> Option<f64> {
        let scale = self.signal.max(0.0).sqrt() * self.metric.sqrt();
        (scale > 0.0).then(|| (self.covariance / scale).clamp(-1.0, 1.0))
    }
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

/// The judgments of one output, summarised.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RatedOutput {
    /// The number of judgments, at least 1.
    pub judgments: u64,
    /// The mean of the judgments.
    pub mean: f64,
    /// The sum of the squared deviations from the mean.
    pub squares: f64,
    /// The first metric's score of the output; 0 without a metric.
    pub g: f64,
}

impl RatedOutput {
    /// An output with at least one judgment, without a metric.
    pub fn new(judgments: impl Iterator<Item = f64> + Clone) -> Self {
        let moments: Moments = judgments.clone().collect();
        let mean = moments.mean().unwrap_or_default();
        Self {
            judgments: moments.count(),
            mean,
            squares: judgments.map(|score| (score - mean).powi(2)).sum(),
            g: 0.0,
        }
    }

    /// The variance of the mean of the judgments; `None` of one.
    pub fn noise_of_mean(&self) -> Option<f64> {
        let (n, spare) = (self.judgments as f64, self.judgments.checked_sub(1)?);
        (spare > 0).then(|| self.squares / spare as f64 / n)
    }

    /// All judged outputs, by item.
    pub fn all(judged: &Judgments) -> BTreeMap<u32, Self> {
        let mut outputs: BTreeMap<u32, JointMoments> = BTreeMap::new();
        for one in judged.rows() {
            let g = one.g.first().copied().unwrap_or_default();
            outputs.entry(one.item).or_default().push(one.y, g);
        }
        let rated = |of: &JointMoments| {
            Some(Self {
                judgments: of.x().count(),
                mean: of.x().mean()?,
                squares: squares(of.x())?,
                g: of.y().mean()?,
            })
        };
        let rated = outputs.iter().map(|(&item, of)| Some((item, rated(of)?)));
        rated.flatten().collect()
    }
}

/// Running sums over the outputs of one system, from which the components are read.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct VarianceComponentSums {
    /// The moments of the judgments' means and the metric.
    means: JointMoments,
    /// The sum of squares within outputs, and its degrees of freedom.
    squares: f64,
    spare: u64,
    /// The sum `Σ 1/k`.
    inverse: f64,
}

impl VarianceComponentSums {
    /// Adds an output.
    pub fn push(&mut self, output: &RatedOutput) {
        self.means.push(output.mean, output.g);
        self.squares += output.squares;
        self.spare += output.judgments - 1;
        self.inverse += 1.0 / output.judgments as f64;
    }

    /// The mean of 1/k over outputs with k judgments; `None` without outputs.
    pub fn mean_inverse(&self) -> Option<f64> {
        let outputs = self.means.x().count();
        (outputs > 0).then(|| self.inverse / outputs as f64)
    }

    /// The means of the outputs' judgments and the metric.
    pub fn means(&self) -> &JointMoments {
        &self.means
    }
}

impl<'a> FromIterator<&'a RatedOutput> for VarianceComponentSums {
    fn from_iter<I: IntoIterator<Item = &'a RatedOutput>>(outputs: I) -> Self {
        let mut all = Self::default();
        outputs.into_iter().for_each(|output| all.push(output));
        all
    }
}

impl Judgments {
    /// The variance components of judgments of one system; `None` without two outputs, or without an
    /// output judged twice. The metric is the first, or one that is 0 everywhere.
    pub fn variance_components(&self) -> Option<VarianceComponents> {
        let outputs: VarianceComponentSums = RatedOutput::all(self).values().collect();
        VarianceComponents::pooled(&[outputs])
    }
}

impl VarianceComponents {
    /// The components within systems, pooled over them by their degrees of freedom: differences
    /// *between* systems count in none of them. `None` unless a system has two outputs, and an output
    /// two judgments.
    pub fn pooled(systems: &[VarianceComponentSums]) -> Option<VarianceComponents> {
        let spare: u64 = systems.iter().map(|system| system.spare).sum();
        let within: f64 = systems.iter().map(|system| system.squares).sum();
        let noise = (spare > 0).then(|| within / spare as f64)?;
        between(systems, noise)
    }

    /// Pearson's correlation of single judgments and metric within systems, whatever the numbers of
    /// judgments per output; `None` when either does not vary.
    pub fn pooled_correlation(systems: &[VarianceComponentSums]) -> Option<f64> {
        let components = VarianceComponents::pooled(systems).or_else(|| between(systems, 0.0))?;
        let scale =
            (components.signal + components.noise).max(0.0).sqrt() * components.metric.sqrt();
        (scale > 0.0).then(|| (components.covariance / scale).clamp(-1.0, 1.0))
    }
}

/// The components at a given noise.
fn between(systems: &[VarianceComponentSums], noise: f64) -> Option<VarianceComponents> {
    let mut freedom = 0.0;
    let (mut signal, mut covariance, mut metric) = (0.0, 0.0, 0.0);
    for system in systems {
        let (count, means) = (system.means.x().count() as f64, &system.means);
        let variances = means.x().sample_variance().zip(means.y().sample_variance());
        let (Some((of_means, of_metric)), Some(joint)) = (variances, means.sample_covariance())
        else {
            continue;
        };
        let weight = count - 1.0;
        freedom += weight;
        signal += weight * (of_means - noise * (system.inverse / count));
        covariance += weight * joint;
        metric += weight * of_metric;
    }
    (freedom > 0.0).then(|| VarianceComponents {
        signal: signal / freedom,
        noise,
        covariance: covariance / freedom,
        metric: metric / freedom,
    })
}

/// The sum of squared deviations from the mean.
fn squares(moments: &Moments) -> Option<f64> {
    Some(moments.population_variance()? * moments.count() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimators::ScoredJudgment;

    fn judged(rows: &[(u32, f64, f64)]) -> Judgments {
        rows.iter()
            .map(|(item, y, g)| ScoredJudgment::new(*item, *y, std::slice::from_ref(g)))
            .collect()
    }

    #[test]
    fn by_hand() {
        let rows = [(0, 1.0, 0.0), (0, 3.0, 0.0), (1, 6.0, 1.0), (2, 10.0, 2.0)];
        let components = judged(&rows).variance_components().unwrap();
        assert_eq!(components.noise, 2.0);
        // Means 2, 6, 10 have variance 16; 1/k is ½, 1, 1.
        assert!((components.signal - (16.0 - 2.0 * 2.5 / 3.0)).abs() < 1e-12);
        assert_eq!(components.covariance, 4.0);
        assert_eq!(components.rho(), Some(1.0), "4/√(14.3) is cut");
    }

    #[test]
    fn pooling_looks_within_systems_only() {
        let one = [(0, 1.0, 0.0), (0, 3.0, 0.0), (1, 6.0, 1.0), (2, 10.0, 2.0)];
        let outputs: VarianceComponentSums = RatedOutput::all(&judged(&one)).values().collect();
        let far = one.map(|(item, y, g)| (item, y + 100.0, g - 7.0));
        let far: VarianceComponentSums = RatedOutput::all(&judged(&far)).values().collect();
        let alone = VarianceComponents::pooled(&[outputs]).unwrap();
        let both = VarianceComponents::pooled(&[outputs, far]).unwrap();
        assert_eq!(alone, judged(&one).variance_components().unwrap());
        assert!((both.signal - alone.signal).abs() < 1e-9, "{both:?}");
        assert_eq!((both.noise, both.metric), (alone.noise, alone.metric));
        assert_eq!(
            VarianceComponents::pooled(&[VarianceComponentSums::default()]),
            None
        );
        // Single judgments correlate as usual.
        let single: VarianceComponentSums = RatedOutput::all(&judged(&one[1..])).values().collect();
        assert!(
            (VarianceComponents::pooled_correlation(&[single]).unwrap() - 0.996_6).abs() < 1e-4
        );
        assert_eq!(VarianceComponents::pooled_correlation(&[]), None);
    }

    #[test]
    fn efficiencies_by_hand() {
        let of = |signal, noise, covariance| VarianceComponents {
            signal,
            noise,
            covariance,
            metric: 1.0,
        };
        let even = of(4.0, 4.0, 1.0); // γ = 1, ρ = ½
        assert_eq!(even.noiseless_efficiency(), Some(2.0 / 0.75));
        assert_eq!(even.perfect_efficiency(), Some(2.0));
        assert_eq!(of(4.0, 0.0, 2.0).perfect_efficiency(), None);
        assert_eq!(of(4.0, 0.0, 2.0).noiseless_efficiency(), None);
    }

    #[test]
    fn without_repeats_or_signal_there_is_nothing_to_say() {
        assert_eq!(Judgments::default().variance_components(), None);
        let single = [(0, 1.0, 0.0), (1, 3.0, 1.0)];
        assert_eq!(judged(&single).variance_components(), None);
        let one_output = [(0, 1.0, 0.0), (0, 3.0, 0.0)];
        assert_eq!(judged(&one_output).variance_components(), None);
        let noise_only = [(0, 0.0, 0.0), (0, 2.0, 0.0), (1, 0.0, 1.0), (1, 2.0, 1.0)];
        let components = judged(&noise_only).variance_components().unwrap();
        assert_eq!((components.gamma(), components.rho()), (None, None));
    }
}
