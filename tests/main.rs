//! One test binary: every integration test is a module of it.

mod cli;
mod estimators;
mod golden;
mod layers;
mod links;
#[cfg(feature = "neural")]
mod neural;
mod registry;
mod lexical;
mod support;
