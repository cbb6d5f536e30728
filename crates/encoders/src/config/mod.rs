//! The shape of an encoder: Hugging Face's `config.json`.

mod family;
mod raw;

pub use family::EncoderFamily;

use super::deberta::DebertaConfig;
use super::modernbert::ModernBertConfig;
use super::{Checkpoint, Scope, Tokens};
use serde::Deserialize;
use serde_json::Value;
use tiebreak_base::error::{Error, Key, Result};
use tiebreak_base::message;

/// A non-linear activation function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Activation {
    /// x Φ(x), through erf.
    #[serde(alias = "gelu_python")]
    Gelu,
    /// GELU approximated through tanh.
    #[serde(
        rename = "gelu_pytorch_tanh",
        alias = "gelu_new",
        alias = "gelu_fast",
        alias = "gelu_python_tanh",
        alias = "gelu_accurate"
    )]
    GeluTanh,
    /// max(x, 0).
    Relu,
    /// x σ(x).
    #[serde(alias = "swish")]
    Silu,
    /// Hyperbolic tangent.
    Tanh,
}

/// The shape of an encoder. Sizes are in floats unless said otherwise.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// BERT, ELECTRA or another.
    pub family: EncoderFamily,
    /// Number of tokens.
    pub vocabulary: usize,
    /// Width of the embeddings; smaller than `hidden` in ELECTRA-small, say.
    pub embedding: usize,
    /// Width of the hidden states.
    pub hidden: usize,
    /// Number of layers.
    pub layers: usize,
    /// Attention heads per layer.
    pub heads: usize,
    /// Width inside the feed-forward layers.
    pub intermediate: usize,
    /// The non-linearity of the feed-forward layers.
    pub(crate) activation: Activation,
    /// Added to the variance in `LayerNorm`.
    pub epsilon: f32,
    /// Longest input in tokens.
    pub positions: usize,
    /// The padding token, which takes no position in RoBERTa: positions begin after its id.
    pub padding: Option<u32>,
    /// Number of token types; 0 where they have no embeddings.
    pub types: usize,
    /// The encoding of token positions.
    pub(crate) places: PositionEncoding,
    /// The non-linearity in the classification head.
    pub(crate) head_activation: Activation,
    /// Dropout rates.
    pub dropout: Rates,
    /// The part of the encoder with dropout when draws are made.
    pub scope: Scope,
    /// Names of the labels, in the order of the logits, where there are any.
    pub labels: Vec<String>,
}

/// The encoding of token positions.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum PositionEncoding {
    /// Embeddings of positions, added to those of the words.
    Absolute,
    /// Embeddings of positions, and a bias by distance added to attention scores: MPNet.
    Biased,
    /// Embeddings of distances: DeBERTa.
    Relative(DebertaConfig),
    /// Rotations of queries and keys: ModernBERT.
    Rotary(ModernBertConfig),
}

/// Dropout rates in [0, 1).
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Rates {
    /// The rate for embeddings and for what each layer adds.
    pub hidden: f64,
    /// The rate for attention probabilities.
    pub attention: f64,
    /// The rate in the classification head.
    pub head: f64,
}

impl Config {
    /// Refuses a family that is run without dropout.
    ///
    /// # Errors
    /// [`Error::Model`] for the model of this name, with the families that have it.
    pub fn check_dropout(&self, model: &str) -> Result<()> {
        let family = self.family;
        if family.has_dropout() {
            return Ok(());
        }
        let what = format!(
            "{} is run without dropout here, so there are no Monte Carlo draws of it",
            family.name()
        );
        let others = EncoderFamily::ALL
            .into_iter()
            .filter(|family| family.has_dropout());
        let others: Vec<&str> = others.map(EncoderFamily::name).collect();
        Err(Error::model(model, what).with_hint(message!(
            "ask for none ({}), or take a model of another family: {}",
            Key("draws").set(0),
            others.join(", ")
        )))
    }

    /// The approximate number of multiplications per token: those by the weights of the layers.
    pub fn multiplications(&self) -> u64 {
        let layer = 4 * self.hidden * self.hidden + 2 * self.hidden * self.intermediate;
        (self.layers * layer) as u64
    }

    /// Reads the `config.json` of a checkpoint.
    ///
    /// # Errors
    /// [`Error::Input`] if the file is missing or damaged, [`Error::Model`] if it describes a
    /// model that cannot be run here.
    pub fn read(checkpoint: &Checkpoint) -> Result<Self> {
        let bytes = checkpoint.read("config.json")?;
        let damaged = |source: serde_json::Error| {
            checkpoint.unfit(
                "config.json",
                format!("not an encoder's configuration: {source}"),
            )
        };
        let failed = |what: String| Error::model(&checkpoint.name, what);
        let json: Value = serde_json::from_slice(&bytes).map_err(damaged)?;
        let family = family(&json).map_err(|what| failed(what).with_hint(known()))?;
        let raw: raw::RawEncoderConfig = serde_json::from_value(json.clone()).map_err(damaged)?;
        let config = raw.check(family, &json);
        let config = config.map_err(|what| failed(format!("config.json: {what}")))?;
        config.described(checkpoint)
    }

    /// Applies the settings of the model's descriptor.
    fn described(mut self, checkpoint: &Checkpoint) -> Result<Self> {
        let family = self.family.name();
        let failed = |what: String| Error::model(&checkpoint.name, what);
        if let Some(rate) = checkpoint.descriptor.dropout {
            if !self.family.has_dropout() {
                let what = format!(
                    "its descriptor gives `dropout`, but {family} is run without dropout here"
                );
                return Err(failed(what).with_hint("take the key out of its tiebreak.toml"));
            }
            self.dropout = Rates {
                hidden: rate,
                attention: rate,
                head: rate,
            };
        }
        match &checkpoint.descriptor.architecture {
            Some(stated) if stated != family => Err(failed(format!(
                "its descriptor says architecture `{stated}`, config.json `{family}`"
            ))),
            _ => Ok(self),
        }
    }

    /// The number of token types that can be distinguished.
    pub fn kinds(&self) -> usize {
        match self.family.has_types() {
            true => self.types.max(1),
            false => 1,
        }
    }

    /// The number of rows of the position table.
    pub(super) fn position_rows(&self) -> usize {
        self.positions + self.first_position()
    }

    fn first_position(&self) -> usize {
        self.padding.map_or(0, |id| id as usize + 1)
    }

    /// The rows of every token in the tables of words, types and positions.
    pub(super) fn rows<'a>(&self, tokens: &'a Tokens) -> impl Iterator<Item = [usize; 3]> + 'a {
        let (padding, typed) = (self.padding, self.kinds() > 1);
        let mut next = self.first_position();
        let pieces = tokens.ids.iter().zip(&tokens.types);
        pieces.map(move |(&word, &kind)| {
            let kind = if typed { kind as usize } else { 0 };
            if padding == Some(word) {
                return [word as usize, kind, word as usize];
            }
            next += 1;
            [word as usize, kind, next - 1]
        })
    }
}

/// The family that `config.json` states.
fn family(json: &Value) -> Result<EncoderFamily, String> {
    let Some(name) = json["model_type"].as_str() else {
        return Err("config.json: there is no model_type".to_string());
    };
    EncoderFamily::from_name(name)
        .ok_or_else(|| format!("config.json: model_type is `{name}`, an unknown family"))
}

fn known() -> String {
    let names = EncoderFamily::ALL.map(EncoderFamily::name).join(", ");
    format!("families that can be run: {names}")
}
