//! An encoder with the head of a sequence classifier on its first token.
//!
//! ELECTRA: dropout, dense, GELU, dropout, projection. BERT: dense and tanh (the pooler),
//! dropout, projection. One logit, or one per label. The head is a thousandth of the work, and
//! computed on the processor wherever the encoder runs.

use super::config::Family;
use super::dropout::{Dropout, Site};
use super::engine::{Hidden, Pass, Wanted};
use super::packed::{Level, Linear, Rows, linear};
use super::parameters::Head;
use super::{Checkpoint, Config, Encoder, Tokens, Weights};
use crate::error::{Error, Result};
use crate::rng::Seed;
use rayon::prelude::*;

/// Inputs whose heads are computed together.
const HEADS: usize = 64;

/// An encoder with the head of a sequence classifier.
pub struct Classifier {
    encoder: Encoder,
    dense: Linear,
    project: Linear,
    labels: usize,
}

impl Classifier {
    /// Takes encoder and head from the weights of a checkpoint.
    ///
    /// # Errors
    /// [`Error::Model`] naming the first tensor that is missing or has another shape.
    pub fn new(checkpoint: &Checkpoint, config: &Config, weights: &Weights) -> Result<Self> {
        let encoder = Encoder::new(&checkpoint.name, config, weights)?;
        let project = config.family.projection();
        let Some(&[labels, _]) = weights.shape(&format!("{project}.weight")) else {
            return Err(Error::model(
                &checkpoint.name,
                format!("it has no classification head (`{project}.weight`)"),
            )
            .with_hint("fine-tune it first: `tiebreak fit pairwise DATA --base MODEL --out DIR`"));
        };
        let head = Head::read(weights, config, labels)?;
        let pack = |part| linear(Level::best(), &[part]).map_err(|source| encoder.failed(source));
        Ok(Self {
            dense: pack(&head.dense)?,
            project: pack(&head.project)?,
            encoder,
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
        Ok(self.all_logits(&[(tokens, draw)])?.remove(0))
    }

    /// The same for many inputs and draws in parallel, in order. All draws of an input are best
    /// put side by side.
    ///
    /// # Errors
    /// As [`Classifier::logits`], for the first such input.
    pub fn all_logits(&self, asked: &[(&Tokens, Option<(Seed, u32)>)]) -> Result<Vec<Vec<f32>>> {
        let pass = |&(tokens, draw): &(_, Option<(Seed, u32)>)| Pass {
            tokens,
            dropout: draw.map(|(seed, draw)| Dropout::new(seed, tokens, draw)),
        };
        let passes: Vec<Pass<'_>> = asked.iter().map(pass).collect();
        let first = self.encoder.run(&passes, &Wanted::First)?;
        let logits: Vec<Vec<f32>> = passes
            .par_chunks(HEADS)
            .zip(first.par_chunks(HEADS))
            .flat_map_iter(|(passes, first)| self.head(passes, first))
            .collect();
        match logits.iter().flatten().find(|logit| !logit.is_finite()) {
            None => Ok(logits),
            Some(logit) => Err(self
                .encoder
                .failed(format!("a logit is {logit}, expected a finite number"))),
        }
    }

    /// From the first tokens' last hidden states to the logits.
    fn head(&self, passes: &[Pass<'_>], first: &[Hidden]) -> Vec<Vec<f32>> {
        let config = self.encoder.config();
        let rate = config.dropout.head;
        let (mut x, mut inner, mut logits) = (Rows::default(), Rows::default(), Rows::default());
        x.shape(first.len(), config.hidden);
        for (i, (pass, first)) in passes.iter().zip(first).enumerate() {
            let row = x.row_mut(i);
            row.copy_from_slice(&first.layers[0]);
            let mask = pass.mask(Site::HeadInput, rate);
            if let Some(mask) = mask.filter(|_| config.family == Family::Electra) {
                mask.apply(0, row);
            }
        }
        let activation = config.family.head_activation();
        self.dense.apply(&x, Some(activation), &mut inner);
        for (i, pass) in passes.iter().enumerate() {
            if let Some(mask) = pass.mask(Site::HeadHidden, rate) {
                mask.apply(0, inner.row_mut(i));
            }
        }
        self.project.apply(&inner, None, &mut logits);
        let rows = 0..first.len();
        rows.map(|i| logits.row(i).to_vec()).collect()
    }
}
