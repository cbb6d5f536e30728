//! Bandits, estimators and rankings: which pair to compare next, how good each system is, who is best. No files.

#![forbid(unsafe_code)]

pub mod annotators;
pub mod bandits;
pub mod estimators;
pub mod evaluation;
pub mod feedback;
pub mod model_based;
pub mod ranking;
