//! Least squares for differences of strengths.
//!
//! With x = e_i − e_j for each reading of i against j, H = Σ x x′ is the Laplacian of the graph of
//! comparisons, singular because each linked group has one strength too many. H + Σ 1 1′ over the groups
//! is positive definite, and in its solutions the strengths of each group sum to 0.

use tiebreak_base::duel::Pair;
use tiebreak_base::stats::cholesky::Cholesky;
use tiebreak_base::stats::linked::linked;

/// The factorised Laplacian of the graph of compared pairs.
pub(super) struct ComparisonLaplacian {
    k: usize,
    /// The factor of H + Σ 1 1′.
    factor: Cholesky,
}

impl ComparisonLaplacian {
    /// The Laplacian of weighted readings of pairs of `k` systems, one entry per reading.
    pub(super) fn new(k: usize, pairs: impl Iterator<Item = (Pair, f64)> + Clone) -> Self {
        let group = linked(k, pairs.clone().map(|(pair, _)| pair.indices()));
        let together = |at: usize| f64::from(u8::from(group[at / k] == group[at % k]));
        let mut information: Vec<f64> = (0..k * k).map(together).collect();
        for (pair, weight) in pairs {
            add_square(&mut information, k, pair, weight);
        }
        let factor = Cholesky::new(information, k)
            .expect("a constant in each group makes the information positive definite");
        Self { k, factor }
    }

    /// The strengths that fit the weighted scores best.
    pub(super) fn fit(&self, scores: impl Iterator<Item = (Pair, f64)>) -> Vec<f64> {
        let mut sums = vec![0.0; self.k];
        for (pair, score) in scores {
            add(&mut sums, pair, score);
        }
        self.solve(&mut sums);
        sums
    }

    fn solve(&self, b: &mut [f64]) {
        self.factor.solve_lower(b);
        self.factor.solve_upper(b);
    }

    /// The sandwich H⁻¹ B H⁻¹ for the covariance B of the sums that strengths are fitted to.
    pub(super) fn covariance(&self, mut meat: Vec<f64>) -> Vec<f64> {
        // Rows of the symmetric B become H⁻¹ B; then those of its transpose.
        for _ in 0..2 {
            for row in meat.chunks_exact_mut(self.k.max(1)) {
                self.solve(row);
            }
            meat = transposed(&meat, self.k);
        }
        meat
    }
}

fn transposed(matrix: &[f64], k: usize) -> Vec<f64> {
    (0..k * k).map(|at| matrix[at % k * k + at / k]).collect()
}

/// The difference x′s of a pair.
pub(super) fn difference(strengths: &[f64], pair: Pair) -> f64 {
    strengths[pair.first.index()] - strengths[pair.second.index()]
}

/// Adds `times` x to the sums.
pub(super) fn add(sums: &mut [f64], pair: Pair, times: f64) {
    sums[pair.first.index()] += times;
    sums[pair.second.index()] -= times;
}

/// Adds `times` x x′ to the matrix.
pub(super) fn add_square(matrix: &mut [f64], k: usize, pair: Pair, times: f64) {
    let (i, j) = pair.indices();
    for (row, column, value) in [(i, i, times), (j, j, times), (i, j, -times), (j, i, -times)] {
        matrix[row * k + column] += value;
    }
}
