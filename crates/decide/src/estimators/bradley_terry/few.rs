//! The interval of two systems' difference where one of them won too rarely for an error to tell it.
//!
//! Nearly all comparisons of two systems may go one way. Then the error is as uncertain as the few that did not: 95 %
//! intervals of a difference of 5.5 missed it in 22 % of data sets of 60 comparisons, and the winner of all of 6 to 11 was
//! not told from the loser. With fewer than ten wins of either system, one comparison an item and all of equal weight, the
//! exact interval of the share of wins less that of losses takes the error's place, as in gates (see
//! `stats::paired_proportions`; without ties Clopper and Pearson's, Biometrika 1934), in log-odds. With ten wins or more
//! of both the error misses at most 7 % of any difference up to 7, with five or more 8 %.
//!
//! No finite end is exact where a system won everything. There the end is the one of half a loss more, as the estimate
//! has it: the quantile of a share of losses of Beta(½, n + ½) (Jeffreys).

use super::StrengthComparison;
use std::collections::BTreeSet;
use tiebreak_base::duel::Outcome;
use tiebreak_base::stats::clopper_pearson;
use tiebreak_base::stats::paired_proportions::PairedCounts;
use tiebreak_base::stats::special::ln_beta;

/// The wins of either system from which on the error tells the interval.
const ENOUGH_WINS: u64 = 10;

/// The comparisons of two systems that only these link, of which one won rarely.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FewWins {
    /// The wins of the first, those of the second, and all comparisons.
    counts: PairedCounts,
    /// The part of their difference that the contrast is: 1 for the difference, less for a strength.
    part: f64,
}

impl FewWins {
    /// Counts comparisons of two systems, the first of which is named; `None` where items have several, or both systems
    /// won often.
    pub(super) fn count<'a>(
        first: usize,
        comparisons: impl Iterator<Item = &'a StrengthComparison> + Clone,
    ) -> Option<Self> {
        let mut counts = PairedCounts {
            only_first: 0,
            only_second: 0,
            n: 0,
        };
        for one in comparisons.clone() {
            let is_first = one.pair.first.index() == first;
            counts.n += 1;
            match one.outcome {
                Outcome::Tie => {}
                Outcome::Win if is_first => counts.only_first += 1,
                Outcome::Loss if !is_first => counts.only_first += 1,
                _ => counts.only_second += 1,
            }
        }
        if counts.only_first.min(counts.only_second) >= ENOUGH_WINS {
            return None;
        }
        let items: BTreeSet<u32> = comparisons.map(|one| one.item).collect();
        (items.len() as u64 == counts.n).then_some(Self { counts, part: 1.0 })
    }

    /// The same counts for a part of the difference; a negative one turns it round.
    pub(super) fn times(self, part: f64) -> Self {
        Self {
            part: part * self.part,
            ..self
        }
    }

    /// The ends of the interval of a confidence between 0 and 1.
    pub(crate) fn ends(&self, confidence: f64) -> [f64; 2] {
        let counts = &self.counts;
        let level = 0.5 * (1.0 - confidence);
        let (lower, upper) = match counts.only_first + counts.only_second == counts.n {
            true => clopper_pearson::interval(counts.only_first, counts.n, confidence),
            false => {
                let (lower, upper) = counts.ends(level);
                (0.5 + 0.5 * lower, 0.5 + 0.5 * upper)
            }
        };
        let farthest = farthest(counts.n, level);
        let log_odds = |share: f64| (share / (1.0 - share)).ln().clamp(-farthest, farthest);
        let mut ends = [lower, upper].map(|share| self.part * log_odds(share));
        ends.sort_unstable_by(f64::total_cmp);
        ends
    }
}

/// The log-odds of which a system that won all of n comparisons may have more with probability `level`. So small a
/// quantile of Beta(½, b) is (½ level B(½, b))².
fn farthest(n: u64, level: f64) -> f64 {
    -2.0 * ((0.5 * level).ln() + ln_beta(0.5, n as f64 + 0.5))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimators::bradley_terry::{ComparisonDetails, Strengths};
    use crate::estimators::contrasts::Contrasts;
    use crate::evaluation::standing::SystemStandings;
    use tiebreak_base::duel::{Arm, Pair};

    /// Wins, ties and losses of the first of two systems, each on an item of its own.
    fn compared(outcomes: [u32; 3]) -> Vec<StrengthComparison> {
        let all = [Outcome::Win, Outcome::Tie, Outcome::Loss].into_iter();
        let all = all
            .zip(outcomes)
            .flat_map(|(outcome, n)| vec![outcome; n as usize]);
        let one = |(item, outcome)| StrengthComparison {
            item,
            pair: Pair::new(Arm(0), Arm(1)),
            outcome,
        };
        (0..).zip(all).map(one).collect()
    }

    fn interval(outcomes: [u32; 3]) -> [f64; 2] {
        let strengths = Strengths::fit(2, &compared(outcomes));
        strengths.difference(0, 1).unwrap().interval(0.95).unwrap()
    }

    #[test]
    fn whoever_wins_all_of_six_is_told_from_the_other() {
        let is_told = |outcomes| {
            let found = SystemStandings::new(&Strengths::fit(2, &compared(outcomes)), 0.95);
            found.groups.len() == 2
        };
        let wins = [5, 6, 8, 11].map(|wins| is_told([wins, 0, 0]));
        assert_eq!(wins, [false, true, true, true]);
        assert_eq!([6, 8].map(|wins| is_told([wins, 0, 1])), [false, true]);
        assert_eq!([5, 6].map(|wins| is_told([wins, 4, 0])), [false, true]);
        // The winner is told where the exact test says so, and the loser the other way round.
        assert!(interval([0, 0, 6])[1] < 0.0);
    }

    /// How often the interval misses a difference after n comparisons without ties.
    fn missed(difference: f64, n: u32, ends: &[[f64; 2]]) -> f64 {
        let p = 1.0 / (1.0 + f64::exp(-difference));
        let mut chance = (1.0 - p).powi(n as i32);
        let mut missed = 0.0;
        for (wins, [lower, upper]) in (0..=n).zip(ends) {
            let holds = (*lower..=*upper).contains(&difference);
            missed += if holds { 0.0 } else { chance };
            chance *= f64::from(n - wins) / f64::from(wins + 1) * p / (1.0 - p);
        }
        missed
    }

    #[test]
    fn no_difference_is_missed_more_often_than_said() {
        for n in [12, 20, 30, 60, 150] {
            let ends: Vec<[f64; 2]> = (0..=n).map(|wins| interval([wins, 0, n - wins])).collect();
            let differences = (0..=70).map(|tenths| 0.1 * f64::from(tenths));
            let worst = differences
                .map(|at| missed(at, n, &ends))
                .fold(0.0, f64::max);
            // The error alone misses up to 22 %.
            assert!(worst < 0.07, "{n} comparisons: {worst}");
        }
    }

    #[test]
    fn ends_hold_the_estimate_and_are_those_of_both_sides() {
        for outcomes in [
            [6, 0, 0],
            [60, 0, 0],
            [59, 0, 1],
            [0, 9, 0],
            [4, 20, 3],
            [0, 3, 9],
        ] {
            let strengths = Strengths::fit(2, &compared(outcomes));
            let difference = strengths.difference(0, 1).unwrap();
            let [lower, upper] = difference.interval(0.95).unwrap();
            assert!(
                lower < difference.value && difference.value < upper,
                "{outcomes:?}"
            );
            assert!(upper - lower < 30.0, "{outcomes:?}: {lower} {upper}");
            let turned = strengths.difference(1, 0).unwrap().interval(0.95).unwrap();
            assert_eq!(turned, [-upper, -lower]);
            let half = strengths.strength(0).interval(0.95).unwrap();
            assert_eq!(half, [0.5 * lower, 0.5 * upper]);
        }
    }

    #[test]
    fn counts_take_the_place_of_the_error_only_where_they_are_exact() {
        let rows = compared([20, 0, 1]);
        let error = |rows: &[StrengthComparison], weights: Option<&[f64]>| {
            let details = ComparisonDetails {
                weights,
                ..ComparisonDetails::default()
            };
            let found = Strengths::fit_detailed(2, rows, details);
            found.difference(0, 1).unwrap().few.is_none()
        };
        assert!(!error(&rows, None));
        assert!(error(&rows, Some(&[1.0; 21])));
        let mut shared = rows.clone();
        shared[1].item = 0;
        assert!(error(&shared, None));
        assert!(error(&compared([20, 0, 10]), None));
    }
}
