//! What somebody is shown now, as pages get it: a task with its texts, or why there is none.
//!
//! Nothing in it tells systems apart: texts are on the sides drawn for this person, and a question is known by
//! its number among her own.

use super::course::Course;
use super::session::{Open, Turn, Why};
use super::sheet;
use super::task::Task;
use crate::error::{Error, Result};
use crate::feedback::journal::Put;
use crate::sheets::Codes;
use serde_json::{Value, json};

/// What people are asked, and given at the end.
#[derive(Debug, Clone)]
pub(super) struct Wording {
    pub(super) task: Task,
    /// To be shown elsewhere, by somebody who answered.
    pub(super) code: Option<String>,
}

/// What somebody is to do now, as an object.
pub(super) fn state_of<C: Course>(
    session: &mut Open<'_, C>,
    person: u32,
    wording: &Wording,
) -> Result<Value> {
    match session.turn(person)? {
        Turn::Task(put) => task(session, person, put, wording),
        Turn::Wait => {
            let what = "There may be more for you once others have answered.";
            Ok(without("wait", session, person, Some(what), None))
        }
        Turn::Done(why) => {
            let what = match why {
                Why::Over => "That is all: the campaign has what it needs.",
                Why::Exhausted => "You have answered all there is.",
            };
            let code = wording.code.as_deref();
            Ok(without("done", session, person, Some(what), code))
        }
    }
}

/// That there is no task, and why.
pub(super) fn without<C: Course>(
    state: &str,
    session: &Open<'_, C>,
    person: u32,
    message: Option<&str>,
    code: Option<&str>,
) -> Value {
    json!({
        "state": state,
        "progress": progress(session, person, state == "done"),
        "undo": session.journal().held(person).is_some(),
        "message": message,
        "code": code,
    })
}

fn progress<C: Course>(session: &Open<'_, C>, person: u32, done: bool) -> Value {
    let (answered, open) = session.progress(person);
    json!({ "answered": answered, "left": done.then_some(open) })
}

fn task<C: Course>(
    session: &Open<'_, C>,
    person: u32,
    put: Put,
    wording: &Wording,
) -> Result<Value> {
    let question = session.question(put);
    let question = question.ok_or_else(|| Error::failed("a question that was not posed"))?;
    let codes = Codes::default();
    let row = sheet::row(session.course().ground(), put, &question, &codes)?;
    let mut state = wording.task.state();
    wording.task.show(&row, &mut state);
    for (key, value) in [
        ("question", session.ordinal(person, put).to_string().into()),
        ("undo", session.journal().held(person).is_some().into()),
        ("progress", progress(session, person, false)),
    ] {
        state[key] = value;
    }
    Ok(state)
}
