//! Holm's test of several hypotheses: the probability of any mistake among all of them stays below a level.
//!
//! Source: Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 1979.
//! The smallest p-value is tested at a share 1/m of the level, the next at 1/(m −
//! 1), and so on until one fails; the procedure is valid however the tests depend on each other. P-values are
//! compared with those shares, or [`adjusted`] for comparison with the whole level.

/// The level at which the hypothesis of each p-value is tested: that of its step; after the first failure all have the
/// level of the failure.
pub fn step_levels(p_values: &[f64], level: f64) -> Vec<f64> {
    let mut levels = vec![level; p_values.len()];
    let mut failed = None;
    for (done, &at) in order(p_values).iter().enumerate() {
        let left = failed.unwrap_or(p_values.len() - done);
        levels[at] = level / left as f64;
        if p_values[at] > levels[at] {
            failed = Some(left);
        }
    }
    levels
}

/// For each p-value whether its hypothesis is rejected, the probability of any mistake being `level`.
pub fn rejected(p_values: &[f64], level: f64) -> Vec<bool> {
    let levels = step_levels(p_values, level);
    p_values
        .iter()
        .zip(levels)
        .map(|(p, level)| *p <= level)
        .collect()
}

/// For each p-value the smallest level at which its hypothesis is rejected, at most 1.
pub fn adjusted(p_values: &[f64]) -> Vec<f64> {
    let mut adjusted = vec![1.0; p_values.len()];
    let mut least: f64 = 0.0;
    for (done, &at) in order(p_values).iter().enumerate() {
        least = least.max((p_values[at] * (p_values.len() - done) as f64).min(1.0));
        adjusted[at] = least;
    }
    adjusted
}

/// The places of p-values, smallest first.
fn order(p_values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Seed;
    use crate::stats::quantiles::two_sided_t;
    use crate::stats::special::student_t_above;

    const MANY: u64 = 1_000_000;

    fn p_values(statistics: &[f64], df: u64) -> Vec<f64> {
        let p = |one: &f64| 2.0 * student_t_above(one.abs(), df as f64);
        statistics.iter().map(p).collect()
    }

    fn critical(statistics: &[f64], confidence: f64, df: u64) -> Vec<f64> {
        let levels = step_levels(&p_values(statistics, df), 1.0 - confidence);
        let critical = |level: f64| two_sided_t(1.0 - level, df).unwrap();
        levels.into_iter().map(critical).collect()
    }

    fn significant(statistics: &[f64], confidence: f64, df: u64) -> Vec<bool> {
        rejected(&p_values(statistics, df), 1.0 - confidence)
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
        assert!(significant(&[], 0.95, MANY).is_empty());
        // The first fails, so the others are tested at the level of its step.
        let values = critical(&[2.0, 2.3, -2.38], 0.95, MANY);
        assert!(values.iter().all(|value| (value - 2.394).abs() < 1e-3));
        let values = critical(&[1.0, 2.3], 0.95, MANY);
        assert!((values[0] - 1.960).abs() < 1e-3 && (values[1] - 2.241).abs() < 1e-3);
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
