//! `tiebreak rank`: ranks all systems by collected comparisons or by those of a campaign.

use super::args::DataArgs;
use super::verbs::{Command, at, shown};
use crate::campaign::{self, KeyChanges, OpenCampaign, ScopeRequest};
use clap::Args;
use std::path::{Path, PathBuf};
use tiebreak_base::error::{Error, Message, Result};
use tiebreak_base::layout::{argument, path_argument};
use tiebreak_base::rng::Seed;
use tiebreak_data::records::{Kind, Outcomes};
use tiebreak_decide::ranking::result::Ranking;
use tiebreak_stages::engine::Context;
use tiebreak_stages::inputs::source::Source;
use tiebreak_stages::report::ShownResult;
use tiebreak_stages::stages::rank::{self, VerdictSource};

/// `tiebreak rank`
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:\n  \
tiebreak rank data/mt-bench\n  \
tiebreak rank data/mt-bench --style --baseline gpt-4                 # is it only the length?\n  \
tiebreak rank data/mt-bench --predictions data/mt-bench/hints/gpt-4.jsonl.gz\n  \
tiebreak rank run                                                    # a campaign's folder",
    after_help = "Each comparison is used once, and their order plays no part. A campaign's folder shows what the campaign \
has proved. `tiebreak simulate` replays recorded comparisons; `tiebreak ask` asks people."
)]
pub(crate) struct RankArgs {
    #[command(flatten)]
    pub data: DataArgs,
    #[command(flatten)]
    pub keys: rank::Rank,
    /// A folder for the ranking
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Ranks and returns what goes to standard output.
pub(super) fn rank(command: &Command<'_>, args: &RankArgs) -> Result<String> {
    let Command {
        context,
        seed,
        json,
        ..
    } = *command;
    let (ranking, next) = match campaign::is_campaign(&args.data.data) {
        true => (of_campaign(context, args, seed)?, String::new()),
        false => at(context, &args.data, &args.keys, |site| {
            let ranking = args.keys.rank(site, args.out.as_deref())?;
            let next = next(args, site.source, ranking.evidence.unmet == 0);
            Ok((ranking, next))
        })?,
    };
    shown(json, &ranking, |ranking| ranking.render() + &next)
}

/// Returns the command that checks a ranking by verdicts: with comparisons by people, or by asking people. Questions
/// begin from the verdicts, if these are about every pair of systems.
fn next(args: &RankArgs, source: &Source, every_pair: bool) -> String {
    let Some(verdicts) = &args.keys.verdicts else {
        return String::new();
    };
    let data = path_argument(&args.data.data);
    let [columns, picks] = reading_flags(&args.data);
    let imported = source.dataset.imported().is_some();
    // `ask` has no such flags: it needs an imported data set.
    let is_asked = source.index.has(Kind::Outputs) && (picks.is_empty() || !imported);
    let table = match verdicts {
        VerdictSource::Table(name) => Some(path_argument(Path::new(name))),
        // Those of an import into a temporary folder are gone when this is read.
        VerdictSource::DataSet if imported => None,
        VerdictSource::DataSet => source.dataset.predictions().map(path_argument),
    };
    let command = match table {
        Some(table) if source.index.has(Kind::Comparisons) => {
            format!("assess {data}{columns}{picks} --predictions {table}")
        }
        Some(table) if is_asked => {
            let hints = match every_pair {
                true => format!(" --predictions {table}"),
                false => String::new(),
            };
            format!("ask RUN {data}{columns}{hints} --out questions.csv")
        }
        _ if imported => {
            let out = argument(&format!("{}-data", source.dataset.name()));
            format!("import {data}{columns}{picks} --out {out}")
        }
        _ => return String::new(),
    };
    format!("next: tiebreak {command}\n")
}

/// Returns the flags by which data are read, as they were given: the names of columns, and the choices of an import.
fn reading_flags(data: &DataArgs) -> [String; 2] {
    let flag = |name: &str, value: String| format!(" --{name} {}", argument(&value));
    let pair = |(key, value): &(String, String)| format!("{key}={value}");
    let words = |outcomes: &Outcomes| {
        let words = outcomes
            .iter()
            .map(|(word, value)| format!("{word}={value}"));
        words.collect::<Vec<_>>().join(",")
    };
    let columns = data
        .reading
        .column
        .iter()
        .map(|one| flag("column", pair(one)));
    let picks = data.reading.pick.iter().map(|one| flag("pick", pair(one)));
    let outcomes = data
        .reading
        .outcome
        .iter()
        .map(|one| flag("outcome", words(one)));
    [columns.collect(), picks.chain(outcomes).collect()]
}

fn of_campaign(context: &Context<'_>, args: &RankArgs, seed: Option<u64>) -> Result<Ranking> {
    if args.keys != rank::Rank::default() || args.out.is_some() {
        let run = path_argument(&args.data.data);
        return Err(Error::usage(
            "a campaign has the confidence it was begun with, and keeps its ranking in its own folder",
        )
        .with_hint(Message::except_in_python(
            format!("name the folder alone: tiebreak rank {run}"),
            "leave out all keys: `rank()`".to_string(),
        )));
    }
    let call = OpenCampaign {
        run: &args.data.data,
        data: None,
        columns: &args.data.reading.column,
        seed: seed.map(Seed),
        people: None,
        anew: false,
        overlap: None,
        scope: ScopeRequest::default(),
        change: KeyChanges::Pairs(&|_| Ok(())),
    };
    campaign::ranking(context, &call).or_else(|error| {
        let stored = match campaign::is_in_use(call.run) {
            true => rank::stored(call.run)?,
            false => None,
        };
        let ranking = stored.ok_or(error)?;
        context.progress.advise(&IN_USE.into());
        Ok(ranking)
    })
}

/// The note on what is shown of a campaign that another process works with.
pub(super) const IN_USE: &str = "the campaign is being served, or another command works with it: this is its state as stored last";
