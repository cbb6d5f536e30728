//! The number of human annotations a bandit needs, with or without a metric's help, from many replays.

use super::{MeasureEntry, MeasureSubject};
use crate::engine::context::Context;
use crate::experiments::materials::CellInputs;
use crate::experiments::outcome::{CellOutcome, QuantityEstimate};
use crate::experiments::quantity::Quantity;
use crate::stages::simulate;
use crate::stages::simulate::summary::{SimulatedComplexity, SimulatedCost};
use std::collections::BTreeMap;
use tiebreak_base::error::Result;

pub(super) const ENTRY: MeasureEntry = MeasureEntry::new(
    "annotation-complexity",
    MeasureSubject::Replays,
    &[
        Quantity::AnnotationComplexity,
        Quantity::MeanAnnotations,
        Quantity::HoursComplexity,
        Quantity::MeanHours,
        Quantity::PriceComplexity,
        Quantity::MeanPrice,
        Quantity::ModelAnswers,
        Quantity::Accuracy,
        Quantity::Certified,
        Quantity::WrongProofs,
        Quantity::Eliminated,
    ],
    measure,
)
.called(|cell| cell.simulate.choices.bandit.to_string());

fn measure(context: &Context<'_>, cell: &CellInputs<'_>) -> Result<CellOutcome> {
    let models = cell.models(context)?;
    let source = cell.data.source(context)?;
    let replayed = simulate::run(context, source, &models, &cell.keys.stage(), None)?;
    let right = replayed.accuracy.last().map_or(0.0, |&(_, share)| share);
    let stopped = &replayed.stopped;
    let wrong = stopped.share * (1.0 - stopped.correct.unwrap_or(1.0));
    let mut quantities = BTreeMap::from([
        (
            Quantity::AnnotationComplexity,
            bounded(replayed.annotation_complexity.map(|n| n as f64)),
        ),
        (
            Quantity::MeanAnnotations,
            QuantityEstimate::exact(replayed.mean_annotations),
        ),
        (
            Quantity::ModelAnswers,
            QuantityEstimate::exact(replayed.model_answers),
        ),
        (Quantity::Accuracy, QuantityEstimate::exact(right)),
        (Quantity::Certified, QuantityEstimate::exact(stopped.share)),
        (Quantity::WrongProofs, QuantityEstimate::exact(wrong)),
        (
            Quantity::Eliminated,
            QuantityEstimate::exact(replayed.eliminated.len() as f64),
        ),
    ]);
    if let Some(SimulatedCost {
        complexity, mean, ..
    }) = replayed.time
    {
        let hours = bounded(complexity.map(|seconds| seconds as f64 / 3600.0));
        quantities.insert(Quantity::HoursComplexity, hours);
        quantities.insert(Quantity::MeanHours, QuantityEstimate::exact(mean / 3600.0));
    }
    if let Some(SimulatedCost {
        complexity, mean, ..
    }) = replayed.money
    {
        quantities.insert(Quantity::PriceComplexity, bounded(complexity));
        quantities.insert(Quantity::MeanPrice, QuantityEstimate::exact(mean));
    }
    Ok(CellOutcome {
        quantities,
        accuracy: replayed.accuracy,
        ..CellOutcome::default()
    })
}

fn bounded(complexity: SimulatedComplexity<f64>) -> QuantityEstimate {
    QuantityEstimate {
        value: complexity.value,
        lower: complexity.lower,
        upper: complexity.upper,
    }
}
