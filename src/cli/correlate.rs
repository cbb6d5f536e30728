//! `tiebreak correlate`: compares metrics with people, as tables for people.

use super::args::DataArgs;
use super::verbs::{Command, at, destination, shown};
use clap::Args;
use std::path::PathBuf;
use tiebreak_base::error::Result;
use tiebreak_stages::report::ShownResult;
use tiebreak_stages::stages::correlate;

/// `tiebreak correlate`
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:\n  \
tiebreak correlate data/tiny --scores scores.csv --metric chrf\n  \
tiebreak correlate mine --scores s.parquet --metric chrf bleu --out table.csv    # and tests",
    after_help = "Groupings: item (outputs of one item, averaged over items), global (all outputs or comparisons), system \
(means). Coefficients: Pearson, Spearman, Kendall's tau-b, pairwise accuracy with ties. Pairwise accuracy also comes \
with the best tie size (calibrated) and soft. Metrics and criteria that are better when lower change their \
sign. Several metrics are also tested against each other."
)]
pub(crate) struct CorrelateArgs {
    #[command(flatten)]
    pub data: DataArgs,
    #[command(flatten)]
    pub keys: correlate::Correlate,
    /// A file for the table; differences between metrics go to a second file
    #[arg(long, value_name = "PATH")]
    pub out: Option<PathBuf>,
}

/// Correlates and returns what goes to standard output.
pub(super) fn correlate(command: &Command<'_>, args: &CorrelateArgs) -> Result<String> {
    let Command { context, json, .. } = *command;
    let destination = destination(args.out.as_deref())?;
    let correlated = at(context, &args.data, &args.keys, |site| {
        args.keys.correlate(site)
    })?;
    if let Some(destination) = &destination {
        correlated.write(destination)?;
    }
    shown(json, &correlated.found, |found| {
        let text = found.render();
        format!("{}\n{}\n", text.trim_start(), correlated.meta.signature)
    })
}
