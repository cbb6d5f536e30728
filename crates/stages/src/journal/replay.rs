//! The replay of a journal, step by step, as a run asks again what it asked.

use super::Journal;
use super::past::{LoggedResponse, ReplayStep};
use tiebreak_base::cost::Cost;
use tiebreak_base::duel::{DuelId, Origin};
use tiebreak_base::error::{Error, Location, Result};
use tiebreak_decide::feedback::dealing::AnnotatorAssignment;
use tiebreak_decide::feedback::{CorrectedAnswer, DuelAnswer, PairQuestion};

const OTHER_RUN: &str = "the journal belongs to another campaign or another version of tiebreak";

impl Journal {
    /// Starts the replay from the beginning again.
    pub(in crate::journal) fn rewind(&mut self) {
        self.replayed = 0;
    }

    /// The next step to be replayed.
    fn next(&self) -> Option<&ReplayStep> {
        self.past.logged.get(self.replayed)
    }

    /// Whether all of it was replayed.
    pub(in crate::journal) fn is_replayed(&self) -> bool {
        self.next().is_none()
    }

    /// Takes `question` from what is to be replayed; false if everything is, and it is new.
    ///
    /// # Errors
    /// [`Error::Record`] if another question was logged here.
    pub(in crate::journal) fn replay(&mut self, question: PairQuestion) -> Result<bool> {
        let Some(next) = self.next() else {
            return Ok(false);
        };
        match next {
            ReplayStep::Question(logged, _) if *logged == question => {
                self.replayed += 1;
                Ok(true)
            }
            ReplayStep::Question(logged, line) => {
                let at = Location::line(&self.path, *line);
                let what = format!(
                    "the journal has question {} on item {} here, but the campaign now asks question {} on item {}",
                    logged.duel.id.0, logged.sample.item, question.duel.id.0, question.sample.item
                );
                Err(Error::record(at, what).with_hint(OTHER_RUN))
            }
            ReplayStep::Given(LoggedResponse { put, .. }) => Err(Error::input(
                &self.path,
                format!("the answer to question {} comes too early", put.id.0),
            )),
            ReplayStep::Renamed(id, _) => Err(Error::input(
                &self.path,
                format!(
                    "another name for the answer to question {} comes too early",
                    id.0
                ),
            )),
            ReplayStep::Corrected(LoggedResponse { put, .. }) => Err(Error::input(
                &self.path,
                format!("the correction of question {} comes too early", put.id.0),
            )),
            ReplayStep::People(_) => Err(Error::input(
                &self.path,
                "a list of annotators where none was expected",
            )),
        }
    }

    /// The next list of annotators, if it was given before the next question was posed.
    pub(in crate::journal) fn listed(&mut self) -> Option<Vec<String>> {
        let Some(ReplayStep::People(list)) = self.next() else {
            return None;
        };
        let list = list.clone();
        self.replayed += 1;
        Some(list)
    }

    /// The annotator to whom the next logged question was dealt; `None` once everything is replayed.
    pub(in crate::journal) fn next_person(&self) -> Option<u32> {
        let rest = &self.past.logged[self.replayed..];
        rest.iter().find_map(|logged| match logged {
            ReplayStep::Question(question, _) => Some(question.sample.person),
            _ => None,
        })
    }

    /// Passes on to `dealing` the annotators' names that were corrected afterwards, where that is next.
    fn rename(&mut self, dealing: &mut AnnotatorAssignment) {
        while let Some(ReplayStep::Renamed(id, annotator)) = self.next() {
            dealing.rename(*id, annotator.as_deref());
            self.replayed += 1;
        }
    }

    /// The next logged second opinion, if it came in before the next question was posed: its annotator, and
    /// the answer where it was not skipped.
    pub(in crate::journal) fn opinion(
        &mut self,
        dealing: &mut AnnotatorAssignment,
    ) -> Option<(u32, Option<DuelAnswer>)> {
        self.rename(dealing);
        let Some(ReplayStep::Given(came)) = self.next() else {
            return None;
        };
        let (person, outcome, seconds) = (came.put.second?, came.outcome, came.seconds);
        let question = self.question(came.put.id)?.question;
        self.replayed += 1;
        let answer = outcome.map(|outcome| DuelAnswer {
            question,
            outcome,
            origin: Origin::Other,
            cost: Cost::taking(seconds),
        });
        Some((person, answer))
    }

    /// The next logged answer, if it came in before the next question was posed; `dealing` decides as whose
    /// it counts.
    pub(in crate::journal) fn arrival(
        &mut self,
        dealing: &mut AnnotatorAssignment,
    ) -> Option<DuelAnswer> {
        self.rename(dealing);
        let Some(ReplayStep::Given(came)) = self.next() else {
            return None;
        };
        if came.put.second.is_some() {
            return None;
        }
        let (outcome, annotator, seconds) = (came.outcome?, came.annotator.clone(), came.seconds);
        let question = self.question(came.put.id)?.question;
        self.replayed += 1;
        Some(DuelAnswer {
            question,
            outcome,
            origin: dealing.origin(
                question.duel.id,
                question.sample.person,
                annotator.as_deref(),
            ),
            cost: Cost::taking(seconds),
        })
    }

    /// The next question that came back without an outcome, because it was skipped or is about one output, if that was
    /// before the next question was posed.
    pub(in crate::journal) fn skip(&mut self) -> Option<DuelId> {
        let Some(ReplayStep::Given(LoggedResponse { put, outcome, .. })) = self.next() else {
            return None;
        };
        let id = put.id;
        if outcome.is_some() || put.second.is_some() {
            return None;
        }
        self.replayed += 1;
        Some(id)
    }

    /// The next correction of an answer, if it came in before the next question was posed; one by somebody else than the
    /// annotator it was dealt to makes the names inconsistent.
    pub(in crate::journal) fn correction(
        &mut self,
        dealing: &mut AnnotatorAssignment,
    ) -> Option<CorrectedAnswer> {
        while let Some(ReplayStep::Corrected(came)) = self.next() {
            let (id, outcome, annotator) = (came.put.id, came.outcome, came.annotator.clone());
            self.replayed += 1;
            dealing.rename(id, annotator.as_deref());
            self.rename(dealing);
            let question = self.question(id)?.question;
            if dealing.is_theirs(question.sample.person, annotator.as_deref()) {
                return Some(CorrectedAnswer {
                    question,
                    outcome,
                    counted_again: false,
                });
            }
        }
        None
    }

    /// The oldest open question, once everything logged is replayed.
    pub(in crate::journal) fn oldest_open(&self) -> Option<PairQuestion> {
        let mut open = self.posed().filter(|posed| posed.is_open());
        open.next()
            .filter(|_| self.is_replayed())
            .map(|posed| posed.question)
    }

    /// Checks, when the run is over, that it went as far as the journal goes.
    ///
    /// # Errors
    /// [`Error::Record`] with the line from which on it did not.
    pub fn replayed(&self) -> Result<()> {
        let mut rest = self.past.logged[self.replayed..].iter();
        let unplayed = rest.find_map(|logged| match logged {
            ReplayStep::Question(question, line) => Some((question, line)),
            _ => None,
        });
        let Some((question, &line)) = unplayed else {
            return Ok(());
        };
        let at = Location::line(&self.path, line);
        let what = format!(
            "the journal has question {} here, but the campaign now ends before it",
            question.duel.id.0
        );
        Err(Error::record(at, what).with_hint(OTHER_RUN))
    }
}
