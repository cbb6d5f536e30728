//! Checks, which are tasks whose answer is known: for training at the beginning, and mixed with others at a given rate.
//!
//! The check of a person is a function of seed, person and number of tasks served: nothing is stored, and loading the
//! page again does not change it. Checks never count as answers about systems.

#[cfg(feature = "serve")]
use super::Content;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
#[cfg(feature = "serve")]
use tiebreak_base::rng::Seed;
use tiebreak_base::words::counted;

/// The checks of a task.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub(crate) struct Checks {
    /// The share of checks among the tasks of a person after training.
    pub rate: f64,
    /// Whether training comes first.
    pub train: bool,
    /// Served first, each with its feedback.
    pub training: Vec<CheckTask>,
    /// Served at the rate.
    pub mixed: Vec<CheckTask>,
}

/// The purpose of a check.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum CheckKind {
    /// A real task whose right answer is known.
    #[default]
    Gold,
    /// A task that says itself which answer is wanted.
    Loud,
    /// A task that looks like others, of which one text is plainly broken.
    Silent,
}

/// A task whose answer is known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct CheckTask {
    /// The purpose of the check.
    #[serde(default)]
    pub kind: CheckKind,
    /// The source of the texts.
    pub source: Option<String>,
    /// The passage that an answer is judged by.
    pub passage: Option<String>,
    /// The references, where questions show some.
    #[serde(default)]
    pub references: Vec<String>,
    pub texts: Vec<String>,
    /// The right answers to a pair: `1`, `2`, `tie` or `both bad`; any where none is named.
    #[serde(default)]
    pub answers: Vec<String>,
    /// The right scores, by criterion: lowest and highest.
    #[serde(default)]
    pub scores: BTreeMap<String, [f64; 2]>,
    /// The feedback after a right answer; empty for none.
    pub right: Option<String>,
    /// The feedback after any other answer.
    pub wrong: Option<String>,
}

/// The valid answers to a pair.
const ANSWERS: [&str; 4] = ["1", "2", "tie", "both bad"];

#[cfg(feature = "serve")]
impl Checks {
    /// Returns the check that a person gets in place of a question after so many tasks, checks included; `None` for a
    /// question.
    pub(crate) fn due(&self, seed: Seed, person: u64, served: u64) -> Option<&CheckTask> {
        let training = self.training();
        if served < training {
            return self.training.get(served as usize);
        }
        let is_check = |place: u64| {
            let stream = person.wrapping_mul(1 << 32).wrapping_add(place);
            seed.stream("checks", stream).bernoulli(self.rate)
        };
        if self.mixed.is_empty() || !is_check(served) {
            return None;
        }
        // Each in its turn, from a place of the person's own.
        let before = (training..served).filter(|&place| is_check(place)).count();
        let first = seed.stream("first check", person).below(self.mixed.len());
        self.mixed.get((first + before) % self.mixed.len())
    }

    /// The number of training tasks.
    pub(crate) fn training(&self) -> u64 {
        if self.train {
            self.training.len() as u64
        } else {
            0
        }
    }
}

impl Checks {
    /// Checks the checks of a task that shows so many texts.
    pub(super) fn check(&self, texts: usize) -> Result<(), String> {
        if !(0.0..1.0).contains(&self.rate) {
            return Err(format!(
                "the rate of checks is {}, expected at least 0 and less than 1",
                self.rate
            ));
        }
        if self.rate > 0.0 && self.mixed.is_empty() {
            return Err("checks have a rate, but there is no mixed check".to_string());
        }
        for check in self.training.iter().chain(&self.mixed) {
            if check.texts.len() != texts {
                return Err(format!(
                    "a check with {}, expected {texts}",
                    counted(check.texts.len() as u64, "text")
                ));
            }
            if let Some(answer) = check
                .answers
                .iter()
                .find(|answer| !ANSWERS.contains(&answer.as_str()))
            {
                return Err(format!(
                    "a check whose answer is `{answer}`, expected {}",
                    ANSWERS.join(", ")
                ));
            }
        }
        Ok(())
    }
}

#[cfg(feature = "serve")]
impl CheckTask {
    /// The contents of the check.
    pub(in crate::campaign) fn content(&self) -> Content {
        Content {
            source: self.source.clone(),
            passage: self.passage.clone(),
            references: self.references.clone(),
            texts: self.texts.clone(),
        }
    }

    /// Whether an answer to a pair, or scores, are right.
    pub(crate) fn is_right(&self, answer: Option<&str>, scores: &BTreeMap<String, f64>) -> bool {
        let answered = self.answers.is_empty()
            || answer.is_some_and(|answer| self.answers.iter().any(|right| right == answer));
        let scored = |(name, [low, high]): (&String, &[f64; 2])| {
            let given = scores.get(name);
            given.is_some_and(|score| (*low..=*high).contains(score))
        };
        answered && self.scores.iter().all(scored)
    }

    /// The feedback after an answer.
    pub(crate) fn feedback(&self, is_right: bool) -> Option<&str> {
        let said = if is_right { &self.right } else { &self.wrong };
        said.as_deref()
    }
}

#[cfg(all(test, feature = "serve"))]
mod tests {
    use super::*;

    fn check(answer: &str) -> CheckTask {
        CheckTask {
            kind: CheckKind::Gold,
            source: None,
            passage: None,
            references: Vec::new(),
            texts: vec!["a".to_string(), "b".to_string()],
            answers: vec![answer.to_string()],
            scores: BTreeMap::from([("fluency".to_string(), [1.0, 2.0])]),
            right: Some("yes".to_string()),
            wrong: None,
        }
    }

    #[test]
    fn training_comes_first_and_checks_at_their_rate() {
        let checks = Checks {
            rate: 0.1,
            train: true,
            training: vec![check("1"), check("2")],
            mixed: vec![check("tie"), check("both bad")],
        };
        let mut shares = Vec::new();
        for person in 0..20 {
            let due = |served| checks.due(Seed(7), person, served);
            assert_eq!(due(0), Some(&checks.training[0]));
            assert_eq!(due(1), Some(&checks.training[1]));
            let mixed: Vec<&CheckTask> = (2..1002).filter_map(due).collect();
            assert!(
                mixed.windows(2).all(|two| two[0] != two[1]),
                "each in its turn"
            );
            assert_eq!(due(500), due(500));
            shares.push(mixed.len());
        }
        let all: usize = shares.iter().sum();
        assert!((1800..2200).contains(&all), "{all}");
        shares.dedup();
        assert!(shares.len() > 5, "people get their own");
        let none = Checks {
            rate: 0.0,
            train: false,
            ..checks
        };
        assert!((0..1000).all(|served| none.due(Seed(7), 1, served).is_none()));
    }

    #[test]
    fn answers_and_scores_are_held_against_what_is_right() {
        let check = check("2");
        let scores = |score| BTreeMap::from([("fluency".to_string(), score)]);
        assert!(check.is_right(Some("2"), &scores(1.5)));
        assert!(
            !check.is_right(Some("1"), &scores(1.5)) && !check.is_right(Some("2"), &scores(3.0))
        );
        assert!(
            !check.is_right(None, &scores(1.0)) && !check.is_right(Some("2"), &BTreeMap::new())
        );
        assert_eq!(
            (check.feedback(true), check.feedback(false)),
            (Some("yes"), None)
        );
    }
}
