//! One answer to each question, from all annotators' answers by a model of their errors.

use super::dawid_skene::DawidSkene;
use super::mace::Mace;
use serde::{Deserialize, Serialize};
use tiebreak_base::keys::name_of;
use tiebreak_base::rng::Seed;

/// Questions with answers (annotator, class).
pub(crate) type QuestionLabels = [Vec<(usize, usize)>];

/// A model of annotators' errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LabelModel {
    /// Dawid and Skene: each annotator errs in ways of their own.
    DawidSkene,
    /// MACE: each annotator answers by competence or, with some probability, by habit.
    Mace,
}

/// The results of a fitted model for questions and annotators.
pub trait FittedLabelModel {
    /// The probability of each class, by question.
    fn posteriors(&self) -> &[Vec<f64>];

    /// The probability that an annotator is right about a random question.
    fn accuracy(&self, annotator: usize) -> f64;

    /// The most probable class of a question and its probability; the first of equals.
    fn label(&self, question: usize) -> (usize, f64) {
        let better = |best: (usize, f64), (k, &p): (usize, &f64)| match p > best.1 {
            true => (k, p),
            false => best,
        };
        let posterior = self.posteriors()[question].iter().enumerate();
        posterior.fold((0, 0.0), better)
    }
}

impl LabelModel {
    /// All models.
    pub const ALL: [Self; 2] = [Self::DawidSkene, Self::Mace];

    /// The name in flags and tables.
    pub fn name(self) -> String {
        name_of(&self)
    }

    /// Fits the model; annotators and classes are numbered below these. The seed matters only to models with
    /// random starts.
    pub fn fit(
        self,
        questions: &QuestionLabels,
        annotators: usize,
        classes: usize,
        seed: Seed,
    ) -> Box<dyn FittedLabelModel> {
        match self {
            Self::DawidSkene => Box::new(DawidSkene::fit(questions, annotators, classes)),
            Self::Mace => Box::new(Mace::fit(questions, annotators, classes, seed)),
        }
    }
}
