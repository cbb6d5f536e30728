//! An encoder with the head of a sequence classifier on its first token.
//!
//! ELECTRA: dropout, dense, GELU, dropout, projection; RoBERTa the same with tanh. BERT: dense and
//! tanh (the pooler), dropout, projection. DeBERTa: dense and GELU (the pooler), projection.
//! ModernBERT: dense, GELU, normalisation, projection, of the first token or the mean of all. One
//! logit, or one per label. The head is a thousandth of the work: it is computed on the processor
//! and in f32, whatever the device and precision of the encoder.

use super::config::PositionEncoding;
use super::dropout::DropoutSite;
use super::embedder::mean;
use super::engine::{HiddenStates, Pass, StateSelection};
use super::packed::{
    AlignedMatrix, Arithmetic, Level, PackedLayerNorm, PackedLinear, linear, norm,
};
use super::parameters::ClassifierHeadParameters;
use super::{Checkpoint, Config, Encoder, Tokens, Weights};
use rayon::prelude::*;
use tiebreak_base::error::Result;
use tiebreak_base::rng::Seed;

/// The number of inputs whose heads are computed together.
const HEADS: usize = 64;

/// An encoder with the head of a sequence classifier.
pub struct Classifier {
    encoder: Encoder,
    dense: PackedLinear,
    norm: Option<PackedLayerNorm>,
    project: PackedLinear,
    labels: usize,
}

impl Classifier {
    /// Takes encoder and head from the weights of a checkpoint.
    ///
    /// # Errors
    /// [`Error::Model`](tiebreak_base::error::Error::Model) naming the first tensor that is missing or has another shape.
    pub fn new(checkpoint: &Checkpoint, config: &Config, weights: &Weights) -> Result<Self> {
        let encoder = Encoder::new(&checkpoint.name, config, weights)?;
        let project = config.family.projection();
        let Some(&[labels, _]) = weights.shape(&format!("{project}.weight")) else {
            let what = format!("it has no classification head (`{project}.weight`)");
            return Err(checkpoint.untuned(what, None));
        };
        let head = ClassifierHeadParameters::read(weights, config, labels)?;
        let pack = |part| {
            linear(Level::best(), Arithmetic::F32, &[part]).map_err(|source| encoder.failed(source))
        };
        let packed = head.norm.as_ref().map(|part| norm(Level::best(), part));
        Ok(Self {
            dense: pack(&head.dense)?,
            norm: packed
                .transpose()
                .map_err(|source| encoder.failed(source))?,
            project: pack(&head.project)?,
            encoder,
            labels,
        })
    }

    /// The number of logits.
    pub fn labels(&self) -> usize {
        self.labels
    }

    /// The logits of one input: with dropout off, or under the masks of draw `draw` of a seed.
    /// They depend on nothing else.
    ///
    /// # Errors
    /// [`Error::Model`](tiebreak_base::error::Error::Model) for an input that is empty, too long, or has an id out of range, and if a
    /// logit is not a finite number.
    pub fn logits(&self, tokens: &Tokens, draw: Option<(Seed, u32)>) -> Result<Vec<f32>> {
        Ok(self.all_logits(&[(tokens, draw)])?.remove(0))
    }

    /// The logits of many inputs and draws, computed in parallel, in order. All draws of an input
    /// are best adjacent.
    ///
    /// # Errors
    /// As [`Classifier::logits`], for the first such input.
    pub fn all_logits(&self, asked: &[(&Tokens, Option<(Seed, u32)>)]) -> Result<Vec<Vec<f32>>> {
        let passes = asked
            .iter()
            .map(|&(tokens, draw)| self.encoder.pass(tokens, draw));
        let passes: Vec<Pass<'_>> = passes.collect();
        let read = self.encoder.run(&passes, &self.wanted())?;
        let logits: Vec<Vec<f32>> = passes
            .par_chunks(HEADS)
            .zip(read.par_chunks(HEADS))
            .flat_map_iter(|(passes, read)| self.head(passes, read))
            .collect();
        match logits.iter().flatten().find(|logit| !logit.is_finite()) {
            None => Ok(logits),
            Some(logit) => Err(self
                .encoder
                .failed(format!("a logit is {logit}, expected a finite number"))),
        }
    }

    /// The last hidden states that the head reads.
    fn wanted(&self) -> StateSelection {
        let config = self.encoder.config();
        match &config.places {
            PositionEncoding::Rotary(rotary) if rotary.mean => {
                StateSelection::Layers(config.layers..=config.layers)
            }
            _ => StateSelection::First,
        }
    }

    /// The logits from last hidden states: of the first token, or of all whose mean is taken.
    fn head(&self, passes: &[Pass<'_>], read: &[HiddenStates]) -> Vec<Vec<f32>> {
        let config = self.encoder.config();
        let rate = config.dropout.head;
        let (mut x, mut inner, mut logits) = (
            AlignedMatrix::default(),
            AlignedMatrix::default(),
            AlignedMatrix::default(),
        );
        x.shape(read.len(), config.hidden);
        for (i, (pass, read)) in passes.iter().zip(read).enumerate() {
            let row = x.row_mut(i);
            row.copy_from_slice(&mean(read));
            let mask = pass.mask(DropoutSite::HeadInput, rate);
            if let Some(mask) = mask.filter(|_| config.family.drops_head_input()) {
                mask.apply(0, row);
            }
        }
        self.dense
            .apply(&x, Some(config.head_activation), &mut inner);
        if let Some(norm) = &self.norm {
            norm.apply(&mut inner, 0..read.len());
        }
        for (i, pass) in passes.iter().enumerate() {
            if let Some(mask) = pass.mask(DropoutSite::HeadHidden, rate) {
                mask.apply(0, inner.row_mut(i));
            }
        }
        self.project.apply(&inner, None, &mut logits);
        let rows = 0..read.len();
        rows.map(|i| logits.row(i).to_vec()).collect()
    }
}
