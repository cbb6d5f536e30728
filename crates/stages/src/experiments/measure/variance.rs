//! The contribution of outputs and annotators to the variance of judgments, for each system and
//! pooled within systems: table 2 of Chaganty, Mussmann and Liang, ACL 2018.

use super::rated::{System, by_system, ratings, resampling, systems};
use super::{MeasureEntry, MeasureSubject};
use crate::engine::context::Context;
use crate::experiments::materials::CellInputs;
use crate::experiments::outcome::{CellOutcome, QuantityEstimate};
use crate::experiments::quantity::Quantity;
use tiebreak_base::error::Result;
use tiebreak_base::stats::moments::Moments;
use tiebreak_decide::estimators::{VarianceComponentSums, VarianceComponents};

pub(super) const ENTRY: MeasureEntry = MeasureEntry::new(
    "variance",
    MeasureSubject::Ratings,
    &[
        Quantity::Items,
        Quantity::Judgments,
        Quantity::HumanMean,
        Quantity::Signal,
        Quantity::Noise,
        Quantity::Gamma,
    ],
    measure,
);

const QUANTITIES: [Quantity; 4] = [
    Quantity::HumanMean,
    Quantity::Signal,
    Quantity::Noise,
    Quantity::Gamma,
];

fn measure(context: &Context<'_>, cell: &CellInputs<'_>) -> Result<CellOutcome> {
    let systems = systems(context, cell)?;
    let ratings = ratings(&systems);
    let found = ratings.bounded(&resampling(context, cell), |items| {
        let outputs = ratings.outputs(items);
        let alone = outputs.iter().map(std::slice::from_ref);
        let all = std::iter::once(outputs.as_slice()).chain(alone);
        all.flat_map(components).collect()
    });
    let mut outcome = by_system(&systems, &QUANTITIES, &found);
    let judgments = |systems: &[System]| systems.iter().map(|one| one.judged.len()).sum();
    count(&mut outcome, ratings.items(), judgments(&systems));
    for (place, (_, outcome)) in outcome.systems.iter_mut().enumerate() {
        let items = ratings.systems()[place].iter().flatten().count();
        count(outcome, items, systems[place].judged.len());
    }
    Ok(outcome)
}

fn components(systems: &[VarianceComponentSums]) -> Vec<Option<f64>> {
    let means = systems.iter().filter_map(|of| of.means().x().mean());
    let mean = means.collect::<Moments>().mean();
    let of = VarianceComponents::pooled(systems);
    vec![
        mean,
        of.map(|of| of.signal),
        of.map(|of| of.noise),
        of.and_then(|of| of.gamma()),
    ]
}

fn count(outcome: &mut CellOutcome, items: usize, judgments: usize) {
    for (quantity, number) in [(Quantity::Items, items), (Quantity::Judgments, judgments)] {
        outcome
            .quantities
            .insert(quantity, QuantityEstimate::exact(number as f64));
    }
}
