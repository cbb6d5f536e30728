//! The posterior under one setting of the scales.

use super::super::prior::{BETA_MEAN, BETA_PRECISION, Scales};
use super::PredictedMargins;
use tiebreak_base::stats::cholesky::Cholesky;

/// A pair i < j in the model.
#[derive(Clone, Copy)]
pub(super) struct PairObservation {
    pub(super) i: usize,
    pub(super) j: usize,
    /// y.
    pub(super) observed: f64,
    /// P = 1/s².
    pub(super) precision: f64,
}

impl PairObservation {
    /// A pair without answers.
    pub(super) fn unseen(i: usize, j: usize) -> Self {
        Self {
            i,
            j,
            observed: 0.0,
            precision: 0.0,
        }
    }
}

/// The posterior under one setting of the scales.
pub(super) struct Component {
    pub(super) weight: f64,
    pub(super) scales: Scales,
    /// γ̂.
    pub(super) center: Vec<f64>,
    /// The factor of the rows of A that answers are about.
    pub(super) factor: Cholesky,
    /// A⁻¹ of these rows, on its diagonal and above.
    inverse: Vec<f64>,
}

/// The rows of A that are about β or a system that was judged, in their order.
pub(super) struct JudgedRows {
    pub(super) rows: Vec<usize>,
    /// The place of each row of A among them.
    place: Vec<Option<usize>>,
}

impl JudgedRows {
    pub(super) fn new(k: usize, observed: &[PairObservation]) -> Self {
        let mut touched = vec![false; k + 1];
        touched[0] = true;
        for term in observed {
            touched[term.i + 1] = true;
            touched[term.j + 1] = true;
        }
        let rows: Vec<usize> = (0..=k).filter(|&row| touched[row]).collect();
        let mut place = vec![None; k + 1];
        for (at, &row) in rows.iter().enumerate() {
            place[row] = Some(at);
        }
        Self { rows, place }
    }

    /// The systems that were judged.
    pub(super) fn systems(&self) -> Vec<usize> {
        self.rows[1..].iter().map(|row| row - 1).collect()
    }

    /// The place of a row that is there.
    pub(super) fn at(&self, row: usize) -> usize {
        self.place[row].expect("terms touch their systems")
    }
}

impl Scales {
    /// z m, for a pair.
    fn predicted(&self, tables: &PredictedMargins, term: &PairObservation) -> f64 {
        let table = self.believes.map(|table| &tables[table]);
        table.map_or(0.0, |table| table.get(term.i, term.j))
    }
}

impl Component {
    /// Fits γ; its weight is left at the logarithm of prior times evidence.
    pub(super) fn fit(
        observed: &[PairObservation],
        touched: &JudgedRows,
        predicted: &PredictedMargins,
        scales: Scales,
    ) -> Self {
        let (n, k) = (touched.rows.len(), touched.place.len() - 1);
        let mut a = vec![0.0; n * n];
        let mut b = vec![0.0; n];
        for at in 1..n {
            a[at * n + at] = scales.strength.powi(-2);
        }
        a[0] = BETA_PRECISION;
        b[0] = BETA_PRECISION * BETA_MEAN;
        let mut ln_evidence = 0.5 * BETA_PRECISION.ln() - (n - 1) as f64 * scales.strength.ln();
        let mut squares = BETA_PRECISION * BETA_MEAN * BETA_MEAN;
        for term in observed {
            let deviation = scales.deviation * scales.deviation;
            let omega = 1.0 / (deviation + 1.0 / term.precision);
            let x = [
                (0, scales.predicted(predicted, term)),
                (touched.at(term.i + 1), 1.0),
                (touched.at(term.j + 1), -1.0),
            ];
            for (row, x_row) in x {
                b[row] += omega * term.observed * x_row;
                for (column, x_column) in x {
                    a[row * n + column] += omega * x_row * x_column;
                }
            }
            ln_evidence += 0.5 * omega.ln();
            squares += omega * term.observed * term.observed;
        }
        let factor = Cholesky::new(a, n).expect("the prior alone makes A positive definite");
        factor.solve_lower(&mut b);
        let explained: f64 = b.iter().map(|x| x * x).sum();
        factor.solve_upper(&mut b);
        let ln_determinant = 2.0 * (0..n).map(|at| factor.diagonal(at).ln()).sum::<f64>();
        ln_evidence -= 0.5 * (ln_determinant + squares - explained);
        let mut center = vec![0.0; k + 1];
        for (&row, solved) in touched.rows.iter().zip(b) {
            center[row] = solved;
        }
        Self {
            weight: scales.ln_prior + ln_evidence,
            scales,
            center,
            inverse: factor.inverse_above(),
            factor,
        }
    }

    /// An entry of A⁻¹, of all rows.
    fn covariance(&self, touched: &JudgedRows, row: usize, column: usize) -> f64 {
        let n = touched.rows.len();
        match (touched.place[row], touched.place[column]) {
            (Some(row), Some(column)) => self.inverse[row.min(column) * n + row.max(column)],
            _ if row == column => self.scales.strength.powi(2),
            _ => 0.0,
        }
    }

    /// Mean and variance of the margin of a pair, from those of x'γ.
    fn margin(&self, term: &PairObservation, regressed: f64, spread: f64) -> (f64, f64) {
        let q = 1.0 / (self.scales.deviation * self.scales.deviation);
        let total = term.precision + q;
        let mean = (term.precision * term.observed + q * regressed) / total;
        (mean, 1.0 / total + (q / total).powi(2) * spread)
    }

    /// Mean and variance of the margin of a pair, given γ.
    pub(super) fn conditional_moments(
        &self,
        term: &PairObservation,
        predicted: &PredictedMargins,
        gamma: &[f64],
    ) -> (f64, f64) {
        let predicted = self.scales.predicted(predicted, term) * gamma[0];
        let regressed = predicted + gamma[term.i + 1] - gamma[term.j + 1];
        self.margin(term, regressed, 0.0)
    }

    /// Mean and variance of the margin of a pair.
    pub(super) fn moments(
        &self,
        term: &PairObservation,
        predicted: &PredictedMargins,
        touched: &JudgedRows,
    ) -> (f64, f64) {
        let (i, j) = (term.i + 1, term.j + 1);
        let at = |row, column| self.covariance(touched, row, column);
        let x = self.scales.predicted(predicted, term);
        let strengths = at(i, i) + at(j, j) - 2.0 * at(i, j);
        let spread = strengths + x * x * at(0, 0) + 2.0 * x * (at(0, i) - at(0, j));
        let regressed = x * self.center[0] + self.center[i] - self.center[j];
        self.margin(term, regressed, spread)
    }
}
