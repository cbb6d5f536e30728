//! LASER: a sentence as the maximum over time of a bidirectional LSTM over byte-pair units.
//!
//! Source: Artetxe and Schwenk, "Massively multilingual sentence embeddings for zero-shot
//! cross-lingual transfer and beyond", TACL 2019; as in LASER's `embed.py` and the package
//! laserembeddings. Text is tokenised as by Moses (with a function from the caller), lower-cased, split into
//! units (`bpe.rs`), numbered by a dictionary, closed with `</s>` and run through the LSTM
//! (`lstm.rs`).
//!
//! A model is a folder with `encoder.safetensors` (the encoder's tensors), `params.json` (its sizes),
//! `dictionary.json` (units with their numbers), one `.fcodes` and one `.fvocab`. `models/README.md`
//! says how to make the first three from the published `.pt`, which is a pickle.
//!
//! Only text of the English kind is read: other languages have apostrophes and abbreviations of their
//! own in Moses, and Chinese, Japanese and Greek need further programs.

mod bpe;
mod lstm;

use super::checkpoint::{Checkpoint, digest};
use bpe::Bpe;
use lstm::{Lstm, Sizes};
use serde::Deserialize;
use std::collections::BTreeMap;
use tiebreak_base::error::{Error, Result};

const ENCODER: &str = "encoder.safetensors";
const PARAMS: &str = "params.json";
const DICTIONARY: &str = "dictionary.json";

/// The encoder with the steps from text to its input.
pub struct Laser {
    bpe: Bpe,
    dictionary: BTreeMap<String, u32>,
    end: u32,
    unknown: u32,
    lstm: Lstm,
    digests: Vec<(&'static str, String)>,
    /// The tokenizer, as Moses does it.
    tokenize: fn(&str) -> String,
}

/// The contents of `params.json`.
#[derive(Deserialize)]
struct LaserParamsFile {
    params: Sizes,
}

impl Laser {
    /// Reads a model's folder; `tokenize` separates tokens by spaces, as Moses does.
    ///
    /// # Errors
    /// The file, tensor or unit that is missing or does not fit.
    pub fn load(checkpoint: &Checkpoint, tokenize: fn(&str) -> String) -> Result<Self> {
        let tensors = read(checkpoint, ENCODER)?;
        let params = read(checkpoint, PARAMS)?;
        let dictionary = read(checkpoint, DICTIONARY)?;
        let (codes_name, vocabulary_name) = (
            only_file_with_extension(checkpoint, "fcodes")?,
            only_file_with_extension(checkpoint, "fvocab")?,
        );
        let (codes, vocabulary) = (
            read(checkpoint, &codes_name)?,
            read(checkpoint, &vocabulary_name)?,
        );
        let digests = [
            ("encoder", &tensors),
            ("params", &params),
            ("dictionary", &dictionary),
            ("codes", &codes),
            ("vocab", &vocabulary),
        ];
        let digests = digests.map(|(name, bytes)| (name, digest(bytes)[..16].to_string()));
        let LaserParamsFile { params: sizes } = json(checkpoint, PARAMS, &params)?;
        let dictionary: BTreeMap<String, u32> = json(checkpoint, DICTIONARY, &dictionary)?;
        if let Some((unit, id)) = dictionary
            .iter()
            .find(|(_, id)| **id as usize >= sizes.num_embeddings)
        {
            let what = format!(
                "gives `{unit}` the number {id}, but there are {} embeddings",
                sizes.num_embeddings
            );
            return Err(wrong(checkpoint, DICTIONARY, what));
        }
        let special = |unit: &str| {
            let found = dictionary.get(unit).copied();
            found.ok_or_else(|| wrong(checkpoint, DICTIONARY, format!("has no `{unit}`")))
        };
        Ok(Self {
            bpe: Bpe::read(
                checkpoint,
                (&codes_name, &codes),
                (&vocabulary_name, &vocabulary),
            )?,
            end: special("</s>")?,
            unknown: special("<unk>")?,
            dictionary,
            lstm: Lstm::read(checkpoint, ENCODER, &tensors, &sizes)?,
            digests: digests.into(),
            tokenize,
        })
    }

    /// The digests that identify the model, for a signature: (file, first 16 digits of its SHA-256).
    pub fn digests(&self) -> &[(&'static str, String)] {
        &self.digests
    }

    /// The units of a text: tokens in lower case, split into pieces, with `@@` after every piece that
    /// does not end its token.
    pub fn units(&self, text: &str) -> Vec<String> {
        let line = (self.tokenize)(text).to_lowercase();
        let mut units = Vec::new();
        for token in line.split(' ').filter(|token| !token.is_empty()) {
            self.bpe.split(token, &mut units);
        }
        units
    }

    /// The numbers of a text's units, with that of `</s>` at the end.
    pub fn ids(&self, text: &str) -> Vec<u32> {
        let units = self.units(text);
        let ids = units.iter().map(|unit| self.dictionary.get(unit).copied());
        let ids = ids.map(|id| id.unwrap_or(self.unknown));
        ids.chain([self.end]).collect()
    }

    /// The vector of a text.
    pub fn sentence(&self, text: &str) -> Vec<f32> {
        self.lstm.maximum(&self.ids(text))
    }
}

fn read(checkpoint: &Checkpoint, file: &str) -> Result<Vec<u8>> {
    checkpoint.read(file).map_err(|error| {
        error.with_hint(
            "a LASER folder holds encoder.safetensors, params.json, dictionary.json, one .fcodes and one \
             .fvocab; a published .pt is converted as models/README.md says",
        )
    })
}

fn json<T: serde::de::DeserializeOwned>(
    checkpoint: &Checkpoint,
    file: &str,
    bytes: &[u8],
) -> Result<T> {
    serde_json::from_slice(bytes).map_err(|source| {
        wrong(
            checkpoint,
            file,
            format!("is not what LASER has there: {source}"),
        )
    })
}

fn wrong(checkpoint: &Checkpoint, file: &str, what: impl Into<String>) -> Error {
    checkpoint.unfit(file, what).with_hint(
        "the files of a LASER folder belong together; models/README.md says how they are made",
    )
}

/// The name of the only file with an extension.
fn only_file_with_extension(checkpoint: &Checkpoint, extension: &str) -> Result<String> {
    let folder = &checkpoint.files.location();
    let mut names = checkpoint.files.names().map_err(Error::reading(folder))?;
    names.retain(|name| name.ends_with(&format!(".{extension}")));
    match &names[..] {
        [name] => Ok(name.clone()),
        [] => Err(Error::input(folder, format!("has no .{extension} file")).with_hint(
            "LASER's are 93langs.fcodes and 93langs.fvocab; a model with SentencePiece (LASER2) is not read",
        )),
        names => {
            let what = format!("has several .{extension} files: {}", names.join(", "));
            Err(Error::input(folder, what).with_hint("keep the one that belongs to the encoder"))
        }
    }
}
