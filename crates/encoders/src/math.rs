//! Elementary functions and row sums in f32, written so that the compiler vectorises them and
//! every processor gives the same bits.

/// e^x for any x; 0 below −87, about 1.6e38 above 88. Relative error below 2e-7.
///
/// x = k ln 2 + r with |r| ≤ ½ ln 2, e^r by its Taylor polynomial. Adding 1.5·2²³ rounds to the
/// nearest integer and leaves it in the lowest bits.
#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    const SHIFT: f32 = 12_582_912.0;
    const LN2_HIGH: f32 = 0.693_359_4;
    const LN2_LOW: f32 = -2.121_944_4e-4;
    let inside = x.clamp(-87.0, 88.0);
    let shifted = inside * std::f32::consts::LOG2_E + SHIFT;
    let k = shifted - SHIFT;
    let r = inside - k * LN2_HIGH - k * LN2_LOW;
    let mut sum = 1.0 / 5040.0;
    for coefficient in [
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
        1.0,
        1.0,
    ] {
        sum = sum * r + coefficient;
    }
    let power = f32::from_bits((shifted.to_bits() << 23).wrapping_add(127 << 23));
    if x < -87.0 { 0.0 } else { sum * power }
}

/// x Φ(x), to 3e-7 |x|: max(x, 0) − ½|x| erfc(|x|/√2).
#[inline(always)]
pub(crate) fn gelu(x: f32) -> f32 {
    let (erfc, _) = tail(x);
    x.max(0.0) - 0.5 * x.abs() * erfc
}

/// The derivative of x Φ(x): Φ(x) + x φ(x), to 1e-6.
#[inline(always)]
pub(crate) fn gelu_slope(x: f32) -> f32 {
    let (erfc, bell) = tail(x);
    let half = 0.5 * erfc;
    let below = if x > 0.0 { 1.0 - half } else { half };
    below + x * bell * 0.398_942_3
}

/// erfc(|x|/√2), of which the last factor is Abramowitz and Stegun 7.1.26, and e^(−x²/2).
#[inline(always)]
fn tail(x: f32) -> (f32, f32) {
    let z = x.abs() * std::f32::consts::FRAC_1_SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * z);
    let mut sum = 1.061_405_4;
    for coefficient in [-1.453_152, 1.421_413_8, -0.284_496_74, 0.254_829_6] {
        sum = sum * t + coefficient;
    }
    let bell = exp(-z * z);
    (sum * t * bell, bell)
}

/// The hyperbolic tangent, to 3e-7.
#[inline(always)]
pub(crate) fn tanh(x: f32) -> f32 {
    1.0 - 2.0 / (exp(2.0 * x) + 1.0)
}

/// The logistic function, to 2e-7.
#[inline(always)]
pub(crate) fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + exp(-x))
}

/// The sum of `f` over a row, in 32 interleaved partial sums: one fixed order, yet vectorisable.
#[inline(always)]
pub(crate) fn sum_by(row: &[f32], f: impl Fn(f32) -> f32) -> f32 {
    let mut lanes = [0.0_f32; 32];
    let (chunks, rest) = row.as_chunks::<32>();
    for chunk in chunks {
        for (lane, &x) in lanes.iter_mut().zip(chunk) {
            *lane += f(x);
        }
    }
    for (lane, &x) in lanes.iter_mut().zip(rest) {
        *lane += f(x);
    }
    fold(lanes, |x, y| x + y)
}

/// The inner product of two rows of the same length, summed as [`sum_by`] does.
#[inline(always)]
pub(crate) fn dot(x: &[f32], y: &[f32]) -> f32 {
    let mut lanes = [0.0_f32; 32];
    let ((xs, x_rest), (ys, y_rest)) = (x.as_chunks::<32>(), y.as_chunks::<32>());
    for (x, y) in xs.iter().zip(ys) {
        for ((lane, x), y) in lanes.iter_mut().zip(x).zip(y) {
            *lane += x * y;
        }
    }
    for ((lane, x), y) in lanes.iter_mut().zip(x_rest).zip(y_rest) {
        *lane += x * y;
    }
    fold(lanes, |x, y| x + y)
}

/// Replaces every x of a row by e^(scale·(x − the largest)), and returns their sum.
#[inline(always)]
pub(crate) fn exponentials(row: &mut [f32], scale: f32) -> f32 {
    let mut lanes = [f32::NEG_INFINITY; 32];
    in_pieces(
        row,
        f32::NEG_INFINITY,
        #[inline(always)]
        |_, piece| {
            for (lane, &mut x) in lanes.iter_mut().zip(piece) {
                *lane = larger(*lane, x);
            }
        },
    );
    let largest = fold(lanes, larger);
    let mut lanes = [0.0; 32];
    in_pieces(
        row,
        f32::NEG_INFINITY,
        #[inline(always)]
        |_, piece| {
            for (lane, x) in lanes.iter_mut().zip(piece) {
                *x = exp((*x - largest) * scale);
                *lane += *x;
            }
        },
    );
    fold(lanes, |x, y| x + y)
}

/// The smallest and the largest of a row and 0; NaN among them if the row has one. As whole numbers, the bits of
/// floats above 0 are in their order, those below 0 in the opposite order, and all of one sign before the other.
#[inline(always)]
pub(crate) fn range(row: &[f32]) -> [f32; 2] {
    let (mut below, mut above) = ((-0.0_f32).to_bits(), 0);
    for x in row {
        below = below.max(x.to_bits());
        above = above.max(x.to_bits().cast_signed());
    }
    [f32::from_bits(below), f32::from_bits(above.cast_unsigned())]
}

#[inline(always)]
fn larger(x: f32, y: f32) -> f32 {
    if y > x { y } else { x }
}

/// Applies `work` to every 32 numbers of a row, given the place of the first; the last piece is
/// filled with `pad`. Loops over them have a constant length, and are vectorised to the end of the row.
#[inline(always)]
pub(crate) fn in_pieces(row: &mut [f32], pad: f32, mut work: impl FnMut(usize, &mut [f32; 32])) {
    let (pieces, rest) = row.as_chunks_mut::<32>();
    let place = 32 * pieces.len();
    for (i, piece) in pieces.iter_mut().enumerate() {
        work(32 * i, piece);
    }
    if !rest.is_empty() {
        let mut last = [pad; 32];
        last[..rest.len()].copy_from_slice(rest);
        work(place, &mut last);
        rest.copy_from_slice(&last[..rest.len()]);
    }
}

/// Folds the upper half onto the lower, until one number is left.
#[inline(always)]
fn fold(mut lanes: [f32; 32], join: impl Fn(f32, f32) -> f32) -> f32 {
    for half in [16, 8, 4, 2, 1] {
        for i in 0..half {
            lanes[i] = join(lanes[i], lanes[half + i]);
        }
    }
    lanes[0]
}

/// What layer normalisation subtracts and multiplies by: the mean and 1/√(variance + ε).
#[inline(always)]
pub(crate) fn centre_and_scale(row: &[f32], epsilon: f32) -> (f32, f32) {
    let share = 1.0 / row.len() as f32;
    let mean = sum_by(
        row,
        #[inline(always)]
        |x| x,
    ) * share;
    let variance = sum_by(
        row,
        #[inline(always)]
        |x| (x - mean) * (x - mean),
    ) * share;
    (mean, 1.0 / (variance + epsilon).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::stats::log_odds::logistic;

    fn grid() -> impl Iterator<Item = f32> {
        (-4000..=4000).map(|i| i as f32 * 0.005)
    }

    #[test]
    fn exp_is_exps() {
        for x in grid().chain([-86.9, -60.0, 0.0, 80.0]) {
            let exact = f64::from(x).exp();
            assert!((f64::from(exp(x)) / exact - 1.0).abs() < 2e-7, "exp({x})");
        }
        assert_eq!(exp(f32::NEG_INFINITY), 0.0);
        assert_eq!(exp(0.0), 1.0);
        assert!(exp(f32::NAN).is_nan());
    }

    #[test]
    fn of_rows_of_every_length() {
        let mut rng = tiebreak_base::rng::Seed(1).stream("test", 0);
        for n in 1..100 {
            let row: Vec<f32> = (0..n).map(|_| rng.normal() as f32).collect();
            let low = row.iter().copied().fold(0.0, f32::min);
            let high = row.iter().copied().fold(0.0, f32::max);
            assert_eq!(range(&row), [low, high]);
            let largest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let mut found = row.clone();
            // Padding with −∞ must change no bit.
            found.resize(n + n % 40, f32::NEG_INFINITY);
            let sum = exponentials(&mut found, 0.5);
            let expected: Vec<f32> = row.iter().map(|x| exp((x - largest) * 0.5)).collect();
            assert_eq!(found[..n], expected);
            assert!(found[n..].iter().all(|&x| x == 0.0));
            assert_eq!(sum, sum_by(&expected, |x| x));
        }
    }

    #[test]
    fn tanh_and_sigmoid_agree_with_the_exact_ones() {
        for x in grid() {
            let exact = f64::from(x);
            assert!(
                (f64::from(tanh(x)) - exact.tanh()).abs() < 3e-7,
                "tanh({x})"
            );
            assert!(
                (f64::from(sigmoid(x)) - logistic(exact)).abs() < 2e-7,
                "sigmoid({x})"
            );
        }
    }

    #[test]
    fn gelu_agrees_with_its_series() {
        for x in grid().filter(|x| x.abs() < 4.0) {
            let exact = f64::from(x);
            let z = exact / std::f64::consts::SQRT_2;
            let (mut term, mut sum) = (z, z);
            for n in 1..200 {
                let n = f64::from(n);
                term *= -z * z / n;
                sum += term / (2.0 * n + 1.0);
            }
            let erf = sum * std::f64::consts::FRAC_2_SQRT_PI;
            let error = f64::from(gelu(x)) - 0.5 * exact * (1.0 + erf);
            assert!(error.abs() <= 3e-7 * exact.abs(), "gelu({x}): {error}");
        }
        assert_eq!((gelu(30.0), gelu(-30.0)), (30.0, 0.0));
        assert!(gelu(f32::NAN).is_nan());
    }

    #[test]
    fn a_sum_takes_every_element_once() {
        for n in 0..40 {
            let row: Vec<f32> = (0..n).map(|i| i as f32).collect();
            assert_eq!(sum_by(&row, |x| 2.0 * x), (n * (n - 1).max(0)) as f32);
            assert_eq!(
                dot(&row, &vec![2.0; n as usize]),
                (n * (n - 1).max(0)) as f32
            );
        }
    }
}
