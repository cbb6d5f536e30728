//! The two papers' experiments, the live loop, and tests of significance.

pub mod active;
pub mod annotation_complexity;
pub mod controls;
pub mod correlation;
pub mod data_efficiency;
pub mod eligible;
pub mod experiment;
pub mod game;
pub mod gate;
mod history;
pub mod improvements;
pub mod known;
mod largest_error;
pub mod live;
mod memory;
pub mod oracles;
pub mod own_duels;
pub mod ratings;
mod readings;
pub mod savings;
pub mod significance;
pub mod slices;
pub mod spent;
pub mod standing;
pub mod truth;
mod variates;
