//! BLEU: the share of a text's word n-grams that a reference has too, with a penalty for brevity.
//!
//! Source: K. Papineni, S. Roukos, T. Ward and W.-J. Zhu, "BLEU: a method for automatic
//! evaluation of machine translation", ACL 2002; as in sacrebleu 2.6.0 (M. Post, "A call for
//! clarity in reporting BLEU scores", WMT 2018). Scores run from 0 to 100.
//!
//! Matches are clipped by the largest count in any one reference; the reference length is the one
//! closest to the text's, the shorter on ties. The corpus score comes from summed counts.
//!
//! Deviation: `effective-order` is on for segment scores and off for corpus scores unless it is
//! given, as sacrebleu's own functions do; the signature says which (`eff`). `smooth-value` is
//! ignored by the methods that have none, as there. The signature also names the order.

mod captions;
mod formula;
mod nltk;

pub(super) use captions::{BLEU_1, BLEU_2, BLEU_3, BLEU_4};
pub(crate) use formula::{BleuFormula, Smoothing};

use super::by_item::{ReferenceComparison, compare_all};
use super::{Blueprint, CorpusMetric, Metric, Segment};
use crate::env::Env;
use crate::text::ngrams::{self, NgramCounts};
use crate::text::tokenize::{LineTokenizer, SacrebleuTokenizer};
use crate::text::vocabulary::Vocabulary;
use serde::{Deserialize, Serialize};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::registry::{Entry, Params, parameters};
use tiebreak_base::signature::{Signature, yes_no};

/// `bleu`.
pub(super) const ENTRY: Entry<Blueprint> = Entry {
    name: "bleu",
    summary: "n-gram precision with a brevity penalty, as in sacrebleu (0-100)",
    cite: "Papineni et al. 2002; Post 2018",
    parameters: parameters::<BleuParams>,
    build: Blueprint::higher(build),
};

/// The parameters of `bleu`, named as in sacrebleu.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct BleuParams {
    /// The tokeniser of lines.
    pub tokenize: SacrebleuTokenizer,
    /// The smoothing of orders without matches.
    pub(crate) smooth_method: SmoothMethod,
    /// The value of `floor` (default 0.1) and `add-k` (default 1).
    pub smooth_value: Option<f64>,
    /// Whether case is ignored.
    pub lowercase: bool,
    /// N, the longest n-gram; 1 to 100.
    pub max_ngram_order: usize,
    /// Whether orders longer than the text are left out; by default for segment scores only.
    pub effective_order: Option<bool>,
}

impl Default for BleuParams {
    fn default() -> Self {
        Self {
            tokenize: SacrebleuTokenizer::V13a,
            smooth_method: SmoothMethod::Exp,
            smooth_value: None,
            lowercase: false,
            max_ngram_order: 4,
            effective_order: None,
        }
    }
}

/// The smoothing methods by name, as in `Smoothing`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)]
pub(crate) enum SmoothMethod {
    None,
    Floor,
    AddK,
    Exp,
}

fn build(params: &Params, env: &Env) -> Result<Box<dyn Metric>> {
    Ok(Box::new(Bleu::new(params.read("bleu")?, env)?))
}

/// BLEU with its parameters.
#[derive(Debug, Clone)]
pub struct Bleu {
    params: BleuParams,
    tokenizer: LineTokenizer,
    smoothing: Smoothing,
}

impl Bleu {
    /// BLEU with these parameters.
    ///
    /// # Errors
    /// [`Error::Usage`] for an order outside 1 to 100 or a negative or infinite smoothing value; those of opening the
    /// tokeniser.
    pub fn new(params: BleuParams, env: &Env) -> Result<Self> {
        let order = params.max_ngram_order;
        if !(1..=100).contains(&order) {
            let what = format!("bleu: max-ngram-order is {order}, expected 1 to 100");
            return Err(Error::usage(what));
        }
        if let Some(value) = params.smooth_value
            && !(value.is_finite() && value >= 0.0)
        {
            let what = format!("bleu: smooth-value is {value}, expected 0 or more");
            return Err(Error::usage(what));
        }
        let smoothing = match params.smooth_method {
            SmoothMethod::None => Smoothing::None,
            SmoothMethod::Floor => Smoothing::Floor(params.smooth_value.unwrap_or(0.1)),
            SmoothMethod::AddK => Smoothing::AddK(params.smooth_value.unwrap_or(1.0)),
            SmoothMethod::Exp => Smoothing::Exp,
        };
        Ok(Self {
            tokenizer: env.tokenizer(params.tokenize)?,
            params,
            smoothing,
        })
    }

    /// The formula from the statistics of one segment to its score.
    pub fn segment_formula(&self) -> BleuFormula {
        self.formula(true)
    }

    /// The formula from summed statistics to the corpus score.
    pub fn corpus_formula(&self) -> BleuFormula {
        self.formula(false)
    }

    fn formula(&self, effective_order: bool) -> BleuFormula {
        BleuFormula {
            smoothing: self.smoothing,
            effective_order: self.params.effective_order.unwrap_or(effective_order),
        }
    }

    /// Returns the statistics on behalf of `metric`, which errors name.
    fn statistics_for(&self, metric: &str, segments: &[Segment<'_>]) -> Result<Vec<f64>> {
        compare_all(metric, BleuMatcher::new(self), segments)
    }

    fn read(&self, line: &str, emit: impl FnMut(&str)) {
        match self.params.lowercase {
            true => self.tokenizer.tokens(&line.to_lowercase(), emit),
            false => self.tokenizer.tokens(line, emit),
        }
    }

    fn signature_of(&self, formula: &BleuFormula) -> Signature {
        let case = if self.params.lowercase { "lc" } else { "mixed" };
        Signature::new(ENTRY.name)
            .with("case", case)
            .with("eff", yes_no(formula.effective_order))
            .with("tok", self.params.tokenize.name())
            .with("smooth", self.smoothing)
            .with("order", self.params.max_ngram_order)
            .with("version", 1)
    }
}

impl Metric for Bleu {
    fn signature(&self) -> Signature {
        self.signature_of(&self.segment_formula())
    }

    fn score(&self, segments: &[Segment<'_>]) -> Result<Vec<f64>> {
        let formula = self.segment_formula();
        let statistics = self.statistics(segments)?;
        let rows = statistics.chunks_exact(self.width());
        Ok(rows.map(|row| formula.score(row).score).collect())
    }

    fn corpus(&self) -> Option<&dyn CorpusMetric> {
        Some(self)
    }
}

/// Statistics: the text's length, the closest reference's length, then for each order the clipped
/// matches, then for each order the text's n-grams.
impl CorpusMetric for Bleu {
    fn width(&self) -> usize {
        2 + 2 * self.params.max_ngram_order
    }

    fn statistics(&self, segments: &[Segment<'_>]) -> Result<Vec<f64>> {
        self.statistics_for(ENTRY.name, segments)
    }

    fn aggregate(&self, totals: &[f64]) -> f64 {
        self.corpus_formula().score(totals).score
    }

    fn details(&self, totals: &[f64]) -> Option<String> {
        Some(self.corpus_formula().score(totals).to_string())
    }

    fn corpus_signature(&self) -> Signature {
        self.signature_of(&self.corpus_formula())
    }
}

/// Counts what a text and the references of its item share.
struct BleuMatcher<'a> {
    bleu: &'a Bleu,
    /// The tokens of the item's references.
    vocabulary: Vocabulary,
    references: NgramCounts,
    reference_lengths: Vec<usize>,
    /// The tokens of the text that was read last.
    tokens: Vec<u32>,
    matches: Vec<u64>,
}

impl<'a> BleuMatcher<'a> {
    fn new(bleu: &'a Bleu) -> Self {
        Self {
            bleu,
            vocabulary: Vocabulary::default(),
            references: NgramCounts::default(),
            reference_lengths: Vec::new(),
            tokens: Vec::new(),
            matches: vec![0; bleu.params.max_ngram_order],
        }
    }

    fn closest_reference_length(&self, length: usize) -> usize {
        let lengths = self.reference_lengths.iter().copied();
        let closest = lengths.min_by_key(|&reference| (reference.abs_diff(length), reference));
        closest.unwrap_or(0)
    }
}

impl ReferenceComparison for BleuMatcher<'_> {
    fn set_references(&mut self, references: &[String]) {
        let order = self.bleu.params.max_ngram_order;
        let mut tokens = std::mem::take(&mut self.tokens);
        tokens.clear();
        self.vocabulary.clear();
        self.reference_lengths.clear();
        for reference in references {
            let before = tokens.len();
            let vocabulary = &mut self.vocabulary;
            self.bleu.read(reference, |token| {
                tokens.push(vocabulary.id(token));
            });
            self.reference_lengths.push(tokens.len() - before);
        }
        let lengths = self.reference_lengths.iter();
        let references = lengths.scan(&tokens[..], |rest, &length| rest.split_off(..length));
        self.references.set(order, references);
        self.tokens = tokens;
    }

    fn compare(&mut self, hypothesis: &str, values: &mut Vec<f64>) {
        let (tokens, vocabulary) = (&mut self.tokens, &self.vocabulary);
        tokens.clear();
        self.bleu.read(hypothesis, |token| {
            tokens.push(vocabulary.find_token(token).unwrap_or(UNKNOWN));
        });
        self.matches.fill(0);
        self.references.overlap(tokens, &mut self.matches);
        let length = tokens.len();
        values.extend([length, self.closest_reference_length(length)].map(|n| n as f64));
        values.extend(self.matches.iter().map(|&matches| matches as f64));
        let orders = 1..=self.bleu.params.max_ngram_order;
        values.extend(orders.map(|n| ngrams::count(length, n) as f64));
    }
}

/// The id of tokens that no reference has.
const UNKNOWN: u32 = u32::MAX;
