//! The Cholesky factor of a small positive definite matrix, and its solutions.
//!
//! A = C C′ with C lower triangular. Matrices are row by row, `n` × `n`.

/// The number of rows or columns worked on together.
const TOGETHER: usize = 8;

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
            let (above, below) = matrix.split_at_mut((j + 1) * n);
            let row = &mut above[j * n..];
            let rest = row[j] - dots([&row[..j]], &row[..j])[0];
            if rest.is_nan() || rest <= 0.0 {
                return None;
            }
            row[j] = rest.sqrt();
            let (row, pivot) = (&row[..j], row[j]);
            let mut groups = below.chunks_exact_mut(TOGETHER * n);
            for group in &mut groups {
                let dots = dots::<TOGETHER>(std::array::from_fn(|i| &group[i * n..][..j]), row);
                for (i, dot) in dots.into_iter().enumerate() {
                    group[i * n + j] = (group[i * n + j] - dot) / pivot;
                }
            }
            for other in groups.into_remainder().chunks_exact_mut(n) {
                other[j] = (other[j] - dots([&other[..j]], row)[0]) / pivot;
            }
        }
        for j in 0..n {
            matrix[j * n + j + 1..(j + 1) * n].fill(0.0);
        }
        Some(Self { n, lower: matrix })
    }

    /// An entry of C on its diagonal, above 0. The determinant of A is the square of their product.
    pub fn diagonal(&self, i: usize) -> f64 {
        self.lower[i * self.n + i]
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

    /// Replaces b by C b. With independent standard normals b, the result has covariance A.
    pub fn multiply(&self, b: &mut [f64]) {
        for i in (0..self.n).rev() {
            let row = &self.lower[i * self.n..=i * self.n + i];
            b[i] = row.iter().zip(&*b).map(|(c, x)| c * x).sum();
        }
    }

    /// A⁻¹.
    pub fn inverse(&self) -> Vec<f64> {
        self.inverted(|_| 0)
    }

    /// A⁻¹ on and above the diagonal, which costs half as much; entries below are not valid.
    pub fn inverse_above(&self) -> Vec<f64> {
        self.inverted(|column| column)
    }

    /// The columns of A⁻¹, which are its rows, each at least from the row that `first` says.
    fn inverted(&self, first: impl Fn(usize) -> usize) -> Vec<f64> {
        let n = self.n;
        let mut inverse = vec![0.0; n * n];
        // Zero rows have no columns; `chunks_mut` takes no 0.
        for (group, columns) in inverse.chunks_mut((TOGETHER * n).max(1)).enumerate() {
            let start = group * TOGETHER;
            // The last group may be short: its last column fills the places that are left, and is written once.
            let last = start + columns.len() / n - 1;
            let which: [usize; TOGETHER] = std::array::from_fn(|c| last.min(start + c));
            self.columns(which, first(start), columns);
        }
        inverse
    }

    /// Columns of A⁻¹, in order. Together they cost little more than one, for their sums do not wait for each
    /// other; digits are those of a column alone. Rows before the `first` are left out.
    fn columns(&self, which: [usize; TOGETHER], first: usize, columns: &mut [f64]) {
        let n = self.n;
        let mut x = vec![[0.0; TOGETHER]; n];
        for (c, one) in which.into_iter().enumerate() {
            x[one][c] = 1.0;
        }
        // Above the first column's 1 there is nothing but zeros.
        for i in which[0]..n {
            let row = &self.lower[i * n..=i * n + i];
            let mut dot = [0.0; TOGETHER];
            for (factor, x) in row[which[0]..i].iter().zip(&x[which[0]..]) {
                for (dot, x) in dot.iter_mut().zip(x) {
                    *dot += factor * x;
                }
            }
            for (x, dot) in x[i].iter_mut().zip(dot) {
                *x = (*x - dot) / row[i];
            }
        }
        for i in (first..n).rev() {
            let row = &self.lower[i * n..=i * n + i];
            let (before, at) = x.split_at_mut(i);
            at[0].iter_mut().for_each(|x| *x /= row[i]);
            for (factor, x) in row[first..].iter().zip(&mut before[first..]) {
                for (x, solved) in x.iter_mut().zip(at[0]) {
                    *x -= factor * solved;
                }
            }
        }
        for (c, column) in columns.chunks_exact_mut(n).enumerate() {
            column
                .iter_mut()
                .zip(&x)
                .for_each(|(entry, x)| *entry = x[c]);
        }
    }
}

/// The products of several vectors with one, each summed in the order of its entries.
fn dots<const C: usize>(several: [&[f64]; C], one: &[f64]) -> [f64; C] {
    let several = several.map(|other| &other[..one.len()]);
    let mut dots = [0.0; C];
    for (l, factor) in one.iter().enumerate() {
        for (dot, other) in dots.iter_mut().zip(several) {
            *dot += other[l] * factor;
        }
    }
    dots
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
        for n in (1..20).chain([33]) {
            let a = example(n);
            let factor = Cholesky::new(a.clone(), n).unwrap();
            let (inverse, above) = (factor.inverse(), factor.inverse_above());
            for i in 0..n {
                assert_eq!(inverse[i * n..][i..n], above[i * n..][i..n]);
            }
            for i in 0..n {
                for j in 0..n {
                    let dot: f64 = (0..n).map(|l| inverse[i * n + l] * a[l * n + j]).sum();
                    let expected = f64::from(u8::from(i == j));
                    assert!((dot - expected).abs() < 1e-10, "{n}: {i}, {j}: {dot}");
                }
            }
        }
    }

    /// The textbook's loops, one entry after the other.
    fn plainly(a: &[f64], n: usize) -> (Vec<f64>, Vec<f64>) {
        let mut c = vec![0.0; n * n];
        for j in 0..n {
            for i in j..n {
                let dot: f64 = (0..j).map(|l| c[i * n + l] * c[j * n + l]).sum();
                let rest = a[i * n + j] - dot;
                c[i * n + j] = if i > j {
                    rest / c[j * n + j]
                } else {
                    rest.sqrt()
                };
            }
        }
        let factor = Cholesky {
            n,
            lower: c.clone(),
        };
        let mut inverse = vec![0.0; n * n];
        for (i, column) in inverse.chunks_exact_mut(n).enumerate() {
            column[i] = 1.0;
            factor.solve_lower(column);
            factor.solve_upper(column);
        }
        (c, inverse)
    }

    #[test]
    fn working_side_by_side_changes_no_digit() {
        for n in [1, 2, 7, 8, 9, 16, 31, 50] {
            let a = example(n);
            let factor = Cholesky::new(a.clone(), n).unwrap();
            assert_eq!(
                (factor.lower.clone(), factor.inverse()),
                plainly(&a, n),
                "{n}"
            );
        }
    }

    #[test]
    fn a_two_by_two_by_hand_and_what_is_no_covariance() {
        let factor = Cholesky::new(vec![4.0, 2.0, 2.0, 5.0], 2).unwrap();
        assert_eq!(factor.lower, [2.0, 0.0, 1.0, 2.0]);
        assert_eq!(factor.diagonal(0) * factor.diagonal(1), 4.0);
        let mut b = [2.0, 5.0];
        factor.solve_lower(&mut b);
        assert_eq!(b, [1.0, 2.0]);
        factor.solve_upper(&mut b);
        assert_eq!(b, [0.0, 1.0]);
        assert!(Cholesky::new(vec![1.0, 2.0, 2.0, 1.0], 2).is_none());
        assert!(Cholesky::new(vec![f64::NAN], 1).is_none());
    }
}
