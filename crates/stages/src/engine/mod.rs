//! The engine of stages: seed, models, progress and interruption; parts that survive interruption; how
//! a run is called.

pub mod context;
pub mod names;
pub mod parts;

pub use context::{Context, ProgressReporter, SilentProgress};
