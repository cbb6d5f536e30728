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
//! by prior times evidence. Each fit costs O(H K³) for H settings of the scales.

use super::draw::{Drawn, best_first};
use super::evidence::Evidence;
use super::prior::{BETA_MEAN, BETA_PRECISION, Scales};
use crate::bandits::square::Square;
use crate::rng::Rng;
use crate::stats::cholesky::Cholesky;
use crate::stats::normal;

/// A pair i < j in the model.
struct Term {
    i: usize,
    j: usize,
    /// `m_ij`.
    predicted: f64,
    /// y.
    observed: f64,
    /// P = 1/s².
    precision: f64,
}

/// The posterior under one setting of the scales.
struct Component {
    weight: f64,
    scales: Scales,
    /// γ̂.
    center: Vec<f64>,
    /// Of A.
    factor: Cholesky,
}

/// The posterior of all margins `d_ij`.
pub(super) struct Posterior {
    k: usize,
    terms: Vec<Term>,
    components: Vec<Component>,
    /// `μ_ij`, at i·K + j.
    mean: Vec<f64>,
    /// `τ²_ij`.
    variance: Vec<f64>,
}

impl Component {
    /// Fits γ; its weight is left at the logarithm of prior times evidence.
    fn fit(k: usize, terms: &[Term], scales: Scales) -> Self {
        let n = k + 1;
        let strength_precision = 1.0 / (scales.strength * scales.strength);
        let mut a = vec![0.0; n * n];
        let mut b = vec![0.0; n];
        for i in 0..n {
            a[i * n + i] = strength_precision;
        }
        a[0] = BETA_PRECISION;
        b[0] = BETA_PRECISION * BETA_MEAN;
        let mut ln_evidence = 0.5 * (BETA_PRECISION.ln() + k as f64 * strength_precision.ln());
        let mut squares = BETA_PRECISION * BETA_MEAN * BETA_MEAN;
        for term in terms.iter().filter(|term| term.precision > 0.0) {
            let deviation = scales.deviation * scales.deviation;
            let omega = 1.0 / (deviation + 1.0 / term.precision);
            let x = [
                (0, scales.trusts * term.predicted),
                (term.i + 1, 1.0),
                (term.j + 1, -1.0),
            ];
            for (row, x_row) in x {
                b[row] += omega * term.observed * x_row;
                for (column, x_column) in x {
                    a[row * n + column] += omega * x_row * x_column;
                }
            }
            ln_evidence += 0.5 * omega.ln();
            squares += omega * term.observed * term.observed;
        }
        let factor = Cholesky::new(a, n).expect("the prior alone makes A positive definite");
        factor.solve_lower(&mut b);
        let explained: f64 = b.iter().map(|x| x * x).sum();
        factor.solve_upper(&mut b);
        ln_evidence -= 0.5 * (factor.ln_determinant() + squares - explained);
        Self {
            weight: scales.ln_prior + ln_evidence,
            scales,
            center: b,
            factor,
        }
    }

    /// Mean and variance of the margin of a pair, given γ and its uncertainty `spread` = x′A⁻¹x.
    fn margin(&self, term: &Term, gamma: &[f64], spread: f64) -> (f64, f64) {
        let q = 1.0 / (self.scales.deviation * self.scales.deviation);
        let total = term.precision + q;
        let predicted = self.scales.trusts * term.predicted * gamma[0];
        let regressed = predicted + gamma[term.i + 1] - gamma[term.j + 1];
        let mean = (term.precision * term.observed + q * regressed) / total;
        (mean, 1.0 / total + (q / total).powi(2) * spread)
    }

    /// Mean and variance of the margin of every pair.
    fn margins(&self, terms: &[Term]) -> Vec<(f64, f64)> {
        let n = self.center.len();
        let inverse = self.factor.inverse();
        let at = |row: usize, column: usize| inverse[row * n + column];
        let of = |term: &Term| {
            let (i, j) = (term.i + 1, term.j + 1);
            let x = self.scales.trusts * term.predicted;
            let strengths = at(i, i) + at(j, j) - 2.0 * at(i, j);
            let spread = strengths + x * x * at(0, 0) + 2.0 * x * (at(0, i) - at(0, j));
            self.margin(term, &self.center, spread)
        };
        terms.iter().map(of).collect()
    }
}

impl Posterior {
    /// The posterior after the answers so far.
    pub(super) fn fit(evidence: &Evidence, predicted: Option<&Square>, scales: &[Scales]) -> Self {
        let k = evidence.k();
        let terms = terms(evidence, predicted);
        let mut components: Vec<Component> = scales
            .iter()
            .map(|&scales| Component::fit(k, &terms, scales))
            .collect();
        normalise(&mut components);
        let mut posterior = Self {
            k,
            mean: vec![0.0; k * k],
            variance: vec![0.0; k * k],
            terms,
            components,
        };
        posterior.mix();
        posterior
    }

    /// Mean and variance of the mixture over the scales.
    fn mix(&mut self) {
        let margins: Vec<Vec<(f64, f64)>> = self
            .components
            .iter()
            .map(|component| component.margins(&self.terms))
            .collect();
        for (place, term) in self.terms.iter().enumerate() {
            let each = || {
                let of_pair = margins.iter().map(|margins| margins[place]);
                self.components.iter().map(|one| one.weight).zip(of_pair)
            };
            let mean: f64 = each().map(|(weight, (mean, _))| weight * mean).sum();
            let variance: f64 = each()
                .map(|(weight, (m, variance))| weight * (variance + (m - mean).powi(2)))
                .sum();
            let (up, down) = (term.i * self.k + term.j, term.j * self.k + term.i);
            (self.mean[up], self.mean[down]) = (mean, -mean);
            (self.variance[up], self.variance[down]) = (variance, variance);
        }
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
        component.factor.solve_upper(&mut gamma);
        for (drawn, center) in gamma.iter_mut().zip(&component.center) {
            *drawn += center;
        }
        let mut drawn = vec![0.0; self.k * self.k];
        for term in &self.terms {
            let (mean, variance) = component.margin(term, &gamma, 0.0);
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

fn terms(evidence: &Evidence, predicted: Option<&Square>) -> Vec<Term> {
    let k = evidence.k();
    let pairs = (0..k).flat_map(|i| (i + 1..k).map(move |j| (i, j)));
    let term = |(i, j)| {
        let seen = evidence.observation(i, j);
        Term {
            i,
            j,
            predicted: predicted.map_or(0.0, |table| table.get(i, j)),
            observed: seen.map_or(0.0, |seen| seen.margin),
            precision: seen.map_or(0.0, |seen| 1.0 / seen.variance),
        }
    };
    pairs.map(term).collect()
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
