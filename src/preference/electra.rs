//! The pairwise preference model: a fine-tuned ELECTRA or BERT reads the context and both outputs
//! and says which people would prefer.
//!
//! Mohankumar and Khapra, "Active Evaluation", ACL 2022, section 4.2. One input holds context,
//! first and second output; with dropout off the classifier gives p, and L passes with Monte
//! Carlo dropout give the draws. Template, token types and the meaning of the logits come from
//! the model's descriptor.

use super::labels::Labels;
use super::reader::Reader;
use super::{Contest, PairwiseModel, Preference};
use crate::encoders::Checkpoint;
use crate::env::Env;
use crate::error::Result;
use crate::signature::Signature;

/// A fine-tuned classifier of contests.
pub struct Electra {
    reader: Reader,
    labels: Labels,
    signature: Signature,
}

impl Electra {
    /// Loads a checkpoint, to be asked with `draws` passes of Monte Carlo dropout per contest.
    ///
    /// # Errors
    /// Says which file, tensor or setting is missing or does not fit.
    pub fn load(checkpoint: &Checkpoint, draws: usize, env: &Env) -> Result<Self> {
        let reader = Reader::load(checkpoint, draws, env)?;
        let labels = Labels::new(
            &checkpoint.name,
            reader.classifier.labels(),
            checkpoint.descriptor.labels.as_deref(),
            &reader.config.labels,
        )?;
        Ok(Self {
            signature: reader.signature("labels", &labels.names().join(",")),
            reader,
            labels,
        })
    }
}

impl PairwiseModel for Electra {
    fn signature(&self) -> Signature {
        self.signature.clone()
    }

    fn predict(&self, contests: &[Contest<'_>]) -> Result<Vec<Preference>> {
        let tokens = self.reader.fill(contests)?;
        let logits = self.reader.logits(&tokens.iter().collect::<Vec<_>>())?;
        let of = |logits: Vec<Vec<f32>>| {
            let mut each = logits.iter().map(|logits| self.labels.preference(logits));
            Preference {
                p: each.next().unwrap_or(f64::NAN),
                draws: each.collect(),
            }
        };
        Ok(logits.into_iter().map(of).collect())
    }
}
