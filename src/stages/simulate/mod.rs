//! `simulate`: a bandit on recorded comparisons, drawn with replacement, in one run or in many.
//!
//! Replays plan and compare: how many judgments would have been enough. What they find is no claim about
//! systems ([`crate::stages::rank`] makes those), because the same records are drawn again and again.

pub(crate) mod check;
pub(crate) mod credit;
mod known;
mod models;
pub(crate) mod prepare;
mod recorded;
mod telling;

use crate::engine::context::Context;
use crate::error::{Error, Result};
use crate::feedback::dealing::People;
use crate::inputs::source::{Predictions as Table, Source};
use crate::keys::named::Named;
use crate::keys::setting::{Audit, Eliminate, Setting};
use crate::stages::spec::{Select, Simulate};
use crate::tables::file::write_atomically;
use crate::tables::simulation::Simulation;
pub use models::Models;
pub(crate) use models::named;
use prepare::prepare;
use std::path::Path;

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
#[allow(missing_docs)] // as in `spec::Simulate`
pub struct Options {
    pub bandit: Named,
    pub feedback: Feedback,
    pub runs: u64,
    pub budget: Option<u64>,
    pub steps: Option<u64>,
    pub mix: Option<Setting>,
    pub select: Option<Select>,
    pub audit: Option<Audit>,
    pub eliminate: Option<Eliminate>,
    pub delay: usize,
    pub confidence: f64,
    /// Only so many of the systems: the best by all recorded comparisons, and others drawn by the
    /// seed; a larger number keeps those of a smaller.
    pub systems: Option<usize>,
}

impl Options {
    /// Those of a stage, for whoever answers.
    pub fn new(stage: &Simulate, feedback: Feedback) -> Self {
        Self {
            bandit: stage.bandit.get_ref().clone(),
            feedback,
            runs: stage.runs,
            budget: stage.budget,
            steps: stage.steps,
            mix: stage.mix,
            select: stage.select,
            audit: stage.audit,
            eliminate: stage.eliminate,
            delay: stage.delay,
            confidence: stage.confidence,
            systems: None,
        }
    }
}

/// Replays, with no predictions, those of one model, or those of several, of whose margins `adaptive`
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
    let Some(out) = out else {
        return Ok(());
    };
    let text = serde_json::to_string_pretty(simulation).map_err(Error::failed)? + "\n";
    write_atomically(&out.join(FILE), text.as_bytes())
}
