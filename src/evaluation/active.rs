//! The loop: a bandit asks, a feedback source answers, until something ends the run.
//!
//! The same loop serves recorded comparisons, people at the terminal or with a sheet, and simulations. Everything
//! random has a stream of its own per run (order of arms, bandit, drawing of judgments), so that
//! looking at the leader changes nothing. Arms are renumbered at random in each run: bandits break
//! ties by index, and no system may profit from its name.

use super::known::{Known, Outputs};
use super::readings::Readings;
use crate::bandits::{Arena, BuildDueling, Dueling, Uses};
use crate::duel::{Arm, Duel, DuelId, Origin, Outcome, Outlook, Pair, Verdict, Weighing};
use crate::error::{Error, Result};
use crate::estimators::margins::Reading;
use crate::feedback::{Answer, Credit, FeedbackSource, Question, Reply, Restart, Sample};
use crate::registry::{Entry, Params};
use crate::rng::{Rng, Seed};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// How long a run may go on. The first limit reached ends it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Human annotations.
    pub annotations: u64,
    /// Steps: annotations, answers of models, and duels of a system with itself, which are free and
    /// could go on for ever.
    pub steps: u64,
}

impl Limits {
    /// A budget of human annotations; `steps` defaults to ten times as many.
    pub fn new(annotations: u64, steps: Option<u64>) -> Self {
        let steps = steps.unwrap_or(annotations.saturating_mul(10));
        Self { annotations, steps }
    }
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stop {
    /// The bandit has a certificate for its claim.
    Certificate,
    /// The bandit has nothing more to ask, without a certificate.
    Finished,
    /// The budget of annotations is spent.
    Budget,
    /// The limit of steps is reached.
    Steps,
    /// Nobody answers any more.
    Ended,
}

/// What happened in one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunTrace {
    /// Who led from which number of annotations on; the changes only, beginning at 0. Where the
    /// leader changed several times at one number, the last change counts.
    pub leaders: Vec<(u64, Arm)>,
    /// Human annotations, counted when asked.
    pub annotations: u64,
    /// Answers that no person was asked for, without duels of a system with itself.
    pub model_answers: u64,
    /// Steps taken; also those that an answer on record settled.
    pub steps: u64,
    /// What people's judgments say of the model that may answer, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credit: Option<Credit>,
    /// After how many annotations it began again under other terms.
    // Traces that are stored know it by another name.
    #[serde(
        default,
        rename = "renewed_after",
        skip_serializing_if = "Option::is_none"
    )]
    pub restarted_after: Option<u64>,
    /// Why it ended.
    pub stop: Stop,
    /// What can be claimed at the end.
    pub verdict: Verdict,
}

impl RunTrace {
    fn new(leader: Arm) -> Self {
        Self {
            leaders: vec![(0, leader)],
            annotations: 0,
            model_answers: 0,
            steps: 0,
            credit: None,
            restarted_after: None,
            stop: Stop::Finished,
            verdict: Verdict::Open,
        }
    }

    /// Who leads at the end.
    pub fn winner(&self) -> Option<Arm> {
        self.leaders.last().map(|&(_, arm)| arm)
    }

    fn note(&mut self, leader: Arm) {
        if self.winner() == Some(leader) {
            return;
        }
        if self
            .leaders
            .last()
            .is_some_and(|last| last.0 == self.annotations)
        {
            self.leaders.pop();
        }
        if self.winner() != Some(leader) {
            self.leaders.push((self.annotations, leader));
        }
    }
}

/// A bandit with its parameters, the systems it chooses among, and its limits: all but the answers.
#[derive(Clone)]
pub struct Setup {
    entry: &'static Entry<BuildDueling>,
    params: Params,
    arms: Vec<Arm>,
    limits: Limits,
    seed: Seed,
    known: Known,
    uses: Uses,
}

impl Setup {
    /// Finds the best of `arms` with the bandit of `entry`.
    ///
    /// # Errors
    /// [`Error::Usage`] for parameters that the bandit refuses, no arms, or limits of 0.
    pub fn new(
        entry: &'static Entry<BuildDueling>,
        params: Params,
        arms: Vec<Arm>,
        limits: Limits,
        seed: Seed,
    ) -> Result<Self> {
        if arms.is_empty() {
            return Err(Error::usage("no systems to compare, expected at least 1"));
        }
        if limits.annotations == 0 || limits.steps == 0 {
            return Err(Error::usage(
                "a budget of 0, expected at least 1 annotation and 1 step",
            ));
        }
        // Wrong parameters are reported even where one arm leaves nothing to ask.
        let arena = Arena::new(arms.len().max(2), limits.steps)?;
        let uses = (entry.build)(&params, &arena)?.uses();
        Ok(Self {
            entry,
            params,
            arms,
            limits,
            seed,
            known: Known::default(),
            uses,
        })
    }

    /// Tells what is known beforehand. The bandit takes of it what it uses.
    ///
    /// # Errors
    /// [`Error::Usage`] for a confidence, margins or shares that cannot be.
    pub fn with(mut self, known: Known) -> Result<Self> {
        if self.arms.len() > 1 {
            known.arena(&self.arms, self.limits.steps, self.uses)?;
        }
        self.known = known;
        Ok(self)
    }

    /// Whether its bandit can give a certificate.
    pub(super) fn certifies(&self) -> bool {
        self.uses.confidence && self.known.confidence.is_some()
    }

    /// The systems compared.
    pub fn arms(&self) -> &[Arm] {
        &self.arms
    }

    /// When a run ends.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// The seed of all runs.
    pub fn seed(&self) -> Seed {
        self.seed
    }

    /// Plays run number `index` against `feedback`. The same index, seed and answers give the same
    /// trace.
    ///
    /// # Errors
    /// Those of the feedback source.
    pub fn play(&self, index: u64, feedback: &mut dyn FeedbackSource) -> Result<RunTrace> {
        self.play_noting(index, feedback, &mut |_| {})
    }

    /// Plays run number `index` and notes all that it shows about pairs of systems: the answers of
    /// people, those of an audited model, and the ties of identical outputs that nobody needs to be asked
    /// about.
    ///
    /// # Errors
    /// Those of the feedback source.
    pub fn play_noting(
        &self,
        index: u64,
        feedback: &mut dyn FeedbackSource,
        note: &mut dyn FnMut(Reading),
    ) -> Result<RunTrace> {
        self.run(index, feedback, note).map(|(trace, _)| trace)
    }

    /// As [`Setup::play_noting`], with how the run stands at its end.
    ///
    /// # Errors
    /// Those of the feedback source.
    pub fn follow(
        &self,
        index: u64,
        feedback: &mut dyn FeedbackSource,
        note: &mut dyn FnMut(Reading),
    ) -> Result<(RunTrace, Outlook)> {
        let (trace, end) = self.run(index, feedback, note)?;
        let mut draws = self.seed.stream("outlook", index);
        let outlook = |end: End| {
            let system = |arm: Arm| end.order[arm.index()];
            end.bandit.outlook(&mut draws).about(system)
        };
        Ok((trace, end.map_or_else(Outlook::default, outlook)))
    }

    fn run(
        &self,
        index: u64,
        feedback: &mut dyn FeedbackSource,
        note: &mut dyn FnMut(Reading),
    ) -> Result<(RunTrace, Option<End>)> {
        let mut order = self.arms.clone();
        self.seed.stream("arms", index).shuffle(&mut order);
        if let [only] = order.as_slice() {
            return Ok((RunTrace::new(*only), None));
        }
        let bandit = self.bandit(&order, true, self.known.reach)?;
        let outputs = self.known.outputs.as_deref();
        let outputs = outputs.filter(|_| self.uses.differing);
        let mut readings = Readings::new(note, self.known.reach.is_some());
        if let Some(outputs) = outputs {
            let same = outputs.never_differing(&self.arms);
            same.for_each(|(item, pair)| readings.tie(item, pair));
        }
        let game = Game {
            setup: self,
            trace: RunTrace::new(order[bandit.leader().index()]),
            bandit,
            begun_at: 0,
            asked: 0,
            in_blocks: false,
            share: None,
            reach: self.known.reach,
            order,
            feedback,
            readings,
            outputs,
            repeated: BTreeSet::new(),
            choices: self.seed.stream("bandit", index),
            judgments: self.seed.stream("judgments", index),
        };
        game.play(self.limits)
    }

    /// The bandit for the systems in `order`, at its beginning.
    pub(super) fn bandit(
        &self,
        order: &[Arm],
        certifiable: bool,
        reach: Option<f64>,
    ) -> Result<Box<dyn Dueling>> {
        let mut uses = self.uses;
        uses.confidence &= certifiable;
        let mut arena = self.known.arena(order, self.limits.steps, uses)?;
        if let Some(reach) = reach {
            arena = arena.with_reach(reach)?;
        }
        (self.entry.build)(&self.params, &arena)
    }
}

/// What a run leaves behind where more than one system is left.
struct End {
    bandit: Box<dyn Dueling>,
    /// The system behind each of its arms.
    order: Vec<Arm>,
}

/// One run in progress.
struct Game<'a> {
    setup: &'a Setup,
    bandit: Box<dyn Dueling>,
    /// The id of the bandit's first duel, among all of the run.
    begun_at: u64,
    /// The id of the next one.
    asked: u64,
    /// Whether people are asked in blocks.
    in_blocks: bool,
    /// With which share of the run's error probability the certificate began anew, if it did.
    share: Option<f64>,
    /// The largest reach of a weighing, where a model is audited.
    reach: Option<f64>,
    /// The system behind each of the bandit's arms.
    order: Vec<Arm>,
    feedback: &'a mut dyn FeedbackSource,
    /// What is learned about pairs of systems.
    readings: Readings<'a>,
    /// For a bandit that takes identical outputs for ties.
    outputs: Option<&'a Outputs>,
    /// Questions whose answers were asked for before, and are noted once unless a model is audited.
    repeated: BTreeSet<DuelId>,
    choices: Rng,
    judgments: Rng,
    trace: RunTrace,
}

impl Game<'_> {
    fn play(mut self, limits: Limits) -> Result<(RunTrace, Option<End>)> {
        self.trace.stop = loop {
            while self.hear()? {}
            if let Some(terms) = self.feedback.restart()?
                && !self.begin_again(&terms)?
            {
                break Stop::Finished;
            }
            if let Some(share) = self.feedback.renews_evidence()? {
                self.renew_evidence(share)?;
                continue;
            }
            if self.trace.annotations >= limits.annotations {
                break Stop::Budget;
            }
            if self.trace.steps >= limits.steps {
                break Stop::Steps;
            }
            if self.feedback.begins_block()? {
                self.in_blocks = true;
                self.bandit.begin_block();
            }
            let Some(duel) = self.bandit.ask(&mut self.choices) else {
                break match self.bandit.verdict().is_claim() {
                    true => Stop::Certificate,
                    false => Stop::Finished,
                };
            };
            if !self.step(duel)? {
                break Stop::Ended;
            }
        };
        // Answers still on their way have been paid for.
        while let Some(answer) = self.feedback.collect()? {
            self.take(answer);
        }
        self.trace.credit = self.feedback.credit();
        // Where one system is left there is no bandit for it.
        if self.order.len() == 1 {
            return Ok((self.trace, None));
        }
        let system = |arm: Arm| self.order[arm.index()];
        self.trace.verdict = self.bandit.verdict().about(system);
        let (bandit, order) = (self.bandit, self.order);
        Ok((self.trace, Some(End { bandit, order })))
    }

    /// Takes what came back for an earlier question; false if nothing did.
    fn hear(&mut self) -> Result<bool> {
        if let Some(answer) = self.feedback.arrived()? {
            self.take(answer);
            return Ok(true);
        }
        let Some(skipped) = self.feedback.skipped()? else {
            return Ok(false);
        };
        self.readings.skip(skipped);
        if let Some(id) = skipped.0.checked_sub(self.begun_at) {
            self.bandit.skip(DuelId(id));
        }
        Ok(true)
    }

    /// Begins again under other terms, without what was told before: which answers there are
    /// depends on how the terms came to change. False if one system is left.
    fn begin_again(&mut self, terms: &Restart) -> Result<bool> {
        self.order.retain(|arm| terms.kept.contains(arm));
        self.trace.restarted_after = Some(self.trace.annotations);
        self.begun_at = self.asked;
        if let [only] = self.order[..] {
            self.trace.note(only);
            return Ok(false);
        }
        self.reach = terms.reach;
        self.bandit = self.setup.bandit(&self.order, terms.sampled, self.reach)?;
        if let Some(share) = self.share {
            self.bandit.renew_evidence(share);
        }
        if self.in_blocks {
            self.bandit.begin_block();
        }
        let leader = self.order[self.bandit.leader().index()];
        self.trace.note(leader);
        Ok(true)
    }

    fn renew_evidence(&mut self, share: f64) -> Result<()> {
        if !(share > 0.0 && share <= 1.0) {
            return Err(Error::failed(format!(
                "new evidence at {share} of the error probability, expected a share above 0"
            )));
        }
        self.share = Some(share);
        self.bandit.renew_evidence(share);
        Ok(())
    }

    /// Tells the bandit how the answer to a duel will be scored. It has placed its bet, which a score
    /// beyond the reach it was told would make worthless or worse.
    fn weigh(&mut self, duel: DuelId, weighing: Weighing) -> Result<()> {
        let Weighing { q, probability } = weighing;
        let reach = self.reach.unwrap_or(1.0);
        let possible = q.abs() <= 1.0 && probability > 0.0 && probability <= 1.0;
        if !possible || weighing.reach() > reach * (1.0 + 1e-9) {
            return Err(Error::failed(format!(
                "a prediction of {q} audited with probability {probability}, expected scores that reach to {reach} at most"
            )));
        }
        self.bandit.weigh(duel, weighing);
        Ok(())
    }

    /// Settles one duel, or says that nobody answers any more.
    fn step(&mut self, duel: Duel) -> Result<bool> {
        if duel.pair.is_self() {
            self.trace.steps += 1;
            self.bandit.tell(duel.id, Outcome::Tie, Origin::Model);
            return Ok(true);
        }
        let system = |arm: Arm| self.order[arm.index()];
        let pair = Pair::new(system(duel.pair.first), system(duel.pair.second));
        let sample = self.draw(pair)?;
        let id = DuelId(self.begun_at + duel.id.0);
        self.asked = id.0 + 1;
        let question = Question {
            duel: Duel { id, pair, ..duel },
            sample,
        };
        let weighing = self.feedback.weighing(&question)?;
        if let Some(weighing) = weighing {
            self.weigh(duel.id, weighing)?;
        }
        self.readings.ask(&question, weighing);
        let reply = self.feedback.ask(question)?;
        let answered_by_model =
            |answer: &Answer| answer.question.duel.id == id && answer.origin == Origin::Model;
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
                self.tell(&answer);
            }
            Reply::Repeated => {
                self.repeated.insert(id);
            }
            Reply::Later => self.trace.annotations += 1,
        }
        self.trace.steps += 1;
        Ok(true)
    }

    /// Draws on what a pair is compared: where it matters to the bandit, until outputs differ. Some
    /// do, or the pair would not be asked.
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

    fn take(&mut self, answer: Answer) {
        let again = self.repeated.remove(&answer.question.duel.id);
        self.readings.answer(&answer, again);
        self.tell(&answer);
    }

    /// Passes an answer on to the bandit.
    fn tell(&mut self, answer: &Answer) {
        let Duel { id, .. } = answer.question.duel;
        // Answers to questions from before other terms have been paid for; the bandit, which has
        // begun again since, did not ask.
        let Some(id) = id.0.checked_sub(self.begun_at) else {
            return;
        };
        self.bandit.tell(DuelId(id), answer.outcome, answer.origin);
        let leader = self.order[self.bandit.leader().index()];
        self.trace.note(leader);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_change_at_a_count_is_kept() {
        let mut trace = RunTrace::new(Arm(0));
        trace.annotations = 3;
        trace.note(Arm(1));
        trace.note(Arm(2));
        assert_eq!(trace.leaders, [(0, Arm(0)), (3, Arm(2))]);
        trace.note(Arm(0));
        assert_eq!(trace.leaders, [(0, Arm(0))]);
        trace.annotations = 5;
        trace.note(Arm(0));
        assert_eq!(trace.leaders, [(0, Arm(0))]);
    }
}
