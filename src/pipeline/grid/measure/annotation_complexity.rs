//! How many human annotations a bandit needs, with or without a metric's help: many runs of `rank`.

use crate::error::Result;
use crate::pipeline::context::Context;
use crate::pipeline::grid::materials::Model;
use crate::pipeline::grid::outcome::{Outcome, Value};
use crate::pipeline::grid::spec::Quantity;
use crate::pipeline::rank;
use std::collections::BTreeMap;

pub(super) fn measure(context: &Context<'_>, cell: &Model<'_>) -> Result<Outcome> {
    let helped = cell.settings.metric.is_some() || cell.settings.model.is_some();
    let predictions = helped.then(|| cell.predictions(context)).transpose()?;
    let models = rank::Models::Tables(predictions.into_iter().collect());
    let options = cell.settings.ranking();
    let source = cell.data.source(context)?;
    let ranking = rank::run(context, source, &models, &options, None)?;
    let complexity = ranking.annotation_complexity;
    let complexity = Value {
        value: complexity.value.map(|n| n as f64),
        lower: complexity.lower.map(|n| n as f64),
        upper: complexity.upper.map(|n| n as f64),
    };
    let right = ranking.accuracy.last().map_or(0.0, |&(_, share)| share);
    let quantities = BTreeMap::from([
        (Quantity::AnnotationComplexity, complexity),
        (
            Quantity::MeanAnnotations,
            Value::exact(ranking.mean_annotations),
        ),
        (Quantity::ModelAnswers, Value::exact(ranking.model_answers)),
        (Quantity::Accuracy, Value::exact(right)),
        (Quantity::Certified, Value::exact(ranking.stopped.share)),
        (
            Quantity::Eliminated,
            Value::exact(ranking.eliminated.len() as f64),
        ),
    ]);
    Ok(Outcome {
        quantities,
        accuracy: ranking.accuracy,
        ..Outcome::default()
    })
}
