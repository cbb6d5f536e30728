//! Matches predictions with the comparisons that people made.

use super::cases::{Cases, PredictionCase};
use crate::engine::context::Context;
use crate::inputs::source::{PredictionTable, Source};
use tiebreak_base::duel::{Arm, Prediction};
use tiebreak_base::error::Result;
use tiebreak_data::records::index::{Group, GroupComparison};

/// Matches the predictions with the comparisons.
///
/// # Errors
/// A data set without comparisons; predictions of none of them.
pub(crate) fn collect(
    context: &Context<'_>,
    source: &Source,
    predictions: &PredictionTable,
) -> Result<Cases> {
    let mut cases = Cases::default();
    for group in source.index.all() {
        context.check()?;
        let group = group?;
        let positions = predictions.positions(group.position)?.into_iter();
        cases
            .positions
            .extend(positions.map(|position| (group.position, position)));
        if group.comparisons.is_empty() {
            continue;
        }
        let predicted = predicted(predictions, &group)?;
        for comparison in &group.comparisons {
            match find_prediction(&predicted, comparison) {
                Some(prediction) => cases.all.push(case(&group, comparison, prediction)),
                None => cases.unpredicted += 1,
            }
        }
    }
    if !cases.all.is_empty() {
        return Ok(cases);
    }
    if cases.unpredicted == 0 {
        return Err(source.lacks("assess", "comparisons"));
    }
    Err(predictions.none_compared())
}

/// The predictions of one item, lower arm first, sorted.
type ItemPredictions = Vec<((Arm, Arm), Prediction)>;

fn predicted(predictions: &PredictionTable, group: &Group) -> Result<ItemPredictions> {
    let rows = predictions.of_item(group.position)?;
    let turned = |(a, b, prediction): (Arm, Arm, Prediction)| match a <= b {
        true => ((a, b), prediction),
        false => ((b, a), prediction.flipped()),
    };
    let mut predicted: ItemPredictions = rows.into_iter().map(turned).collect();
    predicted.sort_by_key(|row| row.0);
    Ok(predicted)
}

/// The prediction of a comparison, seen from its first system.
fn find_prediction(
    predicted: &ItemPredictions,
    comparison: &GroupComparison,
) -> Option<Prediction> {
    let GroupComparison { a, b, .. } = *comparison;
    let pair = (a.min(b), a.max(b));
    let place = predicted.binary_search_by_key(&pair, |row| row.0).ok()?;
    let prediction = predicted[place].1;
    Some(if a <= b {
        prediction
    } else {
        prediction.flipped()
    })
}

fn case(group: &Group, comparison: &GroupComparison, prediction: Prediction) -> PredictionCase {
    let (one, other) = (group.output(comparison.a), group.output(comparison.b));
    PredictionCase {
        item: group.position,
        prediction,
        outcome: comparison.outcome,
        identical: one.is_some() && one == other,
    }
}
