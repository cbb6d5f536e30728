//! `rank`: what collected comparisons say of all systems, each used once and in no order.

mod coverage;
mod keys;
mod style;
pub(super) mod tell;
mod win_rates;

pub use keys::Rank;
pub use tell::html;
pub use tiebreak_decide::ranking::text::render;

use crate::engine::context::Context;
use crate::inputs::source::{PredictionTable, Source};
use coverage::Coverage;
use std::path::Path;
use tiebreak_base::duel::Pair;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::layout::path_argument;
use tiebreak_data::records::Kind;
use tiebreak_data::tables::json;
use tiebreak_decide::estimators::bradley_terry::StrengthComparison;
use tiebreak_decide::estimators::margins::MarginPrediction;
use tiebreak_decide::ranking::Collection;
use tiebreak_decide::ranking::result::Ranking;

/// The stage's name: its verb, and its list in a pipeline.
pub(crate) const NAME: &str = "rank";

/// The name of a ranking's file in its folder.
pub(crate) const FILE: &str = "ranking.json";

/// Ranks all systems by the comparisons of a data set, as `keys` ask, at a confidence between 0 and 1, which several
/// rankings may share; pairs may be missing. With `predictions` the few comparisons of people correct the many of the
/// model; a warning says where these do not cover all outputs. With `out` the ranking is stored there.
///
/// # Errors
/// A data set without a table of comparisons or with one system; a campaign, of which `campaign::ranking` knows
/// more; predictions of nothing that was compared; a folder that cannot be written.
pub fn run(
    context: &Context<'_>,
    source: &Source,
    keys: &Rank,
    predictions: Option<&PredictionTable>,
    confidence: f64,
    out: Option<&Path>,
) -> Result<Ranking> {
    systems(source)?;
    if !source.index.has(Kind::Comparisons) {
        return Err(source.lacks("rank", "comparisons"));
    }
    if source.of_campaign {
        let run = source.dataset.path();
        let what = format!(
            "{}: a campaign, whose questions depend on earlier answers",
            run.display()
        );
        let run = path_argument(run);
        return Err(
            Error::usage(what).with_hint(format!("it has its own ranking: tiebreak rank {run}"))
        );
    }
    let mut collection = collect(source)?;
    let mut varying = None;
    if keys.style && !collection.comparisons().is_empty() {
        let styles = style::differences(source)?;
        varying = Some(styles.varies);
        collection = collection.styled(styles.rows);
    }
    let ranking = match predictions {
        None => {
            let mut ranking = collection.rank(keys.scope, confidence, context.seed);
            if let Some(varying) = varying {
                let strengths = collection.strengths();
                ranking.style = style::effects(&strengths, varying, confidence);
                let against = |name| {
                    let ranked = &ranking.strengths;
                    win_rates::against(source, name, &strengths, ranked, confidence)
                };
                ranking.against = keys.baseline.as_deref().map(against).transpose()?;
            }
            ranking
        }
        Some(table) => {
            let predicted = predicted(context, source, table)?;
            let predicted = (&predicted[..], table.signature.as_str());
            collection.rank_predicted(predicted, keys.scope, confidence, context.seed)
        }
    };
    if let Some(out) = out {
        json::write_result(&out.join(FILE), &ranking)?;
    }
    Ok(ranking)
}

/// The comparisons of a data set, in the order of items.
///
/// # Errors
/// If the index cannot be read.
pub(crate) fn collect(source: &Source) -> Result<Collection> {
    let mut found = Collection::new(source.systems().to_vec());
    for group in source.index.all() {
        let group = group?;
        let item = u32::try_from(group.position).map_err(Error::failed)?;
        for one in group.comparisons {
            let comparison = StrengthComparison {
                item,
                pair: Pair::new(one.a, one.b),
                outcome: one.outcome,
            };
            found.push(comparison, one.annotator);
        }
    }
    Ok(found)
}

/// The margins that a model predicts, with a warning where they do not cover all pairs of outputs.
fn predicted(
    context: &Context<'_>,
    source: &Source,
    predictions: &PredictionTable,
) -> Result<Vec<MarginPrediction>> {
    let (mut rows, mut coverage) = (Vec::new(), Coverage::default());
    for group in source.index.all() {
        let group = group?;
        let item = u32::try_from(group.position).map_err(Error::failed)?;
        let of_item = predictions.of_item(group.position)?;
        coverage.count(&group, &of_item);
        rows.extend(
            of_item
                .into_iter()
                .map(|(a, b, prediction)| MarginPrediction {
                    item,
                    pair: Pair::new(a, b),
                    score: 2.0 * prediction.p - 1.0,
                }),
        );
    }
    if let Some(lacking) = coverage.warning(predictions)? {
        context.progress.warn(&lacking);
    }
    Ok(rows)
}

/// Checks that there is more than one system to rank.
///
/// # Errors
/// If there is not.
pub(crate) fn systems(source: &Source) -> Result<()> {
    match source.systems().len() {
        0 | 1 => Err(source.lacks("rank", "a second system")),
        _ => Ok(()),
    }
}

/// Stores the ranking of a campaign as it stands, in the campaign's folder.
///
/// # Errors
/// If it cannot be written.
pub fn write(ranking: &Ranking, folder: &Path) -> Result<()> {
    json::write(&folder.join(FILE), ranking)
}
