//! The arguments beside a verb: the flags that hold everywhere, and those of a data set.

use super::values::{outcomes, pair, pick, room, together};
use super::verbs::Verb;
use clap::{Args, Parser};
use std::path::PathBuf;
use tiebreak_base::error::Result;
use tiebreak_base::limits::{self, Size};
use tiebreak_data::records::Outcomes;
use tiebreak_data::records::import::ImportOptions;
use tiebreak_encoders::places;
use tiebreak_metrics::env::Device;

/// Find out which text-generation system is best, and how good each one is, with few human judgments.
#[derive(Debug, Parser)]
#[command(name = "tiebreak", version, about, arg_required_else_help = true)]
#[command(after_help = "A first run:  tiebreak run pipelines/quickstart.toml\n\
Your own data: tiebreak import --reference ref.txt --system a=a.txt --system b=b.txt --out my-data\n\
Then:          tiebreak check my-data")]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub verb: Verb,
    /// Flags that hold everywhere.
    #[command(flatten)]
    pub common: Common,
}

/// Flags that hold everywhere.
#[derive(Debug, Clone, Args)]
pub(crate) struct Common {
    /// Seed of everything random
    #[arg(long, global = true, value_name = "N")]
    pub seed: Option<u64>,
    /// Threads; results do not depend on it [default: all cores]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Memory limit for what is read: each row, batch or document has a share; larger ones are refused; at least 64M
    #[arg(long, global = true, value_name = "SIZE", default_value_t = Size(limits::MEMORY))]
    pub limit_memory: Size,
    /// Where the indexes of large data sets are kept between commands [default: `tiebreak` in your cache folder]
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        env = "TIEBREAK_INDEXES",
        hide_env_values = true
    )]
    pub indexes: Option<PathBuf>,
    /// Most that they take together, at least 64M; 0 keeps none
    #[arg(long, global = true, value_name = "SIZE", env = "TIEBREAK_LIMIT_INDEXES", hide_env_values = true, default_value_t = Size(limits::INDEXES), value_parser = room)]
    pub limit_indexes: Size,
    /// No progress and no notes on stderr
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Where neural models run: cpu, cuda, cuda:N or metal
    #[arg(long, global = true, value_name = "DEVICE", default_value = "cpu", value_parser = str::parse::<Device>)]
    pub device: Device,
    /// Have what is at --out moved out of the way: scores.csv to scores.old.csv, a folder to FOLDER.old
    #[arg(long, global = true)]
    pub force: bool,
    /// One JSON document on stdout
    #[arg(long, global = true)]
    pub json: bool,
    /// Where models are looked for first; then beside the program, in your data folder, in the program
    #[arg(long, global = true, value_name = "DIR", env = "TIEBREAK_MODELS", hide_env_values = true, default_value = places::FOLDER)]
    pub models: PathBuf,
}

/// A data set and how its columns are called.
#[derive(Debug, Clone, Args)]
pub(crate) struct DataArgs {
    /// A folder with tables (items, outputs, comparisons, judgments), one file of outputs, or what import detects
    #[arg(value_name = "DATA")]
    pub data: PathBuf,
    /// A column under another name
    #[arg(long, value_name = "item=segment_id", value_parser = pair)]
    pub column: Vec<(String, String)>,
    /// What to take of another tool's files where several would fit, as in import
    #[arg(long, value_name = "KEY=VALUE", value_parser = pick)]
    pub pick: Vec<(String, String)>,
    /// What words for outcomes mean: 1 (the first system is better), 0.5 (a tie) or 0
    #[arg(long, value_name = "WORD=NUMBER,…", value_parser = outcomes)]
    pub outcome: Vec<Outcomes>,
}

impl DataArgs {
    /// Returns the options with which the data set is read.
    ///
    /// # Errors
    /// If a word is given two meanings.
    pub(super) fn options(&self) -> Result<ImportOptions> {
        Ok(ImportOptions {
            columns: self.column.clone(),
            pick: self.pick.clone(),
            outcomes: together(&self.outcome)?,
            ..ImportOptions::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    /// Clap wraps the text below the flags. A sentence with line breaks of its own would be ragged, and a command that
    /// is too long could not be copied.
    #[test]
    fn sentences_are_broken_once_and_commands_not_at_all() {
        fn check(command: &clap::Command) {
            let text = command.get_after_help().map(ToString::to_string);
            for line in text.unwrap_or_default().lines() {
                let labelled = line
                    .split_once(':')
                    .map_or("", |(_, after)| after.trim_start());
                let is_command = line.starts_with("  ") || labelled.starts_with("tiebreak ");
                let fits = match is_command {
                    true => line.chars().count() <= 100,
                    false => line.is_empty() || line.ends_with(['.', ':']),
                };
                assert!(fits, "{}: {line}", command.get_name());
            }
            command.get_subcommands().for_each(check);
        }
        check(&Cli::command());
    }
}
