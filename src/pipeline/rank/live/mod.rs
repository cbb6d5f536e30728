//! Runs with people, at the terminal or by file: one journal, one loop.

mod answers;
pub(super) mod console;
mod folder;
mod next;
mod settings;
mod sheet;
mod sheets;
mod texts;

pub use folder::Call;
pub use sheets::{Asking, Telling, ask, tell};

use super::prepare::Prepared;
use super::strengths::Judgments;
use super::telling;
use super::{Models, Options};
use crate::duel::Outlook;
use crate::error::{Error, Result};
use crate::estimators::bradley_terry::Comparison;
use crate::evaluation::active::RunTrace;
use crate::feedback::FeedbackSource;
use crate::feedback::delayed::Delayed;
use crate::feedback::journal::Journal;
use crate::feedback::texts::IdenticalTexts;
use crate::model_based::Assisted;
use crate::pipeline::context::Context;
use crate::pipeline::run::manifest;
use crate::report::{Stage, StageKind};
use crate::signature::Signature;
use crate::tables::file::write_atomically;
use crate::tables::ranking::Ranking;
use settings::Settings;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use texts::Outputs;

/// Opens the journal of the run in `folder`, or begins it, and stores what it was begun with.
fn begin(
    context: &Context<'_>,
    prepared: &Prepared<'_>,
    settings: &Settings,
    folder: &Path,
) -> Result<Journal> {
    fs::create_dir_all(folder).map_err(Error::writing(folder))?;
    let run = signature(context, prepared)?;
    let journal = Journal::open(&folder.join("journal.jsonl"), &run)?;
    settings.write(folder)?;
    Ok(journal)
}

/// What a journal belongs to.
fn signature(context: &Context<'_>, prepared: &Prepared<'_>) -> Result<Signature> {
    let mut run = prepared.signature.clone();
    if let Some(digest) = prepared.models.digest()? {
        run = run.with("predictions file", digest);
    }
    let data = &prepared.source.digest;
    Ok(run.with("data", data).with("seed", context.seed.0))
}

/// How many questions were answered.
fn answered(journal: &Journal) -> u64 {
    journal.posed().filter(|posed| posed.is_settled()).count() as u64
}

/// What a run found so far, stored so that `report` can tell it.
fn record(
    context: &Context<'_>,
    prepared: &Prepared<'_>,
    trace: &RunTrace,
    judgments: &Judgments,
    folder: &Path,
) -> Result<Ranking> {
    let traces = std::slice::from_ref(trace);
    let ranking = telling::tell(prepared, context, traces, None, judgments)?;
    super::write(&ranking, Some(folder))?;
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let stage = Stage {
        kind: StageKind::Rank,
        name: prepared.options.bandit.slug(),
        path: PathBuf::from("."),
        signature: ranking.signature.clone(),
        settings: BTreeMap::new(),
    };
    let manifest = manifest(context, prepared.source, name.into_owned(), vec![stage]);
    let text = toml::to_string_pretty(&manifest).map_err(Error::failed)?;
    write_atomically(&folder.join("run.toml"), text.as_bytes())?;
    Ok(ranking)
}

/// Plays the run as far as its people answer.
fn play(
    context: &Context<'_>,
    prepared: &Prepared<'_>,
    texts: &Outputs<'_>,
    people: &mut dyn FeedbackSource,
    note: &mut dyn FnMut(Comparison),
) -> Result<(RunTrace, Outlook)> {
    let people = IdenticalTexts::new(texts, people);
    let people = Delayed::new(people, prepared.options.delay);
    let mut feedback: Box<dyn FeedbackSource + '_> = Box::new(people);
    if let Some((predictions, Some(policy))) = &prepared.model {
        let predictions = predictions.as_ref();
        policy.check(predictions)?;
        let mixing = context.seed.stream("mixing", 0);
        let assisted = Assisted::new(feedback, predictions, *policy, mixing);
        feedback = Box::new(assisted.eliminating(prepared.survivors.clone()));
    }
    prepared.setup.follow(0, &mut feedback, note)
}
