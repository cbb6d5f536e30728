//! The savings of an estimator at a number of judgments, and the coverage of its intervals,
//! by campaigns simulated on each system.

use super::rated::{System, systems};
use super::{MeasureEntry, MeasureSubject};
use crate::engine::context::Context;
use crate::experiments::keys::{ExperimentSettings, SamplingUncertainty};
use crate::experiments::materials::CellInputs;
use crate::experiments::outcome::{CellOutcome, QuantityEstimate};
use crate::experiments::quantity::Quantity;
use std::collections::BTreeMap;
use tiebreak_base::error::Result;
use tiebreak_base::keys::named::ParameterizedName;
use tiebreak_base::registry::find_entry;
use tiebreak_base::stats::bootstrap::{percentile_interval, replicates};
use tiebreak_base::stats::moments::Moments;
use tiebreak_decide::estimators::{ESTIMATORS, Survey, UNIFORM, probabilities};
use tiebreak_decide::evaluation::savings::{
    RecordedJudgments, SavingsSimulation, SimulatedCampaign,
};

// The estimators say themselves whether they need a metric.
pub(super) const ENTRY: MeasureEntry =
    MeasureEntry::new("savings", MeasureSubject::Campaigns, &FOUND, measure)
        .taking(&["metric", "draws", "beside", "uncertainty"])
        .called(ExperimentSettings::estimating);

const FOUND: [Quantity; 2] = [Quantity::VarianceRatio, Quantity::Coverage];

/// Resamples of the campaigns, for the precision of the results.
const RESAMPLES: u64 = 200;

/// The campaigns of one system with the plain mean, and with the estimator.
struct SystemCampaigns {
    mean: Vec<SimulatedCampaign>,
    estimator: Vec<SimulatedCampaign>,
}

fn measure(context: &Context<'_>, cell: &CellInputs<'_>) -> Result<CellOutcome> {
    let systems = systems(context, cell)?;
    let recorded = systems
        .iter()
        .map(|System { judged, .. }| RecordedJudgments::new(judged));
    let recorded: Vec<RecordedJudgments<'_>> = recorded.collect();
    let shares = match cell.keys.uncertainty {
        None => vec![None; systems.len()],
        Some(by) => shares(by, &recorded)?.into_iter().map(Some).collect(),
    };
    let mut found = Vec::new();
    for (recorded, shares) in recorded.iter().zip(&shares) {
        context.check()?;
        found.push(of_system(context, cell, recorded, shares.as_deref())?);
    }
    let all: Vec<&SystemCampaigns> = found.iter().collect();
    let mut outcome = summarise_campaigns(&all, context, cell);
    for (System { name, .. }, found) in systems.iter().zip(&found) {
        outcome
            .systems
            .push((name.clone(), summarise_campaigns(&[found], context, cell)));
    }
    Ok(outcome)
}

fn of_system(
    context: &Context<'_>,
    cell: &CellInputs<'_>,
    recorded: &RecordedJudgments<'_>,
    shares: Option<&[f64]>,
) -> Result<SystemCampaigns> {
    let survey = Survey {
        seed: context.seed,
        ..Survey::new(recorded.population())
    };
    let campaigns = |named: &ParameterizedName, shares: Option<&[f64]>| {
        let entry = find_entry("estimator", ESTIMATORS, &named.name)?;
        let campaigns = SavingsSimulation {
            recorded,
            make: &|| (entry.build.build)(&named.params, &survey),
            shares,
            n: cell.keys.budget(),
            runs: cell.keys.simulate.runs.value(),
            confidence: cell.keys.confidence(),
            seed: context.seed,
        };
        campaigns.run()
    };
    let named = cell.keys.estimator();
    Ok(SystemCampaigns {
        mean: campaigns(&ParameterizedName::new("mean"), None)?,
        estimator: campaigns(&named, shares)?,
    })
}

/// The rate at which each judged item of each system is drawn: in proportion to its uncertainty, but for the
/// usual uniform share.
fn shares(by: SamplingUncertainty, recorded: &[RecordedJudgments<'_>]) -> Result<Vec<Vec<f64>>> {
    let residuals: Vec<BTreeMap<u32, f64>> =
        recorded.iter().map(RecordedJudgments::residuals).collect();
    let of_system = |system: usize| {
        let uncertain = |item: u32| match by {
            SamplingUncertainty::Perfect => residuals[system].get(&item).copied(),
            SamplingUncertainty::Others => {
                let others = residuals.iter().enumerate().filter(|(at, _)| *at != system);
                let squares = others
                    .filter_map(|(_, of)| of.get(&item))
                    .map(|one| one * one);
                squares.collect::<Moments>().mean().map(f64::sqrt)
            }
        };
        let known: Vec<Option<f64>> = recorded[system].items().map(uncertain).collect();
        let usual = known.iter().flatten().copied().collect::<Moments>().mean();
        let usual = usual.unwrap_or_default();
        let known: Vec<f64> = known.into_iter().map(|one| one.unwrap_or(usual)).collect();
        probabilities(&known, 1, UNIFORM)
    };
    (0..recorded.len()).map(of_system).collect()
}

/// Means over systems, with intervals of how far other campaigns would have moved them.
fn summarise_campaigns(
    found: &[&SystemCampaigns],
    context: &Context<'_>,
    cell: &CellInputs<'_>,
) -> CellOutcome {
    let runs = found.first().map_or(0, |one| one.mean.len());
    let all: Vec<usize> = (0..runs).collect();
    let mut outcome = CellOutcome::default();
    for quantity in FOUND {
        let value = |runs: &[usize]| {
            let of_system = found.iter().map(|one| one.resampled(runs).value(quantity));
            of_system.collect::<Option<Moments>>()?.mean()
        };
        if let Some(found) = value(&all) {
            let mut values = replicates(runs, RESAMPLES, context.seed, value);
            let interval = percentile_interval(&mut values, cell.keys.confidence());
            outcome
                .quantities
                .insert(quantity, QuantityEstimate::bounded(found, interval));
        }
    }
    outcome
}

impl SystemCampaigns {
    fn value(&self, quantity: Quantity) -> Option<f64> {
        match quantity {
            Quantity::Coverage => SimulatedCampaign::coverage(&self.estimator),
            _ => SimulatedCampaign::variance_ratio(&self.mean, &self.estimator),
        }
    }

    fn resampled(&self, runs: &[usize]) -> Self {
        let of = |campaigns: &[SimulatedCampaign]| runs.iter().map(|&run| campaigns[run]).collect();
        Self {
            mean: of(&self.mean),
            estimator: of(&self.estimator),
        }
    }
}
