//! A run's folder: opened by its name alone, played as far as its journal goes, and said how it
//! stands.

use super::settings::Settings;
use super::texts::Outputs;
use super::{Models, Options, answered, begin, next, play, record, signature};
use crate::duel::Outlook;
use crate::error::{Error, Result};
use crate::evaluation::active::{RunTrace, Stop};
use crate::feedback::Question;
use crate::feedback::batch::Batch;
use crate::feedback::journal::{Journal, Posed};
use crate::pipeline::context::Context;
use crate::pipeline::rank::prepare::{Prepared, prepare};
use crate::pipeline::rank::strengths::Judgments;
use crate::pipeline::sheets::Codes;
use crate::pipeline::source::{Predictions, Source};
use crate::pipeline::spec::Rank;
use crate::rng::Seed;
use crate::tables::status::{Questions, Rival, Status, Told, Written};
use std::path::Path;

/// A run, and what is said about it beyond what it was begun with.
pub struct Call<'a> {
    /// Its folder.
    pub run: &'a Path,
    /// The data set: for a new run, or where it has moved.
    pub data: Option<&'a Path>,
    /// Columns of the data set under other names.
    pub columns: &'a [(String, String)],
    /// The seed, if one is given.
    pub seed: Option<Seed>,
    /// Puts other settings that are given in the place of those the run was begun with.
    pub change: &'a dyn Fn(&mut Rank),
}

impl Call<'_> {
    /// What the run was or is to be begun with, changed as the call says.
    fn settings(&self) -> Result<Settings> {
        let mut settings = match (Settings::read(self.run)?, self.data) {
            (Some(settings), _) => settings,
            (None, Some(data)) => Settings::new(data, Seed::default()),
            (None, None) => {
                let what = format!("{}: no run was begun here", self.run.display());
                return Err(Error::usage(what).with_hint(format!(
                    "name the data set to begin one: tiebreak ask {} DATA --out questions.csv",
                    self.run.display()
                )));
            }
        };
        if let Some(data) = self.data {
            settings.data = data.to_path_buf();
        } else if !settings.data.exists() {
            let moved = "name the data set after the run's folder if it has moved";
            return Err(Error::input(&settings.data, "no such file or folder").with_hint(moved));
        }
        if !self.columns.is_empty() {
            settings.columns = self.columns.to_vec();
        }
        settings.seed = self.seed.unwrap_or(settings.seed);
        (self.change)(&mut settings.rank);
        Ok(settings)
    }
}

/// Opens a run, or begins it, and works with it.
pub(super) fn with_run(
    context: &Context<'_>,
    call: &Call<'_>,
    work: impl FnOnce(&Run<'_>, Journal) -> Result<Status>,
) -> Result<Status> {
    let settings = call.settings()?;
    let context = context.seeded(settings.seed);
    let source = Source::open(&context, &settings.data, &settings.columns)?;
    let table = |path: &str| Predictions::open(&source, Path::new(path));
    let models = Models::open(&context, &source, &settings.rank, Some(call.run), table)?;
    let options = Options::from(&settings.rank);
    models.keeping(|| {
        let prepared = prepare(&context, &source, &models, &options)?;
        let run = Run {
            texts: Outputs::read(&prepared)?,
            folder: call.run,
            prepared,
            context: &context,
        };
        let journal = begin(&context, &run.prepared, &settings, call.run)?;
        work(&run, journal)
    })
}

/// An open run.
pub(super) struct Run<'a> {
    folder: &'a Path,
    context: &'a Context<'a>,
    prepared: Prepared<'a>,
    texts: Outputs<'a>,
}

/// A run played as far as it goes.
pub(super) struct Played {
    pub(super) journal: Journal,
    judgments: Judgments,
    trace: RunTrace,
    outlook: Outlook,
}

impl Played {
    /// Whether answers still to come can change nothing.
    pub(super) fn is_decided(&self) -> bool {
        matches!(self.trace.stop, Stop::Certificate | Stop::Finished)
    }
}

impl<'a> Run<'a> {
    pub(super) fn texts(&self) -> &Outputs<'a> {
        &self.texts
    }

    pub(super) fn seed(&self) -> Seed {
        self.context.seed
    }

    /// What the questions posed are called on sheets.
    pub(super) fn codes(&self, journal: &Journal) -> Result<Codes> {
        let ids = journal.posed().map(|posed| posed.question.duel.id.0);
        Ok(Codes::new(&signature(self.context, &self.prepared)?, ids))
    }

    /// Replays the journal and goes on for so many new questions, which are not logged yet.
    pub(super) fn play(&self, journal: Journal, new: usize) -> Result<(Played, Vec<Question>)> {
        let mut people = Batch::new(&self.texts, journal, new);
        let mut end = None;
        let judgments = Judgments::of_run(|note| {
            let (context, prepared) = (self.context, &self.prepared);
            end = Some(play(context, prepared, &self.texts, &mut people, note)?);
            Ok(answered(people.journal()))
        })?;
        let (trace, outlook) = end.expect("played above");
        let (journal, drawn) = people.finish()?;
        let played = Played {
            journal,
            judgments,
            trace,
            outlook,
        };
        Ok((played, drawn))
    }

    /// How the run stands; also stored, for `report`.
    pub(super) fn status(
        &self,
        played: &Played,
        told: Option<Told>,
        sheet: Option<Written>,
    ) -> Result<Status> {
        let Played {
            journal,
            judgments,
            trace,
            outlook,
        } = played;
        let ranking = record(self.context, &self.prepared, trace, judgments, self.folder)?;
        let name = |arm| self.prepared.source.system(arm).to_string();
        let groups = self.texts.identical(self.prepared.setup.arms());
        let stopped = match trace.stop {
            Stop::Ended => None,
            reason => Some(format!("{reason:?}").to_lowercase()),
        };
        let questions = questions(journal);
        Ok(Status {
            next: next::step(self.folder, questions, trace.stop, sheet.as_ref()),
            leader: ranking.winner,
            probability: outlook.probability,
            verdict: ranking.verdict,
            confidence: self.prepared.options.confidence,
            stopped,
            rivals: outlook
                .evidence
                .iter()
                .map(|&(arm, evidence)| Rival {
                    system: name(arm),
                    evidence,
                })
                .collect(),
            identical: groups
                .into_iter()
                .map(|group| group.into_iter().map(name).collect())
                .collect(),
            eliminated: ranking.eliminated,
            questions,
            model_answers: trace.model_answers,
            predictions: ranking.predictions,
            told,
            sheet,
        })
    }
}

fn questions(journal: &Journal) -> Questions {
    let count = |what: fn(&Posed) -> bool| journal.posed().filter(|posed| what(posed)).count();
    let (asked, answered) = (count(|_| true), count(Posed::is_settled));
    let open = count(Posed::is_open);
    Questions {
        asked: asked as u64,
        answered: answered as u64,
        skipped: (asked - answered - open) as u64,
        open: open as u64,
    }
}
