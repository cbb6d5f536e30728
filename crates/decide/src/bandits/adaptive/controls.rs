//! Control variates in bets: what predictions of an item say of its answer is subtracted from the answer's score.
//!
//! ```text
//! S' = S − Σ a_m c_m(x)      c_m(x) = h_m(x) − h̄_m, what model m says of item x less its mean over the items
//! a  = (κI + Σ c c')⁻¹ Σ c (S − μ)      over the answers of people so far, μ the model's mean before each
//! ```
//!
//! Answers about other pairs of an item are remembered and count as one more model, whose h changes with every
//! answer. c has mean 0 over the draw of the item, so S' has the mean of S whatever a and the predictions are
//! worth, as long as h, a and the bet are fixed before the item is drawn. It scatters less where they
//! tell who wins on an item: by 1 − ρ², with ρ their correlation with S within pairs. So the margin is
//! known better, and bets are larger. a is shrunk to 0 as if by κ answers where c was 1.
//!
//! |S'| reaches beyond that of S by Σ |a_m| max |c_m|, by which bets are limited.
//!
//! Source: control variates for means of judgments, Chaganty, Mussmann and Liang, ACL 2018; inside bets
//! ours.

use super::certificate::QuestionResolution;
use super::trust::PredictionCorrelation;
use std::collections::BTreeMap;
use tiebreak_base::claims::SkipPremise;
use tiebreak_base::duel::{AuditWeighting, DuelId, Outcome};
use tiebreak_base::stats::cholesky::Cholesky;

/// κ: what predictions are worth within a pair is some 0.3, and an answer scatters by 0.8.
const SHRINKAGE: f64 = 8.0;

/// The models' control variates, and the open questions.
#[derive(Debug, Clone)]
pub(super) struct OnlineControlVariates {
    /// The number of models that predict margins, too; they come first.
    predicting: usize,
    /// κI + Σ c c', row by row.
    squares: Vec<f64>,
    /// Σ c (S − μ).
    products: Vec<f64>,
    /// Σ (S − μ)².
    scatter: f64,
    /// The number of these answers.
    answers: f64,
    /// a.
    slopes: Vec<f64>,
    open: BTreeMap<DuelId, ControlledQuestion>,
}

/// The state of a question when it was asked, for the first of its pair.
#[derive(Debug, Clone)]
struct ControlledQuestion {
    slopes: Vec<f64>,
    /// μ.
    expected: f64,
    centred: Vec<f64>,
}

impl ControlledQuestion {
    fn control(&self) -> f64 {
        let terms = self.slopes.iter().zip(&self.centred);
        terms.map(|(a, c)| a * c).sum()
    }
}

/// The scoring of the answer to a question.
#[derive(Debug, Clone, Copy)]
pub(super) struct AnswerScoring {
    pub weighing: AuditWeighting,
    /// Σ a_m c_m.
    pub control: f64,
}

impl AnswerScoring {
    /// The scoring of an answer as it is.
    pub(super) const PLAIN: Self = Self {
        weighing: AuditWeighting::NONE,
        control: 0.0,
    };

    /// S' from the person's answer, or without one where none was asked for.
    pub(super) fn score(self, audited: Option<Outcome>) -> f64 {
        self.weighing.score(audited) - self.control
    }

    /// The resolution of a question that was skipped; `None` where it stays open at its worst. Scores are linear in the
    /// answer, so the mean answer has the mean score.
    pub(super) fn skipped(self, premise: SkipPremise) -> Option<QuestionResolution> {
        let [won, lost] = [Outcome::Win, Outcome::Loss].map(|one| self.score(Some(one)));
        let mean = premise.largest_mean();
        let score = |mean: f64| 0.5 * ((1.0 + mean) * won + (1.0 - mean) * lost);
        match premise {
            SkipPremise::WorstCase => None,
            SkipPremise::Odds(_) => Some(QuestionResolution::Skipped([score(-mean), score(mean)])),
            SkipPremise::NoPreference => Some(QuestionResolution::Passed),
        }
    }

    /// The least S' there can be.
    pub(super) fn worst(self) -> f64 {
        self.weighing.worst() - self.control
    }

    /// The scoring as seen from the other side.
    pub(super) fn flipped(self) -> Self {
        Self {
            weighing: self.weighing.flipped(),
            control: -self.control,
        }
    }
}

impl OnlineControlVariates {
    /// Creates the control variates of `models` models, of which the first `predicting` predict margins, too; no
    /// answers are known.
    pub(super) fn new(models: usize, predicting: usize) -> Self {
        let diagonal = |at| match at % (models + 1) {
            0 => SHRINKAGE,
            _ => 0.0,
        };
        Self {
            predicting,
            squares: (0..models * models).map(diagonal).collect(),
            products: vec![0.0; models],
            scatter: 0.0,
            answers: 0.0,
            slopes: vec![0.0; models],
            open: BTreeMap::new(),
        }
    }

    /// Whether there are no models.
    pub(super) fn are_none(&self) -> bool {
        self.slopes.is_empty()
    }

    /// The excess of |S'| over |S| that there may be in a question whose |c| is at most `largest`, by model.
    pub(super) fn excess(&self, largest: &[f64]) -> f64 {
        let models = self.slopes.iter().zip(largest);
        models.map(|(a, largest)| a.abs() * largest).sum()
    }

    /// Opens a question whose score is expected to be `expected`.
    pub(super) fn ask(&mut self, duel: DuelId, expected: f64) {
        if self.are_none() {
            return;
        }
        let open = ControlledQuestion {
            slopes: self.slopes.clone(),
            expected,
            centred: Vec::new(),
        };
        self.open.insert(duel, open);
    }

    /// Sets c of an open question, once its item was drawn.
    pub(super) fn draw(&mut self, duel: DuelId, centred: &[f64]) {
        if let Some(open) = self.open.get_mut(&duel) {
            debug_assert_eq!(centred.len(), open.slopes.len());
            open.centred = centred.to_vec();
        }
    }

    /// The correlation of answers with the predictions of each model that predicts margins, too.
    pub(super) fn in_common(&self) -> impl Iterator<Item = PredictionCorrelation> {
        let models = self.slopes.len();
        (0..self.predicting).map(move |model| PredictionCorrelation {
            product: self.products[model],
            square: self.squares[model * (models + 1)] - SHRINKAGE,
            scatter: self.scatter,
            answers: self.answers,
        })
    }

    /// Σ a_m c_m of an open question.
    pub(super) fn control(&self, duel: DuelId) -> f64 {
        self.open
            .get(&duel)
            .map_or(0.0, ControlledQuestion::control)
    }

    /// Closes a question; its S is given where that tells what predictions are worth.
    pub(super) fn close(&mut self, duel: DuelId, score: Option<f64>) {
        let (Some(open), score) = (self.open.remove(&duel), score) else {
            return;
        };
        let Some(score) = score.filter(|_| !open.centred.is_empty()) else {
            return;
        };
        let models = self.slopes.len();
        self.answers += 1.0;
        self.scatter += (score - open.expected).powi(2);
        for (row, c) in open.centred.iter().enumerate() {
            self.products[row] += c * (score - open.expected);
            for (column, other) in open.centred.iter().enumerate() {
                self.squares[row * models + column] += c * other;
            }
        }
        let factor = Cholesky::new(self.squares.clone(), models);
        let factor = factor.expect("κ on the diagonal makes it positive definite");
        self.slopes.copy_from_slice(&self.products);
        factor.solve_lower(&mut self.slopes);
        factor.solve_upper(&mut self.slopes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_are_those_of_least_squares_and_fixed_when_a_question_is_asked() {
        let mut controls = OnlineControlVariates::new(2, 2);
        // The second model says half of what the first does, with the other sign.
        let rows = [(0.8, 1.0), (-0.6, -1.0), (0.2, 0.0), (-0.4, -1.0)];
        controls.ask(DuelId(9), 0.0);
        for (id, (c, score)) in (0..).zip(rows) {
            controls.ask(DuelId(id), 0.1);
            controls.draw(DuelId(id), &[c, -c / 2.0]);
            controls.close(DuelId(id), Some(score));
        }
        // On one number c (1, −½): Σ c² = 1.2, Σ c (S − 0.1) = 1.8, so c' = (1, −½) 1.8/(8 + 1.25 · 1.2).
        let size = 1.8 / (SHRINKAGE + 1.25 * 1.2);
        for (found, wanted) in controls.slopes.iter().zip([size, -size / 2.0]) {
            assert!((found - wanted).abs() < 1e-12, "{found}, not {wanted}");
        }
        assert!((controls.excess(&[0.9, 0.6]) - 1.2 * size).abs() < 1e-12);
        // That question is from before.
        controls.draw(DuelId(9), &[1.0, 1.0]);
        assert_eq!(controls.control(DuelId(9)), 0.0);
        controls.ask(DuelId(10), 0.0);
        controls.draw(DuelId(10), &[0.4, 0.4]);
        assert!((controls.control(DuelId(10)) - 0.2 * size).abs() < 1e-12);
        let before = controls.slopes.clone();
        controls.close(DuelId(10), None);
        assert_eq!(
            (controls.control(DuelId(10)), controls.slopes),
            (0.0, before)
        );
    }

    #[test]
    fn what_answers_have_in_common_with_models_that_predict() {
        // Two of them and what is remembered.
        let mut controls = OnlineControlVariates::new(3, 2);
        let rows = [([0.8, 0.2, 0.5], 1.0), ([-0.6, 0.4, 0.1], -1.0)];
        for (id, (c, score)) in (0..).zip(rows) {
            controls.ask(DuelId(id), 0.1);
            controls.draw(DuelId(id), &c);
            controls.close(DuelId(id), Some(score));
        }
        // Of each c (S − μ), with S − μ = .9 and −1.1.
        let found: Vec<PredictionCorrelation> = controls.in_common().collect();
        assert_eq!(found.len(), 2);
        for (found, c) in found.iter().zip([[0.8, -0.6], [0.2, 0.4]]) {
            assert!((found.product - (0.9 * c[0] - 1.1 * c[1])).abs() < 1e-12);
            assert!((found.square - (c[0] * c[0] + c[1] * c[1])).abs() < 1e-12);
            assert!((found.scatter - 2.02).abs() < 1e-12 && found.answers == 2.0);
        }
    }

    #[test]
    fn what_is_taken_off_changes_sides_with_the_pair() {
        let scoring = AnswerScoring {
            weighing: AuditWeighting {
                q: 0.5,
                probability: 0.5,
            },
            control: 0.2,
        };
        assert_eq!(scoring.score(None), 0.3);
        assert_eq!(scoring.worst(), -2.7);
        assert_eq!(scoring.flipped().worst(), -1.3);
    }
}
