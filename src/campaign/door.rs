//! Actions on a campaign: the ways in which answers come in, the same for every protocol.

use super::course::CampaignKeys;
use super::folder::OpenCampaign;
use tiebreak_base::error::Result;
use tiebreak_stages::engine::context::Context;

/// A way in which answers come in, with its notices.
pub trait CampaignAction {
    /// Opens or begins a campaign, performs the action, and returns the status afterwards.
    ///
    /// # Errors
    /// Settings, data or a task other than the campaign was begun with; those of the journal.
    fn open<K: CampaignKeys>(
        &self,
        context: &Context<'_>,
        call: &OpenCampaign<'_, K>,
    ) -> Result<K::Status>;
}
