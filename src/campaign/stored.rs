//! Stores a campaign's status anew for `report`: a server that was killed left older tables.

use super::course::{CampaignKeys, CampaignRun, Notices, replay};
use super::door::CampaignAction;
use super::folder::OpenCampaign;
use tiebreak_base::error::Result;
use tiebreak_stages::engine::context::Context;

/// The action that takes no answers and only stores the status.
pub(crate) struct StatusRefresh;

impl CampaignAction for StatusRefresh {
    fn open<K: CampaignKeys>(
        &self,
        context: &Context<'_>,
        call: &OpenCampaign<'_, K>,
    ) -> Result<K::Status> {
        K::with_run(context, call, None, |course, journal| {
            replay(course, journal, |play, stop, _| {
                play.status(stop, Notices::default())
            })
        })
    }
}
