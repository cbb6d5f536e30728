//! The shape of an encoder: Hugging Face's `config.json`.

mod family;
mod raw;

pub use family::EncoderFamily;

use super::deberta::DebertaConfig;
use super::modernbert::ModernBertConfig;
use super::{Checkpoint, Scope, Tokens};
use serde::Deserialize;
use serde_json::Value;
use tiebreak_base::error::{Error, Result};

/// A non-linearity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Activation {
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
    pub activation: Activation,
    /// Added to the variance in `LayerNorm`.
    pub epsilon: f32,
    /// Longest input in tokens.
    pub positions: usize,
    /// The token that takes no position, in RoBERTa: positions begin after its id.
    pub padding: Option<u32>,
    /// Number of token types; 0 where they have no embeddings.
    pub types: usize,
    /// How attention knows where tokens stand.
    pub places: PositionEncoding,
    /// The non-linearity in the classification head.
    pub head_activation: Activation,
    /// Dropout rates.
    pub dropout: Rates,
    /// Where it has dropout whenever it is drawn from.
    pub scope: Scope,
    /// Names of the labels, in the order of the logits, where they are given.
    pub labels: Vec<String>,
}

/// How attention knows where tokens stand.
#[derive(Debug, Clone, PartialEq)]
pub enum PositionEncoding {
    /// By embeddings of positions, added to those of the words.
    Absolute,
    /// By these, and by what distances add to attention scores: MPNet.
    Biased,
    /// By embeddings of distances: DeBERTa.
    Relative(DebertaConfig),
    /// By turning queries and keys: ModernBERT.
    Rotary(ModernBertConfig),
}

/// Dropout rates in [0, 1).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rates {
    /// Of embeddings and of what each layer adds.
    pub hidden: f64,
    /// Of attention probabilities.
    pub attention: f64,
    /// In the classification head.
    pub head: f64,
}

impl Config {
    /// Refuses a family that is run without dropout.
    ///
    /// # Errors
    /// [`Error::Model`] of the model called so, with the families that have it.
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
        Err(Error::model(model, what).with_hint(format!(
            "ask for none (`--draws 0`), or take a model of another family: {}",
            others.join(", ")
        )))
    }

    /// About how many multiplications a token takes: those by the weights of the layers.
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

    /// With what the model's descriptor says.
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

    /// How many token types can be told apart.
    pub fn kinds(&self) -> usize {
        match self.family.has_types() {
            true => self.types.max(1),
            false => 1,
        }
    }

    /// Rows of the table of positions.
    pub(super) fn position_rows(&self) -> usize {
        self.positions + self.first_position()
    }

    fn first_position(&self) -> usize {
        self.padding.map_or(0, |id| id as usize + 1)
    }

    /// For every token its rows in the tables of words, types and positions.
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

/// What `config.json` says it is.
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
