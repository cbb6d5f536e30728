//! An encoder with its tokenizer, from a text to the hidden states of its tokens.

use super::checkpoint::digest;
use super::{Checkpoint, Config, Device, Encoder, HiddenStates, SubwordTokenizer, Tokens, Weights};
use rayon::prelude::*;
use std::ops::RangeInclusive;
use tiebreak_base::error::Result;

/// An encoder with its tokenizer, in evaluation mode.
pub struct Embedder {
    tokenizer: SubwordTokenizer,
    encoder: Encoder,
    max_length: usize,
    special: Vec<u32>,
    digests: [(&'static str, String); 3],
}

impl Embedder {
    /// Loads a checkpoint; any head is ignored.
    ///
    /// # Errors
    /// The file, tensor or setting that is missing or does not fit.
    pub fn load(checkpoint: &Checkpoint, device: Device) -> Result<Self> {
        let config = Config::read(checkpoint)?;
        let tokenizer = SubwordTokenizer::read(checkpoint)?;
        tokenizer.fits(config.vocabulary)?;
        let weights = Weights::read(checkpoint, device)?;
        let max_length = checkpoint.max_length(config.positions)?;
        let config_digest = digest(&checkpoint.read("config.json")?);
        Ok(Self {
            encoder: Encoder::new(&checkpoint.name, &config, &weights)?,
            special: tokenizer.encode("", None, max_length)?.ids,
            digests: [
                ("weights", weights.digest()[..16].to_string()),
                ("config", config_digest[..16].to_string()),
                ("tokenizer", tokenizer.digest()[..16].to_string()),
            ],
            tokenizer,
            max_length,
        })
    }

    /// The number of layers above the embeddings.
    pub fn layers(&self) -> usize {
        self.encoder.config().layers
    }

    /// The longest input in tokens; longer ones are cut off.
    pub fn max_length(&self) -> usize {
        self.max_length
    }

    /// The ids of an empty text: `[CLS]` and `[SEP]`.
    pub fn special(&self) -> &[u32] {
        &self.special
    }

    /// The tokenizer.
    pub fn tokenizer(&self) -> &SubwordTokenizer {
        &self.tokenizer
    }

    /// The digests that identify the model, for a signature: (file, first 16 digits of its SHA-256).
    pub fn digests(&self) -> &[(&'static str, String)] {
        &self.digests
    }

    /// The tokens of a text, special ones included.
    ///
    /// # Errors
    /// If the tokenizer cannot take the text.
    pub fn tokens(&self, text: &str) -> Result<Tokens> {
        self.tokenizer.encode(text, None, self.max_length)
    }

    /// The hidden states of some layers for each input; 0 is what enters the first layer.
    ///
    /// # Errors
    /// If the model cannot be run on the tokens.
    ///
    /// # Panics
    /// If there is no such layer.
    pub fn states(
        &self,
        inputs: &[Tokens],
        layers: RangeInclusive<usize>,
    ) -> Result<Vec<HiddenStates>> {
        self.encoder.states(inputs, layers)
    }

    /// One vector per text: the mean of the last hidden states of its tokens, of length 1.
    ///
    /// Pools as sentence-transformers does for its MiniLM and MPNet models; `max_length` is the
    /// `max_seq_length` of the model, where that is smaller than the tokenizer's own limit.
    ///
    /// # Errors
    /// If the model cannot be run on the text.
    pub fn sentence(&self, text: &str, max_length: usize) -> Result<Vec<f32>> {
        Ok(self.sentences(&[text], max_length)?.remove(0))
    }

    /// The vectors of many texts, computed in parallel.
    ///
    /// # Errors
    /// As [`Embedder::sentence`], for the first such text.
    pub fn sentences(&self, texts: &[&str], max_length: usize) -> Result<Vec<Vec<f32>>> {
        let length = max_length.min(self.max_length);
        let tokens = texts
            .par_iter()
            .map(|text| self.tokenizer.encode(text, None, length))
            .collect::<Vec<_>>();
        let tokens = tokens.into_iter().collect::<Result<Vec<_>>>()?;
        let hidden = self.states(&tokens, self.layers()..=self.layers())?;
        let sentence = |hidden: &HiddenStates| {
            let mut mean = mean(hidden);
            super::normalise(&mut mean);
            mean
        };
        Ok(hidden.iter().map(sentence).collect())
    }
}

/// The mean of the rows of the first wanted layer.
pub(super) fn mean(hidden: &HiddenStates) -> Vec<f32> {
    let mut mean = vec![0.0; hidden.width];
    let rows = hidden.layers[0].chunks_exact(hidden.width);
    let share = 1.0 / rows.len() as f32;
    for row in rows {
        mean.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
    }
    for x in &mut mean {
        *x *= share;
    }
    mean
}
