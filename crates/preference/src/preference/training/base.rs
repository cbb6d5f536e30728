//! The model a training begins from, and how texts are shown to it.

use super::examples::{JudgedPair, TrainingExample};
use super::settings::{Settings, Ties};
use crate::preference::Contest;
use crate::preference::template::{self, InputTemplate};
use tiebreak_base::error::Result;
use tiebreak_base::rng::Seed;
use tiebreak_base::signature::Signature;
use tiebreak_encoders::descriptor::{Head, ModelDescriptor};
use tiebreak_encoders::training::Trainable;
use tiebreak_encoders::{
    Checkpoint, Config, Device, SubwordTokenizer, Tokens, Weights, checkpoint,
};
use tiebreak_metrics::env::Env;

/// A checkpoint about to be fine-tuned: an encoder, with or without a head.
pub struct Base {
    checkpoint: Checkpoint,
    config: Config,
    tokenizer: SubwordTokenizer,
    weights: Weights,
    template: InputTemplate,
    settings: Settings,
    device: Device,
}

/// One item: its outputs, no two alike, and the judgments of pairs of them.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainingItem<'a> {
    /// The input of the systems.
    pub source: Option<&'a str>,
    /// The human references.
    pub references: &'a [String],
    /// The outputs of the systems.
    pub outputs: &'a [String],
    /// The judged pairs, by their places among the outputs.
    pub pairs: &'a [JudgedPair],
}

impl Base {
    /// Loads the base called `name`: a folder, a described model or a hub id.
    ///
    /// # Errors
    /// What is missing or does not fit, settings among them.
    pub fn open(name: &str, settings: &Settings, env: &Env) -> Result<Self> {
        settings.check()?;
        let checkpoint = Checkpoint::resolve_model(name, &env.models, &env.hub)?;
        let config = Config::read(&checkpoint)?;
        let tokenizer = SubwordTokenizer::read(&checkpoint)?;
        tokenizer.fits(config.vocabulary)?;
        let template = template(&checkpoint, settings, &config, &tokenizer)?;
        Ok(Self {
            weights: Weights::read(&checkpoint, env.device)?,
            checkpoint,
            config,
            tokenizer,
            template,
            settings: settings.clone(),
            device: env.device,
        })
    }

    /// The parameters of the base, with a new head unless it has a fitting one.
    ///
    /// # Errors
    /// Naming a tensor that is missing or has another shape.
    pub fn trainable(&self, seed: Seed) -> Result<Trainable> {
        let output = self.settings.output();
        Trainable::new(&self.checkpoint, &self.config, &self.weights, output, seed)
    }

    /// The signature of the base: its files and how texts are shown to it.
    ///
    /// # Errors
    /// If `config.json` can no longer be read.
    pub fn signature(&self) -> Result<Signature> {
        let config = checkpoint::digest(&self.checkpoint.read("config.json")?);
        let types: Vec<String> = self.template.types().map(|t| t.to_string()).collect();
        Ok(Signature::new(&self.checkpoint.name)
            .with("weights", &self.weights.digest()[..16])
            .with("config", &config[..16])
            .with("tokenizer", &self.tokenizer.digest()[..16])
            .with("head", self.settings.head.name())
            .with("ties", self.settings.ties.name())
            .with("template", self.template.text())
            .with("types", types.join(","))
            .with("max-length", self.template.max_length()))
    }

    /// The trained head of the base, where the settings ask for another one: then it is not used.
    pub fn unused_head(&self) -> Option<Head> {
        let descriptor = &self.checkpoint.descriptor;
        let is_trained = descriptor.template.is_some();
        (is_trained && descriptor.head != self.settings.head).then_some(descriptor.head)
    }

    /// The device it is trained on.
    pub fn device(&self) -> Device {
        self.device
    }

    /// The files it was read from.
    pub fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }

    /// The meaning of each logit of the fine-tuned model, in order.
    pub fn labels(&self) -> &'static [&'static str] {
        match (self.settings.head, self.settings.ties) {
            (Head::Pointwise | Head::Matching, _) => &["score"],
            (Head::Pairwise, Ties::Class) => &["b", "tie", "a"],
            (Head::Pairwise, Ties::Half | Ties::Drop) => &["a"],
        }
    }

    /// The most tokens of an input.
    pub fn max_length(&self) -> usize {
        self.template.max_length()
    }

    /// The descriptor of the fine-tuned model.
    pub fn descriptor(&self) -> ModelDescriptor {
        let head = self.settings.head;
        let labels = self.labels().iter().map(ToString::to_string).collect();
        ModelDescriptor {
            architecture: Some(self.config.family.name().to_string()),
            head,
            template: Some(self.template.text().to_string()),
            token_types: Some(self.template.types().collect()),
            labels: (head == Head::Pairwise).then_some(labels),
            max_length: Some(self.template.max_length()),
            dropout: self.checkpoint.descriptor.dropout,
            ..ModelDescriptor::default()
        }
    }

    /// The examples of one item. For the pairwise head that is one per pair, which holds both orders; for the
    /// others one in all, with every output that a pair needs, and for the matching head with the context at last.
    ///
    /// # Errors
    /// If the tokenizer cannot take a text.
    pub fn examples(&self, item: &TrainingItem<'_>) -> Result<Vec<TrainingExample>> {
        let contest = |a, b| Contest {
            a,
            b,
            source: item.source,
            references: item.references,
        };
        let fill = |a: usize, b: usize| {
            let contest = contest(&item.outputs[a], &item.outputs[b]);
            self.template.fill(&contest, &self.tokenizer)
        };
        let example = |filled: Vec<(Tokens, bool)>, pairs: Vec<JudgedPair>| TrainingExample {
            cut: filled.iter().filter(|(_, is_cut)| *is_cut).count(),
            inputs: filled.into_iter().map(|(tokens, _)| tokens).collect(),
            pairs,
        };
        match self.settings.head {
            Head::Pointwise | Head::Matching => {
                let inputs = (0..item.outputs.len()).map(|i| fill(i, i));
                let mut inputs = inputs.collect::<Result<Vec<_>>>()?;
                if self.settings.head == Head::Matching {
                    let contest = contest("", "");
                    let context = contest.context();
                    inputs.push(self.template.fill_text(context, &self.tokenizer)?);
                }
                Ok(vec![example(inputs, item.pairs.to_vec())])
            }
            Head::Pairwise => item
                .pairs
                .iter()
                .map(|pair| {
                    let both = vec![
                        fill(pair.first, pair.second)?,
                        fill(pair.second, pair.first)?,
                    ];
                    let only = JudgedPair {
                        first: 0,
                        second: 1,
                        ..*pair
                    };
                    Ok(example(both, vec![only]))
                })
                .collect(),
        }
    }
}

/// The template asked for, else that of a base with the same head, else the head's usual one.
fn template(
    checkpoint: &Checkpoint,
    settings: &Settings,
    config: &Config,
    tokenizer: &SubwordTokenizer,
) -> Result<InputTemplate> {
    let described = &checkpoint.descriptor;
    let own = described.template.as_deref();
    let own = own.filter(|_| settings.template.is_none() && described.head == settings.head);
    let types = own.and(described.token_types.as_deref());
    let text = settings.template.as_deref().or(own).map(str::to_string);
    InputTemplate::new(
        settings.head,
        &text.unwrap_or_else(|| template::default(settings.head, tokenizer)),
        types,
        config.kinds(),
        settings.max_length.min(config.positions),
        tokenizer,
    )
}
