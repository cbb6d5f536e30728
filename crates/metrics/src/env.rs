//! The context of builders: the folder of models, the device, open vectors and tokenisers, the seed, and where indexes
//! are kept.

use crate::text::tokenize::{LineTokenizer, SacrebleuTokenizer, TokenizerCache};
use crate::vectors::WordVectorCache;
use std::path::PathBuf;
use tiebreak_base::error::Result;
use tiebreak_base::rng::Seed;
use tiebreak_encoders::places;

pub use tiebreak_base::disk::Cache;
pub use tiebreak_encoders::{Device, Hub};

/// The context that every builder of a metric or model is given.
#[derive(Debug, Clone)]
pub struct Env {
    /// The folder in which models are looked for first.
    pub models: PathBuf,
    /// The hub that gives models named by hub id.
    pub hub: Hub,
    /// The device on which neural models run.
    pub device: Device,
    /// The word vectors that are open.
    pub shelf: WordVectorCache,
    /// The tokenisers that are open.
    pub tokenizers: TokenizerCache,
    /// The seed of dropout masks.
    pub seed: Seed,
    /// The cache that keeps indexes of large data sets between commands, if there is one.
    pub indexes: Option<Cache>,
}

impl Default for Env {
    fn default() -> Self {
        Self {
            models: PathBuf::from(places::FOLDER),
            hub: Hub::default(),
            device: Device::Cpu,
            shelf: WordVectorCache::default(),
            tokenizers: TokenizerCache::default(),
            seed: Seed::default(),
            indexes: None,
        }
    }
}

impl Env {
    /// Opens a tokeniser of lines.
    ///
    /// # Errors
    /// As [`SacrebleuTokenizer::open`].
    pub fn tokenizer(&self, tokenizer: SacrebleuTokenizer) -> Result<LineTokenizer> {
        tokenizer.open(&self.tokenizers, &self.models)
    }
}
