//! `run` with a file of trainings: `[[train]]`, checked before any of them begins.

use super::{CHECKPOINT_EVERY, Training, TrainingRequest};
use crate::engine::context::Context;
use crate::engine::names::file_name;
use crate::stages::site::model_beside;
use crate::stages::training::{Train, Trainings};
use std::path::Path;
use tiebreak_base::error::{Error, Key, Result};
use tiebreak_base::keys::file::PipelineFile;
use tiebreak_base::message;
use tiebreak_base::rng::Seed;
use tiebreak_encoders::Checkpoint;

/// Trains every model of a file into its folder within `out`. `seed` takes precedence over that of the file.
///
/// # Errors
/// The first mistake in the file, before anything runs; then errors of [`TrainingRequest::run`].
pub fn run_file(
    context: &Context<'_>,
    file: &PipelineFile<Trainings>,
    seed: Option<u64>,
    out: &Path,
) -> Result<Vec<(String, Training)>> {
    let seed = seed.or(file.pipeline.seed).unwrap_or(context.seed.0);
    let context = &context.seeded(Seed(seed));
    let trainings = &file.pipeline.train;
    for (place, train) in trainings.iter().enumerate() {
        check(file, train, &trainings[..place])?;
        check_base(context, file, train, &trainings[..place])?;
    }
    let trained = |train: &Train| {
        let name = file_name(&train.name);
        let training = request(file, train, out).run(context, &out.join(&name))?;
        Ok((name, training))
    };
    trainings.iter().map(trained).collect()
}

fn check(file: &PipelineFile<Trainings>, train: &Train, before: &[Train]) -> Result<()> {
    train.settings.check().map_err(file.at(&train.base))?;
    let name = file_name(&train.name);
    if before.iter().any(|other| file_name(&other.name) == name) {
        let error = Error::usage(format!("two [[train]] stages are called `{name}`"))
            .with_hint(message!("give one of them another {}", Key("name")));
        return Err(file.at(&train.base)(error));
    }
    if train.data.get_ref().is_empty() {
        let error = Error::usage("no data set to learn from").with_hint("data = [\"folder\", …]");
        return Err(file.at(&train.data)(error));
    }
    let missing = |path: &&std::path::PathBuf| !file.resolve_path(path).exists();
    let named = train.data.get_ref().iter().chain(&train.exclude);
    match named.into_iter().find(missing) {
        None => Ok(()),
        Some(path) => Err(file.at(&train.data)(Error::missing(
            file.resolve_path(path),
        ))),
    }
}

/// Checks names in files: the base, unless an earlier training makes it, and the metrics beside the network.
fn check_base(
    context: &Context<'_>,
    file: &PipelineFile<Trainings>,
    train: &Train,
    before: &[Train],
) -> Result<()> {
    let at = file.at(&train.base);
    train.settings.check_metrics(&context.env).map_err(&at)?;
    let base = train.base.get_ref();
    if before.iter().any(|other| other.name == *base) {
        return Ok(());
    }
    let base = model_beside(&file.resolve_path(Path::new("")), base);
    let found = Checkpoint::resolve_model(&base, &context.env.models, &context.env.hub);
    found.map(drop).map_err(&at)
}

/// The request of a stage: paths are relative to the file, and so is a base in its folder, unless
/// an earlier stage trains that base.
fn request(file: &PipelineFile<Trainings>, train: &Train, out: &Path) -> TrainingRequest {
    let base = train.base.get_ref();
    let mut before = file
        .pipeline
        .train
        .iter()
        .map_while(|other| (other.name != train.name).then_some(&other.name));
    let beside = match before.find(|name| *name == base) {
        Some(name) => out.join(file_name(name)),
        None => file.resolve_path(Path::new(base)),
    };
    let base = match beside.is_dir() {
        true => beside.to_string_lossy().into_owned(),
        false => base.clone(),
    };
    let all =
        |paths: &[std::path::PathBuf]| paths.iter().map(|path| file.resolve_path(path)).collect();
    TrainingRequest {
        data: all(train.data.get_ref()),
        exclude: all(&train.exclude),
        columns: train.columns.clone().into_iter().collect(),
        base,
        settings: train.settings.clone(),
        licence: train.licence.clone(),
        checkpoint_every: CHECKPOINT_EVERY,
    }
}
