//! A file that gives every word a vector.

use super::model::{Kind, MAGIC, Model};
use super::source::Source;
use super::table::{Table, mean};
use super::text::{self, Header};
use super::{ADVICE, binary, subwords};
use std::path::Path;
use std::sync::OnceLock;
use tiebreak_base::error::{Error, Result};

/// Vectors of words, known or not.
#[derive(Debug)]
pub struct WordVectors {
    rows: Rows,
    unknown: OnceLock<Vec<f32>>,
    digest: String,
}

#[derive(Debug)]
enum Rows {
    Table(Table),
    Model(Model),
}

impl WordVectors {
    /// Reads a file of any of the forms that are known.
    ///
    /// # Errors
    /// [`Error::Input`] for a file that is no such file or not a whole one, [`Error::Record`] with
    /// the line for one that holds something else there.
    pub fn open(path: &Path) -> Result<Self> {
        let mut source = Source::open(path)?;
        let (rows, digest) = match recognise(&mut source)? {
            Form::Model => {
                let (model, digest) = Model::read(source)?;
                if model.kind == Kind::Sent2vec {
                    let what = "is a sent2vec model, expected vectors of words";
                    return Err(Error::input(path, what)
                        .with_hint(format!("{ADVICE}; sent2vec is for vecsim:model=FILE")));
                }
                (Rows::Model(model), digest)
            }
            Form::Binary(header) => {
                let (table, digest) = binary::read(source, header)?;
                (Rows::Table(table), digest)
            }
            Form::Text(header) => {
                let (table, digest) = text::read(source, header)?;
                (Rows::Table(table), digest)
            }
        };
        Ok(Self {
            rows,
            unknown: OnceLock::new(),
            digest,
        })
    }

    /// How many numbers a vector has.
    pub fn width(&self) -> usize {
        match &self.rows {
            Rows::Table(table) => table.width(),
            Rows::Model(model) => model.width,
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
            Rows::Table(table) => {
                vectors.extend_from_slice(table.find(word).unwrap_or_else(|| self.unknown()));
            }
            Rows::Model(model) => {
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
            Rows::Table(table) => table.mean(),
            Rows::Model(model) => mean(model.rows_of_words(), model.width),
        })
    }
}

enum Form {
    Model,
    Binary(Header),
    Text(Option<Header>),
}

/// Which form a file has, from its first bytes.
fn recognise(source: &mut Source) -> Result<Form> {
    let ahead = source.ahead()?;
    if ahead.starts_with(&MAGIC) {
        return Ok(Form::Model);
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
    if let Some(header) = Header::parse(first) {
        return Ok(if text::begins_a_row(rest.get(1..).unwrap_or_default()) {
            Form::Text(Some(header))
        } else {
            Form::Binary(header)
        });
    }
    if text::begins_a_row(first) {
        return Ok(Form::Text(None));
    }
    Err(source.wrong("is no file of word vectors").with_hint(ADVICE))
}
