//! MoverScore: how far the words of a text must be moved to become those of the reference.
//!
//! Source: Zhao et al., "MoverScore: text generation evaluating with contextualized embeddings and
//! earth mover distance", EMNLP 2019; as in the authors' `moverscore_v2.py` and `moverscore.py`.
//! Words are points, word pieces seen by an encoder, with weights that sum to 1. The score is 1
//! minus the cost of the cheapest way of moving the weights of the text to those of the
//! reference; it runs up to 1 and may be negative. Weights are ln((N + 1)/(df + 1)) over the
//! outputs of the data set for texts and over its references for references, or all 1.
//!
//! * `v2`, as Mohankumar and Khapra (ACL 2022) use it: the last layer, first pieces
//!   of words only, no punctuation, Euclidean distance.
//! * `v1`: minimum, mean and maximum over the last five layers, n-grams of words,
//!   squared Euclidean distance.
//!
//! Deviations: the transport problem is solved exactly, not in steps of 1e-6. The same text gets
//! the same score in every batch; the original moves by up to 4e-4. A text or reference without
//! any piece scores 0. Of several references, which the original does not know, the mean counts,
//! as in the paper above; `multi-reference` chooses otherwise. An item's references count once in
//! the document frequencies, however many systems there are. There are no stop words.
//!
//! A trap of the reference is kept: with `idf`, `[CLS]` and `[SEP]` weigh nothing, so in `v2` a
//! text of punctuation alone has nothing to move and scores 1.

#[cfg(feature = "neural")]
mod cloud;
#[cfg(feature = "neural")]
mod first;
#[cfg(feature = "neural")]
mod scorer;
#[cfg(feature = "neural")]
mod second;
#[cfg(feature = "neural")]
mod transport;

use super::{Blueprint, Metric, MultiReference, checkpoint};
use crate::env::Env;
use serde::{Deserialize, Serialize};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::keys::name_of;
use tiebreak_base::registry::{Entry, Params, parameters};

#[cfg(feature = "neural")]
pub use self::scorer::MoverScore;

/// `moverscore`.
pub(super) const ENTRY: Entry<Blueprint> = Entry {
    name: "moverscore",
    summary: "earth mover's distance between contextual words (up to 1); needs a model",
    cite: "Zhao et al. 2019, MoverScore: contextualized embeddings and earth mover distance",
    parameters: parameters::<MoverScoreParams>,
    build: Blueprint::higher(build),
};

/// The parameters of `moverscore`, named as in the original.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct MoverScoreParams {
    /// The encoder: the name of a described model, a folder, or a hub id.
    pub model: String,
    /// The program that is followed, one of the authors' two.
    pub variant: MoverScoreVersion,
    /// Whether rare pieces weigh more.
    pub idf: bool,
    /// The number of consecutive words that make a point; only `v1` knows others than 1.
    pub n_gram: usize,
    /// Whether only the first piece of a word counts; always so in `v2`.
    pub remove_subwords: bool,
    /// The combination of several references.
    pub multi_reference: MultiReference,
}

/// One of the authors' two programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MoverScoreVersion {
    /// `moverscore.py`.
    V1,
    /// `moverscore_v2.py`.
    V2,
}

impl MoverScoreVersion {
    /// The name in parameters and signatures.
    pub fn name(self) -> String {
        name_of(&self)
    }
}

impl Default for MoverScoreParams {
    fn default() -> Self {
        Self {
            model: String::new(),
            variant: MoverScoreVersion::V2,
            idf: true,
            n_gram: 1,
            remove_subwords: true,
            multi_reference: MultiReference::Mean,
        }
    }
}

impl MoverScoreParams {
    /// Refuses parameters that the variant does not have.
    ///
    /// # Errors
    /// [`Error::Usage`] for what a variant does not have.
    pub fn check(&self) -> Result<()> {
        if self.n_gram == 0 {
            return Err(Error::usage("moverscore: n-gram is 0, expected at least 1"));
        }
        if self.variant == MoverScoreVersion::V2 && (self.n_gram != 1 || !self.remove_subwords) {
            let what = "moverscore: v2 has neither n-grams nor the later pieces of words";
            return Err(Error::usage(what).with_hint("say variant=v1 as well"));
        }
        Ok(())
    }
}

#[cfg(feature = "neural")]
fn build(params: &Params, env: &Env) -> Result<Box<dyn Metric>> {
    let params: MoverScoreParams = params.read("moverscore")?;
    params.check()?;
    let checkpoint = checkpoint::find_checkpoint("moverscore", &params.model, env)?;
    Ok(Box::new(MoverScore::load(params, &checkpoint, env)?))
}

#[cfg(not(feature = "neural"))]
fn build(params: &Params, _: &Env) -> Result<Box<dyn Metric>> {
    params.read::<MoverScoreParams>("moverscore")?.check()?;
    Err(checkpoint::unavailable("moverscore"))
}
