//! Regression lines that predict judgments from metrics, each fitted without the judgments it is used on.
//!
//! Source: Zrnic and Candès, "Cross-prediction-powered inference", PNAS 2024. Items are assigned to
//! folds at random, by seed and item; the line of a fold is fitted by least squares to all other
//! folds. A line that has not seen a judgment cannot have adapted to its noise, so what it corrects
//! stays unbiased and its residuals stay honest, however few judgments there are.
//!
//! The slopes carry a ridge of `ridge` judgments (scores are standardised, so it is the same for every
//! metric): it makes metrics that repeat each other harmless and vanishes as judgments come in. A
//! guarded line is used only where lines fitted without yet another fold predicted that fold better
//! than its mean did; else its slopes are 0.

use serde::{Deserialize, Serialize};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::rng::Seed;
use tiebreak_base::stats::cholesky::Cholesky;

/// The settings of the fit.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct CrossFitParameters {
    pub folds: usize,
    pub ridge: f64,
}

impl Default for CrossFitParameters {
    fn default() -> Self {
        Self {
            folds: 5,
            ridge: 1.0,
        }
    }
}

impl CrossFitParameters {
    pub(super) fn check(&self, estimator: &str) -> Result<()> {
        let Self { folds, ridge } = *self;
        let what = if !(2..=100).contains(&folds) {
            format!("folds is {folds}, expected 2 to 100")
        } else if !(ridge > 0.0 && ridge.is_finite()) {
            format!("ridge is {ridge}, expected a number above 0")
        } else {
            return Ok(());
        };
        Err(Error::usage(format!("{estimator}: {what}")))
    }
}

/// A prediction of judgments: intercept + slopes · g.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RegressionLine {
    pub intercept: f64,
    pub slopes: Vec<f64>,
}

impl RegressionLine {
    /// The slopes' part of the prediction, from scores or sums of scores.
    pub(super) fn slope(&self, g: &[f64]) -> f64 {
        dot(&self.slopes, g)
    }

    fn flat(self) -> Self {
        Self {
            slopes: vec![0.0; self.slopes.len()],
            ..self
        }
    }
}

/// Weighted sums of judgments, scores and their products.
#[derive(Debug, Clone)]
pub(super) struct Products {
    n: f64,
    pub weight: f64,
    pub y: f64,
    pub g: Vec<f64>,
    yy: f64,
    gy: Vec<f64>,
    /// The products of scores, row by row.
    gg: Vec<f64>,
}

impl Products {
    fn new(metrics: usize) -> Self {
        Self {
            n: 0.0,
            weight: 0.0,
            y: 0.0,
            g: vec![0.0; metrics],
            yy: 0.0,
            gy: vec![0.0; metrics],
            gg: vec![0.0; metrics * metrics],
        }
    }

    /// Adds an observation; with a negative weight, removes it.
    fn push(&mut self, weight: f64, y: f64, g: &[f64]) {
        self.n += weight.signum();
        self.weight += weight;
        self.y += weight * y;
        self.yy += weight * y * y;
        for (i, gi) in g.iter().enumerate() {
            self.g[i] += weight * gi;
            self.gy[i] += weight * gi * y;
            let row = &mut self.gg[i * g.len()..(i + 1) * g.len()];
            for (sum, gj) in row.iter_mut().zip(g) {
                *sum += weight * gi * gj;
            }
        }
    }

    fn add(&mut self, other: &Self) {
        self.n += other.n;
        self.weight += other.weight;
        self.y += other.y;
        self.yy += other.yy;
        for (mine, theirs) in [
            (&mut self.g, &other.g),
            (&mut self.gy, &other.gy),
            (&mut self.gg, &other.gg),
        ] {
            mine.iter_mut().zip(theirs).for_each(|(x, y)| *x += y);
        }
    }

    /// The ridge regression of y on g; flat without observations.
    fn line(&self, ridge: f64) -> RegressionLine {
        let size = self.g.len();
        let nothing = RegressionLine {
            intercept: 0.0,
            slopes: vec![0.0; size],
        };
        if self.n < 0.5 {
            return nothing;
        }
        let penalty = ridge * self.weight / self.n;
        let y_bar = self.y / self.weight;
        let mut matrix = self.gg.clone();
        let mut slopes = self.gy.clone();
        for i in 0..size {
            slopes[i] -= self.g[i] * y_bar;
            for j in 0..size {
                matrix[i * size + j] -= self.g[i] * self.g[j] / self.weight;
            }
            matrix[i * size + i] += penalty;
        }
        // With a positive ridge it is positive definite, unless numbers overflow.
        let Some(factor) = Cholesky::new(matrix, size) else {
            return nothing;
        };
        factor.solve_lower(&mut slopes);
        factor.solve_upper(&mut slopes);
        RegressionLine {
            intercept: y_bar - dot(&slopes, &self.g) / self.weight,
            slopes,
        }
    }

    /// The weighted sum of squared errors of a line.
    fn squares(&self, line: &RegressionLine) -> f64 {
        let (a, size) = (line.intercept, self.g.len());
        let rows = line.slopes.iter().enumerate();
        let quadratic: f64 = rows
            .map(|(i, b)| b * dot(&self.gg[i * size..(i + 1) * size], &line.slopes))
            .sum();
        self.yy - 2.0 * a * self.y - 2.0 * line.slope(&self.gy)
            + a * a * self.weight
            + 2.0 * a * line.slope(&self.g)
            + quadratic
    }
}

/// The sums of all observations, by fold.
#[derive(Debug, Clone)]
pub(super) struct Folds {
    ridge: f64,
    guarded: bool,
    seed: Seed,
    folds: Vec<Products>,
}

impl Folds {
    pub(super) fn new(fit: CrossFitParameters, guarded: bool, metrics: usize, seed: Seed) -> Self {
        Self {
            ridge: fit.ridge,
            guarded,
            seed,
            folds: vec![Products::new(metrics); fit.folds],
        }
    }

    /// The fold of an item, independent of what else is judged.
    pub(super) fn of_item(&self, item: u32) -> usize {
        let mut rng = self.seed.stream("fold", u64::from(item));
        rng.below(self.folds.len())
    }

    /// Adds an observation to a fold; with a negative weight, removes it.
    pub(super) fn push(&mut self, fold: usize, weight: f64, y: f64, g: &[f64]) {
        self.folds[fold].push(weight, y, g);
    }

    /// The sums of each fold.
    pub(super) fn sums(&self) -> &[Products] {
        &self.folds
    }

    /// The line of each fold, fitted to the others.
    pub(super) fn lines(&self) -> Vec<RegressionLine> {
        (0..self.folds.len()).map(|fold| self.line(fold)).collect()
    }

    fn line(&self, fold: usize) -> RegressionLine {
        let line = self.without(&[fold]).line(self.ridge);
        if self.guarded && !self.predicts(fold) {
            return line.flat();
        }
        line
    }

    /// Whether, within the other folds, lines predict unseen judgments better than means do.
    fn predicts(&self, fold: usize) -> bool {
        let (mut of_lines, mut of_means) = (0.0, 0.0);
        for (other, held_out) in self.folds.iter().enumerate() {
            let seen = self.without(&[fold, other]);
            if other == fold || seen.n < 0.5 {
                continue;
            }
            let line = seen.line(self.ridge);
            let mean = RegressionLine {
                intercept: seen.y / seen.weight,
                ..line.clone()
            };
            of_lines += held_out.squares(&line);
            of_means += held_out.squares(&mean.flat());
        }
        // A gain that one more fitted number per metric could feign does not count.
        let seen = self.without(&[fold]);
        let margin = 2.0 * seen.g.len() as f64 / seen.n;
        of_lines < of_means * (1.0 - margin)
    }

    fn without(&self, left_out: &[usize]) -> Products {
        let mut all = Products::new(self.folds[0].g.len());
        for (fold, sums) in self.folds.iter().enumerate() {
            if !left_out.contains(&fold) {
                all.add(sums);
            }
        }
        all
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folds(guarded: bool, slope: f64) -> Folds {
        let mut rng = Seed(2).stream("test", 0);
        let mut folds = Folds::new(CrossFitParameters::default(), guarded, 2, Seed(1));
        for item in 0..300 {
            let g = [rng.normal(), rng.normal()];
            let y = 3.0 + slope * (g[0] - 2.0 * g[1]) + 0.1 * rng.normal();
            folds.push(folds.of_item(item), 1.0, y, &g);
        }
        folds
    }

    #[test]
    fn lines_recover_what_made_the_judgments() {
        for line in folds(false, 1.0).lines() {
            assert!((line.intercept - 3.0).abs() < 0.05, "{line:?}");
            assert!((line.slopes[0] - 1.0).abs() < 0.05, "{line:?}");
            assert!((line.slopes[1] + 2.0).abs() < 0.05, "{line:?}");
        }
    }

    #[test]
    fn a_line_does_not_know_its_own_fold() {
        let mut folds = folds(false, 1.0);
        let before = folds.lines();
        folds.push(2, 1.0, 1e6, &[5.0, 5.0]);
        let after = folds.lines();
        assert_eq!(before[2], after[2]);
        assert_ne!(before[0], after[0]);
        // And what was taken back is as if it had never been, to rounding.
        folds.push(2, -1.0, 1e6, &[5.0, 5.0]);
        assert!((folds.lines()[0].slopes[0] - before[0].slopes[0]).abs() < 1e-3);
    }

    #[test]
    fn a_guarded_line_trusts_good_metrics_and_drops_worthless_ones() {
        assert_eq!(folds(true, 1.0).lines(), folds(false, 1.0).lines());
        let dropped = folds(true, 0.0).lines();
        let flat = dropped.iter().filter(|line| line.slopes == [0.0, 0.0]);
        assert!(flat.count() >= 4, "{dropped:?}");
    }

    #[test]
    fn squares_are_those_of_the_definition() {
        let line = RegressionLine {
            intercept: 0.5,
            slopes: vec![2.0, -1.0],
        };
        let rows = [(1.0, 3.0, [1.0, 0.5]), (2.5, -1.0, [0.0, 2.0])];
        let mut sums = Products::new(2);
        let mut expected = 0.0;
        for (weight, y, g) in rows {
            sums.push(weight, y, &g);
            expected += weight * (y - 0.5 - 2.0 * g[0] + g[1]).powi(2);
        }
        assert!((sums.squares(&line) - expected).abs() < 1e-12);
    }

    #[test]
    fn metrics_that_repeat_each_other_share_the_slope() {
        let mut folds = Folds::new(CrossFitParameters::default(), false, 3, Seed(1));
        for item in 0..200 {
            let g = f64::from(item % 7) - 3.0;
            folds.push(folds.of_item(item), 1.0, 2.0 * g, &[g, g, 0.0]);
        }
        for line in folds.lines() {
            assert!((line.slopes[0] - line.slopes[1]).abs() < 1e-9, "{line:?}");
            assert!((line.slopes[0] - 1.0).abs() < 0.01, "{line:?}");
            assert_eq!(line.slopes[2], 0.0);
        }
    }
}
