//! What stages run on: seed, models, progress and the wish to stop; parts that survive interruption; what
//! is written of a run.

pub mod context;
pub(crate) mod manifest;
pub mod parts;

pub use context::{Context, Progress, Silent};
