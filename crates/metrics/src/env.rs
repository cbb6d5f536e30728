//! What builders may need from outside: where models lie, on which device they run, which vectors are
//! open, the seed, where indexes are kept.

use crate::vectors::WordVectorCache;
use std::path::PathBuf;
use tiebreak_base::rng::Seed;
use tiebreak_encoders::places;

pub use tiebreak_base::disk::Cache;
pub use tiebreak_encoders::{Device, Hub};

/// Passed to every builder of a metric or model.
#[derive(Debug, Clone)]
pub struct Env {
    /// The folder in which models are looked for first.
    pub models: PathBuf,
    /// Where models that are asked for by hub id come from.
    pub hub: Hub,
    /// Where neural models run.
    pub device: Device,
    /// Word vectors that are open.
    pub shelf: WordVectorCache,
    /// The seed of dropout masks.
    pub seed: Seed,
    /// Where indexes of large data sets are kept between commands, if they are.
    pub indexes: Option<Cache>,
}

impl Default for Env {
    fn default() -> Self {
        Self {
            models: PathBuf::from(places::FOLDER),
            hub: Hub::default(),
            device: Device::Cpu,
            shelf: WordVectorCache::default(),
            seed: Seed::default(),
            indexes: None,
        }
    }
}
