//! When to stop: evidence that counts no matter when one looks, what was asked, or what the model
//! believes.
//!
//! Every question places a bet λ on the system expected to win, fixed before the answer. Answers
//! multiply a process E by 1 + λ where that system wins, by 1 − λ where it loses; ties change
//! nothing. Answers of models that are audited multiply it by 1 + λS ([`Weighing`]), where λ is at most
//! 0.9 divided by the *reach*, the largest |S| there can be in the whole run. What is asked of a person
//! who stands for others is one factor ([`blocks`]). Where in truth it wins no more often than it loses, E is a nonnegative supermartingale,
//! and by Ville's inequality it ever reaches 1/δ with probability at most δ. What E counts, and how
//! high it must rise, depends on the claim: [`elimination`] pools all evidence against a system,
//! [`pairwise`] proves pairs, [`nearly`] that nothing is much better.
//!
//! Where a run may end with one of two claims, a winner or an ε-best system, each has δ/2.
//!
//! Questions count *in the order asked*. While an earlier one is open it counts as lost, 1 − λ;
//! counting in the order of arrival would be wrong where the time to answer depends on the answer.
//!
//! Sources: Ville, 1939; Waudby-Smith and Ramdas, JRSS B 2024, for betting; the pooling over
//! opponents and the order asked are ours.

use super::target::{Assume, Target};
use crate::duel::{DuelId, Pair, Weighing};
use blocks::Blocks;
use elimination::Elimination;
use nearly::NearlyBest;
use pairwise::Pairwise;
use process::Bet;

pub(super) use process::Settled;

mod blocks;
mod elimination;
mod nearly;
mod pairwise;
mod process;

/// The largest bet: one lost answer costs at most a factor of ten.
const LARGEST_BET: f64 = 0.9;

/// What the model expects of a question. Scores are measured by the reach R, so as if each were −R,
/// 0 or R: of audited answers those with the same mean and variance.
#[derive(Debug, Clone, Copy)]
pub(super) struct Expectation {
    /// `p_ij` − ½ among items with different outputs, divided by R.
    pub margin: f64,
    /// The mean of S² among those, divided by R²: without audits the share of decided answers. Above 0.
    pub decided: f64,
}

impl Expectation {
    /// By how much more often the first is expected to win than to lose, among decided answers; any
    /// number, beyond ±1 where the margin is too large.
    fn advantage(self) -> f64 {
        2.0 * self.margin / self.decided
    }

    /// λR: of those bets within the bounds the one under which evidence is expected to grow fastest.
    /// λ is the mean of S divided by that of S².
    fn stake(self) -> f64 {
        self.advantage().clamp(-LARGEST_BET, LARGEST_BET)
    }

    /// By how much ln E is expected to grow at a question when the bet is on the first; below 0 where
    /// the second is expected to win.
    pub(super) fn growth(self) -> f64 {
        let stake = self.stake().abs();
        let wins = 0.5 + stake / 2.0;
        let decided = wins * stake.ln_1p() + (1.0 - wins) * (-stake).ln_1p();
        (self.decided * decided).copysign(self.margin)
    }

    fn flipped(self) -> Self {
        Self {
            margin: -self.margin,
            ..self
        }
    }
}

/// A bet on one of a pair.
#[derive(Debug, Clone, Copy)]
struct Stake {
    winner: usize,
    loser: usize,
    /// Whether the winner is the first of the pair.
    on_first: bool,
    /// |λ|.
    size: f64,
}

impl Stake {
    /// `None` for a bet of 0.
    fn new(pair: Pair, signed: f64) -> Option<Self> {
        let (first, second) = (pair.first.index(), pair.second.index());
        let on_first = signed > 0.0;
        let (winner, loser) = match on_first {
            true => (first, second),
            false => (second, first),
        };
        let size = signed.abs();
        (size > 0.0).then_some(Self {
            winner,
            loser,
            on_first,
            size,
        })
    }

    /// The same, for a process that doubts that the winner wins.
    fn against(self, process: usize) -> Bet {
        Bet {
            process,
            on_first: self.on_first,
            size: self.size,
            slack: 0.0,
        }
    }
}

/// What is announced; it does not change any more.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Claim {
    /// This system is best.
    Best(usize),
    /// No other is better than this one by more than ε.
    NearlyBest(usize),
    /// These beat all the others; as the model ranks them, which is not part of the claim.
    Top(Vec<usize>),
    /// Every system is better than those after it.
    Ranking(Vec<usize>),
}

#[derive(Debug, Clone)]
enum Proof {
    Elimination(Elimination),
    Pairwise(Pairwise),
}

/// What is to be proved, and with what.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plan {
    pub target: Target,
    pub assume: Assume,
    /// Above 0 where a practically tied system will do.
    pub epsilon: f64,
    /// The number of systems.
    pub k: usize,
    /// R, the largest |S| of an answer; at least 1.
    pub reach: f64,
}

/// The evidence so far and what it proves.
#[derive(Debug, Clone)]
pub(super) struct Certificate {
    plan: Plan,
    blocks: Blocks,
    proof: Proof,
    nearly: Option<NearlyBest>,
    claim: Option<Claim>,
}

impl Certificate {
    /// No evidence yet, at the error probability `delta`.
    pub(super) fn new(plan: Plan, delta: f64) -> Self {
        let Plan {
            target,
            assume,
            epsilon,
            k,
            reach,
        } = plan;
        let share = if epsilon > 0.0 { delta / 2.0 } else { delta };
        Self {
            plan,
            blocks: Blocks::default(),
            proof: match (target, assume) {
                (Target::Best, Assume::Condorcet) => Proof::Elimination(Elimination::new(k, share)),
                _ => Proof::Pairwise(Pairwise::new(target, assume, k, share)),
            },
            nearly: (epsilon > 0.0).then(|| NearlyBest::new(epsilon, k, reach, share)),
            claim: None,
        }
    }

    /// No evidence yet, at the error probability `delta`: what was asked so far proves nothing any
    /// more.
    pub(super) fn renewed(&self, delta: f64) -> Self {
        Self {
            blocks: self.blocks.renewed(),
            ..Self::new(self.plan, delta)
        }
    }

    /// What is asked from now on is one new block.
    pub(super) fn begin_block(&mut self, order: &[usize]) {
        self.blocks.begin();
        match &mut self.proof {
            Proof::Elimination(proof) => proof.count(&self.blocks),
            Proof::Pairwise(proof) => proof.count(&self.blocks),
        }
        if let Some(nearly) = &mut self.nearly {
            nearly.count(&self.blocks);
        }
        if self.claim.is_none() {
            self.claim = self.find_claim(order);
        }
    }

    /// Places the bets on a question. Returns λ, above 0 when it is on the first of the pair.
    pub(super) fn bet(&mut self, id: DuelId, pair: Pair, expected: Expectation) -> f64 {
        let Some(block) = self.blocks.of(id) else {
            return 0.0;
        };
        let signed = expected.stake() / self.plan.reach;
        if let Some(stake) = Stake::new(pair, signed) {
            match &mut self.proof {
                Proof::Elimination(proof) => proof.bet(id, block, stake),
                Proof::Pairwise(proof) => proof.bet(id, block, stake),
            }
        }
        if let Some(nearly) = &mut self.nearly {
            nearly.bet(id, block, pair, expected);
        }
        signed
    }

    /// How the answer to a question just asked will be weighed.
    pub(super) fn weigh(&mut self, id: DuelId, weighing: Weighing) {
        debug_assert!(weighing.reach() <= self.plan.reach * 1.000_001);
        match &mut self.proof {
            Proof::Elimination(proof) => proof.weigh(id, weighing),
            Proof::Pairwise(proof) => proof.weigh(id, weighing),
        }
        if let Some(nearly) = &mut self.nearly {
            nearly.weigh(id, weighing);
        }
    }

    /// A question was settled. `order` are the systems as the model ranks them, best first.
    pub(super) fn settle(&mut self, id: DuelId, settled: Settled, order: &[usize]) {
        if let Settled::Answered(_) = settled {
            self.blocks.heard(id);
        }
        let blocks = &self.blocks;
        let moved = match &mut self.proof {
            Proof::Elimination(proof) => proof.settle(id, settled, blocks),
            Proof::Pairwise(proof) => proof.settle(id, settled, blocks),
        };
        let nearly = self.nearly.as_mut();
        let moved = nearly.is_some_and(|nearly| nearly.settle(id, settled, blocks)) || moved;
        if moved && self.claim.is_none() {
            self.claim = self.find_claim(order);
        }
    }

    fn find_claim(&self, order: &[usize]) -> Option<Claim> {
        let proven = match &self.proof {
            Proof::Elimination(proof) => proof.survivor().map(Claim::Best),
            Proof::Pairwise(_) => self
                .lacking(order)
                .is_empty()
                .then(|| match self.plan.target {
                    Target::Best => Claim::Best(order[0]),
                    Target::Top(top) => Claim::Top(order[..top].to_vec()),
                    Target::Ranking => Claim::Ranking(order.to_vec()),
                }),
        };
        let nearly = || self.nearly.as_ref()?.found().map(Claim::NearlyBest);
        proven.or_else(nearly)
    }

    /// What is announced.
    pub(super) fn claim(&self) -> Option<&Claim> {
        self.claim.as_ref()
    }

    /// Whether a system is shown not to beat all others. For the one that does, if there is one,
    /// this happens with probability at most δ.
    pub(super) fn ruled_out(&self, i: usize) -> bool {
        match &self.proof {
            Proof::Elimination(proof) => proof.ruled_out(i),
            Proof::Pairwise(proof) => {
                self.plan.target == Target::Best && (0..self.plan.k).any(|j| proof.proven(j, i))
            }
        }
    }

    /// The pairs, the better system first, about which evidence is lacking before what `order`
    /// says can be announced.
    pub(super) fn lacking(&self, order: &[usize]) -> Vec<(usize, usize)> {
        let mut pairs = self.plan.target.pairs(self.plan.assume, order);
        pairs.retain(|&(better, worse)| match &self.proof {
            Proof::Elimination(proof) => !proof.ruled_out(worse),
            Proof::Pairwise(proof) => !proof.proven(better, worse),
        });
        pairs
    }

    /// How far the evidence has come that `better` needs against `worse`, from 0 to 1.
    pub(super) fn progress(&self, better: usize, worse: usize) -> f64 {
        let share = match &self.proof {
            Proof::Elimination(proof) => proof.progress(worse),
            Proof::Pairwise(proof) => proof.progress(better, worse),
        };
        share.clamp(0.0, 1.0)
    }

    /// Whether evidence against a system counts whoever beats it.
    pub(super) fn pools(&self) -> bool {
        matches!(self.proof, Proof::Elimination(_))
    }

    /// The evidence that a system is nearly best, where that will do.
    pub(super) fn nearly(&self) -> Option<&NearlyBest> {
        self.nearly.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::duel::Arm;

    /// About three systems.
    fn certificate(target: Target, assume: Assume, delta: f64) -> Certificate {
        let plan = Plan {
            target,
            assume,
            epsilon: 0.0,
            k: 3,
            reach: 1.0,
        };
        Certificate::new(plan, delta)
    }

    /// Expects the first to win `advantage` more often than to lose, and it does, three times.
    fn win(certificate: &mut Certificate, id: &mut u64, (i, j): (usize, usize), order: &[usize]) {
        for _ in 0..3 {
            *id += 1;
            let expected = Expectation {
                margin: 3.0,
                decided: 1.0,
            };
            let pair = Pair::new(Arm::from(i), Arm::from(j));
            assert_eq!(certificate.bet(DuelId(*id), pair, expected), 0.9);
            certificate.settle(DuelId(*id), Settled::Answered(1.0), order);
        }
    }

    #[test]
    fn no_bet_grows_faster_than_the_one_placed() {
        let expected = Expectation {
            margin: 0.1,
            decided: 0.5,
        };
        let growth = |stake: f64| 0.5 * (0.7 * stake.ln_1p() + 0.3 * (-stake).ln_1p());
        assert!((expected.stake() - 0.4).abs() < 1e-15);
        assert!((expected.growth() - growth(0.4)).abs() < 1e-15);
        assert!(growth(0.4) > growth(0.39) && growth(0.4) > growth(0.41));
        assert_eq!(expected.flipped().growth(), -expected.growth());
    }

    #[test]
    fn elimination_pools_evidence_and_keeps_its_word() {
        let mut certificate = certificate(Target::Best, Assume::Condorcet, 0.2);
        let id = &mut 0;
        win(&mut certificate, id, (1, 2), &[0, 1, 2]); // 1.9³ = 6.9 ≥ 5
        assert!(certificate.ruled_out(2) && certificate.claim().is_none());
        assert_eq!(certificate.lacking(&[0, 1, 2]), [(0, 1)]);
        assert_eq!(
            (certificate.progress(0, 2), certificate.progress(0, 1)),
            (1.0, 0.0)
        );
        win(&mut certificate, id, (0, 1), &[0, 1, 2]);
        assert_eq!(certificate.claim(), Some(&Claim::Best(0)));
        win(&mut certificate, id, (1, 0), &[1, 0, 2]);
        assert_eq!(certificate.claim(), Some(&Claim::Best(0)));
    }

    #[test]
    fn without_assumption_every_opponent_must_be_beaten_by_the_winner_itself() {
        let mut certificate = certificate(Target::Best, Assume::None, 0.5);
        let (id, order) = (&mut 0, [0, 1, 2]);
        win(&mut certificate, id, (0, 1), &order); // 6.9 ≥ 3/0.5
        win(&mut certificate, id, (1, 2), &order);
        assert!(certificate.ruled_out(1) && certificate.ruled_out(2));
        assert_eq!(certificate.claim(), None);
        assert_eq!(certificate.lacking(&order), [(0, 2)]);
        let progress = [(0, 1), (0, 2), (1, 0)].map(|(i, j)| certificate.progress(i, j));
        assert_eq!(progress, [1.0, 0.0, 0.0]);
        win(&mut certificate, id, (0, 2), &order);
        assert_eq!(certificate.claim(), Some(&Claim::Best(0)));
    }

    #[test]
    fn a_set_needs_the_pairs_across_the_cut_and_a_ranking_its_neighbours() {
        let order = [2, 0, 1];
        let mut top = certificate(Target::Top(2), Assume::Condorcet, 0.5);
        let id = &mut 0;
        win(&mut top, id, (2, 1), &order); // 6.9 ≥ 2 · 1/0.5
        assert_eq!((top.lacking(&order), top.claim()), (vec![(0, 1)], None));
        win(&mut top, id, (0, 1), &order);
        assert_eq!(top.claim(), Some(&Claim::Top(vec![2, 0])));

        let mut ranking = certificate(Target::Ranking, Assume::Condorcet, 0.5);
        win(&mut ranking, id, (2, 0), &order); // 6.9 ≥ 3/0.5
        assert_eq!(ranking.lacking(&order), [(0, 1)]);
        win(&mut ranking, id, (0, 1), &order);
        assert_eq!(ranking.claim(), Some(&Claim::Ranking(order.to_vec())));

        let without = certificate(Target::Ranking, Assume::None, 0.5);
        assert_eq!(without.lacking(&order), [(2, 0), (2, 1), (0, 1)]);
    }
}
