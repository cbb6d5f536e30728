//! The doors of a campaign: the ways in which people come, the same whatever is asked.

use super::course::CampaignKeys;
use super::folder::OpenCampaign;
use tiebreak_base::error::Result;
use tiebreak_stages::engine::context::Context;

/// A way in which people come, with what is said of it.
pub trait CampaignAction {
    /// Opens a campaign, or begins it, and lets people in; how it stands then.
    ///
    /// # Errors
    /// Settings, data or a task other than the campaign was begun with; those of the journal.
    fn open<K: CampaignKeys>(
        &self,
        context: &Context<'_>,
        call: &OpenCampaign<'_, K>,
    ) -> Result<K::Status>;
}
