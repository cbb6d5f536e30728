//! Samples of the outputs that people are to rate, with their probabilities.
//!
//! The budget is divided evenly among the systems. Each system's outputs are drawn evenly, in
//! proportion to uncertainties, or by stratum, as its outputs and the spread of earlier judgments ask
//! for. Every output drawn keeps the probability it had, by which the estimator `active` weighs its
//! judgment; `stratified` needs only the strata.

mod keys;
mod outputs;

pub use keys::Sampling;

use crate::engine::context::Context;
use crate::inputs::source::Source;
use outputs::SamplingFrame;
use std::path::Path;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::rng::Seed;
use tiebreak_decide::estimators::{choose, probabilities};

/// The options of a draw.
pub struct SampleOptions<'a> {
    /// Outputs to judge, of all systems together.
    pub budget: u64,
    /// The sampling method.
    pub by: SamplingMethod<'a>,
}

/// The method by which outputs are drawn.
#[derive(Debug, Clone, Copy)]
pub enum SamplingMethod<'a> {
    /// Evenly.
    Chance,
    /// In proportion to a table of uncertainties, but for a share that is spread evenly.
    Uncertainty {
        /// Columns `item`, `uncertainty` and, unless all systems share them, `system`.
        table: &'a Path,
        /// The even share, from 0 to 1.
        uniform: f64,
    },
    /// Stratum by stratum.
    Strata {
        /// Columns `item`, `stratum` and, unless all systems share them, `system`.
        table: &'a Path,
        /// A criterion by which some outputs were judged before: strata whose judgments vary more
        /// get more. Without it all strata get the same share of their outputs.
        criterion: Option<&'a str>,
    },
}

/// An output to be judged.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct SampledOutput {
    /// The place of its item.
    pub item: u64,
    /// The place of its system.
    pub system: usize,
    /// The probability that it would be drawn.
    pub probability: f64,
}

impl SampleOptions<'_> {
    /// Draws outputs, system by system.
    ///
    /// # Errors
    /// A budget of less than one output for each system; a table that does not fit the data set or
    /// leaves out an output; strata with a budget too small for them.
    pub fn draw(&self, context: &Context<'_>, source: &Source) -> Result<Vec<SampledOutput>> {
        let systems = source.systems().len() as u64;
        let SampleOptions { budget, by } = *self;
        if budget < systems {
            let what = format!(
                "a budget of {budget}, expected at least one output of each of {systems} systems"
            );
            return Err(Error::usage(what));
        }
        let uniform = match by {
            SamplingMethod::Uncertainty { uniform, .. } => uniform,
            SamplingMethod::Chance | SamplingMethod::Strata { .. } => 1.0,
        };
        let outputs = SamplingFrame::gather(context, source, by)?;
        let mut all = Vec::new();
        for system in 0..source.systems().len() {
            let share = budget / systems + u64::from((system as u64) < budget % systems);
            // A stream of its own: what is drawn of one system does not depend on the others.
            let seed = context
                .seed
                .stream("sampled system", system as u64)
                .next_u64();
            let strata = outputs.strata(system, share)?;
            for (stratum, (outputs, n)) in strata.into_iter().enumerate() {
                let seed = Seed(seed.wrapping_add(stratum as u64));
                let uncertainties: Vec<f64> = outputs.iter().map(|one| one.uncertainty).collect();
                let wanted = probabilities(&uncertainties, n as usize, uniform)?;
                all.extend(choose(&wanted, seed).into_iter().map(|at| SampledOutput {
                    item: outputs[at].item,
                    system,
                    probability: wanted[at],
                }));
            }
        }
        Ok(all)
    }
}
