//! Products of factors rounded to bf16, with sums in f32.
//!
//! bf16 is the upper half of an f32. Both factors are rounded to nearest, ties to even, and to 0
//! below 1.2e-38. An element begins at its bias. For every 32 numbers along the depth, the products
//! at even places and those at odd ones are summed by two chains of fused multiply-adds that begin
//! at 0, and the sum of the two is added to the element. One instruction of Intel's AMX (TDPBF16PS)
//! does the same; other processors are programmed to, so all give the same bits, except for sums
//! below 1.2e-38 and for processors without fused multiply-add. Rows are independent of each other,
//! so their number does not matter.
//!
//! The measured need: on one core that computes 130 to 165 GFLOP/s with vectors of f32, AMX computes 1870. Elsewhere
//! AVX512-BF16 was measured at 1.6 to 1.8 times f32 (there at half of f32, so AMX goes first); without either,
//! rounding gains nothing. The whole encoder is 1.2 times as fast in bf16 as in f32 on an AMD EPYC (Zen 4), which
//! has AVX512-BF16 but no AMX. AMX's figures are from another machine and were not measured again with pulp's vectors.

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod amx;
mod chains;
mod pairs;
mod panels;
mod product;

pub(super) use panels::Bf16Panels;

#[cfg(target_arch = "x86_64")]
use super::instructions::Avx512Bf16;
use super::simd::Level;
#[cfg(target_arch = "x86_64")]
use super::simd::Simd;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
use amx::{Amx, Tiles};
#[cfg(target_arch = "x86_64")]
use chains::Chains;
use chains::WideningMultiplier;
use pairs::PairOrder;
use product::RowBlock;

/// Rows of a block, and columns of a panel.
const SIDE: usize = 32;

/// Numbers of a step along the depth.
const STEP: usize = 32;

/// Pairs of numbers of a step.
const PAIRS: usize = STEP / 2;

/// The elements of a block of rows and a panel.
type BlockSums = [f32; SIDE * SIDE];

/// A way to compute products of factors rounded to bf16.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Bf16Kernel {
    /// Intel's matrix instructions.
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    Amx(Amx),
    /// Vectors of pairs.
    #[cfg(target_arch = "x86_64")]
    Pairs(Avx512Bf16),
    /// Vectors of f32, after widening the rounded numbers.
    Widened(Level),
}

impl Bf16Kernel {
    /// All kernels that this processor has, the fastest first.
    pub(crate) fn all() -> Vec<Self> {
        let mut all = Vec::new();
        #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
        all.extend(Amx::detect().map(Self::Amx));
        #[cfg(target_arch = "x86_64")]
        all.extend(Avx512Bf16::detect().map(Self::Pairs));
        all.extend(Level::all().into_iter().map(Self::Widened));
        all
    }

    /// The fastest kernel of this processor.
    pub(crate) fn best() -> Self {
        Self::all()[0]
    }

    fn order(self) -> PairOrder {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Pairs(_) => PairOrder::Chains,
            _ => PairOrder::Neighbours,
        }
    }

    fn ready(self) -> Bf16KernelState {
        match self {
            #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
            Self::Amx(amx) => Bf16KernelState::Amx(amx.tiles()),
            #[cfg(target_arch = "x86_64")]
            Self::Pairs(set) => Bf16KernelState::Pairs(set),
            Self::Widened(level) => Bf16KernelState::Widened(WideningMultiplier::new(level)),
        }
    }
}

/// The state of a kernel during one product.
enum Bf16KernelState {
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    Amx(Tiles),
    #[cfg(target_arch = "x86_64")]
    Pairs(Avx512Bf16),
    Widened(WideningMultiplier),
}

impl Bf16KernelState {
    /// Adds the product of some steps of a block and a panel to their elements.
    fn multiply(&mut self, block: &RowBlock<'_>, panel: &[f32], sums: &mut BlockSums) {
        match self {
            #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
            Self::Amx(tiles) => tiles.multiply(block.data, panel, sums),
            #[cfg(target_arch = "x86_64")]
            Self::Pairs(set) => set.run(Chains::<{ PAIRS / 2 }> {
                count: block.count,
                block: block.data,
                panel,
                sums,
            }),
            Self::Widened(widened) => widened.multiply(block, panel, sums),
        }
    }
}
