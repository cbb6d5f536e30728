//! ROUGE-L as image captioning and dialogue papers report it.
//!
//! Source: nlg-eval (git 2ab4528) and pycocoevalcap 1.2, whose arithmetic is the same. A text is
//! trimmed and cut at every single space, so two in a row have an empty word between them, and an
//! empty text is one empty word. Precision and recall are the largest over the references, each by
//! itself, and F = (1 + β²)PR / (R + β²P). Mohankumar and Khapra ("Active Evaluation", ACL 2022) use
//! it per segment.

use super::RougeMeasure;
use super::overlap::Overlaps;
use super::tokens::TokenReader;
use crate::metrics::by_item::ReferenceComparison;
use crate::text::vocabulary::Vocabulary;
use crate::text::whitespace::trim;

/// A tokeniser that cuts at single spaces.
#[derive(Debug, Default)]
pub(super) struct Words(Vocabulary);

impl TokenReader for Words {
    fn read(&mut self, text: &str, symbols: &mut Vec<u32>) {
        symbols.clear();
        symbols.extend(trim(text).split(' ').map(|word| self.0.id(word)));
    }
}

/// The largest precision and the largest recall over the references.
pub(super) struct LargestShares<O> {
    pub(super) overlaps: O,
    pub(super) beta: f64,
    pub(super) measure: RougeMeasure,
}

impl<O: Overlaps> ReferenceComparison for LargestShares<O> {
    fn set_references(&mut self, references: &[String]) {
        self.overlaps.set_references(references);
    }

    fn compare(&mut self, hypothesis: &str, values: &mut Vec<f64>) {
        let (mut precision, mut recall) = (0.0_f64, 0.0_f64);
        self.overlaps.overlaps(hypothesis, |overlap| {
            precision = precision.max(overlap.precision());
            recall = recall.max(overlap.recall());
        });
        let weight = self.beta * self.beta;
        values.push(match self.measure {
            RougeMeasure::Precision => precision,
            RougeMeasure::Recall => recall,
            RougeMeasure::FMeasure if precision > 0.0 && recall > 0.0 => {
                (1.0 + weight) * precision * recall / (recall + weight * precision)
            }
            RougeMeasure::FMeasure => 0.0,
        });
    }
}
