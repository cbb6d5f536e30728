//! The interval of a share that was observed: Wilson, "Probable inference, the law of succession,
//! and statistical inference", JASA 1927. Unlike the normal approximation it stays within [0, 1] and
//! has a width at shares of 0 and 1.
//!
//! With ties as half wins it is the score interval of the difference between the shares of wins and losses: Tango,
//! "Equivalence test and confidence interval for the difference in proportions for the paired-sample design", Statistics
//! in Medicine 1998. Ties make it narrower; without any it is Wilson's.

use super::bisection::bisected;
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

/// The interval of the mean of `n` independent trials, of which wins count 1, losses 0 and all others ½; all of [0, 1]
/// where `n` is 0 or the confidence is not between 0 and 1.
pub fn interval_with_ties(wins: u64, losses: u64, n: u64, confidence: f64) -> (f64, f64) {
    let Some(z) = quantiles::normal(0.5 + confidence / 2.0).filter(|_| n > 0) else {
        return (0.0, 1.0);
    };
    let (wins, losses, n) = (wins as f64, losses as f64, n as f64);
    let difference = (wins - losses) / n;
    // The score of a candidate falls as the candidate grows; at the observed difference it is 0, or 0/0 with ties alone.
    let end = |outer: f64| {
        let is_near = |candidate| score(wins, losses, n, candidate).abs().max(0.0) <= z;
        0.5 * (1.0 + bisected(outer, difference, is_near).unwrap_or(outer))
    };
    (end(-1.0), end(1.0))
}

/// The distance of the observed difference from a candidate, in standard errors were the candidate true: with the share of
/// losses that is then most likely.
fn score(wins: f64, losses: f64, n: f64, candidate: f64) -> f64 {
    let linear = (2.0 * n - wins + losses) * candidate - wins - losses;
    let constant = losses * candidate * (1.0 - candidate);
    let lost = ((linear * linear + 8.0 * n * constant).max(0.0).sqrt() - linear) / (4.0 * n);
    let variance = n * (2.0 * lost + candidate * (1.0 - candidate));
    (wins - losses - n * candidate) / variance.max(0.0).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::special::ln_gamma;

    #[test]
    fn without_ties_it_is_wilsons() {
        for (wins, n) in [(0, 7), (12, 30), (190, 200), (30, 30)] {
            let found = interval_with_ties(wins, n - wins, n, 0.95);
            let plain = interval(wins as f64 / n as f64, n, 0.95);
            assert!((found.0 - plain.0).abs() < 1e-9, "{found:?} {plain:?}");
            assert!((found.1 - plain.1).abs() < 1e-9, "{found:?} {plain:?}");
        }
        assert_eq!(interval_with_ties(0, 0, 0, 0.95), (0.0, 1.0));
        // Only ties: the difference is at most z²/(n + z²).
        let z = quantiles::normal(0.975).unwrap();
        let (lower, upper) = interval_with_ties(0, 0, 20, 0.95);
        let most = 0.5 * z * z / (20.0 + z * z);
        assert!((upper - 0.5 - most).abs() < 1e-9 && (0.5 - lower - most).abs() < 1e-9);
    }

    /// The probability of holding the mean and the mean width beside Wilson's, by all outcomes.
    fn coverage(n: u64, tied: f64, mean: f64) -> (f64, f64) {
        let shares = [mean - 0.5 * tied, 1.0 - mean - 0.5 * tied, tied];
        let ln_factorial = |count: u64| ln_gamma(count as f64 + 1.0);
        let outcomes = (0..=n).flat_map(|wins| (0..=n - wins).map(move |lost| (wins, lost)));
        let (mut held, mut widths) = (0.0, [0.0; 2]);
        for (wins, losses) in outcomes {
            let counts = [wins, losses, n - wins - losses];
            let each = counts.iter().zip(shares).filter(|(count, _)| **count > 0);
            let ln: f64 = each
                .map(|(&count, share)| count as f64 * share.ln() - ln_factorial(count))
                .sum();
            let chance = (ln_factorial(n) + ln).exp();
            let (lower, upper) = interval_with_ties(wins, losses, n, 0.95);
            held += chance * f64::from(u8::from((lower - 1e-9..=upper + 1e-9).contains(&mean)));
            let rate = 0.5 * (1.0 + (wins as f64 - losses as f64) / n as f64);
            let (least, most) = interval(rate, n, 0.95);
            widths[0] += chance * (upper - lower);
            widths[1] += chance * (most - least);
        }
        (held, widths[0] / widths[1])
    }

    #[test]
    fn ties_make_it_narrower_and_it_still_covers() {
        for (tied, means) in [
            (0.0, &[0.5, 0.7, 0.9][..]),
            (0.3, &[0.5, 0.7, 0.8]),
            (0.6, &[0.5, 0.6, 0.65]),
            (0.9, &[0.5]),
        ] {
            for (n, mean) in [10, 30]
                .into_iter()
                .flat_map(|n| means.iter().map(move |m| (n, *m)))
            {
                let (held, width) = coverage(n, tied, mean);
                assert!(held > 0.92, "{n} {tied} {mean}: {held}");
                assert!(
                    n < 30 || width < 1.001 - 0.45 * tied,
                    "{n} {tied} {mean}: {width}"
                );
            }
        }
    }

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
