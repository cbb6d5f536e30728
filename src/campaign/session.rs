//! An open campaign: annotators come, are given what is theirs, and answer, and the run goes on with them.
//!
//! Every action that asks one person at a time uses it, the terminal as the page. The journal decides: where draws
//! were fruitless (all of it was asked before) the run is replayed before it goes on, so that it equals a replay.

use super::folder::{AnnotatorRoster, OpenCampaign};
use super::kinds::{AnnotatorPool, Campaign, CampaignRun, CampaignStatus, Notices, is_final};
use super::standing::disowned;
use std::cell::{Ref, RefCell};
use std::collections::BTreeMap;
use tiebreak_base::duel::DuelId;
use tiebreak_base::error::{Error, Key, Message, Result};
use tiebreak_base::layout::path_argument;
use tiebreak_base::message;
use tiebreak_base::rng::Seed;
use tiebreak_decide::evaluation::active::Stop;
use tiebreak_decide::feedback::PairQuestion;
use tiebreak_decide::feedback::dealing::{AnnotatorAssignment, People, is_same_person};
use tiebreak_stages::engine::context::Context;
use tiebreak_stages::journal::batch::BatchFeedback;
use tiebreak_stages::journal::{Assignment, Journal, Response, SheetRecord, TaskId};
#[cfg(feature = "serve")]
use tiebreak_stages::journal::{CheckResult, PosedQuestion, is_pseudonym};

/// The next action of an annotator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextAction {
    /// Answer this question.
    Task(Assignment),
    /// Wait: there may be something new once others have answered.
    Wait,
    /// Nothing is left to do.
    Done(NoTaskReason),
}

/// The reason why nothing is left for an annotator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoTaskReason {
    /// The campaign has its answer.
    Over,
    /// They answered everything.
    Exhausted,
    /// As many questions were asked as a limit or the plan allows.
    Spent,
}

impl NoTaskReason {
    /// The key of the reason among the words of a page.
    pub(super) fn key(self) -> &'static str {
        match self {
            Self::Over => "over",
            Self::Exhausted => "exhausted",
            Self::Spent => "spent",
        }
    }
}

/// The result of giving an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerReceipt {
    /// The answer is new and on record.
    New,
    /// The answer was on record before.
    Known,
    /// The question is answered otherwise, or was never dealt to this person.
    Closed,
}

/// An open campaign.
pub struct CampaignSession<'a> {
    campaign: &'a Campaign<'a>,
    people: &'a AnnotatorPool<'a>,
    run: CampaignRun<'a>,
    /// The reason why the run is over, if it is.
    stop: Option<Stop>,
    /// Whether the run is to be replayed before it goes on.
    needs_replay: bool,
    /// The length of the journal when the run last looked ahead: while it does not grow, the status needs no replay.
    looked_ahead: Option<u64>,
    /// The annotators for whom no new question was found, and the number of final answers then.
    last_fruitless: BTreeMap<u32, usize>,
    /// Whether it is not known that there are new questions: the last draw found none, or there was none yet.
    may_be_done: bool,
}

/// Opens or begins a campaign and works with it; `task` is the task that annotators are given, if one is named.
///
/// # Errors
/// Settings or data other than the campaign was begun with; those of the journal and of the work; a campaign for
/// people newly drawn, each of whom has a sheet.
pub fn with_session<T>(
    context: &Context<'_>,
    call: &OpenCampaign<'_>,
    task: Option<&str>,
    work: impl FnOnce(&mut CampaignSession<'_>) -> Result<T>,
) -> Result<T> {
    // Checked before anything is begun.
    if call.people == Some(AnnotatorRoster::Panel) {
        return Err(no_panel(call));
    }
    open_session(context, call, task, |session| match session.is_panel() {
        true => Err(no_panel(call)),
        false => work(session),
    })
}

/// As [`with_session`], also for a panel whose annotators are admitted one by one.
pub(super) fn open_session<T>(
    context: &Context<'_>,
    call: &OpenCampaign<'_>,
    task: Option<&str>,
    work: impl FnOnce(&mut CampaignSession<'_>) -> Result<T>,
) -> Result<T> {
    call.with_campaign(context, task, |campaign, journal| {
        let campaign_context = campaign.context();
        let people = RefCell::new(BatchFeedback::on_demand(
            &campaign_context.texts,
            journal,
            campaign_context.ask_policy,
        ));
        work(&mut CampaignSession::new(campaign, &people)?)
    })
}

/// The error for a panel: its annotators each get one block, fixed before their first question is shown, while a
/// session draws each question when its annotator comes for it.
fn no_panel(call: &OpenCampaign<'_>) -> Error {
    let what = "a panel answers on sheets, or at one open link: the questions of each annotator must be fixed before they see the first";
    let places = std::iter::once(call.run).chain(call.data);
    let places: Vec<String> = places.map(path_argument).collect();
    let places = places.join(" ");
    Error::usage(what).with_hint(Message::except_in_python(
        format!(
            "write a sheet for each annotator (tiebreak ask {places} --panel --n 10 --out ana.csv), or serve one link for all: \
             tiebreak serve {places} --open 50"
        ),
        "leave out `panel=`, and name the annotators: `annotators=\"ana,ben\"`".to_string(),
    ))
}

/// The name of the annotator of a block who came by an open link.
fn visitor_name(block: u32) -> String {
    format!("visitor-{block:04}")
}

impl<'a> CampaignSession<'a> {
    fn new(campaign: &'a Campaign<'a>, people: &'a AnnotatorPool<'a>) -> Result<Self> {
        let mut session = Self {
            campaign,
            people,
            run: campaign.begin_run(people)?,
            stop: None,
            needs_replay: false,
            looked_ahead: None,
            last_fruitless: BTreeMap::new(),
            may_be_done: true,
        };
        session.advance()?;
        session.journal().replayed()?;
        Ok(session)
    }

    /// The journal.
    pub fn journal(&self) -> Ref<'_, Journal> {
        Ref::map(self.people.borrow(), BatchFeedback::journal)
    }

    /// The seed, which decides sides.
    pub fn seed(&self) -> Seed {
        self.campaign.context().seed()
    }

    pub(super) fn campaign(&self) -> &'a Campaign<'a> {
        self.campaign
    }

    /// Buffers lines of the journal until they are [`sync`](Self::sync)ed.
    pub fn gather(&mut self) {
        self.people.borrow_mut().journal_mut().gather();
    }

    /// Writes the buffered lines: only then may they be acknowledged.
    ///
    /// # Errors
    /// If the journal cannot be written or the run not go on.
    pub fn sync(&mut self) -> Result<()> {
        self.people.borrow_mut().journal_mut().sync()
    }

    /// Drops the buffered lines: the run stands where the journal on disk does.
    #[cfg(feature = "serve")]
    pub(super) fn roll_back(&mut self) -> Result<()> {
        {
            let mut people = self.people.borrow_mut();
            people.journal_mut().roll_back()?;
            people.demand(None);
        }
        self.last_fruitless.clear();
        self.needs_replay = true;
        self.refresh()
    }

    /// Checks that the journal can be added to.
    #[cfg(feature = "serve")]
    pub(super) fn check_space(&mut self) -> Result<()> {
        self.people.borrow_mut().journal_mut().check_space()
    }

    /// Whether each annotator is newly drawn and has one block of questions.
    fn is_panel(&self) -> bool {
        self.campaign.context().people() == People::Panel
    }

    /// Draws the block of a new visitor and logs it under their name, which it returns; `None` where nothing more is
    /// asked.
    #[cfg(feature = "serve")]
    pub(super) fn admit(&mut self, questions: usize) -> Result<Option<String>> {
        self.refresh()?;
        if self.stop.is_some() {
            return Ok(None);
        }
        self.people.borrow_mut().demand_block(questions);
        let stop = self.run.advance()?;
        let mut batch = self.people.borrow_mut();
        // Draws after the last question leave no trace in the journal.
        self.needs_replay = !batch.is_met();
        let questions: Vec<u64> = batch
            .drawn()
            .iter()
            .map(|one| one.question.duel.id.0)
            .collect();
        let first = batch.drawn().first();
        let name = first.map(|one| visitor_name(one.question.sample.person));
        if let Some(name) = &name {
            let name = name.clone();
            batch.pose_on(Some(SheetRecord {
                name,
                questions,
                form: None,
            }))?;
        }
        batch.demand(None);
        self.stop = stop.filter(|stop| *stop != Stop::Ended);
        Ok(name)
    }

    /// The visitors who were admitted, by block and name.
    fn visitors(&self) -> Vec<(u32, String)> {
        let journal = self.journal();
        let sheets = journal.sheets().iter();
        let visitor = |sheet: &SheetRecord| {
            let first = journal.question(DuelId(*sheet.questions.first()?))?;
            let block = first.question.sample.person;
            let name = visitor_name(block);
            (sheet.name == name).then_some((block, name))
        };
        sheets.filter_map(visitor).collect()
    }

    /// The number of visitors who were erased: they keep their places.
    #[cfg(feature = "serve")]
    pub(super) fn erased_visitors(&self) -> usize {
        let journal = self.journal();
        let sheets = journal.sheets().iter();
        sheets.filter(|sheet| is_pseudonym(&sheet.name)).count()
    }

    /// The annotators by place and name; a campaign of one person has whoever is there.
    pub(super) fn people(&self) -> Vec<(u32, String)> {
        if self.is_panel() {
            return self.visitors();
        }
        let batch = self.people.borrow();
        let dealing = batch.dealing();
        let named = dealing.listed().iter();
        let named = named.filter_map(|&place| Some((place, dealing.name(place)?.to_string())));
        named.collect()
    }

    /// The name of a listed annotator.
    pub(super) fn name_of(&self, person: u32) -> Option<String> {
        let batch = self.people.borrow();
        batch.dealing().name(person).map(str::to_string)
    }

    /// The place of an annotator, by name.
    ///
    /// # Errors
    /// Where people are listed and the name is not.
    pub fn find_person(&self, name: Option<&str>) -> Result<u32> {
        if self.campaign.context().people() == People::One {
            return Ok(0);
        }
        let people = self.people();
        let listed = || {
            let names: Vec<&str> = people.iter().map(|(_, name)| name.as_str()).collect();
            names.join(", ")
        };
        let Some(name) = name else {
            let what = "the campaign has several annotators, and the command does not say which one is here";
            return Err(Error::usage(what).with_hint(message!(
                "name one of them: {} ({})",
                Key("annotator").set("NAME"),
                listed()
            )));
        };
        let place = people.iter().find(|(_, known)| is_same_person(known, name));
        place.map(|(place, _)| *place).ok_or_else(|| {
            let what = format!("annotator `{name}` is not listed");
            Error::usage(what).with_hint(format!("the annotators are {}", listed()))
        })
    }

    /// The next action of an annotator. New questions are drawn where they have none.
    ///
    /// # Errors
    /// If the journal cannot be written or the run not go on.
    pub fn turn(&mut self, person: u32) -> Result<NextAction> {
        self.reassign_skipped()?;
        if let Some(action) = self.undrawn_action(person) {
            return Ok(action);
        }
        if self.last_fruitless.get(&person) == Some(&self.journal().arrived()) {
            return Ok(self.idle(person));
        }
        self.draw_for(person)?;
        Ok(match self.undrawn_action(person) {
            Some(action) => action,
            None => self.idle(person),
        })
    }

    /// The next action of an annotator without a new question; `None` where one might be drawn.
    pub(super) fn undrawn_action(&self, person: u32) -> Option<NextAction> {
        // A slip can be mended after the decision too, but nothing else is asked then.
        let open = match self.is_decided() {
            true => self.open_again(person),
            false => self.open(person),
        };
        match open {
            Some(put) => Some(NextAction::Task(put)),
            None => (self.stop.is_some() || self.is_panel()).then(|| self.idle(person)),
        }
    }

    /// Has as many new questions posed as there are, for all annotators in turn.
    pub(super) fn draw(&mut self, new: usize) -> Result<()> {
        let people = match self.campaign.context().people() {
            People::One => vec![0],
            _ => self.people().into_iter().map(|(place, _)| place).collect(),
        };
        let wanted = self.open_count() + new;
        self.reassign_skipped()?;
        let (mut turn, mut fruitless) = (0, 0);
        while self.open_count() < wanted && self.stop.is_none() && fruitless < people.len() {
            let before = self.open_count();
            self.draw_for(people[turn % people.len()])?;
            turn += 1;
            fruitless = if self.open_count() > before {
                0
            } else {
                fruitless + 1
            };
        }
        Ok(())
    }

    /// The number of open questions, those of annotators who are not listed any more among them.
    fn open_count(&self) -> usize {
        self.journal().open_count()
    }

    /// The assignment of questions to annotators.
    pub(super) fn dealing(&self) -> Ref<'_, AnnotatorAssignment> {
        Ref::map(self.people.borrow(), BatchFeedback::dealing)
    }

    /// Takes an answer that is final.
    pub(super) fn take(&mut self, put: Assignment, given: Response) -> Result<()> {
        let given = [(put, given)];
        self.people
            .borrow_mut()
            .journal_mut()
            .answer(&given, false)?;
        self.advance()
    }

    /// Whether further answers can change nothing.
    pub(super) fn is_decided(&self) -> bool {
        is_final(self.stop)
    }

    /// Deals skipped questions to others.
    fn reassign_skipped(&mut self) -> Result<()> {
        if self.stop.is_some() {
            return Ok(());
        }
        self.people.borrow_mut().reassign_skipped().map(drop)
    }

    /// The names of annotators with so many open questions that no new ones are asked.
    #[cfg(feature = "serve")]
    pub(super) fn waited_for(&self) -> Option<String> {
        let person = self.people.borrow().most_waiting()?;
        self.name_of(person)
    }

    /// Draws questions until one is dealt to an annotator, or it seems that none will be.
    fn draw_for(&mut self, person: u32) -> Result<()> {
        if self.people.borrow().most_waiting().is_some() {
            return Ok(());
        }
        self.refresh()?;
        self.people.borrow_mut().demand(Some(person));
        let stop = self.run.advance()?;
        // Draws after the last question leave no trace in the journal. A second opinion on the way does not end the
        // drawing, so an open question does not prove that the drawing ended with one.
        self.needs_replay = !self.people.borrow().is_met();
        self.people.borrow_mut().pose()?;
        self.people.borrow_mut().demand(None);
        self.may_be_done = self.open(person).is_none();
        if self.may_be_done {
            let arrived = self.journal().arrived();
            self.last_fruitless.insert(person, arrived);
        }
        self.stop = stop.filter(|stop| *stop != Stop::Ended);
        Ok(())
    }

    /// The next action where nothing is open.
    fn idle(&self, person: u32) -> NextAction {
        match self.stop {
            Some(stop) => return NextAction::Done(self.why_stopped(stop)),
            None if self.is_panel() => return NextAction::Done(NoTaskReason::Exhausted),
            None => {}
        }
        let seen = self.people.borrow().seen_by(person);
        if seen >= self.campaign.question_count() {
            return NextAction::Done(NoTaskReason::Exhausted);
        }
        let others = self.people().into_iter().map(|(place, _)| place);
        let mut everybody = others.chain([person]);
        let journal = self.journal();
        let is_held = |person| matches!(journal.held(person), Some(TaskId::Question(_)));
        match everybody.any(|one| self.open(one).is_some() || is_held(one)) {
            true => NextAction::Wait,
            false => NextAction::Done(NoTaskReason::Exhausted),
        }
    }

    /// The reason why nothing new is asked after such a stop. Others may still have questions that were drawn for them.
    fn why_stopped(&self, stop: Stop) -> NoTaskReason {
        match stop {
            Stop::Budget | Stop::Steps => NoTaskReason::Spent,
            _ if self.is_disowned() => NoTaskReason::Exhausted,
            _ => NoTaskReason::Over,
        }
    }

    /// Whether some answers in the evidence no longer hold.
    fn is_disowned(&self) -> bool {
        let is_corrected = self.run.is_corrected();
        disowned(&self.journal(), &self.dealing(), is_corrected).is_some()
    }

    /// The reason why nobody is asked anything new any more; `None` while somebody is.
    #[cfg(feature = "serve")]
    pub(super) fn stopped(&self) -> Option<NoTaskReason> {
        self.stop.map(|stop| self.why_stopped(stop))
    }

    /// The oldest open question of an annotator.
    pub fn open(&self, person: u32) -> Option<Assignment> {
        let batch = self.people.borrow();
        if !batch.dealing().is_listed(person) {
            return None;
        }
        batch.journal().open_of(person).next().copied()
    }

    /// A question whose answer was taken back, by its annotator or after it had counted, until they answer it again.
    fn open_again(&self, person: u32) -> Option<Assignment> {
        let journal = self.journal();
        let mut open = journal.open_of(person).copied();
        let put = journal.taken_back(person);
        let put = put.or_else(|| open.find(|put| journal.is_disowned(*put)))?;
        self.dealing().is_listed(person).then_some(put)
    }

    /// The number of questions that an annotator answered or skipped, and of open ones.
    pub fn progress(&self, person: u32) -> (usize, usize) {
        let journal = self.journal();
        let open = journal.open_of(person).count();
        (journal.assigned(person).len() - open, open)
    }

    /// The number of questions that an annotator answered, and of those that they skipped.
    pub(super) fn answered_and_skipped(&self, person: u32) -> [u64; 2] {
        let journal = self.journal();
        let assigned = journal.assigned(person).iter();
        let given = assigned.filter_map(|&put| journal.response(put));
        given.fold([0; 2], |[answered, skipped], given| {
            match given.is_answer() {
                true => [answered + 1, skipped],
                false => [answered, skipped + 1],
            }
        })
    }

    /// The number of tasks before an annotator who did `given` and has `open` ones, where it is known: one annotator
    /// rates a whole plan, a visitor has one block. With checks mixed in it is not known.
    #[cfg(feature = "serve")]
    pub(super) fn left_of_plan(&self, given: usize, open: usize) -> Option<usize> {
        let context = self.campaign.context();
        let checks = &context.task.checks;
        if checks.rate != 0.0 || checks.training() != 0 {
            return None;
        }
        match (self.campaign, context.people()) {
            (Campaign::Ratings(_), People::One) => {
                Some(self.campaign.question_count().saturating_sub(given))
            }
            (_, People::Panel) => Some(open),
            _ => None,
        }
    }

    /// The question of an assignment.
    pub fn question(&self, put: Assignment) -> Option<PairQuestion> {
        let journal = self.journal();
        journal.question(put.id).map(|posed| posed.question)
    }

    /// Takes an annotator's answer; it may be taken back until they give another.
    ///
    /// # Errors
    /// If the journal cannot be written or the run not go on.
    pub fn give(&mut self, put: Assignment, given: Response) -> Result<AnswerReceipt> {
        if let Some(was) = self.journal().response(put) {
            return Ok(match was.says_the_same(&given) {
                true => AnswerReceipt::Known,
                false => AnswerReceipt::Closed,
            });
        }
        let given = [(put, given)];
        self.people
            .borrow_mut()
            .journal_mut()
            .answer(&given, true)?;
        self.advance()?;
        Ok(AnswerReceipt::New)
    }

    /// The key, among the words of a page, of the reason why a final answer cannot be corrected; `None` where it can:
    /// ratings are of outputs that were drawn beforehand, and what was skipped has no answer yet.
    #[cfg(feature = "serve")]
    pub(super) fn why_fixed(&self, put: Assignment) -> Option<&'static str> {
        if !self
            .journal()
            .response(put)
            .is_some_and(Response::is_answer)
        {
            return None;
        }
        match self.campaign {
            Campaign::Pairs(_) => Some("fixed-by-choice"),
            Campaign::Ratings(ratings) => ratings.is_watched().then_some("fixed-by-look"),
        }
    }

    /// Takes another answer to a question in place of the earlier one, where that can be corrected.
    #[cfg(feature = "serve")]
    pub(super) fn correct(&mut self, put: Assignment, given: Response) -> Result<AnswerReceipt> {
        let was = self.journal().response(put).cloned();
        match was {
            Some(was) if was.says_the_same(&given) && was.comment == given.comment => {
                return Ok(AnswerReceipt::Known);
            }
            Some(_) if self.why_fixed(put).is_some() => return Ok(AnswerReceipt::Closed),
            Some(_) => {}
            None => return self.give(put, given),
        }
        let person = self.journal().person(put);
        {
            let mut people = self.people.borrow_mut();
            let journal = people.journal_mut();
            journal.settle(|one| one == person)?;
            journal.disown(&[put])?;
            journal.answer(&[(put, given)], true)?;
        }
        self.advance()?;
        Ok(AnswerReceipt::New)
    }

    /// Logs an annotator's answer to a check.
    #[cfg(feature = "serve")]
    pub(super) fn check(&mut self, checked: CheckResult) -> Result<()> {
        self.people.borrow_mut().journal_mut().check(checked)?;
        self.advance()
    }

    /// The number of answers, second opinions among them.
    #[cfg(feature = "serve")]
    pub(super) fn answers(&self) -> u64 {
        let journal = self.journal();
        let given = journal.posed().flat_map(PosedQuestion::puts);
        let given = given.filter(|(_, given)| given.is_some_and(Response::is_answer));
        given.count() as u64
    }

    /// All answers of an annotator by name; without names those of the only one.
    #[cfg(feature = "serve")]
    pub(super) fn given_by(&self, name: &str) -> Vec<Response> {
        let one = self.campaign.context().people() == People::One;
        let journal = self.journal();
        let given = journal.posed().flat_map(PosedQuestion::puts);
        let given = given.filter_map(|(_, given)| given);
        let is_theirs = |given: &&Response| one || given.annotator.as_deref() == Some(name);
        given.filter(is_theirs).cloned().collect()
    }

    /// The number of open questions of an annotator, by name.
    #[cfg(feature = "serve")]
    pub(super) fn open_of(&self, name: &str) -> usize {
        let place = self.find_person(Some(name));
        place.map_or(0, |place| self.progress(place).1)
    }

    /// Takes an annotator's last answer back, where that is still possible.
    ///
    /// # Errors
    /// If the journal cannot be written or the run not go on.
    pub fn undo(&mut self, person: u32) -> Result<bool> {
        let held = self.journal().held(person);
        self.people.borrow_mut().journal_mut().undo(person)?;
        Ok(held.is_some())
    }

    /// Makes answers final.
    ///
    /// # Errors
    /// If the journal cannot be written or the run not go on.
    pub fn settle(&mut self, whose: impl Fn(u32) -> bool) -> Result<()> {
        let before = self.journal().lines();
        self.people.borrow_mut().journal_mut().settle(whose)?;
        let is_longer = self.journal().lines() > before;
        if is_longer { self.advance() } else { Ok(()) }
    }

    /// The journal, annotators and end of the run, as a replay makes them.
    #[cfg(all(test, feature = "serve"))]
    pub(super) fn replayed_state(&mut self) -> String {
        self.refresh().unwrap();
        let people = self.people.borrow().replayed_state();
        format!("{people}\n{:?}", self.stop)
    }

    /// Passes new answers to the run.
    fn advance(&mut self) -> Result<()> {
        if self.needs_replay {
            return self.refresh();
        }
        let stop = self.run.advance()?;
        let decided = self.run.is_decided().then_some(Stop::Certificate);
        self.stop = stop.or(decided);
        Ok(())
    }

    /// Replays the run, if that is due.
    fn refresh(&mut self) -> Result<()> {
        if std::mem::take(&mut self.needs_replay) {
            self.looked_ahead = None;
            self.people.borrow_mut().rewind();
            self.run = self.campaign.begin_run(self.people)?;
            self.advance()?;
        }
        Ok(())
    }

    /// Whether nobody has an open question, and none is known to come.
    fn is_idle(&self) -> bool {
        let has_begun = self.journal().posed().next().is_some();
        let is_held = self.journal().held_questions().next().is_some();
        has_begun && !is_held && self.may_be_done && self.open_count() == 0
    }

    /// Finds out whether there is a new question, where that may not be.
    fn look_ahead(&mut self) -> Result<()> {
        if self.stop.is_none() && !self.is_panel() && self.is_idle() {
            // Draws after the last question leave no trace in the journal.
            self.needs_replay = true;
            self.people.borrow_mut().look_for_more();
            let stop = self.run.advance();
            self.people.borrow_mut().demand(None);
            self.stop = stop?.filter(|stop| *stop != Stop::Ended);
            let lines = self.journal().lines();
            self.looked_ahead = Some(lines);
        }
        Ok(())
    }

    /// Prepares for the last status, which no stop ends.
    #[cfg(feature = "serve")]
    pub(super) fn end(&self) {
        if let Campaign::Pairs(pairs) = self.campaign {
            pairs.end();
        }
    }

    /// The status of the campaign; its results are stored, for `report`.
    ///
    /// # Errors
    /// If they cannot be found out or stored.
    pub fn status(&mut self, notices: Notices) -> Result<CampaignStatus> {
        let (status, stored) = self.standing(notices)?;
        stored.map(|()| status)
    }

    /// The status of the campaign, and whether its results could be stored, for `report`.
    pub(super) fn standing(&mut self, notices: Notices) -> Result<(CampaignStatus, Result<()>)> {
        if self
            .looked_ahead
            .is_none_or(|lines| lines != self.journal().lines())
        {
            self.refresh()?;
            self.look_ahead()?;
        }
        self.run.standing(self.stop.unwrap_or(Stop::Ended), notices)
    }
}
