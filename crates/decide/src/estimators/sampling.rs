//! The choice of outputs to judge next: probabilities from uncertainties, a fixed-size sample with these
//! probabilities, and the number of judgments of each stratum.
//!
//! Sources: Zrnic and Candès, "Active statistical inference", ICML 2024 (the best probabilities are
//! proportional to the expected size of the prediction's error; a uniform share protects against
//! uncertainties that are wrong); Madow, "On the theory of systematic sampling II", Annals of
//! Mathematical Statistics 1949, for the sample; Neyman, JRSS 1934, for the allocation.

use tiebreak_base::error::{Error, Result};
use tiebreak_base::rng::Seed;

/// The default share of the judgments that is spread evenly: with wrong
/// uncertainties it keeps the variance below five times that of judging at random.
pub const UNIFORM: f64 = 0.2;

/// The probability of each output to be among `n` judged: proportional to its
/// uncertainty, but for a `uniform` share (0 to 1) that is spread evenly; none above 1. They sum to
/// `n`, or to the number of outputs if that is smaller. Without any uncertainty all are equal.
///
/// # Errors
/// For an uncertainty that is negative or not finite, or a share that is not from 0 to 1.
pub fn probabilities(uncertainties: &[f64], n: usize, uniform: f64) -> Result<Vec<f64>> {
    if let Some(bad) = uncertainties
        .iter()
        .find(|u| !(u.is_finite() && **u >= 0.0))
    {
        let what = format!("an uncertainty is {bad}, expected a number from 0");
        return Err(Error::usage(what));
    }
    if !(0.0..=1.0).contains(&uniform) {
        let what = format!("the uniform share is {uniform}, expected a number from 0 to 1");
        return Err(Error::usage(what));
    }
    let outputs = uncertainties.len();
    let n = n.min(outputs) as f64;
    let total: f64 = uncertainties.iter().sum();
    let weight = |u: &f64| {
        let even = 1.0 / outputs as f64;
        if total > 0.0 {
            (1.0 - uniform) * u / total + uniform * even
        } else {
            even
        }
    };
    let weights: Vec<f64> = uncertainties.iter().map(weight).collect();
    Ok(capped(&weights, n))
}

/// The values min(1, c w), with c such that they sum to n.
fn capped(weights: &[f64], n: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]).then(a.cmp(&b)));
    // Sums of the weights from each place on, added from the smallest, so that no digits are lost.
    let mut rest = vec![0.0; weights.len() + 1];
    for (place, &at) in order.iter().enumerate().rev() {
        rest[place] = rest[place + 1] + weights[at];
    }
    let (mut found, mut left) = (vec![0.0; weights.len()], n);
    for (place, at) in order.into_iter().enumerate() {
        // The largest weight decides whether any is still capped.
        if rest[place] > 0.0 {
            found[at] = (left * weights[at] / rest[place]).min(1.0);
        }
        left = (left - found[at]).max(0.0);
    }
    found
}

/// Draws outputs with exactly these probabilities, as many as they sum to (up to rounding): a systematic
/// sample of the outputs in random order. The indices ascend.
pub fn choose(probabilities: &[f64], seed: Seed) -> Vec<usize> {
    let mut rng = seed.stream("sample", 0);
    let mut order: Vec<usize> = (0..probabilities.len()).collect();
    rng.shuffle(&mut order);
    let (mut sum, mut next) = (0.0, rng.uniform());
    let mut chosen: Vec<usize> = order
        .into_iter()
        .filter(|&at| {
            sum += probabilities[at];
            let hit = next < sum;
            next += f64::from(u8::from(hit));
            hit
        })
        .collect();
    chosen.sort_unstable();
    chosen
}

/// The allocation of `n` judgments to strata: proportional to a stratum's outputs times the standard
/// `deviation` of its judgments (Neyman), or, with equal deviations, to its outputs. Each stratum
/// gets at least two and at most all its outputs, as far as `n` and the outputs allow.
///
/// # Errors
/// For a deviation that is negative or not finite.
pub fn allocate(strata: &[(u64, f64)], n: u64) -> Result<Vec<u64>> {
    if let Some((_, bad)) = strata.iter().find(|(_, s)| !(s.is_finite() && *s >= 0.0)) {
        let what = format!("a stratum's deviation is {bad}, expected a number from 0");
        return Err(Error::usage(what));
    }
    let flat = strata.iter().all(|(_, deviation)| *deviation == 0.0);
    let weight =
        |&(outputs, deviation): &(u64, f64)| outputs as f64 * if flat { 1.0 } else { deviation };
    let mut given: Vec<u64> = strata.iter().map(|_| 0).collect();
    for _ in 0..n {
        // Each judgment goes where it lowers the variance most: by priority W s/√(k (k + 1)), as in
        // the method of equal proportions.
        let gain = |at: usize| {
            let k = given[at] as f64;
            if given[at] < 2 {
                f64::INFINITY
            } else {
                weight(&strata[at]) / (k * (k + 1.0)).sqrt()
            }
        };
        let open = (0..strata.len()).filter(|&at| given[at] < strata[at].0);
        let best = open.max_by(|&a, &b| {
            let fewest = given[b].cmp(&given[a]);
            let both_short = given[a] < 2 && given[b] < 2;
            let by_gain = gain(a).total_cmp(&gain(b));
            if both_short {
                fewest.then(b.cmp(&a))
            } else {
                by_gain.then(b.cmp(&a))
            }
        });
        match best {
            Some(best) => given[best] += 1,
            None => break,
        }
    }
    Ok(given)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_follow_uncertainty_and_sum_to_the_sample() {
        let found = probabilities(&[1.0, 3.0, 0.0, 4.0], 2, 0.0).unwrap();
        let close = |found: &[f64], expected: &[f64]| {
            let pairs = found.iter().zip(expected);
            assert!(
                pairs.clone().all(|(x, y)| (x - y).abs() < 1e-12),
                "{found:?}"
            );
        };
        close(&found, &[0.25, 0.75, 0.0, 1.0]);
        let mixed = probabilities(&[1.0, 3.0, 0.0, 4.0], 1, 0.2).unwrap();
        assert!((mixed[2] - 0.05).abs() < 1e-12, "{mixed:?}");
        assert!((mixed.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        // One output far ahead: it is certain, the others share what is left.
        let ahead = probabilities(&[98.0, 1.0, 1.0], 2, 0.0).unwrap();
        close(&ahead, &[1.0, 0.5, 0.5]);
        assert_eq!(probabilities(&[0.0, 0.0], 1, 0.0).unwrap(), [0.5, 0.5]);
        assert_eq!(probabilities(&[2.0, 0.0], 9, 0.5).unwrap(), [1.0, 1.0]);
        assert!(probabilities(&[], 3, 0.5).unwrap().is_empty());
        for (bad, uniform) in [
            ([-1.0, 1.0], 0.0),
            ([f64::NAN, 1.0], 0.0),
            ([1.0, 1.0], 1.5),
        ] {
            assert!(probabilities(&bad, 1, uniform).is_err());
        }
    }

    #[test]
    fn samples_have_the_size_and_the_probabilities_asked_for() {
        let wanted = [0.9, 0.1, 0.5, 0.5, 1.0];
        let mut counts = [0_u32; 5];
        for run in 0..4000 {
            let chosen = choose(&wanted, Seed(run));
            assert_eq!(chosen.len(), 3);
            for at in chosen {
                counts[at] += 1;
            }
        }
        for (count, p) in counts.iter().zip(wanted) {
            // At most 32 standard deviations of 0.0079 each.
            let share = f64::from(*count) / 4000.0;
            assert!((share - p).abs() < 0.032, "{share} instead of {p}");
        }
        assert!(choose(&[], Seed(1)).is_empty());
    }

    #[test]
    fn strata_get_what_their_size_and_spread_ask_for() {
        assert_eq!(allocate(&[(100, 1.0), (100, 1.0)], 20).unwrap(), [10, 10]);
        assert_eq!(allocate(&[(100, 1.0), (100, 3.0)], 40).unwrap(), [10, 30]);
        assert_eq!(allocate(&[(300, 0.0), (100, 0.0)], 40).unwrap(), [30, 10]);
        // At least two each, and never more than there are.
        assert_eq!(allocate(&[(1000, 1.0), (5, 0.0)], 20).unwrap(), [18, 2]);
        assert_eq!(allocate(&[(3, 9.0), (50, 0.1)], 20).unwrap(), [3, 17]);
        assert_eq!(allocate(&[(3, 1.0), (1, 1.0)], 20).unwrap(), [3, 1]);
        assert!(allocate(&[(3, f64::NAN)], 2).is_err());
    }
}
