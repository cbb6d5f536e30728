//! `tiebreak predict`: preferences of a model, or of a metric through a link.

use super::args::DataArgs;
use super::out::table;
use super::values::shard;
use super::verbs::{Command, at};
use clap::Args;
use std::path::PathBuf;
use tiebreak_base::error::Result;
use tiebreak_stages::engine::parts::Shard;
use tiebreak_stages::stages::predict::{self, PredictOptions};

/// `tiebreak predict`
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:\n  \
tiebreak predict mine --out predictions.parquet\n  \
tiebreak predict mine --draws adaptive:bald=0.01 --out predictions.parquet   # fewer draws\n  \
tiebreak predict data/tiny --scores scores.csv --metric chrf --link btl --out predictions.csv",
    after_help = "The preference p needs no draws (--draws 0); its uncertainties BALD and STD do. Adaptive draws come in \
batches of 5, up to `most` (20). They stop when the standard errors of BALD and STD are below `tolerance` (0.02). \
They also stop when BALD or STD is clearly on one side of a threshold `bald` or `std`."
)]
pub(crate) struct PredictArgs {
    #[command(flatten)]
    pub data: DataArgs,
    #[command(flatten)]
    pub keys: predict::Predict,
    /// Compute every N-th part only, beginning with the I-th
    #[arg(long, value_name = "I/N", value_parser = shard)]
    pub shard: Option<Shard>,
    /// A file (.jsonl, .csv, .tsv, .parquet, .arrow) or a folder of parts; - prints it as CSV
    #[arg(long, value_name = "PATH")]
    pub out: PathBuf,
}

/// Predicts; returns the table.
pub(super) fn predict(command: &Command<'_>, args: &PredictArgs) -> Result<String> {
    let Command { context, .. } = *command;
    // A model that cannot be loaded is reported before the data set is read.
    let model = args.keys.load(context, "".as_ref())?;
    at(context, &args.data, &args.keys, |site| {
        command.note_answers(site.source);
        let predictor = match model {
            Some(model) => model,
            None => args.keys.direct(site)?,
        };
        let options = PredictOptions {
            shard: args.shard.unwrap_or_default(),
            ..args.keys.options(site)?
        };
        table(&args.out, |destination| {
            predict::run(context, site.source, &predictor, &options, destination)
        })
    })
}
