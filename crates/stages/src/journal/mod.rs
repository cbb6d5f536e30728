//! The log of a live run: what was asked and what was answered, each on disk before the next.
//!
//! Questions are written and synced before anybody sees them, answers before the next question is
//! drawn. Bandits are deterministic, so replaying the log through a fresh one *is* the state of the
//! run, and no algorithm needs to be stored. A run killed at any moment continues where it stood: a
//! last line torn by the kill is dropped, and a question without an answer is shown again, never
//! redrawn. A line that was changed, or that is missing, is noticed (`chain`).
//!
//! The file is JSON lines: a header with the run's signature, then questions, the sheets they went out on, and
//! answers in the order in which they were posed and came in. A person at the terminal ([`JournalledFeedback`]) and
//! people with a sheet (`batch`) keep the same journal, so a run may change between the two.
//!
//! An answer that is *held* may be taken back until the same annotator gives the next one, or until it is declared
//! final. Until then it is no evidence: what was asked after it was drawn without it, so that taking it back
//! changes nothing that happened.

use chain::Chain;
use file::JournalFile;
use lines::{CheckReference, JournalEntry, JournalHeader};
use past::JournalState;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tiebreak_base::duel::DuelId;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::secret::token;
use tiebreak_base::signature::Signature;
use tiebreak_decide::feedback::dealing::is_same_person;

pub mod batch;
mod chain;
mod erasure;
mod file;
mod journalled;
mod limits;
mod lines;
mod locked;
mod opinions;
mod past;
mod plan;
mod posed;
mod pseudonyms;
mod race;
mod replay;

pub use erasure::{ErasedTexts, PersonalAnswer, SOMEBODY, mentions, mentions_in_path};
pub use journalled::JournalledFeedback;
pub use limits::LimitGrowth;
pub use limits::RunLimits;
pub use lines::{CheckResult, SheetRecord};
pub(crate) use locked::LockedFile;
pub use plan::{PlannedOutput, RatingPlan, RatingScale};
use posed::PosedQuestions;
pub(crate) use posed::SecondOpinion;
pub use posed::{
    Assignment, DealtQuestion, OutputRating, PosedQuestion, Response, TaskId, swapped,
};
pub use pseudonyms::is_pseudonym;
pub use race::RaceBatch;
pub use race::{RaceJournal, RaceSetup};

/// Reads a journal that may still grow: its state, and its whole lines.
fn read_growing(
    path: &Path,
    check: impl Fn(&JournalHeader) -> Result<()>,
) -> Result<(JournalState, Vec<u8>)> {
    // Read first: what is written meanwhile only makes the journal longer.
    let kept = Chain::kept(path)?;
    let mut text = std::fs::read(path).map_err(Error::reading(path))?;
    text.truncate(whole_lines(&text));
    let past = JournalState::read(path, &text, kept.as_ref(), check)?;
    Ok((past, text))
}

/// Whether another process has the journal at `path` open, as a server has.
pub fn is_in_use(path: &Path) -> bool {
    std::fs::File::open(path).is_ok_and(|file| LockedFile::new(file, path).is_err())
}

/// The number of bytes of a journal that are whole lines.
fn whole_lines(text: &[u8]) -> usize {
    let end = text.iter().rposition(|&byte| byte == b'\n');
    end.map_or(0, |end| end + 1)
}

/// The contents of a journal.
#[derive(Debug)]
pub(crate) struct JournalContents {
    /// Every question, in the order asked.
    pub posed: Vec<PosedQuestion>,
    /// The answers that cannot be taken back any more, skips among them, as they came in.
    pub came: Vec<Assignment>,
    /// The questions whose answers can still be taken back.
    pub held: Vec<Assignment>,
    /// Everybody who was ever listed, by place.
    pub people: Vec<String>,
    /// The plan of what is rated, where something is.
    pub plan: Option<RatingPlan>,
    /// The annotators listed last.
    pub list: Vec<String>,
    /// The tasks with known answers that each person has done.
    pub checked: BTreeMap<u32, Vec<CheckResult>>,
}

/// An open journal. The file is locked while it is open.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: JournalFile,
    past: JournalState,
    /// The number of steps of the past that were replayed.
    replayed: usize,
    /// Bytes of a last line that was torn.
    torn: usize,
    /// Lines that wait to be written together, where they do.
    waiting: Option<String>,
}

impl Journal {
    /// Opens the journal at `path`, or begins it where there is none.
    ///
    /// # Errors
    /// [`Error::Changed`] if it was begun under another signature, [`Error::Record`] with the line
    /// if it is damaged elsewhere than at its end, [`Error::Input`] if another process has it open, or if it is
    /// shorter than it was.
    pub fn open(path: &Path, signature: &Signature) -> Result<Self> {
        let mut file = JournalFile::open(path)?;
        let (text, torn) = file.whole_lines()?;
        let kept = Chain::kept(path)?;
        let check = |header: &JournalHeader| header.check(path, signature);
        let past = JournalState::read(path, &text, kept.as_ref(), check)?;
        file.adopt(&past.chain, text.len())?;
        let mut journal = Self {
            path: path.to_path_buf(),
            file,
            past,
            replayed: 0,
            torn,
            waiting: None,
        };
        if text.is_empty() {
            journal.append(&mut JournalEntry::header(signature))?;
            journal.past.begun = signature.clone();
        }
        Ok(journal)
    }

    /// Reads a journal that may still grow. `texts` are the digests of what is asked about, by their names in it.
    ///
    /// # Errors
    /// As [`open`](Self::open), for these digests in the place of a signature.
    pub(crate) fn look(path: &Path, texts: &[(&str, String)]) -> Result<JournalContents> {
        let (past, _) = read_growing(path, |header| header.require(path, texts))?;
        Ok(JournalContents {
            came: past.came().collect(),
            held: past.held_questions().collect(),
            people: past.names,
            posed: past.posed.into_all(),
            plan: past.plan,
            list: past.list,
            checked: past.checked,
        })
    }

    /// Reads when the first and the last answer came that note their time, in seconds since 1970; `None` where none does.
    ///
    /// # Errors
    /// As [`open`](Self::open), whatever it was begun under.
    pub fn answered_between(path: &Path) -> Result<Option<(u64, u64)>> {
        let (past, _) = read_growing(path, |_| Ok(()))?;
        let posed = past.posed.all().iter();
        let given = posed.filter_map(|posed| posed.given.as_ref());
        let times = given
            .filter(|given| given.is_answer())
            .filter_map(|given| given.at);
        Ok(times.clone().min().zip(times.max()))
    }

    /// Whether questions of the sheet of this name are still to be answered.
    ///
    /// # Errors
    /// As [`open`](Self::open), whatever it was begun under.
    pub fn is_out(path: &Path, sheet: &str) -> Result<bool> {
        let (past, _) = read_growing(path, |_| Ok(()))?;
        let mut sheets = past.sheets.iter().filter(|one| one.name == sheet);
        let is_open = |id: &u64| {
            past.posed
                .get(DuelId(*id))
                .is_some_and(PosedQuestion::is_open)
        };
        Ok(sheets.any(|one| one.questions.iter().any(is_open)))
    }

    /// Logs a line, and adds it to the state.
    fn log(&mut self, mut line: JournalEntry) -> Result<()> {
        self.past.allows(&line).map_err(Error::failed)?;
        self.append(&mut line)?;
        self.past.take(line).map_err(Error::failed)
    }

    fn append(&mut self, line: &mut JournalEntry) -> Result<()> {
        let mut chain = self.past.chain.clone();
        let covered = match line.is_private() {
            true => Some(self.past.keys.cover(line, token)?),
            false => None,
        };
        let text = match &covered {
            Some(covered) => covered.link(line, &mut chain)?,
            None => chain.link(&serde_json::to_string(line).map_err(Error::failed)?),
        } + "\n";
        match &mut self.waiting {
            Some(waiting) => waiting.push_str(&text),
            None => self.file.append(&text, &chain)?,
        }
        self.past.chain = chain;
        if let Some(covered) = covered {
            self.past.keys.learn(covered);
        }
        Ok(())
    }

    /// Holds lines back from here on until [`sync`](Self::sync) writes them together: until then none of
    /// them may be shown to anybody.
    pub fn gather(&mut self) {
        self.waiting.get_or_insert_default();
    }

    /// Writes the lines held back: all of them or, if that fails, none.
    ///
    /// # Errors
    /// If they cannot be written. They are still held back then, until [`roll_back`](Self::roll_back) drops them.
    pub fn sync(&mut self) -> Result<()> {
        let Some(text) = self.waiting.as_mut().filter(|text| !text.is_empty()) else {
            return Ok(());
        };
        self.file.append(text, &self.past.chain)?;
        text.clear();
        Ok(())
    }

    /// Drops the lines held back. The journal is what it is on disk again, and is to be replayed from its beginning.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn roll_back(&mut self) -> Result<()> {
        let (text, chain) = self.file.lines()?;
        self.past = JournalState::read(&self.path, &text, Some(&chain), |_| Ok(()))?;
        self.replayed = 0;
        self.waiting = self.waiting.as_ref().map(|_| String::new());
        Ok(())
    }

    /// Checks that lines can be written.
    ///
    /// # Errors
    /// If they cannot.
    pub fn check_space(&mut self) -> Result<()> {
        self.file.check_space()
    }

    /// Lets other processes use the journal until it is [taken again](Self::retake).
    ///
    /// # Errors
    /// If its file cannot be unlocked.
    pub fn release(&self) -> Result<()> {
        self.file.release()
    }

    /// Takes the journal again; returns whether it is as it was: else it must be opened anew.
    ///
    /// # Errors
    /// [`Error::Input`] if another process has it.
    pub fn retake(&self) -> Result<bool> {
        self.file.retake()
    }

    pub(super) fn past(&self) -> &impl std::fmt::Debug {
        &self.past
    }

    /// The bytes of a torn last line that were dropped when the journal was opened.
    pub fn torn(&self) -> usize {
        self.torn
    }

    /// The number of lines: what was derived from the journal holds until there are more.
    pub fn lines(&self) -> u64 {
        self.past.chain.lines
    }

    /// The answers that cannot be taken back any more, skips among them, as they came in.
    pub fn came(&self) -> impl Iterator<Item = Assignment> + '_ {
        self.past.came()
    }

    /// The number of answers that cannot be taken back any more, skips among them.
    pub fn arrived(&self) -> usize {
        self.past.arrived
    }

    /// The sheets on which questions went out, in that order.
    pub fn sheets(&self) -> &[SheetRecord] {
        &self.past.sheets
    }

    /// The plan of what is rated, where something is.
    pub fn plan(&self) -> Option<&RatingPlan> {
        self.past.plan.as_ref()
    }

    /// Logs the plan of what is rated, before the first question.
    ///
    /// # Errors
    /// If it cannot be written, or there is a plan or a question already.
    pub fn lay_out(&mut self, plan: RatingPlan) -> Result<()> {
        self.log(JournalEntry::Plan(plan))
    }

    /// The signature that it was begun under, with the limits of that time.
    pub fn signature(&self) -> &Signature {
        &self.past.begun
    }

    /// The limits of the run when it began; `None` where it has none.
    pub fn begun_limits(&self) -> Option<RunLimits> {
        RunLimits::of(self.past.begun.fields())
    }

    /// The limits of the run now; `None` where it has none.
    pub fn limits(&self) -> Option<RunLimits> {
        self.past.limits()
    }

    /// The growth of the limits, oldest first.
    pub fn growth(&self) -> &[LimitGrowth] {
        &self.past.growth
    }

    /// Logs larger limits, which hold from here on.
    ///
    /// # Errors
    /// If one of them is smaller than before, or it cannot be written.
    pub fn grow(&mut self, limits: RunLimits) -> Result<()> {
        self.log(JournalEntry::Limits(limits))
    }

    /// The numbers of questions after which what annotators are asked was changed.
    pub fn task_changes(&self) -> impl Iterator<Item = u64> {
        self.past.tasks.iter().map(|(asked, _)| *asked)
    }

    /// Logs the digest of what annotators are asked, where it is not the last one; `begun` is that of the first question.
    /// Returns whether it was logged.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn note_task(&mut self, begun: Option<&str>, now: Option<&str>) -> Result<bool> {
        let tasks = &self.past.tasks;
        let last = tasks.last().map_or(begun, |(_, digest)| digest.as_deref());
        let is_new = last != now;
        if is_new {
            self.log(JournalEntry::Task(now.map(str::to_string)))?;
        }
        Ok(is_new)
    }

    /// Everybody who was ever listed, by place.
    pub fn everybody(&self) -> &[String] {
        &self.past.names
    }

    /// The people listed last.
    pub fn list(&self) -> &[String] {
        &self.past.list
    }

    /// A name as it was spelled when its person was first listed.
    pub fn spelled(&self, name: &str) -> String {
        let mut names = self.past.names.iter();
        let known = names.find(|known| is_same_person(known, name));
        known.map_or(name, String::as_str).to_string()
    }

    /// Logs who is asked from here on.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn relist(&mut self, list: &[String]) -> Result<()> {
        self.log(JournalEntry::People(list.to_vec()))
    }

    /// Every question posed, in the order asked.
    pub fn posed(&self) -> impl Iterator<Item = &PosedQuestion> {
        self.past.posed.all().iter()
    }

    /// The number of questions that were posed before the last list of people.
    pub fn asked_earlier(&self) -> usize {
        self.past.earlier
    }

    /// The questions that were posed to the people listed last: only these are evidence.
    pub fn posed_to_list(&self) -> impl Iterator<Item = &PosedQuestion> {
        self.posed().skip(self.past.earlier)
    }

    /// The number of open questions of all annotators, of those who are not listed any more too; second opinions among
    /// them.
    pub fn open_count(&self) -> usize {
        self.past.open.values().map(BTreeMap::len).sum()
    }

    /// The posed question of this id.
    pub fn question(&self, id: DuelId) -> Option<&PosedQuestion> {
        self.past.posed.get(id)
    }

    /// The response to a question as it was put to one annotator; `None` where it was not, or nothing came back.
    pub fn response(&self, put: Assignment) -> Option<&Response> {
        self.past.response(put)?.as_ref()
    }

    /// Whether a question, as it was put to one annotator, came back as skipped before its answer.
    pub fn was_skipped(&self, put: Assignment) -> bool {
        self.came().filter(|one| *one == put).nth(1).is_some()
    }

    /// The annotators who are asked for a second opinion on a question, by place and name.
    pub fn seconds(&self, id: DuelId) -> Vec<(u32, String)> {
        let asked = self.question(id).map(|posed| posed.seconds.iter());
        let named = asked.into_iter().flatten().filter_map(|second| {
            let name = self.past.names.get(second.person as usize)?;
            Some((second.person, name.clone()))
        });
        named.collect()
    }

    /// The annotator to whom a question is put.
    pub fn person(&self, put: Assignment) -> u32 {
        self.past.person(put)
    }

    /// The questions that came back as skipped from everybody who was asked.
    pub(in crate::journal) fn unanswered(&self) -> Vec<DuelId> {
        self.past.unanswered.iter().copied().collect()
    }

    /// The open questions put to an annotator, in the order in which they were; second opinions among them.
    pub fn open_of(&self, person: u32) -> impl Iterator<Item = &Assignment> {
        let open = self.past.open.get(&person);
        open.into_iter().flat_map(BTreeMap::values)
    }

    /// Logs that questions are assigned to somebody else too.
    pub(in crate::journal) fn log_reassigned(&mut self, passed: &[Assignment]) -> Result<()> {
        match passed {
            [] => Ok(()),
            passed => self.log(JournalEntry::Passed(
                passed.iter().map(|&put| put.into()).collect(),
            )),
        }
    }

    /// Logs new questions, which the run has just asked, and the sheet they are to go out on where there is one.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn pose(&mut self, questions: &[DealtQuestion], sheet: Option<SheetRecord>) -> Result<()> {
        if questions.is_empty() && sheet.is_none() {
            return Ok(());
        }
        self.log(JournalEntry::questions(questions, sheet))?;
        self.replayed += questions.len();
        Ok(())
    }

    /// Logs the responses to questions that are not settled: all of them or, if the machine dies,
    /// none. With `held` they may be taken back until the next answer of the same annotator.
    ///
    /// # Errors
    /// Of [`Response::check`]; if it cannot be written; for a question that was not posed or is settled.
    pub fn answer(&mut self, given: &[(Assignment, Response)], held: bool) -> Result<()> {
        given
            .iter()
            .try_for_each(|(_, response)| response.check())?;
        match given.is_empty() {
            true => Ok(()),
            false => self.log(JournalEntry::answers(given, held)),
        }
    }

    /// The task that a person answered last, where the answer can still be taken back.
    pub fn held(&self, person: u32) -> Option<TaskId> {
        self.past.held.get(&person).copied()
    }

    /// The questions whose answers can still be taken back.
    pub fn held_questions(&self) -> impl Iterator<Item = Assignment> + '_ {
        self.past.held_questions()
    }

    /// The tasks whose answers can still be taken back, by person.
    pub fn all_held(&self) -> &BTreeMap<u32, TaskId> {
        &self.past.held
    }

    /// The question whose answer a person took back last, until it is answered again.
    pub fn taken_back(&self, person: u32) -> Option<Assignment> {
        self.past.taken_back.get(&person).copied()
    }

    /// The questions put to a person, in the order in which they were.
    pub fn assigned(&self, person: u32) -> &[Assignment] {
        let assigned = self.past.assigned.get(&person);
        assigned.map_or(&[], Vec::as_slice)
    }

    /// Logs that an annotator did a task with a known answer. It may be taken back until their next answer.
    ///
    /// # Errors
    /// If it cannot be written; for a task that they have done before.
    pub fn check(&mut self, checked: CheckResult) -> Result<()> {
        self.log(JournalEntry::Checked(checked))
    }

    /// The tasks with known answers that a person has done.
    pub fn checked(&self, person: u32) -> &[CheckResult] {
        let checked = self.past.checked.get(&person);
        checked.map_or(&[], Vec::as_slice)
    }

    /// The tasks with known answers that each person has done.
    pub(crate) fn all_checked(&self) -> &BTreeMap<u32, Vec<CheckResult>> {
        &self.past.checked
    }

    /// Takes the last answer of a person back; its task is open again.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn undo(&mut self, person: u32) -> Result<()> {
        match self.held(person) {
            Some(TaskId::Question(put)) => self.log(JournalEntry::Undone(vec![put.into()])),
            Some(TaskId::Check(served)) => {
                self.log(JournalEntry::CheckUndone(CheckReference { person, served }))
            }
            None => Ok(()),
        }
    }

    /// Makes answers final that could still be taken back: all, or those of some annotators.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn settle(&mut self, whose: impl Fn(u32) -> bool) -> Result<()> {
        let people = self.past.held.keys().copied();
        let people: Vec<u32> = people.filter(|&person| whose(person)).collect();
        match people.is_empty() {
            true => Ok(()),
            false => self.log(JournalEntry::Final(people)),
        }
    }

    /// Logs that final answers are withdrawn; their questions are open again.
    ///
    /// # Errors
    /// If it cannot be written, or one of them is not there or not final.
    pub fn disown(&mut self, puts: &[Assignment]) -> Result<()> {
        match puts {
            [] => Ok(()),
            puts => self.log(JournalEntry::Disowned(
                puts.iter().map(|&put| put.into()).collect(),
            )),
        }
    }

    /// The answers that the run has counted and that were taken back; of second opinions and ratings also those that were
    /// given otherwise since.
    pub fn disowned(&self) -> impl Iterator<Item = Assignment> + '_ {
        self.past.disowned.keys().copied()
    }

    /// The answers that are not as the run counted them first: taken back, or another one now.
    pub fn restated(&self) -> impl Iterator<Item = Assignment> + '_ {
        let corrected = self.past.corrected.iter().copied();
        self.disowned().chain(corrected)
    }

    /// Whether the run has counted an answer that no longer holds.
    pub fn is_disowned(&self, put: Assignment) -> bool {
        self.past.disowned.contains_key(&put)
    }

    /// Logs the annotator of answers that came without a name.
    ///
    /// # Errors
    /// If it cannot be written, or an answer has a name.
    pub fn name(&mut self, puts: &[Assignment], annotator: &str) -> Result<()> {
        let naming = |&put: &Assignment| lines::AnnotatorAttribution {
            of: put.into(),
            annotator: annotator.to_string(),
        };
        match puts {
            [] => Ok(()),
            puts => self.log(JournalEntry::Named(puts.iter().map(naming).collect())),
        }
    }
}
