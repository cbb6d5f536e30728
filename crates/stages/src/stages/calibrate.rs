//! `fit calibration`: a map from a model's preferences to shares of wins, from the comparisons of a
//! data set.

use super::assess::reliability::{bins, calibration_error};
use crate::engine::context::Context;
use crate::inputs::source::{PredictionTable, Source};
use crate::stages::assess::{Cases, PredictionCase, collect};
use serde::Serialize;
use std::path::Path;
use tiebreak_base::error::{Error, Key, Result, StageCommand};
use tiebreak_base::message;
use tiebreak_base::stats::forecast::Forecast;
use tiebreak_data::tables::file::write_result;
use tiebreak_data::tables::sealed_text::seal_toml;
use tiebreak_preference::preference::calibrator::{CalibrationMethod, Calibrator, Map};

/// Bins of the reported calibration error.
const BINS: usize = 10;

/// A calibrator, and the quality of its method on items it was not fitted on.
#[non_exhaustive]
pub struct CalibratorFit {
    /// The calibrator fitted on everything.
    pub calibrator: Calibrator,
    /// The quality of preferences as they were; `None` where there are too few items to hold any out.
    pub before: Option<CalibrationQuality>,
    /// The quality after each half of the items was calibrated by a fit on the other half.
    pub after: Option<CalibrationQuality>,
}

/// The quality of preferences as probabilities, on comparisons of different outputs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CalibrationQuality {
    /// Mean log loss in nats.
    pub log_loss: f64,
    /// Expected calibration error.
    pub calibration_error: f64,
}

impl CalibratorFit {
    /// Fits a calibrator to all comparisons of different outputs that were predicted, and its
    /// thresholds to all that were predicted.
    ///
    /// # Errors
    /// A data set without comparisons; predictions of none of them, twice of one, calibrated already,
    /// or without any preference.
    pub fn new(
        context: &Context<'_>,
        source: &Source,
        predictions: &PredictionTable,
        method: CalibrationMethod,
    ) -> Result<CalibratorFit> {
        if predictions.signature.contains("|calibration:") {
            let what = "these predictions are calibrated already";
            return Err(Error::input(&predictions.path, what).with_hint(message!(
                "predict without: {}",
                StageCommand("predict", &[Key("calibration").set("none")])
            )));
        }
        let cases = collect(context, source, predictions)?;
        let forecasts = forecasts(cases.all.iter());
        let map = Map::fit(method, &forecasts)?;
        let judged: Vec<_> = cases.all.iter().map(PredictionCase::judged).collect();
        let halves = halves(context, &cases, method);
        Ok(CalibratorFit {
            calibrator: Calibrator {
                thresholds: Calibrator::thresholds(&map, &judged),
                map,
                predictions: predictions.signature.clone(),
                data: source.digest.clone(),
                n: forecasts.len() as u64,
            },
            before: halves.as_ref().and_then(|_| quality(&forecasts)),
            after: halves.and_then(|calibrated| quality(&calibrated)),
        })
    }
}

/// Writes the calibrator as a file.
///
/// # Errors
/// If it cannot be written.
pub fn write(calibrator: &Calibrator, path: &Path) -> Result<()> {
    write_result(path, seal_toml(&calibrator.to_toml()?).as_bytes())
}

fn forecasts<'a>(cases: impl Iterator<Item = &'a PredictionCase>) -> Vec<Forecast> {
    let different = cases.filter(|case| !case.identical);
    different.map(PredictionCase::forecast).collect()
}

/// Calibrates every comparison by a fit on the half of the items that it is not in.
fn halves(
    context: &Context<'_>,
    cases: &Cases,
    method: CalibrationMethod,
) -> Option<Vec<Forecast>> {
    let first = cases.half(context.seed);
    let of = |half: bool| {
        let all = cases.all.iter();
        forecasts(all.filter(|case| first.contains(&case.item) == half))
    };
    let mut calibrated = Vec::new();
    for (fitted, held_out) in [(of(true), of(false)), (of(false), of(true))] {
        let map = Map::fit(method, &fitted).ok()?;
        calibrated.extend(held_out.into_iter().map(|forecast| Forecast {
            p: map.preference(forecast.p),
            ..forecast
        }));
    }
    Some(calibrated)
}

fn quality(forecasts: &[Forecast]) -> Option<CalibrationQuality> {
    let binned = bins(forecasts.iter().map(|&forecast| (forecast, 1.0)), BINS);
    let losses = forecasts.iter().map(|forecast| forecast.log_loss());
    Some(CalibrationQuality {
        log_loss: losses.sum::<f64>() / forecasts.len() as f64,
        calibration_error: calibration_error(&binned)?,
    })
}
