//! ROUGE: what a text and a reference share, in n-grams or in a longest common subsequence.
//!
//! Source: C.-Y. Lin, "ROUGE: a package for automatic evaluation of summaries", ACL workshop
//! 2004; as in Google's rouge-score 0.1.2. Scores run from 0 to 1.
//!
//! Tokens are lower-cased runs of a-z and 0-9; with `use-stemmer`, those longer than three
//! characters are stemmed. Of several references the one with the highest F counts, the first on
//! ties, whichever `measure` is asked for. A text or reference without tokens scores 0. There is no
//! corpus score: ROUGE of a system is the mean over its texts.

mod common_subsequence;
mod ngram;
mod summary;
mod tokens;

use super::by_item::{Comparison, compare_all};
use super::{BuildMetric, Metric, Segment};
use crate::error::Result;
use crate::registry::{Entry, Params, parameters};
use crate::signature::{Signature, yes_no};
use common_subsequence::CommonSubsequence;
use ngram::Ngrams;
use serde::{Deserialize, Serialize};
use summary::UnionSubsequence;
use tokens::Tokens;

/// `rouge-1`: words.
pub const ROUGE_1: Entry<BuildMetric> = Entry {
    name: "rouge-1",
    summary: "shared words, as in rouge-score (0-1)",
    build: |params, _| build("rouge-1", Variant::Ngram(1), params),
    ..TEMPLATE
};

/// `rouge-2`: pairs of words.
pub const ROUGE_2: Entry<BuildMetric> = Entry {
    name: "rouge-2",
    summary: "shared pairs of words, as in rouge-score (0-1)",
    build: |params, _| build("rouge-2", Variant::Ngram(2), params),
    ..TEMPLATE
};

/// `rouge-3`: triples of words.
pub const ROUGE_3: Entry<BuildMetric> = Entry {
    name: "rouge-3",
    summary: "shared triples of words, as in rouge-score (0-1)",
    build: |params, _| build("rouge-3", Variant::Ngram(3), params),
    ..TEMPLATE
};

/// `rouge-4`: quadruples of words.
pub const ROUGE_4: Entry<BuildMetric> = Entry {
    name: "rouge-4",
    summary: "shared quadruples of words, as in rouge-score (0-1)",
    build: |params, _| build("rouge-4", Variant::Ngram(4), params),
    ..TEMPLATE
};

/// `rouge-l`: a longest common subsequence of the whole texts.
pub const ROUGE_L: Entry<BuildMetric> = Entry {
    name: "rouge-l",
    summary: "longest common subsequence, as in rouge-score (0-1)",
    build: |params, _| build("rouge-l", Variant::Lcs, params),
    ..TEMPLATE
};

/// `rouge-lsum`: for summaries with a sentence per line.
pub const ROUGE_LSUM: Entry<BuildMetric> = Entry {
    name: "rouge-lsum",
    summary: "longest common subsequences line by line, as in rouge-score (0-1)",
    build: |params, _| build("rouge-lsum", Variant::Summary, params),
    ..TEMPLATE
};

const TEMPLATE: Entry<BuildMetric> = Entry {
    name: "",
    summary: "",
    cite: "Lin 2004, ROUGE: a package for automatic evaluation of summaries",
    parameters: parameters::<RougeParams>,
    build: |params, _| build("rouge", Variant::Lcs, params),
};

/// The parameters of every ROUGE, named as in rouge-score.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct RougeParams {
    /// Whether words are stemmed.
    pub use_stemmer: bool,
    /// Which of the three numbers is the score.
    pub measure: Measure,
}

/// Which of ROUGE's three numbers is the score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Measure {
    /// The harmonic mean of precision and recall.
    #[default]
    FMeasure,
    /// The share of the text that is in the reference.
    Precision,
    /// The share of the reference that is in the text.
    Recall,
}

impl Measure {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::FMeasure => "fmeasure",
            Self::Precision => "precision",
            Self::Recall => "recall",
        }
    }
}

fn build(name: &'static str, variant: Variant, params: &Params) -> Result<Box<dyn Metric>> {
    let params = params.read(name)?;
    Ok(Box::new(Rouge {
        name,
        variant,
        params,
    }))
}

#[derive(Debug, Clone, Copy)]
enum Variant {
    Ngram(usize),
    Lcs,
    Summary,
}

#[derive(Debug)]
struct Rouge {
    name: &'static str,
    variant: Variant,
    params: RougeParams,
}

impl Metric for Rouge {
    fn signature(&self) -> Signature {
        Signature::new(self.name)
            .with("stem", yes_no(self.params.use_stemmer))
            .with("measure", self.params.measure.name())
            .with("version", 1)
    }

    fn score(&self, segments: &[Segment<'_>]) -> Result<Vec<f64>> {
        let tokens = Tokens::new(self.params.use_stemmer);
        let measure = self.params.measure;
        match self.variant {
            Variant::Ngram(n) => self.best(segments, Ngrams::new(n, tokens), measure),
            Variant::Lcs => self.best(segments, CommonSubsequence::new(tokens), measure),
            Variant::Summary => self.best(segments, UnionSubsequence::new(tokens), measure),
        }
    }
}

impl Rouge {
    fn best(
        &self,
        segments: &[Segment<'_>],
        overlaps: impl Overlaps,
        measure: Measure,
    ) -> Result<Vec<f64>> {
        compare_all(self.name, Best { overlaps, measure }, segments)
    }
}

/// What a text shares with one reference.
#[derive(Debug, Clone, Copy, Default)]
struct Overlap {
    hits: usize,
    hypothesis: usize,
    reference: usize,
}

impl Overlap {
    fn precision(self) -> f64 {
        self.hits as f64 / self.hypothesis.max(1) as f64
    }

    fn recall(self) -> f64 {
        self.hits as f64 / self.reference.max(1) as f64
    }

    fn f_measure(self) -> f64 {
        let (precision, recall) = (self.precision(), self.recall());
        if precision + recall > 0.0 {
            2.0 * precision * recall / (precision + recall)
        } else {
            0.0
        }
    }
}

/// One way of measuring what a text shares with each reference of its item.
trait Overlaps {
    fn set_references(&mut self, references: &[String]);

    /// Calls `emit` once per reference, in order.
    fn overlaps(&mut self, hypothesis: &str, emit: impl FnMut(Overlap));
}

/// Keeps the reference with the highest F.
struct Best<O> {
    overlaps: O,
    measure: Measure,
}

impl<O: Overlaps> Comparison for Best<O> {
    fn set_references(&mut self, references: &[String]) {
        self.overlaps.set_references(references);
    }

    fn compare(&mut self, hypothesis: &str, values: &mut Vec<f64>) {
        let mut best = Overlap::default();
        self.overlaps.overlaps(hypothesis, |overlap| {
            // Without any hit all three numbers are 0, as they are in the default.
            if overlap.f_measure() > best.f_measure() {
                best = overlap;
            }
        });
        values.push(match self.measure {
            Measure::FMeasure => best.f_measure(),
            Measure::Precision => best.precision(),
            Measure::Recall => best.recall(),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_shared_is_zero_even_with_nothing_to_share() {
        let empty = Overlap::default();
        assert_eq!(
            (empty.precision(), empty.recall(), empty.f_measure()),
            (0.0, 0.0, 0.0)
        );
    }

    #[test]
    fn f_is_the_harmonic_mean() {
        let overlap = Overlap {
            hits: 1,
            hypothesis: 2,
            reference: 4,
        };
        assert!((overlap.f_measure() - 1.0 / 3.0).abs() < 1e-15);
    }
}
