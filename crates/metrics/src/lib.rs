//! Metrics, which turn a text and its references into a score.

#![forbid(unsafe_code)]

pub mod env;
pub mod metrics;
pub mod text;
pub mod vectors;
