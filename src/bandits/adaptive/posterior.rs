//! What the answers say about all margins at once: the posterior of the hierarchical model.
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
//! A, so a fit costs O(H (T³ + K²)) for H settings of the scales and T systems that were judged.

mod component;

use super::draw::{Drawn, best_first};
use super::evidence::Evidence;
use super::prior::Scales;
use crate::bandits::square::Square;
use crate::rng::Rng;
use crate::stats::normal;
use component::{Component, Term, Touched};
use std::sync::Arc;

/// The margins that models predict; of several models their mean, too.
pub(super) type Predicted = Arc<[Square]>;

/// The posterior of all margins `d_ij`.
pub(super) struct Posterior {
    k: usize,
    /// The pairs with answers, in the order of i and j.
    observed: Vec<Term>,
    predicted: Predicted,
    touched: Touched,
    components: Vec<Component>,
    /// `μ_ij`, at i·K + j.
    mean: Vec<f64>,
    /// `τ²_ij`.
    variance: Vec<f64>,
}

impl Posterior {
    /// The posterior after the answers so far.
    pub(super) fn fit(evidence: &Evidence, predicted: &Predicted, scales: &[Scales]) -> Self {
        let k = evidence.k();
        let observed = observed(evidence);
        let touched = Touched::new(k, &observed);
        let mut components: Vec<Component> = scales
            .iter()
            .map(|&scales| Component::fit(&observed, &touched, predicted, scales))
            .collect();
        normalise(&mut components);
        let mut posterior = Self {
            k,
            mean: Vec::new(),
            variance: Vec::new(),
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
        let components = self.components.iter();
        let inverses: Vec<Vec<f64>> = components.map(|one| one.factor.inverse()).collect();
        let (mut means, mut variances) = (vec![0.0; self.k * self.k], vec![0.0; self.k * self.k]);
        let mut margins = vec![(0.0, 0.0); self.components.len()];
        for term in self.terms() {
            let each = self.components.iter().zip(&inverses);
            for (margin, (component, inverse)) in margins.iter_mut().zip(each) {
                *margin = component.spread_margin(&term, &self.predicted, &self.touched, inverse);
            }
            let each = || {
                let weights = self.components.iter().map(|one| one.weight);
                weights.zip(margins.iter().copied())
            };
            let mean: f64 = each().map(|(weight, (mean, _))| weight * mean).sum();
            let variance: f64 = each()
                .map(|(weight, (m, variance))| weight * (variance + (m - mean).powi(2)))
                .sum();
            let (up, down) = (term.i * self.k + term.j, term.j * self.k + term.i);
            (means[up], means[down]) = (mean, -mean);
            (variances[up], variances[down]) = (variance, variance);
        }
        (self.mean, self.variance) = (means, variances);
    }

    /// All pairs, those without answers too, in the order of i and j.
    fn terms(&self) -> impl Iterator<Item = Term> {
        let mut observed = self.observed.iter().copied().peekable();
        let pairs = (0..self.k).flat_map(|i| (i + 1..self.k).map(move |j| (i, j)));
        pairs.map(move |(i, j)| {
            let seen = observed.next_if(|term| (term.i, term.j) == (i, j));
            seen.unwrap_or(Term {
                i,
                j,
                observed: 0.0,
                precision: 0.0,
            })
        })
    }

    /// `μ_ij`.
    pub(super) fn mean(&self, i: usize, j: usize) -> f64 {
        self.mean[i * self.k + j]
    }

    /// `τ²_ij`, above 0 for i ≠ j.
    pub(super) fn variance(&self, i: usize, j: usize) -> f64 {
        self.variance[i * self.k + j]
    }

    /// `Z_ij` = μ/τ.
    pub(super) fn z(&self, i: usize, j: usize) -> f64 {
        self.mean(i, j) / self.variance(i, j).sqrt()
    }

    /// Σ ln Φ(Z), by which systems are compared: the logarithm of the probability that `i` beats every
    /// other system, if pairs were independent. They are not, so it is no probability to be told.
    fn ln_best(&self, i: usize) -> f64 {
        let others = (0..self.k).filter(|&j| j != i);
        others.map(|j| normal::ln_cdf(self.z(i, j))).sum()
    }

    /// The most probable Condorcet winner if pairs were independent.
    pub(super) fn leader(&self) -> usize {
        let mut best = (0, f64::NEG_INFINITY);
        for i in 0..self.k {
            let score = self.ln_best(i);
            if score > best.1 {
                best = (i, score);
            }
        }
        best.0
    }

    /// The systems by `Σ_j` Φ(`Z_ij`), the number of others each is expected to beat; equals by the sum of
    /// their margins.
    pub(super) fn order(&self) -> Vec<usize> {
        let score = |i: usize| {
            let others = || (0..self.k).filter(move |&j| j != i);
            let beaten: f64 = others().map(|j| normal::cdf(self.z(i, j))).sum();
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
    pub(super) fn draw(&self, rng: &mut Rng) -> Drawn {
        let component = self.draw_component(rng);
        let mut gamma: Vec<f64> = component.center.iter().map(|_| rng.normal()).collect();
        let rows = self.touched.rows.iter();
        let mut together: Vec<f64> = rows.map(|&row| gamma[row]).collect();
        component.factor.solve_upper(&mut together);
        for drawn in &mut gamma {
            *drawn /= component.alone;
        }
        for (&row, drawn) in self.touched.rows.iter().zip(together) {
            gamma[row] = drawn;
        }
        for (drawn, center) in gamma.iter_mut().zip(&component.center) {
            *drawn += center;
        }
        let mut drawn = vec![0.0; self.k * self.k];
        for term in self.terms() {
            let (mean, variance) = component.margin(&term, &self.predicted, &gamma, 0.0);
            let margin = mean + variance.sqrt() * rng.normal();
            drawn[term.i * self.k + term.j] = margin;
            drawn[term.j * self.k + term.i] = -margin;
        }
        Drawn::new(self.k, drawn)
    }

    /// The share of `draws` draws in which each system beats all others; the rest is that of draws in
    /// which none does.
    pub(super) fn shares_best(&self, draws: u32, rng: &mut Rng) -> Vec<f64> {
        let mut won = vec![0_u32; self.k];
        for _ in 0..draws {
            if let Some(winner) = self.draw(rng).condorcet_winner() {
                won[winner] += 1;
            }
        }
        let share = |won| f64::from(won) / f64::from(draws);
        won.into_iter().map(share).collect()
    }

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
fn observed(evidence: &Evidence) -> Vec<Term> {
    let k = evidence.k();
    let pairs = (0..k).flat_map(|i| (i + 1..k).map(move |j| (i, j)));
    let term = |(i, j)| {
        let seen = evidence.observation(i, j)?;
        Some(Term {
            i,
            j,
            observed: seen.margin,
            precision: 1.0 / seen.variance,
        })
    };
    pairs.filter_map(term).collect()
}

/// From logarithms to weights that sum to 1.
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
