//! One test binary: every integration test is a module of it.

// Snapshots are written with hashes.
#![allow(clippy::needless_raw_string_hashes)]

mod annotators;
mod assess;
mod bandits;
mod claims;
mod cli;
mod data;
#[cfg(feature = "judges")]
mod decoders;
mod dictionary;
mod documents;
mod edited;
mod estimators;
mod evaluation;
mod examples;
mod faults;
mod feedback;
mod fuzz;
mod gate;
mod golden;
mod in_memory;
#[cfg(feature = "judges")]
mod judges;
mod kernels;
mod layers;
mod lexical;
mod links;
mod messages;
mod model_based;
#[cfg(feature = "neural")]
mod neural;
mod parts;
mod ranking;
mod records;
mod registry;
mod support;
mod truth;
mod vectors;
mod whole;
mod words;
