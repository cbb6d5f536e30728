//! Length: how many tokens a text has, or how many different ones.
//!
//! Length is no measure of quality, but what every such measure should be compared with, above all where there are no
//! references: people who compare free answers tend to prefer the longer one (Dubois et al. 2024, "Length-controlled
//! AlpacaEval"). A text that goes round in circles grows in tokens but not in types, the different ones among them.
//! Tokens are those of sacrebleu 2.6.0's tokenisers.
//!
//! Scores are counts, or with `log=true` the natural logarithm of one more, whose differences are
//! ratios of lengths; an empty text scores 0 either way. References are neither needed nor read.

use super::{Blueprint, Metric, Segment};
use crate::text::tokenize::{LineTokenizer, SacrebleuTokenizer};
use crate::text::vocabulary::Vocabulary;
use serde::{Deserialize, Serialize};
use tiebreak_base::error::Result;
use tiebreak_base::registry::{Entry, parameters};
use tiebreak_base::signature::Signature;

/// `length`.
pub(super) const ENTRY: Entry<Blueprint> = Entry {
    name: "length",
    summary: "how many tokens a text has, or how many different ones; needs no references",
    cite: "Dubois et al. 2024, Length-controlled AlpacaEval: a simple way to debias automatic evaluators",
    parameters: parameters::<LengthParams>,
    build: Blueprint::higher(|params, env| {
        let params: LengthParams = params.read("length")?;
        let tokenizer = env.tokenizer(params.tokenize)?;
        Ok(Box::new(Length(params, tokenizer)))
    }),
};

/// The unit that is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LengthUnit {
    /// All tokens.
    #[default]
    Tokens,
    /// Different tokens.
    Types,
}

/// The parameters of `length`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct LengthParams {
    /// The unit that is counted.
    pub count: LengthUnit,
    /// The tokeniser, by sacrebleu's name; `none` is white space.
    pub tokenize: SacrebleuTokenizer,
    /// Whether scores are logarithms.
    pub log: bool,
}

struct Length(LengthParams, LineTokenizer);

impl Length {
    fn length(&self, text: &str) -> f64 {
        let tokenizer = &self.1;
        let count = match self.0.count {
            LengthUnit::Tokens => {
                let mut tokens = 0_usize;
                tokenizer.tokens(text, |_| tokens += 1);
                tokens
            }
            LengthUnit::Types => {
                let mut types = Vocabulary::default();
                tokenizer.tokens(text, |token| {
                    types.id(token);
                });
                types.len()
            }
        } as f64;
        if self.0.log { count.ln_1p() } else { count }
    }
}

impl Metric for Length {
    fn signature(&self) -> Signature {
        let count = match self.0.count {
            LengthUnit::Tokens => "tokens",
            LengthUnit::Types => "types",
        };
        Signature::new(ENTRY.name)
            .with("count", count)
            .with("tok", self.0.tokenize.name())
            .with("log", if self.0.log { "yes" } else { "no" })
            .with("version", 1)
    }

    fn score(&self, segments: &[Segment<'_>]) -> Result<Vec<f64>> {
        let lengths = segments
            .iter()
            .map(|segment| self.length(segment.hypothesis));
        Ok(lengths.collect())
    }

    fn needs_references(&self) -> bool {
        false
    }
}
