//! The types that models, bandits, feedback and tables share.

use crate::error::{Error, Result};
use crate::words::counted;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The smallest probability of a judge's labels together, as its first token, with which an answer is a verdict. With
/// less it says something else, such as a refusal, and the ratio of what is left means nothing.
pub const LEAST_LABEL_PROBABILITY: f64 = 0.1;

/// A system, by its place in the list of systems.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Arm(pub u16);

impl Arm {
    /// The largest number of systems.
    pub const MOST: usize = u16::MAX as usize;

    /// Whether `k` systems can be compared: 2 or more, and not more than there are arms.
    ///
    /// # Errors
    /// [`Error::Usage`] if not.
    pub fn comparable(k: usize) -> Result<()> {
        if (2..=Self::MOST).contains(&k) {
            return Ok(());
        }
        let most = Self::MOST;
        let what = format!(
            "{} to compare, expected 2 to {most}",
            counted(k as u64, "system")
        );
        Err(Error::usage(what))
    }

    /// The index of the system in slices and matrices.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// All arms `0..k`.
    ///
    /// # Panics
    /// If `k` exceeds [`Arm::MOST`], far beyond any list of systems.
    pub fn all(k: usize) -> impl DoubleEndedIterator<Item = Self> + Clone {
        (0..u16::try_from(k).expect("at most 65535 systems")).map(Self)
    }
}

impl From<usize> for Arm {
    fn from(index: usize) -> Self {
        Self(u16::try_from(index).expect("at most 65535 systems"))
    }
}

/// Two systems, in the order in which they are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pair {
    /// The system whose outcome is given.
    pub first: Arm,
    /// Its opponent.
    pub second: Arm,
}

impl Pair {
    /// `first` against `second`.
    pub fn new(first: Arm, second: Arm) -> Self {
        Self { first, second }
    }

    /// A duel of a system with itself: a free tie.
    pub fn is_self(self) -> bool {
        self.first == self.second
    }

    /// The indices of the two, from 0.
    pub fn indices(self) -> (usize, usize) {
        (self.first.index(), self.second.index())
    }

    /// The pair with the lower arm first.
    #[must_use]
    pub fn lower_first(self) -> Self {
        Self::new(self.first.min(self.second), self.first.max(self.second))
    }
}

/// Identifies a duel within one run, in the order asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DuelId(pub u64);

/// A question a bandit wants answered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Duel {
    /// The id by which its answer is given.
    pub id: DuelId,
    /// The systems to compare.
    pub pair: Pair,
    /// The bet that a certificate places on the answer; 0 where there is no certificate.
    pub bet: f64,
}

/// The outcome for the first of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// The second was preferred.
    Loss,
    /// Neither was preferred.
    Tie,
    /// The first was preferred.
    Win,
}

impl Outcome {
    /// The outcome as 0, ½ or 1.
    pub fn value(self) -> f64 {
        match self {
            Self::Loss => 0.0,
            Self::Tie => 0.5,
            Self::Win => 1.0,
        }
    }

    /// The outcome as −1, 0 or 1: 2 [`value`](Self::value) − 1.
    pub fn score(self) -> f64 {
        2.0 * self.value() - 1.0
    }

    /// The outcome whose value is exactly 0, ½ or 1; anything else is not an outcome.
    pub fn from_value(value: f64) -> Option<Self> {
        match value {
            0.0 => Some(Self::Loss),
            0.5 => Some(Self::Tie),
            1.0 => Some(Self::Win),
            _ => None,
        }
    }

    /// The outcome for the first by the scores of both; the higher is better.
    pub fn of_scores(first: f64, second: f64) -> Self {
        match first.total_cmp(&second) {
            std::cmp::Ordering::Less => Self::Loss,
            std::cmp::Ordering::Equal => Self::Tie,
            std::cmp::Ordering::Greater => Self::Win,
        }
    }

    /// The outcome for the second.
    #[must_use]
    pub fn flipped(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::Tie => Self::Tie,
            Self::Win => Self::Loss,
        }
    }
}

/// The source of an answer. Only a human answer costs an annotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Origin {
    /// A person.
    Human,
    /// The answer that the same person gave to the same question before: the draw counts, but the answer is no new
    /// information and proves nothing alone.
    Again,
    /// A person other than the one to whom the question was dealt, or one whose answers no longer count. Such an answer
    /// informs and proves nothing.
    Other,
    /// A preference model that was trusted.
    Model,
}

/// The score of an answer that a model gives while a person is asked now and then, an *audit*:
///
/// ```text
/// S = q + (A/π)(y − q)      y the person's answer: 1, 0 or −1; A = 1 if a person was asked, else 0
/// ```
///
/// A is 1 with probability π, whatever else, so the mean of S is that of y, however wrong the model
/// is. Both numbers are fixed before chance decides who answers. (Horvitz and Thompson, 1952, for
/// the difference from a prediction.)
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AuditWeighting {
    /// q, the score that the model expects for the first of the pair, in [−1, 1].
    pub q: f64,
    /// π, the probability with which a person is asked, in (0, 1].
    pub probability: f64,
}

impl AuditWeighting {
    /// The weighting of a question that always goes to a person.
    pub const NONE: Self = Self {
        q: 0.0,
        probability: 1.0,
    };

    /// S for the first of the pair, given the person's answer if one was asked for.
    pub fn score(self, audited: Option<Outcome>) -> f64 {
        let correction = |outcome: Outcome| (outcome.score() - self.q) / self.probability;
        self.q + audited.map_or(0.0, correction)
    }

    /// The least S there can be: a person asked, and a loss of the pair's first.
    pub fn worst(self) -> f64 {
        self.score(Some(Outcome::Loss))
    }

    /// The largest |S| there can be, (1 + |q|)/π − |q|; 1 or more.
    pub fn reach(self) -> f64 {
        let q = self.q.abs();
        (1.0 + q) / self.probability - q
    }

    /// The weighting for the second of the pair.
    #[must_use]
    pub fn flipped(self) -> Self {
        Self { q: -self.q, ..self }
    }
}

/// What a run can claim. `condorcet` says whether the winner, top k or order is assumed to exist; otherwise that is
/// shown too.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Nothing yet.
    Open,
    /// This system is best.
    Winner {
        /// The winner.
        arm: Arm,
        /// Whether it is assumed that a system beats every other one.
        condorcet: bool,
    },
    /// This system is best but for a margin that does not matter.
    NearlyBest {
        /// The system.
        arm: Arm,
        /// How much more often than half the time another one is preferred at most, on items where
        /// their outputs differ and over all; a tie counts one half.
        margins: [f64; 2],
    },
    /// These systems are better than all the others.
    Top {
        /// The systems; their order is not part of the claim.
        arms: Vec<Arm>,
        /// Whether it is assumed that so many systems beat all the others.
        condorcet: bool,
    },
    /// Every system is better than those after it.
    Ranking {
        /// All systems, best first.
        arms: Vec<Arm>,
        /// Whether it is assumed that such an order exists.
        condorcet: bool,
    },
    /// No system beats all the others.
    NoWinner,
    /// One of these is best, and exploration is over.
    Undecided(Vec<Arm>),
}

impl Verdict {
    /// Whether it answers what the run was to find out.
    pub fn is_claim(&self) -> bool {
        !matches!(self, Self::Open | Self::NoWinner | Self::Undecided(_))
    }

    /// Maps the bandit's arms to the systems behind them.
    #[must_use]
    pub fn about(mut self, system: impl Fn(Arm) -> Arm) -> Self {
        match &mut self {
            Self::Open | Self::NoWinner => {}
            Self::Winner { arm, .. } | Self::NearlyBest { arm, .. } => *arm = system(*arm),
            Self::Top { arms, .. } | Self::Ranking { arms, .. } | Self::Undecided(arms) => {
                for arm in arms.iter_mut() {
                    *arm = system(*arm);
                }
            }
        }
        if let Self::Top { arms, .. } | Self::Undecided(arms) = &mut self {
            arms.sort_unstable();
        }
        self
    }
}

/// The state of a run for display: an estimate, never a claim.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outlook {
    /// The probabilities of being best, by the bandit's own model of the pairs; `None` where it has no such model, and
    /// before the first answer.
    pub chances: Option<Chances>,
    /// The leader: the system claimed to be best, or the most probable one; `None` where the bandit has no model of the
    /// pairs.
    pub leader: Option<Arm>,
    /// The evidence against each rival of the leader as a share of what a certificate needs, 1 being enough. Empty
    /// where there is no certificate.
    pub evidence: Vec<(Arm, f64)>,
    /// The share for the pair of systems that is furthest from what a claim needs.
    pub least: Option<f64>,
}

/// The probabilities of a model fitted to some answers. They sum to 1, and claim nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct Chances {
    /// The probability that a system beats all others. Systems whose outputs never differ count as one
    /// and share their probability, so every system is in one group, mostly alone.
    pub best: Vec<(Vec<Arm>, f64)>,
    /// The probability that no system beats all others.
    pub none: f64,
    /// The number of answers that the model was fitted to, of people and of models.
    pub answers: u64,
}

impl Outlook {
    /// Maps the bandit's arms to the systems behind them. Rivals come in order, the most probable best first.
    #[must_use]
    pub fn about(mut self, system: impl Fn(Arm) -> Arm) -> Self {
        for (arm, _) in &mut self.evidence {
            *arm = system(*arm);
        }
        self.evidence.sort_by_key(|&(arm, _)| arm);
        self.leader = self.leader.map(&system);
        if let Some(Chances { best, .. }) = &mut self.chances {
            for (group, _) in best.iter_mut() {
                for arm in group.iter_mut() {
                    *arm = system(*arm);
                }
                group.sort_unstable();
            }
            let leads = |group: &[Arm]| self.leader.is_some_and(|leader| group.contains(&leader));
            best.sort_by(|a, b| {
                let leader_first = leads(&b.0).cmp(&leads(&a.0));
                let equals = leader_first.then_with(|| a.0.cmp(&b.0));
                b.1.total_cmp(&a.1).then(equals)
            });
        }
        self
    }
}

/// The largest rounding error by which BALD may fall below 0.
const ROUNDING: f64 = 1e-9;

/// The preference of a model for the first of two outputs, in [0, 1].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prediction {
    /// The probability with dropout off.
    pub p: f64,
    /// The uncertainty, for models that can be sampled. *Unknown* is not *certain*.
    pub uncertainty: Option<Uncertainty>,
}

/// The statistics of a prediction's dropout draws.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Uncertainty {
    /// Mean of the draws.
    pub mean: f64,
    /// H(mean) − mean of H(draw), in nats: draws that disagree with confidence.
    pub bald: f64,
    /// Population standard deviation of the draws.
    pub std: f64,
}

impl Prediction {
    /// Returns the first value out of its range, in words.
    pub fn mistake(&self) -> Option<String> {
        let share = |name, x: f64| (!(0.0..=1.0).contains(&x)).then_some((name, x, "from 0 to 1"));
        let spread = |name, x: f64| {
            let fine = x.is_finite() && x >= -ROUNDING;
            (!fine).then_some((name, x, "not below 0"))
        };
        let uncertain = |Uncertainty { mean, bald, std }: Uncertainty| {
            let spread = spread("bald", bald).or_else(|| spread("std", std));
            share("mean", mean).or(spread)
        };
        let found = share("p", self.p).or_else(|| uncertain(self.uncertainty?));
        let (name, found, expected) = found?;
        Some(format!("`{name}` is {found}, expected a number {expected}"))
    }

    /// The prediction for the second output. BALD and STD are symmetric.
    #[must_use]
    pub fn flipped(self) -> Self {
        Self {
            p: 1.0 - self.p,
            uncertainty: self.uncertainty.map(|u| Uncertainty {
                mean: 1.0 - u.mean,
                ..u
            }),
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Loss => "0",
            Self::Tie => "0.5",
            Self::Win => "1",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flipping_twice_changes_nothing() {
        for outcome in [Outcome::Loss, Outcome::Tie, Outcome::Win] {
            assert_eq!(outcome.flipped().flipped(), outcome);
            assert_eq!(outcome.flipped().value(), 1.0 - outcome.value());
            assert_eq!(Outcome::from_value(outcome.value()), Some(outcome));
        }
        assert_eq!(Outcome::from_value(2.0), None);
    }

    #[test]
    fn what_cannot_be_predicted_is_named() {
        let mistake = |p, mean, bald, std| {
            let uncertainty = Some(Uncertainty { mean, bald, std });
            Prediction { p, uncertainty }.mistake().unwrap_or_default()
        };
        assert_eq!(mistake(0.5, 0.5, -1e-12, 0.0), "");
        let expected = "`bald` is -0.1, expected a number not below 0";
        assert_eq!(mistake(0.5, 0.5, -0.1, -0.2), expected);
        assert!(mistake(0.5, 0.5, 0.1, f64::NAN).starts_with("`std` is NaN"));
        assert!(mistake(0.5, -0.5, -0.1, 0.0).starts_with("`mean` is -0.5"));
        let expected = "`p` is 1.5, expected a number from 0 to 1";
        assert_eq!(mistake(1.5, 2.0, 0.1, 0.1), expected);
    }

    #[test]
    fn an_audit_makes_up_for_what_the_model_says() {
        let weighing = AuditWeighting {
            q: 0.6,
            probability: 0.25,
        };
        for outcome in [Outcome::Loss, Outcome::Tie, Outcome::Win] {
            let audited = weighing.score(Some(outcome));
            let mean = 0.25 * audited + 0.75 * weighing.score(None);
            assert!((mean - outcome.score()).abs() < 1e-15);
            let other_side = weighing.flipped().score(Some(outcome.flipped()));
            assert!((audited + other_side).abs() < 1e-15);
            assert!(weighing.worst() <= audited && audited.abs() <= weighing.reach());
            assert_eq!(AuditWeighting::NONE.score(Some(outcome)), outcome.score());
        }
        // From 0.6 − 1.6/0.25 = −5.8 on.
        assert!((weighing.worst() + 5.8).abs() < 1e-15);
        assert!((weighing.reach() - 5.8).abs() < 1e-15);
        assert_eq!(AuditWeighting::NONE.reach(), 1.0);
    }
}
