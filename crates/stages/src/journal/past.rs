//! The state of a journal, read back line by line.

use super::chain::Chain;
use super::lines::{
    CheckReference, CheckResult, JournalEntry, JournalHeader, ResponseEntry, SheetRecord,
};
use super::pseudonyms::NameKeys;
use super::{
    Assignment, DealtQuestion, LimitGrowth, PosedQuestion, PosedQuestions, RatingPlan, Response,
    RunLimits, SecondOpinion, TaskId,
};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use tiebreak_base::duel::{DuelId, Outcome};
use tiebreak_base::error::{Error, Location, Result};
use tiebreak_base::signature::Signature;
use tiebreak_decide::feedback::PairQuestion;
use tiebreak_decide::feedback::dealing::is_same_person;

/// A step of the past, to be replayed.
#[derive(Debug, Clone)]
pub(super) enum ReplayStep {
    /// The annotators who are asked from here on.
    People(Vec<String>),
    /// A question with its line.
    Question(PairQuestion, u64),
    /// A response, once it cannot be taken back any more.
    Given(LoggedResponse),
    /// An answer that came before turned out to be this annotator's.
    Renamed(DuelId, Option<String>),
    /// Another answer in the place of one that came before.
    Corrected(LoggedResponse),
}

/// The response to a question, under the name it came with.
#[derive(Debug, Clone)]
pub(super) struct LoggedResponse {
    pub(super) put: Assignment,
    /// `None` where the question was skipped, or is about one output.
    pub(super) outcome: Option<Outcome>,
    pub(super) annotator: Option<String>,
    pub(super) seconds: Option<f64>,
}

/// The state that the lines of a journal add up to.
#[derive(Debug, Default)]
pub(super) struct JournalState {
    /// The signature that the run began under.
    pub(super) begun: Signature,
    /// The growth of its limits.
    pub(super) growth: Vec<LimitGrowth>,
    /// The changes of what annotators are asked: the number of questions before each, and the task's digest then.
    pub(super) tasks: Vec<(u64, Option<String>)>,
    /// The plan of what is rated, where something is.
    pub(super) plan: Option<RatingPlan>,
    pub(super) posed: PosedQuestions,
    /// The questions put to each person, in the order in which they were.
    pub(super) assigned: BTreeMap<u32, Vec<Assignment>>,
    /// The last list of people.
    pub(super) list: Vec<String>,
    /// The number of questions that were posed before that list.
    pub(super) earlier: usize,
    /// Everybody who was ever listed, by place.
    pub(super) names: Vec<String>,
    pub(super) sheets: Vec<SheetRecord>,
    pub(super) logged: Vec<ReplayStep>,
    /// The number of answers among the logged steps.
    pub(super) arrived: usize,
    /// The task that each annotator answered last, where that can still be taken back: it is no evidence yet.
    pub(super) held: BTreeMap<u32, TaskId>,
    /// The question whose answer each annotator took back last, until it is answered again.
    pub(super) taken_back: BTreeMap<u32, Assignment>,
    /// Questions that everybody asked has skipped, for good.
    pub(super) unanswered: BTreeSet<DuelId>,
    /// The answers that the run has counted and that no longer hold, as they counted.
    pub(super) disowned: BTreeMap<Assignment, Response>,
    /// The answers that replaced others which the run had counted.
    pub(super) corrected: BTreeSet<Assignment>,
    /// Those of the questions put to each person that are open, by their place among all of these.
    pub(super) open: BTreeMap<u32, BTreeMap<usize, Assignment>>,
    /// The tasks with known answers that each person has done.
    pub(super) checked: BTreeMap<u32, Vec<CheckResult>>,
    pub(super) chain: Chain,
    /// The keys of the names.
    pub(super) keys: NameKeys,
}

impl JournalState {
    /// Reads a journal made of whole lines, which went as far as `kept` at least; `None` where no length is on record.
    pub(super) fn read(
        path: &Path,
        text: &[u8],
        kept: Option<&Chain>,
        check: impl Fn(&JournalHeader) -> Result<()>,
    ) -> Result<Self> {
        let mut past = Self::default();
        let lines = text.split(|&byte| byte == b'\n');
        for (line, bytes) in (1_u64..).zip(lines).filter(|(_, bytes)| !bytes.is_empty()) {
            let bad = |what: String| Error::record(Location::line(path, line), what);
            match (line, past.parse(path, line, bytes)?) {
                (1, JournalEntry::Journal(header)) => {
                    check(&header)?;
                    past.begun = header.signature();
                }
                (1, _) => {
                    return Err(bad(
                        "the first line of a journal must be its header".to_string()
                    ));
                }
                (_, parsed) => past.take(parsed).map_err(bad)?,
            }
            past.chain.check_line(path, line, kept)?;
        }
        past.chain.check_end(path, kept)?;
        Ok(past)
    }

    fn parse(&mut self, path: &Path, line: u64, bytes: &[u8]) -> Result<JournalEntry> {
        let bad = |what: String| Error::record(Location::line(path, line), what);
        if bytes.starts_with(super::race::OPENING) {
            let what = "this is the log of a race by scores, which only `tiebreak ask`, `tell` and `report` read";
            return Err(Error::input(path, what));
        }
        let Some(entry) = self.keys.follow(&mut self.chain, bytes) else {
            return Err(Chain::changed(path, line));
        };
        entry.map_err(|source| bad(format!("not a line of a journal: {source}")))
    }

    /// Takes a line, read back or just logged.
    ///
    /// # Errors
    /// A description of what is wrong with it. A line that `allows` refuses changes nothing.
    pub(super) fn take(&mut self, line: JournalEntry) -> Result<(), String> {
        self.allows(&line)?;
        match line {
            JournalEntry::Journal(_) => {}
            JournalEntry::Plan(plan) => self.plan = Some(plan),
            JournalEntry::Limits(limits) => self.growth.push(LimitGrowth {
                asked: self.posed.all().len() as u64,
                limits,
            }),
            JournalEntry::Task(digest) => self.tasks.push((self.posed.all().len() as u64, digest)),
            JournalEntry::People(list) => {
                self.logged.push(ReplayStep::People(list.clone()));
                let new = list.iter().filter(|name| !self.names.contains(name));
                let new: Vec<String> = new.cloned().collect();
                self.names.extend(new);
                self.list = list;
                self.earlier = self.posed.all().len();
            }
            JournalEntry::Questions(batch) => {
                for asked in batch.asked {
                    self.pose(&asked.into())?;
                }
                self.sheets.extend(batch.sheet);
            }
            JournalEntry::Answers(answers) => {
                for answered in &answers {
                    self.answer(answered)?;
                }
            }
            JournalEntry::Undone(undone) => {
                for put in undone.into_iter().map(Assignment::from) {
                    self.undo(put);
                }
            }
            JournalEntry::Final(people) => {
                for person in people {
                    self.settle(person);
                }
            }
            JournalEntry::Disowned(disowned) => {
                for put in disowned.into_iter().map(Assignment::from) {
                    self.disown(put);
                }
            }
            JournalEntry::Checked(checked) => {
                self.settle(checked.person);
                let task = TaskId::Check(checked.served);
                self.held.insert(checked.person, task);
                let done = self.checked.entry(checked.person).or_default();
                done.push(checked);
            }
            JournalEntry::CheckUndone(CheckReference { person, served }) => {
                self.held.remove(&person);
                let done = self.checked.entry(person).or_default();
                done.retain(|one| one.served != served);
            }
            JournalEntry::Passed(passed) => {
                for put in passed.into_iter().map(Assignment::from) {
                    self.unanswered.remove(&put.id);
                    if let (Some(posed), Some(person)) = (self.posed.get_mut(put.id), put.second) {
                        let given = None;
                        posed.seconds.push(SecondOpinion { person, given });
                        self.assign(person, put);
                    }
                }
            }
            JournalEntry::Named(named) => {
                for naming in named {
                    let (put, annotator) = (Assignment::from(naming.of), Some(naming.annotator));
                    if let Some(Some(given)) = self.slot(put) {
                        given.annotator.clone_from(&annotator);
                    }
                    self.rename(put, annotator);
                }
            }
        }
        Ok(())
    }

    /// Checks that a line may come next.
    ///
    /// # Errors
    /// The reason why it may not.
    pub(super) fn allows(&self, line: &JournalEntry) -> Result<(), String> {
        match line {
            JournalEntry::Journal(_) => Err("a second header".to_string()),
            JournalEntry::Plan(_) if self.plan.is_some() || !self.posed.all().is_empty() => {
                Err("a plan after the campaign began".to_string())
            }
            JournalEntry::Limits(limits) => match self.limits() {
                Some(before) if limits.shrunk(&before).is_none() => Ok(()),
                _ => Err("limits that do not grow".to_string()),
            },
            JournalEntry::Answers(answers) => answers.iter().try_for_each(|answered| {
                answered.response()?;
                let put = answered.put();
                let given = self.response(put);
                match given.is_some_and(|given| !given.as_ref().is_some_and(Response::is_answer)) {
                    true => Ok(()),
                    false => Err(format!("an answer to {}, which is not open", put.id.0)),
                }
            }),
            JournalEntry::Undone(undone) => undone.iter().try_for_each(|&of| {
                let put = Assignment::from(of);
                match self.is_held(put) {
                    true => Ok(()),
                    false => Err(format!("the answer to {} is final", put.id.0)),
                }
            }),
            JournalEntry::CheckUndone(CheckReference { person, served }) => {
                match self.held.get(person) == Some(&TaskId::Check(*served)) {
                    true => Ok(()),
                    false => Err(format!("a check of person {person} that is final")),
                }
            }
            JournalEntry::Disowned(disowned) => disowned.iter().try_for_each(|&of| {
                let put = Assignment::from(of);
                let is_final = matches!(self.response(put), Some(Some(_))) && !self.is_held(put);
                match is_final {
                    true => Ok(()),
                    false => Err(format!("no final answer to {}", put.id.0)),
                }
            }),
            JournalEntry::Named(named) => named.iter().try_for_each(|naming| {
                let put = Assignment::from(naming.of);
                match self.response(put) {
                    Some(Some(given)) if given.annotator.is_none() => Ok(()),
                    _ => Err(format!("no answer to {} lacks a name", put.id.0)),
                }
            }),
            JournalEntry::Checked(checked) => {
                let mut done = self.checked.get(&checked.person).into_iter().flatten();
                match done.any(|one| one.served == checked.served) {
                    true => Err(format!("a check that person {} has done", checked.person)),
                    false => Ok(()),
                }
            }
            JournalEntry::Passed(passed) => passed.iter().try_for_each(|&of| {
                let put = Assignment::from(of);
                let posed = self.posed.get(put.id);
                let second = posed.zip(put.second);
                match second.is_some_and(|(posed, person)| posed.second(person).is_none()) {
                    true => Ok(()),
                    false => Err(format!(
                        "question {} is passed on to an annotator who has it already",
                        put.id.0
                    )),
                }
            }),
            JournalEntry::Plan(_)
            | JournalEntry::Task(_)
            | JournalEntry::People(_)
            | JournalEntry::Questions(_)
            | JournalEntry::Final(_) => Ok(()),
        }
    }

    /// The limits of the run now.
    pub(super) fn limits(&self) -> Option<RunLimits> {
        let grown = self.growth.last().map(|growth| growth.limits);
        grown.or_else(|| RunLimits::of(self.begun.fields()))
    }

    /// The answers that cannot be taken back any more, as they came in.
    pub(super) fn came(&self) -> impl Iterator<Item = Assignment> + '_ {
        self.logged.iter().filter_map(|logged| match logged {
            ReplayStep::Given(came) => Some(came.put),
            _ => None,
        })
    }

    /// The questions whose answers can still be taken back.
    pub(super) fn held_questions(&self) -> impl Iterator<Item = Assignment> + '_ {
        self.held.values().filter_map(|held| match held {
            TaskId::Question(put) => Some(*put),
            TaskId::Check(_) => None,
        })
    }

    /// The response to a question as it was put to one annotator; `None` where it was not.
    pub(super) fn response(&self, put: Assignment) -> Option<&Option<Response>> {
        let posed = self.posed.get(put.id)?;
        match put.second {
            None => Some(&posed.given),
            Some(person) => posed.second(person).map(|second| &second.given),
        }
    }

    fn slot(&mut self, put: Assignment) -> Option<&mut Option<Response>> {
        let posed = self.posed.get_mut(put.id)?;
        let Some(person) = put.second else {
            return Some(&mut posed.given);
        };
        let mut seconds = posed.seconds.iter_mut();
        let second = seconds.find(|second| second.person == person);
        second.map(|second| &mut second.given)
    }

    fn pose(&mut self, dealt: &DealtQuestion) -> Result<(), String> {
        let question = dealt.question;
        let open = |&person: &u32| SecondOpinion {
            person,
            given: None,
        };
        self.posed.push(PosedQuestion {
            question,
            given: None,
            seconds: dealt.others.iter().map(open).collect(),
        })?;
        let line = self.chain.lines;
        self.logged.push(ReplayStep::Question(question, line));
        for put in dealt.puts() {
            self.assign(put.second.unwrap_or(question.sample.person), put);
        }
        Ok(())
    }

    /// Puts an open question to a person.
    fn assign(&mut self, person: u32, put: Assignment) {
        let assigned = self.assigned.entry(person).or_default();
        let open = self.open.entry(person).or_default();
        open.insert(assigned.len(), put);
        assigned.push(put);
    }

    fn answer(&mut self, answered: &ResponseEntry) -> Result<(), String> {
        let (put, given) = (answered.put(), answered.response()?);
        let person = self.person(put);
        if self.taken_back.get(&person) == Some(&put) {
            self.taken_back.remove(&person);
        }
        let was = self.slot(put).and_then(|slot| slot.replace(given));
        if was.is_none() {
            let open = self.open.entry(person).or_default();
            // Most people answer in order, so that it is among the first.
            let place = open.iter().find(|(_, one)| **one == put);
            if let Some(place) = place.map(|(&place, _)| place) {
                open.remove(&place);
            }
        }
        // The answer before it is final now.
        self.settle(person);
        match answered.held {
            true => {
                self.held.insert(person, TaskId::Question(put));
            }
            false => self.note(put),
        }
        Ok(())
    }

    /// Has the run learn that an answer it counted is this annotator's.
    fn rename(&mut self, put: Assignment, annotator: Option<String>) {
        if put.second.is_none() {
            self.logged.push(ReplayStep::Renamed(put.id, annotator));
        }
    }

    /// Whether an answer can still be taken back.
    fn is_held(&self, put: Assignment) -> bool {
        let mut held = self.held.values();
        held.any(|held| *held == TaskId::Question(put))
    }

    /// The place of somebody who was ever listed.
    pub(super) fn place_of(&self, person: &str) -> Option<u32> {
        let mut names = self.names.iter();
        let place = names.position(|name| is_same_person(name, person))?;
        u32::try_from(place).ok()
    }

    /// The annotator to whom a question is put.
    pub(super) fn person(&self, put: Assignment) -> u32 {
        let dealt = self.posed.get(put.id);
        let dealt = dealt.map_or(0, |posed| posed.question.sample.person);
        put.second.unwrap_or(dealt)
    }

    fn undo(&mut self, put: Assignment) {
        self.held.retain(|_, held| *held != TaskId::Question(put));
        self.taken_back.insert(self.person(put), put);
        self.reopen(put);
    }

    /// Opens a question again, and returns the response it had.
    fn reopen(&mut self, put: Assignment) -> Option<Response> {
        let was = self.slot(put).and_then(Option::take)?;
        let person = self.person(put);
        let assigned = self.assigned.entry(person).or_default();
        if let Some(place) = assigned.iter().rposition(|one| *one == put) {
            self.open.entry(person).or_default().insert(place, put);
        }
        Some(was)
    }

    fn disown(&mut self, put: Assignment) {
        if let Some(was) = self.reopen(put).filter(Response::is_answer) {
            // If it was answered differently since, the run has still counted what came first.
            self.disowned.entry(put).or_insert(was);
        }
        self.unanswered.remove(&put.id);
    }

    fn settle(&mut self, person: u32) {
        if let Some(TaskId::Question(put)) = self.held.remove(&person) {
            self.note(put);
        }
    }

    /// Has the run learn that an answer it counted is another one. Second opinions and ratings are no evidence of a run.
    fn correct(&mut self, came: LoggedResponse) {
        let put = came.put;
        let posed = self.posed.get(put.id);
        let pair = posed.map(|posed| posed.question.duel.pair);
        if pair.is_none_or(|pair| put.second.is_some() || pair.is_self()) {
            return self.rename(put, came.annotator);
        }
        self.disowned.remove(&put);
        self.corrected.insert(put);
        self.logged.push(ReplayStep::Corrected(came));
    }

    fn note(&mut self, put: Assignment) {
        if let Some(Some(given)) = self.response(put) {
            let came = LoggedResponse {
                put,
                outcome: given.outcome,
                annotator: given.annotator.clone(),
                seconds: given.seconds,
            };
            let counted = self.disowned.get(&put);
            // The run has counted an answer to this question, and counts none twice.
            match counted.map(|counted| counted.says_the_same(given)) {
                Some(true) => {
                    self.disowned.remove(&put);
                    self.rename(put, came.annotator);
                }
                Some(false) => self.correct(came),
                None => {
                    self.arrived += 1;
                    self.logged.push(ReplayStep::Given(came));
                }
            }
        }
        let skipped = |(put, given): (Assignment, Option<&Response>)| {
            let skipped = given.is_some_and(|given| !given.is_answer());
            skipped && !self.is_held(put)
        };
        let posed = self.posed.get(put.id);
        match posed.is_some_and(|posed| posed.puts().all(skipped)) {
            true => self.unanswered.insert(put.id),
            false => self.unanswered.remove(&put.id),
        };
    }
}
