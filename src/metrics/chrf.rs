//! chrF and chrF++: F-score of character n-grams, and for chrF++ of word n-grams too.
//!
//! Source: M. Popović, "chrF: character n-gram F-score for automatic MT evaluation", WMT 2015, and
//! "chrF++: words helping character n-grams", WMT 2017; as in sacrebleu 2.6.0. Scores run from 0
//! to 100.
//!
//! Precision and recall are averaged over the orders that both texts have, then F is taken once;
//! with `eps-smoothing` F is averaged over all orders instead, as in the authors' program. Of
//! several references the best counts. The corpus score comes from summed counts (of the best
//! references), not from a mean of scores.
//!
//! VizSeq, which Mohankumar and Khapra ("Active Evaluation", ACL 2022) used, calls sacrebleu 1.4 with
//! the first reference only, and rounds shares: `multi-reference=first,scale=1,decimals=3`.
//!
//! Deviation: the signature also names `beta`, and the three parameters above where they are given.

use super::by_item::{Comparison, compare_all};
use super::{BuildMetric, CorpusMetric, Metric, MultiReference, Segment};
use crate::error::{Error, Result};
use crate::registry::{Entry, parameters};
use crate::signature::{Signature, yes_no};
use crate::text::ngrams::{self, NgramCounts};
use crate::text::vocabulary::Vocabulary;
use crate::text::whitespace::{is_space, words};
use serde::{Deserialize, Serialize};

/// `chrf`.
pub const CHRF: Entry<BuildMetric> = Entry {
    name: "chrf",
    summary: "F-score of character n-grams, as in sacrebleu (0-100)",
    cite: "Popović 2015, chrF: character n-gram F-score for automatic MT evaluation",
    parameters: parameters::<ChrfParams>,
    build: |params, _| Ok(Box::new(Chrf::new("chrf", params.read("chrf")?)?)),
};

/// `chrf++`: word unigrams and bigrams as well.
pub const CHRF_PLUS_PLUS: Entry<BuildMetric> = Entry {
    name: "chrf++",
    summary: "F-score of character n-grams and word n-grams, as in sacrebleu (0-100)",
    cite: "Popović 2017, chrF++: words helping character n-grams",
    parameters: || serde_json::to_value(ChrfParams::plus_plus()).unwrap_or_default(),
    build: |params, _| {
        let mut params = params.clone();
        let words = ChrfParams::plus_plus().word_order as i64;
        params.0.entry("word-order").or_insert(words.into());
        Ok(Box::new(Chrf::new("chrf++", params.read("chrf++")?)?))
    },
};

/// The parameters of `chrf` and `chrf++`, named as in sacrebleu.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ChrfParams {
    /// The longest character n-gram; 0 to 100.
    pub char_order: usize,
    /// The longest word n-gram; 0 to 100, by default 0 for `chrf` and 2 for `chrf++`.
    pub word_order: usize,
    /// How many times more recall weighs than precision.
    pub beta: f64,
    /// Whether case is ignored.
    pub lowercase: bool,
    /// Whether white space counts as characters.
    pub whitespace: bool,
    /// Whether F is averaged over all orders, with a tiny value for those that are empty.
    pub eps_smoothing: bool,
    /// `max` or `first`: which of several references counts.
    pub multi_reference: MultiReference,
    /// What a perfect score is: 100, or 1.
    pub scale: f64,
    /// To how many decimals scores are rounded; by default not at all.
    pub decimals: Option<usize>,
}

impl Default for ChrfParams {
    fn default() -> Self {
        Self {
            char_order: 6,
            word_order: 0,
            beta: 2.0,
            lowercase: false,
            whitespace: false,
            eps_smoothing: false,
            multi_reference: MultiReference::Max,
            scale: 100.0,
            decimals: None,
        }
    }
}

impl ChrfParams {
    /// The defaults of chrF++.
    pub fn plus_plus() -> Self {
        Self {
            word_order: 2,
            ..Self::default()
        }
    }
}

/// chrF with its parameters.
#[derive(Debug, Clone)]
pub struct Chrf {
    name: &'static str,
    params: ChrfParams,
}

impl Chrf {
    /// chrF with these parameters, under the name it was asked for by.
    ///
    /// # Errors
    /// [`Error::Usage`] for orders that are both 0 or above 100, or a beta that is not a positive
    /// number.
    pub fn new(name: &'static str, params: ChrfParams) -> Result<Self> {
        let (chars, words) = (params.char_order, params.word_order);
        if chars > 100 || words > 100 || chars + words == 0 {
            let what = format!(
                "{name}: char-order is {chars} and word-order {words}, expected 0 to 100, not both 0"
            );
            return Err(Error::usage(what));
        }
        if !(params.beta.is_finite() && params.beta > 0.0) {
            let what = format!(
                "{name}: beta is {}, expected a positive number",
                params.beta
            );
            return Err(Error::usage(what));
        }
        if !matches!(
            params.multi_reference,
            MultiReference::Max | MultiReference::First
        ) {
            let given = params.multi_reference.name();
            let what = format!("{name}: multi-reference is {given}, expected max or first");
            return Err(Error::usage(what));
        }
        if ![1.0, 100.0].contains(&params.scale) {
            let what = format!("{name}: scale is {}, expected 1 or 100", params.scale);
            return Err(Error::usage(what));
        }
        if params.decimals.is_some_and(|decimals| decimals > 15) {
            let what = format!("{name}: decimals may be at most 15");
            return Err(Error::usage(what));
        }
        Ok(Self { name, params })
    }
}

impl Metric for Chrf {
    fn signature(&self) -> Signature {
        let params = &self.params;
        let signature = Signature::new(self.name)
            .with("case", if params.lowercase { "lc" } else { "mixed" })
            .with("eff", yes_no(!params.eps_smoothing))
            .with("nc", params.char_order)
            .with("nw", params.word_order)
            .with("space", yes_no(params.whitespace))
            .with("beta", params.beta);
        let usual = ChrfParams::default();
        let refs = params.multi_reference;
        let more = [
            (
                "refs",
                (refs != usual.multi_reference).then(|| refs.name().to_string()),
            ),
            (
                "scale",
                (params.scale != usual.scale).then(|| params.scale.to_string()),
            ),
            (
                "decimals",
                params.decimals.map(|decimals| decimals.to_string()),
            ),
        ];
        let more = more
            .into_iter()
            .filter_map(|(key, value)| Some((key, value?)));
        more.fold(signature, |signature, (key, value)| {
            signature.with(key, value)
        })
        .with("version", 1)
    }

    fn score(&self, segments: &[Segment<'_>]) -> Result<Vec<f64>> {
        let statistics = self.statistics(segments)?;
        let rows = statistics.chunks_exact(self.width());
        Ok(rows.map(|row| self.params.score(row)).collect())
    }

    fn corpus(&self) -> Option<&dyn CorpusMetric> {
        Some(self)
    }
}

/// Statistics: for each order, of characters and then of words, the n-grams of the text, of the
/// best reference, and the clipped matches.
impl CorpusMetric for Chrf {
    fn width(&self) -> usize {
        3 * (self.params.char_order + self.params.word_order)
    }

    fn statistics(&self, segments: &[Segment<'_>]) -> Result<Vec<f64>> {
        compare_all(self.name, Matching::new(&self.params), segments)
    }

    fn aggregate(&self, totals: &[f64]) -> f64 {
        self.params.score(totals)
    }

    fn corpus_signature(&self) -> Signature {
        self.signature()
    }
}

impl ChrfParams {
    /// F on the scale and with the decimals asked for.
    fn score(&self, statistics: &[f64]) -> f64 {
        let score = self.scale * f_score(self, statistics);
        // Printing rounds the number itself, as Python's `round` does.
        let rounded = |decimals| format!("{score:.decimals$}").parse().unwrap_or(score);
        self.decimals.map_or(score, rounded)
    }
}

/// F, 0 to 1, of (text, reference, matches) for each order.
fn f_score(params: &ChrfParams, statistics: &[f64]) -> f64 {
    const EPSILON: f64 = 1e-16;
    let weight = params.beta * params.beta;
    let f = |precision: f64, recall: f64| {
        (1.0 + weight) * precision * recall / (weight * precision + recall)
    };
    let share = |matches: f64, all: f64| if all > 0.0 { matches / all } else { EPSILON };
    let (mut precision, mut recall, mut effective, mut sum) = (0.0, 0.0, 0.0, 0.0);
    for order in statistics.chunks_exact(3) {
        let (p, r) = (share(order[2], order[0]), share(order[2], order[1]));
        sum += if p + r > 0.0 { f(p, r) } else { EPSILON };
        if order[0] > 0.0 && order[1] > 0.0 {
            precision += p;
            recall += r;
            effective += 1.0;
        }
    }
    if params.eps_smoothing {
        sum / (params.char_order + params.word_order) as f64
    } else if precision + recall > 0.0 {
        f(precision / effective, recall / effective)
    } else {
        0.0
    }
}

/// A text as symbols: its characters, and where they are asked for its words.
#[derive(Debug, Default)]
struct Symbols {
    chars: Vec<u32>,
    words: Vec<u32>,
}

/// One reference's n-grams.
#[derive(Debug, Default)]
struct Reference {
    symbols: Symbols,
    chars: NgramCounts,
    words: NgramCounts,
}

/// Counts what a text shares with each reference of its item, and keeps the best.
struct Matching<'a> {
    params: &'a ChrfParams,
    vocabulary: Vocabulary,
    /// The first `used` are the item's; the others are kept for their memory.
    references: Vec<Reference>,
    used: usize,
    hypothesis: Symbols,
    matches: Vec<u64>,
    row: Vec<f64>,
}

impl<'a> Matching<'a> {
    fn new(params: &'a ChrfParams) -> Self {
        Self {
            params,
            vocabulary: Vocabulary::default(),
            references: Vec::new(),
            used: 0,
            hypothesis: Symbols::default(),
            matches: vec![0; params.char_order + params.word_order],
            row: Vec::new(),
        }
    }
}

impl Comparison for Matching<'_> {
    fn set_references(&mut self, references: &[String]) {
        let params = self.params;
        let references = params.multi_reference.of(references);
        self.used = references.len();
        if self.references.len() < self.used {
            self.references.resize_with(self.used, Reference::default);
        }
        for (reference, text) in self.references.iter_mut().zip(references) {
            let symbols = &mut reference.symbols;
            read(params, &mut self.vocabulary, text, symbols);
            let counts = [
                (&mut reference.chars, params.char_order, &symbols.chars),
                (&mut reference.words, params.word_order, &symbols.words),
            ];
            for (counts, order, symbols) in counts {
                counts.reset(order, std::iter::once(symbols.len()));
                counts.add(symbols);
            }
        }
    }

    fn compare(&mut self, hypothesis: &str, values: &mut Vec<f64>) {
        let params = self.params;
        read(
            params,
            &mut self.vocabulary,
            hypothesis,
            &mut self.hypothesis,
        );
        let best_row = values.len();
        let mut best = f64::NEG_INFINITY;
        for reference in &mut self.references[..self.used] {
            self.matches.fill(0);
            let (chars, words) = self.matches.split_at_mut(params.char_order);
            reference.chars.overlap(&self.hypothesis.chars, chars);
            reference.words.overlap(&self.hypothesis.words, words);
            self.row.clear();
            let (text, other) = (&self.hypothesis, &reference.symbols);
            push_row(&mut self.row, chars, text.chars.len(), other.chars.len());
            push_row(&mut self.row, words, text.words.len(), other.words.len());
            let score = f_score(params, &self.row);
            if score > best {
                best = score;
                values.truncate(best_row);
                values.extend_from_slice(&self.row);
            }
        }
    }
}

/// Appends (text, reference, matches) for each order.
fn push_row(row: &mut Vec<f64>, matches: &[u64], text: usize, reference: usize) {
    for (n, &matches) in (1..).zip(matches) {
        let reference = ngrams::count(reference, n);
        // An order that the reference does not have cannot count against the text.
        let text = if reference > 0 {
            ngrams::count(text, n)
        } else {
            0
        };
        row.extend([text as f64, reference as f64, matches as f64]);
    }
}

fn read(params: &ChrfParams, vocabulary: &mut Vocabulary, text: &str, symbols: &mut Symbols) {
    let lower = params.lowercase.then(|| text.to_lowercase());
    let text = lower.as_deref().unwrap_or(text);
    symbols.chars.clear();
    symbols.words.clear();
    let kept = text.chars().filter(|&c| params.whitespace || !is_space(c));
    symbols.chars.extend(kept.map(u32::from));
    if params.word_order > 0 {
        for word in words(text) {
            let (first, second) = peel(word);
            symbols.words.push(vocabulary.id(first));
            symbols.words.extend(second.map(|rest| vocabulary.id(rest)));
        }
    }
}

/// Takes one ASCII punctuation mark off the end of a word, or else off its beginning: never both.
fn peel(word: &str) -> (&str, Option<&str>) {
    let mark = |c: char| c.is_ascii_punctuation();
    let (last, first) = (word.strip_suffix(mark), word.strip_prefix(mark));
    match (last, first) {
        (Some(stem), _) if !stem.is_empty() => (stem, Some(&word[stem.len()..])),
        (_, Some(stem)) if !stem.is_empty() => (&word[..1], Some(stem)),
        _ => (word, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_mark_is_peeled_off_the_end_or_else_the_beginning() {
        assert_eq!(peel("(hi)"), ("(hi", Some(")")));
        assert_eq!(peel("(hi"), ("(", Some("hi")));
        assert_eq!(peel("!!"), ("!", Some("!")));
        assert_eq!(peel("!"), ("!", None));
        assert_eq!(peel("é."), ("é", Some(".")));
        assert_eq!(peel("«é»"), ("«é»", None));
    }

    #[test]
    fn f_by_hand() {
        // Precision 3/4 and recall 3/6 over one order: F2 = 5 · 3/8 / (4 · 3/4 + 1/2).
        let params = ChrfParams::default();
        let expected = 5.0 * 0.375 / 3.5;
        assert!((f_score(&params, &[4.0, 6.0, 3.0]) - expected).abs() < 1e-9);
        // An order that one side lacks does not count.
        let two = [4.0, 6.0, 3.0, 0.0, 5.0, 0.0];
        assert!((f_score(&params, &two) - expected).abs() < 1e-9);
    }
}
