//! The parameters of `chrf` and `chrf++`, and the score they make of counts.

use super::formula::f_score;
use crate::metrics::MultiReference;
use serde::{Deserialize, Serialize};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::registry::positive;

/// The parameters of `chrf` and `chrf++`, named as in sacrebleu.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ChrfParams {
    /// The longest character n-gram; 0 to 100.
    pub char_order: usize,
    /// The longest word n-gram; 0 to 100, by default 0 for `chrf` and 2 for `chrf++`.
    pub word_order: usize,
    /// β: how many times more recall weighs than precision.
    pub beta: f64,
    /// Whether case is ignored.
    pub lowercase: bool,
    /// Whether white space counts as characters.
    pub whitespace: bool,
    /// Whether F is averaged over all orders, with a tiny value for those that are empty.
    pub eps_smoothing: bool,
    /// The reference that counts of several: `max` or `first`.
    pub multi_reference: MultiReference,
    /// The perfect score: 100, or 1.
    pub scale: f64,
    /// The number of decimals that scores are rounded to; by default they are not rounded.
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
    pub(crate) fn plus_plus() -> Self {
        Self {
            word_order: 2,
            ..Self::default()
        }
    }

    /// Refuses values out of range.
    ///
    /// # Errors
    /// [`Error::Usage`] for a value out of range, under the name the metric was asked for by.
    pub(super) fn check(&self, name: &str) -> Result<()> {
        let (chars, words) = (self.char_order, self.word_order);
        if chars > 100 || words > 100 || chars + words == 0 {
            let what = format!(
                "{name}: char-order is {chars} and word-order {words}, expected 0 to 100, not both 0"
            );
            return Err(Error::usage(what));
        }
        positive(name, "beta", self.beta)?;
        if !matches!(
            self.multi_reference,
            MultiReference::Max | MultiReference::First
        ) {
            let given = self.multi_reference.name();
            let what = format!("{name}: multi-reference is {given}, expected max or first");
            return Err(Error::usage(what));
        }
        if ![1.0, 100.0].contains(&self.scale) {
            let what = format!("{name}: scale is {}, expected 1 or 100", self.scale);
            return Err(Error::usage(what));
        }
        if self.decimals.is_some_and(|decimals| decimals > 15) {
            let what = format!("{name}: decimals may be at most 15");
            return Err(Error::usage(what));
        }
        Ok(())
    }

    /// The F score on the scale and with the decimals asked for.
    pub(super) fn score(&self, statistics: &[f64]) -> f64 {
        let score = self.scale * f_score(self, statistics);
        // Printing rounds the number itself, as Python's `round` does.
        let rounded = |decimals| format!("{score:.decimals$}").parse().unwrap_or(score);
        self.decimals.map_or(score, rounded)
    }
}
