//! `tiebreak rank`: the top-ranked system, by a bandit or by all comparisons.

use super::args::DataArgs;
use super::asking::AskingArgs;
use super::values::{eliminate, named, open_unit, select};
use super::verbs::{open, to_json};
use crate::error::Result;
use crate::pipeline::Context;
use crate::pipeline::named::Named;
use crate::pipeline::rank::{self, Models, Options};
use crate::pipeline::setting::{Eliminate, Setting};
use crate::pipeline::source::Predictions;
use crate::pipeline::spec::{self, Select};
use crate::report;
use crate::tables::ranking::Ranking;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use toml::Spanned;

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
    #[command(flatten)]
    pub asked: Asked,
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

/// A model that is asked as the need arises.
#[derive(Debug, Clone, Args)]
pub struct Asked {
    /// Instead: a preference model that is asked only for the predictions that are needed, each once
    #[arg(long, value_name = "NAME|DIR|HUB-ID", conflicts_with = "predictions")]
    pub model: Option<String>,
    #[command(flatten)]
    pub asking: AskingArgs,
    /// A calibration of the model, in place of its own; none leaves that out
    #[arg(long, value_name = "FILE|none")]
    pub calibration: Option<PathBuf>,
    /// Where all predictions would be needed at once (adaptive starts from them; --eliminate, --select
    /// auto) ask the model about so many items, drawn by the seed [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub sample: Option<u64>,
    /// A folder in which the model's predictions are kept, for later commands and as a table for
    /// --predictions [default: predictions, in the folder of the run]
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
}

impl Asked {
    fn apply(&self, rank: &mut spec::Rank) {
        if let Some(model) = &self.model {
            rank.model = Some(Spanned::new(0..0, model.clone()));
        }
        let how = self.asking.with(self.calibration.as_ref());
        rank.ask(how.or(rank.asking()));
        rank.sample = self.sample.or(rank.sample);
        if self.cache.is_some() {
            rank.cache.clone_from(&self.cache);
        }
    }
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
        self.asked.apply(rank);
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
#[command(after_help = "Examples:\n  \
tiebreak rank mine --runs 200                      # how many judgments would have been enough?\n  \
tiebreak rank mine --feedback console --out live   # you judge; interrupted, it continues\n  \
tiebreak rank mine --predictions p.parquet --mix auto\n  \
tiebreak rank mine --bandit rmed --model tiebreak-small --select bald:0.01 --out run\n\
With --model only the pairs that come up are predicted, with the numbers that `tiebreak\n\
predict` gives them under the same flags; its help says what adaptive draws are.")]
pub struct Rank {
    #[command(flatten)]
    pub data: DataArgs,
    #[command(flatten)]
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
    #[arg(long, conflicts_with_all = ["bandit", "runs", "budget", "steps", "predictions", "model", "delay", "feedback"])]
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

/// Ranks and returns what goes to standard output.
pub(super) fn rank(context: &Context<'_>, args: &Rank, json: bool) -> Result<String> {
    let source = open(context, &args.data)?;
    let told = |ranking: Ranking| match json {
        true => to_json(&ranking),
        false => Ok(report::render_ranking(&ranking)),
    };
    let mut spec = spec::Rank {
        feedback: args.feedback.into(),
        runs: args.runs,
        delay: args.delay,
        ..spec::Rank::default()
    };
    args.choices.apply(&mut spec);
    if args.all {
        spec.asked()?;
        return told(rank::all(
            context,
            &source,
            spec.confidence,
            args.out.as_deref(),
        )?);
    }
    let out = args.out.as_deref();
    let table = |path: &str| Predictions::open(&source, path.as_ref());
    let models = Models::open(context, &source, &spec, out, table)?;
    let options = Options::from(&spec);
    told(rank::run(context, &source, &models, &options, out)?)
}
