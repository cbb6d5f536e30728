//! What a campaign stands on, whatever it asks: its folder, texts, people and task.

use super::task::Task;
use super::texts::DatasetOutputs;
use std::path::Path;
use tiebreak_base::rng::Seed;
use tiebreak_base::signature::Signature;
use tiebreak_data::sheets::Codes;
use tiebreak_decide::feedback::dealing::{AnnotatorAssignment, People};
use tiebreak_stages::engine::context::Context;
use tiebreak_stages::inputs::source::Source;
use tiebreak_stages::journal::batch::AskPolicy;
use tiebreak_stages::journal::{Journal, PosedQuestion, Response};

/// What a campaign stands on.
pub struct CampaignContext<'a> {
    pub(super) folder: &'a Path,
    pub(super) context: &'a Context<'a>,
    pub(super) source: &'a Source,
    pub(super) texts: DatasetOutputs<'a>,
    /// How questions are put to people.
    pub(super) way: AskPolicy,
    /// What they are asked to do.
    pub(super) task: Task,
    /// What the journal belongs to.
    pub(super) signature: Signature,
}

impl CampaignContext<'_> {
    /// The seed, which decides sides and order.
    pub(super) fn seed(&self) -> Seed {
        self.context.seed
    }

    /// Who is asked.
    pub(super) fn people(&self) -> People {
        self.way.people
    }

    /// What the questions posed are called on sheets.
    pub(super) fn codes(&self, journal: &Journal) -> Codes {
        let ids = journal.posed().map(|posed| posed.question.duel.id.0);
        Codes::new(&self.signature, ids)
    }

    /// Says what a journal lost when its last line was torn.
    pub(super) fn say_torn(&self, journal: &Journal) {
        if journal.torn() == 0 {
            return;
        }
        let (kept, answered) = (journal.posed().count(), answered(journal));
        self.context.progress.warn(&format!(
            "the journal ended in the middle of a line of {} bytes, which never took effect and is gone; \
             {kept} questions and {answered} answers before it are kept",
            journal.torn()
        ));
    }
}

/// How many questions were answered.
pub(super) fn answered(journal: &Journal) -> u64 {
    journal.posed().filter(|posed| posed.is_settled()).count() as u64
}

/// Whether a question may still be answered by whom it was dealt to.
pub(super) fn is_open(posed: &PosedQuestion, dealing: &AnnotatorAssignment) -> bool {
    posed.is_open() && dealing.is_listed(posed.question.sample.person)
}

/// Whether anybody answered anything.
pub(super) fn is_answered(journal: &Journal) -> bool {
    let mut given = journal.posed().flat_map(PosedQuestion::puts);
    given.any(|(_, given)| given.is_some_and(Response::is_answer))
}
