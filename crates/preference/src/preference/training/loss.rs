//! Cross-entropy of a model's prediction for a pair against its judgments.
//!
//! With one log-odds d for `a` (a pairwise logit, or the difference of two scores) and the mean
//! outcome y in [0, 1], ties counting ½: L = ln(1 + eᵈ) − y d and L′ = σ(d) − y. A mean outcome
//! between 0 and 1 is a soft label: it is best met by σ(d) = y. With three classes `b`, `tie`, `a`
//! and the shares q of the judgments: L = ln Σ eᶻ − q·z and L′ = softmax(z) − q.

use std::array;
use tiebreak_base::stats::log_odds::{ln_1p_exp, ln_sum_exp, logistic};

/// The judgments of a pair, as numbers of outcomes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct JudgmentCounts {
    /// Judgments that the first was better.
    pub wins: f64,
    /// Judgments that neither was.
    pub ties: f64,
    /// Judgments that the second was better.
    pub losses: f64,
}

impl JudgmentCounts {
    /// The number of judgments.
    pub fn total(self) -> f64 {
        self.wins + self.ties + self.losses
    }

    /// The mean outcome of the first, ties counting ½.
    pub fn mean(self) -> f64 {
        (self.wins + 0.5 * self.ties) / self.total()
    }

    /// The judgments seen from the other side.
    #[must_use]
    pub fn flipped(self) -> Self {
        Self {
            wins: self.losses,
            losses: self.wins,
            ..self
        }
    }
}

/// The loss at log-odds `d` and its derivative.
pub(crate) fn of_log_odds(d: f64, said: JudgmentCounts) -> (f64, f64) {
    let y = said.mean();
    (ln_1p_exp(d) - y * d, logistic(d) - y)
}

/// The loss at the logits of `b`, `tie` and `a`, and its derivatives.
pub(crate) fn of_classes(logits: [f64; 3], said: JudgmentCounts) -> (f64, [f64; 3]) {
    let total = said.total();
    let shares = [said.losses, said.ties, said.wins].map(|count| count / total);
    let sum = ln_sum_exp(logits.into_iter());
    let met: f64 = (0..3).map(|i| shares[i] * logits[i]).sum();
    (
        sum - met,
        array::from_fn(|i| (logits[i] - sum).exp() - shares[i]),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::stats::log_odds::log_odds;

    fn judgment_counts(wins: f64, ties: f64, losses: f64) -> JudgmentCounts {
        JudgmentCounts { wins, ties, losses }
    }

    #[test]
    fn derivatives_are_slopes() {
        let h = 1e-5;
        for said in [
            judgment_counts(3.0, 0.0, 1.0),
            judgment_counts(0.0, 2.0, 0.0),
            judgment_counts(1.0, 5.0, 2.0),
        ] {
            for d in [-30.0, -1.3, 0.0, 0.4, 30.0] {
                let slope = (of_log_odds(d + h, said).0 - of_log_odds(d - h, said).0) / (2.0 * h);
                assert!((slope - of_log_odds(d, said).1).abs() < 1e-8);
            }
            let at = [0.3, -1.0, 2.0];
            let (_, derivatives) = of_classes(at, said);
            for i in 0..3 {
                let moved = |by: f64| {
                    let mut at = at;
                    at[i] += by;
                    of_classes(at, said).0
                };
                let slope = (moved(h) - moved(-h)) / (2.0 * h);
                assert!((slope - derivatives[i]).abs() < 1e-8);
            }
        }
    }

    #[test]
    fn the_best_answer_is_what_people_said() {
        let said = judgment_counts(3.0, 2.0, 1.0);
        let d = log_odds(said.mean());
        assert!(of_log_odds(d, said).1.abs() < 1e-15);
        let logits = [1.0_f64, 2.0, 3.0].map(f64::ln);
        assert!(of_classes(logits, said).1.iter().all(|x| x.abs() < 1e-15));
        // Two classes and a class without judgments are one log-odds.
        let decided = JudgmentCounts { ties: 0.0, ..said };
        let (three, _) = of_classes([0.2, -1e3, 1.1], decided);
        assert!((three - of_log_odds(0.9, decided).0).abs() < 1e-12);
    }

    #[test]
    fn sides_are_alike_and_nothing_overflows() {
        let said = judgment_counts(2.0, 1.0, 0.0);
        let (there, back) = (of_log_odds(0.7, said), of_log_odds(-0.7, said.flipped()));
        assert!((there.0 - back.0).abs() < 1e-15 && (there.1 + back.1).abs() < 1e-15);
        assert!(of_log_odds(1e4, said).0.is_finite() && of_log_odds(-1e4, said).0.is_finite());
        assert!(of_classes([1e4, -1e4, 0.0], said).0.is_finite());
    }
}
