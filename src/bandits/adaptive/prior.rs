//! What margins look like before the first answer.
//!
//! ```text
//! d_ij = z β m_ij + s_i − s_j + e_ij
//! β ~ N(0.8, 0.3²)   s_i ~ N(0, σ_s²)   e_ij ~ N(0, σ_e²)
//! ```
//!
//! m are the margins a model predicts, β what they are worth (perhaps nothing, perhaps the
//! opposite), z whether they count at all; s is the transitive part, the strengths of the systems
//! or the model's errors about them; e lets every pair deviate. (z, `σ_s`, `σ_e`) has the finite prior
//! listed here.
//!
//! A model that ranks systems well errs about them by a percent or less, so that is what trusting it
//! means: where it is right the answers need only confirm it. Whether it is to be trusted is even
//! odds: one that is worth nothing is then found out soon. Wider scales help less where the model is
//! good, and better odds cost more where it is not.

/// The mean of β.
pub(super) const BETA_MEAN: f64 = 0.8;

/// The precision of β.
pub(super) const BETA_PRECISION: f64 = 1.0 / (0.3 * 0.3);

/// How likely predictions are worth something.
const TRUST: f64 = 0.5;

/// What the odds that no system beats all others are multiplied by in what is said: the deviations
/// that keep questions honest make that likelier than people do. Among 28 public sets of 11 campaigns it
/// is so in three; there a fifth would fit best, in simulated systems with deviations one half.
/// Multiplying these odds before the first answer and after the last is the same.
pub(super) const NO_WINNER: f64 = 0.5;

/// One setting of the scales.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scales {
    /// Its logarithmic prior probability.
    pub ln_prior: f64,
    /// z: 1 where predictions count, else 0.
    pub trusts: f64,
    /// `σ_s`.
    pub strength: f64,
    /// `σ_e`.
    pub deviation: f64,
}

/// All settings, with or without predicted margins.
pub(super) fn scales(predicted: bool) -> Vec<Scales> {
    let alone = (0.0, &[0.02, 0.06, 0.15], &[0.01, 0.04, 0.12][..]);
    let trusting = (1.0, &[0.003, 0.01, 0.03], &[0.003, 0.01][..]);
    let families = match predicted {
        true => vec![(TRUST, trusting), (1.0 - TRUST, alone)],
        false => vec![(1.0, alone)],
    };
    let mut all = Vec::new();
    for (share, (trusts, strengths, deviations)) in families {
        let each: f64 = share / (strengths.len() * deviations.len()) as f64;
        for &strength in strengths {
            all.extend(deviations.iter().map(|&deviation| Scales {
                ln_prior: each.ln(),
                trusts,
                strength,
                deviation,
            }));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_settings_are_a_distribution() {
        for (predicted, number) in [(false, 9), (true, 15)] {
            let all = scales(predicted);
            assert_eq!(all.len(), number);
            let total: f64 = all.iter().map(|one| one.ln_prior.exp()).sum();
            assert!((total - 1.0).abs() < 1e-12);
        }
    }
}
