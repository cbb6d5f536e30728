//! One test binary: every integration test is a module of it.

mod bandits;
mod data;
mod evaluation;
mod feedback;
mod golden;
mod model_based;
mod support;
