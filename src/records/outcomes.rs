//! The words people use for how a comparison ended.

use crate::duel::Outcome;
use crate::error::{Error, Result};

/// The words of a data set for outcomes, which go before those that everybody uses.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcomes {
    own: Vec<(String, Outcome)>,
}

/// Words for the system named first, for the other, and for neither, as [`plain`] leaves them. Numbers are those of
/// the tables of a data set.
const WORDS: [(&[&str], Outcome); 3] = [
    (
        &[
            "a",
            "modela",
            "model1",
            "systema",
            "system1",
            "responsea",
            "response1",
            "outputa",
            "output1",
            "answera",
            "assistanta",
            "optiona",
            "left",
            "first",
            "win",
            ">",
            ">>",
            "a>b",
            "a>>b",
            "b<a",
        ],
        Outcome::Win,
    ),
    (
        &[
            "b",
            "modelb",
            "model2",
            "systemb",
            "system2",
            "responseb",
            "response2",
            "outputb",
            "output2",
            "answerb",
            "assistantb",
            "optionb",
            "right",
            "second",
            "loss",
            "lose",
            "<",
            "<<",
            "b>a",
            "b>>a",
            "a<b",
        ],
        Outcome::Loss,
    ),
    (
        &[
            "tie",
            "tied",
            "draw",
            "equal",
            "same",
            "=",
            "==",
            "a=b",
            "b=a",
            "neither",
            "bothbad",
            "tiebothbad",
            "bothgood",
            "tiebothgood",
        ],
        Outcome::Tie,
    ),
];

impl Outcomes {
    /// Those of `[outcomes]` or `--outcome`: a word, and 1, 0.5 or 0. A later one goes before an earlier one.
    ///
    /// # Errors
    /// If a number is none of the three.
    pub fn new(pairs: impl IntoIterator<Item = (String, f64)>) -> Result<Self> {
        let own = pairs.into_iter().map(|(word, number)| {
            let outcome = Outcome::from_value(number).ok_or_else(|| {
                Error::usage(format!(
                    "outcome `{word}` is {number}, expected 1, 0.5 or 0"
                ))
                .with_hint("1 is a win of the system named first, 0 of the other, 0.5 a tie")
            })?;
            Ok((word, outcome))
        });
        Ok(Self {
            own: own.collect::<Result<_>>()?,
        })
    }

    /// These, and where they say nothing those of `others`.
    #[must_use]
    pub fn before(&self, others: &Self) -> Self {
        let own = others.own.iter().chain(&self.own);
        Self {
            own: own.cloned().collect(),
        }
    }

    /// All of these, later ones before earlier ones.
    #[must_use]
    pub fn together(several: &[Self]) -> Self {
        let none = Self::default();
        several.iter().fold(none, |all, words| words.before(&all))
    }

    /// Whether the data set has words of its own.
    pub fn is_empty(&self) -> bool {
        self.own.is_empty()
    }

    /// The words of its own, with the values of their outcomes.
    pub fn iter(&self) -> impl Iterator<Item = (&str, f64)> {
        self.own
            .iter()
            .map(|(word, outcome)| (word.as_str(), outcome.value()))
    }

    /// What a word says, if it is known.
    pub fn read(&self, word: &str) -> Option<Outcome> {
        let mut own = self.own.iter().rev();
        if let Some((_, outcome)) = own.find(|(known, _)| known == word) {
            return Some(*outcome);
        }
        if let Ok(number) = word.trim().replace(',', ".").parse() {
            return Outcome::from_value(number);
        }
        let plain = plain(word);
        let mut words = WORDS.iter();
        words
            .find(|(words, _)| words.contains(&plain.as_str()))
            .map(|(_, outcome)| *outcome)
    }

    /// What a word says of two systems, whose names may be the word.
    ///
    /// # Errors
    /// If it is unknown, or means one system as a word and the other as a name.
    pub fn between(&self, word: &str, system_a: &str, system_b: &str) -> Result<Outcome, String> {
        let own = self.own.iter().any(|(known, _)| known == word);
        let named = match word {
            _ if own => None,
            word if word == system_a => Some(Outcome::Win),
            word if word == system_b => Some(Outcome::Loss),
            _ => None,
        };
        match (self.read(word), named) {
            (Some(one), Some(other)) if one != other => Err(format!(
                "outcome is {word}, which names one system and as a word means the other"
            )),
            (known, named) => named
                .or(known)
                .ok_or_else(|| format!("outcome is {word}, expected 0, 0.5 or 1")),
        }
    }
}

/// A word without case, blanks, underscores, hyphens and brackets.
fn plain(word: &str) -> String {
    let kept = |c: &char| !matches!(c, ' ' | '_' | '-' | '(' | ')' | '[' | ']');
    word.chars()
        .filter(kept)
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_everybody_uses_are_known() {
        let words = Outcomes::default();
        for (word, value) in [
            ("A", 1.0),
            ("model_b", 0.0),
            ("tie (bothbad)", 0.5),
            ("both bad", 0.5),
            ("Left", 1.0),
            ("1.0", 1.0),
            ("0,5", 0.5),
            (">>", 1.0),
            ("[[B>A]]", 0.0),
        ] {
            assert_eq!(words.read(word).map(Outcome::value), Some(value), "{word}");
        }
        for word in ["2", "1.5", "", "C", "model_c", "-1", "4,5"] {
            assert_eq!(words.read(word), None, "{word}");
        }
    }

    #[test]
    fn own_words_go_before_others_and_names_before_neither() {
        let words = Outcomes::new([("1".to_string(), 0.0), ("B+".to_string(), 0.0)]).unwrap();
        assert_eq!(words.read("1"), Some(Outcome::Loss));
        assert_eq!(words.read("B+"), Some(Outcome::Loss));
        assert_eq!(words.between("cedar", "atlas", "cedar"), Ok(Outcome::Loss));
        assert!(words.between("A", "B", "A").is_err());
        assert_eq!(words.between("A", "A", "B"), Ok(Outcome::Win));
        assert!(Outcomes::new([("x".to_string(), 2.0)]).is_err());
    }
}
