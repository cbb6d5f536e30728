//! `tiebreak import`: files of other tools, text files or a wide table into a data set.

use super::values::{name, outcomes, pair, pick, together};
use super::verbs::{Command, to_json};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use tiebreak_base::error::{Audience, Error, Key, Result};
use tiebreak_base::layout::{argument, path_argument};
use tiebreak_base::message;
use tiebreak_data::records::Outcomes;
use tiebreak_data::records::import::{
    AlignedFilePaths, ImportOptions, ImportSummary, Nulls, Repeats, WideTableOptions,
};
use tiebreak_data::records::reader::refuse_pipe;
use tiebreak_stages::stages::rank;

/// `tiebreak import`
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:\n  \
tiebreak import votes.jsonl --out votes             # another tool's file; its format is detected\n  \
tiebreak import logs/ --out mine                    # logs of lm-evaluation-harness or Inspect\n  \
tiebreak import --reference ref.txt --system a=a.txt --system b=b.txt --out mine",
    after_help = "`tiebreak list formats` lists the formats of other tools. Text files have a line for each output, in the \
same order."
)]
pub(crate) struct ImportArgs {
    /// Files or folders of another tool, whose format is detected
    #[arg(value_name = "FILE", conflicts_with_all = ["source", "reference", "system", "wide"])]
    pub files: Vec<PathBuf>,
    /// The format, where detection is not wanted
    #[arg(long, value_name = "NAME", requires = "files")]
    pub format: Option<String>,
    /// Choose where files fit in several ways, once for each choice: judge, baseline, filter, epoch, split, …
    #[arg(long, value_name = "KEY=VALUE", value_parser = pick, requires = "files")]
    pub pick: Vec<(String, String)>,
    /// Columns or metrics that are criteria of judgments; none for none
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', value_parser = name, requires = "files")]
    pub criteria: Vec<String>,
    /// Read an output that is null as an empty text, or as an error
    #[arg(
        long,
        value_name = "empty|error",
        value_enum,
        default_value = "empty",
        hide_possible_values = true
    )]
    pub nulls: NullsFlag,
    /// Which repeats (epochs, trials) of an output are taken: all their scores, or the first
    #[arg(
        long,
        value_name = "all|first",
        value_parser = tiebreak_base::keys::flag::<Repeats>,
        default_value = "all"
    )]
    pub repeats: Repeats,
    /// Say what words for outcomes mean: 1 (the first system is better), 0.5 (a tie), 0, none (left out) or
    /// name (the better system)
    #[arg(long, value_name = "WORD=NUMBER,…", value_parser = outcomes, requires = "files")]
    pub outcome: Vec<Outcomes>,
    /// The inputs, one a line
    #[arg(long, value_name = "FILE")]
    pub source: Option<PathBuf>,
    /// References, one a line; repeat for several
    #[arg(long, value_name = "FILE")]
    pub reference: Vec<PathBuf>,
    /// A system's outputs, one a line (NAME=FILE); with --wide the column of a system (NAME)
    #[arg(long, value_name = "NAME=FILE")]
    pub system: Vec<String>,
    /// A table with a row for each item and a column for each system
    #[arg(long, value_name = "FILE", conflicts_with_all = ["source", "reference"])]
    pub wide: Option<PathBuf>,
    /// Read a column of the tables that has another name
    #[arg(long, value_name = "item=id", value_parser = pair)]
    pub column: Vec<(String, String)>,
    /// The folder of the new data set
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
}

/// What an output that is null or empty is.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum NullsFlag {
    /// An empty text.
    Empty,
    /// An error.
    Error,
}

/// Imports and returns what goes to standard output.
pub(super) fn import(command: &Command<'_>, args: &ImportArgs) -> Result<String> {
    // The format is detected in the files before they are read, which a pipe does not allow.
    args.files.iter().try_for_each(|file| refuse_pipe(file))?;
    let imported = match &args.wide {
        _ if !args.files.is_empty() => args.options()?.import(&args.files, &args.out)?,
        Some(file) => from_wide(args, file)?,
        None => from_lines(args)?,
    };
    if command.json {
        return to_json(&imported);
    }
    Ok(imported.to_string() + &next(&imported, &path_argument(&args.out)))
}

/// Returns the commands that suit the imported data.
fn next(imported: &ImportSummary, out: &str) -> String {
    if imported.outputs + imported.comparisons + imported.judgments == 0 {
        return format!(
            "note: no file holds the outputs of these verdicts. With a data set that has them: tiebreak rank DATA --verdicts \
             {out}/predictions.jsonl\n"
        );
    }
    let mut next = vec![format!("check {out}")];
    if imported.comparisons > 0 && !rank::are_unnamed(&imported.systems) {
        next.push(format!("rank {out}"));
    }
    if imported.predictions > 0 && imported.outputs > 0 {
        next.push(format!("rank {out} --verdicts"));
    }
    if let Some(criterion) = imported.criteria.first() {
        let criterion = message!("{}", Key("criterion").set(argument(criterion)));
        // A single item does not show how far differences vary, and a single system has none.
        let differences = match imported.items > 1 && imported.systems.len() > 1 {
            true => " --differences",
            false => "",
        };
        next.push(format!(
            "estimate {out} {}{differences}",
            criterion.shown_to(Audience::Terminal)
        ));
    }
    if imported.predictions > 0 && imported.outputs > 0 {
        let hints = match imported.predicts_every_pair() {
            true => format!(" --predictions {out}/predictions.jsonl"),
            false => String::new(),
        };
        next.push(format!("ask RUN {out}{hints} --out questions.csv"));
    }
    let lines = next
        .iter()
        .map(|command| format!("next: tiebreak {command}\n"));
    lines.collect()
}

impl ImportArgs {
    fn options(&self) -> Result<ImportOptions> {
        let none = ["none".to_string()];
        Ok(ImportOptions {
            format: self.format.clone(),
            pick: self.pick.clone(),
            criteria: match &self.criteria[..] {
                [] => None,
                given if given == none => Some(Vec::new()),
                given => Some(given.to_vec()),
            },
            asked: None,
            nulls: self.nulls(),
            repeats: self.repeats,
            columns: self.column.clone(),
            outcomes: together(&self.outcome)?,
            ..ImportOptions::default()
        })
    }

    fn nulls(&self) -> Nulls {
        match self.nulls {
            NullsFlag::Empty => Nulls::Empty,
            NullsFlag::Error => Nulls::Error,
        }
    }
}

fn from_wide(args: &ImportArgs, file: &std::path::Path) -> Result<ImportSummary> {
    let column = |name: &String| match name.split_once('=') {
        Some((name, column)) => (name.to_string(), column.to_string()),
        None => (name.clone(), name.clone()),
    };
    let table = WideTableOptions {
        file: file.to_path_buf(),
        systems: args.system.iter().map(column).collect(),
        columns: args.column.clone(),
        nulls: args.nulls(),
    };
    table.import(&args.out)
}

fn from_lines(args: &ImportArgs) -> Result<ImportSummary> {
    if !args.column.is_empty() {
        return Err(
            Error::usage("--column is of tables, and text files have no columns")
                .with_hint("name a table: tiebreak import FILE --column item=id, or --wide FILE"),
        );
    }
    let file = |text: &String| match text.split_once('=') {
        Some((name, file)) => Ok((name.to_string(), PathBuf::from(file))),
        None => Err(Error::usage(format!("--system {text}: expected NAME=FILE"))
            .with_hint("name each system, such as --system baseline=baseline.txt")),
    };
    let files = AlignedFilePaths {
        source: args.source.clone(),
        references: args.reference.clone(),
        systems: args.system.iter().map(file).collect::<Result<_>>()?,
        ..AlignedFilePaths::default()
    };
    files.import(&args.out)
}
