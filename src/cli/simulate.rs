//! `tiebreak simulate`: replays of recorded comparisons; and the flags of a bandit, which campaigns have too.

use super::args::DataArgs;
use super::asking::AskingArgs;
use super::values::{eliminate, named, open_unit, select};
use super::verbs::{open, to_json};
use crate::engine::Context;
use crate::error::Result;
use crate::inputs::source::Predictions;
use crate::keys::named::Named;
use crate::keys::setting::{Audit, Eliminate, Setting};
use crate::report;
use crate::stages::simulate::{self, Feedback, Models, Options};
use crate::stages::spec::{self, Select};
use clap::Args;
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
    /// The share of the model's answers that people check, so that they count as evidence about people;
    /// neyman:P: rather those where the model is further off; 0: no claim about people [default: 0.1 with
    /// --mix, 0.5 with --select, where the bandit has a certificate]
    #[arg(long, value_name = "P|neyman:P")]
    pub audit: Option<Audit>,
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
    fn apply(&self, stage: &mut spec::Simulate) {
        if let Some(model) = &self.model {
            stage.model = Some(Spanned::new(0..0, model.clone()));
        }
        let how = self.asking.with(self.calibration.as_ref());
        stage.ask(how.or(stage.asking()));
        stage.sample = self.sample.or(stage.sample);
        if self.cache.is_some() {
            stage.cache.clone_from(&self.cache);
        }
    }
}

impl Choices {
    /// Puts what is given in the place of what `stage` says.
    pub fn apply(&self, stage: &mut spec::Simulate) {
        if let Some(bandit) = &self.bandit {
            stage.bandit = Spanned::new(0..0, bandit.clone());
        }
        if !self.predictions.is_empty() {
            let paths = self.predictions.iter();
            let name = |path: &PathBuf| Spanned::new(0..0, path.to_string_lossy().into_owned());
            stage.predictions = paths.map(name).collect();
        }
        self.asked.apply(stage);
        stage.budget = self.budget.or(stage.budget);
        stage.steps = self.steps.or(stage.steps);
        stage.mix = self.mix.or(stage.mix);
        stage.select = self.select.or(stage.select);
        stage.audit = self.audit.or(stage.audit);
        stage.eliminate = self.eliminate.or(stage.eliminate);
        stage.confidence = self.confidence.unwrap_or(stage.confidence);
    }
}

/// `tiebreak simulate`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
tiebreak simulate mine --runs 200                  # how many judgments would have been enough?\n  \
tiebreak simulate mine --predictions p.parquet --mix auto --runs 200\n  \
tiebreak simulate mine --bandit rmed --model tiebreak-small --select bald:0.01 --out replays\n\
Recorded comparisons are drawn with replacement, again and again, so replays say nothing\n\
about which system is best: `tiebreak rank` does, and `tiebreak ask` begins a campaign. With\n\
--model only the pairs that come up are predicted, with the numbers that `tiebreak predict`\n\
gives them under the same flags.")]
pub struct Simulate {
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
    /// A folder for the outcome and the trace of all runs; an interrupted command continues there
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Replays and returns what goes to standard output.
pub(super) fn simulate(context: &Context<'_>, args: &Simulate, json: bool) -> Result<String> {
    let source = open(context, &args.data)?;
    let mut stage = spec::Simulate {
        runs: args.runs,
        delay: args.delay,
        ..spec::Simulate::default()
    };
    args.choices.apply(&mut stage);
    let out = args.out.as_deref();
    let table = |path: &str| Predictions::open(&source, path.as_ref());
    let models = Models::open(context, &source, &stage, out, table)?;
    let options = Options::new(&stage, Feedback::Recorded);
    let simulation = simulate::run(context, &source, &models, &options, out)?;
    match json {
        true => to_json(&simulation),
        false => Ok(report::render_simulation(&simulation)),
    }
}
