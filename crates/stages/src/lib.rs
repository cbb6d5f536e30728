//! The stages of evaluation, with pipelines, experiments and reports.

#![forbid(unsafe_code)]

pub mod engine;
pub mod experiments;
pub mod exports;
#[cfg(feature = "neural")]
pub mod fine_tuning;
pub mod inputs;
pub mod journal;
pub mod kernels;
pub mod pipeline;
pub mod report;
pub mod stages;
