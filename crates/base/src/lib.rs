//! The base of all other crates: errors, random numbers, names, parameters, duels, claims, statistics, words.
//!
//! Three modules are used everywhere. [`mod@error`] has the one [`Error`] with its hint. [`rng`] has random
//! numbers, which depend on a seed and a name alone. [`duel`] has the types of a comparison. [`registry`] names
//! things, [`keys`] set them, and a [`signature`] identifies them; [`claims`] are verdicts about systems.
//! [`stats`] has numerics, [`layout`] plain text for people. The modules `disk` and `secret` need the feature
//! `disk`.
//!
//! The interval of a mean, by a bootstrap that gives the same numbers everywhere:
//!
//! ```
//! use tiebreak_base::{layout, rng::Seed, stats::bootstrap};
//! let ratings = [62.0, 80.0, 55.0, 91.0, 70.0, 68.0, 77.0, 59.0];
//! let mean = |rows: &[usize]| rows.iter().map(|&row| ratings[row]).sum::<f64>() / rows.len() as f64;
//! let mut means = bootstrap::replicates(ratings.len(), 1000, Seed(42), |sample| Some(mean(sample)));
//! let (lower, upper) = bootstrap::percentile_interval(&mut means, 0.95).ok_or("no ratings")?;
//! let row = [lower, upper].map(|end| layout::decimals(end, 1));
//! assert_eq!(layout::table(&["lower", "upper"], &[row.to_vec()]), "lower  upper\n62.4    77.8\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

pub mod claims;
pub mod cost;
#[cfg(feature = "disk")]
pub mod disk;
pub mod document;
pub mod duel;
pub mod error;
pub mod guard;
pub mod keys;
pub mod layout;
pub mod limits;
pub mod order;
pub mod registry;
pub mod rng;
pub mod scope;
#[cfg(feature = "disk")]
pub mod secret;
pub mod signature;
pub mod stats;
pub mod words;

pub use error::{Error, Result};
