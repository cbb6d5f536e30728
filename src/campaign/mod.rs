//! Campaigns: people are asked on purpose, in browsers, at the terminal or by file; one journal, one loop.

mod answers;
mod claim;
mod clock;
mod filled;
mod folder;
mod forms;
mod next;
mod notice;
pub mod page;
#[cfg(feature = "serve")]
pub mod serve;
pub mod session;
mod settings;
mod sheet;
mod sheets;
mod standing;
mod standing_out;
#[cfg(feature = "serve")]
mod state;
pub mod status;
pub mod task;
mod terminal;
mod text;
mod texts;

pub use crate::feedback::overlap::Overlap;
pub use answers::Written;
pub use folder::{Call, Named, is_campaign, ranking};
pub use forms::{FRIENDS, Form, Friend};
pub use sheets::{Asking, Telling, ask, tell};
pub use terminal::{Seat, ask_here};
pub use text::render;

use crate::duel::Outlook;
use crate::engine::context::Context;
use crate::error::{Error, Result};
use crate::estimators::margins::Reading;
use crate::evaluation::active::{RunTrace, Stop};
use crate::feedback::FeedbackSource;
use crate::feedback::dealing::Dealing;
use crate::feedback::journal::{Journal, Posed};
use crate::feedback::recollected::Recollected;
use crate::feedback::texts::IdenticalTexts;
use crate::inputs::source::campaign::{JOURNAL, which_changed};
use crate::model_based::{Assisted, Audits};
use crate::signature::Signature;
use crate::stages::rank;
use crate::stages::simulate::prepare::Prepared;
use crate::stages::simulate::{Models, Options};
use crate::tables::ranking::Ranking;
use crate::tables::{Stage, StageKind};
use settings::Settings;
use standing::standing;
use std::fs;
use std::path::{Path, PathBuf};
use texts::Outputs;

/// Under which name a journal holds the digest of the predictions that a campaign starts from.
const PREDICTIONS: &str = "predictions file";

/// Opens the journal of the run in `folder`, or begins it, and stores what it was begun with.
fn begin(
    context: &Context<'_>,
    prepared: &Prepared<'_>,
    settings: &Settings,
    folder: &Path,
) -> Result<Journal> {
    fs::create_dir_all(folder).map_err(Error::writing(folder))?;
    let run = signature(context, prepared)?;
    let path = folder.join(JOURNAL);
    if !path.exists() && Settings::read(folder)?.is_some() {
        let what = "gone, though the campaign was begun: its questions and answers were there";
        return Err(Error::input(path, what).with_hint(
            "restore it from a copy, or begin another campaign in a folder of its own",
        ));
    }
    let journal = Journal::open(&path, &run).map_err(|error| named(prepared, error))?;
    settings.write(folder)?;
    Ok(journal)
}

/// What a journal belongs to.
fn signature(context: &Context<'_>, prepared: &Prepared<'_>) -> Result<Signature> {
    let mut run = prepared.signature.clone();
    if let Some(digest) = prepared.models.digest()? {
        run = run.with(PREDICTIONS, digest);
    }
    // What people judged or will judge does not matter, only what they are shown.
    let tables = prepared.source.tables.iter();
    let run = tables.fold(run, |run, (name, digest)| run.with(name, digest));
    Ok(run.with("seed", context.seed.0))
}

/// What changed, in words, where it is something that a digest stands for.
fn named(prepared: &Prepared<'_>, error: Error) -> Error {
    match &error {
        Error::Changed { key, .. } if key == PREDICTIONS => Error::usage(
            "the predictions changed since the campaign began from them",
        )
        .with_hint("restore them from a copy, or begin another campaign in a folder of its own"),
        _ => which_changed(&prepared.source.dataset, error),
    }
}

/// A run played as far as its people answered.
struct Played {
    trace: RunTrace,
    outlook: Outlook,
    /// What it showed about pairs of systems.
    readings: Vec<Reading>,
    /// Who has which question.
    dealing: Dealing,
}

impl Played {
    /// Whether answers still to come can change nothing.
    fn is_decided(&self) -> bool {
        matches!(self.trace.stop, Stop::Certificate | Stop::Finished)
    }
}

/// What a run found so far, stored so that `report` can tell it.
fn record(
    context: &Context<'_>,
    prepared: &Prepared<'_>,
    texts: &Outputs<'_>,
    journal: &Journal,
    played: &Played,
    folder: &Path,
) -> Result<Ranking> {
    let ranking = standing(context, prepared, texts, journal, played);
    rank::write(&ranking, folder)?;
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let stage = Stage {
        kind: StageKind::Campaign,
        name: prepared.options.choices.bandit.0.slug(),
        path: PathBuf::from("."),
        signature: ranking.signature.clone(),
        // Those are in `campaign.toml`, with paths that move with the campaign.
        settings: toml::Table::new(),
    };
    let stages = std::iter::once(stage).chain(standing_out::stage(folder));
    let manifest = prepared
        .source
        .manifest(context, name.into_owned(), stages.collect());
    manifest.write(folder)?;
    Ok(ranking)
}

/// Plays the run as far as its people answer.
fn play(
    context: &Context<'_>,
    prepared: &Prepared<'_>,
    texts: &Outputs<'_>,
    people: &mut dyn FeedbackSource,
) -> Result<Played> {
    let mut readings = Vec::new();
    let note = &mut |one| readings.push(one);
    let mut feedback = asked(context, prepared, texts, Box::new(people))?;
    let (trace, outlook) = prepared.setup.follow(0, &mut feedback, note)?;
    drop(feedback);
    Ok(Played {
        trace,
        outlook,
        readings,
        dealing: Dealing::default(),
    })
}

/// What stands around the people of a campaign: memory, identical texts, a model that may answer for them.
fn asked<'a>(
    context: &Context<'_>,
    prepared: &'a Prepared<'_>,
    texts: &'a Outputs<'_>,
    people: Box<dyn FeedbackSource + 'a>,
) -> Result<Box<dyn FeedbackSource + 'a>> {
    let people = IdenticalTexts::new(texts, Recollected::new(people));
    let mut feedback: Box<dyn FeedbackSource + 'a> = Box::new(people);
    if let Some((predictions, Some(policy))) = &prepared.model {
        let predictions = predictions.as_ref();
        policy.check(predictions)?;
        let mixing = context.seed.stream("mixing", 0);
        let audits = prepared
            .audit
            .map(|audit| Audits::new(audit, context.seed, 0));
        let assisted = Assisted::new(feedback, predictions, *policy, mixing)
            .audited(audits)
            .eliminating(prepared.survivors.clone());
        feedback = Box::new(assisted);
    }
    Ok(feedback)
}

/// Whether a question may still be answered by whom it was dealt to.
fn is_open(posed: &Posed, dealing: &Dealing) -> bool {
    posed.is_open() && dealing.is_listed(posed.question.sample.person)
}
