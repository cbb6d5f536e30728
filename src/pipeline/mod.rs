//! Stages: what can be asked, and how it is run in parts that survive interruption.

pub mod annotators;
pub mod asking;
pub mod assess;
pub mod calibrate;
pub mod campaign;
pub mod context;
pub mod correlate;
mod disagreements;
pub mod estimate;
pub mod file;
pub mod fit;
pub mod grid;
pub mod judging;
pub mod named;
mod one_or_more;
pub mod parts;
mod plan;
pub mod predict;
pub mod prospect;
pub mod rank;
pub mod run;
pub mod sample;
pub mod score;
pub mod setting;
mod sheets;
pub mod simulate;
pub mod source;
pub mod spec;
#[cfg(feature = "neural")]
pub mod train;

pub use context::{Context, Progress, Silent};
