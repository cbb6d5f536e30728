//! Tests of products in eight bits against their definition.

use super::*;
use crate::packed::{Arithmetic, PackedLinear, say_what_is_skipped};
use tiebreak_base::rng::Seed;

/// A dense layer and rows to multiply it by.
struct Int8ProductCase {
    x: AlignedMatrix,
    weight: Vec<f32>,
    bias: Vec<f32>,
}

impl Int8ProductCase {
    fn draw(seed: u64, [count, depth, width]: [usize; 3]) -> Self {
        let mut rng = Seed(seed).stream("test", 0);
        // Rows of all sizes, not centred.
        let mut row = |n: usize| -> Vec<f32> {
            let (size, shift) = (10.0_f64.powf(2.0 * rng.normal()), rng.normal());
            (0..n)
                .map(|_| (size * (shift + rng.normal())) as f32)
                .collect()
        };
        let mut x = AlignedMatrix::default();
        x.shape(count, depth);
        for i in 0..count {
            x.row_mut(i).copy_from_slice(&row(depth));
        }
        let weight = (0..width).flat_map(|_| row(depth)).collect();
        let bias = row(width);
        Self { x, weight, bias }
    }

    fn found(&self, kernel: Int8Kernel) -> AlignedMatrix {
        let mut out = AlignedMatrix::default();
        let arithmetic = Arithmetic::Int8(kernel);
        PackedLinear::new(Level::best(), arithmetic, &self.weight, &self.bias)
            .apply(&self.x, None, &mut out);
        out
    }
}

/// One element by definition, number by number, and the largest error that rounding explains.
fn slowly(x: &[f32], w: &[f32], bias: f32) -> (f32, f64) {
    let high = x.iter().copied().fold(0.0, f32::max);
    let low = x.iter().copied().fold(0.0, f32::min);
    let size = (high - low) / 255.0;
    let per = if size > 0.0 { 1.0 / size } else { 0.0 };
    let zero = (-low * per).round_ties_even();
    let scale = w.iter().fold(0.0_f32, |most, w| most.max(w.abs())) / 127.0;
    let (mut sum, mut error) = (0_i64, 0.0);
    for (&x, &w) in x.iter().zip(w) {
        // The sum is rounded to 24 bits, then to a whole number.
        let shifted = x * per + (12_582_912.0 + zero);
        let u = (shifted - 12_582_912.0).clamp(0.0, 255.0);
        let q = if scale > 0.0 {
            (w * (1.0 / scale)).round()
        } else {
            0.0
        };
        sum += (u - zero) as i64 * q as i64;
        let (size, scale) = (f64::from(size), f64::from(scale));
        error += size * f64::from(w.abs()) + scale * f64::from(x.abs()) + size * scale;
    }
    (sum as f32 * (size * scale) + bias, error)
}

const SHAPES: [[usize; 3]; 6] = [
    [1, 1, 1],
    [3, 31, 33],
    [33, 32, 32],
    [70, 101, 5],
    [6, 384, 70],
    [131, 42, 2],
];

#[test]
fn every_kernel_computes_the_definition_to_the_bit() {
    say_what_is_skipped();
    for shape in SHAPES {
        let case = Int8ProductCase::draw(2, shape);
        for kernel in Int8Kernel::all() {
            let found = case.found(kernel);
            for i in 0..found.count() {
                let (x, weights) = (case.x.row(i), case.weight.chunks(shape[1]));
                for ((found, w), bias) in found.row(i).iter().zip(weights).zip(&case.bias) {
                    let (expected, error) = slowly(x, w, *bias);
                    assert_eq!(found.to_bits(), expected.to_bits(), "{kernel:?} {shape:?}");
                    let products = x.iter().zip(w).map(|(x, w)| f64::from(*x) * f64::from(*w));
                    let exact = products.sum::<f64>() + f64::from(*bias);
                    let away = (f64::from(*found) - exact).abs();
                    assert!(
                        away <= 0.6 * error + 1e-6 * exact.abs(),
                        "{away} of {error}"
                    );
                }
            }
        }
    }
}

#[test]
fn what_is_stored_in_eight_bits_loses_nothing() {
    let mut rng = Seed(4).stream("test", 0);
    for _ in 0..1000 {
        let scale = (rng.normal().abs() + 1e-3) as f32 * 1e-2;
        let mut stored: Vec<i8> = (0..50).map(|_| rng.below(255) as i8).collect();
        for q in &mut stored {
            *q = (*q).max(-127);
        }
        stored[rng.below(50)] = 127;
        let row: Vec<f32> = stored.iter().map(|q| scale * f32::from(*q)).collect();
        let (again, whole) = int8::rounded(&row);
        assert_eq!(whole.collect::<Vec<_>>(), stored);
        assert!((again / scale - 1.0).abs() < 1e-6);
    }
}

/// An element is NaN where it is in f32; rows of zeros, and of the smallest numbers, give the bias.
#[test]
fn numbers_at_the_end_of_the_range() {
    for kernel in Int8Kernel::all() {
        let mut case = Int8ProductCase::draw(5, [4, 40, 3]);
        case.x.row_mut(0)[7] = f32::NAN;
        case.x.row_mut(1)[39] = f32::NEG_INFINITY;
        case.x.row_mut(2).fill(0.0);
        case.x.row_mut(3).fill(1e-43);
        let found = case.found(kernel);
        for i in [0, 1] {
            assert!(found.row(i).iter().all(|x| x.is_nan()), "{kernel:?}");
        }
        for i in [2, 3] {
            assert_eq!(found.row(i), case.bias, "{kernel:?}");
        }
        case.weight[45] = f32::INFINITY;
        case.weight[90] = f32::NAN;
        let found = case.found(kernel);
        assert_eq!(found.row(2)[0], case.bias[0]);
        assert!(found.row(2)[1..].iter().all(|x| x.is_nan()), "{kernel:?}");
    }
}
