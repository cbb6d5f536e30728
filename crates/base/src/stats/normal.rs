//! The standard normal distribution function and its logarithm, accurate far into the lower tail.
//!
//! Near the middle Φ(x) = ½ + φ(x) (x + x³/3 + x⁵/(3·5) + …) (Abramowitz and Stegun, 26.2.11); from
//! |x| = 3 on the tail is Laplace's continued fraction φ(x)/(x + 1/(x + 2/(x + …))) (26.2.14).

use std::f64::consts::PI;

/// The |x| at which the series gives way to the continued fraction.
const TAIL: f64 = 3.0;

/// Φ(z), in [0, 1].
pub fn cdf(z: f64) -> f64 {
    if z < -TAIL {
        ln_tail(-z).exp()
    } else if z > TAIL {
        1.0 - ln_tail(z).exp()
    } else {
        0.5 + ln_density(z).exp() * series(z)
    }
}

/// ln Φ(z), finite for every finite z of reasonable size: it falls like −z²/2 and is never floored.
pub fn ln_cdf(z: f64) -> f64 {
    if z < -TAIL {
        ln_tail(-z)
    } else if z > TAIL {
        (-ln_tail(z).exp()).ln_1p()
    } else {
        cdf(z).ln()
    }
}

fn ln_density(x: f64) -> f64 {
    -0.5 * (x * x + (2.0 * PI).ln())
}

/// x + x³/3 + x⁵/(3·5) + …
fn series(x: f64) -> f64 {
    let square = x * x;
    let (mut term, mut sum, mut odd) = (x, x, 3.0);
    while term.abs() > 1e-17 * sum.abs() {
        term *= square / odd;
        sum += term;
        odd += 2.0;
    }
    sum
}

/// ln(1 − Φ(x)) for x ≥ 3.
fn ln_tail(x: f64) -> f64 {
    let terms = 10 + (400.0 / (x * x)) as u32; // 1e-13 at x = 3, better beyond
    let fraction = (1..=terms)
        .rev()
        .fold(x, |below, n| x + f64::from(n) / below);
    ln_density(x) - fraction.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        for (z, expected) in [
            (0.0, 0.5),
            (1.0, 0.841_344_746_068_542_9),
            (-1.959_963_984_540_054, 0.025),
            (-3.0, 1.349_898_031_630_094_5e-3),
            (-5.0, 2.866_515_718_791_939e-7),
            (-8.0, 6.220_960_574_271_785e-16),
            (-20.0, 2.753_624_118_606_233_7e-89),
        ] {
            assert!((cdf(z) / expected - 1.0).abs() < 1e-11, "{z}: {}", cdf(z));
            assert!((ln_cdf(z) - f64::ln(expected)).abs() < 1e-11, "{z}");
        }
    }

    #[test]
    fn both_halves_and_both_formulas_agree() {
        for step in 0..800 {
            let z = f64::from(step) / 100.0;
            assert!((cdf(z) + cdf(-z) - 1.0).abs() < 1e-14, "{z}");
            assert!(ln_cdf(-z - 0.01) < ln_cdf(-z), "{z}");
        }
        let jump = ln_cdf(-TAIL - 1e-9) - ln_cdf(-TAIL);
        assert!((jump + 3.283e-9).abs() < 1e-11, "{jump}"); // the slope is φ/Φ = 3.283
        // Far out: −z²/2 − ln(z √2π) − 1/z² + …
        assert!((ln_cdf(-1e4) + 5e7 + 10.129_279).abs() < 1e-5);
    }
}
