//! BERTScore: every word piece is matched with the most similar piece of the other text.
//!
//! Source: Zhang et al., "BERTScore: evaluating text generation with BERT", ICLR 2020; as in
//! bert-score 0.3.13. Pieces are compared by the cosine of their hidden states at one layer.
//! Precision is the mean over the pieces of the text of the largest cosine with a piece of the
//! reference, recall the converse, F their harmonic mean. `[CLS]` and `[SEP]` may be matched, but
//! weigh nothing. Scores run up to 1.
//!
//! With `idf`, a piece weighs ln((N + 1)/(df + 1)), where df of the N references of the data set
//! have it. With `baseline`, each number x becomes (x − b)/(1 − b), where b is the baseline file's
//! value for the layer. Of several references the largest value counts, for precision, recall and
//! F separately; `multi-reference` chooses otherwise.
//!
//! Deviations: sequences are never padded, so that a score does not depend on its batch. Where
//! every piece of a text weighs 0 under `idf` (bert-score yields NaN), its pieces weigh the same.
//! Without `num-layers` the last layer is taken, because bert-score's table of tuned layers knows
//! only the names of published models (9 for bert-base-uncased, 18 for bert-large-uncased).

#[cfg(feature = "neural")]
mod baseline;
#[cfg(feature = "neural")]
mod matching;
#[cfg(feature = "neural")]
mod scorer;

use super::rouge::RougeMeasure;
use super::{Blueprint, Metric, MultiReference, checkpoint};
use crate::env::Env;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use tiebreak_base::error::Result;
use tiebreak_base::registry::{Entry, Params, parameters};

#[cfg(feature = "neural")]
pub use self::scorer::BertScore;

/// `bertscore`.
pub(super) const ENTRY: Entry<Blueprint> = Entry {
    name: "bertscore",
    summary: "similarity of contextual word pieces, as in bert-score (up to 1); needs a model",
    cite: "Zhang et al. 2020, BERTScore: evaluating text generation with BERT",
    parameters: parameters::<BertScoreParams>,
    build: Blueprint::higher(build),
};

/// The parameters of `bertscore`, named as in bert-score.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct BertScoreParams {
    /// The encoder: the name of a described model, a folder, or a hub id.
    pub model: String,
    /// The number of layers after which pieces are compared, 0 for the embeddings; by default all.
    #[serde(alias = "layer")]
    pub num_layers: Option<usize>,
    /// The number that is the score.
    pub measure: RougeMeasure,
    /// Whether rare pieces weigh more.
    pub idf: bool,
    /// A baseline file of bert-score (`LAYER,P,R,F`), to rescale by.
    #[serde(alias = "baseline-path")]
    pub baseline: Option<PathBuf>,
    /// The combination of several references.
    pub multi_reference: MultiReference,
}

impl Default for BertScoreParams {
    fn default() -> Self {
        Self {
            model: String::new(),
            num_layers: None,
            measure: RougeMeasure::FMeasure,
            idf: false,
            baseline: None,
            multi_reference: MultiReference::Max,
        }
    }
}

#[cfg(feature = "neural")]
fn build(params: &Params, env: &Env) -> Result<Box<dyn Metric>> {
    let params: BertScoreParams = params.read("bertscore")?;
    let checkpoint = checkpoint::find_checkpoint("bertscore", &params.model, env)?;
    Ok(Box::new(BertScore::load(params, &checkpoint, env)?))
}

#[cfg(not(feature = "neural"))]
fn build(params: &Params, _: &Env) -> Result<Box<dyn Metric>> {
    params.read::<BertScoreParams>("bertscore")?;
    Err(checkpoint::unavailable("bertscore"))
}
