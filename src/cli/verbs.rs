//! Which verb does what was asked, and what all of them share.

use super::annotators::annotators;
use super::args::{Cli, DataArgs, Verb};
use super::assess::assess;
use super::check::check;
use super::completions::completions;
use super::correlate::correlate;
use super::estimate::estimate;
use super::export::export;
use super::fit::fit;
use super::import::import;
#[cfg(feature = "judges")]
use super::judge::judge;
use super::list::list;
use super::live::{ask, tell};
use super::man::man;
use super::plan::plan;
use super::predict::predict;
use super::rank::rank;
use super::report::report;
use super::run::run as run_file;
use super::score::score;
#[cfg(feature = "serve")]
use super::serve::serve;
use super::simulate::simulate;
use crate::engine::Context;
use crate::error::{Error, Result};
use crate::inputs::source::Source;
use crate::keys::{self, Keys};
use crate::stages::{Made, Site, Stage};
use clap::ArgMatches;
use clap::parser::ValueSource;
use serde::Serialize;
use std::path::Path;

/// Does what was asked and returns what goes to standard output.
pub(super) fn run(context: &Context<'_>, cli: Cli, given: &ArgMatches) -> Result<String> {
    let json = cli.common.json;
    match cli.verb {
        Verb::Import(args) => import(&args, json),
        Verb::Export(args) => export(context, &args, json),
        Verb::Check(args) => check(context, &args, json),
        Verb::Score(args) => score(context, &args, json),
        Verb::Predict(args) => predict(context, &args),
        #[cfg(feature = "judges")]
        Verb::Judge(args) => judge(context, &args),
        Verb::Fit(what) => fit(context, &what, json),
        Verb::Assess(args) => assess(context, &args, json),
        Verb::Rank(args) => rank(context, &args, cli.common.seed, json),
        Verb::Simulate(args) => simulate(context, &args, json),
        Verb::Ask(args) => ask(context, &args, given, cli.common.seed, json),
        #[cfg(feature = "serve")]
        Verb::Serve(args) => serve(context, &args, given, cli.common.seed, json),
        Verb::Tell(args) => tell(context, &args, cli.common.seed, json),
        Verb::Estimate(args) => estimate(context, &args, json),
        Verb::Annotators(args) => annotators(context, &args, json),
        Verb::Correlate(args) => correlate(context, &args, json),
        Verb::Plan(args) => plan(context, &args, json),
        Verb::Report(args) => report(&args, json),
        Verb::Run(args) => run_file(context, &args, cli.common.seed, json),
        Verb::List(args) => list(args.kind, &cli.common.models, json),
        Verb::Completions(args) => completions(&args, &cli.common.models),
        Verb::Man(args) => man(&args),
    }
}

/// Does what a stage does by itself, on a data set, once its keys are known to be right.
pub(super) fn at<T>(
    context: &Context<'_>,
    data: &DataArgs,
    keys: &(impl Keys + Stage),
    work: impl FnOnce(&Site<'_>) -> Result<T>,
) -> Result<T> {
    keys.check()?;
    let source = open(context, data)?;
    let site = Site {
        context,
        source: &source,
        out: Path::new(""),
        made: &Made::default(),
    };
    keys.fits(&site)?;
    work(&site)
}

/// What was found, as JSON or as text.
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

/// The data set of a verb, indexed.
pub(super) fn open(context: &Context<'_>, data: &DataArgs) -> Result<Source> {
    Source::with(context, &data.data, &data.options())
}

/// One JSON document, as `--json` prints it.
pub(super) fn to_json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string_pretty(value)
        .map(|text| text + "\n")
        .map_err(Error::failed)
}

/// Whether a key is given as a flag.
pub(super) fn is_given(matches: &ArgMatches, key: &str) -> bool {
    let id = key.replace('-', "_");
    // Not every verb has every flag.
    let source = matches
        .try_contains_id(&id)
        .is_ok()
        .then(|| matches.value_source(&id));
    source.flatten() == Some(ValueSource::CommandLine)
}

/// Puts the keys that are given as flags in the place of those of `keys`.
pub(super) fn given<K: Keys>(matches: &ArgMatches, keys: &mut K, flags: &K) -> Result<()> {
    let (mut table, flags) = (keys::resolved(keys), keys::resolved(flags));
    let names = keys::names::<K>().into_iter();
    for key in names.filter(|key| is_given(matches, key)) {
        match flags.get(&key) {
            Some(value) => table.insert(key, value.clone()),
            None => table.remove(&key),
        };
    }
    *keys = table.try_into().map_err(Error::failed)?;
    keys.check()
}
