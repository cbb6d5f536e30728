//! The arguments that verbs share: the options for every command, and those of a data set.

use super::values::{outcomes, pair, pick, room, together};
use super::verbs::Verb;
use clap::{ArgAction, Args, Parser};
use std::path::PathBuf;
use tiebreak_base::error::Result;
use tiebreak_base::limits::{self, Size};
use tiebreak_data::records::Outcomes;
use tiebreak_data::records::import::ImportOptions;
use tiebreak_encoders::places;
use tiebreak_metrics::env::Device;

/// Find out which text-generation system is best, and how good each one is, with few human judgments
#[derive(Debug, Parser)]
#[command(
    name = "tiebreak",
    bin_name = "tiebreak",
    version,
    about,
    disable_help_flag = true,
    disable_help_subcommand = true,
    disable_version_flag = true
)]
#[command(before_help = "Examples:\n  \
tiebreak demo                                   # see it work, in a folder of its own\n  \
tiebreak import votes.jsonl --out mine          # a data set of your own files\n  \
tiebreak rank mine                              # which system is best, by comparisons you have\n  \
tiebreak serve run mine --annotators ana,ben    # ask people in their browsers")]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub verb: Option<Verb>,
    /// Print the version, the commit and the features of this build
    #[arg(long, short = 'V')]
    pub version: bool,
    /// With --version: also the processor, models, devices and folders
    #[arg(long, requires = "version")]
    pub verbose: bool,
    /// Options for every command.
    #[command(flatten)]
    pub common: Common,
}

/// Options for every command.
#[derive(Debug, Clone, Args)]
pub(crate) struct Common {
    /// Print the help of a command
    #[arg(long, short, global = true, action = ArgAction::HelpShort)]
    pub help: Option<bool>,
    /// Print one JSON document on stdout
    #[arg(long, global = true)]
    pub json: bool,
    /// Print no progress and no notes on stderr
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Rename an existing --out first: scores.csv to scores.old.csv, a folder to FOLDER.old
    #[arg(long, global = true)]
    pub force: bool,
    /// Seed of everything random
    #[arg(long, global = true, value_name = "N")]
    pub seed: Option<u64>,
    /// Number of threads; results do not depend on it [default: all cores]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Where neural models run: cpu, cuda, cuda:N or metal
    #[arg(long, global = true, value_name = "DEVICE", default_value = "cpu", value_parser = str::parse::<Device>)]
    pub device: Device,
    /// First folder to look for models in; then come the program's folder, your data folder, the program
    #[arg(long, global = true, value_name = "DIR", env = "TIEBREAK_MODELS", hide_env_values = true, default_value = places::FOLDER)]
    pub models: PathBuf,
    /// Memory limit for what is read, at least 64M; a row, batch or document above its share is refused
    #[arg(long, global = true, value_name = "SIZE", default_value_t = Size(limits::MEMORY))]
    pub limit_memory: Size,
    /// Folder that keeps the indexes of large data sets [default: `tiebreak` in your cache folder]
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        env = "TIEBREAK_INDEXES",
        hide_env_values = true
    )]
    pub indexes: Option<PathBuf>,
    /// Disk limit for all indexes together, at least 64M; 0 keeps none
    #[arg(long, global = true, value_name = "SIZE", env = "TIEBREAK_LIMIT_INDEXES", hide_env_values = true, default_value_t = Size(limits::INDEXES), value_parser = room)]
    pub limit_indexes: Size,
}

/// A data set and how its columns are called.
#[derive(Debug, Clone, Args)]
pub(crate) struct DataArgs {
    /// A folder with tables (items, outputs, comparisons, judgments), or a file that `tiebreak import` reads
    #[arg(value_name = "DATA")]
    pub data: PathBuf,
    #[command(flatten)]
    pub reading: ReadingArgs,
}

/// How the files of a data set are read.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ReadingArgs {
    /// Read a column that has another name
    #[arg(long, value_name = "item=segment_id", value_parser = pair)]
    pub column: Vec<(String, String)>,
    /// Choose where another tool's files fit in several ways, once for each choice: judge=gpt-4
    #[arg(long, value_name = "KEY=VALUE", value_parser = pick)]
    pub pick: Vec<(String, String)>,
    /// Say what words for outcomes mean: 1 (the first system is better), 0.5 (a tie), 0, none (left out) or
    /// name (the better system)
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
            columns: self.reading.column.clone(),
            pick: self.reading.pick.clone(),
            outcomes: together(&self.reading.outcome)?,
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
}
