//! `tiebreak run`: a pipeline, a grid of experiments or a file of trainings.

use super::browser::open_report;
use super::fit::run_trainings;
use super::verbs::Command;
use clap::Args;
use std::path::{Path, PathBuf};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::layout::path_argument;
use tiebreak_stages::engine::names::stem;
use tiebreak_stages::experiments;
use tiebreak_stages::pipeline::Runnable;
use tiebreak_stages::report::RenderedReport;

/// `tiebreak run`
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:\n  \
tiebreak run pipelines/quickstart.toml\n  \
tiebreak run pipelines/quickstart.toml --out first --seed 7",
    after_help = "A pipeline is a file with a table [[COMMAND]] for each step; its keys are the command's options. A mistake \
is reported with its line before anything runs (docs/pipelines.md)."
)]
pub(crate) struct RunArgs {
    /// The pipeline
    #[arg(value_name = "PIPELINE.toml")]
    pub pipeline: PathBuf,
    /// Folder for tables and report [default: out/NAME]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Folder of the data sets of a file of experiments [default: its `data-root`]
    #[arg(long, value_name = "DIR")]
    pub data_root: Option<PathBuf>,
    /// Open the page of the report in the browser at the end
    #[arg(long)]
    pub open: bool,
}

/// The default folder of results.
pub(super) fn default_out(pipeline: &Path) -> PathBuf {
    Path::new("out").join(stem(pipeline))
}

/// Runs the file and returns what goes to standard output.
pub(super) fn run(command: &Command<'_>, args: &RunArgs) -> Result<String> {
    let out = args.out.clone();
    let out = out.unwrap_or_else(|| default_out(&args.pipeline));
    if args.open && matches!(Runnable::read(&args.pipeline)?, Runnable::Trainings(_)) {
        let what = "--open is for files that end with a report; this one trains models";
        return Err(Error::usage(what));
    }
    let text = run_file(command, &args.pipeline, &out, args.data_root.as_ref())?;
    if args.open {
        open_report(command, &out);
    }
    Ok(text)
}

/// Runs a file with results in `out`; `data_root` is where the data sets of experiments are.
pub(super) fn run_file(
    command: &Command<'_>,
    pipeline: &Path,
    out: &Path,
    data_root: Option<&PathBuf>,
) -> Result<String> {
    let Command {
        context,
        seed,
        json,
        ..
    } = *command;
    only_toml(pipeline)?;
    let (text, document) = match &Runnable::read(pipeline)? {
        Runnable::Pipeline(_) | Runnable::Trainings(_) if data_root.is_some() => {
            let what = "--data-root is for files of experiments; this pipeline names its data set";
            return Err(Error::usage(what));
        }
        Runnable::Trainings(file) => run_trainings(context, file, seed, out)?,
        Runnable::Pipeline(file) => shortly(file.run(context, seed, out)?),
        Runnable::Grid(file) => {
            let overrides = experiments::Overrides {
                seed,
                data_root: data_root.cloned(),
            };
            shortly(file.run(context, &overrides, out)?)
        }
    };
    Ok(if json { document } else { text })
}

/// The extensions of tables.
const TABLES: [&str; 9] = [
    "csv", "tsv", "jsonl", "ndjson", "parquet", "arrow", "feather", "gz", "zst",
];

/// Refuses a file that says itself that it is no TOML.
fn only_toml(pipeline: &Path) -> Result<()> {
    let ending = pipeline
        .extension()
        .map(|ending| ending.to_string_lossy().to_lowercase());
    match ending.as_deref() {
        Some(other @ ("yaml" | "yml" | "json")) if pipeline.exists() => {
            let what = format!("a pipeline is TOML, and this is {other}");
            Err(Error::input(pipeline, what).with_hint(
                "a table [[score]] with metric = \"bleu\" is `tiebreak score --metric bleu`; docs/pipelines.md has examples",
            ))
        }
        Some(other) if TABLES.contains(&other) && pipeline.exists() => {
            let what = "`run` takes a pipeline, which is TOML, and this is a table";
            let path = path_argument(pipeline);
            Err(Error::input(pipeline, what).with_hint(format!("`tiebreak check {path}` reads it")))
        }
        _ => Ok(()),
    }
}

fn shortly(written: RenderedReport) -> (String, String) {
    (written.brief, written.json)
}
