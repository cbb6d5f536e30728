//! MACE: the probable right answer to each question where every annotator, each time, either knows it or
//! answers out of habit.
//!
//! Source: Hovy, Berg-Kirkpatrick, Vaswani and Hovy, "Learning whom to trust with MACE", NAACL 2013.
//! The right class of a question is uniform over the c classes; annotator j spams with probability `s_j`,
//! and then answers l with probability `ξ_jl` whatever is right, else gives the right class. Fitted by
//! variational Bayes with the original's priors, Beta(½, ½) on `s_j` and Dirichlet(10, …, 10) on `ξ_j`: in
//! each round probabilities are exp ψ(count + prior) / exp ψ(their sum).
//!
//! Which of two systems is named first is no answer: with classes that come in turned pairs, `ξ_jl` is that of the turned
//! class too, from the start on (see `dawid_skene`).
//!
//! The likelihood has many maxima: of ten starts at random, as many as the original has, that with the
//! greatest likelihood is kept. Deviations: a start ends when no probability of a class moves by more
//! than 1e-9 (or after 1000 rounds), not after 50 rounds; likelihoods are added up as logarithms.

use super::labels::{ClassOrder, FittedLabelModel, QuestionLabels};
use tiebreak_base::rng::{Rng, Seed};
use tiebreak_base::stats::special::digamma;

/// The number of random starts.
const STARTS: u64 = 10;

/// The change below which the rounds of a start end.
const SETTLED: f64 = 1e-9;

const MOST_ROUNDS: usize = 1000;

/// The prior count of spamming and of knowing, each.
const SPAM_PRIOR: f64 = 0.5;

/// The prior count of each answer in an annotator's habits.
const HABIT_PRIOR: f64 = 10.0;

/// The unevenness of the probabilities at a start.
const NOISE: f64 = 0.5;

/// A fitted model of m annotators and c classes.
#[derive(Debug, Clone, PartialEq)]
pub struct Mace {
    classes: usize,
    /// The weights of spamming and knowing, by annotator; their sum is below 1, as in variational Bayes.
    spam: Vec<[f64; 2]>,
    /// The weight of each habit, by annotator and answer.
    habits: Vec<f64>,
    /// The probability of each class, by question.
    posteriors: Vec<Vec<f64>>,
    /// The log-likelihood of all answers.
    likelihood: f64,
}

impl Mace {
    /// Fits the model to questions with answers (annotator, class), numbers below `annotators` and
    /// `classes`.
    pub fn fit(
        questions: &QuestionLabels,
        annotators: usize,
        classes: usize,
        (order, seed): (ClassOrder, Seed),
    ) -> Self {
        let fitted = |start: u64| {
            let mut rng = seed.stream("mace", start);
            let mut model = Self::start(questions.len(), annotators, classes, &mut rng);
            order.even_out_each(&mut model.habits, classes);
            model.expect(questions);
            for _ in 0..MOST_ROUNDS {
                model.maximise(questions, order);
                if model.expect(questions) <= SETTLED {
                    break;
                }
            }
            model
        };
        let first = fitted(0);
        (1..STARTS)
            .map(fitted)
            .fold(first, |best, one| match one.likelihood > best.likelihood {
                true => one,
                false => best,
            })
    }

    /// A start near even probabilities, without posteriors.
    fn start(questions: usize, annotators: usize, classes: usize, rng: &mut Rng) -> Self {
        let mut shares = |n: usize| {
            let drawn: Vec<f64> = (0..n)
                .map(|_| 1.0 + (1.0 + NOISE) * rng.uniform())
                .collect();
            let total: f64 = drawn.iter().sum();
            drawn.into_iter().map(move |x| x / total).collect()
        };
        let spam = (0..annotators).map(|_| {
            let two: Vec<f64> = shares(2);
            [two[0], two[1]]
        });
        let spam = spam.collect();
        let habits = (0..annotators).flat_map(|_| -> Vec<f64> { shares(classes) });
        Self {
            classes,
            spam,
            habits: habits.collect(),
            posteriors: vec![vec![0.0; classes]; questions],
            likelihood: f64::NEG_INFINITY,
        }
    }

    /// The probability that the annotator gives the answer out of habit.
    fn by_habit(&self, annotator: usize, class: usize) -> f64 {
        self.spam[annotator][0] * self.habits[annotator * self.classes + class]
    }

    /// Updates the classes and the likelihood from the probabilities (E step); returns the largest change of a
    /// posterior.
    fn expect(&mut self, questions: &QuestionLabels) -> f64 {
        let (mut moved, mut likelihood): (f64, f64) = (0.0, 0.0);
        for (at, answers) in questions.iter().enumerate() {
            let ln_of = |k: usize| {
                let said = answers.iter().map(|&(annotator, class)| {
                    let knows = if class == k {
                        self.spam[annotator][1]
                    } else {
                        0.0
                    };
                    (self.by_habit(annotator, class) + knows).ln()
                });
                said.sum::<f64>() - (self.classes as f64).ln()
            };
            let joint: Vec<f64> = (0..self.classes).map(ln_of).collect();
            let most = joint.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let total: f64 = joint.iter().map(|ln| (ln - most).exp()).sum();
            likelihood += most + total.ln();
            for (old, ln) in self.posteriors[at].iter_mut().zip(joint) {
                let new = (ln - most).exp() / total;
                moved = moved.max((new - *old).abs());
                *old = new;
            }
        }
        self.likelihood = likelihood;
        moved
    }

    /// Updates the probabilities from the expected counts (M step).
    fn maximise(&mut self, questions: &QuestionLabels, order: ClassOrder) {
        let c = self.classes;
        let mut spam = vec![[SPAM_PRIOR; 2]; self.spam.len()];
        let mut habits = vec![HABIT_PRIOR; self.habits.len()];
        for (answers, posterior) in questions.iter().zip(&self.posteriors) {
            for &(annotator, class) in answers {
                let knows = self.spam[annotator][1];
                let known = posterior[class] * knows / (self.by_habit(annotator, class) + knows);
                spam[annotator][0] += 1.0 - known;
                spam[annotator][1] += known;
                habits[annotator * c + class] += 1.0 - known;
            }
        }
        order.even_out_each(&mut habits, c);
        for counts in &mut spam {
            weigh(counts);
        }
        habits.chunks_exact_mut(c.max(1)).for_each(weigh);
        (self.spam, self.habits) = (spam, habits);
    }

    /// The probability that an annotator knows the answer rather than spams; Hovy et al.'s trustworthiness.
    pub fn competence(&self, annotator: usize) -> f64 {
        let [spams, knows] = self.spam[annotator];
        knows / (spams + knows)
    }
}

impl FittedLabelModel for Mace {
    fn posteriors(&self) -> &[Vec<f64>] {
        &self.posteriors
    }

    /// The probability of knowing, or of spamming the class that happens to be right.
    fn accuracy(&self, annotator: usize) -> f64 {
        let habits = &self.habits[annotator * self.classes..][..self.classes];
        let total: f64 = habits.iter().sum();
        let all = self.posteriors.len().max(1) as f64;
        let share = |k: usize| self.posteriors.iter().map(|one| one[k]).sum::<f64>() / all;
        let lucky: f64 = (0..self.classes)
            .map(|k| share(k) * habits[k] / total)
            .sum();
        let knows = self.competence(annotator);
        knows + (1.0 - knows) * lucky
    }
}

/// Turns counts into weights: exp ψ of each over exp ψ of their sum.
fn weigh(counts: &mut [f64]) {
    let all = digamma(counts.iter().sum());
    for count in counts {
        *count = (digamma(*count) - all).exp();
    }
}
