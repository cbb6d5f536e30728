//! What the two heads share: a classifier with its tokenizer and template, from contests to logits.

use super::Contest;
use super::template::{self, Template};
use crate::encoders::{Checkpoint, Classifier, Config, Tokenizer, Tokens, Weights, checkpoint};
use crate::env::Env;
use crate::error::{Error, Result};
use crate::rng::Seed;
use crate::signature::Signature;
use rayon::prelude::*;

/// A classifier with its tokenizer and template, asked with dropout off and then draw by draw.
pub(super) struct Reader {
    pub name: String,
    pub config: Config,
    pub classifier: Classifier,
    tokenizer: Tokenizer,
    template: Template,
    draws: u32,
    seed: Seed,
    digests: [String; 3],
    quantised: bool,
}

impl Reader {
    /// Loads a checkpoint, to be asked with `draws` passes of Monte Carlo dropout per input.
    ///
    /// # Errors
    /// Says which file, tensor or setting is missing or does not fit.
    pub fn load(checkpoint: &Checkpoint, draws: usize, env: &Env) -> Result<Self> {
        let config = Config::read(checkpoint)?;
        let tokenizer = Tokenizer::read(checkpoint)?;
        let weights = Weights::read(checkpoint, env.device)?;
        let classifier = Classifier::new(checkpoint, &config, &weights)?;
        if draws > 0 {
            classifier.encoder().check_dropout()?;
        }
        tokenizer.fits(config.vocabulary)?;
        let template = described(checkpoint, &config, &tokenizer)?;
        let draws = u32::try_from(draws)
            .map_err(|_| Error::usage(format!("{draws} draws, expected at most {}", u32::MAX)))?;
        let digests = [
            weights.digest().to_string(),
            checkpoint::digest(&checkpoint.read("config.json")?),
            tokenizer.digest().to_string(),
        ];
        Ok(Self {
            name: checkpoint.name.clone(),
            config,
            classifier,
            tokenizer,
            template,
            draws,
            seed: env.seed,
            digests,
            quantised: weights.is_quantised(),
        })
    }

    /// What produces the logits, with what one head adds to say what they mean.
    pub fn signature(&self, key: &str, meaning: &str) -> Signature {
        let [weights, config, tokenizer] = &self.digests;
        let signature = Signature::new(&self.name)
            .with("weights", &weights[..16])
            .with("config", &config[..16])
            .with("tokenizer", &tokenizer[..16])
            .with("template", self.template.text())
            .with("types", list(self.template.types()))
            .with(key, meaning)
            .with("max-length", self.template.max_length());
        let rates = self.config.dropout;
        let signature = match self.draws {
            0 => signature,
            draws => signature
                .with("draws", draws)
                .with("dropout", list([rates.hidden, rates.attention, rates.head]))
                .with("seed", self.seed.0),
        };
        match self.quantised {
            true => signature.with("precision", "int8").with("version", 1),
            false => signature.with("version", 1),
        }
    }

    /// The inputs for contests, in order.
    ///
    /// # Errors
    /// If the tokenizer cannot take a text.
    pub fn fill(&self, contests: &[Contest<'_>]) -> Result<Vec<Tokens>> {
        // Collected before it is searched for an error, so that the first one is told.
        let tokens: Vec<_> = contests
            .par_iter()
            .map(|contest| self.template.fill(contest, &self.tokenizer))
            .collect();
        tokens.into_iter().collect()
    }

    /// For every input its logits: with dropout off, then draw by draw.
    ///
    /// # Errors
    /// As [`Classifier::all_logits`].
    pub fn logits(&self, inputs: &[&Tokens]) -> Result<Vec<Vec<Vec<f32>>>> {
        let draws = || std::iter::once(None).chain((0..self.draws).map(Some));
        let asked: Vec<_> = inputs
            .iter()
            .flat_map(|tokens| draws().map(move |draw| (*tokens, draw)))
            .map(|(tokens, draw)| (tokens, draw.map(|draw| (self.seed, draw))))
            .collect();
        let logits = self.classifier.all_logits(&asked)?;
        let each = logits.chunks_exact(1 + self.draws as usize);
        Ok(each.map(<[_]>::to_vec).collect())
    }
}

/// The template of a model: as its descriptor says, else the usual one of its head.
fn described(checkpoint: &Checkpoint, config: &Config, tokenizer: &Tokenizer) -> Result<Template> {
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
    let given = descriptor.template.clone();
    let text = given.unwrap_or_else(|| template::default(descriptor.head, tokenizer));
    let types = descriptor.token_types.as_deref();
    Template::new(
        descriptor.head,
        &text,
        types,
        config.kinds(),
        max_length,
        tokenizer,
    )
    .map_err(|source| {
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
