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
    /// The inputs that were read, and those of them that were cut.
    inputs: AtomicU64,
    cut: AtomicU64,
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
            inputs: AtomicU64::new(0),
            cut: AtomicU64::new(0),
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

    /// Counts inputs with those that were cut, and their tokens with the unknown ones.
    fn counted(&self, inputs: Result<Vec<(Tokens, bool)>>) -> Result<Vec<Tokens>> {
        let (inputs, cut): (Vec<Tokens>, Vec<bool>) = inputs?.into_iter().unzip();
        let add = |to: &AtomicU64, count: usize| to.fetch_add(count as u64, Ordering::Relaxed);
        add(&self.inputs, inputs.len());
        add(&self.cut, cut.into_iter().filter(|&one| one).count());
        let ids = || inputs.iter().flat_map(|tokens| &tokens.ids);
        let unknown = self.tokenizer.unknown();
        let is_unknown = |id: &&u32| Some(**id) == unknown;
        add(&self.read, ids().count());
        add(&self.unknown, ids().filter(is_unknown).count());
        Ok(inputs)
    }

    /// What the model did not see of the texts, in sentences: what was cut, and many words that its vocabulary lacks.
    pub(super) fn account(&self) -> Option<String> {
        let name = &self.name;
        let count = |some: &AtomicU64| some.load(Ordering::Relaxed);
        let (cut, inputs) = (count(&self.cut), count(&self.inputs));
        let cut = (cut > 0).then(|| {
            let most = self.template.max_length();
            format!("{cut} of {inputs} model inputs exceed the {most} tokens that {name} reads, so their texts were cut at the end")
        });
        let share = count(&self.unknown) as f64 / count(&self.read).max(1) as f64;
        let unknown = (share >= MOST_UNKNOWN).then(|| {
            let percent = 100.0 * share;
            format!(
                "{percent:.0} % of the tokens of these texts are not in the vocabulary of {name}. \
                 Take a model of their language, or the scores of a metric"
            )
        });
        let all: Vec<String> = cut.into_iter().chain(unknown).collect();
        (!all.is_empty()).then(|| all.join(". "))
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
