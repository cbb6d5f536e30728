//! One test binary: every integration test is a module of it.

mod golden;
#[cfg(feature = "neural")]
mod neural;
mod support;
