//! The power of tests of paired differences: how often a difference of some size is found.
//!
//! Sources: Student's t of n differences with mean δ standard errors from 0 has a noncentral t distribution (Johnson and
//! Welch, Biometrika 1940), here integrated over the distribution of the observed deviation. The exact test of McNemar is
//! summed over all numbers of differing items (Duffy, "Asymptotic and exact power for the McNemar test", Biometrics 1984).

use super::binomial::at_least;
use super::normal;
use super::numeric::{integral, root};
use super::quantiles::two_sided_t;

/// Panels of integrals over the observed deviation.
const PANELS: u32 = 16;

/// The degrees of freedom up to which the deviation is known no better than it is observed.
const MOST_DEGREES: u64 = 10_000_000;

/// The probability with which the two-sided test of a mean at a confidence differs from 0, where the mean is
/// `noncentrality` standard errors from 0; `None` unless 0 < confidence < 1 and `degrees` is at least 1.
pub fn power_of_t(noncentrality: f64, degrees: u64, confidence: f64) -> Option<f64> {
    let t = two_sided_t(confidence, degrees)?;
    let freedom = degrees as f64;
    let found = |u: f64| normal::cdf(noncentrality - t * u) + normal::cdf(-noncentrality - t * u);
    if degrees > MOST_DEGREES {
        return Some(found(1.0));
    }
    // The observed deviation u, in true ones, has √(χ²/degrees)'s distribution; its density relative to that at 1.
    let density = |u: f64| ((freedom - 1.0) * u.ln() - 0.5 * freedom * (u * u - 1.0)).exp();
    let reach = 8.5 / freedom.sqrt();
    let over = |f: &dyn Fn(f64) -> f64| {
        let low = (1.0 - reach).max(1e-12);
        integral(low, 1.0 + reach, PANELS, |u| density(u) * f(u))
    };
    Some(over(&found) / over(&|_| 1.0))
}

/// The distance of a mean from 0, in standard errors, that the test of [`power_of_t`] finds with probability `power`.
pub fn noncentrality(confidence: f64, power: f64, degrees: u64) -> Option<f64> {
    let most = 2.0 * two_sided_t(confidence, degrees)? + 40.0;
    let lacks = |delta: f64| power_of_t(delta, degrees, confidence).unwrap_or(1.0) - power;
    (lacks(0.0) < 0.0).then(|| root(0.0, most, lacks))
}

/// The probability with which McNemar's exact test at a two-sided level finds the first system better in n items, of
/// which shares `first` and `second` are successes of one system alone.
pub fn power_of_mcnemar(first: f64, second: f64, n: u64, level: f64) -> f64 {
    let differing = first + second;
    if differing <= 0.0 {
        return 0.0;
    }
    let ahead = first / differing;
    let (low, chances) = binomial_chances(n, differing.min(1.0));
    let mut least = critical_count(low, level);
    let found = |(m, chance): (u64, &f64)| {
        // With one item more, at most one success more is needed.
        while 2.0 * at_least(least, m, 0.5) > level {
            least += 1;
        }
        match least > m {
            true => 0.0,
            false => chance * at_least(least, m, ahead),
        }
    };
    (low..).zip(&chances).map(found).sum()
}

/// The smallest number of successes of m that is rare enough, or m + 1.
fn critical_count(m: u64, level: f64) -> u64 {
    let (mut few, mut enough) = (m / 2, m + 1);
    while few + 1 < enough {
        let middle = few + (enough - few) / 2;
        match 2.0 * at_least(middle, m, 0.5) > level {
            true => few = middle,
            false => enough = middle,
        }
    }
    enough
}

/// The first number of successes of n that is not negligible, and the chances from there on.
fn binomial_chances(n: u64, p: f64) -> (u64, Vec<f64>) {
    if p >= 1.0 {
        return (n, vec![1.0]);
    }
    let mode = (((n + 1) as f64 * p) as u64).min(n);
    let odds = p / (1.0 - p);
    let up = |k: u64| (n - k) as f64 / (k + 1) as f64 * odds;
    let mut below = Vec::new();
    let (mut k, mut chance) = (mode, 1.0);
    while k > 0 && chance > 1e-17 {
        chance /= up(k - 1);
        k -= 1;
        below.push(chance);
    }
    let low = k;
    let mut chances: Vec<f64> = below.into_iter().rev().collect();
    (k, chance) = (mode, 1.0);
    chances.push(chance);
    while k < n && chance > 1e-17 {
        chance *= up(k);
        k += 1;
        chances.push(chance);
    }
    let sum: f64 = chances.iter().sum();
    for chance in &mut chances {
        *chance /= sum;
    }
    (low, chances)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_power_of_t_is_that_of_statsmodels() {
        // TTestPower of statsmodels 0.15.0: effect size, n, alpha; power; smallest effect at 80 %, whose search ends early.
        for (effect, n, alpha, power, smallest) in [
            (
                0.1,
                20,
                0.05,
                0.070_941_156_970_369_76,
                0.660_441_654_438_031_2,
            ),
            (
                0.8,
                12,
                0.01,
                0.414_619_914_979_482_36,
                1.166_191_156_380_378_2,
            ),
            (
                0.15,
                400,
                0.1,
                0.911_502_461_344_950_8,
                0.124_533_103_205_412_4,
            ),
        ] {
            let root_n = f64::from(n).sqrt();
            let degrees = n as u64 - 1;
            let found = power_of_t(effect * root_n, degrees, 1.0 - alpha).unwrap();
            assert!((found / power - 1.0).abs() < 1e-9, "{found} {power}");
            let found = noncentrality(1.0 - alpha, 0.8, degrees).unwrap() / root_n;
            assert!((found / smallest - 1.0).abs() < 2e-5, "{found} {smallest}");
        }
        assert_eq!(power_of_t(1.0, 0, 0.95), None);
        let none = power_of_t(0.0, 7, 0.9).unwrap();
        assert!((none - 0.1).abs() < 1e-11, "{none}");
        assert_eq!(noncentrality(0.9, 0.05, 7), None);
    }

    #[test]
    fn the_power_of_mcnemars_test_is_that_of_its_enumeration() {
        for (first, second, n, power) in [
            (0.1, 0.05, 50, 0.069_314_255_464_239_25),
            (0.15, 0.05, 80, 0.436_793_671_552_343_67),
            (0.065, 0.035, 300, 0.304_479_019_300_525_23),
        ] {
            // The enumeration counts proofs in either direction.
            let right = power_of_mcnemar(first, second, n, 0.05);
            let wrong = power_of_mcnemar(second, first, n, 0.05);
            let found = right + wrong;
            assert!((found / power - 1.0).abs() < 1e-9, "{found} {power}");
            assert!(wrong > 0.0 && right > 10.0 * wrong, "{right} {wrong}");
        }
        // Without a difference either direction is as rare as its share of the level allows.
        assert!(power_of_mcnemar(0.1, 0.1, 100, 0.05) <= 0.025);
        assert_eq!(power_of_mcnemar(0.0, 0.0, 9, 0.05), 0.0);
        assert_eq!(power_of_mcnemar(1.0, 0.0, 5, 0.05), 0.0);
        assert_eq!(power_of_mcnemar(1.0, 0.0, 6, 0.05), 1.0);
    }
}
