//! A file that gives every word a vector.

use super::model::{FastTextModel, FastTextVariant, MAGIC};
use super::source::VectorFileReader;
use super::table::{WordVectorTable, mean};
use super::text::{self, VectorFileHeader};
use super::{ADVICE, binary, subwords};
use std::path::Path;
use std::sync::OnceLock;
use tiebreak_base::error::{Error, Result};

/// Vectors of words, known or not.
#[derive(Debug)]
pub struct WordVectors {
    rows: WordVectorStore,
    unknown: OnceLock<Vec<f32>>,
    digest: String,
}

#[derive(Debug)]
enum WordVectorStore {
    Table(WordVectorTable),
    Model(FastTextModel),
}

impl WordVectors {
    /// Reads a file of any of the forms that are known.
    ///
    /// # Errors
    /// [`Error::Input`] for a file that is no such file or not a whole one, [`Error::Record`] with
    /// the line for one that holds something else there.
    pub fn open(path: &Path) -> Result<Self> {
        let mut source = VectorFileReader::open(path)?;
        let (rows, digest) = match recognise(&mut source)? {
            VectorFileFormat::Model => {
                let (model, digest) = FastTextModel::read(source)?;
                if model.kind == FastTextVariant::Sent2vec {
                    let what = "is a sent2vec model, expected vectors of words";
                    return Err(Error::input(path, what)
                        .with_hint(format!("{ADVICE}; sent2vec is for vecsim:model=FILE")));
                }
                (WordVectorStore::Model(model), digest)
            }
            VectorFileFormat::Binary(header) => {
                let (table, digest) = binary::read(source, header)?;
                (WordVectorStore::Table(table), digest)
            }
            VectorFileFormat::Text(header) => {
                let (table, digest) = text::read(source, header)?;
                (WordVectorStore::Table(table), digest)
            }
        };
        Ok(Self {
            rows,
            unknown: OnceLock::new(),
            digest,
        })
    }

    /// The length of a vector.
    pub fn width(&self) -> usize {
        match &self.rows {
            WordVectorStore::Table(table) => table.width(),
            WordVectorStore::Model(model) => model.width,
        }
    }

    /// The first 16 hexadecimal digits of the SHA-256 of the file; of a fastText model, of the part
    /// that is used.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Appends the vector of a word, which is looked up as it is written. A word that is not there
    /// is put together from its character n-grams where the file has such, else it is the mean of
    /// all words.
    pub fn append(&self, word: &str, vectors: &mut Vec<f32>) {
        match &self.rows {
            WordVectorStore::Table(table) => {
                vectors
                    .extend_from_slice(table.word_vector(word).unwrap_or_else(|| self.unknown()));
            }
            WordVectorStore::Model(model) => {
                let start = vectors.len();
                vectors.resize(start + model.width, 0.0);
                if !subwords::word(model, word, &mut vectors[start..]) {
                    vectors[start..].copy_from_slice(self.unknown());
                }
            }
        }
    }

    /// The mean of the rows of all words.
    fn unknown(&self) -> &[f32] {
        self.unknown.get_or_init(|| match &self.rows {
            WordVectorStore::Table(table) => table.mean(),
            WordVectorStore::Model(model) => mean(model.rows_of_words(), model.width),
        })
    }
}

enum VectorFileFormat {
    Model,
    Binary(VectorFileHeader),
    Text(Option<VectorFileHeader>),
}

/// The form of a file, from its first bytes.
fn recognise(source: &mut VectorFileReader) -> Result<VectorFileFormat> {
    let ahead = source.ahead()?;
    if ahead.starts_with(&MAGIC) {
        return Ok(VectorFileFormat::Model);
    }
    let packed = [
        b"PK\x03\x04".as_slice(),
        b"\x1f\x8b",
        b"BZh",
        b"\x28\xb5\x2f\xfd",
    ];
    if packed.iter().any(|start| ahead.starts_with(start)) {
        return Err(source.wrong("is compressed").with_hint("unpack it first"));
    }
    let end = ahead.iter().position(|&byte| byte == b'\n');
    let (first, rest) = ahead.split_at(end.unwrap_or(ahead.len()));
    if let Some(header) = VectorFileHeader::parse(first) {
        return Ok(if text::begins_a_row(rest.get(1..).unwrap_or_default()) {
            VectorFileFormat::Text(Some(header))
        } else {
            VectorFileFormat::Binary(header)
        });
    }
    if text::begins_a_row(first) {
        return Ok(VectorFileFormat::Text(None));
    }
    Err(source
        .wrong("is not a file of word vectors")
        .with_hint(ADVICE))
}
