//! Protocols of campaigns, which decide what is asked and what answers mean: pairs that a bandit chooses, or ratings of
//! sampled outputs. Actions (file, terminal, server) know no more of a campaign than this.

use super::folder::OpenCampaign;
use super::ground::CampaignContext;
use super::settings::RelocatableKeys;
use super::standing_out::CampaignFindings;
use super::status::{CampaignAgreement, ReceivedCounts, WrittenSheet};
use super::texts::DatasetOutputs;
use serde::Serialize;
use std::cell::RefCell;
use tiebreak_base::error::Result;
use tiebreak_decide::evaluation::active::Stop;
use tiebreak_stages::engine::context::Context;
use tiebreak_stages::journal::Journal;
use tiebreak_stages::journal::batch::BatchFeedback;

/// The annotators of a campaign, with their journal.
pub(crate) type AnnotatorPool<'a> = RefCell<BatchFeedback<&'a DatasetOutputs<'a>>>;

/// The keys with which a campaign is begun, and the protocol that they set up.
pub trait CampaignKeys: RelocatableKeys {
    /// The protocol.
    type Campaign<'a>: CampaignProtocol<Status = Self::Status>;
    /// The status of such a campaign.
    type Status: Serialize;

    /// Opens or begins a campaign and works with it; `task` is the task that annotators are given, if one is named.
    ///
    /// # Errors
    /// Settings, data or a task other than the campaign was begun with; those of the journal and of the work.
    fn with_run<T>(
        context: &Context<'_>,
        call: &OpenCampaign<'_, Self>,
        task: Option<&str>,
        work: impl FnOnce(&Self::Campaign<'_>, Journal) -> Result<T>,
    ) -> Result<T>;
}

/// The protocol of a campaign: what it asks.
pub trait CampaignProtocol {
    /// The run in progress.
    type Run<'s>: CampaignRun<Status = Self::Status>
    where
        Self: 's;
    /// The status of the campaign.
    type Status: Serialize;

    /// The folder, texts, annotators and task of the campaign.
    fn context(&self) -> &CampaignContext<'_>;

    /// Begins the run; no question is asked yet.
    ///
    /// # Errors
    /// The errors of the method that chooses questions.
    fn begin_run<'s>(&'s self, people: &'s AnnotatorPool<'s>) -> Result<Self::Run<'s>>;

    /// The number of different questions that one annotator can be asked.
    fn question_count(&self) -> usize;
}

/// A run in progress. It goes on for as long as questions are wanted, and may be resumed later.
pub trait CampaignRun {
    /// The status of the campaign.
    type Status;

    /// Goes on until something ends the run, or until no question is wanted now: then `None`.
    ///
    /// # Errors
    /// If the journal is another's, or a question cannot be posed.
    fn advance(&mut self) -> Result<Option<Stop>>;

    /// Whether further answers can change nothing.
    fn is_decided(&self) -> bool;

    /// Returns the status of the campaign after such a stop; also stored, for `report`.
    ///
    /// # Errors
    /// If it cannot be found out or stored.
    fn status(&mut self, stop: Stop, word: Notices) -> Result<Self::Status>;
}

/// Notices that accompany a status: what the present command did.
#[derive(Debug, Default)]
pub struct Notices {
    /// The answers that were read.
    pub told: Option<ReceivedCounts>,
    /// The sheet that was written.
    pub sheet: Option<WrittenSheet>,
    /// The annotators whose answers stand out, where that was computed.
    pub(super) found: Option<CampaignFindings>,
    /// Whether a server has just ended.
    pub served: bool,
}

impl Notices {
    /// The agreement of annotators, where several answered the same questions.
    pub(super) fn agreement(&self) -> Option<CampaignAgreement> {
        self.found.as_ref().and_then(CampaignFindings::agreement)
    }

    /// The annotators whose answers stand out, in sentences.
    pub(super) fn findings(&self) -> Vec<String> {
        self.found
            .as_ref()
            .map_or_else(Vec::new, CampaignFindings::sentences)
    }
}

/// Replays a run as far as its journal goes, without asking any question, and passes the result to `tell`.
///
/// # Errors
/// Those of the run and of `tell`; a journal of another run.
pub(super) fn replay<C: CampaignProtocol, T>(
    course: &C,
    journal: Journal,
    tell: impl FnOnce(&mut C::Run<'_>, Stop, &AnnotatorPool<'_>) -> Result<T>,
) -> Result<T> {
    let ground = course.context();
    let people = RefCell::new(BatchFeedback::new(&ground.texts, journal, ground.way, 0));
    let mut play = course.begin_run(&people)?;
    let stop = play.advance()?.unwrap_or(Stop::Ended);
    people.borrow().journal().replayed()?;
    tell(&mut play, stop, &people)
}

/// Whether further answers can change nothing after such a stop.
pub(super) fn is_final(stop: Option<Stop>) -> bool {
    matches!(stop, Some(Stop::Certificate | Stop::Finished))
}
