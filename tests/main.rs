//! One test binary: every integration test is a module of it.

mod golden;
mod records;
mod support;
