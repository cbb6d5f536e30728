//! `tiebreak correlate`: metrics held against people, as tables for people.

use super::args::DataArgs;
use super::values::open_unit;
use super::verbs::{open, to_json};
use crate::engine::Context;
use crate::error::Result;
use crate::inputs::source::Scores;
use crate::report;
use crate::stages::correlate::{self, FEWEST_RESAMPLES, Level, Options, Resample};
use crate::tables::Destination;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `tiebreak correlate`
#[derive(Debug, Args)]
#[command(
    after_help = "Example: tiebreak correlate data/tiny --scores scores.parquet --metric chrf bleu\n\n\
Groupings: item (among the outputs of one item, mean over items), global (all outputs, or all\n\
comparisons), system (means of systems). Coefficients: Pearson, Spearman, Kendall's tau-b, pairwise\n\
accuracy with ties, the same with the best size of a tie (calibrated), soft pairwise accuracy. Metrics\n\
that are better when lower are turned round. Two metrics or more are also tested against each other."
)]
pub struct Correlate {
    #[command(flatten)]
    pub data: DataArgs,
    /// Scores of all outputs
    #[arg(long, value_name = "FILE")]
    pub scores: PathBuf,
    /// Which metrics of the scores
    #[arg(long, value_name = "NAME", required = true, num_args = 1..)]
    pub metric: Vec<String>,
    /// Only this criterion of the judgments [default: each of them, and the comparisons]
    #[arg(long, value_name = "NAME")]
    pub criterion: Option<String>,
    /// Between outputs, between systems, or both
    #[arg(long, value_enum, default_value_t = LevelArg::Both)]
    pub level: LevelArg,
    /// What a resample draws again: items only, for these systems, or both, for systems like these
    #[arg(long, value_enum, default_value_t = ResampleArg::Both)]
    pub resample: ResampleArg,
    /// Confidence of the intervals; differences are tested at what it leaves
    #[arg(long, value_name = "C", default_value_t = 0.95, value_parser = open_unit)]
    pub confidence: f64,
    /// Resamples of an interval, and trials of a test
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(FEWEST_RESAMPLES..))]
    pub resamples: u64,
    /// A file for the table; differences between metrics go beside it
    #[arg(long, value_name = "PATH")]
    pub out: Option<PathBuf>,
}

/// Between what coefficients are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LevelArg {
    /// Outputs.
    Segment,
    /// Systems.
    System,
    /// Both.
    Both,
}

impl From<LevelArg> for Level {
    fn from(level: LevelArg) -> Self {
        match level {
            LevelArg::Segment => Self::Segment,
            LevelArg::System => Self::System,
            LevelArg::Both => Self::Both,
        }
    }
}

/// What a resample draws again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ResampleArg {
    /// Items.
    Items,
    /// Items and systems.
    Both,
}

impl From<ResampleArg> for Resample {
    fn from(resample: ResampleArg) -> Self {
        match resample {
            ResampleArg::Items => Self::Items,
            ResampleArg::Both => Self::Both,
        }
    }
}

/// Correlates and returns what goes to standard output.
pub(super) fn correlate(context: &Context<'_>, args: &Correlate, json: bool) -> Result<String> {
    let destination = args.out.as_deref().map(Destination::of).transpose()?;
    let source = open(context, &args.data)?;
    let scores = args.metric.iter();
    let scores = scores
        .map(|metric| Scores::open(&source, &args.scores, metric))
        .collect::<Result<Vec<_>>>()?;
    let options = Options {
        criterion: args.criterion.as_deref(),
        level: args.level.into(),
        resample: args.resample.into(),
        confidence: args.confidence,
        resamples: args.resamples,
    };
    let correlated = correlate::run(context, &source, &scores, &options)?;
    if let Some(destination) = &destination {
        correlate::write(&correlated, destination)?;
    }
    if json {
        return to_json(&correlated.found);
    }
    let text = report::render_correlations(&correlated.found);
    let signature = &correlated.meta.signature;
    Ok(format!("{}\n{signature}\n", text.trim_start()))
}
