//! What predictions of an item say of its answer is taken off the answer's score: control-variate bets.
//!
//! ```text
//! S' = S − Σ a_m c_m(x)      c_m(x) = h_m(x) − h̄_m, what model m says of item x less its mean over the items
//! a  = (κI + Σ c c')⁻¹ Σ c (S − μ)      over the answers of people so far, μ the model's mean before each
//! ```
//!
//! c has mean 0 over the draw of the item, so S' has the mean of S whatever a and the predictions are
//! worth, as long as a and the bet are fixed before the item is drawn. It scatters less where they
//! tell who wins on an item: by 1 − ρ², with ρ their correlation with S within pairs. So the margin is
//! known better, and bets are larger. a is shrunk to 0 as if by κ answers where c was 1.
//!
//! Where items are drawn without replacement, h̄ is the mean over what is left of them: c moves by Σ c/(N − n), the sum
//! over the n drawn, as it is 0 over all N.
//!
//! |S'| reaches beyond that of S by Σ |a_m| max |c_m|, by which bets are limited.
//!
//! Source: control variates for means of judgments, Chaganty, Mussmann and Liang, ACL 2018; inside bets
//! ours.

use crate::bandits::square::Square;
use crate::duel::{DuelId, Outcome, Pair, Weighing};
use crate::stats::cholesky::Cholesky;
use std::collections::BTreeMap;

/// κ: what predictions are worth within a pair is some 0.3, and an answer scatters by 0.8.
const SHRINKAGE: f64 = 8.0;

/// The models' control variates, and the open questions.
#[derive(Debug, Clone)]
pub(super) struct Controls {
    /// By model, max |c| of a pair.
    largest: Vec<Square>,
    /// κI + Σ c c', row by row.
    squares: Vec<f64>,
    /// Σ c (S − μ).
    products: Vec<f64>,
    /// a.
    slopes: Vec<f64>,
    open: BTreeMap<DuelId, Open>,
    /// Σ c over what was drawn of a pair, the lower system first, by each model; kept where draws are not replaced.
    drawn: BTreeMap<Pair, Vec<f64>>,
}

/// A question as it was when it was asked; of the pair's first.
#[derive(Debug, Clone)]
struct Open {
    slopes: Vec<f64>,
    /// μ.
    expected: f64,
    /// By how much each c moves, where draws are not replaced.
    moved: Option<(Pair, Vec<f64>)>,
    centred: Vec<f64>,
}

impl Open {
    fn control(&self) -> f64 {
        let terms = self.slopes.iter().zip(&self.centred);
        terms.map(|(a, c)| a * c).sum()
    }
}

/// How the answer to a question is scored.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scoring {
    pub weighing: Weighing,
    /// Σ a_m c_m.
    pub control: f64,
}

impl Scoring {
    /// As it is.
    pub(super) const PLAIN: Self = Self {
        weighing: Weighing::NONE,
        control: 0.0,
    };

    /// S' from the person's answer, or without one where none was asked for.
    pub(super) fn score(self, audited: Option<Outcome>) -> f64 {
        self.weighing.score(audited) - self.control
    }

    /// The least S' there can be.
    pub(super) fn worst(self) -> f64 {
        self.weighing.worst() - self.control
    }

    /// As seen from the other side.
    pub(super) fn flipped(self) -> Self {
        Self {
            weighing: self.weighing.flipped(),
            control: -self.control,
        }
    }
}

impl Controls {
    /// Nothing is known of what predictions are worth.
    pub(super) fn new(largest: Vec<Square>) -> Self {
        let models = largest.len();
        let diagonal = |at| match at % (models + 1) {
            0 => SHRINKAGE,
            _ => 0.0,
        };
        Self {
            largest,
            squares: (0..models * models).map(diagonal).collect(),
            products: vec![0.0; models],
            slopes: vec![0.0; models],
            open: BTreeMap::new(),
            drawn: BTreeMap::new(),
        }
    }

    /// By how much |S'| may exceed |S| in a question about a pair of whose items so many are `left`, where they
    /// are not replaced.
    pub(super) fn excess(&self, pair: Pair, left: Option<f64>) -> f64 {
        let moved = left.map(|left| self.moved(pair, left));
        let (i, j) = (pair.first.index(), pair.second.index());
        let most = |(model, (a, largest)): (usize, (&f64, &Square))| {
            let moved = moved.as_ref().map_or(0.0, |moved| moved[model].abs());
            a.abs() * (largest.get(i, j) + moved)
        };
        let models = self.slopes.iter().zip(&self.largest).enumerate();
        models.map(most).sum()
    }

    /// By how much c of the first moves, by model.
    fn moved(&self, pair: Pair, left: f64) -> Vec<f64> {
        match self.drawn.get(&lower_first(pair)) {
            None => vec![0.0; self.slopes.len()],
            Some(sums) => sums.iter().map(|sum| sign(pair) * sum / left).collect(),
        }
    }

    /// A question is asked whose score is expected to be `expected`, of a pair of whose items so many are `left`
    /// before it, where they are not replaced.
    pub(super) fn ask(&mut self, duel: DuelId, pair: Pair, expected: f64, left: Option<f64>) {
        if self.largest.is_empty() {
            return;
        }
        let open = Open {
            slopes: self.slopes.clone(),
            expected,
            moved: left.map(|left| (pair, self.moved(pair, left))),
            centred: Vec::new(),
        };
        self.open.insert(duel, open);
    }

    /// Its item was drawn. Returns Σ a_m c_m.
    pub(super) fn draw(&mut self, duel: DuelId, centred: &[f64]) -> f64 {
        let Some(open) = self.open.get_mut(&duel) else {
            return 0.0;
        };
        debug_assert_eq!(centred.len(), self.largest.len());
        open.centred = centred.to_vec();
        if let Some((pair, moved)) = &open.moved {
            let sums = self.drawn.entry(lower_first(*pair));
            let sums = sums.or_insert_with(|| vec![0.0; centred.len()]);
            for (model, c) in centred.iter().enumerate() {
                sums[model] += sign(*pair) * c;
                open.centred[model] += moved[model];
            }
        }
        open.control()
    }

    /// Σ a_m c_m of an open question.
    pub(super) fn control(&self, duel: DuelId) -> f64 {
        self.open.get(&duel).map_or(0.0, Open::control)
    }

    /// It was answered: by S, where that tells what predictions are worth.
    pub(super) fn close(&mut self, duel: DuelId, score: Option<f64>) {
        let (Some(open), score) = (self.open.remove(&duel), score) else {
            return;
        };
        let Some(score) = score.filter(|_| !open.centred.is_empty()) else {
            return;
        };
        let models = self.slopes.len();
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

fn lower_first(pair: Pair) -> Pair {
    match pair.first < pair.second {
        true => pair,
        false => Pair::new(pair.second, pair.first),
    }
}

fn sign(pair: Pair) -> f64 {
    if pair.first < pair.second { 1.0 } else { -1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::duel::Arm;

    const PAIR: Pair = Pair {
        first: Arm(0),
        second: Arm(1),
    };

    #[test]
    fn without_replacement_controls_are_centred_on_what_is_left() {
        let mut controls = Controls::new(vec![Square::from_fn(2, |_, _| 0.6)]);
        controls.slopes = vec![0.5];
        let mut left = vec![0.6, -0.5, 0.2, -0.3];
        for (id, (place, turned)) in (0..).zip([(1, false), (0, true), (0, false), (0, true)]) {
            let pair = match turned {
                true => Pair::new(PAIR.second, PAIR.first),
                false => PAIR,
            };
            let side = sign(pair);
            let count = left.len() as f64;
            let mean = left.iter().sum::<f64>() / count;
            controls.ask(DuelId(id), pair, 0.0, Some(count));
            let reach = controls.excess(pair, Some(count));
            let c = left.remove(place);
            let control = controls.draw(DuelId(id), &[side * c]);
            assert!((control - 0.5 * side * (c - mean)).abs() < 1e-15);
            assert!(control.abs() <= reach, "{control} beyond {reach}");
        }
    }

    #[test]
    fn slopes_are_those_of_least_squares_and_fixed_when_a_question_is_asked() {
        let mut controls =
            Controls::new(vec![Square::from_fn(2, |i, j| 0.9 * f64::from(i != j)); 2]);
        // The second model says half of what the first does, with the other sign.
        let rows = [(0.8, 1.0), (-0.6, -1.0), (0.2, 0.0), (-0.4, -1.0)];
        controls.ask(DuelId(9), PAIR, 0.0, None);
        for (id, (c, score)) in (0..).zip(rows) {
            controls.ask(DuelId(id), PAIR, 0.1, None);
            controls.draw(DuelId(id), &[c, -c / 2.0]);
            controls.close(DuelId(id), Some(score));
        }
        // On one number c (1, −½): Σ c² = 1.2, Σ c (S − 0.1) = 1.8, so c' = (1, −½) 1.8/(8 + 1.25 · 1.2).
        let size = 1.8 / (SHRINKAGE + 1.25 * 1.2);
        for (found, wanted) in controls.slopes.iter().zip([size, -size / 2.0]) {
            assert!((found - wanted).abs() < 1e-12, "{found}, not {wanted}");
        }
        assert!((controls.excess(PAIR, None) - 1.5 * size * 0.9).abs() < 1e-12);
        // That question is from before.
        assert_eq!(controls.draw(DuelId(9), &[1.0, 1.0]), 0.0);
        controls.ask(DuelId(10), PAIR, 0.0, None);
        let control = controls.draw(DuelId(10), &[0.4, 0.4]);
        assert!((control - 0.2 * size).abs() < 1e-12);
        assert_eq!(controls.control(DuelId(10)), control);
        let before = controls.slopes.clone();
        controls.close(DuelId(10), None);
        assert_eq!(
            (controls.control(DuelId(10)), controls.slopes),
            (0.0, before)
        );
    }

    #[test]
    fn what_is_taken_off_changes_sides_with_the_pair() {
        let scoring = Scoring {
            weighing: Weighing {
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
