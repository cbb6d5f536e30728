//! The pointwise preference model: a fine-tuned ELECTRA or BERT scores each output by itself, and
//! the better score is preferred.
//!
//! Bradley and Terry, "Rank analysis of incomplete block designs", 1952: the preference for `a` is
//! σ(score of a − score of b). One pass reads the context with one output, so that an item with k
//! outputs costs k passes instead of k(k−1)/2, and the preference does not depend on the order of
//! presentation.
//!
//! Draw l of a preference joins draw l of both scores. Masks are functions of the input (see
//! [`crate::encoders::dropout`]): two outputs have independent masks in one draw, and the same
//! context and output have the same ones in every contest. Identical texts tie exactly in every draw.

use super::beside::Beside;
use super::distinct::{Distinct, Sides};
use super::reader::Reader;
use super::{Contest, Options, Sampled};
use crate::encoders::Checkpoint;
use crate::env::Env;
use crate::error::{Error, Result};
use crate::signature::Signature;

/// A fine-tuned scorer of outputs.
pub struct Pointwise {
    reader: Reader,
    /// What is added to its log-odds.
    beside: Vec<Beside>,
}

impl Pointwise {
    /// Loads a checkpoint.
    ///
    /// # Errors
    /// Says which file, tensor or setting is missing or does not fit; a model with other than one
    /// logit.
    pub fn load(checkpoint: &Checkpoint, options: &Options, env: &Env) -> Result<Self> {
        let reader = Reader::load(checkpoint, options, env)?;
        let logits = reader.classifier.labels();
        if logits != 1 {
            let what = format!("it has {logits} logits, expected one score for the pointwise head");
            let hint = "set head = \"pairwise\" in its descriptor (tiebreak.toml), with `labels`";
            return Err(Error::model(&checkpoint.name, what).with_hint(hint));
        }
        if checkpoint.descriptor.labels.is_some() {
            let what = "its descriptor gives `labels`, which only the pairwise head has";
            return Err(Error::model(&checkpoint.name, what));
        }
        let beside = Beside::all(&checkpoint.descriptor, env)
            .map_err(|source| Error::model(&checkpoint.name, source))?;
        Ok(Self { reader, beside })
    }
}

impl Sampled for Pointwise {
    fn signature(&self) -> Signature {
        let signature = self.reader.signature("head", "pointwise");
        self.beside.iter().fold(signature, |signature, beside| {
            let (key, value) = beside.signature();
            signature.with(key, value)
        })
    }

    fn reads_outputs_apart(&self) -> bool {
        true
    }

    fn cost(&self) -> u64 {
        self.reader.config.multiplications()
    }

    fn preferences(
        &self,
        contests: &[Contest<'_>],
        passes: &[Option<u32>],
    ) -> Result<Vec<Vec<f64>>> {
        let sides = Sides::from_contests(contests);
        let tokens = self.reader.fill(&sides.all)?;
        // What differs may still be the same to the tokenizer.
        let mut inputs = Distinct::default();
        let mut places = Vec::with_capacity(tokens.len());
        for tokens in &tokens {
            places.push(inputs.place((&tokens.ids, &tokens.types), tokens));
        }
        let scores = self.reader.logits(&inputs.all, passes)?;
        let mut added = vec![0.0; contests.len()];
        for beside in &self.beside {
            for (added, more) in added.iter_mut().zip(beside.log_odds(&sides)?) {
                *added += more;
            }
        }
        let prefer = |(&(first, second), added): (&(usize, usize), f64)| {
            let [first, second] = [first, second].map(|side| &scores[places[side]]);
            let both = first.iter().zip(second);
            both.map(|(a, b)| logistic(f64::from(a[0]) - f64::from(b[0]) + added))
                .collect()
        };
        Ok(sides.of.iter().zip(added).map(prefer).collect())
    }
}

/// σ(x).
fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}
