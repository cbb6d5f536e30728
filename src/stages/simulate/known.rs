//! What a data set and a model tell a bandit before the first question.

use crate::bandits::Square;
use crate::duel::{Arm, Pair};
use crate::error::{Error, Result};
use crate::evaluation::known::Outputs;
use crate::feedback::comparisons::Comparisons;
use crate::inputs::source::Source;
use crate::model_based::{Forecasts, Predictions};
use crate::records::Kind;
use crate::records::index::Group;
use std::sync::Arc;

/// Where systems gave the same output; `None` for a data set without outputs. Shares are of the
/// recorded comparisons where those are replayed, of the items with both outputs otherwise.
pub(super) fn outputs(source: &Source, replayed: Option<&Comparisons>) -> Result<Option<Outputs>> {
    if !source.index.has(Kind::Outputs) {
        return Ok(None);
    }
    let k = source.systems().len();
    let mut same = Vec::new();
    let mut together = vec![Vec::new(); if replayed.is_none() { k * k } else { 0 }];
    for group in source.index.all() {
        let group = group?;
        let item = u32::try_from(group.position).map_err(Error::failed)?;
        for (pair, identical) in pairs(&group) {
            if identical {
                same.push((item, pair));
            }
            if replayed.is_none() {
                together[pair.first.index() * k + pair.second.index()].push(item);
            }
        }
    }
    let drawn = |pair: Pair| match replayed {
        Some(comparisons) => {
            let judged = comparisons.of(pair).iter();
            judged.map(|judgment| judgment.item).collect()
        }
        None => together[pair.first.index() * k + pair.second.index()].clone(),
    };
    Ok(Some(Outputs::new(k, same, drawn)))
}

/// Every pair of outputs of an item, the lower system first, and whether they are the same.
fn pairs(group: &Group) -> impl Iterator<Item = (Pair, bool)> {
    let outputs = &group.outputs;
    outputs.iter().enumerate().flat_map(move |(place, a)| {
        outputs[place + 1..]
            .iter()
            .map(move |b| (Pair::new(a.system, b.system), a.text == b.text))
    })
}

/// The mean of the margins that models predict; `None` without models.
///
/// # Errors
/// [`Error::MissingInput`] for a pair of systems without predictions.
pub(super) fn margins(
    source: &Source,
    models: &[Arc<dyn Forecasts + '_>],
) -> Result<Option<Square>> {
    let each = models
        .iter()
        .map(|model| predicted(source, model.survey()?));
    let each = each.collect::<Result<Vec<Square>>>()?;
    let mean = |i: usize, j: usize| {
        let sum: f64 = each.iter().map(|margins| margins.get(i, j)).sum();
        sum / each.len() as f64
    };
    Ok(each.first().map(|first| Square::from_fn(first.k(), mean)))
}

/// The margins that one model predicts.
fn predicted(source: &Source, predictions: &Predictions) -> Result<Square> {
    let mut missing = None;
    let margins = Square::from_fn(predictions.k(), |i, j| {
        if i == j {
            return 0.0;
        }
        let pair = Pair::new(Arm::from(i), Arm::from(j));
        predictions.margin(pair).unwrap_or_else(|| {
            missing.get_or_insert(pair);
            0.0
        })
    });
    match missing {
        None => Ok(margins),
        Some(Pair { first, second }) => Err(Error::MissingInput {
            stage: "a run with predictions".to_string(),
            table: format!(
                "predictions for `{}` and `{}`",
                source.system(first),
                source.system(second)
            ),
            hint: Some(
                "predict all pairs: `tiebreak predict` without --pairs, or --model with a larger --sample"
                    .to_string(),
            ),
        }),
    }
}
