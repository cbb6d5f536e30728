//! One test binary: every integration test is a module of it.

mod estimators;
mod golden;
mod links;
mod support;
