//! Tables stored between stages: their columns, and how they are written.
//!
//! Columns are fixed by the interface: scores, predictions, estimates and traces. A table is one
//! file in any format ([`mod@file`]) or a folder of Arrow parts that an interrupted command continues
//! ([`parts`]). Either carries its [`Meta`]: signature, seed, digest of the data and parameters,
//! and nothing that differs between two runs of the same command.

pub mod destination;
pub mod file;
pub mod format;
pub mod in_memory;
pub mod json;
pub mod manifest;
pub mod meta;
pub mod parts;
pub mod pieces;
mod rows;
pub mod schema;
mod sealed;
pub mod sealed_text;
pub mod stored;
pub mod whole;

pub use destination::Destination;
pub use format::OutputTableFormat;
pub use in_memory::ComputedTable;
pub use manifest::{CAMPAIGN, Manifest, ManifestStage, PlanStep};
pub use meta::Meta;
