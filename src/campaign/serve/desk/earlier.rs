//! Earlier answers of an annotator: looked at one by one and, where nothing depends on them yet, corrected.

use super::{CampaignServer, HttpReply};
use crate::campaign::state;
use tiebreak_base::error::{Error, Result};
use tiebreak_stages::journal::{Assignment, TaskId};

impl CampaignServer<'_, '_> {
    /// Replies with an annotator's answer of this number, from 1 on in the order of their questions; 0 is the latest.
    pub(super) fn earlier(&mut self, place: usize, number: usize) -> Result<HttpReply> {
        let Some(person) = self.person(place) else {
            return self.task(place);
        };
        let answered: Vec<Assignment> = {
            let journal = self.session.journal();
            let assigned = journal.assigned(person).iter().copied();
            let given = |put: &Assignment| journal.response(*put).is_some();
            assigned.filter(given).collect()
        };
        let number = match number {
            0 => answered.len(),
            number => number.min(answered.len()),
        };
        let Some(&put) = number.checked_sub(1).and_then(|place| answered.get(place)) else {
            return self.task(place);
        };
        let id = TaskId::Question(put);
        let content = state::content(self.session, person, id, self.wording)?;
        let content = content.ok_or_else(|| Error::failed("a question that was not posed"))?;
        let mut state = state::earlier(self.session, put, &content, self.wording);
        state["question"] = self.names.name(person, id, &content).into();
        state["number"] = number.into();
        state["all"] = answered.len().into();
        Ok(HttpReply::json(200, &state))
    }
}
