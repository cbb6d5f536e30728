//! GLEU (Google's): the share of n-grams in common, of the text or of the reference, whichever is
//! smaller.
//!
//! Source: Y. Wu et al., "Google's neural machine translation system", 2016; as in nltk 3.10.4.
//! Scores run from 0 to 1. Not to be confused with `gec-gleu`, which is for grammatical error
//! correction.
//!
//! n-grams of all orders are pooled. Of several references the one with the best ratio counts, the
//! first on ties; the corpus score is the sum of matches over the sum of those references' n-grams
//! (or the text's, if there are more). Without any n-gram on either side the score is 0. Words are
//! what white space separates.

use super::by_item::{ReferenceComparison, compare_all};
use super::{Blueprint, CorpusMetric, Metric, Segment};
use crate::text::ngrams::{self, NgramCounts};
use crate::text::vocabulary::Vocabulary;
use crate::text::whitespace::words;
use serde::{Deserialize, Serialize};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::registry::{Entry, parameters};
use tiebreak_base::signature::Signature;

/// `gleu`.
pub(super) const ENTRY: Entry<Blueprint> = Entry {
    name: "gleu",
    summary: "the smaller of n-gram precision and recall, as in nltk (0-1)",
    cite: "Wu et al. 2016, Google's neural machine translation system",
    parameters: parameters::<GleuParams>,
    build: Blueprint::higher(|params, _| Ok(Box::new(Gleu::new(params.read("gleu")?)?))),
};

/// The parameters of `gleu`, named as in nltk.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct GleuParams {
    /// The shortest n-gram; from 1.
    pub min_len: usize,
    /// The longest n-gram; at most 100.
    pub max_len: usize,
}

impl Default for GleuParams {
    fn default() -> Self {
        Self {
            min_len: 1,
            max_len: 4,
        }
    }
}

struct Gleu {
    params: GleuParams,
}

impl Gleu {
    fn new(params: GleuParams) -> Result<Self> {
        let (from, to) = (params.min_len, params.max_len);
        if from == 0 || from > to || to > 100 {
            let what = format!(
                "gleu: min-len is {from} and max-len {to}, expected 1 to 100, the smaller first"
            );
            return Err(Error::usage(what));
        }
        Ok(Self { params })
    }
}

impl Metric for Gleu {
    fn signature(&self) -> Signature {
        Signature::new(ENTRY.name)
            .with("min", self.params.min_len)
            .with("max", self.params.max_len)
            .with("version", 1)
    }

    fn score(&self, segments: &[Segment<'_>]) -> Result<Vec<f64>> {
        let statistics = self.statistics(segments)?;
        Ok(statistics.chunks_exact(2).map(ratio).collect())
    }

    fn corpus(&self) -> Option<&dyn CorpusMetric> {
        Some(self)
    }
}

/// Statistics: the matches with the best reference, and its n-grams or the text's.
impl CorpusMetric for Gleu {
    fn width(&self) -> usize {
        2
    }

    fn statistics(&self, segments: &[Segment<'_>]) -> Result<Vec<f64>> {
        let matching = GleuMatcher {
            params: &self.params,
            vocabulary: Vocabulary::default(),
            references: Vec::new(),
            matches: vec![0; self.params.max_len],
        };
        compare_all(ENTRY.name, matching, segments)
    }

    fn aggregate(&self, totals: &[f64]) -> f64 {
        ratio(totals)
    }
}

fn ratio(statistics: &[f64]) -> f64 {
    if statistics[1] > 0.0 {
        statistics[0] / statistics[1]
    } else {
        0.0
    }
}

/// Counts what a text shares with each reference of its item, and keeps the best.
struct GleuMatcher<'a> {
    params: &'a GleuParams,
    vocabulary: Vocabulary,
    /// The n-grams of each reference, and their number.
    references: Vec<(NgramCounts, usize)>,
    matches: Vec<u64>,
}

impl GleuMatcher<'_> {
    fn read(&mut self, line: &str) -> Vec<u32> {
        words(line).map(|word| self.vocabulary.id(word)).collect()
    }

    /// The number of n-grams, of the orders asked for, in a text of `length` words.
    fn total(&self, length: usize) -> usize {
        let orders = self.params.min_len..=self.params.max_len;
        orders.map(|n| ngrams::count(length, n)).sum()
    }
}

impl ReferenceComparison for GleuMatcher<'_> {
    fn set_references(&mut self, references: &[String]) {
        let mut counted = std::mem::take(&mut self.references);
        counted.resize_with(references.len(), Default::default);
        for ((counts, total), line) in counted.iter_mut().zip(references) {
            let reference = self.read(line);
            counts.set(self.params.max_len, std::iter::once(&reference[..]));
            *total = self.total(reference.len());
        }
        self.references = counted;
    }

    fn compare(&mut self, hypothesis: &str, values: &mut Vec<f64>) {
        let text = self.read(hypothesis);
        let total = self.total(text.len());
        let mut best = [0.0, 0.0];
        for (counts, reference_total) in &mut self.references {
            self.matches.fill(0);
            counts.overlap(&text, &mut self.matches);
            let shared: u64 = self.matches[self.params.min_len - 1..].iter().sum();
            let row = [shared as f64, total.max(*reference_total) as f64];
            // A reference counts even where nothing matches, if there was something to match.
            if best[1] == 0.0 || ratio(&row) > ratio(&best) {
                best = row;
            }
        }
        values.extend(best);
    }
}
