//! The weight of a metric beside a network, from judgments of pairs of outputs.
//!
//! The log-odds of the first output are β s + γ m, with s the network's log-odds and m by how many
//! points the metric prefers it; β and γ are those of greatest likelihood, a tie being half a win and
//! half a loss, by Newton's method. The weight is γ/β, so that the network keeps its own scale and a
//! calibration may change that of both. A penalty of a millionth of a judgment on the standardised
//! coefficients keeps them finite where the data could be told apart without error.

use super::training::JudgmentCounts;
use tiebreak_base::stats::forecast::Forecast;
use tiebreak_base::stats::log_odds::{log_odds, logistic};

/// A pair that people judged, with its log-odds and its metric.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct JudgedContest {
    /// The log-odds of the first output.
    pub log_odds: f64,
    /// The points by which the metric prefers the first output.
    pub metric: f64,
    /// The judgments of the pair.
    pub said: JudgmentCounts,
}

/// The most steps of Newton's method.
const STEPS: usize = 100;

const PENALTY: f64 = 1e-6;

impl JudgedContest {
    /// Makes a pair with the preference for its first output, in [0, 1], and no metric.
    pub fn new(p: f64, said: JudgmentCounts) -> Self {
        let p = p.clamp(Forecast::CERTAIN, 1.0 - Forecast::CERTAIN);
        Self {
            log_odds: log_odds(p),
            metric: 0.0,
            said,
        }
    }

    /// The preference for the first output.
    pub fn preference(&self) -> f64 {
        logistic(self.log_odds)
    }

    /// Adds the metric with its weight, in log-odds per point.
    pub fn stand_beside(&mut self, weight: f64) {
        self.log_odds += weight * self.metric;
    }

    /// The weight of the metric in log-odds per point; `None` without cases, or where the network tells nothing of what
    /// people prefer, so that there is no scale to measure it by.
    pub fn weight(cases: &[JudgedContest]) -> Option<f64> {
        let scale = |of: fn(&JudgedContest) -> f64| {
            let squares = cases.iter().map(|case| of(case).powi(2)).sum::<f64>();
            (squares / cases.len() as f64).sqrt()
        };
        let (network, metric) = (scale(|case| case.log_odds), scale(|case| case.metric));
        if cases.is_empty() || network == 0.0 && metric != 0.0 {
            return None;
        }
        if metric == 0.0 {
            return Some(0.0);
        }
        let standard = |case: &JudgedContest| [case.log_odds / network, case.metric / metric];
        let [own, beside] = fit(cases, standard);
        (own > 0.0).then(|| (beside / metric) / (own / network))
    }
}

/// β and γ of standardised features.
fn fit(cases: &[JudgedContest], features: impl Fn(&JudgedContest) -> [f64; 2]) -> [f64; 2] {
    let mut at = [0.0, 0.0];
    for _ in 0..STEPS {
        let mut slope = at.map(|x| -PENALTY * x);
        let mut curvature = [PENALTY, 0.0, PENALTY];
        for case in cases {
            let [s, m] = features(case);
            let p = logistic(at[0] * s + at[1] * m);
            let n = case.said.total();
            let surprise = n * (case.said.mean() - p);
            slope = [slope[0] + surprise * s, slope[1] + surprise * m];
            let weight = n * p * (1.0 - p);
            curvature[0] += weight * s * s;
            curvature[1] += weight * s * m;
            curvature[2] += weight * m * m;
        }
        let [a, b, c] = curvature;
        let determinant = a * c - b * b;
        let step = [
            (c * slope[0] - b * slope[1]) / determinant,
            (a * slope[1] - b * slope[0]) / determinant,
        ];
        // Far from the end a whole step may overshoot.
        let length = step[0].hypot(step[1]);
        let share = (1.0 / length).min(1.0);
        at = [at[0] + share * step[0], at[1] + share * step[1]];
        if length < 1e-12 {
            break;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::rng::Seed;

    fn judgment_counts(outcome: f64) -> JudgmentCounts {
        JudgmentCounts {
            wins: f64::from(u8::from(outcome == 1.0)),
            ties: f64::from(u8::from(outcome == 0.5)),
            losses: f64::from(u8::from(outcome == 0.0)),
        }
    }

    /// Cases of people whose log-odds are `own` times the network's and `beside` times the metric's.
    fn cases(own: f64, beside: f64) -> Vec<JudgedContest> {
        let mut rng = Seed(3).stream("test", 0);
        let mut one = || {
            let (s, m) = (rng.normal(), 20.0 * rng.normal());
            let p = logistic(own * s + beside * m);
            let won = f64::from(u8::from(rng.bernoulli(p)));
            let mut case = JudgedContest::new(logistic(s), judgment_counts(won));
            case.metric = m;
            case
        };
        (0..40_000).map(|_| one()).collect()
    }

    #[test]
    fn a_planted_weight_is_found_whatever_the_scale_of_the_network() {
        for own in [0.5, 1.5] {
            let found = JudgedContest::weight(&cases(own, 0.03 * own)).unwrap();
            assert!((found - 0.03).abs() < 0.003, "{found}");
        }
        let none = JudgedContest::weight(&cases(1.0, 0.0)).unwrap();
        assert!(none.abs() < 0.002, "{none}");
    }

    #[test]
    fn a_network_that_says_nothing_has_no_scale() {
        let mut mute = cases(1.0, 0.05);
        for case in &mut mute {
            case.log_odds = 0.0;
        }
        assert_eq!(JudgedContest::weight(&mute), None);
        assert_eq!(JudgedContest::weight(&[]), None);
        let mut contrary = cases(1.0, 0.05);
        for case in &mut contrary {
            case.log_odds *= -1.0;
        }
        assert_eq!(JudgedContest::weight(&contrary), None);
    }

    #[test]
    fn what_can_be_told_without_error_stays_finite() {
        let mut told = cases(1.0, 0.05);
        for case in &mut told {
            case.said = judgment_counts(f64::from(u8::from(case.log_odds > 0.0)));
        }
        let found = JudgedContest::weight(&told).unwrap();
        assert!(found.is_finite() && found.abs() < 0.01, "{found}");
        for case in &mut told {
            case.metric = 0.0;
        }
        assert_eq!(JudgedContest::weight(&told), Some(0.0));
    }
}
