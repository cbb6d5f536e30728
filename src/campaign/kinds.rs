//! The two kinds of campaign, which decide what is asked and what answers mean: pairs that a bandit chooses, or ratings
//! of sampled outputs. Actions (file, terminal, server) know no more of a campaign than this.

use super::context::CampaignContext;
use super::pairs::{PairCampaign, PairRun};
use super::rated::{self, RatingCampaign, RatingRun, RatingStatus};
use super::standing_out::CampaignFindings;
use super::status::{CampaignAgreement, ReceivedCounts, Status, WrittenSheet};
use super::text;
use super::texts::DatasetOutputs;
use serde::Serialize;
use std::cell::RefCell;
use tiebreak_base::error::Result;
use tiebreak_decide::evaluation::active::Stop;
use tiebreak_stages::journal::Journal;
use tiebreak_stages::journal::batch::BatchFeedback;

/// The annotators of a campaign, with their journal.
pub(crate) type AnnotatorPool<'a> = RefCell<BatchFeedback<&'a DatasetOutputs<'a>>>;

/// A campaign: what it asks, and what its answers mean.
#[allow(clippy::large_enum_variant)] // there is one of it
pub(crate) enum Campaign<'a> {
    /// Pairs that a bandit chooses.
    Pairs(PairCampaign<'a>),
    /// Ratings of sampled outputs.
    Ratings(RatingCampaign<'a>),
}

impl<'a> Campaign<'a> {
    /// The folder, texts, annotators and task of the campaign.
    pub(super) fn context(&self) -> &CampaignContext<'a> {
        match self {
            Self::Pairs(pairs) => &pairs.campaign_context,
            Self::Ratings(ratings) => &ratings.campaign_context,
        }
    }

    /// Begins the run; no question is asked yet.
    pub(super) fn begin_run<'s>(
        &'s self,
        people: &'s AnnotatorPool<'s>,
    ) -> Result<CampaignRun<'s>> {
        Ok(match self {
            Self::Pairs(pairs) => CampaignRun::Pairs(pairs.begin_run(people)?),
            Self::Ratings(ratings) => CampaignRun::Ratings(RatingRun::new(ratings, people)),
        })
    }

    /// The number of different questions that one annotator can be asked.
    pub(super) fn question_count(&self) -> usize {
        match self {
            Self::Pairs(pairs) => pairs.question_count(),
            Self::Ratings(ratings) => ratings.outputs.len(),
        }
    }
}

/// A run in progress. It goes on for as long as questions are wanted, and may be resumed later.
#[allow(clippy::large_enum_variant)] // there is one of it
pub(super) enum CampaignRun<'s> {
    /// The run of a bandit.
    Pairs(PairRun<'s>),
    /// The run of a plan.
    Ratings(RatingRun<'s>),
}

impl CampaignRun<'_> {
    /// Goes on until something ends the run, or until no question is wanted now: then `None`.
    ///
    /// # Errors
    /// If the journal is another's, or a question cannot be posed.
    pub(super) fn advance(&mut self) -> Result<Option<Stop>> {
        match self {
            Self::Pairs(run) => run.advance(),
            Self::Ratings(run) => run.advance(),
        }
    }

    /// Whether further answers can change nothing.
    pub(super) fn is_decided(&self) -> bool {
        match self {
            Self::Pairs(run) => run.is_decided(),
            Self::Ratings(_) => false,
        }
    }

    /// Whether an answer was corrected on which something was staked.
    pub(super) fn is_corrected(&self) -> bool {
        match self {
            Self::Pairs(run) => run.is_corrected(),
            Self::Ratings(_) => false,
        }
    }

    /// Returns the status of the campaign after such a stop; also stored, for `report`.
    pub(super) fn status(&mut self, stop: Stop, notices: Notices) -> Result<CampaignStatus> {
        let (status, stored) = self.standing(stop, notices)?;
        stored.map(|()| status)
    }

    /// Returns the status of the campaign after such a stop, and whether it could be stored.
    pub(super) fn standing(
        &mut self,
        stop: Stop,
        notices: Notices,
    ) -> Result<(CampaignStatus, Result<()>)> {
        Ok(match self {
            Self::Pairs(run) => {
                let (status, stored) = run.standing(stop, notices);
                (CampaignStatus::Pairs(Box::new(status)), stored)
            }
            Self::Ratings(run) => {
                let (status, stored) = run.standing(stop, notices)?;
                (CampaignStatus::Ratings(Box::new(status)), stored)
            }
        })
    }
}

/// The status of a campaign, as JSON the object of its kind.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum CampaignStatus {
    /// The status of a campaign of pairs.
    Pairs(Box<Status>),
    /// The status of a campaign of ratings.
    Ratings(Box<RatingStatus>),
}

impl CampaignStatus {
    /// The next step, where the campaign is at rest.
    #[cfg(feature = "serve")]
    pub(super) fn rest(&self) -> Option<&str> {
        let (state, next) = match self {
            Self::Pairs(status) => (status.state, &status.next),
            Self::Ratings(status) => (status.state, &status.next),
        };
        let next = next.strip_prefix("nothing: ").unwrap_or(next);
        state.is_at_rest().then_some(next)
    }

    /// What to know of the status.
    #[cfg(feature = "serve")]
    pub(super) fn notice(&self) -> Option<&str> {
        match self {
            Self::Pairs(status) => status.notice.as_deref(),
            Self::Ratings(status) => status.notice.as_deref(),
        }
    }

    /// Renders what `ask`, `tell` and `serve` print.
    pub(crate) fn render(&self) -> String {
        match self {
            Self::Pairs(status) => text::render(status),
            Self::Ratings(status) => rated::render(status),
        }
    }
}

/// Notices that accompany a status: what the present command did.
#[derive(Debug, Default)]
pub struct Notices {
    /// The answers that were read.
    pub(crate) told: Option<ReceivedCounts>,
    /// The sheet that was written.
    pub(crate) sheet: Option<WrittenSheet>,
    /// The annotators whose answers stand out, where that was computed.
    pub(super) found: Option<CampaignFindings>,
    /// Whether annotators answer at links, without sheets.
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
pub(super) fn replay<T>(
    campaign: &Campaign<'_>,
    journal: Journal,
    tell: impl FnOnce(&mut CampaignRun<'_>, Stop, &AnnotatorPool<'_>) -> Result<T>,
) -> Result<T> {
    let campaign_context = campaign.context();
    let people = RefCell::new(BatchFeedback::new(
        &campaign_context.texts,
        journal,
        campaign_context.ask_policy,
        0,
    ));
    let mut run = campaign.begin_run(&people)?;
    let stop = run.advance()?.unwrap_or(Stop::Ended);
    people.borrow().journal().replayed()?;
    tell(&mut run, stop, &people)
}

/// Whether further answers can change nothing after such a stop.
pub(super) fn is_final(stop: Option<Stop>) -> bool {
    matches!(stop, Some(Stop::Certificate | Stop::Finished))
}
