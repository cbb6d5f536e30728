//! Pipeline files: stages checked before anything runs, then run in the order data flows.

pub mod file;
mod plan;
pub mod run;

pub use run::run;
