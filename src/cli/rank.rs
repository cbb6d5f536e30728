//! `tiebreak rank`: what collected comparisons, or those of a campaign, say of all systems.

use super::args::DataArgs;
use super::values::open_unit;
use super::verbs::{open, to_json};
use crate::campaign::{self, Call};
use crate::engine::Context;
use crate::error::{Error, Result};
use crate::inputs::source::Predictions;
use crate::report;
use crate::stages::rank;
use crate::stages::spec;
use clap::Args;
use std::path::PathBuf;

/// `tiebreak rank`
#[derive(Debug, Args)]
#[command(
    after_help = "Each comparison is used once, and their order plays no part. Of a campaign's folder\n\
it tells what the campaign's own evidence says. Replays of recorded comparisons are\n\
`tiebreak simulate`; people are asked by `tiebreak ask`."
)]
pub struct Rank {
    #[command(flatten)]
    pub data: DataArgs,
    /// Predictions of all items, which people's comparisons correct: few people, many comparisons of a model
    #[arg(long, value_name = "FILE")]
    pub predictions: Option<PathBuf>,
    /// Confidence with which all intervals, and all ranks, hold together [default: 0.95]
    #[arg(long, value_name = "C", value_parser = open_unit)]
    pub confidence: Option<f64>,
    /// A folder for the ranking
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Ranks and returns what goes to standard output.
pub(super) fn rank(
    context: &Context<'_>,
    args: &Rank,
    seed: Option<u64>,
    json: bool,
) -> Result<String> {
    let ranking = match campaign::is_campaign(&args.data.data) {
        true => of_campaign(context, args, seed)?,
        false => {
            let source = open(context, &args.data)?;
            let confidence = args.confidence.unwrap_or(spec::DEFAULT_CONFIDENCE);
            let table = args.predictions.as_ref();
            let table = table
                .map(|path| Predictions::open(&source, path))
                .transpose()?;
            rank::run(
                context,
                &source,
                table.as_ref(),
                confidence,
                args.out.as_deref(),
            )?
        }
    };
    match json {
        true => to_json(&ranking),
        false => Ok(report::render_ranking(&ranking)),
    }
}

fn of_campaign(
    context: &Context<'_>,
    args: &Rank,
    seed: Option<u64>,
) -> Result<crate::tables::ranking::Ranking> {
    if args.confidence.is_some() || args.out.is_some() || args.predictions.is_some() {
        return Err(Error::usage(
            "a campaign has the confidence it was begun with, and keeps its ranking in its own folder",
        )
        .with_hint("leave out --confidence, --predictions and --out"));
    }
    let call = Call {
        run: &args.data.data,
        data: None,
        columns: &args.data.column,
        seed: seed.map(crate::rng::Seed),
        people: None,
        change: &|_| {},
    };
    campaign::ranking(context, &call)
}
