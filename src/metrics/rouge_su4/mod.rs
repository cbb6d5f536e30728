//! ROUGE-SU4: shared pairs of words in order, with at most four words between, and shared words.
//!
//! Source: C.-Y. Lin, "ROUGE: a package for automatic evaluation of summaries", ACL workshop 2004;
//! as in ROUGE-1.5.5 (`-2 4 -u`). Scores run from 0 to 1. `rouge-1` to `rouge-lsum` follow another
//! program, whose tokens and treatment of several references differ.
//!
//! With `average`, hits and totals are summed over references (`-f A`); with `best`, the one with
//! the highest recall counts, the first on ties (`-f B`). Precision and recall are rounded to five
//! decimals, then F is computed from these and rounded: all as the program prints them. A word
//! counts by itself only where a pair begins with it, so the last one never does.
//!
//! `stem` (`-m`) and `stop-words` (`-s`) need files of the program's for its numbers: `exceptions`
//! is its table of irregular forms (without it all words go through the Porter stemmer), and
//! `stop-words` its list. `words` and `bytes` (`-l`, `-b`) cut texts and references.
//!
//! Deviation: no bootstrap interval. A text without anything to compare scores 0.

mod tokens;

use super::by_item::{Comparison, compare_all};
use super::rouge::Measure;
use super::{BuildMetric, Metric, Segment};
use crate::error::{Error, Result};
use crate::registry::{Entry, parameters};
use crate::signature::{Signature, yes_no};
use crate::text::vocabulary::Vocabulary;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use tokens::{Limit, Tokens, word_list, word_pairs};

/// `rouge-su4`.
pub const ENTRY: Entry<BuildMetric> = Entry {
    name: "rouge-su4",
    summary: "shared skip-bigrams and words, as in ROUGE-1.5.5 (0-1)",
    cite: "Lin 2004, ROUGE: a package for automatic evaluation of summaries",
    parameters: parameters::<RougeSu4Params>,
    build: |params, _| Ok(Box::new(RougeSu4::new(params.read("rouge-su4")?)?)),
};

/// The parameters of `rouge-su4`; the program's flags are single letters, given in brackets.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct RougeSu4Params {
    /// How many words may lie between those of a pair (`-2`); any number if negative.
    pub skip_distance: i64,
    /// Whether single words count too (`-u`).
    pub unigrams: bool,
    /// Whether words are stemmed (`-m`).
    pub stem: bool,
    /// A table of words and their stems that go before the stemmer's.
    pub exceptions: Option<PathBuf>,
    /// A list of words that are left out (`-s`).
    pub stop_words: Option<PathBuf>,
    /// How many words of each text are read (`-l`).
    pub words: Option<usize>,
    /// How many bytes of each text are read (`-b`).
    pub bytes: Option<usize>,
    /// What several references come to (`-f`).
    pub references: Several,
    /// The weight of precision in F, 0 to 1 (`-p`): 1 is precision alone, 0 recall.
    pub alpha: f64,
    /// Which of the three numbers is the score.
    pub measure: Measure,
}

/// What several references come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Several {
    /// Their sum (`-f A`).
    Average,
    /// The one with the highest recall (`-f B`).
    Best,
}

impl Default for RougeSu4Params {
    fn default() -> Self {
        Self {
            skip_distance: 4,
            unigrams: true,
            stem: false,
            exceptions: None,
            stop_words: None,
            words: None,
            bytes: None,
            references: Several::Average,
            alpha: 0.5,
            measure: Measure::FMeasure,
        }
    }
}

struct RougeSu4 {
    params: RougeSu4Params,
    tokens: Tokens,
}

impl RougeSu4 {
    fn new(params: RougeSu4Params) -> Result<Self> {
        let limit = match (params.words, params.bytes) {
            (None, None) => Limit::None,
            (Some(words), None) => Limit::Words(words),
            (None, Some(bytes)) => Limit::Bytes(bytes),
            (Some(_), Some(_)) => {
                let what = "rouge-su4: words and bytes cannot both be limited";
                return Err(Error::usage(what));
            }
        };
        if !(0.0..=1.0).contains(&params.alpha) {
            let what = format!("rouge-su4: alpha is {}, expected 0 to 1", params.alpha);
            return Err(Error::usage(what));
        }
        if params.exceptions.is_some() && !params.stem {
            let what = "rouge-su4: exceptions are for stemming, which is off";
            return Err(Error::usage(what).with_hint("add stem=true"));
        }
        let tokens = Tokens {
            limit,
            stem: params.stem,
            exceptions: params.exceptions.as_deref().map(word_pairs).transpose()?,
            stop_words: params.stop_words.as_deref().map(word_list).transpose()?,
        };
        Ok(Self { params, tokens })
    }
}

impl Metric for RougeSu4 {
    fn signature(&self) -> Signature {
        let (params, tokens) = (&self.params, &self.tokens);
        let stem = match &tokens.exceptions {
            Some(exceptions) => format!("exceptions[{}]", exceptions.digest),
            None => yes_no(params.stem).to_string(),
        };
        let stop = match &tokens.stop_words {
            Some(stop_words) => format!("list[{}]", stop_words.digest),
            None => "no".to_string(),
        };
        let limit = match tokens.limit {
            Limit::None => "no".to_string(),
            Limit::Words(words) => format!("words[{words}]"),
            Limit::Bytes(bytes) => format!("bytes[{bytes}]"),
        };
        let skip = match params.skip_distance {
            distance if distance < 0 => "any".to_string(),
            distance => distance.to_string(),
        };
        let several = match params.references {
            Several::Average => "average",
            Several::Best => "best",
        };
        Signature::new(ENTRY.name)
            .with("skip", skip)
            .with("unigrams", yes_no(params.unigrams))
            .with("stem", stem)
            .with("stop", stop)
            .with("limit", limit)
            .with("refs", several)
            .with("alpha", params.alpha)
            .with("measure", params.measure.name())
            .with("version", 1)
    }

    fn score(&self, segments: &[Segment<'_>]) -> Result<Vec<f64>> {
        let matching = Matching {
            metric: self,
            vocabulary: Vocabulary::default(),
            references: Vec::new(),
        };
        compare_all(ENTRY.name, matching, segments)
    }
}

/// Hits, and what there was to hit on both sides.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    hits: usize,
    text: usize,
    reference: usize,
}

impl Counts {
    fn recall(self) -> f64 {
        rounded_share(self.hits, self.reference)
    }

    fn measure(self, measure: Measure, alpha: f64) -> f64 {
        let (precision, recall) = (rounded_share(self.hits, self.text), self.recall());
        match measure {
            Measure::Precision => precision,
            Measure::Recall => recall,
            Measure::FMeasure => {
                let weighted = (1.0 - alpha) * precision + alpha * recall;
                if weighted > 0.0 {
                    rounded(precision * recall / weighted)
                } else {
                    0.0
                }
            }
        }
    }
}

fn rounded_share(hits: usize, all: usize) -> f64 {
    rounded(hits as f64 / all.max(1) as f64)
}

/// To five decimals, as printing does.
fn rounded(value: f64) -> f64 {
    format!("{value:.5}").parse().unwrap_or(value)
}

struct Matching<'a> {
    metric: &'a RougeSu4,
    vocabulary: Vocabulary,
    references: Vec<Vec<u64>>,
}

impl Matching<'_> {
    /// The pairs and words of a text, sorted.
    fn read(&mut self, text: &str) -> Vec<u64> {
        let params = &self.metric.params;
        let mut words: Vec<u64> = Vec::new();
        let vocabulary = &mut self.vocabulary;
        self.metric.tokens.read(text, |token| {
            words.push(u64::from(vocabulary.id(token)) + 1);
        });
        let window = usize::try_from(params.skip_distance).map_or(words.len(), |most| most + 1);
        let mut found = Vec::new();
        for (at, first) in words.iter().enumerate() {
            let others = &words[at + 1..];
            // Words are numbered from 1: a word alone is a pair with nothing.
            if params.unigrams && !others.is_empty() {
                found.push(first << 32);
            }
            found.extend(
                others
                    .iter()
                    .take(window)
                    .map(|second| first << 32 | second),
            );
        }
        found.sort_unstable();
        found
    }
}

impl Comparison for Matching<'_> {
    fn set_references(&mut self, references: &[String]) {
        self.references = references.iter().map(|text| self.read(text)).collect();
    }

    fn compare(&mut self, hypothesis: &str, values: &mut Vec<f64>) {
        let text = self.read(hypothesis);
        let params = &self.metric.params;
        let mut kept: Option<Counts> = None;
        for reference in &self.references {
            let counts = Counts {
                hits: shared(&text, reference),
                text: text.len(),
                reference: reference.len(),
            };
            kept = Some(match (kept, params.references) {
                (None, _) => counts,
                (Some(sum), Several::Average) => Counts {
                    hits: sum.hits + counts.hits,
                    text: sum.text + counts.text,
                    reference: sum.reference + counts.reference,
                },
                (Some(best), Several::Best) if counts.recall() > best.recall() => counts,
                (Some(best), Several::Best) => best,
            });
        }
        let kept = kept.unwrap_or_default();
        values.push(kept.measure(params.measure, params.alpha));
    }
}

/// How many elements two sorted lists share, each as often as both have it.
fn shared(first: &[u64], second: &[u64]) -> usize {
    let (mut i, mut j, mut count) = (0, 0, 0);
    while i < first.len() && j < second.len() {
        match first[i].cmp(&second[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                (i, j, count) = (i + 1, j + 1, count + 1);
            }
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f_is_made_of_rounded_numbers() {
        let counts = Counts {
            hits: 1,
            text: 3,
            reference: 7,
        };
        assert_eq!(counts.recall(), 0.14286);
        assert_eq!(counts.measure(Measure::Precision, 0.5), 0.33333);
        assert_eq!(counts.measure(Measure::FMeasure, 0.5), 0.2);
        assert_eq!(Counts::default().measure(Measure::FMeasure, 0.5), 0.0);
    }

    #[test]
    fn sorted_lists_share_what_both_have() {
        assert_eq!(shared(&[1, 1, 2, 5], &[1, 1, 1, 5, 6]), 3);
        assert_eq!(shared(&[], &[1]), 0);
    }
}
