//! How a live run stands: what `ask` and `tell` print.

use super::Form;
use serde::Serialize;
use std::path::PathBuf;
use tiebreak_base::claims::Claim;
use tiebreak_base::layout::percent;
use tiebreak_decide::model_based::PredictionAgreement;

/// A live run after `ask` or `tell`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Status {
    /// The system that looks best: a guess. `None` before the first answer of a person.
    pub leader: Option<String>,
    /// Who may be best, most probable first: no guarantee. With `no_winner` they sum to 1. Empty before
    /// the first answer of a person, and where the bandit has no model of the pairs.
    pub probabilities: Vec<Probability>,
    /// The probability that no system beats all others; `None` where `probabilities` is empty.
    pub no_winner: Option<f64>,
    /// The same as people read it: the first few systems, the others together, nobody. Their words add up to 100 %.
    pub chances: Vec<Chance>,
    /// How many answers, of people and of models, the probabilities rest on.
    pub answers: u64,
    /// What can be claimed.
    pub claim: Claim,
    /// The same in words.
    pub verdict: String,
    /// Why the run is over: certificate, finished, budget or steps; `None` while it goes on.
    pub stopped: Option<String>,
    /// The other systems, with the evidence against them.
    pub rivals: Vec<Rival>,
    /// How many answers a verdict may still take; `None` where that cannot be said, and once the run is over.
    pub left: Option<RemainingQuestions>,
    /// Groups of systems whose outputs never differ.
    pub identical: Vec<Vec<String>>,
    /// Systems dropped by their predictions before the first question.
    pub eliminated: Vec<String>,
    /// The annotators that are listed; none where there is one person, or a panel.
    pub annotators: Vec<String>,
    /// How far people agree, where several answered the same.
    pub agreement: Option<CampaignAgreement>,
    /// Whose answers stand out, in sentences; looked for when answers are read.
    pub findings: Vec<String>,
    /// What to know beforehand.
    pub notice: Option<String>,
    /// The questions so far.
    pub questions: Questions,
    /// Answers that no person was asked for.
    pub model_answers: u64,
    /// What people's judgments said of the predictions, where a model is to answer.
    pub predictions: Option<PredictionAgreement>,
    /// What `tell` read.
    pub told: Option<ReceivedCounts>,
    /// The sheet that `ask` wrote.
    pub sheet: Option<WrittenSheet>,
    /// What to do now, in a sentence.
    pub next: String,
}

/// How far people agree.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CampaignAgreement {
    /// `None` where it is not defined.
    pub value: Option<f64>,
    /// What it is, and of how many questions.
    pub words: String,
}

/// What is left to be asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RemainingQuestions {
    /// How many questions.
    pub questions: u64,
    /// The same in words.
    pub words: String,
}

/// A part of what is possible, as people read it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Chance {
    /// Who beats all others: one system or several that are the same, those that are not named, or nobody.
    pub name: String,
    /// From 0 to 1, neither included.
    pub probability: f64,
    /// The same as a percentage.
    pub words: String,
}

/// How probably a system beats all others, by the bandit's own model of the pairs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Probability {
    /// Its name.
    pub system: String,
    /// Systems whose outputs never differ from its own: they count as one with it, and the probability
    /// is that of all together.
    pub identical: Vec<String>,
    /// From 0 to 1.
    pub probability: f64,
}

/// A system that does not lead.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rival {
    /// Its name.
    pub system: String,
    /// How far the evidence against it has come that a certificate needs: 0 is none, 1 is enough.
    pub evidence: f64,
    /// The same in words.
    pub words: String,
}

impl Rival {
    /// A rival with so much evidence against it.
    pub(super) fn new(system: String, evidence: f64) -> Self {
        let words = match evidence < 1.0 {
            true => percent(evidence.min(0.999)),
            false => "enough".to_string(),
        };
        Self {
            system,
            evidence,
            words,
        }
    }
}

/// Questions by what came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Questions {
    /// All that people were asked.
    pub asked: u64,
    /// Of these, those with an answer.
    pub answered: u64,
    /// Those that were skipped.
    pub skipped: u64,
    /// Those still to be answered.
    pub open: u64,
    /// Those of people who are not listed any more.
    pub lost: u64,
    /// Second opinions: answers beyond the first, which show how far people agree.
    pub second: u64,
    /// Second opinions still to be given.
    pub second_open: u64,
}

/// What sheets held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct ReceivedCounts {
    /// Answers that were not known.
    pub new: u64,
    /// Answers that were told before.
    pub known: u64,
    /// Answers that were taken back.
    pub taken_back: u64,
    /// Questions newly skipped.
    pub skipped: u64,
    /// Rows without an answer.
    pub blank: u64,
    /// Answers known already whose annotator was not.
    pub named: u64,
    /// New answers that are second opinions.
    pub second: u64,
    /// New answers by others than the question was dealt to: they inform and prove nothing.
    pub others: u64,
}

/// A sheet written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WrittenSheet {
    /// Where.
    pub path: PathBuf,
    /// Questions on it.
    pub questions: u64,
    /// Of these, those that had been on a sheet before.
    pub again: u64,
    /// In which form.
    #[serde(skip)]
    pub form: Form,
}
