//! Stores a campaign's status anew for `report`: a server that was killed left older tables.

use super::folder::OpenCampaign;
use super::kinds::{CampaignStatus, Notices, replay};
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
