//! The metrics: text to score.
//!
//! A metric is one file or folder with an `ENTRY`, plus its two lines below.

mod batches;
pub mod bertscore;
pub mod bleu;
pub mod bleurt;
mod by_item;
mod checkpoint;
pub mod chrf;
pub mod cider;
pub mod comet;
#[cfg(feature = "neural")]
mod document_frequencies;
pub mod gec_gleu;
pub mod gleu;
mod in_memory;
mod items;
pub mod laser;
pub mod length;
pub mod meteor;
pub mod moverscore;
mod multi_reference;
pub mod rouge;
mod sentence_vectors;
pub mod ter;
pub mod vecsim;
pub mod wer;
pub mod word_vectors;

pub use in_memory::{
    corpus_until, load, observe_until, score, segment_scores_until, with_references,
};
pub use multi_reference::MultiReference;

use crate::env::Env;
use std::collections::BTreeMap;
#[cfg(feature = "neural")]
use tiebreak_base::error::Error;
use tiebreak_base::error::Result;
use tiebreak_base::registry::{Entry, Params};
use tiebreak_base::signature::Signature;

/// One system output with what it is judged against.
#[derive(Debug, Clone, Copy)]
pub struct Segment<'a> {
    /// What the system wrote; may be empty.
    pub hypothesis: &'a str,
    /// The human references. Segments of one item share this slice, so that a metric may prepare references once for
    /// all systems.
    pub references: &'a [String],
    /// The input, where it is known.
    pub context: Option<&'a str>,
}

/// A matrix of n rows by L dropout draws.
#[derive(Debug, Clone, PartialEq)]
pub struct DrawMatrix {
    values: Vec<f64>,
    width: usize,
}

impl DrawMatrix {
    /// Makes a matrix of `values`, row by row, each `width` long.
    ///
    /// # Panics
    /// If `values` is not a whole number of rows.
    pub fn new(values: Vec<f64>, width: usize) -> Self {
        assert!(
            width > 0 && values.len().is_multiple_of(width),
            "draws must fill whole rows"
        );
        Self { values, width }
    }

    /// Makes a matrix of `draws` a segment from what `all` returns, row by row, for the draws' numbers as encoders take
    /// them; `None` of no draws.
    ///
    /// # Errors
    /// Those of `all`; more draws than can be numbered.
    #[cfg(feature = "neural")]
    pub(crate) fn drawn(
        draws: usize,
        all: impl FnOnce(&[Option<u32>]) -> Result<Vec<f64>>,
    ) -> Result<Option<Self>> {
        let last = u32::try_from(draws)
            .map_err(|_| Error::usage(format!("{draws} draws, expected at most {}", u32::MAX)))?;
        let numbers: Vec<Option<u32>> = (0..last).map(Some).collect();
        let drawn = (draws > 0).then(|| all(&numbers)).transpose()?;
        Ok(drawn.map(|values| Self::new(values, draws)))
    }

    /// The draws of each segment, in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.values.chunks_exact(self.width)
    }

    /// The draws of one segment.
    ///
    /// # Panics
    /// If there is no such segment.
    pub fn row(&self, segment: usize) -> &[f64] {
        &self.values[segment * self.width..(segment + 1) * self.width]
    }
}

/// A metric: a pure function of a segment, computed for many at once.
pub trait Metric: Send + Sync {
    /// The signature: every parameter that can change the numbers, and a version.
    fn signature(&self) -> Signature;

    /// One score per segment, in order. The score of a segment does not depend on the others.
    ///
    /// # Errors
    /// For segments the metric is not defined on (no references, say).
    fn score(&self, segments: &[Segment<'_>]) -> Result<Vec<f64>>;

    /// Whether the metric can be sampled by Monte Carlo dropout.
    fn has_dropout(&self) -> bool {
        false
    }

    /// Scores under Monte Carlo dropout, `draws` per segment, for metrics that have it.
    ///
    /// # Errors
    /// As [`Metric::score`].
    fn draws(&self, _segments: &[Segment<'_>], _draws: usize) -> Result<Option<DrawMatrix>> {
        Ok(None)
    }

    /// Whether the metric must be shown the whole data set before it scores any of it, as for
    /// document frequencies.
    fn needs_corpus(&self) -> bool {
        false
    }

    /// Shows the metric the next segments of the data set, those of one item together, for
    /// metrics that [need it](Metric::needs_corpus).
    ///
    /// # Errors
    /// For a text the metric cannot take.
    fn observe(&mut self, _segments: &[Segment<'_>]) -> Result<()> {
        Ok(())
    }

    /// Ends a pass over the whole data set. Returns whether another one, in the same order, is needed, as when too much
    /// was seen to be remembered at once.
    fn observed(&mut self) -> bool {
        false
    }

    /// The terms that the documents of an item hold, each as often as documents hold it, where scores depend on
    /// how many documents of the whole data set hold a term; `None` where they do not. Such counts add up over
    /// parts of a data set.
    ///
    /// # Errors
    /// For a text the metric cannot take.
    fn terms(&self, _item: &[Segment<'_>]) -> Result<Option<Vec<String>>> {
        Ok(None)
    }

    /// Takes the counts of all [terms](Metric::terms) in place of being shown the data set.
    ///
    /// # Errors
    /// For counts that are none of this metric's.
    fn count(&mut self, _counts: &BTreeMap<String, u64>) -> Result<()> {
        Ok(())
    }

    /// Whether a segment without references is an error.
    fn needs_references(&self) -> bool {
        true
    }

    /// The same metric over a whole corpus, where it has sufficient statistics.
    fn corpus(&self) -> Option<&dyn CorpusMetric> {
        None
    }
}

/// A metric whose corpus score is a function of summed per-segment statistics.
pub trait CorpusMetric: Metric {
    /// The number of statistics of a segment.
    fn width(&self) -> usize;

    /// The statistics of each segment in order, [`width`](Self::width) numbers each. They are
    /// counts, so their sums are exact and any order of summation gives the same corpus score.
    ///
    /// # Errors
    /// For a segment the metric is not defined on.
    fn statistics(&self, segments: &[Segment<'_>]) -> Result<Vec<f64>>;

    /// The [statistics](Self::statistics), where segment i is of the `positions[i]`-th item that was
    /// [observed](Metric::observe), for metrics that draw at random per item.
    ///
    /// # Errors
    /// As [`statistics`](Self::statistics).
    fn statistics_at(&self, segments: &[Segment<'_>], _positions: &[u64]) -> Result<Vec<f64>> {
        self.statistics(segments)
    }

    /// The corpus score from summed statistics.
    fn aggregate(&self, totals: &[f64]) -> f64;

    /// What the corpus score from these sums is made of, as its reference implementation writes it.
    fn details(&self, _totals: &[f64]) -> Option<String> {
        None
    }

    /// The signature of the corpus score, which may differ from that of segment scores.
    fn corpus_signature(&self) -> Signature {
        self.signature()
    }
}

/// The direction of better scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Larger scores are better.
    Higher,
    /// Smaller scores are better, as for error rates.
    Lower,
}

impl Direction {
    /// The name, as `tiebreak list` writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Higher => "higher",
            Self::Lower => "lower",
        }
    }

    /// Orders two scores so that the first system is better where the first score is larger: they are swapped where
    /// lower is better.
    pub fn rising<T>(self, first: T, second: T) -> (T, T) {
        match self {
            Self::Higher => (first, second),
            Self::Lower => (second, first),
        }
    }
}

/// The direction of better scores of a metric, by its name, with or without parameters or a filter's name (`wer,none`). For
/// a name that is no metric's, larger scores are taken to be better.
pub fn direction(label: &str) -> Direction {
    let name = label.split([':', ',']).next().unwrap_or(label);
    let listed = METRICS.iter().find(|entry| entry.name == name);
    listed.map_or(Direction::Higher, |entry| entry.build.better)
}

/// Words in the name of a criterion whose scores are better when they are lower, other than the names of our metrics; also
/// in the plural.
const LOWER_IS_BETTER: [&str; 36] = [
    "ber",
    "bias",
    "bits",
    "brier",
    "cer",
    "cost",
    "crossentropy",
    "defect",
    "distance",
    "ece",
    "eer",
    "entropy",
    "error",
    "failure",
    "hallucination",
    "harm",
    "latencies",
    "latency",
    "loss",
    "losses",
    "mae",
    "mer",
    "mistake",
    "mse",
    "nll",
    "omission",
    "penalties",
    "penalty",
    "perplexity",
    "ppl",
    "refusal",
    "risk",
    "rmse",
    "severity",
    "toxicity",
    "violation",
];

/// Words in the name of a criterion that say the opposite of the others: `error_free`.
const NEGATIONS: [&str; 5] = ["free", "no", "non", "not", "without"];

/// Whether lower scores are better by the name of a criterion, which is all that is known of its direction.
pub fn is_lower_better(criterion: &str) -> bool {
    let name = criterion.to_lowercase();
    let words = name.split(|c: char| !c.is_alphanumeric());
    let is_listed = |word: &str| {
        let singular = word.strip_suffix('s').unwrap_or(word);
        let listed = [word, singular]
            .iter()
            .any(|one| LOWER_IS_BETTER.contains(one));
        listed || direction(word) == Direction::Lower
    };
    words.clone().any(is_listed) && !words.clone().any(|word| NEGATIONS.contains(&word))
}

/// Builds a metric from its parameters.
pub(crate) type BuildMetric = fn(&Params, &Env) -> Result<Box<dyn Metric>>;

/// The constructor of a metric, and the direction of its scores.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Blueprint {
    /// The direction of better scores, so that links prefer the right output.
    pub better: Direction,
    /// The constructor.
    pub build: BuildMetric,
}

impl Blueprint {
    const fn higher(build: BuildMetric) -> Self {
        let better = Direction::Higher;
        Self { better, build }
    }

    const fn lower(build: BuildMetric) -> Self {
        let better = Direction::Lower;
        Self { better, build }
    }
}

/// All metrics.
pub const METRICS: &[Entry<Blueprint>] = &[
    bertscore::ENTRY,
    bleu::ENTRY,
    bleu::BLEU_1,
    bleu::BLEU_2,
    bleu::BLEU_3,
    bleu::BLEU_4,
    bleurt::ENTRY,
    chrf::CHRF,
    chrf::CHRF_PLUS_PLUS,
    cider::CIDER,
    cider::CIDER_D,
    comet::ENTRY,
    gec_gleu::ENTRY,
    gleu::ENTRY,
    word_vectors::EMBEDDING_AVERAGE,
    word_vectors::VECTOR_EXTREMA,
    word_vectors::GREEDY_MATCHING,
    laser::ENTRY,
    length::ENTRY,
    meteor::ENTRY,
    moverscore::ENTRY,
    rouge::ROUGE_1,
    rouge::ROUGE_2,
    rouge::ROUGE_3,
    rouge::ROUGE_4,
    rouge::ROUGE_L,
    rouge::ROUGE_LSUM,
    rouge::ROUGE_SU4,
    rouge::ROUGE_W,
    ter::ENTRY,
    vecsim::ENTRY,
    wer::ENTRY,
];
