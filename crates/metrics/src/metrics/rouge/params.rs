//! The parameters of ROUGE, besides the options of ROUGE-1.5.5.

use serde::{Deserialize, Serialize};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::keys::name_of;
use tiebreak_base::registry::positive;
use tiebreak_base::signature::{Signature, yes_no};

/// The program that `rouge-1` to `rouge-lsum` follow.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ProgramParams {
    /// The program.
    pub implementation: RougeImplementation,
    /// The tokens of `rouge-score`: `reference`, its own; `unicode`, words of every script; `letters`, each
    /// letter; in a build with the feature `icu` also `icu`, words by the dictionaries of ICU4X.
    pub tokenizer: RougeWords,
    /// β: how many times more recall weighs than precision; of `nlg-eval` only, 1.2 by default.
    pub beta: Option<f64>,
}

/// A program that computes ROUGE.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) enum RougeImplementation {
    /// Google's, in Python.
    #[default]
    #[serde(rename = "rouge-score")]
    RougeScore,
    /// Lin's, in Perl.
    #[serde(rename = "1.5.5")]
    Rouge155,
    /// The program of nlg-eval and pycocoevalcap.
    #[serde(rename = "nlg-eval")]
    NlgEval,
}

/// What counts as a token, in lower-cased text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RougeWords {
    /// Runs of a-z and 0-9, as in rouge-score.
    #[default]
    Reference,
    /// Runs of letters, marks and numbers of Unicode. Scripts without spaces have a token a clause.
    Unicode,
    /// Words by ICU4X, which has dictionaries of scripts without spaces.
    #[cfg(feature = "icu")]
    Icu,
    /// Each letter or number, with the marks that follow it.
    Letters,
}

impl RougeWords {
    /// The name in signatures; `None` for rouge-score's own.
    pub(super) fn name(self) -> Option<&'static str> {
        match self {
            Self::Reference => None,
            Self::Unicode => Some("unicode"),
            #[cfg(feature = "icu")]
            Self::Icu => Some("icu4x-2.4.0-dictionary"),
            Self::Letters => Some("letters"),
        }
    }
}

impl ProgramParams {
    pub(super) fn checked_beta(&self, name: &str) -> Result<f64> {
        positive(name, "beta", self.beta.unwrap_or(1.2))
    }
}

/// The pairs of `rouge-su4`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct SkipParams {
    /// The most words between those of a pair (`-2`); any number if negative.
    pub skip_distance: i64,
    /// Whether single words count too (`-u`).
    pub unigrams: bool,
}

impl Default for SkipParams {
    fn default() -> Self {
        Self {
            skip_distance: 4,
            unigrams: true,
        }
    }
}

impl SkipParams {
    /// The number of words after a word that make a pair with it; `None` for all.
    pub(super) fn window(&self) -> Option<usize> {
        let distance = usize::try_from(self.skip_distance).ok();
        distance.map(|distance| distance.saturating_add(1))
    }

    pub(super) fn sign(&self, signature: Signature) -> Signature {
        let skip = match self.skip_distance {
            distance if distance < 0 => "any".to_string(),
            distance => distance.to_string(),
        };
        signature
            .with("skip", skip)
            .with("unigrams", yes_no(self.unigrams))
    }
}

/// The weight of `rouge-w`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct WeightParams {
    /// The power of their length by which runs weigh (`-w`); at least 1, which is no preference.
    pub weight: f64,
}

impl Default for WeightParams {
    fn default() -> Self {
        Self { weight: 1.2 }
    }
}

impl WeightParams {
    pub(super) fn checked(&self) -> Result<f64> {
        let weight = self.weight;
        if (1.0..=10.0).contains(&weight) {
            Ok(weight)
        } else {
            let what = format!("rouge-w: weight is {weight}, expected 1 to 10");
            Err(Error::usage(what))
        }
    }
}

/// The one of ROUGE's three numbers that is the score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RougeMeasure {
    /// The harmonic mean of precision and recall.
    #[default]
    FMeasure,
    /// The share of the text that is in the reference.
    Precision,
    /// The share of the reference that is in the text.
    Recall,
}

impl RougeMeasure {
    /// The name in parameters and signatures.
    pub fn name(self) -> String {
        name_of(&self)
    }
}
