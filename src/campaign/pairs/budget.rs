//! The limits of a campaign of pairs: what is left of them, and how they grow.

use super::PairCampaign;
use crate::campaign::status::RemainingBudget;
use tiebreak_base::error::{Error, Key, Result};
use tiebreak_base::keys::PositiveNumber;
use tiebreak_base::message;
use tiebreak_decide::evaluation::active::{RunTrace, Stop};
use tiebreak_decide::ranking::result::RaisedBudget;
use tiebreak_stages::journal::{Journal, RunLimits};
use tiebreak_stages::stages::simulate::Count;
use tiebreak_stages::stages::simulate::prepare::PreparedRun;

/// The limits of a campaign, where they are larger than its journal has them.
///
/// # Errors
/// [`Error::Key`] for a limit that is smaller: questions that were asked under the larger one would lie beyond it.
pub(super) fn grown_limits(
    prepared: &PreparedRun<'_>,
    journal: &Journal,
) -> Result<Option<RunLimits>> {
    let limits = prepared.setup.limits();
    let now = RunLimits {
        budget: limits.annotations,
        steps: limits.steps,
        hours: prepared.keys.choices.hours.map(PositiveNumber::value),
    };
    let Some(before) = journal.limits() else {
        return Ok(None);
    };
    match now.shrunk(&before) {
        None => Ok((now != before).then_some(now)),
        Some((key, Some(was))) => {
            let what = format!("less than before ({was}); a limit may grow, and not shrink");
            Err(Error::key(key, what).with_hint(message!(
                "leave it out, or give more: {}",
                Key(key).set(&was)
            )))
        }
        Some((key, None)) => {
            let what = "the campaign began without this limit; a limit may grow, and not shrink";
            Err(Error::key(key, what).with_hint("leave it out"))
        }
    }
}

impl PairCampaign<'_> {
    /// The key and value of a limit with which a run goes on whose limit is used up: by as many answers as a verdict may
    /// take, or else twice as far.
    pub(in crate::campaign) fn larger_limit(
        &self,
        trace: &RunTrace,
        left: Option<u64>,
    ) -> (&'static str, String) {
        let limits = self.prepared.setup.limits();
        let hours = self.prepared.keys.choices.hours.map(PositiveNumber::value);
        let asked = trace.annotations;
        match hours.filter(|_| asked < limits.annotations) {
            _ if trace.stop == Stop::Steps => ("steps", limits.steps.saturating_mul(2).to_string()),
            Some(hours) => ("hours", (2.0 * hours).to_string()),
            None => (
                "budget",
                asked.saturating_add(left.unwrap_or(asked)).to_string(),
            ),
        }
    }

    /// What is left of the budget; `None` where none was given.
    pub(super) fn remaining_budget(
        &self,
        trace: &RunTrace,
        raised: &[RaisedBudget],
    ) -> Option<RemainingBudget> {
        let choices = &self.prepared.keys.choices;
        let hours = choices.hours.map(PositiveNumber::value);
        let questions = choices.budget.map(Count::value);
        (questions.is_some() || hours.is_some()).then(|| RemainingBudget {
            questions,
            questions_left: questions.map(|all| all.saturating_sub(trace.annotations)),
            hours,
            hours_left: hours.map(|all| (all - trace.spent.all.seconds / 3600.0).max(0.0)),
            raised: raised.iter().map(RaisedBudget::words).collect(),
        })
    }
}
