//! What a campaign asks, and what becomes of the answers: pairs that a bandit chooses, or outputs that were drawn to be
//! rated. The doors through which people come know no more of it than this.

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

/// The people who are asked, with their journal.
pub(crate) type AnnotatorPool<'a> = RefCell<BatchFeedback<&'a DatasetOutputs<'a>>>;

/// Keys by which a campaign is begun, and what it asks by them.
pub trait CampaignKeys: RelocatableKeys {
    /// What it asks.
    type Campaign<'a>: CampaignProtocol<Status = Self::Status>;
    /// How it stands.
    type Status: Serialize;

    /// Opens a campaign, or begins it, and works with it; `task` is what people are asked to do, where that is said.
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

/// What a campaign asks.
pub trait CampaignProtocol {
    /// Its run in progress.
    type Run<'s>: CampaignRun<Status = Self::Status>
    where
        Self: 's;
    /// How it stands.
    type Status: Serialize;

    /// What it stands on.
    fn ground(&self) -> &CampaignContext<'_>;

    /// Begins the run among people; nothing is asked yet.
    ///
    /// # Errors
    /// Those of what decides what is asked.
    fn play<'s>(&'s self, people: &'s AnnotatorPool<'s>) -> Result<Self::Run<'s>>;

    /// How many different questions a person can be asked.
    fn all_there_is(&self) -> usize;
}

/// A run in progress. It goes on for as long as questions are wanted, and may go on later.
pub trait CampaignRun {
    /// How it stands.
    type Status;

    /// Goes on until something ends the run, or until no question is wanted now: then `None`.
    ///
    /// # Errors
    /// If the journal is another's, or a question cannot be posed.
    fn go_on(&mut self) -> Result<Option<Stop>>;

    /// Whether answers still to come can change nothing.
    fn is_decided(&self) -> bool;

    /// How the campaign stands where the run stopped like this; also stored, for `report`.
    ///
    /// # Errors
    /// If it cannot be found out or stored.
    fn status(&mut self, stop: Stop, word: Notices) -> Result<Self::Status>;
}

/// What is said of a campaign beside how it stands: what was just done.
#[derive(Debug, Default)]
pub struct Notices {
    /// What was read.
    pub told: Option<ReceivedCounts>,
    /// What was written.
    pub sheet: Option<WrittenSheet>,
    /// Whose answers stand out, where that was looked for.
    pub(super) found: Option<CampaignFindings>,
    /// Whether a server has just ended.
    pub served: bool,
}

impl Notices {
    /// How far people agree, where several answered the same.
    pub(super) fn agreement(&self) -> Option<CampaignAgreement> {
        self.found.as_ref().and_then(CampaignFindings::agreement)
    }

    /// Whose answers stand out, in sentences.
    pub(super) fn findings(&self) -> Vec<String> {
        self.found
            .as_ref()
            .map_or_else(Vec::new, CampaignFindings::sentences)
    }
}

/// Plays a run as far as its journal goes, without asking anybody anything, and tells what came of it.
///
/// # Errors
/// Those of the run and of the telling; a journal of another run.
pub(super) fn replay<C: CampaignProtocol, T>(
    course: &C,
    journal: Journal,
    tell: impl FnOnce(&mut C::Run<'_>, Stop, &AnnotatorPool<'_>) -> Result<T>,
) -> Result<T> {
    let ground = course.ground();
    let people = RefCell::new(BatchFeedback::new(&ground.texts, journal, ground.way, 0));
    let mut play = course.play(&people)?;
    let stop = play.go_on()?.unwrap_or(Stop::Ended);
    people.borrow().journal().replayed()?;
    tell(&mut play, stop, &people)
}

/// Whether answers still to come can change nothing after such an end.
pub(super) fn settles(stop: Option<Stop>) -> bool {
    matches!(stop, Some(Stop::Certificate | Stop::Finished))
}
