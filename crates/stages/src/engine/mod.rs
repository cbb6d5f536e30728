//! What stages run on: seed, models, progress and the wish to stop; parts that survive interruption; how
//! a run is called.

pub mod context;
pub mod names;
pub mod parts;

pub use context::{Context, ProgressReporter, SilentProgress};
