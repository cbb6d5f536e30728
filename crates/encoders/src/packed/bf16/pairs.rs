//! Numbers rounded to bf16, in pairs.

use super::{PAIRS, STEP};

/// The numbers of a step that make a pair.
#[derive(Debug, Clone, Copy)]
pub(crate) enum PairOrder {
    /// An even place and the odd one that follows it.
    Neighbours,
    /// Two even places for the first half of the pairs, two odd ones for the others; the earlier
    /// place is in the upper half, with which the instruction for pairs begins.
    Chains,
}

impl PairOrder {
    /// The places of a pair's numbers, that of the lower half first.
    #[inline(always)]
    pub(super) fn places(self, pair: usize) -> (usize, usize) {
        match self {
            Self::Neighbours => (2 * pair, 2 * pair + 1),
            Self::Chains => {
                let at = 4 * (pair % (PAIRS / 2)) + pair / (PAIRS / 2);
                (at + 2, at)
            }
        }
    }

    /// Puts a step of numbers into pairs.
    #[inline(always)]
    pub(super) fn pair(self, numbers: &[f32; STEP], pairs: &mut [f32; PAIRS]) {
        // Spelled out, so that each order is compiled for itself.
        match self {
            Self::Neighbours => pair(Self::Neighbours, numbers, pairs),
            Self::Chains => pair(Self::Chains, numbers, pairs),
        }
    }
}

#[inline(always)]
fn pair(order: PairOrder, numbers: &[f32; STEP], pairs: &mut [f32; PAIRS]) {
    let numbers = numbers.map(rounded);
    for (i, pair) in pairs.iter_mut().enumerate() {
        let (low, high) = order.places(i);
        *pair = joined(numbers[low], numbers[high]);
    }
}

/// Makes pairs of two steps of numbers.
#[inline(always)]
pub(crate) fn join([low, high]: [[f32; STEP]; 2], pairs: &mut [f32; STEP]) {
    for (pair, (low, high)) in pairs.iter_mut().zip(low.into_iter().zip(high)) {
        *pair = joined(rounded(low), rounded(high));
    }
}

/// Rounds to the nearest number whose lower half is 0, ties to even; 0 below 1.2e-38.
#[inline(always)]
fn rounded(x: f32) -> f32 {
    let bits = x.to_bits();
    let nearest = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff_0000;
    f32::from_bits(if x.is_nan() {
        0x7fc0_0000
    } else if x.abs() < f32::MIN_POSITIVE {
        bits & 0x8000_0000
    } else {
        nearest
    })
}

/// Two such numbers in the bits of one f32, so that they move as one.
#[inline(always)]
fn joined(low: f32, high: f32) -> f32 {
    f32::from_bits(low.to_bits() >> 16 | high.to_bits())
}

/// A step padded to full length; the last one may be shorter.
#[inline(always)]
pub(crate) fn whole(numbers: &[f32]) -> [f32; STEP] {
    let mut whole = [0.0; STEP];
    whole[..numbers.len()].copy_from_slice(numbers);
    whole
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use tiebreak_base::rng::Seed;

    /// The nearest number whose bits end in 16 zeros, by a slow reference.
    pub(crate) fn slowly(x: f32) -> f32 {
        let below = f32::from_bits(x.to_bits() & 0xffff_0000);
        let above = f32::from_bits(below.to_bits() + 0x1_0000);
        let (down, up) = (
            f64::from(x) - f64::from(below),
            f64::from(above) - f64::from(x),
        );
        let even = below.to_bits() >> 16 & 1 == 0;
        if down.abs() < up.abs() || (down.abs() == up.abs() && even) {
            below
        } else {
            above
        }
    }

    #[test]
    fn rounding_is_to_the_nearest_even() {
        let mut rng = Seed(1).stream("test", 0);
        let ties = [
            0x3f80_8000,
            0x3f81_8000,
            0xbf80_8000,
            0x3f80_7fff,
            0x3f80_8001,
        ];
        let ties = ties.into_iter().map(f32::from_bits);
        let numbers =
            (0..10_000).map(|_| (rng.normal() * 10.0_f64.powf(rng.normal() * 5.0)) as f32);
        for x in ties.chain(numbers.collect::<Vec<_>>()) {
            assert_eq!(rounded(x).to_bits(), slowly(x).to_bits(), "{x:e}");
        }
        assert!(rounded(f32::NAN).is_nan() && rounded(-f32::from_bits(0x7f80_0001)).is_nan());
        assert_eq!([f32::INFINITY, f32::MAX].map(rounded), [f32::INFINITY; 2]);
        assert_eq!([-1e-39, 1e-39].map(|x| rounded(x).to_bits()), [1 << 31, 0]);
    }
}
