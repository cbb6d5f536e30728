//! What somebody is shown now, as pages get it: a task with its texts, or why there is none.
//!
//! Nothing in it tells systems apart: texts are on the sides drawn for this person. Nothing tells a check from a
//! question either: a check stands in the place of a question, which stays open.

use super::course::CampaignProtocol;
use super::session::{CampaignSession, NextAction, NoTaskReason};
use super::sheet;
use super::task::{CheckTask, Content, Task};
use serde_json::{Value, json};
use tiebreak_base::error::{Error, Result};
use tiebreak_data::sheets::Codes;
use tiebreak_stages::journal::TaskId;

/// What people are asked, and given at the end.
#[derive(Debug, Clone)]
pub(super) struct Wording {
    pub(super) task: Task,
    /// To be shown elsewhere, by somebody who answered.
    pub(super) code: Option<String>,
}

/// What somebody is to do now, as an object; with the task it is, where it is one, and what that shows. What a task is
/// called is for whoever sends it to say.
pub(super) fn state_of<C: CampaignProtocol>(
    session: &mut CampaignSession<'_, C>,
    person: u32,
    wording: &Wording,
) -> Result<(Value, Option<(TaskId, Content)>)> {
    let state = match session.turn(person)? {
        NextAction::Task(put) => {
            let due = due_check(session, person, wording);
            let id = due.map_or(TaskId::Question(put), |(served, _)| TaskId::Check(served));
            let content = content(session, person, id, wording)?;
            let content =
                content.ok_or_else(|| Error::failed("a check that is due and is not there"))?;
            let state = task(session, person, &content, wording);
            return Ok((state, Some((id, content))));
        }
        NextAction::Wait => {
            let what = "There may be more for you once others have answered.";
            without("wait", session, person, Some(what), None)
        }
        NextAction::Done(why) => {
            let what = match why {
                NoTaskReason::Over => "That is all: the campaign has what it needs.",
                NoTaskReason::Exhausted => "You have answered all there is.",
            };
            let code = wording.code.as_deref();
            without("done", session, person, Some(what), code)
        }
    };
    Ok((state, None))
}

/// That there is no task, and why.
pub(super) fn without<C: CampaignProtocol>(
    state: &str,
    session: &CampaignSession<'_, C>,
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
        "feedback": null,
    })
}

fn progress<C: CampaignProtocol>(
    session: &CampaignSession<'_, C>,
    person: u32,
    done: bool,
) -> Value {
    let (_, open) = session.progress(person);
    json!({ "answered": served(session, person), "left": done.then_some(open) })
}

/// How many tasks somebody has done, checks included.
fn served<C: CampaignProtocol>(session: &CampaignSession<'_, C>, person: u32) -> u64 {
    let (given, _) = session.progress(person);
    (given + session.journal().checked(person).len()) as u64
}

/// The check that is due for somebody in the place of a question, after how many tasks.
pub(super) fn due_check<'w, C: CampaignProtocol>(
    session: &CampaignSession<'_, C>,
    person: u32,
    wording: &'w Wording,
) -> Option<(u64, &'w CheckTask)> {
    let served = served(session, person);
    let checks = &wording.task.checks;
    let check = checks.due(session.seed(), u64::from(person), served)?;
    Some((served, check))
}

/// What a task shows; `None` for a check that the campaign's task has no more.
pub(super) fn content<C: CampaignProtocol>(
    session: &CampaignSession<'_, C>,
    person: u32,
    id: TaskId,
    wording: &Wording,
) -> Result<Option<Content>> {
    let put = match id {
        TaskId::Question(put) => put,
        TaskId::Check(served) => {
            let checks = &wording.task.checks;
            let check = checks.due(session.seed(), u64::from(person), served);
            return Ok(check.map(CheckTask::content));
        }
    };
    let question = session.question(put);
    let question = question.ok_or_else(|| Error::failed("a question that was not posed"))?;
    let codes = Codes::default();
    let row = sheet::row(session.course().ground(), put, &question, &codes)?;
    Ok(Some(wording.task.content(&row)))
}

fn task<C: CampaignProtocol>(
    session: &CampaignSession<'_, C>,
    person: u32,
    content: &Content,
    wording: &Wording,
) -> Value {
    let mut state = wording.task.state();
    content.show(&mut state);
    for (key, value) in [
        ("question", Value::Null),
        ("undo", session.journal().held(person).is_some().into()),
        ("progress", progress(session, person, false)),
    ] {
        state[key] = value;
    }
    state
}
