//! Running means and covariances of vectors: one pass, no loss of digits.
//!
//! Source: Welford, "Note on a method for calculating corrected sums of squares and products",
//! Technometrics 1962, for any number of dimensions. A dimension that does not vary has a variance
//! of exactly 0.

/// Means and covariances of the vectors pushed so far.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Covariance {
    n: u64,
    mean: Vec<f64>,
    /// Sums of products of deviations, row by row.
    products: Vec<f64>,
    /// Deviations from the mean before the present push; kept to allocate once.
    before: Vec<f64>,
}

impl Covariance {
    /// No vectors yet, of `dimensions` numbers each.
    pub fn new(dimensions: usize) -> Self {
        Self {
            n: 0,
            mean: vec![0.0; dimensions],
            products: vec![0.0; dimensions * dimensions],
            before: vec![0.0; dimensions],
        }
    }

    /// Adds a vector.
    ///
    /// # Panics
    /// If it is shorter than the dimensions.
    pub fn push(&mut self, x: &[f64]) {
        self.n += 1;
        let size = self.mean.len();
        for (i, x) in x[..size].iter().enumerate() {
            self.before[i] = x - self.mean[i];
            self.mean[i] += self.before[i] / self.n as f64;
        }
        for (i, x) in x[..size].iter().enumerate() {
            let after = x - self.mean[i];
            let row = &mut self.products[i * size..(i + 1) * size];
            for (product, before) in row.iter_mut().zip(&self.before) {
                *product += after * before;
            }
        }
    }

    /// The number of vectors.
    pub fn count(&self) -> u64 {
        self.n
    }

    /// The mean of the vectors; zeros without vectors.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// The covariances of the vectors (divided by n), row by row; zeros without vectors.
    pub fn population(&self) -> Vec<f64> {
        let n = self.n.max(1) as f64;
        self.products.iter().map(|product| product / n).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Seed;
    use crate::stats::moments::JointMoments;

    #[test]
    fn every_pair_of_dimensions_agrees_with_the_moments_of_pairs() {
        let mut rng = Seed(1).stream("test", 0);
        let mut all = Covariance::new(3);
        let mut pairs = [JointMoments::default(); 9];
        for _ in 0..50 {
            let u = rng.normal();
            let x = [1e6 + u, rng.normal(), u - rng.normal()];
            all.push(&x);
            for (place, pair) in pairs.iter_mut().enumerate() {
                pair.push(x[place / 3], x[place % 3]);
            }
        }
        for (found, pair) in all.population().iter().zip(pairs) {
            let expected = pair.population_covariance().unwrap();
            assert!((found - expected).abs() < 1e-9, "{found} {expected}");
        }
        assert_eq!((all.count(), all.mean().len()), (50, 3));
    }

    #[test]
    fn what_does_not_vary_has_a_variance_of_exactly_nothing() {
        let mut all = Covariance::new(1);
        (0..7).for_each(|_| all.push(&[0.1]));
        assert_eq!(all.population(), [0.0]);
        assert!(Covariance::new(0).population().is_empty());
    }
}
