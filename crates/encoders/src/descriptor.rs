//! Descriptors of models and their inputs: `models/NAME.toml`, or `tiebreak.toml` inside a
//! model's own folder.
//!
//! ```toml
//! name = "electra-base-pairwise"
//! architecture = "electra"                     # must agree with config.json's model_type
//! source = { hub = "owner/name", revision = "…" }    # or { path = "folder" }
//! files = { "model.safetensors" = "sha256:…" } # checked when the model is loaded
//! head = "pairwise"                            # or one output at a time: "pointwise", "matching"
//! template = "[CLS] {context} [SEP] {a} [SEP] {b} [SEP]"
//! token_types = [0, 1, 1]                      # one per placeholder
//! labels = ["b", "tie", "a"]                   # what each logit stands for
//! max_length = 512
//! calibration = "calibration.toml"             # in the model's folder, of `fit calibration`
//! beside = { metric = "chrf", weight = 0.02 }  # not pairwise: added where there are references,
//! # and where there are none; there the network's own log-odds may count for less
//! beside_unreferenced = { metric = "length:log=true", weight = 0.5, network = 0.2 }
//! dropout = 0.1                                # in place of the rates in config.json
//! licence = "…"
//! trained_on = "…"
//! ```
//!
//! Every key is optional; an unknown one is an error, because a slip in `template` would
//! otherwise change predictions silently.

use super::files::Files;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tiebreak_base::error::{Error, Location, Result, text_of};
use tiebreak_base::keys::name_of;

/// The description of a model and its inputs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelDescriptor {
    /// The name that finds it; by default that of its file or folder.
    pub name: Option<String>,
    /// The model type `config.json` must state.
    pub architecture: Option<String>,
    /// The location of its files; by default next to the descriptor.
    pub source: Option<ModelSource>,
    /// Digests its files must have, as `sha256:…`, by file name; any of several with spaces between.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// Whether it reads both outputs at once or each by itself.
    #[serde(default)]
    pub head: Head,
    /// How context and outputs are joined into one input.
    pub template: Option<String>,
    /// The token type of each placeholder of the template, in order.
    pub token_types: Option<Vec<u32>>,
    /// What each logit stands for: `a`, `b` or `tie`.
    pub labels: Option<Vec<String>>,
    /// Longest input in tokens, special tokens included.
    pub max_length: Option<usize>,
    /// The file in the model's folder that calibrates its preferences.
    pub calibration: Option<String>,
    /// Dropout rate at every site, in place of those in `config.json`.
    pub dropout: Option<f64>,
    /// A metric whose score is added to that of a pointwise model where there are references.
    pub beside: Option<MetricTermSettings>,
    /// A metric, itself without references, whose score is added where there are none.
    pub beside_unreferenced: Option<MetricTermSettings>,
    /// The licence of the weights.
    pub licence: Option<String>,
    /// The data it was trained on.
    pub trained_on: Option<String>,
}

/// A metric whose score is added to a model's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MetricTermSettings {
    /// The metric, as `score --metric` takes it.
    pub metric: String,
    /// The weight in log-odds per point of the metric's scale.
    pub weight: f64,
    /// The factor of the model's own log-odds where the metric is added, 0 or more; by default 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<f64>,
}

impl MetricTermSettings {
    /// A metric that leaves the model's own log-odds as they are.
    pub fn new(metric: &str, weight: f64) -> Self {
        Self {
            metric: metric.to_string(),
            weight,
            network: None,
        }
    }
}

/// The outputs that an added metric applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReferenceAvailability {
    /// Outputs with references.
    Referenced,
    /// Outputs without references.
    Unreferenced,
}

impl ReferenceAvailability {
    /// Both, in the order in which signatures name their metrics.
    pub const ALL: [Self; 2] = [Self::Referenced, Self::Unreferenced];

    /// Whether an output with these references belongs here.
    pub fn has(self, references: &[String]) -> bool {
        references.is_empty() == (self == Self::Unreferenced)
    }

    /// The key of the metric in signatures.
    pub fn key(self) -> &'static str {
        match self {
            Self::Referenced => "beside",
            Self::Unreferenced => "beside-unreferenced",
        }
    }

    /// The metric that a descriptor adds here.
    pub fn described(self, descriptor: &ModelDescriptor) -> Option<&MetricTermSettings> {
        match self {
            Self::Referenced => descriptor.beside.as_ref(),
            Self::Unreferenced => descriptor.beside_unreferenced.as_ref(),
        }
    }

    /// The descriptor's setting of the metric added here.
    pub fn metric_term_mut(
        self,
        descriptor: &mut ModelDescriptor,
    ) -> &mut Option<MetricTermSettings> {
        match self {
            Self::Referenced => &mut descriptor.beside,
            Self::Unreferenced => &mut descriptor.beside_unreferenced,
        }
    }
}

/// What a model reads at a time, and so what its logits are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Head {
    /// The context with both outputs: which one is preferred.
    #[default]
    Pairwise,
    /// The context with one output: how good it is.
    Pointwise,
    /// Context and output by themselves: how well their tokens match.
    Matching,
}

impl Head {
    /// The name in descriptors, flags and signatures.
    pub fn name(self) -> String {
        name_of(&self)
    }
}

/// The location of a model's files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, untagged)]
pub enum ModelSource {
    /// A folder, relative to the descriptor's.
    Path {
        /// The folder.
        path: PathBuf,
    },
    /// A repository on the hub.
    Hub {
        /// `owner/name`.
        hub: String,
        /// Branch, tag or commit; `main` where none is given.
        revision: Option<String>,
    },
}

impl ModelDescriptor {
    /// The name of a descriptor inside a model's folder.
    pub const FILE: &str = "tiebreak.toml";

    /// Reads a descriptor file; without a name in it, the name is the file's.
    ///
    /// # Errors
    /// [`Error::Input`] if the file cannot be read. [`Error::Record`] with the line if a key is unknown, a value has the
    /// wrong type or a rate is outside [0, 1).
    pub fn read(path: &Path) -> Result<Self> {
        let text = text_of(path)?;
        Self::parse(&text, path)
    }

    fn parse(text: &str, path: &Path) -> Result<Self> {
        let mut descriptor: Self = toml::from_str(text).map_err(|source| {
            let at = match source.span() {
                Some(span) => Location::offset(path, text, span.start),
                None => Location::file(path),
            };
            Error::record(at, source.message().trim().replace('\n', ": "))
        })?;
        if let Some(rate) = descriptor.dropout
            && !(0.0..1.0).contains(&rate)
        {
            return Err(Error::record(
                Location::file(path),
                format!("dropout is {rate}, expected at least 0 and below 1"),
            ));
        }
        if descriptor.name.is_none() && path.file_name() != Some(ModelDescriptor::FILE.as_ref()) {
            descriptor.name = path
                .file_stem()
                .map(|stem| stem.to_string_lossy().into_owned());
        }
        Ok(descriptor)
    }

    /// The descriptor among a model's files, or an empty one.
    ///
    /// # Errors
    /// As [`ModelDescriptor::read`].
    pub fn among(files: &Files) -> Result<Self> {
        if !files.has(ModelDescriptor::FILE) {
            return Ok(Self::default());
        }
        let path = files.path(ModelDescriptor::FILE);
        let bytes = files
            .read(ModelDescriptor::FILE)
            .map_err(Error::reading(&path))?;
        let text = String::from_utf8(bytes).map_err(|_| Error::input(&path, "is not UTF-8"))?;
        Self::parse(&text, &path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<ModelDescriptor> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some-model.toml");
        std::fs::write(&path, text).unwrap();
        ModelDescriptor::read(&path)
    }

    #[test]
    fn every_key_is_optional() {
        let descriptor = read("# a model without a word\n").unwrap();
        assert_eq!(descriptor.name.as_deref(), Some("some-model"));
        assert_eq!(descriptor.source, None);
    }

    #[test]
    fn both_sources_are_read() {
        let hub = read("source = { hub = \"o/n\" }").unwrap().source;
        assert!(matches!(hub, Some(ModelSource::Hub { hub, revision: None }) if hub == "o/n"));
        let path = read("source = { path = \"x\" }").unwrap().source;
        assert!(matches!(path, Some(ModelSource::Path { path }) if path == Path::new("x")));
    }

    #[test]
    fn an_unknown_key_is_refused_with_its_line() {
        let error = read("name = \"x\"\ntemplat = \"{a}\"\n").unwrap_err();
        assert!(
            error.to_string().contains("some-model.toml:2: ")
                && error.to_string().contains("templat"),
            "{error}"
        );
    }

    #[test]
    fn a_rate_of_one_is_refused() {
        assert!(
            read("dropout = 1.0")
                .unwrap_err()
                .to_string()
                .contains("dropout is 1")
        );
    }
}
