//! The trust in predictions about systems, by what they tell of items.
//!
//! Predictions that tell who wins on an item mostly tell who wins overall, and others hardly ever do. With ρ the
//! correlation of predictions and scores within pairs, t whether they tell items apart, and z whether they count
//! ([`super::prior`]):
//!
//! ```text
//! ρ | t ~ N(.27, .07²)    ρ | not t ~ N(.035, .045²)    P(t | z) = .97    P(t | not z) = .2
//! ```
//!
//! Learnt over 131 tables of chrF, BLEU, ROUGE-L, TER and length on 27 public sets of comparisons
//! (`benches/priors/scales.py`), and much the same with any campaign left out, but for CoNLL'14: there metrics tell
//! corrections of a sentence apart and rank the systems wrongly, and without it P(t | not z) would be 0. So predictions
//! that tell items apart end up counting with .88 before margins have their say, and those that do not with .05.
//!
//! Scores S of the answers scatter by σ² around their means; n of them show ρ with a variance of 1/n. What is audited
//! scatters more than S² ≤ 1 allows, which blurs ρ and leaves its size:
//!
//! ```text
//! ρ̂ = Σ c (S − μ) / √(n min(σ², 1) Σ c²)     var ρ̂ = max(σ², 1)/n     σ² = Σ (S − μ)²/n
//! ```

use tiebreak_base::stats::log_odds::logistic;

/// Mean and standard deviation of ρ, where predictions tell items apart, and where they do not.
const TELLING: (f64, f64) = (0.27, 0.07);
const IDLE: (f64, f64) = (0.035, 0.045);

/// P(t | z), and P(t | not z).
const TELLS_IF_COUNTS: f64 = 0.97;
const TELLS_IF_NOT: f64 = 0.2;

/// The sums behind the correlation of predictions with the scores of n answers.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct PredictionCorrelation {
    /// Σ c (S − μ).
    pub product: f64,
    /// Σ c².
    pub square: f64,
    /// Σ (S − μ)².
    pub scatter: f64,
    /// n.
    pub answers: f64,
}

impl PredictionCorrelation {
    /// The logarithm of how much likelier this is if the predictions count than if they do not.
    pub(super) fn ln_ratio(self) -> f64 {
        if self.square <= 0.0 || self.scatter <= 0.0 {
            return 0.0;
        }
        let one = self.scatter / self.answers;
        let rho = self.product / (self.answers * one.min(1.0) * self.square).sqrt();
        let variance = one.max(1.0) / self.answers;
        let ln_density = |(mean, deviation): (f64, f64)| {
            let variance = deviation * deviation + variance;
            -0.5 * (variance.ln() + (rho - mean).powi(2) / variance)
        };
        let telling = logistic(ln_density(TELLING) - ln_density(IDLE));
        let likelihood = |tells: f64| tells * telling + (1.0 - tells) * (1.0 - telling);
        (likelihood(TELLS_IF_COUNTS) / likelihood(TELLS_IF_NOT)).ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// n answers that scatter by σ² about predictions of c = ±½.
    fn common(rho: f64, answers: f64, one: f64) -> PredictionCorrelation {
        PredictionCorrelation {
            product: rho * answers * 0.5 * one.min(1.0).sqrt(),
            square: answers * 0.25,
            scatter: answers * one,
            answers,
        }
    }

    #[test]
    fn what_tells_items_apart_is_trusted_and_what_does_not_is_not() {
        let ratio = |rho, answers| common(rho, answers, 0.8).ln_ratio().exp();
        assert_eq!(PredictionCorrelation::default().ln_ratio(), 0.0);
        // A few answers say little.
        assert!((ratio(0.3, 4.0) - 1.0).abs() < 0.15 && (ratio(0.0, 4.0) - 1.0).abs() < 0.15);
        // Many say all there is to say, also of what goes the wrong way or is better than any metric.
        let (most, least) = (0.97 / 0.2, 0.03 / 0.8);
        for (rho, limit) in [(0.3, most), (0.8, most), (0.0, least), (-0.3, least)] {
            let found = ratio(rho, 1e6);
            assert!((found / limit - 1.0).abs() < 0.15, "{rho}: {found}");
        }
        // By hand: ρ̂ = .2 of 100 answers, with variances .07² + .01 and .045² + .01.
        let density = |mean: f64, v: f64| (-(0.2 - mean).powi(2) / v / 2.0).exp() / v.sqrt();
        let (t, not) = (density(0.27, 0.0149), density(0.035, 0.012_025));
        let by_hand = (0.97 * t + 0.03 * not) / (0.2 * t + 0.8 * not);
        assert!((ratio(0.2, 100.0) / by_hand - 1.0).abs() < 1e-12);
    }

    #[test]
    fn audits_blur_and_do_not_discredit() {
        let [plain, audited] = [1.0, 5.0].map(|one| common(0.3, 200.0, one).ln_ratio());
        assert_eq!(audited, common(0.3, 40.0, 1.0).ln_ratio());
        assert!(0.0 < audited && audited < plain);
    }
}
