//! The keys of a file of trainings.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use tiebreak_preference::preference::training::Settings;
use toml::Spanned;

/// `fit pairwise`: comparisons of data sets to a preference model.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Train {
    /// The folder of the model within that of the results; by default `model`.
    #[serde(default = "default_model")]
    pub name: String,
    /// The encoder to begin from: an earlier training of the file, a folder (relative to the file),
    /// a name or a hub id.
    pub base: Spanned<String>,
    /// The data sets, relative to the file.
    pub data: Spanned<Vec<PathBuf>>,
    /// Data sets whose sources and references must stay unseen, relative to the file.
    #[serde(default)]
    pub exclude: Vec<PathBuf>,
    /// Column names that differ from the interface's, in all data sets.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub columns: BTreeMap<String, String>,
    /// The licence of the weights, for the descriptor.
    pub licence: Option<String>,
    /// The settings of the training.
    #[serde(default)]
    pub settings: Settings,
}

fn default_model() -> String {
    "model".to_string()
}

/// A file of trainings.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct Trainings {
    /// The seed of everything random.
    pub seed: Option<u64>,
    /// Its trainings, run in order.
    pub train: Vec<Train>,
}
