//! Scores of a forecast once the outcome is known: Brier score and log loss.
//!
//! Sources: Brier, "Verification of forecasts expressed in terms of probability", Monthly Weather
//! Review 1950; Good, "Rational decisions", JRSS B 1952. Both are proper: what one believes scores
//! best on average.
//!
//! A tie is half a win and half a loss, so that a coin scores ¼ and ln 2 whatever the share of
//! ties.

/// The probability that the first side wins, and the outcome.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Forecast {
    /// The probability, in [0, 1].
    pub p: f64,
    /// The outcome: 0, ½ or 1.
    pub outcome: f64,
}

impl Forecast {
    /// The closest to 0 or 1 that p counts, so that one certain mistake costs 13.8 nats and not
    /// infinitely many.
    pub const CERTAIN: f64 = 1e-6;

    /// The squared error, in [0, 1].
    pub fn brier(self) -> f64 {
        let Self { p, outcome } = self;
        outcome * (1.0 - p).powi(2) + (1.0 - outcome) * p.powi(2)
    }

    /// Whether the log loss counts another probability, since this one is nearer to 0 or 1 than [`Forecast::CERTAIN`].
    pub fn is_clipped(self) -> bool {
        !(Forecast::CERTAIN..=1.0 - Forecast::CERTAIN).contains(&self.p)
    }

    /// Minus the logarithm of the probability of the outcome, in nats; of a clipped probability that of the nearest that
    /// counts.
    pub fn log_loss(self) -> f64 {
        let p = self.p.clamp(Forecast::CERTAIN, 1.0 - Forecast::CERTAIN);
        -self.outcome * p.ln() - (1.0 - self.outcome) * (1.0 - p).ln()
    }

    /// Whether the likelier side won: 1 or 0, ½ where neither is likelier; `None` for a tie.
    pub fn right(self) -> Option<f64> {
        let favourite = match self.p {
            p if p > 0.5 => 1.0,
            p if p < 0.5 => 0.0,
            _ => 0.5,
        };
        (self.outcome != 0.5).then(|| 1.0 - (favourite - self.outcome).abs())
    }

    /// The forecast for the likelier side. Where neither is, the outcome is ½: seen from both.
    #[must_use]
    pub fn folded(self) -> Self {
        let Self { p, outcome } = self;
        if p > 0.5 {
            self
        } else if p < 0.5 {
            Self {
                p: 1.0 - p,
                outcome: 1.0 - outcome,
            }
        } else {
            Self { p, outcome: 0.5 }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> impl Iterator<Item = Forecast> {
        [0.0, 0.2, 0.5, 0.9, 1.0].into_iter().flat_map(|p| {
            [0.0, 0.5, 1.0]
                .into_iter()
                .map(move |outcome| Forecast { p, outcome })
        })
    }

    #[test]
    fn a_coin_scores_the_same_whatever_comes() {
        for outcome in [0.0, 0.5, 1.0] {
            let coin = Forecast { p: 0.5, outcome };
            assert_eq!(coin.brier(), 0.25);
            assert!((coin.log_loss() - std::f64::consts::LN_2).abs() < 1e-15);
        }
    }

    #[test]
    fn a_tie_is_half_a_win_and_half_a_loss() {
        for Forecast { p, .. } in all() {
            let [loss, tie, win] = [0.0, 0.5, 1.0].map(|outcome| Forecast { p, outcome });
            assert!((tie.brier() - f64::midpoint(loss.brier(), win.brier())).abs() < 1e-15);
            let mean = f64::midpoint(loss.log_loss(), win.log_loss());
            assert!((tie.log_loss() - mean).abs() < 1e-12 && mean.is_finite());
        }
        let p = 1.0;
        let wrong = Forecast { p, outcome: 0.0 }.log_loss();
        assert!((wrong - 13.8155).abs() < 1e-4, "{wrong}");
    }

    #[test]
    fn nothing_depends_on_the_side_it_is_seen_from() {
        for seen in all() {
            let other = Forecast {
                p: 1.0 - seen.p,
                outcome: 1.0 - seen.outcome,
            };
            assert_eq!(seen.right(), other.right());
            assert!((seen.brier() - other.brier()).abs() < 1e-15);
            assert!((seen.log_loss() - other.log_loss()).abs() < 1e-9);
            let (one, two) = (seen.folded(), other.folded());
            assert!(one.p >= 0.5 && (one.p - two.p).abs() < 1e-15);
            assert_eq!(one.outcome, two.outcome);
        }
        let rights = [(0.7, 1.0, 1.0), (0.7, 0.0, 0.0), (0.5, 1.0, 0.5)];
        for (p, outcome, right) in rights {
            assert_eq!(Forecast { p, outcome }.right(), Some(right));
        }
    }
}
