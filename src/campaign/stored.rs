//! Stores a campaign's status anew: a server that was killed left older tables, and an erasure leaves a name in them.

use super::context::CampaignContext;
use super::folder::OpenCampaign;
use super::kinds::{CampaignStatus, Notices, replay};
use super::standing_out::{self, CampaignFindings};
use tiebreak_base::error::Result;
use tiebreak_stages::engine::context::Context;
use tiebreak_stages::journal::Journal;

/// Stores the status of a campaign; no answers are taken.
///
/// # Errors
/// Data or a task other than the campaign was begun with; those of the journal.
pub(crate) fn refresh_status(
    context: &Context<'_>,
    call: &OpenCampaign<'_>,
) -> Result<CampaignStatus> {
    refresh(context, call, |_, _| Ok(None))
}

/// As [`refresh_status`], with the analysis of annotators.
///
/// # Errors
/// As [`refresh_status`]; if a result cannot be written.
pub(crate) fn refresh_tables(
    context: &Context<'_>,
    call: &OpenCampaign<'_>,
) -> Result<CampaignStatus> {
    refresh(context, call, |campaign_context, journal| {
        standing_out::store(campaign_context.context, campaign_context.folder, journal)
    })
}

fn refresh(
    context: &Context<'_>,
    call: &OpenCampaign<'_>,
    analyse: impl FnOnce(&CampaignContext<'_>, &Journal) -> Result<Option<CampaignFindings>>,
) -> Result<CampaignStatus> {
    call.with_campaign(context, None, |campaign, journal| {
        replay(campaign, journal, |run, stop, people| {
            let found = analyse(campaign.context(), people.borrow().journal())?;
            let notices = Notices {
                found,
                ..Notices::default()
            };
            run.status(stop, notices)
        })
    })
}
