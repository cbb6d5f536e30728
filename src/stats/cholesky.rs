//! The Cholesky factor of a small positive definite matrix, and what is solved with it.
//!
//! A = C C′ with C lower triangular. Matrices are row by row, `n` × `n`.

/// C of A = C C′.
#[derive(Debug, Clone)]
pub struct Cholesky {
    n: usize,
    /// C, with zeros above the diagonal.
    lower: Vec<f64>,
}

impl Cholesky {
    /// Factors A, of which only the lower triangle is read; `None` if it is not positive definite.
    pub fn new(mut matrix: Vec<f64>, n: usize) -> Option<Self> {
        debug_assert_eq!(matrix.len(), n * n);
        for j in 0..n {
            for i in 0..j {
                matrix[i * n + j] = 0.0;
            }
            for i in j..n {
                let dot: f64 = (0..j).map(|l| matrix[i * n + l] * matrix[j * n + l]).sum();
                let rest = matrix[i * n + j] - dot;
                if i > j {
                    matrix[i * n + j] = rest / matrix[j * n + j];
                } else if rest > 0.0 {
                    matrix[j * n + j] = rest.sqrt();
                } else {
                    return None;
                }
            }
        }
        Some(Self { n, lower: matrix })
    }

    /// ln |A|.
    pub fn ln_determinant(&self) -> f64 {
        let diagonal = (0..self.n).map(|i| self.lower[i * self.n + i]);
        2.0 * diagonal.map(f64::ln).sum::<f64>()
    }

    /// Replaces b by C⁻¹ b.
    pub fn solve_lower(&self, b: &mut [f64]) {
        for i in 0..self.n {
            let row = &self.lower[i * self.n..(i + 1) * self.n];
            let dot: f64 = row[..i].iter().zip(&*b).map(|(c, x)| c * x).sum();
            b[i] = (b[i] - dot) / row[i];
        }
    }

    /// Replaces b by C′⁻¹ b. With independent standard normals b, the result has covariance A⁻¹.
    pub fn solve_upper(&self, b: &mut [f64]) {
        for i in (0..self.n).rev() {
            b[i] /= self.lower[i * self.n + i];
            for l in 0..i {
                b[l] -= self.lower[i * self.n + l] * b[i];
            }
        }
    }

    /// A⁻¹.
    pub fn inverse(&self) -> Vec<f64> {
        let n = self.n;
        let mut inverse = vec![0.0; n * n];
        for (i, column) in inverse.chunks_exact_mut(n).enumerate() {
            column[i] = 1.0;
            self.solve_lower(column);
            self.solve_upper(column);
        }
        inverse
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Seed;

    /// B B′ + I for a random B.
    fn example(n: usize) -> Vec<f64> {
        let mut rng = Seed(1).stream("test", n as u64);
        let b: Vec<f64> = (0..n * n).map(|_| rng.normal()).collect();
        let entry = |i: usize, j: usize| {
            let dot: f64 = (0..n).map(|l| b[i * n + l] * b[j * n + l]).sum();
            dot + f64::from(u8::from(i == j))
        };
        (0..n * n).map(|at| entry(at / n, at % n)).collect()
    }

    #[test]
    fn the_inverse_times_the_matrix_is_one() {
        for n in 1..9 {
            let a = example(n);
            let inverse = Cholesky::new(a.clone(), n).unwrap().inverse();
            for i in 0..n {
                for j in 0..n {
                    let dot: f64 = (0..n).map(|l| inverse[i * n + l] * a[l * n + j]).sum();
                    let expected = f64::from(u8::from(i == j));
                    assert!((dot - expected).abs() < 1e-10, "{n}: {i}, {j}: {dot}");
                }
            }
        }
    }

    #[test]
    fn a_two_by_two_by_hand_and_what_is_no_covariance() {
        let factor = Cholesky::new(vec![4.0, 2.0, 2.0, 5.0], 2).unwrap();
        assert_eq!(factor.lower, [2.0, 0.0, 1.0, 2.0]);
        assert!((factor.ln_determinant() - 16.0_f64.ln()).abs() < 1e-15);
        let mut b = [2.0, 5.0];
        factor.solve_lower(&mut b);
        assert_eq!(b, [1.0, 2.0]);
        factor.solve_upper(&mut b);
        assert_eq!(b, [0.0, 1.0]);
        assert!(Cholesky::new(vec![1.0, 2.0, 2.0, 1.0], 2).is_none());
        assert!(Cholesky::new(vec![f64::NAN], 1).is_none());
    }
}
