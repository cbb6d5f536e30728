//! The files of a trained model: a complete folder in Hugging Face's layout with its descriptor.

use super::TrainingRequest;
use super::data::TrainingDataSummary;
use super::folder::{TrainingFolder, WEIGHTS};
use std::borrow::Cow;
use tiebreak_base::error::{Error, Result};
use tiebreak_encoders::checkpoint::digest;
use tiebreak_encoders::descriptor::ModelDescriptor;
use tiebreak_encoders::quantise;
use tiebreak_preference::preference::training::{Base, Quantisation, Trainer};

/// Files of the base that the trained model shares.
const TOKENIZER: &str = "tokenizer.json";
const SHARED: [&str; 3] = [
    "tokenizer_config.json",
    "special_tokens_map.json",
    "vocab.txt",
];

/// Writes everything that `--model FOLDER` reads but the descriptor, which is returned.
pub(super) fn write(
    folder: &TrainingFolder,
    base: &Base,
    trainer: &Trainer,
    request: &TrainingRequest,
    data: &[TrainingDataSummary],
    weights: &[u8],
) -> Result<ModelDescriptor> {
    let checkpoint = base.checkpoint();
    let config = checkpoint.read("config.json")?;
    let config = serde_json::from_slice(&config).map_err(Error::failed)?;
    let config = trainer.model().configuration(config, base.labels());
    let config = serde_json::to_string_pretty(&config).map_err(Error::failed)? + "\n";
    let tokenizer = checkpoint.read(TOKENIZER)?;
    let weights = match request.settings.quantise {
        Some(Quantisation::Int8) => Cow::Owned(quantise(weights)?),
        None => Cow::Borrowed(weights),
    };
    let mut descriptor = base.descriptor();
    let files: [(&str, &[u8]); 3] = [
        ("config.json", config.as_bytes()),
        (WEIGHTS, &weights),
        (TOKENIZER, &tokenizer),
    ];
    for (name, bytes) in files {
        write_file(folder, &mut descriptor, name, bytes)?;
    }
    for name in SHARED {
        if checkpoint.files.has(name) {
            folder.write(name, &checkpoint.read(name)?)?;
        }
    }
    let sets: Vec<String> = data
        .iter()
        .map(|taken| format!("{} (sha256:{})", taken.name, &taken.digest[..16]))
        .collect();
    descriptor.licence.clone_from(&request.licence);
    descriptor.trained_on = Some(format!("{}; from {}", sets.join(", "), checkpoint.name));
    Ok(descriptor)
}

/// Writes a file and notes its digest.
fn write_file(
    folder: &TrainingFolder,
    descriptor: &mut ModelDescriptor,
    name: &str,
    bytes: &[u8],
) -> Result<()> {
    descriptor.files.insert(name.to_string(), sha256(bytes));
    folder.write(name, bytes)
}

/// The digest in the form of descriptors.
pub(super) fn sha256(bytes: &[u8]) -> String {
    format!("sha256:{}", digest(bytes))
}

/// Writes the descriptor, which makes the folder a model.
pub(super) fn write_descriptor(
    folder: &TrainingFolder,
    descriptor: &ModelDescriptor,
) -> Result<()> {
    let text = toml::to_string(descriptor).map_err(Error::failed)?;
    folder.write(ModelDescriptor::FILE, text.as_bytes())
}
