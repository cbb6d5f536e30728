//! VecSim: the cosine of sentence vectors.
//!
//! Source: Chaganty, Mussmann and Liang (ACL 2018), who take sent2vec's vectors; also with
//! fastText's sentence vectors and, as sentence-transformers has it, with the mean of an encoder's
//! last states. Scores run from −1 to 1. A vector of length at most 1e-10 gives 0, as in Chaganty's
//! code.
//!
//! `model` decides which: a `.bin` file is fastText's or sent2vec's, as its contents say; anything
//! else is an encoder, by folder, name or hub id. Those two split on white space and know words as
//! they were trained on (sent2vec's published models on tokenised lower-case text). Encoders are cut
//! off at `max-length` pieces: by default what `sentence_bert_config.json` beside the model says,
//! else 256.
//!
//! Deviations: a line break is white space here, where the programs begin a new sentence. Vectors
//! of sent2vec are used as they are, not rounded to five digits. Of several references, which the
//! original does not know, the largest cosine counts; `multi-reference` chooses otherwise. Encoders
//! are pooled by the mean, whatever their folder says.

use super::{Blueprint, Metric, MultiReference, Segment, checkpoint, sentence_vectors};
use crate::env::Env;
use crate::vectors::SentenceVectors;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use tiebreak_base::error::{Result, is_there};
use tiebreak_base::registry::{Entry, Params, parameters};
use tiebreak_base::signature::{Signature, yes_no};
#[cfg(feature = "neural")]
use tiebreak_encoders::{Checkpoint, Device, Embedder};

/// `vecsim`.
pub(super) const ENTRY: Entry<Blueprint> = Entry {
    name: "vecsim",
    summary: "cosine of sentence vectors of sent2vec, fastText or an encoder (-1 to 1); needs a model",
    cite: "Chaganty et al. 2018, The price of debiasing automatic metrics; Pagliardini et al. 2018",
    parameters: parameters::<VecSimParams>,
    build: Blueprint::higher(build),
};

/// The parameters of `vecsim`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct VecSimParams {
    /// A `.bin` of sent2vec or fastText, or an encoder: its name, folder, or hub id.
    pub model: String,
    /// Whether texts are lower-cased first.
    pub lowercase: bool,
    /// The number of pieces after which an encoder's input is cut off.
    pub max_length: Option<usize>,
    /// The combination of several references.
    pub multi_reference: MultiReference,
}

impl Default for VecSimParams {
    fn default() -> Self {
        Self {
            model: String::new(),
            lowercase: false,
            max_length: None,
            multi_reference: MultiReference::Max,
        }
    }
}

fn build(params: &Params, env: &Env) -> Result<Box<dyn Metric>> {
    let params: VecSimParams = params.read("vecsim")?;
    let source = match static_file(&params.model) {
        Some(file) => VectorSource::Static(SentenceVectors::open(&file)?),
        None => encoder(&params, env)?,
    };
    Ok(Box::new(VecSim { params, source }))
}

/// The file that `model` names, if it is no encoder: itself, or `model.bin` in a folder without
/// `config.json`.
fn static_file(model: &str) -> Option<PathBuf> {
    let path = Path::new(model);
    if path.is_file() {
        return Some(path.to_path_buf());
    }
    let inside = path.join("model.bin");
    (is_there(&inside) && !is_there(&path.join("config.json"))).then_some(inside)
}

#[cfg(feature = "neural")]
fn encoder(params: &VecSimParams, env: &Env) -> Result<VectorSource> {
    let checkpoint = checkpoint::find_checkpoint("vecsim", &params.model, env)?;
    let embedder = Box::new(Embedder::load(&checkpoint, env.device)?);
    let length = match params.max_length {
        Some(length) => length,
        None => usual_length(&checkpoint)?,
    };
    let length = length.min(embedder.max_length());
    let special = embedder.special().len();
    if length < special {
        let what = format!("vecsim: max-length is {length}, expected at least {special}");
        return Err(tiebreak_base::error::Error::usage(what)
            .with_hint("the model's own special tokens count; leave max-length out for 256"));
    }
    Ok(VectorSource::Encoder {
        name: checkpoint.name,
        embedder,
        device: env.device,
        length,
    })
}

/// The length that sentence-transformers cuts this model's input off at; of all-MiniLM-L6-v2, 256.
#[cfg(feature = "neural")]
fn usual_length(checkpoint: &Checkpoint) -> Result<usize> {
    const FILE: &str = "sentence_bert_config.json";
    if !checkpoint.files.has(FILE) {
        return Ok(256);
    }
    let json: serde_json::Value = serde_json::from_slice(&checkpoint.read(FILE)?)
        .map_err(|source| checkpoint.unfit(FILE, format!("is not JSON: {source}")))?;
    Ok(json["max_seq_length"]
        .as_u64()
        .map_or(256, |length| length as usize))
}

#[cfg(not(feature = "neural"))]
fn encoder(_: &VecSimParams, _: &Env) -> Result<VectorSource> {
    Err(checkpoint::unavailable("vecsim with an encoder"))
}

enum VectorSource {
    Static(SentenceVectors),
    #[cfg(feature = "neural")]
    Encoder {
        name: String,
        embedder: Box<Embedder>,
        device: Device,
        length: usize,
    },
}

/// VecSim with its model.
struct VecSim {
    params: VecSimParams,
    source: VectorSource,
}

impl VecSim {
    #[cfg_attr(
        not(feature = "neural"),
        expect(clippy::unnecessary_wraps, reason = "only an encoder can fail")
    )]
    fn vectors(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let lowered = texts.iter().map(|text| match self.params.lowercase {
            true => Cow::Owned(text.to_lowercase()),
            false => Cow::Borrowed(*text),
        });
        let texts: Vec<Cow<'_, str>> = lowered.collect();
        match &self.source {
            VectorSource::Static(vectors) => {
                Ok(texts.iter().map(|text| vectors.sentence(text)).collect())
            }
            #[cfg(feature = "neural")]
            VectorSource::Encoder {
                embedder, length, ..
            } => {
                let texts: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
                embedder.sentences(&texts, *length)
            }
        }
    }
}

impl Metric for VecSim {
    fn signature(&self) -> Signature {
        let signature = Signature::new("vecsim");
        let signature = match &self.source {
            VectorSource::Static(vectors) => signature
                .with("model", vectors.kind())
                .with("file", vectors.digest()),
            #[cfg(feature = "neural")]
            VectorSource::Encoder {
                name,
                embedder,
                device,
                length,
            } => {
                let digests = embedder.digests().iter();
                let signature = signature.with("model", name);
                let signature = digests.fold(signature, |signature, (file, digest)| {
                    signature.with(file, digest)
                });
                device.sign(signature.with("max-length", length))
            }
        };
        signature
            .with("lowercase", yes_no(self.params.lowercase))
            .with("multi-reference", self.params.multi_reference.name())
            .with("version", 1)
    }

    fn score(&self, segments: &[Segment<'_>]) -> Result<Vec<f64>> {
        let multiple = self.params.multi_reference;
        sentence_vectors::score("vecsim", segments, multiple, |texts| self.vectors(texts))
    }
}
