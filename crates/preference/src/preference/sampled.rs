//! Models that can be asked draw by draw, and the number of draws of each contest.

use super::{Contest, Draws, PairwiseModel, Preference};
use tiebreak_base::error::Result;
use tiebreak_base::signature::Signature;
use tiebreak_decide::model_based::thresholds::Thresholds;

/// A model that can be asked with dropout off or under the masks of any draw.
pub(crate) trait StochasticModel: Send + Sync {
    /// The signature of its numbers.
    fn signature(&self) -> Signature;

    /// As [`PairwiseModel::reads_outputs_apart`].
    fn reads_outputs_apart(&self) -> bool {
        false
    }

    /// The cost of one pass, as of [`PairwiseModel::cost`].
    fn cost(&self) -> u64;

    /// The thresholds of its preferences.
    fn thresholds(&self) -> Thresholds {
        Thresholds::default()
    }

    /// As [`PairwiseModel::account`].
    fn account(&self) -> Option<String>;

    /// The preferences for every contest, in [0, 1], in some passes: with dropout off (`None`) or
    /// in a draw, by number. A preference depends on contest and pass alone.
    ///
    /// # Errors
    /// If the model cannot be run on a contest.
    fn preferences(
        &self,
        contests: &[Contest<'_>],
        passes: &[Option<u32>],
    ) -> Result<Vec<Vec<f64>>>;
}

/// A stochastic model with the draws that every contest gets.
pub(crate) struct MonteCarloModel {
    /// The model that is asked.
    pub model: Box<dyn StochasticModel>,
    /// The draws of every contest.
    pub draws: Draws,
}

impl PairwiseModel for MonteCarloModel {
    fn signature(&self) -> Signature {
        self.model.signature()
    }

    fn reads_outputs_apart(&self) -> bool {
        self.model.reads_outputs_apart()
    }

    fn cost(&self) -> u64 {
        self.model.cost() * (1 + u64::from(self.draws.most()))
    }

    fn thresholds(&self) -> Thresholds {
        self.model.thresholds()
    }

    fn account(&self) -> Option<String> {
        self.model.account()
    }

    fn predict(&self, contests: &[Contest<'_>]) -> Result<Vec<Preference>> {
        let draws = (0..self.draws.after(&[])).map(Some);
        let passes: Vec<_> = std::iter::once(None).chain(draws).collect();
        let whole = |found: Vec<f64>| Preference {
            p: found[0],
            draws: found[1..].to_vec(),
            position: None,
            answers: Vec::new(),
        };
        let found = self.model.preferences(contests, &passes)?;
        let mut all: Vec<Preference> = found.into_iter().map(whole).collect();
        let more = |one: &Preference| self.draws.after(&one.draws) > 0;
        let mut open: Vec<usize> = (0..all.len()).filter(|&i| more(&all[i])).collect();
        // All contests that are open have had the same number of draws.
        while let Some(&first) = open.first() {
            let had = all[first].draws.len() as u32;
            let next = had..had + self.draws.after(&all[first].draws);
            let passes: Vec<_> = next.map(Some).collect();
            let some: Vec<Contest<'_>> = open.iter().map(|&i| contests[i]).collect();
            let found = self.model.preferences(&some, &passes)?;
            for (&i, found) in open.iter().zip(found) {
                all[i].draws.extend(found);
            }
            open.retain(|&i| more(&all[i]));
        }
        Ok(all)
    }
}
