//! What stages run on: seed, models, progress and the wish to stop; parts that survive interruption.

pub mod context;
pub mod parts;

pub use context::{Context, Progress, Silent};
