//! The checkpoint that a neural metric asks for with `model=NAME|FOLDER|HUB-ID`.

#[cfg(feature = "neural")]
use crate::env::Env;
use tiebreak_base::error::Error;
#[cfg(feature = "neural")]
use tiebreak_base::error::Result;
#[cfg(feature = "neural")]
use tiebreak_encoders::Checkpoint;

/// Finds the checkpoint of `metric`.
///
/// # Errors
/// If no model was named, or there is none of that name.
#[cfg(feature = "neural")]
pub(super) fn find_checkpoint(metric: &str, model: &str, env: &Env) -> Result<Checkpoint> {
    if model.is_empty() {
        return Err(
            Error::usage(format!("{metric} needs a model, and none is given")).with_hint(format!(
                "write {metric}:model=NAME, with a name of `tiebreak list models`, a model's \
                 folder, or a hub id (owner/name)"
            )),
        );
    }
    Checkpoint::resolve_model(model, &env.models, &env.hub)
}

/// The error of a build without the feature.
#[cfg(not(feature = "neural"))]
pub(super) fn unavailable(metric: &str) -> Error {
    Error::usage(format!(
        "{metric} needs a neural model, and this build cannot run any"
    ))
    .with_hint("build with the feature `neural` (on by default)")
}
