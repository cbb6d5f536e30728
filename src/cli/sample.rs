//! `tiebreak sample`: which outputs to have judged, and the judgments read back.

use super::args::DataArgs;
use super::values::unit;
use super::verbs::{open, to_json};
use crate::engine::Context;
use crate::error::Result;
use crate::estimators::UNIFORM;
use crate::layout;
use crate::stages::sample::{self, By, Drawn, Reading, SampleOptions};
use clap::{Args, Subcommand};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// `tiebreak sample`
#[derive(Debug, Subcommand)]
pub enum Sample {
    /// Draw outputs to have judged, and write a sheet for the judges
    Draw(Box<Draw>),
    /// Read filled sheets back as judgments, with the probabilities that `estimate` weighs them by
    Read(Read),
}

/// `tiebreak sample draw`
#[derive(Debug, Args)]
#[command(
    after_help = "Outputs are drawn evenly; with --uncertainties more often where a model is unsure; with --strata so\n\
many of each stratum as its size and, with --criterion, the spread of earlier judgments ask for.\n\
Tables have the columns item, system (unless all systems share them), and uncertainty or stratum,\n\
and cover all outputs. The folder gets sample.csv (what each question is about; not for judges) and\n\
sheet.csv (texts in random order, empty columns score, annotator and seconds).\n\
People who rate in browsers, one after the other, under several criteria: tiebreak serve RUN DATA --task rating,\n\
a campaign, which draws outputs by the same flags and keeps every answer.\n\
Example:\n  \
tiebreak sample draw mine --budget 200 --uncertainties u.csv --out campaign\n  \
tiebreak sample read campaign campaign/sheet.csv --criterion quality --out judged\n  \
cp judged/judgments.csv mine/\n  \
tiebreak estimate mine --estimator active --probabilities judged/probabilities.csv"
)]
pub struct Draw {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub data: DataArgs,
    /// Outputs to judge, divided evenly among the systems
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub budget: u64,
    /// How uncertain each output is
    #[arg(long, value_name = "FILE", conflicts_with = "strata")]
    pub uncertainties: Option<PathBuf>,
    /// The share of the budget that is spread evenly whatever the uncertainties say
    #[arg(long, value_name = "U", default_value_t = UNIFORM, value_parser = unit, requires = "uncertainties")]
    pub uniform: f64,
    /// The stratum of each output
    #[arg(long, value_name = "FILE")]
    pub strata: Option<PathBuf>,
    /// A criterion of judgments in DATA, whose spread decides how many each stratum gets
    #[arg(long, value_name = "NAME", requires = "strata")]
    pub criterion: Option<String>,
    /// The folder of the sample
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
}

/// `tiebreak sample read`
#[derive(Debug, Args)]
#[command(
    after_help = "Rows without a score are open. A sheet may be left unfinished: its rows are in random order, and\n\
the probabilities written take it into account. What was read into the same folder before stays.\n\
Example:  tiebreak sample read campaign campaign/sheet.csv --criterion quality --out judged"
)]
pub struct Read {
    /// The folder of the sample
    #[arg(value_name = "SAMPLE")]
    pub sample: PathBuf,
    /// Filled sheets: .csv, .tsv or .jsonl
    #[arg(value_name = "SHEET", required = true)]
    pub sheets: Vec<PathBuf>,
    /// What was judged
    #[arg(long, value_name = "NAME")]
    pub criterion: String,
    /// Who filled them in, where they do not say so themselves
    #[arg(long, value_name = "NAME")]
    pub annotator: Option<String>,
    /// The folder for judgments.csv and probabilities.csv
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
}

/// Draws or reads, and says what there is now, as text or JSON.
pub(super) fn sample(context: &Context<'_>, args: &Sample, json: bool) -> Result<String> {
    match args {
        Sample::Draw(args) => draw(context, args, json),
        Sample::Read(args) => read(args, json),
    }
}

fn draw(context: &Context<'_>, args: &Draw, json: bool) -> Result<String> {
    let by = match (&args.uncertainties, &args.strata) {
        (Some(table), _) => By::Uncertainty {
            table,
            uniform: args.uniform,
        },
        (None, Some(table)) => By::Strata {
            table,
            criterion: args.criterion.as_deref(),
        },
        (None, None) => By::Chance,
    };
    let options = SampleOptions {
        budget: args.budget,
        by,
    };
    let source = open(context, &args.data)?;
    let sample = sample::draw(context, &source, &options)?;
    sample::write(context, &source, &sample, &args.out)?;
    let drawn = &sample.drawn;
    let systems = source.systems().iter().zip(0..);
    let shares: Vec<Share<'_>> = systems
        .map(|(name, system)| {
            Share::of_system(name, drawn.iter().filter(|one| one.system == system))
        })
        .collect();
    if json {
        return to_json(&serde_json::json!({ "outputs": drawn.len(), "systems": shares }));
    }
    Ok(told(&shares, &args.out))
}

/// What was drawn of one system.
#[derive(Debug, Serialize)]
struct Share<'a> {
    system: &'a str,
    outputs: u64,
    least_probability: Option<f64>,
}

impl<'a> Share<'a> {
    fn of_system<'b>(system: &'a str, drawn: impl Iterator<Item = &'b Drawn> + Clone) -> Self {
        let probabilities = drawn.map(|one| one.probability);
        Self {
            system,
            outputs: probabilities.clone().count() as u64,
            least_probability: probabilities.reduce(f64::min),
        }
    }
}

fn told(shares: &[Share<'_>], out: &Path) -> String {
    let row = |share: &Share<'_>| {
        let least = share
            .least_probability
            .map_or_else(String::new, layout::number);
        vec![share.system.to_string(), share.outputs.to_string(), least]
    };
    let rows: Vec<Vec<String>> = shares.iter().map(row).collect();
    let out = out.display();
    layout::table(&["system", "outputs to judge", "least probability"], &rows)
        + &format!(
            "\nnext: have {out}/sheet.csv filled in (column `score`; {out}/sample.csv is not for judges), then\n\
             tiebreak sample read {out} {out}/sheet.csv --criterion NAME --out judged\n"
        )
}

fn read(args: &Read, json: bool) -> Result<String> {
    let reading = Reading {
        sample: &args.sample,
        sheets: &args.sheets,
        criterion: &args.criterion,
        annotator: args.annotator.as_deref(),
    };
    let judged = sample::read(&reading, &args.out)?;
    if json {
        return to_json(&judged);
    }
    let out = args.out.display();
    Ok(format!(
        "{} judgments of {} outputs; {} of the sample are open\n\
         next: put {out}/judgments.csv into the data set, then\n\
         tiebreak estimate DATA --estimator active --probabilities {out}/probabilities.csv\n",
        judged.judgments, judged.outputs, judged.open
    ))
}
