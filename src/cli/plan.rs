//! `tiebreak plan`: how many judgments an interval of a wanted width takes, before there are any.

use super::args::DataArgs;
use super::values::pair;
use super::verbs::{Command, open, to_json};
use crate::engine::Context;
use crate::error::{Error, Result};
use crate::estimators::{Campaign, Prospect, Range};
use crate::inputs::source::Scores;
use crate::keys::{self, Confidence, flag};
use crate::layout::{number, table};
use crate::stages::prospect;
use clap::Args;
use std::path::PathBuf;

/// `tiebreak plan`
#[derive(Debug, Args)]
#[command(
    after_help = "What judgments vary by comes from one of three: a pilot (DATA), where some outputs were judged \
twice; numbers of your own (--signal, --noise, --rho); or the scale alone (--range), the worst case.\n\
Examples:\n  \
tiebreak plan --width 0.2 --range 1,5\n  \
tiebreak plan data/tiny --criterion adequacy --width 5"
)]
pub struct Plan {
    /// A pilot: a data set with judgments
    #[arg(value_name = "DATA", requires = "criterion", conflicts_with_all = ["range", "signal"])]
    pub data: Option<PathBuf>,
    /// A column of the pilot under another name
    #[arg(long, value_name = "item=segment_id", value_parser = pair, requires = "data")]
    pub column: Vec<(String, String)>,
    /// Which criterion of the pilot
    #[arg(long, value_name = "NAME", requires = "data")]
    pub criterion: Option<String>,
    /// Scores of all outputs of the pilot
    #[arg(long, value_name = "FILE", requires = "metric", requires = "data")]
    pub scores: Option<PathBuf>,
    /// Which metric of the scores
    #[arg(long, value_name = "NAME", requires = "scores")]
    pub metric: Option<String>,
    /// The scale of the judgments
    #[arg(long, value_name = "LO,HI", value_parser = flag::<keys::Range>, allow_hyphen_values = true, conflicts_with = "signal")]
    pub range: Option<keys::Range>,
    /// Variance of outputs' true means
    #[arg(long, value_name = "V", requires = "noise")]
    pub signal: Option<f64>,
    /// Variance of the judgments of one output
    #[arg(long, value_name = "V", requires = "signal")]
    pub noise: Option<f64>,
    /// Correlation of a metric with outputs' true means
    #[arg(long, value_name = "R", requires = "signal", default_value_t = 0.0)]
    pub rho: f64,
    /// The wanted width of the interval of one system's mean
    #[arg(long, value_name = "W")]
    pub width: f64,
    /// Confidence of the interval
    #[arg(long, value_name = "C", value_parser = flag::<Confidence>, default_value_t)]
    pub confidence: Confidence,
    /// Judgments of each output; repeat to compare
    #[arg(long, value_name = "K", num_args = 1.., default_values_t = [1, 2, 3, 5], value_parser = clap::value_parser!(u32).range(1..))]
    pub per_output: Vec<u32>,
}

/// What is planned, as text or JSON.
pub(super) fn plan(command: &Command<'_>, args: &Plan) -> Result<String> {
    let Command { context, json, .. } = *command;
    if !(args.width > 0.0 && args.width.is_finite()) {
        let what = format!("--width is {}, expected a number above 0", args.width);
        return Err(Error::usage(what));
    }
    let prospect = prospect(context, args)?;
    let of = |prospect: &Prospect, k: u32| {
        let campaign = prospect.campaign(k, args.width, args.confidence.value());
        campaign.ok_or_else(|| {
            Error::usage("more judgments than can be counted").with_hint("ask for a larger --width")
        })
    };
    let plain = Prospect {
        rho: 0.0,
        ..prospect
    };
    let mut campaigns: Vec<(Campaign, Campaign)> = Vec::new();
    for &k in &args.per_output {
        campaigns.push((of(&prospect, k)?, of(&plain, k)?));
    }
    if json {
        let with: Vec<Campaign> = campaigns.iter().map(|one| one.0).collect();
        return to_json(&serde_json::json!({
            "width": args.width,
            "confidence": args.confidence.value(),
            "prospect": prospect,
            "campaigns": with,
        }));
    }
    Ok(told(args, &prospect, &campaigns))
}

fn prospect(context: &Context<'_>, args: &Plan) -> Result<Prospect> {
    if let (Some(data), Some(criterion)) = (&args.data, &args.criterion) {
        let data = DataArgs {
            data: data.clone(),
            column: args.column.clone(),
            pick: Vec::new(),
            outcome: Vec::new(),
        };
        let source = open(context, &data)?;
        let scores = args.scores.as_ref().zip(args.metric.as_ref());
        let scores = scores
            .map(|(path, metric)| Scores::open(context, &source, path, metric))
            .transpose()?;
        return prospect::pilot(context, &source, criterion, scores);
    }
    match (args.signal, args.noise, args.range.map(keys::Range::value)) {
        (Some(signal), Some(noise), _) => Prospect::new(signal, noise, args.rho),
        (_, _, Some([low, high])) => Ok(Prospect::worst(&Range::new(low, high)?)),
        _ => Err(Error::usage("nothing to plan from").with_hint(
            "give a pilot (DATA --criterion NAME), --signal V --noise V, or --range LO,HI",
        )),
    }
}

fn told(args: &Plan, prospect: &Prospect, campaigns: &[(Campaign, Campaign)]) -> String {
    let mut text = format!(
        "For a {} % interval no wider than {}, of one system's mean, as large samples have it (of few judgments it is wider).\n\
         Outputs vary by {} (σ_f²), judgments of one output by {} (σ_a²)",
        number(100.0 * args.confidence.value()),
        args.width,
        number(prospect.signal),
        number(prospect.noise)
    );
    let helped = prospect.rho != 0.0;
    if helped {
        text += &format!(", the metric correlates by {} (ρ)", number(prospect.rho));
    }
    let mut header = vec!["judgments of each output", "outputs", "judgments"];
    if helped {
        header.push("without the metric");
    }
    let row = |(with, without): &(Campaign, Campaign)| {
        let mut row = vec![
            with.per_output.to_string(),
            with.outputs.to_string(),
            with.judgments.to_string(),
        ];
        if helped {
            row.push(without.judgments.to_string());
        }
        row
    };
    let rows: Vec<Vec<String>> = campaigns.iter().map(row).collect();
    text + ".\n\n" + &table(&header, &rows)
}
