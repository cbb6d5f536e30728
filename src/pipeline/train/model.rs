//! The files of a trained model: a complete folder in Hugging Face's layout with its descriptor.

use super::Request;
use super::data::Taken;
use super::folder::Folder;
use crate::encoders::{checkpoint::digest, quantise};
use crate::error::{Error, Result};
use crate::preference::training::{Base, Quantise, Trainer};
use std::borrow::Cow;

/// Files of the base that the trained model shares.
const TOKENIZER: &str = "tokenizer.json";
const SHARED: [&str; 3] = [
    "tokenizer_config.json",
    "special_tokens_map.json",
    "vocab.txt",
];

/// Writes everything that `--model FOLDER` reads.
pub(super) fn write(
    folder: &Folder,
    base: &Base,
    trainer: &Trainer,
    request: &Request,
    data: &[Taken],
    weights: &[u8],
) -> Result<()> {
    let checkpoint = base.checkpoint();
    let config = checkpoint.read("config.json")?;
    let config = serde_json::from_slice(&config).map_err(Error::failed)?;
    let config = trainer.model().configuration(config, base.labels());
    let config = serde_json::to_string_pretty(&config).map_err(Error::failed)? + "\n";
    let tokenizer = checkpoint.read(TOKENIZER)?;
    let weights = match request.settings.quantise {
        Some(Quantise::Int8) => Cow::Owned(quantise(weights)?),
        None => Cow::Borrowed(weights),
    };
    let mut descriptor = base.descriptor();
    let files: [(&str, &[u8]); 3] = [
        ("config.json", config.as_bytes()),
        ("model.safetensors", &weights),
        (TOKENIZER, &tokenizer),
    ];
    for (name, bytes) in files {
        folder.write(name, bytes)?;
        let digest = format!("sha256:{}", digest(bytes));
        descriptor.files.insert(name.to_string(), digest);
    }
    for name in SHARED {
        if checkpoint.folder.join(name).is_file() {
            folder.write(name, &checkpoint.read(name)?)?;
        }
    }
    let sets: Vec<String> = data
        .iter()
        .map(|taken| format!("{} (sha256:{})", taken.name, &taken.digest[..16]))
        .collect();
    descriptor.licence.clone_from(&request.licence);
    descriptor.trained_on = Some(format!("{}; from {}", sets.join(", "), checkpoint.name));
    let text = toml::to_string(&descriptor).map_err(Error::failed)?;
    folder.write("tiebreak.toml", text.as_bytes())
}
