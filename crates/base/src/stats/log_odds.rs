//! Conversions between probabilities and log-odds (nats), without overflow.

/// σ(x) = 1/(1 + e⁻ˣ), in [0, 1]: the probability whose log-odds are x.
pub fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// ln p/(1 − p), for p in [0, 1]; infinite at both ends.
pub fn log_odds(p: f64) -> f64 {
    (p / (1.0 - p)).ln()
}

/// ln(1 + eˣ), the integral of [`logistic`].
#[cfg(any(test, feature = "neural"))]
pub fn ln_1p_exp(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// ln Σ eˣ of one number or more.
#[cfg(any(test, feature = "neural"))]
pub fn ln_sum_exp(all: impl Iterator<Item = f64> + Clone) -> f64 {
    let most = all.clone().fold(f64::NEG_INFINITY, f64::max);
    most + all.map(|x| (x - most).exp()).sum::<f64>().ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_each_other_s_inverse_slope_and_sum() {
        for x in [-3.0, -0.4, 0.0, 0.7, 5.0] {
            assert!((log_odds(logistic(x)) - x).abs() < 1e-12);
            let slope = (ln_1p_exp(x + 1e-5) - ln_1p_exp(x - 1e-5)) / 2e-5;
            assert!((slope - logistic(x)).abs() < 1e-9);
            assert!((ln_sum_exp([0.0, x].into_iter()) - ln_1p_exp(x)).abs() < 1e-15);
        }
    }

    #[test]
    fn nothing_overflows() {
        assert_eq!([-1e6, 1e6].map(logistic), [0.0, 1.0]);
        assert_eq!([-1e6, 1e6].map(ln_1p_exp), [0.0, 1e6]);
        assert_eq!(ln_sum_exp([1e6, 0.0, -1e6].into_iter()), 1e6);
    }
}
