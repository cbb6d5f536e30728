//! A preference from the log-probabilities of the first token.
//!
//! As AlpacaEval's `logprob_parser`: the probabilities of the labels are normalised over the labels, a label
//! that is not listed has probability 0. Where the labels together are unlikely there is no verdict: the answer is
//! another one, a refusal say. AlpacaEval's has no such limit. Two spellings of a label (`A` and ` A`) add up, but where
//! they are asked for to the letter, as AlpacaEval takes them.

use super::TokenLogprob;
use serde::{Deserialize, Serialize};
use tiebreak_base::duel::LEAST_LABEL_PROBABILITY;
use tiebreak_base::keys::name_of;

/// The labels of the first output, the second, and a tie.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VerdictLabels {
    /// The label that the output shown first is better.
    pub a: String,
    /// The label that the second is better.
    pub b: String,
    /// The label that neither is; where there is none, there are no ties.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tie: Option<String>,
}

/// The tokens that count as a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Spelling {
    /// Tokens that are the label once blanks around it are gone.
    #[default]
    #[serde(alias = "sum")]
    Any,
    /// The label itself.
    #[serde(alias = "bare")]
    Exact,
    /// The label after a blank.
    Spaced,
}

impl Spelling {
    /// The name in descriptors and signatures.
    pub fn name(self) -> String {
        name_of(&self)
    }
}

impl Default for VerdictLabels {
    fn default() -> Self {
        Self {
            a: "A".into(),
            b: "B".into(),
            tie: Some("C".into()),
        }
    }
}

impl VerdictLabels {
    /// The preference for the first output, where the labels are likely enough.
    pub fn preference(&self, likely: &[TokenLogprob], spelling: Spelling) -> Option<f64> {
        let labels = [Some(&self.a), Some(&self.b), self.tie.as_ref()];
        let [a, b, tie] =
            labels.map(|label| label.map_or(0.0, |label| probability(label, likely, spelling)));
        let all = a + b + tie;
        (all >= LEAST_LABEL_PROBABILITY).then(|| (a + tie / 2.0) / all)
    }

    /// The preference that a label stands for, by itself.
    pub fn value(&self, label: &str) -> Option<f64> {
        if label == self.a {
            Some(1.0)
        } else if label == self.b {
            Some(0.0)
        } else {
            (Some(label) == self.tie.as_deref()).then_some(0.5)
        }
    }
}

/// The probabilities of some ratings, normalised; `None` where they are unlikely together.
pub(super) fn ratings(
    scale: (u8, u8),
    likely: &[TokenLogprob],
    spelling: Spelling,
) -> Option<Vec<f64>> {
    let found: Vec<f64> = (scale.0..=scale.1)
        .map(|rating| probability(&rating.to_string(), likely, spelling))
        .collect();
    let all: f64 = found.iter().sum();
    (all >= LEAST_LABEL_PROBABILITY).then(|| found.iter().map(|one| one / all).collect())
}

fn probability(label: &str, likely: &[TokenLogprob], spelling: Spelling) -> f64 {
    let is = |token: &str| match spelling {
        Spelling::Any => token.trim() == label,
        Spelling::Exact => token == label,
        Spelling::Spaced => token.strip_prefix(' ') == Some(label),
    };
    // A token that is listed twice counts once: llama.cpp and vLLM may repeat the chosen one.
    let mut seen: Vec<&str> = Vec::new();
    let mut sum = 0.0;
    for one in likely.iter().filter(|one| is(&one.token)) {
        if !seen.contains(&one.token.as_str()) {
            seen.push(&one.token);
            sum += one.logprob.exp();
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn likely(tokens: &[(&str, f64)]) -> Vec<TokenLogprob> {
        let one = |&(token, p): &(&str, f64)| TokenLogprob {
            token: token.to_string(),
            logprob: p.ln(),
        };
        tokens.iter().map(one).collect()
    }

    #[test]
    fn labels_are_normalised_and_a_tie_is_half() {
        let labels = VerdictLabels::default();
        let told = likely(&[
            ("A", 0.3),
            (" A", 0.1),
            ("B", 0.2),
            ("C", 0.2),
            ("The", 0.2),
        ]);
        let p = labels.preference(&told, Spelling::Any).unwrap();
        assert!((p - 0.5 / 0.8).abs() < 1e-15);
        let exact = labels.preference(&told, Spelling::Exact).unwrap();
        assert!((exact - 0.4 / 0.7).abs() < 1e-15);
    }

    #[test]
    fn a_label_that_is_not_listed_is_zero_and_none_is_nothing() {
        let labels = VerdictLabels::default();
        assert_eq!(
            labels.preference(&likely(&[("A", 0.2)]), Spelling::Any),
            Some(1.0)
        );
        assert_eq!(
            labels.preference(&likely(&[("The", 0.9), ("a", 0.1)]), Spelling::Any),
            None
        );
        assert_eq!(ratings((1, 5), &likely(&[("x", 1.0)]), Spelling::Any), None);
        let found = ratings((1, 3), &likely(&[("1", 0.1), (" 3", 0.3)]), Spelling::Any);
        assert_eq!(found.map(|all| all[1]), Some(0.0));
    }

    #[test]
    fn labels_that_are_unlikely_together_are_no_verdict() {
        let told = |p: f64| likely(&[("I", 1.0 - p), ("A", 0.6 * p), (" B", 0.4 * p)]);
        let preference = |p: f64| VerdictLabels::default().preference(&told(p), Spelling::Any);
        assert_eq!(preference(1e-9), None);
        assert_eq!(preference(0.09), None);
        assert!((preference(0.11).unwrap() - 0.6).abs() < 1e-12);
        let rated = |p: f64| ratings((1, 5), &likely(&[("I", 1.0 - p), ("4", p)]), Spelling::Any);
        assert_eq!((rated(0.09), rated(0.11).unwrap()[3]), (None, 1.0));
    }
}
