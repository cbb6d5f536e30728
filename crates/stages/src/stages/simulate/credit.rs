//! The agreement of people's judgments with the predictions, over all runs.

use super::prepare::PreparedRun;
use crate::stages::setting::Eliminate;
use tiebreak_base::layout::percent;
use tiebreak_base::stats::quantiles::of_sorted;
use tiebreak_decide::evaluation::active::RunTrace;
use tiebreak_decide::feedback::PredictionCounts;
use tiebreak_decide::model_based::Policy;
use tiebreak_decide::model_based::PredictionAgreement;

/// Sums up the agreement; `None` where no model was to answer.
pub fn sum_up(prepared: &PreparedRun<'_>, traces: &[RunTrace]) -> Option<PredictionAgreement> {
    let credits: Vec<PredictionCounts> = traces.iter().filter_map(|trace| trace.credit).collect();
    if credits.is_empty() {
        return None;
    }
    let total = |what: fn(&PredictionCounts) -> u64| credits.iter().map(what).sum::<u64>() as f64;
    let share = |of: f64, all: f64| (all > 0.0).then(|| of / all);
    let mut after: Vec<f64> = credits
        .iter()
        .filter_map(|credit| credit.better_after.map(|n| n as f64))
        .collect();
    after.sort_by(f64::total_cmp);
    let (judged, decided) = (total(|c| c.judged), total(|c| c.decided));
    Some(PredictionAgreement {
        judgments: judged / credits.len() as f64,
        accuracy: share(total(|c| c.right), judged),
        agreement: share(total(|c| c.agreed), decided),
        better_than_chance: after.len() as f64 / credits.len() as f64,
        after: of_sorted(&after, 0.5),
        survivors: matches!(prepared.keys.choices.eliminate, Some(Eliminate::As(_)))
            && !prepared.eliminated.is_empty(),
    })
}

/// The warning about predictions that do not deserve what was asked of them.
pub(crate) fn doubt(
    prepared: &PreparedRun<'_>,
    predicted: &PredictionAgreement,
    model_answers: f64,
) -> Option<String> {
    let (_, policy) = prepared.model.as_ref()?;
    let advised = matches!(policy, Some(Policy::Advised(_) | Policy::Nothing));
    let accuracy = predicted.accuracy?;
    let found = match predicted.better_than_chance < 0.5 {
        true => {
            "people's judgments do not show that the predictions are better than chance".to_string()
        }
        false if advised => format!(
            "the predictions are right in {} of people's judgments, too few to answer in their place",
            percent(accuracy)
        ),
        false => return None,
    };
    match (advised, model_answers > 0.0) {
        (true, true) => None,
        (true, false) => Some(format!("{found}; people answered everything")),
        (false, _) => Some(format!(
            "{found}, yet the model answered; with `auto` in place of a number it would not"
        )),
    }
}
