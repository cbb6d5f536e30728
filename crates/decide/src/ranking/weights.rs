//! Weights of comparisons by which all pairs of systems are judged by the same annotators in the same proportions.
//!
//! Annotators are fixed, with weights w that are the same for all pairs: their shares of all comparisons. Where pairs
//! went to annotators alike, counting every comparison once does that. Where they did not, a comparison of i and j by a
//! counts w_a N_ij/n_aij, with n_aij those that a made of the pair and N_ij all; those who made none are left out and
//! the others' weights raised. Nothing is claimed about a system that annotators with more than a little weight never
//! judged.
//!
//! Whether pairs went alike is seen by X² of the table of pairs and annotators over its degrees of freedom: about 1
//! where annotators were drawn for each comparison, 0 where each made all, 2 to 3 where one answers two or three
//! questions about a pair in a row. Then the weights would only add noise, most where annotators are many.

use crate::estimators::bradley_terry::StrengthComparison;
use rayon::prelude::*;
use tiebreak_base::duel::{Arm, Pair};

/// The most that X² over its degrees of freedom may be where pairs went alike to annotators.
const EVEN: f64 = 3.0;

/// The weight that those may have who never judged a system of which something is claimed.
pub const NEGLIGIBLE: f64 = 0.05;

/// The number of comparisons of each pair by each annotator.
pub(super) struct PairTable {
    /// The cells with comparisons, by pair, the lower system first, and annotator.
    cells: Vec<PairCell>,
    /// The cell of each comparison.
    cell: Vec<u32>,
    /// Each annotator's share of all comparisons, by number; 0 for numbers that are not there.
    shares: Vec<f64>,
    total: f64,
}

/// The comparisons of a pair by an annotator.
struct PairCell {
    pair: Pair,
    annotator: u32,
    number: f64,
}

impl PairTable {
    /// Counts comparisons, each with its annotator.
    pub(super) fn new(comparisons: &[StrengthComparison], annotators: &[u32]) -> Self {
        let most = annotators.iter().max().map_or(0, |&last| last as usize + 1);
        let (mut cells, mut shares) = (Vec::new(), vec![0.0; most]);
        let total = comparisons.len() as f64;
        let both = comparisons.iter().zip(annotators).enumerate();
        // As one number each they are sorted in less than half the time.
        let keyed = both.map(|(place, (one, &by))| {
            let (first, second) = one.pair.lower_first().indices();
            ((first as u128) << 80)
                | ((second as u128) << 64)
                | (u128::from(by) << 32)
                | place as u128
        });
        let mut places: Vec<u128> = keyed.collect();
        places.par_sort_unstable();
        let mut cell = vec![0; comparisons.len()];
        for same in places.chunk_by(|one, other| one >> 32 == other >> 32) {
            let key = same[0] >> 32;
            let annotator = key as u32;
            for &place in same {
                cell[place as u32 as usize] = cells.len() as u32;
                shares[annotator as usize] += 1.0 / total;
            }
            cells.push(PairCell {
                pair: Pair::new(Arm((key >> 48) as u16), Arm((key >> 32) as u16)),
                annotator,
                number: same.len() as f64,
            });
        }
        Self {
            cells,
            cell,
            shares,
            total,
        }
    }

    /// The cells of each pair.
    fn pairs(&self) -> impl Iterator<Item = &[PairCell]> {
        self.cells.chunk_by(|one, other| one.pair == other.pair)
    }

    /// The number of annotators.
    fn annotators(&self) -> usize {
        self.shares.iter().filter(|share| **share > 0.0).count()
    }

    /// Whether all pairs went alike to all annotators.
    pub(super) fn is_even(&self) -> bool {
        self.fits(self.pairs().count().saturating_sub(1), |by| self.shares[by])
    }

    /// Whether all pairs went to all annotators equally often.
    fn is_equal(&self) -> bool {
        let equal = 1.0 / self.annotators() as f64;
        self.fits(self.pairs().count(), |_| equal)
    }

    /// Whether annotators' numbers of comparisons of each pair are no further from these shares than chance has them,
    /// with so many free numbers an annotator.
    fn fits(&self, free: usize, share: impl Fn(usize) -> f64) -> bool {
        let degrees = free * self.annotators().saturating_sub(1);
        let of_pair = |made: &[PairCell]| -> f64 {
            let all: f64 = made.iter().map(|cell| cell.number).sum();
            let squares = made
                .iter()
                .map(|cell| cell.number * cell.number / (all * share(cell.annotator as usize)));
            squares.sum()
        };
        let statistic = self.pairs().map(of_pair).sum::<f64>() - self.total;
        // Without a degree of freedom only rounding makes it other than 0.
        degrees == 0 || statistic <= EVEN * degrees as f64
    }

    /// Each annotator's share of all comparisons.
    pub(super) fn shares(&self) -> &[f64] {
        &self.shares
    }

    /// The weights of comparisons if annotators weigh the same in all pairs: as their shares of all.
    pub(super) fn by_share(&self) -> Vec<f64> {
        self.weights(|by| self.shares[by])
    }

    /// The weights of comparisons if every annotator weighs as much as any other.
    pub(super) fn equal(&self) -> Vec<f64> {
        self.weights(|_| 1.0)
    }

    fn weights(&self, weight: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut of_cell = Vec::with_capacity(self.cells.len());
        for made in self.pairs() {
            let present: f64 = made
                .iter()
                .map(|cell| weight(cell.annotator as usize))
                .sum();
            let raised = made.iter().map(|cell| cell.number).sum::<f64>() / present;
            let each = made.iter();
            of_cell.extend(each.map(|cell| weight(cell.annotator as usize) * raised / cell.number));
        }
        self.cell
            .iter()
            .map(|&cell| of_cell[cell as usize])
            .collect()
    }

    /// Whether annotators of more than a little weight never judged a system, though others did, for each of `k`.
    pub(super) fn unjudged(&self, k: usize) -> Vec<bool> {
        let mut judges = vec![Vec::new(); k];
        for cell in &self.cells {
            for system in [cell.pair.first, cell.pair.second] {
                judges[system.index()].push(cell.annotator as usize);
            }
        }
        let of_system = |mut judges: Vec<usize>| {
            judges.sort_unstable();
            judges.dedup();
            let weight: f64 = judges.iter().map(|&by| self.shares[by]).sum();
            !judges.is_empty() && weight < 1.0 - NEGLIGIBLE
        };
        judges.into_iter().map(of_system).collect()
    }
}

/// The weights of comparisons by which listed annotators weigh the same in every pair; `None` where all count alike, as
/// pairs went to them equally often but for chance. A comparison without an annotator, of texts that read the same, is
/// everybody's and counts once.
///
/// # Panics
/// If there are not as many annotators as comparisons.
pub fn listed_weights(
    comparisons: &[StrengthComparison],
    annotators: &[Option<u32>],
) -> Option<Vec<f64>> {
    assert_eq!(comparisons.len(), annotators.len(), "an annotator each");
    let both = comparisons.iter().zip(annotators);
    let (own, by): (Vec<StrengthComparison>, Vec<u32>) =
        both.filter_map(|(one, by)| Some((*one, (*by)?))).unzip();
    let table = PairTable::new(&own, &by);
    if table.is_equal() {
        return None;
    }
    let mut weights = table.equal().into_iter();
    let weight = |by: &Option<u32>| by.map_or(1.0, |_| weights.next().expect("a weight each"));
    Some(annotators.iter().map(weight).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::duel::Outcome;

    /// Comparisons of 0 and 1, and of 0 and 2, as many as given by annotator.
    fn made(by_annotator: &[[usize; 2]]) -> (Vec<StrengthComparison>, Vec<u32>) {
        let mut rows = (Vec::new(), Vec::new());
        for (by, numbers) in by_annotator.iter().enumerate() {
            for (place, &number) in numbers.iter().enumerate() {
                for _ in 0..number {
                    rows.0.push(StrengthComparison {
                        item: rows.0.len() as u32,
                        pair: Pair::new(Arm::from(place + 1), Arm::from(0)),
                        outcome: Outcome::Win,
                    });
                    rows.1.push(by as u32);
                }
            }
        }
        rows
    }

    #[test]
    fn annotators_weigh_the_same_in_every_pair() {
        let (rows, by) = made(&[[90, 10], [10, 90]]);
        let table = PairTable::new(&rows, &by);
        assert!(!table.is_even());
        let weights = table.by_share();
        for arm in [1, 2] {
            for annotator in [0, 1] {
                let all = weights.iter().zip(rows.iter().zip(&by));
                let of_cell = all
                    .filter(|(_, (one, by))| one.pair.first == Arm::from(arm) && **by == annotator);
                let sum: f64 = of_cell.map(|(weight, _)| weight).sum();
                assert!((sum - 50.0).abs() < 1e-9, "{sum}");
            }
        }
        assert_eq!(table.unjudged(3), [false; 3]);
    }

    #[test]
    fn pairs_that_went_alike_to_all_need_no_weights() {
        let (rows, by) = made(&[[30, 60], [10, 20], [7, 13]]);
        assert!(PairTable::new(&rows, &by).is_even());
        // One pair, or one annotator, leaves nothing uneven, however shares are rounded.
        for n in 1..60 {
            for [numbers, of_another] in [[[n, 0], [0, 0]], [[n, 30], [0, 0]], [[n, 0], [7, 0]]] {
                let (rows, by) = made(&[numbers, of_another]);
                assert!(
                    PairTable::new(&rows, &by).is_even(),
                    "{numbers:?} {of_another:?}"
                );
            }
        }
    }

    #[test]
    fn listed_annotators_weigh_the_same_however_often_they_answered() {
        let (mut rows, by) = made(&[[80, 80], [20, 20]]);
        let mut by: Vec<Option<u32>> = by.into_iter().map(Some).collect();
        // Texts that read the same are a tie of everybody's.
        rows.push(StrengthComparison {
            outcome: Outcome::Tie,
            ..rows[0]
        });
        by.push(None);
        let weights = listed_weights(&rows, &by).expect("one answered four times as often");
        let of = |annotator| {
            let all = weights.iter().zip(&by);
            let own = all.filter(|(_, by)| **by == annotator);
            own.map(|(weight, _)| weight).sum::<f64>()
        };
        assert!((of(Some(0)) - 100.0).abs() < 1e-9 && (of(Some(1)) - 100.0).abs() < 1e-9);
        assert_eq!(of(None), 1.0);
        let (rows, by) = made(&[[27, 31], [33, 29]]);
        let by: Vec<Option<u32>> = by.into_iter().map(Some).collect();
        assert_eq!(listed_weights(&rows, &by), None);
        assert_eq!(listed_weights(&[], &[]), None);
    }

    #[test]
    fn who_never_judged_a_system_weighs_in_no_claim_about_it() {
        let (rows, by) = made(&[[50, 50], [50, 0]]);
        assert_eq!(
            PairTable::new(&rows, &by).unjudged(4),
            [false, false, true, false]
        );
        let (rows, by) = made(&[[50, 50], [4, 0]]);
        assert_eq!(PairTable::new(&rows, &by).unjudged(3), [false; 3]);
    }
}
