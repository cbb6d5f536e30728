//! COMET: an encoder that reads output, source and reference separately, and a small network that scores the
//! output from the three.
//!
//! Rei et al., "COMET: a neural framework for MT evaluation", EMNLP 2020; Rei et al., "COMET-22", WMT 2022. The
//! hidden states of all layers of every text are mixed with learned weights and pooled into one vector. For output
//! h, source s and reference r the network reads [h, r, h∘r, |h−r|, h∘s, |h−s|], without a reference
//! [h, s, h∘s, |h−s|].
//!
//! Under Monte Carlo dropout (Glushkova et al., "Uncertainty-aware machine translation evaluation", EMNLP 2021)
//! elements are dropped where unbabel-comet drops them: in the encoder, in the network, and whole layers of each
//! mix.

mod estimator;
mod mix;
mod shape;

pub(crate) use shape::CometHyperparameters;

use super::checkpoint::digest;
use super::dropout::{Dropout, DropoutSite};
use super::engine::{Pass, StateSelection};
use super::{
    Checkpoint, Config, Device, Encoder, Files, HiddenStates, SubwordTokenizer, Tokens, Weights,
};
use estimator::CometFeedForward;
use mix::Mix;
use rayon::prelude::*;
use shape::TokenPooling;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::rng::Seed;

/// The file that makes a checkpoint one of COMET.
pub(crate) const FILE: &str = "comet.json";

/// The prefix of the names of the encoder's tensors.
const ENCODER: &str = "encoder.model.";

/// The positions that unbabel-comet leaves free.
const FREE: usize = 4;

/// A COMET checkpoint.
pub struct CometModel {
    shape: CometHyperparameters,
    tokenizer: SubwordTokenizer,
    encoder: Encoder,
    max_length: usize,
    mix: Mix,
    estimator: CometFeedForward,
    digests: [(&'static str, String); 4],
}

/// The vectors of one text that the network reads, one per draw.
pub struct CometEmbedding {
    tokens: Tokens,
    /// One vector per draw.
    vectors: Vec<Vec<f64>>,
}

impl CometModel {
    /// Loads a checkpoint.
    ///
    /// # Errors
    /// The file, tensor or setting that is missing, does not fit, or is not computed here.
    pub fn load(checkpoint: &Checkpoint, device: Device) -> Result<Self> {
        let shape = CometHyperparameters::read(checkpoint)?;
        let config = Config::read(checkpoint)?;
        let tokenizer = match (&checkpoint.files, shape.shares_tokenizer()) {
            (Files::Folder(folder), true) => {
                let above = Files::Folder(folder.join(".."));
                SubwordTokenizer::read(&Checkpoint {
                    files: above,
                    ..checkpoint.clone()
                })?
            }
            _ => SubwordTokenizer::read(checkpoint)?,
        };
        tokenizer.fits(config.vocabulary)?;
        let weights = Weights::read(checkpoint, device)?.under(ENCODER);
        let config_digest = digest(&checkpoint.read("config.json")?);
        let shape_digest = digest(&checkpoint.read(FILE)?);
        Ok(Self {
            // Positions are numbered from after the padding.
            max_length: (config.positions + config.padding.map_or(0, |id| id as usize + 1))
                .saturating_sub(FREE)
                .clamp(1, config.positions),
            encoder: Encoder::new(&checkpoint.name, &config, &weights)?,
            mix: Mix::read(&weights, &shape, config.layers)?,
            estimator: CometFeedForward::read(&weights, &shape, config.hidden)?,
            digests: [
                ("weights", weights.digest()[..16].to_string()),
                ("config", config_digest[..16].to_string()),
                ("comet", shape_digest[..16].to_string()),
                ("tokenizer", tokenizer.digest()[..16].to_string()),
            ],
            shape,
            tokenizer,
        })
    }

    /// Whether it reads references.
    pub fn needs_references(&self) -> bool {
        self.shape.has_reference()
    }

    /// The digests that identify it, for a signature.
    pub fn digests(&self) -> &[(&'static str, String)] {
        &self.digests
    }

    /// Reads texts, with dropout off (`None`) or in some draws.
    ///
    /// # Errors
    /// If the model cannot be run on a text.
    pub fn read(
        &self,
        texts: &[&str],
        draws: &[Option<u32>],
        seed: Seed,
    ) -> Result<Vec<CometEmbedding>> {
        let tokens: Vec<Tokens> = texts
            .iter()
            .map(|text| self.tokenizer.encode(text, None, self.max_length))
            .collect::<Result<_>>()?;
        let of = |tokens| {
            draws.iter().map(move |draw| Pass {
                tokens,
                dropout: draw.map(|draw| Dropout::new(seed, tokens, draw)),
            })
        };
        let passes: Vec<Pass<'_>> = tokens.iter().flat_map(of).collect();
        let states = self
            .encoder
            .run(&passes, &StateSelection::Layers(self.mix.layers()))?;
        let pooled: Vec<Vec<f64>> = passes
            .par_iter()
            .zip(&states)
            .map(|(pass, hidden)| self.vector(pass, hidden))
            .collect();
        let mut pooled = pooled.into_iter();
        let whole = |tokens| CometEmbedding {
            tokens,
            vectors: pooled.by_ref().take(draws.len()).collect(),
        };
        Ok(tokens.into_iter().map(whole).collect())
    }

    /// The score of an output in each draw.
    ///
    /// # Errors
    /// If a score is not a finite number.
    pub fn score(
        &self,
        output: &CometEmbedding,
        source: &CometEmbedding,
        reference: Option<&CometEmbedding>,
        draws: &[Option<u32>],
        seed: Seed,
    ) -> Result<Vec<f64>> {
        let all = [Some(output), Some(source), reference];
        let mut joined = Tokens::default();
        for read in all.into_iter().flatten() {
            joined.ids.extend(&read.tokens.ids);
            joined.types.extend(&read.tokens.types);
        }
        let score = |(at, draw): (usize, &Option<u32>)| {
            let dropout = draw.map(|draw| Dropout::new(seed, &joined, draw));
            let reference = reference.map(|one| &one.vectors[at][..]);
            let features = features(&output.vectors[at], &source.vectors[at], reference);
            let score = self.estimator.score(features, dropout);
            match score.is_finite() {
                true => Ok(score),
                false => Err(self.encoder.failed(format!("a score is {score}"))),
            }
        };
        draws.iter().enumerate().map(score).collect()
    }

    /// The mixed layers of a text, pooled.
    fn vector(&self, pass: &Pass<'_>, hidden: &HiddenStates) -> Vec<f64> {
        let dropped = pass.mask(DropoutSite::Mix, self.shape.dropout());
        let mixed = self.mix.apply(hidden, dropped);
        let pad = self.encoder.config().padding;
        let is_text = |at: usize| Some(pass.tokens.ids[at]) != pad;
        let rows = mixed.chunks_exact(hidden.width);
        match self.shape.pool() {
            TokenPooling::Cls => mixed[..hidden.width].to_vec(),
            TokenPooling::Max => {
                let mut most = vec![f64::NEG_INFINITY; hidden.width];
                for (_, row) in rows.enumerate().filter(|(at, _)| is_text(*at)) {
                    most.iter_mut()
                        .zip(row)
                        .for_each(|(most, x)| *most = most.max(*x));
                }
                most
            }
            TokenPooling::Avg => {
                let n = pass.tokens.ids.len() as f64;
                let mut mean = vec![0.0; hidden.width];
                for (_, row) in rows.enumerate().filter(|(at, _)| is_text(*at)) {
                    mean.iter_mut()
                        .zip(row)
                        .for_each(|(mean, x)| *mean += x / n);
                }
                mean
            }
        }
    }
}

/// The features of one output that the network reads.
fn features(output: &[f64], source: &[f64], reference: Option<&[f64]>) -> Vec<f64> {
    let product =
        |other: &[f64]| -> Vec<f64> { output.iter().zip(other).map(|(x, y)| x * y).collect() };
    let distance = |other: &[f64]| -> Vec<f64> {
        output
            .iter()
            .zip(other)
            .map(|(x, y)| (x - y).abs())
            .collect()
    };
    let nearest = reference.unwrap_or(source);
    let mut all = [output, nearest, &product(nearest), &distance(nearest)].concat();
    if reference.is_some() {
        all.extend(product(source));
        all.extend(distance(source));
    }
    all
}

/// The error for a setting that is not computed here.
fn refused(checkpoint: &Checkpoint, what: &str) -> Error {
    checkpoint.unfit(FILE, what)
}
