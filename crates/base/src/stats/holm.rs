//! Holm's test of several statistics: the probability of any mistake among all of them stays below 1 − confidence.
//!
//! Source: Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 1979.
//! Each statistic is tested two-sided against Student's t with its own degrees of freedom. So one of which little is
//! known takes nothing from the others. The most extreme one is tested at a share 1/m of the error, the next at 1/(m −
//! 1), and so on until one fails; the procedure is valid however the statistics depend on each other. P-values are
//! compared with those shares, or [`adjusted`] for comparison with the whole error.

use super::quantiles::two_sided_t;
use super::special::student_t_above;

/// The critical value that each statistic, given with its degrees of freedom, must exceed to differ from 0. It is that
/// of the level of its step; after the first failure all have the level of the failure. Infinite unless 0 < confidence
/// < 1 and there is at least one degree.
pub fn critical_values(statistics: &[(f64, u64)], confidence: f64) -> Vec<f64> {
    let tail = |at: usize| match statistics[at] {
        (_, 0) => 1.0,
        (statistic, df) => student_t_above(statistic.abs(), df as f64),
    };
    let tails: Vec<f64> = (0..statistics.len()).map(tail).collect();
    let mut order: Vec<usize> = (0..statistics.len()).collect();
    // Far out tails are 0 alike.
    order.sort_by(|&a, &b| {
        let larger = statistics[b].0.abs().total_cmp(&statistics[a].0.abs());
        tails[a].total_cmp(&tails[b]).then(larger)
    });
    let mut values = vec![f64::INFINITY; statistics.len()];
    let mut failed = None;
    for (done, &at) in order.iter().enumerate() {
        let left = failed.unwrap_or(statistics.len() - done);
        let (statistic, df) = statistics[at];
        let step = two_sided_t(1.0 - (1.0 - confidence) / left as f64, df);
        values[at] = step.unwrap_or(f64::INFINITY);
        if statistic.abs() <= values[at] {
            failed = Some(left);
        }
    }
    values
}

/// For each p-value whether its hypothesis is rejected, the probability of any mistake being `level`.
pub fn rejected(p_values: &[f64], level: f64) -> Vec<bool> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut found = vec![false; p_values.len()];
    for (done, &at) in order.iter().enumerate() {
        if p_values[at] * (p_values.len() - done) as f64 > level {
            break;
        }
        found[at] = true;
    }
    found
}

/// For each p-value the smallest level at which its hypothesis is rejected, at most 1.
pub fn adjusted(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut adjusted = vec![1.0; p_values.len()];
    let mut least: f64 = 0.0;
    for (done, &at) in order.iter().enumerate() {
        least = least.max((p_values[at] * (p_values.len() - done) as f64).min(1.0));
        adjusted[at] = least;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Seed;

    const MANY: u64 = 1_000_000;

    fn critical(statistics: &[f64], confidence: f64, df: u64) -> Vec<f64> {
        let with_degrees: Vec<(f64, u64)> = statistics.iter().map(|&one| (one, df)).collect();
        critical_values(&with_degrees, confidence)
    }

    fn significant(statistics: &[f64], confidence: f64, df: u64) -> Vec<bool> {
        let critical = critical(statistics, confidence, df);
        let pairs = statistics.iter().zip(critical);
        pairs.map(|(one, critical)| one.abs() > critical).collect()
    }

    #[test]
    fn the_step_down_by_hand() {
        // Two-sided 5 %: 1.960 for one test, 2.241 for the larger of two, 2.394 of three.
        assert_eq!(significant(&[2.0], 0.95, MANY), [true]);
        assert_eq!(significant(&[2.0, 2.0], 0.95, MANY), [false, false]);
        assert_eq!(significant(&[2.0, -2.3], 0.95, MANY), [true, true]);
        assert_eq!(significant(&[2.0, 2.3, -2.5], 0.95, MANY), [true; 3]);
        assert_eq!(significant(&[2.0, 2.3, -2.38], 0.95, MANY), [false; 3]);
        assert_eq!(significant(&[2.4], 0.95, 5), [false]); // t with 5 degrees: 2.571
        assert_eq!(significant(&[9.0], 0.95, 0), [false]);
        assert!(significant(&[], 0.95, MANY).is_empty());
        // The first fails, so the others are tested at the level of its step.
        let values = critical(&[2.0, 2.3, -2.38], 0.95, MANY);
        assert!(values.iter().all(|value| (value - 2.394).abs() < 1e-3));
        let values = critical(&[1.0, 2.3], 0.95, MANY);
        assert!((values[0] - 1.960).abs() < 1e-3 && (values[1] - 2.241).abs() < 1e-3);
    }

    #[test]
    fn a_statistic_of_few_degrees_leaves_the_others_theirs() {
        // 12.7 at one degree is two in a hundred and not the most extreme; 2.5 of many is tested at half the error.
        let values = critical_values(&[(12.0, 1), (2.5, MANY), (0.0, 0)], 0.95);
        assert!((values[1] - 2.394).abs() < 1e-3, "{values:?}");
        assert!((values[0] - 25.45).abs() < 0.01, "{values:?}");
        assert_eq!(values[2], f64::INFINITY);
    }

    #[test]
    fn p_values_step_down_the_same_way() {
        assert_eq!(rejected(&[0.02, 0.04], 0.05), [true, true]);
        assert_eq!(rejected(&[0.03, 0.01, 0.03], 0.05), [false, true, false]);
        assert_eq!(rejected(&[0.03, 0.026], 0.05), [false, false]);
        assert!(rejected(&[], 0.05).is_empty());
    }

    #[test]
    fn an_adjusted_value_is_the_level_that_rejects() {
        assert_eq!(adjusted(&[0.5, 0.25, 0.75]), [1.0, 0.75, 1.0]);
        assert_eq!(adjusted(&[0.125, 0.1]), [0.2, 0.2]);
        let mut rng = Seed(5).stream("test", 0);
        for _ in 0..100 {
            let p: Vec<f64> = (0..6).map(|_| 0.2 * rng.uniform()).collect();
            let (level, adjusted) = (rng.uniform(), adjusted(&p));
            let below: Vec<bool> = adjusted.iter().map(|p| *p <= level).collect();
            assert_eq!(below, rejected(&p, level), "{p:?} {level}");
        }
    }

    #[test]
    fn any_false_discovery_is_as_rare_as_promised() {
        let mut rng = Seed(4).stream("test", 0);
        let runs = 2000;
        let wrong = (0..runs).filter(|_| {
            let mut statistics: Vec<f64> = (0..8).map(|_| rng.normal()).collect();
            statistics[7] += 5.0;
            significant(&statistics, 0.9, MANY)[..7].contains(&true)
        });
        // 10 % of 2000 with a standard deviation of 13.
        let wrong = wrong.count();
        assert!((140..=245).contains(&wrong), "{wrong}");
    }
}
