//! Stages: what can be asked, and how it is run in parts that survive interruption.

pub mod context;
pub mod parts;
pub mod spec;

pub use context::{Context, Progress, Silent};
