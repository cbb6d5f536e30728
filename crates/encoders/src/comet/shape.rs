//! `comet.json`: the hyperparameters of a COMET checkpoint, as unbabel-comet saves them.

use super::{FILE, refused};
use crate::Checkpoint;
use serde::Deserialize;
use tiebreak_base::error::Result;
use tiebreak_base::stats::log_odds::logistic;

/// A tokenizer that several checkpoints share.
const SHARED: &str = "../tokenizer.json";

/// The hyperparameters that decide a score; defaults are those of unbabel-comet.
#[derive(Debug, Clone, Deserialize)]
#[serde(default)]
pub(crate) struct CometHyperparameters {
    class_identifier: String,
    pool: String,
    layer: CometLayerChoice,
    layer_transformation: String,
    layer_norm: bool,
    hidden_sizes: Option<Vec<usize>>,
    activations: String,
    final_activation: Option<String>,
    dropout: f64,
    tokenizer: Option<String>,
}

/// The layers that are read.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum CometLayerChoice {
    Number(i64),
    Word(String),
}

/// How the states of a text's tokens become one vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenPooling {
    /// The mean of all states.
    Avg,
    /// The maximum of each element.
    Max,
    /// The state of the first token.
    Cls,
}

/// A function between layers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FeedForwardActivation {
    Tanh,
    Sigmoid,
    Relu,
}

impl Default for CometHyperparameters {
    fn default() -> Self {
        Self {
            class_identifier: "regression_metric".to_string(),
            pool: "avg".to_string(),
            layer: CometLayerChoice::Word("mix".to_string()),
            layer_transformation: "softmax".to_string(),
            layer_norm: true,
            hidden_sizes: None,
            activations: "Tanh".to_string(),
            final_activation: None,
            dropout: 0.1,
            tokenizer: None,
        }
    }
}

impl FeedForwardActivation {
    fn from_name(name: &str) -> Option<Self> {
        match name.to_lowercase().as_str() {
            "tanh" => Some(Self::Tanh),
            "sigmoid" => Some(Self::Sigmoid),
            "relu" => Some(Self::Relu),
            _ => None,
        }
    }

    pub(super) fn apply(self, x: f64) -> f64 {
        match self {
            Self::Tanh => x.tanh(),
            Self::Sigmoid => logistic(x),
            Self::Relu => x.max(0.0),
        }
    }
}

impl CometHyperparameters {
    /// Reads `comet.json`, and refuses by name what is not computed here.
    ///
    /// # Errors
    /// If the file is missing or damaged; a kind, pooling or activation that is not known.
    pub(crate) fn read(checkpoint: &Checkpoint) -> Result<Self> {
        let bytes = checkpoint.read(FILE)?;
        let shape: Self = serde_json::from_slice(&bytes)
            .map_err(|source| refused(checkpoint, &format!("is not COMET's: {source}")))?;
        let known = ["regression_metric", "referenceless_regression_metric"];
        if !known.contains(&shape.class_identifier.as_str()) {
            let what = format!(
                "is of a `{}`, which is not computed here: {} are",
                shape.class_identifier,
                known.join(" and ")
            );
            return Err(refused(checkpoint, &what));
        }
        if shape.pooled().is_none() {
            return Err(refused(
                checkpoint,
                &format!("pools by `{}`, expected avg, max or cls", shape.pool),
            ));
        }
        for name in [Some(&shape.activations), shape.final_activation.as_ref()]
            .into_iter()
            .flatten()
        {
            if FeedForwardActivation::from_name(name).is_none() {
                let what = format!("has the activation `{name}`, expected Tanh, Sigmoid or ReLU");
                return Err(refused(checkpoint, &what));
            }
        }
        if let CometLayerChoice::Word(word) = &shape.layer
            && word != "mix"
        {
            return Err(refused(
                checkpoint,
                &format!("reads layer `{word}`, expected mix or a number"),
            ));
        }
        let places = [None, Some("tokenizer.json"), Some(SHARED)];
        if !places.contains(&shape.tokenizer.as_deref()) {
            let what = "names a `tokenizer` that is neither tokenizer.json nor ../tokenizer.json";
            return Err(refused(checkpoint, what));
        }
        if !(0.0..1.0).contains(&shape.dropout) {
            return Err(refused(
                checkpoint,
                &format!("has a dropout of {}", shape.dropout),
            ));
        }
        Ok(shape)
    }

    /// Whether it reads a reference.
    pub(crate) fn has_reference(&self) -> bool {
        self.class_identifier == "regression_metric"
    }

    /// Whether its tokenizer lies one folder up, where several checkpoints share it.
    pub(super) fn shares_tokenizer(&self) -> bool {
        self.tokenizer.as_deref() == Some(SHARED)
    }

    /// The dropout rate of the network, and of whole layers in a mix.
    pub(super) fn dropout(&self) -> f64 {
        self.dropout
    }

    pub(super) fn pool(&self) -> TokenPooling {
        self.pooled().unwrap_or(TokenPooling::Avg)
    }

    fn pooled(&self) -> Option<TokenPooling> {
        match self.pool.as_str() {
            "avg" => Some(TokenPooling::Avg),
            "max" => Some(TokenPooling::Max),
            "cls" => Some(TokenPooling::Cls),
            _ => None,
        }
    }

    /// The one layer that is read; none where they are mixed.
    pub(crate) fn layer(&self) -> Option<i64> {
        match self.layer {
            CometLayerChoice::Number(number) => Some(number),
            CometLayerChoice::Word(_) => None,
        }
    }

    /// Whether the mix uses sparsemax; the `sparsemax_patch` of older checkpoints is computed as softmax.
    pub(crate) fn is_sparse(&self) -> bool {
        self.layer_transformation == "sparsemax"
    }

    pub(super) fn layer_norm(&self) -> bool {
        self.layer_norm
    }

    /// The widths of the hidden layers.
    pub(crate) fn hidden_sizes(&self) -> Vec<usize> {
        let usual = if self.has_reference() {
            [3072, 1024]
        } else {
            [2048, 1024]
        };
        self.hidden_sizes.clone().unwrap_or(usual.to_vec())
    }

    pub(super) fn activation(&self) -> FeedForwardActivation {
        FeedForwardActivation::from_name(&self.activations).unwrap_or(FeedForwardActivation::Tanh)
    }

    pub(super) fn final_activation(&self) -> Option<FeedForwardActivation> {
        FeedForwardActivation::from_name(self.final_activation.as_deref()?)
    }
}
