//! `tiebreak assess`: how good predictions are.

use super::args::DataArgs;
use super::values::thresholds;
use super::verbs::{open, to_json};
use crate::engine::Context;
use crate::error::Result;
use crate::inputs::source::Predictions;
use crate::preference::calibrator::Calibrator;
use crate::report;
use crate::stages::assess::{self, Options};
use clap::Args;
use std::path::PathBuf;

/// `tiebreak assess`
#[derive(Debug, Args)]
#[command(
    after_help = "Example:  tiebreak assess my-data --predictions p.parquet --out assessed\n\
Accuracy, Brier score, log loss and calibration against the recorded comparisons, with intervals that\n\
resample items; and the accuracy that is left when the predictions with the highest BALD, STD or\n\
1 − |2p − 1| are rejected, beside a random order and an oracle."
)]
pub struct Assess {
    #[command(flatten)]
    pub data: DataArgs,
    /// The predictions, as `tiebreak predict` writes them
    #[arg(long, value_name = "FILE")]
    pub predictions: PathBuf,
    /// A calibration of the model to apply first (BALD and STD stay as they were predicted)
    #[arg(long, value_name = "FILE")]
    pub calibration: Option<PathBuf>,
    /// The outcome is a tie from T1 to T2 [default: those of the predictions, else fitted on half of
    /// the items and tested on the other half]
    #[arg(long, value_name = "T1,T2", value_parser = thresholds)]
    pub thresholds: Option<(f64, f64)>,
    /// Bins of preferences, and of BALD
    #[arg(long, value_name = "N", default_value_t = assess::BINS)]
    pub bins: u16,
    /// A folder for the assessment as JSON and text, its tables (CSV) and plots (SVG)
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

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
