//! Stores a campaign's status anew: a server that was killed left older tables, and an erasure leaves a name in them.

use super::folder::OpenCampaign;
use super::kinds::{CampaignStatus, Notices, replay};
use super::standing_out;
use tiebreak_base::error::Result;
use tiebreak_stages::engine::context::Context;

/// Stores the status of a campaign; no answers are taken.
///
/// # Errors
/// Data or a task other than the campaign was begun with; those of the journal.
pub(crate) fn refresh_status(
    context: &Context<'_>,
    call: &OpenCampaign<'_>,
) -> Result<CampaignStatus> {
    call.with_campaign(context, None, |campaign, journal| {
        replay(campaign, journal, |run, stop, _| {
            run.status(stop, Notices::default())
        })
    })
}

/// As [`refresh_status`], with the analysis of annotators.
///
/// # Errors
/// As [`refresh_status`].
pub(crate) fn refresh_tables(
    context: &Context<'_>,
    call: &OpenCampaign<'_>,
) -> Result<CampaignStatus> {
    call.with_campaign(context, None, |campaign, journal| {
        replay(campaign, journal, |run, stop, people| {
            let ground = campaign.context();
            let batch = people.borrow();
            let found = standing_out::store(ground.context, ground.folder, batch.journal())?;
            drop(batch);
            let notices = Notices {
                found,
                ..Notices::default()
            };
            run.status(stop, notices)
        })
    })
}
