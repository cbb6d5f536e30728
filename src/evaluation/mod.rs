//! The two papers' experiments, and the live loop.

pub mod active;
pub mod annotation_complexity;
pub mod data_efficiency;
pub mod experiment;
mod history;
pub mod known;
