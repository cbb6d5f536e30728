//! Vectors of f32 in the widest form the processor has, chosen once at run time.
//!
//! Work is written against [`Simd`] and inlined into one function per instruction set, so that
//! plain loops inside it are vectorised for that set too. A product is accumulated by fused
//! multiply-add in one order, whatever the width: AVX-512, AVX2 and NEON give the same bits.
//! Only a processor without fused multiply-add differs, in the last digits.
//!
//! Only this file and the one of [AMX](super::bf16) have `unsafe`. The measured need: 512-bit vectors
//! give 175 GFLOP/s on one core where 256-bit ones give 105, and no safe crate that the build has
//! reaches them. The proof of safety is the token: an [`Avx512`], [`Avx512Bf16`] or [`Avx2`] exists only
//! where the processor has it.

#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64 as arch;

/// Work that can be done with vectors of any width.
pub trait Work {
    /// What it yields.
    type Output;

    /// Does it. Implementations are `#[inline(always)]`: what is not inlined is compiled for the
    /// oldest processor.
    fn run<S: Simd>(self, simd: S) -> Self::Output;
}

/// One instruction set.
pub trait Simd: Copy {
    /// Floats per vector.
    const WIDTH: usize;
    /// Rows of a tile of two vectors that fit into the registers.
    const ROWS: usize;
    /// `WIDTH` floats.
    type Vector: Copy;

    /// The same number everywhere.
    fn splat(self, x: f32) -> Self::Vector;
    /// The first `WIDTH` floats of a slice.
    fn load(self, from: &[f32]) -> Self::Vector;
    /// Into the first `WIDTH` floats of a slice.
    fn store(self, vector: Self::Vector, to: &mut [f32]);
    /// a·b + c.
    fn mul_add(self, a: Self::Vector, b: Self::Vector, c: Self::Vector) -> Self::Vector;
    /// Does work with these instructions.
    fn run<W: Work>(self, work: W) -> W::Output;
}

/// 512-bit vectors.
#[cfg(target_arch = "x86_64")]
#[derive(Debug, Clone, Copy)]
pub struct Avx512(());

/// 512-bit vectors of pairs of bf16, each pair in the bits of one float; sums are of f32.
#[cfg(target_arch = "x86_64")]
#[derive(Debug, Clone, Copy)]
pub struct Avx512Bf16(());

#[cfg(target_arch = "x86_64")]
impl Avx512Bf16 {
    /// Whether the processor has them.
    pub fn detect() -> Option<Self> {
        let wide = matches!(Level::best(), Level::Avx512(_));
        (wide && is_x86_feature_detected!("avx512bf16")).then_some(Self(()))
    }
}

/// 256-bit vectors with fused multiply-add.
#[cfg(target_arch = "x86_64")]
#[derive(Debug, Clone, Copy)]
pub struct Avx2(());

/// Arrays that the compiler turns into what every processor of the kind has.
#[derive(Debug, Clone, Copy)]
pub struct Portable;

#[cfg(target_arch = "x86_64")]
macro_rules! x86 {
    ($set:ty, $features:literal, $vector:ident, $width:literal, $rows:literal,
     $splat:ident, $load:ident, $store:ident, $mul_add:path) => {
        impl Simd for $set {
            const WIDTH: usize = $width;
            const ROWS: usize = $rows;
            type Vector = arch::$vector;

            #[inline(always)]
            fn splat(self, x: f32) -> Self::Vector {
                // SAFETY: the token proves that the instructions are there.
                unsafe { arch::$splat(x) }
            }

            #[inline(always)]
            fn load(self, from: &[f32]) -> Self::Vector {
                let from = &from[..$width];
                // SAFETY: as above; the slice has been checked, alignment is not needed.
                unsafe { arch::$load(from.as_ptr()) }
            }

            #[inline(always)]
            fn store(self, vector: Self::Vector, to: &mut [f32]) {
                let to = &mut to[..$width];
                // SAFETY: as above.
                unsafe { arch::$store(to.as_mut_ptr(), vector) }
            }

            #[inline(always)]
            fn mul_add(self, a: Self::Vector, b: Self::Vector, c: Self::Vector) -> Self::Vector {
                // SAFETY: the token proves that the instructions are there.
                unsafe { $mul_add(a, b, c) }
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

#[cfg(target_arch = "x86_64")]
x86!(
    Avx512,
    "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma",
    __m512,
    16,
    14,
    _mm512_set1_ps,
    _mm512_loadu_ps,
    _mm512_storeu_ps,
    arch::_mm512_fmadd_ps
);

#[cfg(target_arch = "x86_64")]
x86!(
    Avx512Bf16,
    "avx512f,avx512bw,avx512dq,avx512vl,avx512bf16,avx2,fma",
    __m512,
    16,
    14,
    _mm512_set1_ps,
    _mm512_loadu_ps,
    _mm512_storeu_ps,
    multiply_add_pairs
);

/// c + the product of the upper numbers of a pair, and then + that of the lower ones.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f,avx512bf16")]
fn multiply_add_pairs(a: arch::__m512, b: arch::__m512, c: arch::__m512) -> arch::__m512 {
    // SAFETY: both types are 512 bits of any value.
    let pairs = |x| unsafe { std::mem::transmute::<arch::__m512, arch::__m512bh>(x) };
    arch::_mm512_dpbf16_ps(c, pairs(a), pairs(b))
}

#[cfg(target_arch = "x86_64")]
x86!(
    Avx2,
    "avx2,fma",
    __m256,
    8,
    6,
    _mm256_set1_ps,
    _mm256_loadu_ps,
    _mm256_storeu_ps,
    arch::_mm256_fmadd_ps
);

impl Simd for Portable {
    const WIDTH: usize = 4;
    const ROWS: usize = 4;
    type Vector = [f32; 4];

    #[inline(always)]
    fn splat(self, x: f32) -> Self::Vector {
        [x; 4]
    }

    #[inline(always)]
    fn load(self, from: &[f32]) -> Self::Vector {
        [from[0], from[1], from[2], from[3]]
    }

    #[inline(always)]
    fn store(self, vector: Self::Vector, to: &mut [f32]) {
        to[..4].copy_from_slice(&vector);
    }

    #[inline(always)]
    fn mul_add(self, a: Self::Vector, b: Self::Vector, c: Self::Vector) -> Self::Vector {
        // Without the instruction, fusing would be a call into a library for every element.
        let fused = cfg!(any(target_arch = "aarch64", target_feature = "fma"));
        std::array::from_fn(|i| {
            if fused {
                a[i].mul_add(b[i], c[i])
            } else {
                a[i] * b[i] + c[i]
            }
        })
    }

    #[inline(always)]
    fn run<W: Work>(self, work: W) -> W::Output {
        work.run(self)
    }
}

/// The instruction set in use.
#[derive(Debug, Clone, Copy)]
pub enum Level {
    /// AVX-512.
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
    /// AVX2 with fused multiply-add.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    /// Whatever the build assumes.
    Portable(Portable),
}

impl Level {
    /// All that this processor has, the widest first.
    pub fn all() -> Vec<Self> {
        let mut levels = Self::detected();
        levels.push(Self::Portable(Portable));
        levels
    }

    /// Those that not every processor of the kind has.
    #[cfg(target_arch = "x86_64")]
    fn detected() -> Vec<Self> {
        let mut levels = Vec::new();
        let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        let avx512 = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl");
        if avx512 && avx2 {
            levels.push(Self::Avx512(Avx512(())));
        }
        if avx2 {
            levels.push(Self::Avx2(Avx2(())));
        }
        levels
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn detected() -> Vec<Self> {
        Vec::new()
    }

    /// The widest that this processor has.
    pub fn best() -> Self {
        Self::all()[0]
    }

    /// Columns of a panel: two vectors.
    pub fn panel(self) -> usize {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(_) => 2 * Avx512::WIDTH,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(_) => 2 * Avx2::WIDTH,
            Self::Portable(_) => 2 * Portable::WIDTH,
        }
    }

    /// Does work with these instructions.
    pub fn run<W: Work>(self, work: W) -> W::Output {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(set) => set.run(work),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(set) => set.run(work),
            Self::Portable(set) => set.run(work),
        }
    }
}
