//! The keys that `estimate` takes from a campaign of ratings, so that both give the same results.

use super::anytime;
use crate::campaign::folder::is_campaign;
use crate::campaign::settings::CampaignSettings;
use crate::campaign::task::{Protocol, Task};
use std::path::Path;
use tiebreak_base::error::Result;
use tiebreak_stages::stages::estimate::EstimateStage;
use tiebreak_stages::stages::sample::Sampling;

/// Returns the keys of `estimate` on a data set. In the folder of a campaign of ratings, those not `given` are as the
/// campaign was begun: confidence, people, items, and whether intervals are valid at all times.
///
/// # Errors
/// Settings of a campaign that cannot be read.
pub(crate) fn estimate_as_begun(
    data: &Path,
    keys: &EstimateStage,
    given: &dyn Fn(&str) -> bool,
) -> Result<EstimateStage> {
    let mut keys = keys.clone();
    if !is_campaign(data) || Task::wanted(data, None)?.protocol == Protocol::Pairwise {
        return Ok(keys);
    }
    let Some(begun) = CampaignSettings::<Sampling>::read(data)? else {
        return Ok(keys);
    };
    if !given("confidence") {
        keys.confidence = begun.run.confidence;
    }
    if !given("people") {
        keys.scope.people = begun.scope.people;
    }
    if !given("items") {
        keys.scope.items = begun.scope.items;
    }
    if !given("estimator") && !given("scores") {
        keys.estimator = anytime(&begun.run)?;
    }
    Ok(keys)
}
