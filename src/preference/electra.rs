//! The pairwise preference model: a fine-tuned ELECTRA or BERT reads the context and both outputs
//! and says which people would prefer.
//!
//! Mohankumar and Khapra, "Active Evaluation", ACL 2022, section 4.2. One input holds context,
//! first and second output; with dropout off the classifier gives p, and L passes with Monte
//! Carlo dropout give the draws. Template, token types and the meaning of the logits come from
//! the model's descriptor.

use super::labels::Labels;
use super::template::{DEFAULT, Template};
use super::{Contest, PairwiseModel, Preference};
use crate::encoders::{Checkpoint, Classifier, Config, Tokenizer, Tokens, Weights, checkpoint};
use crate::env::Env;
use crate::error::{Error, Result};
use crate::rng::Seed;
use crate::signature::Signature;
use rayon::prelude::*;

/// A fine-tuned classifier of contests.
pub struct Electra {
    classifier: Classifier,
    tokenizer: Tokenizer,
    template: Template,
    labels: Labels,
    draws: u32,
    seed: Seed,
    signature: Signature,
}

impl Electra {
    /// Loads a checkpoint, to be asked with `draws` passes of Monte Carlo dropout per contest.
    ///
    /// # Errors
    /// Says which file, tensor or setting is missing or does not fit.
    pub fn load(checkpoint: &Checkpoint, draws: usize, env: &Env) -> Result<Self> {
        let config = Config::read(checkpoint)?;
        let tokenizer = Tokenizer::read(checkpoint)?;
        let weights = Weights::read(checkpoint, env.device)?;
        let classifier = Classifier::new(checkpoint, &config, &weights)?;
        tokenizer.fits(config.vocabulary)?;
        let template = template(checkpoint, &config, &tokenizer)?;
        let labels = Labels::new(
            &checkpoint.name,
            classifier.labels(),
            checkpoint.descriptor.labels.as_deref(),
            &config.labels,
        )?;
        let draws = u32::try_from(draws)
            .map_err(|_| Error::usage(format!("{draws} draws, expected at most {}", u32::MAX)))?;
        let digest = &checkpoint::digest(&checkpoint.read("config.json")?);
        let signature = Signature::new(&checkpoint.name)
            .with("weights", &weights.digest()[..16])
            .with("config", &digest[..16])
            .with("tokenizer", &tokenizer.digest()[..16])
            .with("template", template.text())
            .with("types", list(template.types()))
            .with("labels", labels.names().join(","))
            .with("max-length", template.max_length());
        let rates = config.dropout;
        let signature = match draws {
            0 => signature,
            _ => signature
                .with("draws", draws)
                .with("dropout", list([rates.hidden, rates.attention, rates.head]))
                .with("seed", env.seed.0),
        };
        Ok(Self {
            classifier,
            tokenizer,
            template,
            labels,
            draws,
            seed: env.seed,
            signature: signature.with("version", 1),
        })
    }
}

impl PairwiseModel for Electra {
    fn signature(&self) -> Signature {
        self.signature.clone()
    }

    fn predict(&self, contests: &[Contest<'_>]) -> Result<Vec<Preference>> {
        // Collected before it is searched for an error, so that the first one is told.
        let tokens: Vec<_> = contests
            .par_iter()
            .map(|contest| self.template.fill(contest, &self.tokenizer))
            .collect();
        let tokens = tokens.into_iter().collect::<Result<Vec<Tokens>>>()?;
        // With dropout off, then draw by draw.
        let draws = || std::iter::once(None).chain((0..self.draws).map(Some));
        let asked: Vec<_> = tokens
            .iter()
            .flat_map(|tokens| draws().map(move |draw| (tokens, draw)))
            .map(|(tokens, draw)| (tokens, draw.map(|draw| (self.seed, draw))))
            .collect();
        let logits = self.classifier.all_logits(&asked)?;
        let of = |logits: &[Vec<f32>]| Preference {
            p: self.labels.preference(&logits[0]),
            draws: logits[1..]
                .iter()
                .map(|logits| self.labels.preference(logits))
                .collect(),
        };
        let each = logits.chunks_exact(1 + self.draws as usize);
        Ok(each.map(of).collect())
    }
}

fn template(checkpoint: &Checkpoint, config: &Config, tokenizer: &Tokenizer) -> Result<Template> {
    let descriptor = &checkpoint.descriptor;
    let max_length = descriptor.max_length.unwrap_or(config.positions);
    if max_length > config.positions {
        return Err(Error::model(
            &checkpoint.name,
            format!(
                "its descriptor says max_length {max_length}, config.json {} positions",
                config.positions
            ),
        ));
    }
    let text = descriptor.template.as_deref().unwrap_or(DEFAULT);
    let types = descriptor.token_types.as_deref();
    Template::new(text, types, config.types, max_length, tokenizer).map_err(|source| {
        let hint = source.hint();
        let error = Error::model(&checkpoint.name, source);
        match hint {
            Some(hint) => error.with_hint(hint),
            None => error,
        }
    })
}

fn list(values: impl IntoIterator<Item = impl ToString>) -> String {
    let values: Vec<String> = values.into_iter().map(|v| v.to_string()).collect();
    values.join(",")
}
