//! TER: how many edits turn a text into a reference, per word of the reference. Lower is better.
//!
//! Source: M. Snover, B. Dorr, R. Schwartz, L. Micciulla and J. Makhoul, "A study of translation
//! edit rate with targeted human annotation", AMTA 2006; as in sacrebleu 2.6.0, which follows
//! Tercom. Scores run from 0 up, in percent; 100 and more are possible.
//!
//! An edit inserts, deletes or replaces a word, or moves a block of words. Of several references
//! the one with the fewest edits counts, over the mean length of all of them. Where all references
//! are empty the score is 0 for an empty text and 100 for any other. The corpus score is the sum
//! of edits over the sum of mean lengths. With `implementation=pyter` it is pyter's instead: see `pyter.rs`.

mod bit_distance;
mod edit_distance;
mod pyter;
mod shifts;

use super::by_item::{ReferenceComparison, compare_all};
use super::{Blueprint, CorpusMetric, Metric, MultiReference, Segment};
use crate::text::tokenize::Tercom;
use crate::text::vocabulary::Vocabulary;
use pyter::Pyter;
use serde::{Deserialize, Serialize};
use shifts::Shifts;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::registry::{Entry, parameters};
use tiebreak_base::signature::{Signature, yes_no};

/// `ter`.
pub(super) const ENTRY: Entry<Blueprint> = Entry {
    name: "ter",
    summary: "edits, block moves included, per word, as in sacrebleu (percent); lower is better",
    cite: "Snover et al. 2006, A study of translation edit rate with targeted human annotation",
    parameters: parameters::<TerParams>,
    build: Blueprint::lower(|params, _| build(params.read("ter")?)),
};

/// The parameters of `ter`, named as in sacrebleu; its own do not go with `pyter`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct TerParams {
    /// The program that is followed.
    pub implementation: TerImplementation,
    /// Whether punctuation is separated and entities are replaced.
    pub normalized: bool,
    /// Whether punctuation is deleted.
    pub no_punct: bool,
    /// Whether the two above apply to Chinese and Japanese too; alone it does nothing.
    pub asian_support: bool,
    /// Whether case counts.
    pub case_sensitive: bool,
    /// The combination of several references; of `pyter` only, `min` by default.
    pub multi_reference: Option<MultiReference>,
}

/// A program that computes TER.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub(crate) enum TerImplementation {
    #[default]
    Sacrebleu,
    Pyter,
}

/// The edits and the mean length of the references, in words, from statistics of `ter`.
///
/// # Panics
/// If there are not two.
pub fn edits_and_length(statistics: &[f64]) -> (f64, f64) {
    (statistics[0], statistics[1] / PARTS_OF_A_WORD)
}

fn build(params: TerParams) -> Result<Box<dyn Metric>> {
    let refused = match params.implementation {
        TerImplementation::Sacrebleu => vec![("multi-reference", params.multi_reference.is_some())],
        TerImplementation::Pyter => vec![
            ("normalized", params.normalized),
            ("no-punct", params.no_punct),
            ("asian-support", params.asian_support),
            ("case-sensitive", params.case_sensitive),
        ],
    };
    if let Some((parameter, _)) = refused.iter().find(|(_, given)| *given) {
        let what = format!("ter: {parameter} is for another implementation");
        return Err(Error::usage(what).with_hint("there are `sacrebleu`, the default, and `pyter`"));
    }
    Ok(match params.implementation {
        TerImplementation::Sacrebleu => Box::new(Ter { params }),
        TerImplementation::Pyter => Box::new(Pyter {
            multi_reference: params.multi_reference.unwrap_or(MultiReference::Min),
        }),
    })
}

impl TerParams {
    fn tokenizer(&self) -> Tercom {
        Tercom {
            normalized: self.normalized,
            no_punct: self.no_punct,
            asian_support: self.asian_support,
            case_sensitive: self.case_sensitive,
        }
    }
}

struct Ter {
    params: TerParams,
}

impl Metric for Ter {
    fn signature(&self) -> Signature {
        let params = &self.params;
        let case = if params.case_sensitive { "mixed" } else { "lc" };
        Signature::new(ENTRY.name)
            .with("case", case)
            .with("tok", "tercom")
            .with("norm", yes_no(params.normalized))
            .with("punct", yes_no(!params.no_punct))
            .with("asian", yes_no(params.asian_support))
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

/// The parts of a word in which lengths are counted: the least common multiple of 1 to 16. The mean of up to 16
/// references is then a whole number, and sums are exact.
const PARTS_OF_A_WORD: f64 = 720_720.0;

/// Statistics: the edits, and the mean length of the references in 720,720ths of a word.
impl CorpusMetric for Ter {
    fn width(&self) -> usize {
        2
    }

    fn statistics(&self, segments: &[Segment<'_>]) -> Result<Vec<f64>> {
        let edits = TerEditCounter {
            tokenizer: self.params.tokenizer(),
            vocabulary: Vocabulary::default(),
            references: Vec::new(),
            text: Vec::new(),
            shifts: Shifts::default(),
        };
        compare_all(ENTRY.name, edits, segments)
    }

    fn aggregate(&self, totals: &[f64]) -> f64 {
        let (edits, length) = edits_and_length(totals);
        if length > 0.0 {
            100.0 * (edits / length)
        } else if edits > 0.0 {
            100.0
        } else {
            0.0
        }
    }
}

/// Counts the edits that turn a text into the nearest reference of its item.
struct TerEditCounter {
    tokenizer: Tercom,
    vocabulary: Vocabulary,
    references: Vec<Vec<u32>>,
    text: Vec<u32>,
    shifts: Shifts,
}

impl TerEditCounter {
    fn read(&mut self, line: &str, words: &mut Vec<u32>) {
        words.clear();
        self.tokenizer
            .tokens(line, |token| words.push(self.vocabulary.id(token)));
    }

    /// Reads a reference through sacrebleu's tokenizer twice (`base.py` and `ter.py`), which makes a difference where
    /// it normalises: to `owl's.` it then does what it did to `owl's .`.
    fn read_reference(&mut self, line: &str, words: &mut Vec<u32>) {
        if !self.tokenizer.normalized {
            return self.read(line, words);
        }
        let mut once = String::new();
        self.tokenizer.tokens(line, |token| {
            once.push_str(token);
            once.push(' ');
        });
        self.read(&once, words);
    }
}

impl ReferenceComparison for TerEditCounter {
    fn set_references(&mut self, references: &[String]) {
        let mut read = std::mem::take(&mut self.references);
        read.resize_with(references.len(), Vec::new);
        for (words, line) in read.iter_mut().zip(references) {
            self.read_reference(line, words);
        }
        self.references = read;
    }

    fn compare(&mut self, hypothesis: &str, values: &mut Vec<f64>) {
        let mut text = std::mem::take(&mut self.text);
        self.read(hypothesis, &mut text);
        let edits = self.references.iter();
        let edits = edits.map(|reference| self.shifts.edits(&text, reference));
        let fewest = edits.min().unwrap_or(0);
        let length: usize = self.references.iter().map(Vec::len).sum();
        let unit = PARTS_OF_A_WORD / self.references.len() as f64;
        values.extend([fewest as f64, length as f64 * unit]);
        self.text = text;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Scores of sacrebleu 2.6.0 on texts that its tokenizer changes a second time.
    #[test]
    fn normalised_references_are_tokenised_twice() {
        let params = TerParams {
            normalized: true,
            ..TerParams::default()
        };
        let ter = build(params).unwrap();
        for (text, score) in [
            ("It is the owl's.", 100.0 / 3.0),
            ("The cat's, not mine.", 200.0 / 7.0),
        ] {
            let references = [text.to_string()];
            let segment = Segment {
                hypothesis: text,
                references: &references,
                context: None,
            };
            let found = ter.score(&[segment]).unwrap()[0];
            assert!((found - score).abs() < 1e-9, "{text}: {found}");
        }
    }
}
