//! How many human annotations a bandit needs, with or without a metric's help: many replays.

use super::{Entry, Of};
use crate::engine::context::Context;
use crate::experiments::materials::Model;
use crate::experiments::outcome::{Outcome, Value};
use crate::experiments::quantity::Quantity;
use crate::stages::simulate;
use crate::stages::simulate::summary::{Complexity, Taken};
use std::collections::BTreeMap;
use tiebreak_base::error::Result;

pub(super) const ENTRY: Entry = Entry::new(
    "annotation-complexity",
    Of::Replays,
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
        Quantity::Eliminated,
    ],
    measure,
)
.called(|cell| cell.simulate.choices.bandit.to_string());

fn measure(context: &Context<'_>, cell: &Model<'_>) -> Result<Outcome> {
    let models = cell.models(context)?;
    let source = cell.data.source(context)?;
    let replayed = simulate::run(context, source, &models, &cell.keys.stage(), None)?;
    let right = replayed.accuracy.last().map_or(0.0, |&(_, share)| share);
    let mut quantities = BTreeMap::from([
        (
            Quantity::AnnotationComplexity,
            bounded(replayed.annotation_complexity.map(|n| n as f64)),
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
    if let Some(Taken {
        complexity, mean, ..
    }) = replayed.time
    {
        let hours = bounded(complexity.map(|seconds| seconds as f64 / 3600.0));
        quantities.insert(Quantity::HoursComplexity, hours);
        quantities.insert(Quantity::MeanHours, Value::exact(mean / 3600.0));
    }
    if let Some(Taken {
        complexity, mean, ..
    }) = replayed.money
    {
        quantities.insert(Quantity::PriceComplexity, bounded(complexity));
        quantities.insert(Quantity::MeanPrice, Value::exact(mean));
    }
    Ok(Outcome {
        quantities,
        accuracy: replayed.accuracy,
        ..Outcome::default()
    })
}

fn bounded(complexity: Complexity<f64>) -> Value {
    Value {
        value: complexity.value,
        lower: complexity.lower,
        upper: complexity.upper,
    }
}
