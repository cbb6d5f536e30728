//! Claims about systems, and the premises under which they hold.
//!
//! A claim is data: one place per kind of data ([`Basis`]) makes it, another (its [`Display`](std::fmt::Display)) words it.
//! Nothing prints a confidence that is not a claim's. Replays of recorded comparisons have none.

mod open;
mod skips;
mod text;

pub use skips::SkipPremise;

use crate::duel::{Arm, Verdict};
use crate::error::Flag;
use serde::{Deserialize, Serialize};

/// A claim: what holds, for whom, how surely and under which premises.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// The kind of claim.
    pub kind: ClaimKind,
    /// The systems that the claim names: the best, with those of identical outputs; the top k; all in order.
    /// Empty where nothing is claimed.
    pub systems: Vec<String>,
    /// The groups of a ranking whose outputs are identical: they share their places.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tied: Vec<Vec<String>>,
    /// The systems that were judged, among which the claim holds.
    pub among: Vec<String>,
    /// The probability with which such claims are right, after its share of δ; null where nothing is
    /// claimed.
    pub confidence: Option<f64>,
    /// The premises that the claim assumes.
    pub assumes: Vec<Premise>,
    /// The premise about skipped questions, chosen before the first one.
    #[serde(default, skip_serializing_if = "is_worst_case")]
    pub skips: SkipPremise,
    /// The people whose preferences the claim is about, or the judge.
    pub about: ClaimPopulation,
    /// The judge by whose verdicts the claim is made, where these are not people's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<String>,
    /// The number of annotators who answered.
    pub annotators: u64,
    /// The items that the claim is about.
    pub items: Items,
    /// The kind of data that the claim was inferred from.
    pub basis: Basis,
    /// The number of people's answers, or of a judge's verdicts, that the claim rests on.
    pub n: u64,
    /// The number of a model's answers that the claim rests on, too.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub model_answers: u64,
    /// The margins of a nearly best system: how much better another one may be at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<Margin>,
    /// The reason why nothing is claimed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<NoClaimReason>,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // the signature that serde calls
fn is_worst_case(skips: &SkipPremise) -> bool {
    *skips == SkipPremise::WorstCase
}

#[allow(clippy::trivially_copy_pass_by_ref)] // the signature that serde calls
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The kinds of claim.
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

/// A premise that a claim assumes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Premise {
    /// The system, top k or order sought exists: it beats every other one, all beat all the others, each
    /// beats those after it.
    Condorcet,
    /// What was compared, and how much, did not depend on answers or predictions.
    NotAdaptive,
    /// There are enough answers for normal approximations.
    LargeSample,
    /// Strengths predict who would win where two systems were never compared with each other.
    Transitive,
    /// Annotators did not change their minds during the campaign.
    NoDrift,
    /// Item and annotator of every question were drawn at random, independently of all answers.
    DealtAtRandom,
    /// The annotators were drawn at random from the people that the claim is about.
    AnnotatorsDrawnAtRandom,
    /// What [`SkipPremise`] says of the annotators who skipped a question.
    Skips,
    /// No score depends on the order in which scores are made, and no answer on that of questions. The claim is about
    /// what all scores or answers would be, each made once.
    OrderFree,
    /// The items are a random sample of those that the claim is about.
    ItemsDrawnAtRandom,
    /// Scores that were taken back were wrong, which is why they were.
    CorrectedForCause,
    /// The judge or the annotators, who were not shown the systems of a pair first equally often, favour neither place.
    PositionFree,
}

/// The people whose preferences a claim is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimPopulation {
    /// The people that the annotators were drawn from.
    Panel,
    /// The annotators who answered.
    TheseAnnotators,
    /// One annotator; answers without names are taken to be one annotator's.
    OneAnnotator,
    /// A judge that is a program: nobody answered.
    Judge,
    /// Scores by a program, whose means are compared.
    Scores,
}

/// The items that a claim is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Items {
    /// The items of the data set.
    AtHand,
    /// All items that the data set is a sample of.
    AtLarge,
}

/// The kind of data that a claim was inferred from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// Collected comparisons, each used once, in no order.
    Inference,
    /// The questions of a campaign, one after the other, as the journal records them.
    Campaign,
}

/// The largest share of comparisons that another system may win, a tie counting one half; of scores, how much higher
/// another system's mean may be (both numbers are the same).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Margin {
    /// The share on items where the two outputs differ.
    pub differing: f64,
    /// The share over all items.
    pub overall: f64,
}

/// Returns the next step of a campaign in the folder `run` whose evidence is lost, see [`NoClaimReason::Corrected`].
pub fn begin_another(run: &str) -> String {
    let export = format!(
        "tiebreak export {run} {} answers {} answers.csv",
        Flag("as"),
        Flag("out")
    );
    format!("begin another campaign, in a new folder; this one's answers: {export}")
}

/// The reason why nothing is claimed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoClaimReason {
    /// There are no answers.
    NoAnswers,
    /// The answers do not separate these systems; no other one is a candidate.
    NotToldApart(Vec<String>),
    /// The outputs of all systems are the same.
    SameOutputs,
    /// No system beats all others.
    NoWinner,
    /// Strengths put one system first, but its own comparisons do not show that it beats these.
    OwnDuels(Vec<String>),
    /// A model chose the questions or annotators, or answered, without audits by people: an exploration.
    Unaudited,
    /// It was not fixed beforehand who answers which question.
    NotDealt,
    /// So many answers that the evidence counts were taken back and not given again yet.
    TakenBack(u64),
    /// Answers that the evidence counts were corrected later, in content or in annotator.
    Corrected,
    /// The bandit proves nothing.
    NoCertificate,
    /// Strengths are for outputs of equal style, which were not judged.
    StyleHeld,
    /// The choice of comparisons is associated with the predictions.
    ComparedByPrediction,
    /// Predictions dropped all systems but this one before people could be asked.
    Eliminated(String),
}

impl Claim {
    /// The claim of nothing about these systems, from so many answers of one annotator on the items at hand.
    pub fn undecided(among: Vec<String>, basis: Basis, n: u64) -> Self {
        Self {
            kind: ClaimKind::Undecided,
            systems: Vec::new(),
            tied: Vec::new(),
            among,
            confidence: None,
            assumes: Vec::new(),
            skips: SkipPremise::WorstCase,
            about: ClaimPopulation::OneAnnotator,
            judge: None,
            annotators: 1,
            items: Items::AtHand,
            basis,
            n,
            model_answers: 0,
            margin: None,
            why: None,
        }
    }

    /// Whether it is about what each item's answers or scores would be, and not about means behind them.
    pub(crate) fn is_of_answers(&self) -> bool {
        self.assumes.contains(&Premise::OrderFree)
    }

    /// Whether something is claimed.
    pub fn is_made(&self) -> bool {
        self.kind != ClaimKind::Undecided
    }

    /// Withdraws the claim, for a reason.
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
    /// Completes an empty claim with a proved verdict. `whole` gives the systems whose outputs are
    /// identical to one's, itself included; `open` is why nothing is claimed while the verdict is open. A claim that
    /// assumes [`Premise::OrderFree`] is about the answers alone.
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
            _ if self.is_of_answers() => Premise::OrderFree,
            _ => Premise::NoDrift,
        });
        assumes.extend(self.skips.assumption().map(|_| Premise::Skips));
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

/// Returns the groups of a ranking whose outputs are identical, each in that order.
fn tied(order: &[Arm], whole: impl Fn(Arm) -> Vec<Arm>) -> Vec<Vec<Arm>> {
    let same = |one: &Arm, other: &Arm| whole(*one).contains(other);
    let groups = order.chunk_by(same).filter(|group| group.len() > 1);
    groups.map(<[Arm]>::to_vec).collect()
}

/// Returns the confidence of each of `attempts` claims on one page, when all hold together with `confidence`:
/// 1 − δ/m.
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
