//! A file that gives every sentence a vector.

use super::model::{FastTextModel, FastTextVariant, MAGIC};
use super::source::VectorFileReader;
use super::{bigrams, subwords};
use std::path::Path;
use tiebreak_base::error::Result;

/// A model of fastText or sent2vec, for vectors of whole texts.
#[derive(Debug)]
pub struct SentenceVectors {
    model: FastTextModel,
    digest: String,
}

impl SentenceVectors {
    /// Reads a `.bin` of either program.
    ///
    /// # Errors
    /// [`Error::Input`](tiebreak_base::error::Error::Input) for a file that is no such model or not a whole one.
    pub fn open(path: &Path) -> Result<Self> {
        let mut source = VectorFileReader::open(path)?;
        if !source.ahead()?.starts_with(&MAGIC) {
            let hint = "expected a .bin of one of them; for word vectors there is \
                embedding-average:vectors=FILE";
            let wrong = source.wrong("is not a model of fastText or sent2vec");
            return Err(wrong.with_hint(hint));
        }
        let (model, digest) = FastTextModel::read(source)?;
        Ok(Self { model, digest })
    }

    /// The program whose model it is.
    pub fn kind(&self) -> &'static str {
        match self.model.kind {
            FastTextVariant::FastText => "fasttext",
            FastTextVariant::Sent2vec => "sent2vec",
        }
    }

    /// The first 16 hexadecimal digits of the SHA-256 of the part of the file that is used.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The vector of a text, as its program gives it for a line: zeros where it knows nothing of it.
    pub fn sentence(&self, text: &str) -> Vec<f32> {
        match self.model.kind {
            FastTextVariant::FastText => subwords::sentence(&self.model, text),
            FastTextVariant::Sent2vec => bigrams::sentence(&self.model, text),
        }
    }
}
