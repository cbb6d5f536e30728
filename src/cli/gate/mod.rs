//! `tiebreak gate`: is the new system good enough to ship.

mod forms;

use super::args::{DataArgs, ReadingArgs};
use super::verbs::{Command, at, shown};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use tiebreak_base::error::Result;
use tiebreak_data::records::import::ImportOptions;
use tiebreak_stages::inputs::source::Source;
use tiebreak_stages::report::ShownResult;
use tiebreak_stages::stages::gate::Gate;

/// `tiebreak gate`
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:\n  \
tiebreak gate main.eval pull-request.eval\n  \
tiebreak gate main.json new.json --criterion accuracy --require not-worse --margin 0.05\n  \
tiebreak gate mine --base a --new b --by language --report github",
    after_help = "Exit codes: 0 requirement met, 3 not met, 4 undecided (with no-regression only where items cannot \
show a regression). 1 and 2 are errors, as everywhere."
)]
pub(crate) struct GateArgs {
    /// A data set with both systems (named by --base and --new). Or logs, of the base and of each new system, in any
    /// form that import detects
    #[arg(value_name = "DATA", required = true, num_args = 1..)]
    pub data: Vec<PathBuf>,
    #[command(flatten)]
    pub reading: ReadingArgs,
    #[command(flatten)]
    pub keys: Gate,
    /// The form of the output: text, json, junit (test results in XML) or github (annotations, and a job summary where
    /// GITHUB_STEP_SUMMARY names a file)
    #[arg(long, value_name = "FORM", value_enum, default_value = "text")]
    pub report: ReportForm,
    /// A folder for the decision
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// The form of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportForm {
    /// For people.
    Text,
    /// As `--json`.
    Json,
    /// Test results in XML.
    Junit,
    /// Annotations of a workflow of GitHub.
    Github,
}

impl GateArgs {
    /// Whether the output is for programs.
    pub(super) fn is_for_programs(&self) -> bool {
        self.report != ReportForm::Text
    }
}

/// Decides, sets the exit code, and returns what goes to standard output.
pub(super) fn gate(command: &Command<'_>, args: &GateArgs) -> Result<String> {
    let log = |path: &PathBuf| DataArgs {
        data: path.clone(),
        reading: args.reading.clone(),
    };
    let report = match &args.data[..] {
        [data] => at(command.context, &log(data), &args.keys, |site| {
            args.keys.decide(site)
        })?,
        logs => {
            let open = |path: &PathBuf| {
                let options = log(path).options()?.asking(&args.keys);
                let options = ImportOptions {
                    lone_is_one_system: true,
                    ..options
                };
                Source::with(command.context, path, &options)
            };
            let sources: Vec<Source> = logs.iter().map(open).collect::<Result<_>>()?;
            let sources: Vec<&Source> = sources.iter().collect();
            args.keys.decide_logs(command.context, &sources)?
        }
    };
    if let Some(out) = &args.out {
        report.store(out)?;
    }
    command.outcome.code.set(report.exit_code());
    match args.report {
        ReportForm::Junit => Ok(forms::junit(&report)),
        ReportForm::Github => forms::github(&report),
        form => shown(
            command.json || form == ReportForm::Json,
            &report,
            ShownResult::render,
        ),
    }
}
