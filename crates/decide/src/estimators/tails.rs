//! The reach of an interval when judgments are skewed or have heavy tails: a rare yes among many
//! a no, ratings that are nearly always the same.
//!
//! Student's t takes the variance of n judgments to be known as well as that of n normal ones. Heavy
//! tails make it less known, and skewness makes the mean and its standard error go together. Two
//! corrections, both from the judgments themselves, with skewness γ and excess kurtosis κ:
//!
//! * Var(s²) is about σ⁴ (κ + 2)/n, which is that of a χ² with 2n/(κ + 2) degrees of freedom: t has
//!   these, where they are fewer (Satterthwaite, Biometrics 1946).
//! * The Edgeworth expansion of t (Hall, "Theoretical comparison of bootstrap confidence intervals",
//!   Annals of Statistics 1988) has a two-sided interval miss by `γ² (t³ + 2t − 3/t)/18n` standard
//!   errors: it reaches so much farther.
//!
//! Both vanish as n grows, and are next to nothing for judgments that are about normal.

use super::contributions::Contributions;
use tiebreak_base::stats::moments::Moments;
use tiebreak_base::stats::quantiles;

/// The reach of an interval to each side, in standard errors; `None` unless 0 < confidence < 1.
pub(super) fn reach(error: &Contributions, confidence: f64) -> Option<f64> {
    let plain = quantiles::two_sided_t(confidence, error.df)?;
    let Some(shape) = TailShape::from_contributions(error) else {
        return Some(plain);
    };
    // At the plain t: the expansion is around it, and far out in the tails its cube is too large.
    let skewed = shape.skewness.powi(2) * (plain.powi(3) + 2.0 * plain - 3.0 / plain);
    let heavy = quantiles::two_sided_t(confidence, shape.degrees(error.df))?;
    Some(heavy + (skewed / (18.0 * shape.n)).max(0.0))
}

/// The shape of what items contribute to an error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TailShape {
    /// The number of items.
    pub(super) n: f64,
    pub(super) skewness: f64,
    kurtosis: f64,
}

impl TailShape {
    /// The shape of contributions; `None` where nothing varies.
    pub(super) fn from_contributions(error: &Contributions) -> Option<Self> {
        let moments = [2, 3, 4].map(|power| power_mean(error, power));
        Self::from_moments(error.by_item.len() as f64, moments)
    }

    /// The shape of n numbers with these means of their second, third and fourth powers.
    pub(super) fn from_moments(n: f64, [squares, cubes, fourths]: [f64; 3]) -> Option<Self> {
        (squares > 0.0).then(|| Self {
            n,
            skewness: cubes / squares.powf(1.5),
            kurtosis: fourths / (squares * squares) - 3.0,
        })
    }

    /// The same shape with another skewness.
    pub(super) fn with_skewness(self, skewness: f64) -> Self {
        Self { skewness, ..self }
    }

    /// The same shape of another number of items.
    pub(super) fn of_items(self, items: u64) -> Self {
        Self {
            n: items as f64,
            ..self
        }
    }

    /// The mean of shapes; `None` of none.
    pub(super) fn mean(shapes: &[Self]) -> Option<Self> {
        let mean = |of: fn(&Self) -> f64| shapes.iter().map(of).collect::<Moments>().mean();
        Some(Self {
            n: mean(|shape| shape.n)?,
            skewness: mean(|shape| shape.skewness)?,
            kurtosis: mean(|shape| shape.kurtosis)?,
        })
    }

    /// The degrees of freedom of a variance, limited by these tails.
    pub(super) fn degrees(&self, most: u64) -> u64 {
        // κ + 2 ≥ γ² ≥ 0; where it is 0, the judgments' variance is known.
        let known = 2.0 * self.n / (self.kurtosis + 2.0).max(f64::MIN_POSITIVE);
        (known as u64).clamp(1, most)
    }
}

fn power_mean(error: &Contributions, power: i32) -> f64 {
    let sum: f64 = error.by_item.values().map(|x| x.powi(power)).sum();
    sum / error.by_item.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::rng::Seed;

    fn contributions(values: &[f64]) -> Contributions {
        let moments: Moments = values.iter().copied().collect();
        let mean = moments.mean().unwrap();
        let spare = values.len() as f64 - 1.0;
        let each = values.iter().enumerate();
        let scale = (spare * values.len() as f64).sqrt();
        Contributions::of_items(
            each.map(|(at, y)| (at as u32, (y - mean) / scale))
                .collect(),
            values.len() as u64 - 1,
        )
    }

    #[test]
    fn both_corrections_are_those_of_their_formulas() {
        // One yes in twenty: γ = 4.1295, κ = 15.0526.
        let mut values = vec![0.0; 95];
        values.extend([1.0; 5]);
        let t = |df| quantiles::two_sided_t(0.95, df).unwrap();
        let skewed = t(99).powi(3) + 2.0 * t(99) - 3.0 / t(99);
        let expected = t(11) + 4.129_483_f64.powi(2) * skewed / 1800.0; // 11 = ⌊200/17.05⌋
        let found = reach(&contributions(&values), 0.95).unwrap();
        assert!((found - expected).abs() < 1e-6, "{found} {expected}");
    }

    #[test]
    fn even_judgments_are_left_as_they_are() {
        let half: Vec<f64> = (0..40).map(|i| f64::from(i % 2)).collect();
        let found = reach(&contributions(&half), 0.95);
        assert_eq!(found, quantiles::two_sided_t(0.95, 39));
        let equal = contributions(&[3.0; 9]);
        assert_eq!(reach(&equal, 0.9), quantiles::two_sided_t(0.9, 8));
        assert_eq!(reach(&equal, 1.0), None);
    }

    /// Shares of intervals that hold the mean, by plain t and as corrected.
    fn coverage(draw: impl Fn(f64) -> f64, mean: f64, n: usize) -> (f64, f64) {
        const RUNS: usize = 2000;
        let (mut plain, mut corrected) = (0, 0);
        for run in 0..RUNS {
            let mut rng = Seed(7).stream("tails", run as u64);
            let values: Vec<f64> = (0..n).map(|_| draw(rng.uniform())).collect();
            let error = contributions(&values);
            let off = (values.iter().sum::<f64>() / n as f64 - mean).abs();
            let within = |reach: f64| usize::from(off <= reach * error.standard_error());
            plain += within(quantiles::two_sided_t(0.95, error.df).unwrap());
            corrected += within(reach(&error, 0.95).unwrap());
        }
        (plain as f64 / RUNS as f64, corrected as f64 / RUNS as f64)
    }

    #[test]
    fn a_hundred_judgments_are_enough() {
        let rare = |u: f64| f64::from(u < 0.05);
        let (plain, corrected) = coverage(rare, 0.05, 100);
        assert!(plain < 0.9 && corrected > 0.94, "{plain} {corrected}");
        let likert = |u: f64| {
            if u < 0.02 {
                1.0
            } else if u < 0.05 {
                2.0
            } else {
                3.0
            }
        };
        let (plain, corrected) = coverage(likert, 2.93, 100);
        assert!(plain < 0.92 && corrected > 0.94, "{plain} {corrected}");
        let (plain, corrected) = coverage(|u| -u.ln(), 1.0, 100);
        assert!(plain < 0.95 && corrected > 0.935, "{plain} {corrected}");
        let (plain, corrected) = coverage(|u| u, 0.5, 100);
        assert!((plain - corrected).abs() < 0.003, "{plain} {corrected}");
    }
}
