//! The posterior of all margins at once, by the hierarchical model.
//!
//! Given the scales, γ = (β, `s_1` … `s_K`) is Gaussian. With `x_p` = (z m, +1 at i, −1 at j) and
//! `ω_p` = 1/(σ_e² + s²_p) for each observed pair p,
//!
//! ```text
//! A = Λ₀ + Σ ω x x′    b = Λ₀ γ₀ + Σ ω y x    γ̂ = A⁻¹ b
//! ln ev = ½ ln|Λ₀| − ½ ln|A| + ½ Σ ln ω − ½ (Σ ω y² + γ₀′Λ₀γ₀ − b′A⁻¹b)
//! ```
//!
//! and given γ the pairs are independent: with P = 1/s² (0 unobserved), Q = 1/σ_e², c = Q/(P + Q),
//! `d_p` has mean (P y + Q x′γ̂)/(P + Q) and variance 1/(P + Q) + c² x′A⁻¹x. The scales are weighted
//! by prior times evidence. Systems that no answer is about stay as the prior has them, alone in their rows of
//! A, and where nothing is predicted they are alike: a fit costs O(H (T³ + T²)) for H settings of the scales and T
//! systems that were judged, or with predictions O(H (T³ + K²)).

mod component;
mod many;
mod table;

use super::draw::{MarginSample, best_first};
use super::evidence::MarginEvidence;
use super::prior::Scales;
use crate::bandits::square::Square;
use component::{Component, JudgedRows, PairObservation};
use std::sync::Arc;
use table::CompactPairTable;
use tiebreak_base::rng::Rng;
use tiebreak_base::stats::normal;

/// The margins that models predict; of several models their mean, too.
pub(super) type PredictedMargins = Arc<[Square]>;

/// The posterior of all margins `d_ij`.
pub(super) struct MarginPosterior {
    k: usize,
    /// The pairs with answers, in the order of i and j.
    observed: Vec<PairObservation>,
    predicted: PredictedMargins,
    touched: JudgedRows,
    components: Vec<Component>,
    /// `μ_ij` and `τ²_ij`.
    moments: CompactPairTable<(f64, f64)>,
    /// Each system's mean margin by table of predictions, where there are very many systems.
    predicted_means: Vec<Vec<f64>>,
}

impl MarginPosterior {
    /// The posterior after the answers so far.
    pub(super) fn fit(
        evidence: &MarginEvidence,
        predicted: &PredictedMargins,
        scales: &[Scales],
    ) -> Self {
        let k = evidence.k();
        let observed = observed(evidence);
        let touched = JudgedRows::new(k, &observed);
        let mut components: Vec<Component> = scales
            .iter()
            .map(|&scales| Component::fit(&observed, &touched, predicted, scales))
            .collect();
        normalise(&mut components);
        let shown = match predicted.is_empty() {
            true => touched.systems(),
            false => (0..k).collect(),
        };
        let moments = CompactPairTable::new(k, &shown);
        let mut posterior = Self {
            k,
            moments,
            predicted_means: many::predicted_means(k, predicted),
            observed,
            predicted: Arc::clone(predicted),
            touched,
            components,
        };
        posterior.mix();
        posterior
    }

    /// Mean and variance of the mixture over the scales.
    fn mix(&mut self) {
        let mut each = Vec::with_capacity(self.components.len());
        let mut moments = self.moments.clone();
        for term in self.terms(self.moments.shown()) {
            each.clear();
            each.extend(self.components.iter().map(|one| {
                let (mean, variance) = one.moments(&term, &self.predicted, &self.touched);
                (one.weight, mean, variance)
            }));
            let mean: f64 = each.iter().map(|(weight, mean, _)| weight * mean).sum();
            let variance: f64 = each
                .iter()
                .map(|(weight, m, variance)| weight * (variance + (m - mean).powi(2)))
                .sum();
            moments.set(term.i, term.j, (mean, variance));
            moments.set(term.j, term.i, (-mean, variance));
        }
        self.moments = moments;
    }

    /// All pairs of some systems, among them all that were judged, those without answers too, in the order of i
    /// and j.
    fn terms(&self, systems: &[usize]) -> impl Iterator<Item = PairObservation> {
        let mut observed = self.observed.iter().copied().peekable();
        let later = move |place: usize| systems[place + 1..].iter();
        let pairs = systems.iter().enumerate();
        let pairs = pairs.flat_map(move |(place, &i)| later(place).map(move |&j| (i, j)));
        pairs.map(move |(i, j)| {
            let seen = observed.next_if(|term| (term.i, term.j) == (i, j));
            seen.unwrap_or(PairObservation::unseen(i, j))
        })
    }

    /// `μ_ij`.
    pub(super) fn mean(&self, i: usize, j: usize) -> f64 {
        self.moments.get(i, j).0
    }

    /// `τ²_ij`, above 0 for i ≠ j.
    pub(super) fn variance(&self, i: usize, j: usize) -> f64 {
        self.moments.get(i, j).1
    }

    /// Applies a function to each `Z_ij` = μ/τ.
    fn of_z(&self, value: impl Fn(f64) -> f64) -> CompactPairTable<f64> {
        self.moments
            .map(|&(mean, variance)| value(mean / variance.sqrt()))
    }

    /// The most probable Condorcet winner if pairs were independent: by Σ ln Φ(Z), the logarithm of the probability
    /// that a system would then beat every other one. They are not, so it is no probability to report.
    pub(super) fn leader(&self) -> usize {
        let ln_beats = self.of_z(normal::ln_cdf);
        let mut best = (0, f64::NEG_INFINITY);
        for i in 0..self.k {
            let others = (0..self.k).filter(|&j| j != i);
            let score = others.map(|j| *ln_beats.get(i, j)).sum();
            if score > best.1 {
                best = (i, score);
            }
        }
        best.0
    }

    /// The systems by `Σ_j` Φ(`Z_ij`), the number of others each is expected to beat; equals by the sum of
    /// their margins.
    pub(super) fn order(&self) -> Vec<usize> {
        let beats = self.of_z(normal::cdf);
        let score = |i: usize| {
            let others = || (0..self.k).filter(move |&j| j != i);
            let beaten: f64 = others().map(|j| *beats.get(i, j)).sum();
            (beaten, others().map(|j| self.mean(i, j)).sum::<f64>())
        };
        let scores: Vec<(f64, f64)> = (0..self.k).map(score).collect();
        best_first(&scores)
    }

    /// The probability, by the model, that i is worse than j by more than `slack`.
    pub(super) fn doubt(&self, i: usize, j: usize, slack: f64) -> f64 {
        normal::cdf(-(self.mean(i, j) + slack) / self.variance(i, j).sqrt())
    }

    /// All margins drawn from the posterior.
    pub(super) fn draw(&self, rng: &mut Rng) -> MarginSample {
        let (component, gamma) = self.draw_gamma(rng);
        let all: Vec<usize> = (0..self.k).collect();
        let mut drawn = vec![0.0; self.k * self.k];
        let normals = rng.normals(self.k * (self.k - 1) / 2);
        for (term, normal) in self.terms(&all).zip(normals) {
            let margin = self.margin(component, &gamma, &term, normal);
            drawn[term.i * self.k + term.j] = margin;
            drawn[term.j * self.k + term.i] = -margin;
        }
        MarginSample::new(self.k, drawn)
    }

    /// A component, and γ drawn from it.
    fn draw_gamma(&self, rng: &mut Rng) -> (&Component, Vec<f64>) {
        let component = self.draw_component(rng);
        let mut gamma = rng.normals(component.center.len());
        let rows = self.touched.rows.iter();
        let mut together: Vec<f64> = rows.map(|&row| gamma[row]).collect();
        component.factor.solve_upper(&mut together);
        for drawn in &mut gamma[1..] {
            *drawn *= component.scales.strength;
        }
        for (&row, drawn) in self.touched.rows.iter().zip(together) {
            gamma[row] = drawn;
        }
        for (drawn, center) in gamma.iter_mut().zip(&component.center) {
            *drawn += center;
        }
        (component, gamma)
    }

    /// The margin of a pair, given γ, for a standard normal.
    fn margin(
        &self,
        component: &Component,
        gamma: &[f64],
        term: &PairObservation,
        normal: f64,
    ) -> f64 {
        let (mean, variance) = component.conditional_moments(term, &self.predicted, gamma);
        mean + variance.sqrt() * normal
    }

    /// The share of `draws` draws in which each system beats all others; the rest is that of draws in
    /// which none does.
    pub(super) fn shares_best(&self, draws: u32, rng: &mut Rng) -> Vec<f64> {
        let mut won = vec![0_u32; self.k];
        for _ in 0..draws {
            if let Some(winner) = self.draw_best(rng) {
                won[winner] += 1;
            }
        }
        let share = |won| f64::from(won) / f64::from(draws);
        won.into_iter().map(share).collect()
    }

    /// A component, by their weights.
    fn draw_component(&self, rng: &mut Rng) -> &Component {
        let mut left = rng.uniform();
        for component in &self.components {
            left -= component.weight;
            if left < 0.0 {
                return component;
            }
        }
        // Weights may sum to a little less than 1.
        &self.components[self.components.len() - 1]
    }
}

/// The pairs with answers, in the order of i and j.
fn observed(evidence: &MarginEvidence) -> Vec<PairObservation> {
    let term = |(i, j)| {
        let seen = evidence.observation(i, j)?;
        Some(PairObservation {
            i,
            j,
            observed: seen.margin,
            precision: 1.0 / seen.variance,
        })
    };
    evidence.pairs().filter_map(term).collect()
}

/// Turns logarithms into weights that sum to 1.
fn normalise(components: &mut [Component]) {
    let weights = components.iter().map(|one| one.weight);
    let largest = weights.fold(f64::NEG_INFINITY, f64::max);
    let mut total = 0.0;
    for component in components.iter_mut() {
        component.weight = (component.weight - largest).exp();
        total += component.weight;
    }
    for component in components {
        component.weight /= total;
    }
}

#[cfg(test)]
mod tests;
