//! Tasks whose answer is known, among those of a campaign: to learn from, and to see who reads what she judges.
//!
//! They stand in the place of a question that stays open, are journalled, and are no evidence. Nothing that the page
//! receives tells them from questions, but for what training says afterwards: they have names like all tasks,
//! count as answered, can be taken back as long, and what cannot be taken is refused in the same words. So an
//! answer to a check is journalled at once and, where it is taken back and given anew, journalled again.

use super::names::{Names, Task};
use crate::campaign::clock::now;
use crate::campaign::course::Course;
use crate::campaign::session::{Open, Taken};
use crate::campaign::state::Wording;
use crate::campaign::task::Check;
use crate::duel::DuelId;
use crate::error::Result;
use crate::feedback::journal::{Checked, Given, Put};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// As what an answer to a check is read and told: put to the same person both times, it stands as she gave it,
/// whatever sides are.
pub(super) const UNSIDED: Put = Put {
    id: DuelId(0),
    second: None,
};

/// The checks that people have just done.
#[derive(Debug, Default)]
pub(super) struct Checks {
    /// Who may take her last one back, and since when.
    held: BTreeMap<u32, Instant>,
    /// Who has done so.
    back: BTreeSet<u32>,
}

impl Checks {
    /// How many tasks somebody has done, checks included.
    pub(super) fn served<C: Course>(&self, session: &Open<'_, C>, person: u32) -> u64 {
        let (given, _) = session.progress(person);
        let checked = session.journal().checked(person).len();
        (given + checked - usize::from(self.back.contains(&person))) as u64
    }

    /// What is due for somebody in the place of a question.
    fn due<'w, C: Course>(
        &self,
        session: &Open<'_, C>,
        person: u32,
        wording: &'w Wording,
    ) -> Option<(u64, &'w Check)> {
        let served = self.served(session, person);
        let checks = &wording.task.checks;
        let check = checks.due(session.seed(), u64::from(person), served)?;
        Some((served, check))
    }

    /// What somebody is to do as she gets it: a check in the place of a question where one is due.
    pub(super) fn among<C: Course>(
        &self,
        session: &Open<'_, C>,
        person: u32,
        (wording, names): (&Wording, &Names),
        mut state: Value,
    ) -> Value {
        let served = self.served(session, person);
        let undo = self.held.contains_key(&person) || state["undo"] == true;
        state["undo"] = json!(undo);
        state["progress"]["answered"] = json!(served);
        state["feedback"] = Value::Null;
        if state["state"] != "task" {
            return state;
        }
        let ordinal = state["question"]
            .as_str()
            .and_then(|text| text.parse().ok());
        let mut task = Task::Question(ordinal.unwrap_or(0));
        if let Some((served, check)) = self.due(session, person, wording) {
            task = Task::Check(served);
            for (key, value) in [
                ("source", json!(check.source)),
                ("references", json!([])),
                ("passage", json!(check.passage)),
                ("texts", json!(check.texts)),
            ] {
                state[key] = value;
            }
        }
        state["question"] = json!(names.name(person, task));
        state
    }

    /// Takes an answer to a check; with what is said to it, where it is new.
    pub(super) fn take<C: Course>(
        &mut self,
        session: &mut Open<'_, C>,
        person: u32,
        wording: &Wording,
        (number, given): (u64, &Given),
    ) -> Result<(Taken, Option<String>)> {
        let answer = wording.task.words(given, session.seed(), UNSIDED);
        let done = {
            let journal = session.journal();
            let mut done = journal.checked(person).iter();
            let done = done.find(|one| one.served == number);
            done.map(|one| one.answer == answer)
        };
        let due = self.due(session, person, wording);
        let due = due.filter(|(due, _)| *due == number);
        let Some((served, check)) = due else {
            let known = done == Some(true);
            let taken = if known { Taken::Known } else { Taken::Closed };
            return Ok((taken, None));
        };
        let rated = given.rated.clone().unwrap_or_default();
        let right = check.is_right(Some(&answer), &rated.scores);
        session.check(Checked {
            person,
            served,
            answer,
            right,
            seconds: given.seconds,
        })?;
        self.back.remove(&person);
        self.held.insert(person, now());
        Ok((Taken::New, check.feedback(right).map(str::to_string)))
    }

    /// Somebody did another task: what she did before is final.
    pub(super) fn goes_on(&mut self, person: u32) {
        self.held.remove(&person);
        self.back.remove(&person);
    }

    /// Takes the last thing back that somebody did, where that is a check and not too old.
    pub(super) fn undo(&mut self, person: u32) -> bool {
        let held = self.held.remove(&person).is_some();
        if held {
            self.back.insert(person);
        }
        held
    }

    /// What is older than this cannot be taken back.
    pub(super) fn settle_old(&mut self, most: Duration) {
        self.held
            .retain(|_, since| now().duration_since(*since) < most);
    }
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
