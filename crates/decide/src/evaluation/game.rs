//! One run in progress: a bandit asks, a source answers, for as long as questions are wanted.

use super::active::{RunTrace, Setup, Stop};
use super::known::IdenticalOutputItems;
use super::readings::Readings;
use super::variates::Variates;
use crate::bandits::DuelingBandit;
use crate::estimators::margins::Reading;
use crate::feedback::{
    CorrectedAnswer, DuelAnswer, FeedbackSource, PairQuestion, Reply, Restart, Sample,
};
use std::collections::BTreeSet;
use tiebreak_base::duel::{Arm, AuditWeighting, Duel, DuelId, Origin, Outcome, Outlook, Pair};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::rng::Rng;

/// A run in progress. It goes on for as long as questions are wanted, and may be continued later.
pub struct BanditRun<'a> {
    setup: &'a Setup,
    index: u64,
    /// The bandit; `None` where there is one system.
    bandit: Option<Box<dyn DuelingBandit>>,
    /// The only system that an elimination left: nothing more is asked, and the bandit keeps its evidence.
    only: Option<Arm>,
    /// The id of the bandit's first duel, among all of the run.
    begun_at: u64,
    /// The id of the next question.
    asked: u64,
    /// Whether people are asked in blocks.
    in_blocks: bool,
    /// The id of the first question since evidence began anew.
    renewed_at: u64,
    /// The share of the run's error probability left to a restarted certificate, if it was restarted.
    share: Option<f64>,
    /// The largest reach of the weighing of the current question; `None` where no model is audited.
    reach: Option<f64>,
    /// The system behind each of the bandit's arms.
    order: Vec<Arm>,
    feedback: Box<dyn FeedbackSource + 'a>,
    /// The readings of pairs of systems.
    readings: Readings<'a>,
    /// The control variates subtracted from the answers.
    variates: Variates,
    /// The items with identical outputs, for a bandit that takes these for ties.
    outputs: Option<&'a IdenticalOutputItems>,
    /// Questions whose answers were requested before; they are noted once unless a model is audited.
    repeated: BTreeSet<DuelId>,
    choices: Rng,
    judgments: Rng,
    trace: RunTrace,
}

impl<'a> BanditRun<'a> {
    /// Begins run number `index`; nothing is asked yet.
    pub(super) fn new(
        setup: &'a Setup,
        index: u64,
        mut feedback: Box<dyn FeedbackSource + 'a>,
        note: Box<dyn FnMut(Reading) + 'a>,
    ) -> Result<Self> {
        let seed = setup.seed;
        let reach = feedback.reach()?;
        let mut order = setup.arms.clone();
        seed.stream("arms", index).shuffle(&mut order);
        let bandit = match order.len() {
            1 => None,
            _ => Some(setup.bandit(&order, true)?),
        };
        let outputs = setup.known.outputs.as_deref();
        let outputs = outputs.filter(|_| setup.uses.differing);
        let mut readings = Readings::new(note, reach.is_some());
        if let Some(outputs) = outputs {
            let same = outputs.never_differing(&setup.arms);
            same.for_each(|(item, pair)| readings.tie(item, pair));
        }
        let leader = bandit.as_ref().map_or(0, |bandit| bandit.leader().index());
        Ok(Self {
            setup,
            index,
            trace: RunTrace::new(order[leader]),
            bandit,
            only: None,
            begun_at: 0,
            asked: 0,
            in_blocks: false,
            renewed_at: 0,
            share: None,
            reach,
            order,
            feedback,
            readings,
            variates: Variates::new(&setup.known, setup.uses),
            outputs,
            repeated: BTreeSet::new(),
            choices: seed.stream("bandit", index),
            judgments: seed.stream("judgments", index),
        })
    }
}

impl BanditRun<'_> {
    /// Continues until something ends the run, or no question is wanted now: then `None`.
    ///
    /// # Errors
    /// Those of the feedback source.
    pub fn go_on(&mut self) -> Result<Option<Stop>> {
        if self.bandit.is_none() || self.only.is_some() {
            return Ok(Some(Stop::Finished));
        }
        let stop = self.play()?;
        self.trace.stop = stop.unwrap_or(Stop::Ended);
        Ok(stop)
    }

    fn play(&mut self) -> Result<Option<Stop>> {
        let limits = self.setup.limits;
        loop {
            while self.hear()? {}
            if let Some(corrected) = self.feedback.corrected()? {
                self.correct(corrected);
                continue;
            }
            // A run that begins again has no earlier evidence: what is proved stays so.
            if !self.is_decided()
                && let Some(terms) = self.feedback.restart()?
                && !self.begin_again(&terms)?
            {
                return Ok(Some(Stop::Finished));
            }
            if let Some(share) = self.feedback.renews_evidence()? {
                self.renew_evidence(share)?;
                continue;
            }
            let spent = limits.cost.is_reached(&self.trace.spent.all);
            if spent || self.trace.annotations >= limits.annotations {
                return Ok(Some(Stop::Budget));
            }
            if self.trace.steps >= limits.steps {
                return Ok(Some(Stop::Steps));
            }
            if !self.feedback.wants()? {
                return Ok(None);
            }
            let begins_block = self.feedback.begins_block()?;
            self.reach = self.feedback.reach()?;
            let Some(bandit) = &mut self.bandit else {
                return Ok(Some(Stop::Finished));
            };
            if begins_block {
                self.in_blocks = true;
                bandit.begin_block();
            }
            if let Some(reach) = self.reach {
                bandit.reach(reach);
            }
            let Some(duel) = bandit.ask(&mut self.choices) else {
                return Ok(Some(match bandit.verdict().is_claim() {
                    true => Stop::Certificate,
                    false => Stop::Finished,
                }));
            };
            if !self.step(duel)? {
                return Ok(Some(Stop::Ended));
            }
        }
    }

    /// Takes the answers that are still under way: they have been paid for.
    pub(super) fn collect(&mut self) -> Result<()> {
        while let Some(answer) = self.feedback.collect()? {
            self.take(answer);
        }
        Ok(())
    }

    /// Whether a claim can be made.
    pub fn is_decided(&self) -> bool {
        let bandit = self.bandit.as_ref();
        bandit.is_some_and(|bandit| bandit.verdict().is_claim())
    }

    /// Whether an answer was corrected on which a claim would rest.
    pub fn is_corrected(&self) -> bool {
        self.trace.is_corrected
    }

    /// The trace so far.
    pub fn trace(&mut self) -> RunTrace {
        let mut trace = self.trace.clone();
        trace.credit = self.feedback.credit();
        if let Some(bandit) = &self.bandit {
            trace.verdict = bandit.verdict().about(|arm: Arm| self.order[arm.index()]);
        }
        trace
    }

    /// The trace so far, and the outlook of the run, for which a bandit may draw thousands of samples.
    pub fn standing(&mut self) -> (RunTrace, Outlook) {
        let outlook = self.bandit.as_ref().map(|bandit| {
            let mut draws = self.setup.seed.stream("outlook", self.index);
            let system = |arm: Arm| self.order[arm.index()];
            bandit.outlook(&mut draws).about(system)
        });
        let mut outlook = outlook.unwrap_or_default();
        outlook.leader = self.only.or(outlook.leader);
        (self.trace(), outlook)
    }

    /// Takes one reply to an earlier question; false if there is none.
    fn hear(&mut self) -> Result<bool> {
        if let Some(opinion) = self.feedback.opinion()? {
            self.inform(&opinion);
            return Ok(true);
        }
        if let Some(answer) = self.feedback.arrived()? {
            self.take(answer);
            return Ok(true);
        }
        let Some(skipped) = self.feedback.skipped()? else {
            return Ok(false);
        };
        self.readings.skip(skipped);
        if let (Some(bandit), Some(id)) = (&mut self.bandit, skipped.0.checked_sub(self.begun_at)) {
            bandit.skip(DuelId(id));
        }
        Ok(true)
    }

    /// Restarts under other terms, without earlier answers: which of them exist
    /// depends on how the terms came to change. False if one system is left.
    fn begin_again(&mut self, terms: &Restart) -> Result<bool> {
        self.trace.restarted_after = Some(self.trace.annotations);
        if let [only] = terms.kept[..] {
            self.trace.note(only);
            self.only = Some(only);
            return Ok(false);
        }
        self.order.retain(|arm| terms.kept.contains(arm));
        self.begun_at = self.asked;
        let mut bandit = self.setup.bandit(&self.order, terms.sampled)?;
        if let Some(share) = self.share {
            bandit.renew_evidence(share);
        }
        if self.in_blocks {
            bandit.begin_block();
        }
        self.trace.note(self.order[bandit.leader().index()]);
        self.bandit = Some(bandit);
        Ok(true)
    }

    /// Notes a correction. Evidence stands if nothing was staked on the answer before, and no other draw counted it.
    fn correct(&mut self, corrected: CorrectedAnswer) {
        // What the bandit learned from the slip stays, so the correction is another opinion to it.
        if let Some(outcome) = corrected.outcome {
            self.inform(&DuelAnswer {
                origin: Origin::Other,
                ..DuelAnswer::human(corrected.question, outcome)
            });
        }
        let Duel { id, bet, .. } = corrected.question.duel;
        let bandit = self.bandit.as_ref();
        let is_staked = id.0 >= self.renewed_at && bandit.is_some_and(|bandit| bandit.stakes(bet));
        self.trace.is_corrected |= is_staked || corrected.counted_again;
    }

    fn renew_evidence(&mut self, share: f64) -> Result<()> {
        if !(share > 0.0 && share <= 1.0) {
            return Err(Error::failed(format!(
                "new evidence at {share} of the error probability, expected a share above 0"
            )));
        }
        self.share = Some(share);
        self.renewed_at = self.asked;
        self.trace.is_corrected = false;
        if let Some(bandit) = &mut self.bandit {
            bandit.renew_evidence(share);
        }
        Ok(())
    }

    /// Passes the scoring of a duel's answer to the bandit. The bet is already placed, and a score
    /// beyond the announced reach would invalidate it.
    fn weigh(&mut self, duel: DuelId, weighing: AuditWeighting) -> Result<()> {
        let AuditWeighting { q, probability } = weighing;
        let reach = self.reach.unwrap_or(1.0);
        let possible = q.abs() <= 1.0 && probability > 0.0 && probability <= 1.0;
        if !possible || weighing.reach() > reach * (1.0 + 1e-9) {
            return Err(Error::failed(format!(
                "a prediction of {q} audited with probability {probability}, expected scores that reach to {reach} at most"
            )));
        }
        if let Some(bandit) = &mut self.bandit {
            bandit.weigh(duel, weighing);
        }
        Ok(())
    }

    /// Settles one duel; false if there are no more answers.
    fn step(&mut self, duel: Duel) -> Result<bool> {
        if duel.pair.is_self() {
            self.trace.steps += 1;
            if let Some(bandit) = &mut self.bandit {
                bandit.record_outcome(duel.id, Outcome::Tie, Origin::Model);
            }
            return Ok(true);
        }
        let question = self.question(duel)?;
        let id = question.duel.id;
        self.asked = id.0 + 1;
        let weighing = self.feedback.weighing(&question)?;
        if let Some(weighing) = weighing {
            self.weigh(duel.id, weighing)?;
        }
        self.readings.ask(&question, weighing);
        let reply = self.feedback.ask(question)?;
        let answered_by_model =
            |answer: &DuelAnswer| answer.question.duel.id == id && answer.origin == Origin::Model;
        match reply {
            Reply::Ended => return Ok(false),
            Reply::Answer(answer) if answered_by_model(&answer) => {
                self.trace.model_answers += 1;
                self.take(answer);
            }
            Reply::Answer(earlier_or_this) => {
                self.trace.annotations += 1;
                self.take(earlier_or_this);
            }
            Reply::Known(answer) => {
                self.readings.answer(&answer, true);
                self.pass_to_bandit(&answer);
            }
            Reply::Repeated => {
                self.repeated.insert(id);
            }
            Reply::Later => self.trace.annotations += 1,
        }
        self.trace.steps += 1;
        Ok(true)
    }

    /// The question of a duel of two systems: the bet is placed, then an item is drawn.
    fn question(&mut self, duel: Duel) -> Result<PairQuestion> {
        let Pair { first, second } = duel.pair;
        let pair = Pair::new(self.order[first.index()], self.order[second.index()]);
        let mut bet = duel.bet;
        if let Some(bandit) = &mut self.bandit {
            bet = self.variates.bet(bandit.as_mut(), duel, pair);
        }
        let sample = self.draw(pair)?;
        if let Some(bandit) = &mut self.bandit {
            let variates = &mut self.variates;
            variates.control(bandit.as_mut(), duel.id, pair, sample.item);
        }
        let id = DuelId(self.begun_at + duel.id.0);
        let duel = Duel { id, pair, bet };
        Ok(PairQuestion { duel, sample })
    }

    /// Draws an item for a pair: where it matters to the bandit, until outputs differ. Some
    /// do, or the pair would not be asked about.
    fn draw(&mut self, pair: Pair) -> Result<Sample> {
        loop {
            let sample = self.feedback.draw(pair, &mut self.judgments)?;
            let same = self
                .outputs
                .is_some_and(|outputs| outputs.same(pair, sample.item));
            if !same {
                return Ok(sample);
            }
            self.readings.tie(sample.item, pair);
        }
    }

    fn take(&mut self, answer: DuelAnswer) {
        self.trace.spent.all.add(answer.cost);
        let again = self.repeated.remove(&answer.question.duel.id);
        self.readings.answer(&answer, again);
        self.pass_to_bandit(&answer);
    }

    /// Passes an opinion on to the bandit, if both systems are still compared.
    fn inform(&mut self, opinion: &DuelAnswer) {
        self.trace.spent.all.add(opinion.cost);
        self.variates.hear(opinion);
        let Pair { first, second } = opinion.question.duel.pair;
        let place = |system| {
            self.order
                .iter()
                .position(|&arm| arm == system)
                .map(Arm::from)
        };
        if let (Some(bandit), Some(first), Some(second)) =
            (&mut self.bandit, place(first), place(second))
        {
            bandit.inform(Pair::new(first, second), opinion.outcome);
        }
    }

    /// Passes an answer on to the bandit.
    fn pass_to_bandit(&mut self, answer: &DuelAnswer) {
        self.variates.hear(answer);
        let Duel { id, .. } = answer.question.duel;
        // Answers to questions from before a restart have been paid for, but the bandit, which was
        // restarted since, did not ask them.
        let (Some(bandit), Some(id)) = (&mut self.bandit, id.0.checked_sub(self.begun_at)) else {
            return;
        };
        bandit.record_outcome(DuelId(id), answer.outcome, answer.origin);
        let leader = self.order[bandit.leader().index()];
        self.trace.note(self.only.unwrap_or(leader));
    }
}
