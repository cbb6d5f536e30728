//! Inner products and lengths of rows of f32, in one fixed order of summation.

/// The inner product of two rows, in eight interleaved partial sums.
#[inline]
pub fn dot(x: &[f32], y: &[f32]) -> f32 {
    let mut lanes = [0.0_f32; 8];
    let ((xs, x_rest), (ys, y_rest)) = (x.as_chunks::<8>(), y.as_chunks::<8>());
    for (x, y) in xs.iter().zip(ys) {
        for ((lane, x), y) in lanes.iter_mut().zip(x).zip(y) {
            *lane += x * y;
        }
    }
    for ((lane, x), y) in lanes.iter_mut().zip(x_rest).zip(y_rest) {
        *lane += x * y;
    }
    lanes.iter().sum()
}

/// Scales a row to length 1; a row of zeros stays as it is.
pub fn normalise(row: &mut [f32]) {
    let length = dot(row, row).sqrt();
    if length > 0.0 {
        for x in row {
            *x /= length;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_counts_once() {
        for n in 0..40_i32 {
            let row: Vec<f32> = (0..n).map(|i| i as f32).collect();
            let twos = vec![2.0; row.len()];
            assert_eq!(dot(&row, &twos), (n * (n - 1).max(0)) as f32);
        }
    }

    #[test]
    fn a_row_of_zeros_stays_as_it_is() {
        let (mut row, mut zeros) = ([3.0, 4.0], [0.0, 0.0]);
        normalise(&mut row);
        normalise(&mut zeros);
        assert_eq!((row, zeros), ([0.6, 0.8], [0.0, 0.0]));
    }
}
