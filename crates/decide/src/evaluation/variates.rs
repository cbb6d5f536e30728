//! The control variates of a run's questions: models' predictions for an item, and earlier answers about it.
//!
//! Each has mean 0 over the items from which that of the question is drawn. Without replacement these are what is
//! left: c of a model moves by Σ c/(N − n), over the n drawn of the pair's N, as over all N it is 0.

use super::controls::Controls;
use super::known::PriorKnowledge;
use super::memory::Memory;
use crate::bandits::{DuelingBandit, Square, Uses};
use crate::feedback::{DuelAnswer, PairQuestion};
use std::collections::BTreeMap;
use std::sync::Arc;
use tiebreak_base::duel::{Duel, DuelId, Origin, Pair};

/// The control variates of one run.
pub(super) struct Variates {
    predicted: Option<ModelVariates>,
    memory: Option<Memory>,
}

/// The control variates from models.
struct ModelVariates {
    controls: Arc<Controls>,
    /// The number N of each pair, where drawn items are not drawn again.
    stock: Option<Square>,
    /// The sums over drawn items of a pair, lower arm first.
    drawn: BTreeMap<Pair, ModelDrawSums>,
}

/// The number n of drawn items, and Σ c by each model.
struct ModelDrawSums {
    number: f64,
    sums: Vec<f64>,
}

impl ModelVariates {
    /// The shift of c of the lower arm, by model.
    fn moved(&self, pair: Pair) -> Vec<f64> {
        let (i, j) = pair.indices();
        match (&self.stock, self.drawn.get(&pair)) {
            (Some(stock), Some(ModelDrawSums { number, sums })) => {
                let left = stock.get(i, j) - number;
                sums.iter().map(|sum| sum / left).collect()
            }
            _ => vec![0.0; self.controls.models()],
        }
    }

    fn largest(&self, pair: Pair) -> Vec<f64> {
        let (i, j) = pair.indices();
        let models = self.controls.reach().iter().zip(self.moved(pair));
        models
            .map(|(largest, moved)| largest.get(i, j) + moved.abs())
            .collect()
    }

    fn draw(&mut self, pair: Pair, item: u32) -> Vec<f64> {
        let centred = self.controls.variates(pair, item);
        let moved = self.moved(pair);
        if self.stock.is_some() {
            let drawn = self.drawn.entry(pair).or_insert_with(|| ModelDrawSums {
                number: 0.0,
                sums: vec![0.0; centred.len()],
            });
            drawn.number += 1.0;
            for (sum, c) in drawn.sums.iter_mut().zip(&centred) {
                *sum += c;
            }
        }
        let both = centred.iter().zip(moved);
        both.map(|(c, moved)| c + moved).collect()
    }
}

impl Variates {
    /// The control variates that a bandit uses.
    pub(super) fn new(known: &PriorKnowledge, uses: Uses) -> Self {
        let controls = known.controls.as_ref().filter(|_| uses.controls);
        let eligible = known.eligible.as_ref().filter(|_| uses.memory);
        Self {
            predicted: controls.map(|controls| ModelVariates {
                controls: Arc::clone(controls),
                stock: known.stock.clone(),
                drawn: BTreeMap::new(),
            }),
            memory: eligible.map(|eligible| Memory::new(eligible.clone(), known.stock.is_some())),
        }
    }

    /// The number of control variates of a question.
    pub(super) fn number(&self) -> usize {
        self.predicting() + usize::from(self.memory.is_some())
    }

    /// The number of these, the first, that come from models.
    pub(super) fn predicting(&self) -> usize {
        let predicted = self.predicted.as_ref();
        predicted.map_or(0, |predicted| predicted.controls.models())
    }

    /// Places the bet on a duel of the systems in `pair`, before its item is drawn.
    pub(super) fn bet(&mut self, bandit: &mut dyn DuelingBandit, duel: Duel, pair: Pair) -> f64 {
        match self.number() {
            0 => duel.bet,
            _ => bandit.bet(duel.id, &self.ask(pair)),
        }
    }

    /// Passes the item drawn for that duel to the bandit.
    pub(super) fn control(
        &mut self,
        bandit: &mut dyn DuelingBandit,
        duel: DuelId,
        pair: Pair,
        item: u32,
    ) {
        if self.number() > 0 {
            bandit.control(duel, &self.draw(pair, item));
        }
    }

    /// Remembers a person's answer; known answers and those of models are not new evidence.
    pub(super) fn hear(&mut self, answer: &DuelAnswer) {
        if matches!(answer.origin, Origin::Human | Origin::Other) {
            let PairQuestion { duel, sample } = answer.question;
            self.answer(duel.pair, sample.item, answer.outcome.score());
        }
    }

    /// Prepares a question about a pair and returns the largest size of each control variate.
    fn ask(&mut self, pair: Pair) -> Vec<f64> {
        let pair = pair.lower_first();
        let predicted = self.predicted.as_ref();
        let mut all = predicted.map_or_else(Vec::new, |predicted| predicted.largest(pair));
        all.extend(self.memory.as_mut().map(|memory| memory.ask(pair)));
        all
    }

    /// Draws the item of that question and returns each control variate, for the first of the pair.
    fn draw(&mut self, pair: Pair, item: u32) -> Vec<f64> {
        let lower = pair.lower_first();
        let predicted = self.predicted.as_mut();
        let mut all = predicted.map_or_else(Vec::new, |predicted| predicted.draw(lower, item));
        all.extend(self.memory.as_mut().map(|memory| memory.draw(lower, item)));
        if lower != pair {
            for c in &mut all {
                *c = -*c;
            }
        }
        all
    }

    /// Adds a person's answer about a pair on an item, as a score of its first.
    fn answer(&mut self, pair: Pair, item: u32, score: f64) {
        let lower = pair.lower_first();
        if let Some(memory) = &mut self.memory {
            memory.answer(lower, item, if lower == pair { score } else { -score });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::duel::Arm;

    #[test]
    fn without_replacement_they_are_centred_on_what_is_left() {
        let h = [0.6, -0.5, 0.2, -0.3];
        let said = move |_| (0..).zip(h).collect();
        let controls = Controls::new(2, &[Box::new(said)], |_| vec![0, 1, 2, 3]);
        let known = PriorKnowledge {
            controls: Some(Arc::new(controls)),
            stock: Some(Square::from_fn(2, |i, j| 4.0 * f64::from(i != j))),
            ..PriorKnowledge::default()
        };
        let uses = Uses {
            controls: true,
            ..Uses::default()
        };
        let mut variates = Variates::new(&known, uses);
        let mut left = vec![0, 1, 2, 3];
        for (place, turned) in [(1, false), (0, true), (0, false), (0, true)] {
            let (pair, side) = match turned {
                true => (Pair::new(Arm(1), Arm(0)), -1.0),
                false => (Pair::new(Arm(0), Arm(1)), 1.0),
            };
            let mean = left.iter().map(|&item| h[item]).sum::<f64>() / left.len() as f64;
            let largest = variates.ask(pair)[0];
            let item = left.remove(place);
            let c = variates.draw(pair, item as u32)[0];
            assert!((c - side * (h[item] - mean)).abs() < 1e-15);
            assert!(c.abs() <= largest + 1e-15, "{c} beyond {largest}");
        }
    }
}
