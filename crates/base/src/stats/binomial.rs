//! Tails of the binomial distribution, exact, by the incomplete Beta function (NIST Digital Library of
//! Mathematical Functions, 8.17.5).

use super::special::beta_below;

/// The probability of `k` successes or more in `n` trials, each of probability `p` in [0, 1].
pub fn at_least(k: u64, n: u64, p: f64) -> f64 {
    match k {
        0 => 1.0,
        k if k > n => 0.0,
        k => beta_below(p, k as f64, (n - k + 1) as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_are_sums_of_terms() {
        for (n, p) in [(1, 0.5), (7, 0.2), (20, 0.9), (60, 0.03)] {
            let mut term = (1.0_f64 - p).powi(n);
            let mut below = 0.0;
            for k in 0..=n {
                let tail = at_least(k as u64, n as u64, p);
                assert!((tail - (1.0 - below)).abs() < 1e-12, "{k} of {n} at {p}");
                below += term;
                term *= f64::from(n - k) / f64::from(k + 1) * p / (1.0 - p);
            }
        }
        assert_eq!(at_least(0, 5, 0.0), 1.0);
        assert_eq!(at_least(1, 5, 0.0), 0.0);
        assert_eq!(at_least(5, 5, 1.0), 1.0);
        assert_eq!(at_least(6, 5, 1.0), 0.0);
        // All of many: no rounding of 1 − p hides how rare that is.
        assert!((at_least(1400, 1400, 0.9).ln() - 1400.0 * 0.9_f64.ln()).abs() < 1e-6);
    }
}
