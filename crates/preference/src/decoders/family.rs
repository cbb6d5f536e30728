//! The families of decoders, each one of candle-transformers' modules.

use candle_core::{IndexOp, Result, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::{
    gemma2, gemma3, llama, mistral, olmo2, phi3, qwen2, qwen3, smol::smollm3,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A module of candle-transformers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DecoderFamily {
    /// Llama 2, 3 and their kin.
    Llama,
    /// Mistral.
    Mistral,
    /// Qwen 2 and 2.5.
    Qwen2,
    /// Qwen 3.
    Qwen3,
    /// Gemma 2.
    Gemma2,
    /// Gemma 3, text.
    Gemma3,
    /// Phi 3 and 4.
    Phi3,
    /// OLMo 2.
    Olmo2,
    /// SmolLM 3.
    Smollm3,
}

impl DecoderFamily {
    /// The family by `model_type` in `config.json`.
    pub(crate) fn by_name(kind: &str) -> Option<Self> {
        Some(match kind {
            "llama" => Self::Llama,
            "mistral" => Self::Mistral,
            "qwen2" => Self::Qwen2,
            "qwen3" => Self::Qwen3,
            "gemma2" => Self::Gemma2,
            "gemma3_text" => Self::Gemma3,
            "phi3" => Self::Phi3,
            "olmo2" => Self::Olmo2,
            "smollm3" => Self::Smollm3,
            _ => return None,
        })
    }

    /// Whether the module returns the last hidden states, rather than logits: a head is then applied here.
    pub(crate) fn gives_states(self) -> bool {
        matches!(self, Self::Qwen2 | Self::Qwen3 | Self::Smollm3)
    }
}

/// A model with its weights, which clones share.
#[derive(Clone)]
pub(crate) enum Network {
    Llama(Box<llama::Llama>, Box<llama::Cache>),
    Mistral(Box<mistral::Model>),
    Qwen2(Box<qwen2::Model>),
    Qwen3(Box<qwen3::Model>),
    Gemma2(Box<gemma2::Model>),
    Gemma3(Box<gemma3::Model>),
    Phi3(Box<phi3::Model>),
    Olmo2(Box<olmo2::Model>),
    Smollm3(Box<smollm3::Model>),
}

impl Network {
    /// Builds the network from tensors.
    pub(super) fn new(
        family: DecoderFamily,
        normal: &Value,
        tensors: VarBuilder<'_>,
    ) -> Result<Self> {
        Ok(match family {
            DecoderFamily::Llama => {
                let config: llama::LlamaConfig = read(normal)?;
                let config = config.into_config(false);
                let cache = llama::Cache::new(false, tensors.dtype(), &config, tensors.device())?;
                Self::Llama(
                    Box::new(llama::Llama::load(tensors, &config)?),
                    Box::new(cache),
                )
            }
            DecoderFamily::Mistral => {
                let mut normal = normal.clone();
                normal["use_flash_attn"] = Value::Bool(false);
                Self::Mistral(Box::new(mistral::Model::new(&read(&normal)?, tensors)?))
            }
            DecoderFamily::Qwen2 => {
                Self::Qwen2(Box::new(qwen2::Model::new(&read(normal)?, tensors)?))
            }
            DecoderFamily::Qwen3 => {
                Self::Qwen3(Box::new(qwen3::Model::new(&read(normal)?, tensors)?))
            }
            DecoderFamily::Gemma2 => Self::Gemma2(Box::new(gemma2::Model::new(
                false,
                &read(normal)?,
                tensors,
            )?)),
            DecoderFamily::Gemma3 => Self::Gemma3(Box::new(gemma3::Model::new(
                false,
                &read(normal)?,
                tensors,
            )?)),
            DecoderFamily::Phi3 => Self::Phi3(Box::new(phi3::Model::new(&read(normal)?, tensors)?)),
            DecoderFamily::Olmo2 => {
                Self::Olmo2(Box::new(olmo2::Model::new(&read(normal)?, tensors)?))
            }
            DecoderFamily::Smollm3 => {
                Self::Smollm3(Box::new(smollm3::Model::new(&read(normal)?, tensors)?))
            }
        })
    }

    /// The last token's hidden state of a prompt, where the family gives states, else
    /// the logits of the next token.
    pub(super) fn last(&self, ids: &Tensor) -> Result<Tensor> {
        // A clone has a cache of its own, which is empty.
        let found = match self.clone() {
            Self::Llama(model, mut cache) => model.forward(ids, 0, &mut cache),
            Self::Mistral(mut model) => model.forward(ids, 0),
            Self::Qwen2(mut model) => model.forward(ids, 0, None),
            Self::Qwen3(mut model) => model.forward(ids, 0),
            Self::Gemma2(mut model) => model.forward(ids, 0),
            Self::Gemma3(mut model) => model.forward(ids, 0),
            Self::Phi3(mut model) => model.forward(ids, 0),
            Self::Olmo2(mut model) => model.forward(ids, 0),
            Self::Smollm3(mut model) => model.forward(ids, 0),
        }?;
        // Batch, maybe positions, width.
        match found.rank() {
            2 => found.i(0),
            _ => found.i((0, found.dim(1)? - 1)),
        }
    }
}

fn read<T: DeserializeOwned>(normal: &Value) -> Result<T> {
    serde_json::from_value(normal.clone()).map_err(candle_core::Error::wrap)
}
