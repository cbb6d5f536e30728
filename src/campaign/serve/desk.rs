//! The thread that owns the campaign: it takes requests one after the other, has what they changed written
//! together, and answers only then.

use super::annotator_url;
use super::board::{self, Board};
use super::checks::{self, Checks, UNSIDED};
use super::links::{Links, SOMEBODY};
use super::names::{Names, Task};
use crate::campaign::clock::{now, seconds};
use crate::campaign::course::{Course, Word};
use crate::campaign::said::Sent;
use crate::campaign::session::{Open, Taken};
use crate::campaign::standing_out;
use crate::campaign::state::{self, Wording};
use crate::campaign::status::Received;
use crate::engine::context::Context;
use crate::error::{Error, Result};
use crate::feedback::journal::{Given, Put};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// So long an answer may be taken back where nothing follows it.
const UNDO: Duration = Duration::from_mins(1);

/// How often the clock is looked at.
const TICK: Duration = Duration::from_millis(200);

/// Requests whose changes are written together.
const TOGETHER: usize = 256;

/// The longest remark that is kept, in characters.
const REMARK: usize = 4000;

/// The longest time an answer may have taken, in seconds: a week.
const LONGEST: f64 = 604_800.0;

/// What is asked of the campaign; people are known by the places of their links.
#[derive(Debug)]
pub(super) enum What {
    Task(usize),
    Answer(usize, PostedAnswer),
    Undo(usize, Back),
    Status,
    Pause(bool),
    Close(String, bool),
    Answers,
    Journal,
    Report,
}

/// What somebody said.
#[derive(Debug, Deserialize)]
pub(super) struct PostedAnswer {
    question: String,
    answer: Option<String>,
    scores: Option<BTreeMap<String, f64>>,
    text: Option<String>,
    seconds: Option<f64>,
    comment: Option<String>,
    reason: Option<String>,
}

impl PostedAnswer {
    /// The answer itself.
    fn sent(&self) -> Sent<'_> {
        Sent {
            answer: self.answer.as_deref(),
            scores: self.scores.as_ref(),
            text: self.text.as_deref(),
        }
    }
}

/// What somebody sees when she wants to take her last answer back.
#[derive(Debug, Deserialize)]
pub(super) struct Back {
    question: Option<String>,
}

/// A request, and where its reply goes.
pub(super) struct Request {
    pub(super) what: What,
    pub(super) reply: oneshot::Sender<Reply>,
}

/// What is sent back.
#[derive(Debug, PartialEq)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) kind: &'static str,
    pub(super) body: Vec<u8>,
}

impl Reply {
    pub(super) fn json(status: u16, value: &Value) -> Self {
        Self {
            status,
            kind: "application/json",
            body: value.to_string().into_bytes(),
        }
    }

    pub(super) fn bad(what: &str) -> Self {
        Self::json(400, &json!({ "error": what }))
    }
}

/// A campaign that is served.
pub(super) struct Desk<'s, 'a, C: Course> {
    session: &'s mut Open<'a, C>,
    links: Links,
    at: SocketAddr,
    wording: &'s Wording,
    folder: &'s Path,
    /// When somebody was last heard of, by the place of her link.
    heard: BTreeMap<usize, u64>,
    /// Since when the last answer of each person may be taken back.
    held: BTreeMap<u32, (Put, Instant)>,
    checks: Checks,
    names: Names,
    board: Board,
    /// Answers that were there at the beginning.
    before: u64,
}

impl<'s, 'a, C: Course> Desk<'s, 'a, C> {
    pub(super) fn new(
        session: &'s mut Open<'a, C>,
        links: Links,
        at: SocketAddr,
        wording: &'s Wording,
        folder: &'s Path,
    ) -> Self {
        let before = session.answers();
        Self {
            checks: Checks::default(),
            names: Names::new(links.admin()),
            session,
            links,
            at,
            wording,
            folder,
            heard: BTreeMap::new(),
            held: BTreeMap::new(),
            board: Board::default(),
            before,
        }
    }

    /// Takes requests until the user asks to stop.
    pub(super) fn work(
        &mut self,
        context: &Context<'_>,
        requests: &Receiver<Request>,
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
            let mut replies = Vec::new();
            for Request { what, reply } in first.into_iter().chain(more) {
                replies.push((reply, self.reply(context, what)?));
            }
            self.settle_old()?;
            self.session.sync()?;
            for (to, reply) in replies {
                // Whoever has gone asks again.
                let _ = to.send(reply);
            }
        }
        Ok(())
    }

    /// The end: what was answered is final, and how the campaign stands is on disk.
    pub(super) fn close(&mut self, context: &Context<'_>) -> Result<C::Status> {
        self.session.settle(|_| true)?;
        self.session.sync()?;
        let context = context.to_the_end();
        let found = standing_out::store(&context, self.folder, &self.session.journal())?;
        let told = Received {
            new: self.session.answers().saturating_sub(self.before),
            ..Received::default()
        };
        self.session.status(Word {
            told: Some(told),
            found,
            served: true,
            ..Word::default()
        })
    }

    /// Answers cannot be taken back for ever.
    fn settle_old(&mut self) -> Result<()> {
        self.checks.settle_old(UNDO);
        let held = self.session.held();
        self.held
            .retain(|person, (put, _)| held.get(person) == Some(put));
        for (&person, &put) in &held {
            self.held.entry(person).or_insert_with(|| (put, now()));
        }
        let old = |(_, since): &(Put, Instant)| now().duration_since(*since) >= UNDO;
        if self.held.values().any(old) {
            let held = std::mem::take(&mut self.held);
            self.session
                .settle(|person| held.get(&person).is_some_and(old))?;
        }
        Ok(())
    }

    fn reply(&mut self, context: &Context<'_>, what: What) -> Result<Reply> {
        match what {
            What::Task(place) => self.task(place),
            What::Answer(place, said) => self.answer(place, &said),
            What::Undo(place, back) => self.undo(place, &back),
            looks => {
                // What is looked at lies on disk.
                self.session.sync()?;
                let looked = self.look(context, looks);
                Ok(looked.unwrap_or_else(|error| {
                    Reply::json(500, &json!({ "error": error.to_string() }))
                }))
            }
        }
    }

    /// What whoever runs the campaign asks for; what goes wrong there stands in nobody's way.
    fn look(&mut self, context: &Context<'_>, what: What) -> Result<Reply> {
        match what {
            What::Pause(paused) => {
                self.links.paused = paused;
                self.links.write(self.folder)?;
            }
            What::Close(annotator, closed) => {
                let Some(place) = self.links.place_of(&annotator) else {
                    return Ok(Reply::bad("annotator: nobody of that name"));
                };
                self.links.close(place, closed);
                self.links.write(self.folder)?;
            }
            What::Answers => return board::answers(self.session),
            What::Journal => return board::journal(self.folder),
            What::Report => return board::report(context, self.session, self.folder),
            What::Status | What::Task(_) | What::Answer(..) | What::Undo(..) => {}
        }
        self.status(context)
    }

    /// Whose place among the people asked a link is; `None` for people who are not asked any more.
    fn person(&self, place: usize) -> Option<u32> {
        let link = self.links.all().get(place)?;
        let name = Some(link.annotator.as_str());
        self.session.place(name).ok().filter(|_| !link.closed)
    }

    /// What somebody is to do now.
    fn state(&mut self, place: usize) -> Result<Value> {
        self.heard.insert(place, seconds());
        let Some(person) = self.person(place) else {
            return Ok(closed());
        };
        let state = match self.links.paused {
            true => {
                let what = Some("The campaign is paused. This page goes on by itself.");
                state::without("paused", self.session, person, what, None)
            }
            false => state::state_of(self.session, person, self.wording)?,
        };
        let how = (self.wording, &self.names);
        Ok(self.checks.among(self.session, person, how, state))
    }

    fn task(&mut self, place: usize) -> Result<Reply> {
        self.state(place).map(|state| Reply::json(200, &state))
    }

    fn answer(&mut self, place: usize, said: &PostedAnswer) -> Result<Reply> {
        let Some(person) = self.person(place) else {
            return Ok(Reply::json(200, &closed()));
        };
        let task = self.named(person, &said.question);
        let put = match task {
            Some(Task::Question(number)) => self.session.numbered(person, number),
            Some(Task::Check(_)) | None => None,
        };
        let (seed, of) = (self.session.seed(), put.unwrap_or(UNSIDED));
        let heard = self.wording.task.heard(said.sent(), seed, of);
        let given = match heard.and_then(|heard| self.beside(place, said, heard)) {
            Ok(given) => given,
            Err(what) => return Ok(Reply::bad(&what)),
        };
        let (taken, feedback) = match (put, task) {
            (Some(put), _) => {
                let taken = self.session.give(put, given)?;
                if taken == Taken::New {
                    self.checks.goes_on(person);
                }
                (taken, None)
            }
            (None, Some(Task::Check(number))) => {
                let said = (number, &given);
                self.checks.take(self.session, person, self.wording, said)?
            }
            (None, _) => (Taken::Closed, None),
        };
        let mut state = self.state(place)?;
        Ok(match taken {
            Taken::New | Taken::Known => {
                state["feedback"] = json!(feedback);
                Reply::json(200, &state)
            }
            Taken::Closed => {
                let what = "this question is not open any more";
                Reply::json(409, &json!({ "error": what, "state": state }))
            }
        })
    }

    /// The task that somebody knows by this name.
    fn named(&self, person: u32, name: &str) -> Option<Task> {
        let (given, open) = self.session.progress(person);
        let tasks = self.checks.served(self.session, person) + 1;
        self.names.find(person, name, given + open, tasks)
    }

    /// What was heard, with what comes beside it.
    fn beside(&self, place: usize, said: &PostedAnswer, heard: Given) -> Result<Given, String> {
        let remark = |name: &str, text: &Option<String>| match text.as_deref().map(str::trim) {
            None | Some("") => Ok(None),
            Some(text) if text.chars().count() > REMARK => {
                Err(format!("{name}: longer than {REMARK} characters"))
            }
            Some(text) => Ok(Some(text.to_string())),
        };
        if said
            .seconds
            .is_some_and(|time| !(0.0..=LONGEST).contains(&time))
        {
            return Err(format!("seconds: expected 0 to {LONGEST}"));
        }
        let link = self.links.all().get(place);
        let name = link.map(|link| link.annotator.clone());
        Ok(Given {
            annotator: name.filter(|name| name != SOMEBODY),
            seconds: said.seconds,
            comment: remark("comment", &said.comment)?,
            reason: remark("reason", &said.reason)?,
            at: Some(seconds()),
            ..heard
        })
    }

    /// Takes somebody's last answer back, unless that was done for what she sees.
    fn undo(&mut self, place: usize, back: &Back) -> Result<Reply> {
        let Some(person) = self.person(place).filter(|_| !self.links.paused) else {
            return self.task(place);
        };
        let state = self.state(place)?;
        // A request that is sent again must not take back one answer more.
        let seen =
            back.question.is_none() || state["question"].as_str() == back.question.as_deref();
        if seen && !self.checks.undo(person) {
            self.session.undo(person)?;
        }
        self.task(place)
    }

    fn status(&mut self, context: &Context<'_>) -> Result<Reply> {
        let url = |token: &str| annotator_url(self.at, token);
        let mut status = self.board.status(
            context,
            self.session,
            self.folder,
            &self.links,
            &self.heard,
            &url,
        )?;
        status["paused"] = self.links.paused.into();
        checks::flag(self.session, self.wording, &mut status);
        Ok(Reply::json(200, &status))
    }
}

fn closed() -> Value {
    json!({
        "state": "closed",
        "progress": { "answered": 0, "left": null },
        "undo": false,
        "feedback": null,
        "message": "This link is closed. Thank you for what you answered.",
        "code": null,
    })
}
