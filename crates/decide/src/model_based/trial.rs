//! A test of predictions against chance, by the judgments that people give anyway.
//!
//! Where a prediction prefers one output and a judgment is no tie, the two agree or not. For a model
//! that guesses, each agreement has probability at most ½ whatever came before, so that with a
//! agreements and d disagreements, n = a + d,
//!
//! ```text
//! E = 2ⁿ ∫ qᵃ (1 − q)ᵈ 2 dq over ½ ≤ q ≤ 1 = Σ_{k ≤ a} C(n + 1, k) / ((n + 1) C(n, a))
//! ```
//!
//! (bets on every accuracy above ½ alike) is a nonnegative supermartingale: looking after each
//! judgment costs nothing, and by Ville's inequality E ever reaches 20 with probability at most
//! 5 %. This is exact, not asymptotic. Judgments count in the order asked; while an earlier question
//! is open it counts as a disagreement, because the time to answer may depend on the answer.

use crate::feedback::PredictionCounts;
use std::collections::VecDeque;
use tiebreak_base::duel::{DuelId, Outcome};

/// 1/δ: E at which predictions count as better than chance.
const ENOUGH: f64 = 20.0;

/// The judgments so far, beside what was predicted.
#[derive(Debug, Clone, Default)]
pub struct Trial {
    credit: PredictionCounts,
    /// The counts of the questions before those in `queue`.
    agreed: u64,
    differed: u64,
    /// The questions from the oldest open one on, in the order asked.
    queue: VecDeque<(DuelId, QuestionForecast, ForecastAgreement)>,
}

/// A model's forecast of a question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QuestionForecast {
    /// Its preference for the first output, in [0, 1].
    pub p: f64,
    /// The outcome it would answer with.
    pub outcome: Outcome,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ForecastAgreement {
    Open,
    Agreed,
    Differed,
    /// A tie, or no preference.
    Neither,
}

impl Trial {
    /// Adds a question to a person on which the model has a forecast.
    pub fn ask(&mut self, question: DuelId, forecast: QuestionForecast) {
        self.queue
            .push_back((question, forecast, ForecastAgreement::Open));
    }

    /// Records the person's answer. Questions that were not asked, or are answered, change nothing.
    pub fn answer(&mut self, question: DuelId, outcome: Outcome) {
        let Ok(place) = self.queue.binary_search_by_key(&question, |entry| entry.0) else {
            return;
        };
        let (_, forecast, mark) = &mut self.queue[place];
        if *mark != ForecastAgreement::Open {
            return;
        }
        *mark = match outcome {
            Outcome::Tie => ForecastAgreement::Neither,
            _ if forecast.p == 0.5 => ForecastAgreement::Neither,
            _ if (forecast.p > 0.5) == (outcome == Outcome::Win) => ForecastAgreement::Agreed,
            _ => ForecastAgreement::Differed,
        };
        let credit = &mut self.credit;
        credit.judged += 1;
        credit.right += u64::from(forecast.outcome == outcome);
        credit.agreed += u64::from(*mark == ForecastAgreement::Agreed);
        credit.decided += u64::from(*mark != ForecastAgreement::Neither);
        self.settle();
    }

    fn settle(&mut self) {
        while let Some(&(_, _, mark)) = self
            .queue
            .front()
            .filter(|entry| entry.2 != ForecastAgreement::Open)
        {
            self.agreed += u64::from(mark == ForecastAgreement::Agreed);
            self.differed += u64::from(mark == ForecastAgreement::Differed);
            self.queue.pop_front();
        }
        if self.credit.better_after.is_some() {
            return;
        }
        let count = |wanted: &[ForecastAgreement]| {
            let marks = self.queue.iter().filter(|entry| wanted.contains(&entry.2));
            marks.count() as u64
        };
        let agreed = self.agreed + count(&[ForecastAgreement::Agreed]);
        let differed =
            self.differed + count(&[ForecastAgreement::Differed, ForecastAgreement::Open]);
        let settled = evidence(self.agreed, self.differed);
        if settled.max(evidence(agreed, differed)) >= ENOUGH {
            self.credit.better_after = Some(self.credit.judged);
        }
    }

    /// The agreement so far.
    pub fn credit(&self) -> PredictionCounts {
        self.credit
    }

    /// Whether the predictions are shown to be better than chance.
    pub fn passed(&self) -> bool {
        self.credit.better_after.is_some()
    }

    /// The share of judgments predicted, ties included, less one standard error: early luck is not
    /// taken for skill.
    pub fn accuracy(&self) -> f64 {
        let n = self.credit.judged.max(1) as f64;
        let share = self.credit.right as f64 / n;
        share - (share * (1.0 - share) / n).sqrt()
    }
}

/// E after these numbers of agreements and disagreements.
fn evidence(agreed: u64, differed: u64) -> f64 {
    // Below one half E stays below 1: there is nothing to sum.
    if agreed <= differed {
        return 0.0;
    }
    let n = (agreed + differed) as f64;
    // C(n + 1, k)/C(n, a) from k = a downwards.
    let mut term = (n + 1.0) / (differed as f64 + 1.0);
    let mut sum = term;
    for k in (1..=agreed).rev() {
        let ratio = k as f64 / (n + 2.0 - k as f64);
        term *= ratio;
        sum += term;
        if ratio < 1.0 && term < 1e-17 * sum {
            break;
        }
    }
    sum / (n + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::rng::Seed;

    /// 2ⁿ⁺¹ ∫ qᵃ (1 − q)ᵈ dq by Simpson's rule.
    fn by_integration(agreed: i32, differed: i32) -> f64 {
        let f = |q: f64| q.powi(agreed) * (1.0 - q).powi(differed) * 2.0;
        let steps = 20_000;
        let h = 0.5 / f64::from(steps);
        let weight = |i: i32| match i {
            0 => 1.0,
            i if i == steps => 1.0,
            i if i % 2 == 1 => 4.0,
            _ => 2.0,
        };
        let sum: f64 = (0..=steps)
            .map(|i| weight(i) * f(0.5 + f64::from(i) * h))
            .sum();
        sum * h / 3.0 * 2.0_f64.powi(agreed + differed)
    }

    #[test]
    fn the_sum_is_the_integral() {
        for (a, d) in [(1, 0), (5, 0), (3, 2), (40, 20), (9, 8)] {
            let (sum, integral) = (evidence(a as u64, d as u64), by_integration(a, d));
            assert!(
                (sum / integral - 1.0).abs() < 1e-9,
                "{a} {d}: {sum} {integral}"
            );
        }
        assert!((evidence(1, 0) - 1.5).abs() < 1e-12);
        assert!(evidence(5000, 100).is_infinite() || evidence(5000, 100) > 1e300);
        assert!(evidence(100_000, 99_000).is_finite());
    }

    fn forecast(p: f64) -> QuestionForecast {
        QuestionForecast {
            p,
            outcome: Outcome::Win,
        }
    }

    fn passes(accuracy: f64, run: u64, judgments: u64) -> bool {
        let mut rng = Seed(3).stream("test", run);
        let mut trial = Trial::default();
        for id in (0..judgments).map(DuelId) {
            trial.ask(id, forecast(0.7));
            let outcome = match rng.bernoulli(0.2) {
                true => Outcome::Tie,
                false if rng.bernoulli(accuracy) => Outcome::Win,
                false => Outcome::Loss,
            };
            trial.answer(id, outcome);
        }
        trial.passed()
    }

    #[test]
    fn guessing_passes_in_five_percent_of_runs_at_most_and_skill_soon() {
        let passed = |accuracy, judgments| {
            (0..400)
                .filter(|&run| passes(accuracy, run, judgments))
                .count()
        };
        assert!(passed(0.5, 1000) <= 20, "{}", passed(0.5, 1000));
        assert!(passed(0.4, 1000) <= 6, "{}", passed(0.4, 1000)); // early luck
        assert!(passed(0.75, 100) > 340, "{}", passed(0.75, 100));
    }

    #[test]
    fn open_questions_count_as_disagreements_until_they_are_answered() {
        let mut trial = Trial::default();
        for id in 0..20 {
            trial.ask(DuelId(id), forecast(0.9));
        }
        for id in 8..20 {
            trial.answer(DuelId(id), Outcome::Win);
        }
        // Twelve of twelve would be enough; twelve of twenty is not.
        assert!(evidence(12, 0) > ENOUGH && !trial.passed());
        trial.answer(DuelId(9), Outcome::Loss); // answered already
        for id in 0..7 {
            trial.answer(DuelId(id), Outcome::Win);
        }
        assert!(trial.passed());
        let credit = trial.credit();
        assert_eq!((credit.judged, credit.agreed, credit.decided), (19, 19, 19));
    }

    #[test]
    fn ties_and_undecided_predictions_are_neither() {
        let mut trial = Trial::default();
        for (id, p, outcome) in [
            (0, 0.9, Outcome::Tie),
            (1, 0.5, Outcome::Win),
            (2, 0.2, Outcome::Win),
        ] {
            trial.ask(DuelId(id), forecast(p));
            trial.answer(DuelId(id), outcome);
        }
        let PredictionCounts {
            judged,
            right,
            decided,
            agreed,
            ..
        } = trial.credit();
        assert_eq!((judged, right, decided, agreed), (3, 2, 1, 0));
    }
}
