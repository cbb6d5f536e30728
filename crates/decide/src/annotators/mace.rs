//! MACE: the probable right answer to each question where every annotator, each time, either knows it or
//! answers out of habit.
//!
//! Source: Hovy, Berg-Kirkpatrick, Vaswani and Hovy, "Learning whom to trust with MACE", NAACL 2013.
//! The right class of a question is uniform over the c classes; annotator j spams with probability `s_j`,
//! and then answers l with probability `ξ_jl` whatever is right, else gives the right class. Fitted by
//! variational Bayes with the original's priors, Beta(½, ½) on `s_j` and Dirichlet(10, …, 10) on `ξ_j`: in
//! each round probabilities are exp ψ(count + prior) / exp ψ(their sum).
//!
//! The likelihood has many maxima: of ten starts at random, as many as the original has, that with the
//! greatest likelihood is kept. Deviations: a start ends when no probability of a class moves by more
//! than 1e-9 (or after 1000 rounds), not after 50 rounds; likelihoods are added up as logarithms.

use super::labels::{FittedLabelModel, QuestionLabels};
use tiebreak_base::rng::{Rng, Seed};
use tiebreak_base::stats::special::digamma;

/// Starts at random.
const STARTS: u64 = 10;

/// Rounds of a start end when nothing moves by more than this.
const SETTLED: f64 = 1e-9;

const MOST_ROUNDS: usize = 1000;

/// Of spamming and of knowing, the prior count of each.
const SPAM_PRIOR: f64 = 0.5;

/// Of habits, the prior count of each answer.
const HABIT_PRIOR: f64 = 10.0;

/// How uneven the probabilities are from which a start begins.
const NOISE: f64 = 0.5;

/// A fitted model of m annotators and c classes.
#[derive(Debug, Clone, PartialEq)]
pub struct Mace {
    classes: usize,
    /// By annotator, the weights of spamming and of knowing; below 1 in sum, as variational Bayes has it.
    spam: Vec<[f64; 2]>,
    /// By annotator and answer, the weight of that habit.
    habits: Vec<f64>,
    /// For each question the probability of each class.
    posteriors: Vec<Vec<f64>>,
    /// How probable all answers are, as a logarithm.
    likelihood: f64,
}

impl Mace {
    /// Fits the model to questions with answers (annotator, class), numbers below `annotators` and
    /// `classes`.
    pub fn fit(questions: &QuestionLabels, annotators: usize, classes: usize, seed: Seed) -> Self {
        let fitted = |start: u64| {
            let mut rng = seed.stream("mace", start);
            let mut model = Self::start(questions.len(), annotators, classes, &mut rng);
            model.expect(questions);
            for _ in 0..MOST_ROUNDS {
                model.maximise(questions);
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

    /// Probabilities near evenness, no posteriors yet.
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

    /// How probably the annotator gives the answer out of habit.
    fn by_habit(&self, annotator: usize, class: usize) -> f64 {
        self.spam[annotator][0] * self.habits[annotator * self.classes + class]
    }

    /// Classes from probabilities, and how probable all answers are; by how much the most changed
    /// posterior moved.
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

    /// Probabilities from expected counts.
    fn maximise(&mut self, questions: &QuestionLabels) {
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
        for counts in &mut spam {
            weigh(counts);
        }
        habits.chunks_exact_mut(c.max(1)).for_each(weigh);
        (self.spam, self.habits) = (spam, habits);
    }

    /// How probably an annotator knows the answer rather than spams; Hovy et al.'s trustworthiness.
    pub fn competence(&self, annotator: usize) -> f64 {
        let [spams, knows] = self.spam[annotator];
        knows / (spams + knows)
    }
}

impl FittedLabelModel for Mace {
    fn posteriors(&self) -> &[Vec<f64>] {
        &self.posteriors
    }

    /// Knowing, or spamming the class that happens to be right.
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

/// Weights from counts: exp ψ of each over exp ψ of their sum.
fn weigh(counts: &mut [f64]) {
    let all = digamma(counts.iter().sum());
    for count in counts {
        *count = (digamma(*count) - all).exp();
    }
}
