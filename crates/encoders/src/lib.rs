//! Neural encoders: text in, hidden states or logits out, with or without Monte Carlo dropout.
//!
//! A checkpoint is a folder in Hugging Face's layout (`config.json`, `model.safetensors`,
//! `tokenizer.json`). [`checkpoint`] finds its files by name, folder or hub id; [`Encoder`] runs BERT, ELECTRA,
//! RoBERTa, MPNet, DeBERTa and ModernBERT, [`Classifier`] adds the head of a sequence classifier. [`Laser`] is
//! an LSTM with units of its own.
//!
//! BERT, ELECTRA, RoBERTa and MPNet have two engines: packed matrices on the processor, candle's tensors on a
//! GPU. The others run on tensors everywhere, without dropout. Every sequence keeps its own length. So there is
//! no padding and no attention mask, and a result cannot depend on the rest of the batch. Parallelism is over
//! groups of sequences and draws.
//!
//! Everything that computes needs the feature `neural`, fetching from the hub needs `hub`.
//!
//! The vectors of sentences, by a tiny model with random weights:
//!
//! ```
//! # #[cfg(feature = "neural")] {
//! use std::path::Path;
//! use tiebreak_encoders::{Checkpoint, Device, Embedder};
//! let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/tiny-electra");
//! let embedder = Embedder::load(&Checkpoint::in_folder(Path::new(folder))?, Device::Cpu)?;
//! let vectors = embedder.sentences(&["The train is late.", "He sings."], embedder.max_length())?;
//! let alone = embedder.sentence("The train is late.", embedder.max_length())?;
//! assert_eq!(vectors[0], alone); // to the bit
//! # }
//! # Ok::<(), tiebreak_base::Error>(())
//! ```

// Except in `packed`, which says why.
#![deny(unsafe_code)]
// Inlining must be forced where code is compiled once more for every instruction set.
#![allow(clippy::inline_always)]

pub mod checkpoint;
#[cfg(feature = "neural")]
pub mod comet;
pub mod descriptor;
mod files;
pub mod hub;
pub mod places;
pub mod shipped;

#[cfg(feature = "neural")]
mod classifier;
#[cfg(feature = "neural")]
pub mod config;
#[cfg(feature = "neural")]
mod deberta;
#[cfg(feature = "neural")]
mod distances;
#[cfg(feature = "neural")]
pub mod dropout;
#[cfg(feature = "neural")]
mod embedder;
#[cfg(feature = "neural")]
mod encoder;
#[cfg(feature = "neural")]
mod engine;
#[cfg(all(test, feature = "neural"))]
mod gpu;
#[cfg(feature = "neural")]
pub mod hardware;
#[cfg(feature = "neural")]
mod int8;
#[cfg(feature = "neural")]
mod laser;
#[cfg(feature = "neural")]
mod matcher;
#[cfg(feature = "neural")]
mod matching;
#[cfg(feature = "neural")]
mod math;
#[cfg(feature = "neural")]
mod modernbert;
#[cfg(feature = "neural")]
mod ops;
#[cfg(feature = "neural")]
mod packed;
#[cfg(feature = "neural")]
mod parameters;
mod precision;
mod rows;
mod scope;
#[cfg(feature = "neural")]
mod tensors;
#[cfg(feature = "neural")]
pub mod tokenizer;
#[cfg(feature = "neural")]
pub mod training;
#[cfg(feature = "neural")]
mod weights;

pub use checkpoint::Checkpoint;
pub use files::Files;
pub use hub::Hub;
pub use precision::Precision;
pub use rows::{dot, normalise};
pub use scope::Scope;

use std::str::FromStr;
use tiebreak_base::signature::Signature;

/// The device that runs neural models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Device {
    /// The processor.
    #[default]
    Cpu,
    /// An NVIDIA GPU, by number.
    Cuda(usize),
    /// Apple's GPU.
    Metal,
}

impl Device {
    /// Adds the device to a signature where it is a GPU, whose numbers have other last digits than the processor's.
    #[must_use]
    pub fn sign(self, signature: Signature) -> Signature {
        match self {
            Self::Cpu => signature,
            Self::Cuda(_) => signature.with("arithmetic", "cuda"),
            Self::Metal => signature.with("arithmetic", "metal"),
        }
    }
}

impl FromStr for Device {
    type Err = String;

    /// Parses `cpu`, `cuda`, `cuda:N` or `metal`.
    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':').unwrap_or((text, "0")) {
            ("cpu", _) => Ok(Self::Cpu),
            ("metal", _) => Ok(Self::Metal),
            ("cuda", number) => number
                .parse()
                .map(Self::Cuda)
                .map_err(|_| format!("`{number}` is not a GPU number")),
            _ => Err("expected cpu, cuda, cuda:N or metal".to_string()),
        }
    }
}

#[cfg(feature = "neural")]
pub use self::{
    classifier::Classifier,
    config::Config,
    embedder::Embedder,
    encoder::Encoder,
    engine::HiddenStates,
    int8::quantise,
    laser::Laser,
    matcher::MatchingModel,
    tokenizer::{SubwordTokenizer, Tokens},
    weights::Weights,
};
