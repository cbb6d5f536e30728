//! Preferences: of two texts which one people would choose, by a model, a metric or a judge.

#![forbid(unsafe_code)]

#[cfg(feature = "judges")]
pub mod decoders;
pub mod judges;
pub mod preference;
pub mod verdicts;
