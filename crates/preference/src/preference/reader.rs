//! The reader of all heads: a network with its tokenizer and template, from contests to numbers.

use super::template::{self, InputTemplate};
use super::{Contest, Draws, Options};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::rng::Seed;
use tiebreak_base::signature::Signature;
use tiebreak_encoders::{
    Checkpoint, Classifier, Config, Device, MatchingModel, Precision, Scope, SubwordTokenizer,
    Tokens, Weights, checkpoint,
};
use tiebreak_metrics::env::Env;

/// The share of unknown tokens from which on a model is said not to see a text.
const MOST_UNKNOWN: f64 = 0.1;

/// A network with its tokenizer and template.
pub(super) struct ContestReader<Network> {
    pub name: String,
    pub config: Config,
    pub network: Network,
    tokenizer: SubwordTokenizer,
    /// The tokens that were read, and those of them that the vocabulary does not hold.
    read: AtomicU64,
    unknown: AtomicU64,
    template: InputTemplate,
    draws: Draws,
    precision: Precision,
    device: Device,
    seed: Seed,
    digests: [String; 3],
    quantised: bool,
}

impl<Network: Sync> ContestReader<Network> {
    /// Loads a checkpoint, to be asked as the options say, whose network is made by `new`.
    ///
    /// # Errors
    /// Says which file, tensor or setting is missing or does not fit.
    pub(super) fn load(
        checkpoint: &Checkpoint,
        options: &Options,
        env: &Env,
        new: impl FnOnce(&Checkpoint, &Config, &Weights) -> Result<Network>,
    ) -> Result<Self> {
        let mut config = Config::read(checkpoint)?;
        config.scope = options.dropout.unwrap_or_default();
        let tokenizer = SubwordTokenizer::read(checkpoint)?;
        let precision = options.precision.unwrap_or_default();
        let weights = Weights::read_for(checkpoint, env.device, precision)?;
        let network = new(checkpoint, &config, &weights)?;
        if options.draws().any() {
            config.check_dropout(&checkpoint.name)?;
        }
        tokenizer.fits(config.vocabulary)?;
        let template = described(checkpoint, &config, &tokenizer)?;
        let digests = [
            weights.digest().to_string(),
            checkpoint::digest(&checkpoint.read("config.json")?),
            tokenizer.digest().to_string(),
        ];
        Ok(Self {
            name: checkpoint.name.clone(),
            config,
            network,
            tokenizer,
            read: AtomicU64::new(0),
            unknown: AtomicU64::new(0),
            template,
            draws: options.draws(),
            precision,
            device: env.device,
            seed: env.seed,
            digests,
            quantised: weights.is_quantised(),
        })
    }

    /// The signature of the numbers, with a key of the head that says what they mean.
    pub(super) fn signature(&self, key: &str, meaning: &str) -> Signature {
        let [weights, config, tokenizer] = &self.digests;
        let mut signature = Signature::new(&self.name)
            .with("weights", &weights[..16])
            .with("config", &config[..16])
            .with("tokenizer", &tokenizer[..16])
            .with("template", self.template.text())
            .with("types", list(self.template.types()))
            .with(key, meaning)
            .with("max-length", self.template.max_length());
        let rates = self.config.dropout;
        if self.draws.any() {
            signature = signature
                .with("draws", self.draws)
                .with("dropout", list([rates.hidden, rates.attention, rates.head]));
            if self.config.scope != Scope::All {
                signature = signature.with("dropout-in", self.config.scope.name());
            }
            signature = signature.with("seed", self.seed.0);
        }
        if self.quantised {
            signature = signature.with("precision", "int8");
        }
        if self.precision != Precision::F32 {
            signature = signature.with("arithmetic", self.precision.name());
        }
        self.device.sign(signature).with("version", 1)
    }

    /// The inputs for contests, in order.
    pub(super) fn fill(&self, contests: &[Contest<'_>]) -> Result<Vec<Tokens>> {
        // Collected before it is searched for an error, so that the first error is returned.
        let tokens: Vec<_> = contests
            .par_iter()
            .map(|contest| self.template.fill(contest, &self.tokenizer))
            .collect();
        self.counted(tokens.into_iter().collect())
    }

    /// Counts the tokens of inputs, and the unknown ones.
    fn counted(&self, inputs: Result<Vec<Tokens>>) -> Result<Vec<Tokens>> {
        let inputs = inputs?;
        let ids = || inputs.iter().flat_map(|tokens| &tokens.ids);
        let unknown = self.tokenizer.unknown();
        let is_unknown = |id: &&u32| Some(**id) == unknown;
        self.read.fetch_add(ids().count() as u64, Ordering::Relaxed);
        self.unknown
            .fetch_add(ids().filter(is_unknown).count() as u64, Ordering::Relaxed);
        Ok(inputs)
    }

    /// A sentence on texts that the vocabulary does not hold, where they are many.
    pub(super) fn account(&self) -> Option<String> {
        let count = |tokens: &AtomicU64| tokens.load(Ordering::Relaxed) as f64;
        let share = count(&self.unknown) / count(&self.read).max(1.0);
        (share >= MOST_UNKNOWN).then(|| {
            let name = &self.name;
            let percent = 100.0 * share;
            format!(
                "{percent:.0} % of the tokens of these texts are not in the vocabulary of {name}. \
                 Take a model of their language, or the scores of a metric"
            )
        })
    }

    fn draws(&self, passes: &[Option<u32>]) -> Vec<Option<(Seed, u32)>> {
        let draw = |pass: &Option<u32>| pass.map(|draw| (self.seed, draw));
        passes.iter().map(draw).collect()
    }
}

impl ContestReader<Classifier> {
    /// The logits of every input in every pass: with dropout off (`None`) or in a draw.
    pub(super) fn logits(
        &self,
        inputs: &[&Tokens],
        passes: &[Option<u32>],
    ) -> Result<Vec<Vec<Vec<f32>>>> {
        let draws = self.draws(passes);
        let asked: Vec<_> = inputs
            .iter()
            .flat_map(|tokens| draws.iter().map(move |draw| (*tokens, *draw)))
            .collect();
        let logits = self.network.all_logits(&asked)?;
        let each = logits.chunks_exact(passes.len());
        Ok(each.map(<[_]>::to_vec).collect())
    }
}

impl ContestReader<MatchingModel> {
    /// The inputs for texts by themselves, in order.
    pub(super) fn fill_texts(&self, texts: &[&str]) -> Result<Vec<Tokens>> {
        let fill = |text: &&str| self.template.fill_text(text, &self.tokenizer);
        let tokens: Vec<_> = texts.par_iter().map(fill).collect();
        self.counted(tokens.into_iter().collect())
    }

    /// The scores of every pair of inputs, output and context by their places, in every pass.
    pub(super) fn scores(
        &self,
        inputs: &[&Tokens],
        pairs: &[(usize, usize)],
        passes: &[Option<u32>],
    ) -> Result<Vec<Vec<f32>>> {
        self.network.scores(inputs, pairs, &self.draws(passes))
    }
}

/// The template of a model: that of its descriptor, else the usual one of its head.
fn described(
    checkpoint: &Checkpoint,
    config: &Config,
    tokenizer: &SubwordTokenizer,
) -> Result<InputTemplate> {
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
    InputTemplate::new(
        descriptor.head,
        &text,
        types,
        config.kinds(),
        max_length,
        tokenizer,
    )
    .map_err(|source| Error::model(&checkpoint.name, source.message()).with_hint_of(&source))
}

fn list(values: impl IntoIterator<Item = impl ToString>) -> String {
    let values: Vec<String> = values.into_iter().map(|v| v.to_string()).collect();
    values.join(",")
}
