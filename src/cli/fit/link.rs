//! `tiebreak fit link`: a link's parameters and thresholds from comparisons.

use crate::cli::args::DataArgs;
use crate::cli::verbs::{at, to_json};
use clap::Args;
use std::path::PathBuf;
use tiebreak_base::error::Result;
use tiebreak_base::layout;
use tiebreak_stages::engine::Context;
use tiebreak_stages::stages::fit;

/// `tiebreak fit link`
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:\n  \
tiebreak fit link data/tiny --scores scores.csv --metric chrf --link btl --out link.toml\n  \
tiebreak fit link mine --scores s.csv --metric bleu --link btl-logistic --out link.toml",
    after_help = "A link turns two scores into the preference for one output. The outcome is a tie from τ1 to τ2. `tiebreak \
predict --calibration link.toml` uses the file."
)]
pub(crate) struct FitLinkArgs {
    #[command(flatten)]
    pub data: DataArgs,
    #[command(flatten)]
    pub keys: fit::FitLink,
    /// The calibration file
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
}

/// Fits a link, writes it, and returns what goes to standard output.
pub(in crate::cli) fn link(
    context: &Context<'_>,
    args: &FitLinkArgs,
    json: bool,
) -> Result<String> {
    let calibration = at(context, &args.data, &args.keys, |site| args.keys.fit(site))?;
    fit::write(&calibration, &args.out)?;
    let whole = &calibration.whole;
    let parameters: Vec<String> = whole
        .parameters
        .0
        .iter()
        .map(|(name, value)| format!("{name} = {}", layout::number(*value)))
        .collect();
    if json {
        return to_json(&serde_json::json!({
            "link": calibration.link,
            "metric": calibration.provenance.metric,
            "n": calibration.n,
            "accuracy": calibration.accuracy,
            "held_out": calibration.held_out,
            "tau1": whole.thresholds.tau1(),
            "tau2": whole.thresholds.tau2(),
            "parameters": whole.parameters.0,
        }));
    }
    let held_out = match calibration.held_out {
        Some(accuracy) => format!(
            "{} where each item is predicted by what was fitted without it",
            layout::percent(accuracy)
        ),
        None => "too few items to leave any out".to_string(),
    };
    Ok(format!(
        "{}: {}, tau1 = {}, tau2 = {}\nthree-way accuracy {} on the {} comparisons it was fitted to; {held_out}\n",
        calibration.link,
        parameters.join(", "),
        whole.thresholds.tau1(),
        whole.thresholds.tau2(),
        layout::percent(calibration.accuracy),
        calibration.n
    ))
}
