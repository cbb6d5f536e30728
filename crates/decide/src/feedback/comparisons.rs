//! The human comparisons that were collected, by pair of systems.

use super::matrix::PreferenceMatrix;
use super::names::{Names, all_pairs, pair_index};
use std::sync::Arc;
use tiebreak_base::cost::Cost;
use tiebreak_base::duel::{Outcome, Pair};
use tiebreak_base::error::{Error, Result, StageCommand};
use tiebreak_base::message;

/// One human judgment of two outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredJudgment {
    /// The item judged.
    pub item: u32,
    /// The outcome for the pair's lower arm.
    pub outcome: Outcome,
    /// Its place among all comparisons, in the order given.
    pub row: u32,
}

/// All judgments, listed by unordered pair.
#[derive(Debug, Clone)]
pub struct Comparisons {
    names: Arc<Names>,
    /// The judgments of each pair, in the order of `pair_index`.
    judgments: Vec<Vec<StoredJudgment>>,
    /// The cost of each judgment, by row; empty where none was recorded.
    costs: Cost<Vec<f64>>,
}

impl Comparisons {
    /// Groups rows of (item, pair, outcome for the first of the pair) by pair.
    ///
    /// # Errors
    /// [`Error::Usage`] for an arm that `names` does not have or a system compared with itself.
    pub fn new(
        names: Arc<Names>,
        rows: impl IntoIterator<Item = (u32, Pair, Outcome)>,
    ) -> Result<Self> {
        let k = names.k();
        let mut judgments = vec![Vec::new(); k * k.saturating_sub(1) / 2];
        for (row, (item, pair, outcome)) in rows.into_iter().enumerate() {
            names.check(pair)?;
            let outcome = if pair.first < pair.second {
                outcome
            } else {
                outcome.flipped()
            };
            let row = u32::try_from(row)
                .map_err(|_| Error::usage("more than 4 294 967 295 comparisons"))?;
            judgments[pair_index(k, pair)].push(StoredJudgment { item, outcome, row });
        }
        Ok(Self {
            names,
            judgments,
            costs: Cost::default(),
        })
    }

    /// Sets the cost of each row. A row without one counts as the mean of the others.
    #[must_use]
    pub fn costing(self, costs: &Cost<Vec<Option<f64>>>) -> Self {
        Self {
            costs: costs.map(|noted| filled(noted)),
            ..self
        }
    }

    /// Whether the cost of any judgment was recorded, by unit.
    pub fn are_noted(&self) -> Cost<bool> {
        self.costs.map(|costs| !costs.is_empty())
    }

    /// The cost of a judgment, in the units in which any cost was recorded.
    pub fn cost(&self, judgment: StoredJudgment) -> Cost {
        let row = judgment.row as usize;
        self.costs.map(|costs| costs.get(row).copied())
    }

    /// The number of systems.
    pub fn k(&self) -> usize {
        self.names.k()
    }

    /// The names of systems and items.
    pub fn names(&self) -> &Arc<Names> {
        &self.names
    }

    /// The judgments of a pair, in the order given. Their outcomes are those of the lower arm.
    pub fn judgments(&self, pair: Pair) -> &[StoredJudgment] {
        &self.judgments[pair_index(self.k(), pair)]
    }

    /// Every judgment with its pair (lower arm first), pair by pair.
    pub fn all(&self) -> impl Iterator<Item = (Pair, StoredJudgment)> {
        all_pairs(self.k())
            .zip(&self.judgments)
            .flat_map(|(pair, list)| list.iter().map(move |&judgment| (pair, judgment)))
    }

    /// `p_ij`, the mean outcome of i against j: the truth that experiments are scored against.
    ///
    /// # Errors
    /// [`Error::MissingInput`] naming the first pair that was never compared.
    pub fn preferences(&self) -> Result<PreferenceMatrix> {
        let upper = all_pairs(self.k())
            .map(|pair| {
                let list = self.judgments(pair);
                if list.is_empty() {
                    return Err(self.missing(pair));
                }
                // Sums of halves are exact, so p > ½ is decided without rounding.
                let won: f64 = list.iter().map(|judgment| judgment.outcome.value()).sum();
                Ok(won / list.len() as f64)
            })
            .collect::<Result<Vec<f64>>>()?;
        PreferenceMatrix::from_upper(self.k(), &upper)
    }

    pub(crate) fn missing(&self, pair: Pair) -> Error {
        Error::MissingInput {
            stage: "recorded feedback".to_string(),
            table: format!("a comparison of {}", self.names.pair(pair)),
            hint: Some(message!(
                "{} ranks by the pairs that were compared",
                StageCommand("rank", &[])
            )),
        }
    }
}

/// Fills gaps with the mean of the recorded values; empty where there are none.
fn filled(noted: &[Option<f64>]) -> Vec<f64> {
    let known: Vec<f64> = noted.iter().copied().flatten().collect();
    let mean = known.iter().sum::<f64>() / known.len() as f64;
    match known.is_empty() {
        true => Vec::new(),
        false => noted.iter().map(|one| one.unwrap_or(mean)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::duel::Arm;

    fn names() -> Arc<Names> {
        Arc::new(Names {
            systems: ["ann", "bob", "cyd"].map(String::from).to_vec(),
            items: Vec::new(),
        })
    }

    #[test]
    fn preferences_are_the_means_whatever_the_order_of_a_pair() {
        let pair = |i, j| Pair::new(Arm(i), Arm(j));
        let rows = [
            (0, pair(0, 1), Outcome::Win),
            (1, pair(1, 0), Outcome::Win),
            (2, pair(1, 0), Outcome::Tie),
            (3, pair(1, 0), Outcome::Loss),
            (0, pair(2, 0), Outcome::Loss),
            (0, pair(1, 2), Outcome::Win),
        ];
        let comparisons = Comparisons::new(names(), rows).unwrap();
        let p = comparisons.preferences().unwrap();
        assert_eq!(p.get(Arm(0), Arm(1)), 2.5 / 4.0);
        assert_eq!(p.get(Arm(1), Arm(0)), 1.5 / 4.0);
        assert_eq!(p.condorcet_winner(), Some(Arm(0)));
        assert_eq!(comparisons.all().count(), rows.len());

        let error = Comparisons::new(names(), rows[..4].to_vec())
            .unwrap()
            .preferences()
            .unwrap_err();
        assert!(error.to_string().contains("`ann` and `cyd`"), "{error}");
    }

    #[test]
    fn a_system_is_not_compared_with_itself() {
        let rows = [(0, Pair::new(Arm(1), Arm(1)), Outcome::Tie)];
        let error = Comparisons::new(names(), rows).unwrap_err();
        assert!(error.to_string().contains("`bob`"), "{error}");
    }

    #[test]
    fn a_row_without_a_cost_counts_as_the_mean_of_the_others() {
        let pair = Pair::new(Arm(0), Arm(1));
        let rows = [0, 1, 2].map(|item| (item, pair, Outcome::Win));
        let costs = Cost {
            seconds: vec![None; 3],
            price: vec![Some(0.5), None, Some(2.0)],
        };
        let comparisons = Comparisons::new(names(), rows).unwrap().costing(&costs);
        let noted = comparisons.are_noted();
        assert!(noted.price && !noted.seconds);
        let judged = comparisons.judgments(pair).iter();
        let costs: Vec<Cost> = judged.map(|&one| comparisons.cost(one)).collect();
        let prices = costs.iter().map(|one| one.price);
        assert_eq!(prices.collect::<Vec<_>>(), [0.5, 1.25, 2.0].map(Some));
        assert!(costs.iter().all(|one| one.seconds.is_none()));
    }
}
