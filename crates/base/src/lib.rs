//! The base of all other crates: errors, random numbers, names, parameters, duels, claims, statistics, words.

#![forbid(unsafe_code)]

pub mod claims;
pub mod cost;
#[cfg(feature = "disk")]
pub mod disk;
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
pub mod signature;
pub mod stats;
pub mod words;

pub use error::{Error, Result};
