//! What may be claimed about systems, and the premises under which it holds.
//!
//! A claim is data: it is made in one place per way of knowing ([`Basis`]) and told in another
//! ([`claim_sentence`]); nothing prints a confidence that is not a claim's. Replays of recorded
//! comparisons have none.

mod text;

pub use text::{claim_lines, claim_sentence, order};

use crate::duel::{Arm, Verdict};
use serde::{Deserialize, Serialize};

/// What is claimed, about whom, how surely and under which premises.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// What.
    pub kind: ClaimKind,
    /// The systems claimed to be it: one, with those whose outputs are the very same; the top k; all in
    /// order. Empty where nothing is claimed.
    pub systems: Vec<String>,
    /// Of an order the groups whose outputs are the very same: they have their places together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tied: Vec<Vec<String>>,
    /// The systems that were judged, among which it holds.
    pub among: Vec<String>,
    /// The probability with which such claims are right, after its share of δ; null where nothing is
    /// claimed.
    pub confidence: Option<f64>,
    /// What it takes for granted.
    pub assumes: Vec<Premise>,
    /// Whose preferences it is about.
    pub about: ClaimPopulation,
    /// How many people answered.
    pub annotators: u64,
    /// Which items it is about.
    pub items: Items,
    /// What it was inferred from.
    pub basis: Basis,
    /// The answers of people that it rests on.
    pub n: u64,
    /// Of a nearly best system: how little better another one may be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<Margin>,
    /// Where nothing is claimed, why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<NoClaimReason>,
}

/// What is claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimKind {
    /// The system is preferred to every other one.
    Best,
    /// No other system is preferred to it by more than a margin.
    NearlyBest,
    /// The systems are preferred to all the others.
    Top,
    /// Every system is preferred to those after it.
    Ranking,
    /// Nothing is claimed.
    Undecided,
}

/// What a claim takes for granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Premise {
    /// What is looked for exists: a system that beats every other one, k systems that beat all the
    /// others, an order.
    Condorcet,
    /// What was compared, and how much, did not depend on answers or predictions.
    NotAdaptive,
    /// There are enough answers for normal approximations.
    LargeSample,
    /// Where two systems were never compared with each other, their strengths tell who would win.
    Transitive,
    /// People did not change their minds while they were asked.
    NoDrift,
    /// Item and person of every question were drawn at random, independently of all answers.
    DealtAtRandom,
    /// The annotators were drawn at random from the people it is about.
    AnnotatorsDrawnAtRandom,
}

/// Whose preferences a claim is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimPopulation {
    /// People at large.
    Panel,
    /// Those who answered.
    TheseAnnotators,
    /// One person; answers without names are taken to be one person's.
    OneAnnotator,
}

/// Which items a claim is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Items {
    /// Those of the data set.
    AtHand,
    /// All that the data set is a sample of.
    AtLarge,
}

/// What a claim was inferred from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// Collected comparisons, each used once, in no order.
    Inference,
    /// People asked on purpose, one question after the other, as the journal tells.
    Campaign,
}

/// How little better another system may be: how often at most it is preferred, a tie counting one half.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Margin {
    /// On the items where their outputs differ.
    pub differing: f64,
    /// Over all items.
    pub overall: f64,
}

/// Why nothing is claimed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoClaimReason {
    /// Nobody has answered anything.
    NoAnswers,
    /// The answers do not tell these systems apart; no other one can be what is looked for.
    NotToldApart(Vec<String>),
    /// The outputs of all systems are the same.
    SameOutputs,
    /// No system beats all others.
    NoWinner,
    /// Strengths put one system first, but its own comparisons do not show that it beats these.
    OwnDuels(Vec<String>),
    /// A model chose who was asked what, or answered, and nobody audited it: an exploration.
    Unaudited,
    /// Who answered which question was not settled beforehand.
    NotDealt,
    /// So many answers that the evidence counts were taken back, and are not told again yet.
    TakenBack(u64),
    /// The evidence counts answers that turned out to be others, or somebody else's.
    Corrected,
    /// The bandit has no certificate.
    NoCertificate,
    /// Strengths are of outputs of equal style, which nobody judged.
    StyleHeld,
    /// What people compared hangs together with what was predicted.
    ComparedByPrediction,
}

impl Claim {
    /// Whether something is claimed.
    pub fn is_made(&self) -> bool {
        self.kind != ClaimKind::Undecided
    }

    /// The same without a claim, and why.
    #[must_use]
    pub fn withdrawn(self, why: NoClaimReason) -> Self {
        Self {
            kind: ClaimKind::Undecided,
            systems: Vec::new(),
            tied: Vec::new(),
            confidence: None,
            assumes: Vec::new(),
            margin: None,
            why: Some(why),
            ..self
        }
    }
}

impl Claim {
    /// What a certificate's verdict makes of a claim that says nothing yet. `whole` are the systems with
    /// the very same outputs as one, itself among them; `open` is why nothing is claimed while the verdict is
    /// open.
    #[must_use]
    pub fn certified(
        self,
        verdict: &Verdict,
        confidence: f64,
        open: NoClaimReason,
        name: impl Fn(&Arm) -> String,
        whole: impl Fn(Arm) -> Vec<Arm>,
    ) -> Self {
        let names = |arms: &[Arm]| arms.iter().map(&name).collect::<Vec<_>>();
        let (kind, arms, condorcet, margins) = match verdict {
            Verdict::NoWinner => return self.withdrawn(NoClaimReason::NoWinner),
            Verdict::Undecided(arms) if arms.len() == self.among.len() => {
                return self.withdrawn(NoClaimReason::SameOutputs);
            }
            Verdict::Undecided(arms) => {
                return self.withdrawn(NoClaimReason::NotToldApart(names(arms)));
            }
            Verdict::Open => return self.withdrawn(open),
            Verdict::Winner { arm, condorcet } => (ClaimKind::Best, whole(*arm), *condorcet, None),
            Verdict::NearlyBest { arm, margins } => {
                (ClaimKind::NearlyBest, whole(*arm), false, Some(margins))
            }
            Verdict::Top { arms, condorcet } => (ClaimKind::Top, arms.clone(), *condorcet, None),
            Verdict::Ranking { arms, condorcet } => {
                (ClaimKind::Ranking, arms.clone(), *condorcet, None)
            }
        };
        let tied = match kind {
            ClaimKind::Ranking => tied(&arms, &whole)
                .iter()
                .map(|group| names(group))
                .collect(),
            _ => Vec::new(),
        };
        let mut assumes = Vec::new();
        assumes.extend(condorcet.then_some(Premise::Condorcet));
        assumes.push(Premise::DealtAtRandom);
        assumes.push(match self.about {
            ClaimPopulation::Panel => Premise::AnnotatorsDrawnAtRandom,
            ClaimPopulation::TheseAnnotators | ClaimPopulation::OneAnnotator => Premise::NoDrift,
        });
        let most = |margin: f64| (1e6 * (0.5 + margin)).round() / 1e6;
        Self {
            kind,
            systems: names(&arms),
            tied,
            confidence: Some(confidence),
            assumes,
            margin: margins.map(|&[differing, overall]| Margin {
                differing: most(differing),
                overall: most(overall),
            }),
            ..self
        }
    }
}

/// The groups of an order that are the very same, each in that order.
fn tied(order: &[Arm], whole: impl Fn(Arm) -> Vec<Arm>) -> Vec<Vec<Arm>> {
    let same = |one: &Arm, other: &Arm| whole(*one).contains(other);
    let groups = order.chunk_by(same).filter(|group| group.len() > 1);
    groups.map(<[Arm]>::to_vec).collect()
}

/// The confidence left to each of so many claims attempted on one page, when all hold together with
/// `confidence`: 1 − δ/m.
pub fn shared(confidence: f64, attempts: usize) -> f64 {
    match attempts {
        0 | 1 => confidence,
        many => 1.0 - (1.0 - confidence) / many as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_interface() {
        let json = |value: serde_json::Result<String>| value.unwrap();
        assert_eq!(
            json(serde_json::to_string(&ClaimKind::NearlyBest)),
            "\"nearly-best\""
        );
        let about = serde_json::to_string(&ClaimPopulation::TheseAnnotators);
        assert_eq!(json(about), "\"these-annotators\"");
        let premise = serde_json::to_string(&Premise::AnnotatorsDrawnAtRandom);
        assert_eq!(json(premise), "\"annotators-drawn-at-random\"");
        assert_eq!(json(serde_json::to_string(&Items::AtHand)), "\"at-hand\"");
    }

    #[test]
    fn several_attempts_share_the_error() {
        assert_eq!(shared(0.95, 1), 0.95);
        assert!((shared(0.95, 2) - 0.975).abs() < 1e-12);
    }
}
