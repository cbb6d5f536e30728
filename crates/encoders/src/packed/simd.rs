//! Vectors of f32 in the widest form the processor has, chosen once at run time.
//!
//! Work is written against [`Simd`] and inlined into one function per instruction set, so that
//! plain loops inside it are vectorised for that set too. A product is accumulated by fused
//! multiply-add in one order, whatever the width: AVX-512, AVX2 and NEON give the same bits.
//! Only a processor without fused multiply-add differs, in the last digits.
//!
//! The instructions are [pulp](https://docs.rs/pulp)'s, whose tokens exist only where the processor has them. Compared
//! with intrinsics of our own, which needed `unsafe`, it gives the same bits at the same speed. On one core of an AMD
//! EPYC (Zen 4) that is 109 to 115 GFLOP/s in products of this encoder's layers, both with 512-bit and with 256-bit
//! vectors, pulp's between .98 and 1.02 of ours. (Products of 32 numbers each, as in attention, take AVX2 6 % longer;
//! they are a thirtieth of the work.) What pulp does not have is in [`instructions`](super::instructions).

#[cfg(target_arch = "x86_64")]
use pulp::cast;

/// Work that can be done with vectors of any width.
pub(crate) trait Work {
    /// The result of the work.
    type Output;

    /// Does the work. Implementations are `#[inline(always)]`: what is not inlined is compiled for the
    /// oldest processor.
    fn run<S: Simd>(self, simd: S) -> Self::Output;
}

/// One instruction set.
pub(crate) trait Simd: Copy {
    /// Floats per vector.
    const WIDTH: usize;
    /// Rows of a tile of two vectors that fit into the registers.
    const ROWS: usize;
    /// A vector of `WIDTH` floats.
    type Vector: Copy;

    /// A vector of the same number everywhere.
    fn splat(self, x: f32) -> Self::Vector;
    /// Loads the first `WIDTH` floats of a slice.
    fn load(self, from: &[f32]) -> Self::Vector;
    /// Stores into the first `WIDTH` floats of a slice.
    fn store(self, vector: Self::Vector, to: &mut [f32]);
    /// a·b + c.
    fn mul_add(self, a: Self::Vector, b: Self::Vector, c: Self::Vector) -> Self::Vector;
    /// c + the products of the two whole numbers of 16 bits in each float's bits; c and the sums are whole
    /// numbers of 32 bits in a float's.
    fn add_products_of_pairs(
        self,
        a: Self::Vector,
        b: Self::Vector,
        c: Self::Vector,
    ) -> Self::Vector;
    /// Does work with these instructions.
    fn run<W: Work>(self, work: W) -> W::Output;
}

/// 512-bit vectors.
#[cfg(target_arch = "x86_64")]
pub(crate) type Avx512 = pulp::x86::V4;

/// 256-bit vectors with fused multiply-add.
#[cfg(target_arch = "x86_64")]
pub(crate) type Avx2 = pulp::x86::V3;

/// Arrays, which the compiler turns into what every processor of the kind has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Portable;

#[cfg(target_arch = "x86_64")]
macro_rules! x86 {
    ($set:ty, $vector:ident, $width:literal, $rows:literal, $pairs:ident, $add:ident) => {
        impl Simd for $set {
            const WIDTH: usize = $width;
            const ROWS: usize = $rows;
            type Vector = pulp::$vector;

            #[inline(always)]
            fn splat(self, x: f32) -> Self::Vector {
                pulp::Simd::splat_f32s(self, x)
            }

            #[inline(always)]
            fn load(self, from: &[f32]) -> Self::Vector {
                cast(*from.first_chunk::<$width>().expect("a vector"))
            }

            #[inline(always)]
            fn store(self, vector: Self::Vector, to: &mut [f32]) {
                *to.first_chunk_mut::<$width>().expect("a vector") = cast(vector);
            }

            #[inline(always)]
            fn mul_add(self, a: Self::Vector, b: Self::Vector, c: Self::Vector) -> Self::Vector {
                pulp::Simd::mul_add_f32s(self, a, b, c)
            }

            #[inline(always)]
            fn add_products_of_pairs(
                self,
                a: Self::Vector,
                b: Self::Vector,
                c: Self::Vector,
            ) -> Self::Vector {
                cast(self.$add(cast(c), self.$pairs(cast(a), cast(b))))
            }

            #[inline(always)]
            fn run<W: Work>(self, work: W) -> W::Output {
                self.vectorize(PulpWork(self, work))
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
x86!(
    Avx512,
    f32x16,
    16,
    14,
    multiply_wrapping_add_adjacent_i16x32,
    wrapping_add_i32x16
);

#[cfg(target_arch = "x86_64")]
x86!(
    Avx2,
    f32x8,
    8,
    6,
    multiply_wrapping_add_adjacent_i16x16,
    wrapping_add_i32x8
);

/// Work together with its instruction set, in the form that pulp takes.
#[cfg(target_arch = "x86_64")]
struct PulpWork<S, W>(S, W);

#[cfg(target_arch = "x86_64")]
impl<S: Simd, W: Work> pulp::NullaryFnOnce for PulpWork<S, W> {
    type Output = W::Output;

    #[inline(always)]
    fn call(self) -> W::Output {
        self.1.run(self.0)
    }
}

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
        // Without the instruction, fusing would be a library call for every element.
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
    fn add_products_of_pairs(
        self,
        a: Self::Vector,
        b: Self::Vector,
        c: Self::Vector,
    ) -> Self::Vector {
        let halves = |x: f32| [x.to_bits() as i16, (x.to_bits() >> 16) as i16].map(i32::from);
        std::array::from_fn(|i| {
            let ([a, d], [b, e]) = (halves(a[i]), halves(b[i]));
            f32::from_bits(c[i].to_bits().wrapping_add((a * b + d * e).cast_unsigned()))
        })
    }

    #[inline(always)]
    fn run<W: Work>(self, work: W) -> W::Output {
        work.run(self)
    }
}

/// The instruction set in use.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Level {
    /// AVX-512.
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
    /// AVX2 with fused multiply-add.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    /// The instructions that the build assumes.
    Portable(Portable),
}

impl Level {
    /// All instruction sets of this processor, the widest first.
    pub(crate) fn all() -> Vec<Self> {
        let mut levels = Self::detected();
        levels.push(Self::Portable(Portable));
        levels
    }

    /// The instruction sets that not every processor of the kind has.
    #[cfg(target_arch = "x86_64")]
    fn detected() -> Vec<Self> {
        let wide = Avx512::try_new().map(Self::Avx512);
        wide.into_iter()
            .chain(Avx2::try_new().map(Self::Avx2))
            .collect()
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn detected() -> Vec<Self> {
        Vec::new()
    }

    /// The widest instruction set of this processor.
    pub(crate) fn best() -> Self {
        Self::all()[0]
    }

    /// The number of columns of a panel: two vectors.
    pub(crate) fn panel(self) -> usize {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(_) => 2 * Avx512::WIDTH,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(_) => 2 * Avx2::WIDTH,
            Self::Portable(_) => 2 * Portable::WIDTH,
        }
    }

    /// Does work with these instructions.
    pub(crate) fn run<W: Work>(self, work: W) -> W::Output {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(set) => set.run(work),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(set) => set.run(work),
            Self::Portable(set) => set.run(work),
        }
    }
}
