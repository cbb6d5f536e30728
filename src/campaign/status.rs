//! The status of a campaign of pairs: what `ask` and `tell` print.

use super::Form;
use serde::Serialize;
use std::path::PathBuf;
use tiebreak_base::claims::Claim;
use tiebreak_base::layout::{number, percent};
use tiebreak_base::words::counted;
use tiebreak_decide::model_based::PredictionAgreement;
use tiebreak_decide::ranking::result::CampaignState;

/// A campaign of pairs after `ask` or `tell`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Status {
    /// The system that looks best: a guess. `None` before the first answer of a person.
    pub leader: Option<String>,
    /// The probability of each system to be best, most probable first: no guarantee. With `no_winner` they add up to one.
    /// Empty before the first answer of a person, once it is proved who is best, and where the bandit has no model of the
    /// pairs.
    pub(crate) probabilities: Vec<Probability>,
    /// The probability that no system beats all others; `None` where `probabilities` is empty.
    pub no_winner: Option<f64>,
    /// The probabilities in words that add up to 100 %: the first few systems, the others together, no winner.
    pub(crate) chances: Vec<Chance>,
    /// The number of answers, of people and of models, that the probabilities rest on; where there are none, of all.
    pub answers: u64,
    /// The claim.
    pub claim: Claim,
    /// The verdict in words.
    pub verdict: String,
    /// The verdict in lines, the answer first.
    pub verdict_lines: Vec<String>,
    /// The reason why the run is over: certificate, finished, budget or steps; `None` while it goes on.
    pub stopped: Option<String>,
    /// What is asked from here on.
    pub state: CampaignState,
    /// The other systems, with the evidence against them.
    pub(crate) rivals: Vec<Rival>,
    /// The estimated answers until a verdict, also where the budget is used up; `None` where there is no estimate, and
    /// once nothing is left to ask.
    pub(crate) left: Option<RemainingQuestions>,
    /// What is left of the budget; `None` where none was given.
    pub(crate) budget: Option<RemainingBudget>,
    /// Groups of systems whose outputs never differ.
    pub identical: Vec<Vec<String>>,
    /// The systems dropped by their predictions before the first question.
    pub eliminated: Vec<String>,
    /// The annotators who are listed; none for one person, or a panel.
    pub annotators: Vec<String>,
    /// The agreement of annotators, where several answered the same questions.
    pub(crate) agreement: Option<CampaignAgreement>,
    /// The annotators whose answers stand out, in sentences; computed when answers are read.
    pub findings: Vec<String>,
    /// A notice at the beginning, and of skipped questions while they keep a verdict away.
    pub notice: Option<String>,
    /// The skipped questions of each annotator to whom they were dealt, most first.
    pub(crate) skipped_by: Vec<QuestionsOfAnnotator>,
    /// The questions so far.
    pub questions: Questions,
    /// The number of answers of models.
    pub model_answers: u64,
    /// The agreement of people's judgments with the predictions, where a model is to answer.
    pub predictions: Option<PredictionAgreement>,
    /// The answers that `tell` read.
    pub(crate) told: Option<ReceivedCounts>,
    /// The sheet that `ask` wrote.
    pub(crate) sheet: Option<WrittenSheet>,
    /// The next step, in a sentence.
    pub next: String,
}

/// The agreement of annotators.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct CampaignAgreement {
    /// The value; `None` where it is not defined.
    pub value: Option<f64>,
    /// The name of the coefficient, and the number of questions.
    pub words: String,
}

/// The questions that are left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct RemainingQuestions {
    /// The number of questions.
    pub questions: u64,
    /// The number in words.
    pub words: String,
}

/// What is left of a budget.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct RemainingBudget {
    /// The number of questions that may be asked; `None` without such a limit.
    pub questions: Option<u64>,
    /// The number of these that are left.
    pub questions_left: Option<u64>,
    /// The hours of answering; `None` without such a limit.
    pub hours: Option<f64>,
    pub hours_left: Option<f64>,
    /// When it was raised, in words, oldest first.
    pub raised: Vec<String>,
}

impl RemainingBudget {
    /// What is left, in words.
    pub(super) fn words(&self) -> String {
        let questions = self.questions_left.zip(self.questions);
        let questions =
            questions.map(|(left, all)| format!("{left} of {} left", counted(all, "question")));
        let hours = self.hours_left.zip(self.hours);
        let hours =
            hours.map(|(left, all)| format!("{} of {} hours left", number(left), number(all)));
        let parts = questions.into_iter().chain(hours);
        let parts: Vec<String> = parts.chain(self.raised.iter().cloned()).collect();
        parts.join("; ")
    }
}

/// A share of the probability of being best, for people.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Chance {
    /// The holder: one system or several identical ones, those that are not named, or no system.
    pub name: String,
    /// The probability, from 0 to 1, neither included.
    pub probability: f64,
    /// The probability as a percentage.
    pub words: String,
}

/// The probability that a system beats all others, by the bandit's own model of the pairs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Probability {
    /// The name of the system.
    pub system: String,
    /// The systems whose outputs never differ from its own: they count as one with it and share the probability.
    pub identical: Vec<String>,
    /// The probability, from 0 to 1.
    pub probability: f64,
}

/// A system that does not lead.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Rival {
    /// The name of the system.
    pub system: String,
    /// The evidence against it as a share of what a certificate needs: 0 is none, 1 is enough.
    pub evidence: f64,
    /// The evidence in words.
    pub words: String,
}

impl Rival {
    /// A rival with so much evidence that the leader beats it. One that others beat may be ruled out as best before.
    pub(super) fn new(system: String, evidence: f64, is_ruled_out: bool) -> Self {
        let share = percent(evidence.min(0.999));
        let words = match (evidence < 1.0, is_ruled_out) {
            (true, false) => share,
            (true, true) => format!("{share}, already ruled out as best"),
            (false, _) => "enough".to_string(),
        };
        Self {
            system,
            evidence,
            words,
        }
    }
}

/// Counts of questions by their state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Questions {
    /// The questions that were asked.
    pub asked: u64,
    /// The questions with an answer.
    pub answered: u64,
    /// The questions that were skipped.
    pub skipped: u64,
    /// The questions still to be answered.
    pub open: u64,
    /// The questions of people who are not listed any more.
    pub lost: u64,
    /// Second opinions: answers beyond the first, which show how far people agree.
    pub second: u64,
    /// Second opinions still to be given.
    pub second_open: u64,
    /// Second opinions that were skipped: with the skipped questions, all skips of annotators.
    pub second_skipped: u64,
}

/// Questions of one annotator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct QuestionsOfAnnotator {
    /// The annotator's name; `None` for one without a name.
    pub annotator: Option<String>,
    /// The number of questions.
    pub questions: u64,
}

/// Counts of what sheets held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub(crate) struct ReceivedCounts {
    /// Answers that are new.
    pub new: u64,
    /// Answers that were known.
    pub known: u64,
    /// Answers that were taken back.
    pub taken_back: u64,
    /// Questions newly skipped.
    pub skipped: u64,
    /// Rows without an answer.
    pub blank: u64,
    /// Known answers that now have an annotator.
    pub named: u64,
    /// New answers that are second opinions.
    pub second: u64,
    /// New answers by others than the question was dealt to: they inform and prove nothing.
    pub others: u64,
    /// Whether the annotators are a panel, of which each has one sheet.
    #[serde(skip)]
    pub is_of_panel: bool,
}

/// A sheet written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct WrittenSheet {
    pub path: PathBuf,
    /// The number of questions on it.
    pub questions: u64,
    /// The number of these that were on a sheet before.
    pub again: u64,
    /// The number of new questions that were asked for.
    #[serde(skip)]
    pub wanted: u64,
    #[serde(skip)]
    pub form: Form,
}
