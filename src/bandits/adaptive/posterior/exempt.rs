//! What is believed if predictions know nothing of one system.
//!
//! Its strength s then has a prior of its own, N(0, τ²) in place of N(0, σ²), and nothing else is another. Given s
//! all else is as in the component, where s ~ N(m, V) after the answers; so with v the column of A⁻¹ that
//! is about it, by one Gaussian integral and without another fit,
//!
//! ```text
//! 1/V' = 1/V − 1/σ² + 1/τ²     m' = V' m / V     γ' = γ + (v/V) (s' − s)
//! ln ev' = ln ev + ln σ/τ + ½ ln V'/V + ½ (m'²/V' − m²/V)
//! ```

use super::component::Component;
use crate::bandits::adaptive::prior::EXEMPT;

/// A component whose predictions know nothing of one system.
pub(super) struct Exempt {
    /// As a component's.
    pub(super) weight: f64,
    /// The row of its strength in γ.
    row: usize,
    /// v, of all rows.
    column: Vec<f64>,
    /// m and m'.
    means: [f64; 2],
    /// V'.
    variance: f64,
}

impl Exempt {
    /// That of a system, its weight, as the component's, at the logarithm of prior times evidence.
    pub(super) fn new(component: &Component, system: usize, column: Vec<f64>) -> Self {
        let row = system + 1;
        let (mean, before) = (component.center[row], column[row]);
        let strength = component.scales.strength;
        let variance = 1.0 / (1.0 / before - strength.powi(-2) + EXEMPT.powi(-2));
        let moved = variance * mean / before;
        let ln_ratio = (strength / EXEMPT).ln() + 0.5 * (variance / before).ln();
        let squares = moved * moved / variance - mean * mean / before;
        Self {
            weight: component.weight + ln_ratio + 0.5 * squares,
            row,
            column,
            means: [mean, moved],
            variance,
        }
    }

    /// What a linear function x'γ has for a mean and a variance in place of these, where `x` applies x to a vector.
    pub(super) fn moved(&self, mean: f64, spread: f64, x: impl Fn(&[f64]) -> f64) -> (f64, f64) {
        let before = self.column[self.row];
        let share = x(&self.column) / before;
        let [was, is] = self.means;
        (
            mean + share * (is - was),
            spread + share * share * (self.variance - before),
        )
    }

    /// Makes of γ drawn from the component one of its own.
    pub(super) fn redraw(&self, gamma: &mut [f64]) {
        let before = self.column[self.row];
        let [was, is] = self.means;
        let drawn = gamma[self.row];
        let redrawn = is + (self.variance / before).sqrt() * (drawn - was);
        let step = (redrawn - drawn) / before;
        for (entry, v) in gamma.iter_mut().zip(&self.column) {
            *entry += step * v;
        }
    }
}
