//! A run's folder: opened by its name alone, played as far as its journal goes, and said how it
//! stands.

use super::settings::Settings;
use super::standing::answered;
use super::status::{Probability, Questions, Rival, Status, Told, Written};
use super::texts::Outputs;
use super::{
    Models, Options, Played, begin, is_open, next, notice::Begun, play, record, signature, standing,
};
use crate::duel::{Arm, Chances};
use crate::engine::context::Context;
use crate::error::{Error, Result};
use crate::feedback::batch::{Batch, Way};
use crate::feedback::dealing::{Dealing, People};
use crate::feedback::journal::{Dealt, Journal, Posed};
use crate::feedback::overlap::Overlap;
use crate::inputs::source::campaign::JOURNAL;
use crate::inputs::source::{Predictions, Source};
use crate::records::Dataset;
use crate::report;
use crate::rng::Seed;
use crate::sheets::Codes;
use crate::stages::simulate::Choices;
use crate::stages::simulate::prepare::{Prepared, prepare};
use crate::tables::ranking::Ranking;
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
    /// Who is asked, where that is said: for a new run; of a run with a list, a list in its place.
    pub people: Option<Named>,
    /// Which questions several people answer, where that is said: from here on.
    pub overlap: Option<Overlap>,
    /// Puts other settings that are given in the place of those the run was begun with.
    pub change: &'a dyn Fn(&mut Choices) -> Result<()>,
}

/// Who is asked, by name where they are listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Named {
    /// People listed before the first question; of one it is her campaign.
    List(Vec<String>),
    /// People at large, each newly drawn: a sheet a person.
    Panel,
}

impl Named {
    fn people(&self) -> People {
        match self {
            Self::List(names) if names.len() > 1 => People::Listed,
            Self::List(_) => People::One,
            Self::Panel => People::Panel,
        }
    }

    /// # Errors
    /// [`Error::Usage`] for a list without anybody, or with somebody twice.
    fn check(&self) -> Result<()> {
        let Self::List(names) = self else {
            return Ok(());
        };
        let twice = (1..names.len()).find(|&place| names[..place].contains(&names[place]));
        match twice {
            Some(place) => Err(Error::usage(format!(
                "annotator `{}` is listed twice",
                names[place]
            ))),
            None if names.is_empty() => Err(Error::usage("a list of annotators without a name")),
            None => Ok(()),
        }
    }
}

impl Call<'_> {
    /// What the run was or is to be begun with, changed as the call says.
    fn settings(&self) -> Result<Settings> {
        self.check_places()?;
        let named = self.people.as_ref();
        named.map_or(Ok(()), Named::check)?;
        let mut settings = match (Settings::read(self.run)?, self.data) {
            (Some(settings), _) => {
                self.same_people(settings.people)?;
                settings
            }
            (None, Some(data)) => Settings {
                people: named.map_or(People::One, Named::people),
                ..Settings::new(data, Seed::default())
            },
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
            return Err(Error::missing(&settings.data).with_hint(moved));
        }
        if !self.columns.is_empty() {
            settings.columns = self.columns.to_vec();
        }
        settings.seed = self.seed.unwrap_or(settings.seed);
        settings.overlap = self.overlap.or(settings.overlap);
        if settings.overlap.is_some() && settings.people != People::Listed {
            let what = "several answers to a question, and nobody is listed to give them";
            return Err(Error::usage(what).with_hint("name people: --annotators ana,ben"));
        }
        (self.change)(&mut settings.run)?;
        Ok(settings)
    }

    /// The run comes first, then the data set.
    ///
    /// # Errors
    /// [`Error::Usage`] where the run is a file or a data set, with the order that is meant.
    pub(super) fn check_places(&self) -> Result<()> {
        let run = self.run.display();
        if self.run.is_file() {
            let what = format!("{run}: is a file, expected the folder of a run");
            return Err(Error::usage(what).with_hint("the folder of the run comes first"));
        }
        if is_campaign(self.run) || Dataset::open(self.run, &[]).is_err() {
            return Ok(());
        }
        let what = format!("{run}: is a data set, expected the folder of a run");
        Err(Error::usage(what).with_hint(match self.data {
            Some(data) => format!("the run comes first: tiebreak ask {} {run}", data.display()),
            None => format!("name a folder for the run before it: tiebreak ask RUN {run}"),
        }))
    }

    /// Whether annotators are listed, or were when the run was begun.
    ///
    /// # Errors
    /// If the run's settings cannot be read.
    pub(super) fn is_listed(&self) -> Result<bool> {
        let begun = Settings::read(self.run)?.map(|settings| settings.people);
        let people = begun.or_else(|| self.people.as_ref().map(Named::people));
        Ok(people == Some(People::Listed))
    }

    /// # Errors
    /// [`Error::Usage`] where a run that was begun for some people is called for others of another kind:
    /// its evidence could not speak of them.
    fn same_people(&self, begun: People) -> Result<()> {
        match &self.people {
            Some(named) if named.people() != begun => {
                let who = |people| match people {
                    People::One => "one annotator",
                    People::Listed => "listed annotators",
                    People::Panel => "a panel",
                };
                let (was, now) = (who(begun), who(named.people()));
                let what = format!("the campaign was begun for {was}, not for {now}");
                Err(Error::usage(what).with_hint("begin another campaign in a folder of its own"))
            }
            _ => Ok(()),
        }
    }

    /// Logs the annotators that are listed, where they are other than before.
    fn list(&self, journal: &mut Journal) -> Result<()> {
        match &self.people {
            Some(named @ Named::List(names))
                if named.people() == People::Listed && journal.list() != names.as_slice() =>
            {
                journal.relist(names)
            }
            _ => Ok(()),
        }
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
    let table = |path: &str| Predictions::open(&context, &source, Path::new(path));
    let models = Models::open(&context, &source, &settings.run, Some(call.run), table)?;
    let options = Options::campaign(&settings.run, settings.people);
    models.keeping(|| {
        let prepared = prepare(&context, &source, &models, &options)?;
        let run = Run {
            texts: Outputs::read(&prepared)?,
            folder: call.run,
            prepared,
            context: &context,
            way: Way {
                people: settings.people,
                overlap: settings.overlap,
                seed: settings.seed,
            },
        };
        let mut journal = begin(&context, &run.prepared, &settings, call.run)?;
        if journal.torn() > 0 {
            let (kept, answered) = (journal.posed().count(), answered(&journal));
            context.progress.warn(&format!(
                "the journal ended in the middle of a line of {} bytes, which never took effect and is gone; \
                 {kept} questions and {answered} answers before it are kept",
                journal.torn()
            ));
        }
        call.list(&mut journal)?;
        work(&run, journal)
    })
}

/// An open run.
pub(super) struct Run<'a> {
    folder: &'a Path,
    context: &'a Context<'a>,
    prepared: Prepared<'a>,
    texts: Outputs<'a>,
    way: Way,
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

    /// Who is asked.
    pub(super) fn people(&self) -> People {
        self.way.people
    }

    /// How questions are put to them.
    pub(super) fn way(&self) -> Way {
        self.way
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
    ) -> Result<(Journal, Played, Vec<Dealt>)> {
        let mut people = Batch::new(&self.texts, journal, self.way, new);
        let played = play(self.context, &self.prepared, &self.texts, &mut people)?;
        let (journal, dealing, drawn) = people.finish()?;
        Ok((journal, Played { dealing, ..played }, drawn))
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
        let name = |arm: Arm| self.prepared.source.system(arm).to_string();
        let groups = self.texts.identical(self.prepared.setup.arms());
        let questions = questions(journal, &played.dealing);
        let conduct = ranking.campaign.expect("of a campaign");
        // What nobody has answered is not known, whatever predictions or models say.
        let heard = questions.answered > 0;
        let chances = outlook.chances.as_ref().filter(|_| heard);
        let leader = trace.winner().filter(|_| heard);
        Ok(Status {
            next: next::step(self.folder, questions, trace.stop, sheet.as_ref()),
            leader: leader.map(name),
            probabilities: chances.map_or_else(Vec::new, |chances| probabilities(chances, name)),
            no_winner: chances.map(|chances| chances.none),
            answers: chances.map_or(0, |chances| chances.answers),
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
            annotators: played
                .dealing
                .list()
                .into_iter()
                .map(str::to_string)
                .collect(),
            agreement: None,
            findings: Vec::new(),
            notice: Begun {
                dealing: &played.dealing,
                systems: prepared.setup.arms().len(),
                predicted: prepared.models.number() > 0,
                answered: questions.answered,
                open: questions.open,
            }
            .notice(),
            questions,
            model_answers: trace.model_answers,
            predictions: conduct.predictions,
            told,
            sheet,
        })
    }
}

fn probabilities(chances: &Chances, name: impl Fn(Arm) -> String) -> Vec<Probability> {
    let one = |(group, probability): &(Vec<Arm>, f64)| {
        let mut names = group.iter().map(|&arm| name(arm));
        Probability {
            system: names.next().expect("a group has a system"),
            identical: names.collect(),
            probability: *probability,
        }
    };
    chances.best.iter().map(one).collect()
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

/// Questions of people who are not listed any more are lost.
fn questions(journal: &Journal, dealing: &Dealing) -> Questions {
    let count = |what: fn(&Posed) -> bool| journal.posed().filter(|posed| what(posed)).count();
    let (asked, answered) = (count(|_| true), count(Posed::is_settled));
    let open = journal
        .posed()
        .filter(|posed| is_open(posed, dealing))
        .count();
    let seconds = || journal.posed().flat_map(|posed| &posed.seconds);
    let second = seconds().filter(|one| {
        one.given
            .as_ref()
            .is_some_and(|given| given.outcome.is_some())
    });
    Questions {
        asked: asked as u64,
        answered: answered as u64,
        skipped: (asked - answered - count(Posed::is_open)) as u64,
        open: open as u64,
        second: second.count() as u64,
        second_open: seconds()
            .filter(|one| one.given.is_none() && dealing.is_listed(one.person))
            .count() as u64,
    }
}
