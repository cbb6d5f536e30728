//! The tokens that a label may be, and how likely each label is.
//!
//! A label is looked up in the vocabulary under both of its spellings, by itself and after a blank (`Ġ`, `▁`); it
//! is never tokenised, since tokenizers put a blank in front of whatever they are given. Which of the two a model
//! answers with depends on what stands before: by default both count.

use super::LabelProbabilities;
use crate::verdicts::Spelling;
use tiebreak_base::stats::log_odds::ln_sum_exp;
use tiebreak_encoders::SubwordTokenizer;

/// The tokens of a label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    ids: Vec<u32>,
}

impl Label {
    /// The tokens of a label; `None` where it is no token.
    pub(super) fn new(
        label: &str,
        spelling: Spelling,
        tokenizer: &SubwordTokenizer,
    ) -> Option<Self> {
        let bare = tokenizer.id(label);
        let mut blanks = ["Ġ", "▁"].iter();
        let spaced = blanks.find_map(|blank| tokenizer.id(&format!("{blank}{label}")));
        let mut ids: Vec<u32> = match spelling {
            Spelling::Any => [bare, spaced].into_iter().flatten().collect(),
            Spelling::Exact => bare.into_iter().collect(),
            Spelling::Spaced => spaced.into_iter().collect(),
        };
        ids.dedup();
        (!ids.is_empty()).then_some(Self { ids })
    }

    /// The logarithm of the sum of the tokens' odds.
    fn score(&self, logits: &[f32]) -> f64 {
        ln_sum_exp(self.ids.iter().map(|&id| f64::from(logits[id as usize])))
    }
}

impl LabelProbabilities {
    /// Computes the probabilities of labels from logits.
    pub fn new(labels: &[Label], logits: &[f32]) -> Self {
        let scores: Vec<f64> = labels.iter().map(|label| label.score(logits)).collect();
        let named = ln_sum_exp(scores.iter().copied());
        let all = ln_sum_exp(logits.iter().map(|&one| f64::from(one)));
        Self {
            shares: scores.iter().map(|score| (score - named).exp()).collect(),
            mass: (named - all).exp(),
        }
    }
}
