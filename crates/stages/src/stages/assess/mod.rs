//! `assess`: how good predictions are, against the comparisons people made.

mod cases;
mod collect;
mod files;
mod keys;
mod measures;
mod rejection;
pub(super) mod reliability;
mod rows;
mod sample;
pub(super) mod tell;

pub use cases::{Cases, PredictionCase};
pub(crate) use collect::collect;
pub use keys::{Assess, Bins};
pub(crate) use rows::AssessmentMeasure;
pub use rows::{Assessment, ThresholdOrigin};

use crate::engine::context::Context;
use crate::inputs::source::{PredictionTable, Source};
use tiebreak_base::duel::Arm;
use tiebreak_base::error::Result;
use tiebreak_data::records::Kind;
use tiebreak_decide::model_based::thresholds;
use tiebreak_preference::preference::calibrator::Calibrator;

/// The stage's name: its verb, and its list in a pipeline.
pub(crate) const NAME: &str = "assess";

/// Assesses predictions, as they are or calibrated. Thresholds that `keys` do not give are
/// those of the calibrator, or those of the predictions, where they carry any but ½ and ½.
///
/// # Errors
/// A data set without comparisons; predictions of none of them; a calibrator of another model.
pub(crate) fn run(
    context: &Context<'_>,
    source: &Source,
    predictions: &PredictionTable,
    calibrator: Option<&Calibrator>,
    keys: &Assess,
) -> Result<Assessment> {
    let mut signature = predictions.signature.clone();
    if let Some(calibrator) = calibrator {
        calibrator.check(&signature)?;
        if calibrator.data == source.digest {
            context.progress.warn(
                "the calibration was fitted on this data set, so results here are slightly too good (`fit calibration` \
                 reports them for items left out)",
            );
        }
        signature += &format!("|calibration:{}", calibrator.map);
    }
    let mut cases = collect(context, source, predictions)?;
    let given = keys.thresholds.map(|bounds| {
        let (tau1, tau2) = bounds.value();
        thresholds::Thresholds::new(tau1, tau2)
    });
    let given = match (given.transpose()?, calibrator) {
        (None, None) => predictions.own_thresholds()?,
        (None, Some(calibrator)) => Some(calibrator.thresholds),
        (given, _) => given,
    };
    if let Some(calibrator) = calibrator {
        cases = cases.calibrated(&calibrator.map);
    }
    let assessed = cases.measure(keys.bins.value() as usize, given, context.seed)?;
    Ok(Assessment {
        signature,
        data: source.dataset.name(),
        ..assessed
    })
}

/// Whether there is a comparison that was predicted.
///
/// # Errors
/// If a temporary file cannot be read; [`tiebreak_base::error::Error::Interrupted`].
pub(crate) fn possible(
    context: &Context<'_>,
    source: &Source,
    predictions: &PredictionTable,
) -> Result<bool> {
    if source.index.rows(Kind::Comparisons) == 0 {
        return Ok(false);
    }
    for group in source.index.all() {
        context.check()?;
        let group = group?;
        let same = |(a, b): (Arm, Arm), (c, d)| (a, b) == (c, d) || (a, b) == (d, c);
        let predicted = predictions.of_item(group.position)?;
        let mut compared = group.comparisons.iter();
        if compared.any(|one| {
            predicted
                .iter()
                .any(|&(a, b, _)| same((a, b), (one.a, one.b)))
        }) {
            return Ok(true);
        }
    }
    Ok(false)
}
