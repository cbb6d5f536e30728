//! DTS++: double Thompson sampling that prefers, among equally good first arms, the one that is
//! cheapest to explore.
//!
//! Source: Wu and Liu, "Double Thompson sampling for dueling bandits", NeurIPS 2016, section 5
//! (there D-TS+). Assumes nothing: aims at a Copeland winner.
//! Parameters: `alpha` (0.51) scales the radius √(α ln t / n).
//!
//! As [`super::dts`], but the first arm minimises, among the candidates with the largest sampled
//! Copeland score, Σ over j with `θ_ij` ≠ ½ of (`z_max` − (`z_i` + `z_j`)/2) / KL(`θ_ij` ‖ ½), where z
//! are the Copeland scores of the sample divided by K − 1.
//!
//! `variant=released` minimises over all candidates, whatever their sampled score, and takes the
//! second arm the wrong way round, as in `dts`.

use super::dts::{DtsParameters, Tiebreak, build_with};
use super::posterior::draw;
use super::tally::Tally;
use super::{Arena, BuildDueling, DuelingBandit, Variant};
use tiebreak_base::error::Result;
use tiebreak_base::registry::{Entry, Params, parameters};
use tiebreak_base::rng::Rng;
use tiebreak_base::stats::special::kl_from_half;

/// The registry entry of `dts++`.
pub(super) const ENTRY: Entry<BuildDueling> = Entry {
    name: "dts++",
    summary: "double Thompson sampling with ties broken by the regret of exploring",
    cite: "Wu and Liu, NeurIPS 2016, section 5 (D-TS+)",
    parameters: parameters::<DtsParameters>,
    build,
};

fn build(params: &Params, arena: &Arena) -> Result<Box<dyn DuelingBandit>> {
    build_with("dts++", Tiebreak::Regret, params, arena)
}

/// One draw of all preferences.
struct PreferenceSample {
    k: usize,
    /// `θ_ij` at i·K + j, and ½ on the diagonal.
    theta: Vec<f64>,
}

impl PreferenceSample {
    fn new(tally: &Tally, rng: &mut Rng) -> Self {
        let k = tally.k();
        let mut theta = vec![0.5; k * k];
        for i in 0..k {
            for j in i + 1..k {
                theta[i * k + j] = draw(tally, i, j, rng);
                theta[j * k + i] = 1.0 - theta[i * k + j];
            }
        }
        Self { k, theta }
    }

    fn row(&self, arm: usize) -> &[f64] {
        &self.theta[arm * self.k..(arm + 1) * self.k]
    }

    /// The normalised Copeland score of every arm.
    fn copeland(&self) -> Vec<f64> {
        let beaten = |arm| self.row(arm).iter().filter(|&&theta| theta > 0.5).count();
        (0..self.k)
            .map(|arm| beaten(arm) as f64 / (self.k - 1) as f64)
            .collect()
    }

    /// The regret of exploring `arm` until all its preferences are as clear as they are strong.
    fn regret(&self, arm: usize, z: &[f64]) -> f64 {
        let best = z.iter().copied().fold(0.0, f64::max);
        let terms = self.row(arm).iter().zip(z).map(|(&theta, &other)| {
            let (loss, divergence) = (best - f64::midpoint(z[arm], other), kl_from_half(theta));
            if divergence > 0.0 {
                loss / divergence
            } else {
                0.0 // θ = ½: left out
            }
        });
        terms.sum()
    }
}

/// The arms among which the first of a duel is chosen, each with its regret in a fresh sample.
pub(super) fn regrets(
    tally: &Tally,
    candidates: &[usize],
    variant: Variant,
    rng: &mut Rng,
) -> Vec<(usize, f64)> {
    let sample = PreferenceSample::new(tally, rng);
    let z = sample.copeland();
    let best = candidates.iter().map(|&arm| z[arm]).fold(0.0, f64::max);
    candidates
        .iter()
        .filter(|&&arm| variant == Variant::Released || z[arm] == best)
        .map(|&arm| (arm, sample.regret(arm, &z)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::duel::{Arm, Outcome, Pair};
    use tiebreak_base::rng::Seed;

    #[test]
    fn regret_is_that_of_a_hand_made_example() {
        // 0 beats 1 by 0.8 and ties with 2; 1 beats 2 by 0.6.
        let theta = vec![0.5, 0.8, 0.5, 0.2, 0.5, 0.6, 0.5, 0.4, 0.5];
        let sample = PreferenceSample { k: 3, theta };
        let z = sample.copeland();
        assert_eq!(z, [0.5, 0.5, 0.0]);
        assert_eq!(sample.regret(0, &z), 0.0);
        let kl = 2.0_f64.ln() + 0.4 * 0.4_f64.ln() + 0.6 * 0.6_f64.ln();
        assert!((sample.regret(1, &z) - 0.25 / kl).abs() < 1e-9);
    }

    #[test]
    fn only_the_released_variant_considers_candidates_with_a_low_sampled_score() {
        let mut tally = Tally::new(3);
        for _ in 0..400 {
            for (i, j) in [(0, 1), (0, 2), (1, 2)] {
                tally.record(Pair::new(Arm(i), Arm(j)), Outcome::Win);
            }
        }
        let mut rng = Seed(1).stream("test", 0);
        let arms = |variant, rng: &mut Rng| -> Vec<usize> {
            let all = regrets(&tally, &[0, 1, 2], variant, rng);
            all.into_iter().map(|(arm, _)| arm).collect()
        };
        assert_eq!(arms(Variant::Original, &mut rng), [0]);
        assert_eq!(arms(Variant::Released, &mut rng), [0, 1, 2]);
    }
}
