//! `tiebreak assess` and `tiebreak fit calibration`: how good predictions are, and making them mean
//! what they say.

use super::args::{Assess, FitCalibration};
use super::verbs::{open, to_json};
use crate::error::Result;
use crate::layout::{number, percent};
use crate::pipeline::Context;
use crate::pipeline::assess::{self, Options};
use crate::pipeline::calibrate::{self, Quality};
use crate::pipeline::source::Predictions;
use crate::preference::calibrator::Calibrator;
use crate::report;

/// Assesses and returns what goes to standard output.
pub(super) fn assess(context: &Context<'_>, args: &Assess, json: bool) -> Result<String> {
    let options = Options::new(args.bins, args.thresholds)?;
    let source = open(context, &args.data)?;
    let predictions = Predictions::open(&source, &args.predictions)?;
    let calibrator = args.calibration.as_deref();
    let calibrator = calibrator.map(Calibrator::read).transpose()?;
    let calibrator = calibrator.as_ref();
    let assessment = assess::run(context, &source, &predictions, calibrator, &options)?;
    if let Some(out) = &args.out {
        assess::write(&assessment, out)?;
    }
    if json {
        to_json(&assessment)
    } else {
        Ok(report::render_assessment(&assessment))
    }
}

/// Fits a calibration, writes it, and returns what goes to standard output.
pub(super) fn fit_calibration(
    context: &Context<'_>,
    args: &FitCalibration,
    json: bool,
) -> Result<String> {
    let source = open(context, &args.data)?;
    let predictions = Predictions::open(&source, &args.predictions)?;
    let fitted = calibrate::run(context, &source, &predictions, args.method)?;
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
        let told = |of: fn(&Quality) -> String| format!("{} -> {}", of(&before), of(&after));
        text += &format!(
            "each half of the items, calibrated by the other: log loss {}, calibration error {}\n",
            told(|quality| number(quality.log_loss)),
            told(|quality| percent(quality.calibration_error))
        );
    }
    Ok(text)
}
