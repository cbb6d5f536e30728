//! BLEURT: an encoder that was fine-tuned to say how well a text renders a reference.
//!
//! Source: Sellam, Das and Parikh, "BLEURT: learning robust metrics for text generation", ACL
//! 2020; here any checkpoint in Hugging Face's layout with one logit, of BERT (as BLEURT itself)
//! or ELECTRA. The reference comes first, the text second, and the score is the logit: on the
//! checkpoint's own scale, for BLEURT about 0 to 1. What exceeds `max-length` is cut off the
//! longer of the two first; published checkpoints are named for theirs (128 for BLEURT-base-128).
//!
//! BLEURT knows one reference; of several the mean counts, as in Mohankumar and Khapra (ACL
//! 2022), or the first, or the largest. Draws are Monte Carlo dropout at the checkpoint's own
//! rates, as in the same paper.

#[cfg(feature = "neural")]
mod scorer;

use super::{Blueprint, Metric, MultiReference, checkpoint};
use crate::env::Env;
use serde::{Deserialize, Serialize};
use tiebreak_base::error::Result;
use tiebreak_base::registry::{Entry, Params, parameters};

#[cfg(feature = "neural")]
pub use self::scorer::Bleurt;

/// `bleurt`.
pub(super) const ENTRY: Entry<Blueprint> = Entry {
    name: "bleurt",
    summary: "a fine-tuned encoder's judgment of text and reference; needs a model, has draws",
    cite: "Sellam et al. 2020, BLEURT: learning robust metrics for text generation",
    parameters: parameters::<BleurtParams>,
    build: Blueprint::higher(build),
};

/// The parameters of `bleurt`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct BleurtParams {
    /// The checkpoint: the name of a described model, a folder, or a hub id.
    pub model: String,
    /// Longest input in tokens, special ones included; by default as long as the model can take.
    pub max_length: Option<usize>,
    /// The combination of several references.
    pub multi_reference: MultiReference,
}

#[cfg(feature = "neural")]
fn build(params: &Params, env: &Env) -> Result<Box<dyn Metric>> {
    let params: BleurtParams = params.read("bleurt")?;
    let checkpoint = checkpoint::find_checkpoint("bleurt", &params.model, env)?;
    Ok(Box::new(Bleurt::load(&params, &checkpoint, env)?))
}

#[cfg(not(feature = "neural"))]
fn build(params: &Params, _: &Env) -> Result<Box<dyn Metric>> {
    params.read::<BleurtParams>("bleurt")?;
    Err(checkpoint::unavailable("bleurt"))
}
