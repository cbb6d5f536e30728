//! A journal as read back: what its lines amount to, one after the other.

use super::chain::{AS_IT_IS, Chain};
use super::lines::{Answered, CheckReference, Checked, Header, Line, Sheet, check_version};
use super::{Dealt, Given, Plan, Posed, Put, Second, TaskId};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use tiebreak_base::duel::{DuelId, Outcome};
use tiebreak_base::error::{Error, Location, Result};
use tiebreak_decide::feedback::Question;

/// A step of the past, to be replayed.
#[derive(Debug, Clone)]
pub(super) enum Logged {
    /// Who is asked from here on.
    People(Vec<String>),
    /// With its line.
    Question(Question, u64),
    /// What came back, once it cannot be taken back any more.
    Given(Came),
    /// An answer that came before turned out to be this annotator's.
    Renamed(DuelId, Option<String>),
}

/// What came back for a question, under the name it came with.
#[derive(Debug, Clone)]
pub(super) struct Came {
    pub(super) put: Put,
    /// `None` where the question was skipped, or is about one output.
    pub(super) outcome: Option<Outcome>,
    pub(super) annotator: Option<String>,
    pub(super) seconds: Option<f64>,
}

/// What the lines of a journal amount to.
#[derive(Debug, Default)]
pub(super) struct Past {
    /// What is to be rated, where something is.
    pub(super) plan: Option<Plan>,
    pub(super) posed: BTreeMap<DuelId, Posed>,
    /// The questions put to each person, in the order in which they were.
    pub(super) assigned: BTreeMap<u32, Vec<Put>>,
    /// The last list of people.
    pub(super) list: Vec<String>,
    /// Everybody who was ever listed, by place.
    pub(super) names: Vec<String>,
    pub(super) sheets: Vec<Sheet>,
    pub(super) logged: Vec<Logged>,
    /// How many of these are answers.
    pub(super) arrived: usize,
    /// What each person answered last, where it can still be taken back: it is no evidence yet.
    pub(super) held: BTreeMap<u32, TaskId>,
    /// Questions that came back as skipped from everybody who was asked, for good.
    pub(super) unanswered: BTreeSet<DuelId>,
    /// The answers that the run has counted and nobody stands by, as they counted.
    pub(super) disowned: BTreeMap<Put, Given>,
    /// How many of the questions dealt to each person are open.
    pub(super) open: BTreeMap<u32, usize>,
    /// The tasks with known answers that each person has done.
    pub(super) checked: BTreeMap<u32, Vec<Checked>>,
    pub(super) chain: Chain,
}

impl Past {
    /// Reads a journal made of whole lines, which went as far as `kept` at least.
    pub(super) fn read(
        path: &Path,
        text: &[u8],
        kept: &Chain,
        check: impl Fn(&Header) -> Result<()>,
    ) -> Result<Self> {
        let mut past = Self::default();
        let lines = text.split(|&byte| byte == b'\n');
        for (line, bytes) in (1_u64..).zip(lines).filter(|(_, bytes)| !bytes.is_empty()) {
            let bad = |what: String| Error::record(Location::line(path, line), what);
            match (line, past.parse(path, line, bytes)?) {
                (1, Line::Journal(header)) => check(&header)?,
                (1, _) => return Err(bad("a journal begins with its header".to_string())),
                (_, parsed) => past.take(parsed).map_err(bad)?,
            }
            if past.chain.lines == kept.lines && past.chain != *kept {
                return Err(
                    bad("another line than was logged here".to_string()).with_hint(AS_IT_IS)
                );
            }
        }
        match past.chain.lines < kept.lines {
            true => Err(Error::input(
                path,
                format!(
                    "ends after line {}, but {} were logged: questions or answers are missing",
                    past.chain.lines, kept.lines
                ),
            )
            .with_hint(AS_IT_IS)),
            false => Ok(past),
        }
    }

    fn parse(&mut self, path: &Path, line: u64, bytes: &[u8]) -> Result<Line> {
        let bad = |what: String| Error::record(Location::line(path, line), what);
        let Some(object) = self.chain.follow(bytes) else {
            // Journals of earlier versions had no chain.
            if line == 1
                && let Ok(Line::Journal(header)) = serde_json::from_slice(bytes)
            {
                check_version(path, &header)?;
            }
            let what =
                "not what was logged here: the line was changed, or one before it is missing";
            return Err(bad(what.to_string()).with_hint(
                "a journal cannot be edited; restore the campaign's folder from a copy of it",
            ));
        };
        serde_json::from_slice(&object)
            .map_err(|source| bad(format!("not a line of a journal: {source}")))
    }

    /// Takes a line, read back or just logged.
    ///
    /// # Errors
    /// What is wrong with it. Nothing is taken of a line that `allows` refuses.
    pub(super) fn take(&mut self, line: Line) -> Result<(), String> {
        self.allows(&line)?;
        match line {
            Line::Journal(_) => {}
            Line::Plan(plan) => self.plan = Some(plan),
            Line::People(list) => {
                self.logged.push(Logged::People(list.clone()));
                let new = list.iter().filter(|name| !self.names.contains(name));
                let new: Vec<String> = new.cloned().collect();
                self.names.extend(new);
                self.list = list;
            }
            Line::Questions(batch) => {
                for asked in batch.asked {
                    self.pose(asked.into())?;
                }
                self.sheets.extend(batch.sheet);
            }
            Line::Answers(answers) => {
                for answered in &answers {
                    self.answer(answered)?;
                }
            }
            Line::Undone(undone) => {
                for put in undone.into_iter().map(Put::from) {
                    self.undo(put);
                }
            }
            Line::Final(people) => {
                for person in people {
                    self.settle(person);
                }
            }
            Line::Disowned(disowned) => {
                for put in disowned.into_iter().map(Put::from) {
                    self.disown(put);
                }
            }
            Line::Checked(checked) => {
                self.settle(checked.person);
                let task = TaskId::Check(checked.served);
                self.held.insert(checked.person, task);
                let done = self.checked.entry(checked.person).or_default();
                done.push(checked);
            }
            Line::CheckUndone(CheckReference { person, served }) => {
                self.held.remove(&person);
                let done = self.checked.entry(person).or_default();
                done.retain(|one| one.served != served);
            }
            Line::Passed(passed) => {
                for put in passed.into_iter().map(Put::from) {
                    self.unanswered.remove(&put.id);
                    if let (Some(posed), Some(person)) = (self.posed.get_mut(&put.id), put.second) {
                        let given = None;
                        posed.seconds.push(Second { person, given });
                        self.assigned.entry(person).or_default().push(put);
                    }
                }
            }
            Line::Named(named) => {
                for naming in named {
                    let (put, annotator) = (Put::from(naming.of), Some(naming.annotator));
                    if let Some(Some(given)) = self.slot(put) {
                        given.annotator.clone_from(&annotator);
                    }
                    self.rename(put, annotator);
                }
            }
        }
        Ok(())
    }

    /// Whether a line may come next.
    ///
    /// # Errors
    /// Why not.
    pub(super) fn allows(&self, line: &Line) -> Result<(), String> {
        match line {
            Line::Journal(_) => Err("a second header".to_string()),
            Line::Plan(_) if self.plan.is_some() || !self.posed.is_empty() => {
                Err("a plan after the campaign began".to_string())
            }
            Line::Answers(answers) => answers.iter().try_for_each(|answered| {
                answered.given()?;
                let put = answered.put();
                let given = self.given(put);
                match given.is_some_and(|given| !given.as_ref().is_some_and(Given::is_answer)) {
                    true => Ok(()),
                    false => Err(format!("an answer to {}, which is not open", put.id.0)),
                }
            }),
            Line::Undone(undone) => undone.iter().try_for_each(|&of| {
                let put = Put::from(of);
                match self.is_held(put) {
                    true => Ok(()),
                    false => Err(format!("the answer to {} is final", put.id.0)),
                }
            }),
            Line::CheckUndone(CheckReference { person, served }) => {
                match self.held.get(person) == Some(&TaskId::Check(*served)) {
                    true => Ok(()),
                    false => Err(format!("a check of person {person} that is final")),
                }
            }
            Line::Disowned(disowned) => disowned.iter().try_for_each(|&of| {
                let put = Put::from(of);
                let is_final = matches!(self.given(put), Some(Some(_))) && !self.is_held(put);
                match is_final {
                    true => Ok(()),
                    false => Err(format!("no final answer to {}", put.id.0)),
                }
            }),
            Line::Named(named) => named.iter().try_for_each(|naming| {
                let put = Put::from(naming.of);
                match self.given(put) {
                    Some(Some(given)) if given.annotator.is_none() => Ok(()),
                    _ => Err(format!("no answer to {} lacks a name", put.id.0)),
                }
            }),
            Line::Checked(checked) => {
                let mut done = self.checked.get(&checked.person).into_iter().flatten();
                match done.any(|one| one.served == checked.served) {
                    true => Err(format!("a check that person {} has done", checked.person)),
                    false => Ok(()),
                }
            }
            Line::Passed(passed) => passed.iter().try_for_each(|&of| {
                let put = Put::from(of);
                let posed = self.posed.get(&put.id);
                let second = posed.zip(put.second);
                match second.is_some_and(|(posed, person)| posed.second(person).is_none()) {
                    true => Ok(()),
                    false => Err(format!("question {} is passed on to nobody new", put.id.0)),
                }
            }),
            Line::Plan(_) | Line::People(_) | Line::Questions(_) | Line::Final(_) => Ok(()),
        }
    }

    /// The answers that cannot be taken back any more, as they came in.
    pub(super) fn came(&self) -> impl Iterator<Item = Put> + '_ {
        self.logged.iter().filter_map(|logged| match logged {
            Logged::Given(came) => Some(came.put),
            Logged::People(_) | Logged::Question(..) | Logged::Renamed(..) => None,
        })
    }

    /// What came back for a question as it was put to one person; `None` where it was not.
    pub(super) fn given(&self, put: Put) -> Option<&Option<Given>> {
        let posed = self.posed.get(&put.id)?;
        match put.second {
            None => Some(&posed.given),
            Some(person) => posed.second(person).map(|second| &second.given),
        }
    }

    fn slot(&mut self, put: Put) -> Option<&mut Option<Given>> {
        let posed = self.posed.get_mut(&put.id)?;
        let Some(person) = put.second else {
            return Some(&mut posed.given);
        };
        let mut seconds = posed.seconds.iter_mut();
        let second = seconds.find(|second| second.person == person);
        second.map(|second| &mut second.given)
    }

    fn pose(&mut self, Dealt { question, others }: Dealt) -> Result<(), String> {
        let id = question.duel.id;
        let last = self.posed.last_key_value();
        if last.is_some_and(|(last, _)| *last >= id) {
            return Err(format!("question {} is not the next one", id.0));
        }
        let line = self.chain.lines;
        self.logged.push(Logged::Question(question, line));
        let open = |person| Second {
            person,
            given: None,
        };
        let posed = Posed {
            question,
            given: None,
            seconds: others.into_iter().map(open).collect(),
        };
        for (put, _) in posed.puts() {
            let person = put.second.unwrap_or(question.sample.person);
            self.assigned.entry(person).or_default().push(put);
        }
        self.posed.insert(id, posed);
        *self.open.entry(question.sample.person).or_default() += 1;
        Ok(())
    }

    fn answer(&mut self, answered: &Answered) -> Result<(), String> {
        let (put, given) = (answered.put(), answered.given()?);
        let person = self.person(put);
        let was = self.slot(put).and_then(|slot| slot.replace(given));
        if was.is_none() && put.second.is_none() {
            *self.open.entry(person).or_default() -= 1;
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

    /// The run is to know that what it counted is this annotator's.
    fn rename(&mut self, put: Put, annotator: Option<String>) {
        if put.second.is_none() {
            self.logged.push(Logged::Renamed(put.id, annotator));
        }
    }

    /// Whether an answer can still be taken back.
    fn is_held(&self, put: Put) -> bool {
        let mut held = self.held.values();
        held.any(|held| *held == TaskId::Question(put))
    }

    /// To whom a question is put.
    pub(super) fn person(&self, put: Put) -> u32 {
        let dealt = self.posed.get(&put.id);
        let dealt = dealt.map_or(0, |posed| posed.question.sample.person);
        put.second.unwrap_or(dealt)
    }

    fn undo(&mut self, put: Put) {
        self.held.retain(|_, held| *held != TaskId::Question(put));
        self.reopen(put);
    }

    /// Opens a question again; what was given for it.
    fn reopen(&mut self, put: Put) -> Option<Given> {
        let was = self.slot(put).and_then(Option::take)?;
        if put.second.is_none() {
            let person = self.person(put);
            *self.open.entry(person).or_default() += 1;
        }
        Some(was)
    }

    fn disown(&mut self, put: Put) {
        if let Some(was) = self.reopen(put).filter(Given::is_answer) {
            // Where it was given otherwise since, the run has still counted what came first.
            self.disowned.entry(put).or_insert(was);
        }
        self.unanswered.remove(&put.id);
    }

    fn settle(&mut self, person: u32) {
        if let Some(TaskId::Question(put)) = self.held.remove(&person) {
            self.note(put);
        }
    }

    fn note(&mut self, put: Put) {
        if let Some(Some(given)) = self.given(put) {
            let annotator = given.annotator.clone();
            match self.disowned.get(&put) {
                // The run has counted an answer to this question, and counts none twice.
                Some(counted) => {
                    if counted.says_the_same(given) {
                        self.disowned.remove(&put);
                    }
                    self.rename(put, annotator);
                }
                None => {
                    let came = Came {
                        put,
                        outcome: given.outcome,
                        annotator,
                        seconds: given.seconds,
                    };
                    self.arrived += 1;
                    self.logged.push(Logged::Given(came));
                }
            }
        }
        let skipped = |(put, given): (Put, Option<&Given>)| {
            let skipped = given.is_some_and(|given| !given.is_answer());
            skipped && !self.is_held(put)
        };
        let posed = self.posed.get(&put.id);
        match posed.is_some_and(|posed| posed.puts().all(skipped)) {
            true => self.unanswered.insert(put.id),
            false => self.unanswered.remove(&put.id),
        };
    }
}
