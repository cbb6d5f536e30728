//! The run of a plan: its outputs, asked about one after the other.
//!
//! Each system's outputs are dealt to the annotators in shares as equal as they can be, in random order: then each mean is of
//! all annotators, also in a small plan. A question of an annotator who is not listed any more and never answered goes to another one at the end of the plan.

use super::RatingCampaign;
use super::status::RatingStatus;
use crate::campaign::kinds::{AnnotatorPool, Notices};
use std::collections::{BTreeMap, BTreeSet};
use tiebreak_base::duel::{Arm, Duel, DuelId, Pair};
use tiebreak_base::error::{Error, Result};
use tiebreak_decide::evaluation::active::Stop;
use tiebreak_decide::feedback::{FeedbackSource, PairQuestion, Reply};

/// A plan in progress.
pub(in crate::campaign) struct RatingRun<'s> {
    pub(super) rating: &'s RatingCampaign<'s>,
    pub(super) people: &'s AnnotatorPool<'s>,
    /// The last question about each output asked so far, with its annotator.
    put: Vec<(DuelId, u32)>,
    /// How many of these each annotator has, of each system.
    loads: BTreeMap<(u32, Arm), u32>,
    /// The questions that were answered or skipped.
    came: BTreeSet<DuelId>,
    /// The number of the next question.
    next: u64,
}

impl<'s> RatingRun<'s> {
    pub(in crate::campaign) fn new(
        rating: &'s RatingCampaign<'s>,
        people: &'s AnnotatorPool<'s>,
    ) -> Self {
        Self {
            rating,
            people,
            put: Vec::new(),
            loads: BTreeMap::new(),
            came: BTreeSet::new(),
            next: 0,
        }
    }

    /// Takes in what was answered or skipped; the answers do not influence what is asked.
    fn take_answers(&mut self) -> Result<()> {
        let mut people = self.people;
        loop {
            if let Some(answer) = people.arrived()? {
                self.came.insert(answer.question.duel.id);
            } else if let Some(id) = people.skipped()? {
                self.came.insert(id);
            } else if people.renews_evidence()?.is_none() {
                return Ok(());
            }
        }
    }

    /// The place of the next output.
    fn next(&self) -> Option<usize> {
        if self.put.len() < self.rating.outputs.len() {
            return Some(self.put.len());
        }
        let batch = self.people.borrow();
        let is_lost = |(id, person): &(DuelId, u32)| {
            !self.came.contains(id) && !batch.dealing().is_listed(*person)
        };
        self.put.iter().position(is_lost)
    }

    /// Asks about the output at a place; false where no more questions are wanted.
    fn ask(&mut self, place: usize) -> Result<bool> {
        let (item, system) = self.rating.outputs[place];
        let (id, pair) = (DuelId(self.next), Pair::new(system, system));
        let mut rng = self
            .rating
            .campaign_context
            .seed()
            .stream("dealt output", id.0);
        let mut people = self.people;
        let loads = &self.loads;
        let load = |person: u32| {
            let all = loads
                .range((person, Arm::from(0))..)
                .take_while(|((of, _), _)| *of == person);
            (
                loads.get(&(person, system)),
                all.map(|(_, load)| load).sum::<u32>(),
            )
        };
        let dealt = people.borrow_mut().deal((pair, item), load, &mut rng);
        let Some(sample) = dealt else {
            // Every annotator still listed has rated it, which must suffice.
            self.came.extend(self.put.get(place).map(|(id, _)| *id));
            return Ok(true);
        };
        let duel = Duel { id, pair, bet: 0.0 };
        match people.ask(PairQuestion { duel, sample })? {
            Reply::Later => {}
            Reply::Ended => return Ok(false),
            _ => {
                return Err(Error::failed(
                    "an output was rated before it was asked about",
                ));
            }
        }
        self.next += 1;
        *self.loads.entry((sample.person, system)).or_default() += 1;
        match self.put.get_mut(place) {
            Some(put) => *put = (id, sample.person),
            None => self.put.push((id, sample.person)),
        }
        Ok(true)
    }

    /// Goes on until the plan ends, which it does like a budget: answers to open questions still count.
    ///
    /// # Errors
    /// If the journal is another's, or a question cannot be posed.
    pub(in crate::campaign) fn advance(&mut self) -> Result<Option<Stop>> {
        loop {
            self.take_answers()?;
            let Some(place) = self.next() else {
                return Ok(Some(Stop::Budget));
            };
            let mut people = self.people;
            if !people.wants()? {
                return Ok(None);
            }
            if !self.ask(place)? {
                return Ok(Some(Stop::Ended));
            }
        }
    }

    /// Returns the status of the campaign after such a stop, and whether it could be stored.
    pub(in crate::campaign) fn standing(
        &mut self,
        stop: Stop,
        notices: Notices,
    ) -> Result<(RatingStatus, Result<()>)> {
        let people = self.people.borrow();
        let found = self.rating.estimates(people.journal())?;
        let served = notices.served;
        let status = RatingStatus::from_batch(self.rating, &people, found.as_ref(), stop, notices);
        let plan = status.plan_step(served);
        let stored = self.rating.record(people.journal(), found.as_ref(), plan);
        Ok((status, stored))
    }
}
