//! The shape of an encoder: Hugging Face's `config.json`.

use super::Checkpoint;
use crate::error::{Error, Result};
use serde::Deserialize;

/// Which of the two families an encoder belongs to. They differ in the head, the names of tensors
/// and ELECTRA's projection of smaller embeddings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// Devlin et al., 2019.
    Bert,
    /// Clark et al., 2020; the discriminator.
    Electra,
}

impl Family {
    /// As `config.json` writes it; also the usual prefix of tensor names.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bert => "bert",
            Self::Electra => "electra",
        }
    }

    /// The name of the classification head's last layer.
    pub(super) fn projection(self) -> &'static str {
        match self {
            Self::Bert => "classifier",
            Self::Electra => "classifier.out_proj",
        }
    }

    /// The non-linearity in the classification head.
    pub(super) fn head_activation(self) -> Activation {
        match self {
            Self::Bert => Activation::Tanh,
            Self::Electra => Activation::Gelu,
        }
    }
}

/// The non-linearity of the feed-forward layers.
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
    /// BERT or ELECTRA.
    pub family: Family,
    /// Number of tokens.
    pub vocabulary: usize,
    /// Width of the embeddings; smaller than `hidden` in ELECTRA-small.
    pub embedding: usize,
    /// Width of the hidden states.
    pub hidden: usize,
    /// Number of layers.
    pub layers: usize,
    /// Attention heads per layer.
    pub heads: usize,
    /// Width inside the feed-forward layers.
    pub intermediate: usize,
    /// Their non-linearity.
    pub activation: Activation,
    /// Added to the variance in `LayerNorm`.
    pub epsilon: f32,
    /// Longest input in tokens.
    pub positions: usize,
    /// Number of token types.
    pub types: usize,
    /// Dropout rates.
    pub dropout: Rates,
    /// Names of the labels, in the order of the logits, where they are given.
    pub labels: Vec<String>,
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

/// `config.json` as it is written. Defaults are those of transformers.
#[derive(Deserialize)]
struct Raw {
    model_type: String,
    vocab_size: usize,
    embedding_size: Option<usize>,
    hidden_size: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    intermediate_size: usize,
    #[serde(default = "gelu")]
    hidden_act: serde_json::Value,
    #[serde(default = "tiny")]
    layer_norm_eps: f64,
    max_position_embeddings: usize,
    #[serde(default = "two")]
    type_vocab_size: usize,
    #[serde(default = "tenth")]
    hidden_dropout_prob: f64,
    #[serde(default = "tenth")]
    attention_probs_dropout_prob: f64,
    classifier_dropout: Option<f64>,
    position_embedding_type: Option<String>,
    id2label: Option<serde_json::Map<String, serde_json::Value>>,
}

fn gelu() -> serde_json::Value {
    "gelu".into()
}

fn tiny() -> f64 {
    1e-12
}

fn two() -> usize {
    2
}

fn tenth() -> f64 {
    0.1
}

impl Config {
    /// Reads the `config.json` of a checkpoint.
    ///
    /// # Errors
    /// [`Error::Input`] if the file is missing or damaged, [`Error::Model`] if it describes a
    /// model that cannot be run here.
    pub fn read(checkpoint: &Checkpoint) -> Result<Self> {
        let bytes = checkpoint.read("config.json")?;
        let raw: Raw = serde_json::from_slice(&bytes).map_err(|source| {
            Error::input(
                checkpoint.folder.join("config.json"),
                format!("not an encoder's configuration: {source}"),
            )
        })?;
        let mut config = raw
            .check()
            .map_err(|what| Error::model(&checkpoint.name, format!("config.json: {what}")))?;
        if let Some(rate) = checkpoint.descriptor.dropout {
            config.dropout = Rates {
                hidden: rate,
                attention: rate,
                head: rate,
            };
        }
        match &checkpoint.descriptor.architecture {
            Some(stated) if stated != config.family.name() => Err(Error::model(
                &checkpoint.name,
                format!(
                    "its descriptor says architecture `{stated}`, config.json `{}`",
                    config.family.name()
                ),
            )),
            _ => Ok(config),
        }
    }
}

impl Raw {
    fn check(self) -> Result<Config, String> {
        let family = match self.model_type.as_str() {
            "bert" => Family::Bert,
            "electra" => Family::Electra,
            other => {
                return Err(format!(
                    "model_type is `{other}`, expected `bert` or `electra`"
                ));
            }
        };
        match self.position_embedding_type.as_deref() {
            None | Some("absolute") => {}
            Some(other) => {
                return Err(format!(
                    "position_embedding_type is `{other}`, expected `absolute`"
                ));
            }
        }
        self.check_sizes()?;
        let activation = serde_json::from_value(self.hidden_act.clone()).map_err(|_| {
            format!(
                "hidden_act is {}, expected gelu, gelu_new, gelu_pytorch_tanh, relu, silu or tanh",
                self.hidden_act
            )
        })?;
        let dropout = self.rates()?;
        let embedding = match family {
            Family::Bert => self.hidden_size,
            Family::Electra => self.embedding_size.unwrap_or(128),
        };
        Ok(Config {
            family,
            vocabulary: self.vocab_size,
            embedding,
            hidden: self.hidden_size,
            layers: self.num_hidden_layers,
            heads: self.num_attention_heads,
            intermediate: self.intermediate_size,
            activation,
            epsilon: self.layer_norm_eps as f32,
            positions: self.max_position_embeddings,
            types: self.type_vocab_size,
            dropout,
            labels: self.labels(),
        })
    }

    fn check_sizes(&self) -> Result<(), String> {
        let sizes = [
            ("vocab_size", self.vocab_size),
            ("hidden_size", self.hidden_size),
            ("num_attention_heads", self.num_attention_heads),
            ("intermediate_size", self.intermediate_size),
            ("max_position_embeddings", self.max_position_embeddings),
            ("type_vocab_size", self.type_vocab_size),
            ("embedding_size", self.embedding_size.unwrap_or(1)),
        ];
        if let Some((key, _)) = sizes.iter().find(|(_, size)| *size == 0) {
            return Err(format!("{key} is 0, expected at least 1"));
        }
        if !self.hidden_size.is_multiple_of(self.num_attention_heads) {
            return Err(format!(
                "hidden_size {} is not a multiple of num_attention_heads {}",
                self.hidden_size, self.num_attention_heads
            ));
        }
        if !(0.0..1.0).contains(&self.layer_norm_eps) {
            return Err(format!(
                "layer_norm_eps is {}, expected a small positive number",
                self.layer_norm_eps
            ));
        }
        Ok(())
    }

    fn rates(&self) -> Result<Rates, String> {
        let head = self.classifier_dropout.unwrap_or(self.hidden_dropout_prob);
        for (key, rate) in [
            ("hidden_dropout_prob", self.hidden_dropout_prob),
            (
                "attention_probs_dropout_prob",
                self.attention_probs_dropout_prob,
            ),
            ("classifier_dropout", head),
        ] {
            if !(0.0..1.0).contains(&rate) {
                return Err(format!("{key} is {rate}, expected at least 0 and below 1"));
            }
        }
        Ok(Rates {
            hidden: self.hidden_dropout_prob,
            attention: self.attention_probs_dropout_prob,
            head,
        })
    }

    fn labels(&self) -> Vec<String> {
        let Some(map) = &self.id2label else {
            return Vec::new();
        };
        let at = |i: usize| map.get(&i.to_string())?.as_str().map(str::to_string);
        (0..map.len()).map_while(at).collect()
    }
}
