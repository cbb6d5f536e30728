//! `simulate`: a bandit on recorded comparisons, or a race by recorded scores, in one run or in many.
//!
//! Replays plan and compare: how many judgments would have been enough. What they find is no claim about
//! systems ([`crate::stages::rank`] makes those), because the same records are drawn again and again.

pub(crate) mod check;
mod choices;
pub mod credit;
mod keys;
mod known;
mod models;
mod outcome;
pub mod prepare;
mod recorded;
mod scores;
pub mod summary;
pub(super) mod tell;

use crate::engine::context::Context;
use crate::inputs::source::Source;
use crate::stages::simulate::summary::Simulation;
pub use choices::{Choices, Count};
pub use keys::Simulate;
pub use models::Models;
use prepare::prepare;
pub use scores::ScoreSimulation;
pub use scores::SimulateStage;
use serde::{Deserialize, Serialize};
use std::path::Path;
use tiebreak_base::error::Result;
use tiebreak_data::tables::json;
use tiebreak_decide::feedback::dealing::People;

/// The stage's name: its verb, and its list in a pipeline.
pub(crate) const NAME: &str = "simulate";

/// The name of a simulation's file in its folder.
pub(crate) const FILE: &str = "simulation.json";

/// The source of answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feedback {
    /// The collected comparisons.
    Recorded,
    /// People.
    People(People),
}

impl Feedback {
    /// The name in signatures.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Recorded => "recorded",
            Self::People(People::One) => "people",
            Self::People(People::Listed) => "listed people",
            Self::People(People::Panel) => "a panel of people",
        }
    }
}

/// Replays without predictions, with those of one model, or with those of several, among which `adaptive`
/// learns whose to believe. With `out`, finished runs are stored there and an interrupted command continues.
///
/// # Errors
/// Choices that do not fit together, before the first run; then those of the feedback.
pub(crate) fn run(
    context: &Context<'_>,
    source: &Source,
    models: &Models<'_>,
    keys: &Simulate,
    out: Option<&Path>,
) -> Result<Simulation> {
    models.keeping(|| {
        let prepared = prepare(context, source, models, keys, Feedback::Recorded)?;
        let simulation = recorded::run(context, &prepared, out)?;
        write(&simulation, out)?;
        Ok(simulation)
    })
}

/// The outcome of replays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Replays {
    /// Of comparisons.
    Comparisons(Box<Simulation>),
    /// Of scores.
    Scores(Box<ScoreSimulation>),
}

impl Replays {
    /// The signature of the numbers.
    fn signature(&self) -> &str {
        match self {
            Self::Comparisons(found) => &found.signature,
            Self::Scores(found) => &found.signature,
        }
    }

    fn seed(&self) -> u64 {
        match self {
            Self::Comparisons(found) => found.seed,
            Self::Scores(found) => found.seed,
        }
    }
}

/// Stores a simulation where a folder is named.
fn write(simulation: &impl Serialize, out: Option<&Path>) -> Result<()> {
    out.map_or(Ok(()), |out| {
        json::write_result(&out.join(FILE), simulation)
    })
}
