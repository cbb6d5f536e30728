//! LASER: the cosine of the sentence vectors of a multilingual bidirectional LSTM.
//!
//! Source: Artetxe and Schwenk (TACL 2019), as VizSeq's scorer takes it, which Mohankumar and Khapra
//! (ACL 2022) run; see [`tiebreak_encoders::Laser`] for the encoder. Scores run from −1 to 1.
//!
//! Of several references the first counts: that is what VizSeq's loop over references comes to. With
//! `multi-reference=max` or `mean` all of them do.
//!
//! Deviations: texts are taken for English, where VizSeq guesses the language of a whole file from
//! its middle line. The encoder runs on the processor, whatever the device.

#[cfg(feature = "neural")]
use super::Segment;
#[cfg(feature = "neural")]
use super::sentence_vectors;
use super::{Blueprint, Metric, MultiReference, checkpoint};
use crate::env::Env;
#[cfg(feature = "neural")]
use crate::text::moses::Moses;
use serde::{Deserialize, Serialize};
use tiebreak_base::error::Result;
use tiebreak_base::registry::{Entry, Params, parameters};
#[cfg(feature = "neural")]
use tiebreak_base::signature::Signature;
#[cfg(feature = "neural")]
use tiebreak_encoders::{Checkpoint, Laser};

/// `laser`.
pub(super) const ENTRY: Entry<Blueprint> = Entry {
    name: "laser",
    summary: "cosine of LASER's sentence vectors, as in VizSeq (-1 to 1); needs a model",
    cite: "Artetxe and Schwenk 2019, Massively multilingual sentence embeddings; VizSeq",
    parameters: parameters::<LaserParams>,
    build: Blueprint::higher(build),
};

/// The parameters of `laser`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct LaserParams {
    /// The folder of a LASER encoder, or its name.
    pub model: String,
    /// The combination of several references.
    pub multi_reference: MultiReference,
}

impl Default for LaserParams {
    fn default() -> Self {
        Self {
            model: String::new(),
            multi_reference: MultiReference::First,
        }
    }
}

#[cfg(feature = "neural")]
fn build(params: &Params, env: &Env) -> Result<Box<dyn Metric>> {
    let params: LaserParams = params.read("laser")?;
    let checkpoint = checkpoint::find_checkpoint("laser", &params.model, env)?;
    Ok(Box::new(LaserMetric::load(params, &checkpoint)?))
}

#[cfg(not(feature = "neural"))]
fn build(params: &Params, _: &Env) -> Result<Box<dyn Metric>> {
    params.read::<LaserParams>("laser")?;
    Err(checkpoint::unavailable("laser"))
}

/// LASER with its encoder.
#[cfg(feature = "neural")]
struct LaserMetric {
    params: LaserParams,
    name: String,
    encoder: Laser,
}

#[cfg(feature = "neural")]
impl LaserMetric {
    fn load(params: LaserParams, checkpoint: &Checkpoint) -> Result<Self> {
        Ok(Self {
            params,
            name: checkpoint.name.clone(),
            encoder: Laser::load(checkpoint, |text| Moses::default().tokenize(text))?,
        })
    }
}

#[cfg(feature = "neural")]
impl Metric for LaserMetric {
    fn signature(&self) -> Signature {
        let digests = self.encoder.digests().iter();
        let signature = Signature::new("laser").with("model", &self.name);
        digests
            .fold(signature, |signature, (file, digest)| {
                signature.with(file, digest)
            })
            .with("lang", "en")
            .with("multi-reference", self.params.multi_reference.name())
            .with("version", 1)
    }

    fn score(&self, segments: &[Segment<'_>]) -> Result<Vec<f64>> {
        let multiple = self.params.multi_reference;
        sentence_vectors::score("laser", segments, multiple, |texts| {
            let vectors = texts.iter().map(|text| self.encoder.sentence(text));
            Ok(vectors.collect())
        })
    }
}
