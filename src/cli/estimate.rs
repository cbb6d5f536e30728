//! `tiebreak estimate`: each system's mean human judgment, with an interval.

use super::args::DataArgs;
use super::values::{goal, named, open_unit, parts, range};
use super::verbs::{open, to_json};
use crate::engine::Context;
use crate::error::Result;
use crate::estimators::Goal;
use crate::inputs::judging::{Parts, Quality};
use crate::inputs::source::Scores;
use crate::keys::named::Named;
use crate::report;
use crate::stages::estimate::{self, Options};
use crate::tables::Destination;
use clap::Args;
use std::path::PathBuf;

/// `tiebreak estimate`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
tiebreak estimate mine --estimator mean --differences\n  \
tiebreak estimate mine --scores s.csv --metric chrf --metric bleu --estimator regression\n  \
tiebreak estimate mine --range 1,5 --estimator betting:anytime=true --stop width=0.5\n\
`tiebreak list estimators` says what there is, with parameters. Files of strata or probabilities have\n\
the columns item, system (unless all systems share them), and stratum or probability.")]
pub struct Estimate {
    #[command(flatten)]
    pub data: DataArgs,
    /// Which criterion of the judgments, or one counted from post-edits: `hter`, edits per word, or
    /// `hwer`, the same without moves [default: each criterion of the judgments]
    #[arg(long, value_name = "NAME")]
    pub criterion: Option<String>,
    /// Scores of all outputs
    #[arg(long, value_name = "FILE", requires = "metric")]
    pub scores: Option<PathBuf>,
    /// Which metric of the scores; several for estimators that use several at once, else each in turn
    #[arg(long, value_name = "NAME", requires = "scores", num_args = 1..)]
    pub metric: Vec<String>,
    /// The estimator, with parameters as NAME:key=value
    #[arg(long, value_name = "NAME", value_parser = named)]
    pub estimator: Named,
    /// Confidence of the intervals
    #[arg(long, value_name = "C", default_value_t = 0.95, value_parser = open_unit)]
    pub confidence: f64,
    /// The range of the judgments; values outside are errors, intervals stay inside [default: as
    /// dataset.toml declares it, or 0,1 where all judgments are 0 or 1; else intervals are approximate]
    #[arg(long, value_name = "LO,HI", value_parser = range, allow_hyphen_values = true)]
    pub range: Option<[f64; 2]>,
    /// Say how many judgments an interval of this width takes
    #[arg(long, value_name = "W")]
    pub target_width: Option<f64>,
    /// Join each annotator's judgments of an item's parts: their `mean`, or the highest (`any`)
    #[arg(long, value_name = "HOW", value_parser = parts)]
    pub parts: Option<Parts>,
    /// Leave out annotators whose judgments take fewer seconds (median)
    #[arg(long, value_name = "S")]
    pub min_seconds: Option<f64>,
    /// Leave out annotators whose judgments correlate less with those of others
    #[arg(long, value_name = "R", allow_hyphen_values = true)]
    pub min_agreement: Option<f64>,
    /// Leave out annotators whose post-edits change fewer words per word (median)
    #[arg(long, value_name = "E")]
    pub min_edit: Option<f64>,
    /// The stratum of every output, for the estimator `stratified`
    #[arg(long, value_name = "FILE")]
    pub strata: Option<PathBuf>,
    /// The probabilities with which outputs were chosen to be judged, for the estimator `active`
    #[arg(long, value_name = "FILE")]
    pub probabilities: Option<PathBuf>,
    /// Compare every pair of systems: differences, win rates, groups that cannot be told apart
    #[arg(long)]
    pub differences: bool,
    /// Say when one could have stopped: width=W or relative=E (needs an estimator with anytime=true)
    #[arg(long, value_name = "GOAL", value_parser = goal)]
    pub stop: Option<Goal>,
    /// A file for the table
    #[arg(long, value_name = "PATH")]
    pub out: Option<PathBuf>,
}

/// Estimates and returns what goes to standard output.
pub(super) fn estimate(context: &Context<'_>, args: &Estimate, json: bool) -> Result<String> {
    let source = open(context, &args.data)?;
    let scores = match &args.scores {
        Some(path) => args
            .metric
            .iter()
            .map(|metric| Scores::open(&source, path, metric))
            .collect::<Result<Vec<_>>>()?,
        None => Vec::new(),
    };
    let options = Options {
        estimator: &args.estimator,
        scores: &scores,
        criterion: args.criterion.as_deref(),
        confidence: args.confidence,
        range: args.range,
        target_width: args.target_width,
        parts: args.parts,
        quality: Quality {
            min_seconds: args.min_seconds,
            min_agreement: args.min_agreement,
            min_edit: args.min_edit,
        },
        strata: args.strata.as_deref(),
        probabilities: args.probabilities.as_deref(),
        differences: args.differences,
        stop: args.stop,
    };
    let estimates = estimate::run(context, &source, &options)?;
    if let Some(out) = &args.out {
        estimates.write(&Destination::of(out)?)?;
    }
    if json {
        to_json(&estimates.to_json())
    } else {
        let text = report::render_estimates(&estimates.told(), &estimates.plans);
        Ok(text + &report::render_comparisons(&estimates.comparisons))
    }
}
