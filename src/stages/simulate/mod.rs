//! `simulate`: a bandit on recorded comparisons, drawn with replacement, in one run or in many.
//!
//! Replays plan and compare: how many judgments would have been enough. What they find is no claim about
//! systems ([`crate::stages::rank`] makes those), because the same records are drawn again and again.

pub(super) mod chapter;
pub(crate) mod check;
mod choices;
pub(crate) mod credit;
mod keys;
mod known;
mod models;
mod page;
pub(crate) mod prepare;
mod recorded;
mod telling;
mod text;

use crate::engine::context::Context;
use crate::error::{Error, Result};
use crate::feedback::dealing::People;
use crate::inputs::source::{Predictions as Table, Source};
use crate::tables::json;
use crate::tables::simulation::Simulation;
pub use choices::{Bandit, Choices, Count};
pub use keys::Simulate;
pub use models::Models;
use prepare::prepare;
use std::path::Path;
pub use text::render;

/// How the stage is called: its verb, and its list in a pipeline.
pub const NAME: &str = "simulate";

/// Where a simulation lies in its folder.
pub const FILE: &str = "simulation.json";

/// Who answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feedback {
    /// The collected comparisons, drawn with replacement.
    Recorded,
    /// People.
    People(People),
}

impl Feedback {
    /// What a signature says.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Recorded => "recorded",
            Self::People(People::One) => "people",
            Self::People(People::Listed) => "listed people",
            Self::People(People::Panel) => "a panel of people",
        }
    }
}

/// What to run.
#[derive(Debug, Clone)]
pub struct SimulateOptions {
    /// How systems are compared.
    pub choices: Choices,
    /// Who answers.
    pub feedback: Feedback,
    /// Independent runs.
    pub runs: u64,
    /// Answers arrive this many questions late.
    pub delay: usize,
    /// Only so many of the systems: the best by all recorded comparisons, and others drawn by the
    /// seed; a larger number keeps those of a smaller.
    pub systems: Option<usize>,
}

impl SimulateOptions {
    /// That a data set has as many systems as are asked for.
    ///
    /// # Errors
    /// If it has fewer.
    pub fn check_systems(&self, k: usize) -> Result<()> {
        match self.systems.filter(|systems| !(2..=k).contains(systems)) {
            Some(systems) => {
                let what = format!("{systems} of the {k} systems, expected 2 to {k}");
                Err(Error::key("systems", what))
            }
            None => Ok(()),
        }
    }

    /// Those of a campaign.
    pub fn campaign(choices: &Choices, people: People) -> Self {
        Self {
            choices: choices.clone(),
            feedback: Feedback::People(people),
            runs: 1,
            delay: 0,
            systems: None,
        }
    }
}

/// Replays, with no predictions, those of one model, or those of several, of whom `adaptive` finds out
/// whose to believe. With `out`, finished runs are stored there and an interrupted command continues.
///
/// # Errors
/// Whatever does not fit together, before the first run; then those of the feedback.
pub fn run(
    context: &Context<'_>,
    source: &Source,
    models: &Models<'_>,
    options: &SimulateOptions,
    out: Option<&Path>,
) -> Result<Simulation> {
    models.keeping(|| {
        let prepared = prepare(context, source, models, options)?;
        let simulation = recorded::run(context, &prepared, out)?;
        write(&simulation, out)?;
        Ok(simulation)
    })
}

/// Stores a simulation where a folder is named.
fn write(simulation: &Simulation, out: Option<&Path>) -> Result<()> {
    out.map_or(Ok(()), |out| json::write(&out.join(FILE), simulation))
}
