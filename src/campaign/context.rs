//! The context of a campaign, whatever it asks: its folder, texts, annotators and task.

use super::task::Task;
use super::texts::DatasetOutputs;
use std::collections::BTreeSet;
use std::path::Path;
use tiebreak_base::duel::DuelId;
use tiebreak_base::rng::Seed;
use tiebreak_base::signature::Signature;
use tiebreak_base::words::counted;
use tiebreak_data::sheets::Codes;
use tiebreak_decide::feedback::dealing::{AnnotatorAssignment, People};
use tiebreak_stages::engine::context::Context;
use tiebreak_stages::inputs::source::Source;
use tiebreak_stages::journal::batch::AskPolicy;
use tiebreak_stages::journal::{Journal, PosedQuestion, Response};

pub(super) struct CampaignContext<'a> {
    pub(super) folder: &'a Path,
    pub(super) context: &'a Context<'a>,
    pub(super) source: &'a Source,
    pub(super) texts: DatasetOutputs<'a>,
    /// The policy by which questions go to annotators.
    pub(super) ask_policy: AskPolicy,
    /// The task that annotators are given.
    pub(super) task: Task,
    /// The signature that codes of questions are made from: that of the journal, with the task of the first questions.
    pub(super) signature: Signature,
}

impl CampaignContext<'_> {
    /// The seed, which decides sides and order.
    pub(super) fn seed(&self) -> Seed {
        self.context.seed
    }

    /// The kind of annotators.
    pub(super) fn people(&self) -> People {
        self.ask_policy.people
    }

    /// The codes of the posed questions on sheets.
    pub(super) fn codes(&self, journal: &Journal) -> Codes {
        let ids = journal.posed().map(|posed| posed.question.duel.id.0);
        Codes::new(&self.signature, ids)
    }

    /// Warns of checks and training that sheets and the terminal do not have.
    pub(super) fn warn_unchecked(&self) {
        let checks = &self.task.checks;
        if checks.rate > 0.0 || checks.train && !checks.training.is_empty() {
            self.context.progress.warn(
                "the checks and the training of the task are shown by `tiebreak serve` only: here annotators get none",
            );
        }
    }

    /// Warns of a torn last line in the journal.
    pub(super) fn warn_truncated(&self, journal: &Journal) {
        if journal.torn() == 0 {
            return;
        }
        let kept = counted(journal.posed().count() as u64, "question");
        let answered = counted(answered(journal), "answer");
        self.context.progress.warn(&format!(
            "the last line of the journal was cut off after {} bytes and is dropped; it had never counted. \
             {kept} and {answered} before it are kept",
            journal.torn()
        ));
    }
}

/// The number of answered questions.
pub(super) fn answered(journal: &Journal) -> u64 {
    journal.posed().filter(|posed| posed.is_settled()).count() as u64
}

/// The number of answered questions that are evidence: those that annotators of the present list answered themselves, and
/// cannot take back any more.
pub(super) fn counted_answers(journal: &Journal) -> u64 {
    let held: BTreeSet<DuelId> = journal
        .held_questions()
        .filter(|put| put.second.is_none())
        .map(|put| put.id)
        .collect();
    let everybody = journal.everybody();
    let is_own = |posed: &&PosedQuestion| {
        let asked = everybody.get(posed.question.sample.person as usize);
        let by = posed
            .given
            .as_ref()
            .and_then(|given| given.annotator.as_ref());
        journal.list().is_empty() || by.is_none() || by == asked
    };
    let is_final = |posed: &&PosedQuestion| !held.contains(&posed.question.duel.id);
    let of_list = journal.posed_to_list().filter(|posed| posed.is_settled());
    of_list.filter(is_own).filter(is_final).count() as u64
}

/// The number of questions that were answered before the present list of annotators.
pub(super) fn earlier_answers(journal: &Journal) -> u64 {
    let of_list = journal.posed_to_list().filter(|posed| posed.is_settled());
    answered(journal) - of_list.count() as u64
}

/// Whether the annotator to whom a question was dealt may still answer it.
pub(super) fn is_open(posed: &PosedQuestion, dealing: &AnnotatorAssignment) -> bool {
    posed.is_open() && dealing.is_listed(posed.question.sample.person)
}

/// Whether there is any answer.
pub(super) fn is_answered(journal: &Journal) -> bool {
    let mut given = journal.posed().flat_map(PosedQuestion::puts);
    given.any(|(_, given)| given.is_some_and(Response::is_answer))
}
