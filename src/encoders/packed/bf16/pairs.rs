//! Numbers rounded to bf16, two by two.

use super::{PAIRS, STEP};

/// Which numbers of a step make a pair.
#[derive(Debug, Clone, Copy)]
pub enum Order {
    /// An even place and the odd one that follows it.
    Neighbours,
    /// Two even places for the first half of the pairs, two odd ones for the others; the earlier
    /// place in the upper half, with which the instruction for pairs begins.
    Chains,
}

impl Order {
    /// Puts a step of numbers into pairs, rounded.
    #[inline(always)]
    pub fn pair(self, numbers: &[f32; STEP], pairs: &mut [f32]) {
        let rounded = numbers.map(rounded);
        let pairs = pairs.iter_mut().enumerate();
        match self {
            Self::Neighbours => {
                pairs.for_each(|(i, pair)| *pair = join(rounded[2 * i], rounded[2 * i + 1]));
            }
            Self::Chains => pairs.for_each(|(i, pair)| {
                let at = 4 * (i % (PAIRS / 2)) + i / (PAIRS / 2);
                *pair = join(rounded[at + 2], rounded[at]);
            }),
        }
    }
}

/// Two rounded numbers in the bits of one f32, so that they are moved like one.
#[inline(always)]
fn join(low: u32, high: u32) -> f32 {
    f32::from_bits(low >> 16 | high)
}

/// The bits of the nearest bf16, the even one of two; the lower half is 0.
#[inline(always)]
fn rounded(x: f32) -> u32 {
    let bits = x.to_bits();
    let nearest = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff_0000;
    if x.is_nan() {
        0x7fc0_0000
    } else if x.abs() < f32::MIN_POSITIVE {
        bits & 0x8000_0000
    } else {
        nearest
    }
}

/// A step, of which a last one may lack the end.
#[inline(always)]
pub fn whole(numbers: &[f32]) -> [f32; STEP] {
    let mut whole = [0.0; STEP];
    whole[..numbers.len()].copy_from_slice(numbers);
    whole
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::rng::Seed;

    /// The nearest number whose bits end in 16 zeros, slowly.
    pub fn slowly(x: f32) -> f32 {
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
            assert_eq!(rounded(x), slowly(x).to_bits(), "{x:e}");
        }
        let of = |x: f32| f32::from_bits(rounded(x));
        assert!(of(f32::NAN).is_nan() && of(-f32::from_bits(0x7f80_0001)).is_nan());
        assert_eq!([of(f32::INFINITY), of(f32::MAX)], [f32::INFINITY; 2]);
        assert_eq!(rounded(-1e-39), 0x8000_0000);
        assert_eq!(rounded(1e-39), 0);
    }
}
