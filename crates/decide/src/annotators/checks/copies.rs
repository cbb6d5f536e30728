//! Two annotators whose answers are the same: one person under two names, or copies.
//!
//! How often honest people agree depends on the questions, so it is read off the others: on the questions
//! that two annotators share, any other two differ in a share d. Honest people differ at least a third as
//! often, so that the chance of a agreements in n questions is at most P(X ≥ a), X binomial with n trials of
//! probability 1 − d/3. Where no one else answered their questions, honest people differ in at least a
//! twentieth of the cases in which chance, by their own shares of answers, would have them differ. So
//! questions on which all agree say nothing, however many they are.
//!
//! Annotators who merely agree well are no copies: only pairs with a κ of .95 or more are tested.

use super::{AnnotatorCheckResult, Check, FEWEST};
use crate::annotators::QuestionAnswer;
use std::collections::BTreeMap;
use tiebreak_base::stats::binomial;

/// Copies differ in at most this part of the cases in which chance would have them differ.
const FAITHFUL: f64 = 0.05;

/// Honest people differ in at least this part of the cases in which others do.
const ALIKE: f64 = 1.0 / 3.0;

/// Two annotators and the questions that both answered.
#[derive(Default)]
struct SharedAnswers {
    /// The two answers to each question.
    answers: Vec<[f64; 2]>,
    /// The share of the other pairs of annotators that differ, summed over the questions with other pairs.
    others_differ: f64,
    /// The number of questions with other pairs.
    with_others: u64,
}

/// Tests every two annotators who share enough questions, in the order of their numbers. Memory grows with the pairs of
/// one annotator, not with all of them.
pub fn copies(questions: &[Vec<QuestionAnswer>]) -> Vec<AnnotatorCheckResult> {
    let questions: Vec<PairedQuestion<'_>> = questions.iter().map(PairedQuestion::new).collect();
    let mut answered: BTreeMap<usize, Vec<(&PairedQuestion<'_>, usize)>> = BTreeMap::new();
    for question in &questions {
        for (at, answer) in question.answers.iter().enumerate() {
            if let Some(annotator) = answer.annotator {
                answered.entry(annotator).or_default().push((question, at));
            }
        }
    }
    let tested = answered.into_iter().flat_map(|(annotator, own)| {
        let mut together: BTreeMap<usize, SharedAnswers> = BTreeMap::new();
        for (question, at) in own {
            for later in &question.answers[at + 1..] {
                if let Some(other) = later.annotator {
                    let shared = together.entry(other).or_default();
                    shared.add(question, [question.answers[at].value, later.value]);
                }
            }
        }
        let enough = together.into_iter();
        let enough = enough.filter(|(_, shared)| shared.answers.len() as u64 >= FEWEST);
        enough.map(move |(other, shared)| shared.tested([annotator, other]))
    });
    tested.collect()
}

/// The answers to a question, with the numbers of their pairs, and of those that differ.
struct PairedQuestion<'a> {
    answers: &'a [QuestionAnswer],
    pairs: f64,
    differing: f64,
}

impl<'a> PairedQuestion<'a> {
    fn new(answers: &'a Vec<QuestionAnswer>) -> Self {
        Self {
            answers,
            pairs: (answers.len() * answers.len().saturating_sub(1) / 2) as f64,
            differing: differing(answers),
        }
    }
}

/// The number of pairs of answers that differ.
fn differing(answers: &[QuestionAnswer]) -> f64 {
    let pairs = answers.iter().enumerate().map(|(at, one)| {
        let later = answers[at + 1..].iter();
        later.filter(|other| other.value != one.value).count()
    });
    pairs.sum::<usize>() as f64
}

impl SharedAnswers {
    /// Adds the two answers to a question.
    fn add(&mut self, question: &PairedQuestion<'_>, [x, y]: [f64; 2]) {
        self.answers.push([x, y]);
        if question.pairs > 1.0 {
            let own = f64::from(u8::from(x != y));
            self.others_differ += (question.differing - own) / (question.pairs - 1.0);
            self.with_others += 1;
        }
    }

    fn tested(&self, [annotator, other]: [usize; 2]) -> AnnotatorCheckResult {
        let n = self.answers.len() as u64;
        let found = self.answers.iter().filter(|[x, y]| x == y).count() as u64;
        let by_chance = self.differ_by_chance();
        let usual = match self.with_others >= FEWEST {
            true => self.others_differ / self.with_others as f64,
            false => by_chance,
        };
        let least = match self.with_others >= FEWEST {
            true => ALIKE * usual,
            false => FAITHFUL * usual,
        };
        let are_faithful = (n - found) as f64 <= FAITHFUL * by_chance * n as f64;
        let chance = binomial::at_least(found, n, 1.0 - least);
        AnnotatorCheckResult {
            check: Check::Copies,
            annotator,
            other: Some(other),
            found,
            of: n,
            expected: n as f64 * (1.0 - usual),
            p: if are_faithful && by_chance > 0.0 {
                chance
            } else {
                1.0
            },
        }
    }

    /// The share of questions on which the two would differ if they answered at random by their own shares.
    fn differ_by_chance(&self) -> f64 {
        let mut counts: BTreeMap<u64, [f64; 2]> = BTreeMap::new();
        for [x, y] in &self.answers {
            counts.entry(x.to_bits()).or_default()[0] += 1.0;
            counts.entry(y.to_bits()).or_default()[1] += 1.0;
        }
        let n = self.answers.len() as f64;
        let alike: f64 = counts.values().map(|[a, b]| a * b).sum();
        1.0 - alike / (n * n)
    }
}
