//! A notice of the instructions that tests of the encoder could not try on this processor.

use super::instruction_sets;
use std::io::Write;

/// Prints the instructions that the running test skips, past the test harness, which captures normal
/// output.
pub(in super::super) fn say_what_is_skipped() {
    let missing = instruction_sets(false);
    if missing.is_empty() {
        return;
    }
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("encoders");
    let sets = missing.join(", ");
    let line = format!("\nSKIPPED: {test} on {sets}: this processor lacks them\n");
    let _ = std::io::stderr().write_all(line.as_bytes());
}
