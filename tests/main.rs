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
mod bandits;
mod data;
mod evaluation;
mod feedback;
mod golden;
mod model_based;
mod records;
mod support;
