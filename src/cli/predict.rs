//! `tiebreak predict`: preferences of a model, or of a metric through a link.

use super::args::DataArgs;
use super::asking::AskingArgs;
use super::values::shard;
use super::verbs::open;
use crate::engine::Context;
use crate::engine::parts::Shard;
use crate::error::{Error, Result};
use crate::inputs::source::{Pairs, Scores};
use crate::preference;
use crate::preference::calibration::Calibration;
use crate::stages::predict::{self, Predictor};
use crate::tables::Destination;
use clap::Args;
use std::path::PathBuf;

/// `tiebreak predict`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
tiebreak predict mine --out p.parquet\n  \
tiebreak predict mine --draws adaptive:bald=0.01 --out p.parquet    # stops once BALD is clearly above or below\n  \
tiebreak predict mine --dropout last-layer --precision bf16 --out p.parquet\n\
p needs no draws (--draws 0). Adaptive draws stop after 5, 10, … once the standard errors of BALD and STD are at\n\
most `tolerance` (0.02 where no threshold is given), or once BALD or STD is two of them away from the threshold\n\
`bald` or `std`; `most` (20) is the end. With dropout in the last layer alone BALD and STD are smaller, so\n\
thresholds do not carry over.")]
pub struct Predict {
    #[command(flatten)]
    pub data: DataArgs,
    /// A preference model: a name, a folder or a hub id [default: tiebreak-small, which comes with tiebreak]
    #[arg(long, value_name = "NAME|DIR|HUB-ID", conflicts_with = "scores")]
    pub model: Option<String>,
    #[command(flatten)]
    pub asking: AskingArgs,
    /// Only these pairs: a table with item, system_a, system_b
    #[arg(long, value_name = "FILE")]
    pub pairs: Option<PathBuf>,
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

/// Predicts; the table is the result.
pub(super) fn predict(context: &Context<'_>, args: &Predict) -> Result<String> {
    let destination = Destination::of(&args.out)?;
    let named = args.model.as_deref().unwrap_or(preference::DEFAULT_MODEL);
    let model = match (&args.scores, args.asking.with(None).first()) {
        (None, _) => {
            let asking = args.asking.with(args.calibration.as_ref());
            Some(preference::load(named, asking.options()?, &context.env)?)
        }
        (Some(_), Some(key)) => {
            let what = format!("--{key} is for a model and does not go with --scores");
            return Err(Error::usage(what));
        }
        (Some(_), None) => None,
    };
    let source = open(context, &args.data)?;
    let predictor = match (model, &args.scores, &args.metric, &args.link) {
        (Some(model), ..) => Predictor::Model(model),
        (None, Some(path), Some(metric), Some(link)) => {
            let scores = Scores::open(&source, path, metric)?;
            let calibration = match &args.calibration {
                Some(path) => Some(Calibration::read(path)?),
                None => None,
            };
            predict::direct(context, &source, scores, link, calibration)?
        }
        _ => return Err(Error::usage("--scores needs --metric and --link")),
    };
    let options = predict::Options {
        pairs: args
            .pairs
            .as_ref()
            .map(|path| Pairs::open(&source, path))
            .transpose()?,
        keep_draws: args.keep_draws,
        shard: args.shard.unwrap_or_default(),
    };
    predict::run(context, &source, &predictor, &options, &destination)?;
    Ok(String::new())
}
