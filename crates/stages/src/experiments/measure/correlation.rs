//! The correlation of a metric with people, output by output and system by system, and its worth:
//! figures 1, 3 and 5 of Chaganty, Mussmann and Liang, ACL 2018.

use super::rated::{by_system, ratings, resampling, systems};
use super::{MeasureEntry, MeasureSubject};
use crate::engine::context::Context;
use crate::experiments::materials::CellInputs;
use crate::experiments::outcome::CellOutcome;
use crate::experiments::quantity::Quantity;
use tiebreak_base::error::Result;
use tiebreak_base::stats::moments::{JointMoments, Moments};
use tiebreak_decide::estimators::{VarianceComponentSums, VarianceComponents};
use tiebreak_decide::evaluation::ratings::SystemRatings;

pub(super) const ENTRY: MeasureEntry =
    MeasureEntry::new("correlation", MeasureSubject::Ratings, &QUANTITIES, measure).of_metric();

const QUANTITIES: [Quantity; 10] = [
    Quantity::HumanMean,
    Quantity::MetricMean,
    Quantity::Correlation,
    Quantity::InstanceCorrelation,
    Quantity::SystemCorrelation,
    Quantity::Rho,
    Quantity::Gamma,
    Quantity::DataEfficiency,
    Quantity::NoiselessEfficiency,
    Quantity::PerfectEfficiency,
];

fn measure(context: &Context<'_>, cell: &CellInputs<'_>) -> Result<CellOutcome> {
    let systems = systems(context, cell)?;
    let ratings = ratings(&systems);
    let found = ratings.bounded(&resampling(context, cell), |items| {
        let outputs = ratings.outputs(items);
        let mut numbers = numbers(&outputs, together(&ratings, items));
        for one in &outputs {
            numbers.extend(self::numbers(
                std::slice::from_ref(one),
                one.means().correlation(),
            ));
        }
        numbers
    });
    let mut outcome = by_system(&systems, &QUANTITIES, &found);
    for ((_, outcome), outputs) in outcome.systems.iter_mut().zip(ratings.systems()) {
        outcome.outputs = outputs
            .iter()
            .flatten()
            .map(|one| (one.mean, one.g))
            .collect();
    }
    Ok(outcome)
}

/// The correlation over the outputs of all systems.
fn together(ratings: &SystemRatings, items: &[usize]) -> Option<f64> {
    let outputs = ratings.systems().iter();
    let outputs = outputs.flat_map(|outputs| items.iter().filter_map(|&item| outputs[item]));
    let means: JointMoments = outputs.map(|one| (one.mean, one.g)).collect();
    means.correlation()
}

/// The values of [`QUANTITIES`], in order.
fn numbers(systems: &[VarianceComponentSums], instances: Option<f64>) -> Vec<Option<f64>> {
    let mean = |of: fn(&VarianceComponentSums) -> &Moments| {
        let means = systems.iter().filter_map(|system| of(system).mean());
        means.collect::<Moments>().mean()
    };
    let means = systems.iter().map(VarianceComponentSums::means);
    let means = means.filter_map(|means| means.x().mean().zip(means.y().mean()));
    let of_systems: JointMoments = means.collect();
    let correlation = VarianceComponents::pooled_correlation(systems);
    let components = VarianceComponents::pooled(systems);
    // 1/(1 − r²) needs no repeated judgments and, with them, is the same number.
    let efficiency = correlation.map(|r| 1.0 / ((1.0 - r) * (1.0 + r)));
    vec![
        mean(|of| of.means().x()),
        mean(|of| of.means().y()),
        correlation,
        instances,
        of_systems.correlation(),
        components.and_then(|of| of.rho()),
        components.and_then(|of| of.gamma()),
        efficiency.filter(|efficiency| efficiency.is_finite()),
        components.and_then(|of| of.noiseless_efficiency()),
        components.and_then(|of| of.perfect_efficiency()),
    ]
}
