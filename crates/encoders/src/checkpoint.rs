//! Finding the files of a model by name: a folder, a descriptor, or a hub id.

use super::descriptor::{ModelDescriptor, ModelSource};
use super::files::{Files, stays_inside};
use super::hub::{Hub, HubId};
use super::{places, shipped};
use sha2::{Digest, Sha256};
use std::path::Path;
use tiebreak_base::error::{Error, Message, Result, is_there, nearest};
#[cfg(feature = "neural")]
use tiebreak_base::error::{Key, StageCommand};
#[cfg(feature = "neural")]
use tiebreak_base::message;

/// The file of the weights, or the index of several.
const WEIGHTS: &str = "model.safetensors";
const SHARDS: &str = "model.safetensors.index.json";

/// The tokenizer's settings, among them the longest input.
const TOKENIZER_CONFIG: &str = "tokenizer_config.json";

/// The files of a model, not yet read.
#[derive(Debug, Clone)]
pub struct Checkpoint {
    /// The model as it is called in messages and signatures: never a path.
    pub name: String,
    /// The location of its files.
    pub files: Files,
    /// The description of the model beside its files.
    pub descriptor: ModelDescriptor,
}

impl Checkpoint {
    /// Finds a model: an existing folder; else the descriptor `NAME.toml` or the folder `NAME`
    /// in one of the models' folders ([`places::folders`]); else the model in the program; else, for
    /// `owner/name[@revision]`, the hub.
    ///
    /// # Errors
    /// [`Error::UnknownName`] with the nearest described model, [`Error::Model`] if the hub does
    /// not give it or the shipped model is not in this build; also the errors of [`ModelDescriptor::read`].
    pub fn resolve_model(name: &str, models: &Path, hub: &Hub) -> Result<Self> {
        let given = Path::new(name);
        if given.is_dir() {
            return Self::in_folder(given);
        }
        if given.is_file() {
            return Err(Error::input(given, "is a file, expected a model's folder")
                .with_hint("give the folder that holds config.json"));
        }
        let is_path = name.contains(['/', '\\']) || name.starts_with('.');
        let plain = !name.is_empty() && !is_path;
        for models in places::folders(models).iter().filter(|_| plain) {
            let described = models.join(format!("{name}.toml"));
            if is_there(&described) {
                return Self::described(&described, models, hub);
            }
            if models.join(name).is_dir() {
                return Self::in_folder(&models.join(name));
            }
        }
        if name == shipped::NAME {
            return match shipped::is_here() {
                true => Self::shipped(),
                false => Err(shipped::missing(&places::folders_text(models))),
            };
        }
        let is_file = given
            .extension()
            .is_some_and(|one| one == "toml" || one == "gguf");
        match HubId::parse(name).filter(|_| !is_file) {
            None if is_file || is_path => Err(Error::missing(given)),
            Some(id) => Self::on_hub(&id, ModelDescriptor::default(), hub),
            None => Err(unknown(name, models)),
        }
    }

    /// The model in a folder.
    ///
    /// # Errors
    /// Those of [`ModelDescriptor::read`] for its `tiebreak.toml`.
    pub fn in_folder(folder: &Path) -> Result<Self> {
        let files = Files::Folder(folder.to_path_buf());
        let descriptor = ModelDescriptor::among(&files)?;
        let called = || {
            let full = folder.canonicalize().unwrap_or_else(|_| folder.into());
            let last = full.file_name().unwrap_or(full.as_os_str());
            last.to_string_lossy().into_owned()
        };
        Ok(Self {
            name: descriptor.name.clone().unwrap_or_else(called),
            files,
            descriptor,
        })
    }

    /// The model in the program.
    ///
    /// # Errors
    /// Those of [`ModelDescriptor::read`] for its `tiebreak.toml`.
    pub fn shipped() -> Result<Self> {
        Ok(Self {
            name: shipped::NAME.into(),
            descriptor: ModelDescriptor::among(&Files::Shipped)?,
            files: Files::Shipped,
        })
    }

    fn described(path: &Path, models: &Path, hub: &Hub) -> Result<Self> {
        let descriptor = ModelDescriptor::read(path)?;
        let name = descriptor.name.clone().unwrap_or_default();
        let folder = match &descriptor.source {
            Some(ModelSource::Hub { hub: id, revision }) => {
                let mut id = HubId::parse(id).ok_or_else(|| {
                    Error::input(path, format!("source.hub is `{id}`, expected `owner/name`"))
                })?;
                id.revision = revision.clone().or(id.revision);
                return Self::on_hub(&id, descriptor, hub);
            }
            Some(ModelSource::Path { path }) => models.join(path),
            None => models.join(&name),
        };
        let below = folder.strip_prefix(models).ok().and_then(Path::to_str);
        if !below.is_some_and(stays_inside) {
            let what = format!("its files are said to be in {}", folder.display());
            return Err(Error::input(path, what).with_hint(
                "a model's folder is next to its descriptor; give the path of any other",
            ));
        }
        if !folder.is_dir() {
            return Err(Error::input(
                path,
                format!("its folder {} is not there", folder.display()),
            )
            .with_hint(
                "source is { path = \"folder next to the descriptor\" } or { hub = \"owner/name\" }",
            ));
        }
        Ok(Self {
            name,
            files: Files::Folder(folder),
            descriptor,
        })
    }

    fn on_hub(id: &HubId, descriptor: ModelDescriptor, hub: &Hub) -> Result<Self> {
        let wanted = |file: &str| {
            let needed = [
                "config.json",
                "tokenizer.json",
                TOKENIZER_CONFIG,
                "sentence_bert_config.json",
                "calibration.toml",
                "chat_template.jinja",
                "comet.json",
                ModelDescriptor::FILE,
                SHARDS,
            ];
            needed.contains(&file) || (file.starts_with("model") && file.ends_with(".safetensors"))
        };
        let files = Files::Folder(hub.fetch(id, wanted)?);
        let descriptor = if descriptor == ModelDescriptor::default() {
            ModelDescriptor::among(&files)?
        } else {
            descriptor
        };
        Ok(Self {
            name: descriptor
                .name
                .clone()
                .unwrap_or_else(|| id.repository.clone()),
            files,
            descriptor,
        })
    }

    /// Reads one of the model's files and checks it against the descriptor's digest.
    ///
    /// # Errors
    /// [`Error::Input`] if it cannot be read, [`Error::Model`] if its digest is another.
    pub fn read(&self, file: &str) -> Result<Vec<u8>> {
        let bytes = self.files.read(file).map_err(|source| {
            let missing = source.kind() == std::io::ErrorKind::NotFound;
            let error = Error::reading(&self.files.path(file))(source);
            if missing {
                error.with_hint(advice(file, &self.files))
            } else {
                error
            }
        })?;
        if let Some(expected) = self.descriptor.files.get(file) {
            let found = format!("sha256:{}", digest(&bytes));
            if !expected.split(' ').any(|one| one == found) {
                return Err(Error::model(
                    &self.name,
                    format!("{file} has {found}, expected {expected}"),
                )
                .with_hint("the file was changed or damaged since the descriptor was written"));
            }
        }
        Ok(bytes)
    }

    /// The error for a file of the model that is not what it must be.
    pub fn unfit(&self, file: &str, what: impl Into<Message>) -> Error {
        Error::input(self.files.path(file), what)
    }

    /// The error for a checkpoint without a head; `head` is that to be trained, where it is not the usual one.
    #[cfg(feature = "neural")]
    pub(crate) fn untuned(&self, what: String, head: Option<&str>) -> Error {
        let base = Key("base").set("MODEL");
        let head = head.map(|head| Key("head").set(head));
        let keys: Vec<_> = [Some(base), head, Some(Key("out").set("DIR"))]
            .into_iter()
            .flatten()
            .collect();
        Error::model(&self.name, what).with_hint(message!(
            "fine-tune it first: {}",
            StageCommand("fit pairwise", &keys)
        ))
    }

    /// The longest input in tokens: the descriptor's limit, else the tokenizer's own
    /// (`model_max_length`), and never more than the encoder has `positions`.
    ///
    /// # Errors
    /// [`Error::Input`] if `tokenizer_config.json` is there but cannot be read.
    pub fn max_length(&self, positions: usize) -> Result<usize> {
        if let Some(length) = self.descriptor.max_length {
            return Ok(length.min(positions));
        }
        if !self.files.has(TOKENIZER_CONFIG) {
            return Ok(positions);
        }
        let json: serde_json::Value = serde_json::from_slice(&self.read(TOKENIZER_CONFIG)?)
            .map_err(|source| self.unfit(TOKENIZER_CONFIG, format!("is not JSON: {source}")))?;
        // A tokenizer without a limit has 1e30 here.
        let limit = json["model_max_length"].as_f64().unwrap_or(f64::INFINITY);
        Ok(positions.min(limit as usize))
    }

    /// The names of the files that hold the weights: one, or the shards of the index in order.
    ///
    /// # Errors
    /// [`Error::Input`] if there is an index that cannot be read.
    pub fn weight_files(&self) -> Result<Vec<String>> {
        if self.files.has(WEIGHTS) || !self.files.has(SHARDS) {
            return Ok(vec![WEIGHTS.to_string()]);
        }
        let bad = |what: &str| self.unfit(SHARDS, what);
        let json: serde_json::Value = serde_json::from_slice(&self.read(SHARDS)?)
            .map_err(|source| bad(&format!("is not JSON: {source}")))?;
        let map = json["weight_map"]
            .as_object()
            .ok_or_else(|| bad("has no `weight_map`, expected tensor names with their files"))?;
        let mut files = Vec::new();
        for file in map.values() {
            match file.as_str() {
                Some(file) if !file.contains(['/', '\\']) => files.push(file.to_string()),
                _ => return Err(bad("names a file that is not in the model's folder")),
            }
        }
        files.sort();
        files.dedup();
        Ok(files)
    }
}

/// SHA-256 in hexadecimal.
pub fn digest(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}

/// SHA-256 of a file, in hexadecimal.
#[cfg(feature = "hub")]
pub(super) fn file_digest(path: &Path) -> std::io::Result<String> {
    let mut file = std::io::BufReader::with_capacity(1 << 16, std::fs::File::open(path)?);
    let mut hash = Sha256::new();
    std::io::copy(&mut file, &mut hash)?;
    Ok(format!("{:x}", hash.finalize()))
}

fn unknown(name: &str, models: &Path) -> Error {
    let names = places::names(models);
    let hint = match nearest(name, names.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{near}`?"),
        None if names.is_empty() => {
            "give the folder of a model, or its hub id (owner/name)".to_string()
        }
        None => format!(
            "known models are {}; a folder or a hub id (owner/name) works too",
            names.join(", ")
        ),
    };
    Error::UnknownName {
        kind: "model",
        name: name.to_string(),
        hint: Some(hint.into()),
    }
}

fn advice(file: &str, files: &Files) -> &'static str {
    let has = |name: &str| files.has(name);
    match file {
        WEIGHTS if has("pytorch_model.bin") || has("tf_model.h5") => {
            "only safetensors are read; in Python, `AutoModelForSequenceClassification\
             .from_pretrained(FOLDER).save_pretrained(FOLDER)` writes them"
        }
        "tokenizer.json" => {
            "in Python, `AutoTokenizer.from_pretrained(FOLDER).save_pretrained(FOLDER)` writes it"
        }
        _ => "a model's folder holds config.json, model.safetensors and tokenizer.json",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_the_published_one() {
        assert_eq!(
            digest(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
