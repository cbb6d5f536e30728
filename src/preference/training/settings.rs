//! What can be chosen about a training. Flags and TOML keys fill the same struct.
//!
//! Defaults are those of Mohankumar and Khapra, "Active Evaluation", ACL 2022 (appendix on training):
//! AdamW, warm-up over a tenth of the steps and then linear decay, peak rate 1e-5, batches of 128
//! pairs, four epochs, a tenth held out. The head is ours: pointwise, because it learns from far
//! fewer judgments when the base was not trained to compare two texts.

use crate::encoders::descriptor::Head;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// What becomes of judgments that found no difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ties {
    /// Half a win for either side: cross-entropy against a target of ½.
    #[default]
    Half,
    /// Left out.
    Drop,
    /// A class of their own, beside the two sides; only for the pairwise head.
    Class,
}

impl Ties {
    /// As flags and signatures write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Half => "half",
            Self::Drop => "drop",
            Self::Class => "class",
        }
    }
}

/// What can be chosen about a training.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// What the model reads at a time.
    pub head: Head,
    /// What becomes of ties.
    pub ties: Ties,
    /// How context and outputs are joined; by default as the base does for the same head, else
    /// the head's usual template.
    pub template: Option<String>,
    /// Longest input in tokens; never more than the base has positions.
    pub max_length: usize,
    /// How often every pair is seen.
    pub epochs: u32,
    /// Pairs per step, at least; examples are not split.
    pub batch_size: usize,
    /// The peak rate.
    pub learning_rate: f64,
    /// The share of steps over which the rate rises to its peak, in [0, 1).
    pub warmup: f64,
    /// Decoupled weight decay, not on biases and `LayerNorm`s.
    pub weight_decay: f64,
    /// The largest norm of a gradient; larger ones are scaled down.
    pub clip: f64,
    /// The rate of a layer, as a factor of the rate of the layer above it, in (0, 1].
    pub layer_decay: f64,
    /// The share of pairs held out for validation, in (0, 1).
    pub validation: f64,
    /// Looks at the held-out pairs per epoch.
    pub evaluations: u32,
    /// Training stops after so many looks without a better validation loss.
    pub patience: u32,
    /// Examples made of damaged references, as a share of the items learnt from, in [0, 1].
    pub synthetic: f64,
    /// Pairs taken of each data set, at most (about): whole items, drawn at random.
    pub max_pairs: Option<u64>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            head: Head::Pointwise,
            ties: Ties::Half,
            template: None,
            max_length: 256,
            epochs: 4,
            batch_size: 128,
            learning_rate: 1e-5,
            warmup: 0.1,
            weight_decay: 0.01,
            clip: 1.0,
            layer_decay: 1.0,
            validation: 0.1,
            evaluations: 2,
            patience: 4,
            synthetic: 0.0,
            max_pairs: None,
        }
    }
}

impl Settings {
    /// How many logits the head has.
    pub fn logits(&self) -> usize {
        match self.ties {
            Ties::Half | Ties::Drop => 1,
            Ties::Class => 3,
        }
    }

    /// Refuses values that cannot be trained with.
    ///
    /// # Errors
    /// [`Error::Usage`] naming the first of them.
    pub fn check(&self) -> Result<()> {
        let positive = |x: f64| x.is_finite() && x > 0.0;
        let wrong = [
            (self.epochs == 0, "epochs", "at least 1"),
            (self.batch_size == 0, "batch-size", "at least 1"),
            (self.max_length == 0, "max-length", "at least 1"),
            (self.evaluations == 0, "evaluations", "at least 1"),
            (self.patience == 0, "patience", "at least 1"),
            (self.max_pairs == Some(0), "max-pairs", "at least 1"),
            (!positive(self.learning_rate), "learning-rate", "above 0"),
            (!positive(self.clip), "clip", "above 0"),
            (
                !(self.weight_decay.is_finite() && self.weight_decay >= 0.0),
                "weight-decay",
                "at least 0",
            ),
            (
                !(0.0..1.0).contains(&self.warmup),
                "warmup",
                "a share, at least 0 and below 1",
            ),
            (
                !(positive(self.layer_decay) && self.layer_decay <= 1.0),
                "layer-decay",
                "above 0 and at most 1",
            ),
            (
                !(0.0..=1.0).contains(&self.synthetic),
                "synthetic",
                "a share between 0 and 1",
            ),
            (
                !(positive(self.validation) && self.validation < 1.0),
                "validation",
                "a share between 0 and 1, such as 0.1",
            ),
        ];
        if let Some((_, key, expected)) = wrong.iter().find(|(wrong, ..)| *wrong) {
            return Err(Error::usage(format!("{key}: expected {expected}")));
        }
        if self.head == Head::Pointwise && self.ties == Ties::Class {
            let what = "ties = class is for the pairwise head: a score of one output has no class for ties";
            return Err(Error::usage(what).with_hint("ties = half, or head = pairwise"));
        }
        Ok(())
    }
}
