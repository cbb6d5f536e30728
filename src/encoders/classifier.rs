//! An encoder with the head of a sequence classifier on its first token.
//!
//! ELECTRA: dropout, dense, GELU, dropout, projection. BERT: dense and tanh (the pooler),
//! dropout, projection. One logit, or one per label.

use super::config::{Activation, Family};
use super::dropout::{Dropout, Site};
use super::transformer::Dense;
use super::{Checkpoint, Config, Encoder, Tokens, Weights, ops};
use crate::error::{Error, Result};
use crate::rng::Seed;
use candle_core::Tensor;

/// An encoder with the head of a sequence classifier.
pub struct Classifier {
    encoder: Encoder,
    dense: Dense,
    project: Dense,
    labels: usize,
}

impl Classifier {
    /// Takes encoder and head from the weights of a checkpoint.
    ///
    /// # Errors
    /// [`Error::Model`] naming the first tensor that is missing or has another shape.
    pub fn new(checkpoint: &Checkpoint, config: &Config, weights: &Weights) -> Result<Self> {
        let encoder = Encoder::new(&checkpoint.name, config, weights)?;
        let (dense, project) = match config.family {
            Family::Electra => ("classifier.dense".to_string(), "classifier.out_proj"),
            Family::Bert => {
                let prefix = weights.prefix(config.family);
                (format!("{prefix}pooler.dense"), "classifier")
            }
        };
        let Some(&[labels, _]) = weights.shape(&format!("{project}.weight")) else {
            return Err(Error::model(
                &checkpoint.name,
                format!("it has no classification head (`{project}.weight`)"),
            )
            .with_hint("fine-tune it first: `tiebreak fit pairwise DATA --base MODEL --out DIR`"));
        };
        let hidden = config.hidden;
        Ok(Self {
            encoder,
            dense: Dense::read(weights, &dense, [hidden, hidden])?,
            project: Dense::read(weights, project, [labels, hidden])?,
            labels,
        })
    }

    /// The encoder without its head.
    pub fn encoder(&self) -> &Encoder {
        &self.encoder
    }

    /// How many logits there are.
    pub fn labels(&self) -> usize {
        self.labels
    }

    /// The logits of one input: with dropout off, or under the masks of draw `draw` of a seed.
    /// They depend on nothing else.
    ///
    /// # Errors
    /// [`Error::Model`] for an input that is empty, too long, or has an id out of range, and if a
    /// logit is not a finite number.
    pub fn logits(&self, tokens: &Tokens, draw: Option<(Seed, u32)>) -> Result<Vec<f32>> {
        let dropout = draw.map(|(seed, draw)| Dropout::new(seed, tokens, draw));
        let last = self.encoder.run(tokens, dropout, |_| {})?;
        let logits = self
            .head(&last, dropout)
            .map_err(|source| self.encoder.failed(source))?;
        match logits.iter().find(|logit| !logit.is_finite()) {
            None => Ok(logits),
            Some(logit) => Err(self
                .encoder
                .failed(format!("a logit is {logit}, expected a finite number"))),
        }
    }

    fn head(&self, last: &Tensor, dropout: Option<Dropout>) -> candle_core::Result<Vec<f32>> {
        let config = self.encoder.config();
        let rate = config.dropout.head;
        let mask = |site| dropout.and_then(|dropout| dropout.mask(site, rate));
        // A copy: dropout in place must not reach into the last hidden state.
        let first = last.narrow(0, 0, 1)?.copy()?;
        let (first, activation) = match config.family {
            Family::Electra => (
                ops::dropout(first, mask(Site::HeadInput))?,
                Activation::Gelu,
            ),
            Family::Bert => (first, Activation::Tanh),
        };
        let inner = ops::activate(self.dense.apply(&first)?, activation)?;
        let inner = ops::dropout(inner, mask(Site::HeadHidden))?;
        self.project.apply(&inner)?.flatten_all()?.to_vec1()
    }
}
