//! `tiebreak export`: comparisons, judgments, predictions and scores in the forms of other tools.

use super::args::DataArgs;
use super::out::STREAM;
use super::verbs::{Command, open, shown};
use clap::Args;
use std::path::{Path, PathBuf};
use tiebreak_base::error::{Error, Result};
use tiebreak_stages::exports::{Export, ExportRequest, ExportSummary};
use tiebreak_stages::inputs::source::{PredictionTable, Scores};

/// `tiebreak export`
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:\n  \
tiebreak export data/mt-bench --as csv --out comparisons.csv\n  \
tiebreak export data/mt-bench --as trl --out preferences.jsonl     # to train with\n  \
tiebreak export data/mt-bench --as latex --out ranking.tex          # the ranking as a table\n  \
tiebreak export run --as answers --out answers.csv     # a campaign's, with comments and skips",
    after_help = "Forms of answers: answers (of a campaign, with labels, comments and skips), arena, trl and rewardbench (JSON \
lines), csv, jsonl and parquet (plain tables). Forms of results: markdown and latex (the ranking, else mean judgments), \
every-eval-ever, eval-results and inspect-scores (folders of mean judgments). mt-metrics-eval is a folder of scores for \
the metrics task of WMT."
)]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    pub data: DataArgs,
    /// The form, such as csv or trl
    #[arg(long = "as", value_name = "NAME")]
    pub form: String,
    /// Export predictions instead of people's comparisons
    #[arg(long, value_name = "FILE")]
    pub predictions: Option<PathBuf>,
    /// Scores of a metric, for mt-metrics-eval
    #[arg(long, value_name = "FILE", requires = "metric")]
    pub scores: Option<PathBuf>,
    /// The metric of the scores
    #[arg(long, value_name = "NAME", requires = "scores")]
    pub metric: Option<String>,
    /// What the scores compared with: a reference's name, or src
    #[arg(long, value_name = "NAME", default_value = "refA")]
    pub reference: String,
    /// The developer of systems that are not named DEVELOPER/MODEL, for every-eval-ever
    #[arg(long, value_name = "NAME")]
    pub developer: Option<String>,
    /// The data set at the Hugging Face Hub, for eval-results
    #[arg(long, value_name = "OWNER/NAME")]
    pub benchmark: Option<String>,
    /// The file, or a folder for it; - prints it. every-eval-ever, eval-results, inspect-scores and mt-metrics-eval are
    /// folders
    #[arg(long, value_name = "PATH")]
    pub out: PathBuf,
}

/// Exports and returns what goes to standard output.
pub(super) fn export(command: &Command<'_>, args: &ExportArgs) -> Result<String> {
    let Command { context, json, .. } = *command;
    let form = Export::by_name(&args.form).map_err(Error::of_key("as"))?;
    let source = open(context, &args.data)?;
    let predictions = args
        .predictions
        .as_deref()
        .map(|path| PredictionTable::open(context, &source, path));
    let scores = args.scores.as_deref().zip(args.metric.as_deref());
    let scores = scores.map(|(path, metric)| Scores::open(context, &source, path, metric));
    let (predictions, scores) = (predictions.transpose()?, scores.transpose()?);
    let what = ExportRequest {
        context,
        source: &source,
        predictions: predictions.as_ref(),
        scores: scores.as_ref(),
        reference: &args.reference,
        developer: args.developer.as_deref(),
        benchmark: args.benchmark.as_deref(),
    };
    if args.out == Path::new(STREAM) {
        return printed(form, &what);
    }
    let exported = form.write(&what, &args.out)?;
    shown(json, &exported, ExportSummary::to_string)
}

/// Returns the one file of a form for standard output; counts of what was left out are warnings.
fn printed(form: &Export, what: &ExportRequest<'_>) -> Result<String> {
    let folder = tempfile::tempdir().map_err(Error::failed)?;
    let ExportSummary { rows, dropped, .. } = form.write(what, folder.path())?;
    let files: Vec<&Path> = rows.iter().map(|(file, _)| Path::new(file)).collect();
    let refused = |what: &str, place: &str| {
        let what = format!("--out -: as {}, {what}", form.name);
        Error::usage(what).with_hint(format!("name a {place}"))
    };
    let text = match files[..] {
        [file] if file.parent() == Some(folder.path()) => std::fs::read(file),
        _ => return Err(refused("there are several files", "folder")),
    };
    let text = text.map_err(Error::failed)?;
    for (reason, count) in dropped.iter().filter(|(_, count)| *count > 0) {
        let left_out = format!("left out: {count} ({reason})");
        what.context.progress.warn(&left_out);
    }
    String::from_utf8(text).map_err(|_| refused("it is no text", "file"))
}
