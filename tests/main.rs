//! One test binary: every integration test is a module of it.

mod estimators;
mod golden;
#[cfg(feature = "neural")]
mod neural;
mod links;
mod support;
