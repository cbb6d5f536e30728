//! Special functions of probabilities: entropy, divergence from a fair coin, the Beta, Student's t and
//! F distributions.
//!
//! Logarithms are natural, so entropies and divergences are in nats, and 0 ln 0 = 0. The incomplete
//! Beta function follows the continued fraction of the NIST Digital Library of Mathematical
//! Functions, 8.17.22, evaluated from the front by Lentz's method.

use std::f64::consts::{LN_2, PI};

/// H(p) = −p ln p − (1 − p) ln(1 − p), in [0, ln 2], for p in [0, 1].
pub fn binary_entropy(p: f64) -> f64 {
    -(x_ln_x(p) + x_ln_x(1.0 - p))
}

/// KL(p ‖ ½) = ln 2 + p ln p + (1 − p) ln(1 − p), in [0, ln 2], for p in [0, 1].
pub fn kl_from_half(p: f64) -> f64 {
    if p == 0.5 {
        return 0.0; // rounding would leave some 1e-16
    }
    (LN_2 - binary_entropy(p)).max(0.0)
}

/// The probability that a Beta(a, b) variable exceeds ½, for a, b > 0.
pub fn beta_above_half(a: f64, b: f64) -> f64 {
    // The fraction converges quickly only where the tail asked for is the smaller one.
    if a > b {
        1.0 - beta_tail_below_half(a, b)
    } else if a < b {
        beta_tail_below_half(b, a)
    } else {
        0.5
    }
}

/// The probability that a variable with Student's t distribution exceeds t ≥ 0; the degrees of freedom
/// need not be whole, but above 0.
pub fn student_t_above(t: f64, degrees: f64) -> f64 {
    let x = degrees / (degrees + t * t);
    0.5 * beta_below(x, 0.5 * degrees, 0.5)
}

/// The probability that a variable with the F distribution exceeds f ≥ 0; the degrees of freedom need not be whole, but
/// above 0.
pub fn f_above(f: f64, [upper, lower]: [f64; 2]) -> f64 {
    beta_below(lower / (lower + upper * f), 0.5 * lower, 0.5 * upper)
}

/// ψ(x), the derivative of ln Γ, for x > 0: the recurrence up to 10, then the asymptotic series
/// (NIST Digital Library of Mathematical Functions, 5.11.2), to 1e-13.
pub fn digamma(x: f64) -> f64 {
    let (mut x, mut value) = (x, 0.0);
    while x < 10.0 {
        value -= 1.0 / x;
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    // B₂ₖ/2k for k = 1, 2, …
    let terms = [
        1.0 / 12.0,
        -1.0 / 120.0,
        1.0 / 252.0,
        -1.0 / 240.0,
        1.0 / 132.0,
        -691.0 / 32_760.0,
    ];
    let series = terms
        .iter()
        .rev()
        .fold(0.0, |sum, term| (sum + term) * square);
    value + x.ln() - 0.5 / x - series
}

/// The probability that a Beta(a, b) variable stays below x in [0, 1], for a, b > 0.
pub(super) fn beta_below(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    let ln_powers = a * x.ln() + b * (-x).ln_1p();
    if x < (a + 1.0) / (a + b + 2.0) {
        beta_tail(x, ln_powers, a, b)
    } else {
        1.0 - beta_tail(1.0 - x, ln_powers, b, a)
    }
}

/// The probability that a Beta(a, b) variable stays below ½, for a > b.
fn beta_tail_below_half(a: f64, b: f64) -> f64 {
    beta_tail(0.5, -(a + b) * LN_2, a, b)
}

/// The probability that a Beta(a, b) variable stays below x, where that is the smaller part; given
/// ln xᵃ(1 − x)ᵇ.
fn beta_tail(x: f64, ln_powers: f64, a: f64, b: f64) -> f64 {
    let front = (ln_powers - a.ln() - ln_beta(a, b)).exp();
    front / continued_fraction(x, a, b)
}

/// 1 + d₁/(1 + d₂/(1 + …)) of DLMF 8.17.22.
fn continued_fraction(x: f64, a: f64, b: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let mut value = 1.0;
    let mut ascending = 1.0;
    let mut descending = 0.0;
    // About √a terms suffice; the bound only keeps a rounding quirk from looping for ever.
    for term in 1..100_000_u32 {
        let m = f64::from(term / 2);
        let d = if term % 2 == 0 {
            x * m * (b - m) / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        } else {
            -x * (a + m) * (a + b + m) / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        };
        descending = 1.0 / nonzero(1.0 + d * descending, TINY);
        ascending = nonzero(1.0 + d / ascending, TINY);
        let factor = ascending * descending;
        value *= factor;
        if (factor - 1.0).abs() < 1e-15 {
            break;
        }
    }
    value
}

fn nonzero(x: f64, tiny: f64) -> f64 {
    if x.abs() < tiny { tiny } else { x }
}

/// ln B(a, b) for a, b > 0.
pub fn ln_beta(a: f64, b: f64) -> f64 {
    ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b)
}

/// ln Γ(x) for x > 0: Stirling's series (DLMF 5.11.1) after shifting x above 10.
pub(crate) fn ln_gamma(x: f64) -> f64 {
    let mut shift = 1.0;
    let mut x = x;
    while x < 10.0 {
        shift *= x;
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    let series = (1.0 / 12.0
        - square
            * (1.0 / 360.0 - square * (1.0 / 1260.0 - square * (1.0 / 1680.0 - square / 1188.0))))
        / x;
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * PI).ln() + series - shift.ln()
}

fn x_ln_x(x: f64) -> f64 {
    debug_assert!((0.0..=1.0).contains(&x), "{x} is not a probability");
    if x > 0.0 { x * x.ln() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digamma_at_known_points() {
        const EULER: f64 = 0.577_215_664_901_532_9;
        assert!((digamma(1.0) + EULER).abs() < 1e-13);
        assert!((digamma(0.5) + EULER + 2.0 * LN_2).abs() < 1e-13);
        for x in [0.3, 2.5, 9.99, 10.0, 1e4] {
            assert!(
                (digamma(x + 1.0) - digamma(x) - 1.0 / x).abs() < 1e-12,
                "{x}"
            );
        }
    }

    #[test]
    fn entropy_and_divergence_add_up_to_ln_2() {
        for p in [0.0, 0.1, 0.25, 0.5, 0.9, 1.0] {
            assert!((binary_entropy(p) + kl_from_half(p) - LN_2).abs() < 1e-15);
        }
        assert_eq!(kl_from_half(0.5), 0.0);
        assert_eq!(kl_from_half(1.0), LN_2);
        // 0.25 ln 0.25 + 0.75 ln 0.75 = -0.562335144618808
        assert!((binary_entropy(0.25) - 0.562_335_144_618_808).abs() < 1e-14);
    }

    #[test]
    fn ln_gamma_at_integers_is_the_log_factorial() {
        let mut factorial = 0.0;
        for n in 1..60_u32 {
            assert!((ln_gamma(f64::from(n)) - factorial).abs() < 1e-13 * (1.0 + factorial));
            factorial += f64::from(n).ln();
        }
        assert!((ln_gamma(0.5) - 0.5 * PI.ln()).abs() < 1e-14);
    }

    /// For integers, P(Beta(a, b) > ½) is a binomial sum: P(at most a − 1 heads in a + b − 1).
    #[test]
    fn the_beta_tail_is_the_binomial_sum() {
        for a in 1..40_u32 {
            for b in 1..40_u32 {
                let n = a + b - 1;
                let mut ways = 1.0;
                let mut sum = 0.0;
                for heads in 0..a {
                    sum += ways;
                    ways *= f64::from(n - heads) / f64::from(heads + 1);
                }
                let expected = sum * 0.5_f64.powi(i32::try_from(n).unwrap());
                let got = beta_above_half(f64::from(a), f64::from(b));
                assert!((got - expected).abs() < 1e-13, "Beta({a}, {b}): {got}");
            }
        }
    }

    #[test]
    fn the_tail_of_students_t_is_known_for_few_degrees() {
        for t in [0.0_f64, 0.3, 1.0, 2.5, 12.0] {
            let cauchy = 0.5 - t.atan() / PI;
            assert!((student_t_above(t, 1.0) - cauchy).abs() < 1e-14, "{t}");
            let two = 0.5 - 0.5 * t / (2.0 + t * t).sqrt();
            assert!((student_t_above(t, 2.0) - two).abs() < 1e-14, "{t}");
        }
        for degrees in [3, 10, 400] {
            let t = crate::stats::quantiles::student_t(0.99, degrees).unwrap();
            assert!((student_t_above(t, degrees as f64) - 0.01).abs() < 1e-4);
        }
        let between = student_t_above(2.0, 2.5);
        assert!(student_t_above(2.0, 3.0) < between && between < student_t_above(2.0, 2.0));
    }

    #[test]
    fn the_beta_tail_is_symmetric_and_monotone_for_half_and_large_counts() {
        for (a, b) in [
            (1.5, 7.0),
            (2000.5, 1900.0),
            (60_000.0, 60_400.5),
            (9e5, 1.0),
        ] {
            let above = beta_above_half(a, b);
            assert!((above + beta_above_half(b, a) - 1.0).abs() < 1e-9);
            assert!((0.0..=1.0).contains(&above));
            assert!(beta_above_half(a + 1.0, b) >= above);
        }
        // Far out, the normal approximation: (mean − ½) / sd = 1.4142 here.
        assert!((beta_above_half(20_100.0, 19_900.0) - 0.8413).abs() < 1e-3);
    }
}
