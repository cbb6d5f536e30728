//! `tiebreak fit calibration`: a map that calibrates predictions.

use crate::cli::args::DataArgs;
use crate::cli::verbs::{open, to_json};
use clap::Args;
use std::path::PathBuf;
use tiebreak_base::error::Result;
use tiebreak_base::layout::{number, percent};
use tiebreak_preference::preference::calibrator::CalibrationMethod;
use tiebreak_stages::engine::Context;
use tiebreak_stages::inputs::source::PredictionTable;
use tiebreak_stages::stages::calibrate::{self, CalibrationQuality, CalibratorFit};

/// `tiebreak fit calibration`
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:\n  \
tiebreak fit calibration mine --predictions p.parquet --out c.toml\n  \
tiebreak predict other --model my-model --calibration c.toml --out q.parquet    # then use it",
    after_help = "To keep it with a model, put the file next to the weights and write `calibration = \"c.toml\"` in \
tiebreak.toml."
)]
pub(crate) struct FitCalibrationArgs {
    #[command(flatten)]
    pub data: DataArgs,
    /// Predictions of the model for this data set, not calibrated
    #[arg(long, value_name = "FILE")]
    pub predictions: PathBuf,
    /// temperature divides the log odds by one number; isotonic is any non-decreasing map
    #[arg(long, value_name = "temperature|isotonic", default_value_t = CalibrationMethod::Temperature)]
    pub method: CalibrationMethod,
    /// The calibration file
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
}

/// Fits a calibration, writes it, and returns what goes to standard output.
pub(in crate::cli) fn calibration(
    context: &Context<'_>,
    args: &FitCalibrationArgs,
    json: bool,
) -> Result<String> {
    let source = open(context, &args.data)?;
    let predictions = PredictionTable::open(context, &source, &args.predictions)?;
    let fitted = CalibratorFit::new(context, &source, &predictions, args.method)?;
    let calibrator = &fitted.calibrator;
    calibrate::write(calibrator, &args.out)?;
    let (tau1, tau2) = (calibrator.thresholds.tau1(), calibrator.thresholds.tau2());
    if json {
        return to_json(&serde_json::json!({
            "method": calibrator.map.method().to_string(),
            "map": calibrator.map.to_string(),
            "n": calibrator.n,
            "tau1": tau1,
            "tau2": tau2,
            "before": fitted.before,
            "after": fitted.after,
        }));
    }
    let mut text = format!(
        "{}, tau1 = {tau1}, tau2 = {tau2}, fitted on {} comparisons of different outputs\n",
        calibrator.map, calibrator.n
    );
    if let (Some(before), Some(after)) = (fitted.before, fitted.after) {
        let told =
            |of: fn(&CalibrationQuality) -> String| format!("{} -> {}", of(&before), of(&after));
        text += &format!(
            "each half of the items, calibrated by the other: log loss {}, calibration error {}\n",
            told(|quality| number(quality.log_loss)),
            told(|quality| percent(quality.calibration_error))
        );
    }
    Ok(text)
}
