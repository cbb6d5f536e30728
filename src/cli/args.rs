//! What can be typed: the verbs and their flags.

use super::plan::Plan;
use crate::env::Device;
use crate::error::{Error, Result};
use crate::estimators::Goal;
use crate::model_based::ucb_elimination::{Formula, Options};
use crate::pipeline::assess;
use crate::pipeline::correlate::{FEWEST_RESAMPLES, Level, Resample};
use crate::pipeline::judging::Parts;
use crate::pipeline::named::Named;
use crate::pipeline::parts::Shard;
use crate::pipeline::score::significance::Test;
use crate::pipeline::setting::{Eliminate, Setting};
use crate::pipeline::spec::{self, Select};
use crate::preference::calibrator::Method;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use toml::Spanned;

/// Find out which text-generation system is best, and how good each one is, with few human judgments.
#[derive(Debug, Parser)]
#[command(
    name = "tiebreak",
    version,
    about,
    disable_help_subcommand = true,
    arg_required_else_help = true
)]
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
    /// No progress and no notes on stderr
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Where neural models run: cpu, cuda, cuda:N or metal
    #[arg(long, global = true, value_name = "DEVICE", default_value = "cpu", value_parser = device)]
    pub device: Device,
    /// One JSON document on stdout
    #[arg(long, global = true)]
    pub json: bool,
    /// Folder of model descriptors
    #[arg(long, global = true, value_name = "DIR", default_value = "models")]
    pub models: PathBuf,
}

/// A data set and how its columns are called.
#[derive(Debug, Clone, Args)]
pub struct DataArgs {
    /// A folder with tables (items, outputs, comparisons, judgments), or one file of outputs
    #[arg(value_name = "DATA")]
    pub data: PathBuf,
    /// A column under another name
    #[arg(long, value_name = "item=segment_id", value_parser = pair)]
    pub column: Vec<(String, String)>,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Turn line-aligned text files or a wide table into a data set
    Import(Import),
    /// Tell what a data set holds and what can be run on it
    Check(Check),
    /// Score outputs with automatic metrics
    Score(Score),
    /// Predict preferences between pairs of outputs, with uncertainty
    Predict(Predict),
    /// Fit a link between scores and preferences
    #[command(subcommand)]
    Fit(Fit),
    /// Tell how good predictions are, and what their uncertainty is worth
    Assess(Assess),
    /// Find the top-ranked system with a dueling bandit
    Rank(Box<Rank>),
    /// Write the next questions of a live run as a sheet to fill in
    Ask(Box<Ask>),
    /// Read filled sheets of a live run back
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
}

/// `tiebreak import`
#[derive(Debug, Args)]
pub struct Import {
    /// The inputs, one a line
    #[arg(long, value_name = "FILE")]
    pub source: Option<PathBuf>,
    /// References, one a line; repeat for several
    #[arg(long, value_name = "FILE")]
    pub reference: Vec<PathBuf>,
    /// A system's outputs, one a line (NAME=FILE); with --wide the column of a system (NAME)
    #[arg(long, value_name = "NAME=FILE")]
    pub system: Vec<String>,
    /// Instead: a table with one row per item and one column per system
    #[arg(long, value_name = "FILE", conflicts_with_all = ["source", "reference"])]
    pub wide: Option<PathBuf>,
    /// A column of the wide table under another name
    #[arg(long, value_name = "item=id", value_parser = pair, requires = "wide")]
    pub column: Vec<(String, String)>,
    /// The folder of the new data set
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
}

/// `tiebreak check`
#[derive(Debug, Args)]
pub struct Check {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub data: DataArgs,
}

/// `tiebreak score`
#[derive(Debug, Args)]
pub struct Score {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub data: DataArgs,
    /// Metric, with parameters as NAME:key=value,key=value; repeat for several
    #[arg(long, value_name = "NAME", required = true, num_args = 1..)]
    pub metric: Vec<String>,
    /// Add corpus-level scores
    #[arg(long)]
    pub corpus: bool,
    /// Test the systems' corpus scores against the baseline's by paired bootstrap
    #[arg(long, group = "paired")]
    pub paired_bs: bool,
    /// Test them by paired approximate randomisation
    #[arg(long, group = "paired")]
    pub paired_ar: bool,
    /// The system that a paired test compares the others with [default: the first]
    #[arg(long, value_name = "SYSTEM", requires = "paired")]
    pub baseline: Option<String>,
    /// Bootstrap resamples, which also tell the mean and its 95 % [default: 1000; with --paired-ar none]
    #[arg(long, value_name = "N", requires = "paired", value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    pub resamples: Option<u64>,
    /// Trials of --paired-ar
    #[arg(long, value_name = "N", requires = "paired_ar", conflicts_with = "paired_bs", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    pub trials: u64,
    /// Monte Carlo draws, for metrics that have dropout
    #[arg(long, value_name = "L", conflicts_with = "paired")]
    pub draws: Option<usize>,
    /// A file (.jsonl, .csv, .tsv, .parquet, .arrow) or a folder of parts for the scores, or for the outcome
    /// of a paired test; without it system means on stdout
    #[arg(long, value_name = "PATH")]
    pub out: Option<PathBuf>,
}

impl Score {
    /// The paired test that is asked for.
    pub fn test(&self) -> Option<Test> {
        if self.paired_bs {
            let resamples = self.resamples.unwrap_or(1000);
            return Some(Test::Bootstrap { resamples });
        }
        self.paired_ar.then_some(Test::Randomisation {
            trials: self.trials,
            resamples: self.resamples,
        })
    }
}

/// `tiebreak predict`
#[derive(Debug, Args)]
pub struct Predict {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub data: DataArgs,
    /// A preference model: a name, a folder or a hub id [default: tiebreak-small, which comes with tiebreak]
    #[arg(long, value_name = "NAME|DIR|HUB-ID", conflicts_with = "scores")]
    pub model: Option<String>,
    /// Monte Carlo draws
    #[arg(long, value_name = "L", default_value_t = 20)]
    pub draws: usize,
    /// Only these pairs: a table with item, system_a, system_b
    #[arg(long, value_name = "FILE")]
    pub pairs: Option<PathBuf>,
    /// Show a pair as given, or in both orders and average
    #[arg(long, value_enum, default_value_t = OrderArg::Given)]
    pub order: OrderArg,
    /// Store the draws themselves
    #[arg(long)]
    pub keep_draws: bool,
    /// Compute every N-th part only, beginning with the I-th
    #[arg(long, value_name = "I/N", value_parser = shard)]
    pub shard: Option<Shard>,
    /// Instead of a model: scores of a metric
    #[arg(long, value_name = "FILE", requires_all = ["metric", "link"])]
    pub scores: Option<PathBuf>,
    /// Which metric of the scores
    #[arg(long, value_name = "NAME", requires = "scores")]
    pub metric: Option<String>,
    /// The link that turns two scores into a preference
    #[arg(long, value_name = "NAME", requires = "scores")]
    pub link: Option<String>,
    /// With --scores a link fitted by `tiebreak fit link`; without it the link is fitted on the scores' own
    /// comparisons. With a model a calibration fitted by `tiebreak fit calibration`, in place of the model's
    /// own; none leaves that out
    #[arg(long, value_name = "FILE|none")]
    pub calibration: Option<PathBuf>,
    /// A file or a folder of parts
    #[arg(long, value_name = "PATH")]
    pub out: PathBuf,
}

/// In which order a pair is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OrderArg {
    /// As given.
    Given,
    /// Both, averaged.
    Both,
}

impl From<OrderArg> for spec::Order {
    fn from(order: OrderArg) -> Self {
        match order {
            OrderArg::Given => Self::Given,
            OrderArg::Both => Self::Both,
        }
    }
}

/// `tiebreak fit`
#[derive(Debug, Subcommand)]
pub enum Fit {
    /// Fit link parameters and the thresholds τ1, τ2 on comparisons
    Link(FitLink),
    /// Fine-tune a preference model on the comparisons of data sets
    Pairwise(Box<FitPairwise>),
    /// Fit a map that makes a model's preferences mean what they say, with its thresholds τ1, τ2
    Calibration(FitCalibration),
}

/// `tiebreak fit link`
#[derive(Debug, Args)]
pub struct FitLink {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub data: DataArgs,
    /// Scores of the data set's outputs
    #[arg(long, value_name = "FILE")]
    pub scores: PathBuf,
    /// Which metric of the scores
    #[arg(long, value_name = "NAME")]
    pub metric: String,
    /// linear, btl or btl-logistic
    #[arg(long, value_name = "NAME")]
    pub link: String,
    /// The calibration file
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
}

/// `tiebreak fit pairwise`
#[derive(Debug, Args)]
#[command(
    after_help = "Example: tiebreak fit pairwise mine --base path/to/minilm --out my-model\n\
Held out are whole groups of items that share a source or reference, so the accuracy told is on texts\n\
never seen. An interrupted training continues when the command is run again; OUT/training.csv and\n\
training.svg are its log. Then: tiebreak predict mine --model my-model --out predictions.parquet"
)]
pub struct FitPairwise {
    /// Data sets with comparisons
    #[arg(value_name = "DATA", required = true)]
    pub data: Vec<PathBuf>,
    /// Leave out items that share a source or reference with this data set, to test on it later
    #[arg(long, value_name = "DATA")]
    pub exclude: Vec<PathBuf>,
    /// A column under another name, in all of them
    #[arg(long, value_name = "item=segment_id", value_parser = pair)]
    pub column: Vec<(String, String)>,
    /// The encoder to begin from, with or without a head: a folder, a name or a hub id
    #[arg(long, value_name = "DIR|HUB-ID")]
    pub base: String,
    /// A folder for the model; an interrupted training continues there
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// What the model reads at a time [default: pointwise]
    #[arg(long, value_enum)]
    pub head: Option<HeadArg>,
    /// What becomes of judgments that are ties [default: half]
    #[arg(long, value_enum)]
    pub ties: Option<TiesArg>,
    /// How context and outputs are joined [default: as the base does, else as models/README.md says]
    #[arg(long, value_name = "TEXT")]
    pub template: Option<String>,
    /// Longest input in tokens [default: 256]
    #[arg(long, value_name = "N")]
    pub max_length: Option<usize>,
    /// How often every pair is seen [default: 4]
    #[arg(long, value_name = "N")]
    pub epochs: Option<u32>,
    /// Pairs per step, at least [default: 128]
    #[arg(long, value_name = "N")]
    pub batch_size: Option<usize>,
    /// Peak learning rate [default: 1e-5]
    #[arg(long, value_name = "RATE")]
    pub learning_rate: Option<f64>,
    /// Share of steps over which the rate rises to its peak, from which it falls to 0 [default: 0.1]
    #[arg(long, value_name = "SHARE")]
    pub warmup: Option<f64>,
    /// Decoupled weight decay, not on biases and normalisation [default: 0.01]
    #[arg(long, value_name = "W")]
    pub weight_decay: Option<f64>,
    /// Largest norm of a step's gradient [default: 1]
    #[arg(long, value_name = "NORM")]
    pub clip: Option<f64>,
    /// A layer's rate as a factor of the rate of the layer above it [default: 1]
    #[arg(long, value_name = "FACTOR")]
    pub layer_decay: Option<f64>,
    /// Share of pairs held out [default: 0.1]
    #[arg(long, value_name = "SHARE")]
    pub validation: Option<f64>,
    /// Looks at the held-out pairs per epoch; the best of them is kept [default: 2]
    #[arg(long, value_name = "N")]
    pub evaluations: Option<u32>,
    /// Stop after so many looks that were no better [default: 4]
    #[arg(long, value_name = "N")]
    pub patience: Option<u32>,
    /// Learn also from references with errors put in, as a share of the items [default: 0]
    #[arg(long, value_name = "SHARE")]
    pub synthetic: Option<f64>,
    /// Take about so many pairs of each data set, as whole items at random [default: all]
    #[arg(long, value_name = "N")]
    pub max_pairs: Option<u64>,
    /// Store the trained matrices in eight bits, a quarter of the size; also once training is over
    #[arg(long, value_enum, value_name = "PRECISION")]
    pub quantise: Option<QuantiseArg>,
    /// The licence of the weights, for the model's descriptor
    #[arg(long, value_name = "TEXT")]
    pub licence: Option<String>,
    /// Save the state every N steps; it changes no result
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    pub checkpoint_every: u32,
}

/// What a preference model reads at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum HeadArg {
    /// One output, which gets a score; the better score is preferred.
    Pointwise,
    /// Both outputs.
    Pairwise,
}

/// In how many bits trained matrices are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum QuantiseArg {
    /// Eight, with one scale per row.
    Int8,
}

/// What becomes of ties.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TiesArg {
    /// Half a win for either side.
    Half,
    /// Left out.
    Drop,
    /// A class of their own (pairwise head only).
    Class,
}

/// `tiebreak fit calibration`
#[derive(Debug, Args)]
#[command(
    after_help = "Example:  tiebreak fit calibration my-data --predictions p.parquet --out calibration.toml\n\
Then:     tiebreak predict other-data --model my-model --calibration calibration.toml --out q.parquet\n\
A model carries it for good with `calibration = \"calibration.toml\"` in its tiebreak.toml and the file\n\
beside its weights."
)]
pub struct FitCalibration {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub data: DataArgs,
    /// Predictions of the model for this data set, not calibrated
    #[arg(long, value_name = "FILE")]
    pub predictions: PathBuf,
    /// temperature divides the log odds by one number; isotonic is any non-decreasing map
    #[arg(long, value_name = "temperature|isotonic", default_value_t = Method::Temperature)]
    pub method: Method,
    /// The calibration file
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
}

/// `tiebreak assess`
#[derive(Debug, Args)]
#[command(
    after_help = "Example:  tiebreak assess my-data --predictions p.parquet --out assessed\n\
Accuracy, Brier score, log loss and calibration against the recorded comparisons, with intervals that\n\
resample items; and the accuracy that is left when the predictions with the highest BALD, STD or\n\
1 − |2p − 1| are rejected, beside a random order and an oracle."
)]
pub struct Assess {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub data: DataArgs,
    /// The predictions, as `tiebreak predict` writes them
    #[arg(long, value_name = "FILE")]
    pub predictions: PathBuf,
    /// A calibration of the model to apply first (BALD and STD stay as they were predicted)
    #[arg(long, value_name = "FILE")]
    pub calibration: Option<PathBuf>,
    /// The outcome is a tie from T1 to T2 [default: those of the predictions, else fitted on half of
    /// the items and tested on the other half]
    #[arg(long, value_name = "T1,T2", value_parser = thresholds)]
    pub thresholds: Option<(f64, f64)>,
    /// Bins of preferences, and of BALD
    #[arg(long, value_name = "N", default_value_t = assess::BINS)]
    pub bins: u16,
    /// A folder for the assessment as JSON and text, its tables (CSV) and plots (SVG)
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// How systems are compared, whoever answers.
#[derive(Debug, Clone, Args)]
pub struct Choices {
    /// The bandit, with parameters as NAME:key=value,key=value [default: adaptive]
    #[arg(long, value_name = "NAME", value_parser = named)]
    pub bandit: Option<Named>,
    /// Human annotations per run
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub budget: Option<u64>,
    /// Steps per run, free ones included [default: ten times the budget]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub steps: Option<u64>,
    /// Predictions the model answers with, or that adaptive starts from; given several times, it starts
    /// from their mean
    #[arg(long, value_name = "FILE")]
    pub predictions: Vec<PathBuf>,
    /// The model answers this share of questions, at random; auto: once people's judgments show that it
    /// is better than chance, as much as its accuracy deserves
    #[arg(long, value_name = "P|auto", conflicts_with = "select")]
    pub mix: Option<Setting>,
    /// Ask people only where the model is uncertain: bald:T, std:T, or auto for T as with --mix
    #[arg(long, value_name = "bald:T|std:T|auto", value_parser = select)]
    pub select: Option<Select>,
    /// Drop hopeless systems first: alpha=A,copeland=C,formula=paper|released; auto: once people's
    /// judgments show that the predictions deserve it
    #[arg(long, value_name = "alpha=A,copeland=C,formula=F|auto", num_args = 0..=1,
          default_missing_value = "", value_parser = eliminate)]
    pub eliminate: Option<Eliminate>,
    /// Confidence of intervals and certificates [default: 0.95]
    #[arg(long, value_name = "C", value_parser = open_unit)]
    pub confidence: Option<f64>,
}

impl Choices {
    /// Puts what is given in the place of what `rank` says.
    pub fn apply(&self, rank: &mut spec::Rank) {
        if let Some(bandit) = &self.bandit {
            rank.bandit = Spanned::new(0..0, bandit.clone());
        }
        if !self.predictions.is_empty() {
            let paths = self.predictions.iter();
            let name = |path: &PathBuf| Spanned::new(0..0, path.to_string_lossy().into_owned());
            rank.predictions = paths.map(name).collect();
        }
        rank.budget = self.budget.or(rank.budget);
        rank.steps = self.steps.or(rank.steps);
        rank.mix = self.mix.or(rank.mix);
        rank.select = self.select.or(rank.select);
        rank.eliminate = self.eliminate.or(rank.eliminate);
        rank.confidence = self.confidence.unwrap_or(rank.confidence);
    }
}

/// `tiebreak rank`
#[derive(Debug, Args)]
pub struct Rank {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub data: DataArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub choices: Choices,
    /// Independent runs; above 1 this is the annotation-complexity experiment
    #[arg(long, value_name = "R", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub runs: u64,
    /// Answers arrive this many questions late
    #[arg(long, value_name = "D", default_value_t = 0)]
    pub delay: usize,
    /// Who answers
    #[arg(long, value_enum, default_value_t = FeedbackArg::Recorded)]
    pub feedback: FeedbackArg,
    /// No bandit: rank by all recorded comparisons together
    #[arg(long, conflicts_with_all = ["bandit", "runs", "budget", "steps", "predictions", "delay", "feedback"])]
    pub all: bool,
    /// A folder for the ranking and its trace; an interrupted run continues there
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Who answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FeedbackArg {
    /// The collected comparisons.
    Recorded,
    /// A person at the terminal.
    Console,
}

impl From<FeedbackArg> for spec::Feedback {
    fn from(feedback: FeedbackArg) -> Self {
        match feedback {
            FeedbackArg::Recorded => Self::Recorded,
            FeedbackArg::Console => Self::Console,
        }
    }
}

/// `tiebreak ask`
#[derive(Debug, Args)]
#[command(
    after_help = "The sheet has a row for each question: two texts, and an empty column `answer` for\n\
1 (the first text is better), 2 (the second), tie, or skip (never to be answered). Systems are not\n\
named, sides and order are random. Flags of the run are given once, when it is begun."
)]
pub struct Ask {
    /// The folder of the run; it is begun where there is none
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// The data set: for a new run, or where it has moved
    #[arg(value_name = "DATA")]
    pub data: Option<PathBuf>,
    /// A column under another name
    #[arg(long, value_name = "item=segment_id", value_parser = pair)]
    pub column: Vec<(String, String)>,
    /// New questions [default: 50, with --again none]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub n: Option<u32>,
    /// Write the questions that are still open again
    #[arg(long)]
    pub again: bool,
    /// The sheet: a .csv, .tsv or .jsonl file that is not there yet
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub choices: Choices,
}

/// `tiebreak tell`
#[derive(Debug, Args)]
#[command(
    after_help = "Needed are the columns `question` and `answer` of the sheet that `ask` wrote; `annotator` and\n\
`seconds` are kept, others ignored. Rows may be missing, in any order, or without an answer yet. All\n\
sheets are read or, where anything is wrong, none. Telling a sheet twice is harmless."
)]
pub struct Tell {
    /// The folder of the run
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// Filled sheets: .csv, .tsv or .jsonl
    #[arg(value_name = "SHEET", required = true)]
    pub sheets: Vec<PathBuf>,
    /// Who filled them in, where they do not say so themselves
    #[arg(long, value_name = "NAME")]
    pub annotator: Option<String>,
    /// The data set, where it has moved
    #[arg(long, value_name = "DATA")]
    pub data: Option<PathBuf>,
}

/// `tiebreak estimate`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
tiebreak estimate mine --estimator mean --differences\n  \
tiebreak estimate mine --scores s.csv --metric chrf --metric bleu --estimator regression\n  \
tiebreak estimate mine --range 1,5 --estimator betting:anytime=true --stop width=0.5\n\
`tiebreak list estimators` says what there is, with parameters. Files of strata or probabilities have\n\
the columns item, system (unless all systems share them), and stratum or probability.")]
pub struct Estimate {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub data: DataArgs,
    /// Which criterion of the judgments, or one counted from post-edits: `hter`, edits per word, or
    /// `hwer`, the same without moves [default: each criterion of the judgments]
    #[arg(long, value_name = "NAME")]
    pub criterion: Option<String>,
    /// Scores of all outputs
    #[arg(long, value_name = "FILE", requires = "metric")]
    pub scores: Option<PathBuf>,
    /// Which metric of the scores; several for estimators that use several at once, else each in turn
    #[arg(long, value_name = "NAME", requires = "scores", num_args = 1..)]
    pub metric: Vec<String>,
    /// The estimator, with parameters as NAME:key=value
    #[arg(long, value_name = "NAME", value_parser = named)]
    pub estimator: Named,
    /// Confidence of the intervals
    #[arg(long, value_name = "C", default_value_t = 0.95, value_parser = open_unit)]
    pub confidence: f64,
    /// The range of the judgments; values outside are errors, intervals stay inside
    #[arg(long, value_name = "LO,HI", value_parser = range, allow_hyphen_values = true)]
    pub range: Option<[f64; 2]>,
    /// Say how many judgments an interval of this width takes
    #[arg(long, value_name = "W")]
    pub target_width: Option<f64>,
    /// Join each annotator's judgments of an item's parts: their `mean`, or the highest (`any`)
    #[arg(long, value_name = "HOW", value_parser = parts)]
    pub parts: Option<Parts>,
    /// Leave out annotators whose judgments take fewer seconds (median)
    #[arg(long, value_name = "S")]
    pub min_seconds: Option<f64>,
    /// Leave out annotators whose judgments correlate less with those of others
    #[arg(long, value_name = "R", allow_hyphen_values = true)]
    pub min_agreement: Option<f64>,
    /// Leave out annotators whose post-edits change fewer words per word (median)
    #[arg(long, value_name = "E")]
    pub min_edit: Option<f64>,
    /// The stratum of every output, for the estimator `stratified`
    #[arg(long, value_name = "FILE")]
    pub strata: Option<PathBuf>,
    /// The probabilities with which outputs were chosen to be judged, for the estimator `active`
    #[arg(long, value_name = "FILE")]
    pub probabilities: Option<PathBuf>,
    /// Compare every pair of systems: differences, win rates, groups that cannot be told apart
    #[arg(long)]
    pub differences: bool,
    /// Say when one could have stopped: width=W or relative=E (needs an estimator with anytime=true)
    #[arg(long, value_name = "GOAL", value_parser = goal)]
    pub stop: Option<Goal>,
    /// A file for the table
    #[arg(long, value_name = "PATH")]
    pub out: Option<PathBuf>,
}

/// `tiebreak annotators`
#[derive(Debug, Args)]
#[command(
    after_help = "Example: tiebreak annotators data/tiny --labels dawid-skene --out labelled\n\n\
Agreement: Krippendorff's alpha (of categories, ranks, numbers), Fleiss' kappa, Cohen's kappa of pairs.\n\
Of judgments, bias and noise are the mean and standard deviation of an annotator's difference from the\n\
mean of the others; of comparisons, bias is the mean outcome of system_a less one half. Annotators stand\n\
out who are further from the median annotator than chance and the others' spread allow."
)]
pub struct Annotators {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub data: DataArgs,
    /// Only this criterion of the judgments [default: each of them, and the comparisons]
    #[arg(long, value_name = "NAME")]
    pub criterion: Option<String>,
    /// Make one label of everybody's answers to a question, by a model of who errs how; the folder of
    /// --out gets them as comparisons and judgments that other commands read
    #[arg(long, value_enum, requires = "out")]
    pub labels: Option<LabelsArg>,
    /// A file for the table of annotators, or a folder
    #[arg(long, value_name = "PATH")]
    pub out: Option<PathBuf>,
}

/// Models of annotators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LabelsArg {
    /// Dawid and Skene: each annotator errs in ways of their own.
    DawidSkene,
}

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
    #[allow(missing_docs)]
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

/// `tiebreak report`
#[derive(Debug, Args)]
#[command(
    after_help = "Example:  tiebreak report out/quickstart, then open out/quickstart/report.html in a browser"
)]
pub struct Report {
    /// The folder of a run, or of the tables of score, rank or estimate
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,
}

/// `tiebreak run`
#[derive(Debug, Args)]
pub struct Run {
    /// The pipeline
    #[arg(value_name = "PIPELINE.toml")]
    pub pipeline: PathBuf,
    /// Where tables and report go [default: out/NAME]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Where the data sets of a file of experiments are [default: its `data-root`]
    #[arg(long, value_name = "DIR")]
    pub data_root: Option<PathBuf>,
}

/// `tiebreak list`
#[derive(Debug, Args)]
pub struct List {
    /// Of what
    #[arg(value_enum)]
    pub kind: ListKind,
}

/// What can be listed.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum ListKind {
    /// Metrics.
    Metrics,
    /// Links.
    Links,
    /// Models.
    Models,
    /// Bandits.
    Bandits,
    /// Estimators.
    Estimators,
}

fn message(error: &Error) -> String {
    match error.hint() {
        Some(hint) => format!("{error} ({hint})"),
        None => error.to_string(),
    }
}

fn named(text: &str) -> Result<Named, String> {
    Named::parse(text).map_err(|error| message(&error))
}

fn goal(text: &str) -> Result<Goal, String> {
    text.parse().map_err(|error| message(&error))
}

pub(super) fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() && !value.is_empty() => {
            Ok((key.trim().to_string(), value.trim().to_string()))
        }
        _ => Err("expected NAME=COLUMN, such as item=segment_id".to_string()),
    }
}

fn device(text: &str) -> Result<Device, String> {
    match text.split_once(':').unwrap_or((text, "0")) {
        ("cpu", _) => Ok(Device::Cpu),
        ("metal", _) => Ok(Device::Metal),
        ("cuda", number) => number
            .parse()
            .map(Device::Cuda)
            .map_err(|_| format!("`{number}` is not a GPU number")),
        _ => Err("expected cpu, cuda, cuda:N or metal".to_string()),
    }
}

fn shard(text: &str) -> Result<Shard, String> {
    let parse = || {
        let (number, of) = text.split_once('/')?;
        Some(Shard {
            number: number.trim().parse().ok()?,
            of: of.trim().parse().ok()?,
        })
    };
    parse()
        .filter(|shard| (1..=shard.of).contains(&shard.number))
        .ok_or_else(|| "expected I/N with I from 1 to N, such as 2/4".to_string())
}

pub(super) fn open_unit(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value < 1.0 => Ok(value),
        _ => Err("expected a number between 0 and 1, such as 0.95".to_string()),
    }
}

fn parts(text: &str) -> Result<Parts, String> {
    let all = [Parts::Mean, Parts::Any];
    let named = all.into_iter().find(|how| how.name() == text);
    named.ok_or_else(|| "expected mean or any".to_string())
}

pub(super) fn range(text: &str) -> Result<[f64; 2], String> {
    let parse = || {
        let (low, high) = text.split_once(',')?;
        Some([low.trim().parse().ok()?, high.trim().parse().ok()?])
    };
    parse()
        .filter(|[low, high]: &[f64; 2]| low < high && low.is_finite() && high.is_finite())
        .ok_or_else(|| "expected LO,HI with LO below HI, such as 0,100".to_string())
}

fn thresholds(text: &str) -> Result<(f64, f64), String> {
    let parse = || {
        let (tau1, tau2) = text.split_once(',')?;
        Some((tau1.trim().parse().ok()?, tau2.trim().parse().ok()?))
    };
    parse().ok_or_else(|| "expected T1,T2, such as 0.45,0.55".to_string())
}

fn select(text: &str) -> Result<Select, String> {
    let wrong =
        || "expected bald:T or std:T, with a threshold T such as 0.025, or auto".to_string();
    let (by, above) = match text.trim() {
        "auto" => ("bald", "auto"),
        other => other.split_once(':').ok_or_else(wrong)?,
    };
    Ok(Select {
        by: by.parse().map_err(|_| wrong())?,
        above: above.parse().map_err(|_| wrong())?,
    })
}

fn eliminate(text: &str) -> Result<Eliminate, String> {
    if text == "auto" {
        return Ok(Eliminate::Auto);
    }
    let mut options = Options::default();
    let expected =
        || "expected alpha=A,copeland=C,formula=paper|released (any of them) or auto".to_string();
    for part in text.split(',').filter(|part| !part.is_empty()) {
        match part.split_once('=').ok_or_else(expected)? {
            ("alpha", value) => options.alpha = value.parse().map_err(|_| expected())?,
            ("copeland", value) => options.copeland = value.parse().map_err(|_| expected())?,
            ("formula", "paper") => options.formula = Formula::Paper,
            ("formula", "released") => options.formula = Formula::Released,
            _ => return Err(expected()),
        }
    }
    Ok(Eliminate::As(options))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model_based::Measure;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn flags_are_read_as_the_interface_writes_them() {
        assert_eq!(
            select("bald:0.025"),
            Ok(Select {
                by: Measure::Bald,
                above: Setting::Value(0.025)
            })
        );
        for (text, by) in [("auto", Measure::Bald), ("std:auto", Measure::Std)] {
            let above = Setting::Auto;
            assert_eq!(select(text), Ok(Select { by, above }));
        }
        for wrong in ["bald", "bold:0.1", "std:x", ""] {
            assert!(select(wrong).is_err(), "{wrong}");
        }
        let released = eliminate("alpha=0.5,copeland=0.8,formula=released").unwrap();
        let released = released.options();
        assert_eq!((released.alpha, released.formula), (0.5, Formula::Released));
        assert_eq!(eliminate(""), Ok(Eliminate::As(Options::default())));
        assert_eq!(eliminate("auto"), Ok(Eliminate::Auto));
        assert_eq!(shard("2/4"), Ok(Shard { number: 2, of: 4 }));
        assert!(shard("5/4").is_err() && shard("0/4").is_err());
        assert_eq!(device("cuda:1"), Ok(Device::Cuda(1)));
    }
}
