//! Instructions that pulp does not have.
//!
//! Only this file and the one of [AMX](super::bf16) have `unsafe`. The measured need: on one core of an AMD EPYC
//! (Zen 4), fours of 8 bits give 400 GOP/s in products of this encoder's layers, all overhead included, vectors of
//! f32 give 110 and pulp's pairs of 16 bits 145. Pairs of bf16 were measured at 1.6 to 1.8 times f32. The proof of
//! safety is the token: each exists only where the processor has its instructions. AVX-VNNI was on no machine that
//! we could measure on.

#![allow(unsafe_code)]

use super::simd::{Avx2, Avx512, Simd, Work};
use std::arch::x86_64 as arch;

/// 512-bit vectors of pairs of bf16, each pair in the bits of one float; sums are of f32.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Avx512Bf16(Avx512);

impl Avx512Bf16 {
    /// Returns the token if the processor has them.
    pub(crate) fn detect() -> Option<Self> {
        let wide = Avx512::try_new().map(Self);
        wide.filter(|_| is_x86_feature_detected!("avx512bf16"))
    }
}

/// 512-bit vectors of fours of whole numbers of 8 bits, each four in the bits of one float. Sums are whole numbers
/// of 32 bits, also in the bits of a float. The numbers of the first factor are not negative.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Avx512Vnni(pub Avx512);

impl Avx512Vnni {
    /// Returns the token if the processor has them.
    pub(crate) fn detect() -> Option<Self> {
        let wide = Avx512::try_new().map(Self);
        wide.filter(|_| is_x86_feature_detected!("avx512vnni"))
    }
}

/// 256-bit vectors of such fours, on processors that have them without AVX-512.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AvxVnni(pub Avx2);

impl AvxVnni {
    /// Returns the token if the processor has them.
    pub(crate) fn detect() -> Option<Self> {
        let narrow = Avx2::try_new().map(Self);
        narrow.filter(|_| is_x86_feature_detected!("avxvnni"))
    }
}

/// Implements vectors whose multiply-add is replaced by another operation.
macro_rules! special {
    ($set:ident, $base:ty, $features:literal, $mul_add:ident) => {
        impl Simd for $set {
            const WIDTH: usize = <$base>::WIDTH;
            const ROWS: usize = <$base>::ROWS;
            type Vector = <$base as Simd>::Vector;

            #[inline(always)]
            fn splat(self, x: f32) -> Self::Vector {
                Simd::splat(self.0, x)
            }

            #[inline(always)]
            fn load(self, from: &[f32]) -> Self::Vector {
                self.0.load(from)
            }

            #[inline(always)]
            fn store(self, vector: Self::Vector, to: &mut [f32]) {
                self.0.store(vector, to);
            }

            #[inline(always)]
            fn mul_add(self, a: Self::Vector, b: Self::Vector, c: Self::Vector) -> Self::Vector {
                // SAFETY: the token proves that the instruction is there.
                unsafe { $mul_add(a, b, c) }
            }

            #[inline(always)]
            fn add_products_of_pairs(
                self,
                a: Self::Vector,
                b: Self::Vector,
                c: Self::Vector,
            ) -> Self::Vector {
                self.0.add_products_of_pairs(a, b, c)
            }

            #[inline(always)]
            fn run<W: Work>(self, work: W) -> W::Output {
                #[target_feature(enable = $features)]
                fn with<W: Work>(set: $set, work: W) -> W::Output {
                    work.run(set)
                }
                // SAFETY: the token proves that the instructions are there.
                unsafe { with(self, work) }
            }
        }
    };
}

special!(
    Avx512Bf16,
    Avx512,
    "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512bf16,avx2,fma,bmi1,bmi2,lzcnt,popcnt",
    multiply_add_pairs
);

/// c + the product of the upper numbers of a pair, then + that of the lower ones.
#[inline]
#[target_feature(enable = "avx512f,avx512bf16")]
fn multiply_add_pairs(a: pulp::f32x16, b: pulp::f32x16, c: pulp::f32x16) -> pulp::f32x16 {
    // SAFETY: both types are 512 bits of any value.
    let pairs = |x| unsafe { std::mem::transmute::<pulp::f32x16, arch::__m512bh>(x) };
    pulp::cast(arch::_mm512_dpbf16_ps(pulp::cast(c), pairs(a), pairs(b)))
}

special!(
    Avx512Vnni,
    Avx512,
    "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vnni,avx2,fma,bmi1,bmi2,lzcnt,popcnt",
    add_products_of_fours
);

/// c + the four products.
#[inline]
#[target_feature(enable = "avx512f,avx512vnni")]
fn add_products_of_fours(a: pulp::f32x16, b: pulp::f32x16, c: pulp::f32x16) -> pulp::f32x16 {
    pulp::cast(arch::_mm512_dpbusd_epi32(
        pulp::cast(c),
        pulp::cast(a),
        pulp::cast(b),
    ))
}

special!(
    AvxVnni,
    Avx2,
    "avx2,avxvnni,fma,bmi1,bmi2,lzcnt,popcnt",
    add_products_of_narrow_fours
);

/// c + the four products, in 256 bits.
#[inline]
#[target_feature(enable = "avx2,avxvnni")]
fn add_products_of_narrow_fours(a: pulp::f32x8, b: pulp::f32x8, c: pulp::f32x8) -> pulp::f32x8 {
    pulp::cast(arch::_mm256_dpbusd_avx_epi32(
        pulp::cast(c),
        pulp::cast(a),
        pulp::cast(b),
    ))
}
