//! The thread that owns the campaign: it takes requests one after the other, has what they changed written
//! together, and answers only then.

use super::board::{self, StatusCache};
use super::checks::{self, UNSIDED};
use super::links::Links;
use super::links::SharedLinks;
use super::names::TaskNames;
use super::{annotator_url, open_url};
use crate::campaign::clock::{now, seconds};
use crate::campaign::kinds::{CampaignStatus, Notices};
use crate::campaign::responses::SubmittedAnswer;
use crate::campaign::session::{AnswerReceipt, CampaignSession, NextAction};
use crate::campaign::standing_out;
use crate::campaign::state::{self, Wording};
use crate::campaign::status::ReceivedCounts;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};
use tiebreak_base::error::{Error, Result};
use tiebreak_stages::engine::context::Context;
use tiebreak_stages::journal::{Response, SOMEBODY, TaskId};
use tokio::sync::oneshot;

mod earlier;
#[cfg(test)]
mod histories;
mod trouble;
mod visitors;

use trouble::JournalTrouble;

/// The time for which an answer may be taken back if no other follows it.
const UNDO: Duration = Duration::from_mins(1);

/// The interval at which the clock is read.
const TICK: Duration = Duration::from_millis(200);

/// The number of requests whose changes are written together.
const TOGETHER: usize = 256;

/// The longest comment that is kept, in characters.
const REMARK: usize = 4000;

/// The longest time an answer may have taken, in seconds: a week.
const LONGEST: f64 = 604_800.0;

/// A request to the campaign; annotators are known by the places of their links.
#[derive(Debug)]
pub(super) enum CampaignRequest {
    Task(usize),
    /// An earlier answer of an annotator, by its number.
    Earlier(usize, usize),
    Answer(usize, PostedAnswer),
    Undo(usize, UndoRequest),
    /// A visitor looks at the open link: the token of their own link, where the browser has one.
    Visit(Option<String>),
    /// A visitor begins.
    Admit(Option<String>),
    Codes,
    Status,
    Pause(bool),
    Close(String, bool),
    Answers,
    Journal,
    Report,
}

/// An answer as posted by a page.
#[derive(Debug, Deserialize)]
pub(super) struct PostedAnswer {
    question: String,
    /// Whether it takes the place of an earlier answer.
    #[serde(default)]
    corrects: bool,
    answer: Option<String>,
    scores: Option<BTreeMap<String, f64>>,
    text: Option<String>,
    seconds: Option<f64>,
    comment: Option<String>,
    reason: Option<String>,
}

impl PostedAnswer {
    /// The answer itself, without its metadata.
    fn sent(&self) -> SubmittedAnswer<'_> {
        SubmittedAnswer {
            answer: self.answer.as_deref(),
            scores: self.scores.as_ref(),
            text: self.text.as_deref(),
        }
    }
}

/// A request to take the last answer back, with the question on the screen.
#[derive(Debug, Deserialize)]
pub(super) struct UndoRequest {
    question: Option<String>,
}

/// A request with the channel of its reply.
pub(super) struct PendingRequest {
    pub(super) what: CampaignRequest,
    pub(super) reply: oneshot::Sender<HttpReply>,
}

/// The reply to a request.
#[derive(Debug, Default, PartialEq)]
pub(super) struct HttpReply {
    pub(super) status: u16,
    pub(super) kind: &'static str,
    pub(super) body: Vec<u8>,
    /// The token of the link to which a visitor's browser is led.
    pub(super) leads_to: Option<String>,
}

impl HttpReply {
    pub(super) fn json(status: u16, value: &Value) -> Self {
        Self {
            status,
            kind: "application/json",
            body: value.to_string().into_bytes(),
            leads_to: None,
        }
    }

    pub(super) fn bad(what: &str) -> Self {
        Self::json(400, &json!({ "error": what }))
    }
}

/// A campaign that is served.
pub(super) struct CampaignServer<'s, 'a> {
    session: &'s mut CampaignSession<'a>,
    links: Links,
    /// The same links, as the server that takes requests knows them.
    shared: SharedLinks,
    /// The URL that links begin with.
    base: String,
    wording: &'s Wording,
    folder: &'s Path,
    /// The time of the last request, by the place of the annotator's link.
    last_requests: BTreeMap<usize, u64>,
    /// The start of the time in which each person's last answer may be taken back.
    held: BTreeMap<u32, (TaskId, Instant)>,
    names: TaskNames,
    board: StatusCache,
    /// The number of answers at the beginning.
    before: u64,
    /// Set while nothing can be added to the journal.
    trouble: Option<JournalTrouble>,
    /// Whether the terminal says that there is trouble.
    is_announced: bool,
}

impl<'s, 'a> CampaignServer<'s, 'a> {
    pub(super) fn new(
        session: &'s mut CampaignSession<'a>,
        shared: &SharedLinks,
        base: String,
        wording: &'s Wording,
        folder: &'s Path,
    ) -> Self {
        let before = session.answers();
        let links = shared.read();
        Self {
            shared: shared.clone(),
            names: TaskNames::new(links.admin()),
            session,
            links,
            base,
            wording,
            folder,
            last_requests: BTreeMap::new(),
            held: BTreeMap::new(),
            board: StatusCache::default(),
            before,
            trouble: None,
            is_announced: false,
        }
    }

    /// Takes requests until the user asks to stop.
    pub(super) fn work(
        &mut self,
        context: &Context<'_>,
        requests: &Receiver<PendingRequest>,
    ) -> Result<()> {
        self.session.gather();
        while context.check().is_ok() {
            let first = match requests.recv_timeout(TICK) {
                Ok(first) => Some(first),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Error::failed("the server stopped serving"));
                }
            };
            let more = requests.try_iter().take(TOGETHER);
            let pending: Vec<PendingRequest> = first.into_iter().chain(more).collect();
            let replies = self.reply_all(context, pending.iter().map(|one| &one.what))?;
            for (one, reply) in pending.into_iter().zip(replies) {
                // A client that has gone asks again.
                let _ = one.reply.send(reply);
            }
        }
        Ok(())
    }

    /// Closes the campaign: answers become final, and the status is stored.
    pub(super) fn close(&mut self, context: &Context<'_>) -> Result<CampaignStatus> {
        self.session.end();
        if self.trouble.as_ref().is_some_and(|one| one.is_ahead) {
            // Lines that were refused must not be written after all.
            self.session.roll_back()?;
        }
        self.session.settle(|_| true)?;
        self.session.sync()?;
        let context = context.to_the_end();
        let found = standing_out::store(&context, self.folder, &self.session.journal())?;
        let told = ReceivedCounts {
            new: self.session.answers().saturating_sub(self.before),
            ..ReceivedCounts::default()
        };
        self.session.status(Notices {
            told: Some(told),
            found,
            served: true,
            ..Notices::default()
        })
    }

    /// Makes answers final whose time for taking back is over.
    fn settle_old(&mut self) -> Result<()> {
        {
            let journal = self.session.journal();
            let held = journal.all_held();
            self.held
                .retain(|person, (id, _)| held.get(person) == Some(id));
            for (&person, &id) in held {
                self.held.entry(person).or_insert_with(|| (id, now()));
            }
        }
        let old = |(_, since): &(TaskId, Instant)| now().duration_since(*since) >= UNDO;
        if self.held.values().any(old) {
            let held = std::mem::take(&mut self.held);
            self.session
                .settle(|person| held.get(&person).is_some_and(old))?;
        }
        Ok(())
    }

    fn reply(&mut self, context: &Context<'_>, what: &CampaignRequest) -> Result<HttpReply> {
        match what {
            CampaignRequest::Task(place) => self.task(*place),
            CampaignRequest::Answer(place, posted) => self.answer(*place, posted),
            CampaignRequest::Undo(place, back) => self.undo(*place, back),
            CampaignRequest::Admit(known) => self.admit(known.as_deref()),
            looks => {
                // The board is read from disk.
                self.session.sync()?;
                Ok(self.look_or_explain(context, looks))
            }
        }
    }

    /// Answers a request of the admin; its errors do not stop the server.
    fn look_or_explain(&mut self, context: &Context<'_>, what: &CampaignRequest) -> HttpReply {
        self.look(context, what).unwrap_or_else(|error| {
            let (status, trouble) = match (&error, self.trouble()) {
                (Error::Write { .. }, Some(trouble)) => (503, trouble.to_string()),
                (Error::Write { .. }, None) => (503, error.to_string()),
                _ => (500, error.to_string()),
            };
            HttpReply::json(status, &json!({ "error": trouble }))
        })
    }

    fn look(&mut self, context: &Context<'_>, what: &CampaignRequest) -> Result<HttpReply> {
        match what {
            CampaignRequest::Pause(paused) => self.change_links(|links| links.paused = *paused)?,
            CampaignRequest::Close(annotator, closed) => {
                let Some(place) = self.links.place_of(annotator) else {
                    return Ok(HttpReply::bad("annotator: no annotator has that name"));
                };
                self.change_links(|links| links.close(place, *closed))?;
            }
            CampaignRequest::Answers => return board::answers(self.session),
            CampaignRequest::Journal => return board::journal(self.folder),
            CampaignRequest::Report => return board::report(context, self.session, self.folder),
            CampaignRequest::Earlier(place, number) => return self.earlier(*place, *number),
            CampaignRequest::Visit(known) => return Ok(self.visit(known.as_deref())),
            CampaignRequest::Codes => return board::codes(self.session, &self.links),
            CampaignRequest::Status
            | CampaignRequest::Admit(_)
            | CampaignRequest::Task(_)
            | CampaignRequest::Answer(..)
            | CampaignRequest::Undo(..) => {}
        }
        self.status(context)
    }

    /// Changes links, on disk first.
    fn change_links(&mut self, change: impl FnOnce(&mut Links)) -> Result<()> {
        let mut links = self.links.clone();
        change(&mut links);
        links.write(self.folder)?;
        self.shared.replace(&links);
        self.links = links;
        Ok(())
    }

    /// Returns the annotator of a link by its place; `None` for people who are not listed any more.
    fn person(&self, place: usize) -> Option<u32> {
        let link = self.links.all().get(place)?;
        let name = Some(link.annotator.as_str());
        self.session.find_person(name).ok().filter(|_| !link.closed)
    }

    /// Returns the current task of an annotator.
    fn state(&mut self, place: usize) -> Result<Value> {
        self.last_requests.insert(place, seconds());
        let Some(person) = self.person(place) else {
            return Ok(self.closed(place));
        };
        let at_rest = self.session.stopped().is_some()
            && matches!(
                self.session.undrawn_action(person),
                Some(NextAction::Done(_))
            );
        if self.links.paused && !at_rest {
            let what = Some(self.wording.words.text("resumed"));
            return Ok(state::without("paused", self.session, person, what, None));
        }
        let action = match &self.trouble {
            Some(_) => self.session.undrawn_action(person),
            None => Some(self.session.turn(person)?),
        };
        let action = action.unwrap_or(NextAction::Wait);
        let (mut state, task) = state::state_of(self.session, person, action, self.wording)?;
        if let Some((id, content)) = task {
            state["question"] = json!(self.names.name(person, id, &content));
        }
        if let Some(code) = self.links.code(&self.links.all()[place])
            && state["state"] == "done"
        {
            state["code"] = code.into();
        }
        Ok(state)
    }

    /// Returns the task that an annotator knows by this name. After a restart tasks are named anew, from the latest on,
    /// until one has it: tabs that were open show one of the latest.
    fn task_by_name(&mut self, person: u32, name: &str) -> Result<Option<TaskId>> {
        let known = self.names.task(person, name);
        if known.is_some() || self.names.is_complete(person) {
            return Ok(known);
        }
        for id in self.tasks_so_far(person) {
            if let Some(content) = state::content(self.session, person, id, self.wording)?
                && self.names.name(person, id, &content) == name
            {
                return Ok(Some(id));
            }
        }
        self.names.complete(person);
        Ok(None)
    }

    /// The tasks that an annotator may know, the latest first; those that are yet to come last.
    fn tasks_so_far(&self, person: u32) -> Vec<TaskId> {
        let journal = self.session.journal();
        let due = state::due_check(self.session, person, self.wording);
        let due = due.map(|(served, _)| TaskId::Check(served));
        let checks = journal.checked(person).iter().rev();
        let checks = checks.map(|one| TaskId::Check(one.served));
        let mut open = journal.open_of(person).copied();
        let next = open.next();
        let answered = journal.assigned(person).iter().rev().copied();
        let answered = answered.filter(|&put| journal.response(put).is_some());
        let seen = next.into_iter().chain(answered).map(TaskId::Question);
        let seen = due.into_iter().chain(seen).chain(checks);
        seen.chain(open.map(TaskId::Question)).collect()
    }

    /// The state of a closed link: what was answered there.
    fn closed(&self, place: usize) -> Value {
        let link = self.links.all().get(place);
        let answered = link.map_or(0, |link| self.session.given_by(&link.annotator).len());
        let words = &self.wording.words;
        let stored = match answered {
            0 => None,
            1 => Some(words.text("stored-one").to_string()),
            _ => Some(
                words
                    .text("stored")
                    .replace("{number}", &answered.to_string()),
            ),
        };
        let message: Vec<String> = stored
            .into_iter()
            .chain([words.text("reopened").to_string()])
            .collect();
        let message = message.join(" ");
        json!({
            "state": "closed",
            "progress": { "answered": answered, "left": null },
            "undo": false,
            "feedback": null,
            "message": message,
            "code": null,
        })
    }

    fn task(&mut self, place: usize) -> Result<HttpReply> {
        self.state(place).map(|state| HttpReply::json(200, &state))
    }

    fn answer(&mut self, place: usize, posted: &PostedAnswer) -> Result<HttpReply> {
        let Some(person) = self.person(place) else {
            return Ok(refused(
                self.wording.words.text("link-closed"),
                &self.closed(place),
            ));
        };
        let task = self.task_by_name(person, &posted.question)?;
        let put = match task {
            Some(TaskId::Question(put)) => Some(put),
            Some(TaskId::Check(_)) | None => None,
        };
        let (seed, of) = (self.session.seed(), put.unwrap_or(UNSIDED));
        let parsed = self.wording.task.parse_submitted(posted.sent(), seed, of);
        let given = match parsed.and_then(|parsed| self.with_metadata(place, posted, parsed)) {
            Ok(given) => given,
            Err(what) => return Ok(HttpReply::bad(&what)),
        };
        let (taken, feedback) = match task {
            Some(TaskId::Question(put)) if posted.corrects => {
                (self.session.correct(put, given)?, None)
            }
            Some(TaskId::Question(put)) => (self.session.give(put, given)?, None),
            Some(TaskId::Check(number)) => {
                checks::take(self.session, person, self.wording, (number, &given))?
            }
            None => (AnswerReceipt::Closed, None),
        };
        let mut state = self.state(place)?;
        Ok(match taken {
            AnswerReceipt::New | AnswerReceipt::Known => {
                state["feedback"] = json!(feedback);
                HttpReply::json(200, &state)
            }
            AnswerReceipt::Closed => refused(self.wording.words.text("no-longer-open"), &state),
        })
    }

    /// Adds metadata to a response.
    fn with_metadata(
        &self,
        place: usize,
        posted: &PostedAnswer,
        response: Response,
    ) -> Result<Response, String> {
        let remark = |name: &str, text: &Option<String>| match text.as_deref().map(str::trim) {
            None | Some("") => Ok(None),
            Some(text) if text.chars().count() > REMARK => {
                Err(format!("{name}: longer than {REMARK} characters"))
            }
            Some(text) => Ok(Some(text.to_string())),
        };
        if posted
            .seconds
            .is_some_and(|time| !(0.0..=LONGEST).contains(&time))
        {
            return Err(format!("seconds: expected 0 to {LONGEST}"));
        }
        let link = self.links.all().get(place);
        let name = link.map(|link| link.annotator.clone());
        let given = Response {
            annotator: name.filter(|name| name != SOMEBODY),
            seconds: posted.seconds,
            comment: remark("comment", &posted.comment)?,
            reason: remark("reason", &posted.reason)?,
            at: Some(seconds()),
            ..response
        };
        given.check().map_err(|error| error.to_string())?;
        Ok(given)
    }

    /// Takes an annotator's last answer back, unless that was done already for what they see.
    fn undo(&mut self, place: usize, back: &UndoRequest) -> Result<HttpReply> {
        let Some(person) = self.person(place).filter(|_| !self.links.paused) else {
            return self.task(place);
        };
        let state = self.state(place)?;
        // A request that is sent twice must take back one answer only.
        let seen =
            back.question.is_none() || state["question"].as_str() == back.question.as_deref();
        if seen {
            self.session.undo(person)?;
        }
        self.task(place)
    }

    fn status(&mut self, context: &Context<'_>) -> Result<HttpReply> {
        let url = |token: &str| annotator_url(&self.base, token);
        let mut status = self.board.status(
            context,
            self.session,
            self.folder,
            &self.links,
            &self.last_requests,
            &url,
        )?;
        if let Some(open) = self.links.for_all() {
            status["visitors"]["url"] = open_url(&self.base, &open.token).into();
        }
        status["paused"] = self.links.paused.into();
        status["trouble"] = json!(self.trouble());
        checks::flag(self.session, &mut status);
        Ok(HttpReply::json(200, &status))
    }
}

/// The reply to a refused answer, with what there is to do instead.
fn refused(what: &str, state: &Value) -> HttpReply {
    HttpReply::json(409, &json!({ "error": what, "state": state }))
}
