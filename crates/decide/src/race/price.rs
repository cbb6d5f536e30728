//! What it can cost to choose a system that may not be the best.
//!
//! Inverting the evidence of a pair gives a lower bound on the difference of its means: the largest margin against which
//! the evidence reaches the threshold. The capital falls as the margin grows, for any scores. So one pair misleads about
//! some margin only where it does about the true difference. A best system b is not out unless a pair (i, b) misleads,
//! and the mean of b exceeds that of j by at most minus the bound of (j, b). These are the same K − 1 pairs that can have
//! b dropped: bounds for all systems hold together with the verdict, without a further δ. That a system is worse by *at
//! least* something would take the pairs (b, j) too.

use super::{Race, RaceItems, RacePlace};

impl Race {
    /// The most by which the highest mean exceeds that of a system, in units of scores: with the probability of the
    /// verdict true of all systems at all times. `None` where several best systems are sought.
    pub fn most_below_best(&self, system: usize) -> Option<f64> {
        let finite = (self.terms.items == RaceItems::These).then_some(self.items);
        let most = |other: usize| {
            let pair = self.pairs[system * self.k() + other].as_ref()?;
            Some(-pair.lower_bound(&self.rounds, finite, self.threshold))
        };
        let can_be_best = |&other: &usize| !matches!(self.places[other], RacePlace::Out(_));
        let others = (0..self.k()).filter(can_be_best).filter_map(most);
        (self.terms.top == 1).then(|| others.fold(0.0, f64::max))
    }
}
