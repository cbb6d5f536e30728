//! Static vectors: of words, and of sentences made from them.
//!
//! A file is recognised by what is in it, never by its name:
//!
//! | file | its form | gives |
//! | --- | --- | --- |
//! | `text.rs` | GloVe's text (word, numbers), word2vec's and fastText's `.vec` (with a first line) | words |
//! | `binary.rs` | word2vec's binary form | words |
//! | `model.rs` | `.bin` of fastText and sent2vec, as both programs write it | |
//! | `subwords.rs` | such a model of fastText | words, known or not; sentences |
//! | `bigrams.rs` | such a model of sent2vec | sentences |
//!
//! Sizes are compared with the length of the file before room is made for them. Numbers are kept
//! once, as f32.

mod bigrams;
mod binary;
mod model;
mod sentences;
mod shelf;
mod source;
mod subwords;
mod table;
mod text;
mod words;

pub use sentences::SentenceVectors;
pub use shelf::WordVectorCache;
pub use words::WordVectors;

/// The hint that says where to get vectors.
pub(crate) const ADVICE: &str = "word vectors are those of GloVe (https://nlp.stanford.edu/projects/glove, \
    unpacked), word2vec (text or binary) or fastText (.vec or .bin, https://fasttext.cc)";

/// Adds a row to a sum.
fn add(sum: &mut [f32], row: &[f32]) {
    for (sum, x) in sum.iter_mut().zip(row) {
        *sum += x;
    }
}

/// Multiplies a row by a number.
fn scale(row: &mut [f32], by: f32) {
    for x in row {
        *x *= by;
    }
}
