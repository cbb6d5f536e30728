//! The uncertainty of a model, from its dropout draws: BALD and STD.
//!
//! BALD (Houlsby et al., 2011; Mohankumar and Khapra, 2022, section 4.3) is H(mean of the draws)
//! − mean of H(draw), with H the binary entropy in nats and 0 ln 0 = 0: high where the draws are
//! each certain but disagree. STD is the population standard deviation of the draws.

use super::Preference;
use tiebreak_base::duel::{Prediction, Uncertainty};
use tiebreak_base::stats::special::binary_entropy;

impl Preference {
    /// The draws summed up.
    pub fn prediction(&self) -> Prediction {
        Prediction {
            p: self.p,
            uncertainty: uncertainty(&self.draws),
        }
    }
}

/// The uncertainty of draws of a preference, each in [0, 1]; `None` where there are none.
pub fn uncertainty(draws: &[f64]) -> Option<Uncertainty> {
    let first = *draws.first()?;
    let n = draws.len() as f64;
    // Around the first draw, so that equal draws have a standard deviation of exactly 0.
    let shift = draws.iter().map(|draw| draw - first).sum::<f64>() / n;
    let mean = (first + shift).clamp(0.0, 1.0);
    let variance = draws
        .iter()
        .map(|draw| (draw - first - shift).powi(2))
        .sum::<f64>()
        / n;
    let expected = draws.iter().map(|&draw| binary_entropy(draw)).sum::<f64>() / n;
    // Not below 0 (Jensen's inequality) but for rounding.
    let bald = (binary_entropy(mean) - expected).max(0.0);
    Some(Uncertainty {
        mean,
        bald,
        std: variance.sqrt(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::rng::Seed;

    /// BALD once more as the mean Kullback-Leibler divergence of the draws from their mean.
    fn oracle(draws: &[f64]) -> (f64, f64, f64) {
        let n = draws.len() as f64;
        let mean = draws.iter().sum::<f64>() / n;
        let part = |p: f64, q: f64| if p == 0.0 { 0.0 } else { p * (p / q).ln() };
        let divergence = |p: f64| part(p, mean) + part(1.0 - p, 1.0 - mean);
        let bald = draws.iter().map(|&p| divergence(p)).sum::<f64>() / n;
        let squares = draws.iter().map(|p| p * p).sum::<f64>() / n;
        (mean, bald, (squares - mean * mean).max(0.0).sqrt())
    }

    #[test]
    fn it_agrees_with_another_way_to_compute_it() {
        let mut rng = Seed(5).stream("test", 0);
        for size in 1..60 {
            let mut draws: Vec<f64> = (0..size).map(|_| rng.uniform()).collect();
            if size % 3 == 0 {
                draws[0] = 0.0;
            }
            if size % 4 == 0 {
                draws[size - 1] = 1.0;
            }
            let found = uncertainty(&draws).unwrap();
            let (mean, bald, std) = oracle(&draws);
            assert!((found.mean - mean).abs() < 1e-12);
            assert!((found.bald - bald).abs() < 1e-12, "{} {bald}", found.bald);
            assert!((found.std - std).abs() < 1e-7);
        }
    }

    #[test]
    fn complete_disagreement_is_one_bit_and_agreement_nothing() {
        let split = uncertainty(&[0.0, 1.0]).unwrap();
        assert_eq!((split.mean, split.std), (0.5, 0.5));
        assert!((split.bald - std::f64::consts::LN_2).abs() < 1e-15);
        for p in [0.0, 0.1, 0.7, 1.0] {
            let agreed = uncertainty(&[p; 7]).unwrap();
            assert_eq!((agreed.mean, agreed.std), (p, 0.0));
            assert!(agreed.bald < 1e-15);
        }
        assert_eq!(uncertainty(&[]), None);
    }
}
