//! Pairs of annotators: their mean agreement, and a list of those that share the most questions.

use std::cmp::Reverse;
use tiebreak_decide::annotators::kappa::Cohen;

/// The most pairs that are listed of one kind of answer: 5,000 annotators have 12 million.
const LISTED: usize = 100_000;

/// Cohen's κ of pairs of annotators.
#[derive(Default)]
pub(super) struct PairAgreement {
    total: f64,
    weight: f64,
    /// The pairs that share the most questions, in the order of annotators.
    pub listed: Vec<Cohen>,
    /// The number of the others.
    pub left_out: u64,
}

impl PairAgreement {
    /// Collects pairs, of which a bounded number is held.
    pub(super) fn new(pairs: impl Iterator<Item = Cohen>) -> Self {
        let mut agreement = Self::default();
        for pair in pairs {
            if let Some(kappa) = pair.kappa {
                agreement.total += kappa * pair.shared as f64;
                agreement.weight += pair.shared as f64;
            }
            agreement.listed.push(pair);
            if agreement.listed.len() == 2 * LISTED {
                agreement.shorten();
            }
        }
        agreement.shorten();
        agreement
    }

    /// The mean over all pairs, each weighed by the questions they share; `None` where no κ exists.
    pub(super) fn mean(&self) -> Option<f64> {
        (self.weight > 0.0).then(|| self.total / self.weight)
    }

    fn shorten(&mut self) {
        let Some(more) = self.listed.len().checked_sub(LISTED + 1) else {
            return;
        };
        let rank = |pair: &Cohen| (Reverse(pair.shared), pair.annotators);
        self.listed.select_nth_unstable_by_key(LISTED, rank);
        self.listed.truncate(LISTED);
        self.listed.sort_unstable_by_key(|pair| pair.annotators);
        self.left_out += more as u64 + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_is_over_all_and_the_list_of_those_that_share_most() {
        let n = 3 * LISTED + 7;
        let shared = |place: usize| if place % 3 == 1 { 5 } else { 1 };
        let pairs = (0..n).map(|place| Cohen {
            annotators: [place / 1000, 1000 + place % 1000],
            shared: shared(place),
            kappa: (place % 3 == 1).then_some(0.5),
        });
        let found = PairAgreement::new(pairs);
        assert_eq!(
            (found.listed.len(), found.left_out),
            (LISTED, (n - LISTED) as u64)
        );
        assert!(found.listed.iter().all(|pair| pair.shared == 5));
        assert!(found.listed.is_sorted_by_key(|pair| pair.annotators));
        assert_eq!(found.listed[0].annotators, [0, 1001], "the first of equals");
        assert_eq!(found.mean(), Some(0.5));
        assert_eq!(PairAgreement::new(std::iter::empty()).mean(), None);
    }
}
