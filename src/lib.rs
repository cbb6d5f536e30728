//! tiebreak finds out which text-generation system is best, and how good each one is, with as few
//! human judgments as possible.
//!
//! Data flows one way, and each arrow is a file on disk:
//!
//! ```text
//! records ──> metrics ────> scores ───────┐
//!    │           │                        ├──> estimators ──> estimates ──┐
//!    │           └─ links ─> predictions ─┤                               ├──> report
//!    │   preference models ─> predictions ┴──> bandits ─────> ranking ────┘
//!    └──── people (recorded or live) ─────────────┘
//! ```
//!
//! * [`records`] is what people bring, [`tables`] what is stored between stages.
//! * [`metrics`] turn a text and its references into a score, [`preference`] two texts into a
//!   preference with its uncertainty.
//! * [`bandits`] choose which pair of systems is compared next, [`feedback`] answers,
//!   [`model_based`] lets a model answer where it is certain.
//! * [`annotators`] are compared with each other: agreement, bias, noise, who stands out.
//! * [`estimators`] say how good each system is, [`evaluation`] runs whole experiments.
//! * [`stages`] are what can be asked for, [`pipeline`] runs them from a file, [`experiments`] over axes of
//!   their keys, [`campaign`] with people; [`report`] tells the outcome.
//!
//! `ARCHITECTURE.md` has the layers, the formats and the reason for each dependency.

// But for `encoders::packed::simd`, which says why.
#![deny(unsafe_code)]

pub mod annotators;
pub mod bandits;
pub mod campaign;
pub mod claims;
#[cfg(feature = "cli")]
pub mod cli;
pub mod duel;
pub mod encoders;
pub mod engine;
pub mod env;
pub mod error;
pub mod estimators;
pub mod evaluation;
pub mod experiments;
pub mod feedback;
#[cfg(feature = "neural")]
pub mod fine_tuning;
pub mod inputs;
pub mod keys;
pub mod layout;
pub mod metrics;
pub mod model_based;
pub mod pipeline;
pub mod preference;
pub mod ranking;
pub mod records;
pub mod registry;
pub mod report;
pub mod rng;
mod sheets;
pub mod signature;
pub mod stages;
pub mod stats;
pub mod tables;
pub mod text;
pub mod vectors;

pub use duel::Outcome;
pub use env::Env;
pub use error::{Error, Result};
pub use estimators::Survey;
pub use evaluation::live::Live;
pub use metrics::score;
pub use preference::Contest;
pub use ranking::{Comparison, rank};
