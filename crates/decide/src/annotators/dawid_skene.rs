//! The probable right answer to each question, and how each annotator errs.
//!
//! Source: Dawid and Skene, "Maximum likelihood estimation of observer error-rates using the EM
//! algorithm", JRSS C 1979. Every question has one right class k, of probability `p_k`; annotator j
//! then answers l with probability `π_jkl`, independently of the others. The EM algorithm starts from the
//! shares of the votes and ends when no probability moves by more than 1e-10 (or after 2000 rounds).
//! As in crowd-kit 1.4.2 expected counts below 1e-10 are set to that, so that nothing is impossible.
//!
//! Which of two systems is named first is no answer: with classes that come in turned pairs, c − 1 − k for k, as outcomes
//! of comparisons do, `p_k` and `π_jkl` may be those of the turned classes too. Then no renaming changes a label.
//!
//! The likelihood has many maxima: where annotators are often wrong, or gave few answers each, the
//! one found from the votes need not be the right one.

use super::labels::{ClassOrder, FittedLabelModel};

/// The least value of expected counts and probabilities.
const LEAST: f64 = 1e-10;

/// The change below which rounds end.
const SETTLED: f64 = 1e-10;

const MOST_ROUNDS: usize = 2000;

/// A fitted model of m annotators and c classes.
#[derive(Debug, Clone, PartialEq)]
pub struct DawidSkene {
    classes: usize,
    /// The prior probability `p_k` of each class.
    priors: Vec<f64>,
    /// The probability `π_jkl` of each answer, by annotator, right class and answer.
    confusion: Vec<f64>,
    /// The probability of each class, by question.
    posteriors: Vec<Vec<f64>>,
}

impl DawidSkene {
    /// Fits the model to questions with answers (annotator, class), numbers below `annotators` and
    /// `classes`.
    pub fn fit(
        questions: &[Vec<(usize, usize)>],
        annotators: usize,
        classes: usize,
        order: ClassOrder,
    ) -> Self {
        let votes = |answers: &Vec<(usize, usize)>| {
            let mut shares = vec![0.0; classes];
            for &(_, class) in answers {
                shares[class] += 1.0 / answers.len() as f64;
            }
            shares
        };
        let mut model = Self {
            classes,
            priors: vec![0.0; classes],
            confusion: vec![0.0; annotators * classes * classes],
            posteriors: questions.iter().map(votes).collect(),
        };
        for _ in 0..MOST_ROUNDS {
            model.maximise(questions, order);
            if model.expect(questions) <= SETTLED {
                break;
            }
        }
        model
    }

    /// Updates the probabilities from the expected counts (M step).
    fn maximise(&mut self, questions: &[Vec<(usize, usize)>], order: ClassOrder) {
        let c = self.classes;
        self.priors.fill(0.0);
        self.confusion.fill(0.0);
        for (answers, posterior) in questions.iter().zip(&self.posteriors) {
            for (k, p) in posterior.iter().enumerate() {
                self.priors[k] += p / questions.len() as f64;
                for &(annotator, class) in answers {
                    self.confusion[(annotator * c + k) * c + class] += p;
                }
            }
        }
        order.even_out_each(&mut self.priors, c);
        order.even_out_each(&mut self.confusion, c * c);
        self.priors.iter_mut().for_each(|p| *p = p.max(LEAST));
        for row in self.confusion.chunks_exact_mut(c.max(1)) {
            for count in row.iter_mut() {
                *count = count.max(LEAST);
            }
            let total: f64 = row.iter().sum();
            for count in row.iter_mut() {
                *count /= total;
            }
        }
    }

    /// Updates the classes from the probabilities (E step); returns the largest change.
    fn expect(&mut self, questions: &[Vec<(usize, usize)>]) -> f64 {
        let c = self.classes;
        let ln: Vec<f64> = self.confusion.iter().map(|p| p.ln()).collect();
        let mut moved: f64 = 0.0;
        for (answers, posterior) in questions.iter().zip(&mut self.posteriors) {
            let ln_of = |k: usize| {
                let answers = answers.iter();
                let said = answers.map(|&(annotator, class)| ln[(annotator * c + k) * c + class]);
                self.priors[k].ln() + said.sum::<f64>()
            };
            let joint: Vec<f64> = (0..c).map(ln_of).collect();
            let most = joint.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let total: f64 = joint.iter().map(|ln| (ln - most).exp()).sum();
            for (old, ln) in posterior.iter_mut().zip(joint) {
                let new = (ln - most).exp() / total;
                moved = moved.max((new - *old).abs());
                *old = new;
            }
        }
        moved
    }

    /// The probability that an annotator gives an answer where `right` is the right one.
    pub fn confusion(&self, annotator: usize, right: usize, answer: usize) -> f64 {
        self.confusion[(annotator * self.classes + right) * self.classes + answer]
    }
}

impl FittedLabelModel for DawidSkene {
    fn posteriors(&self) -> &[Vec<f64>] {
        &self.posteriors
    }

    fn accuracy(&self, annotator: usize) -> f64 {
        let right = (0..self.classes).map(|k| self.priors[k] * self.confusion(annotator, k, k));
        right.sum::<f64>() / self.priors.iter().sum::<f64>()
    }
}
