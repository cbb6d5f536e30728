//! Integrals of smooth functions and roots of monotone ones.
//!
//! Sources: Gauss and Legendre's rule of sixteen points, its nodes by Newton's method (Press et al., "Numerical
//! Recipes", section 4.6); roots by bisection and inverse quadratic steps (Chandrupatla, "A new hybrid
//! quadratic/bisection algorithm for finding the zero of a nonlinear function", Advances in Engineering Software 1997).

use std::f64::consts::PI;
use std::sync::LazyLock;

const POINTS: usize = 16;

/// The nodes and weights on [−1, 1].
static NODES: LazyLock<[(f64, f64); POINTS]> = LazyLock::new(|| std::array::from_fn(node));

/// The sum after `x` is added so many times, with the rounding of each addition.
///
/// Between two powers of two all sums are multiples of one unit, and rounding to even settles after two additions. From
/// then on each adds the same, so many are made at once.
pub fn add_times(mut sum: f64, x: f64, mut times: u64) -> f64 {
    const FEW: u64 = 12;
    let binade = |sum: f64| sum.to_bits() >> (f64::MANTISSA_DIGITS - 1);
    while times > FEW {
        let first = sum + x;
        let second = first + x;
        sum = second + x;
        times -= 3;
        let low = f64::from_bits(binade(sum) << (f64::MANTISSA_DIGITS - 1));
        if !(low.is_normal()
            && [first, second]
                .iter()
                .all(|&one| binade(one) == binade(sum)))
        {
            continue;
        }
        let step = sum - second;
        let end = if (step > 0.0) == (low > 0.0) {
            2.0 * low
        } else {
            low
        };
        // Not the last ones, which may round otherwise.
        let steps = ((end - sum) / step).floor() - 2.0;
        if step == 0.0 {
            return sum;
        }
        if steps >= 1.0 {
            let steps = times.min(steps as u64);
            sum += steps as f64 * step;
            times -= steps;
        }
    }
    for _ in 0..times {
        sum += x;
    }
    sum
}

/// The integral of a smooth function from `low` to `high`, over `panels` even parts.
pub(crate) fn integral(low: f64, high: f64, panels: u32, f: impl Fn(f64) -> f64) -> f64 {
    if low >= high {
        return 0.0;
    }
    let half = 0.5 * (high - low) / f64::from(panels);
    let panel = |at: u32| {
        let middle = low + half * f64::from(2 * at + 1);
        let points = NODES.iter();
        points
            .map(|&(x, weight)| weight * f(middle + half * x))
            .sum::<f64>()
    };
    half * (0..panels).map(panel).sum::<f64>()
}

/// A node of the rule: a root of Legendre's polynomial, with its weight.
fn node(place: usize) -> (f64, f64) {
    let n = POINTS as f64;
    let mut x = -(PI * (place as f64 + 0.75) / (n + 0.5)).cos();
    let mut slope = 1.0;
    for _ in 0..10 {
        let (mut before, mut value) = (1.0, x);
        for k in 2..=POINTS {
            let k = k as f64;
            (before, value) = (
                value,
                ((2.0 * k - 1.0) * x * value - (k - 1.0) * before) / k,
            );
        }
        slope = n * (x * value - before) / (x * x - 1.0);
        x -= value / slope;
    }
    (x, 2.0 / ((1.0 - x * x) * slope * slope))
}

/// The place between `low` and `high` at which a monotone function changes its sign, to about 1e-12 of their distance; the
/// nearer end where it has one sign.
pub(crate) fn root(low: f64, high: f64, f: impl Fn(f64) -> f64) -> f64 {
    let (mut a, mut b) = (high, low);
    let (mut at_a, mut at_b) = (f(a), f(b));
    if at_a * at_b > 0.0 {
        return if at_a.abs() < at_b.abs() { a } else { b };
    }
    let tolerance = 1e-12 * (high - low);
    let mut share = 0.5;
    for _ in 0..200 {
        let x = a + share * (b - a);
        let at_x = f(x);
        // The three last places: `b` and `x` enclose the root, or `a` and `x` do.
        let (c, at_c) = match (at_x > 0.0) == (at_a > 0.0) {
            true => (a, at_a),
            false => {
                let old = (b, at_b);
                (b, at_b) = (a, at_a);
                old
            }
        };
        (a, at_a) = (x, at_x);
        let width = (b - a).abs();
        if at_a == 0.0 || width <= tolerance {
            break;
        }
        let xi = (a - b) / (c - b);
        let phi = (at_a - at_b) / (at_c - at_b);
        let steps = phi * phi < xi && (1.0 - phi).powi(2) < 1.0 - xi;
        share = match steps {
            true => {
                at_a / (at_b - at_a) * (at_c / (at_b - at_c))
                    + (c - a) / (b - a) * (at_a / (at_c - at_a)) * (at_b / (at_c - at_b))
            }
            false => 0.5,
        };
        let least = 0.5 * tolerance / width;
        share = share.clamp(least, 1.0 - least);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Seed;

    #[test]
    fn polynomials_up_to_degree_31_are_exact() {
        for power in [0, 1, 7, 30, 31] {
            let found = integral(0.0, 2.0, 1, |x| x.powi(power));
            let expected = 2.0_f64.powi(power + 1) / f64::from(power + 1);
            assert!((found / expected - 1.0).abs() < 1e-13, "{power}: {found}");
        }
        let found = integral(-9.0, 9.0, 4, |x| (-0.5 * x * x).exp());
        assert!((found - (2.0 * PI).sqrt()).abs() < 1e-13);
        assert_eq!(integral(1.0, 0.0, 3, |x| x), 0.0);
    }

    #[test]
    fn roots_of_smooth_flat_and_broken_functions() {
        assert!((root(0.0, 2.0, |x| x * x - 2.0) - 2.0_f64.sqrt()).abs() < 1e-11);
        assert!((root(-1.0, 1.0, |x| 0.3 - x) - 0.3).abs() < 1e-11);
        assert!((root(0.0, 1.0, |x| (x - 0.25).signum()) - 0.25).abs() < 1e-11);
        assert!((root(0.0, 1.0, |x| (x - 0.5).powi(9)) - 0.5).abs() < 0.01);
        assert_eq!(root(0.0, 1.0, |x| x + 1.0), 0.0);
        assert_eq!(root(0.0, 1.0, |x| x - 3.0), 1.0);
    }

    #[test]
    fn many_additions_round_as_each_would() {
        for run in 0..3000 {
            let mut rng = Seed(3).stream("test", run);
            // Numbers of few digits tie when they are rounded.
            let scale = 2.0_f64.powi(rng.below(70) as i32 - 60);
            let mut number = |few: usize| {
                (rng.below(few) as f64 - (few / 2) as f64) / 3.0_f64.powi(rng.below(2) as i32)
            };
            let (start, x) = (number(1 << 20) / scale, number(100));
            let times = 1 + rng.below(3000) as u64;
            let slow = (0..times).fold(start, |sum, _| sum + x);
            let fast = add_times(start, x, times);
            assert_eq!(fast.to_bits(), slow.to_bits(), "{start} {x} {times}");
        }
        assert_eq!(add_times(0.0, 0.25, 1 << 40), (1_u64 << 38) as f64);
        assert_eq!(add_times(f64::INFINITY, 1.0, 100), f64::INFINITY);
    }
}
