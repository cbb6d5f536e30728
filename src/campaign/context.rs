//! The context of a campaign, whatever it asks: its folder, texts, annotators and task.

use super::task::Task;
use super::texts::DatasetOutputs;
use std::path::Path;
use tiebreak_base::rng::Seed;
use tiebreak_base::signature::Signature;
use tiebreak_base::words::counted;
use tiebreak_data::sheets::Codes;
use tiebreak_decide::feedback::dealing::People;
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
        let answered = journal.posed().filter(|posed| posed.is_settled());
        let answered = counted(answered.count() as u64, "answer");
        self.context.progress.warn(&format!(
            "the last line of the journal was cut off after {} bytes and is dropped; it had never counted. \
             {kept} and {answered} before it are kept",
            journal.torn()
        ));
    }
}

/// Whether there is any answer.
pub(super) fn is_answered(journal: &Journal) -> bool {
    let mut given = journal.posed().flat_map(PosedQuestion::puts);
    given.any(|(_, given)| given.is_some_and(Response::is_answer))
}
