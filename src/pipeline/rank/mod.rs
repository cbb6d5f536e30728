//! `rank`: the top-ranked system by a dueling bandit, in one run or in many.

mod all;
pub(in crate::pipeline) mod check;
mod credit;
mod known;
pub mod live;
mod models;
mod prepare;
mod recorded;
mod strengths;
mod telling;

use super::context::Context;
use super::named::Named;
use super::setting::{Eliminate, Setting};
use super::source::{Predictions as Table, Source};
use super::spec::{Feedback, Rank, Select};
use crate::error::{Error, Result};
use crate::tables::file::write_atomically;
use crate::tables::ranking::Ranking;
pub use all::all;
pub use models::Models;
use prepare::prepare;
use std::path::Path;

/// What to run.
#[derive(Debug, Clone)]
#[allow(missing_docs)] // as in `spec::Rank`
pub struct Options {
    pub bandit: Named,
    pub feedback: Feedback,
    pub runs: u64,
    pub budget: Option<u64>,
    pub steps: Option<u64>,
    pub mix: Option<Setting>,
    pub select: Option<Select>,
    pub eliminate: Option<Eliminate>,
    pub delay: usize,
    pub confidence: f64,
    /// Only so many of the systems: the best by all recorded comparisons, and others drawn by the
    /// seed; a larger number keeps those of a smaller.
    pub systems: Option<usize>,
}

impl From<&Rank> for Options {
    fn from(rank: &Rank) -> Self {
        Self {
            bandit: rank.bandit.get_ref().clone(),
            feedback: rank.feedback,
            runs: rank.runs,
            budget: rank.budget,
            steps: rank.steps,
            mix: rank.mix,
            select: rank.select,
            eliminate: rank.eliminate,
            delay: rank.delay,
            confidence: rank.confidence,
            systems: None,
        }
    }
}

/// Ranks, with no predictions, those of one model, or those of several, of whose margins `adaptive`
/// starts from the mean. With `out`, finished runs are stored there and an interrupted command continues.
///
/// # Errors
/// Whatever does not fit together, before the first run; then those of the feedback.
pub fn run(
    context: &Context<'_>,
    source: &Source,
    models: &Models<'_>,
    options: &Options,
    out: Option<&Path>,
) -> Result<Ranking> {
    models.keeping(|| {
        let prepared = prepare(context, source, models, options)?;
        let ranking = match options.feedback {
            Feedback::Console => return live::console::run(context, &prepared, out),
            Feedback::Recorded => recorded::run(context, &prepared, out)?,
        };
        write(&ranking, out)?;
        Ok(ranking)
    })
}

/// Stores a ranking where a folder is named.
fn write(ranking: &Ranking, out: Option<&Path>) -> Result<()> {
    let Some(out) = out else {
        return Ok(());
    };
    let text = serde_json::to_string_pretty(ranking).map_err(Error::failed)? + "\n";
    write_atomically(&out.join("ranking.json"), text.as_bytes())
}
