//! A decoder with its tokenizer: from a prompt to logits or a score.

use super::chat::Chat;
use super::family::Network;
use super::gguf::QuantisedDecoder;
use super::settings::DecoderSettings;
use super::{Label, refused};
use crate::verdicts::Spelling;
use candle_core::{DType, Tensor};
use candle_nn::VarBuilder;
use std::collections::HashMap;
use tiebreak_base::error::{Error, Flag, Message, Result};
use tiebreak_base::signature::Signature;
use tiebreak_encoders::checkpoint::digest;
use tiebreak_encoders::{Checkpoint, Device, SubwordTokenizer, Weights};

/// The task of a decoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DecoderTask {
    /// Continuing a text.
    Judge,
    /// Scoring a text.
    Reward,
}

/// A decoder with its tokenizer.
pub struct Decoder {
    name: String,
    tokenizer: SubwordTokenizer,
    /// The chat template, which turns messages into a prompt; none where the checkpoint has none.
    pub chat: Option<Chat>,
    body: DecoderBackend,
    runs_on: Device,
    device: candle_core::Device,
    longest: usize,
    pad: Option<u32>,
    kind: DecoderTask,
    digests: Vec<(&'static str, String)>,
}

/// The network that computes.
enum DecoderBackend {
    /// The logits of the next token, or with a head the product of the last state with it.
    Network(Box<Network>, Option<Tensor>),
    Quantised(Box<QuantisedDecoder>),
}

impl Decoder {
    /// Loads a checkpoint in Hugging Face's layout.
    ///
    /// # Errors
    /// A file, tensor or setting that is missing, does not fit, or is not computed here.
    pub fn load(checkpoint: &Checkpoint, device: Device) -> Result<Self> {
        let config = config(checkpoint)?;
        let settings = DecoderSettings::new(&checkpoint.name, &config)?;
        let tokenizer = SubwordTokenizer::read(checkpoint)?;
        tokenizer.fits(settings.vocabulary)?;
        let weights = Weights::read(checkpoint, device)?;
        let (network, head) = network(checkpoint, &settings, &weights)?;
        Ok(Self {
            name: checkpoint.name.clone(),
            chat: Chat::read(checkpoint)?,
            runs_on: device,
            device: weights.device().clone(),
            longest: settings.longest,
            pad: settings.pad,
            kind: if settings.is_reward {
                DecoderTask::Reward
            } else {
                DecoderTask::Judge
            },
            digests: vec![
                ("weights", weights.digest()[..16].to_string()),
                (
                    "config",
                    digest(&checkpoint.read("config.json")?)[..16].to_string(),
                ),
                ("tokenizer", tokenizer.digest()[..16].to_string()),
            ],
            body: DecoderBackend::Network(Box::new(network), head),
            tokenizer,
        })
    }

    /// Whether a checkpoint is of a decoder, as its `config.json` says.
    pub fn is_one(checkpoint: &Checkpoint) -> bool {
        let is_known =
            || config(checkpoint).is_ok_and(|config| DecoderSettings::is_decoder(&config));
        checkpoint.files.has("config.json") && is_known()
    }

    /// Loads a GGUF file, with the tokenizer and chat template of a checkpoint beside it.
    ///
    /// # Errors
    /// As [`Decoder::load`].
    pub fn load_gguf(file: &std::path::Path, beside: &Checkpoint, device: Device) -> Result<Self> {
        if device != Device::Cpu {
            let what = "GGUF files are run on the processor only";
            return Err(
                Error::model(&beside.name, what).with_hint(Message::except_in_python(
                    format!("leave out {}", Flag("device")),
                    "leave out `device=`".to_string(),
                )),
            );
        }
        let (quantised, weights) = QuantisedDecoder::read(file)?;
        let tokenizer = SubwordTokenizer::read(beside)?;
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        Ok(Self {
            name: stem.into_owned(),
            chat: Chat::read(beside)?,
            runs_on: device,
            device: candle_core::Device::Cpu,
            longest: quantised.longest(),
            pad: None,
            kind: DecoderTask::Judge,
            digests: vec![
                ("weights", weights[..16].to_string()),
                ("tokenizer", tokenizer.digest()[..16].to_string()),
            ],
            body: DecoderBackend::Quantised(Box::new(quantised)),
            tokenizer,
        })
    }

    /// The task of the decoder.
    pub(crate) fn kind(&self) -> DecoderTask {
        self.kind
    }

    /// The name of the decoder.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The signature of its numbers.
    pub fn signature(&self) -> Signature {
        let signature = Signature::new(&self.name).with("engine", "in-process");
        let all = self.digests.iter();
        let signature = all.fold(signature, |signature, (key, digest)| {
            signature.with(key, digest)
        });
        self.runs_on.sign(signature)
    }

    /// The token ids of a prompt: templates write the first token themselves, so none is added.
    ///
    /// # Errors
    /// If the tokenizer cannot take it.
    pub fn ids(&self, prompt: &str) -> Result<Vec<u32>> {
        match self.chat {
            Some(_) => self.tokenizer.ids(prompt, true),
            None => Ok(self.tokenizer.encode(prompt, None, usize::MAX)?.ids),
        }
    }

    /// The tokens that a label may be.
    ///
    /// # Errors
    /// A label that is not a single token.
    pub fn label(&self, label: &str, spelling: Spelling) -> Result<Label> {
        Label::new(label, spelling, &self.tokenizer).ok_or_else(|| {
            Error::model(
                &self.name,
                format!("the label `{label}` is not a single token"),
            )
        })
    }

    /// The logits of the token that follows a prompt.
    ///
    /// # Errors
    /// A prompt that is empty or too long; if the model cannot be run on it.
    pub fn logits(&self, ids: &[u32]) -> Result<Vec<f32>> {
        self.check(ids)?;
        let found = match &self.body {
            DecoderBackend::Network(network, head) => self.network(network, head.as_ref(), ids),
            DecoderBackend::Quantised(quantised) => quantised.logits(ids),
        };
        let logits = found.map_err(|source| Error::model(&self.name, source))?;
        match logits.iter().find(|logit| !logit.is_finite()) {
            None => Ok(logits),
            Some(logit) => Err(Error::model(&self.name, format!("a logit is {logit}"))),
        }
    }

    /// The score of a text: that of its last token that is not the padding token, as transformers takes it.
    ///
    /// # Errors
    /// As [`Decoder::logits`].
    pub fn score(&self, ids: &[u32]) -> Result<f32> {
        let end = match self.pad {
            Some(pad) => ids
                .iter()
                .rposition(|&id| id != pad)
                .map_or(ids.len(), |at| at + 1),
            None => ids.len(),
        };
        Ok(self.logits(&ids[..end])?[0])
    }

    fn network(
        &self,
        network: &Network,
        head: Option<&Tensor>,
        ids: &[u32],
    ) -> candle_core::Result<Vec<f32>> {
        let ids = Tensor::new(ids, &self.device)?.unsqueeze(0)?;
        let last = network.last(&ids)?;
        let logits = match head {
            Some(head) => head.matmul(&last.unsqueeze(1)?)?.squeeze(1)?,
            None => last,
        };
        logits.to_dtype(DType::F32)?.to_vec1()
    }

    fn check(&self, ids: &[u32]) -> Result<()> {
        match ids.len() {
            0 => Err(Error::model(&self.name, "a prompt without tokens")),
            n if n > self.longest => {
                let what = format!(
                    "a prompt of {n} tokens where {} are attended to in one",
                    self.longest
                );
                Err(refused(&self.name, what))
            }
            _ => Ok(()),
        }
    }
}

/// The `config.json` of a checkpoint.
pub(super) fn config(checkpoint: &Checkpoint) -> Result<serde_json::Value> {
    let bytes = checkpoint.read("config.json")?;
    serde_json::from_slice(&bytes)
        .map_err(|source| checkpoint.unfit("config.json", format!("is not JSON: {source}")))
}

/// The network, and the head that is applied to its last state.
fn network(
    checkpoint: &Checkpoint,
    settings: &DecoderSettings,
    weights: &Weights,
) -> Result<(Network, Option<Tensor>)> {
    let failed = |source: candle_core::Error| Error::model(&checkpoint.name, source);
    let mut tensors: HashMap<String, Tensor> = HashMap::new();
    for (name, tensor) in weights.all() {
        let tensor = tensor
            .to_dtype(DType::F32)
            .and_then(|one| one.to_device(weights.device()));
        tensors.insert(name.clone(), tensor.map_err(failed)?);
    }
    let words = "model.embed_tokens.weight";
    let head = match (settings.is_reward, settings.tied) {
        (true, _) => weights.get("score.weight", &[1, settings.hidden])?,
        (false, true) => weights.get(words, &[settings.vocabulary, settings.hidden])?,
        (false, false) => weights.get("lm_head.weight", &[settings.vocabulary, settings.hidden])?,
    };
    let mut normal = settings.normal.clone();
    let head = if settings.family.gives_states() {
        Some(head)
    } else {
        // Its module has a head of its own: the score is its first logit.
        let head = if settings.is_reward {
            padded(&head, settings).map_err(failed)?
        } else {
            head
        };
        if settings.is_reward {
            normal["tie_word_embeddings"] = false.into();
        }
        tensors.insert("lm_head.weight".to_string(), head);
        None
    };
    let tensors = VarBuilder::from_tensors(tensors, DType::F32, weights.device());
    let network = Network::new(settings.family, &normal, tensors).map_err(failed)?;
    Ok((network, head))
}

/// A head of one row, with rows of zeros below.
fn padded(head: &Tensor, settings: &DecoderSettings) -> candle_core::Result<Tensor> {
    let rest = (settings.vocabulary - 1, settings.hidden);
    Tensor::cat(&[head, &Tensor::zeros(rest, DType::F32, head.device())?], 0)
}
