//! The interval of a share that was observed: Wilson, "Probable inference, the law of succession,
//! and statistical inference", JASA 1927. Unlike the normal approximation it stays within [0, 1] and
//! has a width at shares of 0 and 1.

use super::quantiles;

/// The interval of a `share` in [0, 1] of `n` independent trials; all of [0, 1] where `n` is 0 or
/// the confidence is not between 0 and 1.
pub fn interval(share: f64, n: u64, confidence: f64) -> (f64, f64) {
    let Some(z) = quantiles::normal(0.5 + confidence / 2.0).filter(|_| n > 0) else {
        return (0.0, 1.0);
    };
    let (n, square) = (n as f64, z * z);
    let middle = (share + square / (2.0 * n)) / (1.0 + square / n);
    let spread = share * (1.0 - share) / n + square / (4.0 * n * n);
    let reach = z / (1.0 + square / n) * spread.sqrt();
    ((middle - reach).max(0.0), (middle + reach).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_solves_the_equation_it_is_defined_by() {
        // Its ends are the p with |share − p| = z √(p (1 − p) / n).
        let z = quantiles::normal(0.975).unwrap();
        for (share, n) in [(0.0, 7), (0.3, 10), (0.95, 200), (1.0, 30)] {
            let (lower, upper) = interval(share, n, 0.95);
            for p in [lower, upper] {
                let error = (share - p).abs() - z * (p * (1.0 - p) / n as f64).sqrt();
                assert!(error.abs() < 1e-12, "{share} {n}: {p}");
            }
            assert!(lower <= share && share <= upper && lower < upper);
        }
        assert_eq!(interval(0.5, 0, 0.95), (0.0, 1.0));
    }
}
