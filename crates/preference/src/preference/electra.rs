//! The pairwise preference model: a fine-tuned ELECTRA or BERT reads the context and both outputs
//! and says which people would prefer.
//!
//! Mohankumar and Khapra, "Active Evaluation", ACL 2022, section 4.2. One input holds context,
//! first and second output; with dropout off the classifier gives p, and passes with Monte Carlo
//! dropout give the draws. Template, token types and the meaning of the logits come from
//! the model's descriptor.

use super::labels::LogitLabels;
use super::reader::ContestReader;
use super::{Contest, Options, StochasticModel};
use tiebreak_base::error::Result;
use tiebreak_base::signature::Signature;
use tiebreak_encoders::{Checkpoint, Classifier};
use tiebreak_metrics::env::Env;

/// A fine-tuned classifier of contests.
pub(crate) struct Electra {
    reader: ContestReader<Classifier>,
    labels: LogitLabels,
    signature: Signature,
}

impl Electra {
    /// Loads a checkpoint.
    ///
    /// # Errors
    /// Says which file, tensor or setting is missing or does not fit.
    pub(super) fn load(checkpoint: &Checkpoint, options: &Options, env: &Env) -> Result<Self> {
        let reader = ContestReader::load(checkpoint, options, env, Classifier::new)?;
        let labels = LogitLabels::new(
            &checkpoint.name,
            reader.network.labels(),
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

impl StochasticModel for Electra {
    fn signature(&self) -> Signature {
        self.signature.clone()
    }

    fn cost(&self) -> u64 {
        self.reader.config.multiplications()
    }

    fn account(&self) -> Option<String> {
        self.reader.account()
    }

    fn preferences(
        &self,
        contests: &[Contest<'_>],
        passes: &[Option<u32>],
    ) -> Result<Vec<Vec<f64>>> {
        let tokens = self.reader.fill(contests)?;
        let inputs: Vec<_> = tokens.iter().collect();
        let logits = self.reader.logits(&inputs, passes)?;
        let preferences = |logits: Vec<Vec<f32>>| {
            let each = logits.iter().map(|logits| self.labels.preference(logits));
            each.collect()
        };
        Ok(logits.into_iter().map(preferences).collect())
    }
}
