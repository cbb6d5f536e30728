//! The two papers' experiments, and the live loop.

pub mod data_efficiency;
