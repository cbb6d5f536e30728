//! What can be typed: the verbs, and the flags that hold everywhere. Flags of a verb are in its own file.

use super::annotators::Annotators;
use super::assess::Assess;
use super::check::Check;
use super::completions::Completions;
use super::correlate::Correlate;
use super::estimate::Estimate;
use super::export::Export;
use super::fit::Fit;
use super::import::Import;
#[cfg(feature = "judges")]
use super::judge::Judge;
use super::list::List;
use super::live::{Ask, Tell};
use super::man::Man;
use super::plan::Plan;
use super::predict::Predict;
use super::rank::Rank;
use super::report::Report;
use super::run::Run;
use super::score::Score;
#[cfg(feature = "serve")]
use super::serve::Serve;
use super::simulate::Simulate;
use super::values::{outcomes, pair, pick, room};
use crate::encoders::places;
use crate::env::Device;
use crate::limits::{self, Size};
use crate::records::Outcomes;
use crate::records::import::Options;
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// Find out which text-generation system is best, and how good each one is, with few human judgments.
#[derive(Debug, Parser)]
#[command(name = "tiebreak", version, about, arg_required_else_help = true)]
#[command(after_help = "A first run:  tiebreak run pipelines/quickstart.toml\n\
Your own data: tiebreak import --source in.txt --reference ref.txt --system a=a.txt --system b=b.txt --out my-data\n\
Then:          tiebreak check my-data")]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub verb: Verb,
    /// Flags that hold everywhere.
    #[command(flatten)]
    pub common: Common,
}

/// Flags that hold everywhere.
#[derive(Debug, Clone, Args)]
pub struct Common {
    /// Seed of everything random
    #[arg(long, global = true, value_name = "N")]
    pub seed: Option<u64>,
    /// Threads; results do not depend on it [default: all cores]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// Most memory that one piece of a file may lead to: above it a file is refused, not read
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
    /// Most that they take together; 0 keeps none
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
pub struct DataArgs {
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
    /// How the data set is read.
    pub fn options(&self) -> Options {
        Options {
            columns: self.column.clone(),
            pick: self.pick.clone(),
            outcomes: Outcomes::together(&self.outcome),
            ..Options::default()
        }
    }
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Turn files of other tools, line-aligned text files or a wide table into a data set
    Import(Box<Import>),
    /// Write comparisons, judgments, predictions or scores in the forms of other tools
    Export(Box<Export>),
    /// Tell what a data set holds and what can be run on it
    Check(Check),
    /// Score outputs with automatic metrics
    Score(Score),
    /// Predict preferences between pairs of outputs, with uncertainty
    Predict(Predict),
    /// Ask a language model which of two outputs is better: predictions as those of `predict`
    #[cfg(feature = "judges")]
    Judge(Box<Judge>),
    /// Fit a link between scores and preferences
    #[command(subcommand)]
    Fit(Fit),
    /// Tell how good predictions are, and what their uncertainty is worth
    Assess(Assess),
    /// Rank all systems by the comparisons that were collected, and say what that proves
    Rank(Rank),
    /// Replay recorded comparisons with a dueling bandit: how many judgments would have been enough
    Simulate(Box<Simulate>),
    /// Ask people: write the next questions of a campaign as a sheet, or ask at the terminal
    Ask(Box<Ask>),
    /// Ask people in their browsers: a campaign as a page for each of them
    #[cfg(feature = "serve")]
    Serve(Box<Serve>),
    /// Read filled sheets of a campaign back
    Tell(Tell),
    /// Estimate each system's mean human judgment, with an interval
    Estimate(Estimate),
    /// Compare annotators: agreement, bias, noise, who stands out; labels from a model of their errors
    Annotators(Annotators),
    /// Hold metrics against people: how well they go together, with intervals and tests
    Correlate(Correlate),
    /// Say how many judgments an interval of a wanted width takes, before there are any
    Plan(Box<Plan>),
    /// Make the report of a run again from its tables: text, JSON and a page (report.html)
    Report(Report),
    /// Run a pipeline file
    Run(Run),
    /// List metrics, links, models, bandits or estimators
    List(List),
    /// Print what completes commands in a shell
    Completions(Completions),
    /// Write the manual pages
    Man(Man),
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
