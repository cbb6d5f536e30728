//! Soft pairwise accuracy: agreement of a metric with people on how certain it is that one system is better.
//!
//! Source: Thompson et al., WMT 2024. For each pair of systems p is the share of paired permutations (for
//! each item the two scores stay or change places) whose difference of sums is at least the observed one;
//! the soft accuracy is 1 − mean |p_human − p_metric|.
//!
//! Deviations. The permutation distribution is not sampled but written down: it is symmetric with
//! variance Σd² and fourth cumulant −2Σd⁴ over the differences d, and Edgeworth's series gives p without a
//! seed; with a dozen items it is mostly within 0.003 of all permutations, where the error of a thousand
//! random ones is 0.016 at ½, and it gets better with more. A permutation that ties with the observation
//! counts one half, so that the order of the systems does
//! not matter. A pair is compared on the items where both have a score; pairs without one are left out.
//!
//! WMT has scores of segments by people. Where people compared outputs instead, the same permutations use
//! their answers: the difference of two systems on an item is the mean of its comparisons, 1 for the first,
//! 0 for a tie, −1 for the second, and the metric's are taken on the same items only, so that
//! neither side is surer for having seen more.

use super::{Layout, Pairing};
use std::f64::consts::PI;
use tiebreak_base::stats::normal;

/// Sums over the items that each pair of systems shares.
pub(super) struct Differences {
    pairing: Pairing,
    /// The sums, by the pairing's slots.
    sums: Vec<DifferencePowerSums>,
}

/// Sums of powers of the differences of two systems' scores.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct DifferencePowerSums {
    pub(super) n: u64,
    first: f64,
    second: f64,
    fourth: f64,
}

impl Differences {
    /// The sums from scores, in one pass over the pairs of every item's outputs.
    pub(super) fn from_scores(layout: &Layout, scores: &[f64], pairing: &Pairing) -> Self {
        let (mut differences, mut pairs) = (Self::new(pairing.clone()), Vec::new());
        for item in 0..layout.items() {
            pairing.pairs(layout, item, &mut pairs);
            for &(a, b) in &pairs {
                let systems = [layout.system(a), layout.system(b)];
                differences.push(systems, scores[a] - scores[b]);
            }
        }
        differences
    }

    /// Empty sums.
    pub(super) fn new(pairing: Pairing) -> Self {
        let sums = vec![DifferencePowerSums::default(); pairing.slots()];
        Self { pairing, sums }
    }

    /// Adds an item, with the difference of the first of two systems over the second.
    pub(super) fn push(&mut self, systems: [usize; 2], difference: f64) {
        if let Some((slot, turned)) = self.pairing.slot(systems) {
            self.sums[slot].push(if turned { -difference } else { difference });
        }
    }

    /// The sums for systems some of which are copies: each takes the differences of its first copy in
    /// `firsts`.
    pub(super) fn copied(&self, firsts: &[usize]) -> Self {
        let mut copied = Self::new(self.pairing.clone());
        for (i, &a) in firsts.iter().enumerate() {
            for (j, &b) in firsts.iter().enumerate().skip(i + 1) {
                if let (Some((to, _)), Some((from, turned))) =
                    (self.pairing.slot([i, j]), self.pairing.slot([a, b]))
                {
                    let sums = self.sums[from];
                    copied.sums[to] = if turned { sums.turned() } else { sums };
                }
            }
        }
        copied
    }

    /// One minus the mean difference of p between two sides, over the pairs of systems that share an
    /// item; `None` without any. Also the number of systems in those pairs.
    pub(super) fn soft_accuracy(&self, other: &Self) -> (Option<f64>, u64) {
        let (mut total, mut pairs) = (0.0, 0_u32);
        let mut seen = vec![false; self.pairing.systems()];
        for (slot, (one, other)) in self.sums.iter().zip(&other.sums).enumerate() {
            if one.n > 0 {
                total += (one.p() - other.p()).abs();
                pairs += 1;
                for system in self.pairing.ends(slot) {
                    seen[system] = true;
                }
            }
        }
        let value = (pairs > 0).then(|| 1.0 - total / f64::from(pairs));
        (value, seen.iter().filter(|seen| **seen).count() as u64)
    }
}

impl DifferencePowerSums {
    pub(super) fn push(&mut self, d: f64) {
        self.n += 1;
        self.add(d);
    }

    /// Adds a difference that is counted elsewhere.
    #[inline]
    pub(super) fn add(&mut self, d: f64) {
        let square = d * d;
        self.first += d;
        self.second += square;
        self.fourth += square * square;
    }

    /// The sums of the second system against the first.
    pub(super) fn turned(self) -> Self {
        Self {
            first: -self.first,
            ..self
        }
    }

    /// The p-value: the probability of at least so large a sum when all signs of the differences are equally likely.
    pub(super) fn p(&self) -> f64 {
        if self.second == 0.0 {
            return 0.5;
        }
        let x = self.first / self.second.sqrt();
        let kurtosis = -2.0 * self.fourth / (self.second * self.second);
        let density = (-0.5 * x * x).exp() / (2.0 * PI).sqrt();
        let tail = normal::cdf(-x) + density * kurtosis / 24.0 * (x * x * x - 3.0 * x);
        tail.clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::rng::Seed;

    /// p by all 2ⁿ permutations, ties counting one half.
    fn exact(differences: &[f64]) -> f64 {
        let observed: f64 = differences.iter().sum();
        let mut count = 0.0;
        for signs in 0..1_u32 << differences.len() {
            let flipped = differences.iter().enumerate();
            let sum: f64 = flipped
                .map(|(i, d)| if signs >> i & 1 == 1 { -d } else { *d })
                .sum();
            if (sum - observed).abs() < 1e-9 {
                count += 0.5;
            } else if sum > observed {
                count += 1.0;
            }
        }
        count / f64::from(1_u32 << differences.len())
    }

    fn p(differences: &[f64]) -> f64 {
        let mut sums = DifferencePowerSums::default();
        for &d in differences {
            sums.push(d);
        }
        sums.p()
    }

    #[test]
    fn the_series_is_close_to_all_permutations() {
        let mut errors = Vec::new();
        for run in 0..60 {
            let mut rng = Seed(3).stream("test", run);
            let shift = rng.uniform();
            let smooth: Vec<f64> = (0..12).map(|_| rng.normal() + shift).collect();
            let likert: Vec<f64> = (0..12).map(|_| rng.below(5) as f64 - 1.5).collect();
            for differences in [smooth, likert] {
                errors.push((p(&differences) - exact(&differences)).abs());
            }
        }
        errors.sort_by(f64::total_cmp);
        let (median, worst) = (errors[errors.len() / 2], errors[errors.len() - 1]);
        assert!(median < 0.003 && worst < 0.025, "{median} {worst}");
    }

    #[test]
    fn equal_scores_say_nothing() {
        assert_eq!(p(&[0.0, 0.0]), 0.5);
        assert!((p(&[1.0, -1.0]) - 0.5).abs() < 1e-12);
        assert!(p(&[1.0; 40]) < 1e-9);
    }
}
