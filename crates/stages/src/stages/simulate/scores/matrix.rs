//! Recorded scores of all systems on the same items.

use super::keys::ScoreReplays;
use crate::inputs::judging::{JudgmentSelection, direction_doubt, is_less_better};
use crate::inputs::source::each_group;
use crate::stages::StageContext;
use tiebreak_base::error::{Error, Key, Result};
use tiebreak_base::keys::ScaleRange;
use tiebreak_base::message;
use tiebreak_base::stats::moments::Moments;
use tiebreak_base::words::counted;
use tiebreak_decide::estimators::Range;
use tiebreak_decide::race::replay::ScoreMatrix;
use tiebreak_metrics::metrics::Direction;

/// The items on which every system has a score.
pub(super) struct RecordedScores {
    /// Their scores. Where lower ones are better, their signs are changed, and so is the range.
    pub matrix: ScoreMatrix,
    pub range: Range,
    pub items: u64,
    /// 1, or -1 where lower scores are better.
    pub sign: f64,
    /// What the scores are, for a signature.
    pub of: String,
}

/// Reads the scores that the keys name; of several judgments of an output their mean.
///
/// # Errors
/// Scores that cannot be read, lie outside the range or have none; no item with a score of every system.
pub(super) fn read(site: &StageContext<'_>, keys: &ScoreReplays) -> Result<RecordedScores> {
    let StageContext {
        context, source, ..
    } = *site;
    let metric = keys.metric.as_ref();
    let metric = metric.map(|metric| site.scores(keys.scores.as_deref(), metric));
    let metric: Vec<_> = metric.into_iter().collect::<Result<_>>()?;
    let judging = JudgmentSelection::new(source, keys.criterion.as_deref(), None)
        .map_err(Error::of_key("criterion"))?;
    let k = source.systems().len();
    let is_less_better = match (metric.first(), &keys.criterion) {
        (Some(metric), _) => metric.direction() == Direction::Lower,
        (None, criterion) => criterion.as_deref().is_some_and(is_less_better),
    };
    let sign = if is_less_better { -1.0 } else { 1.0 };
    if let Some(doubt) = keys.criterion.as_deref().and_then(direction_doubt) {
        context.progress.warn(&doubt);
    }
    let (mut rows, mut left_out) = (Vec::new(), 0);
    let mut names = Vec::new();
    each_group(context, source, &metric, |group, scored| {
        let mut of_systems = vec![Moments::default(); k];
        for (output, scores) in group.outputs.iter().zip(scored) {
            for &score in scores {
                of_systems[output.system.index()].push(score);
            }
        }
        if metric.is_empty() {
            for one in judging.judgments(source, group)? {
                of_systems[one.system.index()].push(one.score);
            }
        }
        let row: Option<Vec<f64>> = of_systems.iter().map(Moments::mean).collect();
        match row {
            Some(row) => {
                rows.extend(row);
                names.push(group.item.clone());
            }
            None => left_out += 1,
        }
        Ok(())
    })?;
    if names.is_empty() {
        let what = "no item has a score of every system, so there is nothing to replay";
        return Err(Error::input(source.dataset.path(), what));
    }
    if left_out > 0 {
        let all = counted(left_out + names.len() as u64, "item");
        context.progress.warn(&format!(
            "{left_out} of {all} are left out: some system has no score there"
        ));
    }
    let [low, high] = range(site, keys, &rows)?;
    let inside = Range::new(low, high)?;
    if let Some(at) = rows.iter().position(|&score| !inside.contains(score)) {
        let (item, system) = (&names[at / k], &source.systems()[at % k]);
        let what = format!(
            "item `{item}` of system `{system}` has the score {}, outside {low},{high}",
            rows[at]
        );
        return Err(Error::key("range", what));
    }
    let of = match metric.first() {
        Some(metric) => metric.signature.clone(),
        None => keys.criterion.clone().unwrap_or_default(),
    };
    Ok(RecordedScores {
        matrix: ScoreMatrix::new(k, rows.iter().map(|score| sign * score).collect())?,
        range: match sign < 0.0 {
            true => Range::new(-high, -low)?,
            false => inside,
        },
        items: names.len() as u64,
        sign,
        of,
    })
}

/// The range: the given one, that of the criterion in `dataset.toml`, or that of yes and no.
fn range(site: &StageContext<'_>, keys: &ScoreReplays, scores: &[f64]) -> Result<[f64; 2]> {
    let declared = keys.criterion.as_ref();
    let declared = declared.and_then(|name| site.source.dataset.descriptor().range(name));
    let is_binary = || scores.iter().all(|score| [0.0, 1.0].contains(score));
    let known = keys.range.map(ScaleRange::value).or(declared);
    known
        .or_else(|| is_binary().then_some([0.0, 1.0]))
        .ok_or_else(|| {
            let what = "the range of the scores is not known, and a proof needs it";
            Error::key("range", what).with_hint(message!(
                "give the lowest and highest possible score: {}",
                Key("range").set("0,100")
            ))
        })
}
