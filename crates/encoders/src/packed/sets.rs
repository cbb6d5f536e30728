//! The instruction sets that the encoder has code for.

use super::bf16::Bf16Kernel;
use super::int8::Int8Kernel;
use super::simd::Level;

/// Instruction sets by their type names: those of another kind of processor are not compiled.
const SETS: [(&str, &str); 6] = [
    ("Avx2(", "AVX2"),
    ("Avx512(", "AVX-512"),
    ("Avx512Bf16(", "AVX512-BF16"),
    ("Avx512Vnni(", "AVX-512 VNNI"),
    ("AvxVnni(", "AVX-VNNI"),
    ("Amx(", "AMX"),
];

/// Returns the sets that this processor has, or those that it lacks.
pub(in super::super) fn instruction_sets(present: bool) -> Vec<&'static str> {
    let kernels = format!(
        "{:?} {:?} {:?}",
        Level::all(),
        Bf16Kernel::all(),
        Int8Kernel::all()
    );
    let sets = SETS
        .iter()
        .filter(|(name, _)| kernels.contains(name) == present);
    sets.map(|(_, set)| *set).collect()
}
