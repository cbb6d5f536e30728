//! The flags of `tiebreak fit pairwise`, which [`super::training`] turns into a model.

use crate::cli::values::pair;
use clap::Args;
use std::path::PathBuf;
use tiebreak_preference::preference::training::Settings;

/// `tiebreak fit pairwise`
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:\n  \
tiebreak fit pairwise mine --base path/to/minilm --out my-model\n  \
tiebreak fit pairwise mine other --base my-model --exclude test --out my-model-2\n  \
tiebreak predict mine --model my-model --out predictions.parquet     # then use it",
    after_help = "Whole groups of items that share a source or reference are held out, so the accuracy is on unseen texts. \
An interrupted training goes on when the command is run again. OUT/training.csv and training.svg are its log."
)]
pub(crate) struct FitPairwiseArgs {
    /// Data sets with comparisons
    #[arg(value_name = "DATA", required = true)]
    pub data: Vec<PathBuf>,
    /// Leave out items that share a source or reference with this data set, to test on it later
    #[arg(long, value_name = "DATA")]
    pub exclude: Vec<PathBuf>,
    /// Read a column that has another name, in all data sets
    #[arg(long, value_name = "item=segment_id", value_parser = pair)]
    pub column: Vec<(String, String)>,
    /// The encoder to begin with, with or without a head: a folder, a name or a hub id
    #[arg(long, value_name = "DIR|HUB-ID")]
    pub base: String,
    /// A folder for the model; an interrupted training continues there
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// The settings of the training.
    #[command(flatten)]
    pub settings: Settings,
    /// The licence of the weights, for the model's descriptor
    #[arg(long, value_name = "TEXT")]
    pub licence: Option<String>,
    /// Save the state every N steps; it changes no result
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    pub checkpoint_every: u32,
}
