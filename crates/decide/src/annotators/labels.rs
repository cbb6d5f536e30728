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

/// What the order of classes means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClassOrder {
    /// Nothing: each class is one by itself.
    Nominal,
    /// Classes are outcomes for the first of two systems: turned round, each is that at the other end.
    Turned,
}

impl ClassOrder {
    /// Makes turned numbers equal, in each run of so many: their mean takes the place of both.
    pub(super) fn even_out_each(self, counts: &mut [f64], run: usize) {
        if self == Self::Nominal {
            return;
        }
        for counts in counts.chunks_exact_mut(run.max(1)) {
            let last = counts.len() - 1;
            for at in 0..counts.len() / 2 {
                let mean = 0.5 * (counts[at] + counts[last - at]);
                (counts[at], counts[last - at]) = (mean, mean);
            }
        }
    }
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

    /// Fits the model; annotators and classes are numbered below these. With [`ClassOrder::Turned`] it is the same
    /// whichever of two systems is named first. The seed matters only to models with random starts.
    pub fn fit(
        self,
        questions: &QuestionLabels,
        annotators: usize,
        classes: usize,
        (order, seed): (ClassOrder, Seed),
    ) -> Box<dyn FittedLabelModel> {
        match self {
            Self::DawidSkene => Box::new(DawidSkene::fit(questions, annotators, classes, order)),
            Self::Mace => Box::new(Mace::fit(questions, annotators, classes, (order, seed))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Outcomes 0, 1 and 2 of questions for the system named first; some are answered wrongly, more so for those named
    /// second, and the last annotator spams.
    fn outcomes() -> Vec<Vec<(usize, usize)>> {
        let mut rng = Seed(5).stream("test", 0);
        let question = |_| {
            let right = usize::from(rng.bernoulli(0.7)) * 2;
            let mut answer = |annotator: usize| match annotator {
                3 => (annotator, rng.below(3)),
                _ if rng.bernoulli(0.15 + 0.1 * right as f64) => (annotator, rng.below(3)),
                _ => (annotator, right),
            };
            (0..4).map(&mut answer).collect()
        };
        (0..40).map(question).collect()
    }

    #[test]
    fn no_renaming_of_systems_changes_a_label() {
        let named = outcomes();
        let is_turned = |question: usize| question.is_multiple_of(3);
        let turn = |(at, answers): (usize, &Vec<(usize, usize)>)| {
            let of_one = |&(annotator, class)| match is_turned(at) {
                true => (annotator, 2 - class),
                false => (annotator, class),
            };
            answers.iter().map(of_one).collect()
        };
        let renamed: Vec<Vec<(usize, usize)>> = named.iter().enumerate().map(turn).collect();
        for how in LabelModel::ALL {
            let fit = |order: ClassOrder| {
                [&named, &renamed].map(|questions| how.fit(questions, 4, 3, (order, Seed(1))))
            };
            let moved = |order: ClassOrder| {
                let [one, other] = fit(order);
                let of = |(at, (p, q)): (usize, (&Vec<f64>, &Vec<f64>))| {
                    let class = |k: usize| if is_turned(at) { 2 - k } else { k };
                    (0..3)
                        .map(|k| (p[k] - q[class(k)]).abs())
                        .fold(0.0, f64::max)
                };
                let both = one.posteriors().iter().zip(other.posteriors());
                let labels = both.enumerate().map(of).fold(0.0, f64::max);
                let right = (0..4).map(|who| (one.accuracy(who) - other.accuracy(who)).abs());
                right.fold(labels, f64::max)
            };
            assert!(moved(ClassOrder::Turned) < 1e-6, "{how:?}");
            assert!(moved(ClassOrder::Nominal) > 0.01, "{how:?}");
        }
    }
}
