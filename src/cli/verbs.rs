//! The verbs: the flags and the function of each, and what all of them share.

use super::args::{Common, DataArgs};
#[cfg(feature = "judges")]
use super::judge;
use super::{
    annotators, assess, check, completions, correlate, demo, estimate, export, fit, gate, help,
    import, list, live, man, people, plan, predict, rank, report, run, score, simulate,
};
#[cfg(feature = "serve")]
use super::{serve, view};
use clap::parser::ValueSource;
use clap::{ArgMatches, Subcommand};
use serde::Serialize;
use std::cell::Cell;
use std::path::Path;
use tiebreak_base::error::{Audience, Error, Result};
use tiebreak_base::keys::Keys;
use tiebreak_data::records::Kind;
use tiebreak_data::tables::Destination;
use tiebreak_stages::engine::Context;
use tiebreak_stages::inputs::source::Source;
use tiebreak_stages::stages::{PipelineArtifacts, PipelineStage, StageContext};

/// A command as it was typed: the flags of its verb, and what holds for every command.
#[derive(Clone, Copy)]
pub(super) struct Command<'a> {
    pub context: &'a Context<'a>,
    /// The flags of its verb, with their sources.
    pub matches: &'a ArgMatches,
    pub seed: Option<u64>,
    /// Whether one JSON document is wanted.
    pub json: bool,
    /// The folder of models.
    pub models: &'a Path,
    /// What is known once the command is done.
    pub outcome: &'a CommandOutcome,
}

/// What a command leaves, apart from its text.
#[derive(Debug, Default)]
pub(super) struct CommandOutcome {
    /// The exit code, which a gate sets.
    pub code: Cell<u8>,
    /// Whether the data set has comparisons, and judgments, by people: what comes next depends on it.
    pub answered: Cell<[bool; 2]>,
}

impl<'a> Command<'a> {
    pub(super) fn new(
        context: &'a Context<'a>,
        common: &'a Common,
        matches: &'a ArgMatches,
        outcome: &'a CommandOutcome,
    ) -> Self {
        Self {
            context,
            matches,
            seed: common.seed,
            json: common.json,
            models: &common.models,
            outcome,
        }
    }

    /// Notes which answers of people a data set has.
    pub(super) fn note_answers(&self, source: &Source) {
        let has = |kind| source.dataset.table(kind).is_some();
        let answered = [Kind::Comparisons, Kind::Judgments].map(has);
        self.outcome.answered.set(answered);
    }
}

/// The verbs, each with its flags and what does it.
macro_rules! verbs {
    ($($(#[$about:meta])* $verb:ident($flags:ty) = $act:path,)*) => {
        /// The verbs.
        #[derive(Debug, Subcommand)]
        pub(crate) enum Verb {
            $($(#[$about])* $verb(Box<$flags>),)*
        }

        /// Does what was asked and returns what goes to standard output.
        #[allow(unused_doc_comments)] // what they say, and in which builds they are there, is one list
        pub(super) fn act(command: &Command<'_>, verb: &Verb) -> Result<String> {
            match verb {
                $($(#[$about])* Verb::$verb(flags) => $act(command, flags),)*
            }
        }
    };
}

verbs! {
    /// See tiebreak work: six language models, real answers, real judgments, in a folder of its own
    Demo(demo::DemoArgs) = demo::demo,
    /// Turn files of other tools, text files or a wide table into a data set
    Import(import::ImportArgs) = import::import,
    /// Write comparisons, judgments, predictions or scores for other tools
    Export(export::ExportArgs) = export::export,
    /// Show what a data set holds and what can be run on it
    Check(check::CheckArgs) = check::check,
    /// Look at items, outputs, scores, judgments and verdicts in a browser
    #[cfg(feature = "serve")]
    View(view::ViewArgs) = view::view,
    /// Score outputs with automatic metrics
    Score(score::ScoreArgs) = score::score,
    /// Predict which of two outputs people prefer, with uncertainty
    Predict(predict::PredictArgs) = predict::predict,
    /// Ask a language model which of two outputs is better
    #[cfg(feature = "judges")]
    Judge(judge::JudgeArgs) = judge::judge,
    /// Learn from comparisons: a preference model, a link from scores to preferences, a calibration
    Fit(fit::FitArgs) = fit::fit,
    /// Measure how good predictions are, and what their uncertainty is worth
    Assess(assess::AssessArgs) = assess::assess,
    /// Rank all systems by the comparisons that were collected, and say what they prove
    Rank(rank::RankArgs) = rank::rank,
    /// Replay recorded comparisons: how many judgments would have been enough?
    Simulate(simulate::SimulateArgs) = simulate::simulate,
    /// Ask people with sheets, pages or at the terminal: write the next questions of a campaign
    Ask(live::AskArgs) = live::ask,
    /// Ask people in their browsers: a campaign with a page for each annotator
    #[cfg(feature = "serve")]
    Serve(serve::ServeArgs) = serve::serve,
    /// Read the answers of a campaign from filled sheets, pages or other tools
    Tell(live::TellArgs) = live::read_sheets,
    /// Export all that a campaign stores about a person, or erase their name and comments
    People(people::PeopleArgs) = people::people,
    /// Estimate each system's mean score, by people or a benchmark, with an interval
    Estimate(estimate::EstimateArgs) = estimate::estimate,
    /// Decide whether a new system is good enough to ship: not proved worse, equivalent or better
    Gate(gate::GateArgs) = gate::gate,
    /// Compare annotators: agreement, bias, noise, who stands out
    Annotators(annotators::AnnotatorsArgs) = annotators::annotators,
    /// Compare metrics with people: correlations, with intervals and tests
    Correlate(correlate::CorrelateArgs) = correlate::correlate,
    /// Compute how many judgments an interval of some width takes, before there are any
    Plan(plan::PlanArgs) = plan::plan,
    /// Write the report of a run again, from its tables: text, JSON and a page (report.html)
    Report(report::ReportArgs) = report::report,
    /// Run a pipeline file
    Run(run::RunArgs) = run::run,
    /// List metrics, links, models, bandits, estimators or formats of other tools
    List(list::ListArgs) = list::list,
    /// Print all commands, a command with examples, or options that commands share
    Help(help::HelpArgs) = help::help,
    /// Print the script that completes commands in a shell
    Completions(completions::CompletionsArgs) = completions::completions,
    /// Write the manual pages
    Man(man::ManArgs) = man::man,
}

impl Verb {
    /// Who reads messages: the author of a file, or the one who typed the flags.
    pub(super) fn audience(&self) -> Audience {
        match self {
            Self::Run(_) => Audience::File,
            _ => Audience::Terminal,
        }
    }

    /// Whether the output is for programs, or fitted to the terminal already.
    pub(super) fn is_ready(&self) -> bool {
        match self {
            Self::Gate(args) => args.is_for_programs(),
            Self::Help(_) => true,
            _ => false,
        }
    }
}

/// Runs a stage on a data set, once its keys are checked.
pub(super) fn at<T>(
    context: &Context<'_>,
    data: &DataArgs,
    keys: &(impl Keys + PipelineStage),
    work: impl FnOnce(&StageContext<'_>) -> Result<T>,
) -> Result<T> {
    keys.check()?;
    let source = open_for(context, data, keys)?;
    let site = StageContext {
        context,
        source: &source,
        out: Path::new(""),
        made: &PipelineArtifacts::default(),
    };
    keys.fits(&site)?;
    work(&site)
}

/// Returns the result, as JSON or as text.
pub(super) fn shown<T: Serialize>(
    json: bool,
    found: &T,
    text: impl FnOnce(&T) -> String,
) -> Result<String> {
    match json {
        true => to_json(found),
        false => Ok(text(found)),
    }
}

/// Returns where a table goes, if it is to be stored; an unusable place is an error before anything runs.
pub(super) fn destination(out: Option<&Path>) -> Result<Option<Destination>> {
    out.map(Destination::from_path).transpose()
}

/// Opens the data set of a verb, indexed.
pub(super) fn open(context: &Context<'_>, data: &DataArgs) -> Result<Source> {
    Source::with(context, &data.data, &data.options()?)
}

/// Opens the data set for a command with these keys.
pub(super) fn open_for(context: &Context<'_>, data: &DataArgs, keys: &impl Keys) -> Result<Source> {
    Source::with(context, &data.data, &data.options()?.asking(keys))
}

/// Returns one JSON document, as `--json` prints it.
pub(super) fn to_json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string_pretty(value)
        .map(|text| text + "\n")
        .map_err(Error::failed)
}

/// Whether a key is given as a flag.
pub(super) fn is_given(matches: &ArgMatches, key: &str) -> bool {
    let id = key.replace('-', "_");
    // A verb need not have every flag.
    let source = matches
        .try_contains_id(&id)
        .is_ok()
        .then(|| matches.value_source(&id));
    source.flatten() == Some(ValueSource::CommandLine)
}

/// Replaces keys by those that are given as flags.
pub(super) fn override_keys<K: Keys>(matches: &ArgMatches, keys: &mut K, flags: &K) -> Result<()> {
    let (mut table, flags) = (keys.resolved(), flags.resolved());
    let names = K::names().into_iter();
    for key in names.filter(|key| is_given(matches, key)) {
        match flags.get(&key) {
            Some(value) => table.insert(key, value.clone()),
            None => table.remove(&key),
        };
    }
    *keys = table.try_into().map_err(Error::failed)?;
    keys.check()
}
