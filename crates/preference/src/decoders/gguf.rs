//! GGUF files: quantised decoders as llama.cpp keeps them, through candle-transformers' loaders, with what those
//! would pass over refused.

use super::refused;
use candle_core::quantized::gguf_file::{Content, Value};
use candle_core::{Device, Tensor};
use candle_transformers::models::{quantized_llama, quantized_qwen2, quantized_qwen3};
use std::io::Cursor;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::limits::{CountingReader, Part, excess_of};
use tiebreak_encoders::checkpoint::digest;

/// The number of positions that the loader of Llama keeps.
const POSITIONS: usize = 4096;

/// A quantised decoder. It contains its cache, so one prompt is run at a time.
pub(crate) struct QuantisedDecoder {
    network: Mutex<GgufNetwork>,
    longest: usize,
}

enum GgufNetwork {
    Llama(quantized_llama::ModelWeights),
    Qwen2(quantized_qwen2::ModelWeights),
    Qwen3(quantized_qwen3::ModelWeights),
}

impl QuantisedDecoder {
    /// Reads a file; gives its digest too.
    ///
    /// # Errors
    /// A file that is none; an architecture or setting that is not computed here.
    pub(super) fn read(path: &Path) -> Result<(Self, String)> {
        let bytes = std::fs::read(path).map_err(Error::reading(path))?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let wrong = |source: candle_core::Error| match source {
            candle_core::Error::Io(source) if excess_of(&source).is_some() => {
                Error::reading(path)(source)
            }
            source => Error::input(path, format!("is not a readable GGUF file: {source}")),
        };
        let mut cursor = Cursor::new(&bytes);
        // What is said of the tensors takes many times its bytes.
        let mut head = CountingReader::new(&mut cursor, Part::Row);
        let mut content = Content::read(&mut head).map_err(wrong)?;
        let kind = text(&content, "general.architecture")
            .unwrap_or("none")
            .to_string();
        check(&name, &kind, &content)?;
        let device = Device::Cpu;
        let network = match kind.as_str() {
            "llama" => {
                quantized_llama::ModelWeights::from_gguf(content_of(&content), &mut cursor, &device)
                    .map(GgufNetwork::Llama)
            }
            "qwen2" => {
                quantized_qwen2::ModelWeights::from_gguf(content_of(&content), &mut cursor, &device)
                    .map(GgufNetwork::Qwen2)
            }
            _ => {
                // Without it angles are computed in half precision.
                content
                    .metadata
                    .insert("general.dtype".to_string(), Value::U32(0));
                quantized_qwen3::ModelWeights::from_gguf(content_of(&content), &mut cursor, &device)
                    .map(GgufNetwork::Qwen3)
            }
        };
        let trained = content.metadata.get(&format!("{kind}.context_length"));
        let trained = trained
            .and_then(|value| value.to_u32().ok())
            .map_or(POSITIONS, |n| n as usize);
        let quantised = Self {
            network: Mutex::new(network.map_err(wrong)?),
            longest: if kind == "llama" {
                trained.min(POSITIONS)
            } else {
                trained
            },
        };
        Ok((quantised, digest(&bytes)))
    }

    /// The length of the longest prompt.
    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    /// The logits of the token that follows a prompt.
    pub(super) fn logits(&self, ids: &[u32]) -> candle_core::Result<Vec<f32>> {
        let ids = Tensor::new(ids, &Device::Cpu)?.unsqueeze(0)?;
        let mut network = self.network.lock().unwrap_or_else(PoisonError::into_inner);
        let logits = match &mut *network {
            GgufNetwork::Llama(model) => {
                model.clear_kv_cache();
                model.forward(&ids, 0)?
            }
            GgufNetwork::Qwen2(model) => {
                model.clear_kv_cache();
                model.forward(&ids, 0)?
            }
            GgufNetwork::Qwen3(model) => {
                model.clear_kv_cache();
                model.forward(&ids, 0)?
            }
        };
        logits.flatten_all()?.to_vec1()
    }
}

/// A copy of a file's content, since the loaders take what they read.
fn content_of(content: &Content) -> Content {
    Content {
        magic: content.magic,
        metadata: content.metadata.clone(),
        tensor_infos: content
            .tensor_infos
            .iter()
            .map(|(name, info)| {
                let info = candle_core::quantized::gguf_file::TensorInfo {
                    ggml_dtype: info.ggml_dtype,
                    shape: info.shape.clone(),
                    offset: info.offset,
                };
                (name.clone(), info)
            })
            .collect(),
        tensor_data_offset: content.tensor_data_offset,
    }
}

fn text<'a>(content: &'a Content, key: &str) -> Option<&'a str> {
    content
        .metadata
        .get(key)?
        .to_string()
        .ok()
        .map(String::as_str)
}

/// Refuses what the loaders pass over.
fn check(name: &str, kind: &str, content: &Content) -> Result<()> {
    if !["llama", "qwen2", "qwen3"].contains(&kind) {
        return Err(refused(name, format!("it is of the architecture `{kind}`")));
    }
    let mut tensors: Vec<&String> = content.tensor_infos.keys().collect();
    tensors.sort();
    if let Some(tensor) = tensors
        .iter()
        .find(|tensor| tensor.starts_with("rope_freqs"))
    {
        return Err(refused(
            name,
            format!("it scales positions (tensor `{tensor}`)"),
        ));
    }
    let biased =
        |tensor: &str| tensor.starts_with("blk.") && tensor.rsplit('.').next() == Some("bias");
    if kind != "qwen2"
        && let Some(tensor) = tensors.iter().find(|tensor| biased(tensor))
    {
        return Err(refused(name, format!("it has biases (tensor `{tensor}`)")));
    }
    let scaling = text(content, &format!("{kind}.rope.scaling.type"));
    match scaling {
        None | Some("none") => Ok(()),
        Some(scaling) => Err(refused(name, format!("it scales positions by `{scaling}`"))),
    }
}
