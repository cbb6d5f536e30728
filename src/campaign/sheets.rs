//! `ask` and `tell`: the loop by file. `ask` writes the next questions of a run as a sheet, `tell`
//! reads filled sheets back.

use super::answers::AnswerSheetReader;
use super::folder::{AnnotatorRoster, OpenCampaign, is_begun};
use super::forms::{Form, QuestionFile};
use super::kinds::{Campaign, CampaignStatus, Notices, is_final, replay};
use super::settings::name_of_sheet;
use super::sheet;
use super::standing_out;
use super::status::{ReceivedCounts, WrittenSheet};
use super::task::Protocol;
use super::texts::DatasetOutputs;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use tiebreak_base::duel::DuelId;
use tiebreak_base::error::{Error, Flag, Result};
use tiebreak_base::layout::path_argument;
use tiebreak_base::message;
use tiebreak_base::words::listed;
use tiebreak_data::records::outcomes::check_annotators;
use tiebreak_decide::evaluation::active::Stop;
use tiebreak_decide::feedback::PairQuestion;
use tiebreak_decide::feedback::dealing::{AnnotatorAssignment, People};
use tiebreak_stages::engine::context::Context;
use tiebreak_stages::engine::names::file_name;
use tiebreak_stages::inputs::source::campaign::JOURNAL;
use tiebreak_stages::journal::batch::BatchFeedback;
use tiebreak_stages::journal::{Assignment, Journal, PosedQuestion, Response, SheetRecord};

/// The options of `ask`.
pub struct SheetRequest<'a> {
    /// The number of new questions; by default 20, or half of a few; with `again` 0.
    pub n: Option<usize>,
    /// Whether the open questions are written again.
    pub again: bool,
    /// The sheet, or a folder of sheets, one for each annotator listed.
    pub out: &'a Path,
    /// The form of the file.
    pub form: Form,
    /// The task of a new run: a file, or the name of a task that comes with tiebreak.
    pub task: Option<&'a str>,
}

/// The options of `tell`.
pub struct SheetsReturned<'a> {
    /// Filled sheets.
    pub sheets: &'a [PathBuf],
    /// The annotator who filled them in, where they do not say so themselves.
    pub annotator: Option<&'a str>,
    /// Whether their answers are taken back: they have a wrong name, or are not what people answered.
    pub take_back: bool,
}

/// The default number of new questions on a sheet.
pub(super) const QUESTIONS: usize = 20;

impl SheetRequest<'_> {
    /// Writes the next questions of a run as a sheet, or as one for each of its annotators, beginning the run where
    /// there is none; returns the status afterwards. Of a run that is over nothing is asked, and no sheet is written.
    ///
    /// # Errors
    /// Settings, data or a task other than the campaign was begun with; those of the journal; a sheet that is already
    /// there.
    pub fn perform(
        &self,
        context: &Context<'_>,
        call: &OpenCampaign<'_>,
    ) -> Result<CampaignStatus> {
        let place = SheetDestination::choose(self, call);
        let place = place.map_err(|error| self.asked_already(call.run, error))?;
        // A sheet that cannot be written changes no list either. One that is out may be there in part.
        if let Some(AnnotatorRoster::List(names)) = &call.people
            && !self.is_out(call.run)
        {
            place.check(names)?;
        }
        let written = call.with_campaign(context, self.task, |campaign, journal| {
            write(campaign, journal, self, &place)
        });
        written.map_err(|error| self.asked_already(call.run, error))
    }

    /// Whether questions of the sheet are asked and open.
    fn is_out(&self, run: &Path) -> bool {
        let journal = run.join(JOURNAL);
        let name = || name_of_sheet(run, self.out);
        is_begun(run) && name().is_ok_and(|name| Journal::is_out(&journal, &name).unwrap_or(false))
    }

    /// Explains an error about a sheet that is there since the command was given before, and its questions are open.
    fn asked_already(&self, run: &Path, error: Error) -> Error {
        let is_of_sheet = matches!(&error, Error::Input { path, .. } if path.starts_with(self.out));
        if !is_of_sheet || !self.out.exists() || !self.is_out(run) {
            return error;
        }
        let what = "already there, and its questions are asked: no new ones are";
        Error::input(self.out, what).with_hint(format!(
            "once they are answered: tiebreak tell {} {}; for more questions choose another name",
            path_argument(run),
            path_argument(self.out)
        ))
    }
}

/// The number of questions on a sheet unless another is given. Of few questions the first sheet has half: those of the
/// first batch prove nothing, since nothing is known when they are asked.
fn usual_number(campaign: &Campaign<'_>, journal: &Journal) -> usize {
    let is_first = journal.posed().next().is_none();
    if !is_first || campaign.context().task.protocol != Protocol::Pairwise {
        return QUESTIONS;
    }
    let people = journal.list().len().max(1);
    QUESTIONS.min((people * campaign.question_count()).div_ceil(2))
}

fn write(
    campaign: &Campaign<'_>,
    mut journal: Journal,
    asking: &SheetRequest<'_>,
    place: &SheetDestination<'_>,
) -> Result<CampaignStatus> {
    let campaign_context = campaign.context();
    asking.form.fits(&campaign_context.task)?;
    if let (Form::Page, Some(untranslated)) = (
        asking.form,
        campaign_context.task.page_words().untranslated(),
    ) {
        campaign_context.context.progress.warn(&untranslated);
    }
    campaign_context.warn_unchecked();
    journal.settle(|_| true)?;
    let name = name_of_sheet(campaign_context.folder, asking.out)?;
    if asking.again && campaign_context.people() == People::Panel {
        check_one_is_open(&journal)?;
    }
    let lost = place.lost(&journal, &name);
    if lost.is_none() {
        place.check(journal.list())?;
    }
    let usual = match asking.again {
        true => 0,
        false => usual_number(campaign, &journal),
    };
    let new = asking.n.unwrap_or(usual);
    let new = if lost.is_some() { 0 } else { new };
    let people = RefCell::new(BatchFeedback::new(
        &campaign_context.texts,
        journal,
        campaign_context.ask_policy,
        new,
    ));
    let mut run = campaign.begin_run(&people)?;
    let stop = run.advance()?;
    people.borrow().journal().replayed()?;
    let passed = match new > 0 && !is_final(stop) {
        true => people.borrow_mut().reassign_skipped()?,
        false => Vec::new(),
    };
    let wanted = match &lost {
        Some(sheet) => ReissueSelection::Of(sheet),
        None if asking.again && !is_final(stop) => ReissueSelection::all(&people.borrow()),
        None if asking.again => ReissueSelection::TakenBack,
        None => ReissueSelection::These(&passed),
    };
    let (questions, again) = wanted.with_new(&people.borrow());
    let stop = stop.unwrap_or(Stop::Ended);
    if questions.is_empty() {
        return run.status(stop, Notices::default());
    }
    if lost.is_none() {
        // Questions are on disk before they are shown, with their sheet: the same command writes it again.
        let ids: BTreeSet<u64> = questions.iter().map(|(put, _)| put.id.0).collect();
        let questions = ids.into_iter().collect();
        people.borrow_mut().pose_on(Some(SheetRecord {
            name,
            questions,
            form: asking.form.name().map(str::to_string),
        }))?;
    }
    let written = WrittenSheet {
        path: asking.out.to_path_buf(),
        questions: questions.len() as u64,
        again,
        wanted: new as u64,
        form: asking.form,
    };
    let codes = campaign_context.codes(people.borrow().journal());
    // Files beside the journal come first: the questions of an existing sheet are not asked for again.
    let notices = Notices {
        sheet: Some(written),
        ..Notices::default()
    };
    let status = run.status(stop, notices)?;
    let batch = people.borrow();
    for (path, questions) in place.sheets(questions, batch.dealing()) {
        // Some sheets of a folder may have been written.
        if lost.is_some() && path.exists() {
            continue;
        }
        let blank = QuestionFile::new(&path, asking.form)?;
        sheet::write(&blank, campaign_context, questions, batch.dealing(), &codes)?;
    }
    Ok(status)
}

/// Checks that the open questions of a panel are those of one sheet: each sheet is one annotator's.
fn check_one_is_open(journal: &Journal) -> Result<()> {
    let sheets = journal.sheets().iter();
    let open = sheets.filter(|sheet| has_open(journal, sheet));
    let named = |sheet: &SheetRecord| match Path::new(&sheet.name).file_name() {
        Some(file) => file.to_string_lossy().into_owned(),
        None => sheet.name.clone(),
    };
    let names: Vec<String> = open.map(named).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    if names.len() < 2 {
        return Ok(());
    }
    let what = format!(
        "the open questions are on several sheets, each of one annotator: {}",
        listed(&names)
    );
    Err(Error::usage(what).with_hint(message!(
        "to write one of them again, remove its file and name it: {} {}",
        Flag("out"),
        names[0]
    )))
}

/// Whether a question of a sheet is open.
fn has_open(journal: &Journal, sheet: &SheetRecord) -> bool {
    let mut ids = sheet.questions.iter();
    ids.any(|id| {
        journal
            .question(DuelId(*id))
            .is_some_and(PosedQuestion::is_open)
    })
}

/// The open questions that are written again.
enum ReissueSelection<'a> {
    All,
    /// The skipped questions, which can still be answered.
    Skipped,
    /// Questions whose answers had counted.
    TakenBack,
    /// Skipped questions, which go to other annotators.
    These(&'a [Assignment]),
    /// The questions of a sheet that was not written, or is lost.
    Of(&'a SheetRecord),
}

impl ReissueSelection<'_> {
    /// All open questions; where there are none, the skipped ones. Sheets of a panel are each one annotator's.
    fn all(batch: &BatchFeedback<&DatasetOutputs<'_>>) -> Self {
        let dealing = batch.dealing();
        let has_open = open_puts(batch.journal(), dealing).next().is_some();
        match has_open || dealing.people() == People::Panel {
            true => Self::All,
            false => Self::Skipped,
        }
    }

    /// Returns these questions followed by all new ones, and the number of the former.
    fn with_new(
        &self,
        batch: &BatchFeedback<&DatasetOutputs<'_>>,
    ) -> (Vec<(Assignment, PairQuestion)>, u64) {
        let is_wanted = |(put, _): &(Assignment, PairQuestion)| match self {
            Self::All => true,
            // A second opinion is no evidence.
            Self::Skipped => put.second.is_none(),
            Self::TakenBack => batch.journal().is_disowned(*put),
            Self::These(puts) => puts.contains(put),
            Self::Of(sheet) => sheet.questions.contains(&put.id.0),
        };
        let is_left: fn(Option<&Response>) -> bool = match self {
            Self::Skipped => |given| given.is_some_and(|given| !given.is_answer()),
            _ => |given| given.is_none(),
        };
        let left = listed_puts(batch.journal(), batch.dealing(), is_left);
        let mut questions: Vec<(Assignment, PairQuestion)> = left.filter(is_wanted).collect();
        let again = questions.len() as u64;
        let new = batch.drawn().iter();
        questions.extend(new.flat_map(|dealt| dealt.puts().map(|put| (put, dealt.question))));
        (questions, again)
    }
}

/// The destination of questions.
enum SheetDestination<'a> {
    /// One file, which names the annotators.
    File(&'a Path),
    /// A file for each annotator.
    Folder(&'a Path, Form),
}

impl<'a> SheetDestination<'a> {
    /// Returns the destination: without the extension of a sheet a folder, which needs listed annotators.
    fn choose(asking: &SheetRequest<'a>, call: &OpenCampaign<'_>) -> Result<Self> {
        let (out, form) = (asking.out, asking.form);
        if out.extension().is_some() || !call.is_listed()? {
            return QuestionFile::new(out, form).map(|_| Self::File(out));
        }
        Ok(Self::Folder(out, form))
    }

    /// Checks, before any question is asked, that no sheet is there yet.
    fn check(&self, annotators: &[String]) -> Result<()> {
        match self {
            Self::File(_) => Ok(()),
            Self::Folder(folder, form) => annotators.iter().try_for_each(|name| {
                QuestionFile::new(&of_annotator(folder, name, *form), *form).map(drop)
            }),
        }
    }

    /// Returns what was logged for a missing sheet: the command died before it was written, or it was lost.
    /// Once all of it is answered the name is free again.
    fn lost(&self, journal: &Journal, name: &str) -> Option<SheetRecord> {
        let mut logged = journal.sheets().iter().rev();
        let logged = logged.find(|sheet| sheet.name == name)?;
        let gone = match self {
            Self::File(path) => !path.exists(),
            Self::Folder(folder, form) => {
                let posed = logged.questions.iter();
                let posed = posed.filter_map(|id| journal.question(DuelId(*id)));
                let open = posed
                    .flat_map(PosedQuestion::puts)
                    .filter(|(_, given)| given.is_none());
                let people: BTreeSet<u32> = open.map(|(put, _)| journal.person(put)).collect();
                // Whoever got no question has no sheet.
                let mut names = people
                    .into_iter()
                    .filter_map(|person| journal.everybody().get(person as usize))
                    .filter(|name| journal.list().contains(name));
                names.any(|name| !of_annotator(folder, name, *form).exists())
            }
        };
        let lost = gone && has_open(journal, logged);
        lost.then(|| logged.clone())
    }

    /// The questions of each sheet.
    fn sheets(
        &self,
        questions: Vec<(Assignment, PairQuestion)>,
        dealing: &AnnotatorAssignment,
    ) -> Vec<SheetQuestions> {
        let (folder, form) = match self {
            Self::File(path) => return vec![(path.to_path_buf(), questions)],
            Self::Folder(folder, form) => (folder, *form),
        };
        let mut sheets: BTreeMap<u32, Vec<(Assignment, PairQuestion)>> = BTreeMap::new();
        for (put, question) in questions {
            let person = put.second.unwrap_or(question.sample.person);
            sheets.entry(person).or_default().push((put, question));
        }
        let named = |(person, questions)| {
            let name = dealing.name(person).unwrap_or_default();
            (of_annotator(folder, name, form), questions)
        };
        sheets.into_iter().map(named).collect()
    }
}

/// A sheet with its questions.
type SheetQuestions = (PathBuf, Vec<(Assignment, PairQuestion)>);

/// The open questions of annotators who are still listed.
pub(super) fn open_puts<'a>(
    journal: &'a Journal,
    dealing: &'a AnnotatorAssignment,
) -> impl Iterator<Item = (Assignment, PairQuestion)> + 'a {
    listed_puts(journal, dealing, |given| given.is_none())
}

/// The questions of annotators who are still listed, by what came back.
fn listed_puts<'a>(
    journal: &'a Journal,
    dealing: &'a AnnotatorAssignment,
    is_wanted: fn(Option<&Response>) -> bool,
) -> impl Iterator<Item = (Assignment, PairQuestion)> + 'a {
    let all = journal.posed();
    let all = all.flat_map(|posed| {
        posed
            .puts()
            .map(|(put, given)| (put, posed.question, given))
    });
    let wanted = all.filter(move |(put, question, given)| {
        let person = put.second.unwrap_or(question.sample.person);
        is_wanted(*given) && dealing.is_listed(person)
    });
    wanted.map(|(put, question, _)| (put, question))
}

/// The path of an annotator's sheet.
fn of_annotator(folder: &Path, name: &str, form: Form) -> PathBuf {
    folder.join(format!("{}.{}", file_name(name), form.extension()))
}

impl SheetsReturned<'_> {
    /// Reads filled sheets of a run back, all of them or, where anything is wrong, nothing; returns the status
    /// afterwards.
    ///
    /// # Errors
    /// Data or a task other than the campaign was begun with; those of the journal; mistakes on the sheets, and a run
    /// that was not begun.
    pub fn perform(
        &self,
        context: &Context<'_>,
        call: &OpenCampaign<'_>,
    ) -> Result<CampaignStatus> {
        check_annotators(self.annotator, Error::usage)?;
        check_begun(call)?;
        call.with_campaign(context, None, |campaign, journal| {
            read(campaign, journal, self)
        })
    }
}

fn check_begun(call: &OpenCampaign<'_>) -> Result<()> {
    if is_begun(call.run) {
        return Ok(());
    }
    call.check_places()?;
    let begin = format!(
        "to begin one: tiebreak ask {} DATA --out questions.csv",
        path_argument(call.run)
    );
    Err(Error::input(call.run, "there is no campaign here").with_hint(begin))
}

/// Takes the answers of sheets; returns the status of the campaign afterwards.
fn read(
    campaign: &Campaign<'_>,
    mut journal: Journal,
    telling: &SheetsReturned<'_>,
) -> Result<CampaignStatus> {
    let campaign_context = campaign.context();
    // All that these sheets add, or nothing.
    journal.gather();
    journal.settle(|_| true)?;
    let reader = AnswerSheetReader {
        annotator: telling.annotator,
        takes_back: telling.take_back,
        codes: &campaign_context.codes(&journal),
        names: RefCell::new(names(&journal)),
        journal: &journal,
        campaign_context,
    };
    let mut answers = reader.read(telling.sheets)?;
    if telling.take_back {
        if answers.known.is_empty() {
            let what = "the campaign has no answers of these sheets, so nothing can be taken back";
            return Err(Error::usage(what));
        }
        journal.disown(&answers.known)?;
        let taken_back = answers.known.len() as u64;
        answers.told = ReceivedCounts {
            taken_back,
            ..ReceivedCounts::default()
        };
    }
    let ids: Vec<DuelId> = answers.dealt().collect();
    journal.answer(&answers.new, false)?;
    for (annotator, puts) in &answers.named {
        journal.name(puts, annotator)?;
    }
    journal.sync()?;
    let stored = replay(campaign, journal, |run, stop, people| {
        let found = {
            let batch = people.borrow();
            answers.told.others = others(batch.journal(), batch.dealing(), &ids);
            answers.told.is_of_panel = campaign_context.people() == People::Panel;
            standing_out::store(
                campaign_context.context,
                campaign_context.folder,
                batch.journal(),
            )?
        };
        let notices = Notices {
            told: Some(answers.told),
            found,
            ..Notices::default()
        };
        run.status(stop, notices)
    });
    if let Err(Error::Write { .. }) = stored {
        let what = "the answers are stored, but the results are not: run the command again";
        campaign_context.context.progress.warn(what);
    }
    stored
}

/// The names of all listed annotators and of all who answered.
pub(super) fn names(journal: &Journal) -> Vec<String> {
    let given = journal.posed().flat_map(PosedQuestion::puts);
    let others: BTreeSet<&str> = given
        .filter_map(|(_, given)| given?.annotator.as_deref())
        .collect();
    let listed = journal.list().iter().map(String::as_str);
    listed.chain(others).map(str::to_string).collect()
}

/// The number of these answers that do not count as those of the annotator to whom the question was dealt.
fn others(journal: &Journal, dealing: &AnnotatorAssignment, ids: &[DuelId]) -> u64 {
    let other = |posed: &&PosedQuestion| {
        let person = posed.question.sample.person;
        let given = posed.given.as_ref();
        given.is_some_and(|given| !dealing.is_theirs(person, given.annotator.as_deref()))
    };
    let posed = ids.iter().filter_map(|&id| journal.question(id));
    posed.filter(other).count() as u64
}
