//! The confidence of single intervals at which many of them hold together, from draws of the largest error.
//!
//! The errors of all strengths and of all differences are drawn together from their normal approximation, each over its
//! standard deviation. The value that the largest of them exceeds with probability α is exceeded by a single one with a
//! smaller probability: that is the error probability of each interval, with Student's t for its own degrees of
//! freedom. So one statement holds for strengths and differences, and two strengths with disjoint intervals differ.

use crate::estimators::contrasts::JointErrors;
use rayon::prelude::*;
use tiebreak_base::rng::Seed;
use tiebreak_base::stats::cholesky::Cholesky;
use tiebreak_base::stats::special::student_t_above;

/// The number of draws that exceed the quantile: its probability is then known within a fortieth.
const EXCEEDING: f64 = 2000.0;

/// The largest number of contrasts times draws.
const WORK: usize = 40_000_000;

/// The largest number of draws.
const DRAWS: usize = 100_000;

/// The number of exceeding draws below which probabilities are added up instead.
const FEWEST: f64 = 50.0;

/// The degrees of freedom at which Student's t is a normal to all digits that count.
const NORMAL: f64 = 1e7;

/// The error probability of each interval at which all hold together with probability 1 − `alpha`.
pub(super) fn single_alpha(errors: &JointErrors, alpha: f64) -> f64 {
    let contrasts = ScaledContrasts::new(errors);
    let number = contrasts.precisions.len();
    if number < 2 {
        return alpha;
    }
    let sum = alpha / number as f64;
    let draws = (EXCEEDING / alpha) as usize;
    let draws = draws.min(WORK / number).min(DRAWS);
    if alpha * (draws as f64) < FEWEST {
        return sum;
    }
    let Some(factor) = Cholesky::new(errors.covariance.clone(), errors.group.len()) else {
        return sum;
    };
    let mut rng = Seed(0).stream("largest error", 0);
    let n = errors.group.len();
    let mut all = rng.normals(n * draws);
    let largest = all.par_chunks_exact_mut(n).map(|error| {
        factor.multiply(error);
        contrasts.largest(error)
    });
    let mut largest: Vec<f64> = largest.collect();
    largest.sort_unstable_by(f64::total_cmp);
    let place = ((1.0 - alpha) * (draws + 1) as f64).ceil() as usize;
    let exceeded = largest[place.clamp(1, draws) - 1];
    (2.0 * student_t_above(exceeded, NORMAL)).clamp(sum, alpha)
}

/// All contrasts of the systems that comparisons link: each group's differences, then its deviations from its mean.
struct ScaledContrasts {
    groups: Vec<Vec<usize>>,
    /// The reciprocal standard deviation of each.
    precisions: Vec<f64>,
}

impl ScaledContrasts {
    fn new(errors: &JointErrors) -> Self {
        let number = errors.group.iter().max().map_or(0, |last| last + 1);
        let mut groups = vec![Vec::new(); number];
        for (row, &group) in errors.group.iter().enumerate() {
            groups[group].push(row);
        }
        groups.retain(|members| members.len() > 1);
        let n = errors.group.len();
        let at = |i: usize, j: usize| errors.covariance[i * n + j];
        let mut precisions = Vec::new();
        for members in &groups {
            let share = 1.0 / members.len() as f64;
            for (place, &i) in members.iter().enumerate() {
                for &j in &members[place + 1..] {
                    precisions.push((at(i, i) + at(j, j) - 2.0 * at(i, j)).sqrt().recip());
                }
            }
            // For two systems the deviations are half of the difference.
            if members.len() == 2 {
                continue;
            }
            let with_all = |&i: &usize| share * members.iter().map(|&j| at(i, j)).sum::<f64>();
            let of_mean = share * members.iter().map(with_all).sum::<f64>();
            let deviations = members.iter();
            precisions.extend(
                deviations.map(|i| (at(*i, *i) - 2.0 * with_all(i) + of_mean).sqrt().recip()),
            );
        }
        Self { groups, precisions }
    }

    /// The largest error of all, over its standard deviation.
    fn largest(&self, error: &[f64]) -> f64 {
        let mut precisions = &self.precisions[..];
        let mut largest = [0.0; LANES];
        let mut take = |values: &[f64], from: f64| {
            let (own, after) = precisions.split_at(values.len());
            precisions = after;
            farthest(values, from, own, &mut largest);
        };
        for members in &self.groups {
            let own: Vec<f64> = members.iter().map(|&i| error[i]).collect();
            for (place, &one) in own.iter().enumerate() {
                take(&own[place + 1..], one);
            }
            if members.len() > 2 {
                let sum: f64 = own.iter().sum();
                take(&own, sum / members.len() as f64);
            }
        }
        largest.into_iter().fold(0.0, f64::max)
    }
}

/// Maxima that do not wait for each other.
const LANES: usize = 8;

/// Raises maxima to the largest distance of values `from` one, times their precisions.
fn farthest(values: &[f64], from: f64, precisions: &[f64], largest: &mut [f64; LANES]) {
    let (values, rest) = values.as_chunks::<LANES>();
    let (of_values, of_rest) = precisions.as_chunks::<LANES>();
    let mut raise = |values: &[f64], precisions: &[f64]| {
        for ((most, value), precision) in largest.iter_mut().zip(values).zip(precisions) {
            let error = (value - from).abs() * precision;
            *most = if error > *most { error } else { *most };
        }
    };
    for (values, precisions) in values.iter().zip(of_values) {
        raise(values, precisions);
    }
    raise(rest, of_rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn independent(group: Vec<usize>) -> JointErrors {
        let n = group.len();
        let one = |at: usize| f64::from(u8::from(at % n == at / n));
        JointErrors {
            covariance: (0..n * n).map(one).collect(),
            group,
        }
    }

    #[test]
    fn one_difference_has_the_whole_error_and_many_less_than_their_sum() {
        assert_eq!(single_alpha(&independent(vec![0, 0]), 0.05), 0.05);
        assert_eq!(single_alpha(&independent(vec![0, 1, 2]), 0.05), 0.05);
        // The range of nine independent normals exceeds 4.387 in one of twenty (Tukey's table); strengths cost little.
        let nine = single_alpha(&independent(vec![0; 9]), 0.05);
        let tukey = 2.0 * student_t_above(4.387 / 2.0_f64.sqrt(), NORMAL);
        assert!((0.85..1.05).contains(&(nine / tukey)), "{nine} {tukey}");
        // Two pairs that have nothing to do with each other.
        let pairs = single_alpha(&independent(vec![0, 0, 1, 1]), 0.05);
        assert!((pairs - (1.0 - 0.95_f64.sqrt())).abs() < 0.002, "{pairs}");
        // Too rare to be drawn.
        assert_eq!(single_alpha(&independent(vec![0; 3]), 1e-6), 1e-6 / 6.0);
    }
}
