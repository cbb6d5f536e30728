//! The state of an annotator, as pages get it: a task with its texts, or why there is none.
//!
//! Nothing in it reveals systems: texts are on the sides drawn for this annotator. Nothing reveals a check either: it
//! takes the place of a question, which stays open.

use super::page::PageWords;
use super::session::{CampaignSession, NextAction};
use super::sheet;
use super::task::{CheckTask, Content, Task};
use serde_json::{Value, json};
use tiebreak_base::error::{Error, Result};
use tiebreak_data::sheets::Codes;
#[cfg(feature = "serve")]
use tiebreak_stages::journal::Assignment;
use tiebreak_stages::journal::TaskId;

/// The wording of a campaign: its task, the words of its page, and the code at the end.
#[derive(Debug, Clone)]
pub(super) struct Wording {
    pub(super) task: Task,
    pub(super) words: PageWords,
    /// The code that annotators may show elsewhere.
    pub(super) code: Option<String>,
}

/// Returns the state of an annotator whose next action this is as an object; with it the task, if there is one, and
/// its contents. The caller adds the task's name.
pub(super) fn state_of(
    session: &mut CampaignSession<'_>,
    person: u32,
    action: NextAction,
    wording: &Wording,
) -> Result<(Value, Option<(TaskId, Content)>)> {
    let state = match action {
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
            let what = wording.words.text("others-first");
            without("wait", session, person, Some(what), None)
        }
        NextAction::Done(why) => {
            let code = wording.code.as_deref();
            let what = wording.words.text(why.key());
            without("done", session, person, Some(what), code)
        }
    };
    Ok((state, None))
}

/// Returns the state without a task, with the reason.
pub(super) fn without(
    state: &str,
    session: &CampaignSession<'_>,
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

fn progress(session: &CampaignSession<'_>, person: u32, done: bool) -> Value {
    let (given, open) = session.progress(person);
    // Once nothing more is asked, what is open is not needed either.
    let left = done
        .then_some(0)
        .or_else(|| session.left_of_plan(given, open));
    json!({ "answered": served(session, person, given), "left": left })
}

/// The number of tasks that an annotator has done, checks included; `given` are those without.
fn served(session: &CampaignSession<'_>, person: u32, given: usize) -> u64 {
    (given + session.journal().checked(person).len()) as u64
}

/// The check that is due for an annotator in the place of a question, given the tasks done.
pub(super) fn due_check<'w>(
    session: &CampaignSession<'_>,
    person: u32,
    wording: &'w Wording,
) -> Option<(u64, &'w CheckTask)> {
    let served = served(session, person, session.progress(person).0);
    let checks = &wording.task.checks;
    let check = checks.due(session.seed(), u64::from(person), served)?;
    Some((served, check))
}

/// The contents of a task; `None` for a check that is no longer part of the campaign's task.
pub(super) fn content(
    session: &CampaignSession<'_>,
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
    let row = sheet::row(session.campaign().context(), put, &question, &codes)?;
    Ok(Some(wording.task.content(&row)))
}

/// Returns an answered question with its answer, and why that cannot be corrected where it cannot. The caller adds the
/// question's name.
#[cfg(feature = "serve")]
pub(super) fn earlier(
    session: &CampaignSession<'_>,
    put: Assignment,
    content: &Content,
    wording: &Wording,
) -> Value {
    let mut state = wording.task.state();
    wording.task.show(content, &mut state);
    let journal = session.journal();
    let given = journal.response(put).cloned().unwrap_or_default();
    let fixed = session.why_fixed(put);
    let held = journal.held(journal.person(put)) == Some(TaskId::Question(put));
    let why = fixed.map(|why| {
        let first = Some(why).filter(|_| !held);
        let keys: Vec<&str> = first.into_iter().chain(["may-undo"]).collect();
        let texts = keys.iter().map(|key| wording.words.text(key));
        texts.collect::<Vec<_>>().join(" ")
    });
    state["state"] = "earlier".into();
    state["undo"] = false.into();
    state["correctable"] = fixed.is_none().into();
    state["message"] = json!(why);
    state["said"] = json!({
        "answer": wording.task.chosen(&given, session.seed(), put),
        "scores": given.rated.as_ref().map(|rated| &rated.scores),
        "text": given.rated.as_ref().and_then(|rated| rated.text.as_ref()),
        "comment": given.comment,
    });
    state
}

fn task(session: &CampaignSession<'_>, person: u32, content: &Content, wording: &Wording) -> Value {
    let mut state = wording.task.state();
    wording.task.show(content, &mut state);
    for (key, value) in [
        ("question", Value::Null),
        ("undo", session.journal().held(person).is_some().into()),
        ("progress", progress(session, person, false)),
    ] {
        state[key] = value;
    }
    state
}
