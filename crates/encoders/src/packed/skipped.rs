//! A notice of the instructions that tests of the encoder could not try on this processor.

use super::{Bf16Kernel, Int8Kernel, Level};
use std::io::Write;

/// Instruction sets by their type names: those of another kind of processor are not compiled.
const SETS: [(&str, &str); 6] = [
    ("Avx2(", "AVX2"),
    ("Avx512(", "AVX-512"),
    ("Avx512Bf16(", "AVX512-BF16"),
    ("Avx512Vnni(", "AVX-512 VNNI"),
    ("AvxVnni(", "AVX-VNNI"),
    ("Amx(", "AMX"),
];

/// Prints the instructions that the running test skips, past the test harness, which captures normal
/// output.
pub(in super::super) fn say_what_is_skipped() {
    let there = format!(
        "{:?} {:?} {:?}",
        Level::all(),
        Bf16Kernel::all(),
        Int8Kernel::all()
    );
    let missing = SETS.iter().filter(|(name, _)| !there.contains(name));
    let missing: Vec<&str> = missing.map(|(_, set)| *set).collect();
    if missing.is_empty() {
        return;
    }
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("encoders");
    let sets = missing.join(", ");
    let line = format!("\nSKIPPED: {test} on {sets}: this processor lacks them\n");
    let _ = std::io::stderr().write_all(line.as_bytes());
}
