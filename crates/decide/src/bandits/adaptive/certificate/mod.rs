//! Stopping by evidence that is valid whenever one looks, whatever was asked and whatever the model believes.
//!
//! Every question places a bet λ on the system expected to win, fixed before the answer. Answers
//! multiply a process E by 1 + λ where that system wins, by 1 − λ where it loses; ties change
//! nothing. Answers of models that are audited multiply it by 1 + λS
//! ([`AuditWeighting`](tiebreak_base::duel::AuditWeighting)), and so do answers from which predictions are subtracted
//! ([`AnswerScoring`]). λ is at most 0.9 divided by the largest |S| there can be: the question's *reach* and, for
//! predictions, the pair's excess. All questions to a person who stands for others are one factor ([`blocks`]).
//! Where in truth it wins no more often than it loses, E is a nonnegative supermartingale, and by Ville's inequality
//! it ever reaches 1/δ with probability at most δ. What E counts, and how high it must rise, depends on the claim:
//! [`elimination`] pools all evidence against a system, [`pairwise`] proves pairs, [`nearly`] near ties.
//!
//! Where a run may end with one of two claims, a winner or an ε-best system, each has δ/2.
//!
//! Items and people are drawn with replacement, so the same person may be drawn for the same items again: their
//! recorded answer is the answer, and the draw counts. Their answers taken as given, every draw is then a fair
//! one from all that the people asked say about all items, and E is as proved, however few items there are.
//! But drawing thirty answers again and again would make a certificate of eighteen to twelve, which a
//! coin gives one time in three. So E is kept twice, with all draws and without those that repeat an earlier
//! one, where each answer counts once; a claim needs both, so it is wrong no more often than either. The first is
//! proved for answers that are given once and for all, the second for people who toss a coin each time;
//! `tests/claims/repeats.rs` tries both together on few items.
//!
//! Questions count *in the order asked*. While an earlier one is open it counts as lost, 1 − λ;
//! counting in the order of arrival would be wrong where the time to answer depends on the answer.
//!
//! Sources: Ville, 1939; Waudby-Smith and Ramdas, JRSS B 2024, for betting; the pooling over
//! opponents and the order asked are ours.

use super::controls::AnswerScoring;
use super::target::{CertificateAssumption, Target};
use blocks::EvidenceBlocks;
use elimination::EliminationProof;
use nearly::NearlyBestProof;
use pairwise::PairwiseProof;
use process::Processes;
use stake::DuelFactor;
use tiebreak_base::duel::{DuelId, Pair};

pub(super) use process::QuestionResolution;
pub(super) use stake::Expectation;

mod blocks;
mod elimination;
mod nearly;
mod pairwise;
mod process;
mod stake;

/// The claim announced, which does not change any more.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum CertifiedClaim {
    /// This system is best.
    Best(usize),
    /// No system beats all the others.
    Nobody,
    /// No other is better than this one by more than ε.
    NearlyBest(usize),
    /// These beat all the others; as the model ranks them, which is not part of the claim.
    Top(Vec<usize>),
    /// Every system is better than those after it.
    Ranking(Vec<usize>),
}

#[derive(Debug, Clone)]
enum Proof {
    Elimination(EliminationProof),
    Pairwise(PairwiseProof),
}

/// All evidence of a certificate.
fn processes<'a>(
    proof: &'a mut Proof,
    nearly: &'a mut Option<NearlyBestProof>,
) -> impl Iterator<Item = &'a mut Processes> {
    let (first, own) = match proof {
        Proof::Elimination(proof) => (&mut proof.processes, Some(&mut proof.own.processes)),
        Proof::Pairwise(proof) => (&mut proof.processes, None),
    };
    let nearly = nearly.as_mut().map(|nearly| &mut nearly.processes);
    [Some(first), own, nearly].into_iter().flatten()
}

/// The claim to be proved, and the assumption it may use.
#[derive(Debug, Clone, Copy)]
pub(super) struct CertificatePlan {
    pub target: Target,
    pub assume: CertificateAssumption,
    /// Above 0 where a practically tied system will do.
    pub epsilon: f64,
    /// The number of systems.
    pub k: usize,
}

/// The evidence so far and what it proves.
#[derive(Debug, Clone)]
pub(super) struct Certificate {
    plan: CertificatePlan,
    blocks: EvidenceBlocks,
    proof: Proof,
    nearly: Option<NearlyBestProof>,
    claim: Option<CertifiedClaim>,
}

impl Certificate {
    /// Creates a certificate without evidence, at the error probability `delta`.
    pub(super) fn new(plan: CertificatePlan, delta: f64) -> Self {
        let CertificatePlan {
            target,
            assume,
            epsilon,
            k,
        } = plan;
        let share = if epsilon > 0.0 { delta / 2.0 } else { delta };
        Self {
            plan,
            blocks: EvidenceBlocks::default(),
            proof: match (target, assume) {
                (Target::Best, CertificateAssumption::Condorcet) => {
                    Proof::Elimination(EliminationProof::new(k, share))
                }
                _ => Proof::Pairwise(PairwiseProof::new(k, (k as f64 / share).ln())),
            },
            nearly: (epsilon > 0.0).then(|| NearlyBestProof::new(epsilon, k, share)),
            claim: None,
        }
    }

    /// The same certificate without evidence, at the error probability `delta`: what was asked so far proves
    /// nothing any more.
    pub(super) fn renewed(&self, delta: f64) -> Self {
        Self {
            blocks: self.blocks.renewed(),
            ..Self::new(self.plan, delta)
        }
    }

    /// Begins a new block of all that is asked from now on.
    pub(super) fn begin_block(&mut self, order: &[usize]) {
        self.blocks.begin();
        for one in processes(&mut self.proof, &mut self.nearly) {
            one.count(&self.blocks);
        }
        if self.claim.is_none() {
            self.claim = self.find_claim(order);
        }
    }

    /// Places the bets on a question. Returns λ, above 0 when it is on the first of the pair; in a block
    /// it may yet grow. `excess` is by how much a score may go beyond the reach.
    pub(super) fn bet(
        &mut self,
        id: DuelId,
        pair: Pair,
        expected: Expectation,
        excess: f64,
    ) -> f64 {
        let Some(block) = self.blocks.block(id) else {
            return 0.0;
        };
        let stake = DuelFactor::new(pair, expected, excess);
        if let Some(stake) = stake {
            match &mut self.proof {
                Proof::Elimination(proof) => proof.bet(id, block, stake),
                Proof::Pairwise(proof) => proof.bet(id, block, stake),
            }
        }
        if let Some(nearly) = &mut self.nearly {
            nearly.bet(id, block, pair, expected, excess);
        }
        stake.map_or(0.0, DuelFactor::signed)
    }

    /// Sets the scoring of the answer to a question just asked.
    pub(super) fn weigh(&mut self, id: DuelId, scoring: AnswerScoring) {
        for one in processes(&mut self.proof, &mut self.nearly) {
            one.weigh(id, scoring);
        }
    }

    /// Settles a question. `order` are the systems as the model ranks them, best first.
    pub(super) fn settle(&mut self, id: DuelId, settled: QuestionResolution, order: &[usize]) {
        if let QuestionResolution::Answered(_) = settled {
            self.blocks.heard(id);
        }
        let mut moved = false;
        for one in processes(&mut self.proof, &mut self.nearly) {
            moved |= one.settle(id, settled, &self.blocks);
        }
        if moved && self.claim.is_none() {
            self.claim = self.find_claim(order);
        }
    }

    /// Notes that the mean score of i against j over all that can be drawn is certain to be `least` or more.
    pub(super) fn certain(&mut self, i: usize, j: usize, least: f64, order: &[usize]) {
        match &mut self.proof {
            Proof::Elimination(proof) => proof.certain(i, j, least),
            Proof::Pairwise(proof) => proof.certain(i, j, least),
        }
        if let Some(nearly) = &mut self.nearly {
            nearly.certain(i, j, least);
        }
        if self.claim.is_none() {
            self.claim = self.find_claim(order);
        }
    }

    fn find_claim(&self, order: &[usize]) -> Option<CertifiedClaim> {
        let proven = match &self.proof {
            Proof::Elimination(proof) => self.after_elimination(proof),
            Proof::Pairwise(_) => self
                .lacking(order)
                .is_empty()
                .then(|| match self.plan.target {
                    Target::Best => CertifiedClaim::Best(order[0]),
                    Target::Top(top) => CertifiedClaim::Top(order[..top].to_vec()),
                    Target::Ranking => CertifiedClaim::Ranking(order.to_vec()),
                }),
        };
        let nearly = || {
            self.nearly
                .as_ref()?
                .found()
                .map(CertifiedClaim::NearlyBest)
        };
        proven.or_else(nearly)
    }

    fn after_elimination(&self, proof: &EliminationProof) -> Option<CertifiedClaim> {
        // Where no system is best, some may still be nearly so.
        let over = self.nearly.is_none() && proof.nobody_left();
        let winner = proof.winner().map(CertifiedClaim::Best);
        winner.or_else(|| over.then_some(CertifiedClaim::Nobody))
    }

    /// The system left by an elimination, with those that it is yet to beat in its own duels.
    pub(super) fn survivor(&self) -> Option<(usize, Vec<usize>)> {
        let Proof::Elimination(proof) = &self.proof else {
            return None;
        };
        let survivor = proof.survivor()?;
        Some((survivor, proof.unsupported(survivor)))
    }

    /// The claim announced.
    pub(super) fn claim(&self) -> Option<&CertifiedClaim> {
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
        let mut pairs = self.plan.target.pairs(order);
        pairs.retain(|&(better, worse)| match &self.proof {
            Proof::Elimination(proof) => !proof.ruled_out(worse),
            Proof::Pairwise(proof) => !proof.proven(better, worse),
        });
        pairs
    }

    /// The progress of the evidence that `better` needs against `worse`, from 0 to 1.
    pub(super) fn progress(&self, better: usize, worse: usize) -> f64 {
        let share = match &self.proof {
            Proof::Elimination(proof) => proof.progress(better, worse),
            Proof::Pairwise(proof) => proof.progress(better, worse),
        };
        share.clamp(0.0, 1.0)
    }

    /// Whether evidence against a system counts whichever other beats it.
    pub(super) fn pools(&self) -> bool {
        matches!(self.proof, Proof::Elimination(_))
    }

    /// The evidence that a system is nearly best, where that will do.
    pub(super) fn nearly(&self) -> Option<&NearlyBestProof> {
        self.nearly.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bandits::adaptive::stock::RemainingJudgments;
    use tiebreak_base::duel::Arm;

    /// A certificate about three systems.
    fn certificate(target: Target, assume: CertificateAssumption, delta: f64) -> Certificate {
        let plan = CertificatePlan {
            target,
            assume,
            epsilon: 0.0,
            k: 3,
        };
        Certificate::new(plan, delta)
    }

    /// Expects the first to win `advantage` more often than to lose, and it does, three times.
    fn win(certificate: &mut Certificate, id: &mut u64, (i, j): (usize, usize), order: &[usize]) {
        for _ in 0..3 {
            *id += 1;
            let expected = Expectation {
                margin: 3.0,
                square: 1.0,
                reach: 1.0,
                rest: RemainingJudgments::ALL,
            };
            let pair = Pair::new(Arm::from(i), Arm::from(j));
            assert_eq!(certificate.bet(DuelId(*id), pair, expected, 0.0), 0.9);
            certificate.settle(DuelId(*id), QuestionResolution::Answered(1.0), order);
        }
    }

    #[test]
    fn elimination_pools_evidence_and_keeps_its_word() {
        let mut certificate = certificate(Target::Best, CertificateAssumption::Condorcet, 0.2);
        let id = &mut 0;
        win(&mut certificate, id, (1, 2), &[0, 1, 2]); // 1.9³ = 6.9 ≥ 5
        assert!(certificate.ruled_out(2) && certificate.claim().is_none());
        assert_eq!(certificate.lacking(&[0, 1, 2]), [(0, 1)]);
        let progress = [(1, 2), (0, 2), (0, 1)].map(|(i, j)| certificate.progress(i, j));
        assert_eq!(progress, [1.0, 0.0, 0.0]);
        win(&mut certificate, id, (0, 1), &[0, 1, 2]);
        let mut nobody = certificate.clone();
        // It is yet to beat 2 itself.
        assert_eq!(certificate.survivor(), Some((0, vec![2])));
        assert_eq!(certificate.claim(), None);
        win(&mut certificate, id, (0, 2), &[0, 1, 2]);
        assert_eq!(certificate.claim(), Some(&CertifiedClaim::Best(0)));
        win(&mut nobody, id, (2, 0), &[0, 1, 2]);
        assert_eq!(nobody.claim(), Some(&CertifiedClaim::Nobody));
        win(&mut certificate, id, (1, 0), &[1, 0, 2]);
        assert_eq!(certificate.claim(), Some(&CertifiedClaim::Best(0)));
    }

    #[test]
    fn without_assumption_every_opponent_must_be_beaten_by_the_winner_itself() {
        let mut certificate = certificate(Target::Best, CertificateAssumption::None, 0.5);
        let (id, order) = (&mut 0, [0, 1, 2]);
        win(&mut certificate, id, (0, 1), &order); // 6.9 ≥ 3/0.5
        win(&mut certificate, id, (1, 2), &order);
        assert!(certificate.ruled_out(1) && certificate.ruled_out(2));
        assert_eq!(certificate.claim(), None);
        assert_eq!(certificate.lacking(&order), [(0, 2)]);
        let progress = [(0, 1), (0, 2), (1, 0)].map(|(i, j)| certificate.progress(i, j));
        assert_eq!(progress, [1.0, 0.0, 0.0]);
        win(&mut certificate, id, (0, 2), &order);
        assert_eq!(certificate.claim(), Some(&CertifiedClaim::Best(0)));
    }

    #[test]
    fn a_set_needs_the_pairs_across_the_cut_and_a_ranking_all_pairs() {
        let order = [2, 0, 1];
        let mut top = certificate(Target::Top(2), CertificateAssumption::Condorcet, 0.5);
        let id = &mut 0;
        win(&mut top, id, (2, 1), &order); // 6.9 ≥ 3/0.5
        assert_eq!((top.lacking(&order), top.claim()), (vec![(0, 1)], None));
        win(&mut top, id, (0, 1), &order);
        assert_eq!(top.claim(), Some(&CertifiedClaim::Top(vec![2, 0])));

        let mut ranking = certificate(Target::Ranking, CertificateAssumption::Condorcet, 0.5);
        win(&mut ranking, id, (2, 0), &order); // 6.9 ≥ 3/0.5
        assert_eq!(ranking.lacking(&order), [(2, 1), (0, 1)]);
        win(&mut ranking, id, (0, 1), &order);
        assert_eq!(ranking.claim(), None);
        win(&mut ranking, id, (2, 1), &order);
        assert_eq!(
            ranking.claim(),
            Some(&CertifiedClaim::Ranking(order.to_vec()))
        );
    }
}
