//! Intel's matrix instructions (AMX, since Sapphire Rapids): tiles of 16 rows of 16 pairs.
//!
//! Their intrinsics are not stable in Rust, their names in assembly are. This file and
//! [`instructions`](super::super::instructions) are the only ones with `unsafe`; the measured need is
//! fourteen times the speed of f32. The proof of safety is again a token: an [`Amx`] exists only
//! where processor and system allow the instructions, [`Tiles`] only while a thread's tiles have
//! the shape that the product assumes.

#![allow(unsafe_code)]

use super::{BlockSums, PAIRS, SIDE};
use std::arch::asm;
use std::arch::x86_64 as arch;
use std::marker::PhantomData;
use std::sync::OnceLock;

/// Bytes of a row of 32 floats or pairs.
const ROW: usize = SIDE * size_of::<f32>();

/// A token that proves that the instructions are available.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Amx(());

impl Amx {
    /// Returns the token if they are available. The system is asked for permission once, for all threads.
    pub(crate) fn detect() -> Option<Self> {
        static FOUND: OnceLock<bool> = OnceLock::new();
        let found = *FOUND.get_or_init(|| on_processor() && permitted());
        found.then_some(Self(()))
    }

    /// Sets the shape of this thread's tiles.
    pub(crate) fn tiles(self) -> Tiles {
        // Palette 1; every tile has 16 rows of 64 bytes.
        let mut shapes = [0_u8; 64];
        shapes[0] = 1;
        for tile in 0..8 {
            shapes[16 + 2 * tile] = 64;
            shapes[48 + tile] = 16;
        }
        // SAFETY: the token proves that the instruction is there; it reads 64 bytes.
        unsafe {
            asm!("ldtilecfg [{}]", in(reg) shapes.as_ptr(), options(nostack, readonly));
        }
        Tiles(self, PhantomData)
    }
}

/// Whether leaf 7 of the processor's description has AMX-BF16 and tiles.
fn on_processor() -> bool {
    const BF16_AND_TILES: u32 = 1 << 22 | 1 << 24;
    #[allow(unused_unsafe, reason = "safe since Rust 1.94")]
    // SAFETY: every 64-bit processor describes itself.
    let features = unsafe {
        if arch::__cpuid(0).eax < 7 {
            return false;
        }
        arch::__cpuid_count(7, 0).edx
    };
    features & BF16_AND_TILES == BF16_AND_TILES
}

/// Whether Linux permits tiles, which a process must request first: `arch_prctl(ARCH_REQ_XCOMP_PERM,
/// XFEATURE_XTILEDATA)`.
fn permitted() -> bool {
    const ARCH_PRCTL: i64 = 158;
    let mut result = ARCH_PRCTL;
    // SAFETY: the call takes two numbers and touches no memory of ours.
    unsafe {
        asm!(
            "syscall",
            inout("rax") result,
            in("rdi") 0x1023_u64,
            in("rsi") 18_u64,
            out("rcx") _,
            out("r11") _,
            options(nostack),
        );
    }
    result == 0
}

/// A token that proves that this thread's tiles have their shape, until it is dropped.
pub(crate) struct Tiles(
    #[allow(dead_code, reason = "a proof")] Amx,
    PhantomData<*const ()>,
);

#[allow(clippy::unused_self, reason = "it is the proof")]
impl Tiles {
    /// Adds a block of 32 rows times a panel to `sums`.
    pub(crate) fn multiply(&self, block: &[f32], panel: &[f32], sums: &mut BlockSums) {
        let steps = panel.len() / (PAIRS * SIDE);
        assert!(steps > 0 && block.len() == panel.len());
        // SAFETY: the token proves that the instructions are there and the tiles have 16 rows of 64
        // bytes. Step by step the loop reads 2048 bytes of `block` and of `panel`, whose lengths have
        // been checked; before and after it, all of `sums` is read and written.
        unsafe {
            asm!(
                "tileloadd tmm0, [{sums} + {row}*1]",
                "tileloadd tmm1, [{sums} + {row}*1 + 64]",
                "tileloadd tmm2, [{sums} + {row}*1 + 2048]",
                "tileloadd tmm3, [{sums} + {row}*1 + 2112]",
                "2:",
                "tileloadd tmm4, [{block} + {half}*1]",
                "tileloadd tmm5, [{block} + {half}*1 + 1024]",
                "tileloadd tmm6, [{panel} + {row}*1]",
                "tileloadd tmm7, [{panel} + {row}*1 + 64]",
                "tdpbf16ps tmm0, tmm4, tmm6",
                "tdpbf16ps tmm1, tmm4, tmm7",
                "tdpbf16ps tmm2, tmm5, tmm6",
                "tdpbf16ps tmm3, tmm5, tmm7",
                "add {block}, 2048",
                "add {panel}, 2048",
                "dec {steps}",
                "jnz 2b",
                "tilestored [{sums} + {row}*1], tmm0",
                "tilestored [{sums} + {row}*1 + 64], tmm1",
                "tilestored [{sums} + {row}*1 + 2048], tmm2",
                "tilestored [{sums} + {row}*1 + 2112], tmm3",
                block = inout(reg) block.as_ptr() => _,
                half = in(reg) ROW / 2,
                panel = inout(reg) panel.as_ptr() => _,
                row = in(reg) ROW,
                steps = inout(reg) steps => _,
                sums = in(reg) sums.as_mut_ptr(),
                out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
                out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
                options(nostack),
            );
        }
    }
}

impl Drop for Tiles {
    fn drop(&mut self) {
        // SAFETY: the tiles prove that the instruction is there.
        unsafe {
            asm!("tilerelease", options(nostack, nomem));
        }
    }
}
