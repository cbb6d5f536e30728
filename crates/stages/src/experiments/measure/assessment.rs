//! The quality of a metric's or model's predictions: `assess`, in a cell.

use super::{MeasureEntry, MeasureSubject};
use crate::engine::context::Context;
use crate::experiments::materials::CellInputs;
use crate::experiments::outcome::{CellOutcome, QuantityEstimate};
use crate::experiments::quantity::Quantity;
use crate::stages::assess::AssessmentMeasure;
use crate::stages::assess::{self, Assess, PredictionCase, collect};
use tiebreak_base::error::Result;
use tiebreak_base::keys::bounds::TieBounds;
use tiebreak_decide::model_based::UncertaintyMeasure;
use tiebreak_decide::model_based::thresholds::Thresholds;

pub(super) const ENTRY: MeasureEntry = MeasureEntry::new(
    "assessment",
    MeasureSubject::Predictions,
    &[
        Quantity::SentenceAccuracy,
        Quantity::DecidedAccuracy,
        Quantity::Brier,
        Quantity::LogLoss,
        Quantity::CalibrationError,
        Quantity::BaldWorth,
        Quantity::StdWorth,
        Quantity::MarginWorth,
    ],
    measure,
);

pub(super) fn measure(context: &Context<'_>, cell: &CellInputs<'_>) -> Result<CellOutcome> {
    let thresholds = thresholds(context, cell)?;
    let source = cell.data.source(context)?;
    let keys = Assess {
        thresholds,
        ..Assess::default()
    };
    let predictions = cell.predictions(context)?;
    let found = assess::run(context, source, &predictions, None, &keys)?;
    let mut quantities = vec![
        (Quantity::SentenceAccuracy, found.three_way),
        (Quantity::DecidedAccuracy, found.accuracy),
        (Quantity::Brier, found.brier),
        (Quantity::LogLoss, found.log_loss),
        (Quantity::CalibrationError, found.calibration_error),
    ];
    for one in &found.uncertainty {
        let worth = match one.by {
            UncertaintyMeasure::Bald => Quantity::BaldWorth,
            UncertaintyMeasure::Std => Quantity::StdWorth,
            UncertaintyMeasure::Margin => Quantity::MarginWorth,
        };
        quantities.push((worth, one.gain));
    }
    let defined = quantities.into_iter().filter(|one| one.1.value.is_some());
    Ok(CellOutcome {
        quantities: defined.map(|(name, one)| (name, value(&one))).collect(),
        ..CellOutcome::default()
    })
}

/// The thresholds for ties. A metric's predictions bring those of its link; those of a model are fitted on the
/// validation set, if there is one.
fn thresholds(context: &Context<'_>, cell: &CellInputs<'_>) -> Result<Option<TieBounds>> {
    if cell.keys.model().is_none() || cell.keys.validation.is_none() {
        return Ok(None);
    }
    let validation = cell.on_validation();
    let predictions = validation.predictions(context)?;
    let cases = collect(context, validation.data.source(context)?, &predictions)?;
    let judged: Vec<_> = cases.all.iter().map(PredictionCase::judged).collect();
    let thresholds = Thresholds::fit(&judged);
    let bounds = TieBounds::new(thresholds.tau1(), thresholds.tau2());
    bounds
        .map(Some)
        .map_err(tiebreak_base::error::Error::failed)
}

fn value(measured: &AssessmentMeasure) -> QuantityEstimate {
    QuantityEstimate {
        value: measured.value,
        lower: measured.lower,
        upper: measured.upper,
    }
}
