//! COMET: an encoder's judgment of a translation, from source and reference or from the source alone.
//!
//! Source: Rei et al., "COMET: a neural framework for MT evaluation", EMNLP 2020; here checkpoints of its
//! regression model, with references or without (wmt22-comet-da and kin), converted as models/README.md says. The
//! score is on the checkpoint's own scale, for wmt22-comet-da about 0 to 1.
//!
//! COMET knows one reference; of several the mean counts, or the first, or the largest. Draws are Monte Carlo
//! dropout at the checkpoint's own rates (Glushkova et al., EMNLP 2021).

#[cfg(feature = "neural")]
mod scorer;

use super::{Blueprint, Metric, MultiReference, checkpoint};
use crate::env::Env;
use serde::{Deserialize, Serialize};
use tiebreak_base::error::Result;
use tiebreak_base::registry::{Entry, Params, parameters};

#[cfg(feature = "neural")]
pub use self::scorer::Comet;

/// `comet`.
pub(super) const ENTRY: Entry<Blueprint> = Entry {
    name: "comet",
    summary: "an encoder's judgment of translation, source and reference; needs a model, has draws",
    cite: "Rei et al. 2020, COMET: a neural framework for MT evaluation",
    parameters: parameters::<CometParams>,
    build: Blueprint::higher(build),
};

/// The parameters of `comet`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct CometParams {
    /// The checkpoint: the name of a described model, a folder, or a hub id.
    pub model: String,
    /// The combination of several references.
    pub multi_reference: MultiReference,
}

#[cfg(feature = "neural")]
fn build(params: &Params, env: &Env) -> Result<Box<dyn Metric>> {
    let params: CometParams = params.read("comet")?;
    let checkpoint = checkpoint::find_checkpoint("comet", &params.model, env)?;
    Ok(Box::new(Comet::load(&params, &checkpoint, env)?))
}

#[cfg(not(feature = "neural"))]
fn build(params: &Params, _: &Env) -> Result<Box<dyn Metric>> {
    params.read::<CometParams>("comet")?;
    Err(checkpoint::unavailable("comet"))
}
