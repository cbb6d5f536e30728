//! A run's folder: opened by its name alone, played as far as its journal goes, and said how it
//! stands.

use super::settings::Settings;
use super::texts::Outputs;
use super::{JOURNAL, Models, Options, Played, begin, next, play, record, signature, standing};
use crate::error::{Error, Result};
use crate::feedback::Question;
use crate::feedback::batch::Batch;
use crate::feedback::journal::{Journal, Posed};
use crate::pipeline::context::Context;
use crate::pipeline::sheets::Codes;
use crate::pipeline::simulate::Feedback;
use crate::pipeline::simulate::prepare::{Prepared, prepare};
use crate::pipeline::source::{Predictions, Source};
use crate::pipeline::spec::Simulate;
use crate::report;
use crate::rng::Seed;
use crate::tables::ranking::Ranking;
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
    pub change: &'a dyn Fn(&mut Simulate),
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
        (self.change)(&mut settings.run);
        Ok(settings)
    }
}

/// Opens a run, or begins it, and works with it.
pub(super) fn with_run<T>(
    context: &Context<'_>,
    call: &Call<'_>,
    work: impl FnOnce(&Run<'_>, Journal) -> Result<T>,
) -> Result<T> {
    let settings = call.settings()?;
    let context = context.seeded(settings.seed);
    let source = Source::open(&context, &settings.data, &settings.columns)?;
    let table = |path: &str| Predictions::open(&source, Path::new(path));
    let models = Models::open(&context, &source, &settings.run, Some(call.run), table)?;
    let options = Options::new(&settings.run, Feedback::People);
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

impl<'a> Run<'a> {
    pub(super) fn texts(&self) -> &Outputs<'a> {
        &self.texts
    }

    pub(super) fn seed(&self) -> Seed {
        self.context.seed
    }

    pub(super) fn context(&self) -> &Context<'a> {
        self.context
    }

    pub(super) fn prepared(&self) -> &Prepared<'a> {
        &self.prepared
    }

    /// What the questions posed are called on sheets.
    pub(super) fn codes(&self, journal: &Journal) -> Result<Codes> {
        let ids = journal.posed().map(|posed| posed.question.duel.id.0);
        Ok(Codes::new(&signature(self.context, &self.prepared)?, ids))
    }

    /// Replays the journal and goes on for so many new questions, which are not logged yet.
    pub(super) fn play(
        &self,
        journal: Journal,
        new: usize,
    ) -> Result<(Journal, Played, Vec<Question>)> {
        let mut people = Batch::new(&self.texts, journal, new);
        let played = play(self.context, &self.prepared, &self.texts, &mut people)?;
        let (journal, drawn) = people.finish()?;
        Ok((journal, played, drawn))
    }

    /// How the run stands; also stored, for `report`.
    pub(super) fn status(
        &self,
        journal: &Journal,
        played: &Played,
        told: Option<Told>,
        sheet: Option<Written>,
    ) -> Result<Status> {
        let Played { trace, outlook, .. } = played;
        let (context, prepared) = (self.context, &self.prepared);
        let ranking = record(context, prepared, &self.texts, journal, played, self.folder)?;
        let name = |arm| self.prepared.source.system(arm).to_string();
        let groups = self.texts.identical(self.prepared.setup.arms());
        let questions = questions(journal);
        let conduct = ranking.campaign.expect("of a campaign");
        let leader = trace.winner().filter(|_| questions.answered > 0);
        Ok(Status {
            next: next::step(self.folder, questions, trace.stop, sheet.as_ref()),
            leader: leader.map(name),
            probability: outlook.probability.filter(|_| questions.answered > 0),
            verdict: report::claim_sentence(&ranking.claim),
            claim: ranking.claim,
            stopped: conduct.stopped,
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
            eliminated: conduct.eliminated,
            questions,
            model_answers: trace.model_answers,
            predictions: conduct.predictions,
            told,
            sheet,
        })
    }
}

/// Whether a campaign was begun in a folder.
pub fn is_campaign(folder: &Path) -> bool {
    folder.join(JOURNAL).is_file()
}

/// What a campaign says of all systems, by its own evidence. Nothing is written.
///
/// # Errors
/// Data that changed; those of the journal.
pub fn ranking(context: &Context<'_>, call: &Call<'_>) -> Result<Ranking> {
    with_run(context, call, |run, journal| {
        let (journal, played, _) = run.play(journal, 0)?;
        Ok(standing(
            run.context,
            &run.prepared,
            &run.texts,
            &journal,
            &played,
        ))
    })
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
