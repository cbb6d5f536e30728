//! Similarity of word vectors: embedding average, vector extrema and greedy matching.
//!
//! Source: nlg-eval (`word2vec/evaluate.py`), which Mohankumar and Khapra (ACL 2022) run with GloVe
//! 6B of 300 numbers; surveyed in Liu et al., "How NOT to evaluate your dialogue system", EMNLP
//! 2016. Scores run up to 1.
//!
//! * `embedding-average` (Foltz et al. 1998): the cosine of the sums of word vectors.
//! * `vector-extrema` (Forgues et al. 2014): the cosine of vectors that have in every dimension the
//!   number of largest magnitude.
//! * `greedy-matching` (Rus and Lintean 2012): every word is matched with the most similar word of
//!   the other text; the mean of both directions' means.
//!
//! Tokens are those of nltk's `word_tokenize`, looked up as they are written (GloVe 6B has lower case
//! only; `lowercase` helps); a word that is not there has the mean of all vectors, or where the
//! file is a fastText model with n-grams, the vector made of those. Of several references the
//! largest value counts; `multi-reference` chooses otherwise.
//!
//! Deviations: a text or reference without tokens scores 0, where nlg-eval raises. nlg-eval prints
//! six decimals. Its tokeniser splits sentences first (see [`crate::text::word_tokenize`]).

mod rows;

use super::items::{each_once, score_items};
use super::{Blueprint, Metric, MultiReference, Segment};
use crate::env::Env;
use crate::text::word_tokenize::WordTokenizer;
use crate::vectors::{ADVICE, WordVectors};
use rows::{average, extrema, greedy};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::registry::{Entry, Params, parameters};
use tiebreak_base::signature::{Signature, yes_no};

/// `embedding-average`.
pub(super) const EMBEDDING_AVERAGE: Entry<Blueprint> = Entry {
    name: "embedding-average",
    summary: "cosine of summed word vectors, as in nlg-eval (up to 1); needs vectors",
    cite: "Foltz et al. 1998; nlg-eval",
    parameters: parameters::<WordVectorParams>,
    build: Blueprint::higher(|params, env| {
        build(WordVectorSimilarity::EmbeddingAverage, params, env)
    }),
};

/// `vector-extrema`.
pub(super) const VECTOR_EXTREMA: Entry<Blueprint> = Entry {
    name: "vector-extrema",
    summary: "cosine of the extremes of word vectors, as in nlg-eval (up to 1); needs vectors",
    cite: "Forgues et al. 2014, Bootstrapping dialog systems with word embeddings; nlg-eval",
    parameters: parameters::<WordVectorParams>,
    build: Blueprint::higher(|params, env| build(WordVectorSimilarity::VectorExtrema, params, env)),
};

/// `greedy-matching`.
pub(super) const GREEDY_MATCHING: Entry<Blueprint> = Entry {
    name: "greedy-matching",
    summary: "best-matching word vectors in both directions, as in nlg-eval (up to 1); needs vectors",
    cite: "Rus and Lintean 2012, A comparison of greedy and optimal assessment; nlg-eval",
    parameters: parameters::<WordVectorParams>,
    build: Blueprint::higher(|params, env| {
        build(WordVectorSimilarity::GreedyMatching, params, env)
    }),
};

/// One of the three similarities of word vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordVectorSimilarity {
    /// The cosine of sums.
    EmbeddingAverage,
    /// The cosine of extremes.
    VectorExtrema,
    /// The mean of best matches.
    GreedyMatching,
}

impl WordVectorSimilarity {
    /// The name of the metric.
    pub fn name(self) -> &'static str {
        match self {
            Self::EmbeddingAverage => "embedding-average",
            Self::VectorExtrema => "vector-extrema",
            Self::GreedyMatching => "greedy-matching",
        }
    }
}

/// The parameters of the three metrics.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct WordVectorParams {
    /// A file of word vectors: GloVe's text, word2vec's text or binary, fastText's .vec or .bin.
    pub vectors: PathBuf,
    /// Whether texts are lower-cased first.
    pub lowercase: bool,
    /// The combination of several references.
    pub multi_reference: MultiReference,
}

impl Default for WordVectorParams {
    fn default() -> Self {
        Self {
            vectors: PathBuf::new(),
            lowercase: false,
            multi_reference: MultiReference::Max,
        }
    }
}

fn build(kind: WordVectorSimilarity, params: &Params, env: &Env) -> Result<Box<dyn Metric>> {
    let params: WordVectorParams = params.read(kind.name())?;
    if params.vectors.as_os_str().is_empty() {
        let what = format!("{} needs vectors=FILE, a file of word vectors", kind.name());
        return Err(Error::usage(what).with_hint(ADVICE));
    }
    let vectors = env.shelf.words(&params.vectors)?;
    Ok(Box::new(WordVectorMetric::new(kind, params, vectors)))
}

/// One of the three metrics, with its vectors.
pub struct WordVectorMetric {
    kind: WordVectorSimilarity,
    params: WordVectorParams,
    vectors: Arc<WordVectors>,
}

impl WordVectorMetric {
    /// Makes the metric on vectors that are read already; `params.vectors` is left aside.
    pub fn new(
        kind: WordVectorSimilarity,
        params: WordVectorParams,
        vectors: Arc<WordVectors>,
    ) -> Self {
        Self {
            kind,
            params,
            vectors,
        }
    }

    /// A text as rows of length 1: one for each of its tokens, or one in all.
    fn rows(&self, text: &str, tokenizer: &mut WordTokenizer) -> Vec<f32> {
        let text = match self.params.lowercase {
            true => Cow::Owned(text.to_lowercase()),
            false => Cow::Borrowed(text),
        };
        let mut rows = Vec::new();
        tokenizer.tokens(&text, |token| self.vectors.append(token, &mut rows));
        let width = self.vectors.width();
        match self.kind {
            WordVectorSimilarity::EmbeddingAverage => average(&mut rows, width),
            WordVectorSimilarity::VectorExtrema => extrema(&mut rows, width),
            WordVectorSimilarity::GreedyMatching => {}
        }
        rows.chunks_exact_mut(width)
            .for_each(tiebreak_encoders::normalise);
        rows
    }

    fn item(&self, item: &[Segment<'_>]) -> Result<Vec<f64>> {
        let multiple = self.params.multi_reference;
        let references = multiple.considered(item[0].references);
        let texts = item.iter().map(|segment| segment.hypothesis);
        let all = references.iter().map(String::as_str).chain(texts);
        let mut tokenizer = WordTokenizer::default();
        let rows = each_once(all, |text| Ok(self.rows(text, &mut tokenizer)))?;
        let width = self.vectors.width();
        let score = |segment: &Segment<'_>| {
            let text = &rows[segment.hypothesis];
            let scores = references.iter();
            let scores = scores.map(|reference| greedy(text, &rows[reference.as_str()], width));
            multiple.combine(&scores.collect::<Vec<_>>())
        };
        Ok(item.iter().map(score).collect())
    }
}

impl Metric for WordVectorMetric {
    fn signature(&self) -> Signature {
        Signature::new(self.kind.name())
            .with("vectors", self.vectors.digest())
            .with("width", self.vectors.width())
            .with("tok", "nltk")
            .with("lowercase", yes_no(self.params.lowercase))
            .with("multi-reference", self.params.multi_reference.name())
            .with("version", 1)
    }

    fn score(&self, segments: &[Segment<'_>]) -> Result<Vec<f64>> {
        score_items(self.kind.name(), segments, |item| self.item(item))
    }
}
