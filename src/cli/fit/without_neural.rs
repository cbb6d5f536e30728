//! Builds without neural models: training is an error that says so.

use super::pairwise::FitPairwiseArgs;
use std::path::Path;
use tiebreak_base::error::Result;
use tiebreak_base::keys::file::PipelineFile;
use tiebreak_preference::preference;
use tiebreak_stages::engine::Context;
use tiebreak_stages::stages::training::Trainings;

/// Returns an error.
pub(in crate::cli) fn fit_pairwise(
    _: &Context<'_>,
    args: &FitPairwiseArgs,
    _: bool,
) -> Result<String> {
    Err(preference::without_neural(&args.base))
}

/// Returns an error.
pub(in crate::cli) fn run_trainings(
    _: &Context<'_>,
    file: &PipelineFile<Trainings>,
    _: Option<u64>,
    _: &Path,
) -> Result<(String, String)> {
    Err(preference::without_neural(&file.name()))
}
