//! Tasks whose answer is known, among those of a campaign: to learn from, and to see who reads what she judges.
//!
//! They stand in the place of a question that stays open, are journalled, and are no evidence. They show no system's output,
//! so whoever looks at what the page receives can tell them from questions; whoever looks at the page cannot.

use super::desk::Said;
use crate::campaign::course::Course;
use crate::campaign::session::Open;
use crate::campaign::state::Wording;
use crate::campaign::task::Check;
use crate::duel::DuelId;
use crate::error::Result;
use crate::feedback::journal::{Checked, Put};
use serde_json::{Value, json};

/// Before the number of a check, where questions have a number alone.
const MARK: char = 'c';

/// What became of an answer.
pub(super) enum Taken {
    /// It is journalled; what is said to it.
    New(Option<String>),
    /// It was known.
    Known,
    /// Another one was.
    Closed,
}

pub(super) fn is_check(question: &str) -> bool {
    question.starts_with(MARK)
}

/// How many tasks somebody has done, checks included.
fn served<C: Course>(session: &Open<'_, C>, person: u32) -> u64 {
    let (given, _) = session.progress(person);
    let checked = session.journal().checked(person).len();
    (given + checked) as u64
}

/// What is due for somebody in the place of a question.
fn due<'w, C: Course>(
    session: &Open<'_, C>,
    person: u32,
    wording: &'w Wording,
) -> Option<(u64, &'w Check)> {
    let served = served(session, person);
    let checks = &wording.task.checks;
    let check = checks.due(session.seed(), u64::from(person), served)?;
    Some((served, check))
}

/// A check in the place of a question, where one is due.
pub(super) fn instead<C: Course>(
    session: &Open<'_, C>,
    person: u32,
    wording: &Wording,
    mut state: Value,
) -> Value {
    if state["state"] != "task" {
        return state;
    }
    if let Some((served, check)) = due(session, person, wording) {
        for (key, value) in [
            ("question", json!(format!("{MARK}{served}"))),
            ("source", json!(check.source)),
            ("references", json!([])),
            ("passage", json!(check.passage)),
            ("texts", json!(check.texts)),
            ("undo", json!(false)),
        ] {
            state[key] = value;
        }
    }
    state
}

/// Takes an answer to a check.
pub(super) fn take<C: Course>(
    session: &mut Open<'_, C>,
    person: u32,
    wording: &Wording,
    said: &Said,
) -> Result<Taken> {
    let number = said.question.strip_prefix(MARK);
    let number: Option<u64> = number.and_then(|number| number.parse().ok());
    // Read and repeated as put to the same person, an answer stands as she gave it, whatever sides are.
    let put = Put::dealt(DuelId(0));
    let heard = wording.task.heard(said.sent(), session.seed(), put);
    let (Some(number), Ok(heard)) = (number, heard) else {
        return Ok(Taken::Closed);
    };
    let answer = wording.task.words(&heard, session.seed(), put);
    let same = {
        let journal = session.journal();
        let mut done = journal.checked(person).iter();
        let done = done.find(|one| one.served == number);
        done.map(|one| one.answer == answer)
    };
    if let Some(same) = same {
        return Ok(if same { Taken::Known } else { Taken::Closed });
    }
    let Some((served, check)) = due(session, person, wording).filter(|(due, _)| *due == number)
    else {
        return Ok(Taken::Closed);
    };
    let rated = heard.rated.unwrap_or_default();
    let right = check.is_right(Some(&answer), &rated.scores);
    session.check(Checked {
        person,
        served,
        answer,
        right,
        seconds: said.seconds.filter(|seconds| seconds.is_finite()),
    })?;
    Ok(Taken::New(check.feedback(right).map(str::to_string)))
}

/// Says of everybody who did not pass all checks after training how many.
pub(super) fn flag<C: Course>(session: &Open<'_, C>, wording: &Wording, status: &mut Value) {
    let training = wording.task.checks.training();
    for person in status["annotators"].as_array_mut().into_iter().flatten() {
        let Ok(place) = session.place(person["name"].as_str()) else {
            continue;
        };
        let journal = session.journal();
        let done = journal.checked(place).iter();
        let done: Vec<bool> = done
            .filter(|one| one.served >= training)
            .map(|one| one.right)
            .collect();
        let failed = done.iter().filter(|right| !**right).count();
        if failed > 0
            && let Some(flags) = person["flags"].as_array_mut()
        {
            flags.push(json!(format!("{failed} of {} checks failed", done.len())));
        }
    }
}
