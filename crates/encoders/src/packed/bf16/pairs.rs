//! Numbers rounded to bf16, or split into three of them, two by two.

use super::{PAIRS, PARTS, STEP};

/// Which numbers of a step make a pair.
#[derive(Debug, Clone, Copy)]
pub enum Order {
    /// An even place and the odd one that follows it.
    Neighbours,
    /// Two even places for the first half of the pairs, two odd ones for the others; the earlier
    /// place in the upper half, with which the instruction for pairs begins.
    Chains,
    /// A place of the first half and the same of the second, of three parts one after the other.
    Split,
}

impl Order {
    /// Into how many parts a number is split.
    pub fn parts(self) -> usize {
        match self {
            Self::Neighbours | Self::Chains => 1,
            Self::Split => PARTS,
        }
    }

    /// The places of a pair's numbers, that of the lower half first.
    #[inline(always)]
    pub fn places(self, pair: usize) -> (usize, usize) {
        match self {
            Self::Neighbours => (2 * pair, 2 * pair + 1),
            Self::Chains => {
                let at = 4 * (pair % (PAIRS / 2)) + pair / (PAIRS / 2);
                (at + 2, at)
            }
            Self::Split => (pair, PAIRS + pair),
        }
    }

    /// Puts a step of numbers into pairs, part by part.
    #[inline(always)]
    pub fn pair(self, numbers: &[f32; STEP], parts: &mut [[f32; PAIRS]]) {
        // Named, so that each is compiled for itself.
        match self {
            Self::Neighbours => pair(Self::Neighbours, numbers, parts, rounded),
            Self::Chains => pair(Self::Chains, numbers, parts, rounded),
            Self::Split => pair(Self::Split, numbers, parts, upper),
        }
    }

    /// Makes pairs of two steps of numbers, part by part.
    #[inline(always)]
    pub fn join<'a>(
        self,
        numbers: [[f32; STEP]; 2],
        parts: impl Iterator<Item = &'a mut [f32; STEP]>,
    ) {
        match self {
            Self::Neighbours | Self::Chains => join(numbers, parts, rounded),
            Self::Split => join(numbers, parts, upper),
        }
    }
}

/// Puts a step of numbers into pairs.
#[inline(always)]
fn pair(
    order: Order,
    numbers: &[f32; STEP],
    parts: &mut [[f32; PAIRS]],
    first: impl Fn(f32) -> f32,
) {
    let mut rest = *numbers;
    for pairs in parts {
        let part = split_off(&mut rest, &first);
        for (i, pair) in pairs.iter_mut().enumerate() {
            let (low, high) = order.places(i);
            *pair = joined(part[low], part[high]);
        }
    }
}

/// Makes pairs of two steps of numbers.
#[inline(always)]
fn join<'a>(
    [mut low, mut high]: [[f32; STEP]; 2],
    parts: impl Iterator<Item = &'a mut [f32; STEP]>,
    first: impl Fn(f32) -> f32,
) {
    for pairs in parts {
        let low = split_off(&mut low, &first);
        let high = split_off(&mut high, &first);
        for (pair, (low, high)) in pairs.iter_mut().zip(low.into_iter().zip(high)) {
            *pair = joined(low, high);
        }
    }
}

/// Takes the first part of every number, and leaves the rest.
#[inline(always)]
fn split_off(numbers: &mut [f32; STEP], first: impl Fn(f32) -> f32) -> [f32; STEP] {
    let mut parts = [0.0; STEP];
    for (x, part) in numbers.iter_mut().zip(&mut parts) {
        *part = first(*x);
        *x -= *part;
    }
    parts
}

/// The nearest number of eight bits (Veltkamp, 1968; Dekker, Numerische Mathematik 18, 1971), below
/// 1.2e-38 the next one towards 0. What is not finite, or above 2^111, becomes NaN.
#[inline(always)]
fn upper(x: f32) -> f32 {
    let scaled = x * 65_537.0;
    // A number below 1.2e-38 may come out of this with more than eight bits.
    f32::from_bits((scaled - (scaled - x)).to_bits() & 0xffff_0000)
}

/// The nearest number whose lower half is 0, the even one of two; 0 below 1.2e-38.
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

/// Two such numbers in the bits of one f32, so that they are moved like one.
#[inline(always)]
fn joined(low: f32, high: f32) -> f32 {
    f32::from_bits(low.to_bits() >> 16 | high.to_bits())
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
    use tiebreak_base::rng::Seed;

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

    /// The parts of a number, which do not touch those of the other number of its pair.
    pub fn split(x: f32) -> [f32; PARTS] {
        let mut numbers = [0.0; STEP];
        numbers[PAIRS] = x;
        let mut parts = [[0.0; PAIRS]; PARTS];
        Order::Split.pair(&numbers, &mut parts);
        parts.map(|pairs| {
            assert_eq!(pairs[0].to_bits() & 0xffff, 0, "{x:e}");
            pairs[0]
        })
    }

    #[test]
    fn three_parts_are_the_number() {
        let mut rng = Seed(3).stream("test", 0);
        for _ in 0..10_000 {
            let x = (rng.normal() * 10.0_f64.powf(rng.normal() * 5.0)) as f32;
            let [first, second, third] = split(x);
            assert_eq!(first + second + third, x, "{x:e}");
            assert_eq!(first + (second + third), x, "{x:e}");
            assert!((x - first).abs() <= x.abs() / 256.0, "{x:e}: {first:e}");
            assert!(third.abs() <= x.abs() / 65_536.0, "{x:e}: {third:e}");
        }
        for exponent in -149..-100 {
            let x = 1.7 * 2.0_f64.powi(exponent) as f32;
            let sum: f32 = split(-x).into_iter().sum();
            assert!(
                (sum + x).abs() <= f32::MIN_POSITIVE / 128.0,
                "{x:e}: {sum:e}"
            );
        }
        assert_eq!(split(0.0), [0.0; PARTS]);
        for x in [f32::NAN, f32::INFINITY] {
            assert!(split(x)[0].is_nan());
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
