//! How many human annotations a bandit needs, with or without a metric's help: many replays.

use super::{Entry, Of};
use crate::engine::context::Context;
use crate::error::Result;
use crate::experiments::materials::Model;
use crate::experiments::outcome::{Outcome, Value};
use crate::experiments::quantity::Quantity;
use crate::stages::simulate;
use crate::tables::simulation::Complexity;
use std::collections::BTreeMap;

pub(super) const ENTRY: Entry = Entry::new(
    "annotation-complexity",
    Of::Replays,
    &[
        Quantity::AnnotationComplexity,
        Quantity::MeanAnnotations,
        Quantity::HoursComplexity,
        Quantity::MeanHours,
        Quantity::ModelAnswers,
        Quantity::Accuracy,
        Quantity::Certified,
        Quantity::Eliminated,
    ],
    measure,
)
.called(|cell| cell.simulate.choices.bandit.to_string());

fn measure(context: &Context<'_>, cell: &Model<'_>) -> Result<Outcome> {
    let models = cell.models(context)?;
    let source = cell.data.source(context)?;
    let replayed = simulate::run(context, source, &models, &cell.keys.stage(), None)?;
    let value = |complexity: Complexity, unit: f64| Value {
        value: complexity.value.map(|n| n as f64 / unit),
        lower: complexity.lower.map(|n| n as f64 / unit),
        upper: complexity.upper.map(|n| n as f64 / unit),
    };
    let right = replayed.accuracy.last().map_or(0.0, |&(_, share)| share);
    let mut quantities = BTreeMap::from([
        (
            Quantity::AnnotationComplexity,
            value(replayed.annotation_complexity, 1.0),
        ),
        (
            Quantity::MeanAnnotations,
            Value::exact(replayed.mean_annotations),
        ),
        (Quantity::ModelAnswers, Value::exact(replayed.model_answers)),
        (Quantity::Accuracy, Value::exact(right)),
        (Quantity::Certified, Value::exact(replayed.stopped.share)),
        (
            Quantity::Eliminated,
            Value::exact(replayed.eliminated.len() as f64),
        ),
    ]);
    if let Some(time) = replayed.time {
        let hours = value(time.complexity, 3600.0);
        quantities.insert(Quantity::HoursComplexity, hours);
        let mean = Value::exact(time.mean / 3600.0);
        quantities.insert(Quantity::MeanHours, mean);
    }
    Ok(Outcome {
        quantities,
        accuracy: replayed.accuracy,
        ..Outcome::default()
    })
}
