//! WER: how many words must be inserted, deleted or replaced, per word of the reference. Lower is
//! better.
//!
//! Source: the definition common in speech recognition; as in VizSeq (git 1814754), which Mohankumar
//! and Khapra ("Active Evaluation", ACL 2022) used, in percent; or with `implementation=jiwer` as in
//! jiwer 4.0.0, where 1 stands for 100 percent. Scores run from 0 up; 100 percent and more are
//! possible.
//!
//! VizSeq's words are what white space separates, and of several references the one with the
//! lowest rate counts. jiwer's words are what spaces separate, once every run of two or more white
//! spaces was made one space; it knows one reference, here the first. The corpus score is the sum of
//! edits over the sum of lengths, of the references that count.
//!
//! Deviations: where a reference has no words its length is taken to be 1, as in jiwer; VizSeq
//! raises an error there. VizSeq's own corpus score weighs each rate by the longest reference.

use super::by_item::{ReferenceComparison, compare_all};
use super::{Blueprint, CorpusMetric, Metric, MultiReference, Segment};
use crate::text::lcs::Pattern;
use crate::text::vocabulary::Vocabulary;
use crate::text::whitespace::{is_space, words};
use serde::{Deserialize, Serialize};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::registry::{Entry, parameters};
use tiebreak_base::signature::Signature;

/// `wer`.
pub(super) const ENTRY: Entry<Blueprint> = Entry {
    name: "wer",
    summary: "word edits per word, as in VizSeq (percent) or jiwer (share); lower is better",
    cite: "Wang et al. 2019, VizSeq: a visual analysis toolkit for text generation tasks",
    parameters: parameters::<WerParams>,
    build: Blueprint::lower(|params, _| Ok(Box::new(Wer::new(&params.read("wer")?)?))),
};

/// The parameters of `wer`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct WerParams {
    /// The program that is followed.
    pub implementation: WerImplementation,
    /// The references that are compared, `min` or `first`; by default as the program does.
    pub multi_reference: Option<MultiReference>,
}

/// A program that computes word error rates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub(crate) enum WerImplementation {
    #[default]
    Vizseq,
    Jiwer,
}

struct Wer {
    implementation: WerImplementation,
    multi_reference: MultiReference,
}

impl Wer {
    fn new(params: &WerParams) -> Result<Self> {
        let usual = match params.implementation {
            WerImplementation::Vizseq => MultiReference::Min,
            WerImplementation::Jiwer => MultiReference::First,
        };
        let multi_reference = params.multi_reference.unwrap_or(usual);
        if !matches!(multi_reference, MultiReference::Min | MultiReference::First) {
            let given = multi_reference.name();
            let what = format!("wer: multi-reference is {given}, expected min or first");
            return Err(Error::usage(what));
        }
        Ok(Self {
            implementation: params.implementation,
            multi_reference,
        })
    }
}

impl Metric for Wer {
    fn signature(&self) -> Signature {
        let implementation = match self.implementation {
            WerImplementation::Vizseq => "vizseq",
            WerImplementation::Jiwer => "jiwer",
        };
        Signature::new(ENTRY.name)
            .with("impl", implementation)
            .with("refs", self.multi_reference.name())
            .with("version", 1)
    }

    fn score(&self, segments: &[Segment<'_>]) -> Result<Vec<f64>> {
        let statistics = self.statistics(segments)?;
        let rows = statistics.chunks_exact(self.width());
        Ok(rows.map(|row| self.aggregate(row)).collect())
    }

    fn corpus(&self) -> Option<&dyn CorpusMetric> {
        Some(self)
    }
}

/// The statistics are the edits, and the length of the reference that counts.
impl CorpusMetric for Wer {
    fn width(&self) -> usize {
        2
    }

    fn statistics(&self, segments: &[Segment<'_>]) -> Result<Vec<f64>> {
        let edits = WerEditCounter {
            wer: self,
            vocabulary: Vocabulary::default(),
            references: Vec::new(),
            text: Vec::new(),
        };
        compare_all(ENTRY.name, edits, segments)
    }

    fn aggregate(&self, totals: &[f64]) -> f64 {
        let rate = rate(totals[0], totals[1]);
        match self.implementation {
            WerImplementation::Vizseq => 100.0 * rate,
            WerImplementation::Jiwer => rate,
        }
    }
}

fn rate(edits: f64, length: f64) -> f64 {
    edits / length.max(1.0)
}

/// Counts the edits between a text and the references of its item.
struct WerEditCounter<'a> {
    wer: &'a Wer,
    vocabulary: Vocabulary,
    references: Vec<Pattern>,
    text: Vec<u32>,
}

impl WerEditCounter<'_> {
    fn read(&mut self, line: &str, symbols: &mut Vec<u32>) {
        symbols.clear();
        let push = |word: &str| symbols.push(self.vocabulary.id(word));
        match self.wer.implementation {
            WerImplementation::Vizseq => words(line).for_each(push),
            WerImplementation::Jiwer => spaced(line).for_each(push),
        }
    }
}

impl ReferenceComparison for WerEditCounter<'_> {
    fn set_references(&mut self, references: &[String]) {
        self.references.clear();
        let mut symbols = Vec::new();
        for line in self.wer.multi_reference.considered(references) {
            self.read(line, &mut symbols);
            let mut pattern = Pattern::default();
            pattern.set(&symbols);
            self.references.push(pattern);
        }
    }

    fn compare(&mut self, hypothesis: &str, values: &mut Vec<f64>) {
        let mut text = std::mem::take(&mut self.text);
        self.read(hypothesis, &mut text);
        let rows = self.references.iter().map(|reference| {
            let length = reference.symbols().len() as f64;
            [reference.distance(&text) as f64, length]
        });
        let lowest = rows.min_by(|a, b| rate(a[0], a[1]).total_cmp(&rate(b[0], b[1])));
        values.extend(lowest.unwrap_or_default());
        self.text = text;
    }
}

/// jiwer's words: white space in runs of two or more separates, and so does a single space.
fn spaced(line: &str) -> impl Iterator<Item = &str> {
    let line = line.trim_matches(is_space);
    let mut rest = Some(line);
    let words = std::iter::from_fn(move || {
        let line = rest?;
        let mut spaces = line.char_indices().filter(|&(_, c)| is_space(c));
        let end = spaces.find(|&(at, c)| {
            let next = line[at + c.len_utf8()..].chars().next();
            c == ' ' || next.is_some_and(is_space)
        });
        let Some((end, _)) = end else {
            rest = None;
            return Some(line);
        };
        rest = Some(line[end..].trim_start_matches(is_space));
        Some(&line[..end])
    });
    words.filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jiwers_words() {
        let split = |line| spaced(line).collect::<Vec<_>>();
        assert_eq!(split(" a  b c\td\n\ne \t"), ["a", "b", "c\td", "e"]);
        assert_eq!(split(" \u{a0} "), [""; 0]);
        assert_eq!(split("a \u{3000}b\u{a0}c"), ["a", "b\u{a0}c"]);
    }
}
