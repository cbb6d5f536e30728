//! The flags of `tiebreak fit pairwise`, which [`super::training`] turns into a model.

use crate::cli::values::pair;
use crate::preference::calibrator::Method;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `tiebreak fit pairwise`
#[derive(Debug, Args)]
#[command(
    after_help = "Example: tiebreak fit pairwise mine --base path/to/minilm --out my-model\n\
Held out are whole groups of items that share a source or reference, so the accuracy told is on texts\n\
never seen. An interrupted training continues when the command is run again; OUT/training.csv and\n\
training.svg are its log. Then: tiebreak predict mine --model my-model --out predictions.parquet"
)]
pub struct FitPairwise {
    /// Data sets with comparisons
    #[arg(value_name = "DATA", required = true)]
    pub data: Vec<PathBuf>,
    /// Leave out items that share a source or reference with this data set, to test on it later
    #[arg(long, value_name = "DATA")]
    pub exclude: Vec<PathBuf>,
    /// A column under another name, in all of them
    #[arg(long, value_name = "item=segment_id", value_parser = pair)]
    pub column: Vec<(String, String)>,
    /// The encoder to begin from, with or without a head: a folder, a name or a hub id
    #[arg(long, value_name = "DIR|HUB-ID")]
    pub base: String,
    /// A folder for the model; an interrupted training continues there
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// What the model reads at a time [default: pointwise]
    #[arg(long, value_enum)]
    pub head: Option<HeadArg>,
    /// What becomes of judgments that are ties [default: half]
    #[arg(long, value_enum)]
    pub ties: Option<TiesArg>,
    /// How context and outputs are joined [default: as the base does, else as models/README.md says]
    #[arg(long, value_name = "TEXT")]
    pub template: Option<String>,
    /// Longest input in tokens [default: 256]
    #[arg(long, value_name = "N")]
    pub max_length: Option<usize>,
    /// How often every pair is seen [default: 4]
    #[arg(long, value_name = "N")]
    pub epochs: Option<u32>,
    /// Pairs per step, at least [default: 128]
    #[arg(long, value_name = "N")]
    pub batch_size: Option<usize>,
    /// Peak learning rate [default: 1e-5]
    #[arg(long, value_name = "RATE")]
    pub learning_rate: Option<f64>,
    /// Share of steps over which the rate rises to its peak, from which it falls to 0 [default: 0.1]
    #[arg(long, value_name = "SHARE")]
    pub warmup: Option<f64>,
    /// Decoupled weight decay, not on biases and normalisation [default: 0.01]
    #[arg(long, value_name = "W")]
    pub weight_decay: Option<f64>,
    /// Largest norm of a step's gradient [default: 1]
    #[arg(long, value_name = "NORM")]
    pub clip: Option<f64>,
    /// A layer's rate as a factor of the rate of the layer above it [default: 1]
    #[arg(long, value_name = "FACTOR")]
    pub layer_decay: Option<f64>,
    /// Share of pairs held out [default: 0.1]
    #[arg(long, value_name = "SHARE")]
    pub validation: Option<f64>,
    /// Looks at the held-out pairs per epoch; the best of them is kept [default: 2]
    #[arg(long, value_name = "N")]
    pub evaluations: Option<u32>,
    /// Stop after so many looks that were no better [default: 4]
    #[arg(long, value_name = "N")]
    pub patience: Option<u32>,
    /// Learn also from references with errors put in, as a share of the items [default: 0]
    #[arg(long, value_name = "SHARE")]
    pub synthetic: Option<f64>,
    /// Take about so many pairs of each data set, as whole items at random [default: all]
    #[arg(long, value_name = "N")]
    pub max_pairs: Option<u64>,
    /// Store the trained matrices in eight bits, a quarter of the size; also once training is over
    #[arg(long, value_enum, value_name = "PRECISION")]
    pub quantise: Option<QuantiseArg>,
    /// Put a metric beside the network (pointwise head) where there are references, with a weight fitted on the
    /// pairs held out; also once training is over
    #[arg(long, value_name = "METRIC")]
    pub beside: Option<String>,
    /// The same where there are none, as of free answers: a metric that needs none, such as length:log=true
    #[arg(long, value_name = "METRIC")]
    pub beside_unreferenced: Option<String>,
    /// Calibrate preferences on the pairs held out; also once training is over
    #[arg(long, value_name = "temperature|isotonic", num_args = 0..=1, default_missing_value = "temperature")]
    pub calibrate: Option<Method>,
    /// The licence of the weights, for the model's descriptor
    #[arg(long, value_name = "TEXT")]
    pub licence: Option<String>,
    /// Save the state every N steps; it changes no result
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    pub checkpoint_every: u32,
}

/// What a preference model reads at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum HeadArg {
    /// One output, which gets a score; the better score is preferred.
    Pointwise,
    /// Both outputs.
    Pairwise,
}

/// In how many bits trained matrices are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum QuantiseArg {
    /// Eight, with one scale per row.
    Int8,
}

/// What becomes of ties.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TiesArg {
    /// Half a win for either side.
    Half,
    /// Left out.
    Drop,
    /// A class of their own (pairwise head only).
    Class,
}
