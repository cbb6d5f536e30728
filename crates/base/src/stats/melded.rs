//! The exact interval of a difference of paired proportions, and the exact test of it: of items on which one of two
//! systems succeeds, and of those on which the other does.
//!
//! Source: Fay and Lumbard, "Confidence intervals for difference in proportions for matched pairs compatible with exact
//! McNemar's or sign tests", Statistics in Medicine 2021. The difference is T (2B − 1), T the share of items that differ and B
//! the share of these that speak for the first. Either has the confidence distributions of Clopper and Pearson,
//! Beta(k, n − k + 1) below and Beta(k + 1, n − k) above; those of the difference follow by melding: below from B's lower
//! one, with T's lower one where the first is ahead and T's upper one where it is behind. At a difference of 0 that is the exact
//! sign test. No proof of coverage is known; in exact enumerations it held
//! everywhere (`tests/estimators/paired.rs`).

use super::numeric::{integral, root};
use super::special::{beta_below, ln_beta};

/// How items differ between two systems, each of which succeeds or fails on every item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairedCounts {
    /// The items on which the first alone succeeds.
    pub only_first: u64,
    /// The items on which the second alone succeeds.
    pub only_second: u64,
    /// All items.
    pub n: u64,
}

impl PairedCounts {
    /// The difference of the shares of successes, first less second; 0 without items.
    pub fn difference(&self) -> f64 {
        (self.only_first as f64 - self.only_second as f64) / self.n.max(1) as f64
    }

    /// The one-sided p-value of the hypothesis that the difference is `delta` or less.
    pub fn p_above(&self, delta: f64) -> f64 {
        LowerDistribution::new(self).below(delta)
    }

    /// The one-sided p-value of the hypothesis that the difference is `delta` or more.
    pub fn p_below(&self, delta: f64) -> f64 {
        self.swapped().p_above(-delta)
    }

    /// The ends of the interval, each of which is missed with probability `level` at most; 0 < level < 1/2.
    pub fn ends(&self, level: f64) -> (f64, f64) {
        let lower = |counts: &Self| LowerDistribution::new(counts).quantile(level);
        (lower(self), -lower(&self.swapped()))
    }

    fn swapped(&self) -> Self {
        Self {
            only_first: self.only_second,
            only_second: self.only_first,
            n: self.n,
        }
    }
}

/// The melded lower confidence distribution of the difference.
struct LowerDistribution {
    /// B; `None` where it is 0.
    ahead: Option<BetaVariable>,
    /// T from below; `None` where it is 0.
    least: Option<BetaVariable>,
    /// T from above; `None` where it is 1.
    most: Option<BetaVariable>,
}

/// Panels of the integrals; the integrands are products of a density and a distribution function.
const PANELS: u32 = 6;

impl LowerDistribution {
    fn new(counts: &PairedCounts) -> Self {
        let PairedCounts {
            only_first: ahead,
            only_second: behind,
            n,
        } = *counts;
        let differing = ahead + behind;
        let variable = |a: u64, b: u64| (a > 0 && b > 0).then(|| BetaVariable::new(a, b));
        Self {
            ahead: variable(ahead, behind + 1),
            least: variable(differing, n - differing + 1),
            most: variable(differing + 1, n - differing),
        }
    }

    /// The probability of at most `delta`.
    fn below(&self, delta: f64) -> f64 {
        if delta >= 1.0 {
            return 1.0;
        }
        let share = match delta < 0.0 {
            true => self.most.as_ref(),
            false => self.least.as_ref(),
        };
        match (&self.ahead, share) {
            (None, _) if delta >= 0.0 => 1.0,
            // The difference is −T.
            (None, Some(share)) => share.above(-delta),
            (None, None) => f64::from(u8::from(delta >= -1.0)),
            // All of T, or T itself, drops out.
            (Some(ahead), _) if delta == 0.0 => ahead.below(0.5),
            (Some(ahead), None) => ahead.below(0.5 * (1.0 + delta)),
            (Some(ahead), Some(share)) => product_below(ahead, share, delta).clamp(0.0, 1.0),
        }
    }

    fn quantile(&self, level: f64) -> f64 {
        // In logarithms the function is nearly straight far out.
        let excess = |delta: f64| (self.below(delta) / level).max(1e-300).ln();
        root(-1.0, 1.0, excess)
    }
}

/// P(T (2B − 1) ≤ δ), integrated over the variable that is known better: the other's distribution function is smooth there.
fn product_below(ahead: &BetaVariable, share: &BetaVariable, delta: f64) -> f64 {
    let known = share.deviation() / share.mean();
    let other = 2.0 * ahead.deviation() / (2.0 * ahead.mean() - 1.0).abs();
    let size = delta.abs();
    if known <= other {
        // Below δ itself every T will do where δ > 0, and none where δ < 0.
        let [low, high] = share.support;
        let all = if delta > 0.0 { share.below(size) } else { 0.0 };
        let inner = |t: f64| share.density(t) * ahead.below(0.5 * (1.0 + delta / t));
        return all + from_edge(low.max(size).min(high), high, inner);
    }
    let [low, high] = ahead.support;
    let edge = 0.5 * (1.0 + delta);
    if delta < 0.0 {
        let inner = |b: f64| ahead.density(b) * share.above(size / (1.0 - 2.0 * b));
        return from_edge(high.min(edge).max(low), low, inner);
    }
    let inner = |b: f64| ahead.density(b) * share.below(size / (2.0 * b - 1.0));
    ahead.below(edge) + from_edge(low.max(edge).min(high), high, inner)
}

/// The integral between an edge, near which the integrand may be steep, and the other end.
fn from_edge(edge: f64, end: f64, f: impl Fn(f64) -> f64) -> f64 {
    let width = end - edge;
    let inner = |v: f64| 3.0 * v * v * f(edge + width * v * v * v);
    width.abs() * integral(0.0, 1.0, PANELS, inner)
}

/// A variable with a Beta distribution of whole parameters, at least 1.
struct BetaVariable {
    a: f64,
    b: f64,
    ln_beta: f64,
    /// What lies outside has a probability that f64 cannot tell from 0 beside 1.
    support: [f64; 2],
}

impl BetaVariable {
    fn new(a: u64, b: u64) -> Self {
        let (a, b) = (a as f64, b as f64);
        let mut variable = Self {
            a,
            b,
            ln_beta: ln_beta(a, b),
            support: [0.0, 1.0],
        };
        let (mean, deviation) = (variable.mean(), variable.deviation());
        let reaches = |tail: &dyn Fn(f64) -> f64, step: f64| {
            let mut x = mean;
            while x > 0.0 && x < 1.0 && tail(x) > 1e-14 {
                x += step * deviation;
            }
            x.clamp(0.0, 1.0)
        };
        variable.support = [
            reaches(&|x| variable.below(x), -1.0),
            reaches(&|x| variable.above(x), 1.0),
        ];
        variable
    }

    fn mean(&self) -> f64 {
        self.a / (self.a + self.b)
    }

    fn deviation(&self) -> f64 {
        let sum = self.a + self.b;
        (self.a * self.b / (sum + 1.0)).sqrt() / sum
    }

    fn below(&self, x: f64) -> f64 {
        beta_below(x.clamp(0.0, 1.0), self.a, self.b)
    }

    fn above(&self, x: f64) -> f64 {
        beta_below((1.0 - x).clamp(0.0, 1.0), self.b, self.a)
    }

    fn density(&self, x: f64) -> f64 {
        let ln = |power: f64, ln: f64| if power > 0.0 { power * ln } else { 0.0 };
        let powers = ln(self.a - 1.0, x.ln()) + ln(self.b - 1.0, (-x).ln_1p());
        (powers - self.ln_beta).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::binomial;

    fn counts(only_first: u64, only_second: u64, n: u64) -> PairedCounts {
        PairedCounts {
            only_first,
            only_second,
            n,
        }
    }

    #[test]
    fn at_no_difference_it_is_the_sign_test() {
        for (first, second, n) in [(0, 0, 5), (7, 2, 9), (7, 2, 40), (150, 101, 600), (0, 3, 3)] {
            let p = counts(first, second, n).p_above(0.0);
            let exact = match first + second {
                0 => 1.0,
                differing => binomial::at_least(first, differing, 0.5),
            };
            assert!((p - exact).abs() < 1e-12, "{first} {second}: {p} {exact}");
        }
    }

    /// P(T (2B − 1) ≤ δ) by a fine sum over the quantiles of T.
    fn slowly(counts: &PairedCounts, delta: f64) -> f64 {
        const STEPS: u32 = 20_000;
        let melded = LowerDistribution::new(counts);
        let share = if delta < 0.0 {
            &melded.most
        } else {
            &melded.least
        };
        let (share, ahead) = (share.as_ref().unwrap(), melded.ahead.as_ref().unwrap());
        let step = |at: u32| {
            let [one, other] = [at, at + 1].map(|at| f64::from(at) / f64::from(STEPS));
            let middle = 0.5 * (one + other);
            let chance = share.below(other) - share.below(one);
            chance * ahead.below(0.5 * (1.0 + delta / middle))
        };
        (0..STEPS).map(step).sum()
    }

    #[test]
    fn the_melded_distribution_is_its_integral() {
        for (first, second, n) in [
            (1, 0, 1),
            (1, 9, 10),
            (9, 1, 10),
            (10, 0, 10),
            (3, 5, 200),
            (60, 40, 1000),
            (400, 580, 1000),
            (999, 1, 1000),
        ] {
            for delta in [-0.9, -0.3, -0.05, -0.001, 0.0, 0.001, 0.02, 0.3, 0.98] {
                let counts = counts(first, second, n);
                let melded = LowerDistribution::new(&counts);
                if delta < 0.0 && melded.most.is_none() {
                    continue;
                }
                let (quick, slow) = (counts.p_above(delta), slowly(&counts, delta));
                assert!(
                    (quick - slow).abs() < 1e-7,
                    "{counts:?} {delta}: {quick} {slow}"
                );
            }
        }
    }

    #[test]
    fn ends_by_hand_and_mirrored() {
        // Without a differing item, T's upper end: 1 − (α/2)^(1/n).
        let (lower, upper) = counts(0, 0, 20).ends(0.025);
        let expected = 1.0 - 0.025_f64.powf(0.05);
        assert!((upper - expected).abs() < 1e-9 && (lower + expected).abs() < 1e-9);
        let (lower, upper) = counts(8, 3, 50).ends(0.025);
        let (other, side) = counts(3, 8, 50).ends(0.025);
        assert!((lower + side).abs() < 1e-12 && (upper + other).abs() < 1e-12);
        assert!(lower < 0.1 && 0.1 < upper);
        let p = counts(8, 3, 50).p_above(lower);
        assert!((p - 0.025).abs() < 1e-9, "{p}");
        assert_eq!(counts(0, 4, 4).ends(0.025).0, -1.0);
    }
}
