//! Pipeline files: stages checked before anything runs, then run in the order data flows.

mod file;
mod run;

pub use file::{Pipeline, Runnable};
